"""Partners as numbers, in the order in which each rank comes to use them."""

from dataclasses import dataclass

import numpy as np

from topoview.logical.arrays import spans
from topoview.logical.numbering import number
from topoview.model import Indices, Ints, Trace


@dataclass(frozen=True, slots=True, eq=False)
class Neighbours:
    """Names of partners that say nothing of where they are: ``NEIGHBOUR 0``, ...

    Programs on unstructured meshes go through a list of neighbours. By the numbers in
    it all ranks do the same, whatever the graph is.

    Attributes
    ----------
    ranks
        Number of ranks.
    pair, slot : int64, shape (pairs,)
        ``rank * ranks + partner``, ascending, and the partner's number.
    """

    ranks: int
    pair: Ints
    slot: Ints

    @staticmethod
    def of(trace: Trace) -> "Neighbours":
        """Give the partners of each rank numbers, by the first call with each."""
        messages, n = trace.messages, trace.ranks
        sender = messages.sender.astype(np.int64)
        receiver = messages.receiver.astype(np.int64)
        pair = np.concatenate((sender * n + receiver, receiver * n + sender))
        call = np.concatenate((messages.send_call, messages.receive_call))
        call = np.where(call < 0, np.iinfo(np.int64).max, call)
        pairs, which = number(pair)
        first = np.full(len(pairs), np.iinfo(np.int64).max)
        np.minimum.at(first, which, call)
        rank = pairs // n
        order = np.lexsort((pairs, first, rank))
        begins = spans(np.bincount(rank, minlength=n))
        slot = np.empty(len(pairs), np.int64)
        slot[order] = np.arange(len(pairs)) - begins[rank[order]]
        return Neighbours(n, pairs, slot)

    def names(self, ranks: Indices, partners: Indices) -> tuple[Indices, list[str]]:
        """Name partners: the index of each one's name, and the names."""
        wanted = ranks.astype(np.int64) * self.ranks + partners
        place = np.searchsorted(self.pair, wanted)
        known = place < len(self.pair)
        known[known] = self.pair[place[known]] == wanted[known]
        found = np.full(len(wanted), -1, np.int32)
        found[known] = self.slot[place[known]]
        most = int(self.slot.max(initial=-1)) + 1
        return found, [f"NEIGHBOUR {k}" for k in range(most)]

    def partner(self, rank: int, name: str) -> int | None:
        """World rank of a partner, None if the rank has none of that name."""
        wanted = int(name.split()[-1])
        own = np.flatnonzero((self.pair // self.ranks == rank) & (self.slot == wanted))
        return int(self.pair[own[0]] % self.ranks) if len(own) else None
