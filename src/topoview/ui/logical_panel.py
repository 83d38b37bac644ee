"""The logical trace: one program for all ranks, and where they are in it now."""

from PySide6.QtCore import QModelIndex, QPointF, QRect, Qt, QTimer
from PySide6.QtGui import (
    QColor,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPen,
    QPolygonF,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QTreeView,
    QVBoxLayout,
    QWidget,
)

from topoview.analysis.logical_filter import Filter
from topoview.scene.palette import THEMES
from topoview.session import Session, State
from topoview.ui.empty import EmptyView, stacked, why_no_logical
from topoview.ui.fonts import font
from topoview.ui.logical_delegate import (
    COUNT,
    INDENTS,
    LINES,
    SHARE_FROM,
    SHARES,
    TIMES,
    WIDE,
    LogicalDelegate,
)
from topoview.ui.logical_finder import Finder
from topoview.ui.logical_menu import copy_row, show_menu
from topoview.ui.logical_model import (
    HERE,
    LINE,
    SHARE,
    TIME,
    WORDS,
    Index,
    LogicalModel,
)

REST = 250
"""Milliseconds that the time cursor rests before the view follows the ranks."""

UNFOLDED = 400
"""Up to so many rows everything is unfolded at first."""


FOLDED = 20_000
"""From so many rows on everything is folded at first."""


class LogicalPanel(QWidget):
    """Shows the logical trace; a click selects a statement."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.model = LogicalModel(self)
        self.view = _View(session, self.model, self)
        self.empty = EmptyView(self)
        self.content = QWidget(self)
        self.finder = Finder(self.content)
        column = QVBoxLayout(self.content)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.finder)
        column.addWidget(self.view)
        self.finder.wanted.connect(self._filter)
        self.finder.left.connect(self.view.setFocus)
        self._stack = stacked(self, self.content, self.empty)
        self._text: tuple[str, str] | None = None
        self._wanted = Filter()
        self.view.clicked.connect(self._choose)
        self.view.activated.connect(self._choose)
        self._rest = QTimer(self)
        self._rest.setSingleShot(True)
        self._rest.setInterval(REST)
        self._rest.timeout.connect(self._follow_ranks)
        session.subscribe(self._show)
        self._show(State(), session.state)

    def unfold(self, everything: bool) -> None:
        """Unfold or fold all loops."""
        if everything:
            self.view.expandAll()
        else:
            self.view.collapseAll()

    def open_finder(self) -> None:
        """Let the user type what to show."""
        self.finder.open()

    def _filter(self, wanted: Filter) -> None:
        self._wanted = wanted
        self.model.filter(wanted)
        self._unfold_few()
        self.finder.tell(self.model.hidden)
        self.model.mark(self._session.state.selection.edge)

    def _unfold_few(self) -> None:
        tree = self.model.tree
        if tree is not None and len(tree.nodes) <= UNFOLDED:
            self.view.expandAll()
        elif tree is not None and len(tree.nodes) <= FOLDED:
            self.view.expandToDepth(0)

    def _show(self, old: State, new: State) -> None:
        before = old.analysis.logical if old.analysis else None
        after = new.analysis.logical if new.analysis else None
        text = why_no_logical(new.analysis, going_on=new.opening is not None)
        if text != self._text:
            self._text = text
            self.empty.tell(*text)
            self._stack.setCurrentWidget(self.empty if text[0] else self.content)
        fresh = before is not after
        if fresh:
            self.model.show(new.analysis)
            self.finder.close_up()
            self._unfold_few()
        repaint = self._measure(old, new)
        repaint = repaint or fresh or old.view.theme != new.view.theme
        if fresh or old.selection.edge != new.selection.edge:
            self.model.mark(new.selection.edge)
            repaint = True
        if fresh or old.time != new.time or old.selection.ranks != new.selection.ranks:
            moved = self.model.move(new.time, new.selection.ranks)
            repaint = repaint or moved
            if moved and not new.playing:
                self._rest.start()
        if fresh or old.selection.statement != new.selection.statement:
            self._reveal(new.selection.statement)
            repaint = True
        if repaint:
            self.view.viewport().update()

    def _measure(self, old: State, new: State) -> bool:
        """Take the figures when they are there; tells whether they are new."""
        before = old.analysis.measured if old.analysis else None
        after = new.analysis.measured if new.analysis else None
        if before is not after:
            self.model.measure(after)
            if self._wanted:
                self._filter(self._wanted)
        return before is not after

    def _follow_ranks(self) -> None:
        """Scroll to where most ranks are, unless half of them are in sight."""
        best: tuple[int, QModelIndex] | None = None
        inside = in_sight = 0
        index = self.model.index(0, 0)
        area = self.view.viewport().rect()
        while index.isValid():
            node = self.model.node(index)
            here = self.model.here(node)
            if here and (node.call or not self.view.isExpanded(index)):
                inside += here
                if area.contains(self.view.visualRect(index)):
                    in_sight += here
                if best is None or here > best[0]:
                    best = here, index
            index = self.view.indexBelow(index)
        if best is not None and 2 * in_sight < inside:
            middle = QAbstractItemView.ScrollHint.PositionAtCenter
            self.view.scrollTo(best[1], middle)

    def _choose(self, index: QModelIndex) -> None:
        node = self.model.node(index)
        if node.call:
            chosen = self._session.state.selection.statement
            wanted = None if chosen == node.first else node.first
            self._session.select(statement=wanted)
        elif node.kind == "use":
            self._show_block(index)
        else:
            first = index.siblingAtColumn(WORDS)
            self.view.setExpanded(first, not self.view.isExpanded(first))

    def _show_block(self, index: QModelIndex) -> None:
        head = self.model.block_of(index)
        if head.isValid():
            self.view.expand(head)
            top = QAbstractItemView.ScrollHint.PositionAtTop
            self.view.scrollTo(head, top)
            self.view.setCurrentIndex(head)

    def _reveal(self, statement: int | None) -> None:
        index = self.model.index_of(-1 if statement is None else statement)
        if index.isValid():
            self.view.scrollTo(index)
            self.view.setCurrentIndex(index)


class _View(QTreeView):
    """The tree, with chevrons of its own and rows in the style of statements."""

    def __init__(self, session: Session, model: LogicalModel, parent: QWidget) -> None:
        super().__init__(parent)
        self._session = session
        self._statements = model
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
            if self._statements.chosen(self._statements.node(index)):
                self._draw_pointer(painter, rect)
            return
        theme = THEMES[self._session.state.view.theme]
        x, y = rect.right() - self.indentation() / 2, rect.center().y() + 0.5
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
        x, y = rect.right() - 9.0, rect.center().y() + 0.5
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(theme.ink))
        corners = ((0, -4.5), (7, 0), (0, 4.5))
        painter.drawPolygon(QPolygonF([QPointF(x + a, y + b) for a, b in corners]))
        painter.restore()
