"""Planes of a lattice beside each other, the block that they are of, and the front.

What is written over them, and which rank is where; without a renderer.
"""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from topoview import model
from topoview.base.threads import equal_parts, in_parts
from topoview.scene.axes.kernels import count_states, merge_codes
from topoview.scene.axes.plane_faces import (
    NO_BORDERS,
    BorderLines,
    CutBlock,
    PlaneFace,
    Room,
    borders,
    cut_block,
)
from topoview.scene.camera import inset_width, project

MAX_COLUMNS_MARKED = 20
"""Selected ranks whose places are marked in all planes."""

INSET_TOP, INSET_EDGE = 100.0, 36.0
"""Pixels above the block beside the planes, and at its sides."""


def shared_side(cell: float, ratio: float) -> int:
    """Return how many ranks across and down share a device pixel; 1 where none do."""
    return max(1, round(1 / (cell * ratio))) if cell > 0 else 1


def shared_colours(
    ranks: model.Ints, codes: model.Shorts, side: int, colours: NDArray[np.uint32]
) -> NDArray[np.uint32]:
    """Find the colour of the code that most ranks of each pixel have.

    Of equals it is the highest.

    Parameters
    ----------
    ranks : int64, shape (planes, rows, columns)
        -1 where there is none.
    codes : uint16, shape (ranks,)
        The code of each.
    side
        Ranks across and down that share a pixel.
    colours : uint32, shape (codes + 1,)
        Of each code; last where there is no rank.

    Returns
    -------
    uint32, shape (planes, rows / side, columns / side), rounded up
    """
    planes, rows, columns = ranks.shape
    shape = planes, -(-rows // side), -(-columns // side)
    result = np.empty(shape, np.uint32)

    def merge(some: slice) -> None:
        extents = (some.stop - some.start) * rows, rows, columns
        counts, merged = np.zeros(len(colours), np.int64), result[some].reshape(-1)
        own = ranks[some].reshape(-1)
        merge_codes(own, codes, extents, side, counts, colours, merged)

    in_parts(
        merge, equal_parts(planes, least=-(-RANKS_A_THREAD * planes // ranks.size))
    )
    return result


RANKS_A_THREAD = 100_000
"""Ranks that a thread looks at, at least: less than a millisecond."""


@dataclass(frozen=True, slots=True, eq=False)
class SheetPlane:
    """A plane: what it is called, and where it is."""

    name: str
    face: PlaneFace
    chosen: bool
    """Whether the selected rank, or the cut, is in it."""


@dataclass(frozen=True, slots=True, eq=False)
class CutFlat:
    """A plane of a cut block, flat beside it."""

    axes: tuple[str, str]
    """Names of what runs across and along it."""
    face: PlaneFace
    at: model.Floats
    """float64, shape (2,): pixels of the place that the block is cut through."""


@dataclass(frozen=True, slots=True, eq=False)
class PlaneSheet:
    """Planes as they are seen, and what is written over them at any time."""

    through: tuple[int, ...]
    """Coordinates of the selected rank, or of what the user cuts through."""
    planes: tuple[SheetPlane, ...]
    corners: model.Floats
    """float64, shape (planes, 2): pixels of the top right corner of each."""
    cell: float
    """Pixels of a rank."""
    places: model.Floats
    """float64, shape (n, 4, 2): corners of the ranks that are where the selected ones
    are, in other planes."""
    axes: tuple[str, ...]
    """Names of the axes across and down planes, then of those they are counted by."""
    cells: model.Ints
    """int64, shape (planes, rows, columns): ranks of the planes; -1 for none."""
    block: CutBlock | None = None
    """The small block beside planes, where it has room; or a large one without."""
    flats: tuple[CutFlat, ...] = ()
    """The planes of the large block."""
    flat_map: PlaneFace | None = None
    """The map beside a torus, which is all there is then; centred on `through`."""

    @property
    def cut_faces(self) -> tuple[PlaneFace, ...]:
        """Those of the block, and its planes."""
        block = () if self.block is None else self.block.faces
        maps = () if self.flat_map is None else (self.flat_map,)
        return (*block, *(flat.face for flat in self.flats), *maps)

    def rank_at(self, x: float, y: float) -> int | None:
        """Find the rank at a pixel; None if there is none."""
        planes = (plane.face for plane in self.planes)
        for face in (*self.cut_faces[::-1], *planes):
            rank = face.rank_at(x, y)
            if rank is not None:
                return rank if rank >= 0 else None
        return None

    def cells_of(self, rank: int) -> list[model.Floats]:
        """Return corners of a rank's cells on the block and its planes: (4, 2) each."""
        cells = (face.cell_of(rank) for face in self.cut_faces)
        return [cell for cell in cells if len(cell)]


@dataclass(frozen=True, slots=True, eq=False)
class SheetMoment:
    """What changes over planes with time."""

    waiting: model.Floats
    """float64, shape (planes,): share of the ranks of each that wait."""
    front: BorderLines
    end: BorderLines
    """`front` and `end`: between ranks that a delay has reached, or left, and others;
    faces are counted as planes first, then as `PlaneSheet.cut_faces`."""
    codes: model.Shorts
    colours: tuple[str, ...]
    """`codes` and `colours`: those of all ranks."""
    stands_out: model.Bools | None = None
    """Ranks that others stand back behind; None: all are alike."""


class FlatRooms(NamedTuple):
    """Where the planes beside a block are, in pixels."""

    left: float
    top: float
    cell: float
    """Of a rank."""
    step: float
    """From one plane to the next."""


class CutRooms(NamedTuple):
    """The room of a block that is all of the picture, and of planes beside it."""

    block: Room
    flats: FlatRooms | None


class SheetView(NamedTuple):
    """What planes look like follows from this."""

    pose: model.Pose
    size: tuple[float, float]
    rooms: CutRooms | None
    selected: tuple[int, ...]
    cut: tuple[int, ...]
    """What the user cuts through; empty: what is selected, or the middle."""


WAITS = np.array([state in model.WAITING_STATES for state in model.TimeState])
"""Whether each `TimeState` is a wait: bool."""


class SheetMoments:
    """Finds what changes over a sheet with time, and keeps the last.

    Parameters
    ----------
    plane : int64, shape (ranks,)
        Of each rank; -1 for none.
    planes
        How many there are.
    """

    def __init__(self, plane: model.Ints, planes: int) -> None:
        self.plane, self._count = plane, planes
        every = np.zeros(len(plane), np.uint8)
        self._places = self._in_planes(every, np.ones(1, np.bool_)).clip(1)
        self._moment: tuple[object, SheetMoment] | None = None

    def _in_planes(self, states: model.Bytes, wanted: model.Bools) -> model.Ints:
        """Count the ranks of each plane in some states: int64, shape (planes,)."""
        result = np.zeros(self._count + 1, np.int64)
        count_states(self.plane, states, wanted, result)
        return result[1:]

    def moment(  # noqa: PLR0913 - what is marked
        self,
        sheet: PlaneSheet,
        key: object,
        *,
        states: model.Bytes,
        codes: model.Shorts,
        colours: tuple[str, ...],
        reached: model.Bools | None = None,
        left: model.Bools | None = None,
        stands_out: model.Bools | None = None,
    ) -> SheetMoment:
        """Find what changes with time; kept.

        Parameters
        ----------
        key
            What it follows from: another one where anything is different.
        states : uint8, shape (ranks,)
            `TimeState` of each.
        codes, colours, stands_out
            As in `SheetMoment`.
        reached, left : bool, shape (ranks,), optional
            Ranks that a delay has come to, and those where its wait is over.
        """
        key = key, sheet.through, len(sheet.planes), len(sheet.cut_faces)
        if self._moment is None or self._moment[0] != key:
            made = SheetMoment(
                waiting=self._in_planes(states, WAITS) / self._places,
                front=_borders(reached, sheet),
                end=_borders(left, sheet),
                codes=codes,
                colours=colours,
                stands_out=stands_out,
            )
            self._moment = key, made
        return self._moment[1]


def _borders(inside: model.Bools | None, sheet: PlaneSheet) -> BorderLines:
    """Return the lines between ranks that are inside and others, on all faces."""
    if inside is None or not inside.any():
        return NO_BORDERS
    lines = [borders(inside[sheet.cells], sheet.cells >= 0)] if sheet.planes else []
    for number, face in enumerate(sheet.cut_faces, len(sheet.planes)):
        here = face.ranks[None]
        own = borders(inside[here], here >= 0)
        lines.append(BorderLines(own.face + number, own.ends))
    return BorderLines(
        np.concatenate([own.face for own in lines]),
        np.concatenate([own.ends for own in lines]),
    )


class SheetPlaces(SheetMoments):
    """Which rank is where in the planes of a match: found once."""

    def __init__(self, match: model.Match, layout: model.Layout) -> None:
        dims = match.topology.dims
        self.dims, self._marks = dims, np.array([mark[:3] for mark in layout.marks])
        ways = (*layout.directions, *("",) * len(dims))[: len(dims)]
        self.names = tuple(mark[3] for mark in layout.marks)
        pairs = zip(match.topology.axes, ways, strict=True)
        self.axes = tuple(
            axis if way == axis else f"{axis} {way}".strip() for axis, way in pairs
        )
        self.unit = layout.spacing
        self.coordinates = match.coordinates
        there = np.flatnonzero(self.coordinates[:, 0] >= 0)
        self.order = layout.axes or tuple(range(len(dims)))
        self.counted = self.order[2] if len(dims) > 2 else -1
        self._only = layout.alone
        self._last: tuple[SheetView, PlaneSheet] | None = None
        self._block: tuple[object, CutBlock] | None = None
        self._strides = np.cumprod((1, *dims[2:-1]))[: len(dims) - 2]
        places = self.coordinates.astype(np.int64)
        self.rank = self._placed_in(dims, places, there, self._strides)
        self._extents = extents = layout.on_sheet(dims) if layout.axes else dims
        local = places[:, self.order]
        if self._only >= 0:
            there = there[local[there, 2] == self._only]
            local[:, 2] = np.where(local[:, 2] == self._only, 0, -1)
        self._sheet_strides = np.cumprod((1, *extents[2:-1]))[: len(dims) - 2]
        plane = local[:, 2:] @ self._sheet_strides
        plane[local.min(axis=1) < 0] = -1
        self.cells = self._placed_in(extents, local, there, self._sheet_strides)
        super().__init__(plane, len(self.cells))

    @staticmethod
    def _placed_in(
        dims: tuple[int, ...],
        coordinates: model.Ints,
        there: model.Ints,
        strides: model.Ints,
    ) -> model.Ints:
        """Return which rank is where: int64, (planes, rows, columns); -1 for none."""
        result = np.full((math.prod(dims[2:]), dims[1], dims[0]), -1, np.int64)
        x, y = coordinates[there, :2].T
        result[coordinates[there, 2:] @ strides, y, x] = there
        return result

    def through(self, selected: tuple[int, ...], cut: tuple[int, ...]) -> model.Ints:
        """Return the coordinates that are cut through.

        Those that the user chose, else the first selected rank's, else the middle.
        """
        place = np.array(self.dims, np.int64) // 2
        if len(cut) == len(self.dims):
            place = self.inside(np.array(cut, np.int64))
        elif chosen := self._placed(selected[:1]):
            place = self.coordinates[chosen[0]].astype(np.int64)
        if self._only >= 0:
            place[self.counted] = self._only
        return place

    def _placed(self, ranks: tuple[int, ...]) -> list[int]:
        """Leave ranks out that have no place."""
        count = len(self.coordinates)
        return [r for r in ranks if r < count and self.coordinates[r, 0] >= 0]

    def inside(self, place: model.Ints) -> model.Ints:
        """Return the nearest place inside of the lattice."""
        return np.clip(place, 0, np.array(self.dims) - 1)

    def rank_of(self, place: model.Ints) -> int:
        """Return the rank at some coordinates; -1 if there is none."""
        plane = int(place[2:] @ self._strides)
        return int(self.rank[plane, place[1], place[0]])

    def seen(self, plane: model.Ints, x: float, y: float) -> model.Floats:
        """Return where places of planes are in the scene: float64, shape (n, 3)."""
        places = self._marks[plane].astype(np.float64)
        places[:, 0] += x * self.unit
        places[:, 1] -= y * self.unit
        return places

    def sheet(
        self,
        pose: model.Pose,
        size: tuple[float, float],
        rooms: CutRooms | None,
        selected: tuple[int, ...],
        cut: tuple[int, ...] = (),
    ) -> PlaneSheet:
        """Find the planes as a camera sees them, and what is written over them; kept.

        Parameters
        ----------
        size
            Of the view.
        rooms
            Where a cut block is; None without one.
        selected
            Ranks that are marked.
        cut
            Coordinates that the user cuts through; empty: the first selected rank's.
        """
        view = SheetView(pose, size, rooms, selected[:MAX_COLUMNS_MARKED], cut)
        if self._last is None or self._last[0] != view:
            make = self._planes if self.names else self._alone
            self._last = view, make(view)
        return self._last[1]

    def _planes(self, view: SheetView) -> PlaneSheet:
        """Find planes beside each other, and a small block where it has room."""
        pose, size = view.pose, view.size  # the camera has stood back for the key
        every, (wide, high) = np.arange(len(self.names)), self._extents[:2]
        first, across, down = (
            project(pose, self.seen(every, x - 0.5, y - 0.5), size)
            for x, y in ((0, 0), (wide, 0), (0, high))
        )
        across, down = (across - first) / wide, (down - first) / high
        chosen, place = (
            self._placed(view.selected),
            self.through(view.selected, view.cut),
        )
        through = tuple(place.tolist())
        planes = {int(self.plane[r]) for r in chosen}
        planes |= {int(self.plane[self.rank_of(place)])} if view.cut else set()
        block = None
        if len(self.dims) == 3 and (inset := inset_width(size[0])):
            width = inset - 2 * INSET_EDGE
            left, height = size[0] - INSET_EDGE - width, (size[1] - INSET_TOP) / 2
            room = Room(left, INSET_TOP, width, height)
            block = self._cut(through, room, alone=False)
        return PlaneSheet(
            through=through,
            planes=tuple(
                SheetPlane(
                    self.names[k],
                    PlaneFace(
                        self.counted, first[k], across[k], down[k], self.cells[k]
                    ),
                    k in planes and len(self.dims) > 2,
                )
                for k in every.tolist()
            ),
            corners=first + wide * across,
            cell=float(np.hypot(*across[0])),
            places=self._columns(chosen, pose, size),
            axes=tuple(self.axes[axis] for axis in self.order),
            cells=self.cells,
            block=block,
        )

    def _alone(self, view: SheetView) -> PlaneSheet:
        """Find the block as all of the picture, always seen from the same side."""
        assert view.rooms is not None
        through = tuple(self.through(view.selected, view.cut).tolist())
        return PlaneSheet(
            through=through,
            planes=(),
            corners=np.zeros((0, 2)),
            cell=0.0,
            places=np.zeros((0, 4, 2)),
            axes=self.axes,
            cells=self.cells[:0],
            block=self._cut(through, view.rooms.block, alone=True),
            flats=self._flats(through, view.rooms.flats),
        )

    def _cut(self, through: tuple[int, ...], room: Room, *, alone: bool) -> CutBlock:
        """Cut the block; kept while camera and time move."""
        if self._block is None or self._block[0] != (through, room):
            block = cut_block(self.rank, through, self.axes, room, alone=alone)
            self._block = (through, room), block
        return self._block[1]

    def _flats(
        self, through: tuple[int, ...], rooms: FlatRooms | None
    ) -> tuple[CutFlat, ...]:
        if rooms is None:
            return ()
        left, cell, result = rooms.left, rooms.cell, []
        x, y, z = through
        right, up = np.array([cell, 0.0]), np.array([0.0, -cell])
        for axis, ranks, down, at, names in (
            (2, self.rank[z], -up, (x, y), (0, 1)),
            (1, self.rank[:, y], up, (x, z), (0, 2)),
            (0, self.rank[:, :, x], up, (y, z), (1, 2)),
        ):
            top = rooms.top + (len(ranks) * cell if axis != 2 else 0.0)
            face = PlaneFace(axis, np.array([left, top]), right, down, ranks)
            seen = face.pixels(np.array(at) + 0.5)
            words = self.axes[names[0]], self.axes[names[1]]
            result.append(CutFlat(words, face, seen))
            left += rooms.step
        return tuple(result)

    def _columns(
        self, ranks: list[int], pose: model.Pose, size: tuple[float, float]
    ) -> model.Floats:
        """Return the corners of all ranks at the same place of other planes."""
        result = [np.zeros((0, 4, 2))]
        for rank in ranks:
            x, y = self.coordinates[rank, self.order[:2]].tolist()
            others = np.flatnonzero(self.cells[:, y, x] >= 0)
            others = others[others != self.plane[rank]]
            ways = ((-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5))
            ends = [self.seen(others, x + a, y + b) for a, b in ways]
            result.append(np.stack([project(pose, end, size) for end in ends], axis=1))
        return np.concatenate(result)
