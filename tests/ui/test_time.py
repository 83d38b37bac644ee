"""Playing in all its ways, steps, the clock: as a user does it, and by its numbers."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QInputDialog
from pytestqt.qtbot import QtBot

from topoview.live.picking.navigation import (
    calls_before,
    time_of_call,
    visited_regions,
    visits_of_region,
)
from topoview.live.picking.occurrences import iteration_times, neighbour, phase_times
from topoview.model import Analysis
from topoview.session import Selection, Session
from topoview.ui.playback import (
    CALL_RATE,
    WHOLE_IN_SECONDS,
    Playback,
    counted_rank,
    playback_range,
    playback_speed,
)
from topoview.ui.shell.tool_bar import clock_text, parse_clock, parse_speed, speed_text
from topoview.ui.shell.window import MainWindow
from topoview.ui.widgets.formats import parse_range, range_text


def test_speeds_are_read_as_they_are_written(session: Session) -> None:
    for rate, speed_unit in (
        (0.01, ""),
        (1.0, ""),
        (20.0, CALL_RATE),
        (30.0, WHOLE_IN_SECONDS),
    ):
        session.update(speed=rate, speed_unit=speed_unit)
        found = parse_speed(speed_text(session.state))
        assert found == (pytest.approx(rate), speed_unit)
    assert parse_speed("2 us / s") == (pytest.approx(2e-6), "")
    assert parse_speed("5 MPI calls a second") == (5.0, CALL_RATE)
    assert parse_speed("in 7 s") == (7.0, WHOLE_IN_SECONDS)
    for wrong in ("", "fast", "10", "-3 ms/s", "0 s/s", "10 m/s"):
        with pytest.raises(ValueError, match="no speed"):
            parse_speed(wrong)


@given(st.floats(-1e6, 1e6), st.floats(1e-3, 1e6))
def test_ranges_are_read_as_they_are_written(low: float, width: float) -> None:
    for unit in ("s", "%", "B", "", "Joule"):
        ends = parse_range(range_text(low, low + width, unit), unit)
        assert ends == pytest.approx((low, low + width), rel=1e-4, abs=1e-3 * width)


def test_ranges_have_units() -> None:
    assert parse_range("0 - 20 ms", "s") == (0, 0.02)
    assert parse_range("10..50 %", "%") == (0.1, 0.5)
    assert parse_range("1 KiB to 2 MiB", "B") == (1024, 2 * 1024**2)
    for wrong, unit in (("5", "s"), ("2 1", ""), ("1 - 2 kg", "s"), ("a - b", "")):
        with pytest.raises(ValueError, match=r"range|unit"):
            parse_range(wrong, unit)


def test_times_from_a_mark(session: Session) -> None:
    known = session.state.analysis
    assert known is not None
    clock = known.trace.clock
    session.update(time_zero=clock.ticks(0.001), time=clock.ticks(0.0015), unit="µs")
    text = clock_text(session.state, known)
    assert text.startswith("+500")
    assert parse_clock(text, session.state, known) == session.state.time
    assert parse_clock("-1 ms", session.state, known) == 0
    session.update(time_zero=None)
    assert parse_clock("+1 ms", session.state, known) == clock.ticks(0.0025)
    assert parse_clock("1 ms", session.state, known) == clock.ticks(0.001)


def test_positions_among_calls(torus: Analysis) -> None:
    trace = torus.trace
    enter = trace.calls.enter[trace.calls.offsets[3] : trace.calls.offsets[4]]
    for number in range(len(enter) - 1):
        assert time_of_call(trace, 3, float(number)) == enter[number]
    for ticks in np.linspace(0, enter[-2], 50).astype(int).tolist():
        back = time_of_call(trace, 3, calls_before(trace, 3, ticks))
        assert abs(back - ticks) <= 1


def test_playing_counts_calls(session: Session, qtbot: QtBot) -> None:
    playback = Playback(session)
    known = session.state.analysis
    assert known is not None
    length = known.trace.clock.length
    session.select(ranks=(4,))
    session.update(speed=40.0, speed_unit=CALL_RATE, time=0, window=(0, length))
    assert counted_rank(session.state) == 4
    begun = calls_before(known.trace, 4, 0)
    playback.toggle()
    qtbot.wait(400)
    session.update(playing=False)
    made = calls_before(known.trace, 4, session.state.time) - begun
    assert 4 < made < 40


def test_all_of_it_in_some_seconds(session: Session) -> None:
    known = session.state.analysis
    assert known is not None
    length = known.trace.clock.length
    session.update(speed=4.0, speed_unit=WHOLE_IN_SECONDS, bounds=(0, length // 2))
    assert playback_range(session.state) == (0, length // 2)
    expected = known.trace.clock.seconds(length // 2) / 4
    assert playback_speed(session.state) == pytest.approx(expected)


def test_a_range_is_played_again_and_again(session: Session, qtbot: QtBot) -> None:
    playback = Playback(session)
    length = session.state.window[1]
    bounds = (length // 4, length // 4 + length // 100)
    session.update(
        bounds=bounds, repeat=True, time=0, speed=0.2, speed_unit=WHOLE_IN_SECONDS
    )
    seen: list[int] = []
    session.subscribe(lambda _, new: seen.append(new.time))
    playback.toggle()
    qtbot.waitUntil(lambda: sum(np.diff(seen) < 0) >= 2, timeout=5000)
    session.update(playing=False)
    assert all(bounds[0] <= time < bounds[1] for time in seen[1:])


def test_the_timeline_moves_under_the_cursor(session: Session, qtbot: QtBot) -> None:
    playback = Playback(session)
    length = session.state.window[1]
    session.update(
        window=(length // 4, length // 2), time=length // 3, fixed_cursor=True
    )
    session.update(speed=1.0, speed_unit=WHOLE_IN_SECONDS)
    playback.toggle()
    qtbot.waitUntil(lambda: session.state.time > 0.6 * length, timeout=5000)
    session.update(playing=False)
    begin, end = session.state.window
    assert end - begin == length // 2 - length // 4
    share = (session.state.time - begin) / (end - begin)
    assert share == pytest.approx((length // 3 - length // 4) / (end - begin), abs=0.02)


def test_visits_of_a_region(torus: Analysis) -> None:
    trace = torus.trace
    assert torus.overview is not None
    line = trace.timeline
    last = line.offsets[trace.ranks]
    for region in np.unique(line.region[:last]).tolist():
        if region < 0:
            continue
        at = np.flatnonzero(line.region[:last] == region)
        found = torus.overview.visits[region]
        assert found[0] == line.time[at].min()
        assert found[1] == min(line.time[at + 1].max(), trace.clock.length)


def test_the_visits_of_a_region_are_played(
    loaded: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = loaded.session.state.analysis
    assert known is not None
    offered: list[list[str]] = []

    def choose(*args: object) -> tuple[str, bool]:
        names = args[-1]
        assert isinstance(names, list)
        offered.append(names)
        return names[0], True

    monkeypatch.setattr(QInputDialog, "getItem", choose)
    for times in (1, 2):
        loaded.session.update(bounds=None)
        loaded.actions_shown.qt["play-region"].trigger()
        qtbot.waitUntil(lambda times=times: len(offered) == times)
        wanted = visits_of_region(known, offered[0][0])
        qtbot.waitUntil(lambda w=wanted: loaded.session.state.bounds == w)


def test_the_slowest_iteration_is_shown(loaded: MainWindow) -> None:
    """Held against the times at which every rank begins an iteration."""
    known = loaded.session.state.analysis
    assert known is not None
    assert known.measured is not None
    assert known.positions is not None
    loop = known.positions.main_loop
    loaded.actions_shown.qt["slowest-iteration"].trigger()
    state, loops = loaded.session.state, known.measured.loops
    (rank,) = state.selection.ranks
    assert rank == loops.slowest_rank[loop]
    times = iteration_times(known, rank)
    turn = int(np.searchsorted(times, state.time, side="right")) - 1
    # begins are those of its first call
    assert loops.slowest[loop] - 1 in (turn, turn + 1)
    assert loops.end[loop] - loops.begin[loop] == loops.most[loop]
    assert state.window[0] <= loops.begin[loop] < loops.end[loop] <= state.window[1]
    said = loaded.statusBar().currentMessage()
    assert f"Iteration {loops.slowest[loop]} of rank {rank} took" in said


def test_steps_of_iterations(loaded: MainWindow) -> None:
    known = loaded.session.state.analysis
    assert known is not None
    times = iteration_times(known, 0)
    assert len(times) >= 2
    loaded.session.update(time=0, selection=Selection(ranks=(0,)))
    for expected in times[:2].tolist():
        loaded.actions_shown.qt["next-iteration"].trigger()
        assert loaded.session.state.time == expected
    loaded.actions_shown.qt["previous-iteration"].trigger()
    assert loaded.session.state.time == times[0]
    assert neighbour(times, int(times[-1]), 1) is None
    assert neighbour(times, int(times[0]), -1) is None


def test_the_mark_and_the_unit_by_keys(loaded: MainWindow, qtbot: QtBot) -> None:
    del qtbot
    session = loaded.session
    QTest.keyClick(loaded, Qt.Key.Key_M)
    assert session.state.time_zero == session.state.time
    session.update(time=session.state.time + 1000)
    assert loaded.tool_bar.time_box.text().startswith("+")
    session.update(time=session.state.time_zero)
    QTest.keyClick(loaded, Qt.Key.Key_M)
    assert session.state.time_zero is None
    loaded.actions_shown.qt["unit-s"].trigger()
    assert loaded.tool_bar.time_box.text().endswith(" s")


def test_the_speed_box(loaded: MainWindow) -> None:
    box = loaded.tool_bar.speed_box
    assert box.text().endswith("/s")
    loaded.actions_shown.qt["speed-other"].trigger()
    box.setText("12 calls/s")
    QTest.keyClick(box, Qt.Key.Key_Return)
    state = loaded.session.state
    assert (state.speed, state.speed_unit) == (12.0, CALL_RATE)
    assert box.text() == "12 calls/s"
    box.setText("very fast")
    QTest.keyClick(box, Qt.Key.Key_Return)
    assert loaded.session.state.speed == 12.0


def test_ranks_light_in_order(loaded: MainWindow, qtbot: QtBot) -> None:
    seen: list[int] = []
    loaded.session.subscribe(lambda _, new: seen.append(new.highlighted))
    loaded.actions_shown.qt["animate-ranks"].trigger()
    qtbot.waitUntil(lambda: bool(seen) and seen[-1] == -1, timeout=8000)
    highlighted = [count for count in seen if count >= 0]
    assert highlighted == sorted(highlighted)
    assert highlighted[-1] == 12


def test_phases_of_a_real_trace(
    load: Callable[[Path], MainWindow],
    real_path: Callable[[str], Path],
    qtbot: QtBot,
) -> None:
    window = load(real_path("sp-twophase-6x6-user-metrics"))
    known = window.session.state.analysis
    assert known is not None
    times = phase_times(known)
    assert len(times) == 8
    window.session.update(time=0)
    window.actions_shown.qt["next-phase"].trigger()
    assert window.session.state.time == times[0]
    window.session.change("scene", colouring="phase")
    scene = window.workspace.scene  # type: ignore[union-attr]
    qtbot.waitUntil(lambda: scene.values is not None)
    assert scene.values.names[0].startswith("1")


def test_all_times_count_from_the_mark(loaded: MainWindow, qtbot: QtBot) -> None:
    """In the card of a rank, the list of events and the box."""
    from topoview.ui.panels.scene.overlay.card_lines import rank_lines

    assert loaded.workspace is not None
    scene = loaded.workspace.scene
    qtbot.waitUntil(lambda: scene._shown is not None, timeout=60_000)
    state = loaded.session.state
    known = state.analysis
    assert known is not None
    assert scene.content is not None
    loaded.session.update(time_zero=state.time + 100)
    state = loaded.session.state
    lines = rank_lines(state, scene.content, scene._shown, 3)
    assert any(", since \u2212" in line for line in lines)
    assert clock_text(state, known).startswith("\u2212")
    loaded.workspace.open_panel("events", shown=True)
    events = loaded.workspace.panel("events")
    qtbot.waitUntil(lambda: events.model.rowCount() > 0, timeout=60_000)
    assert events.model.text(0, "begin").startswith("\u2212")
    last = events.model.rowCount() - 1
    assert events.model.text(last, "begin").startswith("+")


def test_regions_that_are_offered_are_visited(torus: Analysis) -> None:
    """Tracers define hundreds of operations; the program's own regions come first."""
    trace = torus.trace
    assert torus.overview is not None
    names = visited_regions(torus)
    assert len(set(names)) == len(names)
    regions = trace.regions
    for name in names:
        meant = [n for n in range(len(regions.names)) if regions.title(n) == name]
        found = torus.overview.visits[meant]
        some = found[found[:, 0] >= 0]
        assert visits_of_region(torus, name) == (some[:, 0].min(), some[:, 1].max())
    assert visits_of_region(torus, "no such region") is None
    own = [n for n in names if n not in set(regions.operations)]
    assert names[: len(own)] == own
