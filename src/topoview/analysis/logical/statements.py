"""What each statement of the logical trace took: calls, times, bytes, counters.

Time in its calls, computation before them, waiting for late partners, bytes sent and
received, and what the trace's counters counted in the computation before.
"""

import re
from typing import Final

import numpy as np

from topoview.analysis.waits.states import lateness
from topoview.kernels import kernel
from topoview.logical.calls.messages import receive_calls
from topoview.model import (
    Bools,
    EventRecords,
    Floats,
    Indices,
    Ints,
    LogicalTrace,
    MetricCounter,
    MetricFigures,
    MPIState,
    StatementFigures,
    TimeSpread,
    Trace,
    WaitStates,
    readonly,
)
from topoview.progress import Report, silent

MEASURING = "measuring statements"


def statement_figures(
    trace: Trace,
    logical: LogicalTrace,
    waits: WaitStates | None,
    report: Report = silent,
) -> StatementFigures:
    """Measure every statement: one pass over the calls, O(calls + statements).

    Parameters
    ----------
    waits
        For whom calls waited; None if that is not known.

    Raises
    ------
    Cancelled
        From `report`.
    """
    calls, statements = trace.calls, logical.statements
    statement = logical.statement_of_call
    report(MEASURING, 0.0)
    counts, ranks = _count(calls.offsets, statement, statements)
    report(MEASURING, 0.1)
    taken = calls.leave - calls.enter
    spent, slowest = _spread(statement, taken, statements)
    before, _ = _spread(statement, computed_before(trace), statements)
    report(MEASURING, 0.5)
    known = np.zeros(statements, np.int64)
    waited = None
    if waits is not None:
        late = lateness(trace, waits)
        told = np.where(late >= 0, statement, np.int32(-1))
        waited, _ = _spread(readonly(told, np.int32), late, statements)
        known = np.bincount(told[told >= 0], minlength=statements)
    report(MEASURING, 0.8)
    sent, received = _statement_bytes(trace, statement, statements)
    return StatementFigures(
        counts,
        ranks,
        spent,
        slowest,
        before,
        sent,
        received,
        waited,
        known.astype(np.int64),
        trace.clock.length * trace.ranks,
    )


def computed_before(trace: Trace) -> Ints:
    """Ticks between each call and the one before it, int64, shape (calls,).

    Before a location's first call: from where the location begins.
    """
    calls, timeline = trace.calls, trace.timeline
    gap = calls.enter.copy()
    gap[1:] -= calls.leave[:-1]
    filled = np.flatnonzero(np.diff(calls.offsets))
    first = calls.offsets[:-1][filled]
    at = timeline.offsets[:-1][filled]
    later = np.minimum(at + 1, timeline.offsets[1:][filled] - 1)
    outside = timeline.state[at] == MPIState.OUTSIDE
    gap[first] = calls.enter[first] - timeline.time[np.where(outside, later, at)]
    return np.maximum(gap, 0)


def _spread(
    statement: Indices, ticks: Ints, statements: int
) -> tuple[TimeSpread, Ints]:
    count = np.zeros(statements, np.int64)
    total, most = np.zeros(statements, np.int64), np.zeros(statements, np.int64)
    mean, squares = np.zeros(statements), np.zeros(statements)
    slowest = np.full(statements, -1, np.int64)
    sums = count, total, mean, squares, most, slowest
    _moments(statement, readonly(ticks), *sums)
    deviation = np.sqrt(squares / np.maximum(count, 1))
    return TimeSpread(total, mean, deviation, most), slowest


@kernel
def _moments(  # noqa: PLR0913
    statement: Indices,
    ticks: Ints,
    count: Ints,
    total: Ints,
    mean: Floats,
    squares: Floats,
    most: Ints,
    slowest: Ints,
) -> None:
    """Sum up: totals, means and deviations (Welford 1962), the longest call."""
    for call in range(len(statement)):
        s = statement[call]
        if s < 0:
            continue
        value = ticks[call]
        count[s] += 1
        total[s] += value
        step = value - mean[s]
        mean[s] += step / count[s]
        squares[s] += step * (value - mean[s])
        if slowest[s] < 0 or value > most[s]:
            most[s] = value
            slowest[s] = call


