"""How long the iterations of a logical trace's loops take.

The logical trace is compiled to a program of words, and that is run beside the calls
of each rank: so every iteration's begin and end are known.
"""

from dataclasses import dataclass, field

import numpy as np

from topoview.kernels import kernel
from topoview.model import (
    BlockCall,
    Bools,
    Call,
    Each,
    Floats,
    Indices,
    Ints,
    LogicalTrace,
    Loop,
    LoopFigures,
    Sometimes,
    Statement,
    Trace,
    When,
)
from topoview.progress import Report, silent

# Runs the program of a logical trace beside the calls of a rank.

STOP, CALL, SCRIPT, LOOP, NEXT, WHEN, SOMETIMES, USE, RETURN = range(9)
"""What the words of a program say; `loop_program` writes them."""


@kernel
def walk(  # noqa: C901, PLR0913
    program: Ints,
    nodes: int,
    loops: int,
    inside: Bools,
    pattern_offsets: Ints,
    patterns: Ints,
    trip_offsets: Ints,
    trips: Ints,
    own_trips: Ints,
    statement: Indices,
    enter: Ints,
    leave: Ints,
    begin: int,
    end: int,
    polls: Bools,
    scripts: tuple[Ints, Ints, Ints],
    rank: int,
    record: bool,
    tallies: Floats,
    numbers: Ints,
    uses: Ints,
) -> bool:
    """Run the program beside a rank's calls; tells whether they agree."""
    turns = np.zeros(nodes + 1, np.int64)
    stack = np.zeros((loops + 2, 6), np.int64)  # head, number, done, count, time, call
    returns = np.zeros((256, 3), np.int64)  # place, use, time in calls so far
    deep = back = pc = spent = 0
    call = begin
    time = enter[begin] if begin < end else 0
    while True:
        what, a, node, leap = program[pc]
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
            left = calls_of_turn(scripts, a, turns[node], rank)
            turns[node] += 1
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
                length = trip_offsets[of + 1] - trip_offsets[of]
                count = trips[trip_offsets[of] + turns[node] % length]
                turns[node] += 1
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
                _note_iteration(top[1], top[2], rank, top[4], time, tallies, numbers)
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
            length = pattern_offsets[a + 1] - pattern_offsets[a]
            taken = patterns[pattern_offsets[a] + turns[node] % length]
            turns[node] += 1
            pc = pc + 1 if taken else leap
        elif what == USE:
            returns[back] = (pc + 1, node, spent)
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
    scripts: tuple[Ints, Ints, Ints], statement: int, turn: int, rank: int
) -> int:
    """Count the calls that a rank makes as it comes to a script for the nth time."""
    first, turns, calls = scripts
    cell = first[statement] + rank
    count = turns[cell + 1] - turns[cell]
    if count == 0:
        return 0
    at = turns[cell] + turn % count
    return int(calls[at + 1] - calls[at])


@kernel
def _note_iteration(  # noqa: PLR0913
    loop: int,
    iteration: int,
    rank: int,
    begin: int,
    end: int,
    tallies: Floats,
    numbers: Ints,
) -> None:
    """Count an iteration in (Welford 1962)."""
    spent = end - begin
    numbers[loop, 0] += 1
    numbers[loop, 1] += spent
    step = spent - tallies[loop, 0]
    tallies[loop, 0] += step / numbers[loop, 0]
    tallies[loop, 1] += step * (spent - tallies[loop, 0])
    if spent > numbers[loop, 2]:
        numbers[loop, 2] = spent
        numbers[loop, 3] = iteration
        numbers[loop, 4] = rank
        numbers[loop, 5] = begin
        numbers[loop, 6] = end


# A logical trace as arrays that compiled code can run beside the calls of a rank.


@dataclass(frozen=True, slots=True, eq=False)
class LoopProgram:
    """What a logical trace says, for all ranks.

    Attributes
    ----------
    words : int64, shape (n, 4)
        The program: what, and three operands.
    nodes, loops, uses
        Places that count their turns, loops, and uses of blocks.
    polls : bool, shape (statements + 1,)
        Whether a statement stands for any number of calls.
    scripts
        Of statements that stand for several calls without a rule: the first cell of
        each, int64, shape (statements + 1,), and `Scripts.turns` and `Scripts.calls`.
    guards : bool, shape (guards, ranks)
        Who fulfils each condition; at least one row.
    patterns, trips
        Offsets and values of `LogicalTrace.patterns` and `LogicalTrace.trips`.
    rank_trips : int64, shape (tables, ranks)
        `LogicalTrace.rank_trips`.
    """

    words: Ints
    nodes: int
    loops: int
    uses: int
    polls: Bools
    scripts: tuple[Ints, Ints, Ints]
    guards: Bools
    patterns: tuple[Ints, Ints]
    trips: tuple[Ints, Ints]
    rank_trips: Ints


