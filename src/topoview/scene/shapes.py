"""Glyphs of a rank: rounded boxes and balls, as triangles with normals."""

import itertools
from dataclasses import dataclass
from functools import cache

import numpy as np

from topoview.model import Floats, Ints


@dataclass(frozen=True, slots=True, eq=False)
class Shape:
    """A closed surface around the origin.

    Attributes
    ----------
    points, normals : float64, shape (n, 3)
    triangles : int64, shape (m, 3)
        Counter-clockwise as seen from outside.
    half : float64, shape (3,)
        Half its extent along each axis.
    """

    points: Floats
    normals: Floats
    triangles: Ints
    half: Floats

    def scaled(self, x: float, y: float, z: float) -> "Shape":
        """Stretch it along the axes; normals stay, so that shading does."""
        by = np.array([x, y, z])
        return Shape(self.points * by, self.normals, self.triangles, self.half * by)


@cache
def rounded_box(bevel: float = 0.1) -> Shape:
    """Make a unit cube with bevelled edges: 24 vertices, 44 triangles.

    Each vertex has the normal of its face, so that the narrow bevels look
    round when normals are interpolated.
    """
    points: list[Floats] = []
    normals: list[Floats] = []
    number: dict[tuple[int, tuple[int, ...]], int] = {}
    for axis in range(3):
        for corner in itertools.product((-1, 1), repeat=3):
            place = np.array(corner) * (0.5 - bevel)
            place[axis] = corner[axis] * 0.5
            number[axis, corner] = len(points)
            points.append(place)
            normals.append(np.eye(3)[axis] * corner[axis])
    polygons: list[list[int]] = []
    for corner in itertools.product((-1, 1), repeat=3):
        polygons.append([number[axis, corner] for axis in range(3)])
    for axis in range(3):
        others = [k for k in range(3) if k != axis]
        for a, b in itertools.product((-1, 1), repeat=2):
            low, high = [0, 0, 0], [0, 0, 0]
            for corner_of, end in ((low, -1), (high, 1)):
                corner_of[axis], corner_of[others[0]], corner_of[others[1]] = end, a, b
            polygons.append(
                [
                    number[others[0], tuple(low)],
                    number[others[1], tuple(low)],
                    number[others[1], tuple(high)],
                    number[others[0], tuple(high)],
                ]
            )
        for side in (-1, 1):
            ring = []
            for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1)):
                corner_at = [0, 0, 0]
                corner_at[axis], corner_at[others[0]], corner_at[others[1]] = side, a, b
                ring.append(number[axis, tuple(corner_at)])
            polygons.append(ring)
    return _closed(np.array(points), np.array(normals), polygons, 0.5)


@cache
def ball(level: int) -> Shape:
    """Make a ball of diameter 1: an icosahedron whose faces are split in four.

    Level 1 has 80 triangles, level 2 has 320, level 3 has 1280.
    """
    golden = (1 + 5**0.5) / 2
    corners = [
        np.roll((0.0, a, b * golden), k)
        for k in range(3)
        for a, b in itertools.product((-1, 1), repeat=2)
    ]
    points = [corner / np.linalg.norm(corner) for corner in corners]
    edge = min(
        float(np.linalg.norm(p - q)) for p, q in itertools.combinations(points, 2)
    )
    near = {
        (i, j)
        for i, j in itertools.combinations(range(12), 2)
        if np.linalg.norm(points[i] - points[j]) < 1.1 * edge
    }
    faces = [
        [i, j, k]
        for i, j, k in itertools.combinations(range(12), 3)
        if {(i, j), (i, k), (j, k)} <= near
    ]
    for _ in range(level):
        faces = _split(points, faces)
    unit = np.array(points)
    return _closed(unit / 2, unit, faces, 0.5)


def _split(points: list[Floats], faces: list[list[int]]) -> list[list[int]]:
    """Split each face in four; adds the middles of the edges to the points."""
    middles: dict[tuple[int, int], int] = {}

    def middle(i: int, j: int) -> int:
        key = (min(i, j), max(i, j))
        if key not in middles:
            between = points[i] + points[j]
            middles[key] = len(points)
            points.append(between / np.linalg.norm(between))
        return middles[key]

    smaller = []
    for i, j, k in faces:
        a, b, c = middle(i, j), middle(j, k), middle(k, i)
        smaller += [[i, a, c], [a, j, b], [c, b, k], [a, b, c]]
    return smaller


def _closed(
    points: Floats, normals: Floats, polygons: list[list[int]], half: float
) -> Shape:
    """Cut convex polygons into triangles that face outwards."""
    triangles = np.array(
        [
            [polygon[0], second, third]
            for polygon in polygons
            for second, third in itertools.pairwise(polygon[1:])
        ],
        np.int64,
    )
    a, b, c = (points[corner] for corner in triangles.T)
    inward = np.sum(np.cross(b - a, c - a) * (a + b + c), axis=1) <= 0
    triangles[inward, 1:] = triangles[inward, :0:-1]
    return Shape(points, normals, triangles, np.full(3, half))
