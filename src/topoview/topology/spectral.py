"""Coordinates of an arbitrary graph from distances to a few of its vertices."""

import numba
import numpy as np

from topoview.model import Floats, Indices, Ints
from topoview.topology.graph import Graph

PIVOTS = 50
"""Vertices from which distances are measured."""


def pivot_mds(graph: Graph, dims: int = 3) -> Floats:
    """Place the vertices of a graph so that distances follow its paths.

    PivotMDS (Brandes, Pich, 2007, "Eigensolver methods for progressive
    multidimensional scaling of large data", Graph Drawing 2006, section 4), each
    pivot the vertex farthest from those before. Linear in the edges. Components
    are treated as if they were twice the diameter apart.

    Returns
    -------
    float64, shape (n, dims)
        Columns in order of falling spread; zero where there is none.
    """
    n = graph.n
    count = min(PIVOTS, n)
    distance = _pivot_distances(graph.indptr, graph.indices, count).astype(np.float64)
    distance[distance < 0] = 2 * max(distance.max(initial=0.0), 1.0)
    squared = distance**2
    centred = (
        squared
        - squared.mean(axis=0)
        - squared.mean(axis=1, keepdims=True)
        + squared.mean()
    )
    _, vectors = np.linalg.eigh(centred.T @ centred)
    places = np.zeros((n, dims))
    best = vectors[:, ::-1][:, :dims]
    # signs of eigenvectors are arbitrary: the largest entry is made positive
    best = best * np.sign(best[np.abs(best).argmax(axis=0), np.arange(best.shape[1])])
    places[:, : best.shape[1]] = -centred @ best / 2
    return places


def unit_edges(places: Floats, edges: Indices) -> Floats:
    """Scale places so that the median edge is 1 long."""
    lengths = np.linalg.norm(places[edges[:, 0]] - places[edges[:, 1]], axis=1)
    lengths = lengths[lengths > 1e-9]
    return places / np.median(lengths) if len(lengths) else places


def apart(places: Floats, least: float = 0.5) -> Floats:
    """Move places that coincide apart: onto a small spiral around where they are.

    Vertices with the same neighbours have the same distances to all pivots.
    """
    cells = np.round(places / (least / 4)).astype(np.int64)
    _, group, size = np.unique(cells, axis=0, return_inverse=True, return_counts=True)
    order = np.argsort(group, kind="stable")
    index = np.empty(len(group), np.int64)
    index[order] = np.arange(len(group)) - np.repeat(np.cumsum(size) - size, size)
    angle = np.pi * (3 - np.sqrt(5)) * index
    radius = least * np.sqrt(index)
    around = np.stack([np.cos(angle), np.sin(angle), 0.3 * np.sin(2.1 * angle)], 1)
    moved: Floats = places + radius[:, None] * around
    return moved


@numba.njit(nogil=True, cache=True)
def _pivot_distances(indptr: Ints, indices: Indices, count: int) -> Indices:
    n = len(indptr) - 1
    distance = np.full((count, n), -1, np.int32)
    nearest = np.full(n, np.iinfo(np.int32).max, np.int32)
    queue = np.empty(n, np.int64)
    pivot = 0
    for p in range(count):
        row = distance[p]
        row[pivot] = 0
        queue[0] = pivot
        head, tail = 0, 1
        while head < tail:
            u = queue[head]
            head += 1
            for k in range(indptr[u], indptr[u + 1]):
                if row[indices[k]] < 0:
                    row[indices[k]] = row[u] + 1
                    queue[tail] = indices[k]
                    tail += 1
        farthest = -1
        for v in range(n):
            if row[v] >= 0 and row[v] < nearest[v]:
                nearest[v] = row[v]
            if nearest[v] > farthest:
                farthest = nearest[v]
                pivot = v
    return distance.T.copy()
