"""Sizes and titles of panels over a resize, a restart, and a reset."""

import itertools

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QDockWidget,
    QLabel,
    QStackedLayout,
    QWidget,
)
from pytestqt.qtbot import QtBot

from topoview.model import Column, Schema, Table
from topoview.session import Session
from topoview.ui.panels.options import FindOptions
from topoview.ui.panels.table import PANELS
from topoview.ui.settings import MemoryStore, Settings
from topoview.ui.shell.window import MainWindow
from topoview.ui.shell.workspace import Workspace
from topoview.ui.widgets.controls import ElidedLabel
from topoview.ui.widgets.table import TableModel, TableView

PATIENCE = 60_000
LEFT = Qt.MouseButton.LeftButton
ACROSS = Qt.Orientation.Horizontal


def workspace_of(window: MainWindow) -> Workspace:
    assert window.workspace is not None
    return window.workspace


def sizes(window: MainWindow) -> tuple[int, int]:
    """Width of the right side and height of the timeline."""
    found = workspace_of(window)
    return found.panel("logical").width(), found.panel("timeline").height()


def opened(qtbot: QtBot, settings: Settings, size: tuple[int, int]) -> MainWindow:
    window = MainWindow(settings)
    qtbot.addWidget(window)
    window.resize(*size)
    window.show()
    window.start()
    qtbot.waitUntil(lambda: window.workspace is not None, timeout=PATIENCE)
    window.pages.setCurrentWidget(workspace_of(window))
    window.resize(*size)
    qtbot.wait(50)
    return window


@pytest.mark.usefixtures("window")
def test_closed_small_and_opened_large_has_the_sizes_of_large(qtbot: QtBot) -> None:
    fresh = opened(qtbot, Settings(MemoryStore()), (1920, 1080))
    wanted = sizes(fresh)
    fresh.close()
    settings = Settings(MemoryStore())
    small = opened(qtbot, settings, (900, 600))
    assert sizes(small)[0] < wanted[0]
    small.close()
    large = opened(qtbot, settings, (1920, 1080))
    assert sizes(large) == pytest.approx(wanted, abs=3)
    large.close()


