"""How long the parts of a logical trace are when everything in it is taken."""

from dataclasses import dataclass

import numpy as np

from topoview.analysis.loop_walk import (
    CALL,
    LOOP,
    RETURN,
    SOMETIMES,
    STOP,
    USE,
    WHEN,
)
from topoview.model import Ints

MOST_WAYS = 4096
"""Ways to loops that are kept; blocks that use blocks may have very many."""


@dataclass(frozen=True, slots=True)
class Step:
    """A loop on the way to another: where it begins in what is around it.

    Attributes
    ----------
    offset
        Positions before it, in an iteration of the loop around it.
    count
        Most iterations.
    size
        Positions of an iteration.
    """

    offset: int
    count: int
    size: int


class Layout:
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
        self.ways: dict[int, list[tuple[Step, ...]]] = {}
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
                size += what == CALL
            if what in (LOOP, WHEN, SOMETIMES):
                size += int(self.skips[place])
            place = leap if what in (LOOP, WHEN, SOMETIMES) else place + 1
        return size

    def _walk(self, place: int, end: int, way: tuple[Step, ...], before: int) -> None:
        """Find the ways to loops, from words that come after some positions."""
        while place < end:
            what, a, _, leap = self._words[place]
            if what == LOOP:
                count = self._words[place + 1][0]
                size = int(self.skips[place]) // max(count, 1)
                own = (*way, Step(before, max(count, 1), max(size, 1)))
                if self._kept < MOST_WAYS:
                    self._kept += 1
                    self.ways.setdefault(a, []).append(own)
                    self._walk(place + 2, leap - 1, own, 0)
            elif what in (WHEN, SOMETIMES):
                self._walk(place + 1, leap, way, before)
            elif what == USE:
                if self._kept < MOST_WAYS:
                    self._walk(a, self._end(a), way, before)
                before += self._blocks[a]
            else:
                before += what == CALL
            if what in (LOOP, WHEN, SOMETIMES):
                before += int(self.skips[place])
            place = leap if what in (LOOP, WHEN, SOMETIMES) else place + 1
