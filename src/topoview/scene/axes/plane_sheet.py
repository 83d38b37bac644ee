"""What is written over planes beside each other: names, frames, waiting, the front.

And the block that they are planes of, cut through a rank: how it is seen.
"""

import math
from dataclasses import dataclass

import numpy as np

from topoview.model import Bools, Floats, Ints, Layout, Match, Pose, Shorts
from topoview.scene.camera import INSET_VIEW, inset_width, project

MAX_COLUMNS_MARKED = 20
"""Selected ranks whose places are marked in all planes."""

CUT_SHADES = (0.86, 0.93, 1.0)
"""Light of planes across x, y and z of a block."""

INSET_TOP, INSET_EDGE = 100.0, 28.0
"""Pixels above the block beside the planes, and at its sides."""


@dataclass(frozen=True, slots=True, eq=False)
class SheetPlane:
    """A plane: what it is called, and where it is."""

    name: str
    corners: Floats
    """float64, shape (4, 2): pixels, from the top left one on, around it."""
    chosen: bool
    """Whether the selected rank is in it."""


@dataclass(frozen=True, slots=True, eq=False)
class CutFace:
    """A piece of a plane that a block is cut along."""

    corner: Floats
    """float64, shape (2,): pixels of its first place."""
    across: Floats
    down: Floats
    """`across` and `down`: float64, shape (2,): pixels to the next place."""
    ranks: Ints
    """int64, shape (rows, columns): its ranks; -1 for none."""
    shade: float


@dataclass(frozen=True, slots=True, eq=False)
class CutBlock:
    """A block cut through a rank along all three axes: pieces from back to front."""

    behind: Floats
    before: Floats
    """`behind` and `before`: float64, shape (n, 2, 2): edges of the block."""
    faces: tuple[CutFace, ...]
    at: Floats
    """float64, shape (2,): where the rank is seen."""
    names: tuple[tuple[Floats, str], ...]
    """Where axes end, and what they are called."""


@dataclass(frozen=True, slots=True, eq=False)
class PlaneSheet:
    """What is written over planes at any time."""

    planes: tuple[SheetPlane, ...]
    cell: float
    """Pixels of a rank."""
    places: Floats
    """float64, shape (n, 4, 2): corners of the ranks that are where the selected ones
    are, in other planes."""
    axes: tuple[str, str]
    """Names of x and y."""
    block: CutBlock | None = None
    """The small block, where it has room."""


@dataclass(frozen=True, slots=True, eq=False)
class SheetMoment:
    """What changes over planes with time."""

    waiting: Floats
    """float64, shape (planes,): share of the ranks of each that wait."""
    front: Floats
    end: Floats
    """`front` and `end`: float64, shape (n, 2, 2): straight lines between ranks
    that a delay has reached, or left, and others: pixels."""
    codes: Shorts
    colours: tuple[str, ...]
    """`codes` and `colours`: those of all ranks, for the block."""


