"""Tracks below the timeline's rows: numbers over time on the same axis.

A track is a line of `track_rows`: what it is called, how high it is, and the function
that finds what it shows in a window. Shares and sums are exact: what a column shows,
times its length, is what happened in it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np

from topoview.base.text import tr
from topoview.live.colourings.counters import CounterSeries, metric_records, series_of
from topoview.live.timeline import track_kernels
from topoview.live.timeline.call_stack import StackSpans, deepest, stack_spans
from topoview.live.timeline.collectives import WindowCollectives
from topoview.live.timeline.device_waits import WindowDeviceWaits, window_device_waits
from topoview.live.timeline.raster import (
    coarser,
    in_coarser_ticks,
    plan_render,
    state_shares,
)
from topoview.live.timeline.selected_messages import WindowMessages, window_messages
from topoview.model import (
    Analysis,
    Bools,
    Floats,
    Frozen,
    Indices,
    Ints,
    MetricCounter,
    TimeState,
    Trace,
    device_name,
)
from topoview.session import GPU_BUSY, State

CURVE_HEIGHT: Final = 40
HEAT_HEIGHT: Final = 56
STACK_LINE: Final = 15
MARKS_HEIGHT: Final = 18
BUSY_HEIGHT: Final = 24
MAX_STACK_LINES: Final = 8
"""Logical pixels of tracks; regions within each other that have a line each."""

COUNTER: Final = "counter-"
HEAT: Final = "counter-heat-"
"""What names of tracks of counters begin with; metric and place follow."""

BUSY_COLUMNS: Final = 6
"""Columns that a bar of the track of GPUs has."""


@dataclass(frozen=True, slots=True)
class TrackRequest:
    """What a track is asked for."""

    name: str
    """Its name."""
    analysis: Analysis
    """What is known of the trace."""
    window: tuple[int, int]
    width: int
    """`window` and `width`: in ticks, and in columns."""
    ranks: bytes
    """Ranks that rows are shown of, in their order, as bytes of int32."""
    rank: int
    """The rank that tracks of one rank are about."""
    lines: int
    """Lines of pixels that it has."""

    @property
    def shown(self) -> Indices:
        """Ranks that rows are shown of: int32."""
        return np.frombuffer(self.ranks, np.int32)


@dataclass(frozen=True, slots=True, eq=False)
class Curve(Frozen):
    """Numbers over time: between `low` and `high` in each column."""

    low: Floats
    high: Floats
    """`low` and `high`: float64, shape (width,): least and largest number in each
    column; NaN where there is none."""
    least: float
    most: float
    """`least` and `most`: numbers at the foot and at the top."""
    unit: str = ""
    """As in `RankValues`, or the counter's own."""


@dataclass(frozen=True, slots=True, eq=False)
class StateStack(Frozen):
    """Shares of states over time: float64, shape (states, width), of `ranks`."""

    shares: Floats
    ranks: int


@dataclass(frozen=True, slots=True, eq=False)
class Heat(Frozen):
    """A number of each rank over time."""

    values: Floats
    """float64, shape (lines, width): naN where there is none; of several ranks in a
    line the largest."""
    ranks: int
    """How many a line has at most."""
    least: float
    most: float
    """`least` and `most`: numbers that have the first and the last colour."""
    unit: str = ""
    """As in `Curve`."""


TrackData: TypeAlias = (
    Curve
    | StateStack
    | Heat
    | StackSpans
    | WindowMessages
    | WindowCollectives
    | WindowDeviceWaits
    | None
)

LINES: Final = "lines"
OPERATIONS: Final = "operations"
DEVICE_WAITS: Final = "device-waits"
"""Names by which the messages, the collective operations and the waits for devices of
the window are asked for: they lie over the rows."""


@dataclass(frozen=True, slots=True)
class Track:
    """A row of the table of tracks."""

    title: str
    remark: str
    """`title` and `remark`: what is written beside it in two lines; what menus call it
    is both."""
    height: int
    """Logical pixels."""
    find: Callable[[TrackRequest], TrackData]
    """Finds what it shows; None where there is nothing."""
    of_rank: bool = False
    """Whether it is about the selected rank."""


