"""Pixels of rows with very many intervals, made from sums of time by state."""

import numba
import numpy as np

from topoview.model import Bytes, Indices, Ints
from topoview.scene.timeline.scan import STATES, add_ticks, interval_at, spend
from topoview.scene.timeline.ways import SCAN, Sums


@numba.njit(nogil=True, cache=True)
def dominant_summed(  # noqa: PLR0913
    offsets: Ints,
    time: Ints,
    state: Bytes,
    rows: Indices,
    bounds: Ints,
    begin: int,
    end: int,
    sums: Sums,
    level: Ints,
    rough: bool,
    out: Bytes,
) -> None:
    """Find the state that has most of each pixel, as `dominant` does."""
    bands, width = out.shape
    ticks = np.empty((width, STATES), np.int64)
    for band in range(bands):
        ticks[:] = 0
        own = slice(bounds[band], bounds[band + 1])
        add_summed(
            *(offsets, time, state, rows[own], begin, end),
            *(sums, level[own], rough, ticks),
        )
        for x in range(width):
            best = 0
            for code in range(STATES):
                if ticks[x, code] >= ticks[x, best]:
                    best = code
            out[band, x] = best


@numba.njit(nogil=True, cache=True)
def add_summed(  # noqa: PLR0913
    offsets: Ints,
    time: Ints,
    state: Bytes,
    rows: Indices,
    begin: int,
    end: int,
    sums: Sums,
    level: Ints,
    rough: bool,
    ticks: Ints,
) -> None:
    """Add up the time by state in each pixel, as `add_ticks` does."""
    for k in range(len(rows)):
        row = rows[k]
        if level[k] == SCAN:
            add_ticks(offsets, time, state, rows[k : k + 1], begin, end, ticks)
            continue
        own = offsets[row], offsets[row + 1]
        places = sums[1][level[k], row], sums[1][level[k], row + 1]
        if rough:
            _add_rough(state[own[1] - 1], begin, end, sums, places, ticks)
        else:
            _add_exact(time, state, own, begin, end, sums, places, ticks)


@numba.njit(nogil=True, cache=True)
def _next(begins: Ints, at: int, stop: int, ticks: int) -> int:
    """Last place from `at` on that begins by a time: near ones are found soon."""
    step = 1
    while at + step < stop and begins[at + step] <= ticks:
        at += step
        step *= 2
    return interval_at(begins, at, min(at + step, stop), ticks)


@numba.njit(nogil=True, cache=True)
def _add_exact(  # noqa: PLR0913
    time: Ints,
    state: Bytes,
    own: tuple[int, int],
    begin: int,
    end: int,
    sums: Sums,
    places: tuple[int, int],
    ticks: Ints,
) -> None:
    # Times are counted in ticks / width, as in `spend`. What is summed up to an edge
    # may wrap around, its difference to the edge before does not.
    every, _, begins, summed, states = sums
    width, span = len(ticks), end - begin
    before, now = np.zeros(STATES, np.int64), np.zeros(STATES, np.int64)
    at = places[0]
    for x in range(width + 1):
        edge = x * span
        tick = begin + edge // width
        at = _next(begins, at, places[1], tick)
        now[:] = 0
        for k in range(len(states)):
            now[states[k]] = summed[at, k] * width
        i = own[1] - 1
        if at < places[1] - 1:
            i = own[0] + (at - places[0]) * every
        since = (begins[at] - begin) * width
        spend(time, state, i, own[1], begin, since, edge, width, now)
        if x:
            for code in range(STATES):
                ticks[x - 1, code] += now[code] - before[code]
        before[:] = now


@numba.njit(nogil=True, cache=True)
def _add_rough(  # noqa: PLR0913
    last: int,
    begin: int,
    end: int,
    sums: Sums,
    places: tuple[int, int],
    ticks: Ints,
) -> None:
    _, _, begins, summed, states = sums
    width, span = len(ticks), end - begin
    before, now = np.zeros(STATES), np.zeros(STATES)
    at = places[0]
    for x in range(width + 1):
        tick = begin + x * span / width
        at = _next(begins, at, places[1], int(tick))
        now[:] = 0.0
        into = tick - begins[at]
        if at == places[1] - 1:
            now[last] = into
        else:
            length = begins[at + 1] - begins[at]
            for k in range(len(states)):
                grown = summed[at + 1, k] - summed[at, k]
                now[states[k]] = grown * (into / length)
        for k in range(len(states)):
            now[states[k]] += summed[at, k]
        if x:
            for code in range(STATES):
                ticks[x - 1, code] += np.int64((now[code] - before[code]) * width)
        before[:] = now
