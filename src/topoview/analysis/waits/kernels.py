"""Kernels that find for whom calls wait, and how far waits spread."""

import cython
import numpy as np

from topoview.base.scratch import scratch, scratch_full

if not cython.compiled:
    from numpy.typing import NDArray

    from topoview.base.hashing import slot_of
    from topoview.base.kinds import *
    from topoview.base.ordering import search_left, search_right
    from topoview.model import FRONT_ENDS, WAIT_KINDS

    SENDER, RECEIVER = map(WAIT_KINDS.index, ("late_sender", "late_receiver"))

    BROADCAST, REDUCE, SCAN = (
        WAIT_KINDS.index(kind)
        for kind in ("late_broadcast", "early_reduce", "early_scan")
    )
    """Operations in which a rank does not wait for all."""

    BOUNDARY, ANNIHILATED, ABSORBED = range(1, len(FRONT_ENDS))
    """How fronts end: indices into `FRONT_ENDS`."""

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


# Collective operations.


def latest_parts(came: IntRows) -> OutBools:
    """Keep who came after all before; of these but the last, where that is enough.

    Parameters
    ----------
    came : int64, shape (5, parts)
        By operation, then rank: number of the operation, rank, its call, when that
        began, and whether the ranks before are asked for, as in a scan.

    Returns
    -------
    bool, shape (parts,)
    """
    keeps = np.zeros(came.shape[1], np.bool_)
    kept: OutBools = keeps
    last: Int = -1
    i: Int
    with cython.nogil:
        for i in range(len(kept)):
            if last >= 0 and came[0, last] == came[0, i]:
                if came[3, i] <= came[3, last]:
                    continue
                if not came[4, last]:
                    kept[last] = False
            kept[i] = True
            last = i
    return keeps


def needed_parts(  # noqa: PLR0913
    operation: Ints,
    rank: Ints,
    kind: Bytes,
    is_root: Bools,
    came: IntRows,
    roots: IntRows,
) -> OutIntRows:
    """Find for whom parts in collective operations wait.

    Parameters
    ----------
    operation, rank, kind, is_root : shape (parts,)
        As of `OperationParts`.
    came, roots : int64, shape (5, n)
        Of those that came last, as from `latest_parts`, and of roots.

    Returns
    -------
    int64, shape (3, parts)
        Rank, its call, and when that began; -1 for none.
    """
    needed = np.full((3, len(operation)), -1, np.int64)
    need: OutIntRows = needed
    operations: Ints = came[0]
    of_roots: Ints = roots[0]
    i: Int
    k: Int
    with cython.nogil:
        for i in range(len(operation)):
            if kind[i] == BROADCAST:
                row: Int = search_right(of_roots, operation[i]) - 1
                if row >= 0 and of_roots[row] == operation[i]:
                    for k in range(3):
                        need[k, i] = roots[k + 1, row]
            elif kind[i] != REDUCE or is_root[i]:
                row = search_right(operations, operation[i]) - 1
                if kind[i] == SCAN:
                    while row >= 0 and came[1, row] > rank[i]:
                        row -= 1
                if row >= 0 and operations[row] == operation[i]:
                    for k in range(3):
                        need[k, i] = came[k + 1, row]
    return needed


def earlier_uses(key: Ints, times: Ints) -> OutInts:
    """Count how often each key has come before.

    Parameters
    ----------
    key : int64, shape (n,)
        Not negative.
    times : int64, shape (n,)
        How often it comes there.

    Returns
    -------
    int64, shape (n,)
    """
    size: Int = 1
    while size <= 2 * len(key):
        size *= 2
    slots: OutInts = np.full(size, -1, np.int64)
    count: OutInts = np.full(size, 0, np.int64)
    turns = np.empty(len(key), np.int64)
    turn: OutInts = turns
    k: Int
    with cython.nogil:
        for k in range(len(key)):
            slot: Int = slot_of(slots, key[k])
            slots[slot] = key[k]
            turn[k] = count[slot]
            count[slot] += times[k]
    return turns


def last_operation(  # noqa: PLR0913
    met: IntRows, order: Ints, cause: Ints, rank: Indices, own: OutInts, other: OutInts
) -> None:
    """Find the last operation of all before both calls, where it is a later meeting.

    Parameters
    ----------
    met : int64, shape (ranks, operations)
        Calls in which each rank took part in them.
    order, cause, rank, own, other
        As for `last_messages`.
    """
    k: Int
    with cython.nogil:
        for k in range(len(order)):
            call: Int = order[k]
            needed: Int = cause[call]
            mine: Int = rank[call]
            its: Int = rank[needed]
            n: Int = search_left(met[mine], call)
            n = min(n, search_left(met[its], needed)) - 1
            while n >= 0 and (met[mine, n] >= call or met[its, n] >= needed):
                n -= 1  # their ranks may do them in another order
            if n >= 0 and met[mine, n] > own[k]:
                own[k], other[k] = met[mine, n], met[its, n]


