"""Structure of a graph that is no member of the library: symmetry and factors."""

import numpy as np

from topoview.model import CommunicationMatrix, GraphStructure, Indices, Ints
from topoview.topology.graph.graph import Graph, edge_keys, graph_of, unique_edges
from topoview.topology.graph.invariants import vertex_classes
from topoview.topology.graph.products import factor_places, square_classes
from topoview.topology.graph.refinement import refined_map
from topoview.topology.identification.traffic import pair_traffic
from topoview.topology.kinds.composite import MAX_PRODUCT_DEGREE
from topoview.topology.library import exact

MAX_AUTOMORPHISMS = 32
"""Automorphisms looked for to show that all ranks look alike."""

MAX_ARCS_COMPARED = 2_000_000
"""Arcs looked at for that, all in all."""


def symmetry_classes(matrix: CommunicationMatrix) -> Indices:
    """Classes of ranks that differ in the pairs that communicate.

    Returns
    -------
    int32, shape (ranks,)
        As `GraphStructure.symmetry`.
    """
    traffic = pair_traffic(matrix)
    ranks = traffic.members
    ends = np.searchsorted(ranks, traffic.pairs).astype(np.int32)
    result = np.full(traffic.ranks, -1, np.int32)
    result[ranks] = vertex_classes(graph_of(len(ranks), ends))
    return result


def all_alike(graph: Graph) -> bool:
    """Show that any vertex can take the place of any other, by automorphisms.

    Each that is found is verified edge by edge, and moves many vertices at once, so
    that few are needed (McKay, 1981, "Practical graph isomorphism"). False if one is
    not found, or if it takes too long: that does not prove that there is none.
    """
    rows = graph.indptr, graph.indices
    keys = edge_keys(graph.n, graph.edges)
    same = np.zeros(graph.n, np.int64)
    orbit = np.arange(graph.n, dtype=np.int32)
    tries = min(MAX_AUTOMORPHISMS, MAX_ARCS_COMPARED // max(len(graph.indices), 1))
    for _ in range(tries):
        ours, theirs = same.copy(), same.copy()
        ours[0] = theirs[int(np.argmax(orbit != orbit[0]))] = 1
        image = refined_map(rows, rows, ours, theirs)
        if image is None:
            return False
        ends = np.sort(image[graph.edges], axis=1).astype(np.int32)
        if not np.array_equal(np.sort(edge_keys(graph.n, ends)), keys):
            return False
        pairs = np.sort(np.stack([orbit, orbit[image]], 1), axis=1)
        pairs = np.unique(pairs[pairs[:, 0] != pairs[:, 1]], axis=0).astype(np.int32)
        orbit = graph_of(graph.n, pairs).component_of[orbit]
        if (orbit == orbit[0]).all():
            return True
    return graph.n == 1


def structure(graph: Graph, members: Indices, ranks: int) -> GraphStructure:
    """Describe a graph by its classes of symmetry and its Cartesian factors.

    Parameters
    ----------
    graph
        Graph of the ranks that communicate.
    members : int32, shape (n,)
        Rank of each vertex.
    ranks
        Number of ranks.
    """
    classes = vertex_classes(graph)
    symmetry = np.full(ranks, -1, np.int32)
    symmetry[members] = classes
    sizes = tuple(np.bincount(classes).tolist())
    alike = len(sizes) == 1 and all_alike(graph)
    return GraphStructure(symmetry, sizes, factor_names(graph), alike)


def factor_names(graph: Graph) -> tuple[str, ...]:
    """Name the prime factors of a connected Cartesian product, known ones first.

    Empty if the graph is no product (Feder, 1992, as in `square_classes`).
    """
    if graph.n < 6 or not graph.connected or graph.degree.max() > MAX_PRODUCT_DEGREE:
        return ()
    classes = square_classes(graph)
    if int(classes.max(initial=0)) < 1:
        return ()
    places = factor_places(graph, classes)
    if places is None or places.shape[1] < 2:
        return ()
    factors = [_factor(graph, classes, places, c) for c in range(places.shape[1])]
    # distinct edges that all are the product's, and as many as it has
    made = sum(len(factor.edges) * (graph.n // factor.n) for factor in factors)
    if made != len(graph.edges):
        return ()
    names = [_name(factor) for factor in factors]
    return tuple(sorted(names, key=lambda name: name.startswith("unknown")))


def _factor(graph: Graph, classes: Ints, places: Ints, column: int) -> Graph:
    extent = int(places[:, column].max()) + 1
    ends = places[graph.edges[classes == column], column]
    return graph_of(extent, unique_edges(extent, ends[:, 0], ends[:, 1]))


def _name(factor: Graph) -> str:
    matches = exact(factor)
    return matches[0].topology.name if matches else f"unknown {factor.n}"
