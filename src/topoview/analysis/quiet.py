"""Stretches of time in which no row changes its state or region."""

import numba
import numpy as np

from topoview.model import Ints, Timeline


def quiet_times(
    timeline: Timeline, window: tuple[int, int], steps: int, least: float
) -> Ints:
    """Find the long stretches without any change, of all rows.

    A window is cut into equal steps; stretches that lie within one step are not
    found. Takes two searches for each step in which a row changes, at most.

    Parameters
    ----------
    window
        Begin and end in ticks.
    steps
        Number of steps.
    least
        Ticks that a stretch takes at least.

    Returns
    -------
    int64, shape (n, 2)
        Time of the change before each and of the one after it, ascending. What comes
        before the first change and after the last is none.
    """
    steps = max(1, min(steps, window[1] - window[0]))
    first, last = _changes(timeline.offsets, timeline.time, window, steps)
    some = first >= 0
    begins, ends = last[some][:-1], first[some][1:]
    long = (ends - begins >= least) & (ends > begins)
    return np.stack([begins[long], ends[long]], axis=1)


@numba.njit(nogil=True, cache=True)
def _changes(
    offsets: Ints, time: Ints, window: tuple[int, int], steps: int
) -> tuple[Ints, Ints]:
    """First and last change in each step, -1 where there is none.

    The last one before the window and the first after it have steps of their own.
    """
    first, last = np.full(steps + 2, -1, np.int64), np.full(steps + 2, -1, np.int64)
    begin, end = window
    wide = (end - begin) / steps
    for row in range(len(offsets) - 1):
        at, stop = offsets[row], offsets[row + 1]
        at += np.searchsorted(time[at:stop], begin)
        if at > offsets[row]:
            last[0] = max(last[0], time[at - 1])
            first[0] = max(first[0], time[at - 1])
        while at < stop and time[at] < end:
            step = min(int((time[at] - begin) / wide), steps - 1)
            limit = np.int64(begin + np.ceil((step + 1) * wide))
            if step == steps - 1:
                limit = np.int64(end)
            if first[step + 1] < 0 or time[at] < first[step + 1]:
                first[step + 1] = time[at]
            after = at + np.searchsorted(time[at:stop], limit)
            after = max(after, at + 1)
            last[step + 1] = max(last[step + 1], time[after - 1])
            at = after
        if at < stop and (first[steps + 1] < 0 or time[at] < first[steps + 1]):
            first[steps + 1] = last[steps + 1] = time[at]
    return first, last
