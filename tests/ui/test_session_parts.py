"""Undoing changes of the view and playing, without a window."""

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from topoview.model import Geometry
from topoview.session import (
    Bookmark,
    Camera,
    Note,
    Picked,
    SceneOptions,
    SecondViewOptions,
    Selection,
    Session,
    TimelineOptions,
    view_of,
)
from topoview.ui.panels.options import MatrixOptions
from topoview.ui.playback import DEFAULT_SECONDS, Playback, playback_speed
from topoview.ui.shell import history as history_module
from topoview.ui.shell.history import History


@pytest.fixture
def history(session: Session, monkeypatch: pytest.MonkeyPatch) -> History:
    """Keep a history in which every change is a step."""
    monkeypatch.setattr(history_module, "STEP_PAUSE_SECONDS", -1.0)
    return History(session)


def test_undo_and_redo(session: Session, history: History) -> None:
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
    history = History(session)
    whole = session.state.window
    for i in range(1, 20):
        session.update(window=(i, whole[1] - i))
    history.undo()
    assert session.state.window == whole
    assert not history.can_undo


def test_playing_is_one_step(session: Session, history: History) -> None:
    begin = session.state.time
    session.update(playing=True)
    for ticks in (5, 6, 7):
        session.update(time=ticks, window=(ticks, 90))
    session.update(time=8, playing=False)
    session.update(time=20)
    history.undo()
    assert session.state.time == 8
    history.undo()
    assert (session.state.time, session.state.playing) == (begin, False)
    assert not history.can_undo


def test_every_part_of_the_view_is_undone(session: Session, history: History) -> None:
    """One change after the other, then all the way back and forth."""
    changes: list[dict[str, object]] = [
        {"time": 11},
        {"selection": Selection(ranks=(1, 2))},
        {"picked": Picked("message", 3)},
        {"scene": SceneOptions(layout="flat", colouring="wait")},
        {"scene": SceneOptions(geometry=Geometry(ranges=((0, 1, 2),)))},
        {"camera": Camera("above")},
        {"second": SecondViewOptions(layout="ranks")},
        {"timeline": TimelineOptions("rank")},
        {"window": (3, 90)},
        {"focus": frozenset({2})},
        {"scope": "window"},
        {"match": 1},
        {"time_zero": 5},
        {"notes": (Note(1, 5, "late"),)},
        {"bookmarks": (Bookmark("front", 5, (1, 9)),)},
        {"names": (("edge", (0, 1)),)},
        {"panels": {MatrixOptions: MatrixOptions("bytes")}},
    ]
    seen = [view_of(session.state)]
    for change in changes:
        session.update(**change)
        seen.append(view_of(session.state))
    for view in reversed(seen[:-1]):
        history.undo()
        assert view_of(session.state) == view
    assert not history.can_undo
    for view in seen[1:]:
        history.redo()
        assert view_of(session.state) == view
    assert not history.can_redo


def test_what_follows_from_a_change_is_undone_with_it(
    session: Session, history: History
) -> None:
    before = view_of(session.state)
    session.change("scene", layout="flat")
    session.adjust(camera=Camera("front"))
    history.undo()
    assert view_of(session.state) == before
    session.adjust(camera=Camera("left"))
    assert history.can_redo


def test_a_drag_is_one_step_however_long_it_rests(
    session: Session, history: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = [True]
    monkeypatch.setattr(history_module, "is_mouse_held", lambda: held[0])
    begin = session.state.time
    for ticks in range(1, 10):
        session.update(time=ticks)
    held[0] = False
    history.look_at_mouse()
    held[0] = True
    session.update(time=50)
    history.undo()
    assert session.state.time == 9
    history.undo()
    assert session.state.time == begin


def test_another_trace_begins_another_history(
    session: Session, history: History
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
