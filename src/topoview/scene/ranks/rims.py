"""Rims of ranks as they are seen, in pixels."""

import numpy as np

from topoview.model import Floats, Ints

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
