"""Efficiencies of POP: how much of the ranks' time is computation, and why not more.

Parallel efficiency is computation by time: that of MPI, load balance times
communication efficiency, which is serialisation times transfer (POP Centre of
Excellence, Standard metrics for performance analysis of parallel applications; Rosas,
Giménez and Labarta 2014, Scalability prediction for fundamental performance factors),
times what threads and I/O, and then devices, leave for computation of the time outside
of MPI (POP, Hybrid metrics: threads' and offload efficiency). All are sums over the
account of time, without what the tracer took. Transfer efficiency wants the run on a
network that takes no time. That is not simulated here: what a rank does then is taken
to be its time outside of MPI and its waiting.
"""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from topoview.analysis.account.account import account, class_ticks
from topoview.analysis.account.sums import sums_at_times
from topoview.analysis.logical.iterations import iterations
from topoview.analysis.waits.deduced import deduced_ends
from topoview.analysis.waits.states import lifetimes, ranks_read
from topoview.base.progress import Report, silent
from topoview.grouping import run_begins
from topoview.model import (
    OUTSIDE_MPI,
    WAITING_STATES,
    Account,
    CallPositions,
    Efficiencies,
    Efficiency,
    EfficiencySeries,
    Identification,
    Ints,
    Overview,
    Part,
    Profile,
    Regions,
    Timeline,
    TimeSpent,
    TimeState,
    Trace,
    WaitStates,
    joined_states,
    whole_part,
)

STRETCHES = 50
"""Equally long parts of the run that its efficiency over time is of."""

_IN_NONE = (TimeState.OUTSIDE, TimeState.MEASUREMENT)
_OUTSIDE = [*(s for s in OUTSIDE_MPI if s not in _IN_NONE), TimeState.IO]
"""States outside of MPI, in which time counts."""

_HOSTING = [TimeState.COMPUTE, TimeState.GPU_CALL, TimeState.WAIT_FOR_GPU]
"""States in which a rank computes, or a GPU keeps it."""

_WAITING = [state for state in WAITING_STATES if state not in OUTSIDE_MPI]
"""States of waiting for another rank."""

_SUMMED = (
    [TimeState.COMPUTE],
    _HOSTING,
    _OUTSIDE,
    [*_OUTSIDE, *_WAITING],
    [TimeState.MEASUREMENT],
)
"""States of which time is summed up: computation, that and what GPUs take, all outside
of MPI, that and waiting for ranks, measurement."""

_MEMBERS = np.array(
    [[state in some for some in _SUMMED] for state in sorted(TimeState)]
)
"""bool, shape (len(TimeState), 5)"""


def efficiencies(  # noqa: PLR0913
    trace: Trace,
    waits: WaitStates | None,
    positions: CallPositions,
    identification: Identification,
    overview: Overview,
    report: Report = silent,
) -> Efficiencies | None:
    """Find the efficiencies of the run and of its parts.

    Parameters
    ----------
    identification
        With the phases, and the coordinates of the ranks.

    Returns
    -------
    Efficiencies or None
        None if the clocks are not aligned, or there are no ranks.
    """
    part = whole_part(trace)
    accounted = account(part, waits, deduced_ends(part), report)
    spent = time_spent(
        part, waits, accounted, positions, identification, overview, report
    )
    return efficiencies_of(trace, spent, identification, overview)


def time_spent(  # noqa: PLR0913
    part: Part,
    waits: WaitStates | None,
    accounted: Account,
    positions: CallPositions,
    identification: Identification,
    overview: Overview,
    report: Report = silent,
) -> TimeSpent | None:
    """Add up what some ranks spend, of whom there is an account: see `efficiencies`."""
    if waits is None or not part.trace.ranks:
        return None
    report("adding up efficiencies", 0.0)
    line = accounted.timeline
    begins, ends = _windows(identification, overview).T
    windows, exchange = _spent(line, part, begins, ends)
    return TimeSpent(windows, exchange, _by_iteration(part, line, positions))


def joined_time(
    parts: Sequence[TimeSpent | None], _regions: Regions
) -> TimeSpent | None:
    """Join what parts of a trace spend, in order of their ranks."""
    some = [one for one in parts if one is not None]
    if not some:
        return None
    turns = np.concatenate([np.arange(one.iterations.shape[1]) for one in some])
    cells = np.concatenate([one.iterations for one in some], axis=1)
    windows = np.stack([one.windows for one in some])
    return TimeSpent(
        np.vstack((windows[:, :3].sum(axis=0), windows[:, 3:].max(axis=0))),
        np.concatenate([one.exchange for one in some], axis=1),
        _iterations(turns, cells),
    )


