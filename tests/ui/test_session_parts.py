"""Undoing zooms and playing, without a window."""

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from topoview.session import Session
from topoview.ui.playback import DEFAULT_SECONDS, Playback, playback_speed
from topoview.ui.shell import history as history_module
from topoview.ui.shell.history import ZoomHistory


@pytest.fixture
def history(session: Session, monkeypatch: pytest.MonkeyPatch) -> ZoomHistory:
    """Keep a history in which every change is a step."""
    monkeypatch.setattr(history_module, "STEP_PAUSE_SECONDS", -1.0)
    return ZoomHistory(session)


def test_undo_and_redo(session: Session, history: ZoomHistory) -> None:
    whole = session.state.window
    session.update(window=(10, 50))
    session.update(window=(20, 30))
    history.undo()
    assert session.state.window == (10, 50)
    history.undo()
    assert session.state.window == whole
    assert not history.can_undo
    history.redo()
    assert session.state.window == (10, 50)
    session.update(window=(1, 2))
    assert not history.can_redo


def test_a_turning_wheel_is_one_step(session: Session) -> None:
    history = ZoomHistory(session)
    whole = session.state.window
    for i in range(1, 20):
        session.update(window=(i, whole[1] - i))
    history.undo()
    assert session.state.window == whole
    assert not history.can_undo


def test_playing_is_no_step(session: Session, history: ZoomHistory) -> None:
    session.update(playing=True)
    session.update(window=(5, 6))
    assert not history.can_undo


def test_another_trace_begins_another_history(
    session: Session, history: ZoomHistory
) -> None:
    session.update(window=(10, 50))
    session.update(analysis=None)
    assert not history.can_undo


def test_playing_moves_the_cursor_and_stops_at_the_end(
    session: Session, qtbot: QtBot
) -> None:
    playback = Playback(session)
    times: list[int] = []
    session.update(speed=session.state.window[1] / 1e9 * 20, time=0)
    session.subscribe(lambda _, new: times.append(new.time))
    playback.toggle()
    qtbot.waitUntil(lambda: not session.state.playing, timeout=20_000)
    assert session.state.time == session.state.window[1]
    assert times == sorted(times)
    playback.toggle()
    assert session.state.time < session.state.window[1]
    playback.toggle()
    assert not session.state.playing


def test_playing_repeats_the_window(session: Session, qtbot: QtBot) -> None:
    playback = Playback(session)
    begins: list[int] = []
    window = (1000, session.state.window[1] // 2)
    session.update(window=window, time=window[0], repeat=True)
    session.update(speed=(window[1] - window[0]) / 1e9 * 20)
    session.subscribe(lambda _, new: begins.append(new.time))
    playback.toggle()
    qtbot.waitUntil(lambda: begins.count(window[0]) >= 2, timeout=20_000)
    playback.toggle()
    assert all(window[0] <= time < window[1] for time in begins)


def test_playing_skips_what_nothing_happens_in(session: Session, qtbot: QtBot) -> None:
    """At a speed at which the whole run would take minutes."""
    playback = Playback(session)
    trace = session.state.analysis.trace
    line = trace.timeline
    events = np.unique(line.time)
    gaps = np.diff(events)
    widest = int(gaps.argmax())
    begin, end = int(events[widest]), int(events[widest + 1])
    rate = gaps.max() / trace.clock.resolution / 60  # a minute for this gap
    session.update(time=begin + 1, window=(begin, end + 10), speed=rate, skip=True)
    times: list[int] = []
    session.subscribe(lambda _, new: times.append(new.time))
    playback.toggle()
    qtbot.waitUntil(lambda: len(times) > 3, timeout=20_000)
    playback.toggle()
    assert end - times[2] < 0.02 * (end - begin), "just before the next event"
    assert times[2] <= end


def test_the_window_takes_ten_seconds_by_default(session: Session) -> None:
    seconds = session.state.window[1] / session.state.analysis.trace.clock.resolution
    assert playback_speed(session.state) == pytest.approx(seconds / DEFAULT_SECONDS)
