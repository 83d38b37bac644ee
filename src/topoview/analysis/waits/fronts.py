"""Fronts of delays: whom each kept waiting, how far and how fast, and where it ended.

The first waits that each rank has for a delay are its front. Straight lines through
the medians of all ranks at each distance tell how fast it travels and how it decays
(Markidis, Vencels, Peng, Akhmetova, Laure and Henri 2015, Idle waves in
high-performance computing; Afzal, Hager and Wellein 2019, Propagation and decay of
injected one-off delays on clusters). A front ends where there is nobody left, at the
front of another delay, or where ranks had time to spare.
"""

from typing import Any

import numpy as np

from topoview.analysis.logical.iterations import iterations
from topoview.analysis.waits.costs import WaitCosts, each_of
from topoview.base.kernels import kernel
from topoview.grouping import counting_sort
from topoview.model import (
    FRONT_ENDS,
    Bytes,
    CallPositions,
    Floats,
    Indices,
    Ints,
    Trace,
    WaitStates,
    readonly,
)


def follow_fronts(  # noqa: PLR0913
    trace: Trace,
    waits: WaitStates,
    costs: WaitCosts,
    pieces: Ints,
    stretches: tuple[Ints, Ints, Ints],
    positions: CallPositions,
    edges: Indices,
) -> dict[str, Any]:
    """Find whom each delay kept waiting, and how the waiting travelled.

    Parameters
    ----------
    waits, costs
        The waits, and their main causes.
    pieces : int64, shape (n,)
        Pieces of own time that are the delays.
    stretches : int64, shape (n,) each
        Their begin and end, and by how much they took longer than usual, in ticks.
    positions
        Of all calls.
    edges : int32, shape (edges, 2)
        Pairs of ranks that are neighbours in the topology.

    Returns
    -------
    dict
        Fields of `Delays`.
    """
    order = np.argsort(pieces)
    sorted_pieces = np.append(pieces[order], np.iinfo(np.int64).max)
    origin = costs.origins.ravel()
    at = np.searchsorted(sorted_pieces, origin)
    delay = np.where(sorted_pieces[at] == origin, np.append(order, -1)[at], -1)
    call = np.repeat(costs.order, 2)[delay >= 0]
    due = costs.due.ravel()[delay >= 0]
    is_main = np.tile([True, False], len(costs.order))[delay >= 0]
    delay = delay[delay >= 0]
    in_time = np.argsort(trace.calls.enter[call], kind="stable")
    by_delay, offsets = counting_sort(delay[in_time], len(pieces))
    call, due = call[in_time][by_delay], due[in_time][by_delay]
    is_main = is_main[in_time][by_delay]
    delay = np.repeat(np.arange(len(pieces)), np.diff(offsets))
    begin = trace.calls.enter[call]
    end, rank = begin + each_of(costs.waited, call), costs.rank[call]
    origin = costs.rank[pieces >> 1]
    neighbours = _neighbours(edges, trace.ranks)
    lists = readonly(origin), readonly(offsets), readonly(rank)
    hops = _hops(*neighbours, *lists)
    main = np.flatnonzero(is_main)
    by_rank = main[np.lexsort((begin[main], rank[main]))]
    of_rank = np.searchsorted(rank[by_rank], np.arange(trace.ranks + 1))
    ending, met = _ends(
        *neighbours,
        *lists,
        readonly(begin),
        readonly(end),
        readonly(due, np.float64),
        readonly(stretches[2], np.float64),
        *map(readonly, stretches[:2]),
        readonly(by_rank),
        readonly(of_rank),
        readonly(delay),
    )
    _, first = np.unique(delay * trace.ranks + rank, return_index=True)
    first = first[rank[first] != origin[delay[first]]]
    reached = np.bincount(delay[first], minlength=len(pieces)).astype(np.int32)
    first = first[hops[first] > 0]
    seconds = 1 / trace.clock.resolution

    def change(values: Ints | Floats, some: Ints) -> Floats:
        return change_with_hops(
            delay[some], hops[some].astype(np.int64), values[some], len(pieces)
        )

    turn = iterations(positions, call).astype(np.int64)
    return {
        "reached": reached,
        "hops_per_iteration": _speed(change(turn, first[turn[first] > 0])),
        "hops_per_second": _speed(change(end, first) * seconds),
        "decay": -change(due, first) * seconds,
        "ending": ending,
        "met": met,
        "offsets": offsets,
        "wait_rank": rank,
        "wait_whom": waits.whom[call],
        "wait_begin": begin,
        "wait_end": end,
        "wait_due": np.rint(due).astype(np.int64),
        "wait_hops": hops,
        "wait_call": call,
    }


def _speed(each: Floats) -> Floats:
    """Turn what a hop takes into hops a unit; NaN where it takes nothing."""
    takes = each > 0
    return np.where(takes, 1 / np.where(takes, each, 1), np.nan)


