"""A number of every iteration of a loop on every rank: sums, outliers, cells."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np

from topoview.analysis.waits.states import lateness
from topoview.base.text import tr
from topoview.live.colourings.counters import series_of
from topoview.live.colourings.table import COUNTER_PREFIX
from topoview.live.tables.iterations import amount_of, iterations
from topoview.live.tables.partners import PartnerDirections
from topoview.model import (
    Analysis,
    Bools,
    Floats,
    Frozen,
    Indices,
    Ints,
    Iterations,
    MetricCounter,
    count_before,
    distinct,
    occurring,
)

AMOUNTS: Final = {
    "seconds": (tr("Duration"), "s"),
    "wait": (tr("Wait"), "s"),
    "mpi": (tr("In MPI"), "s"),
    "bytes": (tr("Bytes"), "B"),
}
"""What can be shown of iterations, beside counters: title and unit."""

OUTLIER_RATIO: Final = 4.0
"""An iteration is an outlier above this multiple of the median of its rank."""


@dataclass(frozen=True, slots=True, eq=False)
class IterationGrid(Frozen):
    """A number of each iteration and rank."""

    every: Iterations
    """The iterations."""
    iteration: Indices
    """int32, shape (columns,): iteration of each column, from 1."""
    values: Floats
    """float64, shape (ranks, columns): naN where a rank does not run the iteration, or
    the trace does not tell."""
    place: Indices
    """int32, shape (ranks, columns): index into `every`, -1 for none."""
    outliers: Bools
    """bool, shape (ranks, columns): above `OUTLIER_RATIO` times the median of the
    rank's numbers above 0."""
    of_iteration: Floats
    of_rank: Floats
    """`of_iteration` and `of_rank`: float64, shape (columns,) and (ranks,): sums over
    ranks and over iterations."""
    begin: Ints
    end: Ints
    """`begin` and `end`: int64, shape (columns,): when the first rank begins each
    iteration, and the last one ends it, in ticks."""

    def name(self, column: int) -> str:
        """Name a column: ``iteration 14``."""
        return tr("iteration {iteration}", iteration=self.iteration[column])

    def span(self, first: int, last: int, rank: int = -1) -> tuple[int, int] | None:
        """Return when some iterations begin and end, of a rank or all, in ticks."""
        rows = slice(None) if rank < 0 else slice(rank, rank + 1)
        place = self.place[rows, first : last + 1]
        place = place[place >= 0]
        if not len(place):
            return None
        return int(self.every.begin[place].min()), int(self.every.end[place].max())


def iteration_grid(
    analysis: Analysis,
    amount: str = "seconds",
    loop: int | None = None,
    window: tuple[int, int] | None = None,
) -> IterationGrid | None:
    """Compute the grid of a loop; None if the logical trace has no such loop.

    Parameters
    ----------
    amount
        Name in `AMOUNTS`, or of a counter's colouring.
    loop
        As for `iterations`; None: the program's main loop.
    window
        Only iterations that begin in it, in ticks.
    """
    every = iterations(analysis, loop)
    return None if every is None else grid_of(analysis, every.within(window), amount)


def grid_of(analysis: Analysis, every: Iterations, amount: str) -> IterationGrid:
    """Compute the grid of some iterations; as `iteration_grid`."""
    ranks = analysis.trace.ranks
    numbers = occurring(every.iteration, int(every.iteration.max(initial=0)) + 1)
    places = np.zeros(int(numbers.max(initial=0)) + 1, np.int64)
    places[numbers] = np.arange(len(numbers))
    column = places[every.iteration]
    place = np.full((ranks, len(numbers)), -1, np.int32)
    place[every.rank, column] = np.arange(len(every), dtype=np.int32)
    values = np.full((ranks, len(numbers)), np.nan)
    values[every.rank, column] = _numbers(analysis, every, amount)
    begin = np.full(len(numbers), np.iinfo(np.int64).max)
    end = np.zeros(len(numbers), np.int64)
    np.minimum.at(begin, column, every.begin)
    np.maximum.at(end, column, every.end)
    return IterationGrid(
        every=every,
        iteration=numbers.astype(np.int32),
        values=values,
        place=place,
        outliers=outliers_of(values),
        of_iteration=np.nansum(values, axis=0),
        of_rank=np.nansum(values, axis=1),
        begin=begin,
        end=end,
    )