def track_rows(analysis: Analysis) -> dict[str, Track]:
    """Return the tracks that a trace has, by name."""
    result: dict[str, Track] = {}
    aligned = analysis.trace.clock.aligned and analysis.message_index is not None
    if aligned and len(analysis.trace.messages):
        result["messages"] = Track(
            tr("messages"), tr("under way"), CURVE_HEIGHT, _under_way
        )
        result["bytes"] = Track(
            tr("bytes"), tr("under way"), CURVE_HEIGHT, _bytes_under_way
        )
    result["states"] = Track(tr("ranks by"), tr("state"), CURVE_HEIGHT, _parallelism)
    if len(analysis.trace.further_rows("accelerator")):
        result[GPU_BUSY] = Track(tr("GPUs"), tr("busy"), BUSY_HEIGHT, _devices_busy)
    lines = min(deepest(analysis.trace), MAX_STACK_LINES)
    height = lines * STACK_LINE
    result["stack"] = Track(
        tr("rank"), tr("call stack"), height, _call_stack, of_rank=True
    )
    result["marks"] = Track(tr("marks"), "", MARKS_HEIGHT, lambda _: None)
    if analysis.trace.counters and metric_records(analysis.trace) is not None:
        for counter in analysis.trace.counters:
            key = f"{counter.metric}-{counter.place}"
            unit = counter.unit + ("/s" if counter.mode != "value" else "")
            unit = f"{counter.name}, {unit}" if unit else counter.name
            find = _counter_curve(counter)
            result[COUNTER + key] = Track(
                tr("rank"), unit, CURVE_HEIGHT, find, of_rank=True
            )
            heat = _counter_heat(counter)
            result[HEAT + key] = Track(tr("all ranks"), unit, HEAT_HEIGHT, heat)
    return result


def rank_of_tracks(state: State) -> int:
    """Return the rank that tracks of one rank are about: the first that is selected."""
    return state.selection.ranks[0] if state.selection.ranks else 0


def find_track(request: TrackRequest) -> TrackData:
    """Find what a track shows, or the messages or waits over the rows."""
    if request.name == LINES:
        return window_messages(request.analysis, request.window, request.shown)
    if request.name == DEVICE_WAITS:
        trace = request.analysis.trace
        return window_device_waits(trace, request.window, request.width)
    return track_rows(request.analysis)[request.name].find(request)


# Messages.


def _under_way(request: TrackRequest) -> Curve:
    count, _ = under_way(request.analysis, request.window, request.width)
    return Curve(count, count, 0.0, float(count.max(initial=0.0)))


def _bytes_under_way(request: TrackRequest) -> Curve:
    _, size = under_way(request.analysis, request.window, request.width)
    return Curve(size, size, 0.0, float(size.max(initial=0.0)), "B")


def under_way(
    analysis: Analysis, window: tuple[int, int], width: int
) -> tuple[Floats, Floats]:
    """Find how many messages and bytes are under way, on the average of each column.

    From a message's send until its receive, as far as both were recorded.

    Returns
    -------
    float64, shape (width,), twice
        Messages, and bytes.
    """
    index, messages = analysis.message_index, analysis.trace.messages
    count, size = np.zeros(width), np.zeros(width)
    if index is not None:
        times = index.begin, index.end, messages.send_time, messages.receive_time
        if bits := coarser(window, width):
            moved = (in_coarser_ticks(time, window, bits) for time in times)
            begin, end, *ends = (np.maximum(time, 0) for time in moved)
            sent, received = (
                np.where(time < 0, -1, there)
                for time, there in zip(times[2:], ends, strict=True)
            )
            times, window = (
                (begin, end, sent, received),
                (0, window[1] - window[0] >> bits),
            )
        track_kernels.add_under_way(*times, messages.size, *window, count, size)
    span = window[1] - window[0]
    return count / span, size / span


# States.


def _parallelism(request: TrackRequest) -> StateStack:
    trace = request.analysis.trace
    plan = plan_render(
        trace.timeline,
        request.analysis.sums,
        request.shown,
        request.window,
        request.width,
    )
    return StateStack(state_shares(plan), len(request.shown))


def _call_stack(request: TrackRequest) -> StackSpans | None:
    return stack_spans(request.analysis.trace, request.rank, request.window)


# GPUs.


