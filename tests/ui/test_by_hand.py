"""Defects that were found by hand, done again as the hand did."""

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QFont, QPainter
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from topoview.live.layouts import all_layouts
from topoview.model import Analysis, MachineChoice
from topoview.scene.annotations import Box, Card
from topoview.scene.axes.axis_labels import label_width
from topoview.scene.palette import THEMES, Theme
from topoview.ui.actions.general import WINDOW_NUMBER
from topoview.ui.panels.network.dialog import MachineDialog
from topoview.ui.panels.scene.overlay import below
from topoview.ui.panels.scene.overlay import paint as overlay
from topoview.ui.panels.timeline.view import TimelineView
from topoview.ui.settings import MemoryStore, Settings
from topoview.ui.shell.window import MainWindow

LEFT = Qt.MouseButton.LeftButton
PATIENCE = 60_000


def test_the_card_of_a_clicked_rank_covers_no_rank(
    loaded: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It stood over ranks though the scene had free sides, over its own at times."""
    boxes: list[Box] = []
    plain = overlay.paint_card

    def paint(
        painter: QPainter, theme: Theme, card: Card, *further: object
    ) -> Box | None:
        box = plain(painter, theme, card, *further)  # type: ignore[arg-type]
        if card.leader and box is not None:
            boxes.append(box)
        return box

    monkeypatch.setattr(overlay, "paint_card", paint)
    assert loaded.workspace is not None
    view = loaded.workspace.scene
    assert view is not None
    loaded.actions_shown.qt["views-scene"].trigger()  # where cards have room
    qtbot.waitUntil(lambda: view.height() > 500, timeout=PATIENCE)
    qtbot.waitUntil(lambda: not view.busy, timeout=PATIENCE)
    clicked = cards = 0
    for rank in range(view.scene.ranks):
        x, y = view.scene.project(np.array([rank], np.int32))[0].tolist()
        if view.scene.pick(x, y) != rank:
            continue  # others are before it
        loaded.session.select()
        boxes.clear()
        QTest.mouseClick(view.canvas, LEFT, pos=QPoint(round(x), round(y)))
        assert loaded.session.state.selection.ranks == (rank,)
        view._overlay.repaint()
        clicked += 1
        cards += len(boxes)
        for left, top, wide, high in boxes:
            for outline in view.scene.outlines(range(view.scene.ranks)):
                low, end = outline.min(axis=0), outline.max(axis=0)
                beside = end[0] <= left or low[0] >= left + wide
                assert beside or end[1] <= top or low[1] >= top + high, rank
    assert clicked > 6
    assert cards > clicked / 2, "most have one"


def test_typing_extents_replaces_what_was_suggested(
    torus: Analysis, qtbot: QtBot
) -> None:
    """It was appended: of 4x3x3 became 4x3x33x3x4, a network of 4,752 nodes."""
    dialog = MachineDialog(torus.trace, MachineChoice())
    qtbot.addWidget(dialog)
    dialog.kind.setCurrentIndex(dialog.kind.findData("torus"))
    dialog.show()
    with qtbot.waitExposed(dialog):
        dialog.activateWindow()
    assert dialog.dims.text() == "3x2x2"
    assert dialog.dims.font().isFeatureSet(QFont.Tag("calt")), "an x stays an x"
    QTest.mouseClick(dialog.dims, LEFT)
    qtbot.waitUntil(lambda: dialog.dims.hasSelectedText(), timeout=PATIENCE)
    QTest.keyClicks(dialog.dims, "4x3")
    assert dialog.dims.text() == "4x3"
    QTest.keyClicks(dialog.dims, "x33")
    assert "396 nodes for 12 ranks" in dialog.note.text()


def test_a_letter_finds_the_network_that_is_assumed(
    torus: Analysis, qtbot: QtBot
) -> None:
    """All were called *assume a ...*: `t` found none."""
    dialog = MachineDialog(torus.trace, MachineChoice())
    qtbot.addWidget(dialog)
    dialog.show()
    with qtbot.waitExposed(dialog):
        dialog.activateWindow()
    dialog.kind.setFocus()
    QTest.keyClick(dialog.kind, Qt.Key.Key_T)
    assert dialog.kind.currentData() == "torus"


def test_two_panels_are_torn_off_at_once(loaded: MainWindow, qtbot: QtBot) -> None:
    workspace = loaded.workspace
    assert workspace is not None
    for name in ("matrix", "events"):
        workspace.open_panel(name, shown=True)
        dock = workspace._docks[name]
        qtbot.waitUntil(dock.isVisible, timeout=PATIENCE)
        dock.setFloating(True)
    docks = [workspace._docks[name] for name in ("matrix", "events")]
    assert all(dock.isFloating() and dock.isVisible() for dock in docks)
    assert all(workspace.rail.rows[name].isChecked() for name in ("matrix", "events"))
    loaded.session.select(ranks=(3,))
    qtbot.waitUntil(
        lambda: "rank 3" in workspace.panel("events").remark()[0], timeout=PATIENCE
    )
    QTest.mouseClick(workspace.rail.rows["matrix"], LEFT)
    assert not docks[0].isVisible()
    assert docks[1].isVisible()


def test_the_rails_tips_tell_its_keys(loaded: MainWindow, qtbot: QtBot) -> None:
    assert loaded.workspace is not None
    rail = loaded.workspace.rail
    for row in rail.rows.values():
        assert "F6, " in row.toolTip()
    QTest.keyClick(loaded, Qt.Key.Key_F6)
    focus = loaded.focusWidget()
    assert focus is not None
    QTest.keyClick(focus, Qt.Key.Key_N)
    focus = loaded.focusWidget()
    assert focus is rail.rows["network"]
    QTest.keyClick(focus, Qt.Key.Key_Return)
    qtbot.waitUntil(rail.rows["network"].isChecked, timeout=PATIENCE)


def test_a_cursor_outside_of_the_shown_time_is_told_at_the_edge(
    loaded: MainWindow, qtbot: QtBot
) -> None:
    """A drag and `Enter` left it there, and nothing showed where it was."""
    assert loaded.workspace is not None
    view = loaded.workspace.panel("timeline")
    assert isinstance(view, TimelineView)
    session = loaded.session
    (begin, end), rows = session.state.window, view.frame.rows
    session.update(time=begin + (end - begin) // 10)
    y = round(rows.center().y())
    way = [QPoint(round(rows.left() + part * rows.width()), y) for part in (0.5, 0.9)]
    QTest.mousePress(view, LEFT, pos=way[0])
    for at in (QPointF(way[0] + way[1]) / 2, QPointF(way[1])):
        QTest.mouseMove(view, at.toPoint())
    QTest.mouseRelease(view, LEFT, pos=way[1])
    session.update(time=begin + (end - begin) // 10)
    view.setFocus()
    QTest.keyClick(view, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: session.state.window[0] > session.state.time)
    ink = QColor(THEMES[session.state.theme].ink)
    at = QPoint(round(view.frame.rows.left()) + 5, 15)  # within the arrow
    qtbot.waitUntil(lambda: view.grab().toImage().pixelColor(at) == ink)
    session.update(time=sum(session.state.window) // 2)
    qtbot.waitUntil(lambda: view.grab().toImage().pixelColor(at) != ink)


def test_a_further_window_stands_beside_the_first(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second of `topoview A B` lay exactly on the first."""
    places = []
    for number in ("", "1", "2"):
        monkeypatch.setenv(WINDOW_NUMBER, number)
        window = MainWindow(Settings(MemoryStore()))
        qtbot.addWidget(window)
        places.append(window.pos())
    assert places[1] - places[0] == places[2] - places[1] == QPoint(32, 32)


@pytest.mark.parametrize("size", [(1280, 800), (1920, 1080)])
def test_no_word_touches_another_or_is_cut(
    loaded: MainWindow, qtbot: QtBot, size: tuple[int, int]
) -> None:
    """Axes stood at the subtitle, cards on the key, and the speed was cut."""
    loaded.resize(*size)
    assert loaded.workspace is not None
    view, session = loaded.workspace.scene, loaded.session
    analysis = session.state.analysis
    assert analysis is not None
    clock = analysis.trace.clock
    for layout in all_layouts(session.state):
        session.show_layout(layout)
        session.select(ranks=(5,))
        qtbot.waitUntil(
            lambda layout=layout: view.layout_name == layout and not view.busy,
            timeout=PATIENCE,
        )
        view.repaint()
        notes, (wide, high) = view.written.notes, view.scene.size
        heading = overlay.heading_width(notes.title, notes.subtitle)
        key = below.place_below(notes.scales, notes.key, notes.legends, wide).height
        for label in notes.labels:
            half = label_width(label.text) / 2
            left, right = label.x - half, label.x + half
            assert -1 <= left < right <= wide + 1, (layout, label.text)
            assert label.y > overlay.HEADING_HEIGHT or left > heading, (
                layout,
                label.text,
            )
            base = high - below.OVERLAY_MARGIN - key
            assert label.y < base + 6, (layout, label.text)
    bar, time = loaded.tool_bar, session.state.time
    for span in (clock.length, clock.ticks(1e-3), clock.ticks(3e-7)):
        session.update(window=(time, time + span))
        for box in (bar.time_box, bar.speed_box):
            room = box.contentsRect().width()
            assert box.fontMetrics().horizontalAdvance(box.text()) <= room, box.text()
