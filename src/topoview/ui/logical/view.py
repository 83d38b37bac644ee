"""The tree of the logical trace, with chevrons of its own."""

from PySide6.QtCore import QPoint, QPointF, QRect, Qt
from PySide6.QtGui import (
    QColor,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPen,
    QPolygonF,
    QResizeEvent,
)
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTreeView, QWidget

from topoview.scene.palette import THEMES
from topoview.session import Session
from topoview.ui.fonts import font
from topoview.ui.logical.delegate import (
    COUNT,
    INDENTS,
    LINES,
    SHARE_FROM,
    SHARES,
    TIMES,
    WIDE,
    LogicalDelegate,
)
from topoview.ui.logical.menu import copy_row, show_menu
from topoview.ui.logical.model import (
    HERE,
    LINE,
    SHARE,
    TIME,
    WORDS,
    Index,
    LogicalModel,
)


class LogicalView(QTreeView):
    """The tree, with chevrons of its own and rows in the style of statements."""

    def __init__(self, session: Session, model: LogicalModel, parent: QWidget) -> None:
        super().__init__(parent)
        self._session = session
        self._statements = model
        self._doubled = False
        self.setModel(model)
        self.setItemDelegate(LogicalDelegate(session, model, self))
        self.setUniformRowHeights(True)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setExpandsOnDoubleClick(False)
        self.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName("Logical trace")
        header = self.header()
        header.setFixedHeight(27)
        header.setFont(font(12))
        header.setSectionsClickable(False)
        header.setMinimumSectionSize(30)
        header.setStretchLastSection(False)
        header.setSectionResizeMode(WORDS, QHeaderView.ResizeMode.Stretch)
        for column in (HERE, TIME, SHARE, LINE):
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.Fixed)
        header.resizeSection(HERE, COUNT)
        header.resizeSection(SHARE, SHARES)
        header.resizeSection(LINE, LINES)
        header.moveSection(LINE, 0)
        self.setTreePosition(WORDS)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.customContextMenuRequested.connect(lambda at: show_menu(self, model, at))

    def repaint_moved(self) -> None:
        """Paint the rows anew that the last move of the ranks has changed."""
        area = self.viewport().rect()
        index = self.indexAt(QPoint(area.left() + 1, area.top() + 1))
        while index.isValid():
            row = self.visualRect(index)
            if row.top() > area.bottom():
                return
            if self._statements.ranks.moved(self._statements.node(index)):
                whole = QRect(area.left(), row.top(), area.width(), row.height())
                self.viewport().update(whole)
            index = self.indexBelow(index)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """Click once only: the second click of two has stepped already."""
        if self._doubled:
            self._doubled = False
            self.setState(QAbstractItemView.State.NoState)
            return
        super().mouseReleaseEvent(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """Step to the next instance of what is there."""
        at = event.position().toPoint()
        index = self.indexAt(at)
        chevron = at.x() < self.visualRect(index.siblingAtColumn(WORDS)).left()
        left = event.button() == Qt.MouseButton.LeftButton
        if not left or chevron or not index.isValid():
            super().mouseDoubleClickEvent(event)
            return
        self._doubled = True
        self.doubleClicked.emit(index)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        """Leave the words more room in a narrow panel."""
        wide = self.width() >= WIDE
        self.setIndentation(INDENTS[wide])
        self.header().resizeSection(TIME, TIMES[wide])
        self._statements.wide = self.width() >= SHARE_FROM
        self.setColumnHidden(SHARE, not self._statements.wide)
        self.setColumnHidden(LINE, not wide)
        super().resizeEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        """Enter chooses a statement, arrows fold and unfold, Ctrl+C copies."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            if self.currentIndex().isValid():
                self.clicked.emit(self.currentIndex())
            return
        if event.matches(QKeySequence.StandardKey.Copy):
            copy_row(self._statements, self.currentIndex(), below=True)
            return
        super().keyPressEvent(event)

    def drawBranches(  # noqa: N802 - Qt's name
        self, painter: QPainter, rect: QRect, index: Index
    ) -> None:
        """Draw a chevron before what can be folded, a pointer where selected ranks are.

        As debuggers show the program counter.
        """
        if not self.model().hasChildren(index):
            if self._statements.ranks.chosen(self._statements.node(index)):
                self._draw_pointer(painter, rect)
            return
        theme = THEMES[self._session.state.view.theme]
        x, y = rect.right() - 4.0, rect.center().y() + 0.5
        turned = self.isExpanded(index)
        corners = ((-4, -2), (0, 2), (4, -2)) if turned else ((-2, -4), (2, 0), (-2, 4))
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        pen = QPen(QColor(theme.text2), 1.4)
        pen.setCapStyle(Qt.PenCapStyle.RoundCap)
        pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
        painter.setPen(pen)
        painter.drawPolyline(QPolygonF([QPointF(x + a, y + b) for a, b in corners]))
        painter.restore()

    def _draw_pointer(self, painter: QPainter, rect: QRect) -> None:
        theme = THEMES[self._session.state.view.theme]
        x, y = rect.right() - 7.0, rect.center().y() + 0.5
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(theme.ink))
        corners = ((0, -4.5), (7, 0), (0, 4.5))
        painter.drawPolygon(QPolygonF([QPointF(x + a, y + b) for a, b in corners]))
        painter.restore()
