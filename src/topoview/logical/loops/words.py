"""Programs as words of four numbers, which compiled code runs.

Trees of loops and the statements of a logical trace are both written so: one machine
runs them. Tables are read as the program runs: each time that a part, or a loop with
trips, is reached it takes the next entry of its table, the first again after the last.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np

from topoview.grouping import run_offsets
from topoview.logical.loops import kernels
from topoview.logical.loops.kernels import LOOP, NEXT, RETURN, STOP, USE
from topoview.model import Bools, Ints


@dataclass(slots=True)
class WordWriter:
    """Writes a program."""

    tables: list[Ints | Bools]
    """Patterns, trips and numbers that the words read."""
    words: list[tuple[int, int, int, int]] = field(default_factory=list)
    """``(CALL, statement, 0, 0)``, ``(SCRIPT, statement, 0, most calls)``, ``(LOOP,
    loop, 0, behind it)`` and ``(count, table of trips, table of counts by rank, table
    of numbers)``, ``(NEXT, head, 0, 0)``, ``(WHEN, guard, 0, behind it)``,
    ``(SOMETIMES, table, 0, behind it)``, ``(USE, begin, use, 0)``."""
    loops: int = 0
    """Number of loops."""
    uses: list[tuple[int, int]] = field(default_factory=list)
    """Word and block of each use of a block."""

    def body(self, body: Sequence[object]) -> None:
        """Write a body."""
        for node in body:
            self.node(node)

    def node(self, node: object) -> None:
        """Write a node of a body."""
        raise NotImplementedError

    def program(
        self, body: Sequence[object], blocks: Sequence[Sequence[object]]
    ) -> None:
        """Write a body, then the blocks that it uses."""
        self.body(body)
        self.words.append((STOP, 0, 0, 0))
        begins = []
        for block in blocks:
            begins.append(len(self.words))
            self.body(block)
            self.words.append((RETURN, 0, 0, 0))
        for use, (place, number) in enumerate(self.uses):
            self.words[place] = (USE, begins[number], use, 0)

    def use(self, block: int) -> None:
        """Write a use of a block."""
        self.uses.append((len(self.words), block))
        self.words.append((USE, 0, 0, 0))

    @contextmanager
    def under(self, what: int, number: int) -> Iterator[None]:
        """Write what is done only if a guard, or a table's next entry, says so."""
        here = len(self.words)
        self.words.append((what, number, 0, 0))
        yield
        self.words[here] = (what, number, 0, len(self.words))

    @contextmanager
    def loop(
        self, count: int, trips: int, rank_trips: int, over: Ints
    ) -> Iterator[None]:
        """Write a loop around what is written meanwhile."""
        here, number, numbers = len(self.words), self.loops, -1
        self.loops += 1
        if len(over):
            numbers = len(self.tables)
            self.tables.append(over)
        self.words += [(LOOP, number, 0, 0), (count, trips, rank_trips, numbers)]
        yield
        self.words.append((NEXT, here, 0, 0))
        self.words[here] = (LOOP, number, 0, len(self.words))

    def run(self, inside: Bools, rank_trips: Ints) -> Ints:
        """Run the program.

        Parameters
        ----------
        inside : bool, shape (guards,)
            Which conditions hold.
        rank_trips : int64, shape (tables,)
            How often loops run whose counts differ by rank.

        Returns
        -------
        int64, shape (calls, 2)
            Statement of each call, and the number that the innermost loop over numbers
            around it is at, 0 without one.
        """
        offsets, values = joined_tables(self.tables)
        words = np.array(self.words, np.int64).reshape(-1, 4)
        return kernels.run_words(words, self.loops, inside, offsets, values, rank_trips)


def joined_tables(tables: Sequence[Ints | Bools]) -> tuple[Ints, Ints]:
    """Write tables one after the other: where each begins, and all entries, int64."""
    offsets = run_offsets([len(table) for table in tables])
    return offsets, np.concatenate([*tables, np.zeros(0, np.int64)]).astype(np.int64)
