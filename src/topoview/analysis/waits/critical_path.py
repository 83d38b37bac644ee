"""The critical path: what the run's length is made of.

It ends with the rank that ends last. Where that rank waited the path goes on with the
rank that it waited for, back to the beginning: shortening anything else does not
shorten the run (Böhme, Wolf, de Supinski, Schulz and Geimer 2012, Scalable
critical-path based performance analysis, section III).
"""

from typing import Final

import numpy as np

from topoview.analysis.logical.statements import computed_before
from topoview.analysis.waits import kernels
from topoview.analysis.waits.states import lifetimes, ranks_read
from topoview.base.progress import Report, batches, silent
from topoview.grouping import counting_sort
from topoview.model import (
    CriticalPath,
    Indices,
    Ints,
    LineSums,
    LogicalTrace,
    Trace,
    WaitStates,
)


def critical_path(
    trace: Trace,
    waits: WaitStates | None,
    logical: LogicalTrace,
    sums: LineSums,
    report: Report = silent,
) -> CriticalPath | None:
    """Follow the critical path of the ranks' main threads.

    Only what lies on it is looked at.

    Returns
    -------
    CriticalPath or None
        None if the clocks are not aligned, or there are no ranks.
    """
    if waits is None or not trace.ranks:
        return None
    report("following the critical path", 0.0)
    calls = trace.calls
    offsets = calls.offsets[: trace.ranks + 1]
    last = int(offsets[-1])
    enter, leave = calls.enter[:last], calls.leave[:last]
    begins, ends = lifetimes(trace)
    numbers = logical.statement_of_call[:last]
    of_segment, begin, end, in_calls, before = kernels.follow_critical_path(
        offsets,
        enter,
        leave,
        waits.until[:last],
        waits.cause[:last],
        waits.whom[:last],
        numbers,
        begins,
        ends,
        logical.statements,
    )
    on_average = sums.before.total / max(len(ranks_read(trace)), 1)
    imbalance = np.maximum(np.rint(before - on_average).astype(np.int64), 0)
    excess, noise = _longest(trace, numbers, logical.statements)
    return CriticalPath(
        rank=of_segment,
        begin=begin,
        end=end,
        of_rank=np.bincount(of_segment, end - begin, trace.ranks).astype(np.int64),
        of_region=_by_region(trace, of_segment, begin, end),
        in_statement=in_calls,
        before_statement=before,
        imbalance=imbalance,
        longest_excess=excess,
        longest_noise=noise,
    )


MAX_CELLS: Final = 1 << 24
"""Ranks times statements up to which it is told whether ranks differ by chance."""


def _longest(trace: Trace, statement: Indices, statements: int) -> tuple[float, float]:
    """Compare the rank that computes longest with the mean rank.

    Returns
    -------
    float, float
        By how many ticks it computes longer, and by how many it may by chance: the
        variance of a rank's sum is that of all its computations, each among those
        before the same statement; the largest of many normal numbers is beyond
        ``sqrt(2 log(ranks))`` standard deviations, and two more are allowed for.
        Infinite where most computations are not repeated.
    """
    offsets, ranks = trace.calls.offsets[: trace.ranks + 1], trace.ranks
    cells, last = ranks * statements, len(statement)
    if not 0 < cells <= MAX_CELLS:
        return 0.0, np.inf
    count, total, square = np.zeros((3, cells))
    for some in batches(last):
        there = np.flatnonzero(statement[some] >= 0)
        ticks = computed_before(trace, some)[there].astype(np.float64)
        rank = np.searchsorted(offsets, there + some.start, side="right") - 1
        cell = rank * statements + statement[some][there]
        count += np.bincount(cell, minlength=cells)
        total += np.bincount(cell, ticks, cells)
        square += np.bincount(cell, ticks**2, cells)
    repeated = count > 1
    if 2 * count[repeated].sum() < count.sum():
        return 0.0, np.inf
    rest = square - total**2 / np.maximum(count, 1)
    variance = np.where(repeated, rest * count / np.maximum(count - 1, 1), 0.0)
    of_rank = total.reshape(ranks, -1).sum(axis=1)
    spread = np.sqrt(max(float(variance.reshape(ranks, -1).sum(axis=1).max()), 0.0))
    beyond = np.sqrt(2 * np.log(ranks)) + 2
    return float(of_rank.max() - of_rank.mean()), float(beyond * spread)


def _by_region(trace: Trace, rank: Indices, begin: Ints, end: Ints) -> Ints:
    """Sum up the path by the region that its rank is in."""
    line, regions = trace.timeline, len(trace.regions.names)
    totals = np.zeros(regions + 1)
    order, starts = counting_sort(rank, trace.ranks)
    for one in np.flatnonzero(np.diff(starts)).tolist():
        some = order[starts[one] : starts[one + 1]]
        row = slice(int(line.offsets[one]), int(line.offsets[one + 1]))
        time, region = line.time[row], line.region[row].astype(np.int64)
        first = np.maximum(np.searchsorted(time, begin[some], side="right") - 1, 0)
        count = np.searchsorted(time, end[some], side="left") - first
        count = np.maximum(count, 0)
        stretch = np.repeat(some, count)
        before = np.cumsum(count) - count
        at = np.arange(len(stretch)) + np.repeat(first - before, count)
        until = np.append(time[1:], np.iinfo(np.int64).max)[at]
        spent = np.minimum(until, end[stretch]) - np.maximum(time[at], begin[stretch])
        where = np.where(region[at] < 0, regions, region[at])
        totals += np.bincount(where, np.maximum(spent, 0), regions + 1)
    return totals.astype(np.int64)
