"""The planes of a lattice of three dims or more, beside each other as on a sheet."""

import math
from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from topoview.model import Ints
from topoview.topology.layout.grid import LayoutRequest, PlacedRanks

COLUMN_GAP: Final = 11
"""Pixels between planes beside each other."""

ROW_GAP, WIDE_ROW_GAP = 15, 24
"""Pixels between planes one below the other, for the lower one's name; of larger ranks
more."""

GAPPED_CELL: Final = 6
"""Pixels of a rank from which on there is one between ranks, and more between rows."""


NAME_ROOM: Final = 18
"""Pixels that an only plane has more, as it has no name above it."""


class Sheet(NamedTuple):
    """How planes stand beside each other."""

    columns: int
    """Planes in a row."""
    cell: float
    """Pixels of a rank: whole ones, or where there is no room a whole part of one."""
    across: int
    down: int
    """`across` and `down`: places left free between planes."""
    turned: bool = False
    """Whether planes are counted down columns, not along rows."""

    def place(self, plane: Ints, counted: int) -> tuple[Ints, Ints]:
        """Return column and row of planes, of which so many are counted first."""
        if self.turned:
            return plane // counted, plane % counted
        return plane % self.columns, plane // self.columns


def sheet_of(dims: Sequence[int], room: tuple[float, float]) -> Sheet:
    """Choose the columns that give the largest ranks; then those that fill the room.

    Of four dims and more, the third one is across, and the others are down, or the
    other way round where ranks are larger then; of two there is one plane.

    Parameters
    ----------
    dims
        Extents of the lattice.
    room
        Width and height in pixels.
    """
    planes, (width, height) = math.prod(dims[2:]), (max(side, 1.0) for side in room)
    best, most = Sheet(1, 0.0, 1, 1), (-1.0, 0.0)
    ways = [(columns, False) for columns in range(1, planes + 1)]
    if len(dims) > 3:
        ways = [(dims[2], False), (planes // dims[2], True)]
    for columns, turned in ways:
        rows = -(-planes // columns)
        least = (rows - 1) * ROW_GAP
        cell = min(
            (width - (columns - 1) * COLUMN_GAP) / (columns * dims[0]),
            (height - least) / (rows * dims[1]),
        )
        cell = max(cell, 0.05)
        if cell < 1:  # whole ranks share a pixel
            cell = 1 / math.ceil(1 / cell)
        sheet = _spaced(columns, cell)
        while cell >= 1:
            cell = math.floor(cell)
            sheet = _spaced(columns, cell)
            wide, high = _extent(sheet, dims, rows)
            if wide * cell <= width and high * cell <= height:
                break
            cell -= 1
        if sheet.cell >= 1 > cell:
            continue
        wide, high = _extent(sheet, dims, rows)
        shape = 0.0 if len(dims) > 3 else -abs(math.log(wide / high * height / width))
        sheet = sheet._replace(turned=turned)
        best, most = max((best, most), (sheet, (sheet.cell, shape)), key=lambda s: s[1])
    return best if best.cell else _spaced(max(1, round(math.sqrt(planes))), 0.5)


def _spaced(columns: int, cell: float) -> Sheet:
    row_gap = WIDE_ROW_GAP if cell >= GAPPED_CELL else ROW_GAP
    return Sheet(columns, cell, math.ceil(COLUMN_GAP / cell), math.ceil(row_gap / cell))


def _extent(sheet: Sheet, dims: Sequence[int], rows: int) -> tuple[int, int]:
    """Return width and height of all planes, in places."""
    wide = sheet.columns * (dims[0] + sheet.across) - sheet.across
    return wide, rows * (dims[1] + sheet.down) - sheet.down


def axes_of_planes(dims: Sequence[int], across: int) -> tuple[int, ...]:
    """Return the dimensions across and down planes, and those they are counted by.

    Examples
    --------
    >>> axes_of_planes((12, 10, 8), 1)
    (0, 2, 1)
    """
    others = [axis for axis in range(len(dims)) if axis != across]
    return (*others[:2], across, *others[2:])


def planes(request: LayoutRequest) -> PlacedRanks:
    """Place the planes beside each other, in rows, as large as there is room for.

    Of a plane alone all others are behind it: they are not drawn.
    """
    topology, chosen = request.match.topology, request.geometry
    whole = topology.dims
    axes = axes_of_planes(whole, chosen.across)
    coordinates = request.match.coordinates[:, axes]
    dims, alone = [whole[axis] for axis in axes], -1
    if 0 <= chosen.alone < dims[2]:
        dims[2], alone = 1, chosen.alone
        coordinates[:, 2] = np.minimum(coordinates[:, 2], 0)
    sheet = sheet_of(dims, request.room)
    strides = np.cumprod((1, *dims[2:-1]))
    plane = np.arange(math.prod(dims[2:]))
    column, row = sheet.place(plane, dims[2])
    steps = dims[0] + sheet.across, -(dims[1] + sheet.down)
    corner = np.stack([column, row], axis=1) * steps
    places = np.zeros((len(coordinates), 3))
    places[:, :2] = corner[coordinates[:, 2:] @ strides]
    places[:, 0] += coordinates[:, 0]
    places[:, 1] -= coordinates[:, 1]
    places[coordinates[:, 0] < 0] = np.nan
    names = [topology.axes[axis] for axis in axes[2:]]
    marks = tuple(
        (float(left), float(top), 0.0, _name(names, dims[2:], number, max(alone, 0)))
        for number, (left, top) in enumerate(corner.tolist())
    )
    return PlacedRanks(
        "planes", places, marks=marks, cell=sheet.cell, axes=axes, alone=alone
    )


def one_plane(request: LayoutRequest, axes: tuple[int, int]) -> PlacedRanks:
    """Place a lattice of two dims as the only plane: one axis across, one down."""
    there = request.match.coordinates[:, axes]
    dims = [request.match.topology.dims[axis] for axis in axes]
    places = np.zeros((len(there), 3))
    places[:, :2] = np.where(there >= 0, there, np.nan) * (1.0, -1.0)
    return PlacedRanks(
        "planes",
        places,
        marks=((0.0, 0.0, 0.0, ""),),
        cell=sheet_of(dims, (request.room[0], request.room[1] + NAME_ROOM)).cell,
        axes=axes,
    )


def block(request: LayoutRequest) -> PlacedRanks:
    """Place a lattice of three dims in space, of which three planes are drawn."""
    coordinates = request.match.coordinates
    places = np.where(coordinates >= 0, coordinates, np.nan) * (1.0, -1.0, 1.0)
    return PlacedRanks("cut", places)


def _name(axes: Sequence[str], dims: Sequence[int], number: int, first: int) -> str:
    """Name a plane: ``z 4``, ``z 1, w 2``; `first` is that of the first dimension."""
    words = []
    for axis, extent in zip(axes, dims, strict=True):
        words.append(f"{axis} {number % extent + first}")
        number, first = number // extent, 0
    return ", ".join(words)
