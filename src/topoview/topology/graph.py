"""An undirected graph as its edges and as compressed rows of neighbours."""

from dataclasses import dataclass
from functools import cached_property

import numba
import numpy as np

from topoview.model import Indices, Ints
from topoview.progress import in_breaths


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
        for some in in_breaths(len(counts)):
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