# The critical path.


def follow_critical_path(  # noqa: PLR0913
    offsets: Ints,
    enter: Ints,
    leave: Ints,
    until: Ints,
    cause: Ints,
    whom: Indices,
    statement: Indices,
    begins: Ints,
    ends: Ints,
    statements: Int,
) -> tuple[
    NDArray[np.int32],
    NDArray[np.int64],
    NDArray[np.int64],
    NDArray[np.int64],
    NDArray[np.int64],
]:
    """Follow the path back, call by call; then turn its stretches round.

    Parameters
    ----------
    offsets : int64, shape (ranks + 1,)
        Where the calls of each rank begin.
    enter, leave, until, cause : int64, shape (calls,)
        When calls begin and end; when what they need began, and the call that it
        began in; -1 where unknown.
    whom, statement : int32, shape (calls,)
        The rank that they need, and their statement; -1 for none.
    begins, ends : int64, shape (ranks,)
        When ranks begin and end, in ticks.
    statements
        How many there are.

    Returns
    -------
    int32, shape (stretches,), and int64, shape (stretches,), twice
        Rank of each, its begin and end in ticks.
    int64, shape (statements,), twice
        Ticks of the path in calls of each statement, and before them.
    """
    calls: Int = len(cause)
    # the first entry is of no statement
    in_calls = np.zeros(statements + 1, np.int64)
    before_calls = np.zeros(statements + 1, np.int64)
    inside: OutInts = in_calls
    before: OutInts = before_calls
    ranks = np.empty(calls + 1, np.int32)
    first_ticks, last_ticks = np.empty((2, calls + 1), np.int64)
    of_rank: OutIndices = ranks
    begin: OutInts = first_ticks
    end: OutInts = last_ticks
    count: Int = 0
    r: Int
    with cython.nogil:
        rank: Int = 0
        for r in range(1, len(ends)):
            if ends[r] > ends[rank]:
                rank = r
        time: Int = ends[rank]
        call: Int = offsets[rank + 1] - 1
        following: Int = -1  # statement of the call behind
        of_rank[0], end[0] = rank, time
        while call >= offsets[rank]:
            if leave[call] < time:
                before[following + 1] += time - leave[call]
                time = leave[call]
            other: Int = cause[call]
            is_late: Bool = (
                enter[call] < min(until[call], leave[call])
                and 0 <= other < calls
                and count < calls
            )
            if is_late:
                # clocks may err: the other call may seem to begin after this one's end
                # what is held until the other call ends, a lock, leads into that call
                is_held: Bool = until[call] > enter[other]
                met: Int = min(until[call], time)
                inside[statement[call] + 1] += time - met
                time = met
                begin[count] = time
                rank, following = whom[call], statement[other]
                call = other if is_held else other - 1
                count += 1
                of_rank[count], end[count] = rank, time
                continue
            if enter[call] < time:
                inside[statement[call] + 1] += time - enter[call]
                time = enter[call]
            following = statement[call]
            call -= 1
        first: Int = min(begins[rank], time)
        before[following + 1] += time - first
        begin[count] = first
        count += 1
    return (
        ranks[:count][::-1].copy(),
        first_ticks[:count][::-1].copy(),
        last_ticks[:count][::-1].copy(),
        in_calls[1:].copy(),
        before_calls[1:].copy(),
    )


def ticks_on_path(  # noqa: PLR0913
    offsets: Ints,
    time: Ints,
    region: Indices,
    rank: Indices,
    begin: Ints,
    end: Ints,
    regions: Int,
) -> Ints:
    """Sum up stretches of the path by the region that their rank is in.

    Parameters
    ----------
    offsets, time, region
        Columns of the timeline.
    rank, begin, end : shape (stretches,)
        Ticks of begin and end, in order of time.

    Returns
    -------
    int64, shape (regions + 1,)
        The last of no region.
    """
    totals: OutInts = np.zeros(regions + 1, np.int64)
    k: Int
    i: Int
    with cython.nogil:
        for k in range(len(rank)):
            first: Int = offsets[rank[k]]
            stop: Int = offsets[rank[k] + 1]
            first += max(search_right(time[first:stop], begin[k]) - 1, 0)
            for i in range(first, stop):
                if time[i] >= end[k]:
                    break
                until: Int = end[k]
                if i + 1 < stop:
                    until = min(until, time[i + 1])
                where: Int = region[i] if region[i] >= 0 else regions
                totals[where] += max(until - max(time[i], begin[k]), 0)
    return np.asarray(totals)


