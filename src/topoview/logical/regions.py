"""The program's function that each MPI call is in, where a trace records functions."""

import numba
import numpy as np

from topoview.model import Bools, Indices, Ints, Trace


def enclosing(trace: Trace, calls: int) -> Ints:
    """Find the innermost region around each of the first `calls` calls.

    It is the one that the rank is in just before the call, or just after it where
    calls follow each other at once. Who called that region is not known: a timeline
    holds the innermost region of each interval, and one between two calls of
    another may be its caller or follow it. O(calls + intervals).

    Returns
    -------
    int64, shape (calls,)
        Region, -1 if none is known; -1 for all if the calls are in fewer than two.
    """
    regions, timeline = trace.regions, trace.timeline
    own = np.append(regions.operation < 0, False)
    nowhere = np.broadcast_to(np.int64(-1), calls)
    if np.count_nonzero(own) < 2 or not len(timeline.region):
        return nowhere
    found = _enclosing(
        timeline.offsets[: trace.ranks + 1],
        np.asarray(timeline.time),
        np.asarray(timeline.region),
        own,
        trace.calls.offsets[: trace.ranks + 1],
        np.asarray(trace.calls.enter),
        np.asarray(trace.calls.leave),
        calls,
    )
    known = found[found >= 0]
    if not len(known) or (known == known[0]).all():
        return nowhere
    return found


@numba.njit(nogil=True, cache=True)
def _enclosing(  # noqa: PLR0913
    rows: Ints,
    time: Ints,
    region: Indices,
    own: Bools,
    offsets: Ints,
    enter: Ints,
    leave: Ints,
    calls: int,
) -> Ints:
    found = np.full(calls, -1, np.int64)
    for row in range(len(rows) - 1):
        at, end = rows[row], rows[row + 1]
        last = -1
        for call in range(offsets[row], offsets[row + 1]):
            while at + 1 < end and time[at + 1] < enter[call]:
                at += 1
            here = region[at]
            if here < 0 or not own[here]:
                after = at
                while after + 1 < end and time[after + 1] <= leave[call]:
                    after += 1
                here = region[after]
            if here >= 0 and own[here]:
                last = here
            found[call] = last
    return found
