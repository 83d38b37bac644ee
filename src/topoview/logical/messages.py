"""Messages at both their ends: of which call, in which direction, how large."""

from dataclasses import dataclass

import numpy as np

from topoview.logical.arrays import spans
from topoview.logical.naming import Naming
from topoview.model import Bools, Ints, Trace


@dataclass(frozen=True, slots=True, eq=False)
class Ends:
    """Messages that each call sends and receives.

    Call ``c`` sends the `sent` messages from ``first_sent[c]`` on, in program
    order, and receives `received` ones from ``first_received[c]`` on, ordered
    by direction. Columns of messages have a last entry of -1, so that index -1
    says none.

    Attributes
    ----------
    names
        Names of the directions.
    sent, received, first_sent, first_received : int64, shape (calls,)
    sent_to, sent_size, receiver : int64, shape (messages sent + 1,)
        Index into `names`, bytes, and the partner's rank.
    received_from, received_size, sender : int64, shape (messages received + 1,)
    unmatched : bool, shape (ranks,)
        Whether the rank was sent messages whose receives are not recorded.
    """

    names: list[str]
    sent: Ints
    received: Ints
    first_sent: Ints
    first_received: Ints
    sent_to: Ints
    sent_size: Ints
    receiver: Ints
    received_from: Ints
    received_size: Ints
    sender: Ints
    unmatched: Bools


def message_ends(
    trace: Trace, named: Naming, receive_call: Ints, calls: int, moved: int = 0
) -> Ends:
    """Sort the ends of all messages by the calls, the first `calls` of the trace.

    Parameters
    ----------
    receive_call : int64, shape (messages,)
        Call that received each message, or posted its receive; -1 if unknown.
    moved
        How many messages, the last, are one-sided: nobody receives them.
    """
    messages = trace.messages
    to, source = named.to, named.source
    sends = np.flatnonzero((messages.send_call >= 0) & (messages.send_call < calls))
    sends = sends[np.argsort(messages.send_call[sends], kind="stable")]
    receives = np.flatnonzero((receive_call >= 0) & (receive_call < calls))
    key = receive_call[receives] * (len(named.names) + 1) + source[receives] + 1
    receives = receives[np.argsort(key, kind="stable")]
    sent = np.bincount(messages.send_call[sends], minlength=calls)
    received = np.bincount(receive_call[receives], minlength=calls)
    unmatched = np.zeros(trace.ranks, bool)
    lost = receive_call < 0
    lost[len(lost) - moved :] = False
    unmatched[messages.receiver[lost]] = True
    return Ends(
        named.names,
        sent,
        received,
        spans(sent)[:-1],
        spans(received)[:-1],
        np.append(to[sends], -1),
        np.append(messages.size[sends], -1),
        np.append(messages.receiver[sends], -1).astype(np.int64),
        np.append(source[receives], -1),
        np.append(messages.size[receives], -1),
        np.append(messages.sender[receives], -1).astype(np.int64),
        unmatched,
    )
