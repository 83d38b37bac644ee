"""The table of the profile: sorted and filtered lines, and how they are drawn."""

from collections.abc import Callable

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRect,
    QRectF,
    QSize,
    Qt,
)
from PySide6.QtGui import (
    QColor,
    QFontMetrics,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeView,
    QWidget,
)

from topoview.base.text import duration_text, grouped, plural, share_text, tr
from topoview.report.profile import ProfileRow
from topoview.scene.palette import THEMES
from topoview.session import Session
from topoview.ui.panels.table import Listing
from topoview.ui.widgets.controls import column_header
from topoview.ui.widgets.theme import font

COLUMN_TITLES = (
    *(
        tr("name"),
        tr("calls"),
        tr("time"),
        tr("share"),
        tr("mean"),
        tr("least"),
        tr("most"),
        tr("imbalance"),
    ),
    *(tr("wait"), tr("caused")),
)
(
    NAME_COLUMN,
    CALLS_COLUMN,
    TIME_COLUMN,
    SHARE_COLUMN,
    MEAN_COLUMN,
    MIN_COLUMN,
    MAX_COLUMN,
    IMBALANCE_COLUMN,
    WAIT_COLUMN,
    CAUSED_COLUMN,
) = range(10)
COLUMN_TIPS = (
    tr("MPI function, or state"),
    tr("Calls that began in the time that counts"),
    tr("Time of all ranks together"),
    tr("Share of the time of all ranks"),
    tr("Mean time of a call; of a rank for a state"),
    tr("Time of the rank that spends least in it"),
    tr("Time of the rank that spends most in it"),
    tr("What the rank with most time has above the mean of all ranks"),
    tr("What its calls waited for late partners"),
    tr("What others waited because of these calls and what was computed before them"),
)
ROW_ROLE = Qt.ItemDataRole.UserRole
Index = QModelIndex | QPersistentModelIndex
NO_INDEX = QModelIndex()

