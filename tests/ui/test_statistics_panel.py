"""The panel Statistics by hand: groups, brushes, clicks, and two windows."""

from collections.abc import Callable

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from topoview.live.picking.selection import selected_spans
from topoview.live.tables.statistics.by_group import Statistics, StatisticsRequest
from topoview.model import Analysis
from topoview.session import Session
from topoview.ui.actions.general import compare_window, end_comparison
from topoview.ui.export.listing import copy_markdown
from topoview.ui.panels.lists.phases import PhasesPanel
from topoview.ui.panels.options import (
    ComparisonOptions,
    PhaseOptions,
    StatisticsOptions,
)
from topoview.ui.panels.profile.panel import ProfilePanel
from topoview.ui.panels.profile.statistics import StatisticsPanel
from topoview.ui.panels.selected_calls import call_filter
from topoview.ui.shell.window import MainWindow

PATIENCE = 20_000
LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def panel(session: Session, qtbot: QtBot) -> StatisticsPanel:
    made = StatisticsPanel(session)
    qtbot.addWidget(made)
    made.resize(560, 620)
    with qtbot.waitExposed(made):
        made.show()
    return made


@pytest.fixture
def told_by(panel: StatisticsPanel, qtbot: QtBot) -> Callable[..., StatisticsPanel]:
    """Choose what statistics are told by, and wait until they are."""

    def act(by: str, **how: object) -> StatisticsPanel:
        panel.session.change(StatisticsOptions, by=by, **how)
        settle(panel, qtbot)
        assert panel.result is not None
        assert panel.result.made_of.request.by == by
        return panel

    return act


def settle(panel: StatisticsPanel, qtbot: QtBot) -> None:
    qtbot.waitUntil(
        lambda: (
            panel.settled
            and panel.result is not None
            and panel.result.made_of == panel.requested
        ),
        timeout=PATIENCE,
    )


def click(panel: StatisticsPanel, label: str) -> None:
    model = panel.model
    place = next(p for p in range(model.rowCount()) if panel.view.title(p) == label)
    at = panel.view.visualRect(model.index(place, 0)).center()
    QTest.mouseClick(panel.view.viewport(), LEFT, pos=at)


def test_a_click_on_a_plane_selects_it_in_other_panels(
    told_by: Callable[..., StatisticsPanel], session: Session, qtbot: QtBot
) -> None:
    panel = told_by("plane", of="mpi")
    profile = ProfilePanel(session)
    qtbot.addWidget(profile)
    profile.show()
    click(panel, "y 1")
    known = session.state.analysis
    assert known is not None
    assert known.identification is not None
    places = known.identification.best.coordinates
    own = tuple(np.flatnonzero(places[:, 1] == 1).tolist())
    assert session.state.selection.ranks == own
    session.update(scope="selected")
    qtbot.waitUntil(
        lambda: (
            profile.settled
            and profile.result is not None
            and profile.result.request.ranks == own
        ),
        timeout=PATIENCE,
    )
    settle(panel, qtbot)
    assert panel.result is not None
    assert panel.result.made_of.request.ranks == own
    told = panel.result.coordinates.to_pandas().set_index("coordinate")
    assert told.places["y"] == 1
    session.update(scope="run")
    session.select()
    settle(panel, qtbot)
    slowest = next(row["slowest"] for row in panel.result.coordinates)
    panel.planes.linkActivated.emit(slowest)
    at = int(slowest.split()[1])
    own = tuple(np.flatnonzero(places[:, 0] == at).tolist())
    assert session.state.selection.ranks == own


def test_directions_functions_and_sorting(
    told_by: Callable[..., StatisticsPanel], session: Session
) -> None:
    panel = told_by("direction")
    labels = [panel.view.title(p) for p in range(panel.model.rowCount())]
    click(panel, labels[1])
    assert session.state.selection.query == f"to {labels[1].partition('/')[0]}"
    click(panel, labels[1])
    assert session.state.selection.query == ""
    panel = told_by("function")
    column = panel.model.names.index("seconds")
    seconds = panel.model.table["seconds"]
    for descends in (True, False):  # at first what takes most time
        order = [seconds[panel.model.row(p)] for p in range(panel.model.rowCount())]
        assert order == sorted(seconds.tolist(), reverse=descends)
        panel.view.horizontalHeader().sectionClicked.emit(column)
    click(panel, "Isend")
    assert session.state.selection.operation == "Isend"


