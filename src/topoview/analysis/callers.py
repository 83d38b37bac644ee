"""Which region of the user's code each MPI call was made in."""

import numba
import numpy as np

from topoview.model import Bools, Indices, Ints, Trace


def calling_regions(trace: Trace, calls: Ints) -> Indices:
    """Innermost region of the user's own that each call was made in.

    Parameters
    ----------
    trace
        Its timeline and calls are read.
    calls : int64, shape (n,), ascending
        Indices into the trace's calls.

    Returns
    -------
    int32, shape (n,)
        Region; -1 if the trace does not tell.
    """
    user = trace.regions.operation < 0
    timeline = trace.timeline
    found: Indices = _callers(
        timeline.offsets,
        timeline.time,
        timeline.region,
        user,
        trace.calls.offsets,
        trace.calls.enter,
        calls,
    )
    return found


@numba.njit(nogil=True, cache=True)
def _callers(  # noqa: PLR0913 - columns of a trace
    offsets: Ints,
    time: Ints,
    region: Indices,
    user: Bools,
    call_offsets: Ints,
    enter: Ints,
    calls: Ints,
) -> Indices:
    found = np.full(len(calls), -1, np.int32)
    row, at, last = -1, 0, -1
    for i in range(len(calls)):
        moved = False
        while calls[i] >= call_offsets[row + 1]:
            row += 1
            moved = True
        if moved:
            at, last = offsets[row], -1
        # intervals that begin before the call: the last of the user's counts
        while at < offsets[row + 1] and time[at] < enter[calls[i]]:
            if region[at] >= 0 and user[region[at]]:
                last = region[at]
            at += 1
        found[i] = last
    return found
