"""Disjoint copies of one topology: ``16 x ring 24``."""

import numpy as np

from topoview.model import Bools, Indices, Ints, Topology
from topoview.topology.exact import Exact, rank_distance
from topoview.topology.graph import Graph, graph_of
from topoview.topology.isomorphism import isomorphism


def copies(count: int, factor: Topology, interleaved: bool = False) -> Topology:
    """Make disjoint copies of a topology.

    Parameters
    ----------
    count
        How many.
    factor
        What is copied.
    interleaved
        Whether copies alternate in the vertices' numbers, as communicators of
        columns do; they follow one another if not, as those of rows do.
    """
    n = factor.vertices
    copy = np.repeat(np.arange(count), len(factor.edges))
    pitch, step = (1, count) if interleaved else (n, 1)
    edges = pitch * copy[:, None] + step * np.tile(factor.edges, (count, 1))
    edges = edges[np.lexsort((edges[:, 1], edges[:, 0]))].astype(np.int32)
    vertex = np.arange(count * n)
    which = vertex // pitch % count
    place = factor.coordinates[vertex // step % n]
    places = np.concatenate([place, which[:, None]], 1).astype(np.int32)
    name = f"{count} x {factor.name}"
    if " x " in factor.name:
        name = f"{count} x ({factor.name})"
    dims = (*(factor.dims or (n,)), count)
    return Topology("copies", name, dims, (), (), edges, places, (factor,))


def recognise_copies(graph: Graph, members: Bools) -> list[Exact]:
    """Find out of what the components are copies, under any numbering.

    Parameters
    ----------
    graph
        Graph of all ranks, silent ones too.
    members : bool, shape (ranks,)
        Ranks that communicate at all: each must have its place in a copy.
    """
    from topoview.topology.library import exact, other_names

    present = graph.degree > 0
    if not np.array_equal(present, members):
        return []
    _, label = np.unique(graph.component_of[members], return_inverse=True)
    sizes = np.bincount(label)
    if len(sizes) < 2 or sizes.min() != sizes.max():
        return []
    count, n = len(sizes), int(sizes[0])
    ranks = np.flatnonzero(members)[np.argsort(label, kind="stable")].reshape(count, n)
    edges = _edges_within(graph, ranks)
    if edges is None:
        return []
    found = exact(graph_of(n, edges[0]))
    if not found:
        return []
    within = _all_alike(n, edges, found[0].topology, found[0].vertex)
    if within is None:
        return []
    made = [_placed(graph, ranks, within, found[0].topology, i) for i in (False, True)]
    best = min(made, key=lambda exact: exact.distance)
    # pairs are trivially chains, stars and all-to-alls
    names = other_names(found) if n > 2 else ()
    also = tuple(f"{count} x {name}" for name in names)
    return [Exact(best.topology, best.vertex, best.distance, also)]


def _edges_within(graph: Graph, ranks: Indices | Ints) -> Indices | None:
    """Edges of each component in numbers of its own, int32, (copies, m, 2)."""
    count, n = ranks.shape
    if len(graph.edges) % count:
        return None
    place = np.empty(graph.n, np.int64)
    place[ranks] = np.arange(n)
    owner = np.empty(graph.n, np.int64)
    owner[ranks] = np.arange(count)[:, None]
    of = owner[graph.edges[:, 0]]
    if np.bincount(of, minlength=count).max() * count != len(graph.edges):
        return None
    ends = place[graph.edges]  # ranks of a component ascend: edges stay sorted
    order = np.argsort(of, kind="stable")
    return ends[order].reshape(count, -1, 2).astype(np.int32)


def _all_alike(n: int, edges: Indices, topology: Topology, first: Ints) -> Ints | None:
    """Vertex of the topology for each rank of each component, or None."""
    template = graph_of(n, topology.edges)
    known: dict[bytes, Ints] = {edges[0].tobytes(): first}
    within = np.empty((len(edges), n), np.int64)
    for i, mine in enumerate(edges):
        key = mine.tobytes()
        if key not in known:
            vertex = isomorphism(graph_of(n, mine), template)
            if vertex is None:
                return None
            known[key] = vertex
        within[i] = known[key]
    return within


def _placed(
    graph: Graph, ranks: Ints, within: Ints, factor: Topology, interleaved: bool
) -> Exact:
    count, n = ranks.shape
    topology = copies(count, factor, interleaved)
    pitch, step = (1, count) if interleaved else (n, 1)
    vertex = np.full(graph.n, -1, np.int64)
    vertex[ranks] = pitch * np.arange(count)[:, None] + step * within
    return Exact(topology, vertex, rank_distance(vertex[np.sort(ranks.ravel())]))
