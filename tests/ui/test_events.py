"""The panel of events, against the columns of the trace."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from topoview.live.call_facts import facts_of, messages_of
from topoview.live.tables.events import events_table
from topoview.model import Trace
from topoview.pipeline import first_look
from topoview.session import Session
from topoview.ui.panels.lists.events import EventsPanel
from topoview.ui.shell.window import MainWindow


@pytest.mark.parametrize(
    "name", ["sp-jacobi2d-8x4-periodic-idlewave", "ez-cg-8", "sp-rowcol-6x4"]
)
def test_what_calls_did(real_trace: Callable[[str], Trace], name: str) -> None:
    trace = real_trace(name)
    messages, analysis = trace.messages, first_look(trace)
    random = np.random.default_rng(2)
    for rank in random.integers(0, trace.ranks, 3).tolist():
        low, high = trace.calls.offsets[rank : rank + 2]
        first = int(random.integers(low, max(high - 60, low + 1)))
        last = min(first + 50, int(high))
        found = messages_of(analysis, rank, first, last)
        for call in range(first, last):
            facts = facts_of(trace, found, call)
            sent = np.flatnonzero(messages.send_call == call)
            received = np.flatnonzero(
                (messages.receive_call == call) | (messages.completion_call == call)
            )
            assert set(facts.to) == set(messages.receiver[sent].tolist())
            assert set(facts.source) == set(messages.sender[received].tolist())
            if len(sent) + len(received):
                sizes = [*messages.size[sent], *messages.size[received]]
                assert facts.size == sum(map(int, sizes))
            else:
                part = np.flatnonzero(trace.collectives.call == call)
                known = trace.collectives.communicator[part[0]] if len(part) else -1
                assert facts.communicator == known


def test_the_list_follows_and_moves_the_cursor(session: Session, qtbot: QtBot) -> None:
    panel = EventsPanel(session)
    qtbot.addWidget(panel)
    panel.resize(520, 300)
    panel.show()
    known = session.state.analysis
    assert known is not None
    calls = known.trace.calls
    session.select(ranks=(7, 9))
    assert panel.answered is not None
    assert panel.answered.rank == 7
    low, high = calls.offsets[7:9]
    assert panel.model.rowCount() == high - low
    middle = int(low + high) // 2
    session.update(time=int(calls.enter[middle]))
    qtbot.waitUntil(lambda: panel.model.marked == {middle - low}, timeout=2000)
    row = int(middle - low)
    assert (
        panel.view.viewport()
        .rect()
        .contains(panel.view.visualRect(panel.model.index(row, 0)).center())
    )
    index = panel.model.index(row + 1, 0)
    point = panel.view.visualRect(index).center()
    QTest.mouseClick(panel.view.viewport(), Qt.MouseButton.LeftButton, pos=point)
    assert session.state.time == calls.enter[middle + 1]
    panel.view.copy()
    lines = QGuiApplication.clipboard().text().splitlines()
    assert len(lines) == 2
    name = known.trace.regions.title(int(calls.region[middle + 1]))
    assert name in lines[1].split("\t")


def test_rows_of_a_real_trace(real_trace: Callable[[str], Trace]) -> None:
    trace = real_trace("sp-masterworker-24")
    rows = list(events_table(first_look(trace), 0, np.arange(*trace.calls.offsets[:2])))
    names = [row["function"] for row in rows]
    received, sent = (rows[names.index(name)] for name in ("Recv", "Send"))
    assert received["from"] in map(str, range(1, 24))
    assert received["bytes"] > 0
    assert sent["to"] in map(str, range(1, 24))


def test_the_panel_is_a_tab(
    load: Callable[[Path], MainWindow], real_path: Callable[[str], Path], qtbot: QtBot
) -> None:
    window = load(real_path("sp-rowcol-6x4"))
    workspace = window.workspace
    assert workspace is not None
    workspace.open_panel("events", shown=True)
    panel = workspace.panel("events")
    qtbot.waitUntil(panel.isVisible, timeout=3000)
    assert panel.model.rowCount() > 10
    window.grab()


@pytest.mark.traces
def test_calls_tell_the_functions_that_they_are_in(
    real_trace: Callable[[str], Trace],
) -> None:
    """By the source of LU: what ``exchange_3`` sends, and who calls it."""
    trace = real_trace("sp-lu-32-functions")
    table = events_table(first_look(trace), 9, np.arange(*trace.calls.offsets[9:11]))
    paths = set(table["path"])
    assert {"applu > erhs > exchange_3", "applu > ssor > rhs > exchange_3"} <= paths


def test_durations_are_seen_whole_in_a_window_of_usual_width(
    loaded: MainWindow, qtbot: QtBot
) -> None:
    workspace = loaded.workspace
    assert workspace is not None
    workspace.open_panel("events", shown=True)
    panel = workspace.panel("events")
    assert isinstance(panel, EventsPanel)
    qtbot.waitUntil(lambda: panel.view.isVisible() and panel.model.rowCount() > 0)
    column = panel.model.names.index("seconds")
    end = panel.view.columnViewportPosition(column) + panel.view.columnWidth(column)
    assert end <= panel.view.viewport().width()
