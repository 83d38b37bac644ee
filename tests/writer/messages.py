"""Records of messages and of collective operations."""

import numpy as np

from topoview.logical.calls.one_sided import calls_around
from topoview.model import Bools, Calls, Indices, Ints, Trace
from writer.order import CallOrder, row_of
from writer.records import KIND_OF_WINDOW_RECORD, Block, Kind, Turn, block

BLOCKING_SENDS = ("Send", "Bsend", "Ssend", "Rsend", "Sendrecv", "Sendrecv_replace")
"""Operations that send a message without a request."""

WAITS = ("Waitall", "Waitsome", "Testall", "Testsome")
"""Operations that may complete several requests."""


def message_blocks(trace: Trace, order: CallOrder) -> list[Block]:
    """List the records of point-to-point messages."""
    sends, receives = _requests(trace, order)
    return _sends(trace, order, sends) + _receives(trace, order, receives)


def _requests(trace: Trace, order: CallOrder) -> tuple[Ints, Ints]:
    """Give the requests of each message's send and receive numbers, as MPI does.

    A rank counts what it posts, and begins anew when what had the number is complete.
    """
    messages, offsets = trace.messages, trace.calls.offsets
    row = np.concatenate([messages.sender, messages.receiver])
    posted = np.concatenate([messages.send_call, messages.receive_call])
    sent = np.flatnonzero(messages.send_call >= 0)
    complete = np.concatenate([np.full(len(messages), -1), messages.completion_call])
    complete[sent] = _completion(trace, order, messages.send_call[sent])
    # What is not told takes as long as it can.
    posted = np.where(posted >= 0, posted, offsets[row])
    complete = np.where(complete >= 0, complete, offsets[row + 1] - 1)
    by_call = np.argsort(posted, kind="stable")
    number = np.empty(len(posted), np.int64)
    number[by_call] = np.arange(len(posted))
    after = np.searchsorted(posted[by_call], complete, side="right")
    number %= (after - number).max(initial=1)
    return number[: len(messages)], number[len(messages) :]


def _sends(trace: Trace, order: CallOrder, requests: Ints) -> list[Block]:
    messages, calls = trace.messages, trace.calls
    sent = np.flatnonzero(messages.send_call >= 0)
    call = messages.send_call[sent]
    communicator = messages.communicator[sent]
    communicator, peer = local_ranks(trace, communicator, messages.receiver[sent])
    details = (peer, communicator, messages.tag[sent], messages.size[sent])
    details = (*details, requests[sent])
    at = (order.row[call], messages.send_time[sent])
    place = _place(calls, order, call, messages.send_time[sent])
    blocking = _is_one_of(trace, call, BLOCKING_SENDS)
    done = _completion(trace, order, call)
    completed = ~blocking & (done >= 0)
    by = done[completed]
    return [
        *(
            _part(block(kind, Turn.CALL, at, place, details), which)
            for kind, which in ((Kind.SEND, blocking), (Kind.ISEND, ~blocking))
        ),
        block(
            Kind.ISEND_COMPLETE,
            Turn.CALL,
            (order.row[by], calls.leave[by]),
            order.at_end(by),
            (requests[sent[completed]],),
        ),
    ]


def _receives(trace: Trace, order: CallOrder, requests: Ints) -> list[Block]:
    messages, calls = trace.messages, trace.calls
    received = np.flatnonzero(messages.completion_call >= 0)
    call, post = messages.completion_call[received], messages.receive_call[received]
    communicator = messages.communicator[received]
    communicator, peer = local_ranks(trace, communicator, messages.sender[received])
    tag, size = messages.tag[received], messages.size[received]
    time = messages.receive_time[received]
    details = (peer, communicator, tag, size, requests[received])
    place = _place(calls, order, call, time)
    blocking = post == call
    posted = ~blocking & (post >= 0)
    by = post[posted]
    return [
        block(
            Kind.RECEIVE_REQUEST,
            Turn.CALL,
            (order.row[by], calls.leave[by]),
            order.at_end(by),
            (requests[received[posted]],),
        ),
        *(
            _part(block(kind, Turn.CALL, (order.row[call], time), place, details), some)
            for kind, some in ((Kind.RECEIVE, blocking), (Kind.IRECEIVE, ~blocking))
        ),
    ]


