"""All that is known about one call, message, rank, pair, statement or communicator.

Plain numbers from the trace's columns: what a click shows. Times are ticks, -1 stands
for what the trace does not have. Each takes a few searches, and at most one pass over
the parts of collective operations.
"""

from dataclasses import dataclass

import numpy as np

from topoview.analysis.wait_states import FIRST_WITHOUT_DATA
from topoview.live.calls import (
    CallFacts,
    facts_of,
    messages_of,
    messages_of_call,
    path_text,
    place_at,
)
from topoview.live.colourings.counters import metric_records
from topoview.live.messages import messages_between
from topoview.live.moment import TimeCursor, call_at
from topoview.live.occurrences import iterations_of
from topoview.live.wait_chains import wait_chains, waiting_for
from topoview.model import (
    Analysis,
    EventRecords,
    Indices,
    Ints,
    MetricCounter,
    Trace,
    freeze,
)
from topoview.report.logical_lines import logical_lines


def row_of_call(trace: Trace, call: int) -> int:
    """Row of the timeline that makes a call."""
    return int(np.searchsorted(trace.calls.offsets, call, side="right")) - 1


def rank_of_call(trace: Trace, call: int) -> int:
    """Rank that makes a call, -1 for a location of none."""
    return int(trace.rank_of_location[row_of_call(trace, call)])


# Waiting: how long, for whom, and why.


@dataclass(frozen=True, slots=True)
class Wait:
    """What a call waited for.

    Attributes
    ----------
    ticks
        How long it waited for late partners; 0 if they were there.
    whom
        Rank that came last, -1 if that is not known.
    until
        When that rank began what was waited for.
    cause
        Index of the call that it began then, -1 if there is none.
    busy, busy_ticks
        `MPIState` that this rank was in for most of the wait, and for how long.
    chain
        Ranks that wait for each other when the wait begins: the rank itself first, the
        root cause last. Empty if nobody waits.
    """

    ticks: int
    whom: int
    until: int
    cause: int
    busy: int
    busy_ticks: int
    chain: tuple[int, ...]


def wait_of_call(known: Analysis, call: int) -> Wait | None:
    """Find what a call waited for; None where the trace does not say."""
    trace, waits = known.trace, known.waits
    if waits is None or waits.until[call] < 0:
        return None
    until, whom = int(waits.until[call]), int(waits.whom[call])
    enter, leave = int(trace.calls.enter[call]), int(trace.calls.leave[call])
    ticks = min(max(until - enter, 0), max(leave - enter, 0))
    if not ticks or not 0 <= whom < trace.ranks:
        return Wait(ticks, whom, until, -1, -1, 0, ())
    cause = _call_beginning(trace, whom, until)
    busy, busy_ticks = longest_state(trace, whom, (enter, enter + ticks))
    chains = wait_chains(TimeCursor(trace), waits, enter)
    row = row_of_call(trace, call)
    chain = tuple(chains.of(row)) if row < trace.ranks else ()
    return Wait(ticks, whom, until, cause, busy, busy_ticks, chain)


def _call_beginning(trace: Trace, row: int, begin: int) -> int:
    """Find the last of the calls of a row that begin at a time, -1 if there is none."""
    first, stop = trace.calls.offsets[row : row + 2].tolist()
    at = first + int(trace.calls.enter[first:stop].searchsorted(begin, "right")) - 1
    return at if at >= first and trace.calls.enter[at] == begin else -1


def longest_state(trace: Trace, row: int, window: tuple[int, int]) -> tuple[int, int]:
    """Find the state that a row is in for most of a window, and for how long."""
    timeline = trace.timeline
    first, stop = timeline.offsets[row : row + 2].tolist()
    time = timeline.time[first:stop]
    low, high = np.searchsorted(time, window, side="right")
    seen = np.arange(max(int(low) - 1, 0), max(int(high), 1))
    begins = np.maximum(time[seen], window[0])
    ends = np.append(begins[1:], window[1])
    state = timeline.state[first + seen]
    sums = np.bincount(state, np.maximum(ends - begins, 0))
    most = int(sums.argmax())
    return most, int(sums[most])


# Calls.


@dataclass(frozen=True, slots=True)
class CounterGrowth:
    """What a counter counted around a call; NaN where it was not recorded.

    Attributes
    ----------
    counter
        Which one.
    before
        From the end of the rank's call before to the begin of this one; of a counter
        whose numbers stand for themselves, the last one when the call begins.
    inside
        While the call lasts; of a counter of the other kind, the last one when it ends.
    """

    counter: MetricCounter
    before: float
    inside: float


