"""Places on lines, circles, discs, cones and spheres; cells of a geodesic sphere."""

import math
from typing import NamedTuple

import numpy as np

from topoview.model import Floats, Indices, Ints
from topoview.topology.kinds.sphere import geodesic_mesh

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


TREE_ASPECT = 2.2
"""Width of a flat tree, of its height: about that of the scene."""


def tidy_tree(places: Indices, edges: Indices) -> Floats:
    """Lay a tree in an upright plane, its root at the top.

    Subtrees are as near to each other as vertices of a level can be that are to be 1
    apart; a parent stands above the middle of its children (Reingold and Tilford,
    1981).

    Parameters
    ----------
    places : int32, shape (n, 2)
        Level of each vertex, and its number in the level.
    edges : int32, shape (n - 1, 2)
        Pairs of vertices, the parent first.

    Returns
    -------
    float64, shape (n, 3)
        x to the right, z up.
    """
    n, level = len(places), places[:, 0].astype(np.int64)
    children: list[list[int]] = [[] for _ in range(n)]
    for parent, child in edges[np.argsort(edges[:, 1], kind="stable")].tolist():
        children[parent].append(child)
    shift = np.zeros(n)
    rims: list[tuple[Floats, Floats]] = [(np.zeros(1), np.zeros(1))] * n
    for vertex in np.argsort(-level, kind="stable").tolist():
        if children[vertex]:
            rims[vertex] = _side_by_side(children[vertex], rims, shift)
        for child in children[vertex]:
            rims[child] = np.zeros(0), np.zeros(0)
    across = np.zeros(n)
    for vertex in np.argsort(level, kind="stable").tolist():
        for child in children[vertex]:
            across[child] = across[vertex] + shift[child]
    pitch = max(1.0, float(np.ptp(across)) / TREE_ASPECT / max(int(level.max()), 1))
    return np.stack([across, np.zeros(n), -pitch * level], 1)


def _side_by_side(
    children: list[int], rims: list[tuple[Floats, Floats]], shift: Floats
) -> tuple[Floats, Floats]:
    """Put subtrees beside each other; leftmost and rightmost place at each level.

    Their parent is at 0; `shift` is told where each child stands then.
    """
    left, right = rims[children[0]]
    at = [0.0]
    for child in children[1:]:
        own_left, own_right = rims[child]
        both = min(len(right), len(own_left))
        at.append(float((right[:both] - own_left[:both]).max()) + 1)
        left = np.append(left, own_left[len(left) :] + at[-1])
        right = np.append(own_right + at[-1], right[len(own_right) :])
    middle = (at[0] + at[-1]) / 2
    shift[children] = np.array(at) - middle
    return np.append(0.0, left - middle), np.append(0.0, right - middle)


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


# What each rank of a geodesic sphere covers: a triangle, or a hexagon or pentagon.

FACE_HEIGHT = 0.9106
"""Height of a face of the icosahedron in the unit sphere."""


class SphereCells(NamedTuple):
    """The cells of a sphere.

    `places` (n, 3) are their middles, `corners` (n, k, 3) counter-clockwise as
    seen from outside; pentagons among hexagons repeat their last one.
    """

    places: Floats
    corners: Floats
    radius: float


def sphere_cells(n: int) -> SphereCells:
    """Cells of the geodesic sphere with `n` of them, neighbours about 1 apart."""
    if n % 20 == 0:
        points, faces = geodesic_mesh(math.isqrt(n // 20))
        points = _unit(points)
        corners = points[_outward(points, faces)]
    else:
        points, faces = geodesic_mesh(math.isqrt((n - 2) // 10))
        corners = _duals(_unit(points), faces)
    places = _unit(corners.mean(axis=1)) if n % 20 == 0 else _unit(points)
    apart = 3.81 / math.sqrt(n) if n % 20 else math.sqrt(4 * math.pi / n * 0.77)
    radius = 1 / apart
    return SphereCells(places * radius, corners * radius, radius)


def cells_within(corners: Floats) -> SphereCells:
    """Cells with such corners on or above the unit sphere (n, k, 3), about 1 wide."""
    radius = math.sqrt(len(corners) / (4 * math.pi))
    above = np.linalg.norm(corners[:, 0], axis=1, keepdims=True)
    places = _unit(corners.mean(axis=1)) * above
    return SphereCells(places * radius, corners * radius, radius)


def triangle_order(f: int) -> Ints:
    """Triangles of a sphere in an order in which most touch the one before.

    Face after face of the icosahedron, from the top round and down; in each row
    after row.
    """
    points, faces = geodesic_mesh(f)
    middles = points[faces].mean(axis=1)
    parts = len(faces) // 20
    face = np.arange(len(faces)) // parts
    centres = _unit(middles.reshape(20, parts, 3).mean(axis=1))
    band = np.round(centres[:, 2], 3)
    turn = np.round(np.arctan2(centres[:, 1], centres[:, 0]), 3)
    rank_of_face = np.empty(20, np.int64)
    rank_of_face[np.lexsort((turn, -band))] = np.arange(20)
    corner = points[faces.reshape(20, parts, 3)[:, 0, 0]]
    ahead = points[faces.reshape(20, -1)]
    side = ahead[np.arange(20), _furthest(corner, ahead)] - corner
    side /= np.linalg.norm(side, axis=1, keepdims=True)
    local = middles - corner[face]
    along = (local * side[face]).sum(axis=1)
    across = np.linalg.norm(local - along[:, None] * side[face], axis=1)
    height = FACE_HEIGHT / f
    row = np.floor(across / height).astype(np.int64)
    along = np.where(row % 2 == 1, -along, along)
    return np.lexsort((along, row, rank_of_face[face])).astype(np.int64)


def _furthest(corner: Floats, points: Floats) -> Ints:
    return np.asarray(((points - corner[:, None]) ** 2).sum(axis=2).argmax(axis=1))


def _unit(points: Floats) -> Floats:
    return np.asarray(points / np.linalg.norm(points, axis=1, keepdims=True))


def _outward(points: Floats, faces: Ints) -> Ints:
    """Order the corners of triangles counter-clockwise as seen from outside."""
    a, b, c = (points[faces[:, k]] for k in range(3))
    inward = (np.cross(b - a, c - a) * a).sum(axis=1) < 0
    turned = faces.copy()
    turned[inward] = faces[inward][:, ::-1]
    return turned


def _duals(points: Floats, faces: Ints) -> Floats:
    """Cells around the points of a mesh: corners in the middles of its triangles."""
    n = len(points)
    owner = faces.ravel()
    middles = _unit(points[faces].mean(axis=1))
    corner = np.repeat(np.arange(len(faces)), 3)
    pole = np.where(np.abs(points[:, 2:]) < 0.9, [0.0, 0.0, 1.0], [1.0, 0.0, 0.0])
    east = _unit(np.cross(pole, points))
    north = np.cross(points, east)
    local = middles[corner]
    angle = np.arctan2(
        (local * north[owner]).sum(axis=1), (local * east[owner]).sum(axis=1)
    )
    order = np.lexsort((angle, owner))
    count = np.bincount(owner, minlength=n)
    start = np.cumsum(count) - count
    place = np.minimum(np.arange(int(count.max())), (count - 1)[:, None])
    return np.asarray(middles[corner[order]][start[:, None] + place])
