"""The profile as a user works with it."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from topoview.analysis.chosen import chosen_spans
from topoview.model import MPIState, Trace
from topoview.session import Selection
from topoview.ui.profile_model import ROW
from topoview.ui.profile_panel import ProfilePanel
from topoview.ui.selected import wanted
from topoview.ui.window import MainWindow

PATIENCE = 60_000
LEFT = Qt.MouseButton.LeftButton


def trace_of(window: MainWindow) -> Trace:
    known = window.session.state.analysis
    assert known is not None
    return known.trace


@pytest.fixture
def profile(loaded: MainWindow, qtbot: QtBot) -> ProfilePanel:
    assert loaded.workspace is not None
    loaded.workspace.open_panel("profile", shown=True)
    panel: ProfilePanel = loaded.workspace.panel("profile")
    qtbot.waitUntil(lambda: panel.found is not None, timeout=PATIENCE)
    return panel


def test_a_line_of_the_profile_brings_its_calls_out(
    loaded: MainWindow, profile: ProfilePanel, qtbot: QtBot
) -> None:
    view = profile.view
    row = profile.model.row_of("Isend")
    index = profile.model.index(row, 0)
    view.scrollTo(index)
    QTest.mouseClick(view.viewport(), LEFT, pos=view.visualRect(index).center())
    assert loaded.session.state.selection.operation == "Isend"
    assert profile.bars.bars is not None
    assert profile.bars.bars.title == "Isend"
    trace = trace_of(loaded)
    spans = chosen_spans(trace, None, wanted(loaded.session.state))
    found = profile.found
    assert found is not None
    line = next(line for line in found.functions if line.name == "Isend")
    assert len(spans.call) == line.calls
    timeline = loaded.workspace.panel("timeline") if loaded.workspace else None
    assert timeline is not None
    qtbot.waitUntil(lambda: timeline.settled, timeout=PATIENCE)
    assert timeline._rows_asked.wanted == wanted(loaded.session.state)
    QTest.mouseClick(view.viewport(), LEFT, pos=view.visualRect(index).center())
    assert loaded.session.state.selection == Selection()


def test_the_profile_is_sorted_searched_and_copied(
    loaded: MainWindow, profile: ProfilePanel, qtbot: QtBot
) -> None:
    model = profile.model
    times = [row.ticks for row in model.rows]
    assert times == sorted(times, reverse=True)
    profile.view.sortByColumn(0, Qt.SortOrder.AscendingOrder)
    names = [row.name.lower() for row in model.rows]
    assert names == sorted(names)
    qtbot.keyClicks(profile.field, "MPI_Wai")
    qtbot.waitUntil(lambda: [r.name for r in model.rows] == ["Waitall"])
    profile.view.copy()
    text = QGuiApplication.clipboard().text().splitlines()
    assert text[0].startswith("name\tcalls")
    assert text[1].startswith("Waitall\t")
    profile.field.clear()
    qtbot.waitUntil(lambda: len(model.rows) > 1)
    loaded.session.view(profiled="states")
    qtbot.waitUntil(lambda: model.row_of("wait") >= 0)
    index = model.index(model.row_of("wait"), 0)
    profile.view.clicked.emit(index)
    assert loaded.session.state.view.focus == {MPIState.WAIT}
    assert index.data(ROW).calls == -1


def test_a_bar_selects_its_rank(
    loaded: MainWindow, profile: ProfilePanel, qtbot: QtBot
) -> None:
    qtbot.waitUntil(lambda: profile.bars.bars is not None, timeout=PATIENCE)
    bars = profile.bars
    pitch = (bars.width() - 24) / 12
    middle = bars.height() // 2
    at = QPoint(round(12 + 7.5 * pitch), middle)
    QTest.mouseClick(bars, LEFT, pos=at)
    assert loaded.session.state.selection.ranks == (7,)
    QTest.mousePress(bars, LEFT, pos=QPoint(round(12 + 2.5 * pitch), middle))
    QTest.mouseMove(bars, QPoint(round(12 + 4.5 * pitch), middle))
    QTest.mouseRelease(bars, LEFT, pos=QPoint(round(12 + 4.5 * pitch), middle))
    assert loaded.session.state.selection == Selection(ranks=(2, 3, 4))
