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

from topoview.analysis.waits import kernels
from topoview.analysis.waits.collective_times import KIND_OF_OPERATION
from topoview.analysis.waits.instances import CollectiveInstances, collective_instances
from topoview.analysis.waits.states import completion_calls
from topoview.analysis.waits.windows import window_instances, window_needs
from topoview.model import WAIT_KINDS, Indices, Ints, Trace, count_before, readonly

ALL_TO_ALL = (WAIT_KINDS.index("wait_at_barrier"), WAIT_KINDS.index("wait_at_nxn"))
"""Waits in operations in which everybody waits for everybody."""


@dataclass(frozen=True, slots=True, eq=False)
class Meetings:
    """When the two ranks of each wait last met before it."""

    own: Ints
    """int64, shape (waits,): the call of the rank that waits, -1 if they never met."""
    other: Ints
    """int64, shape (waits,): the call of the rank that it waits for."""


def last_meetings(trace: Trace, waits: Ints, causes: Ints, rank: Indices) -> Meetings:
    """Find when the ranks of waits last met.

    Parameters
    ----------
    waits, causes : int64, shape (waits,)
        The calls that wait, and those that they wait for.
    rank : int32, shape (calls,)
        Rank of each call.
    """
    own = np.full(len(waits), -1, np.int64)
    other = np.full(len(waits), -1, np.int64)
    pairs = rank[waits].astype(np.int64), rank[causes].astype(np.int64)
    instances = collective_instances(trace)
    for some in (instances, window_instances(trace)[0]):
        _previous_operation(some, waits, causes, own, other)
    _operations_of_all(trace, instances, waits, causes, pairs, own, other)
    _messages_between(trace, waits, causes, pairs, own, other)
    return Meetings(own, other)


def _previous_operation(
    instances: CollectiveInstances, waits: Ints, causes: Ints, own: Ints, other: Ints
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
    last = int(max(waits.max(initial=0), causes.max(initial=0), instances.call.max()))
    row = np.full(last + 1, -1, np.int64)
    row[instances.call] = np.arange(len(instances.call))
    instance = np.repeat(np.arange(len(sizes)), sizes)
    mine, its = row[waits], row[causes]
    there = np.flatnonzero((mine >= 0) & (its >= 0))
    there = there[instance[mine[there]] == instance[its[there]]]
    there = there[back[instance[mine[there]]] > 0]
    step = back[instance[mine[there]]]
    met, met_it = instances.call[mine[there] - step], instances.call[its[there] - step]
    in_order = (met < waits[there]) & (met_it < causes[there])  # not of other threads
    own[there[in_order]] = met[in_order]
    other[there[in_order]] = met_it[in_order]


def _operations_of_all(  # noqa: PLR0913
    trace: Trace,
    instances: CollectiveInstances,
    waits: Ints,
    causes: Ints,
    pairs: tuple[Ints, Ints],
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
    met = instances.call[first[:, None] + np.arange(trace.ranks)].T.ravel()
    begins = np.arange(trace.ranks) * len(of_all)
    count = np.full(len(waits), len(of_all))
    mine, its = (begins[part] for part in pairs)
    kernels.last_before(met, met, mine, its, count, waits, causes, own, other)


def _messages_between(  # noqa: PLR0913
    trace: Trace,
    waits: Ints,
    causes: Ints,
    pairs: tuple[Ints, Ints],
    own: Ints,
    other: Ints,
) -> None:
    """Look among the messages that the two ranks sent each other, and their epochs."""
    ends, ranks = _messages_and_epochs(trace)
    mine, its = pairs
    for sent, received, who, whom, met in (
        (causes, waits, its, mine, ends[::-1]),
        (waits, causes, mine, its, ends),
    ):
        order = np.argsort(sent)
        lists = (part[order] for part in (sent, received, who, whom))
        indices = kernels.last_sent(*ends, *ranks, trace.ranks, *map(readonly, lists))
        at, indices = order[indices >= 0], indices[indices >= 0]
        here, there = (calls[indices] for calls in met)
        if sent is waits:
            # Received without having been waited for: met when it was sent.
            awaited = np.full(len(trace.calls), -1, np.int64)
            awaited[waits] = causes
            rows, sent_at = trace.calls.offsets[its[at]], trace.calls.enter[here]
            left = count_before(trace.calls.leave, rows, there + 1, sent_at) - 1
            there = np.where(awaited[there] == here, there, left)
        later = here > own[at]
        own[at[later]], other[at[later]] = here[later], there[later]


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
    needed = [needs for needs in window_needs(trace) if len(needs.call)]
    send, done, sender, receiver = (
        np.concatenate(column)
        for column in zip(
            (
                messages.send_call,
                completion_calls(trace),
                messages.sender,
                messages.receiver,
            ),
            *(
                (
                    needs.cause,
                    needs.call,
                    needs.whom,
                    np.searchsorted(offsets, needs.call, side="right") - 1,
                )
                for needs in needed
            ),
            strict=True,
        )
    )
    if needed:  # those of which the call is not known come last
        order = np.lexsort((send, send < 0))
        send, done, sender, receiver = (
            c[order] for c in (send, done, sender, receiver)
        )
    return (readonly(send), readonly(done)), (
        readonly(sender, np.int32),
        readonly(receiver, np.int32),
    )
