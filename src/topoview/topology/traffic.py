"""Traffic of pairs of ranks, and the levels that it falls into."""

from dataclasses import dataclass

import numpy as np

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
        found: Indices = np.unique(self.pairs).astype(np.int32)
        return found


def pair_traffic(matrix: CommunicationMatrix) -> Traffic:
    """Add up both directions of each pair, in linear time but for a sort."""
    n = matrix.ranks
    sent = matrix.calls.tocoo()
    calls, volume = sent.data, matrix.volume.data
    sender, receiver = sent.coords
    own = sender == receiver
    a = np.minimum(sender, receiver).astype(np.int64)
    b = np.maximum(sender, receiver).astype(np.int64)
    keys, pair = np.unique((a * n + b)[~own], return_inverse=True)
    return Traffic(
        ranks=n,
        pairs=np.stack([keys // max(n, 1), keys % max(n, 1)], 1).astype(np.int32),
        calls=_added(pair, calls[~own], len(keys)),
        volume=_added(pair, volume[~own], len(keys)),
        own_calls=int(calls[own].sum()),
        own_volume=int(volume[own].sum()),
    )


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


def _added(group: Ints, values: Ints, groups: int) -> Ints:
    total = np.zeros(groups, np.int64)
    np.add.at(total, group, values)
    return total
