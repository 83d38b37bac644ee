"""Places whose distances follow the paths of a graph, on a sample of the paths."""

import numba
import numpy as np

from topoview.model import Floats, Indices, Ints
from topoview.topology.graph import Graph

ROUNDS = 30
"""Rounds of improvement of small graphs."""

WORK = 30_000_000
"""Paths and edges that are looked at in all: large graphs get fewer rounds."""

LEAST_ROUNDS = 4
"""Rounds of the largest graphs."""


def majorised(graph: Graph, places: Floats, distance: Indices) -> Floats:
    """Move vertices so that distances in space follow those along paths.

    Sparse stress majorisation (Ortmann, Klimenta, Brandes, 2017, "A sparse stress
    model", J. Graph Algorithms Appl. 21): each vertex is drawn to its distance from
    its neighbours and from the pivots; a pivot counts for the vertices nearest to
    it, with the inverse square of the distance. A round is linear in the edges.

    Parameters
    ----------
    graph
        A connected graph.
    places : float64, shape (n, dims)
        Where to begin, such as `pivot_mds`; it is not changed.
    distance : int32, shape (n, pivots)
        Length of the shortest path from each vertex to each pivot.

    Returns
    -------
    float64, shape (n, dims)
        Edges about 1 long.
    """
    n, pivots = distance.shape
    if n < 3:
        return places
    pivot = distance.argmin(axis=0)
    nearest = np.bincount(distance.argmin(axis=1), minlength=pivots).astype(np.float64)
    moved = _scaled(places, distance, pivot)
    # vertices with equal distances to all pivots would never part
    moved += np.random.default_rng(1).normal(scale=1e-2, size=moved.shape)
    each = n * pivots + len(graph.indices)
    rounds = max(LEAST_ROUNDS, min(ROUNDS, WORK // max(each, 1)))
    _majorise(graph.indptr, graph.indices, distance, pivot, nearest, moved, rounds)
    return moved


def _scaled(places: Floats, distance: Indices, pivot: Ints) -> Floats:
    """Scale places so that distances to pivots are those along paths, by and large."""
    apart = np.sqrt(
        np.stack([((places - places[p]) ** 2).sum(axis=1) for p in pivot], 1)
    )
    total = float((apart * apart).sum())
    scale = float((apart * distance).sum()) / total if total > 0 else 1.0
    scaled: Floats = places * scale
    return scaled


@numba.njit(nogil=True, cache=True)
def _majorise(  # noqa: PLR0913 - what stress consists of
    indptr: Ints,
    indices: Indices,
    distance: Indices,
    pivot: Ints,
    nearest: Floats,
    places: Floats,
    rounds: int,
) -> None:
    n, dims = places.shape
    goal = np.empty(dims)
    step = np.empty(dims)
    for _ in range(rounds):
        for v in range(n):
            goal[:] = 0.0
            total = 0.0
            first, last = indptr[v], indptr[v + 1]
            for k in range(last - first + len(pivot)):
                if k < last - first:
                    u, wanted, weight = np.int64(indices[first + k]), 1.0, 1.0
                else:
                    p = k - (last - first)
                    u, wanted = pivot[p], float(distance[v, p])
                    if wanted < 2.0:  # itself, and neighbours that count already
                        continue
                    weight = nearest[p] / (wanted * wanted)
                length = 0.0
                for i in range(dims):
                    step[i] = places[v, i] - places[u, i]
                    length += step[i] * step[i]
                length = max(np.sqrt(length), 1e-9)
                total += weight
                for i in range(dims):
                    goal[i] += weight * (places[u, i] + wanted * step[i] / length)
            if total > 0.0:
                for i in range(dims):
                    places[v, i] = goal[i] / total
