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
        seen = np.zeros(self.ranks, bool)
        seen[self.pairs] = True
        found: Indices = np.flatnonzero(seen).astype(np.int32)
        return found


def pair_traffic(matrix: CommunicationMatrix) -> Traffic:
    """Add up both directions of each pair; the messages are counted already."""
    n = matrix.ranks
    calls, volume = matrix.calls.data, matrix.volume.data
    sender = np.repeat(np.arange(n), np.diff(matrix.calls.indptr))
    receiver = matrix.calls.indices.astype(np.int64)
    keys = np.minimum(sender, receiver) * n + np.maximum(sender, receiver)
    order = np.argsort(keys, kind="stable")
    order = order[(sender != receiver)[order]]
    keys = keys[order]
    first = np.flatnonzero(np.diff(keys, prepend=-1))
    own = sender == receiver
    return Traffic(
        ranks=n,
        pairs=np.stack(np.divmod(keys[first], max(n, 1)), 1).astype(np.int32),
        calls=_sums(calls[order], first),
        volume=_sums(volume[order], first),
        own_calls=int(calls[own].sum()),
        own_volume=int(volume[own].sum()),
    )


def _sums(amounts: Ints, first: Ints) -> Ints:
    # reduceat takes no empty list of groups
    return np.add.reduceat(amounts, first) if len(first) else amounts[:0]


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
