"""Pieces of a lattice's planes on the screen, and a block that is cut along three.

A face is an affine map from a plane's places to pixels: which rank is seen at a pixel,
where a rank is seen, and where lines between ranks run follow from it.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from topoview.model import Bools, Floats, Ints, Pose
from topoview.scene.camera import INSET_VIEW

CUT_SHADES = (0.86, 0.93, 1.0)
"""Light of planes across x, y and z of a block."""


class Room(NamedTuple):
    """A part of the view in pixels."""

    left: float
    top: float
    width: float
    height: float


@dataclass(frozen=True, slots=True, eq=False)
class PlaneFace:
    """A piece of a plane, in which each rank is a cell."""

    axis: int
    """Axis that the plane is across."""
    corner: Floats
    """float64, shape (2,): pixels of the corner of its first place."""
    across: Floats
    down: Floats
    """`across` and `down`: float64, shape (2,): pixels to the next column and row."""
    ranks: Ints
    """int64, shape (rows, columns): its ranks; -1 for none."""
    shade: float = 1.0

    def pixels(self, places: Floats) -> Floats:
        """Find where places are seen.

        Parameters
        ----------
        places : float64, shape (..., 2)
            Column and row from its corner on.
        """
        aside, below = places[..., :1] * self.across, places[..., 1:] * self.down
        return np.asarray(self.corner + aside + below)

    @property
    def outline(self) -> Floats:
        """Its corners: float64, shape (4, 2), around it from the first place on."""
        rows, columns = self.ranks.shape
        ends = [(0, 0), (columns, 0), (columns, rows), (0, rows)]
        return self.pixels(np.array(ends, np.float64))

    def rank_at(self, x: float, y: float) -> int | None:
        """Find the rank at a pixel: -1 for a place without one, None beside it."""
        (a, b), (c, d) = self.across.tolist(), self.down.tolist()
        right, below = x - float(self.corner[0]), y - float(self.corner[1])
        area = a * d - b * c
        column, row = (right * d - below * c) / area, (below * a - right * b) / area
        rows, columns = self.ranks.shape
        inside = 0 <= column < columns and 0 <= row < rows
        return int(self.ranks[int(row), int(column)]) if inside else None

    def cell_of(self, rank: int) -> Floats:
        """Return the corners of a rank's cell: shape (4, 2), or (0, 2) if elsewhere."""
        places = np.argwhere(self.ranks == rank)
        if not len(places):
            return np.zeros((0, 2))
        ends = np.array([(0, 0), (1, 0), (1, 1), (0, 1)]) + places[0, ::-1]
        return self.pixels(ends.astype(np.float64))


@dataclass(frozen=True, slots=True, eq=False)
class BorderLines:
    """Lines between ranks that something holds of and others, on faces."""

    face: Ints
    """int64, shape (n,): number of the face that each is on."""
    ends: Floats
    """float64, shape (n, 2, 2): column and row of both ends."""

    def pixels(self, faces: tuple[PlaneFace, ...], first: int = 0) -> Floats:
        """Find where those on some faces are seen: float64, shape (n, 2, 2).

        Parameters
        ----------
        first
            Number of the first of the faces.
        """
        own = (self.face >= first) & (self.face < first + len(faces))
        face, ends = self.face[own] - first, self.ends[own]
        if not len(face):
            return np.zeros((0, 2, 2))
        corner, across, down = (
            np.array([getattr(each, name) for each in faces])[face, None]
            for name in ("corner", "across", "down")
        )
        return np.asarray(corner + ends[..., :1] * across + ends[..., 1:] * down)


NO_BORDERS = BorderLines(np.zeros(0, np.int64), np.zeros((0, 2, 2)))


def borders(inside: Bools, here: Bools) -> BorderLines:
    """Find the lines between places inside and others, each as long as it is straight.

    Parameters
    ----------
    inside, here : bool, shape (faces, rows, columns)
        Whether something holds of a place, and whether it has a rank.
    """
    faces, pieces = [], []
    for axis in (2, 1):
        # The axis that is crossed first, then that along which the line runs.
        there, within = (np.moveaxis(each, axis, 1) for each in (here, inside))
        differs = within[:, 1:] != within[:, :-1]
        differs &= there[:, 1:] & there[:, :-1]
        before = np.pad(differs, ((0, 0), (0, 0), (1, 0)))[..., :-1]
        after = np.pad(differs, ((0, 0), (0, 0), (0, 1)))[..., 1:]
        face, crossed, begin = np.nonzero(differs & ~before)
        end = np.nonzero(differs & ~after)[2] + 1
        ends = np.empty((len(face), 2, 2))
        ends[..., 2 - axis] = crossed[:, None] + 1
        ends[..., axis - 1] = np.stack([begin, end], axis=1)
        faces.append(face)
        pieces.append(ends)
    return BorderLines(np.concatenate(faces), np.concatenate(pieces))


class BlockAxis(NamedTuple):
    """An edge of a block along which the places of an axis are counted."""

    name: str
    begin: Floats
    end: Floats
    """`begin` and `end`: float64, shape (2,): pixels of its ends."""
    away: Floats
    """float64, shape (2,): unit of the way from the block's middle."""
    extent: int
    chosen: int
    """`extent` and `chosen`: number of its places, and that of the cut."""

    def at(self, place: float) -> Floats:
        """Find where a place is along it: pixels."""
        return np.asarray(self.begin + (self.end - self.begin) * place / self.extent)


