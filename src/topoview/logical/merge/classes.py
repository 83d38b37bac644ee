"""Classes of ranks that do the same but for who their partners are.

Programs are sought for one rank of each class: what is true of its rows is true of
those of all others, once partners are looked up.
"""

from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from typing import Any, Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from topoview.base.kernels import kernel
from topoview.base.memory import memory_refusal
from topoview.errors import RefusedError
from topoview.logical.arrays import index_in_run, mix, mix_bits, run_offsets
from topoview.logical.calls.call_table import CallTable, RowSymbols, join_symbols
from topoview.logical.merge.lists import Hashes
from topoview.model import Bytes, Ints, SideTable

BYTES_A_ROW: Final = 220
"""Bytes that a row of the examples takes while the program is sought, as measured:
benchmarks/memory.py."""

Number = TypeVar("Number", bound=np.generic)


@dataclass(frozen=True, slots=True, eq=False)
class RankClasses:
    """Classes of ranks.

    Two ranks are of one class if their rows are equal, call paths included, where each
    rank numbers its partners as it first meets them, and if their partners of the same
    numbers are neighbours in the topology, or are not.

    Attributes
    ----------
    of : int64, shape (ranks,)
        Class of each rank.
    first : int64, shape (classes,)
        Lowest rank of each class, ascending.
    members : int64, shape (classes,)
        How many ranks each has.
    """

    of: Ints
    first: Ints
    members: Ints

    def __len__(self) -> int:
        """Count the classes."""
        return len(self.first)

    def ranks(self, classes: Ints) -> Ints:
        """Ranks of some classes, int64, ascending."""
        some = np.zeros(len(self), bool)
        some[classes] = True
        return np.flatnonzero(some[self.of])

    def spread(
        self, rows: CallTable, examples: CallTable, column: NDArray[Number]
    ) -> NDArray[Number]:
        """Give the rows of some ranks what those of the examples have."""
        counts = np.diff(rows.offsets)
        own = self.of[rows.first : rows.first + len(counts)]
        shift = examples.offsets[own] - rows.offsets[:-1]
        return column[np.arange(len(rows.symbol)) + np.repeat(shift, counts)]

    def spread_table(self, table: SideTable) -> SideTable:
        """Give all ranks the cells of the examples."""
        columns = np.arange(len(table.statement))[:, None]
        cell = (columns * len(self) + self.of).ravel()
        counts = np.diff(table.offsets)[cell]
        value = np.repeat(table.offsets[cell], counts) + index_in_run(counts)
        return replace(table, offsets=run_offsets(counts), values=table.values[value])


def find_classes(
    tables: Iterable[CallTable], ranks: int, neighbours: Ints
) -> tuple[RankClasses, CallTable, list[Ints]]:
    """Find the classes of ranks.

    Parameters
    ----------
    tables
        Rows of all ranks, some ranks after the others.
    neighbours : int64, shape (n,)
        As `topoview.logical.partners.neighbour_pairs`.

    Returns
    -------
    RankClasses
    CallTable
        Rows of the lowest rank of each class.
    list of int64
        For each table the numbers that its symbols have there.

    Raises
    ------
    RefusedError
        If classes differ so much that their rows do not fit into memory.
    """
    near = np.sort(neighbours)
    number: dict[int, int] = {}
    of, first = np.zeros(ranks, np.int64), list[int]()
    examples, symbols = list[CallTable](), list[RowSymbols]()
    for table in tables:
        keys = _rank_keys(
            table.first,
            *(table.offsets, _told(table), table.receiver, table.sender),
            near,
            ranks,
        )
        new = []
        for rank, key in enumerate(keys.tolist()):
            if key not in number:
                number[key] = len(number)
                new.append(rank)
            of[table.first + rank] = number[key]
        examples.append(_of_ranks(table, np.array(new, np.int64)))
        symbols.append(table.symbols)
        rows = sum(len(one.symbol) for one in examples)
        if told := memory_refusal("logical trace", rows * BYTES_A_ROW):
            raise RefusedError(told)
        first += [table.first + rank for rank in new]
    joined, numbers = join_symbols(symbols)
    some = [
        one.numbered(own, joined) for one, own in zip(examples, numbers, strict=True)
    ]
    counts = np.concatenate([np.diff(one.offsets) for one in some])
    columns: dict[str, Any] = {
        name: np.concatenate([getattr(one, name) for one in some]) for name in _COLUMNS
    }
    given = replace(some[0], first=0, offsets=run_offsets(counts), **columns)
    members = np.bincount(of, minlength=len(first))
    return RankClasses(of, np.array(first, np.int64), members), given, numbers


_COLUMNS: Final = (
    *("call", "symbol", "size", "source_size", "receiver", "sender"),
    *("path", "kept"),
)
"""Columns of a call table that its rows have."""


def _of_ranks(table: CallTable, ranks: Ints) -> CallTable:
    """Take the rows of some ranks, counted from the first."""
    counts = np.diff(table.offsets)[ranks]
    own = np.repeat(table.offsets[ranks], counts) + index_in_run(counts)
    columns = {name: getattr(table, name)[own] for name in _COLUMNS}
    return replace(table, offsets=run_offsets(counts), **columns)


def _told(table: CallTable) -> Hashes:
    """Hash what each row says but for who its partners are."""
    symbol = np.zeros(len(table.symbols), np.uint64)
    for field in fields(RowSymbols):
        symbol = _mixed_in(symbol, getattr(table.symbols, field.name))
    told = symbol[table.symbol]
    for column in (table.size, table.source_size, table.path, table.kept):
        told = _mixed_in(told, column)
    return told


def _mixed_in(key: Hashes, column: Ints | Bytes) -> Hashes:
    return mix_bits(key ^ (column.astype(np.int64) + 2).view(np.uint64))


@kernel
def _rank_keys(  # noqa: PLR0913
    first: int,
    offsets: Ints,
    told: Hashes,
    receiver: Ints,
    sender: Ints,
    neighbours: Ints,
    ranks: int,
) -> Hashes:
    """Hash each rank's rows, its partners numbered as it meets them."""
    met = np.full(ranks, -1, np.int64)
    number = np.zeros(ranks, np.uint64)
    found = np.empty(len(offsets) - 1, np.uint64)
    for rank in range(len(found)):
        many = np.uint64(1)
        key = np.uint64(offsets[rank + 1] - offsets[rank])
        for row in range(offsets[rank], offsets[rank + 1]):
            code = told[row]
            for side in range(2):
                partner = sender[row] if side else receiver[row]
                own = np.uint64(0)
                if partner >= 0:
                    if met[partner] != rank:
                        met[partner] = rank
                        pair = (first + rank) * ranks + partner
                        at = np.searchsorted(neighbours, pair)
                        near = at < len(neighbours) and neighbours[at] == pair
                        number[partner] = many * np.uint64(2) + np.uint64(near)
                        many += np.uint64(1)
                    own = number[partner]
                code = mix(code ^ own)
            key = mix(key ^ code)
        found[rank] = key
    return found
