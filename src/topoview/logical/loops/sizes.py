"""Bodies that differ only in how large their messages are, as one loop."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from topoview.logical.loops.nodes import Kind, Nodes, Row
from topoview.logical.loops.numbers import Folding
from topoview.model import Ints

FEWEST, FEW = 4, 3
"""Turns of the shortest such loop; and where sizes change by more than `STEEP`."""

STEP, STEEP = 1.6, 2.1
"""Factor by which all sizes change at least from turn to turn, if they do."""

WORTH = 4
"""Lines that it must save."""


@dataclass(frozen=True, slots=True, eq=False)
class Sizes:
    """What symbols say but for their sizes.

    Attributes
    ----------
    family : int64, shape (symbols,)
        Symbols of one family differ in sizes only; -1 for symbols without sizes.
    size : int64, shape (symbols, sizes)
        Sizes of each symbol, least and most of all ranks.
    """

    family: Ints
    size: Ints


def fold_sizes(nodes: Nodes, body: Row, sizes: Sizes) -> Row:
    """Make neighbouring bodies whose messages grow, or shrink, one loop.

    So are the levels of a multigrid solver, and tests that double what they send.
    From turn to turn all sizes that change must grow, or all must shrink, by far; what
    is of similar size is rather another part of the program. Inner bodies come first.
    There must be several turns, and lines saved: else what stands there says more.
    """
    return _Sized(nodes, sizes.family, sizes.size).body(body)


@dataclass(slots=True)
class _Sized(Folding):
    size: Ints

    def is_worth(self, count: int, saved: int) -> bool:
        return count >= FEW and saved >= WORTH

    def fits(self, rows: list[Ints]) -> bool:
        first = self._steps(rows[0], rows[1], STEP)
        last = self._steps(rows[-2], rows[-1], STEP)
        return bool(first.any()) and np.array_equal(first, last)

    def alike(self, row: Row, begin: int, end: int, period: int) -> list[Ints]:
        rows = Folding.alike(self, row, begin, end, period)
        steep = (self._steps(a, b, STEEP).any() for a, b in pairwise(rows))
        return rows if len(rows) >= FEWEST or all(steep) else rows[:1]

    def _steps(self, before: Ints, after: Ints, factor: float) -> Ints:
        """Tell which symbols grow by a factor, 1, or shrink, -1.

        0 where a symbol stays; for all if not all that change do so alike.
        """
        a, b = np.maximum(self.size[before], 1), np.maximum(self.size[after], 1)
        up, down = b >= factor * a, a >= factor * b
        changes = a != b
        found = np.zeros(len(before), np.int64)
        if np.array_equal(up, changes):
            found[up.any(axis=1)] = 1
        elif np.array_equal(down, changes):
            found[down.any(axis=1)] = -1
        return found

    def made(self, symbols: Ints, body: Row) -> int:
        return self.nodes.add(Kind.SIZES, (len(symbols),), body)
