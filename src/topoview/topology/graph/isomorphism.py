"""Isomorphism of a graph and a template, every edge verified.

The vertices near one of each graph are mapped by refinement. From there on each vertex
tells its neighbours apart by which of theirs are mapped already, in linear time; where
that does not serve, all vertices are refined
(`topoview.topology.graph.refinement`).
"""

import numpy as np

from topoview.model import Indices, Ints
from topoview.topology.graph import kernels
from topoview.topology.graph.graph import Graph, adjacency, distances_from, renumber
from topoview.topology.graph.products import same_edges
from topoview.topology.graph.refinement import refined_map

# Isomorphism that spreads from the surroundings of one vertex, in linear time.
#
# The vertices near one of each graph are mapped by refinement. From there on each
# vertex tells its neighbours apart by which of theirs are mapped already (Yartseva,
# Grossglauser, 2013, "On the performance of percolation graph matching"; here no edge
# may differ, so that one disagreement ends the attempt).

MAX_SPREAD_DEGREE = 128
"""Neighbours up to which they are told apart one by one."""


def ball_around(
    graph: Graph, colour: Ints, root: int, most: int
) -> tuple[Ints, tuple[Ints, Indices], Ints, Ints]:
    """Cut out the vertices that are nearest to one.

    Returns
    -------
    members : int64, shape (m,)
        All vertices up to some distance, at most `most` (but for those next to the
        root), in order of distance.
    rows
        Their neighbours among themselves, as rows of indices.
    inner : int64, shape (m,)
        Colour of each: its own, and its distance.
    rings : int64, shape (k,)
        How many there are at each distance.
    """
    distance, order = distances_from(graph, np.array([root]), most=most)
    members, far = order.astype(np.int64), distance[order].astype(np.int64)
    inner = far * (int(colour.max()) + 1) + colour[members]
    return members, _inside(graph, members), inner, np.bincount(far)


def _inside(graph: Graph, members: Ints) -> tuple[Ints, Indices]:
    rows = adjacency(graph)[members][:, members]
    return rows.indptr.astype(np.int64), rows.indices.astype(np.int32, copy=False)


MIN_SPREAD_VERTICES = 400
"""Vertices below which all are refined at once."""

TRIES_BY_BALL_SIZE = {250: 6, 2000: 2}
"""How many vertices around the first are mapped by refinement, and on how many others
that is tried: on another one, axes that look alike from within may fall otherwise."""


def isomorphism(
    graph: Graph,
    template: Graph,
    colour: Ints | None = None,
    wanted: Ints | None = None,
) -> Ints | None:
    """Find the vertex of the template for each vertex of a graph.

    Parameters
    ----------
    graph, template
        The graphs.
    colour, wanted : int64, shape (n,)
        Colour of each vertex of the graph and of the template, which the map
        keeps; degrees if not given.

    Returns
    -------
    int64, shape (n,), or None
        Verified edge by edge; None if none was found.
    """
    if graph.n != template.n or len(graph.edges) != len(template.edges):
        return None
    ours = graph.degree if colour is None else colour
    theirs = template.degree if wanted is None else wanted
    if not np.array_equal(np.sort(ours), np.sort(theirs)):
        return None
    possible, result = _spreading(graph, template, ours, theirs)
    if result is not None or not possible:
        return result
    rows = (graph.indptr, graph.indices), (template.indptr, template.indices)
    mapping = refined_map(*rows, ours, theirs)
    if mapping is None:
        return None
    return mapping if same_edges(graph, template.edges, mapping) else None


def _spreading(
    graph: Graph, template: Graph, ours: Ints, theirs: Ints
) -> tuple[bool, Ints | None]:
    """Map what is near to one vertex by refinement, and all others outwards from it.

    Returns
    -------
    possible
        Whether there may be a map: False where no vertex has surroundings like those
        of the template's first one.
    vertex
        The map, every edge verified; None if none was found.
    """
    widest = int(graph.degree.max(initial=0))
    if graph.n < MIN_SPREAD_VERTICES or widest > MAX_SPREAD_DEGREE:
        return True, None
    moved = renumber(graph)
    own = moved.graph.indptr, moved.graph.indices
    values, theirs = np.unique(theirs, return_inverse=True)
    ours = np.searchsorted(values, ours[moved.order])
    rarest = int(np.bincount(theirs).argmin())
    root = int(np.argmax(theirs == rarest))
    chosen = np.flatnonzero(ours == rarest)
    for most, tries in TRIES_BY_BALL_SIZE.items():
        wanted, small, inner, rings = ball_around(template, theirs, root, most)
        roots = kernels.roots_like(*own, chosen, rings, tries)
        if not len(roots):
            return False, None
        for other in roots.tolist():
            members, rows, colour, _ = ball_around(moved.graph, ours, other, most)
            if len(members) != len(wanted) or len(rows[1]) != len(small[1]):
                continue
            begun = refined_map(rows, small, colour, inner)
            if begun is None:
                continue
            # those farthest out may be exchanged without it being noticed
            inside = int(rings[:-1].sum()) if len(rings) > 3 else len(members)
            begun = wanted[begun[:inside]]
            vertex = kernels.spread(
                *own, template.indptr, template.indices, members[:inside], begun, widest
            )
            if len(vertex) and same_edges(moved.graph, template.edges, vertex):
                return True, vertex[moved.number]
    return True, None
