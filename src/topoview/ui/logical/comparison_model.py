"""The rows of two logical traces side by side."""

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
)
from PySide6.QtGui import QColor

from topoview.logical.diff import (
    DIFFERING,
    SIGNS,
    Change,
    Comparison,
    Skipped,
    change_text,
    shortened,
)
from topoview.logical.words import plural
from topoview.session import Session
from topoview.ui.fonts import font

ROW = 21
COLOURS = {
    "light": {
        "indented": "#eef1f4",
        "changed": "#efe6f7",
        "removed": "#fbe3d2",
        "added": "#d8e8f8",
    },
    "dark": {
        "indented": "#232a31",
        "changed": "#3b2d4d",
        "removed": "#4a2b15",
        "added": "#173a56",
    },
}
"""Backgrounds by theme; a sign at each line tells the same."""

NUMBER_A, TEXT_A, SIGN, NUMBER_B, TEXT_B = range(5)
_COLUMNS = {
    "same": (TEXT_A, TEXT_B),
    "indented": (TEXT_A, TEXT_B),
    "changed": (TEXT_A, TEXT_B),
    "removed": (TEXT_A,),
    "added": (TEXT_B,),
}
_WORDS = {
    "same": "the same in both",
    "indented": "the same in both, but what is around it differs",
    "changed": "in both, with another size, count or condition",
    "removed": "only in the first",
    "added": "only in the second",
}
Index = QModelIndex | QPersistentModelIndex
NOTHING = QModelIndex()


class ComparisonModel(QAbstractTableModel):
    """Lines of two logical traces, those that are aligned in one row.

    Attributes
    ----------
    rows
        What each row shows: a `Change`, or how many equal lines are left out.
    """

    def __init__(
        self,
        found: Comparison,
        names: tuple[str, str],
        session: Session,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._found = found
        self._names = names
        self._session = session
        self._mono = font(12, mono=True)
        self.rows: tuple[Change | Skipped, ...] = found.changes

    def restrict(self, *, differences: bool) -> None:
        """Show only differences and what is around them, or everything."""
        self.beginResetModel()
        self.rows = (
            shortened(self._found.changes) if differences else self._found.changes
        )
        self.endResetModel()

    def differing(self) -> list[int]:
        """Give the first row of each stretch that differs."""
        differs = [isinstance(r, Change) and r.kind in DIFFERING for r in self.rows]
        return [k for k, it in enumerate(differs) if it and not (k and differs[k - 1])]

    def text(self, rows: list[int]) -> str:
        """Write rows as a diff."""
        said = []
        for row in map(self.rows.__getitem__, rows):
            if isinstance(row, Skipped):
                said.append(f"@@ {row} @@")
            else:
                said += change_text(row)
        return "\n".join(said)

    def rowCount(self, parent: Index = NOTHING) -> int:  # noqa: N802 - Qt's name
        """Count the rows."""
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index = NOTHING) -> int:  # noqa: N802 - Qt's name
        """Count the columns."""
        return 0 if parent.isValid() else 5

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Give the text and colours of a cell."""
        row, column = self.rows[index.row()], index.column()
        theme = self._session.state.view.theme
        if role == Qt.ItemDataRole.FontRole:
            return self._mono
        if role == Qt.ItemDataRole.TextAlignmentRole and column in (NUMBER_A, NUMBER_B):
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        if isinstance(row, Skipped):
            told = f"… {row}"
            return (
                told
                if role == Qt.ItemDataRole.DisplayRole and column == TEXT_A
                else None
            )
        if role == Qt.ItemDataRole.BackgroundRole and column in _COLUMNS[row.kind]:
            colour = COLOURS[theme].get(row.kind)
            return QColor(colour) if colour else None
        if role == Qt.ItemDataRole.ToolTipRole:
            return f"{_cell(row, column)}\n{_WORDS[row.kind]}".strip()
        return _cell(row, column) if role == Qt.ItemDataRole.DisplayRole else None

    def headerData(  # noqa: N802 - Qt's name
        self,
        section: int,
        orientation: Qt.Orientation,
        role: int = Qt.ItemDataRole.DisplayRole,
    ) -> object:
        """Name the traces."""
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        if role != Qt.ItemDataRole.DisplayRole:
            return None
        ranks = [plural(number, "rank") for number in self._found.ranks]
        titles = {
            TEXT_A: f"{self._names[0]}, {ranks[0]}",
            TEXT_B: f"{self._names[1]}, {ranks[1]}",
        }
        return titles.get(section, "")


def _cell(row: Change, column: int) -> str:
    numbers = {NUMBER_A: row.a, NUMBER_B: row.b}
    if column in numbers:
        number = numbers[column]
        return "" if number is None else str(number + 1)
    return {TEXT_A: row.text_a, TEXT_B: row.text_b, SIGN: SIGNS[row.kind]}[column]
