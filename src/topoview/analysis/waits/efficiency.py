"""Efficiencies of POP: how much of the ranks' time is computation, and why not more.

Parallel efficiency is load balance times communication efficiency, which is
serialisation times transfer (POP Centre of Excellence, Standard metrics for
performance analysis of parallel applications; Rosas, Giménez and Labarta 2014,
Scalability prediction for fundamental performance factors). Transfer efficiency wants
the run on a network that takes no time. That is not simulated here: what a rank does
then is taken to be its computation and its wait states, as calls hold nothing else.
"""

from collections.abc import Sequence

import numpy as np

from topoview.analysis.waits.states import lifetimes
from topoview.model import (
    Efficiency,
    Ints,
    Trace,
    WaitStates,
)


def efficiency_of(
    trace: Trace,
    waits: WaitStates,
    window: tuple[int, int] | None = None,
    ranks: Sequence[int] | None = None,
) -> Efficiency:
    """Find the efficiencies of a window of time and some ranks.

    Parameters
    ----------
    window
        Begin and end in ticks; None: from the ranks' first begin to their last end.
    ranks
        World ranks; None: all.
    """
    some = np.arange(trace.ranks) if ranks is None else np.asarray(ranks, np.int64)
    begin, end = lifetimes(trace)
    begin, end = begin[some], end[some]
    if window is None:
        window = int(begin.min(initial=0)), int(end.max(initial=0))
    low, high = window
    there = np.maximum(np.minimum(end, high) - np.maximum(begin, low), 0)
    inside, waited = _time_in_calls(trace, waits, window)
    computed = np.maximum(there - inside[some], 0)
    longest, run = int(computed.max(initial=0)), max(high - low, 0)
    if not longest or not run:
        return Efficiency(*(5 * (float("nan"),)))
    ideal = int((computed + waited[some]).max())
    balance = float(computed.mean()) / longest
    return Efficiency(
        load_balance=balance,
        serialisation=longest / ideal,
        transfer=ideal / run,
        communication=longest / run,
        parallel=balance * longest / run,
    )


def _time_in_calls(
    trace: Trace, waits: WaitStates, window: tuple[int, int]
) -> tuple[Ints, Ints]:
    """Sum up each rank's time in calls within a window, and what of it is waiting."""
    low, high = window
    offsets = trace.calls.offsets[: trace.ranks + 1]
    last = int(offsets[-1])
    enter = np.clip(trace.calls.enter[:last], low, high)
    leave = np.clip(trace.calls.leave[:last], low, high)
    until = np.clip(waits.until[:last], enter, leave)

    def by_rank(ticks: Ints) -> Ints:
        running = np.concatenate(([0], np.cumsum(ticks)))
        return running[offsets[1:]] - running[offsets[:-1]]

    return by_rank(np.maximum(leave - enter, 0)), by_rank(until - enter)
