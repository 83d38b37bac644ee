"""Kernels of topology/noise."""

import numpy as np

from topoview.base.kernels import kernel
from topoview.model import Indices, Ints
from topoview.topology.graph.percolation_kernels import Rows

MAX_DEGREE = 256
"""Neighbours beyond which a vertex is left where it is."""


@kernel
def agreement(rows: Rows, wanted: Rows, vertex: Ints) -> Ints:
    """Count neighbours of each vertex that the template has beside it, too: (n,)."""
    indptr, indices = rows
    tptr, tind = wanted
    n = len(vertex)
    mark = np.full(n, -1, np.int64)
    agree = np.zeros(n, np.int64)
    for v in range(n):
        if vertex[v] < 0:
            continue
        for k in range(tptr[vertex[v]], tptr[vertex[v] + 1]):
            mark[tind[k]] = v
        for k in range(indptr[v], indptr[v + 1]):
            place = vertex[indices[k]]
            if place >= 0 and mark[place] == v:
                agree[v] += 1
    return agree


@kernel
def fits_at(rows: Rows, wanted: Rows, vertex: Ints, v: int, mark: Ints) -> int:
    # neighbours of one vertex that the template has beside it, too
    tptr, tind = wanted
    count = 0
    place = vertex[v]
    for k in range(tptr[place], tptr[place + 1]):
        mark[tind[k]] = 1
    for k in range(rows[0][v], rows[0][v + 1]):
        count += mark[vertex[rows[1][k]]]
    for k in range(tptr[place], tptr[place + 1]):
        mark[tind[k]] = 0
    return count


@kernel
def improve_once(  # noqa: PLR0913 - tries and undoes
    rows: Rows,
    wanted: Rows,
    vertex: Ints,
    agree: Ints,
    at: Ints,
    tried: Ints,
    mark: Ints,
    turn: int,
) -> bool:
    indptr, indices = rows
    tptr, tind = wanted
    changed = False
    for v in range(len(vertex)):
        here = indptr[v + 1] - indptr[v]
        there = tptr[vertex[v] + 1] - tptr[vertex[v]]
        if agree[v] >= max(here, there) or here > MAX_DEGREE:
            continue
        old, place, most = vertex[v], -1, 0
        fits = fits_at(rows, wanted, vertex, v, mark)
        tried[old] = turn + v
        for k in range(indptr[v], indptr[v + 1]):
            beside = vertex[indices[k]]
            for j in range(tptr[beside], tptr[beside + 1]):
                t = tind[j]
                if tried[t] == turn + v:
                    continue
                tried[t] = turn + v
                other = at[t]
                before = fits + fits_at(rows, wanted, vertex, other, mark)
                vertex[v], vertex[other] = t, old
                after = fits_at(rows, wanted, vertex, v, mark)
                after += fits_at(rows, wanted, vertex, other, mark)
                vertex[v], vertex[other] = old, t
                if after - before > most:
                    most, place = after - before, t
        if place >= 0:
            other = at[place]
            vertex[v], vertex[other] = place, old
            at[place], at[old] = v, other
            changed = True
    return changed


@kernel
def find_squares(indptr: Ints, indices: Indices, edge_of: Indices, edges: int) -> Ints:
    counts = np.zeros(edges, np.int64)
    paths = np.zeros(len(indptr) - 1, np.int64)  # of length 2 from u
    for u in range(len(indptr) - 1):
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
