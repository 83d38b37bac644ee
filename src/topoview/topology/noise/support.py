"""Edges that no short cycle supports: most of those that do not belong there."""

import numba
import numpy as np

from topoview.model import Indices, Ints
from topoview.progress import breathe
from topoview.topology.graph import Graph, graph_of

SHARE = 0.34
"""Share of the median number of cycles below which an edge is left out."""

WIDEST = 512
"""Neighbours of a vertex beyond which cycles are not counted."""

BATCH = 1 << 20
"""Paths of two edges that are followed between two reports, about."""


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
    counts = np.zeros(len(graph.edges), np.int64)
    paths = np.zeros(graph.n, np.int64)
    mean = len(graph.indices) // max(graph.n, 1) + 1
    step = max(64, BATCH // mean**2)
    for begin in range(0, graph.n, step):
        breathe()
        rows = graph.indptr, graph.indices, graph.edge_of
        _squares(*rows, counts, paths, begin, min(begin + step, graph.n))
    return counts


@numba.njit(nogil=True, cache=True)
def _squares(  # noqa: PLR0913
    indptr: Ints,
    indices: Indices,
    edge_of: Indices,
    counts: Ints,
    paths: Ints,
    begin: int,
    stop: int,
) -> None:
    # `paths` counts those of length 2 from u, and is empty between
    for u in range(begin, stop):
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
