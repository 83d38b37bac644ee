"""A logical trace as arrays that compiled code can run beside the calls of a rank."""

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
)
from topoview.model import (
    BlockCall,
    Bools,
    Call,
    Ints,
    LogicalTrace,
    Loop,
    Sometimes,
    Statement,
    When,
)


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
    guards: Bools
    patterns: tuple[Ints, Ints]
    trips: tuple[Ints, Ints]
    rank_trips: Ints


def loop_program(logical: LogicalTrace, ranks: int) -> LoopProgram:
    """Write a logical trace down as a program."""
    code = Code(logical)
    code.compile()
    guards = np.zeros((max(len(logical.guards), 1), ranks), bool)
    for row, guard in zip(guards, logical.guards, strict=False):
        row[guard.ranks] = True
    rank_trips = np.zeros((len(logical.rank_trips), ranks), np.int64)
    for row, counts in zip(rank_trips, logical.rank_trips, strict=True):
        row[:] = counts
    return LoopProgram(
        np.array(code.words, np.int64).reshape(-1, 4),
        code.nodes,
        code.loops,
        len(code.uses),
        code.polls,
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
