"""Messages of a selected edge or call, as the timeline draws them."""

from dataclasses import dataclass

import numpy as np

from topoview.live.calls import messages_of_call
from topoview.live.moments.messages import messages_between
from topoview.model import Analysis, Indices, Ints, Messages, freeze

MAX_MESSAGES_IN_WINDOW = 400
"""Messages in the window above which none is drawn: they would be a haze."""


@dataclass(frozen=True, slots=True, eq=False)
class SelectedMessages:
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

    def within(self, window: tuple[int, int]) -> "SelectedMessages":
        """Keep those that are under way in a window; none if they are too many."""
        begin, end = window
        kept = np.flatnonzero((self.sent < end) & (self.received > begin))
        if len(kept) > MAX_MESSAGES_IN_WINDOW:
            kept = kept[:0]
        return SelectedMessages(
            self.sender[kept],
            self.receiver[kept],
            self.sent[kept],
            self.received[kept],
        )


def edge_messages(known: Analysis, edge: tuple[int, int]) -> SelectedMessages:
    """Find the messages between two ranks, in both directions."""
    return _with_both_times(known.trace.messages, messages_between(known, *edge))


def one_message(known: Analysis, message: int) -> SelectedMessages:
    """Take a single message; none for an index of no message."""
    messages = known.trace.messages
    there = 0 <= message < len(messages)
    found = np.array([message] if there else [], np.int64)
    return _with_both_times(messages, found)


def call_messages(known: Analysis, call: int) -> SelectedMessages:
    """Find the messages that a call sends, posts, receives or completes."""
    return _with_both_times(known.trace.messages, messages_of_call(known, call))


def _with_both_times(messages: Messages, found: Ints) -> SelectedMessages:
    recorded = (messages.send_time[found] >= 0) & (messages.receive_time[found] >= 0)
    found = found[recorded]
    return SelectedMessages(
        messages.sender[found],
        messages.receiver[found],
        messages.send_time[found],
        messages.receive_time[found],
    )
