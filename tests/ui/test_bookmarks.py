"""Undo, sessions, bookmarks and notes with a real window."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QInputDialog, QMessageBox
from pytestqt.qtbot import QtBot

from topoview.model import Trace
from topoview.session import Bookmark, Camera, Note, Picked, Selection, view_of
from topoview.ui.actions.bookmarks import add_note, apply_session, write_session
from topoview.ui.panels.lists.bookmarks import BookmarksPanel
from topoview.ui.panels.scene.overlay.annotations import annotate
from topoview.ui.panels.timeline.marks import note_words, notes_in_window
from topoview.ui.panels.timeline.view import TimelineView
from topoview.ui.session_file import kept_path
from topoview.ui.shell.history import STEP_PAUSE_SECONDS
from topoview.ui.shell.window import MainWindow

LEFT, NONE = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
CONTROL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def window(window_anew: MainWindow) -> MainWindow:
    """Load traces into a window that keeps their views."""
    return window_anew


def idle(window: MainWindow, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: not window.workspace.scene.busy, timeout=20_000)


def pause(window: MainWindow) -> None:
    """Let what comes be another step, as if nothing had been done for a while."""
    QApplication.processEvents()
    window.context.history._changed -= STEP_PAUSE_SECONDS


def test_keys_undo_cursor_selection_layout_colour_and_camera(
    loaded: MainWindow, qtbot: QtBot
) -> None:
    """What the hand does, one after the other, and all the way back."""
    idle(loaded, qtbot)
    session, seen = loaded.session, [view_of(loaded.session.state)]

    def press(key: Qt.Key, modifiers: Qt.KeyboardModifier = NONE) -> None:
        qtbot.keyClick(loaded, key, modifiers)
        idle(loaded, qtbot)
        pause(loaded)
        if view_of(session.state) != seen[-1]:
            seen.append(view_of(session.state))

    press(Qt.Key.Key_Period)  # the next event
    press(Qt.Key.Key_A, CONTROL)
    press(Qt.Key.Key_Escape)
    press(Qt.Key.Key_C)  # colours
    press(Qt.Key.Key_3, Qt.KeyboardModifier.AltModifier)  # camera
    press(Qt.Key.Key_L)  # layout, with which the camera goes
    press(Qt.Key.Key_W)  # zoom
    press(Qt.Key.Key_E)
    assert len(seen) == 9
    layout = loaded.workspace.scene.layout_name
    for view in reversed(seen[:-1]):
        qtbot.keyClick(loaded, Qt.Key.Key_Z, CONTROL)
        idle(loaded, qtbot)
        assert view_of(session.state) == view
    assert not loaded.actions_shown.qt["undo"].isEnabled()
    assert loaded.workspace.scene.layout_name != layout
    for view in seen[1:]:
        qtbot.keyClick(loaded, Qt.Key.Key_Z, CONTROL | SHIFT)
        idle(loaded, qtbot)
        assert view_of(session.state) == view
    assert loaded.workspace.scene.layout_name == layout


def test_a_closed_panel_is_undone(loaded_anew: MainWindow, qtbot: QtBot) -> None:
    """Close two panels by their buttons, open another, and go back."""
    idle(loaded_anew, qtbot)
    workspace = loaded_anew.workspace

    def opened(name: str) -> bool:
        return not workspace._docks[name].isHidden()

    undo, redo = (loaded_anew.actions_shown.qt[name] for name in ("undo", "redo"))
    assert not undo.isEnabled()
    for name in ("timeline", "logical"):
        workspace.panel(name)
        close = workspace._docks[name].titleBarWidget().close_asked
        close.emit()
        assert not opened(name)
        pause(loaded_anew)
    workspace.open_panel("bookmarks", shown=True)
    for name, shown in (("bookmarks", False), ("logical", True), ("timeline", True)):
        assert undo.isEnabled()
        undo.trigger()
        assert opened(name) == shown
    assert not undo.isEnabled()
    redo.trigger()
    redo.trigger()
    assert (opened("timeline"), opened("logical"), opened("bookmarks")) == (False,) * 3


def test_a_drag_of_the_cursor_is_one_step(loaded: MainWindow, qtbot: QtBot) -> None:
    view = loaded.workspace.panel("timeline")
    assert isinstance(view, TimelineView)
    before, handle = loaded.session.state.time, loaded.windowHandle()

    def at(x: int) -> QPoint:
        return view.mapTo(loaded, QPoint(int(view.frame.rows.left()) + x, 10))

    # through the window, so that Qt knows which buttons are held
    QTest.mousePress(handle, LEFT, NONE, at(20))
    for x in range(40, 200, 20):
        QTest.mouseMove(handle, at(x))
        qtbot.wait(20)
    pause(loaded)
    QTest.mouseMove(handle, at(300))
    QTest.mouseRelease(handle, LEFT, NONE, at(300))
    qtbot.wait(100)
    scrubbed = loaded.session.state.time
    assert scrubbed == pytest.approx(view.frame.ticks(at(300).x()), rel=0.01)
    QTest.mouseClick(handle, LEFT, NONE, at(100))
    loaded.actions_shown.qt["undo"].trigger()
    assert loaded.session.state.time == scrubbed
    loaded.actions_shown.qt["undo"].trigger()
    assert loaded.session.state.time == before


def change_much(window: MainWindow, qtbot: QtBot) -> dict[str, object]:
    session = window.session
    length = session.state.analysis.trace.clock.length
    session.show_layout("flat")
    idle(window, qtbot)
    session.change("scene", colouring="wait")
    pose = window.workspace.scene.scene.pose
    session.update(
        time=length // 3,
        window=(length // 4, length // 2),
        time_zero=length // 4,
        camera=Camera("", pose, whole=False, turned=True, parallel=pose.parallel),
        notes=(Note(3, length // 3, "late here"),),
        bookmarks=(Bookmark("front", length // 3, (0, length)),),
        names=(("corner", (0, 1)),),
    )
    session.select(ranks=(3,))
    idle(window, qtbot)
    return view_of(session.state)


def test_a_trace_is_found_as_it_was_left(
    load: Callable[[Path], MainWindow],
    no_reading: Trace,
    tmp_path: Path,
    qtbot: QtBot,
) -> None:
    path = tmp_path / "torus.otf2"
    window = load(path)
    idle(window, qtbot)
    left = change_much(window, qtbot)
    window.actions_shown.qt["close"].trigger()
    assert kept_path(no_reading).is_file()
    window = load(path)
    idle(window, qtbot)
    assert view_of(window.session.state) == left
    assert window.workspace.scene.layout_name == "flat"
    window.actions_shown.qt["undo"].trigger()
    idle(window, qtbot)
    again = view_of(window.session.state)
    assert again["window"] != left["window"]
    assert again["scene"].layout == ""


def test_a_view_that_nobody_changed_is_not_kept(
    loaded_anew: MainWindow, no_reading: Trace, qtbot: QtBot
) -> None:
    idle(loaded_anew, qtbot)
    loaded_anew.actions_shown.qt["close"].trigger()
    assert not kept_path(no_reading).exists()


def test_a_damaged_kept_session_is_told_and_left(
    load: Callable[[Path], MainWindow], no_reading: Trace, tmp_path: Path, qtbot: QtBot
) -> None:
    kept = kept_path(no_reading)
    kept.parent.mkdir(parents=True)
    kept.write_text("{")
    window = load(tmp_path / "torus.otf2")
    shown = window.statusBar().currentMessage
    qtbot.waitUntil(lambda: "is no session" in shown(), timeout=5000)


def test_a_session_goes_to_a_colleague(
    loaded: MainWindow,
    qtbot: QtBot,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    idle(loaded, qtbot)
    fresh = view_of(loaded.session.state)
    left = change_much(loaded, qtbot)
    file = tmp_path / "for-you.session.json"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(file), ""))
    loaded.actions_shown.qt["save-session"].trigger()
    assert file.stat().st_size < 3000
    pause(loaded)
    loaded.session.update(**fresh)
    idle(loaded, qtbot)
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(file), ""))
    loaded.actions_shown.qt["open-session"].trigger()
    idle(loaded, qtbot)
    assert view_of(loaded.session.state) == left


def test_a_file_that_is_none_is_refused_in_a_sentence(
    loaded: MainWindow, tmp_path: Path
) -> None:
    before = view_of(loaded.session.state)
    file = tmp_path / "letter.json"
    file.write_text('{"format": "letter"}')
    apply_session(file, loaded.context)
    (box,) = loaded.findChildren(QMessageBox)
    assert "letter.json is no session" in box.informativeText()
    assert view_of(loaded.session.state) == before
    box.close()
    write_session(tmp_path / "letter.json" / "x.json", loaded.context)
    boxes = [b for b in loaded.findChildren(QMessageBox) if b.isVisible()]
    assert "cannot be written" in boxes[0].informativeText()
    boxes[0].close()


def test_bookmarks(
    loaded: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = loaded.session
    length = session.state.analysis.trace.clock.length
    names = iter(["front", "end"])
    monkeypatch.setattr(QInputDialog, "getText", lambda *_, **__: (next(names), True))
    session.update(time=length // 4, window=(0, length // 2))
    session.select(ranks=(2, 5))
    qtbot.keyClick(loaded, Qt.Key.Key_B, CONTROL)
    session.update(time=length // 2, window=(length // 3, length))
    session.select(edge=(0, 1))
    qtbot.keyClick(loaded, Qt.Key.Key_B, CONTROL)
    first, second = session.state.bookmarks
    assert (first.name, first.time) == ("front", length // 4)
    assert second.picked == Picked("pair", 0, 1)
    session.update(time=0, window=(0, length), selection=Selection())
    qtbot.keyClick(loaded, Qt.Key.Key_B)
    assert session.state.time == first.time
    assert session.state.window == first.window
    assert session.state.selection == first.selection
    qtbot.keyClick(loaded, Qt.Key.Key_B)
    assert session.state.selection.edge == (0, 1)
    qtbot.keyClick(loaded, Qt.Key.Key_B, SHIFT)
    assert session.state.time == first.time
    menu = loaded.menus["Bookmarks"]
    for _ in range(2):
        menu.aboutToShow.emit()
    texts = [entry.text() for entry in menu.actions()]
    assert texts[-2:] == ["front", "end"]
    assert texts.count("front") == 1
    menu.actions()[-1].trigger()
    assert session.state.time == second.time


def test_the_list_of_bookmarks_and_notes(
    loaded: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = loaded.session
    length = session.state.analysis.trace.clock.length
    session.update(
        bookmarks=(Bookmark("late", length // 2, (0, length), Selection((1,))),),
        notes=(Note(4, length // 3, "begins here"),),
    )
    loaded.actions_shown.qt["panel-bookmarks"].trigger()
    panel = loaded.workspace.panel("bookmarks")
    assert isinstance(panel, BookmarksPanel)
    model = panel.model
    told = [[model.text(row, name) for name in ("name", "about")] for row in (0, 1)]
    assert told == [["begins here", "note, rank 4"], ["late", "rank 1"]]
    panel.view.clicked.emit(model.index(0, 0))
    assert session.state.time == length // 3
    assert session.state.selection == Selection((4,))
    panel.view.setCurrentIndex(model.index(1, 0))
    monkeypatch.setattr(QInputDialog, "getText", lambda *_, **__: ("very late", True))
    panel.edit()
    assert session.state.bookmarks[0].name == "very late"
    panel.view.setCurrentIndex(model.index(0, 0))
    monkeypatch.setattr(
        QInputDialog, "getMultiLineText", lambda *_, **__: ("ends here", True)
    )
    panel.edit()
    assert session.state.notes == (Note(4, length // 3, "ends here"),)
    for _ in range(2):
        panel.view.setCurrentIndex(model.index(0, 0))
        panel.remove()
    assert session.state.notes == session.state.bookmarks == ()


def test_notes_are_pinned_to_a_rank_and_a_time(
    loaded: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    idle(loaded, qtbot)
    session, said = loaded.session, "waits for rank 7\nsince the start"
    length = session.state.analysis.trace.clock.length
    session.select()
    add_note(loaded.context)
    assert session.state.notes == (), "no rank is selected"
    monkeypatch.setattr(QInputDialog, "getMultiLineText", lambda *_, **__: (said, True))
    session.update(time=length // 3, window=(0, length))
    session.select(ranks=(6,))
    qtbot.keyClick(loaded, Qt.Key.Key_N, CONTROL)
    assert session.state.notes == (Note(6, length // 3, said),)
    view = loaded.workspace.panel("timeline")
    assert isinstance(view, TimelineView)
    ((place, _),) = notes_in_window(session.state.notes, view.frame, view.bands)
    rank = int(view.bands.rank[view.bands.row_at(view.frame.line(place.y()))])
    assert rank == 6
    assert view.frame.ticks(place.x()) == pytest.approx(length // 3, abs=length / 500)
    words = note_words(session.state, view.frame, view.bands, place)
    assert "waits for rank 7<br>since the start" in words
    far = place + QPointF(40, 0)
    assert note_words(session.state, view.frame, view.bands, far) == ""
    session.update(time=0)  # the cursor's line would be over it
    image = view.grab().toImage()
    ratio = image.devicePixelRatio()
    pixel = image.pixelColor(int(place.x() * ratio), int(place.y() * ratio))
    assert pixel.lightness() < 60, "the pin is ink"
    scene = loaded.workspace.scene
    notes = annotate(session.state, scene.content, scene.scene, scene._shown)
    assert ("Note, rank 6", *said.splitlines()) in [card.lines for card in notes.cards]
    session.update(window=(length // 2, length))
    notes = annotate(session.state, scene.content, scene.scene, scene._shown)
    assert not any(card.lines[0] == "Note, rank 6" for card in notes.cards)
