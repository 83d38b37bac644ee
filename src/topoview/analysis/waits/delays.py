"""Delays of single ranks, ranked by what they cost.

A delay is a stretch of a rank's own time that took longer than usual, that is, than the
median of the same place of the program. What others wait for because a rank always has
more to do at a place than they have at theirs is imbalance: it is in what ranks and
statements caused, and in no delay.
"""

from dataclasses import replace

import numpy as np

from topoview.analysis.logical.iterations import iterations
from topoview.analysis.waits.costs import LOOKING_FOR_DELAYS, each_of, wait_costs
from topoview.analysis.waits.fronts import Stretches, follow_fronts, predicted_front
from topoview.analysis.waits.replay import replay_of, ticks_saved
from topoview.analysis.waits.states import lateness
from topoview.analysis.waits.unrecorded import SETUP
from topoview.base.progress import Report, batches, silent
from topoview.model import (
    MAX_DELAYS,
    MIN_EXPLAINED,
    MIN_SHARE_LISTED,
    MIN_SHARE_OF_NOISE,
    Bools,
    CallPositions,
    Delays,
    Floats,
    Identification,
    Indices,
    Ints,
    LogicalTrace,
    Overview,
    TimeState,
    Trace,
    WaitStates,
    distinct,
)


def delays(  # noqa: PLR0913
    trace: Trace,
    waits: WaitStates | None,
    identification: Identification,
    logical: LogicalTrace,
    positions: CallPositions,
    overview: Overview,
    report: Report = silent,
) -> Delays | None:
    """Rank the delays of single ranks by the waiting in the exchange that they caused.

    Returns
    -------
    Delays or None
        None if the clocks are not aligned, or nobody waited. Nothing is taken to have
        caused waits where communicators are made.
    """
    if waits is None:
        return None
    main = slice(0, int(trace.calls.offsets[trace.ranks]))
    begin, end = overview.exchange
    counted = (trace.calls.enter >= begin) & (trace.calls.enter < end)
    # When ranks come to set-up is told by when they were started.
    in_setup = np.flatnonzero(counted[main] & (waits.kind[main] == SETUP))
    set_up = int(np.maximum(lateness(trace, waits, in_setup), 0).sum())
    recorded = waits
    until = np.where(counted & (waits.kind != SETUP), waits.until, -1)
    waits = replace(waits, until=until)
    costs = wait_costs(trace, waits, logical, report)
    if not costs.waited[-1]:
        return None
    report(LOOKING_FOR_DELAYS, 0.8)
    some = np.concatenate(
        [
            part.start + np.flatnonzero(costs.delayed[part] >= 1)
            for part in batches(len(costs.delayed))
        ]
    )
    caused = np.floor(costs.delayed[some]).astype(np.int64)
    candidates, all_caused = len(some), int(caused.sum())
    # those that no clock tells, and the many that cost next to nothing, are summed up
    excess = each_of(costs.own.excess, some)
    worth = excess > clock_errors(trace)[costs.rank[some >> 1]]
    # what took longer by less than ranks waited for it did not keep them waiting
    worth &= MIN_EXPLAINED * caused <= excess * max(trace.ranks - 1, 1)
    worth &= caused >= MIN_SHARE_LISTED * caused[worth].max(initial=0)
    # those like many others at their places are noise, unless much is due to one
    is_noise = excess <= costs.own.noise_of(some)
    worth &= ~is_noise | (caused >= MIN_SHARE_OF_NOISE * int(costs.waited[-1]))
    some, caused = some[worth], caused[worth]
    falling = np.argsort(-caused, kind="stable")[:MAX_DELAYS]
    some, caused = some[falling], caused[falling]
    # A piece is the time before a call (even number) or inside of it (odd).
    call, inside = some >> 1, some & 1 == 1
    rank, excess = costs.rank[call], each_of(costs.own.excess, some)
    end = np.where(inside, trace.calls.leave[call], trace.calls.enter[call])
    begin = end - each_of(costs.own.ticks, some)
    edges, topology = identification.best.rank_edges, identification.best.topology
    stretches = Stretches(begin, end, excess, caused)
    fronts = follow_fronts(trace, waits, costs, some, stretches, positions, edges)
    of_statements = logical.statement_of_call[: len(costs.rank)]

    def causes(of_piece: Floats) -> tuple[Ints, Ints]:
        """Sum up what pieces caused by rank and by statement."""
        of_call = of_piece[::2] + of_piece[1::2]
        return (
            _sums(costs.rank, of_call, trace.ranks),
            _sums(of_statements, of_call, logical.statements),
        )

    # Sums are of all pieces, also of those that are not listed.
    of_rank, of_statement = causes(costs.caused)
    # If clocks leave something open, all is computed for both ends of it.
    between = {}
    if costs.between:
        of_delays = [np.rint(own[some]).astype(np.int64) for _, own in costs.between]
        ranks, statements = zip(
            *(causes(each) for each, _ in costs.between), strict=True
        )
        between = {"delay": of_delays, "rank": ranks, "statement": statements}
    replay = replay_of(trace, recorded, overview.exchange[1])
    predicted = np.full((2, 2), np.nan)
    if not np.isnan(fronts["hops_per_second"]).all() and topology.kind == "lattice":
        predicted[:] = predicted_front(trace, replay, positions, edges)
        predicted[:, 1] *= trace.clock.resolution  # a second
    # What ranks wait in the iterations but for those that were late beyond noise.
    turn = iterations(positions, main)
    by_noise = (
        costs.late[turn > 0].sum() - caused[excess > costs.own.noise_of(some)].sum()
    )
    turns = trace.ranks * max(int(turn.max(initial=0)), 1)
    second = trace.clock.resolution
    doing, measuring = _doing(trace, rank, begin, end)
    return Delays(
        rank=rank,
        begin=begin,
        end=end,
        excess=excess,
        noise=costs.own.noise_of(some),
        region=np.where(inside, trace.calls.region[call], -1).astype(np.int32),
        doing=doing,
        measuring=measuring,
        beside=_beside(rank, begin, end, inside),
        iteration=iterations(positions, call),
        caused=caused,
        saved=ticks_saved(replay, some, excess),
        predicted=predicted,
        noise_per_hop=max(by_noise, 0) / turns / second / predicted[0, 0],
        of_rank=of_rank,
        of_statement=of_statement,
        between={name: np.stack(sides) for name, sides in between.items()},
        waiting=int(costs.waited[-1]) + set_up,
        left_out=candidates - len(some),
        left_out_caused=all_caused - int(caused.sum()),
        **fronts,
    )


