"""Kernels that find for whom calls wait, of messages."""

import cython
import numpy as np

from topoview.base.scratch import scratch, scratch_full

if not cython.compiled:
    from topoview.base.kinds import *
    from topoview.base.ordering import search_left
    from topoview.model import WAIT_KINDS

    SENDER, RECEIVER = map(WAIT_KINDS.index, ("late_sender", "late_receiver"))

    NEVER = np.iinfo(np.int64).max
    """Time of what does not happen."""


# Messages.


def note_latest(  # noqa: PLR0913
    call: Ints,
    other: Ints,
    time: Ints,
    who: Indices,
    where: Indices,
    what: Bytes,
    until: OutInts,
    whom: OutIndices,
    cause: OutInts,
    kind: OutBytes,
    communicator: OutIndices,
) -> None:
    """Note what calls need, where it comes later than all that was noted before.

    Parameters
    ----------
    call, other, time : int64, shape (n,)
        Calls, what each needs another call for, and when that is, in ticks.
    who, where : int32, shape (n,)
        Rank of the other call, and communicator.
    what : uint8, shape (n,)
        Kind of wait.
    until, whom, cause, kind, communicator : shape (calls,)
        Columns of `WaitStates`, changed in place.
    """
    i: Int
    with cython.nogil:
        for i in range(len(call)):
            place: Int = call[i]
            if time[i] > until[place]:
                until[place] = time[i]
                whom[place] = who[i]
                cause[place] = other[i]
                kind[place] = what[i]
                communicator[place] = where[i]


def place_of(stretches: IntRows, call: Int) -> Int:
    """Find which call of a part a call of the trace is; -1 if it is another one's.

    Parameters
    ----------
    stretches : int64, shape (n, 3)
        First call of each stretch of the part, the one behind its last, and which of
        the part's calls the first one is.
    """
    k: Int
    for k in range(len(stretches)):
        if stretches[k, 0] <= call < stretches[k, 1]:
            place: Int = call - stretches[k, 0] + stretches[k, 2]
            return place
    return -1


def sent_within(stretches: IntRows, waits: Ints, place: Int, completion: Int) -> Int:
    """Find which call of a part completes a send of it; that itself if unknown.

    Parameters
    ----------
    waits : int64, shape (calls,)
        Call that waits for each.
    place
        Which call of the part sends.
    completion
        The call of the trace that completes it, as recorded; -1 where it is not.
    """
    done: Int = place_of(stretches, completion) if completion >= 0 else -1
    if done < 0:
        done = waits[place]
    return done


def note_completions(
    stretches: IntRows,
    completes: Ints,
    region: Indices,
    counts: Bools,
    waits: OutInts,
) -> None:
    """Note which call completes each one of a part.

    Parameters
    ----------
    stretches
        See `place_of`.
    completes, region : int64 and int32, shape (n,)
        What the first calls of the part complete, -1 for nothing, and their regions.
    counts : bool, shape (regions,)
        Calls of which that is noted.
    waits : int64, shape (calls,)
        Changed in place.
    """
    k: Int
    with cython.nogil:
        for k in range(len(completes)):
            if completes[k] >= 0 and counts[region[k]]:
                place: Int = place_of(stretches, completes[k])
                if place >= 0:
                    waits[place] = k


def note_senders(  # noqa: PLR0913
    done: Ints,
    send: Ints,
    sender: Indices,
    where: Indices,
    entered: Ints,
    region: Indices,
    takes_first: Bools,
    until: OutInts,
    whom: OutIndices,
    cause: OutInts,
    kind: OutBytes,
    communicator: OutIndices,
) -> Ints:
    """Note which sends calls need, where they come later than all that was noted.

    Parameters
    ----------
    done, send, sender, where : shape (messages,)
        The call of the part that completes the receive, and the trace's that sends; -1
        where unknown. Rank, and communicator.
    entered, takes_first, until, whom, cause, kind, communicator
        See `note_receivers`.
    region : int32, shape (calls,)

    Returns
    -------
    int64, shape (messages,)
        The call that needs the send, if it takes the first; else -1.
    """
    sooner: OutInts = np.full(len(send), -1, np.int64)
    m: Int
    with cython.nogil:
        for m in range(len(send)):
            call: Int = done[m]
            if call < 0 or send[m] < 0:
                continue
            if takes_first[region[call]]:
                sooner[m] = call
            elif entered[send[m]] > until[call]:
                until[call] = entered[send[m]]
                whom[call] = sender[m]
                cause[call] = send[m]
                kind[call] = SENDER
                communicator[call] = where[m]
    return np.asarray(sooner)


