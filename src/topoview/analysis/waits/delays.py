"""Delays of single ranks, ranked by what they cost.

A delay is a stretch of a rank's own time that took longer than usual, that is, than the
median of the same place of the program. What others wait for because a rank always has
more to do at a place than they have at theirs is imbalance: it is in what ranks and
statements caused, and in no delay.
"""

from typing import Final, NamedTuple

import numpy as np

from topoview.analysis.logical.iterations import iterations
from topoview.analysis.waits.costs.costs import (
    LOOKING_FOR_DELAYS,
    DueToPieces,
    WaitCosts,
    each_of,
    wait_costs,
)
from topoview.analysis.waits.costs.replay import replay_of, ticks_saved
from topoview.analysis.waits.fronts import Stretches, follow_fronts, predicted_front
from topoview.analysis.waits.operations.unrecorded import SETUP
from topoview.analysis.waits.states import bounds, lateness
from topoview.base.progress import Report, batches, silent
from topoview.base.scratch import unset
from topoview.model import (
    MAX_DELAYS,
    MIN_EXPLAINED,
    MIN_SHARE_LISTED,
    MIN_SHARE_OF_NOISE,
    Bools,
    CallPositions,
    Delays,
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
    exchange = overview.exchange
    costs = wait_costs(trace, waits, logical, report, exchange)
    if not costs.waited[-1]:
        return None
    report(LOOKING_FOR_DELAYS, 0.6)
    due = costs.due_to_pieces()
    listed = _costliest(trace, costs, due)
    some, caused = listed.pieces, listed.caused
    # A piece is the time before a call (even number) or inside of it (odd).
    call, inside = some >> 1, some & 1 == 1
    rank, excess = costs.rank[call], each_of(costs.own.excess, some)
    noise = costs.own.noise_of(some)
    end = np.where(inside, trace.calls.leave[call], trace.calls.enter[call])
    begin = end - each_of(costs.own.ticks, some)
    groups = (
        (costs.rank, trace.ranks),
        (logical.statement_of_call[: len(costs.rank)], logical.statements),
    )
    # Sums are of all pieces, also of those that are not listed.
    of_rank, of_statement = _sums(due, groups)
    # If clocks leave something open, all is computed for both ends of it.
    between: dict[str, list[Ints]] = {}
    if trace.clock.alignment is not None:
        for side in range(2):
            del due  # one at a time
            due = costs.due_to_pieces(_bounds_of_costs(trace, waits, costs, side))
            of_delays = np.rint(due.delayed(some)).astype(np.int64)
            for name, sums in zip(
                _BETWEEN, (of_delays, *_sums(due, groups)), strict=True
            ):
                between.setdefault(name, []).append(sums)
    del due, groups
    report(LOOKING_FOR_DELAYS, 0.8)
    edges, topology = identification.best.rank_edges, identification.best.topology
    stretches = Stretches(begin, end, excess, caused)
    fronts = follow_fronts(trace, waits, costs, some, stretches, positions, edges)
    saved, predicted = np.zeros(0, np.int64), np.full((2, 2), np.nan)
    waited = costs.waited
    del costs  # what is gone through again needs as much
    if len(some):
        replay = replay_of(trace, waits, exchange[1])
        saved = ticks_saved(replay, some, excess)
        if not np.isnan(fronts["hops_per_second"]).all() and topology.kind == "lattice":
            predicted[:] = predicted_front(trace, replay, positions, edges)
            predicted[:, 1] *= trace.clock.resolution  # a second
    noise_per_hop = np.nan
    if predicted[0, 0] > 0:
        of_late = caused[excess > noise].sum()
        in_turns, turns = _waited_in_iterations(waited, positions)
        each = max(in_turns - of_late, 0) / (trace.ranks * max(turns, 1))
        noise_per_hop = float(each / trace.clock.resolution / predicted[0, 0])
    doing, measuring = _doing(trace, rank, begin, end)
    return Delays(
        rank=rank,
        begin=begin,
        end=end,
        excess=excess,
        noise=noise,
        region=np.where(inside, trace.calls.region[call], -1).astype(np.int32),
        doing=doing,
        measuring=measuring,
        beside=_beside(rank, begin, end, inside),
        iteration=iterations(positions, call),
        caused=caused,
        saved=saved,
        predicted=predicted,
        noise_per_hop=noise_per_hop,
        of_rank=of_rank,
        of_statement=of_statement,
        between={name: np.stack(sides) for name, sides in between.items()},
        waiting=int(waited[-1]) + _waited_in_setup(trace, waits, exchange),
        left_out=listed.candidates - len(some),
        left_out_caused=listed.all_caused - int(caused.sum()),
        **fronts,
    )


def _waited_in_iterations(waited: Ints, positions: CallPositions) -> tuple[int, int]:
    """Sum up what ranks waited in iterations of the main loop; count these."""
    ticks = turns = 0
    for some in batches(len(waited) - 1):
        turn = iterations(positions, some)
        ticks += int(np.diff(waited[some.start : some.stop + 1])[turn > 0].sum())
        turns = max(turns, int(turn.max(initial=0)))
    return ticks, turns


_BETWEEN: Final = ("delay", "rank", "statement")
"""What is told for both ends of what clocks leave open."""


class _Listed(NamedTuple):
    """The costliest pieces of own time, and how many there are with the others."""

    pieces: Ints
    caused: Ints
    candidates: int
    all_caused: int


def _costliest(trace: Trace, costs: WaitCosts, due: DueToPieces) -> _Listed:
    """Find the pieces of own time whose excess cost most."""
    errors, waited = clock_errors(trace), int(costs.waited[-1])
    pieces, caused = np.zeros((2, 0), np.int64)
    candidates = all_caused = most = 0
    for part in batches(2 * len(costs.rank)):
        delayed = due.of(part)[1]
        late = np.flatnonzero(delayed >= 1)
        some, cost = part.start + late, np.floor(delayed[late]).astype(np.int64)
        candidates, all_caused = candidates + len(some), all_caused + int(cost.sum())
        # those that no clock tells, and the many that cost next to nothing, are summed
        excess = each_of(costs.own.excess, some)
        worth = excess > errors[costs.rank[some >> 1]]
        # what took longer by less than ranks waited for it did not keep them waiting
        worth &= MIN_EXPLAINED * cost <= excess * max(trace.ranks - 1, 1)
        most = max(most, int(cost[worth].max(initial=0)))
        worth &= cost >= MIN_SHARE_LISTED * most
        some, cost, excess = some[worth], cost[worth], excess[worth]
        # those like many others at their places are noise, unless much is due to one
        worth = excess > costs.own.noise_of(some)
        worth |= cost >= MIN_SHARE_OF_NOISE * waited
        pieces = np.append(pieces, some[worth])
        caused = np.append(caused, cost[worth])
        falling = np.argsort(-caused, kind="stable")[:MAX_DELAYS]
        pieces, caused = pieces[falling], caused[falling]
    enough = caused >= MIN_SHARE_LISTED * most
    return _Listed(pieces[enough], caused[enough], candidates, all_caused)


def _bounds_of_costs(
    trace: Trace, waits: WaitStates, costs: WaitCosts, side: int
) -> Ints:
    """Return the least or most that waits cost, in their order."""
    result = unset(len(costs.order))
    for some in batches(len(result)):
        call = costs.order[some]
        result[some] = bounds(trace, waits, call, costs.rank[call])[side]
    return result


def _waited_in_setup(trace: Trace, waits: WaitStates, exchange: tuple[int, int]) -> int:
    """Sum up waits where communicators are made.

    When ranks come to that is told by when they were started.
    """
    calls, total = trace.calls, 0
    for some in batches(int(calls.offsets[trace.ranks])):
        enter = calls.enter[some]
        counted = (enter >= exchange[0]) & (enter < exchange[1])
        in_setup = some.start + np.flatnonzero(counted & (waits.kind[some] == SETUP))
        total += int(np.maximum(lateness(trace, waits, in_setup), 0).sum())
    return total


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


def _sums(
    due: DueToPieces, groups: tuple[tuple[Indices, int], ...]
) -> tuple[Ints, ...]:
    """Sum up what pieces caused by groups of their calls; -1 is none."""
    totals = [np.zeros(many + 1) for _, many in groups]
    for some in batches(len(groups[0][0])):
        pieces = due.of(slice(2 * some.start, 2 * some.stop))[0]
        of_call = pieces[::2] + pieces[1::2]
        for total, (group, many) in zip(totals, groups, strict=True):
            total += np.bincount(group[some] + 1, of_call, many + 1)
    return tuple(np.rint(total[1:]).astype(np.int64) for total in totals)


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
