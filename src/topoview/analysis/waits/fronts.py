"""Fronts of delays: whom each kept waiting, how far and how fast, and where it ended.

The first waits that each rank has for a delay are its front. It travels where these
begin later the more hops away a rank is. Straight lines through the medians of all
ranks at each distance then tell how fast, and how it decays (Markidis, Vencels, Peng,
Akhmetova, Laure and Henri 2015, Idle waves in high-performance computing; Afzal, Hager
and Wellein 2019, Propagation and decay of injected one-off delays on clusters). A front
ends where there is nobody left, at the front of another delay, or where ranks had time
to spare.
"""

from typing import Any, Final, NamedTuple

import numpy as np

from topoview.analysis.logical.iterations import iterations
from topoview.analysis.waits import front_kernels
from topoview.analysis.waits.costs.costs import WaitCosts, each_of
from topoview.analysis.waits.costs.replay import Replay
from topoview.base.progress import batches
from topoview.base.scratch import scratch
from topoview.grouping import counting_sort, run_begins
from topoview.model import (
    MIN_CORRELATION,
    MIN_EXPLAINED,
    WAIT_KINDS,
    WAITS_FOR_ONE,
    Bools,
    CallPositions,
    Floats,
    Indices,
    Ints,
    TimeState,
    Trace,
    WaitStates,
    readonly,
)

MIN_SHARE_DUE: Final = 0.05
"""Share of a delay that is waited for at least where its front has come."""

MIN_SHARE_MET: Final = 0.5
"""Share of what a wait is due to one delay that it is due to another one at least where
their fronts meet."""

MIN_DISTANCES: Final = 3
"""Distances that a front comes to, one after the other, if it is told that it
travels."""

ONE_PER_CENT: Final = 2.33
"""What a standard normal number is above in one of a hundred draws."""

ERRORS: Final = 2.0
"""Standard errors by which a slope differs from 0 at least if it is told."""

NEGLIGIBLE_DECAY: Final = 0.001
"""Share of a delay by which waits get shorter with each hop at most where they are told
not to: messages take time, too."""

MAX_MISFIT: Final = 0.1
"""Error of a front's speed, as a share of it, up to which one speed describes it: more
where it travels faster in some directions than in others, or comes back."""

ORIGINS: Final = 8
"""Ranks, and iterations in the first half of the main loop, in which an endless delay
is tried."""

TOGETHER: Final = (TimeState.COLLECTIVE, TimeState.BARRIER)
"""States of calls in which ranks meet that are no neighbours."""

_DIRECT: Final = np.array([*(kind in WAITS_FOR_ONE for kind in WAIT_KINDS), False])


class Stretches(NamedTuple):
    """The delays: stretches of a rank's own time; columns of shape (n,), in ticks."""

    begin: Ints
    end: Ints
    excess: Ints
    caused: Ints
    """`excess` and `caused`: by how much they took longer than usual, and what others
    waited because of it."""


class _DueWaits(NamedTuple):
    """Waits that are due to delays, a row for each of the two main causes."""

    call: Ints
    delay: Ints
    due: Floats
    is_main: Bools
    meets: Bools
    """`due`, `is_main` and `meets`: ticks of the wait that are due to the delay,
    whether to it most, and whether another delay has as good a share."""

    def take(self, rows: Ints | Bools) -> "_DueWaits":
        return _DueWaits(
            call=self.call[rows],
            delay=self.delay[rows],
            due=self.due[rows],
            is_main=self.is_main[rows],
            meets=self.meets[rows],
        )


