"""The panel Find by hand: keys, mouse, and what all other panels make of it."""

from collections.abc import Callable

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QFont, QGuiApplication
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from topoview.live.tables.calls import NUMBERS, Search
from topoview.live.tables.search.find import FoundCalls
from topoview.live.tables.search.query import parse_query
from topoview.model import Analysis
from topoview.session import Session
from topoview.ui.panels.lists.communicators import CommunicatorsPanel
from topoview.ui.panels.lists.events import EventsPanel
from topoview.ui.panels.lists.find import FindPanel, last_term
from topoview.ui.panels.options import FindOptions
from topoview.ui.shell.window import MainWindow

PATIENCE = 20_000
LEFT = Qt.MouseButton.LeftButton


def known_of(session: Session) -> Analysis:
    known = session.state.analysis
    assert known is not None
    return known


@pytest.fixture
def panel(session: Session, qtbot: QtBot) -> FindPanel:
    made = FindPanel(session)
    qtbot.addWidget(made)
    made.resize(460, 480)
    with qtbot.waitActive(made):
        made.show()
        made.activateWindow()
    return made


@pytest.fixture
def find(panel: FindPanel, qtbot: QtBot) -> Callable[[str], FindPanel]:
    """Type a query, and wait until all of it is found."""

    def act(text: str) -> FindPanel:
        panel.field.clear()
        QTest.keyClicks(panel.field, text)
        QTest.keyClick(panel.field, Qt.Key.Key_Return)
        qtbot.waitUntil(
            lambda: (
                panel.settled
                and panel.session.state.of(FindOptions).text == text
                and (not text or panel.result is not None)
            ),
            timeout=PATIENCE,
        )
        return panel

    return act


def found_of(panel: FindPanel) -> FoundCalls:
    assert panel.result is not None
    return panel.result


def test_typing_lists_calls_and_a_click_goes_there(
    find: Callable[[str], FindPanel], session: Session, qtbot: QtBot
) -> None:
    panel = find("waitall > 1 us")
    trace = known_of(session).trace
    every = Search(known_of(session)).calls(parse_query("waitall > 1 us"))
    assert panel.model.rowCount() == len(every) > 5
    took = trace.calls.leave[every] - trace.calls.enter[every]
    second = trace.clock.resolution
    assert panel.model.value(0, "seconds") * second == pytest.approx(took.max())
    bins = panel.bars.data
    assert bins is not None
    assert bins.bins.total == len(every)
    view = panel.view
    point = view.visualRect(panel.model.index(2, 0)).center()
    QTest.mouseClick(view.viewport(), LEFT, pos=point)
    call, state = int(found_of(panel).calls[2]), session.state
    assert (state.selection.call, state.picked.kind) == (call, "call")
    assert state.selection.ranks == (int(panel.model.text(2, "rank")),)
    assert trace.calls.enter[call] <= state.time <= trace.calls.leave[call]
    QTest.keyClick(view, Qt.Key.Key_F3)
    assert session.state.selection.call == int(found_of(panel).calls[3])
    qtbot.waitUntil(lambda: bool(panel.model.text(3, "last")), timeout=PATIENCE)
    table = Search(known_of(session)).call_table(
        np.array([int(found_of(panel).calls[3])])
    )
    cause = int(table["waited_for"][0])
    assert cause >= 0


def test_what_is_not_understood_is_said_and_rows_stay(
    find: Callable[[str], FindPanel], session: Session, qtbot: QtBot
) -> None:
    panel = find("isend")
    rows = panel.model.rowCount()
    assert rows
    QTest.keyClicks(panel.field, " > 10 apples")
    QTest.keyClick(panel.field, Qt.Key.Key_Return)
    qtbot.waitUntil(panel.wrong.isVisible, timeout=PATIENCE)
    assert "10 has no unit" in panel.wrong.text()
    assert panel.model.rowCount() == rows
    session.change(FindOptions, text="isend rank 3")
    qtbot.waitUntil(lambda: panel.settled, timeout=PATIENCE)
    assert not panel.wrong.isVisible()
    assert panel.field.text() == "isend rank 3"
    assert {panel.model.text(r, "rank") for r in range(panel.model.rowCount())} == {"3"}
    find("to 1 from 2")
    assert "Each alone" in panel.why_empty(session.state)[1]
    QTest.keyClicks(panel.field, " apples")
    QTest.keyClick(panel.field, Qt.Key.Key_Return)
    qtbot.waitUntil(panel.wrong.isVisible, timeout=PATIENCE)
    assert not any(panel.why_empty(session.state)), "that is told of another query"
    assert panel.wrong.font().isFeatureSet(QFont.Tag("calt")), "names are as they are"


