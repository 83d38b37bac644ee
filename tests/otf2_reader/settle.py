"""Times of intervals counted from the trace's beginning."""

import numba

from topoview.model import Bytes, Indices, Ints


@numba.njit(nogil=True, cache=True)
def settle_intervals(
    offsets: Ints, time: Ints, state: Bytes, region: Indices, origin: Ints
) -> int:
    """Count the times of intervals from their row's origin, in place.

    Each row's first interval, which lasts until its first event, begins at
    time 0, or is left out if the event is there already. `offsets` follow.

    Returns
    -------
    int
        Number of intervals that are left.
    """
    there = 0
    begin = 0
    for row in range(len(offsets) - 1):
        stop = offsets[row + 1]
        zero = origin[row]
        first = begin
        if begin + 1 < stop and time[begin + 1] <= zero:
            first += 1
        offsets[row] = there
        for here in range(first, stop):
            time[there] = 0 if here == first else time[here] - zero
            state[there] = state[here]
            region[there] = region[here]
            there += 1
        begin = stop
    offsets[len(offsets) - 1] = there
    return there
