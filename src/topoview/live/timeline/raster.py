"""The timeline's pixels: what state each of them shows, computed exactly.

Where few intervals are to be seen each of them is read once: a binary search finds
where a row enters the window, then the row is scanned in order. Where a pixel stands
for many, sums of time by state (`topoview.analysis.overview`) tell it from those at
its edges alone. Both give the same pixels.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import numpy as np

from topoview.analysis.overview import sums_of
from topoview.live.timeline.raster_kernels import (
    SCAN_INTERVALS,
    STATE_COUNT,
    RenderPlan,
    add_state_ticks,
    add_summed_ticks,
    dominant_states,
    dominant_states_summed,
    mark_spans,
    plan_render,
    read_columns,
)
from topoview.model import Bytes, Floats, Indices, Ints, Timeline

RASTER_THREADS = 2
UNMARKED = 255
"""What `mark_pixels` writes where no span lies."""
_CHUNK_COST = 1 << 19
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
    *,
    rough: bool = False,
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
    rough
        Whether a preview will do: where there are sums for at least a pixel each, no
        interval is looked at, and time between two sums counts evenly.

    Returns
    -------
    uint8, shape (bands, width)
    """
    out: Bytes = np.zeros((len(bounds) - 1, width), np.uint8)
    rows, bounds = _read_only(rows), _read_only(bounds)
    window, sums = (begin, end), sums_of(timeline)
    ways = _render_plan(timeline, rows, window, width, rough=rough)
    summed = bool((ways.level != SCAN_INTERVALS).any())
    columns = read_columns(timeline, sums, rows, window, width, ways.level)

    def paint(part: slice) -> None:
        own = bounds[part.start : part.stop + 1]
        if not go_on():
            return
        if sums is not None and summed:
            dominant_states_summed(
                *columns,
                rows,
                own,
                begin,
                end,
                (sums.every, sums.offsets, sums.begin, sums.ticks, sums.states),
                ways.level,
                rough,
                out[part],
            )
        else:
            dominant_states(*columns, rows, own, begin, end, out[part])

    parts = list(_equal_cost_parts(ways.cost, bounds))
    if len(parts) == 1:
        paint(parts[0])
    elif parts:
        with ThreadPoolExecutor(RASTER_THREADS) as threads:
            list(threads.map(paint, parts))
    return out


def render_cost(  # noqa: PLR0913 - a picture's parameters
    timeline: Timeline,
    rows: Indices,
    begin: int,
    end: int,
    width: int,
    *,
    rough: bool = False,
) -> int:
    """Count the intervals and pixels that are looked at; parameters as in `raster`."""
    ways = _render_plan(timeline, _read_only(rows), (begin, end), width, rough=rough)
    return int(ways.cost.sum())


IndexArray = TypeVar("IndexArray", Ints, Indices)


def _read_only(array: IndexArray) -> IndexArray:
    """View an array read-only: compiled code tells that apart, and is there for it."""
    view = array.view()
    view.flags.writeable = False
    return view


def _render_plan(
    timeline: Timeline,
    rows: Indices,
    window: tuple[int, int],
    width: int,
    *,
    rough: bool,
) -> RenderPlan:
    """Decide how the pixels of each row are made, and what that costs."""
    sums = sums_of(timeline)
    if sums is not None:
        return plan_render(timeline, sums, rows, window, width, rough=rough)
    visible = timeline.at(window[1]) - timeline.at(window[0]) + 1
    return RenderPlan(np.full(len(rows), SCAN_INTERVALS), visible[rows] + width)


def _equal_cost_parts(cost: Ints, bounds: Ints) -> Iterator[slice]:
    """Split the bands into parts that cost about the same."""
    if len(bounds) < 2:
        return
    before = np.concatenate(([0], np.cumsum(cost)))[bounds]
    first = 0
    while first < len(bounds) - 1:
        last = int(np.searchsorted(before, before[first] + _CHUNK_COST))
        last = min(max(last, first + 1), len(bounds) - 1)
        yield slice(first, last)
        first = last


def state_shares(  # noqa: PLR0913 - a picture's parameters
    timeline: Timeline,
    rows: Indices,
    begin: int,
    end: int,
    width: int,
    *,
    rough: bool = False,
) -> Floats:
    """Share of the rows' time that each state has in each pixel column.

    Returns
    -------
    float64, shape (len(MPIState), width)
        Columns sum to 1 (to 0 if there are no rows). Parameters as in `raster_bands`.
    """
    ticks = np.zeros((width, STATE_COUNT), np.int64)
    rows = _read_only(rows)
    window, sums = (begin, end), sums_of(timeline)
    ways = _render_plan(timeline, rows, window, width, rough=rough)
    columns = read_columns(timeline, sums, rows, window, width, ways.level)
    if sums is None:
        add_state_ticks(*columns, rows, begin, end, ticks)
    else:
        add_summed_ticks(
            *columns,
            rows,
            begin,
            end,
            (sums.every, sums.offsets, sums.begin, sums.ticks, sums.states),
            ways.level,
            rough,
            ticks,
        )
    found: Floats = ticks.T / max(1, len(rows) * (end - begin))
    return found


def mark_pixels(  # noqa: PLR0913 - a picture's parameters
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
    rows, bounds = _read_only(rows), _read_only(bounds)
    mark_spans(offsets, enter, leave, state, rows, bounds, begin, end, out)
    return out
