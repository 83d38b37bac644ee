"""The tree of the logical trace: how its rows are drawn, and what can be copied."""

from collections.abc import Callable

from PySide6.QtCore import (
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    QPointF,
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
    QMouseEvent,
    QPainter,
    QPen,
    QPolygonF,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeView,
    QWidget,
)

from topoview.base.text import duration_text, grouped, share_text, tr
from topoview.model import LogicalTrace, Token
from topoview.report.logical.lines import HOT_SHARE, logical_text
from topoview.scene.palette import THEMES, Theme
from topoview.session import Session
from topoview.ui.panels.logical.model import (
    CAUSED_COLUMN,
    COLUMN_TITLES,
    HERE_COLUMN,
    SHARE_COLUMN,
    STATEMENT_COLUMN,
    TIME_COLUMN,
    WAIT_COLUMN,
    Index,
    LogicalModel,
)
from topoview.ui.panels.logical.tree import TreeNode, here_text, shortened
from topoview.ui.widgets.panel import PointedThing
from topoview.ui.widgets.theme import RIGHT, font, letter, set_shape

ItemIndex = QModelIndex | QPersistentModelIndex

ROW_HEIGHT = 22
WIDE_PANEL = 440
"""Width from which the columns have all the room that looks good."""
INDENT_WIDTHS = (12, 16)
COUNT_WIDTH = 76
TRACK_WIDTHS = (22, 44)
"""Of the bars beside times, in a narrow and in a wide panel."""
LONG_DURATIONS = ("99.9 ms", "0.999 µs")
"""No shorter time is written longer than these."""
TIME_GAP, TIME_MARGIN = 8, 8
"""Pixels between a bar and its time, and at the time's right."""
WIDTHS = {SHARE_COLUMN: (52, 520), WAIT_COLUMN: (72, 600), CAUSED_COLUMN: (72, 660)}
"""Of further columns, and that of the panel from which there is room for them."""

CONDITION_COLOURS = {"light": "#8a4b00", "dark": "#e0a458"}
NAME_COLOURS = {"light": "#1f6b45", "dark": "#7cc79a"}
"""Colours of conditions and of blocks' names, by theme."""


