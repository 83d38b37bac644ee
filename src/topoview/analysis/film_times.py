"""Which times of a run the frames of a film show."""

import numpy as np

from topoview.analysis.navigation import Window, call_at, calls_before
from topoview.analysis.pace import DEAD, NEAR, Pace
from topoview.analysis.quiet import quiet_times
from topoview.model import Floats, Trace

STEPS = 4096
"""Steps in which stretches without an event are looked for."""

ROUNDS = 20
"""What is left out makes all else slower, so that more is to be left out; at most
so many times."""


def lasts(trace: Trace, span: Window, pace: Pace) -> float:
    """Give the seconds that a film of a stretch of time lasts."""
    if not pace.calls or not len(trace.calls):
        return pace.seconds
    first, last = (calls_before(trace, pace.rank, ticks) for ticks in span)
    return (last - first) / pace.calls


def film_times(trace: Trace, span: Window, pace: Pace, rate: float) -> list[int]:
    """Give the time of each frame in ticks, ascending; two at least.

    Parameters
    ----------
    span
        Begin and end in ticks of what is filmed; the first and the last frame.
    rate
        Frames a second.
    """
    count = max(2, round(lasts(trace, span, pace) * rate))
    shares = np.linspace(0.0, 1.0, count)
    if pace.calls and len(trace.calls):
        first, last = (calls_before(trace, pace.rank, ticks) for ticks in span)
        inner = (first + (last - first) * shares[1:-1]).tolist()
        own = [call_at(trace, pace.rank, position) for position in inner]
        found = np.array([span[0], *own, span[1]], np.float64)
        return [round(t) for t in np.maximum.accumulate(found.clip(*span)).tolist()]
    if not pace.skip:
        return [round(t) for t in np.linspace(*span, count).tolist()]
    shown = kept(trace, span, pace.seconds)
    ends = np.concatenate([[0.0], np.cumsum(shown[:, 1] - shown[:, 0])])
    at = shares * ends[-1]
    part = (np.searchsorted(ends, at, side="right") - 1).clip(0, len(shown) - 1)
    return [round(t) for t in (shown[part, 0] + at - ends[part]).tolist()]


def kept(trace: Trace, span: Window, seconds: float) -> Floats:
    """Leave out the stretches in which no rank's state or region changes for long.

    Parameters
    ----------
    seconds
        That the rest is shown in.

    Returns
    -------
    float64, shape (n, 2)
        Begin and end in ticks of what is left, ascending; never empty.
    """
    begin, end = span
    length, cuts = float(end - begin), np.zeros((0, 2))
    for _ in range(ROUNDS):
        second = length / seconds
        quiet = quiet_times(trace.timeline, span, STEPS, DEAD * second)
        cuts = quiet.astype(np.float64).clip(begin, end)
        cuts[:, 1] -= NEAR * second
        cuts = cuts[cuts[:, 1] > cuts[:, 0]]
        rest = end - begin - float(np.diff(cuts, axis=1).sum())
        if rest >= length:
            break
        length = rest
    begins = np.concatenate([[float(begin)], cuts[:, 1]])
    ends = np.concatenate([cuts[:, 0], [float(end)]])
    return np.stack([begins, ends], axis=1)
