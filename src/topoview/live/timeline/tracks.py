"""Tracks below the timeline's rows: numbers over time on the same axis.

A track is a line of `track_rows`: what it is called, how high it is, and the function
that finds what it shows in a window. Shares and sums are exact: what a column shows,
times its length, is what happened in it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np

from topoview.base.text import tr
from topoview.live.colourings.counters import (
    CounterSeries,
    metric_records,
    series_of,
)
from topoview.live.timeline import kernels
from topoview.live.timeline.call_stack import StackSpans, deepest, stack_spans
from topoview.live.timeline.collectives import WindowCollectives
from topoview.live.timeline.raster import plan_render, state_shares
from topoview.live.timeline.selected_messages import WindowMessages, window_messages
from topoview.model import (
    Analysis,
    Bools,
    Floats,
    Frozen,
    Indices,
    MetricCounter,
)
from topoview.session import State

CURVE_HEIGHT: Final = 40
HEAT_HEIGHT: Final = 56
STACK_LINE: Final = 15
MARKS_HEIGHT: Final = 18
MAX_STACK_LINES: Final = 8
"""Logical pixels of tracks; regions within each other that have a line each."""

COUNTER: Final = "counter-"
HEAT: Final = "counter-heat-"
"""What names of tracks of counters begin with; metric and place follow."""


@dataclass(frozen=True, slots=True)
class TrackRequest:
    """What a track is asked for."""

    name: str
    """Its name."""
    known: Analysis
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
    """Shares of states over time: float64, shape (len(MPIState), width), of `ranks`."""

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


TrackData = (
    Curve | StateStack | Heat | StackSpans | WindowMessages | WindowCollectives | None
)

LINES: Final = "lines"
OPERATIONS: Final = "operations"
"""Names by which the messages and the collective operations of the window are asked
for: they lie over the rows."""


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


def track_rows(known: Analysis) -> dict[str, Track]:
    """Give the tracks that a trace has, by name."""
    found: dict[str, Track] = {}
    aligned = known.trace.clock.aligned and known.message_index is not None
    if aligned and len(known.trace.messages):
        found["messages"] = Track(
            tr("messages"), tr("under way"), CURVE_HEIGHT, _under_way
        )
        found["bytes"] = Track(
            tr("bytes"), tr("under way"), CURVE_HEIGHT, _bytes_under_way
        )
    found["states"] = Track(tr("ranks by"), tr("state"), CURVE_HEIGHT, _parallelism)
    lines = min(deepest(known.trace), MAX_STACK_LINES)
    height = lines * STACK_LINE
    found["stack"] = Track(
        tr("rank"), tr("call stack"), height, _call_stack, of_rank=True
    )
    found["marks"] = Track(tr("marks"), "", MARKS_HEIGHT, lambda _: None)
    if known.trace.counters and metric_records(known.trace) is not None:
        for counter in known.trace.counters:
            key = f"{counter.metric}-{counter.place}"
            unit = counter.unit + ("/s" if counter.mode != "value" else "")
            unit = f"{counter.name}, {unit}" if unit else counter.name
            find = _counter_curve(counter)
            found[COUNTER + key] = Track(
                tr("rank"), unit, CURVE_HEIGHT, find, of_rank=True
            )
            heat = _counter_heat(counter)
            found[HEAT + key] = Track(tr("all ranks"), unit, HEAT_HEIGHT, heat)
    return found


def rank_of_tracks(state: State) -> int:
    """Give the rank that tracks of one rank are about: the first that is selected."""
    return state.selection.ranks[0] if state.selection.ranks else 0


def find_track(asked: TrackRequest) -> TrackData:
    """Find what a track shows, or the messages over the rows."""
    if asked.name == LINES:
        return window_messages(asked.known, asked.window, asked.shown)
    return track_rows(asked.known)[asked.name].find(asked)


# Messages.


def _under_way(asked: TrackRequest) -> Curve:
    count, _ = under_way(asked.known, asked.window, asked.width)
    return Curve(count, count, 0.0, float(count.max(initial=0.0)))


def _bytes_under_way(asked: TrackRequest) -> Curve:
    _, size = under_way(asked.known, asked.window, asked.width)
    return Curve(size, size, 0.0, float(size.max(initial=0.0)), "B")


def under_way(
    known: Analysis, window: tuple[int, int], width: int
) -> tuple[Floats, Floats]:
    """Find how many messages and bytes are under way, on the average of each column.

    From a message's send until its receive, as far as both were recorded.

    Returns
    -------
    float64, shape (width,), twice
        Messages, and bytes.
    """
    index, messages = known.message_index, known.trace.messages
    count, size = np.zeros(width), np.zeros(width)
    if index is not None:
        kernels.add_under_way(
            *(index.begin, index.end, messages.send_time, messages.receive_time),
            *(messages.size, window[0], window[1], count, size),
        )
    span = window[1] - window[0]
    return count / span, size / span


# States.


def _parallelism(asked: TrackRequest) -> StateStack:
    trace = asked.known.trace
    plan = plan_render(
        trace.timeline, asked.known.sums, asked.shown, asked.window, asked.width
    )
    return StateStack(state_shares(plan), len(asked.shown))


def _call_stack(asked: TrackRequest) -> StackSpans | None:
    return stack_spans(asked.known.trace, asked.rank, asked.window)


# Counters.


def _counter_curve(counter: MetricCounter) -> Callable[[TrackRequest], TrackData]:
    def find(asked: TrackRequest) -> Curve | None:
        series = series_of(asked.known.trace, counter)
        if series is None:
            return None
        row = _row_with_values(asked, series, asked.rank)
        if row < 0:
            return None
        low, high = _values_in_columns(asked, counter, series, row)
        known = high[~np.isnan(high)]
        most = float(known.max(initial=0.0))
        least = float(np.nanmin(low)) if len(known) else 0.0
        return Curve(low, high, min(least, 0.0), most, _unit_of(counter))

    return find


def _counter_heat(counter: MetricCounter) -> Callable[[TrackRequest], TrackData]:
    def find(asked: TrackRequest) -> Heat | None:
        series = series_of(asked.known.trace, counter)
        if series is None:
            return None
        ranks = asked.shown
        lines = min(len(ranks), asked.lines)
        values = np.full((lines, asked.width), np.nan)
        for place, rank in enumerate(ranks.tolist()):
            row = _row_with_values(asked, series, rank)
            if row >= 0:
                _, high = _values_in_columns(asked, counter, series, row)
                line = place * lines // len(ranks)
                values[line] = np.fmax(values[line], high)
        known = values[~np.isnan(values)]
        least = min(float(known.min(initial=0.0)), 0.0)
        most = float(known.max(initial=0.0))
        each = -(-len(ranks) // max(lines, 1))
        return Heat(values, each, least, most, _unit_of(counter))

    return find


def _unit_of(counter: MetricCounter) -> str:
    return counter.unit + ("/s" if counter.mode != "value" else "")


def _row_with_values(asked: TrackRequest, series: CounterSeries, rank: int) -> int:
    """Find the first location of a rank that has values; -1 for none."""
    counts = np.diff(series.offsets)
    if rank < len(counts) and counts[rank]:
        return rank
    owner = asked.known.trace.rank_of_location[: len(counts)]
    found = np.flatnonzero((owner == rank) & (counts > 0))
    return int(found[0]) if len(found) else -1


def _values_in_columns(
    asked: TrackRequest, counter: MetricCounter, series: CounterSeries, row: int
) -> tuple[Floats, Floats]:
    """Find the least and largest value of a location in each column.

    A value holds until the next one. Of counters that grow it is how much they grow a
    second, on the average of the column, evenly between two values.
    """
    first, stop = series.offsets[row : row + 2].tolist()
    time, value = series.time[first:stop], series.value[first:stop]
    (begin, end), width = asked.window, asked.width
    edges = begin + np.arange(width + 1) * ((end - begin) / width)
    if counter.mode != "value":
        total = np.cumsum(value) if counter.mode == "change" else value
        inside = (edges[1:] > time[0]) & (edges[:-1] < time[-1])
        seconds = (end - begin) / width / asked.known.trace.clock.resolution
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
