"""Compiled searches in columns that are sorted row by row: what each frame needs.

What was found last is kept with the column: the same time is not searched again, and
another one from there on. While time runs most rows are where they were, so that a
frame looks at one number of each.
"""

from dataclasses import dataclass
from typing import Final
from weakref import WeakKeyDictionary

import numba
import numpy as np

from topoview.model import Bools, Calls, Ints, Timeline, freeze
from topoview.store.arrays import sparse_view

PROBES_PER_ROW: Final = 16
"""Places of a row that a search looks at, without those that lie together."""


@dataclass(frozen=True, slots=True, eq=False)
class _LastSearch:
    """Where each row was at a time."""

    ticks: int
    at: Ints
    inside: Bools

    def __post_init__(self) -> None:
        """Make the arrays read-only."""
        freeze(self)


_LAST_INTERVALS: WeakKeyDictionary[Timeline, _LastSearch] = WeakKeyDictionary()
_LAST_CALLS: WeakKeyDictionary[Calls, _LastSearch] = WeakKeyDictionary()


def intervals_at(timeline: Timeline, rows: int, ticks: int) -> Ints:
    """Find the interval that each of the first rows is in at a time.

    As `Timeline.at`, a row after the other: a row's part of a column is read once.

    Returns
    -------
    int64, shape (rows,)
        Read-only.
    """
    offsets = timeline.offsets
    before = _LAST_INTERVALS.get(timeline)
    if before is None or len(before.at) != rows:
        before = None
    elif before.ticks == ticks:
        return before.at
    near = offsets[:rows] if before is None else before.at
    time = sparse_view(timeline.time, rows * PROBES_PER_ROW)
    at = _last(offsets, time, near, ticks)
    found = _LastSearch(ticks, np.maximum(at, offsets[:rows]), np.zeros(0, bool))
    _LAST_INTERVALS[timeline] = found
    return found.at


def entered(calls: Calls, rows: int, ticks: int) -> tuple[Ints, Bools]:
    """Find the call that each row entered last, and whether it is still in it.

    Returns
    -------
    found : int64, shape (rows,)
        The call before the row's first one, if it has entered none. Read-only.
    inside : bool, shape (rows,)
        Read-only.
    """
    offsets = calls.offsets
    before = _LAST_CALLS.get(calls)
    if before is None or len(before.at) != rows:
        before = None
    elif before.ticks == ticks:
        return before.at, before.inside
    near = offsets[:rows] - 1 if before is None else before.at
    near.setflags(write=False)  # one kind of array for the compiled search
    at = _last(offsets, sparse_view(calls.enter, rows * PROBES_PER_ROW), near, ticks)
    inside = _still(offsets, sparse_view(calls.leave, rows), at, ticks)
    found = _LastSearch(ticks, at, inside)
    _LAST_CALLS[calls] = found
    return found.at, found.inside


@numba.njit(nogil=True, cache=True)
def _last(offsets: Ints, time: Ints, near: Ints, ticks: int) -> Ints:
    """Find the last number of each row that is not above one, searching from `near`.

    One less than the row's first where there is none, as `near` may be. Steps are
    doubled until it is passed (Bentley and Yao 1976, unbounded searching), then halved.
    """
    found = np.empty(len(near), np.int64)
    for row in range(len(near)):
        first, stop = offsets[row], offsets[row + 1]
        low, step = near[row], 1
        if low >= first and low < stop and time[low] > ticks:
            high = low
            while high - step >= first and time[high - step] > ticks:
                high -= step
                step *= 2
            low = max(high - step, first - 1)
        else:
            low = min(low, stop - 1)
            while low + step < stop and time[low + step] <= ticks:
                low += step
                step *= 2
            high = min(low + step, stop)
        while high - low > 1:
            middle = (low + high) >> 1
            if time[middle] > ticks:
                high = middle
            else:
                low = middle
        found[row] = low
    return found


@numba.njit(nogil=True, cache=True)
def _still(offsets: Ints, leave: Ints, at: Ints, ticks: int) -> Bools:
    inside = np.zeros(len(at), np.bool_)
    for row in range(len(at)):
        inside[row] = at[row] >= offsets[row] and leave[at[row]] > ticks
    return inside
