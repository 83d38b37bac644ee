"""Every pixel of the raster, against integration of the intervals by hand."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from timelines import LENGTH, STATES, Row, Window, timeline_of, timelines

from topoview.live.timeline import raster as raster_module
from topoview.live.timeline.raster import (
    UNMARKED,
    mark_pixels,
    plan_render,
    raster,
    raster_bands,
    state_shares,
)
from topoview.model import WAITING_STATES, TimeState
from topoview.scene.flat.timeline_pixels import (
    overview_pixels,
    packed_colour,
    strip_pixels,
    waiting_share,
)
from topoview.scene.palette import THEMES

windows = st.tuples(st.integers(0, LENGTH), st.integers(0, LENGTH)).filter(
    lambda w: w[0] < w[1]
)


def time_in_pixel(
    row: Row, begin: int, end: int, width: int, column: int
) -> list[Fraction]:
    """Time that a row is in each state within a pixel."""
    left = begin + Fraction((end - begin) * column, width)
    right = begin + Fraction((end - begin) * (column + 1), width)
    weights = [Fraction(0)] * STATES
    ends = [since for since, _ in row[1:]] + [10 * LENGTH]
    for (since, state), until in zip(row, ends, strict=True):
        weights[state] += max(Fraction(0), min(until, right) - max(since, left))
    return weights


def dominant(weights: list[Fraction]) -> int:
    return max(range(STATES), key=lambda state: (weights[state], state))


@given(rows=timelines, window=windows, width=st.integers(1, 40), data=st.data())
def test_pixels_show_the_state_of_most_of_their_time(
    rows: list[Row], window: Window, width: int, data: st.DataObject
) -> None:
    order = data.draw(st.permutations(range(len(rows))))
    found = raster(timeline_of(rows), np.array(order, np.int32), *window, width)
    assert found.shape == (len(rows), width)
    for line, row in enumerate(order):
        for column in range(width):
            weights = time_in_pixel(rows[row], *window, width, column)
            assert found[line, column] == dominant(weights)


@given(rows=timelines, window=windows, width=st.integers(1, 20), data=st.data())
def test_bands_show_the_majority_of_their_rows(
    rows: list[Row], window: Window, width: int, data: st.DataObject
) -> None:
    cuts = data.draw(st.sets(st.integers(1, max(1, len(rows) - 1))))
    bounds = sorted({0, len(rows), *(c for c in cuts if c < len(rows))})
    everything = np.arange(len(rows), dtype=np.int32)
    plan = plan_render(timeline_of(rows), None, everything, window, width)
    found = raster_bands(plan, np.array(bounds))
    for band, (first, last) in enumerate(pairwise(bounds)):
        for column in range(width):
            parts = [
                time_in_pixel(row, *window, width, column) for row in rows[first:last]
            ]
            weights = [
                sum(of_state, Fraction(0)) for of_state in zip(*parts, strict=True)
            ]
            assert found[band, column] == dominant(weights)


@given(rows=timelines, window=windows, width=st.integers(1, 20))
def test_shares_are_fractions_of_time_and_sum_to_one(
    rows: list[Row], window: Window, width: int
) -> None:
    everything = np.arange(len(rows), dtype=np.int32)
    found = state_shares(
        plan_render(timeline_of(rows), None, everything, window, width)
    )
    assert found.shape == (STATES, width)
    np.testing.assert_allclose(found.sum(axis=0), 1)
    pixel = Fraction(window[1] - window[0], width) * len(rows)
    for column in range(width):
        parts = [time_in_pixel(row, *window, width, column) for row in rows]
        for state in range(STATES):
            expected = sum((part[state] for part in parts), Fraction(0)) / pixel
            assert abs(found[state, column] - float(expected)) < 1e-12


def test_no_rows_have_no_shares() -> None:
    rows = np.zeros(0, np.int32)
    found = state_shares(plan_render(timeline_of([[(0, 1)]]), None, rows, (0, 10), 4))
    assert found.sum() == 0


spans = st.lists(
    st.lists(st.integers(0, LENGTH), unique=True, max_size=10).map(
        lambda cuts: list(zip(sorted(cuts)[::2], sorted(cuts)[1::2], strict=False))
    ),
    min_size=1,
    max_size=4,
)


@given(rows=spans, window=windows, width=st.integers(1, 30))
def test_marks_are_where_spans_touch_pixels(
    rows: list[list[tuple[int, int]]], window: Window, width: int
) -> None:
    offsets = np.cumsum([0, *map(len, rows)])
    flat = np.array([span for row in rows for span in row], np.int64).reshape(-1, 2)
    everything = np.arange(len(rows), dtype=np.int32)
    bounds = np.arange(len(rows) + 1)
    begin, end = window
    found = mark_pixels(
        offsets,
        flat[:, 0].copy(),
        flat[:, 1].copy(),
        np.zeros(len(flat), np.uint8),
        everything,
        bounds,
        *window,
        width,
    )
    for row, own in enumerate(rows):
        for column in range(width):
            left = begin + Fraction((end - begin) * column, width)
            right = begin + Fraction((end - begin) * (column + 1), width)
            touched = any(enter < right and leave > left for enter, leave in own)
            assert (found[row, column] != UNMARKED) == touched


def test_the_result_is_the_same_in_several_threads(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rng = np.random.default_rng(0)
    rows = [
        list(zip(range(200), rng.integers(0, STATES, 200).tolist(), strict=True))
        for _ in range(50)
    ]
    timeline, everything = timeline_of(rows), np.arange(50, dtype=np.int32)
    whole = raster(timeline, everything, 0, 200, 70)
    monkeypatch.setattr(raster_module, "_CHUNK_COST", 1000)
    np.testing.assert_array_equal(raster(timeline, everything, 0, 200, 70), whole)


def test_cancelled_raster_stops() -> None:
    timeline, one = timeline_of([[(0, 4)]]), np.zeros(1, np.int32)
    plan = plan_render(timeline, None, one, (0, 10), 5)
    found = raster_bands(plan, np.array([0, 1]), go_on=lambda: False)
    assert not found.any()


@settings(max_examples=20)
@given(st.integers(10**12, 10**13), st.integers(1, 4000))
def test_long_traces_of_fine_clocks_do_not_overflow(length: int, width: int) -> None:
    rows = [[(0, 1), (length // 2, 4), (length - 1, 0)]]
    found = raster(timeline_of(rows), np.zeros(1, np.int32), 0, length, width)
    assert set(found[0, : width // 2].tolist()) <= {1}
    assert set(found[0, width // 2 + 1 :].tolist()) <= {4}


def test_the_overview_shows_how_many_ranks_wait() -> None:
    """Bars below the states, the greatest as high as the track; none without waits."""
    share = np.zeros((len(TimeState), 4))
    share[TimeState.COMPUTE] = 1 - np.array([0, 0.1, 0.2, 0.4])
    share[TimeState.LATE_SENDER] = [0, 0.05, 0.2, 0.1]
    share[TimeState.WAIT_AT_BARRIER] = [0, 0.05, 0, 0.3]
    theme = THEMES["light"]
    lower = overview_pixels(share, 50, theme)[-18:]
    waits = lower == packed_colour(theme.state_colour(TimeState.WAIT))
    assert waits.sum(axis=0) == pytest.approx([0, 4.5, 9, 18], abs=0.5)
    assert waiting_share(share).max() == pytest.approx(0.4)
    share[list(WAITING_STATES)] = 0
    plain = overview_pixels(share, 50, theme)
    assert (plain == strip_pixels(share, 50, theme)).all()


@pytest.mark.parametrize("bits", [30, 52, 55])
def test_hostile_times_are_drawn_as_others(bits: int) -> None:
    """Times up to 2^62, as in damaged traces, once ended the window."""
    rows = [[(0, 1), (17, 4), (60, 2), (99, 0)], [(0, 3), (50, 4), (100, 0)]]
    far = [[(time << bits, state) for time, state in row] for row in rows]
    both, bounds = np.arange(2, dtype=np.int32), np.arange(3)
    for begin, end, width in ((0, 100, 40), (10, 90, 1000)):
        near = timeline_of(rows)
        one = plan_render(near, None, both, (begin, end), width)
        other = plan_render(
            timeline_of(far), None, both, (begin << bits, end << bits), width
        )
        assert np.array_equal(raster_bands(one, bounds), raster_bands(other, bounds))
        assert np.allclose(state_shares(one), state_shares(other))
        marks = [
            mark_pixels(
                np.array([0, 1, 2]),
                np.array([20, 30]) << shift,
                np.array([25, 80]) << shift,
                np.array([5, 6], np.uint8),
                both,
                bounds,
                begin << shift,
                end << shift,
                width,
            )
            for shift in (0, bits)
        ]
        assert np.array_equal(*marks)
