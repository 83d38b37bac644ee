"""All about a call: partners, wait and who caused it, iteration, counters.

Plain numbers from the trace's columns, in ticks; -1 stands for what the trace does not
have. Each takes a few searches, and a pass over the calls of the rank.
"""

from dataclasses import dataclass

import numpy as np

from topoview.analysis.logical.iterations import iterations
from topoview.analysis.waits.states import lateness
from topoview.live.call_facts import (
    CallFacts,
    facts_of,
    messages_of,
    messages_of_call,
    path_text,
    place_at,
)
from topoview.live.colourings.counters import metric_records
from topoview.live.moments.moment import TimeCursor
from topoview.live.moments.wait_chains import wait_chains
from topoview.model import Analysis, EventRecords, Ints, MetricCounter, Trace
from topoview.report.logical.lines import logical_lines


def row_of_call(trace: Trace, call: int) -> int:
    """Row of the timeline that makes a call."""
    return int(np.searchsorted(trace.calls.offsets, call, side="right")) - 1


def rank_of_call(trace: Trace, call: int) -> int:
    """Rank that makes a call, -1 for a location of none."""
    return int(trace.rank_of_location[row_of_call(trace, call)])


# Waiting: how long, for whom, and why.


@dataclass(frozen=True, slots=True)
class Wait:
    """What a call waited for."""

    ticks: int
    """How long it waited for late partners; 0 if they were there."""
    whom: int
    """Rank that came last, -1 if unknown."""
    until: int
    """When that rank began what was waited for, or ended it: a lock."""
    cause: int
    """Index of its call, -1 if unknown."""
    busy: int
    busy_ticks: int
    """`busy` and `busy_ticks`: `TimeState` that this rank was in for most of the wait,
    and for how long."""
    chain: tuple[int, ...]
    """Ranks that wait for each other when the wait begins: the rank itself first, the
    root cause last. Empty if nobody waits."""


def wait_of_call(analysis: Analysis, call: int) -> Wait | None:
    """Find what a call waited for; None where the trace does not say."""
    trace, waits = analysis.trace, analysis.waits
    if waits is None or waits.until[call] < 0:
        return None
    until, whom = int(waits.until[call]), int(waits.whom[call])
    enter, leave = int(trace.calls.enter[call]), int(trace.calls.leave[call])
    ticks = max(int(lateness(trace, waits, np.array([call]))[0]), 0)
    if not ticks or not 0 <= whom < trace.ranks:
        return Wait(
            ticks=ticks,
            whom=whom,
            until=until,
            cause=-1,
            busy=-1,
            busy_ticks=0,
            chain=(),
        )
    cause = int(waits.cause[call])
    busy, busy_ticks = longest_state(trace, whom, (enter, min(until, leave)))
    chains = wait_chains(TimeCursor(trace), waits, enter)
    row = row_of_call(trace, call)
    chain = tuple(chains.of(row)) if row < trace.ranks else ()
    return Wait(
        ticks=ticks,
        whom=whom,
        until=until,
        cause=cause,
        busy=busy,
        busy_ticks=busy_ticks,
        chain=chain,
    )


def longest_state(trace: Trace, row: int, window: tuple[int, int]) -> tuple[int, int]:
    """Find the state that a row is in for most of a window, and for how long."""
    timeline = trace.timeline
    first, stop = timeline.offsets[row : row + 2].tolist()
    time = timeline.time[first:stop]
    low, high = np.searchsorted(time, window, side="right")
    seen = np.arange(max(int(low) - 1, 0), max(int(high), 1))
    begins = np.maximum(time[seen], window[0])
    ends = np.append(begins[1:], window[1])
    state = timeline.state[first + seen]
    sums = np.bincount(state, np.maximum(ends - begins, 0))
    most = int(sums.argmax())
    return most, int(sums[most])


# Calls.


@dataclass(frozen=True, slots=True)
class CounterGrowth:
    """What a counter counted around a call; NaN where it was not recorded."""

    counter: MetricCounter
    """Which one."""
    before: float
    """From the end of the rank's call before to the begin of this one; of a counter
    whose numbers stand for themselves, the last one when the call begins."""
    inside: float
    """While the call lasts; of a counter of the other kind, the last one when it
    ends."""


@dataclass(frozen=True, slots=True)
class CallDetails:
    """A call."""

    call: int
    row: int
    rank: int
    region: int
    state: int
    """`call`, `row`, `rank`, `region` and `state`: index, row of the timeline, rank
    (-1: none), region and `TimeState`."""
    enter: int
    leave: int
    """`enter` and `leave`: ticks."""
    facts: CallFacts
    """Partners, bytes, tags, communicator, root."""
    messages: tuple[int, ...]
    """Indices of the messages that it sends, posts, receives or completes."""
    wait: Wait | None
    """What it waited for; None where the trace does not say."""
    posted: int
    completed: int
    """`posted` and `completed`: call whose request it completes, and call that
    completes its own; -1 for none."""
    path: str
    source: str
    """`path` and `source`: functions around it, and the line that it was made from; may
    be empty."""
    statement: int
    """Statement of the logical trace, -1 for none."""
    number: int
    count: int
    """`number` and `count`: which call of this statement (without one: of this region)
    it is on its row, from 1, and how many there are."""
    iteration: int
    iterations: int
    """`iteration` and `iterations`: of the innermost loop around the statement: which
    one, from 1, and the most that there are; 0 for no loop."""
    collective: int
    """Index of its part in a collective operation, -1 for none."""
    counters: tuple[CounterGrowth, ...]
    """What was counted; only those that were recorded on this row."""


