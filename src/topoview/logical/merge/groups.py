"""Group ranks that do the same, with calls told apart in all ways worth trying."""

from dataclasses import dataclass

import numpy as np

from topoview.logical.arrays import index_in_run, mix_bits, run_offsets
from topoview.logical.calls.call_table import CallTable
from topoview.model import Ints


@dataclass(frozen=True, slots=True, eq=False)
class RankGroups:
    """Groups of ranks with equal sequences, longest sequence first.

    Attributes
    ----------
    of : int64, shape (ranks,)
        Group of each rank.
    first : int64, shape (groups,)
        Lowest rank of each group.
    code : int64, shape (rows,)
        Number of what each row says: its symbol and its class of sizes; from 0,
        without gaps.
    """

    of: Ints
    first: Ints
    code: Ints

    def __len__(self) -> int:
        """Count the groups."""
        return len(self.first)

    def sequences(self, rows: CallTable) -> tuple[Ints, Ints]:
        """Codes of the groups' first ranks one after the other, and offsets."""
        begins, ends = rows.offsets[self.first], rows.offsets[self.first + 1]
        parts = [
            self.code[a:b] for a, b in zip(begins.tolist(), ends.tolist(), strict=True)
        ]
        flat = np.concatenate(parts) if parts else np.zeros(0, np.int64)
        return flat, run_offsets(ends - begins)

    def spread(self, rows: CallTable, found: Ints) -> Ints:
        """Give every rank's rows what was found for its group's sequence.

        Parameters
        ----------
        found : int64, shape (entries,)
            One for each entry of `sequences`.
        """
        counts = np.diff(rows.offsets)
        offsets = run_offsets(counts[self.first])
        shift = offsets[self.of] - rows.offsets[:-1]
        spread: Ints = found[np.arange(len(rows.symbol)) + np.repeat(shift, counts)]
        return spread


def groups_by_code(rows: CallTable, code: Ints) -> RankGroups:
    """Group ranks by their codes and by which halves of calls they have.

    Parameters
    ----------
    code : int64, shape (rows,)
        Not negative.

    Notes
    -----
    Sequences are compared by a sum of scrambled (code, place) pairs; what
    follows from equality is verified in the end.
    """
    counts = np.diff(rows.offsets)
    own = 4 * code + 2 * (rows.receiver >= 0) + (rows.sender >= 0)
    place = index_in_run(counts).astype(np.uint64)
    terms = mix_bits(mix_bits(own.astype(np.uint64)) + place)
    sums = np.zeros(len(code) + 1, np.uint64)
    np.cumsum(terms, out=sums[1:])
    key = mix_bits(sums[rows.offsets[1:]] - sums[rows.offsets[:-1]])
    key += counts.astype(np.uint64)
    _, first, of = np.unique(key, return_index=True, return_inverse=True)
    order = np.lexsort((first, -counts[first]))
    place_of = np.empty(len(order), np.int64)
    place_of[order] = np.arange(len(order))
    return RankGroups(place_of[of], first[order], code)
