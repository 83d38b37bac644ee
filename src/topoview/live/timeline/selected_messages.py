"""Messages of a selected edge or call, or of a window, as the timeline draws them."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from topoview.base.text import grouped, plural, tr
from topoview.live.call_facts import messages_of_call
from topoview.live.moments.messages import messages_between, messages_in_flight
from topoview.model import Analysis, Frozen, Indices, Ints, Messages

MAX_MESSAGES_IN_WINDOW = 400
"""Messages in the window above which none is drawn: they would be a haze."""


@dataclass(frozen=True, slots=True, eq=False)
class SelectedMessages(Frozen):
    """Messages whose send and receive were both recorded."""

    sender: Indices
    receiver: Indices
    """`sender` and `receiver`: int32, shape (messages,): world ranks."""
    sent: Ints
    received: Ints
    """`sent` and `received`: int64, shape (messages,): times in ticks."""

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


MAX_MESSAGES_DRAWN: Final = 1024
"""Messages of a window that are drawn: of more those that are longest under way."""


@dataclass(frozen=True, slots=True, eq=False)
class WindowMessages(Frozen):
    """The messages of a window that are drawn."""

    message: Ints
    """int64, shape (n,): index of each."""
    drawn: SelectedMessages
    """Their ends, in the same order."""
    total: int
    """How many are under way in the window."""

    @property
    def words(self) -> str:
        """How many of how many are drawn: ``1,024 of 38,112 messages drawn: ...``."""
        if self.total == len(self.message):
            return tr("{messages} drawn", messages=plural(self.total, "message"))
        shown = grouped(len(self.message))
        total = grouped(self.total)
        return tr(
            "{shown} of {total} messages drawn: the longest under way",
            shown=shown,
            total=total,
        )


def window_messages(
    analysis: Analysis, window: tuple[int, int], ranks: Indices
) -> WindowMessages | None:
    """Find the messages between some ranks that are under way in a window.

    None where clocks are not aligned: how long a message takes is not known then.
    """
    messages, index = analysis.trace.messages, analysis.message_index
    if index is None or not analysis.trace.clock.aligned:
        return None
    inside = np.zeros(analysis.trace.ranks, np.bool_)
    inside[ranks] = True
    indices = messages_in_flight(messages, index, window[0], window[1] - 1)
    indices = indices[
        inside[messages.sender[indices]] & inside[messages.receiver[indices]]
    ]
    total = len(indices)
    if total > MAX_MESSAGES_DRAWN:
        long = messages.receive_time[indices] - messages.send_time[indices]
        longest = np.argsort(-long, kind="stable")[:MAX_MESSAGES_DRAWN]
        indices = indices[np.sort(longest)]
    return WindowMessages(indices, _with_both_times(messages, indices), total)


def edge_messages(analysis: Analysis, edge: tuple[int, int]) -> SelectedMessages:
    """Find the messages between two ranks, in both directions."""
    return _with_both_times(analysis.trace.messages, messages_between(analysis, *edge))


def one_message(analysis: Analysis, message: int) -> SelectedMessages:
    """Return a single message as selection; none for an index of no message."""
    messages = analysis.trace.messages
    there = 0 <= message < len(messages)
    indices = np.array([message] if there else [], np.int64)
    return _with_both_times(messages, indices)


def call_messages(analysis: Analysis, call: int) -> SelectedMessages:
    """Find the messages that a call sends, posts, receives or completes."""
    return _with_both_times(analysis.trace.messages, messages_of_call(analysis, call))


def _with_both_times(messages: Messages, indices: Ints) -> SelectedMessages:
    recorded = (messages.send_time[indices] >= 0) & (
        messages.receive_time[indices] >= 0
    )
    indices = indices[recorded]
    return SelectedMessages(
        messages.sender[indices],
        messages.receiver[indices],
        messages.send_time[indices],
        messages.receive_time[indices],
    )
