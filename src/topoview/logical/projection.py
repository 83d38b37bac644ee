"""The maximal process, and what of it each other rank does."""

from dataclasses import dataclass

import numpy as np

from topoview.logical.arrays import mixed, number, spans
from topoview.logical.records import Records, Symbols
from topoview.model import Indices, Ints


@dataclass(frozen=True, slots=True, eq=False)
class Partners:
    """Halves of each rank."""

    names: tuple[str, ...]
    offsets: Ints
    halves: Indices


def partners(rows: Records) -> Partners:
    """Collect the directions in which each rank sends and receives."""
    symbols = rows.symbols
    waits = symbols.awaited[rows.symbol] >= 0
    width = 2 * len(rows.names) + 1
    rank = rows.rank
    codes = []
    for half in (symbols.to, symbols.source):
        own = half[rows.symbol]
        chosen = (own >= 0) & ~waits
        codes.append(rank[chosen] * width + own[chosen])
    pairs = number(np.concatenate(codes))[0]
    counts = np.bincount(pairs // width, minlength=len(rows.offsets) - 1)
    return Partners(tuple(rows.names), spans(counts), (pairs % width).astype(np.int32))


def maximal_rank(rows: Records, known: Partners) -> int:
    """Choose the rank whose sequence stands for all.

    It has every direction that any rank has; if none has, it is one with most
    directions; among those the one with most calls, then the lowest number.
    """
    rank = np.repeat(np.arange(len(known.offsets) - 1), np.diff(known.offsets))
    pairs = number(rank * (len(known.names) + 1) + known.halves // 2)[0]
    directions = np.bincount(
        pairs // (len(known.names) + 1), minlength=len(rows.offsets) - 1
    )
    calls = np.diff(rows.offsets)
    return int(np.lexsort((np.arange(len(calls)), -calls, -directions))[0])


@dataclass(frozen=True, slots=True, eq=False)
class Program:
    """The maximal process's sequence, ready to be projected.

    Attributes
    ----------
    symbol : int64, shape (positions,)
        Symbol of each position.
    symbols
        What the symbols say.
    always : int64, shape (n,)
        Positions without a direction.
    half, offsets, positions
        The positions of the halves that occur, ``half[i]`` at
        ``positions[offsets[i]:offsets[i + 1]]``; `half` ascends.
    """

    symbol: Ints
    symbols: Symbols
    always: Ints
    half: Ints
    offsets: Ints
    positions: Ints

    def halves_of(self, known: Partners, rank: int) -> Ints:
        """Which of the halves a rank has, as indices into `half`."""
        own = known.halves[known.offsets[rank] : known.offsets[rank + 1]]
        found: Ints = np.flatnonzero(np.isin(self.half, own))
        return found

    def project(self, own: Ints) -> tuple[Ints, Ints, Ints]:
        """Keep what a rank with these halves does.

        Parameters
        ----------
        own : int64, shape (n,)
            Indices into `half`.

        Returns
        -------
        positions, to, source : int64, shape (m,)
            Positions kept, ascending, and the halves that are left of each.
        """
        parts = [self.always]
        parts += [self.positions[self.offsets[i] : self.offsets[i + 1]] for i in own]
        kept = np.unique(np.concatenate(parts))
        has = np.zeros(int(self.half.max(initial=0)) + 2, bool)
        has[self.half[own]] = True
        halves = []
        for half in (self.symbols.to, self.symbols.source):
            left = half[self.symbol[kept]]
            halves.append(np.where(has[left], left, -1))
        return kept, halves[0], halves[1]


def program(rows: Records, rank: int) -> Program:
    """Take a rank's sequence for the program of all."""
    symbol = rows.symbol[rows.offsets[rank] : rows.offsets[rank + 1]]
    to, source = rows.symbols.to[symbol], rows.symbols.source[symbol]
    place = np.arange(len(symbol))
    half = np.concatenate((to[to >= 0], source[source >= 0]))
    position = np.concatenate((place[to >= 0], place[source >= 0]))
    distinct, which = number(half)
    order = np.argsort(which, kind="stable")
    offsets = spans(np.bincount(which, minlength=len(distinct)))
    return Program(
        symbol,
        rows.symbols,
        place[(to < 0) & (source < 0)],
        distinct,
        offsets,
        position[order],
    )


@dataclass(frozen=True, slots=True, eq=False)
class Classes:
    """Ranks that have the same halves of the program's.

    Attributes
    ----------
    halves
        The halves of each class, as indices into `Program.half`.
    of : int64, shape (ranks,)
        Class of each rank.
    """

    halves: list[Ints]
    of: Ints


def classes(main: Program, known: Partners) -> Classes:
    """Put ranks that have the same halves of the program's into one class."""
    ranks = len(known.offsets) - 1
    rank = np.repeat(np.arange(ranks), np.diff(known.offsets))
    used = np.isin(known.halves, main.half)
    key = np.bincount(rank[used], minlength=ranks).astype(np.uint64)
    np.add.at(key, rank[used], mixed(known.halves[used].astype(np.uint64) + 1))
    _, first, of = np.unique(key, return_index=True, return_inverse=True)
    return Classes([main.halves_of(known, int(r)) for r in first], of.astype(np.int64))
