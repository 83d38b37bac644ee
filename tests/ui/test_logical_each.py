"""Calls that are read as one line are a fold in the window."""

from collections.abc import Callable
from dataclasses import replace
from itertools import groupby
from pathlib import Path

import pytest
import traces
from parts import measure_lines
from PySide6.QtCore import QModelIndex, QPoint, Qt
from pytestqt.qtbot import QtBot

from topoview.model import Analysis, Call, Each, LogicalTrace, Loop, Statement
from topoview.ui.panels.logical.model import TIME_COLUMN
from topoview.ui.panels.logical.view import row_text
from topoview.ui.panels.options import LogicalOptions
from topoview.ui.panels.selected_calls import call_filter
from topoview.ui.shell.window import MainWindow

NEIGHBOURS = 4


def read_as_one(logical: LogicalTrace) -> LogicalTrace:
    """Read calls of one operation in a row, one for each neighbour, as one."""

    def body(statements: tuple[Statement, ...]) -> tuple[Statement, ...]:
        found: list[Statement] = []
        for operation, some in groupby(
            statements, lambda s: s.operation if isinstance(s, Call) else s
        ):
            run = tuple(some)
            if isinstance(operation, Loop):
                found += [replace(operation, body=body(operation.body))]
            else:
                found += [Each(run, True)] if len(run) == NEIGHBOURS else run
        return tuple(found)

    return replace(logical, body=body(logical.body))


def analysed() -> Analysis:
    known = traces.analysed(traces.simulated("torus", (4, 3), allreduce_every=1))
    assert known.logical is not None
    logical = read_as_one(known.logical)
    return replace(
        known,
        logical=logical,
        measured=measure_lines(known.trace, logical, known.waits, known.positions),
    )


@pytest.fixture
def opened(
    load: Callable[[Path], MainWindow],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> MainWindow:
    known = analysed()
    monkeypatch.setattr("topoview.worker.analyse_in_process", lambda *_: [known])
    return load(tmp_path)


def panel(window: MainWindow):  # noqa: ANN201 - the panel's own class
    assert window.workspace is not None
    return window.workspace.panel("logical")


def heads(window: MainWindow) -> list[QModelIndex]:
    model = panel(window).model
    return [
        model.createIndex(node.row, 0, number)
        for number, node in enumerate(model.tree.nodes)
        if node.kind == "each"
    ]


def click(window: MainWindow, qtbot: QtBot, index: QModelIndex, left: int) -> None:
    """Click in a row's first column, so far from the begin of its words."""
    view = panel(window).view
    row = view.visualRect(index)
    assert row.isValid()
    place = QPoint(row.left() + left, row.center().y())
    qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=place)


def rows_in_sight(window: MainWindow) -> list[str]:
    view, model = panel(window).view, panel(window).model
    found = []
    index = model.index(0, 0)
    while index.isValid():
        found.append(str(model.data(index)))
        index = view.indexBelow(index)
    return found


def test_calls_read_as_one_are_folded_until_they_are_clicked(
    opened: MainWindow, qtbot: QtBot
) -> None:
    view = panel(opened).view
    folded = rows_in_sight(opened)
    assert folded == [
        "Cart_create",
        "Barrier",
        "repeat 5:",
        "Irecv from each of the 4 neighbours 8 KiB",
        "Isend to each of the 4 neighbours 8 KiB",
        "Waitall",
        "Allreduce 8 B",
    ]
    send = heads(opened)[1]
    click(opened, qtbot, send, -8)
    assert view.isExpanded(send)
    assert len(rows_in_sight(opened)) == len(folded) + NEIGHBOURS
    qtbot.waitUntil(lambda: bool(opened.session.state.of(LogicalOptions).turned))
    click(opened, qtbot, send, -8)
    assert rows_in_sight(opened) == folded


def test_fold_and_unfold_all(opened: MainWindow) -> None:
    view = panel(opened).view
    opened.actions_shown.qt["unfold"].trigger()
    assert all(view.isExpanded(index) for index in heads(opened))
    opened.actions_shown.qt["fold"].trigger()
    assert len(rows_in_sight(opened)) == 3


def test_the_head_stands_for_its_calls(opened: MainWindow, qtbot: QtBot) -> None:
    model, session = panel(opened).model, opened.session
    send = heads(opened)[1]
    node = model.node(send)
    assert node.last - node.first == NEIGHBOURS
    below = [model.node(model.index(k, 0, send)) for k in range(model.rowCount(send))]
    assert model.seconds(node) == pytest.approx(sum(map(model.seconds, below)))
    assert {one.state for one in below} == {node.state}
    assert model.longest >= model.seconds(node)
    tip = model.data(send, Qt.ItemDataRole.ToolTipRole)
    assert "240 calls of 12 ranks" in str(tip)
    assert model.data(send.siblingAtColumn(TIME_COLUMN))
    click(opened, qtbot, send, 30)
    assert session.state.selection.lines == model.lines_of(node)
    assert model.is_framed(node)
    meant = call_filter(session.state).statements
    assert list(meant) == list(range(node.first, node.last))


def test_lines_are_copied_as_they_are_read(opened: MainWindow) -> None:
    model = panel(opened).model
    loop, send = model.parent(heads(opened)[1]), heads(opened)[1]
    copied = row_text(model, loop, below=True).splitlines()
    assert copied == [
        "repeat 5:",
        "    Irecv from each of the 4 neighbours 8 KiB",
        "    Isend to each of the 4 neighbours 8 KiB",
        "    Waitall",
        "    Allreduce 8 B",
    ]
    assert len(row_text(model, send, below=True).splitlines()) == 1 + NEIGHBOURS
    assert len(row_text(model, send, below=False).splitlines()) == 1


def test_an_edge_marks_the_head_of_its_calls(opened: MainWindow) -> None:
    model = panel(opened).model
    opened.session.choose(edge=(0, 1))
    assert all(model.is_marked(model.node(index)) for index in heads(opened))
    view = panel(opened).view
    assert not view.grab().isNull()  # is drawn with the mark


def test_a_selected_call_unfolds_its_head(opened: MainWindow) -> None:
    view, model, session = panel(opened).view, panel(opened).model, opened.session
    send = heads(opened)[1]
    first = model.node(send).first
    session.choose(statement=first + 3)
    assert view.isExpanded(send)
    assert not view.isExpanded(heads(opened)[0])
    assert view.currentIndex() == model.index_of(first + 3)


def test_finding_unfolds_what_it_finds_inside(opened: MainWindow, qtbot: QtBot) -> None:
    view, model = panel(opened).view, panel(opened).model
    finder = panel(opened).finder
    opened.actions_shown.qt["find-logical"].trigger()
    qtbot.keyClicks(finder.field, '"isend to each"')
    qtbot.waitUntil(lambda: model.hidden > 0)
    (send,) = heads(opened)
    assert not view.isExpanded(send)
    assert model.rowCount(send) == NEIGHBOURS
    finder.field.clear()
    qtbot.keyClicks(finder.field, '"isend to west"')
    qtbot.waitUntil(lambda: len(rows_in_sight(opened)) == 3)
    (send,) = heads(opened)
    assert view.isExpanded(send)
    assert rows_in_sight(opened)[2].startswith("Isend to WEST 8 KiB")
    qtbot.keyClick(finder.field, Qt.Key.Key_Escape)
    assert len(rows_in_sight(opened)) == 7
