"""Cubed spheres: the six faces of a cube, each a grid, blown up to a sphere.

As global models of atmosphere use it (Sadourny, 1972, "Conservative finite-difference
approximations of the primitive equations on quasi-uniform spherical grids", Mon.
Weather Rev. 100). A rank is a cell of a face; each has a neighbour on all four sides,
and at the cube's corners three cells are neighbours of each other. Faces are numbered
and turned as in FV3 (Putman, Lin, 2007, "Finite-volume transport on various
cubed-sphere grids", J. Comput. Phys. 227): what is north of an odd face, or east of an
even one, lies two faces on.
"""

import math
from collections.abc import Iterator

import numpy as np

from topoview.model import Floats, Ints, Match, Topology
from topoview.topology.direction_names import CompassDirections
from topoview.topology.graph.graph import Graph, unique_edges
from topoview.topology.members import Member

FACES = (
    ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    ((0, 1, 0), (-1, 0, 0), (0, 0, 1)),
    ((0, 0, 1), (-1, 0, 0), (0, -1, 0)),
    ((-1, 0, 0), (0, 0, -1), (0, -1, 0)),
    ((0, -1, 0), (0, 0, -1), (1, 0, 0)),
    ((0, 0, -1), (0, 1, 0), (1, 0, 0)),
)
"""Where each face looks in space, and where east and north are on it."""


def cubed_sphere(f: int) -> Topology:
    """Make the sphere of six faces of `f` x `f` cells, `f` from 2 on.

    Vertices are numbered face by face, and on each eastward, row by row from the
    south. Their coordinates are the face, and the column and the row, which is
    counted from the north as everywhere.
    """
    n = 6 * f * f
    face, row, column = np.unravel_index(np.arange(n), (6, f, f))
    places = np.stack([face, column, f - 1 - row], 1).astype(np.int32)
    ends = _neighbours(f)
    edges = unique_edges(n, np.repeat(np.arange(n), 4), ends.ravel())
    name = f"cubed sphere 6x{f}x{f}"
    return Topology("cubed sphere", name, (6, f, f), (), (), edges, places)


def _neighbours(f: int) -> Ints:
    """Vertices to the east, west, south and north of each: int64, shape (n, 4)."""
    normal, east, north = (np.array(vectors) for vectors in zip(*FACES, strict=True))
    face, row, column = np.unravel_index(np.arange(6 * f * f), (6, f, f))
    # middles of cells in halves of their width, the cube from -f to f
    right, up = (2 * at - (f - 1) for at in (column, row))
    middle = f * normal[face] + right[:, None] * east[face] + up[:, None] * north[face]
    ends = []
    for step in (east, -east, -north, north):
        there = middle + 2 * step[face]
        over = (there * step[face]).sum(axis=1) > f - 1
        # beyond an edge lies the outermost row of the face in that direction
        around = there - step[face] - normal[face]
        ends.append(np.where(over[:, None], around, there))
    codes = (np.stack(ends, 1) + f) @ (2 * f + 1) ** np.arange(3)
    own = (middle + f) @ (2 * f + 1) ** np.arange(3)
    order = np.argsort(own)
    found: Ints = order[np.searchsorted(own, codes, sorter=order)]
    return found


def cubed_spheres(n: int) -> Iterator[Member]:
    """List the sphere of `n` vertices, if there is one."""
    f = math.isqrt(n // 6)
    if f > 1 and 6 * f * f == n:
        name = f"cubed sphere 6x{f}x{f}"
        yield Member("cubed sphere", name, {4: n}, lambda: cubed_sphere(f))


def at_corners(graph: Graph) -> Ints:
    """Colour the vertices that lie in a triangle: int64, shape (n,)."""
    found = np.zeros(graph.n, np.int64)
    found[graph.edges[graph.triangles > 0]] = 1
    return found


def cell_corners(f: int) -> Floats:
    """Corners of all cells on the unit sphere, counter-clockwise: (n, 4, 3).

    Cells are about as wide everywhere: lines on a face lie at equal angles.
    """
    normal, east, north = (
        np.array(vectors, float) for vectors in zip(*FACES, strict=True)
    )
    at = np.tan(np.pi / 4 * (2 * np.arange(f + 1) / f - 1))
    face, row, column = np.unravel_index(np.arange(6 * f * f), (6, f, f))
    corners = np.stack(
        [
            normal[face]
            + at[column + right, None] * east[face]
            + at[row + up, None] * north[face]
            for right, up in ((0, 0), (1, 0), (1, 1), (0, 1))
        ],
        1,
    )
    found: Floats = corners / np.linalg.norm(corners, axis=2, keepdims=True)
    return found


def cubed_directions(match: Match) -> CompassDirections:
    """Name EAST, WEST, SOUTH and NORTH on each face; else face, column and row."""
    ends = _neighbours(match.topology.dims[1])
    return CompassDirections(match, ends, ("face", "column", "row"))