def length_of(number: Int) -> Int:
    """Return how many bits a number has; 0 for none and below."""
    length: Int = 0
    while number > 0:
        number >>= 1
        length += 1
    return length


def mark_lengths(size: Ints, lengths: OutBools) -> None:
    """Mark which lengths in bits sizes have."""
    m: Int
    last: Int = -1
    with cython.nogil:
        for m in range(len(size)):
            if size[m] != last:
                last = size[m]
                lengths[length_of(last)] = True


def count_sent_ahead(  # noqa: PLR0913
    stretches: IntRows,
    waits: Ints,
    region: Indices,
    enter: Ints,
    leave: Ints,
    send: Ints,
    receive: Ints,
    completion: Ints,
    sender: Indices,
    receiver: Indices,
    size: Ints,
    entered: Ints,
    error: Ints,
    blocking: Bools,
    tells_nothing: Bools,
    column: Ints,
    first: Int,
    could_wait: OutIntRows,
    did_not: OutIntRows,
    largest: OutIntRows,
) -> None:
    """Count the messages that could wait for their receive, and those that did not.

    Parameters
    ----------
    stretches, waits
        See `sent_within`.
    region, enter, leave : int32 and int64, shape (calls,)
        Columns of the part's calls.
    send, receive, completion, sender, receiver, size : shape (messages,)
        Calls of the trace, ranks, and bytes.
    entered : int64
        When each call of the trace begins, in ticks.
    error : int64, shape (ranks,)
        Ticks that each rank's clock may be wrong.
    blocking, tells_nothing : bool, shape (regions,)
        Calls that return when their send is complete; those whose end says nothing of
        the receive.
    column : int64, shape (64,)
        Where sizes of each length in bits are counted.
    first
        The first rank of the part.
    could_wait, did_not, largest : int64, shape (ranks of the part, columns)
        Changed in place; `largest` are bytes of those that did not wait.
    """
    m: Int
    last: Int = -1
    length: Int = 0
    with cython.nogil:
        for m in range(len(send)):
            call: Int = place_of(stretches, send[m])
            if call < 0 or receive[m] < 0 or tells_nothing[region[call]]:
                continue
            done: Int = sent_within(stretches, waits, call, completion[m])
            # Where the completion is unknown, an Isend's end tells nothing.
            if done == call and completion[m] < 0 and not blocking[region[call]]:
                continue
            posted: Int = entered[receive[m]] - error[sender[m]] - error[receiver[m]]
            if enter[done] >= posted:
                continue
            if size[m] != last:
                last = size[m]
                length = length_of(last)
            rank: Int = sender[m] - first
            kind: Int = column[length]
            could_wait[rank, kind] += 1
            if leave[done] < posted:
                did_not[rank, kind] += 1
                largest[rank, kind] = max(largest[rank, kind], last)


