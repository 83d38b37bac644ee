"""Delays of single ranks, ranked by what they cost.

A delay is a stretch of a rank's own time that took longer than usual, that is, than the
median of the same place of the program. What others wait for because a rank always has
more to do at a place than they have at theirs is imbalance: it is in what ranks and
statements caused, and in no delay.
"""

import numpy as np

from topoview.analysis.logical.iterations import iterations
from topoview.analysis.waits.costs import LOOKING_FOR_DELAYS, wait_costs
from topoview.analysis.waits.fronts import follow_fronts
from topoview.model import (
    MAX_DELAYS,
    CallPositions,
    Delays,
    Floats,
    Identification,
    Indices,
    Ints,
    LogicalTrace,
    Trace,
    WaitStates,
)
from topoview.progress import Report, silent


def delays(  # noqa: PLR0913
    trace: Trace,
    waits: WaitStates | None,
    identification: Identification,
    logical: LogicalTrace,
    positions: CallPositions,
    report: Report = silent,
) -> Delays | None:
    """Rank the delays of single ranks by the waiting that they caused.

    Returns
    -------
    Delays or None
        None if the clocks are not aligned, or nobody waited.
    """
    if waits is None:
        return None
    costs = wait_costs(trace, waits, logical, report)
    if not costs.late.any():
        return None
    report(LOOKING_FOR_DELAYS, 0.8)
    caused = np.floor(costs.delayed).astype(np.int64)
    some = np.flatnonzero(caused > 0)
    left_out = max(0, len(some) - MAX_DELAYS)
    some = (
        some[np.argpartition(caused[some], left_out)[left_out:]] if left_out else some
    )
    some = some[np.argsort(-caused[some], kind="stable")]
    edges = identification.best.rank_edges
    fronts = follow_fronts(trace, waits, costs, some, positions, edges)
    call, inside = some >> 1, some & 1 == 1
    rank, begin = costs.rank[call], costs.own.begin[some]
    end = begin + costs.own.ticks[some]
    of_call = costs.caused[::2] + costs.caused[1::2]
    return Delays(
        rank=rank,
        begin=begin,
        end=end,
        excess=costs.own.excess[some],
        region=np.where(inside, trace.calls.region[call], -1).astype(np.int32),
        doing=main_regions(trace, rank, begin, end),
        iteration=iterations(positions, call),
        caused=caused[some],
        of_rank=np.rint(np.bincount(costs.rank, of_call, trace.ranks)).astype(np.int64),
        of_statement=_sums(
            logical.statement_of_call[: len(of_call)], of_call, logical.statements
        ),
        waiting=int(costs.late.sum()),
        left_out=left_out,
        **fronts,
    )


def _sums(group: Indices, ticks: Floats, groups: int) -> Ints:
    """Sum up by group; -1 is none."""
    found = np.bincount(group[group >= 0], ticks[group >= 0], groups)
    return np.rint(found).astype(np.int64)


def main_regions(trace: Trace, rank: Indices, begin: Ints, end: Ints) -> Indices:
    """Find the region that ranks were in for most of some stretches of time.

    Parameters
    ----------
    rank : int32, shape (n,)
    begin, end : int64, shape (n,)
        In ticks.

    Returns
    -------
    int32, shape (n,)
        -1 for none.
    """
    line, found = trace.timeline, np.full(len(rank), -1, np.int32)
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
        found[i] = np.bincount(regions + 1, spent).argmax() - 1
    return found
