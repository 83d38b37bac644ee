"""From messages to the communication matrix."""

# mypy: allow-untyped-defs
# ruff: noqa: ANN001, ANN202 - numba finds the types of what has none

from typing import Final

import numba
import numpy as np
from scipy.sparse import csr_array

from topoview.hash_table import slot_of
from topoview.model import Bools, CommunicationMatrix, Indices, Ints, Trace
from topoview.progress import Report, portions, silent

COUNTING = "counting messages"

_SLOTS: Final = 1 << 10


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
    sums = _Sums(trace.ranks)
    for some in portions(len(messages), report, COUNTING):
        sender, receiver = messages.sender[some], messages.receiver[some]
        size = messages.size[some]
        if chosen is not None:
            # As indexing would, which is slower and holds Python's lock meanwhile.
            own = chosen[some]
            sender, receiver = sender.compress(own), receiver.compress(own)
            size = size.compress(own)
        one = np.broadcast_to(np.int64(1), size.shape)
        sums.add(sender, receiver, one, size)
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
    ranks
        Number of ranks.
    sender, receiver : integers, shape (n,)
        Ranks of each pair; pairs outside the world are left out.
    calls, volume : int64, shape (n,)
        Messages and bytes of each.
    """
    sums = _Sums(ranks)
    sums.add(sender, receiver, calls, volume)
    return sums.matrix()


class _Sums:
    """Sums of pairs of ranks, in a hash table that grows."""

    def __init__(self, ranks: int) -> None:
        self.ranks, self.used = ranks, 0
        self.key = np.full(_SLOTS, -1, np.int64)
        self.calls, self.volume = np.zeros(_SLOTS, np.int64), np.zeros(_SLOTS, np.int64)

    def add(
        self,
        sender: Indices | Ints,
        receiver: Indices | Ints,
        calls: Ints,
        volume: Ints,
    ) -> None:
        """Add calls and bytes of pairs."""
        table = (self.key, self.calls, self.volume, self.used)
        self.key, self.calls, self.volume, self.used = _count(
            sender, receiver, calls, volume, self.ranks, *table
        )

    def matrix(self) -> CommunicationMatrix:
        """Write down what was added."""
        there = np.flatnonzero(self.key >= 0)
        pair = self.key[there]
        order = np.argsort(pair)
        there, ranks = there[order], self.ranks
        sender, receiver = np.divmod(pair[order], max(ranks, 1))
        begins = np.searchsorted(sender, np.arange(ranks + 1))
        wide = max(len(pair), ranks) >= 1 << 31
        index = np.int64 if wide else np.int32

        def matrix(amounts: Ints) -> csr_array:
            return csr_array(
                (amounts[there], receiver.astype(index), begins.astype(index)),
                shape=(ranks, ranks),
            )

        return CommunicationMatrix(matrix(self.calls), matrix(self.volume))


@numba.njit(nogil=True, cache=True)
def _count(  # noqa: PLR0913
    sender: Indices | Ints,
    receiver: Indices | Ints,
    number: Ints,
    size: Ints,
    ranks: int,
    key: Ints,
    calls: Ints,
    volume: Ints,
    used: int,
) -> tuple[Ints, Ints, Ints, int]:
    """Add up messages of the same pair in a hash table that grows."""
    last, place = np.int64(-1), np.int64(0)
    for i in range(len(sender)):
        one, other = np.int64(sender[i]), np.int64(receiver[i])
        if one < 0 or one >= ranks or other < 0 or other >= ranks:
            continue
        pair = one * ranks + other
        if pair != last:
            place, last = slot_of(key, pair), pair
            if key[place] < 0:
                key[place] = pair
                used += 1
                if 2 * used > len(key):
                    key, calls, volume = _grow(key, calls, volume)
                    place = slot_of(key, pair)
        calls[place] += number[i]
        volume[place] += size[i]
    return key, calls, volume, used


@numba.njit(nogil=True, cache=True)
def _grow(key, calls, volume):
    larger = np.full(2 * len(key), -1, np.int64)
    more, bytes_ = np.zeros(len(larger), np.int64), np.zeros(len(larger), np.int64)
    for old in range(len(key)):
        if key[old] >= 0:
            place = slot_of(larger, key[old])
            larger[place] = key[old]
            more[place], bytes_[place] = calls[old], volume[old]
    return larger, more, bytes_
