"""Rims of ranks as they are seen, in pixels."""

import numpy as np

from topoview.model import Floats, Ints
from topoview.scene.camera import Pose, pixels_per_unit, project

ROUND = np.linspace(0, 2 * np.pi, 49)[:-1]
CORNERS = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])


def index_of(ascending: Ints, value: int) -> int | None:
    """Index of a value in an ascending array, None if it is not there."""
    at = int(np.searchsorted(ascending, value))
    return at if at < len(ascending) and ascending[at] == value else None


def hull(points: Floats) -> Floats:
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


def rims_of_boxes(
    places: Floats, half: Floats, pose: Pose, size: tuple[float, float]
) -> list[Floats]:
    """Rims of boxes at places, of half extents, both of shape (n, 3)."""
    corners = places[:, None] + CORNERS * half[:, None]
    seen = project(pose, corners.reshape(-1, 3), size)
    return [hull(each) for each in seen.reshape(len(places), -1, 2)]


def rims_of_balls(
    places: Floats, half: Floats, pose: Pose, size: tuple[float, float]
) -> list[Floats]:
    """Rims of balls, which are seen at least."""
    centres = project(pose, places, size)
    reach = pixels_per_unit(pose, places, size[1]) * half[:, 0]
    around = np.stack([np.cos(ROUND), np.sin(ROUND)], axis=1)
    return list(centres[:, None] + np.maximum(reach, 2.0)[:, None, None] * around)
