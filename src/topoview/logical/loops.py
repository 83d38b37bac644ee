"""Compress a sequence of symbols to nested loops, without loss."""

from dataclasses import dataclass, field

import numpy as np

from topoview.logical.repetition import best_run, next_period
from topoview.model import Ints

BUDGET = 500_000_000
"""Comparisons that one method may make: about half a second."""


@dataclass(slots=True)
class Tokens:
    """Tokens: symbols below `symbols`, loops from there on; equal loops are one.

    Attributes
    ----------
    symbols
        Number of symbols.
    loops
        Count and body of each loop.
    """

    symbols: int
    loops: list[tuple[int, tuple[int, ...]]] = field(default_factory=list)
    _token: dict[tuple[int, tuple[int, ...]], int] = field(default_factory=dict)
    _leaves: list[int] = field(default_factory=list)
    _bodies: set[tuple[int, ...]] = field(default_factory=set)
    _lengths: set[int] = field(default_factory=set)

    def loop(self, count: int, body: tuple[int, ...]) -> int:
        """Token of a loop; a loop whose body is one loop is one loop."""
        if len(body) == 1 and body[0] >= self.symbols:
            inner, body = self.loops[body[0] - self.symbols]
            count *= inner
        token = self._token.get((count, body))
        if token is None:
            token = self.symbols + len(self.loops)
            self._token[count, body] = token
            self.loops.append((count, body))
            self._leaves.append(self.leaves(body))
            self._bodies.add(body)
            self._lengths.add(len(body))
        return token

    def body_in(self, s: Ints, length: int) -> int | None:
        """Index from which a sequence begins with a loop's body of a length, if any."""
        if length not in self._lengths:  # long stretches are rarely a body
            return None
        found = (
            first
            for first in range(len(s) - length + 1)
            if tuple(s[first : first + length].tolist()) in self._bodies
        )
        return next(found, None)

    def leaves(self, tokens: tuple[int, ...]) -> int:
        """Count the symbols written when each loop's body is written once."""
        return sum(
            1 if t < self.symbols else self._leaves[t - self.symbols] for t in tokens
        )

    def expand(self, tokens: tuple[int, ...]) -> Ints:
        """Write the loops out, int64."""
        parts: list[Ints] = []
        for token in tokens:
            if token < self.symbols:
                parts.append(np.array([token], np.int64))
            else:
                count, body = self.loops[token - self.symbols]
                parts.append(np.tile(self.expand(body), count))
        return np.concatenate(parts) if parts else np.zeros(0, np.int64)


def compress(sequence: Ints) -> tuple[Tokens, tuple[int, ...]]:
    """Write a sequence as nested loops with as few symbols as two methods find.

    Inner loops first finds the loops of a program that does the same in every
    iteration; outer loops first also those whose inner trip counts happen to
    touch. Both are greedy, work-bounded and exact; the shorter one is taken.

    Parameters
    ----------
    sequence : int64, shape (n,)
        Symbols, not negative.

    Returns
    -------
    Tokens, and the tokens of the sequence
    """
    symbols = int(sequence.max(initial=-1)) + 1
    found = [method(sequence, symbols) for method in (inner_first, outer_first)]
    tokens, written = min(found, key=lambda pair: pair[0].leaves(pair[1]))
    assert np.array_equal(tokens.expand(written), sequence)
    return tokens, written


def inner_first(
    sequence: Ints, symbols: int, budget: int = BUDGET
) -> tuple[Tokens, tuple[int, ...]]:
    """Fold the shortest period first, and after every fold begin again.

    Where a repetition is longer than a whole number of periods it is cut so
    that its body is one seen before, if that is possible.
    """
    tokens = Tokens(symbols)
    s = np.ascontiguousarray(sequence, np.int64)
    runs = np.empty((len(s) // 2 + 1, 2), np.int64)
    period = 1
    while budget > 0:
        period, found, spent = next_period(s, period, budget, runs)
        budget -= spent
        if not period:
            break
        folded = _fold(tokens, s, period, runs[:found].tolist())
        period = period + 1 if len(folded) == len(s) else 1
        s = folded
    return tokens, tuple(s.tolist())


def _fold(tokens: Tokens, s: Ints, period: int, runs: list[list[int]]) -> Ints:
    parts: list[Ints] = []
    done = 0
    for first, length in runs:
        begin = max(first, done)
        count, rest = divmod(first + length - begin, period)
        if count < 2:
            continue
        begin += tokens.body_in(s[begin : begin + period + rest], period) or 0
        body = tuple(s[begin : begin + period].tolist())
        parts.append(s[done:begin])
        parts.append(np.array([tokens.loop(count, body)], np.int64))
        done = begin + count * period
    parts.append(s[done:])
    return np.concatenate(parts)


def outer_first(
    sequence: Ints, symbols: int, budget: int = BUDGET
) -> tuple[Tokens, tuple[int, ...]]:
    """Fold the repetition that saves most, then go on within and beside it."""
    outer = _Outer(Tokens(symbols), budget)
    return outer.tokens, outer.fold(np.ascontiguousarray(sequence, np.int64))


@dataclass(slots=True)
class _Outer:
    tokens: Tokens
    budget: int
    known: dict[bytes, tuple[int, ...]] = field(default_factory=dict)

    def fold(self, s: Ints) -> tuple[int, ...]:
        """Fold a sequence; pieces beside a loop wait on a stack, not in recursion."""
        written: list[int] = []
        pieces: list[Ints | int] = [s]
        while pieces:
            piece = pieces.pop()
            if isinstance(piece, int):
                written.append(piece)
                continue
            first, period, length = self._best(piece)
            if not period:
                written += piece.tolist()
                continue
            count, rest = divmod(length, period)
            first += self._shift(piece[first : first + length], period, rest)
            body = self._body(piece[first : first + period])
            pieces.append(piece[first + count * period :])
            pieces.append(self.tokens.loop(count, body))
            pieces.append(piece[:first])
        return tuple(written)

    def _best(self, s: Ints) -> tuple[int, int, int]:
        if len(s) < 2 or self.budget <= 0:
            return 0, 0, 0
        first, period, length, spent = best_run(s, self.budget)
        self.budget -= spent
        return first, period, length

    def _body(self, s: Ints) -> tuple[int, ...]:
        key = s.tobytes()
        if key not in self.known:
            self.known[key] = self.fold(s)
        return self.known[key]

    def _shift(self, s: Ints, period: int, rest: int, most: int = 8) -> int:
        """Where to cut a repetition so that its body is short."""
        best = (len(s) + 1, 0)
        for shift in range(0, rest + 1, max(1, rest // most)):
            if rest:
                length = self.tokens.leaves(self._body(s[shift : shift + period]))
                best = min(best, (length, shift))
        return best[1] if rest else 0
