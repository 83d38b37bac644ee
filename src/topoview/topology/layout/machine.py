"""Layouts by the machine: node beside node, or at places of a physical network."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from topoview.model import Bools, Floats, Grid, Ints, Machine
from topoview.topology.layout.free import blocks
from topoview.topology.layout.grid import UNIT_GAP, Asked, Mark, Placed

MOST_MARKS = 400
"""Most names of units that are written."""


class Row(NamedTuple):
    """A layout, and whether a machine has what it takes."""

    place: Callable[[Asked], Placed]
    has: Callable[[Machine], bool]


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
    start = np.cumsum(count) - count
    found = np.empty(len(within), np.int64)
    found[order] = np.arange(len(within)) - np.repeat(start, count)
    return found, int(count.max(initial=1))


def _units(asked: Asked) -> Placed:
    """Place ranks in blocks within blocks: those of a unit are together."""
    ranks, machine = asked.matrix.ranks, asked.machine
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
    few = machine.levels and len(machine.names[0]) <= MOST_MARKS
    return Placed("lattice", flat, marks=_marks(flat, asked) if few else ())


def _marks(places: Floats, asked: Asked) -> tuple[Mark, ...]:
    """Names of the outermost units, below their blocks."""
    found = []
    for number, name in enumerate(asked.machine.names[0]):
        own = places[asked.machine.units[0] == number]
        if len(own):
            low, high = own.min(axis=0), own.max(axis=0)
            x, y = (low[0] + high[0]) / 2, low[1] - 0.8
            found.append((float(x), float(y), 0.0, name))
    return tuple(found)


def _places(asked: Asked) -> Placed:
    """Place ranks where they are in the machine, those at one place side by side."""
    given = asked.machine.places
    known = np.asarray(~np.isnan(given).any(axis=1))
    places = np.full((asked.matrix.ranks, 3), np.nan)
    spots, spot = np.unique(given[known], axis=0, return_inverse=True)
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
    places[known] = (spots * scale)[spot] + inner
    shape = "lattice" if even else "graph"
    counted = np.ptp(spots, axis=0) > 0
    if even and (step[counted] == 1).all() and not spots.min(axis=0)[counted].any():
        middle = room / 2 * [1, -1, 1]
        return Placed(shape, places, grid=_grid(given, known, scale, middle))
    ends = spots.min(axis=0), spots.max(axis=0)
    return Placed(shape, places, marks=_ends(*ends, scale, room))


def _grid(given: Floats, known: Bools, scale: Floats, middle: Floats) -> Grid:
    """Name the axes of a network whose coordinates count from 0.

    Ranks that share a place are about what the tables say of it.
    """
    coordinates = np.full((len(given), 3), -1, np.int32)
    coordinates[known] = np.rint(given[known])
    counted = np.ptp(given[known], axis=0) > 0
    origin = np.where(counted, 0.0, given[known][0] * scale) + middle
    coordinates[np.ix_(known, ~counted)] = 0
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
    found = []
    for axis, name in enumerate("xyz"):
        for value in dict.fromkeys((low[axis], high[axis])):
            at = corner.copy()
            at[axis] = value * scale[axis]
            if high[axis] > low[axis]:
                found.append((*at.tolist(), f"{name} {value:g}"))
    return tuple(found)


def _nearest(spots: Floats) -> float:
    """Distance of the tenth of the places that are nearest to others."""
    from scipy.spatial import cKDTree

    if len(spots) < 2:
        return 1.0
    near = np.asarray(cKDTree(spots).query(spots, k=2)[0])[:, 1]
    return float(max(np.percentile(near, 10), 1e-9))


MACHINE = {
    "nodes": Row(_units, lambda machine: bool(machine.levels)),
    "places": Row(_places, lambda machine: len(machine.places) > 0),
}
"""Layouts by the machine. To add one is to write a function and a line here."""
