"""What if a rank had not been late: by how much the exchange would be shorter.

All calls are gone through again in order of cause and effect, with that stretch of time
cut short: computation takes as long as it did, and each call from when it has all that
it needs as long as it took from then. So other ranks, that were nearly as late, keep
the run waiting now (Hermanns, Geimer, Wolf and Wylie 2009, Verifying causality between
distant performance phenomena in large-scale MPI applications).
"""

from collections.abc import Iterator
from typing import Final, NamedTuple

import numpy as np

from topoview.analysis.waits import costs_kernels
from topoview.analysis.waits.collective_times import (
    BARRIER,
    BROADCAST,
    KIND_OF_OPERATION,
    NXN,
    REDUCE,
)
from topoview.analysis.waits.costs import whole_calls_needed
from topoview.analysis.waits.instances import collective_instances
from topoview.analysis.waits.states import FIRST_OF_SOME, completion_calls
from topoview.base.ordering import place_by_group
from topoview.base.progress import batches
from topoview.base.scratch import add_up, scratch, scratch_full, unset
from topoview.logical.calls.operations import is_one_of
from topoview.model import Indices, Ints, Trace, WaitStates

MAX_REPLAYED: Final = 20
"""Delays, the costliest, without which the run is gone through again."""

MAX_CALLS_REPLAYED: Final = 1 << 25
"""Calls that are gone through for all but the costliest: each takes some 30 ns."""

NOT_REPLAYED: Final = -1


class _Needs(NamedTuple):
    """What calls of the ranks' main threads need: see `costs_kernels.replayed_ends`."""

    joins: Indices
    members: Indices
    came: Ints
    offsets: Ints
    nodes: Ints


def ticks_saved(
    trace: Trace, waits: WaitStates, exchange: tuple[int, int], pieces: Ints, less: Ints
) -> Ints:
    """Compute by how much the exchange would be shorter if pieces of time were.

    What comes behind it is left out: no trace tells whether ranks wait for each other
    in MPI_Finalize.

    Parameters
    ----------
    exchange
        Its begin and end in ticks.
    pieces : int64, shape (n,)
        Piece ``2 c`` is the computation before call ``c``, piece ``2 c + 1`` the call.
    less : int64, shape (n,)
        By how many ticks each is shorter, one at a time.

    Returns
    -------
    int64, shape (n,)
        In ticks; `NOT_REPLAYED` behind the first ones.
    """
    saved = np.full(len(pieces), NOT_REPLAYED)
    offsets = trace.calls.offsets[: trace.ranks + 1]
    calls = int(offsets[-1])
    count = min(len(pieces), MAX_REPLAYED, max(MAX_CALLS_REPLAYED // max(calls, 1), 1))
    if not count:
        return saved
    enter, leave = trace.calls.enter[:calls], trace.calls.leave[:calls]
    rows = zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True)
    within = [
        first + np.searchsorted(leave[first:stop], exchange[1], side="right")
        for first, stop in rows
    ]
    stops = np.array(within, np.int64)
    needs = needs_of_calls(trace, waits, calls)
    last = int(leave[stops[stops > offsets[:-1]] - 1].max(initial=0))
    for i in range(count):
        ends = costs_kernels.replayed_ends(
            offsets, stops, enter, leave, *needs, int(pieces[i]), int(less[i])
        )
        saved[i] = max(last - ends.max(), 0)
    return saved


def needs_of_calls(trace: Trace, waits: WaitStates, calls: int) -> _Needs:
    """List what calls need: messages, all members of operations, and what they met.

    What was waited for is among it: whom a lock kept waiting, or a receive, is told by
    nothing else.
    """
    enter, regions, messages = trace.calls.enter, trace.regions, trace.messages
    takes_first = is_one_of(regions, FIRST_OF_SOME)[regions.operation]
    done, held = completion_calls(trace), whole_calls_needed(waits, trace.calls.offsets)
    joins, members, came, who, node = _operations(trace, calls)

    def needs() -> Iterator[tuple[Ints, Ints]]:
        """Iterate over calls, and what each needs."""
        for some in batches(len(messages)):
            sent, ends = messages.send_call[some], done[some]
            whole = (sent >= 0) & (sent < calls) & (ends >= 0) & (ends < calls)
            if takes_first.any():
                whole[whole] = ~takes_first[trace.calls.region[ends[whole]]]
            yield ends[whole], sent[whole]
        for some in batches(calls):
            cause = waits.cause[some] + held[some]
            met = (waits.until[some] > enter[some]) & (cause >= 0) & (cause < calls)
            yield some.start + np.flatnonzero(met), cause[met]
        yield who, node

    offsets = scratch(calls + 1)
    for call, _ in needs():
        np.add.at(offsets, call + 1, 1)
    add_up(offsets)
    nodes, following = unset(int(offsets[-1])), unset(calls)
    following[:] = offsets[:-1]
    for call, needed in needs():
        place_by_group(needed, call, following, nodes)
    return _Needs(joins, members, came, offsets, nodes)


def _operations(trace: Trace, calls: int) -> tuple[Indices, Indices, Ints, Ints, Ints]:
    """List the operations of all with all, and which calls need those and their roots.

    Returns
    -------
    int32, shape (calls,); int32 and int64, shape (operations,)
        `_Needs.joins`, `members` and `came`.
    int64, shape (n,), twice
        Calls, and what each needs.
    """
    instances, table = collective_instances(trace), trace.collectives
    count = len(instances.communicator)
    parts, call = instances.parts, instances.call
    operation = np.repeat(np.arange(count), np.diff(instances.starts))
    done = table.completion_call[parts]
    done = np.where(done >= 0, done, call)
    kind = KIND_OF_OPERATION[table.operation[parts]]
    is_root = instances.rank == table.root[parts]
    main = (call < calls) & (done < calls)
    joining = main & np.isin(kind, (BARRIER, NXN, REDUCE))
    joins = scratch_full(calls, -1, np.int32)
    joins[call[joining]] = operation[joining]
    # a call that takes part in several operations has come to one of them
    joining[joining] = joins[call[joining]] == operation[joining]
    members = np.bincount(operation[joining], minlength=count).astype(np.int32)
    came = np.zeros(count, np.int64)
    np.maximum.at(came, operation[joining], trace.calls.enter[call[joining]])
    needing = main & (members[operation] > 0) & ((kind != REDUCE) | is_root)
    needing &= kind != BROADCAST
    root = np.full(count, -1, np.int64)
    root[operation[main & is_root]] = call[main & is_root]
    by_root = main & (kind == BROADCAST) & ~is_root & (root[operation] >= 0)
    return (
        joins,
        members,
        came,
        np.concatenate([done[needing], done[by_root]]),
        np.concatenate([calls + operation[needing], root[operation[by_root]]]),
    )
