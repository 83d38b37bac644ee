"""What each statement of the logical trace took: calls, times, bytes.

Time in its calls, computation before them, waiting for late partners, bytes sent and
received.
"""

import numpy as np

from topoview.analysis.waits.states import lateness, ranks_read
from topoview.base.kernels import kernel
from topoview.base.progress import Report, silent
from topoview.logical.calls.messages import receive_calls
from topoview.model import (
    Floats,
    Indices,
    Ints,
    LogicalTrace,
    MPIState,
    StatementFigures,
    TimeSpread,
    Trace,
    WaitStates,
    readonly,
)

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
        trace.clock.ticks_read * len(ranks_read(trace)),
    )


def computed_before(trace: Trace, some: slice = slice(None)) -> Ints:
    """Ticks between each call and the one before it, int64, shape (calls,).

    Before a location's first call: from where the location begins. Of all calls, or
    of those from one to another.
    """
    calls, timeline = trace.calls, trace.timeline
    begin, end, _ = some.indices(len(calls))
    gap = calls.enter[begin:end].copy()
    gap[1:] -= calls.leave[begin : end - 1] if end > begin else 0
    gap[:1] -= calls.leave[begin - 1] if begin else 0
    first = calls.offsets[:-1]
    filled = np.flatnonzero(
        (np.diff(calls.offsets) > 0) & (first >= begin) & (first < end)
    )
    first = first[filled]
    at = timeline.offsets[:-1][filled]
    later = np.minimum(at + 1, timeline.offsets[1:][filled] - 1)
    outside = timeline.state[at] == MPIState.OUTSIDE
    births = timeline.time[np.where(outside, later, at)]
    gap[first - begin] = calls.enter[first] - births
    return np.maximum(gap, 0, out=gap)


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