def follow_fronts(  # noqa: PLR0913
    trace: Trace,
    waits: WaitStates,
    costs: WaitCosts,
    pieces: Ints,
    stretches: Stretches,
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
    stretches
        Where these are, and how long.
    positions
        Of all calls.
    edges : int32, shape (edges, 2)
        Pairs of ranks that are neighbours in the topology.

    Returns
    -------
    dict
        Fields of `Delays`.
    """
    # Waits in order of time, delay by delay: the first of a rank is when the front
    # comes.
    count = len(pieces)
    rows = _due_waits(costs, pieces, stretches.excess)
    rows = rows.take(np.argsort(trace.calls.enter[rows.call], kind="stable"))
    by_delay, offsets = counting_sort(rows.delay, count)
    call, delay, due, is_main, meets = rows.take(by_delay)
    begin = trace.calls.enter[call]
    end, rank = begin + each_of(costs.waited, call), costs.rank[call]
    origin = costs.rank[pieces >> 1]
    neighbours = _neighbours(edges, trace.ranks)
    lists = readonly(origin), offsets, readonly(rank)
    hops = front_kernels.hops(*neighbours, *lists)
    # Where a front ends, some rank beyond waits mainly for another delay, or for none.
    main = np.flatnonzero(is_main)
    by_rank = main[np.lexsort((begin[main], rank[main]))]
    of_rank = np.searchsorted(rank[by_rank], np.arange(trace.ranks + 1))
    ending, met = front_kernels.front_ends(
        *neighbours,
        *lists,
        begin,
        end,
        due,
        readonly(stretches.excess, np.float64),
        readonly(stretches.begin),
        readonly(stretches.end),
        by_rank,
        of_rank,
        delay,
    )
    _, first = np.unique(delay * trace.ranks + rank, return_index=True)
    first = first[rank[first] != origin[delay[first]]]
    reached = np.bincount(delay[first], minlength=count)
    # what all wait for in one operation does not travel from neighbour to neighbour
    first = first[_DIRECT[waits.kind[call[first]]]]
    directly = np.bincount(delay[first], minlength=count)
    first = first[hops[first] > 0]
    # where it meets another front the waits are not its own any more
    first = first[_before_meeting(delay[first], hops[first], meets[first], count)]
    # A front travels if it comes later the farther it is: correlation of time with
    # hops, by ranks, and by the median of each distance, which one straggler does not
    # move.
    of, distance = delay[first], hops[first].astype(np.int64)
    everyone = rank_correlation(of, distance, begin[first], count)
    correlation = rank_correlation(*_medians(of, distance, begin[first]), count)
    turn = iterations(positions, call).astype(np.int64)[first]
    by_turn = line_through(of[turn > 0], distance[turn > 0], turn[turn > 0], count)
    by_time = line_through(of, distance, end[first], count)
    fading = line_through(of, distance, due[first], count)
    explained = stretches.excess * reached
    travels = (explained >= MIN_EXPLAINED * stretches.caused) & (2 * directly > reached)
    travels &= (correlation > MIN_CORRELATION) & (by_time.points >= MIN_DISTANCES)
    # the waits of all ranks correlate better than by chance (normal approximation)
    some = np.bincount(of, minlength=count)
    travels &= everyone * np.sqrt(np.maximum(some - 1, 0)) > ONE_PER_CENT
    second = trace.clock.resolution
    speeds = (_speed(by_turn, travels), _speed(by_time, travels))
    return {
        "reached": reached.astype(np.int32),
        "correlation": np.where(travels, correlation, np.nan),
        "hops_per_iteration": speeds[0][0],
        "hops_per_second": speeds[1][0] * second,
        "decay": _decay(fading, travels, stretches.excess) / second,
        "errors": np.stack(
            [speeds[0][1], speeds[1][1] * second, ERRORS * fading.error / second]
        ),
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


def predicted_front(
    trace: Trace, replay: Replay, positions: CallPositions, edges: Indices
) -> Floats:
    """Predict the speed of fronts from what calls need and how long ranks compute.

    All calls are gone through again with some rank endlessly late once, which makes a
    front of all that others need of it and of nothing else. Of the run without noise
    that is the formula of Afzal, Hager and Wellein (2021, Analytic modeling of idle
    waves in parallel programs: communication, cluster topology, and noise impact): by
    iteration as many hops as follow from each other in it, which is two where sends
    wait for receives and calls are waited for one by one; by second these over the time
    that a rank computes and communicates, without its waits.

    Returns
    -------
    float64, shape (2, 2)
        Hops an iteration and a tick, and their errors: by how much the fronts of single
        ranks differ; NaN where most make none.
    """
    turn = scratch(len(replay.enter))
    for some in batches(len(turn)):
        turn[some] = iterations(positions, some)
    begins, neighbours = _neighbours(edges, trace.ranks)
    together = np.isin(trace.regions.state, TOGETHER)
    many = min(ORIGINS, replay.times)
    share = (np.arange(many) + 0.5) / many
    rows = [np.zeros((4, 0), np.int64)]
    for rank, when in zip(
        (share * trace.ranks).astype(int).tolist(), share / 2, strict=True
    ):
        own = slice(*replay.offsets[rank : rank + 2].tolist())
        there = np.flatnonzero(turn[own] > when * turn[own].max(initial=0))
        if not len(there):
            continue
        first = own.start + int(there[0])
        call, left = replay.endless(2 * first)
        reached = np.flatnonzero(call >= 0)
        alone = ~together[trace.calls.region[call[reached]]]
        reached = reached[alone & (reached != rank) & (turn[call[reached]] > 0)]
        lists = np.array([rank]), np.array([0, len(reached)]), reached
        hops = front_kernels.hops(begins, neighbours, *map(readonly, lists))
        tried = np.full(len(hops), len(rows) - 1)
        columns = tried, hops, turn[call[reached]], left[reached]
        rows.append(np.stack(columns)[:, hops > 0])
    tried, hops, *by = np.concatenate(rows, axis=1)
    result = []
    for values in by:
        line = line_through(tried, hops, values, many)
        speeds, errors = _speed(line, np.ones(many, np.bool_))
        fits = errors <= MAX_MISFIT * speeds
        if 2 * fits.sum() <= many:
            return np.full((2, 2), np.nan)
        error = max(ERRORS * speeds[fits].std(), np.median(errors[fits]))
        result.append((np.median(speeds[fits]), error))
    return np.array(result).T


def _due_waits(costs: WaitCosts, pieces: Ints, excess: Ints) -> _DueWaits:
    """List the waits of which a delay is a main cause, of more than its echoes."""
    origins, dues = costs.main_origins()
    order = np.argsort(pieces)
    sorted_pieces = np.append(pieces[order] + 1, np.iinfo(np.int64).max)
    ranks = np.append(costs.rank[pieces >> 1], -1)

    def among(some: slice) -> _DueWaits:
        calls = costs.order[some]
        at = np.searchsorted(sorted_pieces, origins[some])
        is_delay = sorted_pieces[at] == origins[some]
        has_delay = is_delay.any(axis=1)
        calls, at, is_delay = calls[has_delay], at[has_delay], is_delay[has_delay]
        due = dues[some][has_delay]
        delay = np.where(is_delay, np.append(order, -1)[at], -1)
        elsewhere = is_delay[:, ::-1] & (ranks[delay][:, ::-1] != ranks[delay])
        other = np.where(elsewhere, due[:, ::-1], 0)
        rows = _DueWaits(
            call=np.repeat(calls, 2),
            delay=delay.ravel(),
            due=due.ravel(),
            is_main=np.tile([True, False], len(calls)),
            meets=(other >= MIN_SHARE_MET * due).ravel(),
        )
        long = np.append(excess, 0)[rows.delay]
        return rows.take((rows.delay >= 0) & (rows.due >= MIN_SHARE_DUE * long))

    # of no waits one batch without any
    parts = [among(some) for some in batches(len(costs.order))] or [among(slice(0, 0))]
    return _DueWaits(*map(np.concatenate, zip(*parts, strict=True)))


def _before_meeting(delay: Ints, hops: Indices, meets: Bools, delays: int) -> Bools:
    """Find the waits nearer than where half of the ranks wait for another delay, too.

    Parameters
    ----------
    delay, hops, meets : shape (n,)
        Delay, distance, and whether another one is met, of each rank's first wait.
    """
    width = int(hops.max(initial=0)) + 1
    place = delay * width + hops
    whole = np.bincount(place, minlength=delays * width)
    met = np.bincount(place, meets, delays * width).reshape(-1, width)
    is_met = (2 * met >= whole.reshape(-1, width)) & (met > 0)
    nearest = np.where(is_met.any(axis=1), is_met.argmax(axis=1), width)
    result: Bools = hops < nearest[delay]
    return result


class Line(NamedTuple):
    """Straight lines, one a group: float64, shape (groups,), and int64."""

    slope: Floats
    error: Floats
    """`slope` and `error`: change with each step, and its standard error; NaN where
    there are no two points."""
    points: Ints


def _speed(line: Line, travels: Bools) -> tuple[Floats, Floats]:
    """Turn what a hop takes into hops a unit, and its error; NaN if unknown."""
    error = ERRORS * line.error
    earned = travels & (line.points >= MIN_DISTANCES) & (line.slope > error)
    slope = np.where(earned, line.slope, np.nan)
    return 1 / slope, error / slope**2


def _decay(line: Line, travels: Bools, excess: Ints) -> Floats:
    """Compute how much shorter waits get; NaN if unknown, or they get longer."""
    decay, error = -line.slope, ERRORS * line.error
    decay = np.where(np.abs(decay) <= NEGLIGIBLE_DECAY * excess, 0.0, decay)
    earned = travels & ((decay > error) | (decay == 0))
    return np.where(earned, decay, np.nan)


def rank_correlation(
    group: Ints, one: Ints, other: Ints | Floats, groups: int
) -> Floats:
    """Compute Spearman's rank correlation of two numbers within groups.

    Parameters
    ----------
    group, one, other : numbers, shape (n,)
    groups
        How many there are.

    Returns
    -------
    float64, shape (groups,)
        NaN where one of them has no two values.
    """
    count = np.maximum(np.bincount(group, minlength=groups), 1)

    def centred(values: Ints | Floats) -> Floats:
        order = np.lexsort((values, group))
        starts = run_begins(values[order], group[order])
        size = np.diff(starts, append=len(order))
        place = np.empty(len(order))
        place[order] = np.repeat(starts + (size - 1) / 2, size)  # the mean of equals
        result: Floats = place - (np.bincount(group, place, groups) / count)[group]
        return result

    x, y = centred(one), centred(other)
    square = np.bincount(group, x * x, groups) * np.bincount(group, y * y, groups)
    product = np.bincount(group, x * y, groups)
    there = square > 0
    return np.where(there, product / np.sqrt(np.where(there, square, 1)), np.nan)


def line_through(group: Ints, hops: Ints, values: Ints | Floats, groups: int) -> Line:
    """Fit a line through the medians of each distance, for each group.

    Parameters
    ----------
    group, hops, values : numbers, shape (n,)
        Delay, distance and value of each rank that was reached.
    groups
        How many there are.
    """
    of, distance, median = _medians(group, hops, values)
    x = distance.astype(np.float64)
    points = np.bincount(of, minlength=groups)
    count = np.maximum(points, 1)
    x = x - (np.bincount(of, x, groups) / count)[of]
    y = median - (np.bincount(of, median, groups) / count)[of]
    square = np.bincount(of, x * x, groups)
    there = square > 0
    square = np.where(there, square, 1)
    slope = np.bincount(of, x * y, groups) / square
    rest = np.bincount(of, (y - slope[of] * x) ** 2, groups)
    error = np.sqrt(rest / np.maximum(points - 2, 1) / square)
    return Line(np.where(there, slope, np.nan), np.where(there, error, np.nan), points)


def _medians(
    group: Ints, hops: Ints, values: Ints | Floats
) -> tuple[Ints, Ints, Floats]:
    """Find the median of the values at each distance: groups, distances, medians."""
    order = np.lexsort((values, hops, group))
    group, hops, values = group[order], hops[order], values[order]
    starts = run_begins(group, hops)
    size = np.diff(starts, append=len(order))
    median = (values[starts + (size - 1) // 2] + values[starts + size // 2]) / 2
    return group[starts], hops[starts], median


def _neighbours(edges: Indices, ranks: int) -> tuple[Ints, Ints]:
    """Neighbours of each rank, row after row."""
    there = edges[(edges >= 0).all(axis=1)].astype(np.int64)
    ends = np.concatenate((there, there[:, ::-1]))
    order, begins = counting_sort(ends[:, 0], ranks)
    return begins, ends[order, 1]