def note_receivers(  # noqa: PLR0913
    stretches: IntRows,
    waits: Ints,
    region: Indices,
    enter: Ints,
    leave: Ints,
    send: Ints,
    receive: Ints,
    completion: Ints,
    sender: Indices,
    receiver: Indices,
    size: Ints,
    where: Indices,
    entered: Ints,
    ahead: Ints,
    blocking: Bools,
    certain: Bools,
    takes_first: Bools,
    until: OutInts,
    whom: OutIndices,
    cause: OutInts,
    kind: OutBytes,
    communicator: OutIndices,
) -> Ints:
    """Note which receives calls need that are posted while their send completes.

    Parameters
    ----------
    stretches, waits, region, enter, leave, entered, blocking
        See `count_sent_ahead`.
    send, receive, completion, sender, receiver, size, where : shape (messages,)
        Calls of the trace, ranks, bytes, and communicator.
    ahead : int64, shape (ranks,)
        Bytes up to which each rank's messages need no receive.
    certain, takes_first : bool, shape (regions,)
        Calls whose sends always need it; those that go on when the first of what they
        complete could, of which nothing is noted.
    until, whom, cause, kind, communicator : shape (calls,)
        Columns of `WaitStates`, changed in place.

    Returns
    -------
    int64, shape (messages,)
        The call that needs the receive, if it takes the first; else -1.
    """
    sooner: OutInts = np.full(len(send), -1, np.int64)
    m: Int
    with cython.nogil:
        for m in range(len(send)):
            call: Int = place_of(stretches, send[m])
            if call < 0 or receive[m] < 0:
                continue
            always: Bool = certain[region[call]]
            if not always and size[m] <= ahead[sender[m]]:
                continue
            done: Int = sent_within(stretches, waits, call, completion[m])
            if done == call and not blocking[region[call]]:
                continue
            posted: Int = entered[receive[m]]
            if not enter[done] < posted < leave[done]:
                continue
            if takes_first[region[done]]:
                sooner[m] = done
                continue
            if posted <= until[done]:
                continue
            # What waits for nothing else has waited for this; what does has if this
            # is nearer to its end.
            if (
                always
                or until[done] <= enter[done]
                or kind[done] == RECEIVER
                or posted - until[done] > leave[done] - posted
            ):
                until[done] = posted
                whom[done] = receiver[m]
                cause[done] = receive[m]
                kind[done] = RECEIVER
                communicator[done] = where[m]
    return np.asarray(sooner)


def note_sends(  # noqa: PLR0913
    send: Ints,
    sent: Ints,
    done: Ints,
    sender: Indices,
    receiver: Indices,
    cause: Ints,
    earliest: OutInts,
    overtaken: OutBools,
    last: OutInts,
    of: OutInts,
) -> None:
    """Note when the first message that a call receives was sent, and who overtook it.

    Parameters
    ----------
    send, sent, done : int64, shape (messages,)
        Calls that send, in their order, when that is, and calls that receive.
    sender, receiver : int32, shape (messages,)
        Ranks.
    cause : int64, shape (calls,)
        The call that each waits for.
    earliest : int64, shape (calls,)
        Gets when the first message was sent.
    overtaken : bool, shape (calls,)
        Set where a later message of the sender was received before.
    last, of : int64, shape (ranks,)
        The last call of each rank that received a message of the sender `of`.
    """
    m: Int
    with cython.nogil:
        for m in range(len(send)):
            call: Int = done[m]
            to: Int = receiver[m]
            earliest[call] = min(earliest[call], sent[m])
            if of[to] != sender[m]:
                of[to], last[to] = sender[m], -1
            if cause[call] == send[m] and last[to] > call:
                overtaken[call] = True
            last[to] = max(last[to], call)


def waiting_messages(
    offsets: Ints, late: Ints, until: Ints, earliest: Ints, overtaken: Bools
) -> OutBytes:
    """Find of calls that wait for a sender whether messages lie there that come later.

    Parameters
    ----------
    offsets : int64, shape (ranks + 1,)
        Where the calls of each rank begin.
    late : int64, shape (n,)
        Calls, ascending.
    until : int64, shape (calls,)
        When the message that a call waits for was sent.
    earliest, overtaken : int64 and bool, shape (calls,)
        From `note_sends`.

    Returns
    -------
    uint8, shape (n,)
        0: none; 1: of other ranks; 2: of that sender.
    """
    sources = np.zeros(len(late), np.uint8)
    source: OutBytes = sources
    k: Int = len(late) - 1
    rank: Int
    call: Int
    with cython.nogil:
        for rank in range(len(offsets) - 2, -1, -1):
            # when the first message was sent that a later call receives
            least: Int = NEVER
            for call in range(offsets[rank + 1] - 1, offsets[rank] - 1, -1):
                if k >= 0 and late[k] == call:
                    if least < until[call]:
                        source[k] = 2 if overtaken[call] else 1
                    k -= 1
                least = min(least, earliest[call])
    return sources


