"""Kernels that find for whom ranks wait in collective operations."""

import cython
import numpy as np

if not cython.compiled:
    from topoview.base.hashing import slot_of
    from topoview.base.kinds import *
    from topoview.base.ordering import search_left, search_right
    from topoview.model import WAIT_KINDS

    BROADCAST, REDUCE, SCAN = (
        WAIT_KINDS.index(kind)
        for kind in ("late_broadcast", "early_reduce", "early_scan")
    )
    """Operations in which a rank does not wait for all."""


def latest_parts(came: IntRows) -> OutBools:
    """Keep who came after all before; of these but the last, where that is enough.

    Parameters
    ----------
    came : int64, shape (5, parts)
        By operation, then rank: number of the operation, rank, its call, when that
        began, and whether the ranks before are asked for, as in a scan.

    Returns
    -------
    bool, shape (parts,)
    """
    keeps = np.zeros(came.shape[1], np.bool_)
    kept: OutBools = keeps
    last: Int = -1
    i: Int
    with cython.nogil:
        for i in range(len(kept)):
            if last >= 0 and came[0, last] == came[0, i]:
                if came[3, i] <= came[3, last]:
                    continue
                if not came[4, last]:
                    kept[last] = False
            kept[i] = True
            last = i
    return keeps


def needed_parts(  # noqa: PLR0913
    operation: Ints,
    rank: Ints,
    kind: Bytes,
    is_root: Bools,
    came: IntRows,
    roots: IntRows,
) -> OutIntRows:
    """Find for whom parts in collective operations wait.

    Parameters
    ----------
    operation, rank, kind, is_root : shape (parts,)
        As of `OperationParts`.
    came, roots : int64, shape (5, n)
        Of those that came last, as from `latest_parts`, and of roots.

    Returns
    -------
    int64, shape (3, parts)
        Rank, its call, and when that began; -1 for none.
    """
    needed = np.full((3, len(operation)), -1, np.int64)
    need: OutIntRows = needed
    operations: Ints = came[0]
    of_roots: Ints = roots[0]
    i: Int
    k: Int
    with cython.nogil:
        for i in range(len(operation)):
            if kind[i] == BROADCAST:
                row: Int = search_right(of_roots, operation[i]) - 1
                if row >= 0 and of_roots[row] == operation[i]:
                    for k in range(3):
                        need[k, i] = roots[k + 1, row]
            elif kind[i] != REDUCE or is_root[i]:
                row = search_right(operations, operation[i]) - 1
                if kind[i] == SCAN:
                    while row >= 0 and came[1, row] > rank[i]:
                        row -= 1
                if row >= 0 and operations[row] == operation[i]:
                    for k in range(3):
                        need[k, i] = came[k + 1, row]
    return needed


def earlier_uses(key: Ints, times: Ints) -> OutInts:
    """Count how often each key has come before.

    Parameters
    ----------
    key : int64, shape (n,)
        Not negative.
    times : int64, shape (n,)
        How often it comes there.

    Returns
    -------
    int64, shape (n,)
    """
    size: Int = 1
    while size <= 2 * len(key):
        size *= 2
    slots: OutInts = np.full(size, -1, np.int64)
    count: OutInts = np.full(size, 0, np.int64)
    turns = np.empty(len(key), np.int64)
    turn: OutInts = turns
    k: Int
    with cython.nogil:
        for k in range(len(key)):
            slot: Int = slot_of(slots, key[k])
            slots[slot] = key[k]
            turn[k] = count[slot]
            count[slot] += times[k]
    return turns


def last_operation(  # noqa: PLR0913
    met: IntRows, order: Ints, cause: Ints, rank: Indices, own: OutInts, other: OutInts
) -> None:
    """Find the last operation of all before both calls, where it is a later meeting.

    Parameters
    ----------
    met : int64, shape (ranks, operations)
        Calls in which each rank took part in them.
    order, cause, rank, own, other
        As for `last_messages`.
    """
    k: Int
    with cython.nogil:
        for k in range(len(order)):
            call: Int = order[k]
            needed: Int = cause[call]
            mine: Int = rank[call]
            its: Int = rank[needed]
            n: Int = search_left(met[mine], call)
            n = min(n, search_left(met[its], needed)) - 1
            while n >= 0 and (met[mine, n] >= call or met[its, n] >= needed):
                n -= 1  # their ranks may do them in another order
            if n >= 0 and met[mine, n] > own[k]:
                own[k], other[k] = met[mine, n], met[its, n]
