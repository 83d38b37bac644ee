"""Delays of single ranks, and how the waiting for them spreads: idle waves.

The first waits that each rank has for a delay are its front. Straight lines through
the medians of all ranks at each distance tell how fast it travels and how it decays
(Markidis, Vencels, Peng, Akhmetova, Laure and Henri 2015, Idle waves in
high-performance computing; Afzal, Hager and Wellein 2019, Propagation and decay of
injected one-off delays on clusters).
"""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from topoview.analysis.waits.costs import LOOKING_FOR_DELAYS, WaitCosts, wait_costs
from topoview.grouping import counting_sort
from topoview.kernels import kernel
from topoview.model import (
    MAX_DELAYS,
    CallPositions,
    Delays,
    Floats,
    Identification,
    Indices,
    Ints,
    LogicalTrace,
    LoopStep,
    Trace,
    WaitStates,
    readonly,
)
from topoview.progress import Report, silent


def delays(  # noqa: PLR0913
    trace: Trace,
    waits: WaitStates | None,
    identification: Identification,
    logical: LogicalTrace,
    positions: CallPositions,
    report: Report = silent,
) -> Delays | None:
    """Rank the delays of single ranks by the waiting that they caused.

    Returns
    -------
    Delays or None
        None if the clocks are not aligned, or nobody waited.
    """
    if waits is None:
        return None
    costs = wait_costs(trace, waits, logical, report)
    if not costs.late.any():
        return None
    report(LOOKING_FOR_DELAYS, 0.8)
    caused = np.floor(costs.caused).astype(np.int64)
    some = np.flatnonzero(caused)
    left_out = max(0, len(some) - MAX_DELAYS)
    some = (
        some[np.argpartition(caused[some], left_out)[left_out:]] if left_out else some
    )
    some = some[np.argsort(-caused[some], kind="stable")]
    edges = identification.best.rank_edges
    fronts = follow_fronts(trace, costs, some, positions, edges)
    call, inside = some >> 1, some & 1 == 1
    of_call = costs.caused[::2] + costs.caused[1::2]
    return Delays(
        rank=costs.rank[call],
        begin=costs.own.begin[some],
        end=costs.own.begin[some] + costs.own.ticks[some],
        excess=costs.own.excess[some],
        region=np.where(inside, trace.calls.region[call], -1).astype(np.int32),
        iteration=iterations(positions, call),
        caused=caused[some],
        of_rank=np.rint(np.bincount(costs.rank, of_call, trace.ranks)).astype(np.int64),
        of_statement=_sums(
            logical.statement_of_call[: len(of_call)], of_call, logical.statements
        ),
        waiting=int(costs.late.sum()),
        left_out=left_out,
        **fronts,
    )


def _sums(group: Indices, ticks: Floats, groups: int) -> Ints:
    """Sum up by group; -1 is none."""
    found = np.bincount(group[group >= 0], ticks[group >= 0], groups)
    return np.rint(found).astype(np.int64)


def iterations(positions: CallPositions, calls: Ints) -> Indices:
    """Tell the iteration of the program that calls are in.

    They are those of the outermost loop; where its body is mostly another loop with
    more iterations, such as twenty steps between two reductions, those of that one,
    numbered through all its runs.

    Parameters
    ----------
    calls : int64, shape (n,)
        Indices of calls.

    Returns
    -------
    int32, shape (n,)
        From 1; 0 outside of loops, and of calls whose position is not known.
    """
    ways = {_repeated(way) for ways in positions.loops for way in ways}
    found, place = np.zeros(len(calls), np.int32), positions.of_call[calls]
    for nest in ways:
        if len(nest) == 1:
            _number_iterations(place, _main_nest(nest, ways), found)
    return found


def _repeated(way: tuple[LoopStep, ...]) -> tuple[LoopStep, ...]:
    """Leave out loops that run once; others keep their places."""
    found, before = [], 0
    for step in way:
        before += step.offset
        if step.count > 1:
            found.append(replace(step, offset=before))
            before = 0
    return tuple(found)


def _main_nest(
    nest: tuple[LoopStep, ...], ways: Iterable[tuple[LoopStep, ...]]
) -> tuple[LoopStep, ...]:
    """Go down to the loop whose iterations are the program's."""
    for inner in ways:
        if len(inner) == len(nest) + 1 and inner[:-1] == nest:
            outer, own = inner[-2:]
            if 2 * own.count * own.size > outer.size and own.count > outer.count:
                return _main_nest(inner, ways)
    return nest


def _number_iterations(
    position: Ints, nest: tuple[LoopStep, ...], found: Indices
) -> None:
    """Give the calls of a loop their numbers."""
    place = position - nest[0].offset
    inside = np.flatnonzero((place >= 0) & (place < nest[0].count * nest[0].size))
    place, number = position[inside], np.zeros(len(inside), np.int64)
    for step in nest:
        place = place - step.offset
        turn = np.clip(place // step.size, 0, step.count - 1)
        place = place - turn * step.size
        number = number * step.count + turn
    found[inside] = number + 1


def follow_fronts(
    trace: Trace,
    costs: WaitCosts,
    pieces: Ints,
    positions: CallPositions,
    edges: Indices,
) -> dict[str, Any]:
    """Find whom each delay kept waiting, and how the waiting travelled.

    Parameters
    ----------
    costs
        The waits, and their main causes.
    pieces : int64, shape (n,)
        Pieces of own time that are the delays.
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
    delay = delay[delay >= 0]
    in_time = np.argsort(trace.calls.enter[call], kind="stable")
    by_delay, offsets = counting_sort(delay[in_time], len(pieces))
    call, due = call[in_time][by_delay], due[in_time][by_delay]
    delay = np.repeat(np.arange(len(pieces)), np.diff(offsets))
    begin = trace.calls.enter[call]
    end, rank = begin + costs.late[call], costs.rank[call]
    origin = costs.rank[pieces >> 1]
    hops = _hops(
        *_neighbours(edges, trace.ranks),
        readonly(origin),
        readonly(offsets),
        readonly(rank),
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
        "offsets": offsets,
        "wait_rank": rank,
        "wait_begin": begin,
        "wait_end": end,
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
