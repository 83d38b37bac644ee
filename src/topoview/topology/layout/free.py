"""Geometries that any trace can have, whatever its topology: ranks in order."""

import itertools
import math
from collections.abc import Callable, Sequence

import numpy as np

from topoview.model import Floats, Grid, Indices, Ints
from topoview.topology.bent import ring_places, torus_places, tube_places
from topoview.topology.kinds.sphere_cells import sphere_cells, triangle_order
from topoview.topology.layout.grid import (
    Asked,
    Placed,
    along,
    around,
    gaps_of,
    places_in,
    row_major,
    separable,
)

THIN = 128
"""Most ranks of a line one rank deep; of a circle twice as many."""

LONG = 60
"""Length of the line of more ranks, in its depths."""

UNEVEN = 0.5
"""How much more uneven a block may be if it has no empty places, in logarithms."""


def slots_of(asked: Asked) -> Ints:
    """Place of each rank in the order that was chosen: int64, shape (ranks,)."""
    ranks = asked.matrix.ranks
    if asked.geometry.order == "rank" or len(asked.match.vertex) != ranks:
        return np.arange(ranks, dtype=np.int64)
    vertex = asked.match.vertex.astype(np.int64)
    key = np.where(vertex < 0, ranks + 1, vertex)
    slots = np.empty(ranks, np.int64)
    slots[np.argsort(key, kind="stable")] = np.arange(ranks)
    return slots