@dataclass(frozen=True, slots=True)
class CallDetails:
    """A call.

    Attributes
    ----------
    call, row, rank, region, state
        Index, row of the timeline, rank (-1: none), region and `MPIState`.
    enter, leave
        Ticks.
    facts
        Partners, bytes, tags, communicator, root.
    messages
        Indices of the messages that it sends, posts, receives or completes.
    wait
        What it waited for; None where the trace does not say.
    posted, completed
        Call whose request it completes, and call that completes its own; -1 for none.
    path, source
        Functions around it, and the line that it was made from; may be empty.
    statement
        Statement of the logical trace, -1 for none.
    number, count
        Which call of this statement (without one: of this region) it is on its row,
        from 1, and how many there are.
    iteration, iterations
        Of the innermost loop around the statement: which one, from 1, and the most that
        there are; 0 for no loop.
    collective
        Index of its part in a collective operation, -1 for none.
    counters
        What was counted; only those that were recorded on this row.
    """

    call: int
    row: int
    rank: int
    region: int
    state: int
    enter: int
    leave: int
    facts: CallFacts
    messages: tuple[int, ...]
    wait: Wait | None
    posted: int
    completed: int
    path: str
    source: str
    statement: int
    number: int
    count: int
    iteration: int
    iterations: int
    collective: int
    counters: tuple[CounterGrowth, ...]


def call_details(known: Analysis, call: int) -> CallDetails:
    """Find all about a call of the trace."""
    trace, calls = known.trace, known.trace.calls
    row, rank = row_of_call(trace, call), rank_of_call(trace, call)
    region = int(calls.region[call])
    own = messages_of(known, rank, call, call + 1)
    alike = calls_alike(known, call)
    iteration, iterations = iteration_of_call(known, call)
    parts = trace.collectives
    part = int(np.searchsorted(parts.call, call))
    is_part = part < len(parts) and int(parts.call[part]) == call
    return CallDetails(
        call,
        row,
        rank,
        region,
        int(trace.regions.state[region]),
        int(calls.enter[call]),
        int(calls.leave[call]),
        facts_of(trace, own, call),
        tuple(messages_of_call(known, call).tolist()),
        wait_of_call(known, call),
        int(calls.completes[call]),
        call_completing(known, call),
        path_text(trace, call),
        place_at(trace, row, region, int(calls.enter[call])),
        statement_of_call(known, call),
        int(np.searchsorted(alike, call)) + 1,
        len(alike),
        iteration,
        iterations,
        part if is_part else -1,
        counters_around(trace, call),
    )


def statement_of_call(known: Analysis, call: int) -> int:
    """Give the statement of the logical trace that a call is of, -1 for none."""
    return -1 if known.logical is None else int(known.logical.statement_of_call[call])


def calls_alike(known: Analysis, call: int) -> Ints:
    """Find the calls of the same row and statement; without one, of the same region.

    Returns
    -------
    int64, shape (n,)
        Indices into the trace's calls, ascending.
    """
    calls, statement = known.trace.calls, statement_of_call(known, call)
    row = row_of_call(known.trace, call)
    first, stop = calls.offsets[row : row + 2].tolist()
    if statement >= 0 and known.logical is not None:
        same = known.logical.statement_of_call[first:stop] == statement
    else:
        same = calls.region[first:stop] == calls.region[call]
    return np.asarray(first + np.flatnonzero(same))


def call_completing(known: Analysis, call: int) -> int:
    """Find the call that completes what a call has begun, -1 if there is none."""
    trace, calls = known.trace, known.trace.calls
    stop = int(calls.offsets[row_of_call(trace, call) + 1])
    later = np.flatnonzero(calls.completes[call + 1 : stop] == call)
    if len(later):
        return call + 1 + int(later[0])
    found = messages_of_call(known, call)
    ends = trace.messages.completion_call[found]
    ends = ends[(trace.messages.receive_call[found] == call) & (ends != call)]
    return int(ends.max()) if len(ends) and ends.max() >= 0 else -1


