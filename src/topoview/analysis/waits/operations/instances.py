"""Parts in operations of all ranks of a group, those of one operation side by side."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from topoview.analysis.waits.operations.kernels import earlier_uses
from topoview.grouping import counting_sort, run_begins, run_offsets
from topoview.model import (
    PARTS_BEFORE,
    PARTS_MISSED,
    EarlierRecords,
    Indices,
    Ints,
    Part,
    Trace,
    row_numbers,
    whole_part,
)
from topoview.model.trace import FIRST_WITHOUT_DATA


@dataclass(frozen=True, slots=True, eq=False)
class CollectiveInstances:
    """Parts in collective operations, those of one operation side by side.

    Instances are in order of their communicators, then of time; those of which a
    part was not recorded are left out.
    """

    starts: Ints
    """int64, shape (instances + 1,): the first part of each."""
    communicator: Indices
    """int32, shape (instances,)"""
    parts: Ints
    """int64, shape (parts,): rows of the trace's collectives, of one instance in order
    of the ranks."""
    rank: Ints
    call: Ints
    """`rank` and `call`: int64, shape (parts,): rank of each part, and its call."""


def collective_instances(trace: Trace) -> CollectiveInstances:
    """Group the parts of each collective operation that was recorded as a whole."""
    parts = parts_in_collectives(whole_part(trace))
    return instances_of(trace, parts, trace.communicator_sizes)


def parts_in_collectives(part: Part) -> "OrderedParts":
    """List the parts of some ranks in collective operations of several ranks."""
    trace, rows = part.trace, row_numbers(part.collectives)
    call, communicator, operation = (
        getattr(trace.collectives, name)[rows]
        for name in ("call", "communicator", "operation")
    )
    valid = (call >= 0) & (communicator >= 0) & (operation < FIRST_WITHOUT_DATA)
    valid[valid] = trace.communicator_sizes[communicator[valid]] > 1
    valid[valid] = (rank := _ranks_of_calls(trace, call[valid])) >= 0
    own = OrderedParts(
        rows[valid],
        rank[rank >= 0],
        call[valid],
        communicator[valid].astype(np.int64),
        np.ones(np.count_nonzero(valid), np.int64),
    )
    before = [each for each in trace.earlier if each.name == PARTS_BEFORE]
    return _behind(before, _with_missed(trace, own, part.ranks), part.ranks)


def _with_missed(trace: Trace, own: "OrderedParts", ranks: slice) -> "OrderedParts":
    """Put parts that are missing, as recording was off, before the next one."""
    for missed in trace.earlier:
        if missed.name == PARTS_MISSED:
            some = (missed.rank >= ranks.start) & (missed.rank < ranks.stop)
            some &= missed.column("call") >= 0
            at = np.searchsorted(own.call, missed.column("call")[some])
            nowhere = np.full(len(at), -1, np.int64)
            rank, group, times = (
                column[some]
                for column in (missed.rank, missed.column("communicator"), missed.count)
            )
            more = OrderedParts(nowhere, rank, nowhere, group, times)
            own = OrderedParts(
                *(np.insert(one, at, new) for one, new in zip(own, more, strict=True))
            )
    return own


class OrderedParts(NamedTuple):
    """Parts in operations of groups, of each rank in their order: int64, shape (n,)."""

    parts: Ints
    rank: Ints
    call: Ints
    group: Ints
    """`parts`, `rank`, `call` and `group`: their rows, ranks, calls and groups. Those
    before the part of a trace that was read have no call, -1."""
    times: Ints
    """How many each stands for."""


def _behind(
    before: list[EarlierRecords], own: OrderedParts, ranks: slice
) -> OrderedParts:
    """Put parts behind those that these ranks had before the stretch that was read."""
    parts = []
    for one in before:
        some = (one.rank >= ranks.start) & (one.rank < ranks.stop)
        nowhere = np.full(np.count_nonzero(some), -1, np.int64)
        rank, group, times = (
            column[some] for column in (one.rank, one.column("communicator"), one.count)
        )
        parts.append(OrderedParts(nowhere, rank, nowhere, group, times))
    return OrderedParts(*map(np.concatenate, zip(*parts, own, strict=True)))


def instances_of(
    trace: Trace, ordered: OrderedParts, members: Ints
) -> CollectiveInstances:
    """Group parts in operations of groups of ranks.

    The n-th part of each rank in a group belongs to the n-th operation there (MPI 4.1,
    section 6.1: all call in the same order).
    """
    (parts, rank, call, group, _), turn = numbered_parts(ordered, trace.ranks)
    # By group, then turn, then rank: what sorts last is sorted by first.
    order, _ = counting_sort(rank, trace.ranks)
    for column, most in ((turn, int(turn.max(initial=-1))), (group, len(members))):
        within, _ = counting_sort(column[order], most + 1)
        order = order[within]
    one, other = group[order], turn[order]
    starts = run_begins(one, other)
    sizes = np.diff(starts, append=len(order))
    whole = sizes == members[one[starts]]
    order = order[np.repeat(whole, sizes)]
    return CollectiveInstances(
        run_offsets(sizes[whole]),
        one[starts[whole]].astype(np.int32),
        parts[order],
        rank[order],
        call[order],
    )


def numbered_parts(ordered: OrderedParts, ranks: int) -> tuple[OrderedParts, Ints]:
    """Count the turns of ranks in their groups: those here, and which turn each is."""
    turn = earlier_uses(ordered.group * ranks + ordered.rank, ordered.times)
    here = ordered.call >= 0
    return OrderedParts(*(one[here] for one in ordered)), turn[here]


def _ranks_of_calls(trace: Trace, call: Ints) -> Ints:
    """Rank of each call, also of those of its further threads; -1 if it has none."""
    row = np.searchsorted(trace.calls.offsets[1:], call, side="right").astype(np.int64)
    other = row >= trace.ranks
    if other.any():
        owner = np.append(trace.rank_of_location, -1)
        row[other] = owner[np.minimum(row[other], len(owner) - 1)]
    return row
