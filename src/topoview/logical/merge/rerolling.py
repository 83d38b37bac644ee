"""Loop rerolling: loops that come out when independent calls change places.

Where groups of ranks do not wait for each other, their calls can be merged in many
orders. Mostly the first or last turn of a loop is in another order than the others,
or mixed with what comes before or after it; then the loop is cut there. Sequences in
which what is independent may change places are traces (Mazurkiewicz 1977): they are
divided from the left or from the right as words are.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from topoview.grouping import factorize
from topoview.logical.loops.compression import LoopSequence, LoopTokens, compress
from topoview.logical.merge.sequences import MergedSequence, group_sets
from topoview.model import Ints
from topoview.progress import Report, silent

MAX_TOKENS_SORTED = 100
"""Tokens of the longest row that is also rolled in its normal order."""

MAX_TURN_TOKENS = 64
"""Tokens of the longest turn that a loop is begun with."""

MAX_TOKENS_VISITED = 100_000
"""Tokens that may be looked at to put a merge into order."""


def reroll(
    merged: MergedSequence, code: Ints, sets: Sequence[Ints], least: int, report: Report
) -> MergedSequence:
    """Put independent positions of a merge into an order that makes loops short.

    Parameters
    ----------
    code : int64, shape (positions,)
        Number of what stands at each position and who stands there.
    sets
        The groups that stand at each code, int64.
    least
        Lines of the loops that must become fewer: else the merge stays as it is.

    Raises
    ------
    Cancelled
        From `report`.
    """
    masks = [sum(1 << group for group in some.tolist()) for some in sets]
    tokens, written = compress(code, report)
    order, work = code, MAX_TOKENS_VISITED
    while work > 0:
        report("finding loops", 0.9)
        roller = _Reroller(tokens, masks[: tokens.symbols], work)
        moved = tokens.expand(roller.row(written))
        work = roller.work
        if np.array_equal(moved, order):
            break
        shorter = compress(moved, report)
        if shorter[0].leaves(shorter[1]) >= tokens.leaves(written):
            break
        order, (tokens, written) = moved, shorter
    return _permuted(merged, code, order) if tokens.leaves(written) < least else merged


def _permuted(merged: MergedSequence, code: Ints, order: Ints) -> MergedSequence:
    """Put positions into another order: the same codes, each as often."""
    old = np.argsort(code, kind="stable")
    new = np.argsort(order, kind="stable")
    place = np.empty(len(code), np.int64)
    place[old] = new
    symbol = np.empty(len(code), np.int64)
    symbol[place] = merged.symbol
    return MergedSequence(symbol, place[merged.position], merged.forced)


def shortest_loops(
    merged: MergedSequence, offsets: Ints, report: Report = silent
) -> tuple[Ints, LoopTokens, LoopSequence]:
    """Write a merge as loops: the codes of its positions, and their tokens."""
    code, _ = _group_codes(merged, offsets)
    return code, *compress(code, report)


def reorder(
    merged: MergedSequence, offsets: Ints, least: int, report: Report
) -> MergedSequence:
    """Put calls that do not depend on each other into the order of shorter loops.

    Parameters
    ----------
    least
        Lines of the loops that must become fewer: else the merge stays as it is.
    """
    code, sets = _group_codes(merged, offsets)
    return reroll(merged, code, sets, least, report)


def _group_codes(merged: MergedSequence, offsets: Ints) -> tuple[Ints, list[Ints]]:
    """Give a number to what stands where and for whom; tell each number's groups."""
    every = np.ones(len(merged.position), bool)
    which, sets = group_sets(merged.position, offsets, every, len(merged.symbol))
    known, code = factorize(merged.symbol * (len(sets) + 1) + which)
    return code, [sets[some] for some in (known % (len(sets) + 1)).tolist()]


