"""Isomorphism of a graph and a template, every edge verified."""

import numpy as np

from topoview.model import Ints
from topoview.topology.graph import Graph
from topoview.topology.near import near
from topoview.topology.product import same_edges
from topoview.topology.refinement import refined_map
from topoview.topology.spreading import WIDEST, spread, surroundings

SMALL = 400
"""Vertices below which all are refined at once."""

ROOTS = 4
"""Vertices that the first one of a template is tried on."""


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
    found = _spreading(graph, template, ours, theirs)
    if found is not None:
        return found
    rows = (graph.indptr, graph.indices), (template.indptr, template.indices)
    mapping = refined_map(*rows, ours, theirs)
    if mapping is None:
        return None
    return mapping if same_edges(graph, template.edges, mapping) else None


def _spreading(graph: Graph, template: Graph, ours: Ints, theirs: Ints) -> Ints | None:
    """Map what is near to one vertex by refinement, and all others outwards from it."""
    widest = int(graph.degree.max(initial=0))
    if graph.n < SMALL or widest > WIDEST:
        return None
    moved = near(graph)
    ours = ours[moved.order]
    counts = np.bincount(theirs)
    rarest = int(np.where(counts > 0, counts, len(theirs) + 1).argmin())
    root = int(np.argmax(theirs == rarest))
    wanted, small, inner = surroundings(template, theirs, root)
    for other in np.flatnonzero(ours == rarest)[:ROOTS]:
        members, rows, colour = surroundings(moved.graph, ours, int(other))
        if len(members) != len(wanted) or len(rows[1]) != len(small[1]):
            continue
        begun = refined_map(rows, small, colour, inner)
        if begun is None:
            continue
        vertex = spread(moved.graph, template, members, wanted[begun])
        if vertex is not None and same_edges(moved.graph, template.edges, vertex):
            return vertex[moved.number]
    return None