@kernel
def _count(offsets: Ints, statement: Indices, statements: int) -> tuple[Ints, Ints]:
    counts = np.zeros(statements, np.int64)
    ranks = np.zeros(statements, np.int64)
    seen = np.full(statements, -1, np.int64)
    for row in range(len(offsets) - 1):
        for call in range(offsets[row], offsets[row + 1]):
            s = statement[call]
            if s < 0:
                continue
            counts[s] += 1
            if seen[s] != row:
                seen[s] = row
                ranks[s] += 1
    return counts, ranks


def _statement_bytes(
    trace: Trace, statement: Indices, statements: int
) -> tuple[Ints, Ints]:
    """Bytes that each statement's calls send and receive."""
    messages, parts = trace.messages, trace.collectives
    last = int(trace.calls.offsets[trace.ranks])
    operation = trace.regions.operation[trace.calls.region[:last]].astype(np.int64)
    sides = (
        (messages.send_call, messages.size, parts.sent),
        (receive_calls(trace, operation), messages.size, parts.received),
    )
    sums = []
    for call, size, collective in sides:
        total = np.zeros(statements, np.int64)
        _add_bytes(call, size, statement, total)
        _add_bytes(parts.call, collective, statement, total)
        sums.append(total)
    return sums[0], sums[1]


@kernel
def _add_bytes(call: Ints, size: Ints, statement: Indices, total: Ints) -> None:
    for i in range(len(call)):
        if call[i] >= 0 and statement[call[i]] >= 0 and size[i] > 0:
            total[statement[call[i]]] += size[i]


def computed_mean(trace: Trace, logical: LogicalTrace) -> Floats:
    """Seconds that a rank computes before each statement on average.

    Returns
    -------
    float64, shape (statements,)
    """
    spread, _ = _spread(
        logical.statement_of_call, computed_before(trace), logical.statements
    )
    seconds: Floats = spread.mean / trace.clock.resolution
    return seconds


# What a trace's metrics count while ranks compute, by statement.

_INSTRUCTIONS: Final = re.compile(
    r"(PAPI_TOT_INS|(.*:)?INSTRUCTIONS(:.*)?|INST_RETIRED\W?ANY(_P)?|(.*:)?INSTR\w*_RETIRED)$",
    re.I,
)
_CYCLES: Final = re.compile(
    r"(PAPI_TOT_CYC|(.*:)?(CPU[-_])?CYCLES(:.*)?|CPU_CLK_UNHALTED\W?\w*)$", re.I
)
"""Names of the counters of PAPI, Linux perf and Intel that make the IPC."""


def metric_figures(
    trace: Trace, logical: LogicalTrace, report: Report = silent
) -> MetricFigures:
    """Measure what counters counted before each statement: O(records + calls).

    A counter that grows is read when the call before ends and when the call
    begins; between two records it is taken to grow evenly. Of a counter with
    several values at one time the last one holds. Records of other locations than
    the ranks' main threads are left out.

    Raises
    ------
    Cancelled
        From `report`.
    """
    records = [r for r in trace.further if r.name == "Metric" and len(r)]
    counters = _recorded(trace, records)
    sums = np.zeros((len(counters), logical.statements))
    counts = np.zeros((len(counters), logical.statements), np.int64)
    pair = _pair(counters)
    both = np.zeros((2, logical.statements))
    if counters:
        gap = computed_before(trace)
        for rank in range(trace.ranks):
            if rank % 16 == 0:
                report("measuring counters", rank / trace.ranks)
            own = slice(
                int(trace.calls.offsets[rank]), int(trace.calls.offsets[rank + 1])
            )
            ends = trace.calls.enter[own]
            statement = logical.statement_of_call[own]
            found = _rank(records, counters, rank, ends - gap[own], ends)
            for row, numbers in enumerate(found):
                some = np.flatnonzero((statement >= 0) & ~np.isnan(numbers))
                np.add.at(sums[row], statement[some], numbers[some])
                np.add.at(counts[row], statement[some], 1)
            if pair:
                one, other = found[pair[0]], found[pair[1]]
                told = ~(np.isnan(one) | np.isnan(other)) & (statement >= 0)
                np.add.at(both[0], statement[told], one[told])
                np.add.at(both[1], statement[told], other[told])
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.where(counts > 0, sums / counts, np.nan)
        ipc = np.where(both[1] > 0, both[0] / both[1], np.nan)
    return MetricFigures(counters, counts, mean, ipc)


