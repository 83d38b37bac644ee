"""The frame of a lattice: names of its coordinates, and ruled walls behind it."""

from collections.abc import Sequence

import numpy as np
from vtkmodules.vtkCommonCore import vtkLookupTable

from topoview.model import Floats, Grid, Pose
from topoview.scene.actors import Lines
from topoview.scene.annotations import Label
from topoview.scene.axes.axis_labels import (
    MIN_AXIS_LENGTH,
    MIN_LABEL_DISTANCE,
    ProjectedAxis,
    axis_names,
)
from topoview.scene.camera import project
from topoview.scene.palette import Theme
from topoview.scene.ranks.picking import convex_hull
from topoview.scene.shading import fading_table, fill_lookup

FRAME_DISTANCE, STUB_FRAME_DISTANCE = 0.38, 0.48
"""Distance of frame and labels from the outermost ranks; where edges wrap around."""

BODY_REACH = 0.3
"""How far ranks reach from the outermost places, about."""

LABEL_DISTANCE = 12.0
"""Distance of labels from the frame in pixels."""

READING_SIDE = (-0.5, 1.0)
"""Way on the screen, right and down, to the side at which axes stand: below what is
shown, and at its left if they run upwards."""

BLOCK_LABEL_DISTANCE = 17.0
"""How much further out the labels of blocks are than those within them."""


def _corners(low: Floats, high: Floats) -> Floats:
    """Corners of a box: shape (8, 3)."""
    ends = np.stack([low, high])
    return np.array(
        [[ends[i, 0], ends[j, 1], ends[k, 2]] for i, j, k in np.ndindex(2, 2, 2)]
    )


def _outermost(edges: Sequence[Floats]) -> tuple[Floats, Floats]:
    """Find the edge at the `READING_SIDE` of all, and the unit vector away from them.

    Parameters
    ----------
    edges : sequence of float64, shape (n, 2)
        Places along parallel edges as they are seen: pixels.
    """
    middles = np.array([(edge[0] + edge[-1]) / 2 for edge in edges])
    candidates = []
    for edge, middle in zip(edges, middles, strict=True):
        way = edge[-1] - edge[0]
        normal = np.array([-way[1], way[0]]) / max(float(np.hypot(*way)), 1e-9)
        for outward in (normal, -normal):
            within = float(((middles - middle) @ outward).max())
            candidates.append(
                (within < 0.5, float(outward @ READING_SIDE), edge, outward)
            )
    _, _, edge, outward = max(candidates, key=lambda each: each[:2])
    return edge, outward


def layout_labels(
    marks: Sequence[tuple[float, float, float, str]],
    pose: Pose,
    size: tuple[float, float],
) -> list[Label]:
    """Words of a layout where they are seen.

    Those that would touch others are left out.
    """
    if not marks:
        return []
    pixels = project(pose, np.array([mark[:3] for mark in marks]), size)
    result: list[Label] = []
    for (x, y), (*_, text) in zip(pixels, marks, strict=True):
        wide = 8.0 * len(text) + 8
        if all(
            abs(a.x - x) >= wide or abs(a.y - y) >= MIN_LABEL_DISTANCE[1]
            for a in result
        ):
            result.append(Label(float(x), float(y), text))
    return result


