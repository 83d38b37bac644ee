"""The critical path: what the run's length is made of.

It ends with the rank that ends last. Where that rank waited the path goes on with the
rank that it waited for, back to the beginning: shortening anything else does not
shorten the run (Böhme, Wolf, de Supinski, Schulz and Geimer 2012, Scalable
critical-path based performance analysis, section III).
"""

import numpy as np

from topoview.analysis.waits.critical_path_kernels import (
    follow_critical_path,
    spread_of_ranks,
    ticks_on_path,
)
from topoview.analysis.waits.states import lifetimes, ranks_read
from topoview.base.progress import Report, silent
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
    of_segment, begin, end, in_calls, before = follow_critical_path(
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
    excess, noise = _longest(offsets, enter, leave, numbers, begins, logical.statements)
    return CriticalPath(
        rank=of_segment,
        begin=begin,
        end=end,
        of_rank=np.bincount(of_segment, end - begin, trace.ranks).astype(np.int64),
        of_region=ticks_on_path(
            trace.timeline.offsets,
            trace.timeline.time,
            trace.timeline.region,
            of_segment,
            begin,
            end,
            len(trace.regions.names),
        ),
        in_statement=in_calls,
        before_statement=before,
        imbalance=imbalance,
        longest_excess=excess,
        longest_noise=noise,
    )


def _longest(  # noqa: PLR0913
    offsets: Ints,
    enter: Ints,
    leave: Ints,
    statement: Indices,
    begins: Ints,
    statements: int,
) -> tuple[float, float]:
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
    computed, variance, repeated = spread_of_ranks(
        offsets, enter, leave, statement, begins, statements
    )
    if repeated < 1 / 2:
        return 0.0, np.inf
    spread = np.sqrt(max(float(variance.max()), 0.0))
    beyond = np.sqrt(2 * np.log(len(computed))) + 2
    return float(computed.max() - computed.mean()), float(beyond * spread)
