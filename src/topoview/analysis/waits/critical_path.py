"""The critical path: what the run's length is made of.

It ends with the rank that ends last. Where that rank waited the path goes on with the
rank that it waited for, back to the beginning: shortening anything else does not
shorten the run (Böhme, Wolf, de Supinski, Schulz and Geimer 2012, Scalable
critical-path based performance analysis, section III).
"""

import numpy as np

from topoview.analysis.waits import kernels
from topoview.analysis.waits.states import lifetimes, ranks_read
from topoview.base.progress import Report, silent
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
    return CriticalPath(
        rank=of_segment,
        begin=begin,
        end=end,
        of_rank=np.bincount(of_segment, end - begin, trace.ranks).astype(np.int64),
        of_region=_by_region(trace, of_segment, begin, end),
        in_statement=in_calls,
        before_statement=before,
        imbalance=np.maximum(np.rint(before - on_average).astype(np.int64), 0),
    )


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
