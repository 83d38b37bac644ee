"""Compiled searches in columns that are sorted row by row: what each frame needs."""

from typing import Final

import numba
import numpy as np

from topoview.io.store.arrays import pointed
from topoview.model import Bools, Ints, Timeline

PROBES: Final = 16
"""Places of a row that a search looks at, without those that lie together."""


def intervals_at(timeline: Timeline, rows: int, ticks: int) -> Ints:
    """Find the interval that each of the first rows is in at a time.

    As `Timeline.at`, a row after the other: a row's part of a column is read once.

    Returns
    -------
    int64, shape (rows,)
    """
    time = pointed(timeline.time, rows * PROBES)
    return _last(timeline.offsets, time, rows, ticks)


@numba.njit(nogil=True, cache=True)
def _last(offsets: Ints, time: Ints, rows: int, ticks: int) -> Ints:
    found = np.empty(rows, np.int64)
    for row in range(rows):
        low, high = offsets[row], offsets[row + 1]
        while high - low > 1:
            middle = (low + high) >> 1
            if time[middle] > ticks:
                high = middle
            else:
                low = middle
        found[row] = low
    return found


@numba.njit(nogil=True, cache=True)
def entered(
    offsets: Ints, enter: Ints, leave: Ints, rows: int, ticks: int
) -> tuple[Ints, Bools]:
    """Find the call that each row entered last, and whether it is still in it.

    Returns
    -------
    found : int64, shape (rows,)
        The call before the row's first one, if it has entered none.
    inside : bool, shape (rows,)
    """
    found, inside = np.empty(rows, np.int64), np.zeros(rows, np.bool_)
    for row in range(rows):
        first = low = offsets[row]
        high = offsets[row + 1]
        while low < high:
            middle = (low + high) >> 1
            if enter[middle] <= ticks:
                low = middle + 1
            else:
                high = middle
        found[row] = low - 1
        inside[row] = low > first and leave[low - 1] > ticks
    return found, inside
