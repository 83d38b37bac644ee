"""Align the clocks of ranks where the tracer did not, or badly, by causality.

A message is sent before it is received, and nobody leaves a barrier before everybody
has entered it. Each such pair of events bounds the difference of two clocks; the
tightest bounds of all pairs make a graph of difference constraints, whose shortest
paths give each rank an offset with an error bound. Last, the offsets are added to all
times of the trace.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

import numpy as np

from topoview.io.clocks.bounds import ClockBounds, find_clock_bounds, shortest_transfers
from topoview.io.clocks.shift import shift_events
from topoview.io.decoder import library
from topoview.io.decoder.decoding import RecordedEvents
from topoview.io.decoder.library import address, addresses, load_decoder
from topoview.io.repairs.gaps import shifted_gaps
from topoview.model import (
    Bools,
    Calls,
    ClockAlignment,
    Collectives,
    Communicator,
    Indices,
    Ints,
    Messages,
    Regions,
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

_MAX_TRACE_TICKS: Final = 1 << 58
"""Ticks; sums of a few times stay in range. Longer traces hold wrong times."""


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


def count_violations(sent: Ints, received: Ints) -> tuple[int, int]:
    """Count messages that were received before they were sent; the worst."""
    tally = np.zeros(2, np.int64)
    load_decoder().violations(
        address(sent), address(received), len(sent), address(tally)
    )
    count, worst = tally.tolist()
    return count, worst