def outliers_of(values: Floats) -> Bools:
    """Return which numbers are far above the usual of their row.

    Parameters
    ----------
    values : float64, shape (rows, columns)

    Returns
    -------
    bool, shape (rows, columns)
        Above `OUTLIER_RATIO` times the median of the row's numbers above 0.
    """
    ordered = np.sort(np.where(values > 0, values, np.nan), axis=1)  # NaN come last
    count = (~np.isnan(ordered)).sum(axis=1)
    rows = np.flatnonzero(count)
    usual = np.full(len(values), np.inf)
    usual[rows] = (
        ordered[rows, (count[rows] - 1) // 2] + ordered[rows, count[rows] // 2]
    ) / 2
    result: Bools = values > OUTLIER_RATIO * usual[:, None]
    return result


def _numbers(analysis: Analysis, every: Iterations, amount: str) -> Floats:
    if amount in AMOUNTS:
        return amount_of(analysis, every, amount).astype(np.float64)
    for counter in analysis.trace.counters:
        if amount == f"{COUNTER_PREFIX}{counter.metric}-{counter.place}":
            return _counted(analysis, every, counter)
    return np.full(len(every), np.nan)


def _counted(analysis: Analysis, every: Iterations, counter: MetricCounter) -> Floats:
    """By how much a counter grew in each iteration; of others the value at its end."""
    result = np.full(len(every), np.nan)
    series = series_of(analysis.trace, counter)
    if series is None:
        return result
    starts = np.searchsorted(every.rank, np.arange(analysis.trace.ranks + 1))
    for rank in range(min(analysis.trace.ranks, len(series.offsets) - 1)):
        own = slice(starts[rank], starts[rank + 1])
        low, high = series.offsets[rank : rank + 2]
        time, value = series.time[low:high], series.value[low:high]
        if not len(time):
            continue
        ends = every.begin[own], every.end[own]
        if counter.mode == "value":
            at = np.searchsorted(time, ends[1], side="right") - 1
            result[own] = np.where(at < 0, np.nan, value[np.maximum(at, 0)])
        elif counter.mode == "change":
            sums = np.append(0.0, np.cumsum(value))
            first, last = (np.searchsorted(time, end) for end in ends)
            result[own] = sums[last] - sums[first]
        else:
            grown = [np.interp(end, time, value) for end in ends]
            result[own] = grown[1] - grown[0]
    return result


def amounts_of(analysis: Analysis) -> dict[str, tuple[str, str]]:
    """Return title and unit of what can be shown of a trace's iterations.

    A digest holds too few records of counters for them.
    """
    counted = analysis.trace.counters if analysis.trace.digest is None else ()
    counters = {
        f"{COUNTER_PREFIX}{each.metric}-{each.place}": (each.name, each.unit)
        for each in counted
    }
    return AMOUNTS | counters


# What outliers are due to.


@dataclass(frozen=True, slots=True, eq=False)
class OutlierGroup(Frozen):
    """Outliers that one delay caused, or a single one of unknown cause."""

    delay: int
    """Index into the trace's delays; -1 for none."""
    ranks: Ints
    columns: Ints
    """`ranks` and `columns`: int64, shape (cells,): its cells, that with the greatest
    number first."""
    total: float
    """Sum of their numbers."""


def outlier_groups(
    analysis: Analysis, grid: IterationGrid, marked: Bools | None = None
) -> tuple[OutlierGroup, ...]:
    """Put outliers together that are due to the same delay; greatest sum first.

    Parameters
    ----------
    marked : bool, shape (ranks, columns)
        Only these.
    """
    outliers = grid.outliers if marked is None else grid.outliers & marked
    ranks, columns = np.nonzero(outliers)
    values = grid.values[ranks, columns]
    order = np.argsort(-values, kind="stable")
    ranks, columns, values = ranks[order], columns[order], values[order]
    cause = _delay_of(analysis, grid.every)[grid.place[ranks, columns]]
    groups = []
    for delay in distinct(cause[cause >= 0]).tolist():
        own = cause == delay
        groups.append(
            OutlierGroup(delay, ranks[own], columns[own], float(values[own].sum()))
        )
    for k in np.flatnonzero(cause < 0)[:MAX_SINGLE].tolist():
        at = slice(k, k + 1)
        groups.append(OutlierGroup(-1, ranks[at], columns[at], float(values[k])))
    return tuple(sorted(groups, key=lambda group: -group.total))


MAX_SINGLE: Final = 500
"""Outliers of unknown cause that are listed one by one, the greatest."""


def _delay_of(analysis: Analysis, every: Iterations) -> Ints:
    """Find the delay that a rank was late by, or waited most for, in each iteration.

    Returns
    -------
    int64, shape (iterations,)
        -1 for none.
    """
    result = np.full(len(every), -1, np.int64)
    delays = analysis.delays
    if delays is None or not len(every):
        return result
    starts = np.searchsorted(every.rank, np.arange(analysis.trace.ranks + 1))

    def begun(rank: Indices | Ints, time: Ints) -> Ints:
        """Find the iteration that a rank has begun last at a time; -1 for none."""
        low = starts[rank]
        at = count_before(every.begin, low, starts[rank + 1], time + 1) - 1
        return np.where(at >= low, at, -1)

    offsets = analysis.trace.calls.offsets[: analysis.trace.ranks + 1]
    who = np.searchsorted(offsets, delays.wait_call, side="right") - 1
    waited = begun(who, delays.wait_begin)
    waited[delays.wait_begin >= every.end[waited]] = -1  # outside of the loop
    own = begun(delays.rank, delays.begin)
    places = np.concatenate([waited, own])
    numbers = np.arange(len(delays))
    of = np.concatenate([np.repeat(numbers, np.diff(delays.offsets)), numbers])
    ticks = np.concatenate([delays.wait_end - delays.wait_begin, delays.excess])
    order = np.lexsort((-of, ticks))
    order = order[places[order] >= 0]
    result[places[order]] = of[order]  # what is longest comes last, and stays
    return result


# Cells that are no smaller than pixels.

MERGES: Final[dict[str, Callable[[Floats, Ints, int], Floats]]] = {
    "maximum": lambda values, starts, axis: np.fmax.reduceat(values, starts, axis=axis),
    "mean": lambda values, starts, axis: np.add.reduceat(values, starts, axis=axis),
}
"""How cells that share a pixel are put together."""


def bounds_of(count: int, most: int) -> Ints:
    """Divide a number of rows into at most so many parts: their bounds, int64."""
    parts = max(min(count, most), 1)
    return (np.arange(parts + 1, dtype=np.int64) * count) // parts


def merged_cells(
    values: Floats, ranks: Indices, size: tuple[int, int], how: str = "maximum"
) -> Floats:
    """Merge cells so that there are no more than pixels; all of them count.

    Parameters
    ----------
    values : float64, shape (ranks, columns)
    ranks : int32, shape (rows,)
        Order of the rows.
    size
        Pixels across and down.
    how
        ``maximum`` or ``mean`` of the cells that are known.

    Returns
    -------
    float64, shape (rows or less, columns or less)
        NaN where none of the cells is known.
    """
    shown = values[ranks]
    if not shown.size:
        return shown
    down, across = bounds_of(len(shown), size[1]), bounds_of(shown.shape[1], size[0])
    merge = MERGES[how]
    if how == "maximum":
        return merge(merge(shown, across[:-1], 1), down[:-1], 0)
    there = (~np.isnan(shown)).astype(np.float64)
    sums = merge(merge(np.nan_to_num(shown), across[:-1], 1), down[:-1], 0)
    counts = merge(merge(there, across[:-1], 1), down[:-1], 0)
    return np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)