@pytest.mark.usefixtures("window")
def test_sizes_that_a_user_gave_are_kept_as_shares(qtbot: QtBot) -> None:
    settings = Settings(MemoryStore())
    window = opened(qtbot, settings, (1280, 800))
    found, before = workspace_of(window), sizes(window)[0]
    dock = found.findChild(QDockWidget, "logical")
    separator = QPoint(dock.geometry().left() - 1, found.height() // 2)
    QTest.mouseMove(found, separator)
    QTest.mousePress(found, LEFT, pos=separator)
    QTest.mouseMove(found, separator - QPoint(100, 0))
    qtbot.wait(50)
    QTest.mouseRelease(found, LEFT, pos=separator - QPoint(100, 0))
    wide = sizes(window)[0]
    assert wide == pytest.approx(before + 100, abs=6)
    share = wide / found.width()
    window.resize(1600, 1000)
    qtbot.wait(50)
    assert sizes(window)[0] / found.width() == pytest.approx(share, abs=0.01)
    window.close()
    again = opened(qtbot, settings, (1920, 1080))
    width = workspace_of(again).width()
    assert sizes(again)[0] / width == pytest.approx(share, abs=0.01)
    again.close()


def test_a_reset_layout_is_as_at_the_first_start(
    window: MainWindow, qtbot: QtBot
) -> None:
    found = workspace_of(window)
    window.pages.setCurrentWidget(found)

    def shown() -> tuple[object, ...]:
        return window.session.state.open_panels, sizes(window)

    before = shown()
    assert before[0] == {"scene", "timeline", "logical"}
    found.open_panel("matrix", shown=True)
    found.open_panel("profile", shown=True)
    found.findChild(QDockWidget, "profile").setFloating(True)
    found.show_views("timeline")
    found.arrange()
    qtbot.waitUntil(lambda: shown() == before, timeout=PATIENCE)


@pytest.mark.parametrize("size", [(900, 600), (1024, 700), (1280, 720), (1280, 800)])
@pytest.mark.usefixtures("window")
def test_panels_give_way_to_the_scene(qtbot: QtBot, size: tuple[int, int]) -> None:
    shown = opened(qtbot, Settings(MemoryStore()), size)
    found = workspace_of(shown)
    assert found.scene.width() >= 0.5 * found.width()
    halves = found.scene.height(), found.panel("timeline").parentWidget().height()
    assert halves[0] == pytest.approx(halves[1], abs=36), "with the line of reasons"
    shown.close()


def cut(top: QWidget) -> list[str]:
    """Texts of buttons and labels that are wider than these; what is drawn over."""
    found = []
    for widget in [top, *top.findChildren(QWidget)]:
        if not widget.isVisible():
            continue
        text, room = "", widget.width()
        if isinstance(widget, QAbstractButton):
            text = widget.text()
        elif isinstance(widget, QLabel) and not isinstance(widget, ElidedLabel):
            text = "" if widget.wordWrap() else widget.text()
        if text and widget.fontMetrics().horizontalAdvance(text) > room:
            found.append(text)
        laid = widget.layout()
        if laid is None or isinstance(laid, QStackedLayout):
            continue
        parts = [laid.itemAt(at).widget() for at in range(laid.count())]
        shown = [part for part in parts if part is not None and part.isVisible()]
        found += [
            f"{type(one).__name__} over {type(other).__name__}"
            for one, other in itertools.combinations(shown, 2)
            if one.geometry().intersects(other.geometry())
        ]
    return found


def test_nothing_is_cut_in_a_small_window(loaded: MainWindow, qtbot: QtBot) -> None:
    loaded.resize(900, 600)
    loaded.session.order_rows("distance")  # the bar of the timeline has most then
    found = workspace_of(loaded)
    for name in PANELS:
        if name in ("second", "network"):
            continue
        found.open_panel(name, shown=True)
        dock = found.panel(name).parentWidget()
        assert isinstance(dock, QDockWidget)
        qtbot.waitUntil(lambda: found.settled, timeout=PATIENCE)
        assert cut(found.panel(name)) == [], name
        assert cut(dock.titleBarWidget()) == [], name
    bar = found.findChild(QDockWidget, "timeline").titleBarWidget()
    loaded.resize(1280, 800)
    qtbot.waitUntil(lambda: "pinned" in bar.pin.text(), timeout=PATIENCE)


@pytest.mark.parametrize("ranks", [36, 1_000_000])
def test_columns_of_ranks_have_room_for_the_last_one(qtbot: QtBot, ranks: int) -> None:
    holder = QWidget()
    holder.resize(400, 200)
    qtbot.addWidget(holder)
    model = TableModel(Session())
    view = TableView(model, "Rows", holder)
    view.resize(400, 200)
    schema = Schema(Column("rank", "#"), Column("partner", "#"), Column("seconds", "s"))
    last = np.array([ranks - 1])
    data = {"rank": last, "partner": last, "seconds": np.array([1.0])}
    model.show(Table(schema, data))
    for column in range(2):
        needed = view.sizeHintForIndex(model.index(0, column)).width()
        assert needed <= view.columnWidth(column)


def cut_columns(view: TableView) -> list[str]:
    """Titles of columns of which not all is seen."""
    model, room, result = view.model(), view.viewport().width(), []
    for column in range(model.columnCount()):
        left = view.columnViewportPosition(column)
        right = left + view.columnWidth(column)
        if not view.isColumnHidden(column) and (left < 0 or right > room):
            result.append(model.headerData(column, ACROSS))
    return result


@pytest.mark.parametrize("size", [(1280, 800), (1920, 1080)])
def test_no_column_is_cut_in_any_panel(
    loaded: MainWindow, qtbot: QtBot, size: tuple[int, int]
) -> None:
    """What does not fit is left out: no table scrolls sideways."""
    loaded.resize(*size)
    workspace, seen = workspace_of(loaded), 0
    loaded.session.change(FindOptions, text="isend waitall")
    for name in PANELS:
        workspace.open_panel(name, shown=True)
        panel = workspace.panel(name)
        qtbot.waitUntil(lambda panel=panel: panel.settled, timeout=PATIENCE)
        for view in panel.findChildren(TableView):
            qtbot.waitUntil(lambda view=view: not cut_columns(view), timeout=PATIENCE)
            seen += view.model().columnCount()
    assert seen > 40
