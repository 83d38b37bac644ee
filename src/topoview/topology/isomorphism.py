"""Isomorphism of a graph and a template, every edge verified."""

import numpy as np

from topoview.model import Ints
from topoview.progress import breathe
from topoview.topology.graph import Graph
from topoview.topology.kinds.product import same_edges
from topoview.topology.near import near
from topoview.topology.refinement import refined_map
from topoview.topology.spreading import WIDEST, roots_like, spread, surroundings

SMALL = 400
"""Vertices below which all are refined at once."""

SURROUNDINGS = {250: 6, 2000: 2}
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
    possible, found = _spreading(graph, template, ours, theirs)
    if found is not None or not possible:
        return found
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
    if graph.n < SMALL or widest > WIDEST:
        return True, None
    breathe()
    moved = near(graph)
    breathe()
    values, theirs = np.unique(theirs, return_inverse=True)
    ours = np.searchsorted(values, ours[moved.order])
    rarest = int(np.bincount(theirs).argmin())
    root = int(np.argmax(theirs == rarest))
    chosen = np.flatnonzero(ours == rarest)
    for most, tries in SURROUNDINGS.items():
        wanted, small, inner, rings = surroundings(template, theirs, root, most)
        roots = roots_like(moved.graph, chosen, rings, tries)
        if not len(roots):
            return False, None
        breathe()
        for other in roots.tolist():
            breathe()
            members, rows, colour, _ = surroundings(moved.graph, ours, other, most)
            if len(members) != len(wanted) or len(rows[1]) != len(small[1]):
                continue
            begun = refined_map(rows, small, colour, inner)
            if begun is None:
                continue
            # those farthest out may be exchanged without it being noticed
            inside = int(rings[:-1].sum()) if len(rings) > 3 else len(members)
            begun = wanted[begun[:inside]]
            breathe()
            vertex = spread(moved.graph, template, members[:inside], begun)
            breathe()
            if vertex is None:
                continue
            if same_edges(moved.graph, template.edges, vertex):
                return True, vertex[moved.number]
    return True, None
