"""Local relations between edges that tell a lattice's directions apart.

All kernels look at a vertex, its neighbours and theirs, so that they cost the
sum of the squared degrees and work under any numbering.
"""

import numba
import numpy as np

from topoview.model import Indices, Ints
from topoview.progress import breathe
from topoview.topology.graph import Graph

BATCH = 1 << 19
"""Paths of two edges that are followed between two reports, about."""


def square_classes(graph: Graph) -> Ints:
    """Join edges that must lie in one prime Cartesian factor.

    Opposite edges of a unique chordless square are parallel; adjacent edges
    that do not span exactly one such square share a factor (Feder, 1992,
    "Product graph representations", J. Graph Theory 16).

    Returns
    -------
    int64, shape (edges,)
        Class of each edge, numbered densely.
    """
    n, widest = graph.n, int(graph.degree.max(initial=0))
    parent = np.arange(len(graph.edges))
    known = (
        np.full(n, -1, np.int64),
        np.zeros(n, np.int64),
        np.empty((n, 2), np.int64),
        np.empty((n, 2), np.int64),
        np.empty(widest * widest + 1, np.int64),
        np.zeros((widest, widest), np.int64),
        np.empty(n, np.int64),
    )
    rows = graph.indptr, graph.indices, graph.edge_of
    mean = len(graph.indices) // max(n, 1) + 1
    step = max(64, BATCH // mean**2)
    for begin in range(0, n, step):
        breathe()
        _squares(rows, parent, known, begin, min(begin + step, n))
    breathe()
    return _dense(_roots(parent))


def diamond_classes(graph: Graph) -> Ints:
    """Join the parallel edges of a triangular lattice (6-point stencil).

    The two triangles on an edge form a parallelogram whose opposite sides are
    parallel; used where an edge lies in exactly two triangles.

    Returns
    -------
    int64, shape (edges,)
        Class of each edge, numbered densely.
    """
    return _dense(_diamonds(graph.indptr, graph.indices, graph.edge_of, graph.edges))


def _dense(roots: Ints) -> Ints:
    used = np.zeros(len(roots), np.int64)
    used[roots] = 1
    numbers: Ints = (np.cumsum(used) - 1)[roots]
    return numbers


@numba.njit(nogil=True, cache=True)
def _find(parent: Ints, x: int) -> int:
    while parent[x] != x:
        parent[x] = parent[parent[x]]
        x = parent[x]
    return x


@numba.njit(nogil=True, cache=True)
def _union(parent: Ints, a: int, b: int) -> None:
    a = _find(parent, a)
    b = _find(parent, b)
    if a < b:
        parent[b] = a
    elif b < a:
        parent[a] = b


@numba.njit(nogil=True, cache=True)
def _roots(parent: Ints) -> Ints:
    for e in range(len(parent)):
        parent[e] = _find(parent, e)
    return parent


@numba.njit(nogil=True, cache=True)
def _squares(  # noqa: C901 - one pass over the neighbours of neighbours
    rows: tuple[Ints, Indices, Indices],
    parent: Ints,
    known: tuple[Ints, Ints, Ints, Ints, Ints, Ints, Ints],
    begin: int,
    stop: int,
) -> None:
    indptr, indices, edge_of = rows
    # near: last vertex that this is a neighbour of; paths: of length 2 from u that end
    # here; middle, second: of the first two, local index, and the arc from the middle
    near, paths, middle, second, far, squares, local = known
    widest = len(squares)
    for u in range(begin, stop):
        first = indptr[u]
        degree = indptr[u + 1] - first
        squares[:degree, :degree] = 0
        for i in range(degree):
            near[indices[first + i]] = u
            local[indices[first + i]] = i
        ends = 0
        for i in range(degree):
            v = indices[first + i]
            for k in range(indptr[v], indptr[v + 1]):
                x = indices[k]
                if x == u:
                    continue
                if near[x] == u:  # a chord: both edges share a factor
                    _union(parent, edge_of[first + i], edge_of[first + local[x]])
                    squares[i, local[x]] = -widest
                    continue
                if paths[x] == 0:
                    far[ends] = x
                    ends += 1
                if paths[x] < 2:
                    middle[x, paths[x]] = i
                    second[x, paths[x]] = k
                else:
                    for j in range(2):
                        _union(
                            parent, edge_of[first + i], edge_of[first + middle[x, j]]
                        )
                    _union(
                        parent,
                        edge_of[first + middle[x, 0]],
                        edge_of[first + middle[x, 1]],
                    )
                paths[x] += 1
        for f in range(ends):
            x = far[f]
            if paths[x] == 2:
                squares[middle[x, 0], middle[x, 1]] += 1
                squares[middle[x, 1], middle[x, 0]] += 1
        for f in range(ends):
            x = far[f]
            if paths[x] == 2:
                i, j = middle[x, 0], middle[x, 1]
                if squares[i, j] > 0:
                    _union(parent, edge_of[first + i], edge_of[second[x, 1]])
                    _union(parent, edge_of[first + j], edge_of[second[x, 0]])
            paths[x] = 0
        for i in range(degree):
            for j in range(i):
                if squares[i, j] != 1:
                    _union(parent, edge_of[first + i], edge_of[first + j])


@numba.njit(nogil=True, cache=True)
def _diamonds(indptr: Ints, indices: Indices, edge_of: Indices, edges: Indices) -> Ints:
    parent = np.arange(len(edges))
    for e in range(len(edges)):
        v, w = edges[e, 0], edges[e, 1]
        i, j = indptr[v], indptr[w]
        common = 0
        left = np.zeros(2, np.int64)
        right = np.zeros(2, np.int64)
        while i < indptr[v + 1] and j < indptr[w + 1]:
            if indices[i] < indices[j]:
                i += 1
            elif indices[i] > indices[j]:
                j += 1
            else:
                if common < 2:
                    left[common], right[common] = i, j
                common += 1
                i += 1
                j += 1
        if common == 2:
            _union(parent, edge_of[left[0]], edge_of[right[1]])
            _union(parent, edge_of[right[0]], edge_of[left[1]])
    for e in range(len(parent)):
        parent[e] = _find(parent, e)
    return parent
