"""An index of the messages of a long trace: what is known of each block of 512.

For every block it is known between which ranks and when its messages are on their
way. As messages are stored in order of their senders and calls, few blocks have to
be looked into.
"""

import numpy as np

from topoview.analysis import kernels
from topoview.model import MessageIndex, Messages


def message_index(messages: Messages) -> MessageIndex:
    """Look through all messages."""
    ends = messages.sender, messages.receiver
    summary = kernels.summarise(*ends, messages.send_time, messages.receive_time)
    sizes, tags = kernels.sizes_and_tags(messages.size, messages.tag)
    begin, end, ranks, arrival = summary
    return MessageIndex(
        begin=begin,
        end=end,
        ranks=ranks,
        arrival=arrival,
        sizes=sizes,
        tags=np.sort(tags),
    )
