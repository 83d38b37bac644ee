"""Kernels that compare a map of vertices with its template, and improve it.

``indptr`` and ``indices`` are the neighbours of the graph's vertices, in compressed
rows; ``tptr`` and ``tind`` those of the template's.
"""

import cython
import numpy as np

if not cython.compiled:
    from topoview.base.kinds import Bool, Indices, Int, Ints, OutInts

    MAX_DEGREE = 256
    """Neighbours beyond which a vertex is left where it is."""


def agreement(
    indptr: Ints, indices: Indices, tptr: Ints, tind: Indices, vertex: Ints
) -> Ints:
    """Count neighbours of each vertex that the template has beside it, too.

    Parameters
    ----------
    vertex : int64, shape (n,)
        Vertex of the template for each of the graph's, -1 where it has none.

    Returns
    -------
    int64, shape (n,)
    """
    counts = np.empty(len(vertex), np.int64)
    agree: OutInts = counts
    mark: OutInts = np.zeros(len(tptr) - 1, np.int64)
    v: Int
    with cython.nogil:
        for v in range(len(vertex)):
            agree[v] = fits_at(indptr, indices, tptr, tind, vertex, v, mark)
    return counts


def fits_at(  # noqa: PLR0913 - a graph, a template, and a map
    indptr: Ints,
    indices: Indices,
    tptr: Ints,
    tind: Indices,
    vertex: Ints,
    v: Int,
    mark: OutInts,
) -> Int:
    """Count neighbours of one vertex that the template has beside it, too.

    `mark` is 0 everywhere, before and after.
    """
    count: Int = 0
    k: Int
    if vertex[v] < 0:
        return 0
    first = tptr[vertex[v]]
    last = tptr[vertex[v] + 1]
    for k in range(first, last):
        mark[tind[k]] = 1
    for k in range(indptr[v], indptr[v + 1]):
        place: Int = vertex[indices[k]]
        if place >= 0:
            count += mark[place]
    for k in range(first, last):
        mark[tind[k]] = 0
    return count


def improve(  # noqa: C901, PLR0913 - tries and undoes
    indptr: Ints,
    indices: Indices,
    tptr: Ints,
    tind: Indices,
    vertex: OutInts,
    passes: Int,
) -> None:
    """Exchange badly placed vertices with others, in place, while that matches more.

    Parameters
    ----------
    vertex : int64, shape (n,)
        Vertex of the template for each of the graph's, none twice.
    passes
        How often all are tried.
    """
    n: Int = len(vertex)
    agree: OutInts = np.empty(n, np.int64)
    at: OutInts = np.empty(n, np.int64)  # who is at each of the template's vertices
    mark: OutInts = np.zeros(n, np.int64)
    votes: OutInts = np.zeros(n, np.int64)
    places: OutInts = np.empty(n, np.int64)
    turn: Int = 0
    changed: Bool = True
    v: Int
    k: Int
    j: Int
    with cython.nogil:
        for v in range(n):
            at[vertex[v]] = v
            agree[v] = fits_at(indptr, indices, tptr, tind, vertex, v, mark)
        while changed and turn < passes:
            changed = False
            turn += 1
            for v in range(n):
                old = vertex[v]
                here = indptr[v + 1] - indptr[v]
                there = tptr[old + 1] - tptr[old]
                if agree[v] >= max(here, there) or here > MAX_DEGREE:
                    continue
                # places beside those of its neighbours, by how many of these
                count: Int = 0
                for k in range(indptr[v], indptr[v + 1]):
                    beside = vertex[indices[k]]
                    for j in range(tptr[beside], tptr[beside + 1]):
                        if not votes[tind[j]]:
                            places[count] = tind[j]
                            count += 1
                        votes[tind[j]] += 1
                place: Int = -1
                most: Int = 0
                for k in range(count):
                    t: Int = places[k]
                    other = at[t]
                    before: Int = agree[v] + agree[other]
                    # 1 for the edge between both, if there is one
                    bound: Int = votes[t] + 1 - before
                    bound += min(indptr[other + 1] - indptr[other], there)
                    votes[t] = 0
                    if t == old or bound <= most:
                        continue
                    vertex[v], vertex[other] = t, old
                    gain: Int = -before
                    gain += fits_at(indptr, indices, tptr, tind, vertex, v, mark)
                    gain += fits_at(indptr, indices, tptr, tind, vertex, other, mark)
                    vertex[v], vertex[other] = old, t
                    if gain > most:
                        most, place = gain, t
                if place < 0:
                    continue
                other = at[place]
                vertex[v], vertex[other] = place, old
                at[place], at[old] = v, other
                changed = True
                for j in range(2):
                    w: Int = other if j else v
                    agree[w] = fits_at(indptr, indices, tptr, tind, vertex, w, mark)
                    for k in range(indptr[w], indptr[w + 1]):
                        agree[indices[k]] = fits_at(
                            indptr, indices, tptr, tind, vertex, indices[k], mark
                        )