def loop_program(logical: LogicalTrace, ranks: int) -> LoopProgram:
    """Write a logical trace down as a program."""
    code = LoopCompiler(logical)
    code.compile()
    guards = np.zeros((max(len(logical.guards), 1), ranks), bool)
    for row, guard in zip(guards, logical.guards, strict=False):
        row[guard.ranks] = True
    rank_trips = np.zeros((len(logical.rank_trips), ranks), np.int64)
    for row, counts in zip(rank_trips, logical.rank_trips, strict=True):
        row[:] = counts
    known = logical.scripts
    cells = np.full(logical.statements + 1, -1, np.int64)
    cells[known.statement] = np.arange(len(known.statement)) * ranks
    return LoopProgram(
        np.array(code.words, np.int64).reshape(-1, 4),
        code.nodes,
        code.loops,
        len(code.uses),
        code.polls,
        (cells, known.turns, known.calls),
        guards,
        _joined([pattern.astype(np.int64) for pattern in logical.patterns]),
        _joined(list(logical.trips)),
        rank_trips,
    )


def _joined(tables: list[Ints]) -> tuple[Ints, Ints]:
    offsets = np.zeros(len(tables) + 1, np.int64)
    np.cumsum([len(t) for t in tables], out=offsets[1:])
    return offsets, np.concatenate([*tables, np.zeros(0, np.int64)]).astype(np.int64)


@dataclass(slots=True)
class LoopCompiler:
    """The program as words of four numbers: what, and three operands."""

    logical: LogicalTrace
    words: list[tuple[int, int, int, int]] = field(default_factory=list)
    loops: int = 0
    nodes: int = 0
    uses: list[tuple[int, int]] = field(default_factory=list)
    polls: Bools = field(init=False)

    def compile(self) -> None:
        """Write the body, then the blocks."""
        self.polls = np.zeros(self.logical.statements + 1, bool)
        self._body(self.logical.body)
        self.words.append((STOP, 0, 0, 0))
        starts = []
        for block in self.logical.blocks:
            starts.append(len(self.words))
            self._body(block.body)
            self.words.append((RETURN, 0, 0, 0))
        for use, (place, block_number) in enumerate(self.uses):
            self.words[place] = (USE, starts[block_number], use, 0)

    def _body(self, body: tuple[Statement, ...]) -> None:
        for statement in body:
            here = len(self.words)
            match statement:
                case Call(index) if statement.calls is not None:
                    self.words.append((SCRIPT, index, self.nodes, statement.calls[1]))
                    self.nodes += 1
                case Call(index):
                    self.polls[index] = statement.polls
                    self.words.append((CALL, index, 0, 0))
                case BlockCall(block):
                    self.uses.append((here, block))
                    self.words.append((USE, 0, 0, 0))
                case Loop(count, inner, _, trips, of_ranks):
                    number, node = self.loops, self.nodes
                    self.loops += 1
                    self.nodes += 1
                    self.words += [(LOOP, number, node, 0), (count, trips, of_ranks, 0)]
                    self._body(inner)
                    self.words.append((NEXT, here, 0, 0))
                    self.words[here] = (LOOP, number, node, len(self.words))
                case Each(inner):
                    self._body(inner)
                case When(guard, inner):
                    self.words.append((WHEN, guard, 0, 0))
                    self._body(inner)
                    self.words[here] = (WHEN, guard, 0, len(self.words))
                case Sometimes(_, pattern, inner):
                    node = self.nodes
                    self.nodes += 1
                    self.words.append((SOMETIMES, pattern, node, 0))
                    self._body(inner)
                    self.words[here] = (SOMETIMES, pattern, node, len(self.words))


CALLS_PER_REPORT = 1_000
"""Calls of a rank that take long enough to ask whether the user gave up."""


def loop_figures(
    trace: Trace, logical: LogicalTrace, report: Report = silent
) -> LoopFigures:
    """Follow every rank through the program, and time the loops' iterations.

    O(calls + iterations): the program runs beside the rank's calls.

    Raises
    ------
    Cancelled
        From `report`.
    """
    program = loop_program(logical, trace.ranks)
    tallies = np.zeros((max(program.loops, 1), 8))
    numbers = np.full((max(program.loops, 1), 7), -1, np.int64)
    numbers[:, :2] = 0
    uses = np.zeros(program.uses + 1, np.int64)
    followed = 0
    for rank in range(trace.ranks):
        begin, end = trace.calls.offsets[rank : rank + 2].tolist()
        if rank % 64 == 0 or end - begin > CALLS_PER_REPORT:
            report("timing loops", rank / trace.ranks)
        given = (
            program.words,
            program.nodes,
            program.loops,
            program.guards[:, rank].copy(),
            *program.patterns,
            *program.trips,
            program.rank_trips[:, rank].copy(),
            logical.statement_of_call,
            trace.calls.enter,
            trace.calls.leave,
            begin,
            end,
            program.polls,
            program.scripts,
            rank,
        )
        if walk(*given, False, tallies, numbers, uses):
            followed += 1
            walk(*given, True, tallies, numbers, uses)
    n = program.loops
    count = np.maximum(numbers[:n, 0], 1)
    return LoopFigures(
        numbers[:n, 0],
        numbers[:n, 1],
        tallies[:n, 0],
        np.sqrt(tallies[:n, 1] / count),
        np.maximum(numbers[:n, 2], 0),
        numbers[:n, 3],
        numbers[:n, 4],
        numbers[:n, 5],
        numbers[:n, 6],
        uses[: program.uses],
        followed,
    )
