"""How the pixels of rows with very many intervals are made: by which sums, or none."""

from typing import Final, NamedTuple

import numba
import numpy as np

from topoview.analysis.state_sums import StateSums
from topoview.io.store.arrays import expect, pointed
from topoview.model import Bytes, Indices, Ints, Timeline
from topoview.scene.timeline.scan import interval_at

SCAN: Final = -1
"""Instead of a level: each interval of the row is looked at."""

WORTH: Final = 2
"""Sums within a pixel, on average, from which on they are faster than intervals."""

MOST_ROWS: Final = 1024
"""Rows up to which only what is seen of each is read from the disk."""

PLACES: Final = 16
"""Places at which a search in a row looks at it."""

SEEN: Final = 1 << 24
"""Intervals that are read so at most."""

FINE: Final = 4
"""Sums within a pixel at which a level is fine enough for a preview."""

Sums = tuple[int, Ints, Ints, Ints, Bytes]
"""Fields of `StateSums`, as compiled code takes them."""


class Ways(NamedTuple):
    """How the pixels of some rows are made.

    Attributes
    ----------
    level : int64, shape (n,)
        Level of sums for each row, or `SCAN`.
    cost : int64, shape (n,)
        Intervals and pixels that are looked at, about.
    """

    level: Ints
    cost: Ints


def ways_of(  # noqa: PLR0913 - a picture's parameters
    timeline: Timeline,
    sums: StateSums,
    rows: Indices,
    window: tuple[int, int],
    width: int,
    *,
    rough: bool,
) -> Ways:
    """Decide how the pixels of rows are made in a window.

    Parameters
    ----------
    rough
        Whether a preview will do.
    """
    return Ways(
        *_ways(
            timeline.offsets,
            timeline.time,
            rows,
            (sums.every, sums.offsets, sums.begin, sums.ticks, sums.states),
            window,
            width,
            rough,
        )
    )


@numba.njit(nogil=True, cache=True)
def _ways(  # noqa: PLR0913
    offsets: Ints,
    time: Ints,
    rows: Indices,
    sums: Sums,
    window: tuple[int, int],
    width: int,
    rough: bool,
) -> tuple[Ints, Ints]:
    every, places, begins, _, _ = sums
    levels = len(places)
    level, cost = np.full(len(rows), SCAN), np.empty(len(rows), np.int64)
    for k in range(len(rows)):
        row = rows[k]
        seen = 0
        if rough:
            for up in range(levels - 1, -1, -1):
                seen = _between(begins, places[up, row], places[up, row + 1], window)
                if seen >= (FINE if up else 1) * width:
                    level[k], cost[k] = up, width
                    break
        if level[k] != SCAN:
            continue
        first, stop = places[0, row], places[0, row + 1]
        if stop > first:
            seen = _between(begins, first, stop, window)
            if seen >= WORTH * width:
                level[k], cost[k] = 0, width * every // 2
            else:
                cost[k] = seen * every + width
        else:
            low, high = offsets[row], offsets[row + 1]
            seen = interval_at(time, low, high, window[1])
            cost[k] = seen - interval_at(time, low, high, window[0]) + 1 + width
    return level, cost


@numba.njit(nogil=True, cache=True)
def _between(begins: Ints, first: int, stop: int, window: tuple[int, int]) -> int:
    """Count the sums of a row in a window."""
    if stop <= first:
        return 0
    last = interval_at(begins, first, stop, window[1])
    return last - interval_at(begins, first, stop, window[0])


def columns_of(  # noqa: PLR0913
    timeline: Timeline,
    sums: StateSums | None,
    rows: Indices,
    window: tuple[int, int],
    width: int,
    level: Ints,
) -> tuple[Ints, Ints, Bytes]:
    """Give the columns that pixels are made of, so that little beside them is read.

    Returns
    -------
    tuple
        Offsets, times and states of the timeline.
    """
    offsets, time, state = timeline.offsets, timeline.time, timeline.state
    if sums is None or len(rows) > MOST_ROWS:
        return offsets, time, state
    summed = int(np.count_nonzero(level != SCAN))
    if summed:
        places = summed * width + PLACES * len(rows)
        return offsets, pointed(time, places), pointed(state, places)
    begins, ends = _stretches(
        offsets, sums.offsets, sums.begin, sums.every, rows, window
    )
    if int((ends - begins).sum()) > SEEN:
        return offsets, time, state
    places = PLACES * len(rows)
    for column in (time, state):
        if pointed(column, places) is not column:
            for begin, end in zip(begins.tolist(), ends.tolist(), strict=True):
                expect(column, begin, end)
    return offsets, pointed(time, places), pointed(state, places)


@numba.njit(nogil=True, cache=True)
def _stretches(  # noqa: PLR0913
    offsets: Ints,
    places: Ints,
    begins: Ints,
    every: int,
    rows: Indices,
    window: tuple[int, int],
) -> tuple[Ints, Ints]:
    """Where the intervals of rows lie that are in a window, and some around."""
    first, stop = np.empty(len(rows), np.int64), np.empty(len(rows), np.int64)
    for k in range(len(rows)):
        row = rows[k]
        low, high = places[0, row], places[0, row + 1]
        first[k], stop[k] = offsets[row], offsets[row + 1]
        if high > low:
            since = interval_at(begins, low, high, window[0]) - low
            until = interval_at(begins, low, high, window[1]) - low + 1
            first[k] = min(first[k] + since * every, stop[k] - 1)
            stop[k] = min(offsets[row] + until * every, stop[k])
    return first, stop
