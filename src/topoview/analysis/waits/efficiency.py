"""Efficiencies of POP: how much of the ranks' time is computation, and why not more.

Parallel efficiency is load balance times communication efficiency, which is
serialisation times transfer (POP Centre of Excellence, Standard metrics for
performance analysis of parallel applications; Rosas, Giménez and Labarta 2014,
Scalability prediction for fundamental performance factors). Transfer efficiency wants
the run on a network that takes no time. That is not simulated here: what a rank does
then is taken to be its computation and its wait states, as calls hold nothing else.
"""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from topoview.analysis.logical.iterations import iterations
from topoview.analysis.waits.states import (
    lateness,
    lifetimes,
    rank_batches,
    ranks_read,
)
from topoview.base.progress import Report, silent
from topoview.model import (
    CallPositions,
    Efficiencies,
    Efficiency,
    EfficiencySeries,
    Identification,
    Ints,
    Overview,
    Part,
    Regions,
    TimeSpent,
    Trace,
    WaitStates,
    whole_part,
)

STRETCHES = 50
"""Equally long parts of the run that its efficiency over time is of."""


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
    spent = time_spent(
        whole_part(trace), waits, positions, identification, overview, report
    )
    return efficiencies_of(trace, spent, identification, overview)


def time_spent(  # noqa: PLR0913
    part: Part,
    waits: WaitStates | None,
    positions: CallPositions,
    identification: Identification,
    overview: Overview,
    report: Report = silent,
) -> TimeSpent | None:
    """Add up what some ranks spend: see `efficiencies`."""
    trace, ranks = part.trace, np.arange(part.ranks.start, part.ranks.stop)
    if waits is None or not trace.ranks:
        return None
    report("adding up efficiencies", 0.0)
    begins, ends = _windows(trace, identification, overview).T
    computed, ideal = _spent(trace, waits, begins, ends, ranks)
    return TimeSpent(computed, ideal, _by_iteration(part, waits, positions))


def joined_time(
    parts: Sequence[TimeSpent | None], _regions: Regions
) -> TimeSpent | None:
    """Join what parts of a trace spend, in order of their ranks."""
    some = [one for one in parts if one is not None]
    if not some:
        return None
    turns = np.concatenate([np.arange(one.iterations.shape[1]) for one in some])
    cells = np.concatenate([one.iterations for one in some], axis=1)
    return TimeSpent(
        np.concatenate([one.computed for one in some]),
        np.concatenate([one.ideal for one in some]),
        _iterations(turns, cells),
    )


def _windows(trace: Trace, identification: Identification, overview: Overview) -> Ints:
    """List the windows of time: int64, shape (windows, 2)."""
    begin, end = _run(trace, ranks_read(trace))
    edges = np.linspace(begin, end, STRETCHES + 1).astype(np.int64)
    phases = [part for part in identification.parts if part.by == "phase"]
    return np.array(
        [
            (begin, end),
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
    """Make efficiencies of what ranks spend: see `efficiencies`."""
    if spent is None:
        return None
    there = ranks_read(trace)
    begins, ends = _windows(trace, identification, overview).T
    computed, ideal = spent.computed, spent.ideal
    of_run, of_exchange, of_time, of_phases = (
        _series(computed[there, some], ideal[there, some], (ends - begins)[some])
        for some in (
            slice(0, 1),
            slice(1, 2),
            slice(2, 2 + STRETCHES),
            slice(2 + STRETCHES, None),
        )
    )
    read = np.zeros(len(computed), bool)
    read[there] = True
    planes = [
        (name, ranks[read[ranks]]) for name, ranks in identification.best.planes()
    ]
    planes = [(name, ranks) for name, ranks in planes if len(ranks)]
    run = (ends - begins)[:1]
    spans, of_iterations = spent.iterations[:2].T.copy(), spent.iterations[2:]
    spans[spans[:, 0] > spans[:, 1]] = 0
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
            [_series(computed[some, :1], ideal[some, :1], run) for _, some in planes]
        ),
        iterations=spans,
        by_iteration=EfficiencySeries(
            of_iterations[0] / len(there), *of_iterations[1:].astype(np.float64)
        ),
    )


def efficiency_of(
    trace: Trace,
    waits: WaitStates,
    window: tuple[int, int] | None = None,
    ranks: Sequence[int] | None = None,
) -> Efficiency:
    """Find the efficiencies of a window of time and some ranks.

    Parameters
    ----------
    window
        Begin and end in ticks; None: from the ranks' first begin to their last end.
    ranks
        World ranks; None: all that were read.
    """
    some = ranks_read(trace) if ranks is None else np.asarray(ranks, np.int64)
    begin, end = _run(trace, some) if window is None else window
    first, last = np.array([begin]), np.array([end])
    return _series(*_spent(trace, waits, first, last, some), last - first)[0]


def _run(trace: Trace, some: Ints) -> tuple[int, int]:
    begin, end = lifetimes(trace)
    return int(begin[some].min(initial=end.max(initial=0))), int(
        end[some].max(initial=0)
    )


