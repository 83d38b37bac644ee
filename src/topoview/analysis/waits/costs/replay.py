"""What if a rank had not been late, or endlessly so: all calls gone through again.

They are in order of cause and effect, with a stretch of time cut short: computation
takes as long as it did, and each call from when it has all that it needs as long as it
took from then. So other ranks, that were nearly as late, keep the run waiting now
(Hermanns, Geimer, Wolf and Wylie 2009, Verifying causality between distant performance
phenomena in large-scale MPI applications).
"""

from collections.abc import Iterator
from typing import Final, NamedTuple

import numpy as np

from topoview.analysis.waits.costs import replay_kernels
from topoview.analysis.waits.costs.costs import whole_calls_needed
from topoview.analysis.waits.operations.collective_times import (
    BARRIER,
    BROADCAST,
    KIND_OF_OPERATION,
    NXN,
    REDUCE,
)
from topoview.analysis.waits.operations.instances import collective_instances
from topoview.analysis.waits.states import FIRST_OF_SOME, completion_calls, receives
from topoview.base.ordering import place_by_group
from topoview.base.progress import batches
from topoview.base.scratch import add_up, scratch, scratch_full, unset
from topoview.logical.calls.operations import is_one_of
from topoview.model import WAIT_KINDS, Bools, Indices, Ints, Trace, WaitStates

MAX_REPLAYED: Final = 20
"""Delays, the costliest, without which the run is gone through again."""

MAX_CALLS_REPLAYED: Final = 1 << 25
"""Calls that are gone through for all but the costliest: each takes some 30 ns."""

NOT_REPLAYED: Final = -1

LATE_RECEIVER: Final = WAIT_KINDS.index("late_receiver")


class _Needs(NamedTuple):
    """What calls of the ranks' main threads need: see `replayed_ends`."""

    joins: Indices
    members: Indices
    came: Ints
    offsets: Ints
    nodes: Ints


class Replay(NamedTuple):
    """Calls of the ranks' main threads up to some time, to be gone through again."""

    offsets: Ints
    stops: Ints
    enter: Ints
    leave: Ints
    needs: _Needs

    @property
    def last(self) -> int:
        """When the last of them is left, in ticks."""
        some = self.stops > self.offsets[:-1]
        return int(self.leave[self.stops[some] - 1].max(initial=0))

    @property
    def times(self) -> int:
        """How often they may be gone through."""
        return max(MAX_CALLS_REPLAYED // max(len(self.enter), 1), 1)

    def without(self, piece: int, less: int) -> Ints:
        """Compute when ranks leave their last call if a piece of time is shorter."""
        offsets, stops, enter, leave, needs = self
        ends, *_ = replay_kernels.replayed_ends(
            offsets, stops, enter, leave, *needs, piece, less, 0
        )
        return ends

    def endless(self, piece: int) -> tuple[Ints, Ints]:
        """Find what first waits for a piece of time that is endless.

        Returns
        -------
        int64, shape (ranks,), twice
            Call in which each rank first does, or the late one itself; -1 for none. And
            when it is left then, in ticks, without that endless time.
        """
        offsets, stops, enter, leave, needs = self
        long = 2 * self.last + 1
        _, call, left = replay_kernels.replayed_ends(
            offsets, stops, enter, leave, *needs, piece, -long, long
        )
        return call, left - long


def replay_of(trace: Trace, waits: WaitStates, end: int) -> Replay:
    """Gather what is needed to go through all calls again that are left by a time.

    What comes behind the exchange is left out: no trace tells whether ranks wait for
    each other in MPI_Finalize.
    """
    offsets = trace.calls.offsets[: trace.ranks + 1]
    calls = int(offsets[-1])
    enter, leave = trace.calls.enter[:calls], trace.calls.leave[:calls]
    rows = zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True)
    within = [
        first + np.searchsorted(leave[first:stop], end, side="right")
        for first, stop in rows
    ]
    needs = needs_of_calls(trace, waits, calls)
    return Replay(offsets, np.array(within, np.int64), enter, leave, needs)


def ticks_saved(replay: Replay, pieces: Ints, less: Ints) -> Ints:
    """Compute by how much the exchange would be shorter if pieces of time were.

    Parameters
    ----------
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
    for i in range(min(len(pieces), MAX_REPLAYED, replay.times)):
        ends = replay.without(int(pieces[i]), int(less[i]))
        saved[i] = max(replay.last - ends.max(), 0)
    return saved


def needs_of_calls(trace: Trace, waits: WaitStates, calls: int) -> _Needs:
    """List what calls need: messages, all members of operations, and what they met.

    Of messages as large as one that was not sent before its receive was posted that
    receive, too. What was waited for is among it: whom a lock kept waiting is told by
    nothing else.
    """
    enter, regions, messages = trace.calls.enter, trace.regions, trace.messages
    takes_first = is_one_of(regions, FIRST_OF_SOME)[regions.operation]
    done, posted = completion_calls(trace), receives(trace)
    held = whole_calls_needed(waits, trace.calls.offsets)
    joins, members, came, who, node = _operations(trace, calls)

    def main(one: Ints, other: Ints) -> Bools:
        """Return whether both are calls of main threads."""
        result: Bools = (np.minimum(one, other) >= 0) & (np.maximum(one, other) < calls)
        return result

    def sends(some: slice) -> tuple[Ints, Ints]:
        """Return which calls complete sends, and those that post the receives."""
        complete = messages.send_completion_call[some]
        complete = np.where(complete >= 0, complete, messages.send_call[some])
        return complete, posted[some]

    least = np.iinfo(np.int64).max
    for some in batches(len(messages)):
        complete, receive = sends(some)
        late = np.flatnonzero(main(complete, receive))
        call = complete[late]
        late = late[
            (waits.until[call] > enter[call])
            & (waits.cause[call] == receive[late])
            & (waits.kind[call] == LATE_RECEIVER)
        ]
        least = min(least, int(messages.size[some][late].min(initial=least)))

    def needs() -> Iterator[tuple[Ints, Ints]]:
        """Iterate over calls, and what each needs."""
        for some in batches(len(messages)):
            sent, ends = messages.send_call[some], done[some]
            whole = main(sent, ends)
            if takes_first.any():
                whole[whole] = ~takes_first[trace.calls.region[ends[whole]]]
            yield ends[whole], sent[whole]
            complete, receive = sends(some)
            large = main(complete, receive) & (messages.size[some] >= least)
            yield complete[large], receive[large]
        for some in batches(calls):
            cause = waits.cause[some] + held[some]
            met = (waits.until[some] > enter[some]) & (cause >= 0) & (cause < calls)
            yield some.start + np.flatnonzero(met), cause[met]
        yield who, node

    # where those of each call begin, which placing them turns into where they end
    offsets = scratch(calls + 2)
    for call, _ in needs():
        np.add.at(offsets, call + 2, 1)
    add_up(offsets)
    nodes = unset(int(offsets[-1]))
    for call, needed in needs():
        place_by_group(needed, call, offsets[1:-1], nodes)
    return _Needs(joins, members, came, offsets[:-1], nodes)


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
