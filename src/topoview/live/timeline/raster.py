"""The timeline's pixels: what state each of them shows, computed exactly.

Where few intervals are to be seen each of them is read once: a binary search finds
where a row enters the window, then the row is scanned in order. Where a pixel stands
for many, sums of time by state (`topoview.model.StateSums`) tell it from those at its
edges alone. Both give the same pixels. A `RenderPlan` says which way each row goes.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from topoview.base.threads import in_parts
from topoview.live.timeline.kernels import (
    SAMPLE_STATES,
    SCAN_INTERVALS,
    Sums,
    add_state_ticks,
    add_summed_ticks,
    dominant_states,
    dominant_states_summed,
    interval_ranges,
    mark_spans,
    plan_rows,
)
from topoview.model import (
    Bytes,
    Floats,
    Frozen,
    Indices,
    Ints,
    StateSums,
    Timeline,
    TimeState,
    readonly,
)
from topoview.store.arrays import prefetch, sparse_view

UNMARKED = 255
"""What `mark_pixels` writes where no span lies."""

MAX_ROWS_READ_IN_PART: Final = 1024
"""Rows up to which only what is seen of each is read from the disk."""

SEARCH_PLACES: Final = 16
"""Places at which a search in a row looks at it."""

MAX_INTERVALS_READ: Final = 1 << 24
"""Intervals that are read so at most."""

_CHUNK_COST = 1 << 19
"""Intervals and pixels that a thread reads before it looks whether to go on."""


@dataclass(frozen=True, slots=True, eq=False)
class RenderPlan(Frozen):
    """How the pixels of some rows are made in a window, and what that costs."""

    timeline: Timeline
    """States of all rows."""
    sums: StateSums | None
    """Sums of them; None if they are not known."""
    rows: Indices
    """int32, shape (n,): rows of the timeline, in the order drawn."""
    window: tuple[int, int]
    """Begin and end in ticks; its columns are equally wide, and need not begin at whole
    ticks. Of a window that is too long for kernels (see `coarser`) these are not those
    of the trace, but so many times longer ones, from its begin on."""
    width: int
    """Number of columns."""
    rough: bool
    """Whether it is a preview: where there are sums for at least a pixel each, no
    interval is looked at, and time between two sums counts evenly."""
    level: Ints
    """int64, shape (n,): level of sums for each row, `SCAN_INTERVALS`, or
    `SAMPLE_STATES`."""
    cost: Ints
    """int64, shape (n,): intervals and pixels that are looked at, about."""

    @property
    def total(self) -> int:
        """Cost of all rows."""
        return int(self.cost.sum())


_MAX_BITS: Final = 62
"""Of a product of times in kernels, which have 63."""


def coarser(window: tuple[int, int], width: int, rows: int = 1) -> int:
    """Return how many bits ticks have to lose for kernels to count in them; mostly 0.

    Kernels count in ticks / width, have a state's code beside a time, and add up rows:
    of a clock of picoseconds an hour is too long for 4,000 columns.
    """
    factor = 2 * max(width, len(TimeState), rows)
    return max(0, ((window[1] - window[0]) * factor).bit_length() - _MAX_BITS)


def in_coarser_ticks(time: Ints, window: tuple[int, int], bits: int) -> Ints:
    """Count times from the window's begin on, in ticks with so many bits less."""
    return readonly(time - window[0] >> bits)


def plan_render(  # noqa: PLR0913 - a picture's parameters
    timeline: Timeline,
    sums: StateSums | None,
    rows: Indices,
    window: tuple[int, int],
    width: int,
    *,
    rough: bool = False,
) -> RenderPlan:
    """Decide how pixels are made; parameters as in `RenderPlan`."""
    rows = readonly(rows, np.int32)
    if bits := coarser(window, width, len(rows)):
        timeline = replace(timeline, time=in_coarser_ticks(timeline.time, window, bits))
        sums, window = None, (0, window[1] - window[0] >> bits)
    if sums is None:
        visible = timeline.at(window[1]) - timeline.at(window[0]) + 1
        level, cost = np.full(len(rows), SCAN_INTERVALS), visible[rows] + width
    else:
        columns = timeline.offsets, timeline.time, rows
        level, cost = plan_rows(*columns, _columns_of(sums), window, width, rough)
    return RenderPlan(
        timeline=timeline,
        sums=sums,
        rows=rows,
        window=window,
        width=width,
        rough=rough,
        level=level,
        cost=cost,
    )


SAMPLE_COST: Final = 8
"""Intervals that take as long to be read as one is to be found in a row."""


def plan_samples(plan: RenderPlan, columns: int) -> RenderPlan:
    """Plan a preview of so many columns that shows the states in their middles.

    It needs sums no more than to be made by the same loop.
    """
    level = np.full(len(plan.rows), SAMPLE_STATES)
    cost = np.full(len(plan.rows), SAMPLE_COST * columns)
    return replace(plan, width=columns, rough=True, level=level, cost=cost)


