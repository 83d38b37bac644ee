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
from topoview.model import Trace
from topoview.pipeline import first_look
from topoview.session import Session
from topoview.ui.panels.lists.events import (
    BYTES_COLUMN,
    CALL_COLUMN,
    DURATION_COLUMN,
    FROM_COLUMN,
    PATH_COLUMN,
    TO_COLUMN,
    EventsModel,
    EventsPanel,
)
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
    assert panel.model.rank == 7
    low, high = calls.offsets[7:9]
    assert panel.model.rowCount() == high - low
    middle = int(low + high) // 2
    session.update(time=int(calls.enter[middle]))
    qtbot.waitUntil(lambda: panel.model.now == middle - low, timeout=2000)
    row = panel.model.now
    assert (
        panel.view.viewport()
        .rect()
        .contains(panel.view.visualRect(panel.model.index(row, 0)).center())
    )
    index = panel.model.index(row + 1, 0)
    point = panel.view.visualRect(index).center()
    QTest.mouseClick(panel.view.viewport(), Qt.MouseButton.LeftButton, pos=point)
    assert session.state.time == calls.enter[middle + 1]
    panel.copy()
    lines = QGuiApplication.clipboard().text().splitlines()
    assert len(lines) == 2
    name = known.trace.regions.title(int(calls.region[middle + 1]))
    assert name in lines[1].split("\t")


def test_rows_of_a_real_trace(real_trace: Callable[[str], Trace]) -> None:
    trace = real_trace("sp-masterworker-24")
    model = EventsModel()
    model.show(first_look(trace), 0)
    texts = [model.text(row, CALL_COLUMN) for row in range(model.rowCount())]
    row = texts.index("Recv")
    assert model.text(row, FROM_COLUMN) in map(str, range(1, 24))
    assert model.text(row, BYTES_COLUMN)
    assert model.text(texts.index("Send"), TO_COLUMN) in map(str, range(1, 24))


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
    model = EventsModel()
    model.show(first_look(trace), 9)
    paths = {model.text(row, PATH_COLUMN) for row in range(model.rowCount())}
    assert {"applu > erhs > exchange_3", "applu > ssor > rhs > exchange_3"} <= paths
    row = next(
        r for r in range(model.rowCount()) if "erhs" in model.text(r, PATH_COLUMN)
    )
    tip = model.data(model.index(row, CALL_COLUMN), Qt.ItemDataRole.ToolTipRole)
    assert tip == f"applu > erhs > exchange_3 > {model.text(row, CALL_COLUMN)}"


def test_durations_are_seen_whole_in_a_window_of_usual_width(
    loaded: MainWindow, qtbot: QtBot
) -> None:
    workspace = loaded.workspace
    assert workspace is not None
    workspace.open_panel("events", shown=True)
    panel = workspace.panel("events")
    assert isinstance(panel, EventsPanel)
    qtbot.waitUntil(lambda: panel.view.isVisible() and panel.model.rowCount() > 0)
    end = panel.view.columnViewportPosition(DURATION_COLUMN)
    end += panel.view.columnWidth(DURATION_COLUMN)
    assert end <= panel.view.viewport().width()
