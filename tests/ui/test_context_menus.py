"""The right button: what is under the pointer is selected, and its actions offered."""

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QContextMenuEvent, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QWidget
from pytestqt.qtbot import QtBot

from topoview.live.picking.picked import changes_to_pick
from topoview.session import Picked
from topoview.ui.actions.action import SEPARATOR
from topoview.ui.actions.context_menus import CONTEXT_MENUS, context_menu
from topoview.ui.actions.selection import RELATED_MENU
from topoview.ui.actions.table import ACTIONS, MENU_BAR, MENUS
from topoview.ui.shell.window import MainWindow
from topoview.ui.widgets.panel import PointedThing

PATIENCE = 60_000
SCREEN_HEIGHT = 800 - 40  # without the bar that a menu hangs from
RIGHT = Qt.MouseButton.RightButton


def open_menu(qtbot: QtBot) -> QMenu:
    qtbot.waitUntil(lambda: isinstance(QApplication.activePopupWidget(), QMenu))
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    return menu


def ask_at(widget: QWidget, at: QPoint) -> None:
    """Ask for the context menu as the right button does."""
    reason = QContextMenuEvent.Reason.Mouse
    event = QContextMenuEvent(reason, at, widget.mapToGlobal(at))
    QApplication.sendEvent(widget, event)


def texts(menu: QMenu) -> list[str]:
    return [a.text().replace("&", "") for a in menu.actions() if a.text()]


def test_menus_name_actions_of_the_table() -> None:
    known = {action.name for action in ACTIONS} | {SEPARATOR, *MENUS}
    for names in CONTEXT_MENUS.values():
        assert set(names) <= known