def collective_blocks(trace: Trace, order: CallOrder) -> list[Block]:
    """List the records of collective operations."""
    parts, calls = trace.collectives, trace.calls
    row = order.row[parts.call]
    communicator, root = local_ranks(trace, parts.communicator, parts.root)
    details = (parts.operation, communicator, root, parts.sent, parts.received)
    begin, end = (row, calls.enter[parts.call]), (row, calls.leave[parts.call])
    return [
        block(Kind.COLLECTIVE_BEGIN, Turn.CALL, begin, order.at_begin(parts.call)),
        block(Kind.COLLECTIVE_END, Turn.CALL, end, order.at_end(parts.call), details),
    ]


def window_blocks(trace: Trace, order: CallOrder) -> list[Block]:
    """List the records of one-sided calls, of those types that are written."""
    blocks = []
    for records in trace.further:
        if records.name in KIND_OF_WINDOW_RECORD:
            row = row_of(records.offsets)
            place = _place(
                trace.calls, order, calls_around(trace, row, records.time), records.time
            )
            kind, details = KIND_OF_WINDOW_RECORD[records.name], tuple(records.values.T)
            blocks.append(block(kind, Turn.CALL, (row, records.time), place, details))
    return blocks


def _part(whole: Block, which: Bools) -> Block:
    return Block(
        whole.kind,
        whole.turn,
        whole.row[which],
        whole.time[which],
        whole.place[which],
        whole.details[which],
    )


def _place(calls: Calls, order: CallOrder, call: Ints, time: Ints) -> Ints:
    """Places of records in calls: at the end if they have the end's time."""
    at_end = (time >= calls.leave[call]) & (time > calls.enter[call])
    return np.where(at_end[:, None], order.at_end(call), order.at_begin(call))


def _is_one_of(trace: Trace, call: Ints, operations: tuple[str, ...]) -> Bools:
    chosen = np.array([name in operations for name in trace.regions.operations], bool)
    operation = trace.regions.operation[trace.calls.region[call]]
    return chosen[operation]


def _completion(trace: Trace, order: CallOrder, posted: Ints) -> Ints:
    """Call that completes the request of each call that posted one; -1 if none."""
    calls = trace.calls
    every = np.arange(len(calls))
    told = np.flatnonzero(calls.completes >= 0)
    by = np.full(len(calls), -1, np.int64)
    by[calls.completes[told]] = told
    waits = every[_is_one_of(trace, every, WAITS)]
    next_wait = np.searchsorted(waits, posted, side="right")
    following = np.append(waits, -1)[next_wait]
    same_row = (following >= 0) & (order.row[following] == order.row[posted])
    return np.where(by[posted] >= 0, by[posted], np.where(same_row, following, -1))


def local_ranks(
    trace: Trace, communicator: Indices, ranks: Indices
) -> tuple[Indices, Ints]:
    """Ranks in their communicators; in the world where they are no members.

    Parameters
    ----------
    trace
        The trace.
    communicator, ranks : int32, shape (n,)
        Index into the trace's communicators, and world rank; -1 for none.

    Returns
    -------
    int32 and int64, shape (n,)
        Communicator, and rank in it.
    """
    local = ranks.astype(np.int64)
    communicator = communicator.copy()
    for index in np.unique(communicator):
        here = np.flatnonzero(communicator == index)
        members = trace.communicators[index].ranks
        if not len(members):  # everybody is alone
            local[here] = np.minimum(ranks[here], 0)
            continue
        number = np.full(trace.ranks + 1, -1, np.int64)  # the last one is of rank -1
        number[members] = np.arange(len(members))
        number[-1] = -1
        found = number[ranks[here]]
        local[here] = np.where(found >= 0, found, ranks[here])
        communicator[here[(found < 0) & (ranks[here] >= 0)]] = 0
    return communicator, local
