"""How long the iterations of a logical trace's loops take.

The logical trace is compiled to a program of words, and that is run beside the calls
of each rank: so every iteration's begin and end are known.
"""

from typing import NamedTuple

import numpy as np

from topoview.analysis.logical import kernels
from topoview.analysis.logical.exact_sums import new_tally, spread_of, sums_of
from topoview.analysis.logical.iterations import iterations
from topoview.analysis.logical.kernels import Program
from topoview.base.progress import Report, silent
from topoview.logical.expansion import StatementWriter, calls_by_index, membership
from topoview.logical.loops.words import joined_tables
from topoview.model import (
    CallPositions,
    Ints,
    LineSums,
    LogicalTrace,
    LoopFigures,
    Part,
    TickSums,
    Trace,
)


def loop_program(logical: LogicalTrace) -> Program:
    """Write a logical trace as a program that kernels run beside the calls of ranks."""
    code = StatementWriter.of(logical)
    guards, rank_trips = membership(logical)
    scripts = logical.scripts
    cells = np.full(logical.statements + 1, -1, np.int64)
    cells[scripts.statement] = np.arange(len(scripts.statement)) * logical.ranks
    polls = np.zeros(logical.statements + 1, bool)
    for call in calls_by_index(logical):
        polls[call.index] = call.polls
    begins, entries = joined_tables(code.tables)
    return Program(
        words=np.array(code.words, np.int64).reshape(-1, 4),
        loops=code.loops,
        uses=len(code.uses),
        polls=polls,
        cells=cells,
        sequence=scripts.sequence,
        period=scripts.period,
        runs=scripts.runs,
        visit=scripts.visit,
        recorded=scripts.recorded,
        guards=guards,
        begins=begins,
        entries=entries,
        rank_trips=rank_trips,
    )


class LoopSums(NamedTuple):
    """Fields of `LineSums` of loops."""

    iterations: TickSums
    uses: Ints
    followed: int


def loop_sums(part: Part, logical: LogicalTrace, report: Report = silent) -> LoopSums:
    """Follow some ranks through the program, and time the loops' iterations.

    O(calls + iterations): the program runs beside the rank's calls.

    Raises
    ------
    Cancelled
        From `report`.
    """
    trace, program = part.trace, loop_program(logical)
    tally = new_tally(program.loops)
    uses = np.zeros(program.uses, np.int64)
    followed = 0
    for ranks, _ in part.rank_batches():
        report("timing loops", ranks.start / trace.ranks)
        followed += kernels.walk(
            program,
            trace.calls.offsets,
            ranks.start,
            ranks.stop,
            logical.statement_of_call,
            trace.calls.enter,
            trace.calls.leave,
            tally,
            uses,
        )
    return LoopSums(sums_of(tally), uses, followed)


def loop_figures(trace: Trace, positions: CallPositions, sums: LineSums) -> LoopFigures:
    """Compute the figures of loops from what was summed up."""
    durations, last = sums.iterations, sums.iterations.call
    spread, most = spread_of(durations), np.maximum(durations.most, 0)
    offsets = trace.calls.offsets[: trace.ranks + 1]
    end = np.where(last >= 0, trace.calls.leave[last], -1)
    slowest = [
        int(iterations(positions, last[k : k + 1], k)[0]) if last[k] >= 0 else 0
        for k in range(len(last))
    ]
    return LoopFigures(
        iterations=durations.count,
        total=durations.total,
        mean=spread.mean,
        deviation=spread.deviation,
        most=most,
        slowest=np.array(slowest, np.int64),
        slowest_rank=np.where(
            last >= 0, np.searchsorted(offsets, last, side="right") - 1, -1
        ),
        begin=np.where(last >= 0, end - durations.most, -1),
        end=end,
        uses=sums.uses,
        ranks=sums.followed,
    )
