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
from topoview.analysis.waits import kernels
from topoview.analysis.waits.costs import WaitCosts, each_of
from topoview.grouping import counting_sort
from topoview.model import (
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
    lists = readonly(origin), offsets, readonly(rank)
    hops = kernels.hops(*neighbours, *lists)
    main = np.flatnonzero(is_main)
    by_rank = main[np.lexsort((begin[main], rank[main]))]
    of_rank = np.searchsorted(rank[by_rank], np.arange(trace.ranks + 1))
    ending, met = kernels.front_ends(
        *neighbours,
        *lists,
        begin,
        end,
        due,
        readonly(stretches[2], np.float64),
        readonly(stretches[0]),
        readonly(stretches[1]),
        by_rank,
        of_rank,
        delay,
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
    return begins, ends[order, 1]
