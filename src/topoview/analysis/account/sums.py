"""Sums of time by state, between edges of time and up to times."""

import numpy as np

from topoview.model import Ints, Timeline, TimeState


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
    offsets = timeline.offsets[rows.start : rows.stop + 1]
    base, many = int(offsets[0]), len(offsets) - 1
    time = timeline.time[base : int(offsets[-1])]
    state = timeline.state[base : int(offsets[-1])]
    at = timeline.at(edges[:, None], rows).T - base
    length = np.empty(len(time), np.int64)
    np.subtract(time[1:], time[:-1], out=length[:-1])
    length[offsets[1:] - base - 1] = 0  # the last of a row has no end
    since = edges - time[at]
    result = np.zeros((many, len(edges) - 1, len(TimeState)), np.int64)
    before = np.empty(len(time) + 1, np.int64)
    before[0] = 0
    for code in np.unique(state).tolist():
        own = state == code
        np.cumsum(np.where(own, length, 0), out=before[1:])
        result[:, :, code] = np.diff(before[at] + np.where(own[at], since, 0), axis=1)
    return result


def at_times(timeline: Timeline, rows: Ints, times: Ints) -> Ints:
    """Sum up how long rows were in each state up to some times.

    Parameters
    ----------
    rows : int64, shape (n,)
        Ascending.
    times : int64, shape (n,)
        In ticks.

    Returns
    -------
    int64, shape (n, len(TimeState))
    """
    result = np.zeros((len(rows), len(TimeState)), np.int64)
    edges = np.flatnonzero(np.append(True, rows[1:] != rows[:-1]))
    for first, stop in zip(edges, np.append(edges[1:], len(rows)), strict=True):
        row, some = int(rows[first]), slice(int(first), int(stop))
        own = slice(int(timeline.offsets[row]), int(timeline.offsets[row + 1]))
        time, state = timeline.time[own], timeline.state[own]
        at = np.searchsorted(time, times[some], side="right") - 1
        since, length = times[some] - time[at], np.append(np.diff(time), 0)
        for code in np.unique(state).tolist():
            spent = np.append(0, np.cumsum(np.where(state == code, length, 0)))
            result[some, code] = spent[at] + np.where(state[at] == code, since, 0)
    return result
