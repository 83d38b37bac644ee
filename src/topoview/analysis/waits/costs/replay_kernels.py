"""Kernels that go through all calls again as if delays had not been."""

import cython
import numpy as np

from topoview.base.scratch import scratch, scratch_full

if not cython.compiled:
    from numpy.typing import NDArray

    from topoview.analysis.waits.costs.kernels import first_stuck, leave_queue
    from topoview.base.kinds import *


def replayed_ends(  # noqa: C901, PLR0913
    offsets: Ints,
    stops: Ints,
    enter: Ints,
    leave: Ints,
    joins: Indices,
    members: Indices,
    came: Ints,
    need_offsets: Ints,
    needs: Ints,
    piece: Int,
    less: Int,
    bound: Int,
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Compute when each rank leaves its last call if a piece of time is shorter.

    Computation takes as long as it did, and so does what a call takes from the later of
    its begin and that of all that it needs. What came after a call was left it did not
    need. Where the piece is longer without end, the first call that a rank leaves
    behind all that was recorded is where it begins to wait for that.

    Parameters
    ----------
    offsets : int64, shape (ranks + 1,)
        Where the calls of each rank begin.
    stops : int64, shape (ranks,)
        Where those end that count.
    enter, leave : int64, shape (calls,)
    joins : int32, shape (calls,)
        The operation that each call takes part in; -1 for none.
    members : int32, shape (operations,)
        Calls that take part in each.
    came : int64, shape (operations,)
        When the last of these began.
    need_offsets, needs : int64, shape (calls + 1,) and (n,)
        What each call needs: numbers of calls, and behind those of operations.
    piece
        ``2 c`` is the computation before call ``c``, ``2 c + 1`` that call.
    less
        Ticks that it is shorter by; below 0 longer.
    bound
        Ticks behind which a rank is late.

    Returns
    -------
    int64, shape (ranks,)
        In ticks; 0 of ranks without such calls.
    int64, shape (ranks,), twice
        The first call that each leaves behind the bound, and when; -1 for none.
    """
    ranks: Int = len(offsets) - 1
    calls: Int = len(enter)
    ends = np.zeros(ranks, np.int64)
    now: OutInts = ends
    first_late = np.full(ranks, -1, np.int64)
    late_call: OutInts = first_late
    first_left = np.full(ranks, -1, np.int64)
    late_left: OutInts = first_left
    # of calls and operations: when they begin, whom they miss till then, the last rank
    # that stands still for it; of each such rank the one before it
    nodes: Int = calls + len(members)
    begin: OutInts = scratch(nodes)
    missing: OutIndices = scratch_full(nodes, 1, np.int32)
    waiting: OutIndices = scratch_full(nodes, -1, np.int32)
    before: OutIndices = np.full(ranks, -1, np.int32)
    place: OutInts = np.array(offsets[:ranks], np.int64)
    # whether a rank has begun the call at its place, and which need it looks at
    begun: OutBools = np.zeros(ranks, np.bool_)
    at: OutInts = np.zeros(ranks, np.int64)
    # when it has all that the call needs: then, and in the record
    had: OutInts = np.zeros(ranks, np.int64)
    had_then: OutInts = np.zeros(ranks, np.int64)
    ready: OutIndices = np.arange(ranks, dtype=np.int32)
    many: Int = ranks
    stuck: Int = 0
    node: Int = 0
    r: Int
    with cython.nogil:
        for node in range(len(members)):
            missing[calls + node] = members[node]
        while stuck >= 0:
            while many:
                many -= 1
                r = ready[many]
                while place[r] < stops[r]:
                    call: Int = place[r]
                    if not begun[r]:
                        # computation starts where the call before was left
                        left: Int = leave[call - 1] if call > offsets[r] else 0
                        now[r] += enter[call] - left
                        if piece == 2 * call:
                            now[r] -= less
                        begun[r] = True
                        at[r] = need_offsets[call]
                        had[r] = now[r]
                        had_then[r] = enter[call]
                        node = call
                        while node >= 0:
                            begin[node] = max(begin[node], now[r])
                            missing[node] -= 1
                            if missing[node] == 0:
                                many = release(waiting, before, node, ready, many)
                            joined: Int = joins[call]
                            node = (
                                calls + joined if node == call and joined >= 0 else -1
                            )
                    while at[r] < need_offsets[call + 1]:
                        node = needs[at[r]]
                        then: Int = enter[node] if node < calls else came[node - calls]
                        if then <= leave[call]:
                            if missing[node] > 0:
                                break
                            had[r] = max(had[r], begin[node])
                            had_then[r] = max(had_then[r], then)
                        at[r] += 1
                    if at[r] < need_offsets[call + 1]:
                        before[r] = waiting[node]
                        waiting[node] = r
                        break
                    now[r] = had[r] + leave[call] - had_then[r]
                    if piece == 2 * call + 1:
                        now[r] -= less
                    if now[r] > bound and late_call[r] < 0:
                        late_call[r] = call
                        late_left[r] = now[r]
                    place[r] += 1
                    begun[r] = False
            # Records that do not fit together: the call that began first goes on
            # without what it stands still for.
            stuck = first_stuck(place, stops, enter)
            if stuck >= 0:
                leave_queue(waiting, before, needs[at[stuck]], stuck)
                at[stuck] += 1
                ready[0] = stuck
                many = 1
    return ends, first_late, first_left


def release(
    waiting: OutIndices, before: OutIndices, node: Int, ready: OutIndices, many: Int
) -> Int:
    """Add the ranks that stand still until something begins to those that are ready.

    Returns
    -------
    int
        How many are ready now; there were `many`.
    """
    rank: Int = waiting[node]
    while rank >= 0:
        ready[many] = rank
        many += 1
        rank = before[rank]
    waiting[node] = -1
    return many
