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
    Calls,
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
    interval: Ints
    """int64, shape (ranks,): the one that each rank is in."""
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
        self._intervals: tuple[int, Ints] | None = None
        self._calls: tuple[int, Ints, Bools] | None = None
        self._shown = np.full(trace.ranks, -1), np.zeros(trace.ranks, np.uint8)
        self._ends, self._next_calls = RowEnds(trace.ranks), RowEnds(trace.ranks)

    def intervals(self, ticks: int) -> Ints:
        """Find the interval that each rank is in: int64, shape (ranks,), read-only."""
        last = self._intervals
        if last is None or last[0] != ticks:
            near = None if last is None else last[1]
            timeline, ranks = self.trace.timeline, self.trace.ranks
            current = intervals_at(timeline, ranks, ticks, near, self._ends)
            self._intervals = last = ticks, current
        return last[1]

    def calls(self, ticks: int) -> tuple[Ints, Bools]:
        """Find the MPI calls that the ranks are in; as `calls_at`, read-only."""
        last = self._calls
        if last is None or last[0] != ticks:
            near = None if last is None else last[1]
            calls, ranks = self.trace.calls, self.trace.ranks
            entered = _entered(calls, ranks, ticks, near, self._next_calls)
            self._calls = last = ticks, *entered
        return last[1], last[2]

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
        before = None if begin is None else self.intervals(begin)
        at = self.intervals(ticks)
        self._shown = self._foremost(at if before is None else before, at)
        return Moment(self.trace.timeline, *self._shown, ticks, begin)

    def _foremost(self, before: Ints, at: Ints) -> tuple[Ints, Bytes]:
        """Find intervals and codes of the foremost states from intervals to others."""
        timeline, rows = self.trace.timeline, len(at)
        column = sparse_view(timeline.state, rows)
        interval, code = np.empty(rows, np.int64), np.empty(rows, np.uint8)
        last, last_code = self._shown

        def find(part: slice) -> None:
            kernels.foremost_states(
                column,
                before[part],
                at[part],
                STATE_PRIORITY,
                last[part],
                last_code[part],
                interval[part],
                code[part],
            )

        in_parts(find, equal_parts(rows, least=ROWS_A_THREAD))
        return readonly(interval), readonly(code, np.uint8)


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


def intervals_at(
    timeline: Timeline,
    rows: int,
    ticks: int,
    near: Ints | None = None,
    ends: RowEnds | None = None,
) -> Ints:
    """Find the interval that each of the first rows is in at a time.

    As `Timeline.at`, a row after the other: a row's part of a column is read once.

    Parameters
    ----------
    near : int64, shape (rows,)
        Where they were at a time near it.
    ends
        Of the search that found that.

    Returns
    -------
    int64, shape (rows,)
        Read-only.
    """
    offsets = timeline.offsets
    time = sparse_view(timeline.time, rows * PROBES_PER_ROW)
    near = offsets[:rows] if near is None else near
    at = _last(offsets, time, near, ticks, ends or RowEnds(rows), within=True)
    return readonly(at)


def _entered(
    calls: Calls, rows: int, ticks: int, near: Ints | None, ends: RowEnds
) -> tuple[Ints, Bools]:
    offsets = calls.offsets
    begin = readonly(offsets[:rows] - 1) if near is None else near
    enter = sparse_view(calls.enter, rows * PROBES_PER_ROW)
    at = _last(offsets, enter, begin, ticks, ends)
    inside = at >= offsets[:rows]
    inside[inside] = sparse_view(calls.leave, rows)[at[inside]] > ticks
    return readonly(at), readonly(inside, np.bool_)


def _last(  # noqa: PLR0913
    offsets: Ints,
    time: Ints,
    near: Ints,
    ticks: int,
    ends: RowEnds,
    *,
    within: bool = False,
) -> Ints:
    """Find the last number of each row that is not above one, searching from `near`.

    If all are above it that is one before the row; its first if it is to be `within`.
    """
    result, until = np.empty(len(near), np.int64), ends.at(ticks)

    def search(rows: slice) -> None:
        own = offsets[rows.start : rows.stop + 1]
        kernels.search_times(own, time, near[rows], ticks, until[rows], result[rows])
        if within:
            np.maximum(result[rows], own[:-1], out=result[rows])

    in_parts(search, equal_parts(len(near), least=ROWS_A_THREAD))
    return result


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
        self.told: tuple[object, tuple[str, ...]] = (None, ())
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
