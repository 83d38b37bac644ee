"""From messages to the communication matrix."""

from collections.abc import Sequence
from typing import Final

import numpy as np

from topoview.base.progress import Report, batches, silent
from topoview.model import (
    Bools,
    CommunicationMatrix,
    Indices,
    Ints,
    Regions,
    Trace,
    readonly,
)
from topoview.topology import kernels

COUNTING = "counting messages"

_SLOTS: Final = 1 << 10
_EACH: Final = 32
"""Slots a rank in the first table."""


def communication_matrix(
    trace: Trace, chosen: Bools | None = None, report: Report = silent
) -> CommunicationMatrix:
    """Count the point-to-point messages and bytes of all pairs of ranks.

    One pass over the messages, in memory that grows with the pairs only. A message
    counts once, for its sender; messages to oneself are on the diagonal; partners
    outside the world do not count.

    Parameters
    ----------
    trace
        Its `messages` are read.
    chosen : bool, shape (messages,)
        Messages that count; all if None.

    Raises
    ------
    Cancelled
        From `report`.
    """
    messages = trace.messages
    sums = _Sums(trace.ranks, len(messages))
    for some in batches(len(messages), report, COUNTING):
        own = np.s_[:] if chosen is None else chosen[some]
        sender, receiver = messages.sender[some][own], messages.receiver[some][own]
        size = messages.size[some][own]
        sums.add(sender, receiver, np.ones(len(size), np.int64), size)
    report(COUNTING, 1.0)
    return sums.matrix()


def matrix_of(
    ranks: int,
    sender: Indices | Ints,
    receiver: Indices | Ints,
    calls: Ints,
    volume: Ints,
) -> CommunicationMatrix:
    """Sum up calls and bytes of pairs of ranks, which may be repeated.

    Parameters
    ----------
    sender, receiver : integers, shape (n,)
        Ranks of each pair; pairs outside the world are left out.
    calls, volume : int64, shape (n,)
        Messages and bytes of each.
    """
    sums = _Sums(ranks, len(sender))
    sums.add(sender, receiver, calls, volume)
    return sums.matrix()


def added_matrices(
    parts: Sequence[CommunicationMatrix], _regions: Regions
) -> CommunicationMatrix:
    """Add up the matrices of parts of a trace."""
    return matrix_of(
        parts[0].ranks,
        np.concatenate([one.sender for one in parts]),
        np.concatenate([one.receiver for one in parts]),
        np.concatenate([one.counts for one in parts]),
        np.concatenate([one.sizes for one in parts]),
    )


class _Sums:
    """Sums of pairs of ranks, in a hash table that grows."""

    key: Ints
    calls: Ints
    volume: Ints
    used: int

    def __init__(self, ranks: int, entries: int) -> None:
        """Reserve room for a few pairs a rank, of so many entries."""
        self.ranks = ranks
        slots = _SLOTS
        while slots < min(_EACH * ranks, 2 * entries):
            slots *= 2
        self._clear(slots)

    def add(
        self,
        sender: Indices | Ints,
        receiver: Indices | Ints,
        calls: Ints,
        volume: Ints,
    ) -> None:
        """Add calls and bytes of pairs."""
        pairs = readonly(sender, np.int32), readonly(receiver, np.int32)
        amounts = readonly(calls), readonly(volume)
        done = 0
        while done < len(sender):
            if 3 * self.used > 2 * len(self.key):
                self._grow()
            table = self.key, self.calls, self.volume
            done, self.used = kernels.count_pairs(
                *pairs, *amounts, self.ranks, *table, self.used, done
            )

    def _grow(self) -> None:
        """Double the table, and enter again what it holds."""
        held = self.key >= 0
        sender, receiver = np.divmod(self.key[held], self.ranks)
        amounts = self.calls[held], self.volume[held]
        self._clear(2 * len(self.key))
        self.add(sender, receiver, *amounts)

    def _clear(self, slots: int) -> None:
        self.key, self.used = np.full(slots, -1, np.int64), 0
        self.calls, self.volume = np.zeros(slots, np.int64), np.zeros(slots, np.int64)

    def matrix(self) -> CommunicationMatrix:
        """Write down what was added."""
        place = np.flatnonzero(self.key >= 0)
        place = place[np.argsort(self.key[place])]
        pair, ranks = self.key[place], self.ranks
        return CommunicationMatrix(
            begins=np.searchsorted(pair, np.arange(ranks + 1) * ranks),
            receiver=(pair % max(ranks, 1)).astype(np.int32),
            counts=self.calls[place],
            sizes=self.volume[place],
        )
