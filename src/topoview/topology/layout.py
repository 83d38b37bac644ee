"""Where ranks are drawn: a table of layouts, and which serve a topology."""

from collections.abc import Callable

import numpy as np

from topoview.model import CommunicationMatrix, Floats, Layout, Match, Topology
from topoview.topology import curves
from topoview.topology.composite import factor_match
from topoview.topology.graph import graph_of
from topoview.topology.layout_choice import wrapping
from topoview.topology.library import layouts_of
from topoview.topology.mesh import mesh_places
from topoview.topology.spectral import spread
from topoview.topology.sphere import sphere_places
from topoview.topology.traffic import pair_traffic

STAR_MOST = 128
"""Most ranks of a star whose workers stand on one circle."""

STAR_FEW = 18
"""Most ranks of a star whose master stands high above them: it would hide some."""

Placed = tuple[str, Floats, Floats | None]
"""How the scene draws it, places of the ranks (NaN where it has none for one), and
their normals if it is curved."""


def layout_names(match: Match) -> tuple[str, ...]:
    """Names in `LAYOUTS` that make sense for a match, the natural one first."""
    names = layouts_of(match.topology.kind)(match)
    return tuple(dict.fromkeys((*names, "ranks")))


def lay_out(match: Match, matrix: CommunicationMatrix, name: str = "") -> Layout:
    """Place all ranks.

    Parameters
    ----------
    match
        The topology and each rank's vertex. Ranks that are not part of it stand
        in rows below.
    matrix
        Traffic, for layouts that follow it.
    name
        One of `layout_names`; the natural one if empty or not among them.

    Returns
    -------
    Layout
        Neighbours are about 1 apart, the centre is the origin.
    """
    offered = layout_names(match)
    chosen = name if name in offered else offered[0]
    shape, places, normals = LAYOUTS[chosen](match, matrix)
    places = _with_rest(places)
    if len(places):
        places = places - (places.min(axis=0) + places.max(axis=0)) / 2
    positions = places.astype(np.float32)
    if normals is None:
        return Layout(chosen, shape, positions)
    upward = np.where(np.isnan(normals), [0.0, 0.0, 1.0], normals)
    return Layout(chosen, shape, positions, upward.astype(np.float32))


def _with_rest(places: Floats) -> Floats:
    """Put ranks without a place in rows below the others."""
    rest = np.isnan(places[:, 0])
    if not rest.any():
        return places
    filled = places.copy()
    known = places[~rest]
    low = known.min(axis=0) if len(known) else np.zeros(3)
    corner = np.array([low[0], low[1] - 2, low[2]])
    filled[rest] = _flat(curves.rows(int(rest.sum()))) + corner
    return filled


def _of_vertices(match: Match, places: Floats) -> Floats:
    """Places of the ranks from places of the vertices."""
    found = np.full((len(match.vertex), 3), np.nan)
    present = match.vertex >= 0
    found[present] = places[match.vertex[present]]
    return found


def _flat(places: Floats) -> Floats:
    return np.column_stack([places, np.zeros(len(places))])


def _line(match: Match, matrix: CommunicationMatrix) -> Placed:
    del matrix
    n = match.topology.vertices
    places = np.column_stack([np.arange(n, dtype=np.float64), np.zeros((n, 2))])
    return "lattice", _of_vertices(match, places), None


def _snake(match: Match, matrix: CommunicationMatrix) -> Placed:
    del matrix
    places = _flat(curves.snake(match.topology.vertices))
    return "lattice", _of_vertices(match, places), None


def _circle(match: Match, matrix: CommunicationMatrix) -> Placed:
    del matrix
    places = _flat(curves.circle(match.topology.vertices))
    return "graph", _of_vertices(match, places), None


def _blocks(match: Match, space: int) -> Placed:
    topology = match.topology
    places = curves.nested(topology.coordinates, topology.dims, space)
    return "lattice", _of_vertices(match, places), None


def _plane(match: Match, matrix: CommunicationMatrix) -> Placed:
    del matrix
    return _blocks(match, 2)


def _grid(match: Match, matrix: CommunicationMatrix) -> Placed:
    del matrix
    return _blocks(match, 3)


def _tube(match: Match, matrix: CommunicationMatrix) -> Placed:
    del matrix
    around = wrapping(match)[0]
    n = match.topology.dims[around]
    columns = match.topology.coordinates
    places, normals = curves.tube(columns[:, 1 - around], columns[:, around], n)
    return "tube", _of_vertices(match, places), _of_vertices(match, normals)


