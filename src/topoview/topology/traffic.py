"""Traffic of pairs of ranks, both ways together."""

from dataclasses import dataclass

import numpy as np

from topoview.model import Bools, CommunicationMatrix, Indices, Ints


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


def part_of(traffic: Traffic, chosen: Bools) -> Traffic:
    """Keep some of the pairs: bool, shape (pairs,); messages to oneself stay."""
    return Traffic(
        ranks=traffic.ranks,
        pairs=traffic.pairs[chosen],
        calls=traffic.calls[chosen],
        volume=traffic.volume[chosen],
        own_calls=traffic.own_calls,
        own_volume=traffic.own_volume,
    )
