"""Who came last to each collective operation: told by parts of the ranks, and to them.

An operation is numbered by its group and its turn there, which each rank counts by
itself. So parts of a trace tell when their ranks came and left, that is joined, and
each part looks up in it for whom its own calls wait.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from topoview.analysis.partners.neighbourhoods import (
    NEIGHBOURHOOD,
    cartesian_neighbours,
    declared_by_communicator,
)
from topoview.analysis.waits.operations import kernels
from topoview.analysis.waits.operations.instances import (
    numbered_parts,
    parts_in_collectives,
)
from topoview.analysis.waits.operations.unrecorded import group_sizes, unrecorded_parts
from topoview.base.progress import Report, batches, silent
from topoview.grouping import counting_sort, factorize, index_in_run
from topoview.model import (
    PARTS_MISSED,
    Bools,
    Bytes,
    Calls,
    CollectiveTimes,
    Indices,
    Ints,
    Part,
    Regions,
    Trace,
    places_among,
)

LOOKING = "looking for who waits"

BARRIER, NXN, BROADCAST, REDUCE, SCAN = range(2, 7)
"""Indices into `WAIT_KINDS`."""

KIND_OF_OPERATION = np.array(
    [
        BARRIER,
        BROADCAST,
        REDUCE,
        REDUCE,
        BROADCAST,
        BROADCAST,
        NXN,
        NXN,
        NXN,
        NXN,
        NXN,
        NXN,
        REDUCE,
        NXN,
        SCAN,
        SCAN,
        NXN,
    ],
    np.uint8,
)
"""Wait state in each collective operation, by its OTF2_CollectiveOp code."""

_TURNS: Final = 1 << 40
"""More than any group has operations."""


class OperationParts(NamedTuple):
    """Parts of ranks in operations: shape (n,) each, by operation and rank."""

    operation: Ints
    rank: Ints
    call: Ints
    """`operation`, `rank` and `call`: number of the operation, and who calls it."""
    kind: Bytes
    """Wait state that it can be."""
    is_root: Bools
    """Whether that rank is the operation's root."""
    group: Ints
    """Group of ranks that all call it."""
    done: Ints
    """Call in which it completes."""
    near: Bools
    """Whether it needs its neighbours only."""

    def some(self, which: Ints | Bools) -> "OperationParts":
        """Return some of the parts."""
        return OperationParts._make(column[which] for column in self)


class Needed(NamedTuple):
    """For whom calls wait: shape (n,) each; `until` is -1 where for nobody."""

    whom: Ints
    cause: Ints
    until: Ints


def in_order(parts: OperationParts) -> OperationParts:
    """Put parts in order of their operations, then ranks."""
    return parts.some(np.lexsort((parts.rank, parts.operation)))


def operation_parts(part: Part) -> OperationParts:
    """List what some ranks do in collective operations."""
    own, turn = numbered_parts(parts_in_collectives(part), part.trace.ranks)
    rows, table, regions = own.parts, part.trace.collectives, part.trace.regions
    done = table.completion_call[rows]
    near = [NEIGHBOURHOOD.fullmatch(name) is not None for name in regions.operations]
    recorded = OperationParts(
        operation=own.group * _TURNS + turn,
        rank=own.rank,
        call=own.call,
        kind=KIND_OF_OPERATION[table.operation[rows]],
        is_root=own.rank == table.root[rows],
        group=own.group,
        done=np.where(done >= 0, done, own.call),
        near=np.array([*near, False])[
            regions.operation[part.trace.calls.region[own.call]]
        ],
    )
    more = unrecorded_parts(part)
    others = OperationParts(
        operation=more.group * _TURNS + more.turn,
        rank=more.rank,
        call=more.call,
        kind=more.kind,
        is_root=np.zeros(len(more.call), np.bool_),
        group=more.group,
        done=more.done,
        near=np.zeros(len(more.call), np.bool_),
    )
    both = {
        name: np.concatenate([getattr(recorded, name), getattr(others, name)])
        for name in OperationParts._fields
    }
    return in_order(OperationParts(**both))


def whole_operations(part: Part, times: CollectiveTimes) -> OperationParts:
    """List what some ranks do in operations of all ranks of a group that were recorded.

    Of those whose group the trace does not tell, where nobody left before all came.
    """
    parts, trace = operation_parts(part), part.trace
    at = np.searchsorted(times.operation, parts.operation)
    there = times.parts[at] + _missing(trace, parts.operation)
    whole = there == group_sizes(trace)[parts.group]
    last = np.searchsorted(times.came[0], parts.operation, side="right") - 1
    together = times.came[3, last] <= times.left[at]
    return parts.some(whole & (together | (parts.group < len(trace.communicators))))


