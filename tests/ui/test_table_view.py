"""The one table of the window: each cell is that of the table, by hand and by mouse."""

from collections.abc import Iterator

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QStyleOptionViewItem, QWidget
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
ACROSS = Qt.Orientation.Horizontal
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
    heads = [model.headerData(k, ACROSS) for k in range(4)]
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


def test_numbers_are_never_cut(view: TableView, qtbot: QtBot) -> None:
    """By their pixels: columns are as wide, else nothing of a number is seen."""
    schema = Schema(
        Column("name", letters=8),
        Column("decay", "s", letters=3),
        Column("bytes", "B", bar=True),
        Column("calls", "#", bar=True),
        Column("seconds", "s"),
    )
    rows = 1200
    calls = np.full(rows, 7)
    calls[1150] = 123_456_789  # further down than widths are looked for
    names = words(["MPI_COMM_536870912_dup"] * rows)
    table = {"name": names, "calls": calls, "bytes": np.full(rows, 83_886_080)}
    table |= {"decay": np.full(rows, -0.0725), "seconds": np.full(rows, 99.9)}
    model: TableModel = view.model()  # type: ignore[assignment]
    for width in (420, 300, 180):
        view.resize(width, 200)
        model.show(Table(schema, table))
        qtbot.waitUntil(lambda w=width: view.width() == w)  # type: ignore[misc]
        for column in range(1, 5):
            if view.isColumnHidden(column):
                continue
            for row in (0, 1150):
                index = model.index(row, column)
                needed = view.sizeHintForIndex(index).width()
                assert needed <= view.columnWidth(column), model.names[column]
                option = QStyleOptionViewItem()
                option.rect = view.visualRect(index)
                whole = option.rect.right() <= view.viewport().width()
                view.itemDelegate().initStyleOption(option, index)
                assert option.text == (index.data() if whole else "\u2026")
        bar = view.horizontalScrollBar()
        qtbot.waitUntil(lambda bar=bar: bar.maximum() == 0)  # type: ignore[misc]
        hidden = [n for k, n in enumerate(model.names) if view.isColumnHidden(k)]
        assert model.left_out == tuple(hidden)
        tip = str(model.index(0, 0).data(Qt.ItemDataRole.ToolTipRole))
        for name in hidden:
            assert f"\n{name}: {model.text(0, name)}" in tip
        heading = str(model.headerData(0, ACROSS, Qt.ItemDataRole.ToolTipRole))
        assert heading.endswith(", ".join(hidden))
    assert len(hidden) == 4, "of 180 pixels names take most"
    wide = view.columnWidth(0)
    view.resize(900, 200)
    assert model.left_out == ()
    assert view.columnWidth(0) > wide
    name = view.sizeHintForIndex(model.index(0, 0)).width()
    assert view.columnWidth(0) >= name, "names take what is left"


def test_arrows_go_to_rows(view: TableView) -> None:
    """Each step, not only the first one; the last row is no step."""
    model: TableModel = view.model()  # type: ignore[assignment]
    model.show(TABLE, columns=SHOWN)
    places: list[int] = []
    view.chosen.connect(places.append)
    view.setFocus()
    QTest.mouseClick(
        view.viewport(),
        Qt.MouseButton.LeftButton,
        pos=view.visualRect(model.index(0, 1)).center(),
    )
    for key in ("Down", "Down", "Down", "Down", "Up"):
        QTest.keyClick(view, getattr(Qt.Key, f"Key_{key}"))
    assert places == [0, 1, 2, 3, 2]
