"""The one table of the window: each cell is that of the table, by hand and by mouse."""

from collections.abc import Iterator

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from topoview.model import PAGE_ROWS, Column, LazyTable, Schema, Table, words
from topoview.session import Session
from topoview.ui.widgets.table import TableModel, TableView

SCHEMA = Schema(
    Column("depth", "#"),
    Column("name", "", "Name", "What it is"),
    Column("seconds", "s", bar=True),
    Column("rank", "#"),
    Column("empty", sparse=True),
)
NAMES = ["whole", "first", "leaf", "second"]
TABLE = Table(
    SCHEMA,
    {
        "depth": np.array([0, 1, 2, 1]),
        "name": words(NAMES),
        "seconds": np.array([1.0, 0.25, np.nan, 2.0]),
        "rank": np.array([3, -1, -2, 0]),
        "empty": np.full(4, np.nan),
    },
)
SHOWN = ("name", "seconds", "rank", "empty")


@pytest.fixture
def view(qtbot: QtBot) -> Iterator[TableView]:
    holder = QWidget()
    holder.resize(440, 220)
    qtbot.addWidget(holder)
    view = TableView(TableModel(Session()), "Rows", holder)
    view.resize(420, 200)
    with qtbot.waitExposed(holder):
        holder.show()
    yield view
    holder.close()


def cells(view: TableView) -> list[list[str]]:
    model = view.model()
    return [
        [str(model.index(row, k).data() or "") for k in range(model.columnCount())]
        for row in range(model.rowCount())
    ]


def test_cells_are_those_of_the_table(view: TableView) -> None:
    model: TableModel = view.model()  # type: ignore[assignment]
    flat = TABLE.select(*SHOWN)
    model.show(flat)
    assert cells(view) == [list(texts) for texts in flat.texts()]
    heads = [model.headerData(k, Qt.Orientation.Horizontal) for k in range(4)]
    assert heads == ["Name", "seconds", "rank", "empty"]
    assert view.isColumnHidden(3)
    view.horizontalHeader().sectionClicked.emit(1)
    assert [row[0] for row in cells(view)] == ["second", "whole", "first", "leaf"]
    view.horizontalHeader().sectionClicked.emit(0)
    assert [row[0] for row in cells(view)] == sorted(NAMES)
    model.search("  F")
    assert [row[0] for row in cells(view)] == ["first", "leaf"]
    assert model.place(0) == -1
    model.search("")
    view.copy()
    lines = QGuiApplication.clipboard().text().splitlines()
    assert lines[0] == "name\tseconds\trank\tempty"
    assert lines[1] == "first\t0.25\t-1\t"
    assert len(lines) == 5


def test_a_tree_folds(view: TableView) -> None:
    model: TableModel = view.model()  # type: ignore[assignment]
    model.show(TABLE, columns=SHOWN)
    assert [row[0].strip(" \u25be\u25b8") for row in cells(view)] == NAMES
    view.setCurrentIndex(model.index(1, 0))
    QTest.keyClick(view, Qt.Key.Key_Left)
    assert [row[0].strip(" \u25be\u25b8") for row in cells(view)] == [
        *("whole", "first", "second"),
    ]
    assert model.place(2) == -1
    QTest.keyClick(view, Qt.Key.Key_Right)
    assert model.rowCount() == 4
    model.fold([0])
    assert model.rowCount() == 1


def test_rows_of_a_billion_are_made_as_they_are_seen(view: TableView) -> None:
    made: list[slice] = []

    def page(rows: slice) -> Table:
        made.append(rows)
        number = np.arange(rows.start, rows.stop)
        return Table(Schema(Column("row", "#")), {"row": number})

    model: TableModel = view.model()  # type: ignore[assignment]
    model.show(LazyTable(Schema(Column("row", "#")), 10**9, page, ()))
    assert model.rowCount() == 10**9
    view.scrollTo(model.index(123_456_789, 0))
    view.grab()
    assert model.text(123_456_789, "row") == "123456789"
    assert sum(rows.stop - rows.start for rows in made) <= 8 * PAGE_ROWS
