"""Distances from one vertex, for kernels."""

import numba

from topoview.model import Indices, Ints


@numba.njit(nogil=True, cache=True)
def outwards(
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
