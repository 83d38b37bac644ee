"""Decide at which of two places ranks make a call, by the simpler conditions.

Where even ranks send and then receive, and odd ones receive and then send, a corner
that only sends could be of either kind: its calls do not tell, but its place does.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice, pairwise

import numpy as np

from topoview.logical.conditions.conditions import Conditions
from topoview.logical.merge.classes import RankClasses
from topoview.model import Bools, Ints

MAX_PAIRS = 2_000
"""Pairs of places that are looked at."""

LETTERS_OF_RANK = 8
"""Letters that a rank counts as in a list of ranks: no condition is as long."""


@dataclass(slots=True)
class Branches:
    """Places of calls, and who makes each."""

    flat: Ints
    """int64, shape (visits,): symbol of each visit."""
    visit: Ints
    """int64, shape (rows,): visit of each row, ascending for each class."""
    offsets: Ints
    """int64, shape (classes + 1,): rows of each class."""
    ranks: list[Ints]
    """Ranks that make the call of each symbol."""
    classes: RankClasses
    conditions: Conditions

    def settle(self, call: Ints) -> None:
        """Let ranks make calls where the conditions of both places are simplest.

        Each rank still makes the same calls in the same order. `visit` and `ranks` are
        changed.

        Parameters
        ----------
        call : int64, shape (symbols,)
            Equal for symbols that differ only in who makes the call; -1 for those that
            stay as they are.
        """
        pairs = list(islice(self._pairs(call), MAX_PAIRS))
        while sum(map(self._settle_pair, pairs)):
            pass  # what moved is no longer in the way of others

    def _pairs(self, call: Ints) -> Iterator[tuple[int, int]]:
        """Yield symbols next to each other of one call, of unlike ranks."""
        order = np.argsort(call, kind="stable")
        for a, b in pairwise(order[call[order] >= 0].tolist()):
            if call[a] == call[b] and not np.array_equal(self.ranks[a], self.ranks[b]):
                yield a, b

    def _settle_pair(self, pair: tuple[int, int]) -> bool:
        """Choose who makes a call where; return whether anything moved."""
        visits = [np.flatnonzero(self.flat == symbol) for symbol in pair]
        if len(visits[0]) != len(visits[1]):
            return False
        of = self.classes.of
        made = np.zeros((2, len(self.classes)), bool)
        for own, symbol in zip(made, pair, strict=True):
            own[of[self.ranks[symbol]]] = True
        free = made[0] != made[1]
        for one in np.flatnonzero(free).tolist():
            free[one] = self._may_move(one, *visits)
        best, least = made, self._letters(made)
        for side in (0, 1) if free.any() else ():
            fixed = made[side] & ~free
            holds = self.conditions.widened(fixed[of], ~(fixed | free)[of])
            if holds is not None:
                inside = np.bincount(of[holds], minlength=len(fixed))
                moved = free & (inside == self.classes.members)
                tried = made & ~free
                tried[side] |= moved
                tried[1 - side] |= free & ~moved
                letters = self._letters(tried)
                if tried.any(axis=1).all() and letters < least:
                    best, least = tried, letters
        for one in np.flatnonzero(best[0] != made[0]).tolist():
            here, there = visits if made[0, one] else visits[::-1]
            rows = self._visits_of(one)
            rows[np.searchsorted(rows, here)] = there
        for own, symbol in zip(best, pair, strict=True):
            self.ranks[symbol] = self.classes.ranks(own)
        return best is not made

    def _visits_of(self, one: int) -> Ints:
        return self.visit[self.offsets[one] : self.offsets[one + 1]]

    def _may_move(self, one: int, visits: Ints, others: Ints) -> bool:
        """Whether a class makes just one call between each visit and the other."""
        rows = self._visits_of(one)
        low, high = np.minimum(visits, others), np.maximum(visits, others)
        between = np.searchsorted(rows, high, "right") - np.searchsorted(rows, low)
        return bool((between == 1).all())

    def _letters(self, made: Bools) -> int:
        """Count what it takes to tell who makes calls at two places."""
        letters = 0
        for own in made:
            ranks = self.classes.ranks(own)
            number = self.conditions.guard(ranks)
            if number >= 0:
                guard = self.conditions.guards[number]
                many = LETTERS_OF_RANK * len(ranks)
                letters += len(guard.text) if guard.closed else many
        return letters
