"""How long the iterations of a logical trace's loops take.

The logical trace is compiled to a program of words, and that is run beside the calls
of each rank: so every iteration's begin and end are known.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from topoview.analysis.logical.exact_sums import (
    Tally,
    new_tally,
    note_ticks,
    spread_of,
)
from topoview.analysis.logical.iterations import iterations
from topoview.base.kernels import kernel
from topoview.base.progress import Report, silent
from topoview.logical.expansion import StatementWriter, calls_by_index, membership
from topoview.logical.loops.words import (
    CALL,
    LOOP,
    NEXT,
    SCRIPT,
    SOMETIMES,
    STOP,
    USE,
    WHEN,
    joined_tables,
)
from topoview.model import (
    Bools,
    CallPositions,
    Indices,
    Ints,
    LineSums,
    LogicalTrace,
    LoopFigures,
    Part,
    TickSums,
    Trace,
)

# Runs the program of a logical trace beside the calls of a rank.


@kernel
def walk(  # noqa: C901, PLR0913
    program: Ints,
    loops: int,
    inside: Bools,
    table_offsets: Ints,
    tables: Ints,
    own_trips: Ints,
    statement: Indices,
    enter: Ints,
    leave: Ints,
    begin: int,
    end: int,
    polls: Bools,
    scripts: tuple[Ints, Ints, Ints, Ints],
    rank: int,
    record: bool,
    tally: Tally,
    uses: Ints,
) -> bool:
    """Run the program beside a rank's calls; tells whether they agree."""
    turns = np.zeros(len(table_offsets), np.int64)
    visits = np.zeros(len(polls), np.int64)
    stack = np.zeros((loops + 2, 6), np.int64)  # head, number, done, count, time, call
    returns = np.zeros((len(program), 3), np.int64)  # place, use, time in calls so far
    deep = back = pc = spent = 0
    call = begin
    time = enter[begin] if begin < end else 0
    while True:
        what, a, of_use, leap = program[pc]
        if what == STOP:
            break
        if what == CALL:
            while call < end and statement[call] < 0:
                call += 1
            if call >= end or statement[call] != a:
                return False
            time = leave[call]
            spent += leave[call] - enter[call]
            call += 1
            while polls[a] and call < end and statement[call] == a:
                time = leave[call]
                spent += leave[call] - enter[call]
                call += 1
            pc += 1
        elif what == SCRIPT:
            left = calls_of_turn(scripts, a, visits[a], rank)
            visits[a] += 1
            while left:
                while call < end and statement[call] < 0:
                    call += 1
                if call >= end or statement[call] != a:
                    return False
                time = leave[call]
                spent += leave[call] - enter[call]
                call += 1
                left -= 1
            pc += 1
        elif what == LOOP:
            count, of = program[pc + 1, 0], program[pc + 1, 1]
            if of >= 0:
                length = table_offsets[of + 1] - table_offsets[of]
                count = tables[table_offsets[of] + turns[of] % length]
                turns[of] += 1
            if program[pc + 1, 2] >= 0:
                count = own_trips[program[pc + 1, 2]]
            if count <= 0:
                pc = leap
                continue
            deep += 1
            stack[deep, 0], stack[deep, 1], stack[deep, 2] = pc, a, 0
            stack[deep, 3], stack[deep, 4], stack[deep, 5] = count, time, call
            pc += 2
        elif what == NEXT:
            top = stack[deep]
            if record and call > top[5]:
                note_ticks(top[1], time - top[4], call - 1, tally)
            top[2] += 1
            top[4], top[5] = time, call
            if top[2] < top[3]:
                pc = top[0] + 2
            else:
                deep -= 1
                pc += 1
        elif what == WHEN:
            pc = pc + 1 if inside[a] else leap
        elif what == SOMETIMES:
            length = table_offsets[a + 1] - table_offsets[a]
            taken = tables[table_offsets[a] + turns[a] % length]
            turns[a] += 1
            pc = pc + 1 if taken else leap
        elif what == USE:
            returns[back, 0], returns[back, 1] = pc + 1, of_use
            returns[back, 2] = spent
            back += 1
            pc = a
        else:
            back -= 1
            pc = returns[back, 0]
            if record:
                uses[returns[back, 1]] += spent - returns[back, 2]
    while call < end and statement[call] < 0:
        call += 1
    return call >= end


