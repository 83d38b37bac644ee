"""What single MPI calls did: messages, partners, communicator and call path.

Messages lie in order of the call that sent them and are found by a binary search;
those that a call receives are found in the blocks that hold messages to its rank.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np

from topoview.analysis.call_sites import line_records, take_sites
from topoview.base.text import ARROW, tr
from topoview.grouping import index_in_run
from topoview.live.moments.messages import messages_within
from topoview.live.picking.selection import joined_pairs
from topoview.model import Analysis, Bools, Frozen, Indices, Ints, MessageIndex, Trace

UNKNOWN_FUNCTION = tr("unknown function")


def path_text(trace: Trace, call: int) -> str:
    """Name the functions that a call was made in: ``applu > ssor > exchange_3``.

    Parameters
    ----------
    call
        Index into the trace's calls.

    Returns
    -------
    str
        Empty if the trace records none.
    """
    names = (*trace.regions.names, UNKNOWN_FUNCTION)
    regions = trace.paths.regions_of(int(trace.calls.path[call]))
    return ARROW.join(names[region] for region in regions)


def call_beginning(trace: Trace, row: int, begin: int, region: int) -> int:
    """Find the call of a location that begins at a time; -1 if there is none.

    Parameters
    ----------
    row, begin, region
        Location, time in ticks, and the call's region. O(log calls).
    """
    calls = trace.calls
    first, stop = calls.offsets[row : row + 2].tolist()
    call = first + int(np.searchsorted(calls.enter[first:stop], begin))
    while call < stop and calls.enter[call] == begin and calls.region[call] != region:
        call += 1
    return call if call < stop and calls.enter[call] == begin else -1


def communicator_of(trace: Trace, row: int, begin: int, region: int) -> str:
    """Name the communicator of the call that a location makes.

    Of calls that take part in a collective operation or send a message; receives are
    not in order of their calls. O(log calls).

    Parameters
    ----------
    row, begin, region
        Location, when the call begins in ticks, and its region.

    Returns
    -------
    str
        Empty if the trace does not tell, or that takes longer.
    """
    call = call_beginning(trace, row, begin, region)
    if call < 0:
        return ""
    parts, messages = trace.collectives, trace.messages
    at = int(np.searchsorted(parts.call, call))
    if at < len(parts) and parts.call[at] == call:
        return trace.communicators[int(parts.communicator[at])].name
    count = messages.sends
    at = int(np.searchsorted(messages.send_call[:count], call))
    if at < count and messages.send_call[at] == call:
        return trace.communicators[int(messages.communicator[at])].name
    return ""


MAX_PARTNERS_NAMED = 4
"""Partners that are named; of more their number is told."""


@dataclass(frozen=True, slots=True, eq=False)
class CallMessages(Frozen):
    """The messages of some calls of a rank that follow each other."""

    sent: Ints
    received: Ints
    """`sent` and `received`: int64, shape (n, 2): call, and message that it sends;
    call, and message that it receives, or posts the receive of. Ascending."""


@dataclass(frozen=True, slots=True)
class CallFacts:
    """What a call did, as far as the trace tells."""

    to: tuple[int, ...] = ()
    source: tuple[int, ...] = ()
    """`to` and `source`: ranks that it sends to, and receives from."""
    size: int | None = None
    """Bytes of its messages, or of its part in a collective operation; None if the
    trace tells none."""
    tags: tuple[int, ...] = ()
    """Tags of its messages."""
    communicator: int = -1
    """Index into the trace's communicators, -1 if unknown."""
    root: int = -1
    """Root of a collective operation, -1 if there is none."""


def messages_of(analysis: Analysis, rank: int, first: int, last: int) -> CallMessages:
    """Find the messages of a rank's calls from one to before another."""
    messages, index = analysis.trace.messages, analysis.message_index
    if index is None:
        return CallMessages(*np.zeros((2, 0, 2), np.int64))
    count = messages.sends
    low, high = np.searchsorted(messages.send_call[:count], [first, last])
    at = np.arange(low, high)
    call, message = _received(analysis, index, rank, (first, last))
    order = np.lexsort((message, call))
    return CallMessages(
        np.stack([messages.send_call[low:high], at], axis=1),
        np.stack([call[order], message[order]], axis=1),
    )


