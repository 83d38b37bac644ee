"""Who waits for whom at a time, up to the root cause.

A rank in a call whose partner has not come waits for that partner; the partner may
wait itself. So the ranks form trees whose roots keep all others waiting (Böhme,
Geimer, Wolf, Arnold 2010, Identifying the root causes of wait states in large-scale
parallel applications, section 2, tell direct from indirect waiting in this way).
"""

from dataclasses import dataclass

import numpy as np

from topoview.kernels import kernel
from topoview.live.moment import TimeCursor
from topoview.model import Indices, WaitStates, freeze

MAX_CHAIN_STEPS = 100_000
"""Ranks of the longest chain that is followed."""


@dataclass(frozen=True, slots=True, eq=False)
class WaitChains:
    """The ranks as trees of waiting.

    Attributes
    ----------
    whom : int32, shape (ranks,)
        Rank that each rank waits for, -1 if it waits for none.
    depth : int32, shape (ranks,)
        Steps from each rank to its root: 0 for one that waits for nobody. -1 in
        circles, which clocks that differ a little may make.
    held : int32, shape (ranks,)
        Ranks that wait for it, directly or through others.
    """

    whom: Indices
    depth: Indices
    held: Indices

    def __post_init__(self) -> None:
        """Make the arrays read-only."""
        freeze(self)

    def of(self, rank: int) -> list[int]:
        """Follow a rank to the root of its tree: the rank itself first."""
        found = [rank]
        while len(found) < MAX_CHAIN_STEPS and self.depth[rank] >= 0:
            rank = int(self.whom[found[-1]])
            if rank < 0:
                break
            found.append(rank)
        return found

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
    found = np.full(trace.ranks, -1, np.int32)
    ranks = np.flatnonzero(inside)
    open_ = waits.until[call[ranks]] > ticks
    found[ranks[open_]] = waits.whom[call[ranks[open_]]]
    found[found == np.arange(trace.ranks)] = -1
    return found


def wait_chains(cursor: TimeCursor, waits: WaitStates, ticks: int) -> WaitChains:
    """Make the trees of waiting at a time; linear in the ranks."""
    whom = waiting_for(cursor, waits, ticks)
    depth, held = _trees(whom)
    return WaitChains(whom, depth, held)


@kernel
def _trees(whom: Indices) -> tuple[Indices, Indices]:  # noqa: C901
    ranks = len(whom)
    depth = np.full(ranks, -2, np.int32)
    held = np.zeros(ranks, np.int32)
    way = np.empty(ranks, np.int32)
    for rank in range(ranks):
        count, now = 0, np.int32(rank)
        while depth[now] == -2:
            depth[now] = -3  # on the way
            way[count] = now
            count += 1
            if whom[now] < 0:
                break
            now = whom[now]
        if count == 0:
            continue
        if whom[way[count - 1]] < 0:
            last = np.int32(-1)
        elif depth[now] == -3 or depth[now] == -1:  # a circle, or into one
            for i in range(count):
                depth[way[i]] = -1
            continue
        else:
            last = depth[now]
        for i in range(count - 1, -1, -1):
            last += 1
            depth[way[i]] = last
    order = np.argsort(-depth)
    for at in range(ranks):
        rank = order[at]
        if depth[rank] > 0:
            held[whom[rank]] += held[rank] + 1
    return depth, held
