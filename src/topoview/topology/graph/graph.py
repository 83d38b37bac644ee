"""An undirected graph, and the search through it by breadth.

A graph is its edges and the compressed rows of neighbours. Numbered in the order of a
breadth-first search, neighbours have numbers alike and lie near each other in memory.
"""

from dataclasses import dataclass
from functools import cached_property

import numba
import numpy as np

from topoview.model import Indices, Ints
from topoview.progress import cancellable_batches, check_cancelled


@dataclass(frozen=True, eq=False)
class Graph:
    """An undirected graph without loops or parallel edges.

    Attributes
    ----------
    n
        Number of vertices.
    edges : int32, shape (m, 2)
        Pairs of vertices, smaller first, sorted.
    indptr : int64, shape (n + 1,)
        Vertex ``v`` owns the arcs ``indptr[v]`` to ``indptr[v + 1]``.
    indices : int32, shape (2 m,)
        Neighbour at the end of each arc, ascending for each vertex.
    edge_of : int32, shape (2 m,)
        Edge of each arc.
    """

    n: int
    edges: Indices
    indptr: Ints
    indices: Indices
    edge_of: Indices

    @cached_property
    def degree(self) -> Ints:
        """Neighbours of each vertex, int64, shape (n,)."""
        return np.diff(self.indptr)

    @cached_property
    def triangles(self) -> Ints:
        """Triangles that each edge lies in, int64, shape (m,)."""
        counts = np.empty(len(self.edges), np.int64)
        for some in cancellable_batches(len(counts)):
            counts[some] = _triangles(self.indptr, self.indices, self.edges[some])
        return counts

    @cached_property
    def component_of(self) -> Indices:
        """Connected component of each vertex, int32, shape (n,)."""
        labels: Indices = _components(self.indptr, self.indices)
        return labels

    @property
    def connected(self) -> bool:
        """Whether there is a path between any two vertices."""
        return self.n > 0 and int(self.component_of.max()) == 0


def graph_of(n: int, edges: Indices) -> Graph:
    """Make a graph of `n` vertices from its sorted edges, in linear time.

    Parameters
    ----------
    n
        Number of vertices.
    edges : int32, shape (m, 2)
        Pairs of vertices, smaller first, sorted and unique (`unique_edges`).
    """
    indptr, indices, edge_of = _rows(n, edges)
    return Graph(n, edges, indptr, indices, edge_of)


def unique_edges(n: int, u: Ints | Indices, v: Ints | Indices) -> Indices:
    """Sort pairs of vertices smaller first, drop loops and repetitions.

    Returns
    -------
    int32, shape (m, 2)
    """
    a = np.minimum(u, v).astype(np.int64)
    b = np.maximum(u, v).astype(np.int64)
    keys = distinct((a * n + b)[a != b])
    edges = np.empty((len(keys), 2), np.int32)
    edges[:, 0] = keys // max(n, 1)
    edges[:, 1] = keys % max(n, 1)
    return edges


def distinct(keys: Ints) -> Ints:
    """Sort and drop repetitions: several times as fast as `numpy.unique` hashes."""
    ordered = np.sort(keys)
    first = np.ones(len(ordered), bool)
    first[1:] = ordered[1:] != ordered[:-1]
    return ordered[first]


def edge_keys(n: int, edges: Indices) -> Ints:
    """Give edges numbers that sort as they do: int64, shape (m,)."""
    keys: Ints = edges[:, 0].astype(np.int64) * n + edges[:, 1]
    return keys


@numba.njit(nogil=True, cache=True)
def _rows(n: int, edges: Indices) -> tuple[Ints, Indices, Indices]:
    # edges are sorted, so that two passes leave each row sorted: first the
    # smaller neighbours (as larger ends), then the larger ones
    m = len(edges)
    indptr = np.zeros(n + 1, np.int64)
    for e in range(m):
        indptr[edges[e, 0] + 1] += 1
        indptr[edges[e, 1] + 1] += 1
    for v in range(n):
        indptr[v + 1] += indptr[v]
    indices = np.empty(2 * m, np.int32)
    edge_of = np.empty(2 * m, np.int32)
    free = indptr[:-1].copy()
    for side in (1, 0):
        for e in range(m):
            v = edges[e, side]
            indices[free[v]] = edges[e, 1 - side]
            edge_of[free[v]] = e
            free[v] += 1
    return indptr, indices, edge_of


@numba.njit(nogil=True, cache=True)
def _triangles(indptr: Ints, indices: Indices, edges: Indices) -> Ints:
    counts = np.zeros(len(edges), np.int64)
    near = np.full(len(indptr) - 1, -1, np.int32)  # last vertex this is next to
    last = -1
    for e in range(len(edges)):
        u, v = edges[e, 0], edges[e, 1]
        if u != last:
            last = u
            for k in range(indptr[u], indptr[u + 1]):
                near[indices[k]] = u
        many = 0
        for k in range(indptr[v], indptr[v + 1]):
            many += near[indices[k]] == u
        counts[e] = many
    return counts


@numba.njit(nogil=True, cache=True)
def _components(indptr: Ints, indices: Indices) -> Indices:
    n = len(indptr) - 1
    label = np.full(n, -1, np.int32)
    stack = np.empty(n, np.int64)
    components = 0
    for start in range(n):
        if label[start] >= 0:
            continue
        label[start] = components
        stack[0] = start
        top = 1
        while top:
            top -= 1
            u = stack[top]
            for k in range(indptr[u], indptr[u + 1]):
                v = indices[k]
                if label[v] < 0:
                    label[v] = components
                    stack[top] = v
                    top += 1
        components += 1
    return label


@numba.njit(nogil=True, cache=True)
def breadth_first(
    indptr: Ints,
    indices: Indices,
    start: int,
    distance: Indices | Ints,
    queue: Indices | Ints,
) -> int:
    """Search a graph by breadth (Moore, 1959, "The shortest path through a maze").

    Parameters
    ----------
    indptr, indices
        Neighbours of the vertices, in compressed rows.
    start
        The first vertex.
    distance : shape (n,)
        -1 throughout; afterwards the steps to each vertex that is reached.
    queue : shape (n,)
        Written to: the vertices that are reached, by distance.

    Returns
    -------
    int
        How many vertices are reached.
    """
    distance[start] = 0
    queue[0] = start
    head, tail = 0, 1
    while head < tail:
        v = queue[head]
        head += 1
        for k in range(indptr[v], indptr[v + 1]):
            u = indices[k]
            if distance[u] < 0:
                distance[u] = distance[v] + 1
                queue[tail] = u
                tail += 1
    return tail


MIN_RENUMBERED = 4096
"""Vertices from which on renumbering is worth its while."""


@dataclass(frozen=True, slots=True, eq=False)
class Renumbered:
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


def renumber(graph: Graph) -> Renumbered:
    """Renumber a graph outwards from its first vertex; small ones stay as they are."""
    if graph.n < MIN_RENUMBERED:
        same = np.arange(graph.n, dtype=np.int32)
        return Renumbered(graph, same, same)
    order, number = _breadth_first_order(graph.indptr, graph.indices)
    check_cancelled()
    edges = _renumbered_edges(graph.indptr, graph.indices, order, number)
    check_cancelled()
    return Renumbered(graph_of(graph.n, edges), order, number)


@numba.njit(nogil=True, cache=True)
def _breadth_first_order(indptr: Ints, indices: Indices) -> tuple[Indices, Indices]:
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
def _renumbered_edges(
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
