"""Which times are worth looking at first."""

from typing import Final

import numba
import numpy as np

from topoview.model import Bytes, Ints, MPIState, Trace

FRAMES = (0.1, 0.4, 0.7, 1.0)
"""Times looked at, in lengths of the longest wait from its begin."""

_SAMPLE: Final = 1 << 20
_WAIT: Final = np.uint8(MPIState.WAIT)


def interesting_times(trace: Trace) -> list[int]:
    """Find times around the longest wait of a rank, in ticks.

    If none waits they are the quintiles of the times at which MPI calls begin, and
    without such calls spread over the run: the middle of a run may well be its
    set-up.
    """
    timeline = trace.timeline
    end = int(timeline.offsets[trace.ranks])
    longest = _longest_wait(timeline.time[:end], timeline.state[:end])
    begin, length = (int(ticks) for ticks in longest)
    if length >= 0:
        return [min(begin + round(length * f), trace.clock.length) for f in FRAMES]
    quintiles = (0.2, 0.4, 0.6, 0.8)
    calls = trace.calls.enter[: int(trace.calls.offsets[trace.ranks])]
    if len(calls):
        step = -(-len(calls) // _SAMPLE)  # no copy of all of them
        return [int(time) for time in np.quantile(calls[::step], quintiles)]
    return [round(trace.clock.length * f) for f in quintiles]


@numba.njit(nogil=True, cache=True)
def _longest_wait(time: Ints, state: Bytes) -> tuple[np.int64, np.int64]:
    """Begin and length of the longest wait, the first of equals; -1 for none."""
    begin, longest = np.int64(-1), np.int64(-1)
    for i in range(len(time) - 1):
        if state[i] == _WAIT and time[i + 1] - time[i] > longest:
            begin, longest = time[i], time[i + 1] - time[i]
    return begin, longest
