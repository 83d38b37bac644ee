"""Layouts that any trace can have: in rank order, or by machine."""

import itertools
import math
from collections.abc import Sequence

import numpy as np

from topoview.grouping import index_in_run
from topoview.model import Bools, Floats, Grid, Ints, nearest_distances
from topoview.topology.layout.curves import sphere_cells, triangle_order
from topoview.topology.layout.grid import (
    UNIT_GAP,
    LayoutRequest,
    Mark,
    PlacedRanks,
    along,
    gaps_of,
    on_ring,
    on_torus,
    on_tube,
    row_major,
    separable,
)

MAX_THIN_LINE = 128
"""Most ranks of a line one rank deep; of a circle twice as many."""

RIBBON_LENGTH = 60
"""Length of the line of more ranks, in its depths."""

COST_OF_EMPTY_PLACES = 0.5
"""How much more uneven a block may be if it has no empty places, in logarithms."""


def slots_of(request: LayoutRequest) -> Ints:
    """Place of each rank in the order that was chosen: int64, shape (ranks,)."""
    ranks = request.matrix.ranks
    if request.geometry.order == "rank" or len(request.match.vertex) != ranks:
        return np.arange(ranks, dtype=np.int64)
    vertex = request.match.vertex.astype(np.int64)
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
        cost = 4 * empty + (COST_OF_EMPTY_PLACES if empty else 0.0) + uneven + tilt
        if cost < least - 1e-12:
            best, least = dims, cost
    return best


