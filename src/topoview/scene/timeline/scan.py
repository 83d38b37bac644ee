"""Compiled code that makes pixels of intervals, one after the other."""

from typing import Final

import numba
import numpy as np

from topoview.model import Bytes, Indices, Ints, MPIState

STATES: Final = len(MPIState)


@numba.njit(nogil=True, cache=True)
def interval_at(time: Ints, low: int, high: int, ticks: int) -> int:
    """Last index in [low, high) whose time is not after `ticks`, else `low`."""
    while high - low > 1:
        middle = (low + high) >> 1
        if time[middle] <= ticks:
            low = middle
        else:
            high = middle
    return low


@numba.njit(nogil=True, forceinline=True)
def spend(  # noqa: PLR0913
    time: Ints,
    state: Bytes,
    at: int,
    stop: int,
    begin: int,
    since: int,
    until: int,
    width: int,
    spent: Ints,
) -> int:
    """Add up the time by state between two moments, from an interval on.

    Times within the window are counted in ticks / width from its begin: pixel x lasts
    from x * span to (x + 1) * span, and all sums are exact integers.

    Returns
    -------
    int
        The interval of the second moment.
    """
    tick = begin + until // width
    while at + 1 < stop and time[at + 1] <= tick:
        change = (time[at + 1] - begin) * width
        spent[state[at]] += change - since
        since = change
        at += 1
    spent[state[at]] += until - since
    return at


@numba.njit(nogil=True, cache=True)
def dominant(  # noqa: PLR0913
    offsets: Ints,
    time: Ints,
    state: Bytes,
    rows: Indices,
    bounds: Ints,
    begin: int,
    end: int,
    out: Bytes,
) -> None:
    """Find the state that rows of a band have most of in each pixel."""
    bands, width = out.shape
    span = end - begin
    weight = np.zeros(STATES, np.int64)
    most = 1
    for band in range(bands):
        most = max(most, bounds[band + 1] - bounds[band])
    at = np.empty(most, np.int64)
    for band in range(bands):
        first = bounds[band]
        count = bounds[band + 1] - first
        for k in range(count):
            row = rows[first + k]
            at[k] = interval_at(time, offsets[row], offsets[row + 1], begin)
        for x in range(width):
            left = x * span
            right = left + span
            tick = begin + right // width
            if count == 1:
                i = at[0]
                if i + 1 >= offsets[rows[first] + 1] or time[i + 1] > tick:
                    out[band, x] = state[i]
                    continue
            for k in range(count):
                stop = offsets[rows[first + k] + 1]
                at[k] = spend(
                    time, state, at[k], stop, begin, left, right, width, weight
                )
            best = 0
            for s in range(STATES):
                if weight[s] >= weight[best]:
                    best = s
            out[band, x] = best
            weight[:] = 0


@numba.njit(nogil=True, cache=True)
def add_ticks(  # noqa: PLR0913
    offsets: Ints,
    time: Ints,
    state: Bytes,
    rows: Indices,
    begin: int,
    end: int,
    ticks: Ints,
) -> None:
    """Add up the time by state in each pixel, in ticks / width."""
    width = ticks.shape[0]
    span = end - begin
    for row in rows:
        i = interval_at(time, offsets[row], offsets[row + 1], begin)
        stop = offsets[row + 1]
        for x in range(width):
            left = x * span
            right = left + span
            i = spend(time, state, i, stop, begin, left, right, width, ticks[x])


@numba.njit(nogil=True, cache=True)
def mark(  # noqa: PLR0913
    offsets: Ints,
    enter: Ints,
    leave: Ints,
    state: Bytes,
    rows: Indices,
    bounds: Ints,
    begin: int,
    end: int,
    out: Bytes,
) -> None:
    """Mark the pixels that spans lie in with the state of the last one."""
    bands, width = out.shape
    span = end - begin
    for band in range(bands):
        for k in range(bounds[band], bounds[band + 1]):
            row = rows[k]
            if offsets[row] == offsets[row + 1]:
                continue
            i = interval_at(leave, offsets[row], offsets[row + 1], begin)
            while i < offsets[row + 1] and enter[i] < end:
                if leave[i] > begin or enter[i] >= begin:
                    first = max(0, (enter[i] - begin) * width // span)
                    last = (leave[i] - begin) * width - 1
                    last = min(width - 1, max(first, last // span))
                    out[band, first : last + 1] = state[i]
                i += 1