def _missing(trace: Trace, operation: Ints) -> Ints:
    """Count the members of operations that were not recorded then, at known turns."""
    result = np.zeros(len(operation), np.int64)
    for missed in trace.earlier:
        if missed.name == PARTS_MISSED:
            first = missed.column("communicator") * _TURNS + missed.column("turn")
            begun = np.searchsorted(np.sort(first), operation, side="right")
            ended = np.searchsorted(np.sort(first + missed.count), operation, "right")
            result += begun - ended
    return result


def collective_times(part: Part, report: Report = silent) -> CollectiveTimes:
    """Find when some ranks came to collective operations, and left them."""
    report(LOOKING, 0.0)
    return times_of(operation_parts(part), part.trace.calls)


def times_of(parts: OperationParts, calls: Calls) -> CollectiveTimes:
    """Find when ranks came to operations, and left them, from all parts."""
    came = np.stack(
        [
            parts.operation,
            parts.rank,
            parts.call,
            calls.enter[parts.call],
            parts.kind == SCAN,
        ]
    )
    ones = np.ones(len(parts.operation), np.int64)
    left = calls.leave[parts.done]
    roots, near = came[:, parts.is_root], came[:4, parts.near]
    return joined_times(
        [CollectiveTimes(parts.operation, ones, left, came, roots, near)]
    )


def joined_times(
    parts: Sequence[CollectiveTimes], _regions: Regions | None = None
) -> CollectiveTimes:
    """Join what parts of a trace tell, in order of their ranks."""
    operations, number = factorize(np.concatenate([one.operation for one in parts]))
    order, begins = counting_sort(number, len(operations))
    count, left = (
        np.concatenate([getattr(one, name) for one in parts])[order]
        for name in ("parts", "left")
    )
    came, roots, near = (
        _by_operation(np.concatenate([getattr(one, name) for one in parts], axis=1))
        for name in ("came", "roots", "near")
    )
    starts = begins[:-1]
    return CollectiveTimes(
        operations,
        np.add.reduceat(count, starts) if len(starts) else count,
        np.minimum.reduceat(left, starts) if len(starts) else left,
        came.compress(kernels.latest_parts(came), axis=1),
        roots,
        near,
    )


def _by_operation(rows: Ints) -> Ints:
    return rows.take(np.argsort(rows[0], kind="stable"), axis=1)


def needed_by(trace: Trace, parts: OperationParts, times: CollectiveTimes) -> Needed:
    """Find for whom parts in operations wait: all of which parts are known."""
    needed = kernels.needed_parts(
        parts.operation,
        parts.rank,
        parts.kind,
        parts.is_root,
        times.came,
        times.roots,
    )
    if parts.near.any():
        needed[:, parts.near] = -1  # whom those of a graph need is not recorded
        for communicator, declared in declared_by_communicator(trace).items():
            some = np.flatnonzero(parts.near & (parts.group == communicator))
            pairs = cartesian_neighbours(declared)
            for few in batches(len(some)):
                own = parts.some(some[few])
                needed[:, some[few]] = _last_neighbours(own, times, *pairs)
    return Needed(*needed)


def _last_neighbours(
    parts: OperationParts, times: CollectiveTimes, sender: Indices, receiver: Indices
) -> Ints:
    """Find which neighbour of each part came last: rows of `Needed`."""
    order = np.argsort(receiver, kind="stable")
    first, stop = (
        np.searchsorted(receiver[order], parts.rank, side) for side in ("left", "right")
    )
    degree = stop - first
    place = np.repeat(np.arange(len(degree)), degree)
    neighbour = sender[order[first[place] + index_in_run(degree)]]
    # Parts in such operations are in order of these, then of ranks.
    operations, ranks = np.unique(times.near[0]), int(times.near[1].max()) + 1
    number = np.searchsorted(operations, times.near[0])
    of_part = np.searchsorted(operations, parts.operation)
    at = places_among(
        number * ranks + times.near[1], of_part[place] * ranks + neighbour
    )
    place, at = place[at >= 0], at[at >= 0]
    order = np.lexsort((times.near[3, at], place))
    last = order[np.diff(place[order], append=-1) != 0]
    needed = np.full((3, len(degree)), -1, np.int64)
    needed[:, place[last]] = times.near[1:, at[last]]
    return needed
