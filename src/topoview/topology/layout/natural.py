"""Layouts in the shape of a topology: one function each."""

import math
from dataclasses import replace

import numpy as np

from topoview.model import (
    CommunicationMatrix,
    Floats,
    Grid,
    Match,
    Topology,
    kept_with_source,
)
from topoview.topology.identification.traffic import pair_traffic
from topoview.topology.kinds.complete import complete
from topoview.topology.kinds.composite import factor_match
from topoview.topology.kinds.folded import folded_places
from topoview.topology.kinds.mesh import mesh_places
from topoview.topology.kinds.sphere import cell_corners, panel_corners
from topoview.topology.layout import LAYOUTS, curves
from topoview.topology.layout.choice import MOST_ON_SURFACE, wrapping
from topoview.topology.layout.curves import cells_within, sphere_cells
from topoview.topology.layout.free import depth_of_line
from topoview.topology.layout.grid import (
    LayoutRequest,
    PlacedRanks,
    block_axes,
    on_ring,
    on_torus,
    on_tube,
    row_major,
    separable,
)
from topoview.topology.layout.planes import one_plane
from topoview.topology.layout.spectral import spread
from topoview.topology.library import layouts_of

MAX_ON_STAR_CIRCLE = 128
"""Most ranks of a star whose workers stand on one circle."""

MAX_BELOW_HIGH_MASTER = 18
"""Most ranks of a star whose master stands high above them: it would hide some."""


def _of_vertices(match: Match, places: Floats) -> Floats:
    """Places of the ranks from places of the vertices."""
    result = np.full((len(match.vertex), 3), np.nan)
    present = match.vertex >= 0
    result[present] = places[match.vertex[present]]
    return result


def _flat(places: Floats) -> Floats:
    return np.column_stack([places, np.zeros(len(places))])


