"""A user at the real window."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import traces
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage, QPalette
from PySide6.QtWidgets import QApplication, QLabel, QMessageBox
from pytestqt.qtbot import QtBot

from topoview.live.moments.moment import moment
from topoview.model import Trace
from topoview.pipeline import analyse
from topoview.scene.palette import THEMES
from topoview.ui.actions.appearance import choose_theme
from topoview.ui.shell.window import MainWindow

PATIENCE = 60_000


def logical_view(window: MainWindow):  # noqa: ANN201 - the panel's own class
    assert window.workspace is not None
    return window.workspace.panel("logical").view


def test_first_there_is_the_welcome_page(window: MainWindow) -> None:
    assert window.pages.currentWidget() is window.welcome
    assert not window.actions_shown.qt["zoom-in"].isEnabled()
    assert window.actions_shown.qt["open"].isEnabled()


def test_opening_shows_what_was_found(
    load: Callable[[Path], MainWindow], archive: Callable[[Trace], Path]
) -> None:
    loaded = load(archive(traces.simulated("torus", (4, 3), numbering=1)))
    known = loaded.session.state.analysis
    assert known is not None
    assert loaded.pages.currentWidget() is loaded.workspace
    assert known.identification is not None
    assert known.identification.best.topology.name == "2D torus 4x3"
    assert known.logical is not None
    assert known.profile is not None
    assert loaded.windowTitle().startswith(known.trace.name)
    assert loaded.settings.recent[0] == Path(known.trace.path)
    assert loaded.workspace is not None
    loaded.workspace.open_panel("topology", shown=True)
    rows = loaded.workspace.panel("topology").rows
    assert rows[0].name == "2D torus 4\u00d73"
    loaded.grab()


def test_real_trace_from_opening_to_a_picture(
    load: Callable[[Path], MainWindow],
    real_path: Callable[[str], Path],
    qtbot: QtBot,
    tmp_path: Path,
) -> None:
    window = load(real_path("sp-jacobi2d-8x4-periodic-idlewave"))
    state = window.session.state
    assert state.analysis is not None
    assert state.analysis.identification is not None
    assert state.analysis.identification.best.topology.name == "2D torus 4x8"
    # scrub: the logical trace counts the ranks that wait, as the timeline does
    trace = state.analysis.trace
    for share in np.linspace(0.3, 0.9, 7):
        ticks = int(trace.clock.length * share)
        window.session.update(time=ticks)
        model = logical_view(window).model()
        here = sum(model.ranks.here(node) for node in model.tree.nodes if node.call)
        inside = np.sum(moment(trace, ticks).state >= 2)
        assert here <= inside
    # select a rank by its place in the scene, then an edge, then a statement
    window.session.select(ranks=(5,))
    assert "rank 5 (x " in window.statusBar().selected.text()
    edge = tuple(state.analysis.identification.best.rank_edges[0].tolist())
    window.session.select(edge=edge)
    assert len(logical_view(window).model().marked)
    target = tmp_path / "wave.png"
    window.save_picture(str(target))
    assert QImage(str(target)).width() > 400
    assert str(target) in window.statusBar().currentMessage()
    qtbot.wait(50)


def test_time_is_typed_with_a_unit(loaded: MainWindow, qtbot: QtBot) -> None:
    qtbot.keyClick(loaded, Qt.Key.Key_G, Qt.KeyboardModifier.ControlModifier)
    box = loaded.tool_bar.time_box
    box.clear()
    qtbot.keyClicks(box, "3 ms")
    qtbot.keyClick(box, Qt.Key.Key_Return)
    known = loaded.session.state.analysis
    assert known is not None
    assert loaded.session.state.time == known.trace.clock.ticks(3e-3)
    box.setFocus()
    box.setText("soon")
    qtbot.keyClick(box, Qt.Key.Key_Return)
    assert box.property("wrong")
    assert loaded.session.state.time == known.trace.clock.ticks(3e-3)


@pytest.mark.traces
def test_the_logical_trace_follows_the_ranks(
    load: Callable[[Path], MainWindow],
    real_trace: Callable[[str], Trace],
    monkeypatch: pytest.MonkeyPatch,
    qtbot: QtBot,
) -> None:
    trace = real_trace("sp-cg-32")
    monkeypatch.setattr("topoview.worker.analyse_in_process", lambda *_: analyse(trace))
    window = load(Path("cg.otf2"))
    view = logical_view(window)
    view.scrollToTop()
    window.session.update(time=trace.clock.ticks(2.19))

    def in_sight() -> bool:
        model, area = view.model(), view.viewport().rect()
        places = [
            view.visualRect(model.index_of(node.first))
            for node in model.tree.nodes
            if node.call and model.ranks.here(node)
        ]
        return any(area.contains(place.center()) for place in places)

    qtbot.waitUntil(in_sight, timeout=PATIENCE)


def test_keys_zoom_pan_step_and_undo(loaded: MainWindow, qtbot: QtBot) -> None:
    session = loaded.session
    assert session.state.analysis is not None
    whole = 0, session.state.analysis.trace.clock.length
    session.update(window=whole)
    qtbot.keyClick(loaded, Qt.Key.Key_W)
    zoomed = session.state.window
    assert zoomed[1] - zoomed[0] < whole[1] - whole[0]
    qtbot.keyClick(loaded, Qt.Key.Key_D)
    assert session.state.window[0] > zoomed[0]
    qtbot.keyClick(loaded, Qt.Key.Key_F)
    assert session.state.window == whole
    qtbot.keyClick(loaded, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert session.state.window == whole or session.state.window != zoomed
    before = session.state.time
    qtbot.keyClick(loaded, Qt.Key.Key_Period)
    after = session.state.time
    assert after > before
    qtbot.keyClick(loaded, Qt.Key.Key_Comma)
    assert session.state.time < after
    qtbot.keyClick(loaded, Qt.Key.Key_Home)
    assert session.state.time == session.state.window[0]


def test_space_plays_and_pauses(loaded: MainWindow, qtbot: QtBot) -> None:
    session = loaded.session
    session.update(time=0)
    qtbot.keyClick(loaded, Qt.Key.Key_Space)
    assert session.state.playing
    qtbot.waitUntil(lambda: session.state.time > 0, timeout=PATIENCE)
    qtbot.keyClick(loaded, Qt.Key.Key_Space)
    assert not session.state.playing


def test_a_click_selects_a_statement(loaded: MainWindow, qtbot: QtBot) -> None:
    view = logical_view(loaded)
    index = view.model().index_of(0)
    view.scrollTo(index)
    place = view.visualRect(index).center()
    qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert loaded.session.state.selection.statement == 0
    qtbot.keyClick(loaded, Qt.Key.Key_Escape)
    assert loaded.session.state.selection.statement is None


def test_a_click_shows_another_match(loaded: MainWindow, qtbot: QtBot) -> None:
    assert loaded.workspace is not None
    loaded.workspace.open_panel("topology", shown=True)
    panel = loaded.workspace.panel("topology")
    shown = {row.match: i for i, row in enumerate(panel.rows) if row.match > 0}
    match, at = min(shown.items())
    index = panel.model.index(at, 0)
    panel.view.scrollTo(index)
    place = panel.view.visualRect(index).center()
    qtbot.mouseClick(panel.view.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert loaded.session.state.match == match


def test_the_statements_of_selected_ranks_are_pointed_at(loaded: MainWindow) -> None:
    session = loaded.session
    view = logical_view(loaded)
    model = view.model()

    calls = session.state.analysis.trace.calls  # type: ignore[union-attr]
    call = int(calls.offsets[3] + calls.offsets[4]) // 2
    session.update(time=int(calls.enter[call]))
    session.select(ranks=(3,))
    statement = int(session.state.analysis.logical.statement_of_call[call])  # type: ignore[union-attr]
    pointed = [n.first for n in model.tree.nodes if n.call and model.ranks.chosen(n)]
    assert pointed == [statement]
    assert sum(model.ranks.here(n) for n in model.tree.nodes if n.call) >= 1
    session.select()
    assert not any(model.ranks.chosen(n) for n in model.tree.nodes)


def test_themes_switch_and_are_remembered(window: MainWindow) -> None:
    for name in ("dark", "light"):
        choose_theme(name, window.context)
        assert window.session.state.theme == name
        colour = QApplication.palette().color(QPalette.ColorRole.Base)
        assert colour.name() == THEMES[name].panel
        assert window.settings.theme == name
    choose_theme("system", window.context)
    assert window.session.state.theme in THEMES


def test_panels_close_tear_off_and_come_back(loaded: MainWindow, qtbot: QtBot) -> None:
    workspace = loaded.workspace
    assert workspace is not None
    loaded.actions_shown.qt["panel-logical"].trigger()
    assert not workspace.is_open("logical")
    loaded.actions_shown.qt["panel-logical"].trigger()
    assert workspace.is_open("logical")
    workspace.open_panel("topology", shown=True)
    dock = workspace._docks["topology"]
    dock.titleBarWidget().float_asked.emit()
    assert dock.isFloating()
    qtbot.wait(50)
    loaded.actions_shown.qt["reset-panels"].trigger()
    assert not dock.isFloating()


def test_a_picture_is_right_after_panels_were_torn_off(
    loaded: MainWindow, tmp_path: Path, qtbot: QtBot
) -> None:
    assert loaded.workspace is not None
    loaded.workspace._docks["timeline"].setFloating(True)
    qtbot.wait(50)
    target = tmp_path / "picture.png"
    loaded.save_picture(str(target))
    image = QImage(str(target)).convertToFormat(QImage.Format.Format_RGB32)
    pixels = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), -1)
    middle = pixels[image.height() // 4 : image.height() // 2]
    assert len(np.unique(middle)) > 20


def test_a_picture_that_cannot_be_written_is_told(
    loaded: MainWindow, tmp_path: Path
) -> None:
    loaded.save_picture(str(tmp_path / "no" / "where.png"))
    (box,) = loaded.findChildren(QMessageBox)
    assert "where.png" in box.informativeText()
    box.close()


def test_the_window_can_be_narrow_again(loaded: MainWindow, qtbot: QtBot) -> None:
    known = loaded.session.state.analysis
    assert known is not None
    trace = replace(known.trace, name="a long name of a trace " * 3)
    loaded.session.update(analysis=replace(known, trace=trace))
    loaded.session.select(ranks=(5,))
    bar = loaded.statusBar()
    for size in ((1900, 1000), (1280, 800), (900, 600)):
        loaded.resize(*size)
        qtbot.waitUntil(lambda: bar.width() == loaded.width())
        assert (loaded.width(), loaded.height()) == size
        shown = [label for label in bar.findChildren(QLabel) if label.isVisible()]
        assert bar.selected in shown
        assert bar.window_ in shown
        assert all(label.geometry().right() < size[0] for label in shown)
        assert loaded.tool_bar.search.isVisible()
    assert not bar.events.isVisible()
    assert loaded.trace_name.toolTip() == trace.name