@kernel
def calls_of_turn(
    scripts: tuple[Ints, Ints, Ints, Ints], statement: int, visit: int, rank: int
) -> int:
    """Count the calls that a rank makes as it comes to a script for the nth time."""
    first, turns, visits, recorded = scripts
    cell = first[statement] + rank
    begin, end = turns[cell], turns[cell + 1]
    at = begin + np.searchsorted(visits[begin:end], visit)
    return int(recorded[at]) if at < end and visits[at] == visit else 0


# A logical trace as arrays that compiled code can run beside the calls of a rank.


@dataclass(frozen=True, slots=True, eq=False)
class LoopProgram:
    """What a logical trace says, for all ranks.

    Attributes
    ----------
    words : int64, shape (n, 4)
        As of `topoview.logical.loops.words`.
    loops, uses
        Loops, and uses of blocks.
    polls : bool, shape (statements + 1,)
        Whether a statement stands for any number of calls.
    scripts
        Of statements that stand for several calls without a rule: the first cell of
        each, int64, shape (statements + 1,), and `Scripts.turns`, `Scripts.visit` and
        `Scripts.recorded`.
    guards : bool, shape (ranks, guards)
        Who fulfils each condition.
    tables
        Offsets and entries of `LogicalTrace.patterns` and `LogicalTrace.trips`.
    rank_trips : int64, shape (ranks, tables)
        `LogicalTrace.rank_trips`.
    """

    words: Ints
    loops: int
    uses: int
    polls: Bools
    scripts: tuple[Ints, Ints, Ints, Ints]
    guards: Bools
    tables: tuple[Ints, Ints]
    rank_trips: Ints


def loop_program(logical: LogicalTrace) -> LoopProgram:
    """Write a logical trace down as a program."""
    code = StatementWriter.of(logical)
    guards, rank_trips = membership(logical)
    known = logical.scripts
    cells = np.full(logical.statements + 1, -1, np.int64)
    cells[known.statement] = np.arange(len(known.statement)) * logical.ranks
    polls = np.zeros(logical.statements + 1, bool)
    for call in calls_by_index(logical):
        polls[call.index] = call.polls
    return LoopProgram(
        np.array(code.words, np.int64).reshape(-1, 4),
        code.loops,
        len(code.uses),
        polls,
        (cells, known.turns, known.visit, known.recorded),
        guards,
        joined_tables(code.tables),
        rank_trips,
    )


CALLS_PER_REPORT = 1_000
"""Calls of a rank that take long enough to ask whether the user gave up."""


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
    uses = np.zeros(program.uses + 1, np.int64)
    followed = 0
    for rank in range(part.ranks.start, part.ranks.stop):
        begin, end = trace.calls.offsets[rank : rank + 2].tolist()
        if rank % 64 == 0 or end - begin > CALLS_PER_REPORT:
            report("timing loops", rank / trace.ranks)
        given = (
            program.words,
            program.loops,
            program.guards[rank],
            *program.tables,
            program.rank_trips[rank],
            logical.statement_of_call,
            trace.calls.enter,
            trace.calls.leave,
            begin,
            end,
            program.polls,
            program.scripts,
            rank,
        )
        if walk(*given, False, tally, uses):
            followed += 1
            walk(*given, True, tally, uses)
    return LoopSums(tally.sums(), uses[: program.uses], followed)


def loop_figures(trace: Trace, positions: CallPositions, sums: LineSums) -> LoopFigures:
    """Make the figures of loops of what was summed up."""
    found, last = sums.iterations, sums.iterations.call
    spread, most = spread_of(found), np.maximum(found.most, 0)
    offsets = trace.calls.offsets[: trace.ranks + 1]
    end = np.where(last >= 0, trace.calls.leave[last], -1)
    slowest = [
        int(iterations(positions, last[k : k + 1], k)[0]) if last[k] >= 0 else 0
        for k in range(len(last))
    ]
    return LoopFigures(
        found.count,
        found.total,
        spread.mean,
        spread.deviation,
        most,
        np.array(slowest, np.int64),
        np.where(last >= 0, np.searchsorted(offsets, last, side="right") - 1, -1),
        np.where(last >= 0, end - found.most, -1),
        end,
        sums.uses,
        sums.followed,
    )