def _windows(identification: Identification, overview: Overview) -> Ints:
    """List the windows of time: int64, shape (windows, 2)."""
    edges = np.linspace(*overview.run, STRETCHES + 1).astype(np.int64)
    phases = [part for part in identification.parts if part.by == "phase"]
    return np.array(
        [
            overview.run,
            overview.exchange,
            *pairwise(edges.tolist()),
            *((part.begin, part.end) for part in phases),
        ],
        np.int64,
    )


def efficiencies_of(
    trace: Trace,
    spent: TimeSpent | None,
    identification: Identification,
    overview: Overview,
    _report: Report = silent,
) -> Efficiencies | None:
    """Compute efficiencies from what ranks spend: see `efficiencies`."""
    if spent is None:
        return None
    there = ranks_read(trace)
    begins, ends = _windows(identification, overview).T
    of_run, of_exchange, of_time, of_phases = (
        _series_of(spent.windows[:, some], len(there), (ends - begins)[some])
        for some in (
            slice(0, 1),
            slice(1, 2),
            slice(2, 2 + STRETCHES),
            slice(2 + STRETCHES, None),
        )
    )
    read = np.zeros(trace.ranks, bool)
    read[there] = True
    planes = [
        (name, ranks[read[ranks]])
        for name, ranks in identification.shown_first.planes()
    ]
    planes = [(name, ranks) for name, ranks in planes if len(ranks)]
    span = (ends - begins)[1:2]
    spans, of_iterations = spent.iterations[:2].T.copy(), spent.iterations[2:]
    spans[spans[:, 0] > spans[:, 1]] = 0
    useful, hosting, outside, *most = of_iterations.astype(np.float64)
    return Efficiencies(
        run=of_run,
        exchange_window=overview.exchange,
        exchange=of_exchange,
        stretches=np.append(begins[2 : 2 + STRETCHES], ends[1 + STRETCHES]),
        over_time=of_time,
        phases=tuple(part.name for part in identification.parts if part.by == "phase"),
        by_phase=of_phases,
        planes=tuple(name for name, _ in planes),
        by_plane=_joined(
            [_series(spent.exchange[:, some, None], span) for _, some in planes]
        ),
        iterations=spans,
        by_iteration=EfficiencySeries(
            *(ticks / len(there) for ticks in (useful, hosting, outside)), *most
        ),
    )


def efficiency_of(
    trace: Trace, profile: Profile, ranks: Sequence[int] | None = None
) -> Efficiency:
    """Find the efficiencies of a span and some ranks.

    Parameters
    ----------
    profile
        Of the span.
    ranks
        World ranks; None: all that were read.
    """
    return _efficiency(trace, profile.state_ticks, profile.span.window, ranks)


def efficiency_within(
    trace: Trace,
    waits: WaitStates,
    window: tuple[int, int],
    ranks: Sequence[int] | None = None,
) -> Efficiency:
    """Find the efficiencies of a window of time and some ranks; see `efficiency_of`."""
    part = whole_part(trace)
    ticks = class_ticks(part, waits, deduced_ends(part), np.array([window], np.int64))
    return _efficiency(trace, joined_states(ticks[0], ticks[1][0]), window, ranks)


def _efficiency(
    trace: Trace, ticks: Ints, window: tuple[int, int], ranks: Sequence[int] | None
) -> Efficiency:
    some = ranks_read(trace) if ranks is None else np.asarray(ranks, np.int64)
    spent = (ticks[some] @ _MEMBERS).T
    return _series(spent[:, :, None], np.array([window[1] - window[0]]))[0]


_RANKS_AT_ONCE = 1 << 12


def _spent(line: Timeline, part: Part, begin: Ints, end: Ints) -> tuple[Ints, Ints]:
    """Sum up what ranks spend in windows of time, of which the exchange is the second.

    Parameters
    ----------
    begin, end : int64, shape (windows,)
        In ticks.

    Returns
    -------
    int64, shape (6, windows), and int64, shape (5, ranks)
        See `TimeSpent`.
    """
    times, place = np.unique(np.concatenate([begin, end]), return_inverse=True)
    first, last = place[: len(begin)], place[len(begin) :]
    ranks, (births, deaths) = part.ranks, lifetimes(part.trace)
    windows = np.zeros((6, len(begin)), np.int64)
    exchange = np.zeros((len(_SUMMED), ranks.stop - ranks.start), np.int64)
    for low in range(ranks.start, ranks.stop, _RANKS_AT_ONCE):
        some = slice(low, min(low + _RANKS_AT_ONCE, ranks.stop))
        rows = low + np.flatnonzero(deaths[some] > births[some])
        row, time = np.repeat(rows, len(times)), np.tile(times, len(rows))
        until = sums_at_times(line, _MEMBERS, row, time)
        until = until.reshape(len(rows), len(times), len(_SUMMED)).transpose(2, 0, 1)
        spent = until[:, :, last] - until[:, :, first]
        exchange[:, rows - ranks.start] = spent[:, :, 1]
        totals = _totals(spent)
        windows[:3] += totals[:3]
        np.maximum(windows[3:], totals[3:], out=windows[3:])
    return windows, exchange


