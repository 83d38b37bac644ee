"""Geodesic spheres: an icosahedron whose faces are cut into triangles.

Each edge of the icosahedron is cut in f; a rank is a triangle (20 f^2 ranks, three
neighbours each) or a vertex (10 f^2 + 2 ranks, six neighbours, five at twelve of
them). As global atmosphere models use it (Sadourny, Arakawa, Mintz, 1968,
"Integration of the nondivergent barotropic vorticity equation with an
icosahedral-hexagonal grid for the sphere", Mon. Weather Rev. 96).
"""

import math
from collections.abc import Iterator
from itertools import combinations

import numpy as np
from scipy.sparse import eye_array

from topoview.model import Floats, Indices, Ints, Topology, distinct
from topoview.topology.graph.graph import Graph, adjacency, unique_edges
from topoview.topology.members import Member

BALL_RADIUS = 3
"""Distance up to which vertices are counted to tell where the twelve corners are."""


def sphere_of_triangles(f: int) -> Topology:
    """Make the sphere on which a vertex is a triangle: 20 f^2 vertices."""
    _, faces = geodesic_mesh(f)
    n = len(faces)
    sides = np.sort(np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, ::2]]))
    keys = sides[:, 0] * (3 * n) + sides[:, 1]
    order = np.argsort(keys, kind="stable")
    pairs = order.reshape(-1, 2) % n  # each side is that of two faces
    edges = unique_edges(n, pairs[:, 0], pairs[:, 1])
    return _sphere(n, edges)


def sphere_of_vertices(f: int) -> Topology:
    """Make the sphere on which a vertex is one of the mesh: 10 f^2 + 2 vertices."""
    points, faces = geodesic_mesh(f)
    n = len(points)
    u = np.concatenate([faces[:, 0], faces[:, 1], faces[:, 2]])
    v = np.concatenate([faces[:, 1], faces[:, 2], faces[:, 0]])
    return _sphere(n, unique_edges(n, u, v))


def _sphere(n: int, edges: Indices) -> Topology:
    number = np.arange(n, dtype=np.int32)[:, None]
    return Topology("sphere", f"geodesic sphere {n}", (), (), (), edges, number)


def spheres(n: int) -> Iterator[Member]:
    """List the sphere of `n` vertices, if there is one; from 20 ranks on."""
    name = f"geodesic sphere {n}"
    f = math.isqrt(n // 20)
    if f > 0 and 20 * f * f == n:
        yield Member("sphere", name, {3: n}, lambda: sphere_of_triangles(f))
    f = math.isqrt(max(n - 2, 0) // 10)
    if f > 0 and 10 * f * f + 2 == n:
        degrees = {5: 12, 6: n - 12} if f > 1 else {5: 12}
        yield Member("sphere", name, degrees, lambda: sphere_of_vertices(f))


def ball_sizes(graph: Graph) -> Ints:
    """Colour vertices by how many others are near: int64, shape (n,).

    The twelve corners of the icosahedron are seen from around them; refinement
    carries that on.
    """
    near = adjacency(graph) + eye_array(graph.n, dtype=np.int64)
    ball, colours = near, np.zeros(graph.n, np.int64)
    for _ in range(BALL_RADIUS):
        colours = 1000 * colours + np.diff(ball.indptr)
        ball = ball @ near
    return colours


def geodesic_mesh(f: int) -> tuple[Floats, Ints]:
    """Points (n, 3) of the icosahedron's cut faces, on them; triangles (20 f^2, 3)."""
    corners, faces = _icosahedron()
    i, j = (a.ravel() for a in np.meshgrid(np.arange(f + 1), np.arange(f + 1)))
    inside = i + j <= f
    i, j = i[inside], j[inside]
    weights = np.stack([f - i - j, i, j], 1)
    index = np.full((f + 2, f + 2), -1, np.int64)
    index[i, j] = np.arange(len(i))
    up = np.stack([index[i, j], index[i + 1, j], index[i, j + 1]], 1)
    down = np.stack([index[i + 1, j + 1], index[i + 1, j], index[i, j + 1]], 1)
    parts = np.concatenate([up[i + j < f], down[i + j < f - 1]])
    # a point is known by its weights at the corners: shared ones are one
    many = len(weights)
    keys = np.zeros((20, many), np.int64)
    for c in range(3):
        share = np.where(weights[:, c] > 0, weights[:, c], 0)
        keys += np.where(share > 0, _word(faces[:, c][:, None], share[None], f), 0)
    unique = distinct(keys.ravel())
    number = np.searchsorted(unique, keys)
    points = np.zeros((len(unique), 3))
    points[number.ravel()] = (weights @ corners[faces]).reshape(-1, 3) / f
    triangles = number[:, parts].reshape(-1, 3)
    return points, triangles


def _word(corner: Ints, weight: Ints, f: int) -> Ints:
    # pairs (corner, weight) as numbers of which no two sums of up to three with
    # weights adding to f are equal: random ones, the same in every run
    table = np.random.default_rng(12).integers(1, 2**60, 12)
    return table[corner] % (2**61 // (f + 1)) * weight


def _icosahedron() -> tuple[Floats, Ints]:
    golden = (1 + math.sqrt(5)) / 2
    corners = np.array(
        [
            np.roll((0, a, b * golden), shift)
            for shift in range(3)
            for a in (-1, 1)
            for b in (-1, 1)
        ]
    )
    near = np.linalg.norm(corners[:, None] - corners, axis=2) < 2.1
    faces = [
        face for face in combinations(range(12), 3) if near[np.ix_(face, face)].all()
    ]
    return corners / np.linalg.norm(corners[0]), np.array(faces)
