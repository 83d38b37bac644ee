"""All about a collective operation, and about a communicator."""

from dataclasses import dataclass

import numpy as np

from topoview.live.picking.details.calls import rank_of_call
from topoview.model import Analysis, Frozen, Ints, Trace
from topoview.model.trace import FIRST_WITHOUT_DATA


@dataclass(frozen=True, slots=True, eq=False)
class CollectiveDetails(Frozen):
    """A collective operation of a communicator."""

    operation: int
    """OTF2_CollectiveOp code."""
    communicator: int
    root: int
    """`communicator` and `root`: index into the trace's communicators; world rank of
    the root, -1 for none."""
    ranks: Ints
    calls: Ints
    """`ranks` and `calls`: int64, shape (parts,): ranks that took part, ascending, and
    the call of each."""
    first: int
    last: int
    """`first` and `last`: ranks that came first and last."""
    begin: int
    complete: int
    end: int
    """`begin`, `complete` and `end`: when the first and the last came, and when the
    last left, in ticks."""
    waited: int
    """Time from each one's begin until the last came, in all, in ticks."""
    sent: int
    received: int
    """`sent` and `received`: bytes of all."""
    number: int
    count: int
    """`number` and `count`: which operation of the communicator it is, from 1, and how
    many there are."""
    members: int
    """Of the communicator."""


def collective_details(analysis: Analysis, call: int) -> CollectiveDetails | None:
    """Find the operation that a call takes part in; None if it takes part in none.

    The k-th operation of each member on a communicator is one operation: MPI demands
    the same order of all (MPI 4.0, section 6.14).
    """
    trace, parts, calls = (
        analysis.trace,
        analysis.trace.collectives,
        analysis.trace.calls,
    )
    part = int(np.searchsorted(parts.call, call))
    if part >= len(parts) or int(parts.call[part]) != call:
        return None
    communicator = int(parts.communicator[part])
    every, rank = operations_on(trace, communicator)
    own = every[rank == rank_of_call(trace, call)]
    turn = int(np.searchsorted(own, part))
    members = trace.communicators[communicator].ranks if communicator >= 0 else ()
    if len(members) < 2 or turn >= len(own) or int(own[turn]) != part:
        indices, ranks = np.array([part]), np.array([rank_of_call(trace, call)])
    else:
        indices, ranks = _parts_of_turn(every, rank, turn, trace.ranks)
    at = parts.call[indices]
    enter = calls.enter[at]
    complete = int(enter.max())
    return CollectiveDetails(
        operation=int(parts.operation[part]),
        communicator=communicator,
        root=int(parts.root[part]),
        ranks=ranks,
        calls=at,
        first=int(ranks[enter.argmin()]),
        last=int(ranks[enter.argmax()]),
        begin=int(enter.min()),
        complete=complete,
        end=int(calls.leave[at].max()),
        waited=int(
            np.clip(complete - enter, 0, np.maximum(calls.leave[at] - enter, 0)).sum()
        ),
        sent=int(np.maximum(parts.sent[indices], 0).sum()),
        received=int(np.maximum(parts.received[indices], 0).sum()),
        number=turn + 1,
        count=len(own),
        members=max(len(members), 1),
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
    return every, trace.ranks_of_calls(parts.call[every])


def _parts_of_turn(every: Ints, rank: Ints, turn: int, ranks: int) -> tuple[Ints, Ints]:
    order = np.argsort(rank, kind="stable")
    begins = np.searchsorted(rank[order], np.arange(ranks + 1))
    there = np.flatnonzero(begins[:-1] + turn < begins[1:])
    return every[order[begins[there] + turn]], there


@dataclass(frozen=True, slots=True, eq=False)
class CommunicatorDetails:
    """A communicator."""

    communicator: int
    name: str
    """`communicator` and `name`: index and name."""
    ranks: tuple[int, ...]
    """World ranks of its members."""
    operations: tuple[tuple[int, int, int], ...]
    """Name of each collective operation on it, how many there were, and the bytes that
    their members sent; the most frequent first."""
    messages: int
    size: int
    """`messages` and `size`: point-to-point messages on it, and their bytes."""


def communicator_details(analysis: Analysis, communicator: int) -> CommunicatorDetails:
    """Find all about a communicator: a pass over messages and collective parts."""
    trace = analysis.trace
    which, parts, them = trace.communicators[communicator], trace.collectives, []
    every, rank = operations_on(trace, communicator)
    codes, members = parts.operation[every], len(np.unique(rank))
    for code in np.unique(codes).tolist():
        own = every[codes == code]
        size = int(np.maximum(parts.sent[own], 0).sum())
        them.append((code, -(-len(own) // max(members, 1)), size))
    mask = trace.messages.communicator == communicator
    return CommunicatorDetails(
        communicator=communicator,
        name=which.name,
        ranks=tuple(rank for rank in which.ranks.tolist() if rank >= 0),
        operations=tuple(sorted(them, key=lambda entry: -entry[1])),
        messages=int(np.count_nonzero(mask)),
        size=int(trace.messages.size[mask].sum()),
    )
