"""Spheres: an icosahedron whose faces are cut into triangles, a cube blown up.

Each edge of the icosahedron is cut in f; a rank is a triangle (20 f^2 ranks, three
neighbours each) or a vertex (10 f^2 + 2 ranks, six neighbours, five at twelve of
them). As global atmosphere models use it (Sadourny, Arakawa, Mintz, 1968,
"Integration of the nondivergent barotropic vorticity equation with an
icosahedral-hexagonal grid for the sphere", Mon. Weather Rev. 96).
"""

import functools
import math
from collections import Counter
from collections.abc import Iterator
from itertools import combinations

import numpy as np

from topoview.model import Floats, Indices, Ints, Match, Topology, distinct
from topoview.topology.direction_names import CompassDirections
from topoview.topology.graph.graph import Graph, adjacency, unique_edges
from topoview.topology.lattices.lattice import divisors, lattice
from topoview.topology.members import Member

BALL_RADIUS = 3
"""Distance up to which vertices are counted to tell where the twelve corners are."""


def sphere_of_triangles(f: int) -> Topology:
    """Build the sphere on which a vertex is a triangle: 20 f^2 vertices."""
    _, faces = geodesic_mesh(f)
    n = len(faces)
    sides = np.sort(np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, ::2]]))
    keys = sides[:, 0] * (3 * n) + sides[:, 1]
    order = np.argsort(keys, kind="stable")
    pairs = order.reshape(-1, 2) % n  # each side is that of two faces
    edges = unique_edges(n, pairs[:, 0], pairs[:, 1])
    return _sphere(n, edges)


def sphere_of_vertices(f: int) -> Topology:
    """Build the sphere on which a vertex is one of the mesh: 10 f^2 + 2 vertices."""
    points, faces = geodesic_mesh(f)
    n = len(points)
    u = np.concatenate([faces[:, 0], faces[:, 1], faces[:, 2]])
    v = np.concatenate([faces[:, 1], faces[:, 2], faces[:, 0]])
    return _sphere(n, unique_edges(n, u, v))


def _sphere(n: int, edges: Indices) -> Topology:
    number = np.arange(n, dtype=np.int32)[:, None]
    return Topology(
        kind="sphere", name=f"geodesic sphere {n}", edges=edges, coordinates=number
    )