def last_messages(  # noqa: C901, PLR0913
    send: Ints,
    done: Ints,
    sender: Indices,
    receiver: Indices,
    offsets: Ints,
    enter: Ints,
    leave: Ints,
    order: Ints,
    by_call: Ints,
    cause: Ints,
    rank: Indices,
    own: OutInts,
    other: OutInts,
) -> None:
    """Find the last message between the ranks of each wait, where it is a later one.

    One that the awaited rank received without having waited for it has met that rank
    when it was sent, in the last call that was left before.

    Parameters
    ----------
    send, done : int64, shape (messages,)
        Calls that send, in their order, and that receive; -1 where not known.
    sender, receiver : int32, shape (messages,)
    offsets : int64, shape (locations + 1,)
        Where the calls of each rank begin, and of further locations.
    enter, leave : int64
        When calls begin and end, in ticks.
    order : int64, shape (waits,)
        Calls that wait.
    by_call : int64, shape (waits,)
        Places of waits, by their calls.
    cause : int64, shape (calls,)
        Those that they wait for.
    rank : int32, shape (calls,)
    own, other : int64, shape (waits,)
        The last meeting before each wait: its call on either side, -1 for none; changed
        in place.
    """
    calls: Int = len(rank)
    ranks: Int = len(offsets) - 1
    before: OutIndices = scratch_full(len(send), -1, np.int32)  # of the same pair
    # of each call the last wait that is caused by it, of waits the one before, counted
    # from 1, and which calls wait
    last_wait: OutIndices = scratch(calls, np.int32)
    previous: OutIndices = scratch(len(order), np.int32)
    waits: OutBools = scratch(calls, np.bool_)
    turn: Int = 0
    last: OutIndices = np.full(ranks, -1, np.int32)
    of: OutIndices = np.full(ranks, -1, np.int32)
    k: Int
    m: Int
    call: Int
    with cython.nogil:
        for k in range(len(order)):
            call = order[k]
            waits[call] = True
            previous[k] = last_wait[cause[call]]
            last_wait[cause[call]] = k + 1
        m = 0
        for call in range(calls):
            mine: Int = rank[call]
            while m < len(send) and 0 <= send[m] < call:
                to: Int = receiver[m]
                if of[to] == sender[m]:
                    before[m] = last[to]
                of[to], last[to] = sender[m], m
                m += 1
            # those that wait for this call, to which its rank may have sent
            wait: Int = last_wait[call] - 1
            while wait >= 0:
                late: Int = order[wait]
                if of[rank[late]] == mine:
                    latest: Int = last_done(before, done, last[rank[late]], late)
                    if latest >= 0:
                        note_later(own, other, wait, done[latest], send[latest])
                wait = previous[wait] - 1
            # what this one waits for, if its rank may have sent to that one
            if waits[call]:
                wait = by_call[turn]
                turn += 1
                its: Int = rank[cause[call]]
                if of[its] == mine:
                    latest = last_done(before, done, last[its], cause[call])
                    if latest >= 0:
                        there: Int = done[latest]
                        if not waits[there] or cause[there] != send[latest]:
                            first: Int = offsets[its]
                            sent: Int = enter[send[latest]]
                            left: Int = search_left(leave[first : there + 1], sent)
                            there = first + left - 1
                        note_later(own, other, wait, send[latest], there)


def note_later(own: OutInts, other: OutInts, wait: Int, mine: Int, its: Int) -> None:
    """Note a meeting in calls of both ranks of a wait, if it is a later one."""
    if mine > own[wait] or (mine == own[wait] and its > other[wait]):
        own[wait], other[wait] = mine, its


def last_done(before: Indices, done: Ints, message: Int, call: Int) -> Int:
    """Find the last message of a pair that was received before a call; -1 for none."""
    while message >= 0 and (done[message] < 0 or done[message] >= call):
        message = before[message]
    return message