def _recorded(trace: Trace, records: list[EventRecords]) -> tuple[MetricCounter, ...]:
    """Counters of which ranks' main threads have records."""
    wanted = np.array([(c.metric, c.place) for c in trace.counters], np.int64)
    wanted = wanted.reshape(-1, 2)
    seen = np.zeros(len(wanted), bool)
    for some in records:
        _look(some.values, int(some.offsets[trace.ranks]), wanted, seen)
    return tuple(c for c, there in zip(trace.counters, seen, strict=True) if there)


@kernel
def _look(values: Ints, last: int, wanted: Ints, seen: Bools) -> None:
    """Find which pairs of metric and place the first so many records have."""
    left = len(wanted) - np.sum(seen)
    for k in range(last):
        if not left:
            break
        for row in range(len(wanted)):
            if (
                not seen[row]
                and values[k, 0] == wanted[row, 0]
                and values[k, 1] == wanted[row, 1]
            ):
                seen[row] = True
                left -= 1


def _pair(counters: tuple[MetricCounter, ...]) -> tuple[int, int] | None:
    """Places of the counters of instructions and of cycles."""
    found = []
    for names in (_INSTRUCTIONS, _CYCLES):
        fits = [
            k
            for k, counter in enumerate(counters)
            if names.match(counter.name) and counter.mode != "value"
        ]
        if not fits:
            return None
        found.append(fits[0])
    return found[0], found[1]


def _rank(
    records: list[EventRecords],
    counters: tuple[MetricCounter, ...],
    rank: int,
    begin: Ints,
    end: Ints,
) -> list[Floats]:
    """Measure each counter in a rank's intervals; NaN where it is not known."""
    found = [np.full(len(begin), np.nan) for _ in counters]
    for some in records:
        own = slice(int(some.offsets[rank]), int(some.offsets[rank + 1]))
        part = EventRecords(
            some.name,
            some.fields,
            np.array([0, own.stop - own.start]),
            some.time[own],
            some.values[own],
        )
        numbers, metric, place = (
            part.numbers(),
            part.column("metric"),
            part.column("place"),
        )
        for row, counter in enumerate(counters):
            mine = np.flatnonzero((metric == counter.metric) & (place == counter.place))
            if not len(mine):
                continue
            times, values = part.time[mine], numbers[mine] * counter.scale
            if counter.mode == "change":
                values = np.cumsum(values)
            mode = 0 if counter.mode == "value" else 1 if counter.mode == "grows" else 2
            _measure(times, values, mode, begin, end, found[row])
    return found


@kernel
def _measure(  # noqa: PLR0913
    times: Ints, values: Floats, mode: int, begin: Ints, end: Ints, found: Floats
) -> None:
    """Read a counter over intervals in order: mode 0 values, 1 grows, 2 changes."""
    for k in range(len(begin)):
        last = np.searchsorted(times, end[k], side="right") - 1
        if mode == 0:
            if last >= 0:
                found[k] = values[last]
            continue
        first = np.searchsorted(times, begin[k], side="right") - 1
        if mode == 2:
            before = values[first] if first >= 0 else 0.0
            found[k] = (values[last] if last >= 0 else 0.0) - before
            continue
        if first < 0 or last < 0:
            continue
        low = _between(times, values, first, begin[k])
        high = _between(times, values, last, end[k])
        if high >= low:
            found[k] = high - low


@kernel
def _between(times: Ints, values: Floats, at: int, time: int) -> float:
    """Value at a time from the records around it; NaN after the last one."""
    if times[at] == time:
        return float(values[at])
    if at + 1 >= len(times):
        return np.nan
    span = times[at + 1] - times[at]
    return float(values[at] + (values[at + 1] - values[at]) * (time - times[at]) / span)