def _torus(match: Match, matrix: CommunicationMatrix) -> Placed:
    del matrix
    minor, major = wrapping(match)
    dims, columns = match.topology.dims, match.topology.coordinates
    places, normals = curves.torus(
        columns[:, major], columns[:, minor], dims[major], dims[minor]
    )
    return "torus", _of_vertices(match, places), _of_vertices(match, normals)


def _star(match: Match, matrix: CommunicationMatrix) -> Placed:
    del matrix
    n = match.topology.vertices
    masters = int((match.topology.coordinates[:, 0] == 0).sum())
    workers = n - masters
    below = curves.circle(workers) if n <= STAR_MOST else 1.2 * curves.disc(workers)
    radius = float(np.abs(below).max(initial=1.0))
    above = _flat(curves.circle(masters) if masters > 1 else np.zeros((1, 2)))
    few = n <= STAR_FEW
    above[:, 2] = 0.6 * radius + 0.8 if few else max(1.0, 0.25 * radius)
    return "star", _of_vertices(match, np.vstack([above, _flat(below)])), None


def _tree(match: Match, matrix: CommunicationMatrix) -> Placed:
    del matrix
    places = curves.cone(match.topology.coordinates, match.topology.edges)
    return "graph", _of_vertices(match, places), None


def _table(match: Match, matrix: CommunicationMatrix) -> Placed:
    del matrix
    places = 1.5 * curves.nested(match.topology.coordinates, match.topology.dims, 2)
    return "graph", _of_vertices(match, places), None


def _sphere(match: Match, matrix: CommunicationMatrix) -> Placed:
    del matrix
    places = curves.sphere(match.topology.vertices)
    return "graph", _of_vertices(match, places), None


def _globe(match: Match, matrix: CommunicationMatrix) -> Placed:
    del matrix
    unit = sphere_places(match.topology.vertices)
    edges = match.topology.edges
    apart = np.linalg.norm(unit[edges[:, 0]] - unit[edges[:, 1]], axis=1)
    places = _of_vertices(match, unit / float(apart.mean()))
    return "graph", places, None


def _mesh(match: Match, matrix: CommunicationMatrix) -> Placed:
    del matrix
    places = _flat(mesh_places(match.topology))
    return "graph", _of_vertices(match, places), None


def _nested(match: Match, matrix: CommunicationMatrix) -> Placed:
    """Each factor in its own layout, on blocks laid out as the next one is."""
    topology = match.topology
    vertex = np.arange(topology.vertices)
    inner = _within(topology.factors[0], matrix)
    if topology.kind == "copies":
        n = len(inner)
        copy = topology.coordinates[:, -1]
        order = np.argsort(copy, kind="stable")
        places = np.empty((topology.vertices, 3))
        size = np.ptp(inner, axis=0) + 2
        places[order] = np.tile(inner, (len(order) // n, 1))
        places += (_flat(curves.rows(len(order) // n)) * size)[copy]
        return "graph", _of_vertices(match, places), None
    places, stride = inner[vertex % len(inner)], len(inner)
    for factor in topology.factors[1:]:
        outer = _within(factor, matrix)
        size = float(np.ptp(places, axis=0).max()) + 2
        places = places + size * outer[vertex // stride % len(outer)]
        stride *= len(outer)
    return "graph", _of_vertices(match, places), None


def _within(factor: Topology, matrix: CommunicationMatrix) -> Floats:
    match = factor_match(factor)
    offered = [n for n in layouts_of(factor.kind)(match) if n != "spectral"]
    chosen = offered[0] if offered else "circle"
    return np.asarray(LAYOUTS[chosen](match, matrix)[1], np.float64)


def _spectral(match: Match, matrix: CommunicationMatrix) -> Placed:
    traffic = pair_traffic(matrix)
    members = traffic.members
    edges = np.searchsorted(members, traffic.pairs).astype(np.int32)
    places = np.full((len(match.vertex), 3), np.nan)
    places[members] = spread(graph_of(len(members), edges))
    return "graph", places, None


def _ranks(match: Match, matrix: CommunicationMatrix) -> Placed:
    del match
    return "lattice", _flat(curves.rows(matrix.ranks)), None


LAYOUTS: dict[str, Callable[[Match, CommunicationMatrix], Placed]] = {
    "line": _line,
    "snake": _snake,
    "circle": _circle,
    "flat": _plane,
    "grid": _grid,
    "tube": _tube,
    "torus": _torus,
    "star": _star,
    "tree": _tree,
    "table": _table,
    "sphere": _sphere,
    "globe": _globe,
    "mesh": _mesh,
    "nested": _nested,
    "spectral": _spectral,
    "ranks": _ranks,
}
"""Every layout. To add one is to write a function, a line here and to
name it for the kinds that it serves, in `topoview.topology.layout_choice`."""
