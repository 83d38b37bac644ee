"""Where every call stands in the logical trace, as one number for all ranks.

The program is thought written out with every condition taken and every loop run as
often as it ever is. A call's position is how many calls come before it there: ranks
that leave calls out still have numbers that can be compared, and a rank's numbers
only grow.
"""

import numpy as np

from topoview.analysis.logical.iterations import main_loop
from topoview.analysis.logical.loops import (
    CALLS_PER_REPORT,
    calls_of_turn,
    loop_program,
)
from topoview.base.kernels import kernel
from topoview.base.progress import Report, silent
from topoview.logical.listing import lines
from topoview.logical.loops.words import (
    CALL,
    LOOP,
    NEXT,
    RETURN,
    SCRIPT,
    SOMETIMES,
    STOP,
    USE,
    WHEN,
)
from topoview.model import (
    NOWHERE,
    Bools,
    Call,
    CallPositions,
    Indices,
    Ints,
    LogicalTrace,
    LoopStep,
    Part,
    Trace,
)

# How long the parts of a logical trace are when everything in it is taken.

MAX_LOOP_WAYS = 4096
"""Ways to loops that are kept; blocks that use blocks may have very many."""


class PositionLayout:
    """How many positions everything takes.

    Attributes
    ----------
    skips : int64, shape (words,)
        Positions of a condition's body, and of all iterations of a loop.
    ways
        Ways to each loop.
    length
        Positions of the whole.
    """

    def __init__(self, program: Ints) -> None:
        self._words = program.tolist()
        self._blocks: dict[int, int] = {}
        self._kept = 0
        self.skips: Ints = np.zeros(len(program), np.int64)
        self.ways: dict[int, list[tuple[LoopStep, ...]]] = {}
        self.length = self._size(0, self._end(0))
        self._walk(0, self._end(0), (), 0)

    def _end(self, begin: int) -> int:
        """Find the word that ends a body."""
        while self._words[begin][0] not in (STOP, RETURN):
            begin += 2 if self._words[begin][0] == LOOP else 1
        return begin

    def _size(self, place: int, end: int) -> int:
        """Count the positions of some words."""
        size = 0
        while place < end:
            what, a, _, leap = self._words[place]
            if what == LOOP:
                inner = self._size(place + 2, leap - 1)
                self.skips[place] = self._words[place + 1][0] * inner
            elif what in (WHEN, SOMETIMES):
                self.skips[place] = self._size(place + 1, leap)
            elif what == USE:
                if a not in self._blocks:
                    self._blocks[a] = self._size(a, self._end(a))
                size += self._blocks[a]
            else:
                size += leap if what == SCRIPT else what == CALL
            if what in (LOOP, WHEN, SOMETIMES):
                size += int(self.skips[place])
            place = leap if what in (LOOP, WHEN, SOMETIMES) else place + 1
        return size

    def _walk(
        self, place: int, end: int, way: tuple[LoopStep, ...], before: int
    ) -> None:
        """Find the ways to loops, from words that come after some positions."""
        while place < end:
            what, a, _, leap = self._words[place]
            if what == LOOP:
                count = self._words[place + 1][0]
                size = int(self.skips[place]) // max(count, 1)
                own = (*way, LoopStep(before, max(count, 1), max(size, 1)))
                if self._kept < MAX_LOOP_WAYS:
                    self._kept += 1
                    self.ways.setdefault(a, []).append(own)
                    self._walk(place + 2, leap - 1, own, 0)
            elif what in (WHEN, SOMETIMES):
                self._walk(place + 1, leap, way, before)
            elif what == USE:
                if self._kept < MAX_LOOP_WAYS:
                    self._walk(a, self._end(a), way, before)
                before += self._blocks[a]
            else:
                before += leap if what == SCRIPT else what == CALL
            if what in (LOOP, WHEN, SOMETIMES):
                before += int(self.skips[place])
            place = leap if what in (LOOP, WHEN, SOMETIMES) else place + 1


RANKS_PER_REPORT = 1 << 13
"""Ranks that are followed between two reports, at most."""


def call_positions(
    part: Part, logical: LogicalTrace, report: Report = silent
) -> CallPositions:
    """Follow some ranks through the program: O(calls + iterations).

    Raises
    ------
    Cancelled
        From `report`.
    """
    trace, ranks = part.trace, part.ranks
    program = loop_program(logical)
    layout = PositionLayout(program.words)
    found = np.full(part.size, NOWHERE, np.int64)
    of_statement = _operations_of_statements(trace, logical)
    offsets, begin = trace.calls.offsets[: trace.ranks + 1], ranks.start
    while begin < ranks.stop:
        report("mapping calls to statements", begin / trace.ranks)
        most = offsets[begin] + CALLS_PER_REPORT
        end = int(np.searchsorted(offsets, most, side="right")) - 1
        end = min(max(end, begin + 1), begin + RANKS_PER_REPORT, ranks.stop)
        own = slice(int(offsets[begin]), int(offsets[end]))
        _follow_all(
            program.words,
            layout.skips,
            program.loops,
            program.guards[begin:end],
            program.tables,
            program.rank_trips[begin:end],
            offsets[begin : end + 1],
            logical.statement_of_call[own],
            (of_statement, trace.regions.operation[trace.calls.region[own]]),
            program.polls,
            program.scripts,
            begin,
            found[own.start - part.main.start : own.stop - part.main.start],
        )
        begin = end
    loops = tuple(tuple(layout.ways.get(k, ())) for k in range(program.loops))
    return CallPositions(found, layout.length, loops, main_loop(logical, loops))


