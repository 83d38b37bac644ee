"""The frame of a lattice: names of its coordinates, and ruled walls behind it."""

from dataclasses import dataclass

import numpy as np
from vtkmodules.vtkCommonCore import vtkLookupTable

from topoview.model import Bools, Floats, Ints, Layout, Match
from topoview.scene.camera import Pose, project
from topoview.scene.fading import fading_table, fill
from topoview.scene.palette import Theme
from topoview.scene.parts import Lines

AXES = "xyz"

BESIDE = 0.48
"""Distance of frame and labels from the outermost ranks."""

APART = (34.0, 15.0)
"""Distance of labels in pixels, right or down, from which they do not touch."""

LEAST = 34.0
"""Pixels from which on an axis is labelled."""

OUT = 13.0
"""Distance of labels from the frame in pixels."""


@dataclass(frozen=True, slots=True, eq=False)
class Linear:
    """A layout that is linear in a lattice's coordinates.

    Attributes
    ----------
    coordinates : int64, shape (ranks, axes)
        -1 for ranks that are not part of it.
    steps : float64, shape (axes, 3)
        What a step along each axis is in space.
    origin : float64, shape (3,)
        Where all coordinates are 0.
    dims : int64, shape (axes,)
    periodic : bool, shape (axes,)
    """

    coordinates: Ints
    steps: Floats
    origin: Floats
    dims: Ints
    periodic: Bools


def linear(layout: Layout, match: Match) -> Linear | None:
    """Fit places to coordinates; None unless the layout is linear in them."""
    topology = match.topology
    members = match.vertex >= 0
    if topology.kind != "lattice" or layout.shape != "lattice" or not members.any():
        return None
    places = layout.positions[members].astype(np.float64)
    coordinates = match.coordinates.astype(np.int64)
    columns = np.column_stack([coordinates[members], np.ones(members.sum())])
    steps, *_ = np.linalg.lstsq(columns, places, rcond=None)
    if np.abs(columns @ steps - places).max() > 0.05:
        return None
    return Linear(
        coordinates,
        np.asarray(steps[:-1]),
        np.asarray(steps[-1]),
        np.array(topology.dims, np.int64),
        np.array(topology.periodic, bool),
    )


def tick_step(count: int, right: float, down: float) -> int:
    """Choose how many places are between labels, given two neighbours' distance."""
    for step in (1, 2, 4, 5, 8, 10, 16, 20, 25, 32, 50, 64, 100):
        apart = step * abs(right) >= APART[0] or step * abs(down) >= APART[1]
        if apart or step >= count:
            return step
    return count


class LatticeFrame:
    """Labels and walls of a lattice whose axes are those of space.

    Parameters
    ----------
    found
        A linear layout.
    """

    def __init__(self, found: Linear) -> None:
        self._found = found
        self._lookup = vtkLookupTable()
        self.lines = Lines(self._lookup)
        self._far: tuple[bool, ...] = ()
        ends = found.origin + np.array([np.zeros(3), (found.dims - 1) @ found.steps])
        lift = BESIDE * (np.ptp(ends, axis=0) > 1e-6)
        self._low, self._high = ends.min(axis=0) - lift, ends.max(axis=0) + lift
        self._axis_of = [int(np.argmax(np.abs(step))) for step in found.steps]

    @staticmethod
    def suits(found: Linear | None) -> bool:
        """Tell whether each axis of a lattice has one of space for itself."""
        if found is None or not 2 <= len(found.dims) <= 3:
            return False
        main = np.abs(found.steps) > 0.5
        return bool((main.sum(axis=1) == 1).all() and (main.sum(axis=0) <= 1).all())

    @property
    def corners(self) -> Floats:
        """Corners of the frame: shape (8, 3)."""
        ends = np.stack([self._low, self._high])
        return np.array(
            [[ends[i, 0], ends[j, 1], ends[k, 2]] for i, j, k in np.ndindex(2, 2, 2)]
        )

    def paint(self, theme: Theme) -> None:
        """Take the colours of a theme."""
        fill(self._lookup, fading_table([theme.rule], [0.0], theme.panel))

    def show_walls(self, pose: Pose | None, ratio: float) -> None:
        """Rule the three walls that are furthest from a camera; none without one."""
        if pose is None:
            self._far = ()
            self.lines.set(np.zeros((0, 2, 3)), np.zeros(0, np.uint8), 1.0)
            return
        far = tuple(bool(part > 0) for part in pose.axes[2])
        if far == self._far:
            return
        self._far = far
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

    def labels(
        self, pose: Pose, size: tuple[float, float]
    ) -> list[tuple[float, float, str]]:
        """Names of coordinates along the frame: x and y in pixels, text."""
        middle = project(pose, [(self._low + self._high) / 2], size)[0]
        found: list[tuple[float, float, str]] = []
        for number, axis in enumerate(self._axis_of):
            for x, y, text in self._axis_labels(number, axis, pose, size, middle):
                if all(
                    abs(x - a) >= APART[0] or abs(y - b) >= APART[1] - 1
                    for a, b, _ in found
                ):
                    found.append((x, y, text))
        return found

    def _axis_labels(
        self,
        number: int,
        axis: int,
        pose: Pose,
        size: tuple[float, float],
        middle: Floats,
    ) -> list[tuple[float, float, str]]:
        """Label one axis along the outermost edge that is parallel to it.

        The lowest on the screen; for what runs up the screen the leftmost.
        """
        count = int(self._found.dims[number])
        if count < 2:
            return []
        index = np.arange(count)
        along = self._found.origin[axis] + index * self._found.steps[number][axis]
        edges = []
        for side in self._sides(axis):
            points = np.tile(side, (count, 1))
            points[:, axis] = along
            edges.append(project(pose, points, size))
        way = edges[0][-1] - edges[0][0]
        upright = abs(way[1]) > 1.2 * abs(way[0])
        by = (lambda e: -e[:, 0].mean()) if upright else (lambda e: e[:, 1].mean())
        seen = max(edges, key=by)
        length = float(np.hypot(*way))
        pitch = length / (count - 1)
        if pitch < 2 or length < LEAST:
            return []
        normal = np.array([-way[1], way[0]]) / length
        outward = normal if (seen.mean(axis=0) - middle) @ normal > 0 else -normal
        step = tick_step(count, *(way / (count - 1)))
        shown = list(range(0, count, step))
        if count - 1 - shown[-1] >= 0.75 * step:
            shown.append(count - 1)
        places = seen + outward * (OUT + 5 * abs(outward[0]))
        return [
            (float(places[i, 0]), float(places[i, 1]), f"{AXES[number]} {i}")
            for i in shown
        ]

    def _sides(self, axis: int) -> list[Floats]:
        """Corners from which the edges that are parallel to an axis start."""
        others = [other for other in range(3) if other != axis]
        found = []
        for a in (self._low, self._high):
            for b in (self._low, self._high):
                side = self._low.copy()
                side[others[0]], side[others[1]] = a[others[0]], b[others[1]]
                found.append(side)
        return found
