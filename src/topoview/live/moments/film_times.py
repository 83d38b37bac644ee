"""Which times of a run the frames of a film show, and which idle periods it skips."""

import numpy as np

from topoview.errors import UsageError
from topoview.live import kernels
from topoview.live.picking.navigation import (
    IDLE_SECONDS,
    LEAD_SECONDS,
    Pace,
    Window,
    calls_before,
    time_of_call,
)
from topoview.model import Floats, Ints, Timeline, Trace


def idle_periods(
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
    first, last = kernels.changes(timeline.offsets, timeline.time, window, steps)
    some = first >= 0
    begins, ends = last[some][:-1], first[some][1:]
    long = (ends - begins >= least) & (ends > begins)
    return np.stack([begins[long], ends[long]], axis=1)


IDLE_STEPS = 4096
"""Steps in which stretches without an event are looked for."""

MAX_FRAMES = 1_000_000
"""Frames that a film may have: eleven hours of it."""

MAX_ROUNDS = 20
"""What is left out makes all else slower, so that more is to be left out; at most
so many times."""


def film_seconds(trace: Trace, span: Window, pace: Pace) -> float:
    """Return the seconds that a film of a stretch of time lasts."""
    if not pace.calls or not len(trace.calls):
        return pace.seconds
    first, last = (calls_before(trace, pace.rank, ticks) for ticks in span)
    return (last - first) / pace.calls


def film_times(trace: Trace, span: Window, pace: Pace, rate: float) -> list[int]:
    """Return the time of each frame in ticks, ascending; two at least.

    Parameters
    ----------
    span
        Begin and end in ticks of what is filmed; the first and the last frame.
    rate
        Frames a second.

    Raises
    ------
    UsageError
        That are more than `MAX_FRAMES`.
    """
    frames = film_seconds(trace, span, pace) * rate
    if frames > MAX_FRAMES:
        raise UsageError(
            f"a film of {frames:.3g} frames is too long: it may have {MAX_FRAMES:,}"
        )
    count = max(2, round(frames))
    shares = np.linspace(0.0, 1.0, count)
    if pace.calls and len(trace.calls):
        first, last = (calls_before(trace, pace.rank, ticks) for ticks in span)
        inner = (first + (last - first) * shares[1:-1]).tolist()
        own = [time_of_call(trace, pace.rank, position) for position in inner]
        times = np.array([span[0], *own, span[1]], np.float64)
        return [round(t) for t in np.maximum.accumulate(times.clip(*span)).tolist()]
    if not pace.skip:
        return [round(t) for t in np.linspace(*span, count).tolist()]
    shown = without_idle_periods(trace, span, pace.seconds)
    ends = np.concatenate([[0.0], np.cumsum(shown[:, 1] - shown[:, 0])])
    at = shares * ends[-1]
    part = (np.searchsorted(ends, at, side="right") - 1).clip(0, len(shown) - 1)
    return [round(t) for t in (shown[part, 0] + at - ends[part]).tolist()]


def without_idle_periods(trace: Trace, span: Window, seconds: float) -> Floats:
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
    for _ in range(MAX_ROUNDS):
        second = length / seconds
        quiet = idle_periods(trace.timeline, span, IDLE_STEPS, IDLE_SECONDS * second)
        cuts = quiet.astype(np.float64).clip(begin, end)
        cuts[:, 1] -= LEAD_SECONDS * second
        cuts = cuts[cuts[:, 1] > cuts[:, 0]]
        rest = end - begin - float(np.diff(cuts, axis=1).sum())
        if rest >= length:
            break
        length = rest
    begins = np.concatenate([[float(begin)], cuts[:, 1]])
    ends = np.concatenate([cuts[:, 0], [float(end)]])
    return np.stack([begins, ends], axis=1)