def iteration_of_call(known: Analysis, call: int) -> tuple[int, int]:
    """Which iteration of its innermost loop a call is in, from 1, and how many."""
    statement, positions = statement_of_call(known, call), known.positions
    if statement < 0 or positions is None or not len(positions.of_call):
        return 0, 0
    lines = logical_lines(known)
    at = next(
        (n for n, x in enumerate(lines) if x.kind == "call" and x.first == statement),
        -1,
    )
    while at >= 0 and lines[at].kind != "loop":
        at = lines[at].parent
    if at < 0:
        return 0, 0
    loop = sum(line.kind == "loop" for line in lines[:at])
    place = float(positions.of_call[call])
    turn = iterations_of(positions, loop, np.array([place if place >= 0 else np.nan]))
    most = max((way[-1].count for way in positions.loops[loop]), default=0)
    return (0, 0) if np.isnan(turn[0]) else (int(turn[0]) + 1, most)


def counters_around(trace: Trace, call: int) -> tuple[CounterGrowth, ...]:
    """Find what the counters of a call's row counted before it and in it."""
    records = metric_records(trace)
    if records is None:
        return ()
    row, calls = row_of_call(trace, call), trace.calls
    first, stop = records.offsets[row : row + 2].tolist()
    if first == stop:
        return ()
    own = EventRecords(
        records.name,
        records.fields,
        np.array([0, stop - first]),
        records.time[first:stop],
        records.values[first:stop],
    )
    metric, place = own.column("metric"), own.column("place")
    value, found = own.numbers(), []
    is_first = call == int(calls.offsets[row])
    ends = (
        0 if is_first else int(calls.leave[call - 1]),
        int(calls.enter[call]),
        int(calls.leave[call]),
    )
    for counter in trace.counters:
        mask = (metric == counter.metric) & (place == counter.place)
        if mask.any():
            told = _growth(counter, own.time[mask], value[mask] * counter.scale, ends)
            found.append(CounterGrowth(counter, *told))
    return tuple(found)


def _growth(
    counter: MetricCounter, time: Ints, value: np.ndarray, ends: tuple[int, int, int]
) -> tuple[float, float]:
    """Tell what was counted between three times."""
    at = np.searchsorted(time, ends, side="right")
    if counter.mode == "change":
        sums = np.append(0.0, np.cumsum(value))[at]
        return float(sums[1] - sums[0]), float(sums[2] - sums[1])
    last = np.append(np.nan, value)[at]
    if counter.mode == "grows":
        return float(last[1] - last[0]), float(last[2] - last[1])
    return float(last[1]), float(last[2])


# Messages, pairs of ranks.


@dataclass(frozen=True, slots=True)
class MessageDetails:
    """A message.

    Attributes
    ----------
    message, sender, receiver, size, tag, communicator
        As in the trace.
    send_call, receive_call, completion_call
        Calls that send it, post its receive and complete that; -1 where not recorded.
    sent, received
        Ticks; -1 where not recorded.
    late
        How long the call that completes it waited until it was sent: late sender.
    early
        How long it was on its way before its receive was posted: unexpected message.
    number, count
        Which message from this sender to this receiver it is, from 1, and how many
        there are.
    """

    message: int
    sender: int
    receiver: int
    size: int
    tag: int
    communicator: int
    send_call: int
    receive_call: int
    completion_call: int
    sent: int
    received: int
    late: int
    early: int
    number: int
    count: int


def message_details(known: Analysis, message: int) -> MessageDetails:
    """Find all about a message of the trace."""
    trace, them = known.trace, known.trace.messages
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
    alike = messages_alike(known, message)
    return MessageDetails(
        message,
        sender,
        receiver,
        int(them.size[message]),
        int(them.tag[message]),
        int(them.communicator[message]),
        send,
        post,
        completion,
        int(them.send_time[message]),
        int(them.receive_time[message]),
        late,
        early,
        int(np.searchsorted(alike, message)) + 1,
        len(alike),
    )


def messages_alike(known: Analysis, message: int) -> Ints:
    """Find the messages from the same sender to the same receiver, ascending."""
    them = known.trace.messages
    sender, receiver = int(them.sender[message]), int(them.receiver[message])
    both = messages_between(known, sender, receiver)
    return np.asarray(both[them.sender[both] == sender])


@dataclass(frozen=True, slots=True, eq=False)
class PairDetails:
    """Messages from one rank to another.

    Attributes
    ----------
    sender, receiver
        Ranks.
    messages : int64, shape (n,)
        Their indices, ascending.
    size
        Bytes of all.
    longest
        Index of the one that was under way longest, -1 if there is none.
    late
        Ticks that receives waited because a message was sent late, in all.
    late_count
        How many of them did.
    """

    sender: int
    receiver: int
    messages: Ints
    size: int
    longest: int
    late: int
    late_count: int

    def __post_init__(self) -> None:
        """Make the arrays read-only."""
        freeze(self)


