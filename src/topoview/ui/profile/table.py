"""The table of the profile: its columns, how lines are drawn and copied."""

from PySide6.QtCore import QPoint, QRect, QRectF, QSize, Qt
from PySide6.QtGui import (
    QColor,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QMenu,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeView,
    QWidget,
)

from topoview.analysis.profile_rows import ProfileRow
from topoview.scene.palette import THEMES
from topoview.session import Session
from topoview.ui.fonts import font
from topoview.ui.profile.model import (
    CALLS,
    IMBALANCE,
    LEAST,
    MEAN,
    MOST,
    NAME,
    ROW,
    SHARE,
    TIME,
    Index,
    ProfileModel,
)

WIDTHS = {CALLS: 66, TIME: 104, SHARE: 56, MEAN: 74, LEAST: 74, MOST: 74, IMBALANCE: 82}
FROM = {SHARE: 430, MEAN: 500, LEAST: 650, MOST: 650}
"""Width of the panel from which a column is shown."""

HEIGHT = 24
LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


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
        self.setModel(model)
        self.setItemDelegate(_Delegate(session, self))
        self.setRootIsDecorated(False)
        self.setUniformRowHeights(True)
        self.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setMouseTracking(True)
        self.setAccessibleName("Profile")
        header = self.header()
        header.setFixedHeight(27)
        header.setFont(font(12))
        header.setMinimumSectionSize(30)
        header.setStretchLastSection(False)
        header.setSectionResizeMode(NAME, QHeaderView.ResizeMode.Stretch)
        for column, width in WIDTHS.items():
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.Fixed)
            header.resizeSection(column, width)
        self.setSortingEnabled(True)
        header.setSortIndicatorShown(False)  # the title says it
        self.sortByColumn(TIME, Qt.SortOrder.DescendingOrder)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.customContextMenuRequested.connect(self._menu)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        """Leave names room in a narrow panel."""
        for column, least in FROM.items():
            self.setColumnHidden(column, self.width() < least)
        super().resizeEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
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

    def _menu(self, at: QPoint) -> None:
        menu = QMenu(self)
        index = self.indexAt(at)
        if index.isValid():
            row = index.row()
            menu.addAction("Copy line").triggered.connect(lambda: self.copy([row]))
        menu.addAction("Copy the table").triggered.connect(lambda: self.copy())
        menu.popup(self.viewport().mapToGlobal(at))


class _Delegate(QStyledItemDelegate):
    """Draws a line: a bar in its state's colour, its name, numbers, a bar of time."""

    def __init__(self, session: Session, view: ProfileTable) -> None:
        super().__init__(view)
        self._session = session
        self._view = view

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:  # noqa: N802
        """All lines are alike."""
        del option, index
        return QSize(40, HEIGHT)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: Index
    ) -> None:
        """Draw a cell."""
        row: ProfileRow = index.data(ROW)
        state = self._session.state
        theme = THEMES[state.view.theme]
        rect: QRect = option.rect
        chosen = row.name in self._view.chosen
        painter.save()
        if chosen:
            painter.fillRect(rect, QColor(theme.selected))
        if index.column() == NAME:
            bar = QRectF(rect.left() + 12, rect.top() + 6, 3, rect.height() - 12)
            painter.fillRect(bar, QColor(theme.state_colour(row.state)))
            painter.setFont(font(12, 600 if chosen else 400, mono=row.calls >= 0))
            painter.setPen(QColor(theme.text))
            room = rect.adjusted(22, 0, -2, 0)
            end = Qt.TextElideMode.ElideRight
            text = painter.fontMetrics().elidedText(row.name, end, room.width())
            painter.drawText(room, LEFT, text)
        else:
            if index.column() == TIME:
                track = QRectF(rect.left() + 2, rect.center().y() - 2, 34, 5)
                painter.fillRect(
                    track, QColor(theme.rule if chosen else theme.hairline)
                )
                longest = self._view.model().longest  # type: ignore[attr-defined]
                track.setWidth(max(track.width() * row.ticks / longest, 1.0))
                painter.fillRect(track, QColor(theme.state_colour(row.state)))
            painter.setFont(font(12))
            weak = index.column() != TIME
            painter.setPen(QColor(theme.text2 if weak else theme.text))
            text = str(index.data() or "")
            painter.drawText(rect.adjusted(0, 0, -8, 0), RIGHT, text)
        painter.restore()