def spread_of_ranks(  # noqa: PLR0913
    offsets: Ints,
    enter: Ints,
    leave: Ints,
    statement: Indices,
    begins: Ints,
    statements: Int,
) -> tuple[NDArray[np.float64], NDArray[np.float64], float]:
    """Add up what ranks compute before their calls, and how much that varies.

    Parameters
    ----------
    offsets, enter, leave, statement, begins, statements
        See `follow_critical_path`.

    Returns
    -------
    float64, shape (ranks,)
        Ticks of computation before calls of a statement.
    float64, shape (ranks,)
        Variance of that sum: of computations before the same statement.
    float
        Share of the computations that are not the only one before their statement.
    """
    ranks: Int = len(offsets) - 1
    totals, variances = np.zeros((2, ranks), np.float64)
    total_of: OutFloats = totals
    variance_of: OutFloats = variances
    count: OutInts = np.zeros(statements, np.int64)
    total: OutFloats = np.zeros(statements, np.float64)
    square: OutFloats = np.zeros(statements, np.float64)
    met: OutInts = np.zeros(statements, np.int64)
    every: Int = 0
    repeated: Int = 0
    rank: Int
    call: Int
    k: Int
    with cython.nogil:
        for rank in range(ranks):
            used: Int = 0
            last: Int = begins[rank]
            for call in range(offsets[rank], offsets[rank + 1]):
                line: Int = statement[call]
                if line >= 0:
                    ticks: Float = max(enter[call] - last, 0)
                    if not count[line]:
                        met[used] = line
                        used += 1
                    count[line] += 1
                    total[line] += ticks
                    square[line] += ticks * ticks
                last = leave[call]
            for k in range(used):
                line = met[k]
                times: Float = count[line]
                every += count[line]
                total_of[rank] += total[line]
                if count[line] > 1:
                    repeated += count[line]
                    rest: Float = square[line] - total[line] * total[line] / times
                    variance_of[rank] += rest * times / (times - 1)
                count[line], total[line], square[line] = 0, 0, 0
    return totals, variances, repeated / max(every, 1)


# Fronts of waits.


def hops(
    begins: Ints, neighbours: Ints, origin: Ints, offsets: Ints, wait_rank: Ints
) -> OutIndices:
    """Count the hops of those that waited from the origin, no farther than needed.

    Parameters
    ----------
    begins : int64, shape (ranks + 1,)
        Where the neighbours of each rank begin.
    neighbours : int64, shape (n,)
    origin : int64, shape (delays,)
        The rank that each delay came from.
    offsets : int64, shape (delays + 1,)
        Where the waits of each delay begin.
    wait_rank : int64, shape (waits,)

    Returns
    -------
    int32, shape (waits,)
        -1 of those that no edges lead to.
    """
    ranks: Int = len(begins) - 1
    distances = np.full(len(wait_rank), -1, np.int32)
    hop: OutIndices = distances
    wanted: OutInts = np.full(ranks, -1, np.int64)
    met: OutInts = np.full(ranks, -1, np.int64)
    distance: OutIndices = np.empty(ranks, np.int32)
    queue: OutInts = np.empty(ranks, np.int64)
    delay: Int
    i: Int
    edge: Int
    with cython.nogil:
        for delay in range(len(origin)):
            missing: Int = 0
            for i in range(offsets[delay], offsets[delay + 1]):
                if wanted[wait_rank[i]] != delay:
                    wanted[wait_rank[i]] = delay
                    missing += 1
            queue[0] = origin[delay]
            met[origin[delay]] = delay
            distance[origin[delay]] = 0
            done: Int = 0
            many: Int = 1
            while done < many and missing:
                rank: Int = queue[done]
                done += 1
                if wanted[rank] == delay:
                    missing -= 1
                for edge in range(begins[rank], begins[rank + 1]):
                    other: Int = neighbours[edge]
                    if met[other] != delay:
                        met[other] = delay
                        distance[other] = distance[rank] + 1
                        queue[many] = other
                        many += 1
            for i in range(offsets[delay], offsets[delay + 1]):
                if met[wait_rank[i]] == delay:
                    hop[i] = distance[wait_rank[i]]
    return distances


