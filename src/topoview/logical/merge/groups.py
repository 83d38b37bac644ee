"""Group ranks that do the same."""

from dataclasses import dataclass

import numpy as np

from topoview.grouping import run_offsets, run_rows
from topoview.logical.calls.call_table import CallTable
from topoview.logical.kernels import mix_bits
from topoview.logical.merge.lists import sums_of
from topoview.model import Bools, Ints


@dataclass(frozen=True, slots=True, eq=False)
class RankGroups:
    """Groups of ranks with equal sequences, longest sequence first."""

    of: Ints
    """int64, shape (ranks,): group of each rank."""
    first: Ints
    """int64, shape (groups,): lowest rank of each group."""

    def __len__(self) -> int:
        """Count the groups."""
        return len(self.first)

    def offsets(self, rows: CallTable) -> Ints:
        """Offsets of the groups' rows, one rank of each after the other."""
        return run_offsets(np.diff(rows.offsets)[self.first])

    def spread(self, rows: CallTable, mask: Bools) -> Bools:
        """Spread what was found for a group's rows to those of every rank.

        Parameters
        ----------
        mask : bool, shape (entries,)
            One for each row of the groups, as in `offsets`.
        """
        spread: Bools = mask[run_rows(self.offsets(rows), self.of)]
        return spread


def group_ranks(rows: CallTable) -> RankGroups:
    """Group ranks by what they do but for bytes, and which halves of calls they have.

    Notes
    -----
    Sequences are compared by a hash; what follows from equality is verified in the
    end.
    """
    counts = np.diff(rows.offsets)
    own = 4 * rows.symbol + 2 * (rows.receiver >= 0) + (rows.sender >= 0)
    key = sums_of(rows.offsets[:-1], mix_bits(own.astype(np.uint64)))
    _, first, of = np.unique(key, return_index=True, return_inverse=True)
    order = np.lexsort((first, -counts[first]))
    place_of = np.empty(len(order), np.int64)
    place_of[order] = np.arange(len(order))
    return RankGroups(place_of[of], first[order])
