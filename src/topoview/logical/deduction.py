"""What a trace does not record but what follows from the rules of MPI.

EZTrace records neither the receives nor the completion of requests that C
programs wait for.
"""

import numba
import numpy as np

from topoview.logical.arrays import stretch
from topoview.logical.operations import PLAIN_RECEIVES, POSTING, WAITING, among
from topoview.model import Bools, Ints, Trace
from topoview.progress import in_breaths


def receive_calls(trace: Trace, operation: Ints) -> Ints:
    """Find the call that received, or posted the receive of, each message.

    Messages without a recorded receive are given to the rank's receives
    without a message, in order (MPI 4.1, section 3.5, messages do not
    overtake), if they have one sender and are equally many.

    Parameters
    ----------
    operation : int64, shape (calls,)
        Operation of the ranks' calls.

    Returns
    -------
    int64, shape (messages,)
        -1 where it is not known.
    """
    messages, ranks = trace.messages, trace.ranks
    found = messages.receive_call
    lost = np.flatnonzero((found < 0) & (messages.send_call >= 0))
    if not len(lost):
        return found
    free = among(trace.regions, PLAIN_RECEIVES)[operation]
    free[found[(found >= 0) & (found < len(free))]] = False
    calls = np.flatnonzero(free)
    rank = np.searchsorted(trace.calls.offsets[1:], calls, side="right")
    receiver, sender = messages.receiver[lost], messages.sender[lost]
    low = np.full(ranks, ranks, np.int64)
    high = np.full(ranks, -1, np.int64)
    stretch(low, high, receiver.astype(np.int64), sender.astype(np.int64))
    counts = np.bincount(receiver, minlength=ranks)
    clear = (low == high) & (counts == np.bincount(rank, minlength=ranks))
    chosen = lost[clear[receiver]]
    order = np.lexsort((messages.send_call[chosen], messages.receiver[chosen]))
    deduced = found.copy()
    deduced[chosen[order]] = calls[clear[rank]]
    return deduced


def completions(trace: Trace, operation: Ints) -> Ints:
    """Find the call whose request each Wait completes.

    Where no Wait of the trace says so, a Wait of a rank that has just one
    request open completes that (unless Startall opens more than can be told).

    Returns
    -------
    int64, shape (calls,)
        -1 where it is not known, and for other calls.
    """
    waiting = among(trace.regions, WAITING)
    starting = among(trace.regions, frozenset({"Startall"}))
    wait = np.empty(len(operation), bool)
    recorded = np.empty(len(operation), np.int64)
    told = several = False
    for some in in_breaths(len(operation)):
        wait[some] = waiting[operation[some]]
        recorded[some] = np.where(wait[some], trace.calls.completes[some], -1)
        told = told or bool((recorded[some] >= 0).any())
        several = several or bool(starting[operation[some]].any())
    if told or several or not wait.any():
        return recorded
    return _only_open(
        trace.calls.offsets[: trace.ranks + 1],
        among(trace.regions, POSTING)[operation],
        wait,
        among(trace.regions, frozenset({"Waitall"}))[operation],
    )


@numba.njit(nogil=True, cache=True)
def _only_open(offsets: Ints, posts: Bools, wait: Bools, waitall: Bools) -> Ints:
    completes = np.full(len(posts), -1, np.int64)
    for rank in range(len(offsets) - 1):
        open_requests, last = 0, -1
        for call in range(offsets[rank], offsets[rank + 1]):
            if posts[call]:
                open_requests += 1
                last = call
            elif waitall[call]:
                open_requests, last = 0, -1
            elif wait[call]:
                if open_requests == 1:
                    completes[call] = last
                open_requests = max(open_requests - 1, 0)
                last = -1
    return completes