class SheetPlaces:
    """Which rank is where in the planes of a match: found once."""

    def __init__(self, match: Match, layout: Layout) -> None:
        dims = match.topology.dims
        self.dims, self._marks = dims, np.array([mark[:3] for mark in layout.marks])
        ways = [*layout.directions, "", ""]
        self.names = tuple(mark[3] for mark in layout.marks)
        self.axes = f"x {ways[0]}".strip(), f"y {ways[1]}".strip()
        self.unit = layout.spacing
        there = np.flatnonzero(match.coordinates[:, 0] >= 0)
        self.coordinates = match.coordinates
        self._last: tuple[object, PlaneSheet] | None = None
        strides = np.cumprod((1, *dims[2:-1]))
        self.plane = match.coordinates[:, 2:] @ strides
        x, y = match.coordinates[there, :2].T
        self.rank = np.full((math.prod(dims[2:]), dims[1], dims[0]), -1, np.int64)
        self.rank[self.plane[there], y, x] = there

    def seen(self, plane: Ints, x: Floats | float, y: Floats | float) -> Floats:
        """Return where places are in the scene: float64, shape (n, 3)."""
        places = self._marks[plane].astype(np.float64)
        places[:, 0] += x * self.unit
        places[:, 1] -= y * self.unit
        return places

    def sheet(
        self, pose: Pose, size: tuple[float, float], selected: tuple[int, ...]
    ) -> PlaneSheet:
        """Find what is written over the planes as a camera sees them; kept.

        Parameters
        ----------
        selected
            Ranks that are marked.
        """
        key = pose, size, selected
        if self._last is None or self._last[0] != key:
            self._last = key, self._sheet(*key)
        return self._last[1]

    def _sheet(
        self, pose: Pose, size: tuple[float, float], selected: tuple[int, ...]
    ) -> PlaneSheet:
        count = len(self.names)
        every, (wide, high) = np.arange(count), (self.dims[0] - 0.5, self.dims[1] - 0.5)
        corners = [(-0.5, -0.5), (wide, -0.5), (wide, high), (-0.5, high)]
        outlines = np.stack(
            [project(pose, self.seen(every, *corner), size) for corner in corners], 1
        )
        chosen = [r for r in selected if r < len(self.plane)][:MAX_COLUMNS_MARKED]
        chosen = [r for r in chosen if self.coordinates[r, 0] >= 0]
        planes = {int(self.plane[r]) for r in chosen}
        width = float(np.hypot(*(outlines[0, 1] - outlines[0, 0])))
        block = None
        if len(self.dims) == 3 and inset_width(size[0]):
            middle = np.array(self.dims) // 2
            through = self.coordinates[chosen[0]] if chosen else middle
            block = self._block(through, size)
        return PlaneSheet(
            planes=tuple(
                SheetPlane(self.names[k], outlines[k], k in planes)
                for k in range(count)
            ),
            cell=width / self.dims[0],
            places=self._columns(chosen, pose, size),
            axes=self.axes,
            block=block,
        )

    def moment(  # noqa: PLR0913 - what is marked
        self,
        pose: Pose,
        size: tuple[float, float],
        *,
        waiting: Bools,
        codes: Shorts,
        colours: tuple[str, ...],
        reached: Bools | None = None,
        left: Bools | None = None,
    ) -> SheetMoment:
        """Find what changes over the planes with time.

        Parameters
        ----------
        waiting : bool, shape (ranks,)
        codes, colours
            As in `SheetMoment`.
        reached, left : bool, shape (ranks,), optional
            Ranks that a delay has come to, and those where its wait is over.
        """
        there = self.coordinates[:, 0] >= 0
        count = len(self.names)
        waits = np.bincount(self.plane[waiting & there], minlength=count)
        return SheetMoment(
            waiting=waits / np.bincount(self.plane[there], minlength=count).clip(1),
            front=self._edges(reached, pose, size),
            end=self._edges(left, pose, size),
            codes=codes,
            colours=colours,
        )

    def _columns(
        self, ranks: list[int], pose: Pose, size: tuple[float, float]
    ) -> Floats:
        """Return the corners of all ranks at the same place of other planes."""
        result = [np.zeros((0, 4, 2))]
        for rank in ranks:
            x, y = self.coordinates[rank, :2].tolist()
            others = np.flatnonzero(self.rank[:, y, x] >= 0)
            others = others[others != self.plane[rank]]
            ways = ((-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5))
            ends = [self.seen(others, x + a, y + b) for a, b in ways]
            result.append(np.stack([project(pose, end, size) for end in ends], axis=1))
        return np.concatenate(result)

    def _edges(
        self, inside: Bools | None, pose: Pose, size: tuple[float, float]
    ) -> Floats:
        """Return the edges between ranks that are inside and others, of each plane."""
        if inside is None or not inside.any():
            return np.zeros((0, 2, 2))
        here, mask = self.rank >= 0, inside[self.rank]
        pieces = []
        for axis in (2, 1):
            # The axis that is crossed first, then that along which the edge runs.
            there, within = (np.moveaxis(each, axis, 1) for each in (here, mask))
            differs = within[:, 1:] != within[:, :-1]
            differs &= there[:, 1:] & there[:, :-1]
            before = np.pad(differs, ((0, 0), (0, 0), (1, 0)))[..., :-1]
            after = np.pad(differs, ((0, 0), (0, 0), (0, 1)))[..., 1:]
            plane, across, first = np.nonzero(differs & ~before)
            last = np.nonzero(differs & ~after)[2]
            side, seen = across.astype(np.float64) + 0.5, []
            for end in (first - 0.5, last + 0.5):
                along = end.astype(np.float64)
                x, y = (side, along) if axis == 2 else (along, side)
                seen.append(project(pose, self.seen(plane, x, y), size))
            pieces.append(np.stack(seen, axis=1))
        return np.concatenate(pieces)

    def _block(self, through: Ints, size: tuple[float, float]) -> CutBlock:
        """See the block from `INSET_VIEW`, cut through a place."""
        dims = np.array(self.dims, np.float64)
        right, up, back = Pose(*INSET_VIEW, 1.0, (0.0, 0.0, 0.0)).axes
        flip = np.array([1.0, -1.0, 1.0])  # y runs towards who looks at planes
        turn = np.stack([right, -up], axis=1) * flip[:, None]
        towards = back * flip
        ends = np.array(np.meshgrid(*([0.0, d] for d in dims))).reshape(3, -1).T
        flat = ends @ turn
        wide = inset_width(size[0]) - 2 * INSET_EDGE
        scale = wide / float(np.ptp(flat[:, 0]))
        scale = min(scale, (0.5 * size[1] - INSET_TOP / 2) / float(np.ptp(flat[:, 1])))
        corner = np.array([size[0] - INSET_EDGE - wide / 2, INSET_TOP])
        middle = np.array([flat[:, 0].mean(), flat[:, 1].min()])

        def seen(places: Floats) -> Floats:
            return np.asarray((places @ turn - middle) * scale + corner)

        faces, depth = [], []
        for axis in range(3):
            one, other = (k for k in range(3) if k != axis)
            plane = self.rank.transpose(2, 1, 0).take([int(through[axis])], axis)
            plane = plane.squeeze(axis)
            for a in _halves(int(through[one]), self.dims[one]):
                for b in _halves(int(through[other]), self.dims[other]):
                    if a.start == a.stop or b.start == b.stop:
                        continue
                    at = np.zeros(3)
                    at[[axis, one, other]] = through[axis] + 0.5, a.start, b.start
                    step, way = np.eye(3)[one], np.eye(3)[other]
                    here = at + step * (a.stop - a.start) / 2
                    depth.append(float((here + way * (b.stop - b.start) / 2) @ towards))
                    faces.append(
                        CutFace(
                            corner=seen(at),
                            across=step @ turn * scale,
                            down=way @ turn * scale,
                            ranks=plane[a, b].T,
                            shade=CUT_SHADES[axis],
                        )
                    )
        order = np.argsort(depth, kind="stable")
        edges = _edges_of(dims)
        near = ends[(ends @ towards).argmin()]
        hidden = (edges == near).all(axis=2).any(axis=1)
        names = tuple(
            (seen(_axis_end(dims, axis, near)), f"{'xyz'[axis]} {int(through[axis])}")
            for axis in range(3)
        )
        return CutBlock(
            behind=seen(edges[hidden]),
            before=seen(edges[~hidden]),
            faces=tuple(faces[k] for k in order),
            at=seen(np.asarray(through, np.float64) + 0.5),
            names=names,
        )


def _halves(at: int, extent: int) -> tuple[slice, slice]:
    """Part an axis at a plane, which is in its second half."""
    return slice(0, at), slice(at, extent)


def _edges_of(dims: Floats) -> Floats:
    """Return the edges of a block: shape (12, 2, 3)."""
    corners = np.array(np.meshgrid(*([0.0, d] for d in dims))).reshape(3, -1).T
    pairs = [
        (one, other)
        for k, one in enumerate(corners)
        for other in corners[k + 1 :]
        if (one != other).sum() == 1
    ]
    return np.array(pairs)


def _axis_end(dims: Floats, axis: int, far: Floats) -> Floats:
    """Return the middle of an edge along an axis that is seen at the block's rim."""
    place = far.copy()
    place[axis] = dims[axis] / 2
    other = (axis + 1) % 3 if axis != 1 else 2
    place[other] = dims[other] - far[other]
    return place
