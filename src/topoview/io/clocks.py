"""Align the clocks of ranks that the tracer did not align, by causality.

A message is sent before it is received, and nobody leaves a barrier before everybody
has entered it. Each such pair of events bounds the difference of two clocks; the
tightest bounds of all pairs make a graph of difference constraints, whose shortest
paths give each rank an offset with an error bound. Last, the offsets are added to all
times of the trace.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

from topoview.hash_table import slot_of
from topoview.io.assembly import RecordedEvents
from topoview.io.record_types import RECORDS, WHOLE
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
    MPIState,
    Regions,
    Timeline,
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

# mypy: allow-untyped-defs
# ruff: noqa: ANN001, ANN202 - numba finds the types of what has none


MAX_COLLECTIVE_PARTS: Final = 4_000_000
"""Parts in collectives that are looked at; of more a regular sample is taken."""

# OTF2_CollectiveOp codes. Those that let ranks contribute nothing (the v and w
# variants, scans) wait for nobody for certain, and bound nothing.
_ALL_TO_ALL: Final = (0, 6, 8, 11, 13, 14)
_FROM_ROOT: Final = (1, 4)
_TO_ROOT: Final = (2, 12)

_BLOCKING: Final = frozenset(
    (
        *("Barrier", "Bcast", "Gather", "Scatter", "Allgather", "Alltoall"),
        *("Allreduce", "Reduce", "Reduce_scatter", "Reduce_scatter_block"),
    )
)


class ClockBounds(NamedTuple):
    """Difference constraints ``o[before] - o[after] <= most``.

    Attributes
    ----------
    nodes
        Number of nodes: ranks, then collectives.
    before, after : int32, shape (bounds,)
        Nodes.
    most : int64, shape (bounds,)
        Ticks.
    """

    nodes: int
    before: Indices
    after: Indices
    most: Ints


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
    """Parts in the same collective operation, group after group.

    Attributes
    ----------
    parts : int64, shape (n,)
        Indices of parts.
    offsets : int64, shape (groups + 1,)
        Where each group begins in `parts`.
    """

    parts: Ints
    offsets: Ints

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


@numba.njit(nogil=True, cache=True)
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
    keys = np.full(1 << 10, -1, np.int64)
    least = np.empty(1 << 10, np.int64)
    used = 0
    for m in range(len(sender)):
        if sent[m] < 0 or received[m] < 0 or sender[m] == receiver[m]:
            continue
        key = np.int64(sender[m]) * ranks + receiver[m]
        slot = slot_of(keys, key)
        took = received[m] - sent[m]
        if keys[slot] < 0:
            keys[slot], least[slot] = key, took
            used += 1
            if 2 * used > len(keys):
                keys, least = _doubled_table(keys, least)
        elif took < least[slot]:
            least[slot] = took
    found = np.flatnonzero(keys >= 0)
    return keys[found] // ranks, keys[found] % ranks, least[found]


@numba.njit(nogil=True, cache=True)
def _doubled_table(keys, least):
    larger = np.full(2 * len(keys), -1, np.int64)
    values = np.empty_like(larger)
    for old in range(len(keys)):
        if keys[old] >= 0:
            slot = slot_of(larger, keys[old])
            larger[slot], values[slot] = keys[old], least[old]
    return larger, values


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

# mypy: allow-untyped-defs
# ruff: noqa: ANN001, ANN202 - numba finds the types of what has none


UNREACHABLE: Final = np.int64(1) << np.int64(61)
"""Longer than any distance: not connected."""

_MAX_SWEEPS: Final = 200


@dataclass(frozen=True, slots=True, eq=False)
class ClockOffsets:
    """What to add to the times of each rank.

    Attributes
    ----------
    offset : int64, shape (ranks,)
        Ticks; 0 for the reference.
    half_width : int64, shape (ranks,)
        The offset is uncertain by that many ticks to both sides; -1 where it
        is not bounded.
    slack
        Ticks by which constraints had to be loosened.
    """

    offset: Ints
    half_width: Ints
    slack: int


def find_clock_offsets(
    ranks: int, bounds: ClockBounds, reference: int = 0
) -> ClockOffsets:
    """Find offsets that make everything happen after what it depends on.

    Parameters
    ----------
    reference
        Rank whose clock the others are compared with.
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
        distances, lack = _distances(starts, slack)
    up, down, free = distances
    known = (up < UNREACHABLE) & (down < UNREACHABLE)
    half = np.where(known, (up + down) // 2, -1)
    alone = (np.diff(incoming.offsets) == 0) & (np.diff(outgoing.offsets) == 0)
    middle = np.where(known, (up - down) // 2, 0)
    start = middle if (known | alone).all() else free
    offset = _centred(incoming, outgoing, start, slack)[:ranks]
    return ClockOffsets(offset - offset[reference], half[:ranks], int(slack))


def _distances(
    starts: Sequence[tuple["ConstraintArcs", Ints]], slack: np.int64
) -> tuple[list[Ints], np.int64]:
    """Find the shortest paths from each start, or what the slack lacks."""
    found = []
    for arcs, start in starts:
        distance, lack = shortest_paths(arcs, start, slack)
        if lack:
            return [], lack
        found.append(distance)
    return found, np.int64(0)


class ConstraintArcs(NamedTuple):
    """Rows of arcs: those from node ``n`` are ``offsets[n]`` to ``offsets[n + 1]``."""

    offsets: Ints
    head: Indices
    weight: Ints


def _reversed(bounds: ClockBounds) -> ClockBounds:
    return bounds._replace(before=bounds.after, after=bounds.before)


def _arcs(bounds: ClockBounds) -> ConstraintArcs:
    """Arcs from `after` to `before`: ``o[before] <= o[after] + most``."""
    order = np.argsort(bounds.after, kind="stable")
    counts = np.bincount(bounds.after, minlength=bounds.nodes)
    offsets = np.concatenate(([0], np.cumsum(counts)))
    return ConstraintArcs(offsets, bounds.before[order], bounds.most[order])


def _from_node(nodes: int, node: int) -> Ints:
    distance = np.full(nodes, UNREACHABLE)
    distance[node] = 0
    return distance


def _from_all(nodes: int, ranks: int) -> Ints:
    distance = np.full(nodes, UNREACHABLE)
    distance[:ranks] = 0
    return distance


@numba.njit(nogil=True, cache=True)
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
        being negative; distances mean nothing then.
    """
    nodes = len(distance)
    distance = distance.copy()
    parent = np.full(nodes, -1, np.int64)
    queue = np.empty(nodes, np.int64)
    waiting = distance < UNREACHABLE
    starts = np.flatnonzero(waiting)
    queue[: len(starts)] = starts
    first, length, steps = 0, len(starts), 0
    while length:
        node = queue[first]
        first = (first + 1) % nodes
        length -= 1
        waiting[node] = False
        for arc in range(arcs.offsets[node], arcs.offsets[node + 1]):
            head = arcs.head[arc]
            reached = distance[node] + arcs.weight[arc] + slack
            if reached < distance[head]:
                distance[head] = reached
                parent[head] = arc
                if not waiting[head]:
                    waiting[head] = True
                    queue[(first + length) % nodes] = head
                    length += 1
        steps += 1
        if steps % nodes == 0:
            lack = _cycle_deficit(arcs, parent, slack)
            if lack:
                return distance, lack
    return distance, np.int64(0)


@numba.njit(nogil=True, cache=True)
def _cycle_deficit(arcs, parent, slack):
    """Find by how much the weights on a cycle of parents fall short of 0."""
    nodes = len(parent)
    seen = np.full(nodes, -1, np.int64)
    worst = np.int64(0)
    for start in range(nodes):
        node = start
        while seen[node] < 0 and parent[node] >= 0:
            seen[node] = start
            node = _arc_tail(arcs, parent[node])
        if parent[node] < 0 or seen[node] != start:
            seen[node] = start if seen[node] < 0 else seen[node]
            continue
        total, length, at = np.int64(0), 0, node
        while True:
            total += arcs.weight[parent[at]] + slack
            length += 1
            at = _arc_tail(arcs, parent[at])
            if at == node:
                break
        worst = max(worst, -(total // length))
    return worst


@numba.njit(nogil=True, cache=True, inline="always")
def _arc_tail(arcs, arc):
    return np.searchsorted(arcs.offsets, arc, side="right") - 1


@numba.njit(nogil=True, cache=True)
def _centred(incoming, outgoing, start, slack):
    """Move each node to the middle of what its neighbours leave it."""
    place = start.copy()
    for sweep in range(_MAX_SWEEPS):
        moved = np.int64(0)
        for step in range(len(place)):
            node = step if sweep % 2 == 0 else len(place) - 1 - step
            most, least = UNREACHABLE, -UNREACHABLE
            for arc in range(outgoing.offsets[node], outgoing.offsets[node + 1]):
                there = place[outgoing.head[arc]]
                if there < UNREACHABLE:
                    most = min(most, there + outgoing.weight[arc] + slack)
            for arc in range(incoming.offsets[node], incoming.offsets[node + 1]):
                there = place[incoming.head[arc]]
                if there < UNREACHABLE:
                    least = max(least, there - incoming.weight[arc] - slack)
            if most < UNREACHABLE and least > -UNREACHABLE:
                middle = least + (most - least) // 2
                moved = max(moved, abs(middle - place[node]))
                place[node] = middle
            else:
                place[node] = max(least, min(most, place[node]))
        if moved <= 1:
            break
    return place


# mypy: allow-untyped-defs
# ruff: noqa: ANN001, ANN202 - numba finds the types of what has none


_OUTSIDE: Final = np.uint8(MPIState.OUTSIDE)
_MAX_TRACE_TICKS: Final = 1 << 58
"""Ticks; sums of a few times stay in range. Longer traces hold wrong times."""

_TIME_FIELDS: Final = {
    record.name: [i for i, field in enumerate(record.fields) if field.form == WHOLE]
    for record in RECORDS.values()
}
"""Fields of records that are times."""


def align_clocks(  # noqa: PLR0913
    found: RecordedEvents,
    rank: Indices,
    ranks: int,
    regions: Regions,
    communicators: tuple[Communicator, ...],
    allocate: Allocate,
) -> RecordedEvents:
    """Align the clocks of ranks, if they are not and most of them can be.

    Parameters
    ----------
    found
        Times count from each rank's first event. Its arrays are written to.
    rank : int32, shape (rows,)
        Rank of each row.
    """
    if found.aligned or not found.length < _MAX_TRACE_TICKS:
        return found
    active = np.zeros(ranks, np.bool_)
    active[rank[found.last >= 0]] = True
    if np.count_nonzero(active) < 2:
        return found
    bounds = find_clock_bounds(
        ranks,
        found.messages,
        found.calls,
        found.collectives,
        regions,
        np.array([np.count_nonzero(active[c.ranks]) for c in communicators], np.int64),
        rank,
    )
    offsets = find_clock_offsets(ranks, bounds, _reference_rank(ranks, bounds, active))
    known = active & (offsets.half_width >= 0)
    if 2 * np.count_nonzero(known) <= np.count_nonzero(active):
        return found
    offset = np.where(active, offsets.offset, 0)
    offset[active] -= offset[active].min()
    if found.length + int(offset.max()) >= _MAX_TRACE_TICKS:
        return found
    shifted = _shift_events(found, offset[rank], offset, allocate)
    after, worst = _count_violations(
        found.messages.send_time, found.messages.receive_time
    )
    alignment = ClockAlignment(
        offset=offset,
        half_width=np.where(known, offsets.half_width, -1),
        slack=offsets.slack,
        before=found.tally.backwards,
        after=int(after),
        worst=int(worst),
        unbounded=int(np.count_nonzero(active & ~known)),
    )
    tally = found.tally._replace(backwards=int(after), worst=int(worst))
    return replace(shifted, tally=tally, aligned=True, alignment=alignment)


def _reference_rank(ranks: int, bounds: ClockBounds, active: Bools) -> int:
    """Choose the rank that others are compared with: the one with most bounds."""
    to = np.bincount(bounds.before, minlength=bounds.nodes)[:ranks]
    back = np.bincount(bounds.after, minlength=bounds.nodes)[:ranks]
    return int(np.argmax(np.where(active, np.minimum(to, back), -1)))


def _shift_events(
    found: RecordedEvents, of_row: Ints, of_rank: Ints, allocate: Allocate
) -> RecordedEvents:
    """Add to the times of all rows, and to those of messages."""
    calls, messages = found.calls, found.messages
    for column in (calls.enter, calls.leave):
        _add_to_rows(_writable(column), calls.offsets, of_row)
    _add_to_message_ends(_writable(messages.send_time), messages.sender, of_rank)
    _add_to_message_ends(_writable(messages.receive_time), messages.receiver, of_rank)
    for records in found.further:
        _shift_records(records, of_row)
    for array in (calls.enter, calls.leave, messages.send_time, messages.receive_time):
        array.flags.writeable = False
    return replace(
        found,
        timeline=_shift_timeline(found.timeline, of_row, allocate),
        last=np.where(found.last >= 0, found.last + of_row, -1),
    )


def _shift_records(records: EventRecords, of_row: Ints) -> None:
    _add_to_rows(_writable(records.time), records.offsets, of_row)
    records.time.flags.writeable = False
    values = _writable(records.values)
    for place in _TIME_FIELDS.get(records.name, ()):
        _add_to_rows(values[:, place], records.offsets, of_row)
    values.flags.writeable = False


def _shift_timeline(timeline: Timeline, of_row: Ints, allocate: Allocate) -> Timeline:
    """Shift intervals; what begins later is outside until then."""
    first = timeline.offsets[:-1]
    lead = (of_row > 0) & (timeline.state[first] != _OUTSIDE)
    count = np.diff(timeline.offsets) + lead
    offsets = np.concatenate([[0], np.cumsum(count)]).astype(np.int64)
    size = int(offsets[-1])
    time = allocate("timeline.time", size, np.int64)
    state = allocate("timeline.state", size, np.uint8)
    region = allocate("timeline.region", size, np.int32)
    old = timeline.offsets, timeline.time, timeline.state, timeline.region
    _move_intervals(old, of_row, lead, offsets, (time, state, region))
    return Timeline(offsets, time, state, region)


def _writable(array: Ints) -> Ints:
    array.flags.writeable = True
    return array


@numba.njit(nogil=True, cache=True)
def _add_to_rows(times: NDArray[np.int64], offsets: Ints, of_row: Ints) -> None:
    for row in range(len(of_row)):
        for i in range(offsets[row], offsets[row + 1]):
            times[i] += of_row[row]


@numba.njit(nogil=True, cache=True)
def _add_to_message_ends(times: Ints, rank: Indices, of_rank: Ints) -> None:
    """Shift ends of messages; -1 is one that was not recorded."""
    for i in range(len(times)):
        if times[i] >= 0:
            times[i] += of_rank[rank[i]]


@numba.njit(nogil=True, cache=True)
def _count_violations(sent: Ints, received: Ints) -> tuple[int, int]:
    """Count messages that were received before they were sent; the worst."""
    count, worst = 0, np.int64(0)
    for i in range(len(sent)):
        if sent[i] >= 0 and received[i] >= 0 and received[i] < sent[i]:
            count += 1
            worst = max(worst, sent[i] - received[i])
    return count, int(worst)


@numba.njit(nogil=True, cache=True)
def _move_intervals(old, of_row, lead, offsets, new):
    begins, time, state, region = old
    new_time, new_state, new_region = new
    for row in range(len(of_row)):
        at = offsets[row]
        first = begins[row]
        if lead[row]:
            new_time[at], new_state[at], new_region[at] = 0, _OUTSIDE, -1
            at += 1
        for i in range(first, begins[row + 1]):
            is_outside = i == first and not lead[row]
            new_time[at] = time[i] if is_outside else time[i] + of_row[row]
            new_state[at] = state[i]
            new_region[at] = region[i]
            at += 1
