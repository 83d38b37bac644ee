"""The profile of a stretch of time, and of some calls only."""

import numba
import numpy as np

from topoview.analysis.chosen import Spans
from topoview.analysis.shares import state_ticks
from topoview.model import Indices, Ints, Profile, Trace


def profile_within(
    trace: Trace, window: tuple[int, int], spans: Spans | None = None
) -> Profile:
    """Sum up calls and times of a stretch of time.

    A call counts where it begins; its time as far as it lies in the window. Looks
    at the calls and intervals of the window only: a binary search and a scan a row.

    Parameters
    ----------
    window
        Begin and end in ticks.
    spans
        Calls that count, all if None; states are of all the time.
    """
    regions, calls = trace.regions, trace.calls
    names = len(regions.operations)
    rank = np.array([location.rank for location in trace.locations], np.int64)
    rank = rank[: len(calls.offsets) - 1]
    if spans is None:
        columns = (calls.offsets, calls.region, calls.enter, calls.leave)
    else:
        region = calls.region[spans.call]
        columns = (spans.offsets, region, spans.enter, spans.leave)
    counts, ticks = _sum_within(
        *columns,
        rank,
        np.append(regions.operation, -1),
        window,
        np.zeros((trace.ranks, names), np.int64),
    )
    called = np.flatnonzero(counts.sum(axis=0) + ticks.sum(axis=0))
    return Profile(
        tuple(regions.operations[i] for i in called),
        counts[:, called],
        ticks[:, called],
        state_ticks(trace, window),
    )


@numba.njit(nogil=True, cache=True)
def _sum_within(  # noqa: PLR0913
    offsets: Ints,
    region: Indices,
    enter: Ints,
    leave: Ints,
    rank: Ints,
    operations: Indices,
    window: tuple[int, int],
    counts: Ints,
) -> tuple[Ints, Ints]:
    ticks = np.zeros_like(counts)
    begin, end = window
    for row in range(len(offsets) - 1):
        low, high = offsets[row], offsets[row + 1]
        first = low + np.searchsorted(leave[low:high], begin, side="left")
        for call in range(first, high):
            if enter[call] >= end:
                break
            operation = operations[region[call]]
            if operation >= 0:
                counts[rank[row], operation] += enter[call] >= begin
                spent = min(leave[call], end) - max(enter[call], begin)
                ticks[rank[row], operation] += max(spent, 0)
    return counts, ticks
