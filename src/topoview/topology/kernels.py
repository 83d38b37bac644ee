"""Kernels that count messages, compare edges, and improve places in space."""

import cython
import numpy as np

if not cython.compiled:
    from math import sqrt

    from topoview.base.hashing import slot_of
    from topoview.base.kinds import *

    Sums = tuple[Ints, Ints, int]


def count_pairs(  # noqa: PLR0913 - it goes on where it was
    sender: Indices,
    receiver: Indices,
    number: Ints,
    size: Ints,
    ranks: Int,
    key: OutInts,
    calls: OutInts,
    volume: OutInts,
    used: Int,
    begin: Int,
) -> Pair:
    """Add up messages of the same pair, until the table is two thirds full.

    Parameters
    ----------
    sender, receiver : int32, shape (n,)
        Ranks; what has one outside the world is left out.
    number, size : int64, shape (n,)
        Messages and bytes of each.
    ranks
        Ranks of the world.
    key, calls, volume : int64, shape (power of two,)
        The table: sender * ranks + receiver, -1 where there is none, and the sums.
    used
        Pairs in it.
    begin
        The first that is added.

    Returns
    -------
    int and int
        The first that was not added, and pairs in the table then.
    """
    last: Int = -1
    place: Int = 0
    i: Int = begin
    with cython.nogil:
        while i < len(sender):
            one: Int = sender[i]
            other: Int = receiver[i]
            if 0 <= one < ranks and 0 <= other < ranks:
                pair: Int = one * ranks + other
                if pair != last:  # neighbours are often equal
                    place = slot_of(key, pair)
                    last = pair
                    if key[place] < 0:
                        if 3 * used > 2 * len(key):
                            break
                        key[place] = pair
                        used += 1
                calls[place] += number[i]
                volume[place] += size[i]
            i += 1
    return i, used


def both_ways(  # noqa: C901 - one pass of a merge
    indptr: Ints, indices: Indices, calls: Ints, volume: Ints, pairs: OutIndexRows
) -> Sums:
    """Add up what ranks of a pair send each other, in linear time.

    Parameters
    ----------
    indptr : int64, shape (n + 1,)
    indices : int32, shape (k,)
        Receivers of each rank, in compressed rows, ascending.
    calls, volume : int64, shape (k,)
        Messages and bytes.
    pairs : int32, shape (k, 2)
        Gets the pairs, smaller first, sorted.

    Returns
    -------
    calls, volume : int64, shape (k,)
        Of each pair, as far as there are pairs.
    int
        How many there are.
    """
    n: Int = len(indptr) - 1
    sums = np.zeros(len(indices), np.int64), np.zeros(len(indices), np.int64)
    messages: OutInts = sums[0]
    amount: OutInts = sums[1]
    # what larger ranks send to each, in order of the larger
    begin: OutInts = np.zeros(n + 1, np.int64)
    sender: OutIndices = np.empty(len(indices), np.int32)
    arc: OutInts = np.empty(len(indices), np.int64)
    count: Int = 0
    u: Int
    k: Int
    with cython.nogil:
        for u in range(n):
            for k in range(indptr[u], indptr[u + 1]):
                if indices[k] < u:
                    begin[indices[k] + 1] += 1
        for u in range(n):
            begin[u + 1] += begin[u]
        for u in range(n):
            for k in range(indptr[u], indptr[u + 1]):
                if indices[k] < u:
                    sender[begin[indices[k]]] = u
                    arc[begin[indices[k]]] = k
                    begin[indices[k]] += 1
        back: Int = 0
        for u in range(n):  # merge what it sends to larger ones and gets from them
            k = indptr[u]
            while k < indptr[u + 1] and indices[k] <= u:
                k += 1
            while k < indptr[u + 1] or back < begin[u]:
                there: Int = indices[k] if k < indptr[u + 1] else n
                here: Int = sender[back] if back < begin[u] else n
                pairs[count, 0] = u
                pairs[count, 1] = min(there, here)
                if there <= here:
                    messages[count] += calls[k]
                    amount[count] += volume[k]
                    k += 1
                if here <= there:
                    messages[count] += calls[arc[back]]
                    amount[count] += volume[arc[back]]
                    back += 1
                count += 1
    return *sums, count


def merged_in(keys: Ints, others: Ints) -> Bools:
    """Find which of some keys are among others; both ascend, the first are distinct.

    As `numpy.isin`, which takes ten times as long.

    Parameters
    ----------
    keys, others : int64, shapes (n,) and (m,)

    Returns
    -------
    bool, shape (n,)
    """
    among = np.empty(len(keys), np.bool_)
    is_among: OutBools = among
    many: Int = len(others)
    j: Int = 0
    i: Int
    with cython.nogil:
        for i in range(len(keys)):
            key = keys[i]
            while j < many and others[j] < key:
                j += 1
            is_among[i] = j < many and others[j] == key
    return among


@cython.cdivision(True)  # no divisor is zero
def majorise(  # noqa: C901, PLR0913 - what stress consists of
    indptr: Ints,
    indices: Indices,
    distance: IndexRows,
    pivot: Ints,
    nearest: Floats,
    places: OutFloatRows,
    rounds: Int,
) -> None:
    """Move vertices, in place, so that distances in space follow those along paths.

    Parameters
    ----------
    indptr, indices
        Neighbours of the vertices, in compressed rows: distance 1.
    distance : int32, shape (n, p)
        Along paths, from each vertex to each pivot.
    pivot : int64, shape (p,)
        Vertices.
    nearest : float64, shape (p,)
        For how many vertices each pivot counts.
    places : float64, shape (n, dims)
        Where the vertices are.
    rounds
        How often each is moved.
    """
    n: Int = places.shape[0]
    dims: Int = places.shape[1]
    goal: OutFloats = np.empty(dims)
    step: OutFloats = np.empty(dims)
    v: Int
    k: Int
    i: Int
    with cython.nogil:
        for _ in range(rounds):
            for v in range(n):
                for i in range(dims):
                    goal[i] = 0.0
                total: Float = 0.0
                first: Int = indptr[v]
                degree: Int = indptr[v + 1] - first
                for k in range(degree + len(pivot)):
                    u: Int
                    wanted: Float = 1.0
                    weight: Float = 1.0
                    if k < degree:
                        u = indices[first + k]
                    else:
                        u = pivot[k - degree]
                        wanted = distance[v, k - degree]
                        if wanted < 2.0:  # itself, and neighbours that count already
                            continue
                        weight = nearest[k - degree] / (wanted * wanted)
                    # each draws the vertex to where the distance is as wanted
                    length: Float = 0.0
                    for i in range(dims):
                        step[i] = places[v, i] - places[u, i]
                        length += step[i] * step[i]
                    length = max(sqrt(length), 1e-9)
                    total += weight
                    for i in range(dims):
                        goal[i] += weight * (places[u, i] + wanted * step[i] / length)
                if total > 0.0:
                    for i in range(dims):
                        places[v, i] = goal[i] / total