def line(request: LayoutRequest) -> PlacedRanks:
    """Place ranks in a line, or in a ribbon if they are many."""
    match, n = request.match, request.match.topology.vertices
    deep = depth_of_line(n)
    if deep > 1:
        dims: tuple[int, ...] = (deep, -(-n // deep))
        wraps: tuple[bool, ...] = (False, False)
        columns = row_major(np.maximum(match.vertex, 0).astype(np.int64), dims)
        columns[match.vertex < 0] = -1
    else:
        dims, wraps = (n,), match.topology.periodic[:1] or (False,)
        columns = match.vertex[:, None]
    axes = (0,) if deep == 1 else (1, 0)
    places, grid = separable(columns, dims, wraps, axes, request)
    return PlacedRanks("lattice", places, grid=grid)


def snake(request: LayoutRequest) -> PlacedRanks:
    """Fold a line back and forth."""
    places = _flat(curves.snake(request.match.topology.vertices))
    return PlacedRanks("lattice", _of_vertices(request.match, places))


def circle(request: LayoutRequest) -> PlacedRanks:
    """Place ranks on a circle."""
    match, n = request.match, request.match.topology.vertices
    column = np.stack([np.minimum(match.vertex, 0), match.vertex], axis=1)
    ring = on_ring(Grid(column, (1, n), (False, False)), request)
    grid = Grid(match.vertex[:, None], (n,), match.topology.periodic[:1] or (False,))
    return ring._replace(grid=grid)


def _blocks(request: LayoutRequest, axes: tuple[int, ...]) -> PlacedRanks:
    topology = request.match.topology
    dims = topology.dims
    periodic = topology.periodic if len(topology.periodic) == len(dims) else ()
    places, grid = separable(
        request.match.coordinates,
        dims,
        periodic or (False,) * len(dims),
        axes,
        request,
    )
    return PlacedRanks("lattice", places, grid=grid)


MOST_UPRIGHT = 1.25
"""Height of a plane, of its width, up to which it is not turned."""


def plane(request: LayoutRequest) -> PlacedRanks:
    """Place a lattice in the plane, dimensions in x and y in turn, the longer across.

    A view is wider than high; what is nearly square has x across. Very many ranks of
    two dims are cells of whole pixels, seen from above.
    """
    dims = request.match.topology.dims
    across, down = math.prod(dims[::2]), math.prod(dims[1::2])
    turned = down > MOST_UPRIGHT * across
    if len(dims) == 2 and math.prod(dims) > MOST_ON_SURFACE and not request.parted:
        return one_plane(request, (1, 0) if turned else (0, 1))
    return _blocks(request, tuple((d + turned) % 2 for d in range(len(dims))))


def grid(request: LayoutRequest) -> PlacedRanks:
    """Place a lattice in space, its longest axis across the view."""
    dims, fold = request.match.topology.dims, request.geometry.fold
    return _blocks(request, fold if len(fold) == len(dims) else block_axes(dims))


def _grid(match: Match) -> Grid:
    topology = match.topology
    return Grid(match.coordinates, topology.dims, topology.periodic)


def tube(request: LayoutRequest) -> PlacedRanks:
    """Bend a cylinder round."""
    return on_tube(_grid(request.match), wrapping(request.match)[0], request)


def torus(request: LayoutRequest) -> PlacedRanks:
    """Bend a 2D torus round twice."""
    return on_torus(_grid(request.match), wrapping(request.match)[0], request)


def star(request: LayoutRequest) -> PlacedRanks:
    """Place workers on a circle or a disc, their masters above."""
    n = request.match.topology.vertices
    masters = int((request.match.topology.coordinates[:, 0] == 0).sum())
    workers = n - masters
    below = (
        curves.circle(workers)
        if n <= MAX_ON_STAR_CIRCLE
        else 1.2 * curves.disc(workers)
    )
    radius = float(np.abs(below).max(initial=1.0))
    above = _flat(curves.circle(masters) if masters > 1 else np.zeros((1, 2)))
    few = n <= MAX_BELOW_HIGH_MASTER
    above[:, 2] = 0.6 * radius + 0.8 if few else max(1.0, 0.25 * radius)
    return PlacedRanks(
        "star", _of_vertices(request.match, np.vstack([above, _flat(below)]))
    )


def tree(request: LayoutRequest) -> PlacedRanks:
    """Place a tree in an upright plane."""
    topology = request.match.topology
    places = curves.tidy_tree(topology.coordinates, topology.edges)
    return PlacedRanks("graph", _of_vertices(request.match, places))


def cone(request: LayoutRequest) -> PlacedRanks:
    """Place a tree on a cone."""
    places = curves.cone(
        request.match.topology.coordinates, request.match.topology.edges
    )
    return PlacedRanks("graph", _of_vertices(request.match, places))


def table(request: LayoutRequest) -> PlacedRanks:
    """Place rows and columns, blocks within blocks."""
    dims = request.match.topology.dims
    axes = [d % 2 for d in range(len(dims))]
    flat = (False,) * len(dims)
    places, grid = separable(request.match.coordinates, dims, flat, axes, request)
    wide = replace(grid, tables=tuple(1.5 * table for table in grid.tables))
    return PlacedRanks("graph", 1.5 * places, grid=wide)


def sphere(request: LayoutRequest) -> PlacedRanks:
    """Place ranks evenly on a sphere."""
    places = curves.sphere(request.match.topology.vertices)
    return PlacedRanks("graph", _of_vertices(request.match, places))


def globe(request: LayoutRequest) -> PlacedRanks:
    """Place ranks on the cells of a geodesic or cubed sphere, or of two panels."""
    match, topology = request.match, request.match.topology
    corners_of = {"cubed sphere": cell_corners, "yin-yang": panel_corners}
    if topology.kind in corners_of:
        cells = cells_within(corners_of[topology.kind](*topology.dims[1:]))
    else:
        cells = sphere_cells(topology.vertices)
    places = _of_vertices(match, cells.places)
    corners = np.full((len(places), *cells.corners.shape[1:]), np.nan)
    present = match.vertex >= 0
    corners[present] = cells.corners[match.vertex[present]]
    normals = places / np.linalg.norm(places, axis=1, keepdims=True)
    return PlacedRanks("sphere", places, normals, corners=corners, cells=cells.corners)


def folded(request: LayoutRequest) -> PlacedRanks:
    """Place a folded grid on a sack that is sewn up in the north."""
    return PlacedRanks(
        "graph", _of_vertices(request.match, folded_places(request.match.topology))
    )


def groups(request: LayoutRequest) -> PlacedRanks:
    """Place groups on circles: beyond leaders that stand around, above others."""
    topology = request.match.topology
    size, count = topology.dims
    joined = topology.factors[1] if len(topology.factors) > 1 else complete(count)
    outer = _within(joined, request.matrix)
    outer = outer - (outer.min(axis=0) + outer.max(axis=0)) / 2
    member, group = topology.coordinates.T
    width = 2 * curves.radius_of(size)
    outer *= 1.5 + width
    around = joined.kind == "complete" or len(joined.dims) == 1
    if around and np.ptp(outer[:, 2]) == 0:
        places = _turned_out(outer, size)[group, member]
    else:
        above = np.zeros((size, 3))
        above[1:] = _flat(curves.circle(size - 1))
        above[1:, 2] = 1.0
        places = outer[group] + above[member]
    return PlacedRanks("graph", _of_vertices(request.match, places))


def _turned_out(middles: Floats, size: int) -> Floats:
    """Circles around middles in the plane, their first places inmost: (n, size, 3)."""
    circle = curves.circle(size)
    length = np.linalg.norm(middles, axis=1, keepdims=True)
    outward = np.divide(
        middles, length, out=np.tile([0.0, 1.0, 0.0], (len(middles), 1)),
        where=length > 0,
    )  # fmt: skip
    aside = np.stack([outward[:, 1], -outward[:, 0], outward[:, 2]], 1)
    turned: Floats = (
        middles[:, None]
        - circle[:, 1][None, :, None] * outward[:, None]
        + circle[:, 0][None, :, None] * aside[:, None]
    )
    return turned


def mesh(request: LayoutRequest) -> PlacedRanks:
    """Place a mesh of hexagons or triangles in the plane."""
    places = _flat(mesh_places(request.match.topology))
    return PlacedRanks("graph", _of_vertices(request.match, places))


def nested(request: LayoutRequest) -> PlacedRanks:
    """Each factor in its own layout, on blocks laid out as the next one is."""
    topology = request.match.topology
    vertex = np.arange(topology.vertices)
    inner = _within(topology.factors[0], request.matrix)
    if topology.kind == "copies":
        n = len(inner)
        copy = topology.coordinates[:, -1]
        order = np.argsort(copy, kind="stable")
        places = np.empty((topology.vertices, 3))
        size = np.ptp(inner, axis=0) + 2
        places[order] = np.tile(inner, (len(order) // n, 1))
        places += (_flat(curves.rows(len(order) // n)) * size)[copy]
        return PlacedRanks("graph", _of_vertices(request.match, places))
    places, stride = inner[vertex % len(inner)], len(inner)
    for factor in topology.factors[1:]:
        outer = _within(factor, request.matrix)
        size = float(np.ptp(places, axis=0).max()) + 2
        places = places + size * outer[vertex // stride % len(outer)]
        stride *= len(outer)
    return PlacedRanks("graph", _of_vertices(request.match, places))


def _within(factor: Topology, matrix: CommunicationMatrix) -> Floats:
    match = factor_match(factor)
    offered = [n for n in layouts_of(match) if n != "spectral"]
    chosen = offered[0] if offered else "circle"
    return np.asarray(
        LAYOUTS[chosen].place(LayoutRequest(match, matrix), free=False).places,
        np.float64,
    )


def spectral(request: LayoutRequest) -> PlacedRanks:
    """Place ranks by the graph itself: where the pipeline has put them, if it has."""
    places = request.spectral
    return PlacedRanks(
        "graph", spectral_places(request.matrix) if places is None else places
    )


@kept_with_source()
def spectral_places(matrix: CommunicationMatrix) -> Floats:
    """Place ranks by the graph itself (`spread`).

    Returns
    -------
    float64, shape (ranks, 3)
        NaN for ranks that send and receive nothing.
    """
    traffic = pair_traffic(matrix)
    places = np.full((matrix.ranks, 3), np.nan)
    places[traffic.members] = spread(traffic.graph)
    return places


def ranks(request: LayoutRequest) -> PlacedRanks:
    """Place ranks in rows, in their order."""
    n = request.matrix.ranks
    width = min(request.geometry.width or curves.row_width(n), max(n, 1))
    dims = (width, max(-(-n // width), 1))
    coordinates = row_major(np.arange(n), dims)
    places, grid = separable(coordinates, dims, (False, False), (0, 1), request)
    return PlacedRanks("lattice", places, grid=grid)
