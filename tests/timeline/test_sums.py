"""Pixels made from sums, roughly, or kept are those made from all intervals."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytestqt.qtbot import QtBot
from timelines import Row, Window, timeline_of, timelines
from writer import write_trace

from topoview.analysis.overview import scan_timeline
from topoview.live.timeline import cached_raster as first_picture
from topoview.live.timeline.cached_raster import row_state_pixels, run_state_shares
from topoview.live.timeline.orders import order_by_rank
from topoview.live.timeline.raster import (
    RenderPlan,
    plan_render,
    raster_bands,
    state_shares,
)
from topoview.live.timeline.rows import place_rows
from topoview.model import Analysis, Timeline, TimeState, Trace
from topoview.pipeline import first_look
from topoview.session import Session
from topoview.ui.panels.timeline.view import TimelineView
from topoview.worker import read_in_process


def long_timeline(seed: int, counts: tuple[int, ...]) -> Timeline:
    rng = np.random.default_rng(seed)
    rows = []
    for count in counts:
        begins = np.append(0, np.cumsum(rng.integers(1, 90, count - 1)))
        codes = rng.integers(1, len(TimeState), count)
        codes[-1] = TimeState.OUTSIDE
        rows.append(list(zip(begins.tolist(), codes.tolist(), strict=True)))
    return timeline_of(rows)


@st.composite
def asked(draw: st.DrawFn) -> tuple[Timeline, int, Window, int]:
    counts = draw(st.lists(st.integers(1, 900), min_size=1, max_size=4))
    timeline = long_timeline(draw(st.integers(0, 99)), tuple(counts))
    last = int(timeline.time.max()) + 50
    begin = draw(st.integers(0, last - 1))
    end = draw(st.one_of(st.integers(begin + 1, last), st.just(2 * last)))
    every = draw(st.sampled_from([1, 2, 5, 16]))
    return timeline, every, (begin, end), draw(st.sampled_from([1, 3, 10, 41]))


@given(asked())
def test_sums_give_the_same_pixels(case: tuple[Timeline, int, Window, int]) -> None:
    timeline, every, window, width = case
    rows = np.arange(timeline.rows, dtype=np.int32)[::-1]
    for bounds in (np.arange(len(rows) + 1), np.array([0, len(rows)])):
        scanned = plan_render(timeline, None, rows, window, width)
        sums = scan_timeline(timeline, timeline.rows, every=every).sums
        summed = plan_render(timeline, sums, rows, window, width)
        np.testing.assert_array_equal(
            raster_bands(scanned, bounds), raster_bands(summed, bounds)
        )
        np.testing.assert_array_equal(state_shares(scanned), state_shares(summed))


@given(timelines, st.integers(1, 6))
def test_one_look_finds_what_each_interval_tells(rows: list[Row], ranks: int) -> None:
    ranks = min(ranks, len(rows))
    found = scan_timeline(timeline_of(rows), ranks, every=2)
    of_rows = [
        [(begin, after, code)
         for (begin, code), (after, _) in zip(row, row[1:] + row[-1:], strict=True)]
        for row in rows
    ]  # fmt: skip
    talks = [(begin, end) for row in of_rows for begin, end, code in row
             if TimeState.SEND <= code <= TimeState.ONE_SIDED]  # fmt: skip
    ends = (min(talks)[0], max(end for _, end in talks)) if talks else (-1, -1)
    assert found.communication == ends, "of all threads"
    states = {code for row in of_rows[:ranks] for *_, code in row}
    assert found.states == tuple(sorted(states)), "of the ranks' main threads"


def test_a_preview_is_off_by_what_lies_around_two_sums_at_most() -> None:
    timeline = long_timeline(3, (40_000, 30_000))
    sums = scan_timeline(timeline, 2, every=16).sums
    rows, width = np.arange(2, dtype=np.int32), 50
    window = (1000, int(timeline.time.max()) - 1000)
    plan = plan_render(timeline, sums, rows, window, width)
    preview = plan_render(timeline, sums, rows, window, width, rough=True)
    exact, rough = state_shares(plan), state_shares(preview)
    assert len(sums.offsets) == 1
    between = int(np.diff(sums.begin[sums.offsets[0, 0] : sums.offsets[0, 1]]).max())
    pixel = (window[1] - window[0]) / width
    assert np.abs(exact - rough).max() <= 2 * between / pixel
    assert preview.total * 4 < plan.total


def test_a_preview_has_fewer_columns_where_there_are_few_sums(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(first_picture, "MIN_COST_KEPT", 1)
    timeline = long_timeline(7, (90_000, 90_000))
    sums = scan_timeline(timeline, 2, every=512).sums
    rows, width = np.arange(2, dtype=np.int32), 600
    window = (0, int(timeline.time.max()))
    plan = plan_render(timeline, sums, rows, window, width)
    rough = first_picture.preview(plan)
    assert rough.rough
    assert first_picture.MIN_PREVIEW_COLUMNS <= rough.width < 176  # sums of a row
    assert rough.total * first_picture.MIN_PREVIEW_SPEEDUP <= plan.total
    shares = first_picture._stretched(state_shares(rough), width)
    assert shares.shape == (len(TimeState), width)
    np.testing.assert_allclose(shares.sum(axis=0), 1, atol=0.02)


def test_a_preview_shows_states_in_the_middle_of_pixels_where_sums_are_too_few(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(first_picture, "MIN_COST_KEPT", 1)
    monkeypatch.setattr(first_picture, "SAMPLES_OF_A_FRAME", 400)
    timeline = long_timeline(7, (9000, 9000))
    sums = scan_timeline(timeline, 2, every=4096).sums
    rows, window = np.arange(2, dtype=np.int32), (500, int(timeline.time.max()))
    plan = plan_render(timeline, sums, rows, window, 600)
    rough = first_picture.preview(plan)
    assert (rough.rough, rough.width) == (True, 200)
    length = window[1] - window[0]
    middles = [window[0] + (2 * x + 1) * length // 400 for x in range(200)]
    states = np.array([timeline.state[timeline.at(t)] for t in middles]).T
    np.testing.assert_array_equal(raster_bands(rough, np.arange(3)), states)
    share = state_shares(rough)
    for code in TimeState:
        np.testing.assert_array_equal(share[code], (states == code).mean(axis=0))
    short = plan_render(timeline, sums, rows, (500, 9000), 600)
    assert not first_picture.preview(short).rough, "exact pixels take no longer"


def test_levels_hold_ever_fewer_of_the_same_sums() -> None:
    timeline = long_timeline(5, (9000, 12, 7001))
    sums = scan_timeline(timeline, 3, every=4, few=10).sums
    assert len(sums.offsets) > 1
    finest = sums.offsets[0]
    known = {
        (row, int(sums.begin[k])): sums.ticks[k].tolist()
        for row in range(3)
        for k in range(finest[row], finest[row + 1])
    }
    for level in sums.offsets[1:]:
        for row in range(3):
            own = range(level[row], level[row + 1])
            assert all(
                known[row, int(sums.begin[k])] == sums.ticks[k].tolist() for k in own
            )
            if own:
                last = timeline.time[timeline.offsets[row + 1] - 1]
                assert sums.begin[own[0]] == 0
                assert sums.begin[own[-1]] == last


@pytest.fixture
def kept(
    simulated: Callable[..., Trace], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[[], Analysis]]:
    """Open a trace of the store, of which everything is worth keeping."""
    path = write_trace(simulated("torus", (4, 3)), tmp_path / "run")
    monkeypatch.setattr(first_picture, "MIN_COST_KEPT", 1)

    def opened() -> Analysis:
        return first_look(read_in_process(path))

    return opened


def test_the_first_picture_is_kept(
    kept: Callable[[], Analysis], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("it is made again")

    known = kept()
    trace = known.trace
    whole = (0, trace.clock.length)
    bands = place_rows(trace, order_by_rank(trace.ranks), 200, 1.0)
    codes, exact = row_state_pixels(known, bands, whole, 300)
    assert exact
    share, exact = run_state_shares(known, whole, 300)
    assert exact
    for name in ("raster_bands", "state_shares"):
        monkeypatch.setattr(first_picture, name, refuse)
    again = kept()
    assert again.trace is not trace
    found = row_state_pixels(again, bands, whole, 300, soon=True)
    np.testing.assert_array_equal(found.codes, codes)
    np.testing.assert_array_equal(run_state_shares(again, whole, 300).shares, share)
    for asked in (((0, 10), 300), (whole, 301)):
        with pytest.raises(AssertionError, match="again"):
            row_state_pixels(again, bands, *asked)


def test_exact_pixels_follow_a_preview(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, session: Session
) -> None:
    made: list[bool] = []

    def noted(plan: RenderPlan, *further: Any) -> object:  # noqa: ANN401
        made.append(plan.rough)
        return raster_bands(plan, *further)

    monkeypatch.setattr(first_picture, "raster_bands", noted)
    monkeypatch.setattr(first_picture, "MIN_COST_KEPT", 1)
    monkeypatch.setattr(first_picture, "MIN_PREVIEW_SPEEDUP", 0)
    known = session.state.analysis
    assert known is not None
    view = TimelineView(session)
    qtbot.addWidget(view)
    view.show()
    qtbot.waitUntil(lambda: view.settled and bool(made), timeout=20_000)
    made.clear()  # of a trace whose sums are not known
    again = replace(known.trace)  # another trace: all is asked anew
    session.update(
        analysis=replace(first_look(again), identification=known.identification)
    )
    qtbot.waitUntil(lambda: view.settled, timeout=20_000)
    assert made[0]
    assert not made[-1]
    assert view._rows[0] is not None