def _totals(spent: Ints) -> Ints:
    """Sum up over ranks what they spend in windows: see `TimeSpent.windows`."""
    useful, hosting, outside, ideal, measuring = spent
    most = (each.max(axis=0, initial=0) for each in (outside, ideal, measuring))
    added = (each.sum(axis=0) for each in (useful, hosting, outside))
    return np.stack((*added, *most))


def _series(spent: Ints, span: Ints) -> EfficiencySeries:
    """Compute the series of windows from what ranks spend in them, of `_SUMMED`."""
    return _series_of(_totals(spent), spent.shape[1], span)


def _series_of(totals: Ints, ranks: int, span: Ints) -> EfficiencySeries:
    """Compute the series of windows from what some ranks spend in them, of `_totals`.

    Others wait while the tracer keeps a rank, so that a window would be shorter by
    what it took of the rank that it kept longest; but none is shorter than what a rank
    does outside of MPI.
    """
    useful, hosting, outside, longest, ideal, measuring = totals
    run = np.maximum(span - measuring, longest)
    return EfficiencySeries(
        useful=useful / ranks,
        hosting=hosting / ranks,
        mean=outside / ranks,
        longest=longest,
        ideal=np.minimum(ideal, run),
        run=run,
    )


def _by_iteration(part: Part, line: Timeline, positions: CallPositions) -> Ints:
    """Compare the ranks' own times of each iteration, as if all began it at once.

    A rank's iteration begins with the end of its last call before it, and ends with
    that of its own last call: ranks that are iterations apart, as behind an idle wave,
    are compared all the same.

    Returns
    -------
    int64, shape (8, iterations)
        See `TimeSpent`.
    """
    calls, offsets = part.trace.calls, part.trace.calls.offsets[: part.trace.ranks + 1]
    births, cells = lifetimes(part.trace)[0], [np.zeros((9, 0), np.int64)]
    for ranks, own in part.rank_batches():
        number = iterations(positions, own)
        inside = np.flatnonzero(number)
        if not len(inside):
            continue
        turn, numbers = number[inside], np.arange(ranks.start, ranks.stop)
        rank = np.repeat(numbers, np.diff(offsets[ranks.start : ranks.stop + 1]))
        rank = rank[inside]
        leave = calls.leave[own][inside]
        is_first = inside + own.start == offsets[rank]
        before = np.where(is_first, -1, calls.leave[own][inside - 1])
        before = np.where(before < 0, births[rank], before)
        starts = run_begins(rank, turn)
        begins, ends = before[starts], leave[np.append(starts[1:], len(leave)) - 1]
        useful, hosting, outside, ideal, measuring = (
            sums_at_times(line, _MEMBERS, rank[starts], ends)
            - sums_at_times(line, _MEMBERS, rank[starts], begins)
        ).T
        taken = np.maximum(ends - begins - measuring, 0)
        cells.append(
            np.stack(
                [
                    turn[starts] - 1,
                    begins,
                    ends,
                    useful,
                    hosting,
                    outside,
                    outside,
                    ideal,
                    taken,
                ]
            )
        )
    # a rank's parts in an iteration, which it may come back to
    turns, *columns = np.concatenate(cells, axis=1)
    return _iterations(turns, np.stack(columns))


def _iterations(turns: Ints, cells: Ints) -> Ints:
    """Join what is told of iterations: see `TimeSpent`."""
    result = np.zeros((8, int(turns.max(initial=-1)) + 1), np.int64)
    result[0] = np.iinfo(np.int64).max
    joining = np.minimum, np.maximum, *3 * [np.add], *3 * [np.maximum]
    for row, join, column in zip(result, joining, cells, strict=True):
        join.at(row, turns, column)
    return result


def _joined(parts: Sequence[EfficiencySeries]) -> EfficiencySeries:
    """Put series one after the other."""
    columns = (
        np.concatenate([np.zeros(0), *(getattr(part, name) for part in parts)])
        for name in ("useful", "hosting", "mean", "longest", "ideal", "run")
    )
    return EfficiencySeries(*columns)
