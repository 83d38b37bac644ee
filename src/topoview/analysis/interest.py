"""Which times are worth looking at first."""

import numpy as np

from topoview.model import MPIState, Trace

FRAMES = (0.1, 0.4, 0.7, 1.0)
"""Times looked at, in lengths of the longest wait from its begin."""


def interesting_times(trace: Trace) -> list[int]:
    """Find times around the longest wait of a rank, in ticks.

    If none waits they are the quintiles of the times at which MPI calls begin, and
    without such calls spread over the run: the middle of a run may well be its
    set-up.
    """
    timeline = trace.timeline
    end = int(timeline.offsets[trace.ranks])
    waits = np.flatnonzero(timeline.state[: end - 1] == MPIState.WAIT)
    if len(waits):
        lengths = timeline.time[waits + 1] - timeline.time[waits]
        longest = waits[int(lengths.argmax())]
        begin, length = int(timeline.time[longest]), int(lengths.max())
        return [min(begin + round(length * f), trace.clock.length) for f in FRAMES]
    quintiles = (0.2, 0.4, 0.6, 0.8)
    calls = trace.calls.enter[: int(trace.calls.offsets[trace.ranks])]
    if len(calls):
        return [int(time) for time in np.quantile(calls, quintiles)]
    return [round(trace.clock.length * f) for f in quintiles]
