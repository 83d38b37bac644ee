"""The matrix' pixels: cells one by one, or sums where they are smaller than a pixel.

Every stored pair of the visible rows is read once, so a picture takes time that
grows with the pairs, not with the square of the ranks, and memory for its pixels.
"""

from dataclasses import dataclass

import numba
import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from topoview.model import Bools, CommunicationMatrix, Floats, Indices, Ints, freeze
from topoview.scene.colour_maps import STEPS, map_colours
from topoview.scene.fading import mix
from topoview.scene.matrix_order import Arrangement
from topoview.scene.palette import Theme
from topoview.scene.timeline.pixels import Pixels, pixel

FAINT = 0.22
"""Strength of the colour of cells that do not stand out."""

ALIKE = 1.1
"""Greatest number divided by the least, up to which all have one colour."""

ABSENT = -1.0
"""What a cell holds whose ranks do not communicate."""


@dataclass(frozen=True, slots=True)
class Extract:
    """Which places of the matrix are shown: columns, rows, and how many of each.

    Attributes
    ----------
    left, top
        First column and row.
    count
        Columns, and rows; at least one.
    """

    left: int
    top: int
    count: int


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """Numbers of an extract, cell by cell or binned.

    Attributes
    ----------
    values : float64, shape (lines, lines)
        Messages or bytes, `ABSENT` where there are none.
    marked : bool, shape (lines, lines)
        Where any pair is not in the topology.
    exact
        Whether a line is one rank.
    low, high
        Least number above 0, and the greatest, that colours span.
    """

    values: Floats
    marked: Bools
    exact: bool
    low: float
    high: float

    def __post_init__(self) -> None:
        """Make the arrays read-only."""
        freeze(self)

    @property
    def alike(self) -> bool:
        """Whether numbers hardly differ: colours would tell more than there is."""
        return self.high <= ALIKE * self.low


def cells(
    numbers: csr_array,
    arrangement: Arrangement,
    extract: Extract,
    lines: int,
    marks: csr_array | None = None,
) -> Cells:
    """Gather the numbers of an extract in at most so many lines.

    Parameters
    ----------
    numbers : csr_array, shape (ranks, ranks)
        What is shown; row sends to column.
    arrangement
        Order of rows and columns.
    extract
        What of it is shown.
    lines
        Lines of pixels that there are; where there are fewer ranks each has one.
    marks : csr_array, shape (ranks, ranks)
        Pairs that are not in the topology, whatever they hold.
    """
    exact = extract.count <= lines
    lines = min(lines, extract.count)
    values = _binned(numbers, arrangement, extract, lines)
    marked = np.zeros(values.shape, bool)
    if marks is not None:
        marked = _binned(marks, arrangement, extract, lines) != ABSENT
        marked &= values != ABSENT
    shown = numbers.data if exact else values
    some = shown[shown > 0]
    low, high = (float(some.min()), float(some.max())) if len(some) else (1.0, 1.0)
    return Cells(values, marked, exact, low, high)


def present(
    matrix: csr_array, arrangement: Arrangement, extract: Extract, lines: int
) -> Bools:
    """Tell in which cells or bins of an extract a matrix stores anything: square."""
    lines = min(lines, extract.count)
    found: Bools = _binned(matrix, arrangement, extract, lines) != ABSENT
    return found


def _binned(
    matrix: csr_array, arrangement: Arrangement, extract: Extract, lines: int
) -> Floats:
    return _bin(
        matrix.indptr.astype(np.int64),
        matrix.indices.astype(np.int32),
        matrix.data.astype(np.float64),
        arrangement.ranks,
        arrangement.place,
        (extract.left, extract.top, extract.count),
        lines,
    )


@numba.njit(nogil=True, cache=True)
def _bin(  # noqa: PLR0913
    begins: Ints,
    columns: Indices,
    data: Floats,
    ranks: Indices,
    place: Indices,
    extract: tuple[int, int, int],
    lines: int,
) -> Floats:
    left, top, count = extract
    out = np.full((lines, lines), ABSENT)
    for row in range(top, min(top + count, len(ranks))):
        rank = ranks[row]
        y = (row - top) * lines // count
        for k in range(begins[rank], begins[rank + 1]):
            column = place[columns[k]] - left
            if 0 <= column < count:
                x = column * lines // count
                out[y, x] = max(out[y, x], 0.0) + data[k]
    return out


def cell_pixels(shown: Cells, theme: Theme, stands_out: Bools | None = None) -> Pixels:
    """Colour cells by the logarithm of their numbers.

    Parameters
    ----------
    stands_out : bool, shape (lines, lines)
        Cells that keep their colour while the others are faint; None for all.

    Returns
    -------
    uint32, shape (lines, lines)
    """
    strong, faint = colour_tables(theme)
    share = np.ones(shown.values.shape)
    if not shown.alike:
        span = np.log(shown.high / shown.low)
        share = np.log(np.maximum(shown.values, shown.low) / shown.low) / span
    code = np.clip(share * STEPS, 0, STEPS - 1).astype(np.int64)
    painted = strong[code]
    if stands_out is not None:
        painted = np.where(stands_out, painted, faint[code])
    if not shown.exact:
        painted = np.where(shown.marked, pixel(theme.ink), painted)
    there = shown.values != ABSENT
    pixels: Pixels = np.where(there, painted, pixel(theme.panel)).astype(np.uint32)
    return pixels


def colour_tables(
    theme: Theme,
) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    """Colours from the least to the greatest number, and the same ones faint."""
    colours = map_colours("cividis", theme)
    faint = [mix(theme.panel, colour, FAINT) for colour in colours]
    return (
        np.array([pixel(c) for c in colours], np.uint32),
        np.array([pixel(c) for c in faint], np.uint32),
    )


def pairs(edges: Indices, ranks: int) -> csr_array:
    """Make a matrix of edges, both ways; what is no rank is left out."""
    some = edges[((edges >= 0) & (edges < ranks)).all(axis=1)].astype(np.int64)
    both = np.concatenate([some, some[:, ::-1]])
    ones = np.ones(len(both), np.int64)
    return csr_array((ones, (both[:, 0], both[:, 1])), shape=(ranks, ranks))


def amounts(matrix: CommunicationMatrix, amount: str) -> csr_array:
    """Messages or bytes of a matrix."""
    return matrix.volume if amount == "bytes" else matrix.calls