def _devices_busy(request: TrackRequest) -> Curve | None:
    """Compute how many devices of the shown ranks run a kernel or copy, in per cent."""
    trace, (begin, end) = request.analysis.trace, request.window
    streams = trace.further_rows("accelerator")
    streams = streams[np.isin(trace.rank_of_location[streams], request.shown)]
    groups: dict[tuple[int, str], list[int]] = {}
    for row in streams[streams < trace.timeline.rows].tolist():
        place = trace.locations[row]
        groups.setdefault((place.rank, device_name(place)), []).append(row)
    bars = -(-request.width // BUSY_COLUMNS)
    edges = begin + np.arange(bars + 1) * (BUSY_COLUMNS * (end - begin) / request.width)
    busy = np.zeros(bars)
    for rows in groups.values():
        stretches = [_operations_within(trace, row, begin, end) for row in rows]
        low, high = np.concatenate(stretches, axis=1)
        order = np.argsort(low, kind="stable")
        low, high = low[order], np.maximum.accumulate(high[order])
        # where several streams run, each covers what those before do not
        low[1:] = np.maximum(low[1:], high[:-1])
        time = np.stack((low, high), axis=1).ravel()
        run = np.repeat(np.cumsum(high - low), 2)
        run[::2] -= high - low
        if len(time):
            busy += np.diff(np.interp(edges, time, run))
    share = 100 * busy / (max(len(groups), 1) * (edges[1] - edges[0]))
    shown = np.repeat(share, BUSY_COLUMNS)[: request.width]
    return Curve(shown, shown, 0.0, 100.0, "%")


def _operations_within(trace: Trace, row: int, begin: int, end: int) -> Ints:
    """List begins and ends of what a stream does in a window: int64, shape (2, n)."""
    own = slice(*trace.timeline.offsets[[row, row + 1]].tolist())
    time, state = trace.timeline.time[own], trace.timeline.state[own]
    low = max(int(np.searchsorted(time, begin, side="right")) - 1, 0)
    high = int(np.searchsorted(time, end, side="left"))
    runs = np.flatnonzero(state[low:high] != TimeState.OUTSIDE) + low
    runs = runs[runs < len(time) - 1]  # the last never ends
    return np.stack((time[runs], time[runs + 1]))


# Counters.


def _counter_curve(counter: MetricCounter) -> Callable[[TrackRequest], TrackData]:
    def find(request: TrackRequest) -> Curve | None:
        series = series_of(request.analysis.trace, counter)
        if series is None:
            return None
        row = _row_with_values(request, series, request.rank)
        if row < 0:
            return None
        low, high = _values_in_columns(request, counter, series, row)
        valid = high[~np.isnan(high)]
        most = float(valid.max(initial=0.0))
        least = float(np.nanmin(low)) if len(valid) else 0.0
        return Curve(low, high, min(least, 0.0), most, _unit_of(counter))

    return find


def _counter_heat(counter: MetricCounter) -> Callable[[TrackRequest], TrackData]:
    def find(request: TrackRequest) -> Heat | None:
        series = series_of(request.analysis.trace, counter)
        if series is None:
            return None
        ranks = request.shown
        lines = min(len(ranks), request.lines)
        values = np.full((lines, request.width), np.nan)
        for place, rank in enumerate(ranks.tolist()):
            row = _row_with_values(request, series, rank)
            if row >= 0:
                _, high = _values_in_columns(request, counter, series, row)
                line = place * lines // len(ranks)
                values[line] = np.fmax(values[line], high)
        valid = values[~np.isnan(values)]
        least = min(float(valid.min(initial=0.0)), 0.0)
        most = float(valid.max(initial=0.0))
        each = -(-len(ranks) // max(lines, 1))
        return Heat(values, each, least, most, _unit_of(counter))

    return find


def _unit_of(counter: MetricCounter) -> str:
    return counter.unit + ("/s" if counter.mode != "value" else "")


def _row_with_values(request: TrackRequest, series: CounterSeries, rank: int) -> int:
    """Find the first location of a rank that has values; -1 for none."""
    counts = np.diff(series.offsets)
    if rank < len(counts) and counts[rank]:
        return rank
    owner = request.analysis.trace.rank_of_location[: len(counts)]
    candidates = np.flatnonzero((owner == rank) & (counts > 0))
    return int(candidates[0]) if len(candidates) else -1


def _values_in_columns(
    request: TrackRequest, counter: MetricCounter, series: CounterSeries, row: int
) -> tuple[Floats, Floats]:
    """Find the least and largest value of a location in each column.

    A value holds until the next one. Of counters that grow it is how much they grow a
    second, on the average of the column, evenly between two values.
    """
    first, stop = series.offsets[row : row + 2].tolist()
    time, value = series.time[first:stop], series.value[first:stop]
    (begin, end), width = request.window, request.width
    edges = begin + np.arange(width + 1) * ((end - begin) / width)
    if counter.mode != "value":
        total = np.cumsum(value) if counter.mode == "change" else value
        inside = (edges[1:] > time[0]) & (edges[:-1] < time[-1])
        seconds = (end - begin) / width / request.analysis.trace.clock.resolution
        rate = np.diff(np.interp(edges, time, total)) / seconds
        rate = np.where(inside, rate, np.nan)
        return rate, rate
    at = np.searchsorted(time, edges[:-1], side="right") - 1
    last = np.searchsorted(time, edges[1:], side="left") - 1
    low, high = np.full(width, np.nan), np.full(width, np.nan)
    held: Bools = at >= 0
    low[held] = high[held] = value[at[held]]
    many = np.flatnonzero(last > at)
    if len(many):
        starts, stops = at[many] + 1, last[many] + 1
        padded = np.append(value, np.nan)
        pairs = np.stack((starts, stops), axis=1).ravel()
        low[many] = np.fmin(low[many], np.fmin.reduceat(padded, pairs)[::2])
        high[many] = np.fmax(high[many], np.fmax.reduceat(padded, pairs)[::2])
    return low, high
