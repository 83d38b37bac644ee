"""An index of the messages of a long trace: what is known of each block of 512.

For every block it is known between which ranks and when its messages are on their
way. As messages are stored in order of their senders and calls, few blocks have to
be looked into.
"""

from typing import Final

import numpy as np

from topoview.base.kernels import kernel
from topoview.model import MESSAGES_PER_BLOCK, Indices, Ints, MessageIndex, Messages

MAX_TAGS: Final = 256
"""Different tags that are told apart."""

_NEVER: Final = np.iinfo(np.int64).max


def message_index(messages: Messages) -> MessageIndex:
    """Look through all messages."""
    ends = messages.sender, messages.receiver
    found = _summarise(*ends, messages.send_time, messages.receive_time)
    sizes, tags = _sizes_and_tags(messages.size, messages.tag)
    begin, end, ranks, arrival = found
    return MessageIndex(begin, end, ranks, arrival, sizes, np.sort(tags))


@kernel
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


@kernel
def _sizes_and_tags(size: Ints, tag: Indices) -> tuple[Ints, Indices]:
    sizes = np.zeros(2, np.int64)
    tags = np.empty(MAX_TAGS, np.int32)
    count = 0
    for i in range(len(size)):
        sizes[0] = size[i] if i == 0 else min(sizes[0], size[i])
        sizes[1] = max(sizes[1], size[i])
        known = count == MAX_TAGS or (count > 0 and tags[count - 1] == tag[i])
        for k in range(count):
            if known:
                break
            known = tags[k] == tag[i]
        if not known:
            tags[count] = tag[i]
            count += 1
    return sizes, tags[:count]