@dataclass(slots=True)
class _Reroller:
    """Rolls loops over what lies around them.

    `mask` tells the groups at each token, as bits.
    """

    tokens: LoopTokens
    mask: list[int]
    work: int
    known: dict[int, int] = field(default_factory=dict)
    bodies: dict[LoopSequence, LoopSequence] = field(default_factory=dict)

    def row(self, row: LoopSequence) -> LoopSequence:
        """Roll the loops of a row, those within loops first."""
        done = self._shortened(tuple(self._inner(token) for token in row))
        if len(done) <= MAX_TOKENS_SORTED:
            other = self._shortened(self._normal(done))
            if self.tokens.leaves(other) < self.tokens.leaves(done):
                return other
        return done

    def _shortened(self, row: LoopSequence) -> LoopSequence:
        at, changed = 0, False
        while self.work > 0:
            found = self._once(row, at)
            if found is not None:
                (row, at), changed = found, True
            elif changed:
                at, changed = 0, False
            else:
                begun = self._begun(row)
                if begun is None:
                    break
                row, at = begun, 0
        return row

    def _inner(self, token: int) -> int:
        if token < self.tokens.symbols:
            return token
        if token not in self.known:
            count, body = self.tokens.loops[token - self.tokens.symbols]
            self.known[token] = self._loop(count, self.row(body))
        return self.known[token]

    def _loop(self, count: int, body: LoopSequence) -> int:
        """Make a loop; bodies that are equal but for the order are one."""
        body = self.bodies.setdefault(self._normal(body), body)
        token = self.tokens.loop(count, body)
        self._of(token)
        return token

    def _of(self, token: int) -> int:
        """Tell the groups at a token, as bits."""
        while len(self.mask) <= token:
            body = self.tokens.loops[len(self.mask) - self.tokens.symbols][1]
            self.mask.append(self._all(body))
        return self.mask[token]

    def _all(self, row: Sequence[int]) -> int:
        groups = 0
        for token in row:
            groups |= self._of(token)
        return groups

    def _normal(self, body: LoopSequence) -> LoopSequence:
        """Order that is the same for all orders of a body: the least one."""
        whole = self._all(body)
        left = list(body)
        found: list[int] = []
        while left:
            blocked, least = 0, -1
            for place, token in enumerate(left):
                self.work -= 1
                groups = self._of(token)
                if not groups & blocked and (least < 0 or token < left[least]):
                    least = place
                blocked |= groups
                if whole & ~blocked == 0:
                    break
            found.append(left.pop(least))
        return tuple(found)

    def _once(self, row: LoopSequence, start: int) -> tuple[LoopSequence, int] | None:
        """Roll the first loop from a place on that can be; tell where it stood."""
        for place in range(start, len(row)):
            token = row[place]
            if token < self.tokens.symbols or self.work < 0:
                continue
            count, body = self.tokens.loops[token - self.tokens.symbols]
            before, after = row[:place], row[place + 1 :]
            joined = self._joined(count, body, after)
            if joined is not None:
                return (*before, *joined), place
            kept, rest, end = self._divided(before[::-1], body[::-1])
            kept_after, missing, begin = self._divided(after, rest[::-1])
            if not missing:
                loop = self._loop(count + 1, self.row((*end[::-1], *begin)))
                return (*kept[::-1], loop, *kept_after), len(kept)
        return None

    def _begun(self, row: LoopSequence) -> LoopSequence | None:
        """Begin the loop that saves most, two turns of it, where there was none."""
        best = 0
        chosen: LoopSequence | None = None
        last: dict[int, int] = {}
        for place in range(len(row) - 1, -1, -1):
            end = last.get(row[place], -1)
            last[row[place]] = place
            if end < 0 or end - place > MAX_TURN_TOKENS:
                continue
            for widened in (False, True):
                if self.work < 0:
                    break
                found = self._twice(row[place:end], row[end:], widened=widened)
                if found is not None and (saved := self.tokens.leaves(found[1])) > best:
                    early, turn, kept = found
                    loop = self._loop(2, self.row(turn))
                    best, chosen = saved, (*row[:place], *early, loop, *kept)
        return chosen

    def _twice(
        self, first: LoopSequence, after: LoopSequence, *, widened: bool
    ) -> tuple[LoopSequence, LoopSequence, LoopSequence] | None:
        """Find a turn that is once in a row, and again in the one after it.

        What of the first row is not of the turn must be able to come before it; what
        comes late in the first turn may be found in the second row, if `widened`.

        Returns
        -------
        early, turn, kept
            What comes before both turns, the turn, and what comes after both.
        """
        early: list[int] = []
        while True:
            left, taken, kept, late = list(first), list[int](), list[int](), 0
            wanted, inside, blocked = self._all(first), 0, 0
            self.work -= len(first)
            for place, token in enumerate(after):
                if not left or wanted & ~blocked == 0:
                    kept += after[place:]
                    break
                groups = self._of(token)
                self.work -= 1
                at = -1 if groups & blocked else self._first(left, token, groups)
                if at >= 0:
                    taken.append(left.pop(at))
                    inside |= groups
                elif widened and not groups & (blocked | inside):
                    left.append(token)
                    wanted |= groups
                    late += 1
                else:
                    kept.append(token)
                    blocked |= groups
            if not left:
                return tuple(early), tuple(taken), tuple(kept)
            at = self._nth(first, left[0], taken.count(left[0]))
            if len(left) <= late or self._all(first[:at]) & self._of(left[0]):
                return None
            early.append(left[0])
            first = (*first[:at], *first[at + 1 :])

    @staticmethod
    def _nth(row: LoopSequence, token: int, times: int) -> int:
        """Where a token stands that was there so often before; the end if nowhere."""
        for place, other in enumerate(row):
            if other == token:
                if not times:
                    return place
                times -= 1
        return len(row)

    def _joined(
        self, count: int, body: LoopSequence, after: LoopSequence
    ) -> LoopSequence | None:
        """Join a loop with one of the same body that can follow it at once."""
        own, blocked = self._all(body), 0
        for place, token in enumerate(after):
            self.work -= 1
            groups = self._of(token)
            if token >= self.tokens.symbols and not groups & blocked:
                times, other = self.tokens.loops[token - self.tokens.symbols]
                if other == body:
                    loop = self._loop(count + times, body)
                    return (loop, *after[:place], *after[place + 1 :])
            blocked |= groups
            if own & ~blocked == 0:
                break
        return None

    def _divided(
        self, row: LoopSequence, body: LoopSequence
    ) -> tuple[LoopSequence, LoopSequence, LoopSequence]:
        """Take as much of a body as can be had from the begin of a row.

        Returns
        -------
        row, body, taken
            What is left of both, and what both began with.
        """
        left, wanted, blocked = list(body), self._all(body), 0
        self.work -= len(body)
        kept: list[int] = []
        taken: list[int] = []
        for place, token in enumerate(row):
            if not left or wanted & ~blocked == 0 or self.work < 0:
                return (*kept, *row[place:]), tuple(left), tuple(taken)
            groups = self._of(token)
            at = -1 if groups & blocked else self._first(left, token, groups)
            if at < 0:
                kept.append(token)
                blocked |= groups
            else:
                taken.append(left.pop(at))
        return tuple(kept), tuple(left), tuple(taken)

    def _first(self, row: list[int], token: int, groups: int) -> int:
        """Where a token stands that can come first, -1 if none can."""
        for place, other in enumerate(row):
            self.work -= 1
            if other == token:
                return place
            if self._of(other) & groups:
                return -1
        return -1
