"""Where the scene is seen from: a camera without any window, in pure NumPy.

Angles are in degrees: azimuth turns about the vertical z axis from +x, elevation
rises from the horizon. Pixels count from the top left corner.
"""

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from topoview.model import Floats

FIELD_OF_VIEW = 22.0
"""Vertical opening of the camera in degrees."""

HALF = math.tan(math.radians(FIELD_OF_VIEW / 2))

HOMES = {
    "torus": (-62.0, 40.0),
    "tube": (-40.0, 24.0),
    "star": (-70.0, 30.0),
    "sphere": (-62.0, 24.0),
    "graph": (-60.0, 22.0),
    "flat": (-78.0, 44.0),
    "line": (-84.0, 40.0),
    "box": (-58.0, 25.0),
}
"""Azimuth and elevation that show each form best."""

CAMERAS: dict[str, tuple[float, float] | None] = {
    "home": None,
    "front": (-90.0, 0.0),
    "right": (0.0, 0.0),
    "above": (-90.0, 90.0),
    "behind": (90.0, 0.0),
    "left": (180.0, 0.0),
    "below": (-90.0, -90.0),
}
"""Cameras in order of their keys, 1 to 7; None is the home of the form."""


@dataclass(frozen=True, slots=True)
class Margins:
    """Pixels at each side of the view that the scene leaves free."""

    left: float = 40.0
    top: float = 64.0
    right: float = 40.0
    bottom: float = 64.0


@dataclass(frozen=True, slots=True)
class Pose:
    """Where the camera is and what it looks at.

    Attributes
    ----------
    azimuth, elevation
        Direction from `focal` to the eye in degrees.
    distance
        From `focal` to the eye.
    focal
        Point that it turns about.
    shift
        Where `focal` is seen, from the middle of the view, in halves of the
        view's width (right) and height (up).
    parallel
        Orthographic; the plane through `focal` is as large as in perspective.
    """

    azimuth: float
    elevation: float
    distance: float
    focal: tuple[float, float, float]
    shift: tuple[float, float] = (0.0, 0.0)
    parallel: bool = False

    @property
    def axes(self) -> tuple[Floats, Floats, Floats]:
        """Unit vectors to the right, up, and towards the eye, shape (3,) each."""
        a, e = math.radians(self.azimuth), math.radians(self.elevation)
        x, y, level, lift = math.cos(a), math.sin(a), math.cos(e), math.sin(e)
        right = np.array([-y, x, 0.0])
        up = np.array([-lift * x, -lift * y, level])
        return right, up, np.array([level * x, level * y, lift])

    @property
    def eye(self) -> Floats:
        """Position of the eye, shape (3,)."""
        return np.asarray(self.focal) + self.distance * self.axes[2]


def depths(pose: Pose, points: ArrayLike) -> Floats:
    """Distance of points from the eye along the line of sight: shape (n,)."""
    behind = (np.asarray(points, np.float64) - pose.focal) @ pose.axes[2]
    return np.asarray(pose.distance - behind)


def project(pose: Pose, points: ArrayLike, size: tuple[float, float]) -> Floats:
    """Pixels at which points are seen.

    Parameters
    ----------
    pose
        The camera.
    points : float, shape (n, 3)
    size
        Width and height of the view in pixels.

    Returns
    -------
    float64, shape (n, 2)
        x to the right, y down.
    """
    right, up, _ = pose.axes
    local = np.asarray(points, np.float64) - pose.focal
    scale = HALF * (
        pose.distance if pose.parallel else np.maximum(depths(pose, points), 1e-9)
    )
    width, height = size
    x = (local @ right) / scale / (width / height) + pose.shift[0]
    y = (local @ up) / scale + pose.shift[1]
    return np.stack([(1 + x) * width / 2, (1 - y) * height / 2], axis=-1)


def pixels_per_unit(pose: Pose, points: ArrayLike, height: float) -> Floats:
    """Pixels that a unit of length takes at each point: shape (n,)."""
    far = depths(pose, points)
    far = np.full_like(far, pose.distance) if pose.parallel else np.maximum(far, 1e-9)
    return np.asarray(height / 2 / (HALF * far))


def ray(
    pose: Pose, x: float, y: float, size: tuple[float, float]
) -> tuple[Floats, Floats]:
    """Origin and unit direction, shape (3,) each, of the line of sight at a pixel."""
    right, up, back = pose.axes
    width, height = size
    across = (2 * x / width - 1 - pose.shift[0]) * HALF * width / height
    above = (1 - 2 * y / height - pose.shift[1]) * HALF
    offset = across * right + above * up
    if pose.parallel:
        return pose.eye + pose.distance * offset, -back
    direction = offset - back
    return pose.eye, direction / np.linalg.norm(direction)


def turn(pose: Pose, azimuth: float, elevation: float) -> Pose:
    """Turn about the focal point; the horizon stays level."""
    return replace(
        pose,
        azimuth=(pose.azimuth + azimuth + 180) % 360 - 180,
        elevation=min(90.0, max(-90.0, pose.elevation + elevation)),
    )


def pan(pose: Pose, dx: float, dy: float, height: float) -> Pose:
    """Move what is seen by so many pixels to the right and down."""
    right, up, _ = pose.axes
    unit = 2 * HALF * pose.distance / height
    x, y, z = np.asarray(pose.focal) - unit * (dx * right - dy * up)
    return replace(pose, focal=(float(x), float(y), float(z)))


def zoom(
    pose: Pose, factor: float, x: float, y: float, size: tuple[float, float]
) -> Pose:
    """Come nearer by a factor; what is seen at pixel (x, y) stays there."""
    centre = project(pose, [pose.focal], size)[0]
    nearer = replace(pose, distance=pose.distance / factor)
    growth = factor - 1
    return pan(nearer, -(x - centre[0]) * growth, -(y - centre[1]) * growth, size[1])


def between(start: Pose, end: Pose, share: float) -> Pose:
    """Pose on the way from one to the other, the short way round."""

    def mix(a: float, b: float) -> float:
        return a + (b - a) * share

    way = (end.azimuth - start.azimuth + 180) % 360 - 180
    x, y, z = (mix(a, b) for a, b in zip(start.focal, end.focal, strict=True))
    return Pose(
        start.azimuth + share * way,
        mix(start.elevation, end.elevation),
        math.exp(mix(math.log(start.distance), math.log(end.distance))),
        (x, y, z),
        (mix(start.shift[0], end.shift[0]), mix(start.shift[1], end.shift[1])),
        end.parallel,
    )
