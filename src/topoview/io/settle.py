"""Times counted from the trace's beginning."""

import numba
import numpy as np

from topoview.model import Bytes, Indices, Ints


def origins(first: Ints, rank: Indices, aligned: bool) -> Ints:
    """Time stamp that is taken as time 0, for each row.

    Parameters
    ----------
    first : int64, shape (rows,)
        Time of each row's first event, -1 without events.
    rank : int32, shape (rows,)
        Rank that each row belongs to.
    aligned
        Whether clocks of different ranks can be compared: the earliest event
        of all is the beginning. Otherwise each rank's first event is.
    """
    never = np.iinfo(np.int64).max
    known = np.where(first < 0, never, first)
    if aligned:
        earliest = np.full(len(first), known.min(initial=never))
    else:
        of_rank = np.full(int(rank.max(initial=-1)) + 1, never)
        np.minimum.at(of_rank, rank, known)
        earliest = of_rank[rank]
    beginning: Ints = np.where(earliest == never, 0, earliest)
    return beginning


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
