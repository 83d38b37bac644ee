"""Structure of a graph that is no member of the library: symmetry, factors, numbers.

Numbers tell what it may be instead: how many partners ranks have, of which dimension it
is, whether it is planar, how far partners are apart by rank, how it falls into groups.
"""

import numpy as np

from topoview.model import (
    CommunicationMatrix,
    GraphNumbers,
    GraphStructure,
    Indices,
    Ints,
)
from topoview.topology.graph.graph import (
    Graph,
    adjacency,
    edge_keys,
    graph_of,
    unique_edges,
)
from topoview.topology.graph.invariants import MAX_EIGENVALUES, vertex_classes
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
    result = np.full(traffic.ranks, -1, np.int32)
    result[traffic.members] = vertex_classes(traffic.graph)
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
    return GraphStructure(
        symmetry=symmetry,
        sizes=sizes,
        factors=factor_names(graph),
        alike=alike,
        numbers=graph_numbers(graph, members),
    )


# Numbers that any graph has.

MAX_PLANAR_EDGES = 50_000
"""Edges up to which it is tried to draw a graph in the plane."""

MAX_GROUPED_EDGES = 5_000
"""Edges up to which groups are looked for, also in a graph drawn by lot."""

HUB_RATIO = 4
"""How many times as many partners as the mean a hub has."""

MIN_MESH, MAX_LOCAL, MIN_MESH_EDGES = 12, 0.93, 1.5
"""Ranks of a mesh at least; how many ranks are two steps from a rank, as a share of
those in a graph drawn by lot, at most; and pairs for each rank at least."""


def graph_numbers(graph: Graph, members: Indices) -> GraphNumbers:
    """Describe a graph by numbers.

    Parameters
    ----------
    members : int32, shape (n,)
        Rank of each vertex.
    """
    degree, mean = graph.degree, 2 * len(graph.edges) / graph.n
    hubs = np.flatnonzero(degree >= max(HUB_RATIO * mean, 3))
    apart = np.sort(
        np.abs(np.diff(members[graph.edges].astype(np.int64), axis=1)[:, 0])
    )
    planar = is_planar(graph)
    sizes, modularity, by_lot = _groups(graph)
    mesh = (
        graph.connected
        and graph.n >= MIN_MESH
        and len(graph.edges) >= MIN_MESH_EDGES * graph.n
        and not len(hubs)
        and _nearness(graph) <= MAX_LOCAL
    )
    return GraphNumbers(
        partners=(int(degree.min()), float(mean), int(degree.max())),
        hubs=tuple(members[hubs].tolist()),
        dimension=spectral_dimension(graph),
        planar=planar,
        apart=(int(apart[len(apart) // 2]), int(apart[len(apart) * 9 // 10])),
        groups=sizes,
        modularity=(modularity, by_lot),
        mesh=("planar" if planar else "mesh") if mesh else "",
    )


def is_planar(graph: Graph) -> bool | None:
    """Return whether a graph can be drawn without crossings; None if too large."""
    if len(graph.edges) > MAX_PLANAR_EDGES:
        return None
    import networkx as nx

    return bool(nx.check_planarity(nx.from_edgelist(graph.edges.tolist()))[0])


def spectral_dimension(graph: Graph) -> float | None:
    """Compute how fast heat spreads: the largest slope of its return (2 on a grid).

    In d dimensions a walk is back at its start after t steps with a probability that
    falls as t to -d/2 (Alexander, Orbach, 1982, "Density of states on fractals", J.
    Physique Lett. 43). None if there are more than `MAX_EIGENVALUES` vertices.
    """
    if graph.n > MAX_EIGENVALUES or graph.n < 3 or not graph.connected:
        return None
    dense = np.zeros((graph.n, graph.n))
    u, v = graph.edges.T
    dense[u, v] = dense[v, u] = -1 / np.sqrt(graph.degree[u] * graph.degree[v])
    values = 1 + np.linalg.eigvalsh(dense)[1:]
    times = np.geomspace(0.5, max(4 / values[0], 1.0), 60)
    back = np.log(1 + np.exp(-np.outer(times, values)).sum(axis=1))
    return float(-2 * np.gradient(back, np.log(times)).min())


def _nearness(graph: Graph) -> float:
    """Count ranks up to two steps away, as a share of those in a graph drawn by lot.

    Where each partner's partners are any ranks, each as often as it has partners
    itself, few of them are the same; on a mesh many are. 1 if there are too many ranks.
    """
    if graph.n > MAX_EIGENVALUES:
        return 1.0
    rows = adjacency(graph)
    within = ((rows @ rows + rows) > 0).sum(axis=1)
    degree = graph.degree.astype(np.float64)
    ends = rows @ (degree - 1)  # of a rank's partners, to others
    hit = 1 - np.exp(-np.outer(ends, degree) / degree.sum())
    beside = (rows.toarray() > 0) | np.eye(graph.n, dtype=bool)
    by_lot = 1 + degree + np.where(beside, 0, hit).sum(axis=1)
    return float(within.mean() / by_lot.mean())


def _groups(graph: Graph) -> tuple[tuple[int, ...], float, float]:
    """Find groups of ranks with many pairs within, and how far that is no chance.

    By the method of Louvain (Blondel, Guillaume, Lambiotte, Lefebvre, 2008, "Fast
    unfolding of communities in large networks", J. Stat. Mech. P10008).

    Returns
    -------
    tuple of int
        Ranks of each group, the largest first; empty if there are too many edges.
    float, float
        Modularity, and that of a graph of the same numbers of partners drawn by lot.
    """
    edges = graph.edges.tolist()
    if not 4 <= len(edges) <= MAX_GROUPED_EDGES:
        return (), 0.0, 0.0
    import networkx as nx

    divisions = []
    seen = nx.from_edgelist(edges)
    drawn = nx.Graph(nx.configuration_model([d for _, d in seen.degree], seed=1))
    drawn.remove_edges_from(list(nx.selfloop_edges(drawn)))
    for one in (seen, drawn):
        groups = nx.community.louvain_communities(one, seed=1)
        divisions.append((groups, nx.community.modularity(one, groups)))
    (groups, modularity), (_, by_lot) = divisions
    return tuple(sorted(map(len, groups), reverse=True)), modularity, by_lot


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
