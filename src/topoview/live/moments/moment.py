"""What every rank does at one time: compiled searches in columns sorted row by row.

A `TimeCursor` begins where it was last: while time runs most rows are where they were,
so that a frame looks at one number of each.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from topoview.base.threads import equal_parts, in_parts
from topoview.live import kernels
from topoview.live.call_facts import CallFacts, facts_of, messages_of
from topoview.live.colourings.counters import CounterSeries, series_of
from topoview.live.moments.window_sums import STATE_PRIORITY, longest_ticks
from topoview.live.picking.selection import CallFinder
from topoview.model import (
    WAITING_STATES,
    Analysis,
    Bools,
    Bytes,
    Frozen,
    Indices,
    Ints,
    MetricCounter,
    Timeline,
    TimeState,
    Trace,
    readonly,
)
from topoview.store.arrays import sparse_view

PROBES_PER_ROW: Final = 16
"""Places of a row that a search looks at, without those that lie together."""

ROWS_A_THREAD: Final = 100_000
"""Rows that a thread looks at, at least: while time runs less than a millisecond."""

FIRST_TIME: Final = int(np.iinfo(np.int64).min)


@dataclass(frozen=True, eq=False)
class Moment(Frozen):
    """The ranks' main threads at a time; what is asked of them is looked up."""

    timeline: Timeline
    """Whose intervals they are."""
    before: Ints
    now: Ints
    """`before`, `now`: int64, shape (ranks,): the intervals that each rank was in at
    `begin`, and is in."""
    state: Bytes
    """`TimeState` of each rank: uint8, shape (ranks,)."""
    ticks: int
    """The time."""
    begin: int | None = None
    """None, or the time from which on states count: of several states since then the
    foremost is told, so that none is too short to be seen."""

    @cached_property
    def counts(self) -> Ints:
        """Ranks in each `TimeState`."""
        result = np.zeros(len(TimeState), np.int64)
        kernels.count_codes(self.state, result)
        return result

    @cached_property
    def interval(self) -> Ints:
        """The one that tells each rank's state: int64, shape (ranks,)."""
        return self._intervals(slice(0, len(self.now)))

    def interval_of(self, rank: int) -> int:
        """Return the one that tells a rank's state."""
        return int(self._intervals(slice(rank, rank + 1))[0])

    def _intervals(self, ranks: slice) -> Ints:
        now = self.now[ranks]
        result = np.empty(len(now), np.int64)
        column = sparse_view(self.timeline.state, len(now))
        kernels.foremost_intervals(
            column, self.before[ranks], now, STATE_PRIORITY, result
        )
        return readonly(result)

    @cached_property
    def since(self) -> Ints:
        """When its interval began, in ticks: int64, shape (ranks,)."""
        return self._looked_up(self.timeline.time)

    @cached_property
    def region(self) -> Indices:
        """Its innermost region, -1 if none: int32, shape (ranks,)."""
        return self._looked_up(self.timeline.region)

    def _looked_up(self, column: NDArray[Any]) -> NDArray[Any]:
        result: NDArray[Any] = sparse_view(column, len(self.interval))[self.interval]
        result.flags.writeable = False
        return result