def _operations_of_statements(trace: Trace, logical: LogicalTrace) -> Indices:
    """Give the number of each statement's operation in `Regions.operations`."""
    numbers = {name: k for k, name in enumerate(trace.regions.operations)}
    calls = [s for s in (line.statement for line in lines(logical)) if type(s) is Call]
    found = np.full(max((call.index for call in calls), default=-1) + 1, -1, np.int32)
    for call in calls:
        found[call.index] = numbers.get(call.operation, -1)
    return found


@kernel
def _follow_all(  # noqa: PLR0913
    program: Ints,
    skips: Ints,
    loops: int,
    inside: Bools,
    tables: tuple[Ints, Ints],
    rank_trips: Ints,
    offsets: Ints,
    statement: Indices,
    operations: tuple[Indices, Indices],
    polls: Bools,
    scripts: tuple[Ints, Ints, Ints, Ints],
    first_rank: int,
    found: Ints,
) -> None:
    for rank in range(len(offsets) - 1):
        begin, end = offsets[rank] - offsets[0], offsets[rank + 1] - offsets[0]
        exact = _follow(
            program,
            skips,
            loops,
            inside[rank],
            (tables[0], tables[1], rank_trips[rank]),
            statement[begin:end],
            (operations[0], operations[1][begin:end]),
            polls,
            scripts,
            first_rank + rank,
            found[begin:end],
        )
        if not exact:
            found[begin:end] = NOWHERE


@kernel
def _place_left_out(  # noqa: PLR0913
    program: Ints,
    pc: int,
    leap: int,
    at: int,
    operations: tuple[Indices, Indices],
    statement: Indices,
    call: int,
    last: int,
    found: Ints,
    ahead: Ints,
) -> tuple[int, int]:
    """Place calls to no rank where a condition that does not hold would make them.

    At an edge programs call with ``MPI_PROC_NULL`` what elsewhere reaches a neighbour.
    Other calls that are left out, beside these, stay at the call before them. Before
    `ahead`, by operation, there are no such calls: none is looked at twice for one.

    Returns
    -------
    int
        The next call.
    int
        Position of the one before it.
    """
    end = len(statement)
    while pc < leap and program[pc, 0] in (CALL, WHEN, SOMETIMES):
        if program[pc, 0] == CALL:
            wanted = operations[0][program[pc, 1]]
            same = max(call, ahead[wanted])
            while same < end and statement[same] < 0 and operations[1][same] != wanted:
                same += 1
            ahead[wanted] = same
            if same < end and statement[same] < 0:
                while call < same:
                    found[call] = last
                    call += 1
                last = found[call] = at
                call += 1
            at += 1
        pc += 1
    return call, last


@kernel
def _follow(  # noqa: C901, PLR0913
    program: Ints,
    skips: Ints,
    loops: int,
    inside: Bools,
    tables: tuple[Ints, Ints, Ints],
    statement: Indices,
    operations: tuple[Indices, Indices],
    polls: Bools,
    scripts: tuple[Ints, Ints, Ints, Ints],
    rank: int,
    found: Ints,
) -> bool:
    """Run the program beside a rank's calls; tells whether they agree."""
    turns = np.zeros(len(tables[0]), np.int64)
    visits = np.zeros(len(polls), np.int64)
    stack = np.zeros((loops + 2, 4), np.int64)  # head, done, count, position after
    returns = np.zeros(len(program), np.int64)
    deep = back = pc = at = call = 0
    last = NOWHERE
    end, most = len(statement), -1
    for operation in operations[0]:
        most = max(most, operation)
    ahead = np.zeros(most + 2, np.int64)  # the last for -1
    while True:
        what, a, leap = program[pc, 0], program[pc, 1], program[pc, 3]
        if what == STOP:
            break
        if what == CALL:
            while call < end and statement[call] < 0:
                found[call] = last
                call += 1
            if call >= end or statement[call] != a:
                return False
            last = at
            found[call] = at
            call += 1
            while polls[a] and call < end and statement[call] == a:
                found[call] = at
                call += 1
            at += 1
            pc += 1
        elif what == SCRIPT:
            made = calls_of_turn(scripts, a, visits[a], rank)
            visits[a] += 1
            for k in range(made):
                while call < end and statement[call] < 0:
                    found[call] = last
                    call += 1
                if call >= end or statement[call] != a:
                    return False
                last = at + min(k, leap - 1)  # polls may be repeated
                found[call] = last
                call += 1
            at += leap
            pc += 1
        elif what == LOOP:
            count, of = program[pc + 1, 0], program[pc + 1, 1]
            if of >= 0:
                length = tables[0][of + 1] - tables[0][of]
                count = tables[1][tables[0][of] + turns[of] % length]
                turns[of] += 1
            if program[pc + 1, 2] >= 0:
                count = tables[2][program[pc + 1, 2]]
            if count <= 0:
                at += skips[pc]
                pc = leap
                continue
            deep += 1
            stack[deep] = (pc, 0, count, at + skips[pc])
            pc += 2
        elif what == NEXT:
            top = stack[deep]
            top[1] += 1
            if top[1] < top[2]:
                pc = top[0] + 2
            else:
                at = top[3]
                deep -= 1
                pc += 1
        elif what in (WHEN, SOMETIMES):
            if what == WHEN:
                taken = inside[a]
            else:
                length = tables[0][a + 1] - tables[0][a]
                taken = tables[1][tables[0][a] + turns[a] % length] != 0
                turns[a] += 1
            if taken:
                pc += 1
            else:
                call, last = _place_left_out(
                    *(program, pc + 1, leap, at, operations, statement),
                    *(call, last, found, ahead),
                )
                at += skips[pc]
                pc = leap
        elif what == USE:
            returns[back] = pc + 1
            back += 1
            pc = a
        else:
            back -= 1
            pc = returns[back]
    while call < end and statement[call] < 0:
        found[call] = last
        call += 1
    return call >= end
