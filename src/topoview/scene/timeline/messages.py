"""Messages of a selected edge or call, as the timeline draws them."""

from dataclasses import dataclass

import numpy as np

from topoview.analysis.call_messages import messages_of_call
from topoview.analysis.message_blocks import message_blocks
from topoview.model import Indices, Ints, Trace, freeze

MOST = 400
"""Messages in the window above which none is drawn: they would be a haze."""


@dataclass(frozen=True, slots=True, eq=False)
class EdgeMessages:
    """Messages whose send and receive were both recorded.

    Attributes
    ----------
    sender, receiver : int32, shape (messages,)
        World ranks.
    sent, received : int64, shape (messages,)
        Times in ticks.
    """

    sender: Indices
    receiver: Indices
    sent: Ints
    received: Ints

    def __post_init__(self) -> None:
        """Make the arrays read-only."""
        freeze(self)

    def within(self, window: tuple[int, int]) -> "EdgeMessages":
        """Keep those that are under way in a window; none if they are too many."""
        begin, end = window
        kept = np.flatnonzero((self.sent < end) & (self.received > begin))
        if len(kept) > MOST:
            kept = kept[:0]
        return EdgeMessages(
            self.sender[kept],
            self.receiver[kept],
            self.sent[kept],
            self.received[kept],
        )


def edge_messages(trace: Trace, edge: tuple[int, int]) -> EdgeMessages:
    """Find the messages between two ranks, in both directions."""
    return _recorded(trace, message_blocks(trace.messages).between(*edge))


def call_messages(trace: Trace, call: int) -> EdgeMessages:
    """Find the messages that a call sends, posts, receives or completes."""
    return _recorded(trace, messages_of_call(trace, call))


def _recorded(trace: Trace, found: Ints) -> EdgeMessages:
    messages = trace.messages
    recorded = (messages.send_time[found] >= 0) & (messages.receive_time[found] >= 0)
    found = found[recorded]
    return EdgeMessages(
        messages.sender[found],
        messages.receiver[found],
        messages.send_time[found],
        messages.receive_time[found],
    )
