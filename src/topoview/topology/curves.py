"""Places on lines, circles, tubes, tori, spheres and nested boxes."""

import math
from collections.abc import Sequence

import numpy as np

from topoview.model import Floats, Indices

BLOCK_GAP = 1.0
"""Empty space between blocks of a lattice with more axes than space has."""


def radius_of(n: float) -> float:
    """Radius of a circle on which `n` places are 1 apart."""
    return 0.5 / math.sin(math.pi / n) if n > 2 else 0.5 if n == 2 else 0.0


def circle(n: int, start: float = math.pi / 2) -> Floats:
    """Places on a circle, clockwise on the page from its top: shape (n, 2)."""
    angle = start - 2 * np.pi * np.arange(n) / max(n, 1)
    places: Floats = radius_of(n) * np.stack([np.cos(angle), np.sin(angle)], 1)
    return places


def sphere(n: int) -> Floats:
    """Evenly spread places (n, 3) on a sphere, about 1 apart (Fibonacci lattice)."""
    index = np.arange(n) + 0.5
    z = 1 - 2 * index / n
    angle = np.pi * (3 - math.sqrt(5)) * index
    flat = np.sqrt(1 - z**2)
    unit = np.stack([flat * np.cos(angle), flat * np.sin(angle), z], 1)
    places: Floats = unit * math.sqrt(n / (4 * np.pi)) * 1.1
    return places


def disc(n: int) -> Floats:
    """Evenly spread places on a disc about 1 apart (Vogel, 1979): shape (n, 2)."""
    index = np.arange(n) + 1.5
    angle = np.pi * (3 - math.sqrt(5)) * index
    unit = np.stack([np.cos(angle), np.sin(angle)], 1)
    places: Floats = 0.6 * np.sqrt(index)[:, None] * unit
    return places


def rows(n: int) -> Floats:
    """Row by row down the page, about as wide as high or wider: shape (n, 2)."""
    width = row_width(n)
    index = np.arange(n)
    return np.stack([index % width, -(index // width)], 1).astype(np.float64)


def row_width(n: int) -> int:
    """Places in a row: those between 1 and 2.25 times as wide as high fill it best."""
    side = math.sqrt(max(n, 1))
    widths = range(math.ceil(side), math.floor(1.5 * side) + 1)
    wished = math.sqrt(1.5) * side
    return min(
        widths or (math.ceil(wished),),
        key=lambda width: (-n % width, abs(width - wished)),
    )


def snake(n: int) -> Floats:
    """Rows that run to and fro, so that neighbours stay neighbours: places (n, 3)."""
    places, width = rows(n), row_width(n)
    back = (np.arange(n) // width) % 2 == 1
    places[back, 0] = width - 1 - places[back, 0]
    return places


def nested(places: Indices, dims: Sequence[int], space: int) -> Floats:
    """Lay the axes of a lattice on `space` axes in turn, blocks within blocks.

    Returns
    -------
    float64, shape (n, 3)
        With y down the page, that is along -y.
    """
    laid = np.zeros((len(places), 3))
    pitch, extent = [1.0] * space, [0.0] * space
    for i, n in enumerate(dims):
        axis = i % space
        laid[:, axis] += pitch[axis] * places[:, i]
        extent[axis] += pitch[axis] * (n - 1)
        pitch[axis] = extent[axis] + 1 + BLOCK_GAP
    laid[:, 1] *= -1
    return laid


def cone(places: Indices, edges: Indices) -> Floats:
    """Lay a tree on a cone, its root at the top.

    A vertex stands in the middle of its sector, which its subtrees share by the
    square roots of their leaves; rows are far enough apart for 1 between
    neighbours in each, as long as the whole does not grow too wide.

    Parameters
    ----------
    places : int32, shape (n, 2)
        Level of each vertex, and its number in the level.
    edges : int32, shape (n - 1, 2)
        Pairs of vertices, the parent first.
    """
    n, level = len(places), places[:, 0].astype(np.int64)
    downward = edges[np.lexsort((edges[:, 1], level[edges[:, 1]]))].tolist()
    leaves = (np.bincount(edges[:, 0], minlength=n) == 0).astype(np.int64)
    for parent, child in reversed(downward):
        leaves[parent] += leaves[child]
    weight = np.sqrt(leaves)
    total = np.bincount(edges[:, 0], weight[edges[:, 1]], n)
    start, span, used = np.zeros(n), np.full(n, 2 * np.pi), np.zeros(n)
    for parent, child in downward:
        span[child] = span[parent] * weight[child] / total[parent]
        start[child] = start[parent] + used[parent]
        used[parent] += span[child]
    angle = start + span / 2
    pitch = 1.0
    for row in range(1, int(level.max()) + 1):
        around = np.sort(angle[level == row])
        gaps = np.diff(around, append=around[0] + 2 * np.pi)
        pitch = max(pitch, 1 / (row * float(gaps.min())))
    pitch = min(pitch, max(1.2, 2.2 * math.sqrt(n) / max(int(level.max()), 1)))
    radius = pitch * level
    return np.stack([radius * np.sin(angle), radius * np.cos(angle), -pitch * level], 1)
