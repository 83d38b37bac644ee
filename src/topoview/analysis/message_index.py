"""An index of the messages of a long trace: what is known of each block of 512.

For every block it is known between which ranks and when its messages are on their
way. As messages are stored in order of their senders and calls, few blocks have to
be looked into.
"""

from dataclasses import dataclass
from typing import Final
from weakref import WeakKeyDictionary

import numba
import numpy as np

from topoview.model import Indices, Ints, Messages, freeze
from topoview.store.arrays import sparse_view
from topoview.store.keys import code_version
from topoview.store.results import result_cache_of

MESSAGES_PER_BLOCK: Final = 512
RESULT_NAME: Final = "messages"
MIN_MESSAGES_KEPT: Final = 1 << 20
"""Messages from which on it is kept what was found: fewer are soon looked through."""
_NEVER: Final = np.iinfo(np.int64).max


@dataclass(frozen=True, slots=True, eq=False)
class MessageBlocks:
    """What is known about blocks of 512 messages.

    Attributes
    ----------
    messages
        The messages.
    begin, end : int64, shape (blocks,)
        When the first message that flies between two ranks was sent, and the last
        one received, in ticks; `begin` is after `end` where there is none.
    ranks : int32, shape (blocks, 4)
        Lowest and highest sender, lowest and highest receiver.
    arrival : int64, shape (blocks, 2)
        When the first and the last of all of them were received, in ticks; where a
        receive was not recorded the last is after all times.
    """

    messages: Messages
    begin: Ints
    end: Ints
    ranks: Indices
    arrival: Ints

    def __post_init__(self) -> None:
        """Make the arrays read-only."""
        freeze(self)

    def in_flight(self, since: int, ticks: int) -> Ints:
        """Messages between ranks on their way at any time from one to another.

        At one time, if both are the same: sent, and not yet received.

        Returns
        -------
        int64
            Their indices, ascending.
        """
        messages = self.messages
        some = int(np.count_nonzero((self.begin <= ticks) & (since < self.end)))
        return _in_flight(
            self.begin,
            self.end,
            sparse_view(messages.sender, some),
            sparse_view(messages.receiver, some),
            sparse_view(messages.send_time, some),
            sparse_view(messages.receive_time, some),
            since,
            ticks,
        )

    def between(self, one: int, other: int) -> Ints:
        """Messages that two ranks sent each other.

        Returns
        -------
        int64
            Their indices, ascending.
        """
        messages = self.messages
        return _between(self.ranks, messages.sender, messages.receiver, one, other)


_BLOCKS_OF_MESSAGES: WeakKeyDictionary[Messages, MessageBlocks] = WeakKeyDictionary()


def message_blocks(messages: Messages) -> MessageBlocks:
    """Look through all messages once; what was found is remembered with them.

    Of a trace in the store it is kept there too.
    """
    known = _BLOCKS_OF_MESSAGES.get(messages)
    if known is not None:
        return known
    shelf = result_cache_of(messages) if len(messages) >= MIN_MESSAGES_KEPT else None
    found = shelf.find(RESULT_NAME, code_version()) if shelf else None
    if not isinstance(found, tuple):
        found = _summarise(
            messages.sender,
            messages.receiver,
            messages.send_time,
            messages.receive_time,
        )
        if shelf is not None:
            shelf.keep(RESULT_NAME, code_version(), found)
    _BLOCKS_OF_MESSAGES[messages] = made = MessageBlocks(messages, *found)
    return made


@numba.njit(nogil=True, cache=True)
def _summarise(
    sender: Indices, receiver: Indices, sent: Ints, received: Ints
) -> tuple[Ints, Ints, Indices, Ints]:
    blocks = (len(sender) + MESSAGES_PER_BLOCK - 1) // MESSAGES_PER_BLOCK
    begin, end = np.full(blocks, _NEVER, np.int64), np.full(blocks, -1, np.int64)
    ranks = np.empty((blocks, 4), np.int32)
    arrival = np.empty((blocks, 2), np.int64)
    for block in range(blocks):
        first = block * MESSAGES_PER_BLOCK
        low = high = sender[first]
        lowest = highest = receiver[first]
        soonest, latest = np.int64(_NEVER), np.int64(-1)
        for i in range(first, min(first + MESSAGES_PER_BLOCK, len(sender))):
            low, high = min(low, sender[i]), max(high, sender[i])
            lowest, highest = min(lowest, receiver[i]), max(highest, receiver[i])
            soonest = min(soonest, received[i])
            latest = max(latest, received[i])
            if received[i] < 0:
                latest = np.int64(_NEVER)
            if 0 <= sent[i] < received[i] and sender[i] != receiver[i]:
                begin[block] = min(begin[block], sent[i])
                end[block] = max(end[block], received[i])
        ranks[block, 0], ranks[block, 1] = low, high
        ranks[block, 2], ranks[block, 3] = lowest, highest
        arrival[block, 0], arrival[block, 1] = soonest, latest
    return begin, end, ranks, arrival


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
