"""Messages of two ranks, or of a moment: found by the index of blocks of them."""

import numba
import numpy as np

from topoview.model import MESSAGES_PER_BLOCK, Indices, Ints, MessageIndex, Messages
from topoview.store.arrays import sparse_view


def messages_in_flight(
    messages: Messages, index: MessageIndex, since: int, ticks: int
) -> Ints:
    """Find messages between ranks on their way at any time from one to another.

    At one time, if both are the same: sent, and not yet received.

    Returns
    -------
    int64
        Their indices, ascending.
    """
    some = int(np.count_nonzero((index.begin <= ticks) & (since < index.end)))
    return _in_flight(
        index.begin,
        index.end,
        sparse_view(messages.sender, some),
        sparse_view(messages.receiver, some),
        sparse_view(messages.send_time, some),
        sparse_view(messages.receive_time, some),
        since,
        ticks,
    )


@numba.njit(nogil=True, cache=True)
def _in_flight(  # noqa: PLR0913
    begin: Ints,
    end: Ints,
    sender: Indices,
    receiver: Indices,
    sent: Ints,
    received: Ints,
    since: int,
    ticks: int,
) -> Ints:
    found = np.empty(64, np.int64)
    count = 0
    for block in range(len(begin)):
        if not (begin[block] <= ticks and since < end[block]):
            continue
        first = block * MESSAGES_PER_BLOCK
        if count + MESSAGES_PER_BLOCK > len(found):
            larger = np.empty(2 * len(found) + MESSAGES_PER_BLOCK, np.int64)
            larger[:count] = found[:count]
            found = larger
        for i in range(first, min(first + MESSAGES_PER_BLOCK, len(sender))):
            flies = 0 <= sent[i] <= ticks and max(since, sent[i]) < received[i]
            if flies and sender[i] != receiver[i]:
                found[count] = i
                count += 1
    return found[:count]


def messages_between(
    messages: Messages, index: MessageIndex, one: int, other: int
) -> Ints:
    """Find messages that two ranks sent each other.

    Returns
    -------
    int64
        Their indices, ascending.
    """
    return _between(index.ranks, messages.sender, messages.receiver, one, other)


@numba.njit(nogil=True, cache=True)
def _between(
    ranks: Indices, sender: Indices, receiver: Indices, one: int, other: int
) -> Ints:
    found = np.empty(64, np.int64)
    count = 0
    for block in range(len(ranks)):
        low, high, lowest, highest = ranks[block]
        there = low <= one <= high and lowest <= other <= highest
        back = low <= other <= high and lowest <= one <= highest
        if not there and not back:
            continue
        first = block * MESSAGES_PER_BLOCK
        if count + MESSAGES_PER_BLOCK > len(found):
            larger = np.empty(2 * len(found) + MESSAGES_PER_BLOCK, np.int64)
            larger[:count] = found[:count]
            found = larger
        for i in range(first, min(first + MESSAGES_PER_BLOCK, len(sender))):
            if (sender[i] == one and receiver[i] == other) or (
                sender[i] == other and receiver[i] == one
            ):
                found[count] = i
                count += 1
    return found[:count]


def recorded_sends(send_call: Ints) -> int:
    """Count the messages whose send was recorded: they come first."""
    low, high = 0, len(send_call)
    while low < high:
        middle = (low + high) // 2
        if send_call[middle] < 0:
            high = middle
        else:
            low = middle + 1
    return low
