"""How many vertices there are at each distance from the first."""

import numba
import numpy as np

from topoview.model import Indices, Ints
from topoview.topology.graph import Graph
from topoview.topology.outwards import outwards


@numba.njit(nogil=True, cache=True)
def _rings(indptr: Ints, indices: Indices) -> Ints:
    n = len(indptr) - 1
    distance = np.full(n, -1, np.int64)
    sizes = np.zeros(n, np.int64)
    queue = np.empty(n, np.int64)
    for u in queue[: outwards(indptr, indices, 0, distance, queue)]:
        sizes[distance[u]] += 1
    return sizes


def distance_rings(graph: Graph) -> list[int]:
    """Count the vertices at each distance from the first."""
    sizes: list[int] = _rings(graph.indptr, graph.indices).tolist()
    return [size for size in sizes if size]