def test_a_brush_narrows_and_all_is_selected(
    find: Callable[[str], FindPanel], session: Session, qtbot: QtBot
) -> None:
    panel = find("waitall isend")
    bars, whole = panel.bars, panel.model.rowCount()
    data = bars.data
    assert data is not None
    places = np.flatnonzero(data.bins.counts)
    first, last = int(places[len(places) // 2]), len(data.bins.counts) - 1
    for act, place in (
        (QTest.mousePress, first),
        (QTest.mouseMove, last),
        (QTest.mouseRelease, last),
    ):
        at = bars.box_of(place).center().toPoint()
        if act is QTest.mouseMove:
            QTest.mouseMove(bars, at)
        else:
            act(bars, LEFT, pos=at)
    count = int(data.bins.counts[first : last + 1].sum())
    qtbot.waitUntil(
        lambda: panel.settled and panel.model.rowCount() == count, timeout=PATIENCE
    )
    assert 0 < count < whole
    panel.select_all()
    qtbot.waitUntil(lambda: bool(session.state.selection.query), timeout=PATIENCE)
    chosen = session.state.selection
    found = Search(known_of(session)).calls(parse_query(chosen.query))
    assert panel.result is not None
    assert sorted(panel.result.calls.tolist()) == found.tolist()
    assert chosen.ranks == panel.result.ranks
    panel.copy()
    lines = QGuiApplication.clipboard().text().splitlines()
    assert len(lines) == count + 1
    assert lines[0].split(",")[:4] == ["call", "rank", "function", "begin"]
    calls = {int(line.split(",")[0]) for line in lines[1:]}
    assert calls == set(found.tolist())


def test_any_column_sorts_all_rows(
    find: Callable[[str], FindPanel], session: Session, qtbot: QtBot
) -> None:
    panel = find("isend waitall")
    heads = panel.view.horizontalHeader()
    names = ("rank", "bytes", "function", "begin", "direction", "last", "communicator")
    for name in names:
        column = panel.model.names.index(name)
        panel.sort_by(name)
        qtbot.waitUntil(
            lambda name=name: (
                panel.settled
                and panel.result is not None
                and panel.result.request.sort == name
            ),
            timeout=PATIENCE,
        )
        assert panel.result is not None
        if name in NUMBERS:
            calls = panel.result.calls
            values = Search(known_of(session)).numbers(name, calls).tolist()
        else:
            panel.model.text(0, "direction")  # asks for its page
            qtbot.waitUntil(lambda: panel.settled, timeout=PATIENCE)
            told = [panel.model.text(r, name) for r in range(panel.model.rowCount())]
            values = [text for text in told if text and not text.startswith("rank ")]
            assert told[: len(values)] == values  # those without one come last
        down = session.state.of(FindOptions).descending
        assert values == sorted(values, reverse=down)
        assert heads.model().headerData(column, Qt.Orientation.Horizontal)[-1] in "↑↓"


def test_scopes(
    find: Callable[[str], FindPanel], session: Session, qtbot: QtBot
) -> None:
    panel = find("waitall")
    length = known_of(session).trace.clock.length
    session.select(ranks=(2, 5))
    session.change(FindOptions, scope="ranks")
    qtbot.waitUntil(
        lambda: (
            panel.settled
            and panel.result is not None
            and panel.result.request.ranks == (2, 5)
        ),
        timeout=PATIENCE,
    )
    assert panel.result is not None
    assert panel.result.ranks == (2, 5)
    session.update(window=(length // 4, length // 2))
    session.change(FindOptions, scope="window")
    qtbot.waitUntil(
        lambda: (
            panel.settled
            and panel.result is not None
            and panel.result.request.window == (length // 4, length // 2)
        ),
        timeout=PATIENCE,
    )
    calls = known_of(session).trace.calls
    rows = panel.result.calls
    assert (calls.enter[rows] < length // 2).all()
    assert (calls.leave[rows] >= length // 4).all()


def test_events_lists_only_what_is_looked_for(session: Session, qtbot: QtBot) -> None:
    events = EventsPanel(session)
    qtbot.addWidget(events)
    events.show()
    bar = events.bar("Events")
    session.select(ranks=(4,))
    whole = events.model.rowCount()
    session.change(FindOptions, text="waitall")
    found = Search(known_of(session)).calls(parse_query("waitall rank 4"))
    qtbot.waitUntil(lambda: events.model.rowCount() == len(found), timeout=PATIENCE)
    assert events.result is not None
    assert events.result.tolist() == found.tolist()
    assert f"{len(found)} of {whole} MPI calls: waitall" in bar.remark.text()
    assert events.model.text(1, "from")  # a page of facts of calls apart
    session.change(FindOptions, text="waitall >")
    assert events.model.rowCount() == len(found)  # not understood: as before
    session.change(FindOptions, text="")
    assert events.model.rowCount() == whole


def test_the_last_term_is_completed() -> None:
    assert last_term("Waitall to EA") == ("Waitall ", "to EA")
    assert last_term("Wai") == ("", "Wai")
    assert last_term("isend > 1 ms ") == ("isend > 1 ms ", "")


def test_keys_of_the_window(loaded: MainWindow, qtbot: QtBot) -> None:
    """Ctrl+F opens the panel and lets type; all panels then mean what was found."""
    QTest.keyClick(loaded, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    assert loaded.workspace is not None
    panel = loaded.workspace.panel("find")
    assert isinstance(panel, FindPanel)
    qtbot.waitUntil(panel.field.hasFocus, timeout=PATIENCE)
    QTest.keyClicks(panel.field, "wai")
    completer = panel.field.completer()
    assert completer.currentCompletion().startswith("Wait")
    completer.popup().hide()
    panel.field.setText("waitall")
    panel._typed()
    qtbot.waitUntil(
        lambda: panel.settled and panel.result is not None, timeout=PATIENCE
    )
    panel.select_all()
    qtbot.waitUntil(
        lambda: loaded.session.state.selection.query == "waitall", timeout=PATIENCE
    )
    workspace = loaded.workspace
    qtbot.waitUntil(lambda: workspace.settled, timeout=PATIENCE)
    timeline = workspace.panel("timeline")
    assert timeline._rows_asked.wanted.query == "waitall"
    loaded.session.update(scope="selected")
    workspace.open_panel("profile", shown=True)
    profile = workspace.panel("profile")
    qtbot.waitUntil(
        lambda: (
            profile.settled
            and profile.result is not None
            and profile.result.request.wanted.query == "waitall"
        ),
        timeout=PATIENCE,
    )
    assert set(profile.result.functions["name"]) == {"Waitall"}
    loaded.session.select()
    loaded.context.history.undo()
    assert loaded.session.state.selection.query == "waitall"


def test_arrows_go_on_through_the_calls(
    find: Callable[[str], FindPanel], session: Session, qtbot: QtBot
) -> None:
    """List and scene show the same call; what is selected elsewhere lights no row."""
    panel = find("waitall")
    qtbot.waitUntil(lambda: panel.model.text(3, "function") == "Waitall")
    panel.take_keyboard()
    QTest.keyClick(panel.field, Qt.Key.Key_Down)
    for row in range(3):
        assert session.state.selection.call == found_of(panel).calls[row]
        assert panel.view.selectionModel().isRowSelected(row)
        QTest.keyClick(panel.view, Qt.Key.Key_Down)
    session.select(ranks=(0,))
    assert not panel.view.selectionModel().hasSelection()


def test_a_row_is_lit_as_long_as_its_thing_is_selected(
    session: Session, qtbot: QtBot
) -> None:
    panel = CommunicatorsPanel(session)
    qtbot.addWidget(panel)
    panel.resize(460, 300)
    with qtbot.waitExposed(panel):
        panel.show()
    qtbot.waitUntil(lambda: panel.settled and panel.model.rowCount() > 0)
    cell = panel.view.visualRect(panel.model.index(0, 1)).center()
    QTest.mouseClick(panel.view.viewport(), LEFT, pos=cell)
    assert panel.view.selectionModel().hasSelection()
    session.update(time=session.state.time + 1)
    assert panel.view.selectionModel().hasSelection()
    session.select(ranks=())  # as undo does
    assert not panel.view.selectionModel().hasSelection()
