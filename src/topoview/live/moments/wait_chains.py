"""Who waits for whom at a time, up to the root cause.

A rank in a call whose partner has not come waits for that partner; the partner may
wait itself. So the ranks form trees whose roots keep all others waiting (Böhme,
Geimer, Wolf, Arnold 2010, Identifying the root causes of wait states in large-scale
parallel applications, section 2, tell direct from indirect waiting in this way).
"""

from dataclasses import dataclass

import numpy as np

from topoview.live.moments.moment import TimeCursor, call_at
from topoview.model import Frozen, Indices, Trace, WaitStates

MAX_CHAIN_STEPS = 100_000
"""Ranks of the longest chain that is followed."""


@dataclass(frozen=True, slots=True, eq=False)
class WaitChains(Frozen):
    """The ranks as trees of waiting."""

    whom: Indices
    """int32, shape (ranks,): rank that each rank waits for, -1 if it waits for none."""
    depth: Indices
    """int32, shape (ranks,): steps from each rank to its root: 0 for one that waits for
    nobody. -1 in circles, which clocks that differ a little may make."""
    held: Indices
    """int32, shape (ranks,): ranks that wait for it, directly or through others."""

    def of(self, rank: int) -> list[int]:
        """Follow a rank to the root of its tree: the rank itself first."""
        result = [rank]
        while len(result) < MAX_CHAIN_STEPS and self.depth[rank] >= 0:
            rank = int(self.whom[result[-1]])
            if rank < 0:
                break
            result.append(rank)
        return result

    @property
    def longest(self) -> list[int]:
        """The chain with most steps, the one of the lowest rank if there are more."""
        if not len(self.depth) or self.depth.max() <= 0:
            return []
        return self.of(int(np.argmax(self.depth)))


def waiting_for(cursor: TimeCursor, waits: WaitStates, ticks: int) -> Indices:
    """Find the rank that each rank waits for at a time.

    A receive waits until its message is sent, a collective operation until the last
    member that it needs has come, a blocking send until its receive is posted, if
    it ends no sooner.

    Returns
    -------
    int32, shape (ranks,)
        -1 for a rank that waits for nobody, or for what the trace does not tell.
    """
    trace = cursor.trace
    call, inside = cursor.calls(ticks)
    result = np.full(trace.ranks, -1, np.int32)
    ranks = np.flatnonzero(inside)
    open_ = waits.until[call[ranks]] > ticks
    result[ranks[open_]] = waits.whom[call[ranks[open_]]]
    result[result == np.arange(trace.ranks)] = -1
    return result


def awaited_by(trace: Trace, waits: WaitStates, rank: int, ticks: int) -> int:
    """Find the rank that one waits for at a time, as `waiting_for`; -1 for none."""
    call = call_at(trace, rank, ticks)
    if call is None or waits.until[call] <= ticks or waits.whom[call] == rank:
        return -1
    return int(waits.whom[call])


def wait_chains(cursor: TimeCursor, waits: WaitStates, ticks: int) -> WaitChains:
    """Build the trees of waiting at a time; linear in the ranks."""
    whom = waiting_for(cursor, waits, ticks)
    depth, held = _trees(whom)
    return WaitChains(whom, depth, held)


def _trees(whom: Indices) -> tuple[Indices, Indices]:
    """Find how deep each rank is, and how many wait for it.

    Every way is followed twice as far in each round (Wyllie 1979, The complexity of
    parallel computations, pointer jumping).
    """
    ranks = len(whom)
    ahead = np.append(np.where(whom < 0, ranks, whom), ranks)  # as far as is known
    depth = (ahead < ranks).astype(np.int32)
    held = (np.arange(ranks + 1) < ranks).astype(np.float64)  # with itself
    for _ in range(ranks.bit_length()):
        if ahead.min(initial=ranks) == ranks:
            break
        held += np.bincount(ahead, held, ranks + 1)
        held[ranks] = 0
        depth += depth[ahead]
        ahead = ahead[ahead]
    circles = ahead[:ranks] < ranks
    blocked = np.where(circles, 0, held[:ranks] - 1).astype(np.int32)
    return np.where(circles, -1, depth[:ranks]).astype(np.int32), blocked
