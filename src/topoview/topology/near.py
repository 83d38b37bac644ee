"""A graph renumbered so that neighbours lie near each other in memory.

Ranks that are numbered at random make every look at a neighbour a look at far
memory. Numbered in the order of a search outwards, neighbours have numbers alike
(Cuthill, McKee, 1969, "Reducing the bandwidth of sparse symmetric matrices").
"""

from dataclasses import dataclass

import numba
import numpy as np

from topoview.model import Indices, Ints
from topoview.progress import breathe
from topoview.topology.graph import Graph, graph_of

LARGE = 4096
"""Vertices from which on renumbering is worth its while."""


@dataclass(frozen=True, slots=True, eq=False)
class Near:
    """A graph, its vertices numbered outwards from the first.

    Attributes
    ----------
    graph
        The renumbered graph.
    order : int32, shape (n,)
        Vertex of the graph as it was for each of the renumbered one's; the first
        stays the first.
    number : int32, shape (n,)
        The other way round.
    """

    graph: Graph
    order: Indices
    number: Indices


def near(graph: Graph) -> Near:
    """Renumber a graph outwards from its first vertex; small ones stay as they are."""
    if graph.n < LARGE:
        same = np.arange(graph.n, dtype=np.int32)
        return Near(graph, same, same)
    order, number = _outwards(graph.indptr, graph.indices)
    breathe()
    edges = _renumbered(graph.indptr, graph.indices, order, number)
    breathe()
    return Near(graph_of(graph.n, edges), order, number)


@numba.njit(nogil=True, cache=True)
def _outwards(indptr: Ints, indices: Indices) -> tuple[Indices, Indices]:
    n = len(indptr) - 1
    order = np.empty(n, np.int32)
    number = np.full(n, -1, np.int32)
    head = tail = 0
    for start in range(n):
        if number[start] < 0:
            order[tail], number[start] = start, tail
            tail += 1
        while head < tail:
            v = order[head]
            head += 1
            for k in range(indptr[v], indptr[v + 1]):
                u = indices[k]
                if number[u] < 0:
                    order[tail], number[u] = u, tail
                    tail += 1
    return order, number


@numba.njit(nogil=True, cache=True)
def _renumbered(
    indptr: Ints, indices: Indices, order: Indices, number: Indices
) -> Indices:
    n = len(order)
    begins = np.zeros(n + 1, np.int64)
    moved = np.empty(len(indices), np.int32)
    k = 0
    for v in range(n):
        for arc in range(indptr[order[v]], indptr[order[v] + 1]):
            moved[k] = number[indices[arc]]
            begins[v + 1] += moved[k] > v
            k += 1
    begins = np.cumsum(begins)
    edges = np.empty((len(indices) // 2, 2), np.int32)
    # larger ends come in their order, so that the edges of each vertex are sorted
    k = 0
    for v in range(n):
        for _ in range(indptr[order[v]], indptr[order[v] + 1]):
            u = moved[k]
            if u < v:
                e = begins[u]
                edges[e, 0], edges[e, 1] = u, v
                begins[u] += 1
            k += 1
    return edges
