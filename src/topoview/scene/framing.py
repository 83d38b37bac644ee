"""How the camera is fitted to what it shows."""

import math
from dataclasses import replace
from weakref import WeakKeyDictionary

import numpy as np
from scipy.spatial import cKDTree

from topoview.model import Floats, Ints, Layout
from topoview.scene.camera import HALF, Margins, Pose, pixels_per_unit, project

FEW = 256
"""Ranks up to which it is searched from where they hide each other least."""

FEWEST = (5.0, 2.0)
"""Units of length (distances of neighbours) that there is always room for, across
and upright."""

HALVINGS = 30
"""Steps in which the distance is searched: to a billionth of its range."""

MANY = 4000
"""Points from which only the outermost are looked at."""


def fit(  # noqa: PLR0913 - what a camera takes
    points: Floats,
    radii: Floats,
    azimuth: float,
    elevation: float,
    size: tuple[float, float],
    margins: Margins,
    *,
    parallel: bool = False,
) -> Pose:
    """Camera that shows all points within the margins, as large as looks good.

    That is as large as there is room for, unless there are few ranks (`FEWEST`).

    Parameters
    ----------
    points : float, shape (n, 3)
        What must be seen.
    radii : float, shape (n,)
        Extent of what is drawn about each point.
    azimuth, elevation
        Direction in degrees that it looks from.
    size
        Width and height of the view in pixels.
    margins
        Pixels to leave free.
    parallel
        Whether the camera is orthographic.
    """
    width, height = size
    if not len(points):
        points, radii = np.zeros((1, 3)), np.ones(1)
    some = outermost(points)
    seen, radius = points[some], radii[some]
    centre = (seen.min(axis=0) + seen.max(axis=0)) / 2
    x, y, z = map(float, centre)
    extent = float((np.linalg.norm(seen - centre, axis=1) + radius).max())
    room = (
        max(0.1, 1 - (margins.left + margins.right) / width),
        max(0.1, 1 - (margins.top + margins.bottom) / height),
    )
    pose = Pose(azimuth, elevation, 1.0, (x, y, z), parallel=parallel)

    def too_near(distance: float) -> bool:
        low, high = _bounds(replace(pose, distance=distance), seen, radius, size)
        taken = (high - low) / 2
        return bool(taken[0] > room[0] or taken[1] > room[1])

    near, far = extent * 1.02, 60 * max(extent, 0.1) / HALF / min(width / height, 1)
    unit = min(room[0] * width / FEWEST[0], room[1] * height / FEWEST[1])
    near = max(near, height / 2 / (HALF * unit))  # few ranks are no giants
    far = max(far, near)
    for _ in range(HALVINGS):
        middle = math.sqrt(near * far)
        near, far = (middle, far) if too_near(middle) else (near, middle)
    pose = replace(pose, distance=far)
    low, high = _bounds(pose, seen, radius, size)
    target = (
        (margins.left - margins.right) / width,
        (margins.bottom - margins.top) / height,
    )
    middle_seen = (low + high) / 2
    return replace(
        pose,
        shift=(
            target[0] - float(middle_seen[0]),
            target[1] - float(middle_seen[1]),
        ),
    )


def clearest(
    places: Floats, radius: float, azimuth: float, elevation: float
) -> tuple[float, float]:
    """Direction near a given one in which the fewest ranks hide others.

    Returns
    -------
    azimuth, elevation
        In degrees; as given for more than `FEW` ranks.
    """
    if not 2 <= len(places) <= FEW:
        return azimuth, elevation
    middle = (places.min(axis=0) + places.max(axis=0)) / 2
    x, y, z = map(float, middle)
    extent = float(np.linalg.norm(places - middle, axis=1).max()) + radius
    best, least = (azimuth, elevation), np.inf
    for lift in np.arange(-6.0, 9.0, 2.0):
        for swing in np.arange(-16.0, 17.0, 2.0):
            angles = azimuth + float(swing), elevation + float(lift)
            pose = Pose(*angles, 1.2 * extent / HALF, (x, y, z))
            seen = project(pose, places, (2.0, 2.0))
            balls = radius * pixels_per_unit(pose, places, 2.0)
            pairs = cKDTree(seen).query_pairs(2 * balls.max(), output_type="ndarray")
            first, second = pairs[:, 0], pairs[:, 1]
            apart = np.linalg.norm(seen[first] - seen[second], axis=1)
            hidden = np.maximum(1 - apart / (balls[first] + balls[second]), 0)
            cost = float((hidden**2).sum()) + 0.004 * abs(swing) + 0.01 * abs(lift)
            if cost < least - 1e-9:
                best, least = angles, cost
    return best


_KNOWN: WeakKeyDictionary[Layout, Ints] = WeakKeyDictionary()


def outermost_of(layout: Layout) -> Ints:
    """Find the ranks of a layout that lie furthest in some direction; found once."""
    if layout not in _KNOWN:
        _KNOWN[layout] = outermost(layout.positions.astype(np.float64))
    return _KNOWN[layout]


def outermost(points: Floats) -> Ints:
    """Find those of points, shape (n, 3), that lie furthest in some direction."""
    if len(points) <= MANY:
        return np.arange(len(points))
    index = np.arange(160) + 0.5
    z = 1 - index / 80
    angle = np.pi * (3 - math.sqrt(5)) * index
    flat = np.sqrt(1 - z**2)
    ways = np.stack([flat * np.cos(angle), flat * np.sin(angle), z], 1)
    ways = np.concatenate([ways, np.eye(3), -np.eye(3), np.sign(ways[:32])])
    columns = np.ascontiguousarray(points.T, np.float32)
    along, part = np.empty((2, len(points)), np.float32)
    found = []
    for way in ways.astype(np.float32):  # a product of matrices is slower by far
        np.multiply(columns[0], way[0], out=along)
        for axis in (1, 2):
            np.multiply(columns[axis], way[axis], out=part)
            along += part
        found.append(int(along.argmax()))
    return np.unique(found)


def _bounds(
    pose: Pose, points: Floats, radius: Floats, size: tuple[float, float]
) -> tuple[Floats, Floats]:
    """Least and greatest x and y of the points in halves of the view."""
    right, up, back = pose.axes
    local = points - pose.focal
    far = np.full(len(points), pose.distance)
    if not pose.parallel:
        far = np.maximum(pose.distance - local @ back, 1e-6)
    aspect = np.array([size[0] / size[1], 1.0])
    seen = np.stack([local @ right, local @ up], 1) / (HALF * far)[:, None] / aspect
    ball = (radius / (HALF * far))[:, None] / aspect
    return (seen - ball).min(axis=0), (seen + ball).max(axis=0)