class LogicalDelegate(QStyledItemDelegate):
    """A bar in the state's colour, the words, ranks here, time with a bar."""

    def __init__(
        self, session: Session, model: LogicalModel, parent: QTreeView
    ) -> None:
        super().__init__(parent)
        self._view = parent
        self._session = session
        self._model = model
        self._plain = font(12, mono=True)
        self._strong = font(12, 500, mono=True)
        self._number = font(12)
        self._count = font(12, 600)

    def sizeHint(self, _: QStyleOptionViewItem, __: ItemIndex) -> QSize:
        """All rows are alike."""
        return QSize(40, ROW_HEIGHT)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: ItemIndex
    ) -> None:
        """Draw a cell."""
        rect: QRect = option.rect
        node = self._model.node(index)
        state = self._session.state
        theme = THEMES[state.theme]
        here = self._model.ranks.here(node)
        after = self._model.ranks.after(node)
        unfolded = not node.call and bool(option.state & QStyle.StateFlag.State_Open)
        if unfolded:
            here = after = 0  # the rows below tell
        now = here > 0
        column = index.column()
        painter.save()
        if now and column != HERE_COLUMN:
            whole = rect if column else rect.adjusted(0, 0, COUNT_WIDTH, 0)
            painter.fillRect(whole, QColor(theme.selected))
        if column == STATEMENT_COLUMN:
            # words go on to the number of ranks, which mostly is short
            text = here_text(here, after)
            figures = QFontMetrics(self._count).horizontalAdvance(text)
            right = COUNT_WIDTH - (18 + figures if text else 2)
            room = rect.adjusted(0, 0, right, 0)
            marked = not unfolded and self._model.is_marked(node)
            self._paint_words(painter, room, node, theme, marked=marked)
        elif column == HERE_COLUMN:
            self._paint_here(painter, rect, here, after, theme)
        elif column == SHARE_COLUMN:
            self._paint_share(painter, rect, node, theme)
        elif column in (WAIT_COLUMN, CAUSED_COLUMN):
            self._paint_waits(painter, rect, index, theme)
        else:
            self._paint_time(painter, rect, node, theme, now=now)
        if self._model.is_inside(node) and column == STATEMENT_COLUMN:
            left = self._view.columnViewportPosition(STATEMENT_COLUMN)
            painter.setClipping(False)
            painter.fillRect(QRectF(left, rect.top(), 2, ROW_HEIGHT), QColor(theme.ink))
        if self._model.is_framed(node):
            self._frame(painter, rect, column, theme)
        painter.restore()

    def _paint_words(
        self,
        painter: QPainter,
        rect: QRect,
        node: TreeNode,
        theme: Theme,
        *,
        marked: bool,
    ) -> None:
        x, y = rect.left() + 4.0, rect.center().y() + 5.0
        if node.state >= 0:
            bar = QRectF(x, rect.top() + 5, 3, rect.height() - 10)
            painter.fillRect(bar, QColor(theme.state_colour(node.state)))
            x += 10
        lined = ""
        if node.state >= 0 and marked:
            ways = any(kind == "direction" for _, kind in node.tokens)
            lined = "direction" if ways else "operation"
        colours = {
            "operation": theme.text,
            "direction": theme.text,
            "dim": theme.text2,
            "size": theme.text2,
            "detail": theme.text2,
            "count": theme.accent,
            "condition": CONDITION_COLOURS[theme.name],
            "name": NAME_COLOURS[theme.name],
        }
        painter.setClipRect(rect)
        room = rect.right() - x
        for whole, kind in shortened(node.tokens, lambda t: self._width(t) <= room):
            letter(
                painter,
                self._strong if kind == "operation" else self._plain,
                colours[kind],
            )
            metrics = painter.fontMetrics()
            left = int(rect.right() - x)
            word = metrics.elidedText(whole, Qt.TextElideMode.ElideRight, left)
            painter.drawText(QPointF(x, y), word)
            width = metrics.horizontalAdvance(word)
            if kind == lined:
                painter.setPen(QPen(QColor(theme.ink), 1.4))
                painter.drawLine(QPointF(x, y + 3.5), QPointF(x + width, y + 3.5))
            if word != whole:
                break
            x += width + metrics.horizontalAdvance(" ")

    def _paint_here(
        self, painter: QPainter, rect: QRect, here: int, after: int, theme: Theme
    ) -> None:
        """Write the ranks in a row, and weaker those that compute after it."""
        # over the words' end, which leave room: cut figures would be another number
        room = rect.adjusted(-rect.left(), 0, -10, 0)
        if after:
            past = here_text(0, after)
            letter(painter, self._number, theme.text2)
            painter.drawText(room, RIGHT, past)
            room.setRight(room.right() - painter.fontMetrics().horizontalAdvance(past))
            room.setRight(room.right() - 6)
        if here:
            letter(painter, self._count, theme.text)
            painter.drawText(room, RIGHT, grouped(here))

    def _width(self, words: tuple[Token, ...]) -> int:
        plain, strong = QFontMetrics(self._plain), QFontMetrics(self._strong)
        return sum(
            (strong if kind == "operation" else plain).horizontalAdvance(word)
            for word, kind in words
        ) + plain.horizontalAdvance(" ") * (len(words) - 1)

    def _paint_share(
        self, painter: QPainter, rect: QRect, node: TreeNode, theme: Theme
    ) -> None:
        share = self._model.share(node)
        if share < 0:
            return
        hot = node.state >= 0 and share >= HOT_SHARE
        letter(
            painter,
            self._count if hot else self._number,
            theme.text if share >= HOT_SHARE else theme.text2,
        )
        painter.drawText(rect.adjusted(0, 0, -10, 0), RIGHT, share_text(share, 0))

    def _paint_waits(
        self, painter: QPainter, rect: QRect, index: ItemIndex, theme: Theme
    ) -> None:
        """Write what was waited, or caused, weaker where it is little of all."""
        node = self._model.node(index)
        seconds = self._model.waits(node, index.column())
        strong = seconds >= HOT_SHARE * self._model.most_waits
        letter(
            painter,
            self._count if strong and node.state >= 0 else self._number,
            theme.text if strong else theme.text2,
        )
        room = rect.adjusted(0, 0, -TIME_MARGIN, 0)
        painter.drawText(room, RIGHT, str(index.data() or ""))

    def _paint_time(
        self, painter: QPainter, rect: QRect, node: TreeNode, theme: Theme, *, now: bool
    ) -> None:
        seconds = self._model.seconds(node)
        if node.state >= 0 and self._model.longest > 0:
            share = min(1.0, seconds / self._model.longest)
            width = TRACK_WIDTHS[self._view.width() >= WIDE_PANEL]
            track = QRectF(rect.left() + 2, rect.center().y() - 2, width, 5)
            painter.fillRect(track, QColor(theme.rule if now else theme.hairline))
            if seconds > 0:
                track.setWidth(max(1.0, track.width() * share))
                painter.fillRect(track, QColor(theme.state_colour(node.state)))
        weak = seconds < 0.02 * self._model.longest
        hot = node.state >= 0 and self._model.share(node) >= HOT_SHARE
        letter(
            painter,
            self._count if hot else self._number,
            theme.text2 if weak else theme.text,
        )
        painter.drawText(
            rect.adjusted(0, 0, -TIME_MARGIN, 0), RIGHT, duration_text(seconds)
        )

    def _frame(self, painter: QPainter, rect: QRect, column: int, theme: Theme) -> None:
        """Frame the selected statement in ink, across all columns."""
        painter.setPen(QPen(QColor(theme.ink), 1))
        box = QRectF(rect).adjusted(0.5, 0.5, -0.5, -0.5)
        painter.drawLine(box.topLeft(), box.topRight())
        painter.drawLine(box.bottomLeft(), box.bottomRight())
        if column == STATEMENT_COLUMN:
            painter.drawLine(box.topLeft(), box.bottomLeft())
        if column == self._model.last_column:
            painter.drawLine(box.topRight(), box.bottomRight())