def change_with_hops(
    delay: Ints, hops: Ints, values: Ints | Floats, delays: int
) -> Floats:
    """Fit a line through the medians of each distance, for each delay.

    Parameters
    ----------
    delay, hops, values : numbers, shape (n,)
        Delay, distance and value of each rank that was reached.
    delays
        How many there are.

    Returns
    -------
    float64, shape (delays,)
        Change of the value with each hop, by least squares; NaN where there are
        no two distances.
    """
    order = np.lexsort((values, hops, delay))
    delay, hops, values = delay[order], hops[order], values[order]
    new = np.ones(len(order), bool)
    new[1:] = (delay[1:] != delay[:-1]) | (hops[1:] != hops[:-1])
    starts = np.flatnonzero(new)
    size = np.diff(starts, append=len(order))
    median = (values[starts + (size - 1) // 2] + values[starts + size // 2]) / 2
    of, x = delay[starts], hops[starts].astype(np.float64)
    count = np.maximum(np.bincount(of, minlength=delays), 1)
    x = x - (np.bincount(of, x, delays) / count)[of]
    y = median - (np.bincount(of, median, delays) / count)[of]
    square = np.bincount(of, x * x, delays)
    product = np.bincount(of, x * y, delays)
    there = square > 0
    return np.where(there, product / np.where(there, square, 1), np.nan)


def _neighbours(edges: Indices, ranks: int) -> tuple[Ints, Ints]:
    """Neighbours of each rank, row after row."""
    there = edges[(edges >= 0).all(axis=1)].astype(np.int64)
    ends = np.concatenate((there, there[:, ::-1]))
    order, begins = counting_sort(ends[:, 0], ranks)
    return readonly(begins), readonly(ends[order, 1])


@kernel
def _hops(
    begins: Ints, neighbours: Ints, origin: Ints, offsets: Ints, wait_rank: Ints
) -> Indices:
    """Distance of those that waited from the origin, no farther than needed."""
    ranks = len(begins) - 1
    found = np.full(len(wait_rank), -1, np.int32)
    wanted = np.full(ranks, -1, np.int64)
    met = np.full(ranks, -1, np.int64)
    distance = np.empty(ranks, np.int32)
    queue = np.empty(ranks, np.int64)
    for delay in range(len(origin)):
        missing = 0
        for i in range(offsets[delay], offsets[delay + 1]):
            if wanted[wait_rank[i]] != delay:
                wanted[wait_rank[i]] = delay
                missing += 1
        queue[0], met[origin[delay]], distance[origin[delay]] = origin[delay], delay, 0
        done, many = 0, 1
        while done < many and missing:
            one = queue[done]
            done += 1
            if wanted[one] == delay:
                missing -= 1
            for at in range(begins[one], begins[one + 1]):
                other = neighbours[at]
                if met[other] != delay:
                    met[other] = delay
                    distance[other] = distance[one] + 1
                    queue[many] = other
                    many += 1
        for i in range(offsets[delay], offsets[delay + 1]):
            if met[wait_rank[i]] == delay:
                found[i] = distance[wait_rank[i]]
    return found


_NOBODY, _BOUNDARY, _ANNIHILATED, _ABSORBED = range(len(FRONT_ENDS))


@kernel
def _ends(  # noqa: C901, PLR0913
    begins: Ints,
    neighbours: Ints,
    origin: Ints,
    offsets: Ints,
    wait_rank: Indices,
    wait_begin: Ints,
    wait_end: Ints,
    due: Floats,
    excess: Floats,
    begin: Ints,
    end: Ints,
    by_rank: Ints,
    of_rank: Ints,
    delay_of: Ints,
) -> tuple[Bytes, Indices]:
    """Tell what stopped each front, by the neighbours that it did not come to.

    Each edge from a rank that it reached to one that it did not reach is asked: did
    that one wait, mainly for another delay, at any time while this one waited? Edges
    count by what was due to the delay on this side: of echoes that is next to nothing.
    `by_rank` lists those waits by rank, then begin; of rank r from `of_rank[r]` on.
    """
    ranks, delays = len(begins) - 1, len(origin)
    ending = np.zeros(delays, np.uint8)
    met = np.full(delays, -1, np.int32)
    first = np.full(ranks, -1, np.int64)  # wait of the rank for this delay, +1; 0: own
    reached = np.full(ranks, -1, np.int64)
    with_, for_ = np.zeros(delays, np.int64), np.full(delays, -1, np.int64)
    for delay in range(delays):
        low, high = offsets[delay], offsets[delay + 1]
        if low == high:
            continue
        reached[origin[delay]], first[origin[delay]] = delay, 0
        for i in range(low, high):
            one = wait_rank[i]
            if reached[one] != delay:
                reached[one], first[one] = delay, i + 1
        at_stake, stopped, most = 0.0, 0.0, -1
        for k in range(low - 1, high):
            one = origin[delay] if k < low else wait_rank[k]
            if k >= low and first[one] != k + 1:
                continue
            since = begin[delay] if k < low else wait_begin[k]
            until = end[delay] if k < low else wait_end[k]
            weight = excess[delay] if k < low else due[k]
            for at in range(begins[one], begins[one + 1]):
                other = neighbours[at]
                if reached[other] == delay:
                    continue
                at_stake += weight
                # its last wait that begins before this one is over, and those before
                down, up = of_rank[other], of_rank[other + 1]
                while down < up:
                    middle = (down + up) >> 1
                    if wait_begin[by_rank[middle]] < until:
                        down = middle + 1
                    else:
                        up = middle
                is_met = False
                place = down - 1
                while place >= of_rank[other] and wait_end[by_rank[place]] > since:
                    wait = by_rank[place]
                    its = delay_of[wait]
                    if for_[its] != delay:
                        for_[its], with_[its] = delay, 0
                    with_[its] += min(wait_end[wait], until) - max(
                        wait_begin[wait], since
                    )
                    if most < 0 or with_[its] > with_[most]:
                        most = its
                    is_met = True
                    place -= 1
                if is_met:
                    stopped += weight
        if at_stake == 0:
            ending[delay] = _BOUNDARY
        elif 2 * stopped > at_stake:
            ending[delay] = _ANNIHILATED
            met[delay] = most
        else:
            ending[delay] = _ABSORBED
    return ending, met