def pair_details(known: Analysis, sender: int, receiver: int) -> PairDetails:
    """Find all about the messages from one rank to another."""
    trace, them = known.trace, known.trace.messages
    both = messages_between(known, sender, receiver)
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
        sender,
        receiver,
        own,
        int(them.size[own].sum()),
        longest,
        int(late.sum()),
        int(np.count_nonzero(late)),
    )


# Collective operations, communicators.


@dataclass(frozen=True, slots=True, eq=False)
class CollectiveDetails:
    """A collective operation of a communicator.

    Attributes
    ----------
    operation
        OTF2_CollectiveOp code.
    communicator, root
        Index into the trace's communicators; world rank of the root, -1 for none.
    ranks, calls : int64, shape (parts,)
        Ranks that took part, ascending, and the call of each.
    first, last
        Ranks that came first and last.
    begin, complete, end
        When the first and the last came, and when the last left, in ticks.
    waited
        Time from each one's begin until the last came, in all, in ticks.
    sent, received
        Bytes of all.
    number, count
        Which operation of the communicator it is, from 1, and how many there are.
    members
        Of the communicator.
    """

    operation: int
    communicator: int
    root: int
    ranks: Ints
    calls: Ints
    first: int
    last: int
    begin: int
    complete: int
    end: int
    waited: int
    sent: int
    received: int
    number: int
    count: int
    members: int

    def __post_init__(self) -> None:
        """Make the arrays read-only."""
        freeze(self)


def collective_details(known: Analysis, call: int) -> CollectiveDetails | None:
    """Find the operation that a call takes part in; None if it takes part in none.

    The k-th operation of each member on a communicator is one operation: MPI demands
    the same order of all (MPI 4.0, section 6.14).
    """
    trace, parts, calls = known.trace, known.trace.collectives, known.trace.calls
    part = int(np.searchsorted(parts.call, call))
    if part >= len(parts) or int(parts.call[part]) != call:
        return None
    communicator = int(parts.communicator[part])
    every, rank = operations_on(trace, communicator)
    own = every[rank == rank_of_call(trace, call)]
    turn = int(np.searchsorted(own, part))
    members = trace.communicators[communicator].ranks if communicator >= 0 else ()
    if len(members) < 2 or turn >= len(own) or int(own[turn]) != part:
        found, ranks = np.array([part]), np.array([rank_of_call(trace, call)])
    else:
        found, ranks = _parts_of_turn(every, rank, turn, trace.ranks)
    at = parts.call[found]
    enter = calls.enter[at]
    complete = int(enter.max())
    return CollectiveDetails(
        int(parts.operation[part]),
        communicator,
        int(parts.root[part]),
        ranks,
        at,
        int(ranks[enter.argmin()]),
        int(ranks[enter.argmax()]),
        int(enter.min()),
        complete,
        int(calls.leave[at].max()),
        int(np.clip(complete - enter, 0, np.maximum(calls.leave[at] - enter, 0)).sum()),
        int(np.maximum(parts.sent[found], 0).sum()),
        int(np.maximum(parts.received[found], 0).sum()),
        turn + 1,
        len(own),
        max(len(members), 1),
    )


def operations_on(trace: Trace, communicator: int) -> tuple[Ints, Ints]:
    """Find the parts in operations of a communicator, and the rank of each.

    Returns
    -------
    int64, shape (n,), and int64, shape (n,)
        Indices into the trace's collectives, ascending.
    """
    parts = trace.collectives
    mask = (parts.communicator == communicator) & (parts.call >= 0)
    every = np.flatnonzero(mask & (parts.operation < FIRST_WITHOUT_DATA))
    row = np.searchsorted(trace.calls.offsets, parts.call[every], side="right") - 1
    return every, np.asarray(trace.rank_of_location[row])


def _parts_of_turn(every: Ints, rank: Ints, turn: int, ranks: int) -> tuple[Ints, Ints]:
    order = np.argsort(rank, kind="stable")
    begins = np.searchsorted(rank[order], np.arange(ranks + 1))
    there = np.flatnonzero(begins[:-1] + turn < begins[1:])
    return every[order[begins[there] + turn]], there


