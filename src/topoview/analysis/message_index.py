"""An index of the messages of a long trace: what is known of each block of 512.

For every block it is known between which ranks and when its messages are on their
way. As messages are stored in order of their senders and calls, few blocks have to
be looked into.
"""

from typing import Final
from weakref import WeakKeyDictionary

import numba
import numpy as np

from topoview.model import MESSAGES_PER_BLOCK, Indices, Ints, MessageIndex, Messages
from topoview.store.keys import code_version
from topoview.store.results import result_cache_of

RESULT_NAME: Final = "messages"
MIN_MESSAGES_KEPT: Final = 1 << 20
"""Messages from which on it is kept what was found: fewer are soon looked through."""
_NEVER: Final = np.iinfo(np.int64).max


_INDEX_OF_MESSAGES: WeakKeyDictionary[Messages, MessageIndex] = WeakKeyDictionary()


def message_index(messages: Messages) -> MessageIndex:
    """Look through all messages once; what was found is remembered with them.

    Of a trace in the store it is kept there too.
    """
    known = _INDEX_OF_MESSAGES.get(messages)
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
    _INDEX_OF_MESSAGES[messages] = made = MessageIndex(*found)
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
