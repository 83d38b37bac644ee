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
    Floats,
    Identification,
    Ints,
    Overview,
    Trace,
    WaitStates,
)

STRETCHES = 50
"""Equally long parts of the run that its efficiency over time is of."""


def efficiencies(  # noqa: PLR0913
    trace: Trace,
    waits: WaitStates | None,
    positions: CallPositions,
    found: Identification,
    overview: Overview,
    report: Report = silent,
) -> Efficiencies | None:
    """Find the efficiencies of the run and of its parts.

    Parameters
    ----------
    found
        With the phases, and the coordinates of the ranks.

    Returns
    -------
    Efficiencies or None
        None if the clocks are not aligned, or there are no ranks.
    """
    if waits is None or not trace.ranks:
        return None
    report("adding up efficiencies", 0.0)
    there = ranks_read(trace)
    begin, end = _run(trace, there)
    edges = np.linspace(begin, end, STRETCHES + 1).astype(np.int64)
    phases = [part for part in found.parts if part.by == "phase"]
    windows = np.array(
        [
            (begin, end),
            overview.exchange,
            *pairwise(edges.tolist()),
            *((part.begin, part.end) for part in phases),
        ],
        np.int64,
    )
    begins, ends = windows.T
    computed, ideal = _spent(trace, waits, begins, ends, np.arange(trace.ranks))
    of_run, of_exchange, of_time, of_phases = (
        _series(computed[there, some], ideal[there, some], (ends - begins)[some])
        for some in (
            slice(0, 1),
            slice(1, 2),
            slice(2, 2 + STRETCHES),
            slice(2 + STRETCHES, None),
        )
    )
    planes = [
        (name, np.intersect1d(ranks, there)) for name, ranks in found.best.planes()
    ]
    planes = [(name, ranks) for name, ranks in planes if len(ranks)]
    run = np.array([end - begin])
    spans, by_iteration = _by_iteration(trace, waits, positions)
    return Efficiencies(
        run=of_run,
        exchange_window=overview.exchange,
        exchange=of_exchange,
        stretches=edges,
        over_time=of_time,
        phases=tuple(part.name for part in phases),
        by_phase=of_phases,
        planes=tuple(name for name, _ in planes),
        by_plane=_joined(
            [_series(computed[some, :1], ideal[some, :1], run) for _, some in planes]
        ),
        iterations=spans,
        by_iteration=by_iteration,
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
    found = np.zeros((2, len(some), windows), np.int64)
    for ranks, own in rank_batches(trace):
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
            found[k, rows] = spent[:, place[windows:]] - spent[:, place[:windows]]
    return found[0], found[1]


def _by_iteration(
    trace: Trace, waits: WaitStates, positions: CallPositions
) -> tuple[Ints, EfficiencySeries]:
    """Compare the ranks' own times of each iteration, as if all began it at once.

    A rank's iteration begins with the end of its last call before it, and ends with
    that of its own last call: ranks that are iterations apart, as behind an idle wave,
    are compared all the same.
    """
    calls, offsets = trace.calls, trace.calls.offsets[: trace.ranks + 1]
    births, cells = lifetimes(trace)[0], [np.zeros((6, 0), np.int64)]
    for ranks, own in rank_batches(trace):
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
        cells.append(np.stack([turn[starts] - 1, before[starts], ends, *sums]))
    # a rank's parts in an iteration, which it may come back to
    turn, begins, ends, computed, waited, inside = np.concatenate(cells, axis=1)
    count = int(turn.max(initial=-1)) + 1
    spans = np.zeros((count, 2), np.int64)
    spans[:, 0] = np.iinfo(np.int64).max
    np.minimum.at(spans[:, 0], turn, begins)
    np.maximum.at(spans[:, 1], turn, ends)
    spans[spans[:, 0] > spans[:, 1]] = 0

    def most(ticks: Ints) -> Floats:
        found = np.zeros(count)
        np.maximum.at(found, turn, ticks)
        return found

    return spans, EfficiencySeries(
        mean=np.bincount(turn, computed, count) / len(ranks_read(trace)),
        longest=most(computed),
        ideal=most(computed + waited),
        run=most(computed + inside),
    )


def _joined(parts: Sequence[EfficiencySeries]) -> EfficiencySeries:
    """Put series one after the other."""
    columns = (
        np.concatenate([np.zeros(0), *(getattr(part, name) for part in parts)])
        for name in ("mean", "longest", "ideal", "run")
    )
    return EfficiencySeries(*columns)
