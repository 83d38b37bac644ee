"""Rows of the panel Find: what cells say, and how they are drawn."""

from collections import OrderedDict
from collections.abc import Iterator
from typing import Final

import numpy as np
from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QPersistentModelIndex,
    QRectF,
    Qt,
    Signal,
)
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem, QWidget

from topoview.base.text import duration_text, size_text, tr
from topoview.live.tables.calls import SEVERAL
from topoview.live.tables.find import PAGE_ROWS, FindPage, FoundCalls
from topoview.model import Table
from topoview.scene.palette import THEMES
from topoview.session import Session
from topoview.ui.widgets.controls import column_header
from topoview.ui.widgets.formats import exact_time_text
from topoview.ui.widgets.theme import font

Index = QModelIndex | QPersistentModelIndex
Role = Qt.ItemDataRole

COLUMNS: Final = {
    "rank": (tr("rank"), 40, tr("Rank that makes the call")),
    "function": (tr("call"), 74, tr("MPI function")),
    "begin": (
        tr("begin"),
        86,
        tr("When the call was entered, from the mark if there is one"),
    ),
    "duration": (tr("duration"), 108, tr("Time that the call took")),
    "last": (
        tr("last from"),
        78,
        tr("Direction, or rank, whose message or arrival came last"),
    ),
    "wait": (tr("wait"), 66, tr("Late-partner wait: how long partners were late")),
    "bytes": (
        tr("bytes"),
        66,
        tr("Bytes of its messages, or of its part in the operation"),
    ),
    "direction": (tr("direction"), 86, tr("Where its messages go, or come from")),
    "iteration": (tr("iteration"), 62, tr("Iteration of the longest loop, from 1")),
    "tag": (tr("tag"), 46, tr("Tag of its messages")),
    "communicator": (tr("communicator"), 110, tr("Communicator")),
}
"""Columns of the table: title, width, and what they tell."""

NAMES: Final = tuple(COLUMNS)
LEFT_COLUMNS: Final = ("function", "last", "direction", "communicator")

MAX_PAGES = 16
BAR_WIDTH = 32


