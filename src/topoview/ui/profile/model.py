"""Model of the profile's table: sorted and searched lines."""

from collections.abc import Callable

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
)

from topoview.analysis.profile_rows import ProfileRow
from topoview.ui.formats import duration_text, grouped, percent_text
from topoview.ui.headers import column_header

COLUMNS = (*("name", "calls", "time", "share", "mean", "least", "most", "imbalance"),)
NAME, CALLS, TIME, SHARE, MEAN, LEAST, MOST, IMBALANCE = range(8)
TIPS = (
    "MPI function, or state",
    "Calls that began in the time that counts",
    "Time of all ranks together",
    "Share of the time of all ranks",
    "Mean time of a call; of a rank for a state",
    "Time of the rank that spends least in it",
    "Time of the rank that spends most in it",
    "What the rank with most time has above the mean of all ranks",
)
ROW = Qt.ItemDataRole.UserRole
Index = QModelIndex | QPersistentModelIndex
NOTHING = QModelIndex()

KEYS: tuple[Callable[[ProfileRow], float | str], ...] = (
    lambda row: row.name.lower(),
    lambda row: row.calls,
    lambda row: row.ticks,
    lambda row: row.share,
    lambda row: row.mean,
    lambda row: row.least,
    lambda row: row.most,
    lambda row: row.imbalance,
)
"""What lines are sorted by, for each column."""


class ProfileModel(QAbstractTableModel):
    """Lines of a profile.

    Attributes
    ----------
    rows
        Those that are shown, in order.
    longest
        Most ticks of any line.
    second
        Seconds a tick.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.rows: tuple[ProfileRow, ...] = ()
        self.longest = 1
        self.second = 1.0
        self._all: tuple[ProfileRow, ...] = ()
        self._sorted = (TIME, Qt.SortOrder.DescendingOrder)
        self._words = ""

    def show(self, rows: tuple[ProfileRow, ...], second: float) -> None:
        """Show other lines; sorted and searched as before."""
        self._all, self.second = rows, second
        self.longest = max((row.ticks for row in rows), default=1) or 1
        self._arrange()

    def search(self, words: str) -> None:
        """Show only lines whose name has these letters."""
        self._words = words.strip().lower().removeprefix("mpi_")
        self._arrange()

    def sort(
        self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder
    ) -> None:
        """Sort by a column."""
        self._sorted = (column, order)
        self._arrange()
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(COLUMNS) - 1)

    def _arrange(self) -> None:
        self.beginResetModel()
        column, order = self._sorted
        found = [row for row in self._all if self._words in row.name.lower()]
        found.sort(key=KEYS[column], reverse=order == Qt.SortOrder.DescendingOrder)
        self.rows = tuple(found)
        self.endResetModel()

    def row_of(self, name: str) -> int:
        """Row of a line, -1 if it is not shown."""
        names = [row.name for row in self.rows]
        return names.index(name) if name in names else -1

    def text(self, rows: list[int]) -> str:
        """Write lines as a table for other programs: columns apart by tabs, seconds."""
        said = ["\t".join(COLUMNS)]
        for row in map(self.rows.__getitem__, rows):
            times = (row.mean, row.least, row.most)
            seconds = [f"{ticks * self.second:.9g}" for ticks in times]
            said.append(
                "\t".join(
                    (
                        row.name,
                        str(row.calls) if row.calls >= 0 else "",
                        f"{row.ticks * self.second:.9g}",
                        f"{row.share:.6f}",
                        *seconds,
                        f"{row.imbalance:.6f}",
                    )
                )
            )
        return "\n".join(said)

    def rowCount(self, parent: Index = NOTHING) -> int:  # noqa: N802 - Qt's name
        """Count the lines."""
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index = NOTHING) -> int:  # noqa: N802 - Qt's name
        """Count the columns."""
        return 0 if parent.isValid() else len(COLUMNS)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Give the text of a cell, and more of it when pointed at."""
        row = self.rows[index.row()]
        if role == ROW:
            return row
        if role == Qt.ItemDataRole.ToolTipRole:
            return self._tip(row)
        if role != Qt.ItemDataRole.DisplayRole:
            return None
        return self._texts(row)[index.column()]

    def _texts(self, row: ProfileRow) -> tuple[str, ...]:
        times = (row.mean, row.least, row.most)
        return (
            row.name,
            grouped(row.calls) if row.calls >= 0 else "",
            duration_text(row.ticks * self.second),
            percent_text(row.share),
            *(duration_text(ticks * self.second) for ticks in times),
            percent_text(row.imbalance),
        )

    def _tip(self, row: ProfileRow) -> str:
        name, calls, time, share, mean, least, most, imbalance = self._texts(row)
        lines = [f"{name}: {time}, {share} of the time of all ranks"]
        if calls:
            lines.append(f"{calls} calls, {mean} on average")
        lines.append(f"least on rank {row.least_rank}: {least}")
        lines.append(f"most on rank {row.most_rank}: {most}, imbalance {imbalance}")
        return "\n".join(lines)

    def headerData(  # noqa: N802 - Qt's name
        self,
        section: int,
        orientation: Qt.Orientation,
        role: int = Qt.ItemDataRole.DisplayRole,
    ) -> object:
        """Give titles, aligned as the columns are."""
        by, order = self._sorted
        titles = list(COLUMNS)
        titles[by] += " \u2193" if order == Qt.SortOrder.DescendingOrder else " \u2191"
        return column_header(titles, section, orientation, role, TIPS)