@dataclass(frozen=True, slots=True, eq=False)
class CommunicatorDetails:
    """A communicator.

    Attributes
    ----------
    communicator, name
        Index and name.
    ranks
        World ranks of its members.
    operations
        Name of each collective operation on it, how many there were, and the bytes
        that their members sent; the most frequent first.
    messages, size
        Point-to-point messages on it, and their bytes.
    """

    communicator: int
    name: str
    ranks: tuple[int, ...]
    operations: tuple[tuple[int, int, int], ...]
    messages: int
    size: int


def communicator_details(known: Analysis, communicator: int) -> CommunicatorDetails:
    """Find all about a communicator: a pass over messages and collective parts."""
    trace = known.trace
    which, parts, them = trace.communicators[communicator], trace.collectives, []
    every, rank = operations_on(trace, communicator)
    codes, members = parts.operation[every], len(np.unique(rank))
    for code in np.unique(codes).tolist():
        own = every[codes == code]
        size = int(np.maximum(parts.sent[own], 0).sum())
        them.append((code, -(-len(own) // max(members, 1)), size))
    mask = trace.messages.communicator == communicator
    return CommunicatorDetails(
        communicator,
        which.name,
        tuple(rank for rank in which.ranks.tolist() if rank >= 0),
        tuple(sorted(them, key=lambda entry: -entry[1])),
        int(np.count_nonzero(mask)),
        int(trace.messages.size[mask].sum()),
    )


# Ranks at a time.


@dataclass(frozen=True, slots=True)
class RankDetails:
    """A rank at a time.

    Attributes
    ----------
    rank, ticks
        Who, and when.
    state, since, until, region
        `MPIState` that it is in, when that begins and ends, innermost region (or -1).
    call
        Index of the call that it is in, -1 for none.
    whom
        Rank that it waits for now, -1 for none.
    waiting
        Ranks that wait for it now, longest first, and for how many ticks so far.
    calls
        Calls that it makes in all.
    sent, received
        Messages and bytes that it sends, and receives.
    communicators
        Indices of those that it is a member of, but for the world.
    """

    rank: int
    ticks: int
    state: int
    since: int
    until: int
    region: int
    call: int
    whom: int
    waiting: tuple[tuple[int, int], ...]
    calls: int
    sent: tuple[int, int]
    received: tuple[int, int]
    communicators: tuple[int, ...]


def rank_details(known: Analysis, rank: int, ticks: int) -> RankDetails:
    """Find all about a rank at a time."""
    trace, timeline = known.trace, known.trace.timeline
    cursor = TimeCursor(trace)
    at = int(cursor.intervals(ticks)[rank])
    last = at + 1 == int(timeline.offsets[rank + 1])
    call = call_at(trace, rank, ticks)
    whom, waiting = -1, []
    if known.waits is not None:
        found = waiting_for(cursor, known.waits, ticks)
        whom = int(found[rank])
        now, _ = cursor.calls(ticks)
        since = trace.calls.enter[np.maximum(now, 0)]
        waiting = [
            (int(one), ticks - int(since[one])) for one in np.flatnonzero(found == rank)
        ]
    return RankDetails(
        rank,
        ticks,
        int(timeline.state[at]),
        int(timeline.time[at]),
        -1 if last else int(timeline.time[at + 1]),
        int(timeline.region[at]),
        -1 if call is None else call,
        whom,
        tuple(sorted(waiting, key=lambda pair: (-pair[1], pair[0]))),
        int(np.diff(trace.calls.offsets[rank : rank + 2])[0]),
        *_traffic_of(known, rank),
        tuple(
            index
            for index, each in enumerate(trace.communicators)
            if index and len(each.ranks) > 1 and _is_member(each.ranks, rank)
        ),
    )


def _traffic_of(known: Analysis, rank: int) -> tuple[tuple[int, int], tuple[int, int]]:
    matrix = known.matrix
    if matrix is None:
        return (0, 0), (0, 0)
    calls, volume = matrix.calls, matrix.volume
    low, high = calls.indptr[rank : rank + 2].tolist()
    sent = int(calls.data[low:high].sum()), int(volume.data[low:high].sum())
    own = calls.indices == rank
    return sent, (int(calls.data[own].sum()), int(volume.data[own].sum()))


def _is_member(ranks: Indices, rank: int) -> bool:
    return bool(np.any(ranks == rank))
