"""Kernels that count messages, compare edges, and improve places in space."""

import cython
import numpy as np

if not cython.compiled:
    from math import sqrt

    from topoview.base.hashing import slot_of
    from topoview.base.kinds import *

    Back = tuple[Ints, Indices, Ints, int]


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


def arcs_back(indptr: Ints, indices: Indices, first: Int, last: Int) -> Back:
    """Turn the arcs from larger ranks to some around, and count the pairs of these.

    Parameters
    ----------
    indptr : int64, shape (n + 1,)
    indices : int32, shape (k,)
        Receivers of each rank, in compressed rows, ascending.
    first, last
        The first of the ranks, and the first that is none of them.

    Returns
    -------
    ends : int64, shape (last - first,)
        Where the arcs to each of them end.
    senders : int32, shape (arcs,)
    arcs : int64, shape (arcs,)
        Larger ranks that send to each, ascending, and the arc of each.
    int
        Of how many pairs they are the smaller rank.
    """
    n: Int = len(indptr) - 1
    ends = np.zeros(last - first, np.int64)
    begin: OutInts = ends
    count: Int = 0
    u: Int
    k: Int
    with cython.nogil:
        for u in range(first, n):
            k = row_from(indptr, indices, u, first)
            while k < indptr[u + 1] and indices[k] < u and indices[k] < last:
                begin[indices[k] - first] += 1
                k += 1
        for u in range(last - first):
            begin[u], count = count, count + begin[u]
    senders, arcs = np.empty(count, np.int32), np.empty(count, np.int64)
    sender: OutIndices = senders
    arc: OutInts = arcs
    with cython.nogil:
        for u in range(first, n):
            k = row_from(indptr, indices, u, first)
            while k < indptr[u + 1] and indices[k] < u and indices[k] < last:
                v: Int = indices[k] - first
                sender[begin[v]], arc[begin[v]] = u, k
                begin[v] += 1
                k += 1
        back: Int = 0
        count = 0
        for u in range(last - first):
            k = row_from(indptr, indices, first + u, first + u + 1)
            while k < indptr[first + u + 1] or back < begin[u]:
                there: Int = indices[k] if k < indptr[first + u + 1] else n
                here: Int = sender[back] if back < begin[u] else n
                k += there <= here
                back += here <= there
                count += 1
    return ends, senders, arcs, count


def row_from(indptr: Ints, indices: Indices, u: Int, least: Int) -> Int:
    """Find the first arc of a rank that leads to one that is no less than another."""
    k: Int = indptr[u]
    end: Int = indptr[u + 1]
    if k < end and indices[k] < least:
        while k < end:
            middle: Int = (k + end) >> 1
            if indices[middle] < least:
                k = middle + 1
            else:
                end = middle
    return k


def both_ways(  # noqa: PLR0913 - what is sent, and what is made of it
    indptr: Ints,
    indices: Indices,
    calls: Ints,
    volume: Ints,
    first: Int,
    ends: Ints,
    sender: Indices,
    arc: Ints,
    pairs: OutIndexRows,
    messages: OutInts,
    amount: OutInts,
) -> None:
    """Add up what ranks send each other, for pairs whose smaller rank is one of some.

    Parameters
    ----------
    indptr, indices
        As in `arcs_back`.
    calls, volume : int64, shape (k,)
        Messages and bytes of each arc.
    first
        The first of the ranks.
    ends, sender, arc
        What `arcs_back` returns for them.
    pairs : int32, shape (m, 2)
        Gets the pairs, smaller first, sorted.
    messages, amount : int64, shape (m,)
        0 at first; get messages and bytes of each.
    """
    n: Int = len(indptr) - 1
    count: Int = 0
    at: Int = 0
    u: Int
    with cython.nogil:
        for u in range(first, first + len(ends)):
            k: Int = row_from(indptr, indices, u, u + 1)
            end: Int = ends[u - first]
            while k < indptr[u + 1] or at < end:
                there: Int = indices[k] if k < indptr[u + 1] else n
                here: Int = sender[at] if at < end else n
                pairs[count, 0] = u
                pairs[count, 1] = min(there, here)
                if there <= here:
                    messages[count] += calls[k]
                    amount[count] += volume[k]
                    k += 1
                if here <= there:
                    messages[count] += calls[arc[at]]
                    amount[count] += volume[arc[at]]
                    at += 1
                count += 1


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
