"""Grids whose sides are joined otherwise than straight across: folds and flips.

Longitude comes back after a row. Across the northernmost row of a tripolar ocean each
place is joined to the one at the mirrored longitude, so that there is no pole in the
water (Murray, 1996, "Explicit generation of orthogonal grids for ocean models", J.
Comput. Phys. 126); across a pole to the one half way round. The last row of a Möbius
strip, or a Klein bottle, is joined to the first one mirrored.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from topoview.model import Floats, Indices, Ints, Match, Topology
from topoview.topology.direction_names import CompassDirections
from topoview.topology.graph.graph import edges_of_ends
from topoview.topology.lattices.lattice import divisors, shaped_name
from topoview.topology.members import Member

MIN_WIDTH = 5
"""Places in a row from which on the fold joins any that are no neighbours already."""

FOLDED, POLES, FLIPPED = (
    "folded north",
    "joined across the poles",
    "joined with a flip in y",
)


def folded_grid(
    width: int,
    height: int,
    numbering: str = "upward",
    seam: str = FOLDED,
    periodic: bool = True,
) -> Topology:
    """Build a grid whose northern and southern sides are joined by a seam.

    Parameters
    ----------
    width, height
        Places in a row, and rows.
    numbering
        Whether vertices are numbered row by row from the southern row, ``upward``, as
        ocean models do, or from the northern one, ``downward``; or column by column,
        ``across``. The coordinate y is counted from the north all the same.
    seam
        `FOLDED`, `POLES` or `FLIPPED`.
    periodic
        Whether it is periodic in x.
    """
    n = width * height
    if numbering == "across":
        x, y = np.divmod(np.arange(n), height)
    else:
        y, x = np.divmod(np.arange(n), width)
        y = height - 1 - y if numbering == "upward" else y
    places = np.stack([x, y], 1).astype(np.int32)
    ends = _ends(places, (width, height), seam, periodic)
    return Topology(
        kind="folded",
        name=_name(width, height, seam, periodic),
        dims=(width, height),
        periodic=(periodic, False),
        edges=edges_of_ends(ends),
        coordinates=places,
        variant=(seam,),
    )


def _name(width: int, height: int, seam: str, periodic: bool = True) -> str:
    return f"{shaped_name((width, height), (periodic, False))}, {seam}"


def _ends(places: Indices, dims: Sequence[int], seam: str, periodic: bool) -> Ints:
    """Find the vertices EAST, WEST, SOUTH and NORTH of each, -1 where there is none."""
    width, height = dims
    x, y = places.T.astype(np.int64)
    number = np.empty((width, height), np.int64)
    number[x, y] = np.arange(len(places))
    mirrored = number[::-1]
    beyond = np.roll(number, width // 2, axis=0)
    north, south = {
        FOLDED: (mirrored[:, 0], np.full(width, -1)),
        POLES: (beyond[:, 0], beyond[:, -1]),
        FLIPPED: (mirrored[:, -1], mirrored[:, 0]),
    }[seam]
    ends = np.stack(
        [
            np.where((x < width - 1) | periodic, number[(x + 1) % width, y], -1),
            np.where((x > 0) | periodic, number[x - 1, y], -1),
            np.where(y < height - 1, number[x, (y + 1) % height], south[x]),
            np.where(y > 0, number[x, y - 1], north[x]),
        ],
        1,
    )
    # the middle of an odd number of places is its own mirror
    return np.where(ends == np.arange(len(places))[:, None], -1, ends)


def folded_grids(n: int) -> Iterator[Member]:
    """List all of `n` vertices."""
    for width in divisors(n):
        height = n // width
        # in the northern row four, or three of an odd number, are neighbours of the
        # mirrored place already, or it is themselves
        three = width + 4 - width % 2
        if width >= MIN_WIDTH and height > 1:
            yield _member(width, height, FOLDED, {3: three, 4: n - three})
        if width > 4 and width % 2 == 0 and height > 1:
            yield _member(width, height, POLES, {4: n})
        if width > 2 and height > 2:
            yield _member(width, height, FLIPPED, {4: n})
            yield _member(
                width, height, FLIPPED, {3: 2 * height, 4: n - 2 * height}, False
            )


def _member(
    width: int, height: int, seam: str, degrees: dict[int, int], periodic: bool = True
) -> Member:
    first, *others = ("upward", "downward", "across")[seam != FOLDED :]

    def make(numbering: str = first) -> Topology:
        return folded_grid(width, height, numbering, seam, periodic)

    name = _name(width, height, seam, periodic)
    return Member(
        "folded", name, degrees, make, variants=lambda: list(map(make, others))
    )


def folded_places(topology: Topology) -> Floats:
    """Places (n, 3) on a sack that is sewn up at the top: rings, flattened there."""
    width, height = topology.dims
    x, y = topology.coordinates.T.astype(np.float64)
    angle = 2 * np.pi * (x + 0.5) / width
    rows = min(height - 1, max(2, width // 4))
    flat = np.clip(1 - y / rows, 0, 1) ** 2
    across = (1 - flat) * width / (2 * np.pi) + flat * width / 4
    deep = (1 - flat) * width / (2 * np.pi) + flat * 0.5
    return np.stack([-across * np.cos(angle), -y, deep * np.sin(angle)], 1)


def folded_directions(match: Match) -> CompassDirections:
    """Name EAST, WEST, SOUTH and NORTH, which lead across the seam as well."""
    topology = match.topology
    (seam,) = topology.variant
    ends = _ends(topology.coordinates, topology.dims, seam, topology.periodic[0])
    return CompassDirections(match, ends, ("column", "row"))
