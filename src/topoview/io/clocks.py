"""Align the clocks of ranks where the tracer did not, or badly, by causality.

A message is sent before it is received, and nobody leaves a barrier before everybody
has entered it. Each such pair of events bounds the difference of two clocks; the
tightest bounds of all pairs make a graph of difference constraints, whose shortest
paths give each rank an offset with an error bound. Last, the offsets are added to all
times of the trace.
"""

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

import numpy as np

from topoview.io.decoder import library
from topoview.io.decoder.decoding import RecordedEvents
from topoview.io.decoder.library import address, addresses, load_decoder, words_at
from topoview.io.record_types import RECORDS, WHOLE
from topoview.io.repairs.gaps import shifted_gaps
from topoview.model import (
    Bools,
    Calls,
    ClockAlignment,
    Collectives,
    Communicator,
    EventRecords,
    Indices,
    Ints,
    Messages,
    Regions,
    Timeline,
    TimeState,
    writable,
)
from topoview.store.arrays import Allocate

# Bounds between the clocks of ranks: what happens on one before what on another.
#
# A message is sent before it is received; in a collective operation in which all wait
# for all, everyone enters before anyone leaves. With ``o[r]`` added to the times of
# rank ``r`` that makes difference constraints: ``o[a] - o[b] <= t_b - t_a`` if the
# event at ``t_a`` on a's clock comes before the one at ``t_b`` on b's. A collective
# is one more node of the constraints' graph, an instant between the last entry and
# the first exit: linear in its members, where pairs would not be.

MAX_COLLECTIVE_PARTS: Final = 4_000_000
"""Parts in collectives that are looked at; of more a regular sample is taken."""

# OTF2_CollectiveOp codes. Those that let ranks contribute nothing (the v and w
# variants, scans) wait for nobody for certain, and bound nothing.
_ALL_TO_ALL: Final = (0, 6, 8, 11, 13, 14)
_FROM_ROOT: Final = (1, 4)
_TO_ROOT: Final = (2, 12)

_BLOCKING: Final = frozenset(
    (
        "Barrier",
        "Bcast",
        "Gather",
        "Scatter",
        "Allgather",
        "Alltoall",
        "Allreduce",
        "Reduce",
        "Reduce_scatter",
        "Reduce_scatter_block",
    )
)


class ClockBounds(NamedTuple):
    """Difference constraints ``o[before] - o[after] <= most``."""

    nodes: int
    """Number of nodes: ranks, then collectives."""
    before: Indices
    after: Indices
    """`before` and `after`: int32, shape (bounds,): nodes."""
    most: Ints
    """int64, shape (bounds,): ticks."""


def find_clock_bounds(  # noqa: PLR0913
    ranks: int,
    messages: Messages,
    calls: Calls,
    collectives: Collectives,
    regions: Regions,
    sizes: Ints,
    rank_of_row: Indices,
) -> ClockBounds:
    """Collect what messages and collectives say about the clocks.

    Parameters
    ----------
    sizes : int64, shape (communicators,)
        Members of each communicator.
    rank_of_row : int32, shape (rows,)
        Rank of each row of `calls`.
    """
    before, after, most = shortest_transfers(
        ranks,
        messages.sender,
        messages.receiver,
        messages.send_time,
        messages.receive_time,
    )
    row = np.searchsorted(calls.offsets, collectives.call, side="right") - 1
    blocking = np.array([name in _BLOCKING for name in regions.operations] + [False])
    waits = blocking[regions.operation][calls.region[collectives.call]]
    groups = _collective_instances(collectives, rank_of_row[row], sizes, waits)
    more = _collective_bounds(ranks, groups, calls, collectives, rank_of_row[row])
    return ClockBounds(
        ranks + len(groups) - 1,
        np.concatenate((before, more[0])).astype(np.int32),
        np.concatenate((after, more[1])).astype(np.int32),
        np.concatenate((most, more[2])),
    )


class CollectiveInstances(NamedTuple):
    """Parts in the same collective operation, group after group."""

    parts: Ints
    """int64, shape (n,): indices of parts."""
    offsets: Ints
    """int64, shape (groups + 1,): where each group begins in `parts`."""

    def __len__(self) -> int:
        """Count the offsets: one more than groups."""
        return len(self.offsets)


