"""Traffic of pairs of ranks, and the levels that it falls into."""

from dataclasses import dataclass

import numpy as np
from scipy.sparse import coo_array, csr_array, triu

from topoview.model import Bools, CommunicationMatrix, Indices, Ints

GAP = 3.0
"""Ratio of neighbouring volumes, sorted, from which on they are two levels."""


@dataclass(frozen=True, slots=True, eq=False)
class Traffic:
    """Messages between pairs of ranks, both ways together.

    Attributes
    ----------
    ranks
        Number of ranks.
    pairs : int32, shape (m, 2)
        Ranks that exchange messages, smaller first, sorted.
    calls, volume : int64, shape (m,)
        Messages and bytes of each pair.
    own_calls, own_volume
        Messages and bytes that ranks send to themselves.
    """

    ranks: int
    pairs: Indices
    calls: Ints
    volume: Ints
    own_calls: int
    own_volume: int

    @property
    def members(self) -> Indices:
        """Ranks that communicate with others, ascending."""
        seen = np.zeros(self.ranks, bool)
        seen[self.pairs] = True
        found: Indices = np.flatnonzero(seen).astype(np.int32)
        return found


def pair_traffic(matrix: CommunicationMatrix) -> Traffic:
    """Add up both directions of each pair, in linear time."""
    # every pair sends at least one message: no sum of calls is dropped as zero
    calls = _both_ways(matrix, matrix.calls.data)
    both = _both_ways(matrix, matrix.calls.data + matrix.volume.data)
    return Traffic(
        ranks=matrix.ranks,
        pairs=np.stack(calls.coords, 1).astype(np.int32),
        calls=calls.data,
        volume=both.data - calls.data,
        own_calls=int(matrix.calls.diagonal().sum()),
        own_volume=int(matrix.volume.diagonal().sum()),
    )


def _both_ways(matrix: CommunicationMatrix, amounts: Ints) -> coo_array:
    structure = (amounts, matrix.calls.indices, matrix.calls.indptr)
    sent = csr_array(structure, shape=matrix.calls.shape)
    upper = triu(sent + sent.T, 1, format="csr")
    upper.sort_indices()
    return upper.tocoo()


def levels(traffic: Traffic) -> list[Bools]:
    """Cut the pairs wherever the sorted volumes fall by `GAP` or more.

    Empty messages count as one byte.

    Returns
    -------
    list of bool arrays, shape (m,)
        Pairs of each level: all, those above the lowest cut, and so on.
    """
    volume = np.maximum(traffic.volume, 1)
    ascending = np.sort(volume)
    above = np.flatnonzero(ascending[1:] >= GAP * ascending[:-1]) + 1
    cuts = ascending[np.concatenate([[0], above])] if len(ascending) else []
    return [volume >= cut for cut in cuts]
