"""Records of one-sided calls and files: the call of each, and whom they reach.

A target is told by its number in a window. Whose number that is follows from who made
the window.
"""

import numba
import numpy as np

from topoview.logical.arrays import repeated
from topoview.model import Ints, Records, Trace


def ranks_of(trace: Trace, records: Records) -> Ints:
    """Rank of each record of a main thread; those of other threads come later."""
    counts = np.diff(records.offsets)[: trace.ranks]
    return repeated(np.arange(trace.ranks), counts)


def calls_around(trace: Trace, rank: Ints, time: Ints) -> Ints:
    """Find the call of each rank's main thread in which a time lies, -1 for none."""
    calls = trace.calls
    return _calls_around(calls.offsets, calls.enter, calls.leave, rank, time)


@numba.njit(nogil=True, cache=True)
def _calls_around(
    offsets: Ints, enter: Ints, leave: Ints, row: Ints, time: Ints
) -> Ints:
    found = np.full(len(time), -1, np.int64)
    for k in range(len(time)):
        low, high = offsets[row[k]], offsets[row[k] + 1]
        at = low + np.searchsorted(enter[low:high], time[k], side="right") - 1
        if at >= low and leave[at] >= time[k]:
            found[k] = at
    return found


def world_targets(
    window: Ints, remote: Ints, members: dict[int, Ints], ranks: int
) -> Ints:
    """World ranks that numbers in windows mean.

    Parameters
    ----------
    window, remote : int64, shape (n,)
        Identifiers of windows, and numbers in them.
    members
        As `window_members` tells them.
    ranks
        Ranks of the trace.

    Returns
    -------
    int64, shape (n,)
        -1 for numbers that nobody has.
    """
    everybody = np.arange(ranks)
    target = np.full(len(window), -1, np.int64)
    order = np.argsort(window, kind="stable")
    for own in np.split(order, np.flatnonzero(np.diff(window[order])) + 1):
        if len(own):
            group = members.get(int(window[own[0]]), everybody)
            own = own[(remote[own] >= 0) & (remote[own] < len(group))]
            target[own] = group[remote[own]]
    return target


def window_members(trace: Trace) -> dict[int, Ints]:
    """World ranks of each window's members: of those who made it.

    A window that not all ranks made is of the communicator that has just these;
    nothing is told of one that no communicator fits. One that all made is missing.

    Returns
    -------
    dict
        By the window's identifier: int64, shape (members,).
    """
    made = next((r for r in trace.further if r.name == "RmaWinCreate"), None)
    if made is None:
        return {}
    rank = ranks_of(trace, made)
    window = made.column("window")[: len(rank)]
    sets = {
        tuple(sorted(c.ranks.tolist())): c.ranks.astype(np.int64)
        for c in reversed(trace.communicators)
    }
    found: dict[int, Ints] = {}
    pairs = np.unique(np.stack([window, rank], axis=1), axis=0)
    for of_one in np.split(pairs, np.flatnonzero(np.diff(pairs[:, 0])) + 1):
        if 0 < len(of_one) < trace.ranks:
            own = tuple(of_one[:, 1].tolist())
            found[int(of_one[0, 0])] = sets.get(own, np.zeros(0, np.int64))
    return found