def _received(
    analysis: Analysis, index: MessageIndex, rank: int, calls: tuple[int, int]
) -> tuple[Ints, Ints]:
    """Find calls of a rank from one to before another, and what they receive."""
    messages = analysis.trace.messages
    _, _, lowest, highest = index.ranks.T
    own = messages_within(
        (lowest <= rank) & (rank <= highest),
        lambda receiver: receiver == rank,
        messages.receiver,
    )
    posted, completed = messages.receive_call[own], messages.completion_call[own]
    is_posted = (calls[0] <= posted) & (posted < calls[1])
    done = (calls[0] <= completed) & (completed < calls[1]) & (completed != posted)
    return (
        np.concatenate([posted[is_posted], completed[done]]),
        np.concatenate([own[is_posted], own[done]]),
    )


def facts_of(trace: Trace, call_messages: CallMessages, call: int) -> CallFacts:
    """Find what a call did, from the messages of calls that it is among."""
    messages, parts = trace.messages, trace.collectives
    sent, received = (
        _messages_of(pairs, call)
        for pairs in (call_messages.sent, call_messages.received)
    )
    every = np.concatenate([sent, received])
    if len(every):
        return CallFacts(
            _distinct_numbers(messages.receiver[sent]),
            _distinct_numbers(messages.sender[received]),
            int(messages.size[every].sum()),
            _distinct_numbers(messages.tag[every]),
            int(messages.communicator[every[0]]),
        )
    at = int(np.searchsorted(parts.call, call))
    if at < len(parts) and parts.call[at] == call:
        size = max(int(parts.sent[at]), int(parts.received[at]))
        communicator, root = int(parts.communicator[at]), int(parts.root[at])
        return CallFacts(size=size, communicator=communicator, root=root)
    return CallFacts()


def _messages_of(pairs: Ints, call: int) -> Ints:
    low, high = np.searchsorted(pairs[:, 0], [call, call + 1])
    return pairs[low:high, 1]


def _distinct_numbers(numbers: Indices) -> tuple[int, ...]:
    return tuple(dict.fromkeys(numbers.tolist()))


def ranks_text(ranks: tuple[int, ...]) -> str:
    """Name a few ranks; of many their number."""
    if len(ranks) > MAX_PARTNERS_NAMED:
        return tr("{ranks} ranks", ranks=len(ranks))
    return ", ".join(map(str, ranks))


def tags_text(tags: tuple[int, ...]) -> str:
    """Name a few tags of messages; of many their number."""
    if len(tags) > MAX_PARTNERS_NAMED:
        return tr("{count} tags", count=len(tags))
    return ", ".join(map(str, tags))


def messages_of_call(analysis: Analysis, call: int) -> Ints:
    """Find the messages that a call sends, posts, receives or completes.

    Parameters
    ----------
    call
        Index into the trace's calls.

    Returns
    -------
    int64, shape (n,)
        Indices into the trace's messages, ascending; empty for an index of no call,
        and for calls without messages, such as collective ones.
    """
    trace, calls = analysis.trace, analysis.trace.calls
    if not 0 <= call < len(calls):
        return np.zeros(0, np.int64)
    row = int(np.searchsorted(calls.offsets, call, side="right")) - 1
    rank = int(trace.rank_of_location[row])
    if rank < 0:
        return np.zeros(0, np.int64)
    meant = [call]
    posted = int(calls.completes[call])
    if posted >= 0:
        meant.append(posted)
    facts = [messages_of(analysis, rank, each, each + 1) for each in meant]
    parts = [pairs[:, 1] for each in facts for pairs in (each.sent, each.received)]
    return np.unique(np.concatenate(parts))


def pairs_of_call(analysis: Analysis, call: int) -> Indices:
    """Return sender and receiver of what a call sends, receives or moves, once each.

    Returns
    -------
    int32, shape (pairs, 2)
        Pairs of ranks of the world, ascending.
    """
    rows, trace = messages_of_call(analysis, call), analysis.trace
    messages, moved = trace.messages, analysis.transfers
    ends = np.stack([messages.sender[rows], messages.receiver[rows]], axis=1)
    ends = ends[((ends >= 0) & (ends < trace.ranks)).all(axis=1)]
    if moved is not None and call >= 0:
        own = np.flatnonzero(moved.call == call)
        ends = np.concatenate(
            [ends, np.stack([moved.sender[own], moved.receiver[own]], 1)]
        )
    return np.unique(ends, axis=0).astype(np.int32).reshape(-1, 2)


