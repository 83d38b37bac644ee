"""From messages to the communication matrix."""

# mypy: allow-untyped-defs
# ruff: noqa: ANN001, ANN202 - numba finds the types of what has none

from typing import Final

import numba
import numpy as np
from scipy.sparse import csr_array

from topoview.hash_table import slot_of
from topoview.model import Bools, CommunicationMatrix, Indices, Ints, Trace
from topoview.progress import Report, batches, silent

COUNTING = "counting messages"

_SLOTS: Final = 1 << 10
_EACH: Final = 16
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
        sender, receiver = messages.sender[some], messages.receiver[some]
        size = messages.size[some]
        if chosen is not None:
            # As indexing would, which is slower and holds Python's lock meanwhile.
            own = chosen[some]
            sender, receiver = sender.compress(own), receiver.compress(own)
            size = size.compress(own)
        one = np.broadcast_to(np.int64(1), size.shape)
        sums.add(sender, receiver, one, size, report)
    report(COUNTING, 1.0)
    return sums.matrix(report)


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
    sums = _Sums(ranks, len(sender))
    sums.add(sender, receiver, calls, volume)
    return sums.matrix()


class _Sums:
    """Sums of pairs of ranks, in a hash table that grows."""

    def __init__(self, ranks: int, entries: int) -> None:
        """Make room for a few pairs a rank, of so many entries."""
        self.ranks, self.used = ranks, 0
        slots = _SLOTS
        while slots < min(_EACH * ranks, 2 * entries):
            slots *= 2
        self.key = np.full(slots, -1, np.int64)
        self.calls, self.volume = np.zeros(slots, np.int64), np.zeros(slots, np.int64)

    def add(
        self,
        sender: Indices | Ints,
        receiver: Indices | Ints,
        calls: Ints,
        volume: Ints,
        report: Report = silent,
    ) -> None:
        """Add calls and bytes of pairs."""
        done = 0
        while done < len(sender):
            if 3 * self.used > 2 * len(self.key):
                self._grow(report)
            table = (self.key, self.calls, self.volume, self.used)
            done, self.used = _count(
                sender, receiver, calls, volume, self.ranks, *table, done
            )

    def _grow(self, report: Report) -> None:
        """Double the table."""
        old = self.key, self.calls, self.volume
        self.key = np.full(2 * len(self.key), -1, np.int64)
        report(COUNTING, 0.0)
        slots = len(self.key)
        self.calls, self.volume = np.zeros(slots, np.int64), np.zeros(slots, np.int64)
        for some in batches(len(old[0]), report, COUNTING):
            key, calls, volume = (column[some] for column in old)
            _move(key, calls, volume, self.key, self.calls, self.volume)

    def matrix(self, report: Report = silent) -> CommunicationMatrix:
        """Write down what was added."""
        # Keys are sorted and looked up: much faster than sorting places by them.
        ranks, pair = self.ranks, np.sort(self.key[self.key >= 0])
        wide = max(len(pair), ranks) >= 1 << 31
        index = np.int64 if wide else np.int32
        begins = np.searchsorted(pair, np.arange(ranks + 1) * ranks).astype(index)
        receiver = np.empty(len(pair), index)
        calls, volume = np.empty_like(pair), np.empty_like(pair)
        table = self.key, self.calls, self.volume
        for some in batches(len(pair), report, COUNTING, (1.0, 1.0)):
            receiver[some] = pair[some] % max(ranks, 1)
            calls[some], volume[some] = _looked_up(pair[some], *table)
        report(COUNTING, 1.0)
        return CommunicationMatrix(
            csr_array((calls, receiver, begins), shape=(ranks, ranks)),
            csr_array((volume, receiver, begins), shape=(ranks, ranks)),
        )


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
    begin: int,
) -> tuple[int, int]:
    """Add up messages of the same pair, until the table is two thirds full."""
    last, place = np.int64(-1), np.int64(0)
    for i in range(begin, len(sender)):
        one, other = np.int64(sender[i]), np.int64(receiver[i])
        if one < 0 or one >= ranks or other < 0 or other >= ranks:
            continue
        pair = one * ranks + other
        if pair != last:
            place, last = slot_of(key, pair), pair
            if key[place] < 0:
                if 3 * used > 2 * len(key):
                    return i, used
                key[place] = pair
                used += 1
        calls[place] += number[i]
        volume[place] += size[i]
    return len(sender), used


@numba.njit(nogil=True, cache=True)
def _looked_up(pair, key, calls, volume):
    number, size = np.empty(len(pair), np.int64), np.empty(len(pair), np.int64)
    for k in range(len(pair)):
        place = slot_of(key, pair[k])
        number[k], size[k] = calls[place], volume[place]
    return number, size


@numba.njit(nogil=True, cache=True)
def _move(  # noqa: PLR0913
    key, calls, volume, keys, all_calls, all_volume
):
    for old in range(len(key)):
        if key[old] >= 0:
            place = slot_of(keys, key[old])
            keys[place] = key[old]
            all_calls[place], all_volume[place] = calls[old], volume[old]