def copy_row(model: LogicalModel, index: Index, *, below: bool) -> None:
    """Put a row on the clipboard, with those below it if wanted."""
    if index.isValid():
        QGuiApplication.clipboard().setText(row_text(model, index, below=below))


def row_text(model: LogicalModel, index: Index, *, below: bool) -> str:
    """Write a row as text, with those below it.

    Calls that are read as one stay one line there, but for the row itself.
    """
    own = model.lines_below(index)
    if not below and model.node(index).kind != "group":
        own = own[:1]
    begin, _ = model.lines_of(model.node(index))
    folded = [
        range(at + 1, line.end - begin)
        for at, line in enumerate(own)
        if at and line.kind == "each"
    ]
    hidden = {at for some in folded for at in some}
    own = tuple(line for at, line in enumerate(own) if at not in hidden)
    least = min((line.depth for line in own), default=0)
    return "\n".join("    " * (line.depth - least) + line.text for line in own)


def row_thing(view: QTreeView, model: LogicalModel, at: QPoint) -> PointedThing:
    """Return the menu's choices for the row at a place."""
    index = view.indexAt(at)
    if not index.isValid():
        return PointedThing()
    own: list[tuple[str, Callable[[], object]]] = [
        (tr("Copy line"), lambda: copy_row(model, index, below=False))
    ]
    first = index.siblingAtColumn(STATEMENT_COLUMN)
    if model.hasChildren(first):
        own += [
            (tr("Copy line and its block"), lambda: copy_row(model, index, below=True)),
            (tr("Unfold all below"), lambda: view.expandRecursively(first)),
        ]
    return PointedThing(str(first.data()), tuple(own))


