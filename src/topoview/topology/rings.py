"""How many vertices there are at each distance from the first."""

import numba
import numpy as np

from topoview.model import Indices, Ints
from topoview.topology.graph import Graph


@numba.njit(nogil=True, cache=True)
def _rings(indptr: Ints, indices: Indices) -> Ints:
    n = len(indptr) - 1
    distance = np.full(n, -1, np.int64)
    sizes = np.zeros(n, np.int64)
    queue = np.empty(n, np.int64)
    distance[0] = queue[0] = 0
    head, tail = 0, 1
    while head < tail:
        u = queue[head]
        head += 1
        sizes[distance[u]] += 1
        for k in range(indptr[u], indptr[u + 1]):
            if distance[indices[k]] < 0:
                distance[indices[k]] = distance[u] + 1
                queue[tail] = indices[k]
                tail += 1
    return sizes


def distance_rings(graph: Graph) -> list[int]:
    """Count the vertices at each distance from the first."""
    sizes: list[int] = _rings(graph.indptr, graph.indices).tolist()
    return [size for size in sizes if size]
