"""Compress a sequence of symbols to nested loops, without loss."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from topoview.logical.loops.parse import WORK, Path, costs, inner_runs, path
from topoview.logical.loops.roots import Roots, roots_of
from topoview.logical.loops.runs import find_runs
from topoview.model import Ints
from topoview.progress import Report, silent

Written = tuple[int, ...]


@dataclass(slots=True)
class Tokens:
    """Tokens: symbols below `symbols`, loops from there on; equal loops are one.

    Attributes
    ----------
    symbols
        Number of symbols.
    loops
        Count and body of each loop.
    whole
        False if the sequence was so irregular that not all repetitions could be
        looked at: it may be possible to write it shorter.
    """

    symbols: int
    loops: list[tuple[int, Written]] = field(default_factory=list)
    whole: bool = True
    _token: dict[tuple[int, Written], int] = field(default_factory=dict)
    _leaves: list[int] = field(default_factory=list)

    def loop(self, count: int, body: Written) -> int:
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

    def leaves(self, tokens: Written) -> int:
        """Count the symbols written when each loop's body is written once."""
        return sum(
            1 if t < self.symbols else self._leaves[t - self.symbols] for t in tokens
        )

    def expand(self, tokens: Written) -> Ints:
        """Write the loops out, int64."""
        row = np.array(tokens, np.int64)
        parts = {}
        for token in np.unique(row[row >= self.symbols]).tolist():
            count, body = self.loops[token - self.symbols]
            parts[token] = np.tile(self.expand(body), count)
        return put_in(row, parts)


def put_in(row: Ints, parts: Mapping[int, Ints | Written]) -> Ints:
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
    shift = begin[row] - (np.cumsum(sizes) - sizes)
    written: Ints = np.concatenate(values)[
        np.arange(sizes.sum()) + np.repeat(shift, sizes)
    ]
    return written


def compress(
    sequence: Ints, report: Report = silent, work: int = WORK
) -> tuple[Tokens, Written]:
    """Write a sequence as nested loops with as few symbols as possible.

    Among those with fewest symbols, one with fewest loops. This is exact for
    loops whose bodies have up to about a thousand symbols, and nearly so beyond
    (see `topoview.logical.loops.parse`); time and memory are near linear in the length.

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
    s = np.ascontiguousarray(sequence, np.int64).view()
    s.flags.writeable = False  # whatever it was: compiled code tells them apart
    runs = find_runs(s, report)
    runs = runs[np.argsort(runs[:, 2], kind="stable")]
    roots = roots_of(s, runs)
    cost, whole = costs(s, roots, report, work)
    writer = _Writer(s, roots, cost, Tokens(int(s.max(initial=-1)) + 1, whole=whole))
    report("finding loops", 0.7)
    written = writer.write(
        path(len(s), 0, runs, roots.of, roots.first, roots.slot, cost), s
    )
    report("finding loops", 1.0)
    assert np.array_equal(writer.tokens.expand(written), s)
    return writer.tokens, written


@dataclass(slots=True)
class _Writer:
    s: Ints
    roots: Roots
    cost: Ints
    tokens: Tokens
    known: dict[tuple[int, int], Written] = field(default_factory=dict)

    def write(self, found: Path, text: Ints) -> Written:
        """Tokens of the items of a path."""
        row = text[found.begin].tolist()
        places = np.flatnonzero(found.root >= 0)
        which = np.stack((found.count, found.root, found.rotation), axis=1)[places]
        known: dict[tuple[int, int, int], int] = {}
        for place, (count, root, rotation) in zip(
            places.tolist(), map(tuple, which.tolist()), strict=True
        ):
            key = (count, root, rotation)
            if key not in known:
                known[key] = self.tokens.loop(count, self._body(root, rotation))
            row[place] = known[key]
        return tuple(row)

    def _body(self, root: int, rotation: int) -> Written:
        if (root, rotation) not in self.known:
            roots = self.roots
            begin, period = int(roots.begin[root]), int(roots.period[root])
            text, runs, classes, first = inner_runs(
                self.s[begin : begin + period],
                self.s,
                roots.table,
                roots.begin,
                roots.period,
            )
            items = path(period, rotation, runs, classes, first, roots.slot, self.cost)
            self.known[root, rotation] = self.write(items, text)
        return self.known[root, rotation]