def spheres(n: int) -> Iterator[Member]:
    """List the sphere of `n` vertices, if there is one; from 20 ranks on."""
    name = f"geodesic sphere {n}"
    f = math.isqrt(n // 20)
    if f > 0 and 20 * f * f == n:
        made = functools.partial(sphere_of_triangles, f)
        yield Member("sphere", name, {3: n}, made)
    f = math.isqrt(max(n - 2, 0) // 10)
    if f > 0 and 10 * f * f + 2 == n:
        degrees = {5: 12, 6: n - 12} if f > 1 else {5: 12}
        made = functools.partial(sphere_of_vertices, f)
        yield Member("sphere", name, degrees, made)


def ball_sizes(graph: Graph) -> Ints:
    """Colour vertices by how many others are near: int64, shape (n,).

    The twelve corners of the icosahedron are seen from around them; refinement
    carries that on.
    """
    from scipy.sparse import eye_array  # loads long, and few graphs come here

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


# Cubed spheres: the six faces of a cube, each a grid, blown up to a sphere.
#
# As global models of atmosphere use it (Sadourny, 1972, "Conservative finite-difference
# approximations of the primitive equations on quasi-uniform spherical grids", Mon.
# Weather Rev. 100). A rank is a cell of a face; each has a neighbour on all four sides,
# and at the cube's corners three cells are neighbours of each other. Faces are numbered
# and turned as in FV3 (Putman, Lin, 2007, "Finite-volume transport on various
# cubed-sphere grids", J. Comput. Phys. 227): what is north of an odd face, or east of
# an even one, lies two faces on.

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
    """Build the sphere of six faces of as many columns and rows of cells.

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
    cell, _, beyond = _beside(columns, rows)
    edges = unique_edges(n, cell, beyond)
    name = _name(columns, rows)
    dims = (6, columns, rows)
    return Topology(
        kind="cubed sphere", name=name, dims=dims, edges=edges, coordinates=places
    )


def _name(columns: int, rows: int) -> str:
    return f"cubed sphere 6x{columns}x{rows}"


def _beside(columns: int, rows: int) -> tuple[Ints, Ints, Ints]:
    """List cells, a side of each (east, west, south, north), and the cell beyond it.

    A side has several neighbours where an edge of the cube has more cells beyond it.
    """
    number = np.arange(6 * columns * rows).reshape(6, rows, columns)
    west, east = number[:, :, :-1], number[:, :, 1:]
    south, north = number[:, :-1], number[:, 1:]
    within = [(west, east), (east, west), (north, south), (south, north)]
    rims = _rims(number)
    parts = [
        (cell.ravel(), np.full(cell.size, side), beyond.ravel())
        for pairs in (within, rims)
        for side, (cell, beyond) in enumerate(pairs)
    ]
    cells, sides, all_beyond = map(np.concatenate, zip(*parts, strict=True))
    return cells, sides, all_beyond


def _rims(number: Ints) -> list[tuple[Ints, Ints]]:
    """Cells along the four sides of all faces, and those beyond: (6, squares) each."""
    _, rows, columns = number.shape
    # squares of which both columns and rows are made
    f = math.lcm(columns, rows)
    normal, east, north = (np.array(vectors) for vectors in zip(*FACES, strict=True))
    at, last = np.arange(f), np.full(f, f - 1)
    # middles of squares in halves of their width, the cube from -f to f
    along = (2 * at - (f - 1))[:, None]
    result = []
    for step, side, column, row in (
        (east, north, last, at),
        (-east, north, 0 * at, at),
        (-north, east, at, 0 * at),
        (north, east, at, last),
    ):
        # beyond an edge lies the outermost row of the face in that direction
        face = (normal @ step.T).argmax(axis=0)[:, None]
        there = ((f - 1) * normal + f * step)[:, None] + along * side[:, None]
        right, up = (
            ((there * axis[face]).sum(axis=-1) + f - 1) // 2 for axis in (east, north)
        )
        beyond = number[face, up * rows // f, right * columns // f]
        result.append((number[:, row * rows // f, column * columns // f], beyond))
    return result


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
    result = np.zeros(graph.n, np.int64)
    result[graph.edges[graph.triangles > 0]] = 1
    return result


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
    result: Floats = corners / np.linalg.norm(corners, axis=2, keepdims=True)
    return result


def cubed_directions(match: Match) -> CompassDirections:
    """Name EAST, WEST, SOUTH and NORTH on each face; else face, column and row."""
    _, columns, rows = match.topology.dims
    cell, side, beyond = _beside(columns, rows)
    ends = np.full((match.topology.vertices, 4), -1, np.int64)
    taken, first = np.unique(4 * cell + side, return_index=True)
    ends.flat[taken] = beyond[first]
    return CompassDirections(match, ends, match.topology.axes)


# Yin-Yang grids: two latitude-longitude grids that overlap, neither with a pole.
#
# Each has three quarters of the equator and half of the latitudes; the second one is
# the first one turned over, and each takes its rim from cells of the other that it lies
# in (Kageyama, Sato, 2004, "Yin-Yang grid: an overset grid in spherical geometry",
# Geochem. Geophys. Geosyst. 5).

MAX_PANEL_ASPECT = 12
"""Columns of a panel for each of its rows, at most; cells are square with three."""

MIN_PANEL = 6
"""Cells of a panel at least: fewer are many small graphs."""

RIM_POINTS = 32
"""Points of a cell's side that are looked up in the other panel."""


def yin_yang(columns: int, rows: int) -> Topology:
    """Build two panels of so many columns and rows of cells, and what joins their rims.

    Vertices are numbered panel by panel, and on each eastward, row by row from the
    north. A cell on the rim is the neighbour of each cell of the other panel in which
    some of its outer side lies.
    """
    cells = columns * rows
    panel = lattice((columns, rows), (False, False))
    here, there = _across(columns, rows)
    across = np.stack([here, there + cells], 1)
    edges = np.concatenate([panel.edges, panel.edges + cells, across])
    number = np.repeat([0, 1], cells)
    places = np.column_stack([number, np.tile(panel.coordinates, (2, 1))])
    return Topology(
        kind="yin-yang",
        name=_panels_name(columns, rows),
        dims=(2, columns, rows),
        edges=unique_edges(2 * cells, *edges.T),
        coordinates=places.astype(np.int32),
    )


def _panels_name(columns: int, rows: int) -> str:
    return f"Yin-Yang grid 2x{columns}x{rows}"


def _across(columns: int, rows: int) -> tuple[Ints, Ints]:
    """List the pairs of a cell of the first panel and one of the second that meet."""
    along = (np.arange(RIM_POINTS) + 0.5) / RIM_POINTS
    across, down = np.arange(columns), np.arange(rows)
    here, points = [], []
    for cell, east, south in (
        (columns * down, 0, (down[:, None] + along) / rows),
        (columns * down + columns - 1, 1, (down[:, None] + along) / rows),
        (across, (across[:, None] + along) / columns, 0),
        (across + columns * (rows - 1), (across[:, None] + along) / columns, 1),
    ):
        here.append(np.repeat(cell, RIM_POINTS))
        points.append(_of_panel(*np.broadcast_arrays(east, south)).reshape(-1, 3))
    x, y, z = np.concatenate(points).T
    # the other panel's own x, y and z are -x, z and y
    east = np.arctan2(z, -x) / (1.5 * np.pi) + 0.5
    south = np.arccos(np.clip(y, -1, 1)) / (0.5 * np.pi) - 0.5
    column = np.clip((east * columns).astype(np.int64), 0, columns - 1)
    row = np.clip((south * rows).astype(np.int64), 0, rows - 1)
    one, other = np.concatenate(here), column + columns * row
    cells = columns * rows  # what meets a rim of one panel meets that of the other so
    codes = distinct(np.concatenate([one * cells + other, other * cells + one]))
    return codes // cells, codes % cells


def _of_panel(east: Floats, south: Floats) -> Floats:
    """Points of the first panel, from 0 to 1 each way, on the unit sphere: (..., 3)."""
    longitude, colatitude = (east - 0.5) * 1.5 * np.pi, (south + 0.5) * 0.5 * np.pi
    ring = np.sin(colatitude)
    around = ring * np.cos(longitude), ring * np.sin(longitude)
    return np.stack([*around, np.cos(colatitude)], -1)


def yin_yangs(n: int) -> Iterator[Member]:
    """List those of `n` vertices."""
    for rows in divisors(n // 2) if n % 2 == 0 and n >= 2 * MIN_PANEL else []:
        columns = n // 2 // rows
        if rows <= columns <= MAX_PANEL_ASPECT * rows:
            yield Member(
                "yin-yang",
                _panels_name(columns, rows),
                _panel_degrees(columns, rows),
                functools.partial(yin_yang, columns, rows),
            )


def _panel_degrees(columns: int, rows: int) -> Counter[int]:
    """Count the vertices of each degree: four, but for those that meet a rim."""
    here, _ = _across(columns, rows)
    cell, beyond = np.unique(here, return_counts=True)
    row, column = np.divmod(cell, columns)
    missing = (
        (row == 0) * 1 + (row == rows - 1) + (column == 0) + (column == columns - 1)
    )
    degrees = Counter((4 + beyond - missing).tolist())
    degrees[4] += columns * rows - len(cell)
    return Counter({degree: 2 * count for degree, count in degrees.items() if count})


def panel_corners(columns: int, rows: int) -> Floats:
    """Corners of all cells of both panels, counter-clockwise: (n, 4, 3).

    The second panel lies above the first one.
    """
    row, column = np.divmod(np.arange(columns * rows), columns)
    sides = ((0, 1), (1, 1), (1, 0), (0, 0))
    first = np.stack(
        [_of_panel((column + x) / columns, (row + y) / rows) for x, y in sides], 1
    )
    second = PANEL_ABOVE * first[:, :, [0, 2, 1]] * (-1, 1, 1)
    return np.concatenate([first, second])


PANEL_ABOVE = 1.06
"""How much farther from the middle the second panel is drawn."""


def yin_yang_directions(match: Match) -> CompassDirections:
    """Name EAST, WEST, SOUTH and NORTH on each panel; else panel, column and row."""
    _, columns, rows = match.topology.dims
    _, column, row = match.topology.coordinates.T
    here = np.arange(len(column))
    steps = (
        (column < columns - 1, 1),
        (column > 0, -1),
        (row < rows - 1, columns),
        (row > 0, -columns),
    )
    ends = np.stack([np.where(inside, here + by, -1) for inside, by in steps], 1)
    return CompassDirections(match, ends, match.topology.axes)
