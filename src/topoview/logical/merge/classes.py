"""Classes of ranks that do the same but for who their partners are.

Programs are sought for one rank of each class: what is true of its rows is true of
those of all others, once partners are looked up.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Final

import numpy as np

from topoview.base.progress import batches
from topoview.grouping import Hashes, factorize, in_order_met, run_offsets, run_rows
from topoview.logical.calls.call_table import CallTable, RowSymbols, join_symbols
from topoview.logical.kernels import mix_bits
from topoview.logical.merge import kernels
from topoview.model import Bytes, Ints, Regions, SideTable


@dataclass(frozen=True, slots=True, eq=False)
class RankClasses:
    """Classes of ranks.

    Two ranks are of one class if their rows are equal, call paths included, where each
    rank numbers its partners as it first meets them, and if their partners of the same
    numbers are neighbours in the topology, or are not.
    """

    of: Ints
    """int64, shape (ranks,): class of each rank."""
    first: Ints
    """int64, shape (classes,): lowest rank of each class, ascending."""
    members: Ints
    """int64, shape (classes,): how many ranks each has."""

    def __len__(self) -> int:
        """Count the classes."""
        return len(self.first)

    def ranks(self, classes: Ints) -> Ints:
        """Ranks of some classes, int64, ascending."""
        some = np.zeros(len(self), bool)
        some[classes] = True
        return np.flatnonzero(some[self.of])

    def rows_of(self, rows: CallTable, examples: CallTable) -> Ints:
        """Return the row of the examples that says what each row of some ranks says."""
        own = self.of[rows.first : rows.first + len(rows.offsets) - 1]
        return run_rows(examples.offsets, own)

    def spread_table(self, table: SideTable) -> SideTable:
        """Spread the cells of the examples to all ranks."""
        columns = np.arange(len(table.statement))[:, None]
        cell = (columns * len(self) + self.of).ravel()
        value = run_rows(table.offsets, cell)
        counts = np.diff(table.offsets)[cell]
        return replace(table, offsets=run_offsets(counts), values=table.values[value])


@dataclass(frozen=True, slots=True, eq=False)
class RanksCompared:
    """Neighbouring ranks, and the rows of those that do what none before them does."""

    key: Hashes
    """uint64, shape (ranks,): equal for ranks of one class."""
    first: Ints
    """int64, shape (examples,): which of the ranks are the lowest of their class:
    ascending."""
    examples: CallTable
    """Their rows."""
    leads: Ints
    """int64, shape (n,): as `leads_of`, of all the ranks."""
    met: Ints
    """int64, shape (pairs,): partners of each rank as ``rank * ranks + partner``, in
    the order in which it meets them, rank after rank."""

    def classes(self) -> RankClasses:
        """Return the classes, if these are all ranks."""
        keys = self.key[self.first]
        order = np.argsort(keys)
        of = order[np.searchsorted(keys, self.key, sorter=order)]
        return RankClasses(of, self.first, np.bincount(of, minlength=len(keys)))


def compare_ranks(
    tables: Iterable[CallTable], ranks: int, neighbours: Ints
) -> RanksCompared:
    """Compare neighbouring ranks.

    Parameters
    ----------
    tables
        Their rows, some ranks after the others.
    neighbours : int64, shape (n,)
        As `topoview.logical.calls.partners.neighbour_pairs`.
    """
    seen = np.zeros(0, np.uint64)
    parts = []
    for rows in tables:
        columns = rows.offsets, _told(rows), rows.receiver, rows.sender
        key = kernels.rank_keys(rows.first, *columns, neighbours, ranks)
        own, first = np.unique(key, return_index=True)
        first = np.sort(first[~np.isin(own, seen)])
        seen = np.concatenate((seen, key[first]))
        examples = replace(_of_ranks(rows, first), first=0)
        leads = leads_of(rows, ranks)
        ends = rows.receiver, rows.sender
        _, many, partner = numbered_partners(rows.rank - rows.first, ends, len(key))
        met = np.repeat(rows.first + np.arange(len(key)), np.diff(many)) * ranks
        parts.append(RanksCompared(key, first, examples, leads, met + partner))
    return joined_ranks(parts)


def joined_ranks(
    parts: Sequence[RanksCompared], _regions: Regions | None = None
) -> RanksCompared:
    """Join neighbouring ones, in order of their ranks."""
    key = np.concatenate([one.key for one in parts])
    lowest = np.unique(key, return_index=True)[1]
    some, first, begin = list[CallTable](), [], 0
    for one in parts:
        new = np.flatnonzero(np.isin(begin + one.first, lowest))
        some.append(_of_ranks(one.examples, new))
        first.append(begin + one.first[new])
        begin += len(one.key)
    symbols, numbers = join_symbols([one.symbols for one in some])
    some = [one.numbered(own, symbols) for one, own in zip(some, numbers, strict=True)]
    counts = np.concatenate([np.diff(one.offsets) for one in some])
    columns: dict[str, Any] = {
        name: np.concatenate([getattr(one, name) for one in some]) for name in _COLUMNS
    }
    return RanksCompared(
        key,
        np.concatenate(first),
        replace(some[0], offsets=run_offsets(counts), **columns | _OF_NO_CALLS),
        np.concatenate([one.leads for one in parts]),
        np.concatenate([one.met for one in parts]),
    )


_OF_NO_CALLS: Final = {"polled": np.zeros((0, 2), np.int64), "null": 0, "calls": 0}
"""What a call table tells beside its rows, which examples do not."""


def leads_of(rows: CallTable, ranks: int) -> Ints:
    """Collect where some ranks' directions lead: rank, name and partner, each once.

    Returns
    -------
    int64, shape (n,)
        ``(rank * names + name) * ranks + partner``, ascending.
    """
    names = len(rows.names)
    codes, own = [np.zeros(0, np.int64)], rows.rank - rows.first
    for direction, partner in (
        (rows.symbols.to, rows.receiver),
        (rows.symbols.source, rows.sender),
    ):
        for some in batches(len(partner)):
            has = some.start + np.flatnonzero(partner[some] >= 0)
            name = direction[rows.symbol[has]]
            code = (own[has] * names + name) * ranks + partner[has]
            codes.append(factorize(code)[0])
    return rows.first * names * ranks + factorize(np.concatenate(codes))[0]


def numbered_partners(
    rank: Ints, ends: tuple[Ints, Ints], ranks: int
) -> tuple[tuple[Ints, Ints], Ints, Ints]:
    """Enumerate the partners of each rank in the order in which it meets them.

    Parameters
    ----------
    rank : int64, shape (n,)
        Rank of each call, ascending.
    ends : two of int64, shape (n,)
        Whom it sends to and receives from, -1 for nobody.

    Returns
    -------
    two of int64, shape (n,)
        Their numbers.
    int64, shape (ranks + 1,), and int64, shape (partners,)
        Offsets of each rank's partners, and they.
    """
    there = np.column_stack(ends).ravel()
    has, width = np.flatnonzero(there >= 0), int(there.max(initial=0)) + 1
    met, which = in_order_met(np.repeat(rank, 2)[has] * width + there[has])
    offsets = run_offsets(np.bincount(met // width, minlength=ranks))
    numbers = np.full(len(there), -1, np.int64)
    numbers[has] = (np.arange(len(met)) - offsets[met // width])[which]
    to, source = numbers.reshape(-1, 2).T
    return (to, source), offsets, met % width


_COLUMNS: Final = (
    "call",
    "symbol",
    "size",
    "source_size",
    "receiver",
    "sender",
    "path",
    "kept",
)
"""Columns of a call table that its rows have."""


def _of_ranks(table: CallTable, ranks: Ints) -> CallTable:
    """Return the rows of some ranks, counted from the first."""
    counts = np.diff(table.offsets)[ranks]
    own = run_rows(table.offsets, ranks)
    columns = {name: getattr(table, name)[own] for name in _COLUMNS}
    return replace(table, offsets=run_offsets(counts), **columns)


def _told(table: CallTable) -> Hashes:
    """Hash what each row says but for who its partners are."""
    symbol = np.zeros(len(table.symbols), np.uint64)
    for field in fields(RowSymbols):
        symbol = _mixed_in(symbol, getattr(table.symbols, field.name))
    hashes = symbol[table.symbol]
    for column in (table.size, table.source_size, table.path, table.kept):
        hashes = _mixed_in(hashes, column)
    return hashes


def _mixed_in(key: Hashes, column: Ints | Bytes) -> Hashes:
    return mix_bits(key ^ (column.astype(np.int64) + 2).view(np.uint64))
