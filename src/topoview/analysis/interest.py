"""Which times are worth looking at first."""

from typing import Final

import numpy as np

from topoview.model import Bytes, Ints, MPIState, Trace
from topoview.progress import Report, silent

FRAMES = (0.1, 0.4, 0.7, 1.0)
"""Times looked at, in lengths of the longest wait from its begin."""

QUINTILES = (0.2, 0.4, 0.6, 0.8)

_SAMPLE: Final = 1 << 17


def interesting_times(trace: Trace, report: Report = silent) -> list[int]:
    """Find times around the longest wait of a rank, in ticks.

    If none waits they are the quintiles of the times at which MPI calls begin: the
    middle of a run may well be its set-up. Without such calls they are those of the
    times at which ranks begin to do anything that is recorded, else those of their
    threads, so that something is seen then; and if nothing is recorded at all they
    are spread over the run.

    Raises
    ------
    Cancelled
        From `report`.
    """
    from topoview.analysis.overview import overview

    return list(overview(trace, report).times)


def times_around(trace: Trace, begin: int, length: int) -> list[int]:
    """Find the times from the longest wait; its length is -1 if there is none."""
    if length >= 0:
        return [min(begin + round(length * f), trace.clock.length) for f in FRAMES]
    timeline = trace.timeline
    end = int(timeline.offsets[trace.ranks])
    calls = trace.calls.enter[: int(trace.calls.offsets[trace.ranks])]
    for begins in (
        calls,
        _recorded(timeline.time[:end], timeline.state[:end]),
        _recorded(timeline.time[end:], timeline.state[end:]),
    ):
        if len(begins):
            return _quintiles(begins)
    return [round(trace.clock.length * f) for f in QUINTILES]


def _quintiles(times: Ints) -> list[int]:
    """Quintiles that are among the times."""
    some = times[:: -(-len(times) // _SAMPLE)]  # no copy of all of them
    return [int(time) for time in np.quantile(some, QUINTILES, method="lower")]


def _recorded(time: Ints, state: Bytes) -> Ints:
    """Sample the times at which something begins that is recorded."""
    step = -(-len(time) // _SAMPLE) | 1  # odd: states often alternate
    found: Ints = time[::step][state[::step] != MPIState.OUTSIDE]
    return found