def test_the_window_and_a_brush_narrow(
    told_by: Callable[..., StatisticsPanel], session: Session, qtbot: QtBot
) -> None:
    panel = told_by("function")
    assert panel.result is not None
    whole = int(panel.result.table["calls"].sum())
    bins = panel.charts[0].data
    assert bins is not None
    assert bins.bins.total == whole
    begin, end = session.state.window
    session.update(scope="window", window=(begin, (begin + end) // 2))
    settle(panel, qtbot)
    half = int(panel.result.table["calls"].sum())
    assert 0 < half < whole
    edges = panel.charts[0].data.bins.edges  # type: ignore[union-attr]
    brush = float(edges[len(edges) // 2]), float(edges[-1])
    panel.charts[0].brushed.emit(brush)
    settle(panel, qtbot)
    some = int(panel.result.table["calls"].sum())
    assert 0 < some < half
    assert panel.result.table["seconds_min"].min() >= brush[0]
    bins = panel.charts[0].data
    assert bins is not None
    assert bins.bins.total == half


def test_two_windows_as_a_difference(
    loaded: MainWindow, torus: Analysis, qtbot: QtBot
) -> None:
    session, length = loaded.session, torus.trace.clock.length
    first, second = (0, length // 2), (length // 2, length)
    session.update(window=first)
    compare_window(loaded.context)
    assert loaded.workspace is not None
    panel = loaded.workspace.panel("statistics")
    assert isinstance(panel, StatisticsPanel)
    session.change(StatisticsOptions, by="state")
    session.update(window=second)
    settle(panel, qtbot)
    assert panel.result is not None
    parts = []
    for window in (first, second):
        table = Statistics(StatisticsRequest(torus, window=window)).table("state")
        parts.append(table.to_pandas().set_index("state").seconds)
    shown = panel.model.table.to_pandas().set_index("state").seconds
    assert shown["compute"] == pytest.approx(parts[1]["compute"] - parts[0]["compute"])
    assert panel.model.signed
    assert session.state.scene.colouring == "difference"
    session.change(StatisticsOptions, shown="other")
    assert not panel.model.signed
    copy_markdown(loaded.context)
    end_comparison(loaded.context)
    assert session.state.of(ComparisonOptions).window is None
    assert session.state.scene.colouring == "state"


def test_markdown_of_the_table(loaded: MainWindow, qtbot: QtBot) -> None:
    assert loaded.workspace is not None
    loaded.workspace.open_panel("statistics", shown=True)
    panel = loaded.workspace.panel("statistics")
    assert isinstance(panel, StatisticsPanel)
    settle(panel, qtbot)
    loaded.workspace.focus("statistics")
    copy_markdown(loaded.context)
    lines = QGuiApplication.clipboard().text().splitlines()
    assert lines[0].startswith("| function | calls | time |")
    assert len(lines) == 2 + panel.model.rowCount()


def test_a_click_on_a_region_shows_its_time(session: Session, qtbot: QtBot) -> None:
    panel = PhasesPanel(session)
    qtbot.addWidget(panel)
    panel.resize(500, 300)
    session.change(PhaseOptions, listed="regions")
    with qtbot.waitExposed(panel):
        panel.show()
    qtbot.waitUntil(lambda: panel.settled, timeout=PATIENCE)
    known = session.state.analysis
    assert known is not None
    assert panel.view.isVisible() == (panel.model.rowCount() > 0)
    assert panel.empty.isVisible() != panel.view.isVisible()
    assert panel.lists.isVisible()
    session.change(PhaseOptions, listed="phases")
    qtbot.waitUntil(lambda: panel.settled, timeout=PATIENCE)
    assert panel.empty.isVisible()


def test_a_click_on_durations_by_rank_selects_those_calls(
    told_by: Callable[..., StatisticsPanel], session: Session, qtbot: QtBot
) -> None:
    """The cell's calls, counted by hand; the same click again lets them go."""
    panel = told_by("function")
    session.choose(operation="Waitall")
    settle(panel, qtbot)
    shown = panel.durations.shown
    assert shown is not None
    assert shown.function == "Waitall"
    trace = shown.analysis.trace
    counts = shown.counted.counts
    row, column = np.unravel_index(counts.argmax(), counts.shape)
    low, high = shown.counted.bins.span(int(column), int(column))
    calls = trace.calls
    own = slice(*calls.offsets[row : row + 2])
    took = (calls.leave[own] - calls.enter[own]) / trace.clock.resolution
    named = [trace.regions.title(r) == "Waitall" for r in calls.region[own].tolist()]
    wanted = own.start + np.flatnonzero(named & (took >= low) & (took < high))
    assert len(wanted) == counts[row, column] > 0
    place = panel.durations.box(int(row), int(column)).center().toPoint()
    QTest.mouseClick(panel.durations, LEFT, pos=place)
    spans = selected_spans(trace, None, call_filter(session.state))
    assert spans.call.tolist() == wanted.tolist()
    settle(panel, qtbot)
    assert panel.durations.shown is not None
    assert panel.durations.shown.function == "Waitall"
    QTest.mouseClick(panel.durations, LEFT, pos=place)
    assert not session.state.selection.query


def test_the_selected_call_has_a_frame_in_the_durations(
    told_by: Callable[..., StatisticsPanel], session: Session, qtbot: QtBot
) -> None:
    panel = told_by("function")
    shown = panel.durations.shown
    assert shown is not None
    before = panel.durations.grab().toImage()
    session.select(call=5)
    settle(panel, qtbot)
    cell = shown.cell_of(5)
    assert cell is not None
    assert shown.counted.counts[cell] > 0
    assert panel.durations.grab().toImage() != before


def test_the_exchange_is_that_of_the_profile(
    told_by: Callable[..., StatisticsPanel], session: Session, qtbot: QtBot
) -> None:
    """Neither set-up nor tear-down is counted in it; of the run all is."""
    analysis, panel = session.state.analysis, told_by("function")
    assert analysis is not None
    assert analysis.profile is not None
    begin, end = analysis.profile.span.window
    enter = analysis.trace.calls.enter
    inside = int(((begin <= enter) & (enter < end)).sum())
    assert 0 < inside < len(enter)
    for scope, calls in (("exchange", inside), ("run", len(enter))):
        session.update(scope=scope)
        settle(panel, qtbot)
        assert panel.model.table["calls"].sum() == calls
        assert ("Init" in panel.model.table["function"].tolist()) == (scope == "run")
