"""Who came last to each collective operation: told by parts of the ranks, and to them.

An operation is numbered by its group and its turn there, which each rank counts by
itself. So parts of a trace tell when their ranks came and left, that is joined, and
each part looks up in it for whom its own calls wait.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from topoview.analysis.waits import kernels
from topoview.analysis.waits.instances import numbered_parts, parts_in_collectives
from topoview.analysis.waits.unrecorded import group_sizes, unrecorded_parts
from topoview.base.progress import Report, silent
from topoview.grouping import counting_sort, factorize
from topoview.model import (
    PARTS_MISSED,
    Bools,
    Bytes,
    Calls,
    CollectiveTimes,
    Ints,
    Part,
    Regions,
    Trace,
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
    rows, table = own.parts, part.trace.collectives
    done = table.completion_call[rows]
    recorded = OperationParts(
        operation=own.group * _TURNS + turn,
        rank=own.rank,
        call=own.call,
        kind=KIND_OF_OPERATION[table.operation[rows]],
        is_root=own.rank == table.root[rows],
        group=own.group,
        done=np.where(done >= 0, done, own.call),
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
    roots = came[:, parts.is_root]
    return joined_times([CollectiveTimes(parts.operation, ones, left, came, roots)])


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
    came, roots = (
        _by_operation(np.concatenate([getattr(one, name) for one in parts], axis=1))
        for name in ("came", "roots")
    )
    starts = begins[:-1]
    return CollectiveTimes(
        operations,
        np.add.reduceat(count, starts) if len(starts) else count,
        np.minimum.reduceat(left, starts) if len(starts) else left,
        came.compress(kernels.latest_parts(came), axis=1),
        roots,
    )


def _by_operation(rows: Ints) -> Ints:
    return rows.take(np.argsort(rows[0], kind="stable"), axis=1)


def needed_by(parts: OperationParts, times: CollectiveTimes) -> Needed:
    """Find for whom parts in operations wait: all of which parts are known."""
    return Needed(
        *kernels.needed_parts(
            parts.operation,
            parts.rank,
            parts.kind,
            parts.is_root,
            times.came,
            times.roots,
        )
    )
