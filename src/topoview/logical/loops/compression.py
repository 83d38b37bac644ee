"""Compress a sequence of symbols to nested loops, without loss.

Each loop of a sequence lies within a run, so the shortest way to write the first j
symbols ends either with symbol j or with a loop that ends there: one whose body is a
rotation of the run's period, as often as it goes. Dynamic programming finds it. What
a body costs is found the same way, short ones first, for every rotation; where a
period is so long that its rotations are too many, some are tried.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from topoview.base.progress import Report, silent
from topoview.grouping import index_in_run
from topoview.logical.loops import compression_kernels
from topoview.logical.loops.repetitions import RunClasses, classify_runs, find_runs
from topoview.model import Ints

MAX_SYMBOLS_VISITED = 400_000_000
"""Symbols that may be looked at in all: the longest classes are left out then."""


def rotation_costs(
    s: Ints, roots: RunClasses, report: Report = silent, work: int = MAX_SYMBOLS_VISITED
) -> tuple[Ints, bool]:
    """Find what each rotation of each class costs when it is written shortest.

    Returns
    -------
    int64, shape (Roots.slot[-1],)
        0 for rotations that were not tried.
    bool
        Whether all classes could be looked at.
    """
    cost = np.zeros(int(roots.slot[-1]), np.int64)
    done = 0
    while done < len(roots.period) and work > 0:
        report("finding loops", 0.3 + 0.4 * done / len(roots.period))
        done, work = compression_kernels.rotation_costs(
            s, roots.table, roots.begin, roots.period, roots.slot, cost, done, work
        )
    return cost, done == len(roots.period)


LoopSequence = tuple[int, ...]


@dataclass(slots=True)
class LoopTokens:
    """Tokens: symbols below `symbols`, loops from there on; equal loops are one."""

    symbols: int
    """Number of symbols."""
    loops: list[tuple[int, LoopSequence]] = field(default_factory=list)
    """Count and body of each loop."""
    whole: bool = True
    """False if the sequence was so irregular that not all repetitions could be looked
    at: it may be possible to write it shorter."""
    _token: dict[tuple[int, LoopSequence], int] = field(default_factory=dict)
    _leaves: list[int] = field(default_factory=list)

    def loop(self, count: int, body: LoopSequence) -> int:
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
        return token

    def leaves(self, tokens: LoopSequence) -> int:
        """Count the symbols written when each loop's body is written once."""
        return sum(
            1 if t < self.symbols else self._leaves[t - self.symbols] for t in tokens
        )

    def lines(self, tokens: LoopSequence, of_symbol: Sequence[int]) -> int:
        """Count the lines at least: loops of one symbol may be one with its own."""
        of_loop: list[int] = []

        def lines(row: LoopSequence) -> int:
            return sum(
                of_symbol[t] if t < self.symbols else of_loop[t - self.symbols]
                for t in row
            )

        for _, body in self.loops:  # inner ones come first
            of_loop.append(lines(body) + (len(body) > 1))
        return lines(tokens)


def substitute(row: Ints, parts: Mapping[int, Ints | LoopSequence]) -> Ints:
    """Replace numbers of a row, not negative, by sequences of numbers.

    Parameters
    ----------
    row : int64, shape (n,)
    parts
        What stands for a number; others stay.
    """
    if not parts:
        return row
    most = int(row.max(initial=0)) + 1
    length = np.ones(most, np.int64)
    begin = np.arange(most)
    values = [np.arange(most)]
    at = most
    for number, part in parts.items():
        length[number], begin[number] = len(part), at
        values.append(np.asarray(part, np.int64))
        at += len(part)
    sizes = length[row]
    places = np.repeat(begin[row], sizes) + index_in_run(sizes)
    written: Ints = np.concatenate(values)[places]
    return written


def compress(
    sequence: Ints, report: Report = silent, work: int = MAX_SYMBOLS_VISITED
) -> tuple[LoopTokens, LoopSequence]:
    """Write a sequence as nested loops with as few symbols as possible.

    Among those with fewest symbols, one with fewest loops. This is exact for
    loops whose bodies have up to about a thousand symbols, and nearly so beyond
    (see `topoview.logical.loops.compression`); time and memory are near linear in the
    length.

    Parameters
    ----------
    sequence : int64, shape (n,)
        Symbols, not negative.
    work
        Symbols that may be looked at to find what bodies cost.

    Returns
    -------
    Tokens, and the tokens of the sequence

    Raises
    ------
    Cancelled
        From `report`.
    """
    s = np.ascontiguousarray(sequence, np.int64)
    runs = find_runs(s, report)
    runs = runs[np.argsort(runs[:, 2], kind="stable")]
    roots = classify_runs(s, runs)
    cost, whole = rotation_costs(s, roots, report, work)
    writer = _LoopWriter(
        s, roots, cost, LoopTokens(int(s.max(initial=-1)) + 1, whole=whole)
    )
    report("finding loops", 0.7)
    items = compression_kernels.parse(s, runs, roots.of, roots.first, roots.slot, cost)
    written = writer.write(items)
    report("finding loops", 1.0)
    return writer.tokens, written


@dataclass(slots=True)
class _LoopWriter:
    s: Ints
    roots: RunClasses
    cost: Ints
    tokens: LoopTokens
    loops: dict[tuple[int, ...], int] = field(default_factory=dict)
    bodies: dict[tuple[int, int], LoopSequence] = field(default_factory=dict)

    def write(self, items: Ints) -> LoopSequence:
        """Tokens of items, as `compression_kernels.parse` has them."""
        row: list[int] = items[:, 0].tolist()
        for place in np.flatnonzero(items[:, 2] >= 0).tolist():
            _, *loop = items[place].tolist()
            row[place] = self._loop(*loop)
        return tuple(row)

    def _loop(self, count: int, root: int, rotation: int) -> int:
        key = count, root, rotation
        if key not in self.loops:
            self.loops[key] = self.tokens.loop(count, self._body(root, rotation))
        return self.loops[key]

    def _body(self, root: int, rotation: int) -> LoopSequence:
        if (root, rotation) not in self.bodies:
            of, costs = self.roots, (self.roots.slot, self.cost)
            columns = self.s, of.table, of.begin, of.period
            items = compression_kernels.parse_body(root, rotation, *columns, *costs)
            self.bodies[root, rotation] = self.write(items)
        return self.bodies[root, rotation]
