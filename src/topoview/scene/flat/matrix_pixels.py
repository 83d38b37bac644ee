"""The communication matrix in pixels, and the orders of its ranks.

Cells are drawn one by one, or summed where they are smaller than a pixel. Every stored
pair of the visible rows is read once, so a picture takes time that grows with the
pairs, not with the square of the ranks, and memory for its pixels.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from topoview import model
from topoview.live import kernels
from topoview.live.timeline.orders import order_by_place
from topoview.scene.flat.timeline_pixels import Pixels, packed_colour
from topoview.scene.palette import MAP_STEPS, Theme, map_colours, mix_colours

if TYPE_CHECKING:
    from scipy.sparse import csr_array

ABSENT = -1.0
"""What a cell holds whose ranks do not communicate."""

# In which order the matrix shows the ranks, and where groups of them begin.


@dataclass(frozen=True, slots=True, eq=False)
class MatrixOrder(model.Frozen):
    """Ranks in the order drawn, along both sides."""

    ranks: model.Indices
    """int32, shape (ranks,): A permutation of all ranks."""
    place: model.Indices
    """int32, shape (ranks,): place of each rank in it."""
    groups: model.Ints
    """int64, shape (groups,): places at which groups begin (a row of the topology, a
    node); the first is 0."""
    labels: tuple[str, ...] = ()
    """Name of each group, empty if they have none."""


def order_matrix(
    name: str, trace: model.Trace, match: model.Match | None
) -> MatrixOrder:
    """Put the ranks in an order of the table; by number if it makes no sense."""
    if name not in possible_matrix_orders(trace, match):
        name = "rank"
    return MATRIX_ORDERS[name](trace, match)


def possible_matrix_orders(
    trace: model.Trace, match: model.Match | None
) -> tuple[str, ...]:
    """Names of the orders that make sense."""
    names = ["rank"]
    if match is not None and len(match.topology.edges):
        names += ["place"] if match.topology.has_places else []
    nodes = set(trace.hosts)
    return (*names, "node") if len(nodes) > 1 else tuple(names)


def _by_rank(trace: model.Trace, _: model.Match | None) -> MatrixOrder:
    numbers = np.arange(trace.ranks, dtype=np.int32)
    return MatrixOrder(numbers, numbers, np.zeros(1, np.int64))


def _by_place(_: model.Trace, match: model.Match | None) -> MatrixOrder:
    """Row-major by coordinates: x runs fastest."""
    assert match is not None
    order = order_by_place(match)
    return MatrixOrder(
        order.ranks, _inverse_permutation(order.ranks), order.groups, order.labels
    )


def _by_node(trace: model.Trace, _: model.Match | None) -> MatrixOrder:
    """Nodes in order of their first rank; within a node by number."""
    names = trace.hosts
    number = {name: n for n, name in enumerate(dict.fromkeys(names))}
    node = np.array([number[name] for name in names])
    ranks = np.argsort(node, kind="stable").astype(np.int32)
    groups = np.append(0, np.flatnonzero(np.diff(node[ranks])) + 1)
    return MatrixOrder(
        ranks, _inverse_permutation(ranks), groups.astype(np.int64), tuple(number)
    )


def _inverse_permutation(ranks: model.Indices) -> model.Indices:
    place = np.empty(len(ranks), np.int32)
    place[ranks] = np.arange(len(ranks), dtype=np.int32)
    return place


MATRIX_ORDERS: dict[str, Callable[[model.Trace, model.Match | None], MatrixOrder]] = {
    "rank": _by_rank,
    "place": _by_place,
    "node": _by_node,
}
"""Every order. To add one is to write a function and a line here."""


FAINT_STRENGTH = 0.22
"""Strength of the colour of cells that do not stand out."""

MAX_RATIO_ALIKE = 1.1
"""Greatest number divided by the least, up to which all have one colour."""


@dataclass(frozen=True, slots=True)
class MatrixExtract:
    """Which places of the matrix are shown: columns, rows, and how many of each."""

    left: int
    top: int
    """`left` and `top`: first column and row."""
    count: int
    """Columns, and rows; at least one."""


@dataclass(frozen=True, slots=True, eq=False)
class MatrixCells(model.Frozen):
    """Numbers of an extract, cell by cell or binned."""

    values: model.Floats
    """float64, shape (lines, lines): messages or bytes, `ABSENT` where there are
    none."""
    marked: model.Bools
    """bool, shape (lines, lines): where any pair is not in the topology."""
    exact: bool
    """Whether a line is one rank."""
    low: float
    high: float
    """`low` and `high`: least number above 0, and the greatest, that colours span."""

    @property
    def alike(self) -> bool:
        """Whether numbers hardly differ: colours would tell more than there is."""
        return self.high <= MAX_RATIO_ALIKE * self.low


def extract_cells(  # noqa: PLR0913 - a picture's parameters
    numbers: "csr_array",
    arrangement: MatrixOrder,
    extract: MatrixExtract,
    lines: int,
    marks: "csr_array | None" = None,
    per: "csr_array | None" = None,
) -> MatrixCells:
    """Gather the numbers of an extract in at most so many lines.

    Parameters
    ----------
    numbers : "csr_array", shape (ranks, ranks)
        What is shown; row sends to column.
    arrangement
        Order of rows and columns.
    extract
        What of it is shown.
    lines
        Lines of pixels that there are; where there are fewer ranks each has one.
    marks : "csr_array", shape (ranks, ranks)
        Pairs that are not in the topology, whatever they hold.
    per : "csr_array", shape (ranks, ranks)
        What the numbers are divided by, such as messages, of the same structure: where
        pairs are summed the sums are.
    """
    exact = extract.count <= lines
    lines = min(lines, extract.count)
    values = _bin_matrix(numbers, arrangement, extract, lines)
    stored = numbers.data
    if per is not None:
        number = _bin_matrix(per, arrangement, extract, lines)
        values = np.where(values == ABSENT, ABSENT, values / np.maximum(number, 1))
        stored = stored / np.maximum(per.data, 1)
    marked = np.zeros(values.shape, bool)
    if marks is not None:
        marked = _bin_matrix(marks, arrangement, extract, lines) != ABSENT
        marked &= values != ABSENT
    shown = stored if exact else values
    some = shown[shown > 0]
    low, high = (float(some.min()), float(some.max())) if len(some) else (1.0, 1.0)
    return MatrixCells(values, marked, exact, low, high)


def stored_cells(
    matrix: "csr_array", arrangement: MatrixOrder, extract: MatrixExtract, lines: int
) -> model.Bools:
    """Return in which cells or bins of an extract a matrix stores anything: square."""
    lines = min(lines, extract.count)
    result: model.Bools = _bin_matrix(matrix, arrangement, extract, lines) != ABSENT
    return result


def _bin_matrix(
    matrix: "csr_array", arrangement: MatrixOrder, extract: MatrixExtract, lines: int
) -> model.Floats:
    cells = np.full((lines, lines), ABSENT)
    kernels.bin_pairs(
        matrix.indptr.astype(np.int64),
        matrix.indices.astype(np.int32),
        matrix.data.astype(np.float64),
        arrangement.ranks,
        arrangement.place,
        (extract.left, extract.top, extract.count),
        cells,
    )
    return cells


def cell_pixels(
    shown: MatrixCells, theme: Theme, stands_out: model.Bools | None = None
) -> Pixels:
    """Colour cells by the logarithm of their numbers.

    Parameters
    ----------
    stands_out : bool, shape (lines, lines)
        Cells that keep their colour while the others are faint; None for all.

    Returns
    -------
    uint32, shape (lines, lines)
    """
    strong, faint = cell_colour_tables(theme)
    share = np.ones(shown.values.shape)
    if not shown.alike:
        span = np.log(shown.high / shown.low)
        share = np.log(np.maximum(shown.values, shown.low) / shown.low) / span
    code = np.clip(share * MAP_STEPS, 0, MAP_STEPS - 1).astype(np.int64)
    painted = strong[code]
    if stands_out is not None:
        painted = np.where(stands_out, painted, faint[code])
    if not shown.exact:
        painted = np.where(shown.marked, packed_colour(theme.ink), painted)
    there = shown.values != ABSENT
    pixels: Pixels = np.where(there, painted, packed_colour(theme.panel)).astype(
        np.uint32
    )
    return pixels


def cell_colour_tables(
    theme: Theme,
) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    """Colours from the least to the greatest number, and the same ones faint."""
    colours = map_colours("cividis", theme)
    faint = [mix_colours(theme.panel, colour, FAINT_STRENGTH) for colour in colours]
    return (
        np.array([packed_colour(c) for c in colours], np.uint32),
        np.array([packed_colour(c) for c in faint], np.uint32),
    )


def edge_matrix(edges: model.Indices, ranks: int) -> "csr_array":
    """Build a matrix of edges, both ways, of ranks only."""
    some = edges[((edges >= 0) & (edges < ranks)).all(axis=1)].astype(np.int64)
    both = np.concatenate([some, some[:, ::-1]])
    ones = np.ones(len(both), np.int64)
    from scipy.sparse import csr_array  # loads long

    return csr_array((ones, (both[:, 0], both[:, 1])), shape=(ranks, ranks))


def matrix_amounts(
    matrix: model.CommunicationMatrix, amount: str
) -> "tuple[csr_array, csr_array | None]":
    """Return the numbers of a matrix, and what they are divided by.

    Parameters
    ----------
    amount
        ``calls``, ``bytes``, ``calls/s``, ``bytes/s``, ``mean`` (bytes a message), or
        ``wait`` (seconds).
    """
    match amount:
        case "calls/s":
            return matrix.per_second(matrix.calls), None
        case "bytes/s":
            return matrix.per_second(matrix.volume), None
        case "calls":
            return matrix.calls, None
        case "mean":
            return matrix.volume, matrix.calls
        case "wait" if matrix.waits is not None:
            return matrix.waits, None
        case _:
            return matrix.volume, None
