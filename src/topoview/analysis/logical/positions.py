"""Where every call stands in the logical trace, as one number for all ranks.

The program is thought written out with every condition taken and every loop run as
often as it ever is. A call's position is how many calls come before it there: ranks
that leave calls out still have numbers that can be compared, and a rank's numbers
only grow.
"""

import numpy as np

from topoview.analysis.logical import kernels
from topoview.analysis.logical.iterations import main_loop
from topoview.analysis.logical.loops import loop_program
from topoview.base.progress import Report, silent
from topoview.logical.listing import lines
from topoview.logical.loops.kernels import (
    CALL,
    LOOP,
    RETURN,
    SCRIPT,
    SOMETIMES,
    STOP,
    USE,
    WHEN,
)
from topoview.model import (
    NOWHERE,
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
    """How many positions everything takes."""

    def __init__(self, program: Ints) -> None:
        self._words = program.tolist()
        self._blocks: dict[int, int] = {}
        self._kept = 0
        self.skips: Ints = np.zeros(len(program), np.int64)
        """int64, shape (words,): positions of a condition's body, and of all
        iterations of a loop."""
        self.ways: dict[int, list[tuple[LoopStep, ...]]] = {}
        """Ways to each loop."""
        self.length = self._size(0, self._end(0))
        """Positions of the whole."""
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


def call_positions(
    part: Part, logical: LogicalTrace, report: Report = silent
) -> CallPositions:
    """Follow some ranks through the program: O(calls + iterations).

    Raises
    ------
    Cancelled
        From `report`.
    """
    trace = part.trace
    program = loop_program(logical)
    layout = PositionLayout(np.asarray(program.words))
    positions = np.full(part.size, NOWHERE, np.int64)
    of_statement = _operations_of_statements(trace, logical)
    for ranks, own in part.rank_batches():
        report("mapping calls to statements", ranks.start / trace.ranks)
        statement, of_call = logical.statement_of_call[own], of_statement[:0]
        if (statement < 0).any():  # else nobody looks at it
            of_call = trace.regions.operation[trace.calls.region[own]]
        kernels.follow_all(
            program,
            layout.skips,
            trace.calls.offsets[ranks.start : ranks.stop + 1],
            statement,
            of_statement,
            of_call,
            ranks.start,
            positions[own.start - part.main.start : own.stop - part.main.start],
        )
    loops = tuple(tuple(layout.ways.get(k, ())) for k in range(program.loops))
    return CallPositions(positions, layout.length, loops, main_loop(logical, loops))


def _operations_of_statements(trace: Trace, logical: LogicalTrace) -> Indices:
    """Return the number of each statement's operation in `Regions.operations`."""
    numbers = {name: k for k, name in enumerate(trace.regions.operations)}
    calls = [s for s in (line.statement for line in lines(logical)) if type(s) is Call]
    result = np.full(max((call.index for call in calls), default=-1) + 1, -1, np.int32)
    for call in calls:
        result[call.index] = numbers.get(call.operation, -1)
    return result