class FindModel(QAbstractTableModel):
    """Calls that were found; the columns of a row are made when it is seen.

    Signals
    -------
    page_asked
        A page of rows is seen whose columns are not there yet.
    """

    page_asked = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self.found: FoundCalls | None = None
        self._pages: OrderedDict[int, Table] = OrderedDict()
        self._time_zero: int | None = None
        self._unit = ""

    def show(self, found: FoundCalls | None) -> None:
        """List other calls."""
        self.beginResetModel()
        self.found = found
        self._pages.clear()
        self.endResetModel()

    def take(self, page: FindPage) -> None:
        """Take the columns of a page."""
        if page.found is not self.found:
            return
        self._pages[page.number] = page.table
        while len(self._pages) > MAX_PAGES:
            self._pages.popitem(last=False)
        first = page.number * PAGE_ROWS
        last = min(first + PAGE_ROWS, self.rowCount()) - 1
        if last >= first:
            ends = self.index(first, 0), self.index(last, len(NAMES) - 1)
            self.dataChanged.emit(*ends)

    def count_from(self, time_zero: int | None, unit: str) -> None:
        """Write times from a mark, in a unit (empty: as suits)."""
        self._time_zero, self._unit = time_zero, unit

    def rowCount(self, parent: Index | None = None) -> int:
        """Count the calls."""
        if self.found is None or (parent is not None and parent.isValid()):
            return 0
        return len(self.found.calls)

    def columnCount(self, parent: Index | None = None) -> int:
        """Count the columns."""
        return 0 if parent is not None and parent.isValid() else len(NAMES)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Role.DisplayRole
    ) -> object:
        """Give a column's title."""
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == Role.FontRole:
            return font(12)
        if role == Role.TextAlignmentRole:
            return _alignment(NAMES[section])
        titles = [title for title, _, _ in COLUMNS.values()]
        if self.found is not None and self.found.asked.sort in NAMES:
            arrow = "\u2193" if self.found.asked.descending else "\u2191"
            titles[NAMES.index(self.found.asked.sort)] += f" {arrow}"
        tips = [tip for _, _, tip in COLUMNS.values()]
        return column_header(titles, section, orientation, role, tips)

    def data(self, index: Index, role: int = Role.DisplayRole) -> object:
        """Give what a cell says, and how."""
        name = NAMES[index.column()]
        if role == Role.DisplayRole:
            return self.text(index.row(), name)
        if role == Role.TextAlignmentRole:
            return _alignment(name)
        return None

    def call(self, row: int) -> int:
        """Index of a row's call in the trace."""
        assert self.found is not None
        return int(self.found.calls[row])

    def row_of(self, call: int | None) -> int:
        """Row of a call, -1 if it is not listed."""
        if self.found is None or call is None:
            return -1
        at = np.flatnonzero(self.found.calls == call)
        return int(at[0]) if len(at) else -1

    def text(self, row: int, name: str) -> str:
        """Write a cell; empty where that is not known yet."""
        assert self.found is not None
        trace, call = self.found.asked.known.trace, self.call(row)
        calls = trace.calls
        if name == "function":
            return trace.regions.title(int(calls.region[call]))
        if name == "begin":
            enter = int(calls.enter[call])
            return exact_time_text(enter, self._time_zero, trace.clock, self._unit)
        if name == "duration":
            took = int(calls.leave[call] - calls.enter[call])
            return duration_text(trace.clock.seconds(took))
        if name == "rank":
            place = int(np.searchsorted(calls.offsets, call, side="right")) - 1
            return str(int(trace.rank_of_location[place]))
        page = self._pages.get(row // PAGE_ROWS)
        if page is None:
            self.page_asked.emit(row // PAGE_ROWS)
            return ""
        return cell_text(page, row % PAGE_ROWS, name)

    def ticks(self, row: int) -> int:
        """How long a row's call took."""
        assert self.found is not None
        calls, call = self.found.asked.known.trace.calls, self.call(row)
        return int(calls.leave[call] - calls.enter[call])

    def state(self, row: int) -> int:
        """Code of the `MPIState` of a row's call."""
        assert self.found is not None
        trace = self.found.asked.known.trace
        return int(trace.regions.state[trace.calls.region[self.call(row)]])


def _alignment(name: str) -> Qt.AlignmentFlag:
    left = name in LEFT_COLUMNS
    side = Qt.AlignmentFlag.AlignLeft if left else Qt.AlignmentFlag.AlignRight
    return side | Qt.AlignmentFlag.AlignVCenter


def cell_text(table: Table, row: int, name: str) -> str:
    """Write a cell of a table of calls."""
    column = table.data[name]
    if isinstance(column, tuple):
        number = int(column[0][row])
        told = column[1][number] if number >= 0 else ""
        if name == "last" and not told:
            cause = int(table.columns()["cause"][row])
            return tr("rank {cause}", cause=cause) if cause >= 0 else ""
        return tr("several") if number == SEVERAL else told
    value = column[row]
    if name == "wait":
        return "" if np.isnan(value) else duration_text(float(value))
    if name == "bytes":
        return size_text(int(value)) if value else ""
    if name == "tag" and value < 0:
        return tr("several") if value == SEVERAL else ""
    return str(value) if value > 0 or name == "tag" else ""


def plain_rows(table: Table) -> Iterator[tuple[object, ...]]:
    """Give the rows of a table for other programs; empty for what has no name."""
    columns = (
        [*map([*column[1], ""].__getitem__, column[0].tolist())]
        if isinstance(column, tuple)
        else column.tolist()
        for column in table.data.values()
    )
    return zip(*columns, strict=True)


class BarDelegate(QStyledItemDelegate):
    """Draws how long a call took as a bar beside the number, in its state's colour."""

    def __init__(self, session: Session, model: FindModel, parent: QWidget) -> None:
        super().__init__(parent)
        self._session, self._rows = session, model

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: Index
    ) -> None:
        """Draw the cell, and the bar into it."""
        super().paint(painter, option, index)
        theme, rect = THEMES[self._session.state.theme], option.rect
        track = QRectF(rect.left() + 6, rect.center().y() - 2, BAR_WIDTH, 5)
        painter.fillRect(track, QColor(theme.hairline))
        assert self._rows.found is not None
        share = self._rows.ticks(index.row()) / max(self._rows.found.longest, 1)
        track.setWidth(max(BAR_WIDTH * share, 1.0))
        colour = theme.state_colour(self._rows.state(index.row()))
        painter.fillRect(track, QColor(colour))