def test_menus_fit_a_small_screen_in_one_column(loaded: MainWindow) -> None:
    """With all that can be offered: a call, ranks, a time, groups, rows left out."""
    session = loaded.session
    length = session.state.analysis.trace.clock.length
    session.update(**changes_to_pick(session.state, Picked("call", 30), length // 3))
    session.select(ranks=(3,), window=(length // 4, length // 2))
    session.change("timeline", group="same-x", only=(1, 2, 3))
    for name in CONTEXT_MENUS:
        menu = context_menu(name, PointedThing("rank 3"), loaded.actions_shown, loaded)
        assert menu.sizeHint().height() <= SCREEN_HEIGHT, name
        known = {action.objectName() for action in menu.actions()}
        assert {"add-note", "add-bookmark"} <= known or name == "topology"
        menu.deleteLater()
    for name in MENU_BAR:
        assert loaded.menus[name].sizeHint().height() <= SCREEN_HEIGHT, name


def test_the_right_button_in_the_scene(loaded: MainWindow, qtbot: QtBot) -> None:
    assert loaded.workspace is not None
    scene = loaded.workspace.scene
    qtbot.waitUntil(lambda: not scene.busy, timeout=PATIENCE)
    x, y = scene.scene.project(np.array([5], np.int32))[0]
    at = QPointF(x, y).toPoint()
    rank = scene.scene.pick(at.x(), at.y())
    QTest.mouseClick(scene.canvas, RIGHT, pos=at)
    menu = open_menu(qtbot)
    assert loaded.session.state.selection.ranks == (rank,)
    assert texts(menu)[0] == f"rank {rank}"
    (part,) = (a for a in menu.actions() if a.text() == RELATED_MENU)
    inner = part.menu()
    assert isinstance(inner, QMenu)
    assert "Ranks they communicate with" in texts(inner)
    related = next(a for a in inner.actions() if a.objectName() == "select-neighbours")
    menu.close()
    related.trigger()
    assert len(loaded.session.state.selection.ranks) == 5


def test_the_right_button_in_the_timeline(loaded: MainWindow, qtbot: QtBot) -> None:
    assert loaded.workspace is not None
    view = loaded.workspace.panel("timeline")
    length = loaded.session.state.analysis.trace.clock.length
    loaded.session.update(window=(0, length))
    loaded.session.select(window=(length // 4, length // 2))
    bands = view.bands
    y = view.frame.y(float(bands.top[3] + bands.bottom[3]) / 2)
    ask_at(view, QPointF(view.frame.x(length / 3), y).toPoint())
    menu = open_menu(qtbot)
    rank = int(bands.rank[3])
    assert texts(menu)[0].startswith(f"rank {rank}, ")
    assert loaded.session.state.selection.ranks == (rank,)
    assert loaded.session.state.selection.window == (length // 4, length // 2)
    assert "Zoom to the selected time" in texts(menu)
    menu.close()


def test_the_right_button_in_the_matrix(loaded: MainWindow, qtbot: QtBot) -> None:
    assert loaded.workspace is not None
    loaded.workspace.open_panel("matrix", shown=True)
    view = loaded.workspace.panel("matrix").view
    qtbot.waitUntil(lambda: view.picture is not None, timeout=PATIENCE)
    row, column = (int(n[0]) for n in view.picture.matrix.calls.tocoo().coords)
    place = view.picture.arrangement.place
    box = view.frame.box(place[column], place[row], place[column] + 1, place[row] + 1)
    ask_at(view, box.center().toPoint())
    menu = open_menu(qtbot)
    assert loaded.session.state.selection.edge == (min(row, column), max(row, column))
    assert texts(menu)[0] == f"rank {row} \u2192 rank {column}"
    menu.close()


@pytest.mark.parametrize("name", ["topology", "logical", "profile", "events", "delays"])
def test_every_table_is_copied_as_csv(
    loaded: MainWindow, qtbot: QtBot, name: str
) -> None:
    assert loaded.workspace is not None
    loaded.workspace.open_panel(name, shown=True)
    panel = loaded.workspace.panel(name)
    qtbot.waitUntil(lambda: panel.settled and panel.listing() is not None)
    at = panel.view.visualRect(panel.view.model().index(0, 0)).center()
    panel.view.customContextMenuRequested.emit(at)
    menu = open_menu(qtbot)
    copy = next(a for a in menu.actions() if a.objectName() == "copy-csv")
    menu.close()
    copy.trigger()
    lines = QGuiApplication.clipboard().text().splitlines()
    listing = panel.listing()
    assert listing is not None
    rows = list(listing.rows())
    assert len(lines) == len(rows) + 1
    assert lines[0].split(",") == list(listing.names)
    assert all(len(row) == len(listing.names) for row in rows)


def test_the_matrix_as_csv_is_the_matrix(
    loaded: MainWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert loaded.workspace is not None
    loaded.workspace.open_panel("matrix", shown=True)
    panel = loaded.workspace.panel("matrix")
    qtbot.waitUntil(lambda: panel.listing() is not None, timeout=PATIENCE)
    loaded.workspace.used = "matrix"
    path = tmp_path / "matrix.csv"
    monkeypatch.setattr("topoview.ui.widgets.dialogs.ask_where", lambda *_: str(path))
    loaded.actions_shown.qt["save-csv"].trigger()
    known = loaded.session.state.analysis
    assert known is not None
    assert known.matrix is not None
    head, *lines = path.read_text("utf-8").splitlines()
    seconds = known.trace.clock.seconds(known.trace.clock.length)
    wanted = "sender,receiver,calls,bytes,mean_bytes,calls_per_second,bytes_per_second"
    assert head == wanted
    told = {tuple(map(int, line.split(",")[:2])): line.split(",") for line in lines}
    assert len(told) == known.matrix.calls.nnz
    for (sender, receiver), row in told.items():
        assert int(row[2]) == known.matrix.calls[sender, receiver]
        assert int(row[3]) == known.matrix.volume[sender, receiver]
        assert float(row[4]) == int(row[3]) / int(row[2])
        assert float(row[5]) == pytest.approx(int(row[2]) / seconds, rel=1e-3)
        assert float(row[6]) == pytest.approx(int(row[3]) / seconds, rel=1e-3)


def test_a_panel_without_a_table_says_so(loaded: MainWindow) -> None:
    assert loaded.workspace is not None
    loaded.workspace.used = "timeline"
    loaded.actions_shown.qt["copy-csv"].trigger()
    assert "no table" in loaded.statusBar().currentMessage()
