"""What each rank of a geodesic sphere covers: a triangle, or a hexagon or pentagon."""

import math
from typing import NamedTuple

import numpy as np

from topoview.model import Floats, Ints
from topoview.topology.kinds.sphere import geodesic_mesh

HEIGHT = 0.9106
"""Height of a face of the icosahedron in the unit sphere."""


class Cells(NamedTuple):
    """The cells of a sphere.

    `places` (n, 3) are their middles, `corners` (n, k, 3) counter-clockwise as
    seen from outside; pentagons among hexagons repeat their last one.
    """

    places: Floats
    corners: Floats
    radius: float


def sphere_cells(n: int) -> Cells:
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
    return Cells(places * radius, corners * radius, radius)


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
    height = HEIGHT / f
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
