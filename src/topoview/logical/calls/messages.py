"""Which call sent, received or completed each message, and what each call carries.

A receive belongs to the call that posted it, and a Wait to the request that it
completes. What a tracer does not record follows from the rules of MPI.
"""

from dataclasses import dataclass

import numpy as np

from topoview.base.kernels import kernel
from topoview.base.progress import batches
from topoview.grouping import counting_sort
from topoview.logical.arrays import run_offsets
from topoview.logical.calls.operations import (
    PLAIN_RECEIVES,
    POSTING,
    WAITING,
    is_one_of,
)
from topoview.logical.partners import PartnerNames
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

    Parameters
    ----------
    operation : integers, shape (calls,)
        Operation of the ranks' calls.

    Returns
    -------
    int64, shape (calls,)
        -1 where it is not known, and for other calls.
    """
    ranks = slice(0, trace.ranks)
    follows = completions_follow(trace, operation)
    return completions_of(trace, ranks, operation, follows=follows)


def completions_recorded(trace: Trace) -> bool:
    """Tell whether the trace says of any Wait of main threads what it completes."""
    calls = trace.calls
    waiting = is_one_of(trace.regions, WAITING)[trace.regions.operation]
    return any(
        (waiting[calls.region[some]] & (calls.completes[some] >= 0)).any()
        for some in batches(int(calls.offsets[trace.ranks]))
    )


def completions_follow(trace: Trace, operation: Ints | Indices) -> bool:
    """Tell whether it is to be found what Waits complete: no record says so."""
    starting = is_one_of(trace.regions, frozenset({"Startall"}))
    starts = any(starting[operation[some]].any() for some in batches(len(operation)))
    return not (starts or completions_recorded(trace))


def completions_of(
    trace: Trace, ranks: slice, operation: Ints | Indices, *, follows: bool
) -> Ints:
    """Find what Waits of some ranks complete.

    Parameters
    ----------
    operation : integers, shape (calls,)
        Operation of these ranks' calls.
    follows
        As `completions_follow`.

    Returns
    -------
    int64, shape (calls,)
        As `completions`; counted from these ranks' first call on.
    """
    offsets = trace.calls.offsets[ranks.start : ranks.stop + 1]
    first = int(offsets[0])
    wait = is_one_of(trace.regions, WAITING)[operation]
    if not follows:
        completes = trace.calls.completes[first : first + len(operation)]
        return np.where(wait & (completes >= 0), completes - first, -1)
    return _only_open_request(
        offsets - first,
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
    """Messages that the calls of some ranks send and receive.

    Call ``c`` of these sends the `sent` messages from ``first_sent[c]`` on, in program
    order, and receives `received` ones from ``first_received[c]`` on, ordered
    by direction. Columns of messages have a last entry of -1, so that index -1
    says none.

    Attributes
    ----------
    sent, received, first_sent, first_received : int64, shape (calls,)
    sent_to, sent_size, receiver : int64, shape (messages sent + 1,)
        Direction, bytes, and the partner's rank.
    received_from, received_size, sender : int64, shape (messages received + 1,)
    """

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


class MessagesByCall:
    """All messages in order of the calls that sent them, and that received them.

    Parameters
    ----------
    receive_call : int64, shape (messages,)
        Call that received each message, or posted its receive; -1 if unknown.
    moved
        How many messages, the last, are one-sided: nobody receives them.

    Attributes
    ----------
    unmatched : bool, shape (ranks,)
        Whether a rank was sent messages whose receives are not recorded.
    """

    def __init__(
        self, trace: Trace, named: PartnerNames, receive_call: Ints, moved: int
    ) -> None:
        self._messages, self._named = trace.messages, named
        self._receive_call = receive_call
        self._offsets = trace.calls.offsets[: trace.ranks + 1]
        self._sends, self._sent = self._sorted(trace.messages.send_call)
        self._receives, self._received = self._sorted(receive_call)
        self.unmatched = np.zeros(trace.ranks, bool)
        lost = receive_call < 0
        lost[len(lost) - moved :] = False
        self.unmatched[trace.messages.receiver[lost]] = True

    def _sorted(self, call: Ints) -> tuple[Ints, Ints]:
        """Messages in order of their calls, if these are ranks', and each rank's."""
        calls = int(self._offsets[-1])
        some = np.flatnonzero((call >= 0) & (call < calls))
        own = call[some]
        if (own[1:] < own[:-1]).any():
            order = counting_sort(own, calls)[0]
            some, own = some[order], own[order]
        return some, np.searchsorted(own, self._offsets)

    def ends(self, ranks: slice) -> MessageEnds:
        """Tell what the calls of some ranks send and receive."""
        messages, to, source = self._messages, self._named.to, self._named.source
        first, last = self._offsets[[ranks.start, ranks.stop]].tolist()
        calls = last - first

        def own(some: Ints, of: Ints, call: Ints) -> tuple[Ints, Ints, Ints]:
            chosen = some[of[ranks.start] : of[ranks.stop]]
            counts = np.bincount(call[chosen] - first, minlength=calls)
            return chosen, counts, run_offsets(counts)[:-1]

        def taken(column: Ints | Indices, some: Ints) -> Ints:
            """Take some rows, in order, and an entry of none behind them."""
            found = np.full(len(some) + 1, -1, np.int64)
            found[:-1] = column[some]
            return found

        sends, sent, first_sent = own(self._sends, self._sent, messages.send_call)
        receives, received, first_received = own(
            self._receives, self._received, self._receive_call
        )
        if received.max(initial=0) > 1:
            by = source[receives], self._receive_call[receives]
            receives = receives[np.lexsort(by)]
        return MessageEnds(
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
        )
