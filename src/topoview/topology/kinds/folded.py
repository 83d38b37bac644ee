"""Grids that are folded at their northern end, as tripolar oceans are.

Longitude comes back after a row; across the northernmost row each place is joined to
the one at the mirrored longitude, so that there is no pole in the water (Murray, 1996,
"Explicit generation of orthogonal grids for ocean models", J. Comput. Phys. 126).
"""

from collections import Counter
from collections.abc import Iterator

import numpy as np

from topoview.model import Floats, Match, Topology
from topoview.topology.direction_names import CompassDirections
from topoview.topology.graph.graph import unique_edges
from topoview.topology.lattices.lattice import divisors, shaped_name
from topoview.topology.members import Member

MIN_WIDTH = 5
"""Places in a row from which on the fold joins any that are no neighbours already."""


def folded_grid(width: int, height: int, upward: bool = True) -> Topology:
    """Make a grid that is periodic in x and folded north.

    Parameters
    ----------
    width, height
        Places in a row, and rows.
    upward
        Whether vertices are numbered from the southern row, as ocean models do. The
        coordinate y is counted from the north all the same.
    """
    n = width * height
    row, x = np.divmod(np.arange(n), width)
    y = height - 1 - row if upward else row
    number = np.empty((width, height), np.int64)
    number[x, y] = np.arange(n)
    ends = [
        (number, np.roll(number, -1, axis=0)),
        (number[:, 1:], number[:, :-1]),
        (number[:, 0], number[::-1, 0]),
    ]
    u, v = (np.concatenate([pair[i].ravel() for pair in ends]) for i in (0, 1))
    places = np.stack([x, y], 1).astype(np.int32)
    return Topology(
        kind="folded",
        name=_name(width, height),
        dims=(width, height),
        periodic=(True, False),
        edges=unique_edges(n, u, v),
        coordinates=places,
    )


def _name(width: int, height: int) -> str:
    return f"{shaped_name((width, height), (True, False))}, folded north"


def folded_grids(n: int) -> Iterator[Member]:
    """List all of `n` vertices."""
    for width in divisors(n):
        height = n // width
        if width < MIN_WIDTH or height < 2:
            continue
        # in the northern row four, or three of an odd number, are neighbours of the
        # mirrored place already, or it is themselves
        three = width + 4 - width % 2
        yield Member(
            "folded",
            _name(width, height),
            Counter({3: three, 4: n - three}),
            lambda w=width, h=height: folded_grid(w, h),  # type: ignore[misc]
            variants=lambda w=width, h=height: [  # type: ignore[misc]
                folded_grid(w, h, upward=False)
            ],
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
    """Name EAST, WEST, SOUTH and NORTH, which leads across the fold as well."""
    topology = match.topology
    width, height = topology.dims
    x, y = topology.coordinates.T.astype(np.int64)
    number = np.empty((width, height), np.int64)
    number[x, y] = np.arange(topology.vertices)
    ends = np.stack(
        [
            number[(x + 1) % width, y],
            number[x - 1, y],
            np.where(y < height - 1, number[x, (y + 1) % height], -1),
            np.where(y > 0, number[x, y - 1], number[width - 1 - x, 0]),
        ],
        1,
    )
    return CompassDirections(match, ends, ("column", "row"))