def clock_errors(trace: Trace) -> Ints:
    """Return by how much times of each rank may be wrong against those of others.

    Where clocks were aligned that is known of each rank. Else it is by how much any
    message seems to be received before it was sent.

    Returns
    -------
    int64, shape (ranks,)
        In ticks, at least 1.
    """
    alignment = trace.clock.alignment
    if alignment is not None:
        return np.maximum(alignment.half_width, 1)
    messages, worst = trace.messages, 1
    for some in batches(len(messages)):
        sent, received = messages.send_time[some], messages.receive_time[some]
        early = (sent - received)[(sent >= 0) & (received >= 0)]
        worst = max(worst, int(early.max(initial=0)))
    return np.full(trace.ranks, worst)


def _sums(group: Indices, ticks: Floats, groups: int) -> Ints:
    """Sum up by group; -1 is none."""
    totals = np.zeros(groups + 1)
    for some in batches(len(group)):
        totals += np.bincount(group[some] + 1, ticks[some], groups + 1)
    return np.rint(totals[1:]).astype(np.int64)


def _beside(rank: Indices, begin: Ints, end: Ints, inside: Bools) -> Indices:
    """Count the other ranks that were inside of a call for half of each delay's time.

    Ranks that stand still in calls at once, though each has what it needs, are kept by
    something that is none of theirs: the machine, or the tracer.
    """
    result = np.zeros(len(rank), np.int32)
    for i in np.flatnonzero(inside).tolist():
        both = np.minimum(end, end[i]) - np.maximum(begin, begin[i])
        there = inside & (2 * both >= end[i] - begin[i]) & (rank != rank[i])
        result[i] = len(distinct(rank[there]))
    return result


def _doing(trace: Trace, rank: Indices, begin: Ints, end: Ints) -> tuple[Indices, Ints]:
    """Find what ranks did in some stretches of time.

    Parameters
    ----------
    rank : int32, shape (n,)
    begin, end : int64, shape (n,)
        In ticks.

    Returns
    -------
    int32, shape (n,)
        Region that each was in most; -1 for none.
    int64, shape (n,)
        Ticks that the tracer took.
    """
    line, result = trace.timeline, np.full(len(rank), -1, np.int32)
    measuring = np.zeros(len(rank), np.int64)
    for i, (one, low, high) in enumerate(
        zip(rank.tolist(), begin.tolist(), end.tolist(), strict=True)
    ):
        row = slice(int(line.offsets[one]), int(line.offsets[one + 1]))
        first, last = np.searchsorted(line.time[row], (low, high), side="right")
        some = slice(row.start + max(first - 1, 0), row.start + last)
        if some.start >= some.stop:
            continue
        since = np.clip(line.time[some], low, high)
        spent = np.diff(since, append=high)
        regions = line.region[some].astype(np.int64)
        result[i] = np.bincount(regions + 1, spent).argmax() - 1
        measuring[i] = spent[line.state[some] == TimeState.MEASUREMENT].sum()
    return result, measuring
