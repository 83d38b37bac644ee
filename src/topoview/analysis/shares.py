"""How ranks divide a stretch of time among their states, and which states occur."""

import numba
import numpy as np

from topoview.model import Bools, Bytes, Ints, MPIState, Trace


def state_ticks(trace: Trace, window: tuple[int, int], rows: int | None = None) -> Ints:
    """Sum up the time that each rank's main thread is in each state.

    Looks only at the intervals that lie in the window: a binary search and a
    scan a rank.

    Parameters
    ----------
    trace
        The trace.
    window
        Begin and end in ticks.
    rows
        How many rows of the timeline are looked at; the main threads if None.

    Returns
    -------
    int64, shape (rows, len(MPIState))
        Ticks.
    """
    timeline = trace.timeline
    count = trace.ranks if rows is None else rows
    ticks = np.zeros((count, len(MPIState)), np.int64)
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


PRIORITY = np.array([0, 1, 7, 8, 9, 6, 5, 4, 3, 2], np.uint8)
"""Of `MPIState` codes: which state is shown of several within a frame, the highest.
Waiting before other MPI calls, those before computing."""


def foremost(trace: Trace, before: Ints, at: Ints) -> Ints:
    """Find the interval of the foremost state since a time, by `PRIORITY`.

    Parameters
    ----------
    before, at : int64, shape (ranks,)
        The intervals that each rank was in then, and is in now.

    Returns
    -------
    int64, shape (ranks,)
        The latest of equals.
    """
    return _foremost(trace.timeline.state, before, at, PRIORITY)


@numba.njit(nogil=True, cache=True)
def _foremost(state: Bytes, before: Ints, at: Ints, priority: Bytes) -> Ints:
    found = at.copy()
    for row in range(len(at)):
        for i in range(at[row] - 1, before[row] - 1, -1):
            if priority[state[i]] > priority[state[found[row]]]:
                found[row] = i
    return found


def states_of(trace: Trace) -> frozenset[int]:
    """Codes of the states that ranks are in at any time; looked for once."""
    from topoview.analysis.overview import overview

    return frozenset(overview(trace).states)


def late_ticks(trace: Trace, until: Ints, window: tuple[int, int]) -> Ints:
    """Sum up the time in a window that each rank's calls waited for late partners.

    Parameters
    ----------
    until : int64, shape (calls,)
        As in `topoview.analysis.lateness.Waits`.

    Returns
    -------
    int64, shape (ranks,)
        Ticks.
    """
    calls = trace.calls
    offsets = calls.offsets[: trace.ranks + 1]
    return _late(offsets, calls.enter, calls.leave, until, window)


@numba.njit(nogil=True, cache=True)
def _late(
    offsets: Ints, enter: Ints, leave: Ints, until: Ints, window: tuple[int, int]
) -> Ints:
    begin, end = window
    found = np.zeros(len(offsets) - 1, np.int64)
    for row in range(len(found)):
        low, stop = offsets[row], offsets[row + 1]
        at = low + np.searchsorted(leave[low:stop], begin, side="right")
        for i in range(at, stop):
            if enter[i] >= end:
                break
            last = min(until[i], leave[i], end)
            found[row] += max(last - max(enter[i], begin), 0)
    return found