class TimeCursor:
    """Where the ranks' main threads are; searches from where they were last.

    Whoever asks for one time after the other has one of its own.

    Parameters
    ----------
    trace
        The trace.
    """

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self._ticks: int | None = None
        self._interval = trace.timeline.offsets[: trace.ranks]
        self._state = np.zeros(trace.ranks, np.uint8)
        self._call = readonly(trace.calls.offsets[: trace.ranks] - 1)
        self._calls: tuple[int, Bools] | None = None
        self._ends, self._next_calls = RowEnds(trace.ranks), RowEnds(trace.ranks)

    def intervals(self, ticks: int) -> Ints:
        """Find the interval that each rank is in: int64, shape (ranks,), read-only."""
        self._go(ticks)
        return self._interval

    def calls(self, ticks: int) -> tuple[Ints, Bools]:
        """Find the MPI calls that the ranks are in; as `calls_at`, read-only."""
        if self._calls is None or self._calls[0] != ticks:
            calls, ranks = self.trace.calls, self.trace.ranks
            until, near = self._next_calls.at(ticks), self._call
            enter = sparse_view(calls.enter, ranks * PROBES_PER_ROW)
            leave = sparse_view(calls.leave, ranks)
            call, inside = np.empty(ranks, np.int64), np.zeros(ranks, np.bool_)
            some = np.empty(ranks, np.int32)

            def find(part: slice) -> None:
                own, to = calls.offsets[part.start : part.stop + 1], call[part]
                search = near[part], ticks, until[part], to, some[part]
                kernels.search_times(own, enter, *search, within=False)
                kernels.inside_calls(own, leave, to, ticks, inside[part])

            in_parts(find, equal_parts(ranks, least=ROWS_A_THREAD))
            self._call = readonly(call)
            self._calls = ticks, readonly(inside, np.bool_)
        return self._call, self._calls[1]

    def moment(self, ticks: int, begin: int | None = None) -> Moment:
        """Look up what all ranks do at a time.

        Parameters
        ----------
        ticks
            The time.
        begin
            None, or an earlier time: the foremost state since then is shown, by
            `topoview.live.moments.window_sums.STATE_PRIORITY`.
        """
        # First the earlier time: it is that of the frame before.
        self._go(ticks if begin is None else begin)
        before, shown = self._interval, self._go(ticks)
        now = before, self._interval, shown
        return Moment(self.trace.timeline, *now, ticks, begin)

    def _go(self, ticks: int) -> Bytes:
        """Find all ranks at a time; returns the foremost states on the way there."""
        if self._ticks == ticks:
            return self._state
        timeline, ranks = self.trace.timeline, self.trace.ranks
        time = sparse_view(timeline.time, ranks * PROBES_PER_ROW)
        states = sparse_view(timeline.state, ranks)
        until, before = self._ends.at(ticks), self._interval
        now, some = np.empty(ranks, np.int64), np.empty(ranks, np.int32)
        code, shown = self._state.copy(), self._state.copy()

        def find(part: slice) -> None:
            own, moved = timeline.offsets[part.start : part.stop + 1], some[part]
            search = before[part], ticks, until[part], now[part], moved
            count = kernels.search_times(own, time, *search, within=True)
            way = before[part], now[part], STATE_PRIORITY, moved[:count]
            kernels.renew_states(states, *way, code[part], shown[part])

        in_parts(find, equal_parts(ranks, least=ROWS_A_THREAD))
        self._ticks, self._interval = ticks, readonly(now)
        self._state = readonly(code, np.uint8)
        return readonly(shown, np.uint8)


class RowEnds:
    """Times until which the rows stay where a search found them.

    Numbers that lie one after the other: to look into each row's own part of a column
    takes ten times as long.
    """

    def __init__(self, rows: int) -> None:
        self._ends = np.full(rows, FIRST_TIME)
        self._ticks = FIRST_TIME

    def at(self, ticks: int) -> Ints:
        """Return the ends of intervals as far as they hold; a search renews them."""
        if ticks < self._ticks:
            self._ends.fill(FIRST_TIME)
        self._ticks = ticks
        return self._ends


def moment(trace: Trace, ticks: int, begin: int | None = None) -> Moment:
    """Look up what all ranks do at one time; as `TimeCursor.moment`."""
    return TimeCursor(trace).moment(ticks, begin)


def calls_at(trace: Trace, ticks: int) -> tuple[Ints, Bools]:
    """Find the MPI calls that the ranks' main threads are in at a time.

    Returns
    -------
    call : int64, shape (ranks,)
        The last call that was entered; one less than the rank's first if none was.
    inside : bool, shape (ranks,)
        Whether the rank is still in it.
    """
    return TimeCursor(trace).calls(ticks)


def call_at(trace: Trace, row: int, ticks: int) -> int | None:
    """Index of the MPI call that a row is in at a time, None if it is in none."""
    calls = trace.calls
    first, stop = calls.offsets[row : row + 2].tolist()
    call = first - 1
    call += int(np.searchsorted(calls.enter[first:stop], ticks, side="right"))
    return call if call >= first and calls.leave[call] > ticks else None


MAX_FACTS_KEPT = 64
"""Calls of which it is kept what they did."""


class Lookups:
    """What is looked up in a trace again and again; whoever asks keeps its own.

    Parameters
    ----------
    trace
        The trace.
    """

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.card_of: tuple[object, tuple[str, ...]] = (None, ())
        """What was last said of what was clicked, and of what: the same frame by
        frame."""
        self.cursor = TimeCursor(trace)
        self.calls = CallFinder()
        self._facts: dict[int, CallFacts] = {}
        self._series: dict[MetricCounter, CounterSeries | None] = {}

    @cached_property
    def longest_wait(self) -> int:
        """Of any rank in the run, in ticks."""
        return longest_ticks(self.trace, WAITING_STATES)

    def facts(self, analysis: Analysis, rank: int, call: int) -> CallFacts:
        """Return what a call of a rank did."""
        if call not in self._facts:
            if len(self._facts) >= MAX_FACTS_KEPT:
                del self._facts[next(iter(self._facts))]
            near = messages_of(analysis, rank, call, call + 1)
            self._facts[call] = facts_of(self.trace, near, call)
        return self._facts[call]

    def series(self, counter: MetricCounter) -> CounterSeries | None:
        """Values of a counter; None without any."""
        if counter not in self._series:
            self._series[counter] = series_of(self.trace, counter)
        return self._series[counter]
