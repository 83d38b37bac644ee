"""Ranks and pixels: what is under the mouse, and outlines of glyphs on the screen.

Rays are tested against glyphs, and pixels against edges. VTK's own pickers were 100 to
1000 times slower or told wrong ranks.
"""

import numpy as np

from topoview.model import Floats, Ints, Pose
from topoview.scene.camera import pixels_per_unit, project

POLYGON_ENLARGEMENT = 1.2
"""Size of polygons for rays: one through a gap belongs to what is beside it."""


def ray_boxes(
    origin: Floats, direction: Floats, centres: Floats, half: Floats
) -> Floats:
    """Distance along a ray to boxes along the axes; inf where it misses.

    The slab method (Kay and Kajiya, 1986).

    Parameters
    ----------
    origin, direction : float64, shape (3,)
    centres, half : float64, shape (n, 3)
        Centres of the boxes and half their extents.
    """
    # only boxes whose balls it meets are looked at side by side
    to_centre = centres - origin
    along = to_centre @ (direction / np.linalg.norm(direction))
    apart = np.einsum("ij,ij->i", to_centre, to_centre) - along**2
    reach = np.einsum("ij,ij->i", half, half)
    near = np.flatnonzero(apart <= 1.01 * reach + 1e-9)
    slope = np.where(np.abs(direction) < 1e-12, 1e-12, direction)
    low = (to_centre[near] - half[near]) / slope
    high = (to_centre[near] + half[near]) / slope
    enter = np.minimum(low, high).max(axis=1)
    leave = np.maximum(low, high).min(axis=1)
    hit = (enter <= leave) & (leave > 0)
    result = np.full(len(centres), np.inf)
    result[near[hit]] = np.maximum(enter[hit], 0.0)
    return result


def ray_balls(
    origin: Floats, direction: Floats, centres: Floats, radii: Floats
) -> Floats:
    """Distance along a ray of unit direction to n balls, shape (n,); inf if missed."""
    to_centre = centres - origin
    along = to_centre @ direction
    apart = (to_centre**2).sum(axis=1) - along**2
    hit = (apart <= radii**2) & (along > 0)
    depth = np.sqrt(np.maximum(radii**2 - apart, 0))
    return np.where(hit, along - depth, np.inf)


def ray_polygons(origin: Floats, direction: Floats, outlines: Floats) -> Floats:
    """Distance along a ray to convex polygons; inf where it misses.

    Parameters
    ----------
    origin, direction : float64, shape (3,)
    outlines : float64, shape (n, corners, 3)
        Corners in order; repeated ones do no harm.
    """
    centre = outlines.mean(axis=1)
    first, second = outlines[:, 0] - centre, outlines[:, 1] - centre
    normal = np.cross(first, second)
    speed = normal @ direction
    speed = np.where(np.abs(speed) < 1e-12, 1e-12, speed)
    far = ((centre - origin) * normal).sum(axis=1) / speed
    # only what lies near the ray is looked at corner by corner
    local = origin + far[:, None] * direction - centre
    reach = ((outlines - centre[:, None]) ** 2).sum(axis=2).max(initial=0.0)
    close = (local**2).sum(axis=1) <= POLYGON_ENLARGEMENT**2 * reach
    near = np.flatnonzero(close & (far > 0))
    result = np.full(len(outlines), np.inf)
    corners = outlines[near] - centre[near, None]
    corners = corners * POLYGON_ENLARGEMENT
    sides = np.roll(corners, -1, axis=1) - corners
    to = local[near, None] - corners
    turned = (np.cross(sides, to) * normal[near, None]).sum(axis=2)
    inside = (turned >= -1e-9).all(axis=1)
    result[near[inside]] = far[near[inside]]
    return result


def pixels_to_segments(x: float, y: float, ends: Floats) -> Floats:
    """Distance in pixels from a pixel to lines on the screen.

    Parameters
    ----------
    x, y
        The pixel.
    ends : float64, shape (n, 2, 2)
        Ends of the lines in pixels.
    """
    start = ends[:, 0]
    way = ends[:, 1] - start
    to = np.array([x, y]) - start
    length = np.maximum((way**2).sum(axis=1), 1e-12)
    share = np.clip((to * way).sum(axis=1) / length, 0, 1)
    return np.asarray(np.linalg.norm(to - share[:, None] * way, axis=1))


CIRCLE_ANGLES = np.linspace(0, 2 * np.pi, 49)[:-1]
CUBE_CORNERS = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])


def index_in_sorted(ascending: Ints, value: int) -> int | None:
    """Index of a value in an ascending array, None if it is not there."""
    at = int(np.searchsorted(ascending, value))
    return at if at < len(ascending) and ascending[at] == value else None


def convex_hull(points: Floats) -> Floats:
    """Convex hull of (n, 2) points in order around it (monotone chain, Andrew 1979)."""
    ordered = sorted(map(tuple, points))
    rims: list[list[tuple[float, ...]]] = []
    for sweep in (ordered, ordered[::-1]):
        rim: list[tuple[float, ...]] = []
        for x, y in sweep:
            while len(rim) > 1:
                (ax, ay), (bx, by) = rim[-2], rim[-1]
                if (bx - ax) * (y - ay) - (by - ay) * (x - ax) > 1e-9:
                    break
                rim.pop()
            rim.append((x, y))
        rims.append(rim[:-1])
    return np.array(rims[0] + rims[1])


def glyph_outlines(
    places: Floats, half: Floats, pose: Pose, size: tuple[float, float], *, boxes: bool
) -> list[Floats]:
    """Find the rims of glyphs.

    Parameters
    ----------
    places, half : float64, shape (n, 3)
        Their centres, and half of their extents.
    pose, size
        The camera, and pixels of the view.
    boxes
        Whether they are boxes; else they are balls.

    Returns
    -------
    list of float64, shape (k, 2)
        Pixels, in order around each.
    """
    if boxes:
        corners = places[:, None] + CUBE_CORNERS * half[:, None]
        seen = project(pose, corners.reshape(-1, 3), size)
        return [convex_hull(each) for each in seen.reshape(len(places), -1, 2)]
    centres = project(pose, places, size)
    reach = pixels_per_unit(pose, places, size[1]) * half[:, 0]
    around = np.stack([np.cos(CIRCLE_ANGLES), np.sin(CIRCLE_ANGLES)], axis=1)
    return list(centres[:, None] + np.maximum(reach, 2.0)[:, None, None] * around)