def _collective_instances(
    collectives: Collectives, rank: Indices, sizes: Ints, waits: Bools
) -> CollectiveInstances:
    """Find which parts belong together: the k-th of each rank on a communicator.

    Only communicators on which all members took part equally often count: after
    a lost record nothing is certain.
    """
    communicator = collectives.communicator.astype(np.int64)
    key = communicator * (int(rank.max(initial=0)) + 1) + rank
    order = np.argsort(key, kind="stable")
    starts = np.flatnonzero(np.diff(key[order], prepend=-1))
    counts = np.diff(starts, append=len(order))
    turn = np.empty(len(order), np.int64)
    turn[order] = np.arange(len(order)) - np.repeat(starts, counts)
    whole = _equally_often(communicator[order[starts]], counts, sizes)
    step = max(1, -(-len(order) // MAX_COLLECTIVE_PARTS))
    wanted = np.flatnonzero(whole[communicator] & (turn % step == 0))
    ordered = wanted[np.lexsort((turn[wanted], communicator[wanted]))]
    new = np.diff(communicator[ordered], prepend=-1) != 0
    new |= np.diff(turn[ordered], prepend=-1) != 0
    offsets = np.append(np.flatnonzero(new), len(ordered))
    return _consistent_instances(ordered, offsets, collectives, waits)


def _equally_often(communicator: Ints, counts: Ints, sizes: Ints) -> Bools:
    """Whether all members of each communicator have as many parts."""
    members = np.bincount(communicator, minlength=len(sizes))
    most = np.zeros(len(sizes), np.int64)
    least = np.full(len(sizes), np.iinfo(np.int64).max)
    np.maximum.at(most, communicator, counts)
    np.minimum.at(least, communicator, counts)
    equal: Bools = (members == sizes) & (sizes > 1) & (most == least)
    return equal


def _consistent_instances(
    parts: Ints, offsets: Ints, collectives: Collectives, waits: Bools
) -> CollectiveInstances:
    """Keep groups that agree on operation and root, and wait."""
    if len(offsets) < 2:
        return CollectiveInstances(parts[:0], np.zeros(1, np.int64))
    length = np.diff(offsets)
    first = np.repeat(parts[offsets[:-1]], length)
    agree = waits[parts]
    for column in (collectives.operation, collectives.root):
        agree &= column[parts] == column[first]
    good = np.logical_and.reduceat(agree, offsets[:-1])
    kept = length[good]
    return CollectiveInstances(
        parts[np.repeat(good, length)], np.concatenate(([0], np.cumsum(kept)))
    )


def _collective_bounds(
    ranks: int,
    groups: CollectiveInstances,
    calls: Calls,
    collectives: Collectives,
    rank: Indices,
) -> tuple[Ints, Ints, Ints]:
    parts = groups.parts
    node = ranks + np.repeat(np.arange(len(groups) - 1), np.diff(groups.offsets))
    call, member = collectives.call[parts], rank[parts].astype(np.int64)
    operation = collectives.operation[parts]
    is_root = collectives.root[parts] == member
    every = np.isin(operation, _ALL_TO_ALL)
    comes = every | np.isin(operation, _TO_ROOT)
    comes |= np.isin(operation, _FROM_ROOT) & is_root
    goes = every | np.isin(operation, _FROM_ROOT)
    goes |= np.isin(operation, _TO_ROOT) & is_root
    return (
        np.concatenate((member[comes], node[goes])),
        np.concatenate((node[comes], member[goes])),
        np.concatenate((-calls.enter[call[comes]], calls.leave[call[goes]])),
    )


def shortest_transfers(
    ranks: int, sender: Indices, receiver: Indices, sent: Ints, received: Ints
) -> tuple[Ints, Ints, Ints]:
    """Find the shortest time that a message took, for each pair of ranks.

    Messages of which an end is not recorded (time -1) say nothing. Linear: a
    hash table of pairs.

    Returns
    -------
    before, after, most : int64, shape (pairs,)
        Sender, receiver, and the difference of their clocks' times in ticks.
    """
    memory = ctypes.c_void_p()
    columns = [
        np.ascontiguousarray(column, dtype)
        for column, dtype in (
            (sender, np.int32), (receiver, np.int32),
            (sent, np.int64), (received, np.int64),
        )
    ]  # fmt: skip
    pairs = load_decoder().tightest(
        ranks, *addresses(*columns), len(sender), ctypes.addressof(memory)
    )
    if pairs < 0 or not memory.value:
        raise MemoryError
    before, after, most = words_at(memory.value, 3 * pairs).reshape(3, pairs)
    load_decoder().free(memory)
    return before, after, most


# Clock offsets of ranks from causality.
#
# The constraints of `clock_bounds` are those of shortest paths: the offset of a rank
# against another one lies between the negative distance to it and the distance from
# it (Bellman 1958; for clocks: Duda, Harrus, Haddad, Bernard 1987, "Estimating global
# time in distributed systems", who use the same corridor for two clocks). The middle
# of that interval is feasible for all ranks together; each rank is then moved to the
# middle of what its neighbours leave it, which halves the error. Where the clocks
# drift the constraints contradict each other: all of them are loosened by the least
# slack that resolves this, the largest mean weight of a contradicting cycle (Lawler
# 1976).

UNREACHABLE: Final = np.int64(1) << np.int64(61)
"""Longer than any distance: not connected."""
_MAX_SLACK: Final = np.int64(1) << np.int64(60)


@dataclass(frozen=True, slots=True, eq=False)
class ClockOffsets:
    """What to add to the times of each rank."""

    offset: Ints
    """int64, shape (ranks,): ticks; 0 for the reference."""
    half_width: Ints
    """int64, shape (ranks,): the offset is uncertain by that many ticks to both sides;
    -1 where it is not bounded."""
    slack: int
    """Ticks by which constraints had to be loosened."""


def find_clock_offsets(
    ranks: int, bounds: ClockBounds, reference: int = 0
) -> ClockOffsets | None:
    """Find offsets that make everything happen after what it depends on.

    Parameters
    ----------
    reference
        Rank whose clock the others are compared with.

    Returns
    -------
    ClockOffsets or None
        None if clocks are so far apart that distances do not fit into 61 bits.
    """
    incoming, outgoing = _arcs(bounds), _arcs(_reversed(bounds))
    starts = (
        (incoming, _from_node(bounds.nodes, reference)),
        (outgoing, _from_node(bounds.nodes, reference)),
        (incoming, _from_all(bounds.nodes, ranks)),
    )
    slack = np.int64(0)
    distances, lack = _distances(starts, slack)
    while lack:
        slack += lack
        if lack < 0 or slack >= _MAX_SLACK:
            return None
        distances, lack = _distances(starts, slack)
    up, down, free = distances
    reachable = (up < UNREACHABLE) & (down < UNREACHABLE)
    half = np.where(reachable, (up + down) // 2, -1)
    alone = (np.diff(incoming.offsets) == 0) & (np.diff(outgoing.offsets) == 0)
    middle = np.where(reachable, (up - down) // 2, 0)
    start = middle if (reachable | alone).all() else free
    offset = _centred(incoming, outgoing, start, slack)[:ranks]
    return ClockOffsets(offset - offset[reference], half[:ranks], int(slack))


def _distances(
    starts: Sequence[tuple["ConstraintArcs", Ints]], slack: np.int64
) -> tuple[list[Ints], np.int64]:
    """Find the shortest paths from each start, or what the slack lacks."""
    distances = []
    for arcs, start in starts:
        distance, lack = shortest_paths(arcs, start, slack)
        if lack:
            return [], lack
        distances.append(distance)
    return distances, np.int64(0)


class ConstraintArcs(NamedTuple):
    """Rows of arcs: those from node ``n`` are ``offsets[n]`` to ``offsets[n + 1]``."""

    offsets: Ints
    head: Indices
    weight: Ints

    def structure(self) -> library.Arcs:
        """Their addresses, for the decoder; they must be kept alive."""
        return library.Arcs(*addresses(*self))


def _reversed(bounds: ClockBounds) -> ClockBounds:
    return bounds._replace(before=bounds.after, after=bounds.before)


def _arcs(bounds: ClockBounds) -> ConstraintArcs:
    """Arcs from `after` to `before`: ``o[before] <= o[after] + most``."""
    order = np.argsort(bounds.after, kind="stable")
    counts = np.bincount(bounds.after, minlength=bounds.nodes)
    offsets = np.concatenate(([0], np.cumsum(counts)))
    return ConstraintArcs(
        offsets.astype(np.int64),
        bounds.before[order].astype(np.int32),
        bounds.most[order].astype(np.int64),
    )


def _from_node(nodes: int, node: int) -> Ints:
    distance = np.full(nodes, UNREACHABLE)
    distance[node] = 0
    return distance


def _from_all(nodes: int, ranks: int) -> Ints:
    distance = np.full(nodes, UNREACHABLE)
    distance[:ranks] = 0
    return distance


def shortest_paths(
    arcs: ConstraintArcs, distance: Ints, slack: np.int64
) -> tuple[Ints, np.int64]:
    """Find shortest paths where weights may be negative.

    Parameters
    ----------
    arcs
        The graph.
    distance : int64, shape (nodes,)
        Distance of each node at the start, `UNREACHABLE` if it is no start.
    slack
        Added to all weights.

    Returns
    -------
    distance : int64, shape (nodes,)
    lack
        0, or by how much weights must grow before a cycle that was found stops
        being negative; -1 if a distance does not fit. Distances mean nothing then.
    """
    shortest, lack = distance.copy(), np.zeros(1, np.int64)
    graph = arcs.structure()
    load_decoder().shortest(
        graph.address, len(shortest), int(slack), address(shortest), address(lack)
    )
    return shortest, lack[0]


def _centred(
    incoming: ConstraintArcs, outgoing: ConstraintArcs, start: Ints, slack: np.int64
) -> Ints:
    """Move each node to the middle of what its neighbours leave it."""
    place = start.copy()
    graphs = incoming.structure(), outgoing.structure()
    load_decoder().relax(
        *(graph.address for graph in graphs), len(place), int(slack), address(place)
    )
    return place


MAX_VIOLATION_SECONDS: Final = 100e-6
"""Violations of causality that producers' own corrections of clocks leave."""

_OUTSIDE: Final = np.uint8(TimeState.OUTSIDE)
_MAX_TRACE_TICKS: Final = 1 << 58
"""Ticks; sums of a few times stay in range. Longer traces hold wrong times."""

_TIME_FIELDS: Final = {
    record.name: [i for i, field in enumerate(record.fields) if field.form == WHOLE]
    for record in RECORDS.values()
}
"""Fields of records that are times."""


class ClockEvidence(NamedTuple):
    """What clocks are aligned by; see `find_clock_bounds`."""

    length: int
    """Ticks to the last event."""
    last: Ints
    """int64, shape (rows,): as in `RecordedEvents`."""
    messages: Messages
    calls: Calls
    collectives: Collectives
    """`messages`, `calls` and `collectives`: as in the model; of calls those that take
    part in collectives suffice."""
    first: Ints
    """int64, shape (rows,): ticks to the first event of each row, -1 without events."""
    tolerance: int
    """Ticks by which a message may be received before it is sent afterwards; else
    clocks stay as they are. -1 where the producer did not align them: then any."""


class ClockCorrection(NamedTuple):
    """What is added to the times of each rank, as in `ClockAlignment`."""

    offset: Ints
    half_width: Ints
    slack: int
    unbounded: int

    def alignment(self, before: int, after: int, worst: int) -> ClockAlignment:
        """Return it with the messages that were received before they were sent."""
        return ClockAlignment(
            offset=self.offset,
            half_width=self.half_width,
            slack=self.slack,
            before=before,
            after=after,
            worst=worst,
            unbounded=self.unbounded,
        )


def must_align(aligned: bool, worst: int, resolution: int) -> bool:
    """Return whether clocks are not aligned, or disagree by more than is usual.

    Parameters
    ----------
    aligned
        Whether the producer aligned them.
    worst
        Ticks by which a message is received before it is sent, at most.
    """
    return not aligned or worst > MAX_VIOLATION_SECONDS * resolution


def allowed_violation(aligned: bool, resolution: int) -> int:
    """Return the tolerance of `ClockEvidence`."""
    return int(MAX_VIOLATION_SECONDS * resolution) if aligned else -1


def correct_times(
    events: RecordedEvents,
    correction: ClockCorrection,
    rank: Indices,
    allocate: Allocate,
) -> tuple[RecordedEvents, tuple[int, int]]:
    """Add a correction to the times of some rows.

    Parameters
    ----------
    events
        If the producer did not align clocks times count from each rank's first event.
        Its arrays are written to.
    rank : int32, shape (rows,)
        Rank of each row.

    Returns
    -------
    RecordedEvents, (int, int)
        Also how many of their messages are received before they are sent now, and by
        how many ticks at most.
    """
    offset = correction.offset
    shifted = shift_events(events, offset[rank], offset, allocate)
    sent, received = shifted.messages.send_time, shifted.messages.receive_time
    return shifted, count_violations(sent, received)


def note_correction(
    events: RecordedEvents,
    correction: ClockCorrection,
    violations: Sequence[tuple[int, int]],
) -> RecordedEvents:
    """Note in the events of a trace how their times were corrected.

    Parameters
    ----------
    violations
        From `correct_times`, of each part.
    """
    backwards = sum(count for count, _ in violations)
    worst = max((ticks for _, ticks in violations), default=0)
    return replace(
        events,
        aligned=True,
        alignment=correction.alignment(events.tally.backwards, backwards, worst),
        gaps=shifted_gaps(events.gaps, correction.offset),
        tally=events.tally._replace(backwards=backwards, worst=worst),
    )


def find_correction(
    evidence: ClockEvidence,
    rank: Indices,
    ranks: int,
    regions: Regions,
    communicators: tuple[Communicator, ...],
) -> ClockCorrection | None:
    """Find what to add to the times of ranks; None if few of them can be aligned."""
    if not evidence.length < _MAX_TRACE_TICKS:
        return None
    active = np.zeros(ranks, np.bool_)
    active[rank[evidence.last >= 0]] = True
    if np.count_nonzero(active) < 2:
        return None
    bounds = find_clock_bounds(
        ranks,
        evidence.messages,
        evidence.calls,
        evidence.collectives,
        regions,
        np.array([np.count_nonzero(active[c.ranks]) for c in communicators], np.int64),
        rank,
    )
    offsets = find_clock_offsets(ranks, bounds, _reference_rank(ranks, bounds, active))
    if offsets is None:
        return None
    aligned = active & (offsets.half_width >= 0)
    if 2 * np.count_nonzero(aligned) <= np.count_nonzero(active):
        return None
    offset = np.where(active, offsets.offset, 0)
    if 0 <= evidence.tolerance < _worst_violation(ranks, evidence.messages, offset):
        return None
    there = np.flatnonzero(evidence.first >= 0)
    offset[active] -= (evidence.first[there] + offset[rank[there]]).min()
    if evidence.length + int(offset.max()) >= _MAX_TRACE_TICKS:
        return None
    return ClockCorrection(
        offset,
        np.where(aligned, offsets.half_width, -1),
        offsets.slack,
        int(np.count_nonzero(active & ~aligned)),
    )


def _worst_violation(ranks: int, messages: Messages, offset: Ints) -> int:
    """Compute by how much messages arrive before they are sent with these offsets."""
    sender, receiver, took = shortest_transfers(
        ranks,
        messages.sender,
        messages.receiver,
        messages.send_time,
        messages.receive_time,
    )
    return -int((took + offset[receiver] - offset[sender]).min(initial=0))


def _reference_rank(ranks: int, bounds: ClockBounds, active: Bools) -> int:
    """Choose the rank that others are compared with: the one with most bounds."""
    to = np.bincount(bounds.before, minlength=bounds.nodes)[:ranks]
    back = np.bincount(bounds.after, minlength=bounds.nodes)[:ranks]
    return int(np.argmax(np.where(active, np.minimum(to, back), -1)))


def shift_events(
    events: RecordedEvents, of_row: Ints, of_rank: Ints, allocate: Allocate
) -> RecordedEvents:
    """Add to the times of all rows, and to those of messages: in place, but intervals.

    Parameters
    ----------
    of_row, of_rank : int64
        Ticks for each row; for the ends of messages, by rank.
    """
    calls, messages = events.calls, events.messages
    for column in (calls.enter, calls.leave):
        _add_to_rows(writable(column), calls.offsets, of_row)
    _add_to_message_ends(writable(messages.send_time), messages.sender, of_rank)
    _add_to_message_ends(writable(messages.receive_time), messages.receiver, of_rank)
    for records in events.further:
        _shift_records(records, of_row)
    for array in (calls.enter, calls.leave, messages.send_time, messages.receive_time):
        array.flags.writeable = False
    return replace(
        events,
        timeline=_shift_timeline(events.timeline, of_row, allocate),
        last=np.where(events.last >= 0, events.last + of_row, -1),
        first=np.where(events.first >= 0, events.first + of_row, -1),
    )


def _shift_records(records: EventRecords, of_row: Ints) -> None:
    _add_to_rows(writable(records.time), records.offsets, of_row)
    records.time.flags.writeable = False
    values = writable(records.values)
    for place in _TIME_FIELDS.get(records.name, ()):
        _add_to_rows(values[:, place], records.offsets, of_row)
    values.flags.writeable = False


def _shift_timeline(timeline: Timeline, of_row: Ints, allocate: Allocate) -> Timeline:
    """Shift intervals; what begins later is outside until then."""
    timeline = _without_leads(timeline, of_row)
    first = timeline.offsets[:-1]
    lead = (of_row > 0) & (timeline.state[first] != _OUTSIDE)
    count = np.diff(timeline.offsets) + lead
    offsets = np.concatenate([[0], np.cumsum(count)]).astype(np.int64)
    size = int(offsets[-1])
    time = allocate("timeline.time", size, np.int64)
    state = allocate("timeline.state", size, np.uint8)
    region = allocate("timeline.region", size, np.int32)
    old = timeline.offsets, timeline.time, timeline.state, timeline.region
    both = [
        library.Timeline(*addresses(*arrays))
        for arrays in (old, (offsets, time, state, region))
    ]
    load_decoder().shift_timeline(
        both[0].address, len(of_row), address(of_row),
        address(lead.view(np.uint8)), both[1].address,
    )  # fmt: skip
    return Timeline(offsets, time, state, region)


def begin_of_rows(timeline: Timeline) -> Ints:
    """Find when the first interval of each row that is no lead begins.

    Returns
    -------
    int64, shape (rows,)
        0 where the row is not outside at first; -1 where it is nothing else.
    """
    first, stop = timeline.offsets[:-1], timeline.offsets[1:]
    outside = timeline.state[first] == _OUTSIDE
    second = np.minimum(first + 1, len(timeline.time) - 1)
    begin = np.where(first + 1 < stop, timeline.time[second], -1)
    result: Ints = np.where(outside, begin, 0)
    return result


def _without_leads(timeline: Timeline, of_row: Ints) -> Timeline:
    """Drop the first interval of rows that begin with the trace when shifted."""
    begin = begin_of_rows(timeline)
    rows = np.flatnonzero((begin > 0) & (begin + of_row <= 0))
    if not len(rows):
        return timeline
    first = timeline.offsets[rows]
    time = timeline.time.copy()
    time[first + 1] = 0
    counts = np.diff(timeline.offsets)
    counts[rows] -= 1
    return Timeline(
        np.append(0, np.cumsum(counts)),
        np.delete(time, first),
        np.delete(timeline.state, first),
        np.delete(timeline.region, first),
    )


def _add_to_rows(times: Ints, offsets: Ints, of_row: Ints) -> None:
    load_decoder().shift_rows(
        address(times), times.strides[0], address(offsets), address(of_row), len(of_row)
    )


def _add_to_message_ends(times: Ints, rank: Indices, of_rank: Ints) -> None:
    """Shift ends of messages; -1 is one that was not recorded."""
    load_decoder().shift_ends(
        address(times), address(rank), len(times), address(of_rank)
    )


def count_violations(sent: Ints, received: Ints) -> tuple[int, int]:
    """Count messages that were received before they were sent; the worst."""
    tally = np.zeros(2, np.int64)
    load_decoder().violations(
        address(sent), address(received), len(sent), address(tally)
    )
    count, worst = tally.tolist()
    return count, worst
