"""All about a message, and about the messages from one rank to another."""

from dataclasses import dataclass

import numpy as np

from topoview.live.moments.messages import messages_between
from topoview.model import Analysis, Frozen, Ints


@dataclass(frozen=True, slots=True)
class MessageDetails:
    """A message."""

    message: int
    sender: int
    receiver: int
    size: int
    tag: int
    communicator: int
    """`message`, `sender`, `receiver`, `size`, `tag` and `communicator`: as in the
    trace."""
    send_call: int
    receive_call: int
    completion_call: int
    """`send_call`, `receive_call` and `completion_call`: calls that send it, post its
    receive and complete that; -1 where not recorded."""
    sent: int
    received: int
    """`sent` and `received`: ticks; -1 where not recorded."""
    late: int
    """How long the call that completes it waited until it was sent: late sender."""
    early: int
    """How long it was on its way before its receive was posted: unexpected message."""
    number: int
    count: int
    """`number` and `count`: which message from this sender to this receiver it is, from
    1, and how many there are."""


def message_details(analysis: Analysis, message: int) -> MessageDetails:
    """Find all about a message of the trace."""
    trace, them = analysis.trace, analysis.trace.messages
    sender, receiver = int(them.sender[message]), int(them.receiver[message])
    send, post = int(them.send_call[message]), int(them.receive_call[message])
    completion = int(them.completion_call[message])
    late = early = 0
    if trace.clock.aligned and send >= 0:
        enter, leave = trace.calls.enter, trace.calls.leave
        if completion >= 0:
            spent = int(leave[completion] - enter[completion])
            late = min(max(int(enter[send] - enter[completion]), 0), max(spent, 0))
        if post >= 0:
            early = max(int(enter[post]) - int(them.send_time[message]), 0)
    alike = messages_alike(analysis, message)
    return MessageDetails(
        message=message,
        sender=sender,
        receiver=receiver,
        size=int(them.size[message]),
        tag=int(them.tag[message]),
        communicator=int(them.communicator[message]),
        send_call=send,
        receive_call=post,
        completion_call=completion,
        sent=int(them.send_time[message]),
        received=int(them.receive_time[message]),
        late=late,
        early=early,
        number=int(np.searchsorted(alike, message)) + 1,
        count=len(alike),
    )


def messages_alike(analysis: Analysis, message: int) -> Ints:
    """Find the messages from the same sender to the same receiver, ascending."""
    them = analysis.trace.messages
    sender, receiver = int(them.sender[message]), int(them.receiver[message])
    both = messages_between(analysis, sender, receiver)
    return np.asarray(both[them.sender[both] == sender])


@dataclass(frozen=True, slots=True, eq=False)
class PairDetails(Frozen):
    """Messages from one rank to another."""

    sender: int
    receiver: int
    """`sender` and `receiver`: ranks."""
    messages: Ints
    """int64, shape (n,): their indices, ascending."""
    size: int
    """Bytes of all."""
    longest: int
    """Index of the one that was under way longest, -1 if there is none."""
    late: int
    """Ticks that receives waited because a message was sent late, in all."""
    late_count: int
    """How many of them did."""


def pair_details(analysis: Analysis, sender: int, receiver: int) -> PairDetails:
    """Find all about the messages from one rank to another."""
    trace, them = analysis.trace, analysis.trace.messages
    both = messages_between(analysis, sender, receiver)
    own = both[them.sender[both] == sender] if sender != receiver else both
    late = np.zeros(len(own), np.int64)
    longest = -1
    if len(own) and trace.clock.aligned:
        send, end = them.send_call[own], them.completion_call[own]
        there = (send >= 0) & (end >= 0)
        enter, leave = trace.calls.enter, trace.calls.leave
        begun, over = enter[end[there]], leave[end[there]]
        late[there] = np.clip(
            enter[send[there]] - begun, 0, np.maximum(over - begun, 0)
        )
        took = np.where(
            (them.send_time[own] >= 0) & (them.receive_time[own] >= 0),
            them.receive_time[own] - them.send_time[own],
            -1,
        )
        longest = int(own[took.argmax()]) if took.max() >= 0 else -1
    return PairDetails(
        sender=sender,
        receiver=receiver,
        messages=own,
        size=int(them.size[own].sum()),
        longest=longest,
        late=int(late.sum()),
        late_count=int(np.count_nonzero(late)),
    )