# Whose message came last.


@dataclass(frozen=True, slots=True, eq=False)
class DirectionWaits(Frozen):
    """Late-partner wait of some calls by the direction that came last."""

    labels: tuple[str, ...]
    """Directions, that with most wait first; the last one may be ``elsewhere``."""
    seconds: Floats
    """float64, shape (directions,)"""
    calls: Ints
    """int64, shape (directions,): calls that waited."""


def direction_waits(analysis: Analysis, calls: Ints) -> DirectionWaits:
    """Sum up the waiting of calls by the direction whose message came last.

    Parameters
    ----------
    calls : int64, shape (n,)
        Indices into the trace's calls.
    """
    if analysis.waits is None or not len(calls):
        return DirectionWaits((), np.zeros(0), np.zeros(0, np.int64))
    late = lateness(analysis.trace, analysis.waits, calls)
    calls, late = calls[late > 0], late[late > 0]
    offsets = analysis.trace.calls.offsets
    row = np.searchsorted(offsets, calls, side="right") - 1
    directions = PartnerDirections(analysis)
    of = directions.of(analysis.trace.rank_of_location[row], analysis.waits.whom[calls])
    count = len(directions.labels)
    of = np.where(of < 0, count, of)
    ticks = np.bincount(of, late, count + 1)
    number = np.bincount(of, minlength=count + 1)
    order = [n for n in np.argsort(-ticks, kind="stable").tolist() if number[n]]
    labels = (*directions.labels, "elsewhere")
    return DirectionWaits(
        tuple(labels[n] for n in order),
        ticks[order] / analysis.trace.clock.resolution,
        number[order],
    )
