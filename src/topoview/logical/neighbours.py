"""Partners as numbers, in the order in which each rank comes to use them."""

from dataclasses import dataclass

import numpy as np

from topoview.logical.arrays import spans
from topoview.logical.numbering import number
from topoview.model import Indices, Ints, Trace

SELF = "SELF"
"""A rank itself."""


@dataclass(frozen=True, slots=True, eq=False)
class Neighbours:
    """Names of partners that no scheme places: ``NEIGHBOUR 0``, or ``RANK +1``.

    Programs on unstructured meshes go through a list of neighbours. By the numbers in
    it all ranks do the same, whatever the graph is. Where each number in it is the
    same step from rank to rank, around the end, for all ranks, that is what is told.

    Attributes
    ----------
    ranks
        Number of ranks.
    pair, slot : int64, shape (pairs,)
        ``rank * ranks + partner``, ascending, and the number of the partner's name.
    told
        The names.
    """

    ranks: int
    pair: Ints
    slot: Ints
    told: tuple[str, ...]

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
        steps = _steps(n, pairs, slot)
        if steps is not None:
            distinct_steps, of_slot = np.unique(steps, return_inverse=True)
            names = tuple(_step_name(step) for step in distinct_steps.tolist())
            return Neighbours(n, pairs, of_slot[slot].astype(np.int64), names)
        most = int(slot.max(initial=-1)) + 1
        names = tuple(f"NEIGHBOUR {k}" for k in range(most))
        return Neighbours(n, pairs, slot, names)

    def names(self, ranks: Indices, partners: Indices) -> tuple[Indices, list[str]]:
        """Name partners: the index of each one's name, and the names."""
        wanted = ranks.astype(np.int64) * self.ranks + partners
        place = np.searchsorted(self.pair, wanted)
        known = place < len(self.pair)
        known[known] = self.pair[place[known]] == wanted[known]
        found = np.full(len(wanted), -1, np.int32)
        found[known] = self.slot[place[known]]
        return found, list(self.told)

    def partner(self, rank: int, name: str) -> int | None:
        """World rank of a partner, None if the rank has none of that name."""
        wanted = self.told.index(name)
        own = np.flatnonzero((self.pair // self.ranks == rank) & (self.slot == wanted))
        return int(self.pair[own[0]] % self.ranks) if len(own) else None


def _steps(ranks: int, pair: Ints, slot: Ints) -> Ints | None:
    """Find the step that each slot is for all ranks, none if one differs."""
    if not len(pair):
        return None
    step = (pair % ranks - pair // ranks) % ranks
    low, high = np.full((2, int(slot.max()) + 1), -1, np.int64)
    low[slot] = step
    np.maximum.at(high, slot, step)
    if (low[slot] != step).any() or (low != high).any():
        return None
    return np.where(2 * low > ranks, low - ranks, low)


def _step_name(step: int) -> str:
    return f"RANK {step:+d}" if step else SELF
