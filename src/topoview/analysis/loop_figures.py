"""How long the iterations of a logical trace's loops take."""

from dataclasses import dataclass, field

import numpy as np

from topoview.analysis.loop_walk import (
    CALL,
    LOOP,
    NEXT,
    RETURN,
    SOMETIMES,
    STOP,
    USE,
    WHEN,
    walk,
)
from topoview.model import (
    BlockCall,
    Bools,
    Call,
    Floats,
    Ints,
    LogicalTrace,
    Loop,
    Sometimes,
    Statement,
    Trace,
    When,
    freeze,
)
from topoview.progress import Report, silent

MANY = 1_000
"""Calls of a rank that take long enough to ask whether the user gave up."""


@dataclass(frozen=True, slots=True, eq=False)
class LoopFigures:
    """What each loop took; loops in order of their lines.

    An iteration lasts from the end of the rank's call before it to the end of
    its last call.

    Attributes
    ----------
    iterations : int64, shape (loops,)
        Iterations of all ranks in which a rank made calls.
    total : int64, shape (loops,)
        Their time in ticks.
    mean, deviation : float64, shape (loops,)
        Of an iteration, in ticks.
    most : int64, shape (loops,)
        Longest iteration in ticks.
    slowest, slowest_rank : int64, shape (loops,)
        Its number, from 0, within its run of the loop, and its rank; -1 if none.
    begin, end : int64, shape (loops,)
        When it began and ended.
    uses : int64, shape (uses,)
        Ticks in calls that each use of a block took; in order of their lines.
    ranks : int
        Ranks that could be followed; the others' calls differ from the program.
    """

    iterations: Ints
    total: Ints
    mean: Floats
    deviation: Floats
    most: Ints
    slowest: Ints
    slowest_rank: Ints
    begin: Ints
    end: Ints
    uses: Ints
    ranks: int

    def __post_init__(self) -> None:
        """Make the arrays read-only."""
        freeze(self)


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
    code = Code(logical)
    code.compile()
    program = np.array(code.words, np.int64).reshape(-1, 4)
    guards = np.zeros((max(len(logical.guards), 1), trace.ranks), bool)
    for row, guard in zip(guards, logical.guards, strict=False):
        row[guard.ranks] = True
    patterns = _joined([p.astype(np.int64) for p in logical.patterns])
    trips = _joined(list(logical.trips))
    rank_trips = np.zeros((len(logical.rank_trips), trace.ranks), np.int64)
    for row, own in zip(rank_trips, logical.rank_trips, strict=True):
        row[:] = own
    tallies = np.zeros((max(code.loops, 1), 8))
    numbers = np.full((max(code.loops, 1), 7), -1, np.int64)
    numbers[:, :2] = 0
    uses = np.zeros(len(code.uses) + 1, np.int64)
    followed = 0
    for rank in range(trace.ranks):
        begin, end = trace.calls.offsets[rank : rank + 2].tolist()
        if rank % 64 == 0 or end - begin > MANY:
            report("timing loops", rank / trace.ranks)
        given = (
            program,
            code.nodes,
            code.loops,
            guards[:, rank].copy(),
            *patterns,
            *trips,
            rank_trips[:, rank].copy(),
            logical.statement_of_call,
            trace.calls.enter,
            trace.calls.leave,
            begin,
            end,
            code.polls,
            rank,
        )
        if walk(*given, False, tallies, numbers, uses):
            followed += 1
            walk(*given, True, tallies, numbers, uses)
    n = code.loops
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
        uses[: len(code.uses)],
        followed,
    )


def _joined(tables: list[Ints]) -> tuple[Ints, Ints]:
    offsets = np.zeros(len(tables) + 1, np.int64)
    np.cumsum([len(t) for t in tables], out=offsets[1:])
    return offsets, np.concatenate([*tables, np.zeros(0, np.int64)]).astype(np.int64)


@dataclass(slots=True)
class Code:
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
