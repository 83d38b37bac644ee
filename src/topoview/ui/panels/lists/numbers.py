"""A table of numbers in a panel: any `Table`, with units, sorted by a click."""

from collections.abc import Callable, Mapping
from typing import Final

import numpy as np
from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QPersistentModelIndex,
    Qt,
    Signal,
)
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QWidget

from topoview.model import Table
from topoview.report.tables import cell_writer, table_rows
from topoview.text import MINUS, group_digits_in
from topoview.ui.panels.table import Listing
from topoview.ui.widgets.controls import prepare_table
from topoview.ui.widgets.formats import name_text
from topoview.ui.widgets.theme import font

Index = QModelIndex | QPersistentModelIndex
Role = Qt.ItemDataRole

MAX_WIDTH: Final = 190
"""Pixels of a column at first."""

RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter


class NumbersModel(QAbstractTableModel):
    """Rows of a table in an order of their own.

    Parameters
    ----------
    heading
        Gives title and tip of a column by its name.
    """

    def __init__(self, heading: Callable[[str], tuple[str, str]]) -> None:
        super().__init__()
        self._heading = heading
        self.table = Table({})
        self.signed = False
        self._names: list[str] = []
        self._order = np.zeros(0, np.int64)
        self._sorted: tuple[str, bool] | None = None

    def show(self, table: Table, *, signed: bool = False) -> None:
        """Show another table; `signed` writes numbers as differences."""
        self.beginResetModel()
        self.table, self.signed, self._names = table, signed, list(table.data)
        self._arrange()
        self.endResetModel()

    def _arrange(self) -> None:
        self._order = np.arange(len(self.table))
        by, descending = self._sorted or ("", False)
        if by in self._names:
            self._order = self.table.order(by, falling=descending)

    def sort_by(self, column: int) -> None:
        """Sort by a column: the largest number first, the other way the next time."""
        name = self._names[column]
        first = not isinstance(self.table.data[name], tuple)
        again = self._sorted is not None and self._sorted[0] == name
        descending = not self._sorted[1] if again and self._sorted else first
        self.beginResetModel()
        self._sorted = name, descending
        self._arrange()
        self.endResetModel()

    def row(self, place: int) -> int:
        """Row of the table that stands at a place."""
        return int(self._order[place])

    def label(self, place: int, name: str = "") -> str:
        """Give the text of a cell of names; of the first column without a name."""
        column = self.table.data[name or self._names[0]]
        row = self.row(place)
        if isinstance(column, tuple):
            return column[1][int(column[0][row])]
        return str(column[row])

    def rowCount(self, parent: Index | None = None) -> int:  # noqa: N802 - Qt's name
        """Count the rows."""
        return 0 if parent is not None and parent.isValid() else len(self._order)

    def columnCount(self, parent: Index | None = None) -> int:  # noqa: N802
        """Count the columns."""
        return 0 if parent is not None and parent.isValid() else len(self._names)

    def headerData(  # noqa: N802 - Qt's name
        self, section: int, orientation: Qt.Orientation, role: int = Role.DisplayRole
    ) -> object:
        """Give a column's title, with an arrow where rows are sorted by it."""
        if orientation != Qt.Orientation.Horizontal:
            return None
        title, tip = self._heading(self._names[section])
        if role == Role.DisplayRole:
            by, descending = self._sorted or ("", False)
            arrow = " \u2193" if descending else " \u2191"
            return title + arrow * (by == self._names[section])
        if role == Role.ToolTipRole:
            return tip
        if role == Role.FontRole:
            return font(12)
        return self._side(section) if role == Role.TextAlignmentRole else None

    def data(self, index: Index, role: int = Role.DisplayRole) -> object:
        """Give what a cell says, and how."""
        if role == Role.DisplayRole:
            return self.text(index.row(), index.column())
        if role == Role.TextAlignmentRole:
            return self._side(index.column())
        return None

    def _side(self, column: int) -> Qt.AlignmentFlag:
        return LEFT if not column or self._is_name(column) else RIGHT

    def _is_name(self, column: int) -> bool:
        return isinstance(self.table.data[self._names[column]], tuple)

    def text(self, place: int, column: int) -> str:
        """Write a cell."""
        name = self._names[column]
        if self._is_name(column):
            return name_text(self.label(place, name))
        values = self.table.columns()[name]
        value = values[self.row(place)].item()
        if not column:
            return str(value)
        if value != value:
            return ""
        text = group_digits_in(cell_writer(name)(abs(value) if self.signed else value))
        if not self.signed or not value:
            return text
        return f"{MINUS if value < 0 else '+'}{text}"

    def listing(self) -> Listing | None:
        """Give the rows as they stand, for other programs."""
        if not len(self.table):
            return None
        titles = tuple(with_unit(name) for name in self._names)
        return Listing(titles, table_rows(self.table.take(self._order)))


UNITS: Final[Mapping[str, str]] = {
    **dict.fromkeys(("seconds", "spread", "wait", "begin"), "s"),
    "bytes": "B",
}
"""Units of columns, by the first word of their names."""


def with_unit(name: str) -> str:
    """Name a column with its unit: ``bytes_mean [B]``."""
    unit = UNITS.get(name.partition("_")[0], "")
    return f"{name} [{unit}]" if unit else name


class NumbersView(QTableView):
    """The rows; a click on a title sorts by it, one on a row tells its place.

    Signals
    -------
    chosen
        Place of the row that was clicked.
    """

    chosen = Signal(int)

    def __init__(self, model: NumbersModel, name: str, parent: QWidget) -> None:
        super().__init__(parent)
        prepare_table(self, model, name)
        self._rows = model
        self.setWordWrap(False)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        heads = self.horizontalHeader()
        heads.setSectionsClickable(True)
        heads.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        heads.sectionClicked.connect(model.sort_by)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.clicked.connect(lambda index: self.chosen.emit(index.row()))
        self.activated.connect(lambda index: self.chosen.emit(index.row()))
        self._columns: list[str] = []

    def fit(self) -> None:
        """Make columns as wide as they need; the same ones never narrower."""
        names = list(self._rows.table.data)
        if not len(self._rows.table):
            return
        heads, same = self.horizontalHeader(), names == self._columns
        self._columns = names
        for column in range(len(names)):
            wide = self.sizeHintForColumn(column), heads.sectionSizeHint(column)
            wanted = min(max(wide) + 6, MAX_WIDTH)
            before = self.columnWidth(column) if same else 0
            self.setColumnWidth(column, max(wanted, before))
