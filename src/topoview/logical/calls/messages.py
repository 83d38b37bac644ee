"""Which call sent, received or completed each message, and what each call carries.

A receive belongs to the call that posted it, and a Wait to the request that it
completes. What a tracer does not record follows from the rules of MPI.
"""

from dataclasses import dataclass

import numpy as np

from topoview.base.kernels import kernel
from topoview.base.progress import Report, silent
from topoview.grouping import counting_sort
from topoview.logical.arrays import run_offsets
from topoview.logical.calls.operations import (
    PLAIN_RECEIVES,
    POSTING,
    WAITING,
    is_one_of,
)
from topoview.logical.partners import PartnerNames
from topoview.logical.stages import READING
from topoview.model import Bools, Indices, Ints, Trace

# What a trace does not record but what follows from the rules of MPI.
#
# EZTrace records neither the receives nor the completion of requests that C programs
# wait for.


def receive_calls(trace: Trace, operation: Ints | Indices) -> Ints:
    """Find the call that received, or posted the receive of, each message.

    Messages without a recorded receive are given to the rank's receives
    without a message, in order (MPI 4.1, section 3.5, messages do not
    overtake), if they have one sender and are equally many.

    Parameters
    ----------
    operation : int64, shape (calls,)
        Operation of the ranks' calls.

    Returns
    -------
    int64, shape (messages,)
        -1 where it is not known.
    """
    messages, ranks = trace.messages, trace.ranks
    found = messages.receive_call
    lost = np.flatnonzero((found < 0) & (messages.send_call >= 0))
    if not len(lost):
        return found
    free = is_one_of(trace.regions, PLAIN_RECEIVES)[operation]
    free[found[(found >= 0) & (found < len(free))]] = False
    calls = np.flatnonzero(free)
    rank = np.searchsorted(trace.calls.offsets[1:], calls, side="right")
    receiver, sender = messages.receiver[lost], messages.sender[lost]
    low = np.full(ranks, ranks, np.int64)
    high = np.full(ranks, -1, np.int64)
    np.minimum.at(low, receiver, sender)
    np.maximum.at(high, receiver, sender)
    counts = np.bincount(receiver, minlength=ranks)
    clear = (low == high) & (counts == np.bincount(rank, minlength=ranks))
    chosen = lost[clear[receiver]]
    order = np.lexsort((messages.send_call[chosen], messages.receiver[chosen]))
    deduced = found.copy()
    deduced[chosen[order]] = calls[clear[rank]]
    return deduced


def completions(trace: Trace, operation: Ints | Indices) -> Ints:
    """Find the call whose request each Wait completes.

    Where no Wait of the trace says so, a Wait of a rank that has just one
    request open completes that (unless Startall opens more than can be told).

    Returns
    -------
    int64, shape (calls,)
        -1 where it is not known, and for other calls.
    """
    waiting = is_one_of(trace.regions, WAITING)
    starting = is_one_of(trace.regions, frozenset({"Startall"}))
    wait = waiting[operation]
    completes = trace.calls.completes[: len(operation)]
    is_recorded = bool((wait & (completes >= 0)).any())
    starts = starting.any() and starting[operation].any()
    if is_recorded or starts or not wait.any():
        return np.where(wait, completes, -1)
    return _only_open_request(
        trace.calls.offsets[: trace.ranks + 1],
        is_one_of(trace.regions, POSTING)[operation],
        wait,
        is_one_of(trace.regions, frozenset({"Waitall"}))[operation],
    )


@kernel
def _only_open_request(
    offsets: Ints, posts: Bools, wait: Bools, waitall: Bools
) -> Ints:
    completes = np.full(len(posts), -1, np.int64)
    for rank in range(len(offsets) - 1):
        open_requests, last = 0, -1
        for call in range(offsets[rank], offsets[rank + 1]):
            if posts[call]:
                open_requests += 1
                last = call
            elif waitall[call]:
                open_requests, last = 0, -1
            elif wait[call]:
                if open_requests == 1:
                    completes[call] = last
                open_requests = max(open_requests - 1, 0)
                last = -1
    return completes


@dataclass(frozen=True, slots=True, eq=False)
class MessageEnds:
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
    named: PartnerNames,
    receive_call: Ints,
    calls: int,
    moved: int = 0,
    report: Report = silent,
) -> MessageEnds:
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
    sends, sent = _sort_messages(sends, messages.send_call, calls)
    receives = np.flatnonzero((receive_call >= 0) & (receive_call < calls))
    report(READING, 0.33)
    receives, received = _sort_messages(receives, receive_call, calls)
    if received.max(initial=0) > 1:
        receives = _sort_messages(receives, source + 1, len(named.names) + 1)[0]
        receives = _sort_messages(receives, receive_call, calls)[0]
    unmatched = np.zeros(trace.ranks, bool)
    lost = receive_call < 0
    lost[len(lost) - moved :] = False
    unmatched[messages.receiver[lost]] = True
    report(READING, 0.38)
    first_sent, first_received = run_offsets(sent)[:-1], run_offsets(received)[:-1]

    def taken(column: Ints | Indices, some: Ints) -> Ints:
        """Take some rows, in order, and an entry of none behind them."""
        found = np.full(len(some) + 1, -1, np.int64)
        found[:-1] = column[some]
        return found

    return MessageEnds(
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


def _sort_messages(some: Ints, key_of: Ints, keys: int) -> tuple[Ints, Ints]:
    """Sort messages by their keys, keeping their order.

    Returns
    -------
    int64, shape (some,), and int64, shape (keys,)
        The messages in order, and how many each key has.
    """
    order, begins = counting_sort(key_of[some], keys)
    return some[order], np.diff(begins)
