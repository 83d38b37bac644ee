"""Edges that no short cycle supports: most of those that do not belong there."""

import numba
import numpy as np

from topoview.model import Indices, Ints
from topoview.topology.graph import Graph, graph_of

SHARE = 0.34
"""Share of the median number of cycles below which an edge is left out."""

WIDEST = 512
"""Neighbours of a vertex beyond which cycles are not counted."""


def supported(graph: Graph) -> Graph:
    """Leave out the edges that lie in far fewer short cycles than most.

    An edge that joins two vertices at random closes hardly any triangle or
    square; those of lattices lie in several. Triangles are counted where most
    edges lie in two or more of them, squares otherwise.
    """
    if not len(graph.edges):
        return graph
    cycles = graph.triangles
    if np.median(cycles) < 2:
        if graph.degree.max() > WIDEST:
            return graph
        cycles = squares(graph)
    least = max(1.0, SHARE * float(np.median(cycles)))
    kept = cycles >= least
    return graph_of(graph.n, np.ascontiguousarray(graph.edges[kept]))


def squares(graph: Graph) -> Ints:
    """Cycles of four that each edge lies in, int64, shape (m,)."""
    counts: Ints = _squares(
        graph.indptr, graph.indices, graph.edge_of, len(graph.edges)
    )
    return counts


@numba.njit(nogil=True, cache=True)
def _squares(indptr: Ints, indices: Indices, edge_of: Indices, m: int) -> Ints:
    n = len(indptr) - 1
    counts = np.zeros(m, np.int64)
    paths = np.zeros(n, np.int64)  # of length 2 from u
    for u in range(n):
        for k in range(indptr[u], indptr[u + 1]):
            a = indices[k]
            for j in range(indptr[a], indptr[a + 1]):
                paths[indices[j]] += 1
        for k in range(indptr[u], indptr[u + 1]):
            v = indices[k]
            if v < u:
                continue
            for j in range(indptr[v], indptr[v + 1]):
                if indices[j] != u:
                    counts[edge_of[k]] += paths[indices[j]] - 1  # all but u, v, it
        for k in range(indptr[u], indptr[u + 1]):
            a = indices[k]
            for j in range(indptr[a], indptr[a + 1]):
                paths[indices[j]] = 0
    return counts