SORT_KEYS: tuple[Callable[[ProfileRow], float | str], ...] = (
    lambda row: row.name.lower(),
    lambda row: row.calls,
    lambda row: row.ticks,
    lambda row: row.share,
    lambda row: row.mean,
    lambda row: row.least,
    lambda row: row.most,
    lambda row: row.imbalance,
    lambda row: row.wait,
    lambda row: row.caused,
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
        self._sorted = (TIME_COLUMN, Qt.SortOrder.DescendingOrder)
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
        self.headerDataChanged.emit(
            Qt.Orientation.Horizontal, 0, len(COLUMN_TITLES) - 1
        )

    def _arrange(self) -> None:
        self.beginResetModel()
        column, order = self._sorted
        found = [row for row in self._all if self._words in row.name.lower()]
        found.sort(key=SORT_KEYS[column], reverse=order == Qt.SortOrder.DescendingOrder)
        self.rows = tuple(found)
        self.endResetModel()

    def listing(self) -> Listing:
        """Give all lines as a table of plain numbers."""
        titles = (
            *("name", "calls", "time [s]", "share", "mean [s]", "least [s]"),
            *("most [s]", "imbalance", "wait [s]", "caused [s]"),
        )
        scale = self.second
        rows = (
            (
                row.name,
                row.calls if row.calls >= 0 else "",
                row.ticks * scale,
                row.share,
                *(ticks * scale for ticks in (row.mean, row.least, row.most)),
                row.imbalance,
                *(
                    ticks * scale if ticks >= 0 else ""
                    for ticks in (row.wait, row.caused)
                ),
            )
            for row in self.rows
        )
        return Listing(titles, rows)

    def row_of(self, name: str) -> int:
        """Row of a line, -1 if it is not shown."""
        names = [row.name for row in self.rows]
        return names.index(name) if name in names else -1

    def text(self, rows: list[int]) -> str:
        """Write lines as a table for other programs: columns apart by tabs, seconds."""
        said = ["\t".join(COLUMN_TITLES)]
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
                        *(
                            f"{ticks * self.second:.9g}" if ticks >= 0 else ""
                            for ticks in (row.wait, row.caused)
                        ),
                    )
                )
            )
        return "\n".join(said)

    def rowCount(self, parent: Index = NO_INDEX) -> int:
        """Count the lines."""
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index = NO_INDEX) -> int:
        """Count the columns."""
        return 0 if parent.isValid() else len(COLUMN_TITLES)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Give the text of a cell, and more of it when pointed at."""
        row = self.rows[index.row()]
        if role == ROW_ROLE:
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
            share_text(row.share, 0),
            *(duration_text(ticks * self.second) for ticks in times),
            share_text(row.imbalance, 0),
            *(
                duration_text(ticks * self.second) if ticks >= 0 else ""
                for ticks in (row.wait, row.caused)
            ),
        )

    def cell(self, row: ProfileRow, column: int) -> str:
        """Write a cell of a line."""
        return self._texts(row)[column]

    def _tip(self, row: ProfileRow) -> str:
        name, calls, time, share, mean, least, most, imbalance, wait, caused = (
            self._texts(row)
        )
        lines = [
            tr(
                "{name}: {time}, {share} of the time of all ranks",
                name=name,
                time=time,
                share=share,
            )
        ]
        if calls:
            counted = plural(row.calls, "call")
            lines.append(tr("{calls}, {mean} on average", calls=counted, mean=mean))
        lines.append(
            tr(
                "least on rank {least_rank}: {least}",
                least_rank=row.least_rank,
                least=least,
            )
        )
        lines.append(
            tr(
                "most on rank {most_rank}: {most}, imbalance {imbalance}",
                most_rank=row.most_rank,
                most=most,
                imbalance=imbalance,
            )
        )
        lines += [tr("waited for late partners: {wait}", wait=wait)] if wait else []
        lines += (
            [tr("caused others to wait: {caused}", caused=caused)] if caused else []
        )
        return "\n".join(lines)

    def headerData(
        self,
        section: int,
        orientation: Qt.Orientation,
        role: int = Qt.ItemDataRole.DisplayRole,
    ) -> object:
        """Give titles, aligned as the columns are."""
        by, order = self._sorted
        titles = list(COLUMN_TITLES)
        titles[by] += " \u2193" if order == Qt.SortOrder.DescendingOrder else " \u2191"
        return column_header(titles, section, orientation, role, COLUMN_TIPS)


COLUMN_WIDTHS = {
    CALLS_COLUMN: 66,
    SHARE_COLUMN: 56,
    MEAN_COLUMN: 74,
    MIN_COLUMN: 74,
    MAX_COLUMN: 74,
    IMBALANCE_COLUMN: 82,
    WAIT_COLUMN: 66,
    CAUSED_COLUMN: 66,
}
SHOWN_FIRST = (
    *(CALLS_COLUMN, IMBALANCE_COLUMN, SHARE_COLUMN, MEAN_COLUMN, WAIT_COLUMN),
    *(MAX_COLUMN, MIN_COLUMN, CAUSED_COLUMN),
)
"""Columns beside the name and the time, those first that go last."""

MIN_NAME_WIDTH = 110
"""Pixels that columns leave to names at least: for eleven letters."""

BAR_WIDTH, BAR_GAP, TEXT_MARGIN = 34, 8, 8
"""Pixels of the bar beside a time, between it and the time, and at the right."""

ROW_HEIGHT = 24
ALIGN_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
ALIGN_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class ProfileTable(QTreeView):
    """The table, with columns that suit its width.

    Attributes
    ----------
    chosen
        Names of the lines that the selection is about.
    """

    def __init__(self, session: Session, model: ProfileModel, parent: QWidget) -> None:
        super().__init__(parent)
        self._rows = model
        self.chosen: frozenset[str] = frozenset()
        self._wide: dict[int, int] = {}
        self.setModel(model)
        self.setItemDelegate(_ProfileDelegate(session, self))
        self.setRootIsDecorated(False)
        self.setUniformRowHeights(True)
        self.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setMouseTracking(True)
        self.setAccessibleName(tr("Profile"))
        header = self.header()
        header.setFixedHeight(27)
        header.setFont(font(12))
        header.setMinimumSectionSize(30)
        header.setStretchLastSection(False)
        header.setSectionResizeMode(NAME_COLUMN, QHeaderView.ResizeMode.Stretch)
        for column, width in COLUMN_WIDTHS.items():
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.Fixed)
            header.resizeSection(column, width)
        header.setSectionResizeMode(TIME_COLUMN, QHeaderView.ResizeMode.Fixed)
        model.modelReset.connect(self._fit_numbers)
        self._fit_numbers()
        self.setSortingEnabled(True)
        header.setSortIndicatorShown(False)  # the title says it
        self.sortByColumn(TIME_COLUMN, Qt.SortOrder.DescendingOrder)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave names room in a narrow panel."""
        self._choose_columns()
        super().resizeEvent(event)

    def _choose_columns(self) -> None:
        """Show as many columns as leave names room."""
        room = self.viewport().width() - MIN_NAME_WIDTH - self._wide[TIME_COLUMN]
        for column in SHOWN_FIRST:
            room -= self._wide[column]
            self.setColumnHidden(column, room < 0)

    def _fit_numbers(self) -> None:
        """Give numbers the room that the longest of them takes."""
        metrics = QFontMetrics(font(12))
        for column, width in {**COLUMN_WIDTHS, TIME_COLUMN: 0}.items():
            texts = [
                *(self._rows.cell(row, column) for row in self._rows.rows),
                f"{COLUMN_TITLES[column]} \u2193",
            ]
            wide = max(map(metrics.horizontalAdvance, texts)) + 2 * TEXT_MARGIN
            if column == TIME_COLUMN:
                wide += BAR_WIDTH + BAR_GAP
            self._wide[column] = max(wide, width)
            self.header().resizeSection(column, self._wide[column])
        self._choose_columns()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter selects a line, Ctrl+C copies it."""
        index = self.currentIndex()
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            if index.isValid():
                self.clicked.emit(index)
            return
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy([index.row()] if index.isValid() else None)
            return
        super().keyPressEvent(event)

    def mark(self, names: frozenset[str]) -> None:
        """Let lines stand out."""
        self.chosen = names
        self.viewport().update()

    def copy(self, rows: list[int] | None = None) -> None:
        """Put lines on the clipboard, all if none are named."""
        some = list(range(len(self._rows.rows))) if rows is None else rows
        QGuiApplication.clipboard().setText(self._rows.text(some))


class _ProfileDelegate(QStyledItemDelegate):
    """Draws a line: a bar in its state's colour, its name, numbers, a bar of time."""

    def __init__(self, session: Session, view: ProfileTable) -> None:
        super().__init__(view)
        self._session = session
        self._view = view

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """All lines are alike."""
        del option, index
        return QSize(40, ROW_HEIGHT)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: Index
    ) -> None:
        """Draw a cell."""
        row: ProfileRow = index.data(ROW_ROLE)
        state = self._session.state
        theme = THEMES[state.theme]
        rect: QRect = option.rect
        chosen = row.name in self._view.chosen
        painter.save()
        if chosen:
            painter.fillRect(rect, QColor(theme.selected))
        if index.column() == NAME_COLUMN:
            bar = QRectF(rect.left() + 12, rect.top() + 6, 3, rect.height() - 12)
            painter.fillRect(bar, QColor(theme.state_colour(row.state)))
            painter.setFont(font(12, 600 if chosen else 400, mono=row.calls >= 0))
            painter.setPen(QColor(theme.text))
            room = rect.adjusted(22, 0, -2, 0)
            end = Qt.TextElideMode.ElideRight
            text = painter.fontMetrics().elidedText(row.name, end, room.width())
            painter.drawText(room, ALIGN_LEFT, text)
        else:
            if index.column() == TIME_COLUMN:
                track = QRectF(rect.left() + 2, rect.center().y() - 2, BAR_WIDTH, 5)
                painter.fillRect(
                    track, QColor(theme.rule if chosen else theme.hairline)
                )
                longest = self._view.model().longest  # type: ignore[attr-defined]
                track.setWidth(max(track.width() * row.ticks / longest, 1.0))
                painter.fillRect(track, QColor(theme.state_colour(row.state)))
            painter.setFont(font(12))
            weak = index.column() != TIME_COLUMN
            painter.setPen(QColor(theme.text2 if weak else theme.text))
            text = str(index.data() or "")
            painter.drawText(rect.adjusted(0, 0, -TEXT_MARGIN, 0), ALIGN_RIGHT, text)
        painter.restore()
