"""How ranks divide a stretch of time among their states, and which states occur."""

import numba
import numpy as np

from topoview.model import Bools, Bytes, Ints, MPIState, Trace


def state_ticks(trace: Trace, window: tuple[int, int]) -> Ints:
    """Sum up the time that each rank's main thread is in each state.

    Looks only at the intervals that lie in the window: a binary search and a
    scan a rank.

    Parameters
    ----------
    trace
        The trace.
    window
        Begin and end in ticks.

    Returns
    -------
    int64, shape (ranks, len(MPIState))
        Ticks.
    """
    timeline = trace.timeline
    ticks = np.zeros((trace.ranks, len(MPIState)), np.int64)
    _add_up(timeline.offsets, timeline.time, timeline.state, window, ticks)
    return ticks


@numba.njit(nogil=True, cache=True)
def _add_up(
    offsets: Ints, time: Ints, state: Bytes, window: tuple[int, int], ticks: Ints
) -> None:
    begin, end = window
    for row in range(len(ticks)):
        low, stop = offsets[row], offsets[row + 1]
        at = low + np.searchsorted(time[low:stop], begin, side="right") - 1
        for i in range(max(at, low), stop):
            if time[i] >= end:
                break
            until = end if i + 1 == stop else min(time[i + 1], end)
            ticks[row, state[i]] += max(until - max(time[i], begin), 0)


def longest_ticks(trace: Trace, states: tuple[MPIState, ...]) -> int:
    """Find the longest time that a rank's main thread was in one of some states."""
    wanted = np.zeros(len(MPIState), np.bool_)
    wanted[list(states)] = True
    timeline = trace.timeline
    found = _longest(
        timeline.offsets[: trace.ranks + 1], timeline.time, timeline.state, wanted
    )
    return int(found)


@numba.njit(nogil=True, cache=True)
def _longest(offsets: Ints, time: Ints, state: Bytes, wanted: Bools) -> np.int64:
    longest = np.int64(0)
    for row in range(len(offsets) - 1):
        for i in range(offsets[row], offsets[row + 1] - 1):
            if wanted[state[i]]:
                longest = max(longest, time[i + 1] - time[i])
    return longest


@numba.njit(nogil=True, cache=True)
def states_in(state: Bytes) -> Ints:
    """Codes of the states that occur, ascending; one pass without a copy."""
    seen = np.zeros(256, np.bool_)
    for code in state:
        seen[code] = True
    return np.flatnonzero(seen)