def raster(
    timeline: Timeline, rows: Indices, begin: int, end: int, width: int
) -> Bytes:
    """State that a row is in for most of each pixel column; scans all intervals.

    Returns
    -------
    uint8, shape (n, width)
        `TimeState` codes. Of states that last equally long in a pixel the higher
        code is taken: MPI before compute before outside.
    """
    plan = plan_render(timeline, None, rows, (begin, end), width)
    return raster_bands(plan, np.arange(len(rows) + 1, dtype=np.int64))


def raster_bands(
    plan: RenderPlan, bounds: Ints, go_on: Callable[[], bool] = lambda: True
) -> Bytes:
    """State in which the rows of a band are for most of each pixel column.

    A band is what one line of pixels shows: a row, or several of them if they
    are thinner than a pixel. It takes the state that has most of the rows' time
    in the pixel; nothing is ever blended.

    Parameters
    ----------
    bounds : int64, shape (bands + 1,)
        Band ``b`` holds ``rows[bounds[b]:bounds[b + 1]]``, at least one row.
    go_on
        Asked from time to time, from several threads; once it answers no the
        rest of the result is left as it is.

    Returns
    -------
    uint8, shape (bands, width)
        As in `raster`.
    """
    out: Bytes = np.zeros((len(bounds) - 1, plan.width), np.uint8)
    bounds, sums = readonly(bounds), plan.sums
    summed = bool((plan.level != SCAN_INTERVALS).any())
    columns = *_read_columns(plan), plan.rows

    def paint(part: slice) -> None:
        own = bounds[part.start : part.stop + 1]
        if not go_on():
            return
        if sums is not None and summed:
            dominant_states_summed(
                *columns,
                own,
                *plan.window,
                _columns_of(sums),
                plan.level,
                plan.rough,
                out[part],
            )
        else:
            dominant_states(*columns, own, *plan.window, out[part])

    in_parts(paint, list(_equal_cost_parts(plan.cost, bounds)))
    return out


def state_shares(plan: RenderPlan, go_on: Callable[[], bool] = lambda: True) -> Floats:
    """Share of the rows' time that each state has in each pixel column.

    Parameters
    ----------
    go_on
        As in `raster_bands`.

    Returns
    -------
    float64, shape (len(TimeState), width)
        Columns sum to 1 (to 0 if there are no rows).
    """
    (begin, end), sums = plan.window, plan.sums
    columns = _read_columns(plan)

    def add(part: slice) -> Ints:
        ticks = np.zeros((plan.width, len(TimeState)), np.int64)
        own = *columns, plan.rows[part], begin, end
        if not go_on():
            return ticks
        if sums is None:
            add_state_ticks(*own, ticks)
        else:
            of = _columns_of(sums), plan.level[part]
            add_summed_ticks(*own, *of, plan.rough, ticks)
        return ticks

    total = np.zeros((plan.width, len(TimeState)), np.int64)
    # pixels that an interval covers from edge to edge cost nothing here
    cost = plan.cost - plan.width * (plan.level == SCAN_INTERVALS)
    for ticks in in_parts(
        add, list(_equal_cost_parts(cost, np.arange(len(plan.rows) + 1)))
    ):
        total += ticks
    result: Floats = total.T / max(1, len(plan.rows) * (end - begin))
    return result


def _columns_of(sums: StateSums) -> Sums:
    """Return sums as kernels take them."""
    return Sums(sums.every, sums.offsets, sums.begin, sums.ticks, sums.states)


def _read_columns(plan: RenderPlan) -> tuple[Ints, Ints, Bytes]:
    """Read offsets, times and states, so that little beside what is seen is read."""
    timeline, sums, rows = plan.timeline, plan.sums, plan.rows
    offsets, time, state = timeline.offsets, timeline.time, timeline.state
    if sums is None or len(rows) > MAX_ROWS_READ_IN_PART:
        return offsets, time, state
    summed = int(np.count_nonzero(plan.level != SCAN_INTERVALS))
    if summed:
        places = summed * plan.width + SEARCH_PLACES * len(rows)
        return offsets, sparse_view(time, places), sparse_view(state, places)
    begins, ends = interval_ranges(offsets, _columns_of(sums), rows, plan.window)
    if int((ends - begins).sum()) > MAX_INTERVALS_READ:
        return offsets, time, state
    places = SEARCH_PLACES * len(rows)
    for column in (time, state):
        if sparse_view(column, places) is not column:
            for begin, end in zip(begins.tolist(), ends.tolist(), strict=True):
                prefetch(column, begin, end)
    return offsets, sparse_view(time, places), sparse_view(state, places)


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
    rows, begin, end, width
        As in `RenderPlan`.
    bounds
        As in `raster_bands`.

    Returns
    -------
    uint8, shape (bands, width)
        State of the last span that lies there, `UNMARKED` where none does.
    """
    out = np.full((len(bounds) - 1, width), UNMARKED, np.uint8)
    rows, bounds = readonly(rows, np.int32), readonly(bounds)
    if bits := coarser((begin, end), width):
        enter, leave = (in_coarser_ticks(c, (begin, end), bits) for c in (enter, leave))
        begin, end = 0, end - begin >> bits
    mark_spans(offsets, enter, leave, state, rows, bounds, begin, end, out)
    return out