def rows_of(request: LayoutRequest, shape: tuple[float, float]) -> tuple[int, int]:
    """Width, as chosen or near the proportions of a shape, and number of rows."""
    n = max(request.matrix.ranks, 1)
    width = request.geometry.width
    if width < 1:
        return blocks(n, shape)[0], blocks(n, shape)[1]
    width = min(width, n)
    return width, -(-n // width)


def _boxes(
    request: LayoutRequest, dims: tuple[int, ...], axes: tuple[int, ...]
) -> PlacedRanks:
    """Place ranks in a block whose first dimension is the fastest."""
    coordinates = row_major(slots_of(request), dims)
    open_ = (False,) * len(dims)
    places, grid = separable(coordinates, dims, open_, axes, request)
    empty = math.prod(dims) - request.matrix.ranks
    return PlacedRanks("lattice", places, grid=grid, empty=empty)


def depth_of_line(n: int) -> int:
    """Ranks that a line of `n` is deep, so that they can be seen."""
    return 1 if n <= MAX_THIN_LINE else math.ceil(math.sqrt(n / RIBBON_LENGTH))


def line(request: LayoutRequest) -> PlacedRanks:
    """Place ranks in a line, or in a ribbon if they are many."""
    n = request.matrix.ranks
    deep = depth_of_line(n)
    if deep == 1:
        return _boxes(request, (max(n, 1),), (0,))
    return _boxes(request, (deep, -(-n // deep)), (1, 0))


def grid(request: LayoutRequest) -> PlacedRanks:
    """Place ranks in rows of a plane, near square unless a width is chosen."""
    return _boxes(request, rows_of(request, (1.0, 1.0)), (0, 1))


def cube(request: LayoutRequest) -> PlacedRanks:
    """Place ranks in a block, near a cube."""
    return _boxes(request, blocks(request.matrix.ranks, (1.0, 1.0, 1.0)), (0, 1, 2))


def _bendable(
    request: LayoutRequest, dims: tuple[int, int], periodic: tuple[bool, bool]
) -> Grid:
    return Grid(row_major(slots_of(request), dims), dims, periodic)


def circle(request: LayoutRequest) -> PlacedRanks:
    """Place ranks on a circle, several deep if they are many."""
    n = max(request.matrix.ranks, 1)
    most = math.floor(math.sqrt(n / (2 * math.pi)))
    deep = max(1, min(math.ceil(n / (2 * MAX_THIN_LINE)), most))
    dims = (deep, -(-n // deep))
    ring = on_ring(_bendable(request, dims, (False, False)), request)
    return ring._replace(empty=math.prod(dims) - n)


def helix(request: LayoutRequest) -> PlacedRanks:
    """Place ranks on a helix, the first one at its top."""
    n = max(request.matrix.ranks, 1)
    turn = max(6, round(1.72 * math.sqrt(n)))
    slots = slots_of(request)[:, None].astype(np.int32)
    at = along(n, gaps_of(slots, (n,), request.parted)[0])[slots[:, 0]]
    angle = np.pi / 2 - 2 * np.pi * at / turn
    radius = 0.5 / math.sin(math.pi / turn)
    x, y = radius * np.cos(angle), radius * np.sin(angle)
    places = np.stack([x, y, -1.5 * at / turn], 1)
    return PlacedRanks("graph", places, grid=Grid(slots, (n,), (False,)))


def tube(request: LayoutRequest) -> PlacedRanks:
    """Place ranks around a tube, turn after turn."""
    dims = rows_of(request, (1.0, 2.5 / math.pi))
    placed = on_tube(_bendable(request, dims, (True, False)), 0, request)
    return placed._replace(empty=math.prod(dims) - max(request.matrix.ranks, 1))


def torus(request: LayoutRequest) -> PlacedRanks:
    """Place ranks around the pipe of a torus, turn after turn."""
    dims = rows_of(request, (1.0, 2.5))
    placed = on_torus(_bendable(request, dims, (True, True)), 0, request)
    return placed._replace(empty=math.prod(dims) - max(request.matrix.ranks, 1))


def sphere(request: LayoutRequest) -> PlacedRanks:
    """Place ranks on the triangles of the least geodesic sphere that has enough."""
    n = max(request.matrix.ranks, 1)
    cut = max(1, math.ceil(math.sqrt(n / 20) - 1e-9))
    cells = sphere_cells(20 * cut * cut)
    chosen = triangle_order(cut)[slots_of(request)]
    return PlacedRanks(
        "sphere",
        cells.places[chosen],
        cells.places[chosen] / cells.radius,
        corners=cells.corners[chosen],
        cells=cells.corners,
        empty=20 * cut * cut - n,
    )


# Layouts by the machine: node beside node, or at places of a physical network.

MAX_MARKS = 400
"""Most names of units that are written."""


def _numbers(within: Ints) -> tuple[Ints, int]:
    """Count things within the units that they are in, in order of the things.

    Returns
    -------
    int64, shape (things,)
    int
        Most things in a unit.
    """
    order = np.argsort(within, kind="stable")
    count = np.bincount(within)
    numbers = np.empty(len(within), np.int64)
    numbers[order] = index_in_run(count)
    return numbers, int(count.max(initial=1))


def units(request: LayoutRequest) -> PlacedRanks:
    """Place ranks in blocks within blocks: those of a unit are together."""
    ranks, machine = request.matrix.ranks, request.machine
    places, size = np.zeros((ranks, 2)), np.ones(2)
    thing = np.arange(ranks)  # that each rank is in: itself, then ever larger units
    whole = np.zeros(ranks, np.int32)
    for gap, level in enumerate((*machine.units[::-1], whole)):
        count = int(thing.max(initial=0)) + 1
        first = np.zeros(count, np.int64)
        first[thing[::-1]] = np.arange(ranks)[::-1]  # a rank of each thing
        parent = np.unique(level[first], return_inverse=True)[1]
        place, most = _numbers(parent)
        # units side by side, in a rectangle that fills the view
        width = blocks(most, (1.0, 1.0) if not gap else (1.4 / size[0], 1 / size[1]))[0]
        step = size + UNIT_GAP * gap
        places += np.stack([place % width, place // width], 1)[thing] * step
        size = np.array([min(width, most), -(-most // width)]) * step - UNIT_GAP * gap
        thing = parent[thing]
    flat = np.column_stack([places[:, 0], -places[:, 1], np.zeros(ranks)])
    few = machine.levels and len(machine.names[0]) <= MAX_MARKS
    return PlacedRanks("lattice", flat, marks=_marks(flat, request) if few else ())


def _marks(places: Floats, request: LayoutRequest) -> tuple[Mark, ...]:
    """Names of the outermost units, below their blocks."""
    marks = []
    for number, name in enumerate(request.machine.names[0]):
        own = places[request.machine.units[0] == number]
        if len(own):
            low, high = own.min(axis=0), own.max(axis=0)
            x, y = (low[0] + high[0]) / 2, low[1] - 0.8
            marks.append((float(x), float(y), 0.0, name))
    return tuple(marks)


def places_of_machine(request: LayoutRequest) -> PlacedRanks:
    """Place ranks where they are in the machine, those at one place side by side."""
    given = request.machine.places
    placed = np.asarray(~np.isnan(given).any(axis=1))
    places = np.full((request.matrix.ranks, 3), np.nan)
    spots, spot = np.unique(given[placed], axis=0, return_inverse=True)
    number, most = _numbers(spot)
    width, rows, _ = blocks(most, (1.0, 1.0, 1.0))
    inner = np.stack(
        [number % width, -(number // width % rows), number // (width * rows)], 1
    ).astype(np.float64)
    step = np.ones(3)
    for axis in range(3):
        apart = np.diff(np.unique(spots[:, axis]))
        step[axis] = apart.min() if len(apart) else 1.0
    even = np.allclose(spots / step, np.rint(spots / step), atol=1e-6)
    if not even:
        step[:] = _nearest(spots)
    room = np.array(blocks(most, (1.0, 1.0, 1.0))) - 1.0
    pitch = 1.0 + (room + UNIT_GAP if most > 1 else room)
    scale = pitch / step if even else np.full(3, float(pitch.max())) / step
    scale[1] *= -1
    places[placed] = (spots * scale)[spot] + inner
    shape = "lattice" if even else "graph"
    counted = np.ptp(spots, axis=0) > 0
    if even and (step[counted] == 1).all() and not spots.min(axis=0)[counted].any():
        middle = room / 2 * [1, -1, 1]
        return PlacedRanks(shape, places, grid=_grid(given, placed, scale, middle))
    ends = spots.min(axis=0), spots.max(axis=0)
    return PlacedRanks(shape, places, marks=_ends(*ends, scale, room))


def _grid(given: Floats, placed: Bools, scale: Floats, middle: Floats) -> Grid:
    """Name the axes of a network whose coordinates count from 0.

    Ranks that share a place are about what the tables say of it.
    """
    coordinates = np.full((len(given), 3), -1, np.int32)
    coordinates[placed] = np.rint(given[placed])
    counted = np.ptp(given[placed], axis=0) > 0
    origin = np.where(counted, 0.0, given[placed][0] * scale) + middle
    coordinates[np.ix_(placed, ~counted)] = 0
    dims = tuple((coordinates.max(axis=0) + 1).tolist())
    tables = tuple(
        np.arange(n)[:, None] * (np.arange(3) == axis) * scale
        for axis, n in enumerate(dims)
    )
    return Grid(coordinates, dims, (False,) * 3, tables, origin)


def _ends(low: Floats, high: Floats, scale: Floats, room: Floats) -> tuple[Mark, ...]:
    """Write the first and the last coordinate of each axis at its ends."""
    corner = np.array([low, high])[[0, 1, 0], range(3)] * scale  # left, below, low
    corner -= np.where(np.arange(3) == 1, room + 0.9, 0.9 * (high > low))
    marks = []
    for axis, name in enumerate("xyz"):
        for value in dict.fromkeys((low[axis], high[axis])):
            at = corner.copy()
            at[axis] = value * scale[axis]
            if high[axis] > low[axis]:
                marks.append((*at.tolist(), f"{name} {value:g}"))
    return tuple(marks)


def _nearest(spots: Floats) -> float:
    """Distance of the tenth of the places that are nearest to others."""
    if len(spots) < 2:
        return 1.0
    return float(max(np.percentile(nearest_distances(spots), 10), 1e-9))