def copy_listing(logical: LogicalTrace | None) -> None:
    """Put the whole listing on the clipboard."""
    QGuiApplication.clipboard().setText(logical_text(logical) if logical else "")


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
        self.setAccessibleName(tr("Logical trace"))
        header = self.header()
        header.setFixedHeight(27)
        header.setFont(font(12))
        header.setSectionsClickable(False)
        header.setMinimumSectionSize(30)
        header.setStretchLastSection(False)
        header.setSectionResizeMode(STATEMENT_COLUMN, QHeaderView.ResizeMode.Stretch)
        for column in (HERE_COLUMN, TIME_COLUMN, *WIDTHS):
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.Fixed)
        for column, (width, _) in WIDTHS.items():
            header.resizeSection(column, width)
        header.resizeSection(HERE_COLUMN, COUNT_WIDTH)
        model.modelReset.connect(self.fit_times)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)

    def fit_times(self) -> None:
        """Fit the room of times to the longest of them, beside its bar."""
        metrics = QFontMetrics(font(12, 600))
        most = duration_text(self._statements.most_seconds)
        texts = (most, *LONG_DURATIONS, COLUMN_TITLES[TIME_COLUMN])
        wide = max(map(metrics.horizontalAdvance, texts))
        track = TRACK_WIDTHS[self.width() >= WIDE_PANEL]
        room = 2 + track + TIME_GAP + wide + TIME_MARGIN
        self.header().resizeSection(TIME_COLUMN, room)

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

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Click once only: the second click of two has stepped already."""
        if self._doubled:
            self._doubled = False
            self.setState(QAbstractItemView.State.NoState)
            return
        super().mouseReleaseEvent(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Step to the next instance of what is there."""
        at = event.position().toPoint()
        index = self.indexAt(at)
        chevron = (
            at.x() < self.visualRect(index.siblingAtColumn(STATEMENT_COLUMN)).left()
        )
        left = event.button() == Qt.MouseButton.LeftButton
        if not left or chevron or not index.isValid():
            super().mouseDoubleClickEvent(event)
            return
        self._doubled = True
        self.doubleClicked.emit(index)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave the words more room in a narrow panel."""
        wide = self.width() >= WIDE_PANEL
        self.setIndentation(INDENT_WIDTHS[wide])
        self.fit_times()
        room = {
            column for column, (_, least) in WIDTHS.items() if self.width() >= least
        }
        self._statements.last_column = max(room, default=TIME_COLUMN)
        for column in WIDTHS:
            self.setColumnHidden(column, column not in room)
        super().resizeEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter chooses a statement, arrows fold and unfold, Ctrl+C copies."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            if self.currentIndex().isValid():
                self.clicked.emit(self.currentIndex())
            return
        if event.matches(QKeySequence.StandardKey.Copy):
            copy_row(self._statements, self.currentIndex(), below=True)
            return
        super().keyPressEvent(event)

    def drawBranches(self, painter: QPainter, rect: QRect, index: Index) -> None:
        """Draw a chevron before what can be folded, a pointer where selected ranks are.

        As debuggers show the program counter.
        """
        if not self.model().hasChildren(index):
            if self._statements.ranks.chosen(self._statements.node(index)):
                self._draw_pointer(painter, rect)
            return
        theme = THEMES[self._session.state.theme]
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
        theme = THEMES[self._session.state.theme]
        x, y = rect.right() - 7.0, rect.center().y() + 0.5
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        set_shape(painter, fill=theme.ink)
        corners = ((0, -4.5), (7, 0), (0, 4.5))
        painter.drawPolygon(QPolygonF([QPointF(x + a, y + b) for a, b in corners]))
        painter.restore()
