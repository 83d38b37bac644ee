"""The profile as a user works with it."""

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from topoview.live.selection import selected_spans
from topoview.model import MPIState, Trace
from topoview.report.logical_lines import logical_lines
from topoview.session import Selection
from topoview.ui.panels.options import ProfileOptions
from topoview.ui.panels.profile import ProfilePanel
from topoview.ui.panels.profile_table import ROW_ROLE
from topoview.ui.panels.selection import selected_calls
from topoview.ui.shell.window import MainWindow

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
    spans = selected_spans(trace, None, selected_calls(loaded.session.state))
    found = profile.found
    assert found is not None
    line = next(line for line in found.functions if line.name == "Isend")
    assert len(spans.call) == line.calls
    timeline = loaded.workspace.panel("timeline") if loaded.workspace else None
    assert timeline is not None
    qtbot.waitUntil(lambda: timeline.settled, timeout=PATIENCE)
    assert timeline._rows_asked.wanted == selected_calls(loaded.session.state)
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
    loaded.session.change(ProfileOptions, kind="states")
    qtbot.waitUntil(lambda: model.row_of("wait") >= 0)
    index = model.index(model.row_of("wait"), 0)
    profile.view.clicked.emit(index)
    assert loaded.session.state.focus == {MPIState.WAIT}
    assert index.data(ROW_ROLE).calls == -1


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


def test_a_selected_loop_marks_its_functions(
    loaded: MainWindow, profile: ProfilePanel, qtbot: QtBot
) -> None:
    known = loaded.session.state.analysis
    assert known is not None
    lines = logical_lines(known)
    loop = next(k for k, line in enumerate(lines) if line.kind == "loop")
    loaded.session.choose(lines=(loop, lines[loop].end))
    assert known.logical is not None
    own = np.isin(
        known.logical.statement_of_call, selected_calls(loaded.session.state).statements
    )
    regions = known.trace.regions
    called = regions.operation[known.trace.calls.region[own]]
    inside = {regions.operations[operation] for operation in called.tolist()}
    assert len(inside) > 1
    qtbot.waitUntil(lambda: profile.view.chosen == inside, timeout=PATIENCE)
    spans = selected_spans(
        known.trace, known.logical, selected_calls(loaded.session.state)
    )
    ticks = np.add.reduceat(np.append(spans.leave - spans.enter, 0), spans.offsets[:-1])
    bars = profile.bars.bars
    assert bars is not None
    seconds = ticks / known.trace.clock.resolution
    assert np.allclose(bars.seconds, seconds)
    assert bars.calls is not None
    assert bars.calls.sum() == len(spans.call)
    loaded.session.select(call=int(spans.call[0]))
    region = known.trace.calls.region[spans.call[0]]
    name = regions.operations[regions.operation[region]]
    assert profile.view.chosen == {name}
    loaded.session.select()
    assert not profile.view.chosen


def test_the_heading_tells_what_lines_are_sorted_by(
    loaded: MainWindow, profile: ProfilePanel
) -> None:
    del loaded

    def headings() -> list[str]:
        across = Qt.Orientation.Horizontal
        return [str(profile.model.headerData(k, across)) for k in range(8)]

    assert [text for text in headings() if "\u2193" in text] == ["time \u2193"]
    profile.view.sortByColumn(1, Qt.SortOrder.AscendingOrder)
    assert [text for text in headings() if "\u2191" in text] == ["calls \u2191"]
    assert not any("\u2193" in text for text in headings())
