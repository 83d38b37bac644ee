"""Kernels that find how far the waits of a delay spread, and what stopped them."""

import cython
import numpy as np

if not cython.compiled:
    from numpy.typing import NDArray

    from topoview.base.kinds import *
    from topoview.model import FRONT_ENDS

    BOUNDARY, ANNIHILATED, ABSORBED = range(1, len(FRONT_ENDS))
    """How fronts end: indices into `FRONT_ENDS`."""


def hops(
    begins: Ints, neighbours: Ints, origin: Ints, offsets: Ints, wait_rank: Ints
) -> OutIndices:
    """Count the hops of those that waited from the origin, no farther than needed.

    Parameters
    ----------
    begins : int64, shape (ranks + 1,)
        Where the neighbours of each rank begin.
    neighbours : int64, shape (n,)
    origin : int64, shape (delays,)
        The rank that each delay came from.
    offsets : int64, shape (delays + 1,)
        Where the waits of each delay begin.
    wait_rank : int64, shape (waits,)

    Returns
    -------
    int32, shape (waits,)
        -1 of those that no edges lead to.
    """
    ranks: Int = len(begins) - 1
    distances = np.full(len(wait_rank), -1, np.int32)
    hop: OutIndices = distances
    wanted: OutInts = np.full(ranks, -1, np.int64)
    met: OutInts = np.full(ranks, -1, np.int64)
    distance: OutIndices = np.empty(ranks, np.int32)
    queue: OutInts = np.empty(ranks, np.int64)
    delay: Int
    i: Int
    edge: Int
    with cython.nogil:
        for delay in range(len(origin)):
            missing: Int = 0
            for i in range(offsets[delay], offsets[delay + 1]):
                if wanted[wait_rank[i]] != delay:
                    wanted[wait_rank[i]] = delay
                    missing += 1
            queue[0] = origin[delay]
            met[origin[delay]] = delay
            distance[origin[delay]] = 0
            done: Int = 0
            many: Int = 1
            while done < many and missing:
                rank: Int = queue[done]
                done += 1
                if wanted[rank] == delay:
                    missing -= 1
                for edge in range(begins[rank], begins[rank + 1]):
                    other: Int = neighbours[edge]
                    if met[other] != delay:
                        met[other] = delay
                        distance[other] = distance[rank] + 1
                        queue[many] = other
                        many += 1
            for i in range(offsets[delay], offsets[delay + 1]):
                if met[wait_rank[i]] == delay:
                    hop[i] = distance[wait_rank[i]]
    return distances


def front_ends(  # noqa: C901, PLR0913
    begins: Ints,
    neighbours: Ints,
    origin: Ints,
    offsets: Ints,
    wait_rank: Ints,
    wait_begin: Ints,
    wait_end: Ints,
    due: Floats,
    excess: Floats,
    begin: Ints,
    end: Ints,
    by_rank: Ints,
    of_rank: Ints,
    delay_of: Ints,
) -> tuple[NDArray[np.uint8], NDArray[np.int32]]:
    """Find what stopped each front, by the neighbours that it did not come to.

    Each edge from a rank that it reached to one that it did not reach is asked: did
    that one wait, mainly for another delay, at any time while this one waited? Edges
    count by what was due to the delay on this side: of echoes that is next to nothing.

    Parameters
    ----------
    begins, neighbours, origin, offsets, wait_rank
        As for `hops`.
    wait_begin, wait_end : int64, shape (waits,)
        In ticks.
    due : float64, shape (waits,)
        Ticks of each wait that are due to the delay.
    excess : float64, shape (delays,)
        By how many ticks delays took longer than usual.
    begin, end : int64, shape (delays,)
        When they were, in ticks.
    by_rank : int64, shape (n,)
        Waits that are mainly due to their delay by rank, then begin.
    of_rank : int64, shape (ranks + 1,)
        Where those of each rank begin.
    delay_of : int64, shape (waits,)

    Returns
    -------
    uint8, shape (delays,)
        Index into `FRONT_ENDS`.
    int32, shape (delays,)
        The delay that annihilated it, -1 for none.
    """
    ranks: Int = len(begins) - 1
    delays: Int = len(origin)
    endings = np.zeros(delays, np.uint8)
    annihilators = np.full(delays, -1, np.int32)
    ending: OutBytes = endings
    met: OutIndices = annihilators
    # the wait of a rank for this delay, and 1; 0: the delay itself
    first: OutInts = np.full(ranks, -1, np.int64)
    reached: OutInts = np.full(ranks, -1, np.int64)
    # ticks that waits for another delay have in common with those for this one
    common: OutInts = np.zeros(delays, np.int64)
    common_with: OutInts = np.full(delays, -1, np.int64)
    delay: Int
    i: Int
    edge: Int
    with cython.nogil:
        for delay in range(delays):
            low: Int = offsets[delay]
            high: Int = offsets[delay + 1]
            if low == high:
                continue
            reached[origin[delay]], first[origin[delay]] = delay, 0
            for i in range(low, high):
                if reached[wait_rank[i]] != delay:
                    reached[wait_rank[i]], first[wait_rank[i]] = delay, i + 1
            # Each wait for this delay asks the neighbours that its front did not come
            # to.
            at_stake: Float = 0.0
            stopped: Float = 0.0
            most: Int = -1
            # the delay itself, then the first wait of each rank
            for i in range(low - 1, high):
                rank: Int = origin[delay] if i < low else wait_rank[i]
                if i >= low and first[rank] != i + 1:
                    continue
                since: Int = begin[delay] if i < low else wait_begin[i]
                until: Int = end[delay] if i < low else wait_end[i]
                weight: Float = excess[delay] if i < low else due[i]
                for edge in range(begins[rank], begins[rank + 1]):
                    other: Int = neighbours[edge]
                    if reached[other] == delay:
                        continue
                    at_stake += weight
                    # its last wait that begins before this one is over, and those
                    # before
                    down: Int = of_rank[other]
                    up: Int = of_rank[other + 1]
                    while down < up:
                        middle: Int = (down + up) >> 1
                        if wait_begin[by_rank[middle]] < until:
                            down = middle + 1
                        else:
                            up = middle
                    is_met: Bool = False
                    place: Int = down - 1
                    while place >= of_rank[other] and wait_end[by_rank[place]] > since:
                        wait: Int = by_rank[place]
                        its: Int = delay_of[wait]
                        if common_with[its] != delay:
                            common_with[its], common[its] = delay, 0
                        # How long both waits overlap says which delay met this one
                        # most.
                        common[its] += min(wait_end[wait], until) - max(
                            wait_begin[wait], since
                        )
                        if most < 0 or common[its] > common[most]:
                            most = its
                        is_met = True
                        place -= 1
                    if is_met:
                        stopped += weight
            # Without such neighbours it came to the border; where most was stopped it
            # was annihilated by another delay; else it was absorbed in idle time.
            if at_stake == 0:
                ending[delay] = BOUNDARY
            elif 2 * stopped > at_stake:
                ending[delay] = ANNIHILATED
                met[delay] = most
            else:
                ending[delay] = ABSORBED
    return endings, annihilators
