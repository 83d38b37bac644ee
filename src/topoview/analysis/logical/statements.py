"""What each statement of the logical trace took: calls, times, bytes.

Time in its calls, computation before them, waiting for late partners, bytes sent and
received.
"""

from typing import NamedTuple

import numpy as np

from topoview.analysis.logical import kernels
from topoview.analysis.logical.exact_sums import new_tally, spread_of, sums_of
from topoview.analysis.logical.statement_kernels import add_bytes, count_ranks
from topoview.analysis.waits.deduced import received_by
from topoview.analysis.waits.states import lateness, ranks_read
from topoview.base.progress import Report, silent
from topoview.model import (
    DeducedEnds,
    Floats,
    Indices,
    Ints,
    LineSums,
    LogicalTrace,
    Part,
    StatementFigures,
    TickSums,
    TimeState,
    Trace,
    WaitStates,
    rows_in_batches,
    whole_part,
)

MEASURING = "measuring statements"


class StatementSums(NamedTuple):
    """Fields of `LineSums` of statements."""

    spent: TickSums
    before: TickSums
    late: TickSums | None
    ranks: Ints
    sent: Ints
    received: Ints


def statement_sums(
    part: Part,
    logical: LogicalTrace,
    waits: WaitStates | None,
    deduced: DeducedEnds,
    report: Report = silent,
) -> StatementSums:
    """Measure statements on some ranks: one pass over the calls.

    Parameters
    ----------
    waits
        For whom calls waited; None if unknown.

    Raises
    ------
    Cancelled
        From `report`.
    """
    trace, calls, statements = part.trace, part.trace.calls, logical.statements
    spent, before, late = (new_tally(statements) for _ in range(3))
    ranks, seen = np.zeros(statements, np.int64), np.full(statements, -1, np.int64)
    for some, own in part.rank_batches():
        report(MEASURING, some.start / trace.ranks)
        statement, first = logical.statement_of_call[own], own.start
        offsets = calls.offsets[some.start : some.stop + 1]
        count_ranks(some.start, offsets, statement, seen, ranks)
        taken, gap = calls.leave[own] - calls.enter[own], computed_before(trace, own)
        kernels.tally_calls(statement, taken, first, spent)
        kernels.tally_calls(statement, gap, first, before)
        if waits is not None:
            ticks = lateness(trace, waits, own)
            waited = np.where(ticks >= 0, statement, np.int32(-1))
            kernels.tally_calls(waited, ticks, first, late)
    return StatementSums(
        sums_of(spent),
        sums_of(before),
        None if waits is None else sums_of(late),
        ranks,
        *_statement_bytes(part, logical.statement_of_call, statements, deduced),
    )


def statement_figures(trace: Trace, sums: LineSums) -> StatementFigures:
    """Compute the figures of statements from what was summed up."""
    late = sums.late
    return StatementFigures(
        calls=sums.spent.count,
        ranks=sums.ranks,
        spent=spread_of(sums.spent),
        slowest=sums.spent.call,
        before=spread_of(sums.before),
        sent=sums.sent,
        received=sums.received,
        late=None if late is None else spread_of(late),
        waiting=np.zeros_like(sums.ranks) if late is None else late.count,
        run=trace.clock.ticks_read * len(ranks_read(trace)),
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
    outside = timeline.state[at] == TimeState.OUTSIDE
    births = timeline.time[np.where(outside, later, at)]
    gap[first - begin] = calls.enter[first] - births
    return np.maximum(gap, 0, out=gap)


def _statement_bytes(
    part: Part, statement: Indices, statements: int, deduced: DeducedEnds
) -> tuple[Ints, Ints]:
    """Bytes that each statement's calls send and receive."""
    messages, table = part.trace.messages, part.trace.collectives
    sent, received = np.zeros((2, statements), np.int64)
    for rows in rows_in_batches(part.sent):
        add_bytes(messages.send_call[rows], messages.size[rows], statement, sent)
    for rows in rows_in_batches(part.received):
        call = received_by(part.trace, deduced, rows)
        add_bytes(call, messages.size[rows], statement, received)
    for rows in rows_in_batches(part.collectives):
        add_bytes(table.call[rows], table.sent[rows], statement, sent)
        add_bytes(table.call[rows], table.received[rows], statement, received)
    return sent, received


def computed_mean(trace: Trace, logical: LogicalTrace) -> Floats:
    """Seconds that a rank computes before each statement on average.

    Returns
    -------
    float64, shape (statements,)
    """
    tally = new_tally(logical.statements)
    for _, own in whole_part(trace).rank_batches():
        gap = computed_before(trace, own)
        kernels.tally_calls(logical.statement_of_call[own], gap, own.start, tally)
    return spread_of(sums_of(tally)).mean / trace.clock.resolution
