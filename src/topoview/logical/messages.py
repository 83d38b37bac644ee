"""Messages at both their ends: of which call, in which direction, how large."""

from dataclasses import dataclass

import numba
import numpy as np

from topoview.logical.arrays import spans
from topoview.logical.name_table import Naming
from topoview.logical.stages import READING
from topoview.model import Bools, Indices, Ints, Trace
from topoview.progress import Report, portions, silent


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


def message_ends(  # noqa: PLR0913
    trace: Trace,
    named: Naming,
    receive_call: Ints,
    calls: int,
    moved: int = 0,
    report: Report = silent,
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
    report(READING, 0.3)
    sends, sent = _ordered(sends, messages.send_call, calls, report)
    receives = np.flatnonzero((receive_call >= 0) & (receive_call < calls))
    report(READING, 0.33)
    receives, received = _ordered(receives, receive_call, calls, report)
    if received.max(initial=0) > 1:
        receives = _ordered(receives, source + 1, len(named.names) + 1, report)[0]
        receives = _ordered(receives, receive_call, calls, report)[0]
    unmatched = np.zeros(trace.ranks, bool)
    lost = receive_call < 0
    lost[len(lost) - moved :] = False
    unmatched[messages.receiver[lost]] = True
    report(READING, 0.38)
    first_sent, first_received = spans(sent)[:-1], spans(received)[:-1]
    report(READING, 0.38)

    def taken(column: Ints | Indices, some: Ints) -> Ints:
        """Take some rows, in order, and an entry of none behind them."""
        found = np.full(len(some) + 1, -1, np.int64)
        for own in portions(len(some), report, READING, (0.38, 0.4), 4):
            found[own] = column[some[own]]
        return found

    return Ends(
        named.names,
        sent,
        received,
        first_sent,
        first_received,
        taken(to, sends),
        taken(messages.size, sends),
        taken(messages.receiver, sends),
        taken(source, receives),
        taken(messages.size, receives),
        taken(messages.sender, receives),
        unmatched,
    )


def _ordered(some: Ints, key_of: Ints, keys: int, report: Report) -> tuple[Ints, Ints]:
    """Sort messages by their keys, keeping their order, by counting them.

    Returns
    -------
    int64, shape (some,), and int64, shape (keys,)
        The messages in order, and how many each key has.
    """
    counts = np.zeros(keys, np.int64)
    for own in portions(len(some), report, READING, (0.31, 0.34)):
        _count(key_of[some[own]], counts)
    free = spans(counts)
    found = np.empty(len(some), np.int64)
    for own in portions(len(some), report, READING, (0.34, 0.37)):
        _place(some[own], key_of[some[own]], free, found)
    return found, counts


@numba.njit(nogil=True, cache=True)
def _count(key: Ints, counts: Ints) -> None:
    for k in key:
        counts[k] += 1


@numba.njit(nogil=True, cache=True)
def _place(some: Ints, key: Ints, free: Ints, found: Ints) -> None:
    for k in range(len(some)):
        found[free[key[k]]] = some[k]
        free[key[k]] += 1
