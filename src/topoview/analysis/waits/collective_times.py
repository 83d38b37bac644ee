"""Who came last to each collective operation: told by parts of the ranks, and to them.

An operation is numbered by its group and its turn there, which each rank counts by
itself. So parts of a trace tell when their ranks came and left, that is joined, and
each part looks up in it for whom its own calls wait.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from topoview.analysis.waits.instances import numbered_parts, parts_in_collectives
from topoview.base.kernels import kernel
from topoview.base.progress import Report, silent
from topoview.grouping import counting_sort, factorize
from topoview.model import (
    Bools,
    Bytes,
    Calls,
    CollectiveTimes,
    Ints,
    Part,
    Regions,
    readonly,
)

LOOKING = "looking for who waits"

_BARRIER, _NXN, _BROADCAST, _REDUCE, _SCAN = range(2, 7)

KIND_OF_OPERATION = np.array(
    [
        *(_BARRIER, _BROADCAST, _REDUCE, _REDUCE, _BROADCAST, _BROADCAST),
        *(_NXN, _NXN, _NXN, _NXN, _NXN, _NXN, _REDUCE, _NXN, _SCAN, _SCAN, _NXN),
    ],
    np.uint8,
)
"""Wait state in each collective operation, by its OTF2_CollectiveOp code."""

_TURNS: Final = 1 << 40
"""More than any group has operations."""


class OperationParts(NamedTuple):
    """Parts of ranks in operations: shape (n,) each, by operation and rank.

    Attributes
    ----------
    operation, rank, call
        Number of the operation, and who calls it.
    kind
        Wait state that it can be.
    is_root
        Whether that rank is the operation's root.
    group
        Group of ranks that all call it.
    """

    operation: Ints
    rank: Ints
    call: Ints
    kind: Bytes
    is_root: Bools
    group: Ints

    def some(self, which: Ints | Bools) -> "OperationParts":
        """Take some of them."""
        operation, rank, call, kind, is_root, group = self
        return OperationParts(
            *(operation[which], rank[which], call[which]),
            kind[which],
            is_root[which],
            group[which],
        )


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
    return in_order(
        OperationParts(
            own.group * _TURNS + turn,
            own.rank,
            own.call,
            KIND_OF_OPERATION[table.operation[rows]],
            own.rank == table.root[rows],
            own.group,
        )
    )


def whole_operations(part: Part, times: CollectiveTimes) -> OperationParts:
    """List what some ranks do in operations that all ranks of the group recorded."""
    parts = operation_parts(part)
    there = times.parts[np.searchsorted(times.operation, parts.operation)]
    return parts.some(there == part.trace.communicator_sizes[parts.group])


def collective_times(part: Part, report: Report = silent) -> CollectiveTimes:
    """Tell when some ranks came to collective operations, and left them."""
    report(LOOKING, 0.0)
    return times_of(operation_parts(part), part.trace.calls)


def times_of(parts: OperationParts, calls: Calls) -> CollectiveTimes:
    """Tell when ranks came to operations, and left them."""
    came = np.stack(
        [
            parts.operation,
            parts.rank,
            parts.call,
            calls.enter[parts.call],
            parts.kind == _SCAN,
        ]
    )
    ones = np.ones(len(parts.operation), np.int64)
    left = calls.leave[parts.call]
    roots = came[:, parts.is_root]
    return joined_times([CollectiveTimes(parts.operation, ones, left, came, roots)])


def joined_times(
    found: Sequence[CollectiveTimes], _regions: Regions | None = None
) -> CollectiveTimes:
    """Join what parts of a trace tell, in order of their ranks."""
    operations, number = factorize(np.concatenate([one.operation for one in found]))
    order, begins = counting_sort(number, len(operations))
    count, left = (
        np.concatenate([getattr(one, name) for one in found])[order]
        for name in ("parts", "left")
    )
    came, roots = (
        _by_operation(np.concatenate([getattr(one, name) for one in found], axis=1))
        for name in ("came", "roots")
    )
    starts = begins[:-1]
    return CollectiveTimes(
        operations,
        np.add.reduceat(count, starts) if len(starts) else count,
        np.minimum.reduceat(left, starts) if len(starts) else left,
        np.ascontiguousarray(came[:, _latest(readonly(came))]),
        roots,
    )


def _by_operation(rows: Ints) -> Ints:
    return rows[:, np.argsort(rows[0], kind="stable")]


@kernel
def _latest(came: Ints) -> Bools:
    """Keep who came after all before; of these but the last, where that is enough."""
    operation, _, _, begin, scans = came
    kept = np.zeros(len(operation), np.bool_)
    last = -1
    for i in range(len(operation)):
        same = last >= 0 and operation[last] == operation[i]
        if same and begin[i] <= begin[last]:
            continue
        if same and not scans[last]:
            kept[last] = False
        kept[i] = True
        last = i
    return kept


def needed_by(parts: OperationParts, times: CollectiveTimes) -> Needed:
    """Find for whom parts in operations wait: all of which parts are known."""
    return Needed(
        *_needed(
            readonly(parts.operation),
            readonly(parts.rank),
            readonly(parts.kind, np.uint8),
            parts.is_root,
            readonly(times.came),
            readonly(times.roots),
        )
    )


@kernel
def _needed(  # noqa: PLR0913
    operation: Ints, rank: Ints, kind: Bytes, is_root: Bools, came: Ints, roots: Ints
) -> tuple[Ints, Ints, Ints]:
    """Tell the rank, its call and when that began."""
    found = np.full((3, len(operation)), -1, np.int64)
    for i in range(len(operation)):
        if kind[i] == _REDUCE and not is_root[i]:
            continue
        rows = roots if kind[i] == _BROADCAST else came
        at = np.searchsorted(rows[0], operation[i], side="right") - 1
        while kind[i] == _SCAN and rows[1, at] > rank[i]:
            at -= 1
        if at >= 0 and rows[0, at] == operation[i]:
            found[:, i] = rows[1:4, at]
    return found[0], found[1], found[2]
