"""Kernels of topology."""

import numpy as np

from topoview.base.hash_table import slot_of
from topoview.base.kernels import kernel
from topoview.model import Bools, Floats, Indices, Ints


@kernel
def count_pairs(  # noqa: PLR0913
    sender: Indices,
    receiver: Indices,
    number: Ints,
    size: Ints,
    ranks: int,
    key: Ints,
    calls: Ints,
    volume: Ints,
    used: int,
    begin: int,
) -> tuple[int, int]:
    """Add up messages of the same pair, until the table is two thirds full."""
    last, place = np.int64(-1), np.int64(0)
    for i in range(begin, len(sender)):
        one, other = np.int64(sender[i]), np.int64(receiver[i])
        if one < 0 or one >= ranks or other < 0 or other >= ranks:
            continue
        pair = one * ranks + other
        if pair != last:
            place, last = slot_of(key, pair), pair
            if key[place] < 0:
                if 3 * used > 2 * len(key):
                    return i, used
                key[place] = pair
                used += 1
        calls[place] += number[i]
        volume[place] += size[i]
    return len(sender), used


@kernel
def merged_in(keys: Ints, of: Ints) -> Bools:
    """Tell which of some keys are among others; both ascend, the first are distinct.

    As `numpy.isin`, which takes ten times as long.
    """
    found = np.zeros(len(keys), np.bool_)
    j = 0
    for i in range(len(keys)):
        while j < len(of) and of[j] < keys[i]:
            j += 1
        found[i] = j < len(of) and of[j] == keys[i]
    return found


@kernel
def majorise(  # noqa: PLR0913 - what stress consists of
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