def _spent(
    trace: Trace, waits: WaitStates, begin: Ints, end: Ints, some: Ints
) -> tuple[Ints, Ints]:
    """Tell what ranks compute in windows of time, and compute or wait.

    Parameters
    ----------
    begin, end : int64, shape (windows,)
        In ticks.
    some : int64, shape (n,)
        Ranks that count.

    Returns
    -------
    int64, shape (n, windows), twice
    """
    born, gone = (each[some, None] for each in lifetimes(trace))
    there = np.minimum(gone, end) - np.maximum(born, begin)
    inside, waited = _in_calls(trace, waits, begin, end, some)
    computed = np.maximum(np.maximum(there, 0) - inside, 0)
    return computed, computed + waited


def _series(computed: Ints, ideal: Ints, run: Ints) -> EfficiencySeries:
    """Make the series of windows of what ranks spend in them."""
    return EfficiencySeries(
        mean=computed.mean(axis=0),
        longest=computed.max(axis=0, initial=0),
        ideal=ideal.max(axis=0, initial=0),
        run=np.maximum(run, 0),
    )


def _in_calls(
    trace: Trace, waits: WaitStates, begin: Ints, end: Ints, some: Ints
) -> tuple[Ints, Ints]:
    """Sum up time in calls within windows, and what of it is waiting.

    Returns
    -------
    int64, shape (ranks, windows), twice
    """
    calls, offsets = trace.calls, trace.calls.offsets
    windows = len(begin)
    times, place = np.unique(np.concatenate([begin, end]), return_inverse=True)
    totals = np.zeros((2, len(some), windows), np.int64)
    among = slice(int(some.min(initial=0)), int(some.max(initial=-1)) + 1)
    for ranks, own in rank_batches(trace, among):
        rows = np.flatnonzero((some >= ranks.start) & (some < ranks.stop))
        if not len(rows) or own.start == own.stop:
            continue
        enter, leave = calls.enter[own], calls.leave[own]
        first = offsets[some[rows]][:, None] - own.start
        begun = np.empty((len(rows), len(times)), np.int64)
        for row, rank in enumerate(some[rows].tolist()):
            mine = enter[offsets[rank] - own.start : offsets[rank + 1] - own.start]
            begun[row] = np.searchsorted(mine, times, side="right")
        latest = np.clip(first + begun - 1, 0, len(enter) - 1)
        late = enter + np.maximum(lateness(trace, waits, own), 0)
        for k, until in enumerate((leave, late)):
            sums = np.append(0, np.cumsum(np.maximum(until - enter, 0)))
            # of the last call that has begun what lies behind does not count
            over = np.where(begun > 0, np.maximum(until[latest] - times, 0), 0)
            spent = sums[first + begun] - sums[first] - over
            totals[k, rows] = spent[:, place[windows:]] - spent[:, place[:windows]]
    return totals[0], totals[1]


def _by_iteration(part: Part, waits: WaitStates, positions: CallPositions) -> Ints:
    """Compare the ranks' own times of each iteration, as if all began it at once.

    A rank's iteration begins with the end of its last call before it, and ends with
    that of its own last call: ranks that are iterations apart, as behind an idle wave,
    are compared all the same.

    Returns
    -------
    int64, shape (6, iterations)
        See `TimeSpent`.
    """
    trace = part.trace
    calls, offsets = trace.calls, trace.calls.offsets[: trace.ranks + 1]
    births, cells = lifetimes(trace)[0], [np.zeros((7, 0), np.int64)]
    for ranks, own in rank_batches(trace, part.ranks):
        number = iterations(positions, own)
        inside = np.flatnonzero(number)
        if not len(inside):
            continue
        turn, numbers = number[inside], np.arange(ranks.start, ranks.stop)
        rank = np.repeat(numbers, np.diff(offsets[ranks.start : ranks.stop + 1]))
        rank = rank[inside]
        enter, leave = calls.enter[own][inside], calls.leave[own][inside]
        is_first = inside + own.start == offsets[rank]
        before = np.where(is_first, -1, calls.leave[own][inside - 1])
        before = np.where(before < 0, births[rank], before)
        new = (rank[1:] != rank[:-1]) | (turn[1:] != turn[:-1])
        starts = np.flatnonzero(np.append(True, new))
        late = lateness(trace, waits, own)[inside]
        sums = (
            np.add.reduceat(np.maximum(ticks, 0), starts)
            for ticks in (enter - before, late, leave - enter)
        )
        ends = leave[np.append(starts[1:], len(leave)) - 1]
        computed, waited, called = sums
        own_times = computed, computed, computed + waited, computed + called
        cells.append(np.stack([turn[starts] - 1, before[starts], ends, *own_times]))
    # a rank's parts in an iteration, which it may come back to
    turns, *columns = np.concatenate(cells, axis=1)
    return _iterations(turns, np.stack(columns))


def _iterations(turns: Ints, cells: Ints) -> Ints:
    """Join what is told of iterations: see `TimeSpent`."""
    result = np.zeros((6, int(turns.max(initial=-1)) + 1), np.int64)
    result[0] = np.iinfo(np.int64).max
    joining = np.minimum, np.maximum, np.add, *3 * [np.maximum]
    for row, join, column in zip(result, joining, cells, strict=True):
        join.at(row, turns, column)
    return result


def _joined(parts: Sequence[EfficiencySeries]) -> EfficiencySeries:
    """Put series one after the other."""
    columns = (
        np.concatenate([np.zeros(0), *(getattr(part, name) for part in parts)])
        for name in ("mean", "longest", "ideal", "run")
    )
    return EfficiencySeries(*columns)
