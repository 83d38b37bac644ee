"""What each statement of the logical trace took: calls, times, bytes, lateness."""

from dataclasses import dataclass

import numba
import numpy as np

from topoview.analysis.lateness import lateness
from topoview.logical.deduction import receive_calls
from topoview.model import Floats, Indices, Ints, LogicalTrace, MPIState, Trace, freeze
from topoview.progress import Report, breathe, breathing, in_breaths, silent

MEASURING = "measuring statements"
LONGER = 4
"""How many times as many calls as elsewhere are gone through between two reports."""


@dataclass(frozen=True, slots=True, eq=False)
class Spread:
    """Times of each statement's calls.

    Attributes
    ----------
    total : int64, shape (statements,)
        Sum in ticks.
    mean, deviation : float64, shape (statements,)
        Mean and standard deviation in ticks, over the calls of all ranks.
    most : int64, shape (statements,)
        Longest in ticks.
    """

    total: Ints
    mean: Floats
    deviation: Floats
    most: Ints

    def __post_init__(self) -> None:
        """Make the arrays read-only."""
        freeze(self)


@dataclass(frozen=True, slots=True, eq=False)
class StatementFigures:
    """What each statement took, over all ranks and repetitions.

    Attributes
    ----------
    calls, ranks : int64, shape (statements,)
        How many calls are of the statement, and how many ranks made them.
    spent
        Time in the call.
    slowest : int64, shape (statements,)
        The trace's call that took longest, -1 if there is none.
    before
        Time from the end of the rank's call before to the begin of this one:
        what the rank computes.
    sent, received : int64, shape (statements,)
        Bytes sent point-to-point or put into a collective, and received.
    late
        Time that calls waited for partners (`lateness`); None if the clocks are
        not aligned.
    waiting : int64, shape (statements,)
        Calls of which the trace tells whom they wait for.
    run
        Ticks of the whole run, all ranks together; of which a share is told.
    """

    calls: Ints
    ranks: Ints
    spent: Spread
    slowest: Ints
    before: Spread
    sent: Ints
    received: Ints
    late: Spread | None
    waiting: Ints
    run: int

    def __post_init__(self) -> None:
        """Make the arrays read-only."""
        freeze(self)

    def share(self) -> Floats:
        """Share of the run that each statement takes, float64, shape (statements,)."""
        shares: Floats = self.spent.total / max(self.run, 1)
        return shares


def statement_figures(
    trace: Trace, logical: LogicalTrace, report: Report = silent
) -> StatementFigures:
    """Measure every statement: one pass over the calls, O(calls + statements).

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
    with breathing(report, MEASURING, 0.2):
        spent, slowest = _spread(statement, taken, statements)
        before, _ = _spread(statement, computed_before(trace), statements)
    report(MEASURING, 0.5)
    late = lateness(trace, report)
    known = np.zeros(statements, np.int64)
    waited = None
    if late is not None:
        told = np.where(late >= 0, statement, np.int32(-1))
        with breathing(report, MEASURING, 0.7):
            waited, _ = _spread(told, late, statements)
        known = np.bincount(told[told >= 0], minlength=statements)
    with breathing(report, MEASURING, 0.8):
        sent, received = _bytes(trace, statement, statements)
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


def _spread(statement: Indices, ticks: Ints, statements: int) -> tuple[Spread, Ints]:
    count = np.zeros(statements, np.int64)
    total, most = np.zeros(statements, np.int64), np.zeros(statements, np.int64)
    mean, squares = np.zeros(statements), np.zeros(statements)
    slowest = np.full(statements, -1, np.int64)
    sums = count, total, mean, squares, most, slowest
    for some in in_breaths(len(statement), LONGER):
        _moments(statement[some], ticks[some], some.start, *sums)
    deviation = np.sqrt(squares / np.maximum(count, 1))
    return Spread(total, mean, deviation, most), slowest


@numba.njit(nogil=True, cache=True)
def _moments(  # noqa: PLR0913
    statement: Indices,
    ticks: Ints,
    first: int,
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
            slowest[s] = first + call


@numba.njit(nogil=True, cache=True)
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


def _bytes(trace: Trace, statement: Indices, statements: int) -> tuple[Ints, Ints]:
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
        for some in in_breaths(len(call), LONGER):
            _add(call[some], size[some], statement, total)
        breathe()
        _add(parts.call, collective, statement, total)
        sums.append(total)
    return sums[0], sums[1]


@numba.njit(nogil=True, cache=True)
def _add(call: Ints, size: Ints, statement: Indices, total: Ints) -> None:
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
