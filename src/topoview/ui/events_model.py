"""The calls of a rank as rows of text, found page by page as they are looked at."""

from collections import OrderedDict

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QColor, QFont

from topoview.analysis.call_facts import (
    CallFacts,
    CallMessages,
    facts_of,
    messages_of,
    ranks_text,
)
from topoview.analysis.path_words import ARROW, path_text
from topoview.model import MPIState, Trace
from topoview.scene.palette import THEMES
from topoview.ui.fonts import font
from topoview.ui.formats import duration_text, marked_text, size_text
from topoview.ui.headers import column_header

Index = QModelIndex | QPersistentModelIndex
Role = Qt.ItemDataRole

TITLES = ("time", "call", "to", "from", "bytes", "took", "tag", "in", "path")
TIPS = (
    "When the call was entered, from the mark if there is one",
    "MPI function",
    "Ranks that it sends to, or the root of a collective operation",
    "Ranks that it receives from",
    "Bytes of its messages, or of its part in the operation",
    "Time that the call took",
    "Tag of its messages",
    "Communicator",
    "Functions of the program that the call was made in, the outermost first",
)
TIME, CALL, TO, FROM, BYTES, TOOK, TAG, _, PATH = range(9)

PAGE = 256
"""Calls whose messages are looked up together."""

PAGES = 16


class EventsModel(QAbstractTableModel):
    """The MPI calls of one rank; rows are made when they are seen."""

    def __init__(self) -> None:
        super().__init__()
        self._trace: Trace | None = None
        self.rank = -1
        self._low = self._count = 0
        self._pages: OrderedDict[int, CallMessages] = OrderedDict()
        self._now, self._unit = -1, ""
        self._mark: int | None = None
        self._theme = THEMES["light"]
        self._bold: QFont = font(12, 600)

    def show(self, trace: Trace | None, rank: int) -> None:
        """List the calls of a rank of a trace."""
        self.beginResetModel()
        self._trace, self.rank = trace, rank
        self._pages.clear()
        self._low = self._count = 0
        if trace is not None and 0 <= rank < trace.ranks:
            self._low = int(trace.calls.offsets[rank])
            self._count = int(trace.calls.offsets[rank + 1]) - self._low
        self._now = -1
        self.endResetModel()

    def paint(self, theme: str) -> None:
        """Take the colours of a theme."""
        self._theme = THEMES[theme]
        self._changed(0, self._count - 1)

    def count_from(self, mark: int | None, unit: str) -> None:
        """Write times from a mark, in a unit (empty: as suits)."""
        self._mark, self._unit = mark, unit
        self._changed(0, self._count - 1)

    def point(self, row: int) -> None:
        """Show which call is the present one; -1 for none."""
        before, self._now = self._now, row
        for each in {before, row} - {-1}:
            self._changed(each, each)

    @property
    def now(self) -> int:
        """Row of the present call."""
        return self._now

    def enter(self, row: int) -> int:
        """When a row's call was entered, in ticks."""
        assert self._trace is not None
        return int(self._trace.calls.enter[self._low + row])

    def _changed(self, first: int, last: int) -> None:
        if 0 <= first <= last < self._count:
            ends = self.index(first, 0), self.index(last, len(TITLES) - 1)
            self.dataChanged.emit(*ends)

    def rowCount(self, parent: Index | None = None) -> int:  # noqa: N802 - Qt's name
        """Count the calls."""
        return 0 if parent is not None and parent.isValid() else self._count

    def columnCount(self, parent: Index | None = None) -> int:  # noqa: N802
        """Count the columns."""
        return 0 if parent is not None and parent.isValid() else len(TITLES)

    def headerData(  # noqa: N802 - Qt's name
        self, section: int, orientation: Qt.Orientation, role: int = Role.DisplayRole
    ) -> object:
        """Give a column's title."""
        if role == Role.TextAlignmentRole and section not in (TIME, BYTES, TOOK):
            return Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        if role == Role.TextAlignmentRole:
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        return column_header(TITLES, section, orientation, role, TIPS)

    def data(self, index: Index, role: int = Role.DisplayRole) -> object:
        """Give what a cell says, and how."""
        row, column = index.row(), index.column()
        if self._trace is None:
            return None
        if role == Role.DisplayRole:
            return self.text(row, column)
        if role == Role.ToolTipRole and column in (CALL, PATH):
            return self.whole(row)
        if role == Role.TextAlignmentRole and column in (TIME, BYTES, TOOK):
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        if role == Role.FontRole and row == self._now:
            return self._bold
        if role == Role.BackgroundRole and row == self._now:
            return QColor(self._theme.selected)
        if role == Role.DecorationRole and column == CALL:
            state = self._trace.regions.state[self._region(row)]
            return QColor(self._theme.state_colour(MPIState(int(state))))
        return None

    def _region(self, row: int) -> int:
        assert self._trace is not None
        return int(self._trace.calls.region[self._low + row])

    def text(self, row: int, column: int) -> str:
        """Write a cell."""
        trace = self._trace
        assert trace is not None
        call = self._low + row
        if column == TIME:
            enter = int(trace.calls.enter[call])
            return marked_text(enter, self._mark, trace.clock, self._unit)
        if column == CALL:
            return trace.regions.title(self._region(row))
        if column == PATH:
            return path_text(trace, call)
        if column == TOOK:
            spent = int(trace.calls.leave[call] - trace.calls.enter[call])
            return duration_text(trace.clock.seconds(spent))
        return _fact(trace, self.facts(row), column)

    def whole(self, row: int) -> str:
        """Tell a row's call with the functions it was made in."""
        path, name = self.text(row, PATH), self.text(row, CALL)
        return f"{path}{ARROW}{name}" if path else name

    def facts(self, row: int) -> CallFacts:
        """Tell what a row's call did."""
        assert self._trace is not None
        page = row // PAGE
        found = self._pages.get(page)
        if found is None:
            first = self._low + page * PAGE
            last = min(first + PAGE, self._low + self._count)
            found = messages_of(self._trace, self.rank, first, last)
            self._pages[page] = found
            if len(self._pages) > PAGES:
                self._pages.popitem(last=False)
        return facts_of(self._trace, found, self._low + row)


def _fact(trace: Trace, facts: CallFacts, column: int) -> str:
    if column == TO:
        root = f"root {facts.root}" if facts.root >= 0 else ""
        return ranks_text(facts.to) or root
    if column == FROM:
        return ranks_text(facts.source)
    if column == BYTES:
        carries = facts.size or facts.to or facts.source
        return size_text(facts.size) if facts.size is not None and carries else ""
    if column == TAG:
        return ranks_text(facts.tags).replace("ranks", "tags")
    if facts.communicator < 0:
        return ""
    return trace.communicators[facts.communicator].name or "world"
