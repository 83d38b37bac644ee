"""Cubed spheres: the six faces of a cube, each a grid, blown up to a sphere.

As global models of atmosphere use it (Sadourny, 1972, "Conservative finite-difference
approximations of the primitive equations on quasi-uniform spherical grids", Mon.
Weather Rev. 100). A rank is a cell of a face; each has a neighbour on all four sides,
and at the cube's corners three cells are neighbours of each other. Faces are numbered
and turned as in FV3 (Putman, Lin, 2007, "Finite-volume transport on various
cubed-sphere grids", J. Comput. Phys. 227): what is north of an odd face, or east of an
even one, lies two faces on.
"""

import functools
import math
from collections import Counter
from collections.abc import Iterator

import numpy as np

from topoview.model import Floats, Ints, Match, Topology
from topoview.topology.direction_names import CompassDirections
from topoview.topology.graph.graph import Graph, unique_edges
from topoview.topology.lattices.lattice import divisors
from topoview.topology.members import Member

MAX_ASPECT = 4
"""Columns of a face for each of its rows, at most."""

FACES = (
    ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    ((0, 1, 0), (-1, 0, 0), (0, 0, 1)),
    ((0, 0, 1), (-1, 0, 0), (0, -1, 0)),
    ((-1, 0, 0), (0, 0, -1), (0, -1, 0)),
    ((0, -1, 0), (0, 0, -1), (1, 0, 0)),
    ((0, 0, -1), (0, 1, 0), (1, 0, 0)),
)
"""Where each face looks in space, and where east and north are on it."""


@functools.cache
def cubed_sphere(columns: int, rows: int = 0) -> Topology:
    """Make the sphere of six faces of as many columns and rows of cells.

    Vertices are numbered face by face, and on each eastward, row by row from the
    south. Their coordinates are the face, and the column and the row, which is
    counted from the north as everywhere. Where an edge of the cube has more cells on
    one side than on the other, all that touch are neighbours.

    Parameters
    ----------
    columns, rows
        Cells of a face; as many rows as columns if not given.
    """
    rows = rows or columns
    n = 6 * columns * rows
    face, row, column = np.unravel_index(np.arange(n), (6, rows, columns))
    places = np.stack([face, column, rows - 1 - row], 1).astype(np.int32)
    # on a face that is fine enough for both, cells are blocks
    cell, ends = _fine(columns, rows)
    edges = unique_edges(n, np.repeat(cell, 4), cell[ends].ravel())
    name = _name(columns, rows)
    dims = (6, columns, rows)
    return Topology("cubed sphere", name, dims, (), (), edges, places)


def _name(columns: int, rows: int) -> str:
    return f"cubed sphere 6x{columns}x{rows}"


def _fine(columns: int, rows: int) -> tuple[Ints, Ints]:
    """Cell of each of the finest squares on all faces, and their neighbours."""
    f = math.lcm(columns, rows)
    face, row, column = np.unravel_index(np.arange(6 * f * f), (6, f, f))
    cell: Ints = (face * rows + row * rows // f) * columns + column * columns // f
    return cell, _neighbours(f)


def _neighbours(f: int) -> Ints:
    """Squares east, west, south and north of each on faces of `f` x `f`: (n, 4)."""
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
    """List the spheres of `n` vertices: with as many columns as rows, or more."""
    cells, rest = divmod(n, 6)
    for rows in divisors(cells) if not rest and cells > 1 else []:
        columns = cells // rows
        if not rows <= columns <= MAX_ASPECT * rows:
            continue
        degrees = Counter({4: n})
        if columns > rows:
            made = cubed_sphere(columns, rows)
            degrees = Counter(np.bincount(made.edges.ravel(), minlength=n).tolist())
        yield Member(
            "cubed sphere",
            _name(columns, rows),
            degrees,
            lambda c=columns, r=rows: cubed_sphere(c, r),  # type: ignore[misc]
        )


def at_corners(graph: Graph) -> Ints:
    """Colour the vertices that lie in a triangle: int64, shape (n,)."""
    found = np.zeros(graph.n, np.int64)
    found[graph.edges[graph.triangles > 0]] = 1
    return found


def cell_corners(columns: int, rows: int) -> Floats:
    """Corners of all cells on the unit sphere, counter-clockwise: (n, 4, 3).

    Cells are about as wide everywhere: lines on a face lie at equal angles.
    """
    normal, east, north = (
        np.array(vectors, float) for vectors in zip(*FACES, strict=True)
    )
    x, y = (np.tan(np.pi / 4 * (2 * np.arange(f + 1) / f - 1)) for f in (columns, rows))
    n = 6 * columns * rows
    face, row, column = np.unravel_index(np.arange(n), (6, rows, columns))
    corners = np.stack(
        [
            normal[face]
            + x[column + right, None] * east[face]
            + y[row + up, None] * north[face]
            for right, up in ((0, 0), (1, 0), (1, 1), (0, 1))
        ],
        1,
    )
    found: Floats = corners / np.linalg.norm(corners, axis=2, keepdims=True)
    return found


def cubed_directions(match: Match) -> CompassDirections:
    """Name EAST, WEST, SOUTH and NORTH on each face; else face, column and row."""
    _, columns, rows = match.topology.dims
    cell, around = _fine(columns, rows)
    ends = np.full((match.topology.vertices, 4), -1, np.int64)
    for side in range(len(ends[0])):
        beyond = cell[around[:, side]]
        out = np.flatnonzero(beyond != cell)[::-1]  # the first square of a side last
        ends[cell[out], side] = beyond[out]
    return CompassDirections(match, ends, ("face", "column", "row"))