@dataclass(frozen=True, slots=True, eq=False)
class CutBlock:
    """A block cut through a place along all three axes."""

    behind: Floats
    before: Floats
    """`behind` and `before`: float64, shape (n, 2, 2): its edges."""
    faces: tuple[PlaneFace, ...]
    """Pieces of the planes, those behind others first."""
    axes: tuple[BlockAxis, ...]
    origin: Floats
    steps: Floats
    """`origin` and `steps`: float64, shapes (2,) and (3, 2): pixels of its first
    corner, and to the next place of each axis."""
    at: Floats
    """float64, shape (2,): where the place is seen."""
    alone: bool
    """Whether it is all of the picture: with numbers at its axes, and flags."""

    def face_at(self, x: float, y: float) -> PlaneFace | None:
        """Find the foremost piece at a pixel."""
        seen = (face for face in self.faces[::-1] if face.rank_at(x, y) is not None)
        return next(seen, None)


def cut_block(
    ranks: Ints,
    through: tuple[int, ...],
    names: tuple[str, ...],
    room: Room,
    *,
    alone: bool,
) -> CutBlock:
    """Cut a block through a place, seen from `INSET_VIEW`, as large as its room.

    Parameters
    ----------
    ranks : int64, shape (z, y, x)
        -1 for none.
    through
        The place: x, y, z.
    names
        Of the axes.
    """
    dims = np.array(ranks.shape[::-1], np.float64)
    right, up, back = Pose(*INSET_VIEW, 1.0, (0.0, 0.0, 0.0)).axes
    flip = np.array([1.0, -1.0, 1.0])  # y runs towards who looks at planes
    turn = np.stack([right, -up], axis=1) * flip[:, None]
    towards = back * flip
    ends = np.array(np.meshgrid(*([0.0, d] for d in dims))).reshape(3, -1).T
    flat = ends @ turn
    wide, high = np.ptp(flat, axis=0).tolist()
    steps = turn * min(room.width / wide, room.height / high)
    middle = np.array([flat[:, 0].mean(), flat[:, 1].min()])
    top = np.array([room.left + room.width / 2, room.top])
    origin = top - middle * steps[0, 0] / turn[0, 0]
    faces, depth = [], []
    for axis in range(3):
        one, other = (k for k in range(3) if k != axis)
        plane = np.moveaxis(ranks, 2 - axis, 0)[through[axis]].T
        for a in _halves(through[one], ranks.shape[2 - one]):
            for b in _halves(through[other], ranks.shape[2 - other]):
                if a.start == a.stop or b.start == b.stop:
                    continue
                begin = np.zeros(3)
                begin[[axis, one, other]] = through[axis] + 0.5, a.start, b.start
                centre = begin.copy()
                centre[[one, other]] += (a.stop - a.start) / 2, (b.stop - b.start) / 2
                depth.append(float(centre @ towards))
                faces.append(
                    PlaneFace(
                        axis=axis,
                        corner=origin + begin @ steps,
                        across=steps[one],
                        down=steps[other],
                        ranks=plane[a, b].T,
                        shade=CUT_SHADES[axis],
                    )
                )
    far = ends[(ends @ towards).argmin()]
    edges = _edges_of(ends)
    hidden = (edges == far).all(axis=2).any(axis=1)
    return CutBlock(
        behind=origin + edges[hidden] @ steps,
        before=origin + edges[~hidden] @ steps,
        faces=tuple(faces[k] for k in np.argsort(depth, kind="stable")),
        axes=tuple(
            _axis(k, names[k], through[k], dims, far, origin, steps) for k in range(3)
        ),
        origin=origin,
        steps=steps,
        at=origin + (np.array(through) + 0.5) @ steps,
        alone=alone,
    )


def _axis(  # noqa: PLR0913 - the axis, and how the block is seen
    axis: int,
    name: str,
    chosen: int,
    dims: Floats,
    far: Floats,
    origin: Floats,
    steps: Floats,
) -> BlockAxis:
    """Find the edge along an axis that is seen at the block's rim."""
    begin = far.copy()
    begin[axis] = 0.0
    other = (axis + 1) % 3 if axis != 1 else 2
    begin[other] = dims[other] - far[other]
    end = begin.copy()
    end[axis] = dims[axis]
    away = ((begin + end - dims) / 2) @ steps
    return BlockAxis(
        name=name,
        begin=origin + begin @ steps,
        end=origin + end @ steps,
        away=away / np.hypot(*away),
        extent=int(dims[axis]),
        chosen=chosen,
    )


def _halves(at: int, extent: int) -> tuple[slice, slice]:
    """Part an axis at a plane, which is in its second half."""
    return slice(0, at), slice(at, extent)


def _edges_of(corners: Floats) -> Floats:
    """Return the edges of a block with 8 corners: shape (12, 2, 3)."""
    pairs = [
        (one, other)
        for k, one in enumerate(corners)
        for other in corners[k + 1 :]
        if (one != other).sum() == 1
    ]
    return np.array(pairs)
