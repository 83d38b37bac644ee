"""Structure of a graph that is no member of the library: symmetry and factors."""

import numpy as np

from topoview.model import CommunicationMatrix, GraphStructure, Indices, Ints
from topoview.topology.graph.graph import Graph, graph_of, unique_edges
from topoview.topology.graph.products import factor_places, square_classes
from topoview.topology.graph.refinement import stable_colours
from topoview.topology.identification.traffic import pair_traffic
from topoview.topology.kinds.composite import MAX_PRODUCT_DEGREE
from topoview.topology.library import exact


def symmetry_classes(matrix: CommunicationMatrix) -> Indices:
    """Classes of ranks that look alike among the pairs that communicate.

    Returns
    -------
    int32, shape (ranks,)
        As `GraphStructure.symmetry`.
    """
    traffic = pair_traffic(matrix)
    ranks = traffic.members
    ends = np.searchsorted(ranks, traffic.pairs).astype(np.int32)
    found = np.full(traffic.ranks, -1, np.int32)
    found[ranks] = stable_colours(graph_of(len(ranks), ends))
    return found


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
    colours = stable_colours(graph)
    symmetry = np.full(ranks, -1, np.int32)
    symmetry[members] = colours
    sizes = tuple(np.bincount(colours).tolist())
    return GraphStructure(symmetry, sizes, factor_names(graph))


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
    found = exact(factor)
    return found[0].topology.name if found else f"unknown {factor.n}"
