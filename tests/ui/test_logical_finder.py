"""Finding, copying and measuring lines of the logical trace in the window."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from topoview.live.picking.line_filter import LineFilter
from topoview.ui.panels.logical.model import SHARE_COLUMN, LogicalModel
from topoview.ui.panels.logical.view import copy_row
from topoview.ui.panels.options import LogicalOptions
from topoview.ui.shell.window import MainWindow


@pytest.fixture
def opened(
    load: Callable[[Path], MainWindow],
    no_reading: object,
    tmp_path: Path,
    qtbot: QtBot,
) -> MainWindow:
    del no_reading
    window = load(tmp_path)
    known = window.session.state.analysis
    assert known is not None
    qtbot.waitUntil(lambda: window.session.state.analysis.measured is not None)  # type: ignore[union-attr]
    return window


def panel(window: MainWindow):  # noqa: ANN201 - the panel's own class
    assert window.workspace is not None
    return window.workspace.panel("logical")


def texts(model: LogicalModel) -> list[str]:
    assert model.tree is not None
    return [" ".join(word for word, _ in node.tokens) for node in model.tree.nodes]


def test_ctrl_f_finds_lines_and_esc_shows_all_again(
    opened: MainWindow, qtbot: QtBot
) -> None:
    finder, model = panel(opened).finder, panel(opened).model
    everything = texts(model)
    assert finder.isHidden()
    opened.actions_shown.qt["find-logical"].trigger()
    assert finder.isVisible()
    qtbot.keyClicks(finder.field, "irecv")
    qtbot.waitUntil(lambda: model.hidden > 0)
    left = texts(model)
    assert any("Irecv" in text for text in left)
    assert not any("Isend" in text for text in left)
    assert "left out" in finder.note.text()
    qtbot.keyClicks(finder.field, " nowhere")
    qtbot.waitUntil(lambda: finder.note.text() == "no line found")
    qtbot.keyClick(finder.field, Qt.Key.Key_Escape)
    assert finder.isHidden()
    assert texts(model) == everything


def test_folds_are_in_the_state(opened: MainWindow, qtbot: QtBot) -> None:
    view, model, session = panel(opened).view, panel(opened).model, opened.session
    number = next(i for i, node in enumerate(model.tree.nodes) if node.kind == "loop")
    loop = model.createIndex(model.tree.nodes[number].row, 0, number)
    assert view.isExpanded(loop)
    opened.actions_shown.qt["fold"].trigger()
    assert not view.isExpanded(loop)
    view.expand(loop)
    qtbot.waitUntil(lambda: bool(session.state.of(LogicalOptions).turned))
    kept = session.state.of(LogicalOptions)
    assert kept == LogicalOptions(True, frozenset({model.node(loop).line}))
    opened.actions_shown.qt["unfold"].trigger()
    assert view.isExpanded(loop)
    session.change(LogicalOptions, folded=True, turned=kept.turned)
    folded = [
        not view.isExpanded(model.createIndex(node.row, 0, i))
        for i, node in enumerate(model.tree.nodes)
        if model.tree.children[i] and i != number
    ]
    assert all(folded)
    assert view.isExpanded(loop)


def test_lines_below_a_share_are_left_out(opened: MainWindow) -> None:
    model = panel(opened).model
    model.filter(LineFilter(share=0.01))
    assert model.tree is not None
    calls = [node for node in model.tree.nodes if node.call]
    assert calls
    assert all(model.share(node) >= 0.01 for node in calls)
    model.filter(LineFilter())


def test_a_loop_is_copied_with_its_lines(opened: MainWindow) -> None:
    view, model = panel(opened).view, panel(opened).model
    assert model.tree is not None
    number = next(i for i, node in enumerate(model.tree.nodes) if node.kind == "loop")
    index = model.createIndex(model.tree.nodes[number].row, 0, number)
    view.setCurrentIndex(index)
    copy_row(model, index, below=True)
    copied = QGuiApplication.clipboard().text().splitlines()
    assert copied[0].startswith("repeat")
    assert all(line.startswith("    ") for line in copied[1:])
    copy_row(model, index, below=False)
    assert QGuiApplication.clipboard().text() == copied[0]


def test_a_row_tells_its_share_and_its_figures(opened: MainWindow) -> None:
    model = panel(opened).model
    assert model.tree is not None
    number = next(i for i, node in enumerate(model.tree.nodes) if node.call)
    node = model.tree.nodes[number]
    words = model.createIndex(node.row, 0, number)
    assert "calls of" in str(model.data(words, Qt.ItemDataRole.ToolTipRole))
    assert "%" in str(model.data(model.createIndex(node.row, SHARE_COLUMN, number)))
    top = [model.tree.nodes[number] for number in model.tree.children[-1]]
    total = sum(model.seconds(node) for node in top if node.kind != "block")
    calls = [node for node in model.tree.nodes if node.call]
    assert total == pytest.approx(sum(model.seconds(node) for node in calls))


def test_rows_have_no_numbers_that_folding_would_skip(opened: MainWindow) -> None:
    """A line's number is that of the whole listing, and only its tip has it."""
    model: LogicalModel = panel(opened).model
    across = Qt.Orientation.Horizontal
    heads = [model.headerData(k, across) for k in range(model.columnCount())]
    assert "line" not in heads
    listing = model.listing()
    assert listing is not None
    rows = list(listing.rows())
    assert [row[0] for row in rows] == list(range(1, len(rows) + 1))
    for number in range(len(model.tree.nodes)):  # type: ignore[union-attr]
        node = model.tree.nodes[number]  # type: ignore[union-attr]
        index = model.createIndex(node.row, 0, number)
        tip = str(model.data(index, Qt.ItemDataRole.ToolTipRole))
        told = next(line for line in tip.splitlines() if line.startswith("line "))
        row = rows[int(told.split()[1]) - 1]
        assert node.tokens[0][0] in row[1]
