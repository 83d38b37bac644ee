"""How far back a wait's cause is looked for: to when its two ranks last met.

What a rank did before it last met another one cannot be why that other one waits for
it now. Two ranks meet when a message between them is received, in operations in which
all wait for all, and where one waits for the other to open, end or unlock a window. A
message that the awaited rank received without having waited for it has met it when it
was sent: what that rank did until it looked is why it is late now. In between lie the
synchronisation intervals of Böhme, Geimer, Wolf and Arnold 2010 (Identifying the root
causes of wait states in large-scale parallel applications, section 3).
"""

from dataclasses import dataclass

import numpy as np

from topoview.analysis.waits.kernels import last_messages
from topoview.analysis.waits.operations.collective_times import KIND_OF_OPERATION
from topoview.analysis.waits.operations.instances import (
    CollectiveInstances,
    collective_instances,
)
from topoview.analysis.waits.operations.kernels import last_operation
from topoview.analysis.waits.operations.windows import window_instances, window_needs
from topoview.analysis.waits.states import completion_calls
from topoview.base.progress import batches
from topoview.base.scratch import scratch_full
from topoview.model import WAIT_KINDS, Indices, Ints, Trace, readonly

ALL_TO_ALL = (WAIT_KINDS.index("wait_at_barrier"), WAIT_KINDS.index("wait_at_nxn"))
"""Waits in operations in which everybody waits for everybody."""


@dataclass(frozen=True, slots=True, eq=False)
class Meetings:
    """Calls since the two ranks of each wait last met before it: int64, (waits,)."""

    since: Ints
    """The first one of the rank that waits."""
    begins: Ints
    """The first one of the rank that it waits for."""


def last_meetings(trace: Trace, order: Ints, cause: Ints, rank: Indices) -> Meetings:
    """Find when the ranks of waits last met.

    Parameters
    ----------
    order : int64, shape (waits,)
        The calls that wait.
    cause : int64, shape (calls,)
        The call that each waits for.
    rank : int32, shape (calls,)
        Rank of each call.
    """
    own, other = scratch_full(len(order), -1), scratch_full(len(order), -1)
    instances = collective_instances(trace)
    for some in (instances, window_instances(trace)[0]):
        _previous_operation(some, order, cause, len(rank), own, other)
    _operations_of_all(trace, instances, order, cause, rank, own, other)
    ends, ranks = _messages_and_epochs(trace)
    calls, offsets = trace.calls, trace.calls.offsets
    times = offsets, calls.enter, calls.leave
    by_call = np.argsort(order)
    last_messages(*ends, *ranks, *times, order, by_call, cause, rank, own, other)
    for few in batches(len(order)):
        call = order[few]
        own[few] = np.maximum(own[few] + 1, offsets[rank[call]])
        other[few] = np.maximum(other[few] + 1, offsets[rank[cause[call]]])
    return Meetings(own, other)


def _previous_operation(  # noqa: PLR0913
    instances: CollectiveInstances,
    order: Ints,
    cause: Ints,
    calls: int,
    own: Ints,
    other: Ints,
) -> None:
    """Find the operation before, of waits in operations of one communicator."""
    if len(instances.starts) < 3:
        return
    sizes = np.diff(instances.starts)
    # how far back the same rank's part in the operation before lies, 0 without
    back = np.where(
        instances.communicator[1:] == instances.communicator[:-1], sizes[1:], 0
    )
    back = np.append(0, back)
    row = scratch_full(max(calls, int(instances.call.max()) + 1), -1, np.int32)
    row[instances.call] = np.arange(len(instances.call))
    instance = np.repeat(np.arange(len(sizes)), sizes)
    for some in batches(len(order)):
        waits, causes = order[some], cause[order[some]]
        mine, its = row[waits], row[causes]
        there = np.flatnonzero((mine >= 0) & (its >= 0))
        there = there[instance[mine[there]] == instance[its[there]]]
        there = there[back[instance[mine[there]]] > 0]
        step, waits, causes = back[instance[mine[there]]], waits[there], causes[there]
        met = instances.call[mine[there] - step]
        met_it = instances.call[its[there] - step]
        in_order = (met < waits) & (met_it < causes)  # not of other threads
        at = some.start + there[in_order]
        own[at], other[at] = met[in_order], met_it[in_order]


def _operations_of_all(  # noqa: PLR0913
    trace: Trace,
    instances: CollectiveInstances,
    order: Ints,
    cause: Ints,
    rank: Indices,
    own: Ints,
    other: Ints,
) -> None:
    """Look among the operations in which all ranks wait for all."""
    size = np.diff(instances.starts)
    operation = trace.collectives.operation[instances.parts[instances.starts[:-1]]]
    kind = KIND_OF_OPERATION[operation]
    of_all = np.flatnonzero((size == trace.ranks) & np.isin(kind, ALL_TO_ALL))
    # communicators of all ranks may take turns
    of_all = of_all[np.argsort(instances.call[instances.starts[of_all]], kind="stable")]
    if not len(of_all):
        return
    first = instances.starts[of_all]
    met = instances.call[first[:, None] + np.arange(trace.ranks)]
    met = np.ascontiguousarray(met.T)
    last_operation(met, order, cause, rank, own, other)


def _messages_and_epochs(
    trace: Trace,
) -> tuple[tuple[Ints, Ints], tuple[Indices, Indices]]:
    """List what goes from one rank to another, in order of the calls that send it.

    Returns
    -------
    int64, shape (n,), twice, and int32, shape (n,), twice
        Calls that send and that receive, the ranks that send and that receive.
    """
    messages = trace.messages
    offsets = trace.calls.offsets[: trace.ranks + 1]
    columns: list[Ints | Indices] = [
        messages.send_call,
        completion_calls(trace),
        messages.sender,
        messages.receiver,
    ]
    needed = [needs for needs in window_needs(trace) if len(needs.call)]
    if needed:  # those of which the call is not known come last
        call = np.concatenate([needs.call for needs in needed])
        more = (
            np.concatenate([needs.cause for needs in needed]),
            call,
            np.concatenate([needs.whom for needs in needed]),
            np.searchsorted(offsets, call, side="right") - 1,
        )
        columns = [np.concatenate(both) for both in zip(columns, more, strict=True)]
        send = columns[0]
        order = np.lexsort((send, send < 0))
        columns = [column[order] for column in columns]
    send, done, sender, receiver = columns
    return (readonly(send), readonly(done)), (
        readonly(sender, np.int32),
        readonly(receiver, np.int32),
    )
