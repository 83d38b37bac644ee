"""Kernels that count messages, compare edges, and improve places in space."""

import cython
import numpy as np

if not cython.compiled:
    from math import sqrt

    from topoview.base.hashing import slot_of
    from topoview.base.kinds import (
        Bools,
        Float,
        Floats,
        IndexRows,
        Indices,
        Int,
        Ints,
        OutBools,
        OutFloatRows,
        OutFloats,
        OutInts,
        Pair,
    )


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