def blocks(n: int, shape: Sequence[float]) -> tuple[int, ...]:
    """Extents that hold `n` with few empty places, near the proportions of a shape.

    Examples
    --------
    >>> blocks(576, (1, 1)), blocks(9375, (1, 1, 1)), blocks(72, (1, 1))
    ((24, 24), (25, 25, 15), (9, 8))
    """
    n = max(n, 1)
    if len(shape) == 1:
        return (n,)
    ideal = (n / math.prod(shape)) ** (1 / len(shape))
    wished = shape[0] * ideal
    low, high = math.floor(wished * 0.62), math.ceil(wished * 1.62)
    best, least = (n,) + (1,) * (len(shape) - 1), math.inf
    for first in range(max(1, low), min(n, max(high, 1)) + 1):
        rest = blocks(-(-n // first), shape[1:])
        dims = (first, *rest)
        empty = math.prod(dims) / n - 1
        sides = [math.log(a / (b * ideal)) for a, b in zip(dims, shape, strict=True)]
        uneven = max(sides) - min(sides)
        falls = sum(max(0, b - a) for a, b in itertools.pairwise(dims))
        tilt = 1e-6 * falls if len(set(shape)) == 1 else 0.0
        cost = 4 * empty + (UNEVEN if empty else 0.0) + uneven + tilt
        if cost < least - 1e-12:
            best, least = dims, cost
    return best


def rows_of(asked: Asked, shape: tuple[float, float]) -> tuple[int, int]:
    """Width, as chosen or near the proportions of a shape, and number of rows."""
    n = max(asked.matrix.ranks, 1)
    width = asked.geometry.width
    if width < 1:
        return blocks(n, shape)[0], blocks(n, shape)[1]
    width = min(width, n)
    return width, -(-n // width)


def _boxes(asked: Asked, dims: tuple[int, ...], axes: tuple[int, ...]) -> Placed:
    """Place ranks in a block whose first dimension is the fastest."""
    coordinates = row_major(slots_of(asked), dims)
    open_ = (False,) * len(dims)
    places, grid = separable(coordinates, dims, open_, axes, asked)
    empty = places_in(dims) - asked.matrix.ranks
    return Placed("lattice", places, grid=grid, empty=empty)


def depth_of_line(n: int) -> int:
    """Ranks that a line of `n` is deep, so that they can be seen."""
    return 1 if n <= THIN else math.ceil(math.sqrt(n / LONG))


def line(asked: Asked) -> Placed:
    """Place ranks in a line, or in a ribbon if they are many."""
    n = asked.matrix.ranks
    deep = depth_of_line(n)
    if deep == 1:
        return _boxes(asked, (max(n, 1),), (0,))
    return _boxes(asked, (deep, -(-n // deep)), (1, 0))


def grid(asked: Asked) -> Placed:
    """Place ranks in rows of a plane, near square unless a width is chosen."""
    return _boxes(asked, rows_of(asked, (1.0, 1.0)), (0, 1))


def cube(asked: Asked) -> Placed:
    """Place ranks in a block, near a cube."""
    return _boxes(asked, blocks(asked.matrix.ranks, (1.0, 1.0, 1.0)), (0, 1, 2))


def _bendable(asked: Asked, dims: tuple[int, ...]) -> tuple[Indices, list[Floats]]:
    coordinates = row_major(slots_of(asked), dims)
    return coordinates, gaps_of(coordinates, dims, asked.parted)


def circle(asked: Asked) -> Placed:
    """Place ranks on a circle, several deep if they are many."""
    n = max(asked.matrix.ranks, 1)
    most = math.floor(math.sqrt(n / (2 * math.pi)))
    deep = max(1, min(math.ceil(n / (2 * THIN)), most))
    dims = (deep, -(-n // deep))
    coordinates, gaps = _bendable(asked, dims)
    places = ring_places(coordinates, dims, gaps)
    found = Grid(coordinates, dims, (False, False))
    return Placed("graph", places, grid=found, empty=places_in(dims) - n)


def helix(asked: Asked) -> Placed:
    """Place ranks on a helix, the first one at its top."""
    n = max(asked.matrix.ranks, 1)
    turn = max(6, round(1.72 * math.sqrt(n)))
    dims = (n,)
    coordinates, gaps = _bendable(asked, dims)
    at = along(n, gaps[0])[coordinates[:, 0]]
    angle = np.pi / 2 - 2 * np.pi * at / turn
    radius = 0.5 / math.sin(math.pi / turn)
    x, y = radius * np.cos(angle), radius * np.sin(angle)
    places = np.stack([x, y, -1.5 * at / turn], 1)
    return Placed("graph", places, grid=Grid(coordinates, dims, (False,)))


def tube(asked: Asked) -> Placed:
    """Place ranks around a tube, turn after turn."""
    n, long = max(asked.matrix.ranks, 1), 2.5 / math.pi
    dims = rows_of(asked, (1.0, long))
    coordinates, gaps = _bendable(asked, dims)
    straight = along(dims[1], gaps[1])[coordinates[:, 1]]
    angles, total = around(dims[0], gaps[0])
    places, normals = tube_places(straight, angles[coordinates[:, 0]], total)
    found = Grid(coordinates, dims, (True, False))
    return Placed("tube", places, normals, found, empty=places_in(dims) - n)


def torus(asked: Asked) -> Placed:
    """Place ranks around the pipe of a torus, turn after turn."""
    n = max(asked.matrix.ranks, 1)
    dims = rows_of(asked, (1.0, 2.5))
    coordinates, gaps = _bendable(asked, dims)
    minor, pipe = around(dims[0], gaps[0])
    major, ring = around(dims[1], gaps[1])
    places, normals = torus_places(
        major[coordinates[:, 1]], minor[coordinates[:, 0]], ring, pipe
    )
    found = Grid(coordinates, dims, (True, True))
    return Placed("torus", places, normals, found, empty=places_in(dims) - n)


def sphere(asked: Asked) -> Placed:
    """Place ranks on the triangles of the least geodesic sphere that has enough."""
    n = max(asked.matrix.ranks, 1)
    cut = max(1, math.ceil(math.sqrt(n / 20) - 1e-9))
    cells = sphere_cells(20 * cut * cut)
    chosen = triangle_order(cut)[slots_of(asked)]
    return Placed(
        "sphere",
        cells.places[chosen],
        cells.places[chosen] / cells.radius,
        corners=cells.corners[chosen],
        empty=20 * cut * cut - n,
    )


FREE: dict[str, Callable[[Asked], Placed]] = {
    "line": line,
    "circle": circle,
    "grid": grid,
    "tube": tube,
    "torus": torus,
    "sphere": sphere,
    "cube": cube,
    "helix": helix,
}
"""Geometries that any trace can have; a topology's own of the same name goes before.
To add one is to write a function and a line here."""
