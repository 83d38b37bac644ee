"""A panel with a table of numbers: any `Table`, with units, sorted by a click."""

from collections.abc import Callable, Mapping
from typing import Final, Generic

import numpy as np
from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QPersistentModelIndex,
    Qt,
    Signal,
)
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QWidget

from topoview.base.text import MINUS, group_digits_in, tr
from topoview.model import Table
from topoview.report.tables import cell_writer, table_rows
from topoview.session import Session, State
from topoview.ui.panels.empty import EmptyView, scrolled, stacked
from topoview.ui.panels.table import Listing, Panel, PointedThing
from topoview.ui.widgets.controls import DockBar, prepare_table
from topoview.ui.widgets.formats import name_text
from topoview.ui.widgets.latest_only import LatestOnly, Request, Result
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

    def rowCount(self, parent: Index | None = None) -> int:
        """Count the rows."""
        return 0 if parent is not None and parent.isValid() else len(self._order)

    def columnCount(self, parent: Index | None = None) -> int:
        """Count the columns."""
        return 0 if parent is not None and parent.isValid() else len(self._names)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Role.DisplayRole
    ) -> object:
        """Give a column's title, with an arrow where rows are sorted by it."""
        if orientation != Qt.Orientation.Horizontal:
            return None
        title, tip = self._heading(self._names[section])
        if role == Role.DisplayRole:
            by, descending = self._sorted or ("", False)
            arrow = " \u2193" if descending else " \u2191"
            return tr(title) + arrow * (by == self._names[section])
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


class NumbersPanel(Panel, Generic[Request, Result]):
    """A panel whose table is made in another thread, for what a state asks for.

    Parameters
    ----------
    make
        Makes a result from what is asked; see `LatestOnly`.
    heading
        As for `NumbersModel`.
    """

    def __init__(
        self,
        session: Session,
        parent: QWidget | None,
        make: Callable[[Request, Callable[[], bool]], Result],
        heading: Callable[[str], tuple[str, str]],
    ) -> None:
        super().__init__(session, parent)
        self._asked: Request | None = None
        self._worker = LatestOnly[Request, Result](make, self._take)
        self.content = QWidget(self)
        self.content.setObjectName("page")
        self.content.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.model = NumbersModel(heading)
        self._empty = EmptyView(self)
        self._page = scrolled(self.content)
        self._stack = stacked(self, self._empty, self._page)
        self._bar: DockBar | None = None

    def _make_view(self, name: str) -> None:
        """Make the table, which screen readers call by its name."""
        self.view = NumbersView(self.model, name, self.content)
        self.view.chosen.connect(self._choose)
        self.view.customContextMenuRequested.connect(
            lambda at: self.menu_asked.emit(
                PointedThing(), self.view.viewport().mapToGlobal(at)
            )
        )

    def _begin(self, *parts: str | type) -> None:
        """Follow parts of the state, from now to the panel's end."""
        ended = self.session.subscribe(self._follow, to=parts)
        for end in (self._worker.stop, ended):
            self.destroyed.connect(end)
        self._follow(State(), self.session.state)

    def _follow(self, old: State, new: State) -> None:
        """Ask for what a state shows."""
        raise NotImplementedError

    def _take(self, asked: Request, made: Result) -> None:
        """Show what was made."""
        raise NotImplementedError

    def _choose(self, place: int) -> None:
        """Go to the row at a place, which was clicked."""
        raise NotImplementedError

    def _told(self) -> str:
        """Say what the title bar says."""
        raise NotImplementedError

    def showEvent(self, event: object) -> None:  # noqa: ARG002 - Qt's name
        """Show what changed while nobody looked."""
        self._follow(self.session.state, self.session.state)

    @property
    def settled(self) -> bool:
        """Whether what is seen is what the state asks for."""
        return not self._worker.busy

    def listing(self) -> Listing | None:
        """Give the rows as they are shown."""
        return self.model.listing()

    def bar(self, title: str) -> DockBar:
        """Make its title bar."""
        self._bar = DockBar(title)
        self._tell()
        return self._bar

    def _tell(self) -> None:
        if self._bar is not None:
            self._bar.tell(self._told())
