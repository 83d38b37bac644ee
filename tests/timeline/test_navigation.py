"""Steps and windows, against looking at every event."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from timelines import LENGTH, Row, Window, timelines, trace_of

from topoview.live.picking.navigation import (
    MIN_WINDOW_TICKS,
    following,
    next_call,
    next_event,
    panned,
    previous_call,
    previous_event,
    within,
    working_window,
    zoomed,
)
from topoview.model import TimeState
from topoview.pipeline import first_look

BOUNDS = (0, 10_000)
windows = st.tuples(st.integers(0, 10_000), st.integers(0, 10_000)).filter(
    lambda w: w[1] - w[0] >= MIN_WINDOW_TICKS
)


@given(rows=timelines, ticks=st.integers(-1, LENGTH + 1), data=st.data())
def test_steps_find_the_nearest_event(
    rows: list[Row], ticks: int, data: st.DataObject
) -> None:
    trace = trace_of(rows, LENGTH)
    some = st.lists(st.integers(0, len(rows) - 1), unique=True)
    chosen = data.draw(st.none() | some)
    array = None if chosen is None else np.array(chosen, np.int32)
    looked_at = range(len(rows)) if chosen is None else chosen
    events = [begin for row in looked_at for begin, _ in rows[row]]
    calls = [begin for row in looked_at for begin, state in rows[row] if state > 1]
    for times, following_one, preceding_one in (
        (events, next_event, previous_event),
        (calls, next_call, previous_call),
    ):
        later = [t for t in times if t > ticks]
        earlier = [t for t in times if t < ticks]
        assert following_one(trace, ticks, array) == (min(later) if later else None)
        assert preceding_one(trace, ticks, array) == (max(earlier) if earlier else None)


@given(window=windows, factor=st.floats(0.1, 10), share=st.floats(0, 1))
def test_zoom_keeps_the_time_in_its_place(
    window: Window, factor: float, share: float
) -> None:
    begin, end = window
    at = begin + share * (end - begin)
    new = zoomed(window, factor, at, BOUNDS)
    assert BOUNDS[0] <= new[0] < new[1] <= BOUNDS[1]
    assert new[1] - new[0] >= MIN_WINDOW_TICKS
    free = BOUNDS[0] < new[0] and new[1] < BOUNDS[1]
    if free:
        moved = (at - new[0]) / (new[1] - new[0]) - share
        assert abs(moved) * (new[1] - new[0]) <= 1


@given(window=windows, share=st.floats(-3, 3))
def test_pan_keeps_the_length(window: Window, share: float) -> None:
    new = panned(window, share, BOUNDS)
    assert new[1] - new[0] == window[1] - window[0]
    assert BOUNDS[0] <= new[0] < new[1] <= BOUNDS[1]
    if BOUNDS[0] < new[0] and new[1] < BOUNDS[1]:
        assert new[0] - window[0] == round(share * (window[1] - window[0]))


def test_windows_longer_than_the_run_become_the_run() -> None:
    assert within((-50, 20_000), BOUNDS) == BOUNDS
    assert zoomed(BOUNDS, 0.5, 5_000, BOUNDS) == BOUNDS


@given(window=windows, ticks=st.integers(0, 10_000))
def test_following_shows_the_time_and_moves_only_if_it_must(
    window: Window, ticks: int
) -> None:
    new = following(window, ticks, BOUNDS)
    assert new[0] <= ticks <= new[1]
    if window[0] <= ticks <= window[1]:
        assert new == window


def test_working_window_leaves_out_what_is_before_and_after() -> None:
    setup, compute, wait = TimeState.SETUP, TimeState.COMPUTE, TimeState.WAIT
    rows = [
        [(0, setup), (800, compute), (810, wait), (820, compute), (900, 0)],
        [(0, setup), (790, compute), (830, wait), (850, setup), (990, 0)],
    ]
    assert working_window(first_look(trace_of(rows, 1000))) == (809, 851)
    busy = [[(0, setup), (10, wait), (900, 0)]]
    assert working_window(first_look(trace_of(busy, 1000))) == (0, 1000)
    assert working_window(first_look(trace_of([[(0, compute)]], 1000))) == (0, 1000)