class LatticeFrame:
    """Labels and walls of a lattice whose dimensions are along axes of space.

    Parameters
    ----------
    found
        What places follow.
    """

    def __init__(self, grid: Grid) -> None:
        self._grid = grid
        self._lookup = vtkLookupTable()
        self.lines = Lines(self._lookup)
        self._far: tuple[bool, ...] = ()
        low = grid.origin + sum(table.min(axis=0) for table in grid.tables)
        high = grid.origin + sum(table.max(axis=0) for table in grid.tables)
        self._distance = STUB_FRAME_DISTANCE if any(grid.periodic) else FRAME_DISTANCE
        lift = self._distance * (high - low > 1e-6)
        if (lift > 0).sum() == 1:  # a line: names stand beside it
            lift[1] = self._distance
        self._low, self._high = low - lift, high + lift
        self._body = _corners(low - BODY_REACH, high + BODY_REACH)
        self._shown = self._low, self._high
        self._ranges: dict[int, tuple[int, int]] = {}
        self._axis_of = [int(np.argmax(np.ptp(table, axis=0))) for table in grid.tables]
        self._inner = [self._axis_of[:d].count(a) for d, a in enumerate(self._axis_of)]

    @staticmethod
    def suits(grid: Grid | None) -> bool:
        """Return whether a layout follows a lattice."""
        return grid is not None and bool(grid.tables) and max(grid.dims) > 1

    def restrict(self, ranges: Sequence[tuple[int, int, int]]) -> None:
        """Name only coordinates in ranges: dimension, first and last one of each.

        Names of a plane stand beside what is shown of it; a block keeps its walls.
        """
        grid = self._grid
        self._ranges = {
            axis: (max(first, 0), min(last, grid.dims[axis] - 1))
            for axis, first, last in ranges
            if axis < len(grid.dims)
        }
        self._shown = self._low, self._high
        if np.ptp([self._low[2], self._high[2]]) > 1e-6:
            return
        tables = [
            table[slice(first, last + 1)]
            for table, (first, last) in zip(
                grid.tables, map(self._range, range(len(grid.dims))), strict=True
            )
        ]
        lift = np.where(self._high > self._low, self._distance, 0.0)
        low = grid.origin + sum(table.min(axis=0) for table in tables) - lift
        high = grid.origin + sum(table.max(axis=0) for table in tables) + lift
        self._shown = low, high

    def _range(self, number: int) -> tuple[int, int]:
        """First and last coordinate of a dimension that are named."""
        return self._ranges.get(number, (0, self._grid.dims[number] - 1))

    @property
    def corners(self) -> Floats:
        """Corners of the frame that axes run along, below the ranks: shape (4, 3)."""
        return _corners(self._low, self._high)[::2]

    def paint(self, theme: Theme) -> None:
        """Apply the colours of a theme."""
        fill_lookup(self._lookup, fading_table([theme.rule], [0.0], theme.panel))

    def show_walls(self, pose: Pose | None, ratio: float) -> None:
        """Rule the three walls that are furthest from a camera; none without one."""
        far = () if pose is None else tuple(bool(part > 0) for part in pose.axes[2])
        if far == self._far:
            return
        self._far = far
        if not far:
            self.lines.set(np.zeros((0, 2, 3)), np.zeros(0, np.uint8), 1.0)
            return
        back = np.where(far, self._low, self._high)
        pieces = []
        for wall in range(3):
            others = [axis for axis in range(3) if axis != wall]
            for along, across in (others, others[::-1]):
                for at in self._rules(along):
                    piece = np.empty((2, 3))
                    piece[:, wall] = back[wall]
                    piece[:, along] = at
                    piece[:, across] = self._low[across], self._high[across]
                    pieces.append(piece)
        ends = np.array(pieces)
        self.lines.set(ends, np.zeros(len(ends), np.uint8), 1.0 * ratio)

    def _rules(self, axis: int) -> Floats:
        low, high = self._low[axis], self._high[axis]
        step = max(1, round((high - low) / 12))
        return np.append(np.arange(low, high - 0.3 * step, step), high)

    def axes(self, pose: Pose, size: tuple[float, float]) -> list[ProjectedAxis]:
        """Axes that are long enough to be labelled, as they are seen."""
        names = axis_names(self._grid)
        seen = [self._axis(d, name, pose, size) for d, name in enumerate(names)]
        return [axis for axis in seen if axis is not None]

    def body(self, pose: Pose, size: tuple[float, float]) -> Floats:
        """Rim of the ranks as it is seen: pixels, shape (k, 2)."""
        return convex_hull(project(pose, self._body, size))

    def _along(self, number: int) -> Floats:
        """Where coordinates of a dimension are along its axis: middles of blocks."""
        grid, axis = self._grid, self._axis_of[number]
        at = grid.origin[axis] + grid.tables[number][:, axis]
        for inner, other in enumerate(self._axis_of[:number]):
            if other == axis:
                table = grid.tables[inner][:, axis]
                at = at + (table.min() + table.max()) / 2
        return np.asarray(at)

    def _axis(
        self,
        number: int,
        name: str,
        pose: Pose,
        size: tuple[float, float],
    ) -> ProjectedAxis | None:
        """Project one axis along one of the outermost edges that are parallel to it."""
        (first, last), axis = self._range(number), self._axis_of[number]
        count = last - first + 1
        if self._grid.dims[number] < 2 or count < 1:
            return None
        along = self._along(number)
        edges = []
        for side in self._sides(axis):
            points = np.tile(side, (len(along), 1))
            points[:, axis] = along
            edges.append(project(pose, points, size))
        seen, outward = _outermost(edges)
        length = float(np.hypot(*(seen[-1] - seen[0])))
        if length < MIN_AXIS_LENGTH / 3:  # it runs away from the eye
            return None
        seen = seen[first : last + 1]
        out = LABEL_DISTANCE + BLOCK_LABEL_DISTANCE * self._inner[number]
        outwards = np.tile(outward, (count, 1))
        return ProjectedAxis(
            name, seen, outwards, out, numbered=length >= MIN_AXIS_LENGTH, first=first
        )

    def _sides(self, axis: int) -> list[Floats]:
        """Corners from which the edges that are parallel to an axis start."""
        others = [other for other in range(3) if other != axis]
        result = []
        for a in self._shown:
            for b in self._shown:
                side = self._shown[0].copy()
                side[others[0]], side[others[1]] = a[others[0]], b[others[1]]
                result.append(side)
        return result
