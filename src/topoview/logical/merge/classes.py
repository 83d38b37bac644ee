"""Classes of ranks that do the same but for who their partners are.

Programs are sought for one rank of each class: what is true of its rows is true of
those of all others, once partners are looked up.
"""

from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from topoview.base.kernels import kernel
from topoview.logical.arrays import index_in_run, mix, mix_bits, run_offsets
from topoview.logical.calls.call_table import CallTable
from topoview.logical.merge.lists import Hashes
from topoview.model import Ints, SideTable

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

    @staticmethod
    def of_rows(rows: CallTable, neighbours: Ints) -> "RankClasses":
        """Find the classes of ranks.

        Parameters
        ----------
        neighbours : int64, shape (n,)
            As `topoview.logical.partners.neighbour_pairs`.
        """
        told = np.zeros(len(rows.symbol), np.uint64)
        for column in (rows.symbol, rows.size, rows.source_size, rows.path, rows.kept):
            told = mix_bits(told ^ (column.astype(np.int64) + 2).view(np.uint64))
        key = _rank_keys(
            rows.offsets, told, rows.receiver, rows.sender, np.sort(neighbours)
        )
        _, first, of = np.unique(key, return_index=True, return_inverse=True)
        order = np.argsort(first)
        number = np.empty(len(order), np.int64)
        number[order] = np.arange(len(order))
        return RankClasses(number[of], first[order], np.bincount(of)[order])

    def __len__(self) -> int:
        """Count the classes."""
        return len(self.first)

    def ranks(self, classes: Ints) -> Ints:
        """Ranks of some classes, int64, ascending."""
        some = np.zeros(len(self), bool)
        some[classes] = True
        return np.flatnonzero(some[self.of])

    def examples(self, rows: CallTable) -> CallTable:
        """Give the rows of the lowest rank of each class."""
        counts = np.diff(rows.offsets)[self.first]
        own = np.repeat(rows.offsets[self.first], counts) + index_in_run(counts)
        columns = ("call", "symbol", "size", "source_size", "receiver", "sender")
        return replace(
            rows,
            offsets=run_offsets(counts),
            path=rows.path[own],
            kept=rows.kept[own],
            **{name: getattr(rows, name)[own] for name in columns},
        )

    def spread(
        self, rows: CallTable, examples: CallTable, column: NDArray[Number]
    ) -> NDArray[Number]:
        """Give the rows of all ranks what those of the examples have."""
        counts = np.diff(rows.offsets)
        shift = examples.offsets[self.of] - rows.offsets[:-1]
        return column[np.arange(len(rows.symbol)) + np.repeat(shift, counts)]

    def spread_table(self, table: SideTable) -> SideTable:
        """Give all ranks the cells of the examples."""
        columns = np.arange(len(table.statement))[:, None]
        cell = (columns * len(self) + self.of).ravel()
        counts = np.diff(table.offsets)[cell]
        value = np.repeat(table.offsets[cell], counts) + index_in_run(counts)
        return replace(table, offsets=run_offsets(counts), values=table.values[value])


@kernel
def _rank_keys(
    offsets: Ints, told: Hashes, receiver: Ints, sender: Ints, neighbours: Ints
) -> Hashes:
    """Hash each rank's rows, its partners numbered as it meets them."""
    ranks = len(offsets) - 1
    met = np.full(ranks, -1, np.int64)
    number = np.zeros(ranks, np.uint64)
    found = np.empty(ranks, np.uint64)
    for rank in range(ranks):
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
                        pair = rank * ranks + partner
                        at = np.searchsorted(neighbours, pair)
                        near = at < len(neighbours) and neighbours[at] == pair
                        number[partner] = many * np.uint64(2) + np.uint64(near)
                        many += np.uint64(1)
                    own = number[partner]
                code = mix(code ^ own)
            key = mix(key ^ code)
        found[rank] = key
    return found