def front_ends(  # noqa: C901, PLR0913
    begins: Ints,
    neighbours: Ints,
    origin: Ints,
    offsets: Ints,
    wait_rank: Ints,
    wait_begin: Ints,
    wait_end: Ints,
    due: Floats,
    excess: Floats,
    begin: Ints,
    end: Ints,
    by_rank: Ints,
    of_rank: Ints,
    delay_of: Ints,
) -> tuple[NDArray[np.uint8], NDArray[np.int32]]:
    """Find what stopped each front, by the neighbours that it did not come to.

    Each edge from a rank that it reached to one that it did not reach is asked: did
    that one wait, mainly for another delay, at any time while this one waited? Edges
    count by what was due to the delay on this side: of echoes that is next to nothing.

    Parameters
    ----------
    begins, neighbours, origin, offsets, wait_rank
        As for `hops`.
    wait_begin, wait_end : int64, shape (waits,)
        In ticks.
    due : float64, shape (waits,)
        Ticks of each wait that are due to the delay.
    excess : float64, shape (delays,)
        By how many ticks delays took longer than usual.
    begin, end : int64, shape (delays,)
        When they were, in ticks.
    by_rank : int64, shape (n,)
        Waits that are mainly due to their delay by rank, then begin.
    of_rank : int64, shape (ranks + 1,)
        Where those of each rank begin.
    delay_of : int64, shape (waits,)

    Returns
    -------
    uint8, shape (delays,)
        Index into `FRONT_ENDS`.
    int32, shape (delays,)
        The delay that annihilated it, -1 for none.
    """
    ranks: Int = len(begins) - 1
    delays: Int = len(origin)
    endings = np.zeros(delays, np.uint8)
    annihilators = np.full(delays, -1, np.int32)
    ending: OutBytes = endings
    met: OutIndices = annihilators
    # the wait of a rank for this delay, and 1; 0: the delay itself
    first: OutInts = np.full(ranks, -1, np.int64)
    reached: OutInts = np.full(ranks, -1, np.int64)
    # ticks that waits for another delay have in common with those for this one
    common: OutInts = np.zeros(delays, np.int64)
    common_with: OutInts = np.full(delays, -1, np.int64)
    delay: Int
    i: Int
    edge: Int
    with cython.nogil:
        for delay in range(delays):
            low: Int = offsets[delay]
            high: Int = offsets[delay + 1]
            if low == high:
                continue
            reached[origin[delay]], first[origin[delay]] = delay, 0
            for i in range(low, high):
                if reached[wait_rank[i]] != delay:
                    reached[wait_rank[i]], first[wait_rank[i]] = delay, i + 1
            # Each wait for this delay asks the neighbours that its front did not come
            # to.
            at_stake: Float = 0.0
            stopped: Float = 0.0
            most: Int = -1
            # the delay itself, then the first wait of each rank
            for i in range(low - 1, high):
                rank: Int = origin[delay] if i < low else wait_rank[i]
                if i >= low and first[rank] != i + 1:
                    continue
                since: Int = begin[delay] if i < low else wait_begin[i]
                until: Int = end[delay] if i < low else wait_end[i]
                weight: Float = excess[delay] if i < low else due[i]
                for edge in range(begins[rank], begins[rank + 1]):
                    other: Int = neighbours[edge]
                    if reached[other] == delay:
                        continue
                    at_stake += weight
                    # its last wait that begins before this one is over, and those
                    # before
                    down: Int = of_rank[other]
                    up: Int = of_rank[other + 1]
                    while down < up:
                        middle: Int = (down + up) >> 1
                        if wait_begin[by_rank[middle]] < until:
                            down = middle + 1
                        else:
                            up = middle
                    is_met: Bool = False
                    place: Int = down - 1
                    while place >= of_rank[other] and wait_end[by_rank[place]] > since:
                        wait: Int = by_rank[place]
                        its: Int = delay_of[wait]
                        if common_with[its] != delay:
                            common_with[its], common[its] = delay, 0
                        # How long both waits overlap says which delay met this one
                        # most.
                        common[its] += min(wait_end[wait], until) - max(
                            wait_begin[wait], since
                        )
                        if most < 0 or common[its] > common[most]:
                            most = its
                        is_met = True
                        place -= 1
                    if is_met:
                        stopped += weight
            # Without such neighbours it came to the border; where most was stopped it
            # was annihilated by another delay; else it was absorbed in idle time.
            if at_stake == 0:
                ending[delay] = BOUNDARY
            elif 2 * stopped > at_stake:
                ending[delay] = ANNIHILATED
                met[delay] = most
            else:
                ending[delay] = ABSORBED
    return endings, annihilators
