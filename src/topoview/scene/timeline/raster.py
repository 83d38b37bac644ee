"""The timeline's pixels: what state each of them shows, computed exactly.

Every visible interval is read once: a binary search finds where a row enters the
window, then the row is scanned in order. Up to 10 million intervals this is as
fast as any pyramid of averages, needs no memory, and is right for every pixel.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import numba
import numpy as np

from topoview.model import Bytes, Floats, Indices, Ints, MPIState, Timeline

THREADS = 2
UNMARKED = 255
"""What `marks` writes where no span lies."""
_STATES = len(MPIState)
_CHUNK = 1 << 19
"""Intervals and pixels that a thread reads before it looks whether to go on."""


def raster(
    timeline: Timeline, rows: Indices, begin: int, end: int, width: int
) -> Bytes:
    """State that a row is in for most of each pixel column.

    Parameters
    ----------
    timeline
        States of all rows.
    rows : int32, shape (n,)
        Rows of the timeline, in the order drawn.
    begin, end
        Window in ticks, ``begin < end``; its columns are equally wide, and need
        not begin at whole ticks.
    width
        Number of columns; ``(end - begin) * width`` must be below 2**63.

    Returns
    -------
    uint8, shape (n, width)
        `MPIState` codes. Of states that last equally long in a pixel the higher
        code is taken: MPI before compute before outside.
    """
    bounds = np.arange(len(rows) + 1, dtype=np.int64)
    return raster_bands(timeline, rows, bounds, begin, end, width)


def raster_bands(  # noqa: PLR0913 - a picture's parameters
    timeline: Timeline,
    rows: Indices,
    bounds: Ints,
    begin: int,
    end: int,
    width: int,
    go_on: Callable[[], bool] = lambda: True,
) -> Bytes:
    """State in which the rows of a band are for most of each pixel column.

    A band is what one line of pixels shows: a row, or several of them if they
    are thinner than a pixel. It takes the state that has most of the rows' time
    in the pixel; nothing is ever blended.

    Parameters
    ----------
    timeline, rows, begin, end, width
        As in `raster`.
    bounds : int64, shape (bands + 1,)
        Band ``b`` holds ``rows[bounds[b]:bounds[b + 1]]``, at least one row.
    go_on
        Asked from time to time, from several threads; once it answers no the
        rest of the result is left as it is.

    Returns
    -------
    uint8, shape (bands, width)
    """
    out: Bytes = np.zeros((len(bounds) - 1, width), np.uint8)

    def paint(part: slice) -> None:
        if go_on():
            _dominant(
                timeline.offsets,
                timeline.time,
                timeline.state,
                rows,
                bounds[part.start : part.stop + 1],
                begin,
                end,
                out[part],
            )

    parts = list(_parts(timeline, rows, bounds, begin, end, width))
    if len(parts) == 1:
        paint(parts[0])
    elif parts:
        with ThreadPoolExecutor(THREADS) as threads:
            list(threads.map(paint, parts))
    return out


def raster_cost(
    timeline: Timeline, rows: Indices, begin: int, end: int, width: int
) -> Ints:
    """Intervals and pixels to be read for each row, int64, shape (len(rows),)."""
    visible = timeline.at(end) - timeline.at(begin) + 1
    cost: Ints = visible[rows] + width
    return cost


def _parts(  # noqa: PLR0913
    timeline: Timeline, rows: Indices, bounds: Ints, begin: int, end: int, width: int
) -> Iterator[slice]:
    """Split the bands into parts that cost about the same."""
    if len(bounds) < 2:
        return
    cost = np.cumsum(raster_cost(timeline, rows, begin, end, width))
    before = np.concatenate(([0], cost))[bounds]
    first = 0
    while first < len(bounds) - 1:
        last = int(np.searchsorted(before, before[first] + _CHUNK))
        last = min(max(last, first + 1), len(bounds) - 1)
        yield slice(first, last)
        first = last


def shares(
    timeline: Timeline, rows: Indices, begin: int, end: int, width: int
) -> Floats:
    """Share of the rows' time that each state has in each pixel column.

    Returns
    -------
    float64, shape (len(MPIState), width)
        Columns sum to 1 (to 0 if there are no rows). Parameters as in `raster`.
    """
    ticks = np.zeros((width, _STATES), np.int64)
    _add_ticks(timeline.offsets, timeline.time, timeline.state, rows, begin, end, ticks)
    found: Floats = ticks.T / max(1, len(rows) * (end - begin))
    return found


def marks(  # noqa: PLR0913 - a picture's parameters
    offsets: Ints,
    enter: Ints,
    leave: Ints,
    state: Bytes,
    rows: Indices,
    bounds: Ints,
    begin: int,
    end: int,
    width: int,
) -> Bytes:
    """Pixels in which any of some spans lies, at least in part.

    Parameters
    ----------
    offsets : int64, shape (all rows + 1,)
        Row ``r`` owns the spans ``offsets[r]`` to ``offsets[r + 1]``.
    enter, leave : int64, shape (spans,)
        Their begin and end in ticks, both ascending within a row.
    state : uint8, shape (spans,)
        What each is marked with.
    rows, bounds, begin, end, width
        As in `raster_bands`.

    Returns
    -------
    uint8, shape (bands, width)
        State of the last span that lies there, `UNMARKED` where none does.
    """
    out = np.full((len(bounds) - 1, width), UNMARKED, np.uint8)
    _mark(offsets, enter, leave, state, rows, bounds, begin, end, out)
    return out


@numba.njit(nogil=True, cache=True)
def _interval_at(time: Ints, low: int, high: int, ticks: int) -> int:
    """Last index in [low, high) whose time is not after `ticks`, else `low`."""
    while high - low > 1:
        middle = (low + high) >> 1
        if time[middle] <= ticks:
            low = middle
        else:
            high = middle
    return low


@numba.njit(nogil=True, cache=True)
def _dominant(  # noqa: PLR0913, C901
    offsets: Ints,
    time: Ints,
    state: Bytes,
    rows: Indices,
    bounds: Ints,
    begin: int,
    end: int,
    out: Bytes,
) -> None:
    # Times within the window are counted in ticks / width from its begin: pixel
    # x lasts from x * span to (x + 1) * span, and all sums are exact integers.
    bands, width = out.shape
    span = end - begin
    weight = np.zeros(_STATES, np.int64)
    most = 1
    for band in range(bands):
        most = max(most, bounds[band + 1] - bounds[band])
    at = np.empty(most, np.int64)
    for band in range(bands):
        first = bounds[band]
        count = bounds[band + 1] - first
        for k in range(count):
            row = rows[first + k]
            at[k] = _interval_at(time, offsets[row], offsets[row + 1], begin)
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
                i = at[k]
                stop = offsets[rows[first + k] + 1]
                since = left
                while i + 1 < stop and time[i + 1] <= tick:
                    until = (time[i + 1] - begin) * width
                    weight[state[i]] += until - since
                    since = until
                    i += 1
                weight[state[i]] += right - since
                at[k] = i
            best = 0
            for s in range(_STATES):
                if weight[s] >= weight[best]:
                    best = s
            out[band, x] = best
            weight[:] = 0


@numba.njit(nogil=True, cache=True)
def _add_ticks(  # noqa: PLR0913
    offsets: Ints,
    time: Ints,
    state: Bytes,
    rows: Indices,
    begin: int,
    end: int,
    ticks: Ints,
) -> None:
    width = ticks.shape[0]
    span = end - begin
    for row in rows:
        i = _interval_at(time, offsets[row], offsets[row + 1], begin)
        stop = offsets[row + 1]
        for x in range(width):
            since = x * span
            right = since + span
            tick = begin + right // width
            while i + 1 < stop and time[i + 1] <= tick:
                until = (time[i + 1] - begin) * width
                ticks[x, state[i]] += until - since
                since = until
                i += 1
            ticks[x, state[i]] += right - since


@numba.njit(nogil=True, cache=True)
def _mark(  # noqa: PLR0913
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
    bands, width = out.shape
    span = end - begin
    for band in range(bands):
        for k in range(bounds[band], bounds[band + 1]):
            row = rows[k]
            if offsets[row] == offsets[row + 1]:
                continue
            i = _interval_at(leave, offsets[row], offsets[row + 1], begin)
            while i < offsets[row + 1] and enter[i] < end:
                if leave[i] > begin or enter[i] >= begin:
                    first = max(0, (enter[i] - begin) * width // span)
                    last = (leave[i] - begin) * width - 1
                    last = min(width - 1, max(first, last // span))
                    out[band, first : last + 1] = state[i]
                i += 1