def edges_of_call(analysis: Analysis, call: int) -> Indices:
    """Return the pairs of different ranks that a call's traffic joins, smaller first.

    Returns
    -------
    int32, shape (edges, 2)
    """
    one, other = pairs_of_call(analysis, call).T
    return joined_pairs(one, other, analysis.trace.ranks)


def awaited_partners(analysis: Analysis, ranks: Ints, calls: Ints, ticks: int) -> Bools:
    """Find who sends or receives the messages that some calls still wait for.

    What a call sends is found by a search: messages lie in order of their sends. What
    it completes lies in blocks of messages to its rank that arrive while it lasts.

    Parameters
    ----------
    ranks : int64, shape (n,)
        Ranks that are in a call.
    calls : int64, shape (n,)
        The call of each.
    ticks
        Messages that were received before do not count.

    Returns
    -------
    bool, shape (ranks of the trace,)
    """
    trace, index = analysis.trace, analysis.message_index
    messages, result = trace.messages, np.zeros(trace.ranks, bool)
    if not len(calls) or not len(messages) or index is None:
        return result
    count = messages.sends
    first, stop = np.searchsorted(messages.send_call[:count], [calls, calls + 1])
    sent = np.repeat(first, stop - first) + index_in_run(stop - first)
    to, by = messages.receiver[sent], messages.receive_time[sent]
    result[to[((by < 0) | (by > ticks)) & (to >= 0) & (to < trace.ranks)]] = True
    awaited = np.full(trace.ranks, -1)
    awaited[ranks] = calls
    waiting = np.append(0, np.cumsum(awaited >= 0))
    _, _, low, high = index.ranks.T.clip(0, trace.ranks - 1)
    began, ended = index.arrival.T
    some = (ended > ticks) & (began <= trace.calls.leave[calls].max())

    def is_open(receiver: Indices, completed: Ints, received: Ints) -> Bools:
        theirs = awaited[receiver.clip(0, trace.ranks - 1)]
        is_late: Bools = (received < 0) | (received > ticks)
        is_late &= (theirs == completed) & (completed >= 0)
        return is_late

    at = messages_within(
        some & (waiting[high + 1] > waiting[low]),
        is_open,
        messages.receiver,
        messages.completion_call,
        messages.receive_time,
    )
    one, other = messages.sender[at], messages.receiver[at]
    known_ends = (one >= 0) & (one < trace.ranks) & (other >= 0) & (other < trace.ranks)
    result[one[known_ends]] = True
    return result


_MAX_RECORDS_BACK: Final = 64
"""Records before a moment that are looked at."""


def place_at(trace: Trace, row: int, region: int, begin: int) -> str:
    """Find the line that the region which a location is in was called from.

    Parameters
    ----------
    row, region, begin
        Location, its innermost region, and when that interval of it begins.

    Returns
    -------
    str
        Such as ``solve.c:120``; empty where the trace does not tell.
    """
    if region < 0 or not len(trace.sources):
        return ""
    place = np.full(1, -1, np.int32)
    if len(trace.sources.site_entered):
        take_sites(
            trace, np.array([region]), np.array([_caller(trace, row, begin)]), place
        )
    for records, places, regions in line_records(trace, slice(row, row + 1)):
        last = int(np.searchsorted(records.time, begin, side="right"))
        for at in range(last - 1, max(last - _MAX_RECORDS_BACK, 0) - 1, -1):
            if regions[at] == region or (regions[at] < 0 and records.time[at] == begin):
                place[0] = places[at]
                break
    return trace.sources.places[place[0]] if place[0] >= 0 else ""


def _caller(trace: Trace, row: int, begin: int) -> int:
    """Region that a location was in before a moment."""
    timeline = trace.timeline
    first, stop = timeline.offsets[row : row + 2].tolist()
    at = first + int(np.searchsorted(timeline.time[first:stop], begin)) - 1
    return int(timeline.region[at]) if at >= first else -1
