"""Cuts moved to where the partners of one kind of stretch end.

Windows of a few messages cannot see a stretch of one or two: what is cut out holds
their neighbours, too. A partner that one kind of stretch has at its edges only, and
the kind beside it also in its midst, belongs to that one.
"""

import numba
import numpy as np

from topoview.analysis.partner_cuts import MOST_KINDS
from topoview.model import Bools, Indices, Ints


@numba.njit(nogil=True, cache=True)
def move_edges(begins: Ints, symbol: Indices, kind: Indices) -> None:
    """Let events at the edges of stretches join the stretch beside them; in place.

    No stretch becomes empty: the sequence of kinds stays. A partner that may go
    either way stays, too. Linear in the events, but for partners that others hide.

    Parameters
    ----------
    begins : int64, shape (rows + 1,)
        Where the events of each row begin.
    symbol : int32, shape (events,)
        Partner of each event, numbered from 0 in each row.
    kind : int32, shape (events,)
        Kind of each event's stretch, -1 throughout rows without.
    """
    for row in range(len(begins) - 1):
        begin, end = begins[row], begins[row + 1]
        if begin == end or kind[begin:end].min() < 0:
            continue
        _join(symbol[begin:end], kind[begin:end])


@numba.njit(nogil=True, cache=True)
def _join(own: Indices, kinds: Indices) -> None:
    """Do it in one row."""
    counts = np.zeros((MOST_KINDS, own.max() + 1), np.int64)
    for i in range(len(own)):
        counts[kinds[i], own[i]] += 1
    free = np.zeros(counts.shape, np.bool_)
    for s in range(counts.shape[1]):
        if np.sum(counts[:, s] > 0) == 2:
            free[:, s] = counts[:, s] > 0
    while free.any():
        target = _targets(own, kinds, counts, free)
        at_edge = np.zeros(counts.shape, np.int64)
        for i in range(len(own)):
            at_edge[kinds[i], own[i]] += target[i] >= 0
        kept = free & (at_edge == counts)
        settled = np.array_equal(kept, free)
        if settled:  # but for what may go either way
            for s in range(counts.shape[1]):
                kept[:, s] &= np.sum(kept[:, s]) < 2
        if settled and np.array_equal(kept, free):
            kinds[:] = np.where(target >= 0, target, kinds)
            break
        free = kept


@numba.njit(nogil=True, cache=True)
def _targets(own: Indices, kinds: Indices, counts: Ints, free: Bools) -> Indices:
    """Kind beside each event's stretch that it may join, -1 where it may not.

    Between the event and that stretch are only such that may join it, too.
    """
    target = np.full(len(own), -1, np.int32)
    start = 0
    while start < len(own):
        stop = start
        while stop < len(own) and kinds[stop] == kinds[start]:
            stop += 1
        low, high = start, stop
        if start > 0:
            before = kinds[start - 1]
            while (
                low < stop and free[kinds[low], own[low]] and counts[before, own[low]]
            ):
                target[low] = before
                low += 1
        if stop < len(own):
            after = kinds[stop]
            while high > low and (
                free[kinds[high - 1], own[high - 1]] and counts[after, own[high - 1]]
            ):
                high -= 1
                target[high] = after
        if low == high:
            target[start:stop] = -1
        start = stop
    return target
