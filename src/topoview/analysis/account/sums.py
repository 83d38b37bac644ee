"""Sums of time by state, between edges of time and up to times."""

import numpy as np

from topoview.analysis.account import kernels
from topoview.model import Bools, Ints, Timeline, TimeState

_EACH_STATE = np.eye(len(TimeState), dtype=np.bool_)


def state_ticks(timeline: Timeline, rows: slice, edges: Ints) -> Ints:
    """Sum up how long rows are in each state between edges of time.

    Parameters
    ----------
    edges : int64, shape (n + 1,)
        Ascending, in ticks.

    Returns
    -------
    int64, shape (rows, n, len(TimeState))
        Ticks; exact.
    """
    numbers = np.arange(rows.start, rows.stop)
    many, count = len(numbers), len(edges)
    until = at_times(timeline, np.repeat(numbers, count), np.tile(edges, many))
    return np.diff(until.reshape(many, count, -1), axis=1)


def at_times(timeline: Timeline, rows: Ints, times: Ints) -> Ints:
    """Sum up how long rows were in each state up to some times.

    Parameters
    ----------
    rows : int64, shape (n,)
        Ascending.
    times : int64, shape (n,)
        In ticks; it is fast where those of a row ascend.

    Returns
    -------
    int64, shape (n, len(TimeState))
    """
    return sums_at_times(timeline, _EACH_STATE, rows, times)


def sums_at_times(timeline: Timeline, members: Bools, rows: Ints, times: Ints) -> Ints:
    """Sum up how long rows were in some of the states up to some times.

    Parameters
    ----------
    members : bool, shape (len(TimeState), sums)
        Which states count for each sum.
    rows, times
        As for `at_times`.

    Returns
    -------
    int64, shape (n, sums)
    """
    line = timeline
    return kernels.sums_until(line.offsets, line.time, line.state, members, rows, times)