def call_details(analysis: Analysis, call: int) -> CallDetails:
    """Find all about a call of the trace."""
    trace, calls = analysis.trace, analysis.trace.calls
    row, rank = row_of_call(trace, call), rank_of_call(trace, call)
    region = int(calls.region[call])
    own = messages_of(analysis, rank, call, call + 1)
    alike = calls_alike(analysis, call)
    iteration, iterations = iteration_of_call(analysis, call)
    parts = trace.collectives
    part = int(np.searchsorted(parts.call, call))
    is_part = part < len(parts) and int(parts.call[part]) == call
    return CallDetails(
        call=call,
        row=row,
        rank=rank,
        region=region,
        state=int(trace.regions.state[region]),
        enter=int(calls.enter[call]),
        leave=int(calls.leave[call]),
        facts=facts_of(trace, own, call),
        messages=tuple(messages_of_call(analysis, call).tolist()),
        wait=wait_of_call(analysis, call),
        posted=int(calls.completes[call]),
        completed=call_completing(analysis, call),
        path=path_text(trace, call),
        source=place_at(trace, row, region, int(calls.enter[call])),
        statement=statement_of_call(analysis, call),
        number=int(np.searchsorted(alike, call)) + 1,
        count=len(alike),
        iteration=iteration,
        iterations=iterations,
        collective=part if is_part else -1,
        counters=counters_around(trace, call),
    )


def statement_of_call(analysis: Analysis, call: int) -> int:
    """Return the statement of the logical trace that a call is of, -1 for none."""
    return (
        -1
        if analysis.logical is None
        else int(analysis.logical.statement_of_call[call])
    )


def calls_alike(analysis: Analysis, call: int) -> Ints:
    """Find the calls of the same row and statement; without one, of the same region.

    Returns
    -------
    int64, shape (n,)
        Indices into the trace's calls, ascending.
    """
    calls, statement = analysis.trace.calls, statement_of_call(analysis, call)
    row = row_of_call(analysis.trace, call)
    first, stop = calls.offsets[row : row + 2].tolist()
    if statement >= 0 and analysis.logical is not None:
        same = analysis.logical.statement_of_call[first:stop] == statement
    else:
        same = calls.region[first:stop] == calls.region[call]
    return np.asarray(first + np.flatnonzero(same))


def call_completing(analysis: Analysis, call: int) -> int:
    """Find the call that completes what a call has begun, -1 if there is none."""
    trace, calls = analysis.trace, analysis.trace.calls
    stop = int(calls.offsets[row_of_call(trace, call) + 1])
    later = np.flatnonzero(calls.completes[call + 1 : stop] == call)
    if len(later):
        return call + 1 + int(later[0])
    rows = messages_of_call(analysis, call)
    ends = trace.messages.completion_call[rows]
    ends = ends[(trace.messages.receive_call[rows] == call) & (ends != call)]
    return int(ends.max()) if len(ends) and ends.max() >= 0 else -1


def line_of_statement(analysis: Analysis, statement: int) -> int:
    """Find the line that a statement of the logical trace is, -1 for none."""
    lines = enumerate(logical_lines(analysis))
    own = (n for n, x in lines if x.kind == "call" and x.first == statement)
    return next(own, -1)


def iteration_of_call(analysis: Analysis, call: int) -> tuple[int, int]:
    """Which iteration of the program's main loop a call is in, from 1; how many."""
    positions = analysis.positions
    if positions is None or not 0 <= call < len(positions.of_call):
        return 0, 0
    number = int(iterations(positions, np.array([call]))[0])
    ways = positions.loops[positions.main_loop] if number else ()
    most = sum(int(np.prod([step.count for step in way])) for way in ways)
    return (number, most) if most > 1 else (0, 0)


def counters_around(trace: Trace, call: int) -> tuple[CounterGrowth, ...]:
    """Find what the counters of a call's row counted before it and in it."""
    records = metric_records(trace)
    if records is None:
        return ()
    row, calls = row_of_call(trace, call), trace.calls
    first, stop = records.offsets[row : row + 2].tolist()
    if first == stop:
        return ()
    own = EventRecords(
        records.name,
        records.fields,
        np.array([0, stop - first]),
        records.time[first:stop],
        records.values[first:stop],
    )
    metric, place = own.column("metric"), own.column("place")
    value, growths = own.numbers(), []
    is_first = call == int(calls.offsets[row])
    ends = (
        0 if is_first else int(calls.leave[call - 1]),
        int(calls.enter[call]),
        int(calls.leave[call]),
    )
    for counter in trace.counters:
        mask = (metric == counter.metric) & (place == counter.place)
        if mask.any():
            growth = _growth(counter, own.time[mask], value[mask] * counter.scale, ends)
            growths.append(CounterGrowth(counter, *growth))
    return tuple(growths)


def _growth(
    counter: MetricCounter, time: Ints, value: np.ndarray, ends: tuple[int, int, int]
) -> tuple[float, float]:
    """Return what was counted between three times."""
    at = np.searchsorted(time, ends, side="right")
    if counter.mode == "change":
        sums = np.append(0.0, np.cumsum(value))[at]
        return float(sums[1] - sums[0]), float(sums[2] - sums[1])
    last = np.append(np.nan, value)[at]
    if counter.mode == "grows":
        return float(last[1] - last[0]), float(last[2] - last[1])
    return float(last[1]), float(last[2])
