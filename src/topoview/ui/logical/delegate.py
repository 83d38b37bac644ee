"""Draws the rows of the logical trace."""

from PySide6.QtCore import (
    QModelIndex,
    QPersistentModelIndex,
    QPointF,
    QRect,
    QRectF,
    QSize,
    Qt,
)
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPen
from PySide6.QtWidgets import (
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeView,
)

from topoview.analysis.logical.times import HOT
from topoview.logical.tokens import Token
from topoview.scene.palette import THEMES, Theme
from topoview.session import Session
from topoview.ui.fonts import font
from topoview.ui.formats import duration_text, grouped, percent_text
from topoview.ui.logical.model import HERE, LINE, SHARE, TIME, WORDS, LogicalModel
from topoview.ui.logical.nodes import Node, shortened
from topoview.ui.logical.now import here_text

Index = QModelIndex | QPersistentModelIndex

ROW = 22
WIDE = 440
"""Width from which the columns have all the room that looks good."""
INDENTS = (12, 16)
COUNT = 76
TIMES = (96, 106)
"""Widths of the second and third column; in a narrow and in a wide panel."""
SHARES = 52
LINES = 40
SHARE_FROM = 520
"""Width from which the share has a column of its own."""

CONDITION = {"light": "#8a4b00", "dark": "#e0a458"}
NAME = {"light": "#1f6b45", "dark": "#7cc79a"}
"""Colours of conditions and of blocks' names, by theme."""

FIGURES = 62
"""Room for a duration beside its bar."""
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


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

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:  # noqa: N802
        """All rows are alike."""
        del option, index
        return QSize(40, ROW)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: Index
    ) -> None:
        """Draw a cell."""
        rect: QRect = option.rect
        node = self._model.node(index)
        state = self._session.state
        theme = THEMES[state.view.theme]
        here = self._model.ranks.here(node)
        after = self._model.ranks.after(node)
        if not node.call and option.state & QStyle.StateFlag.State_Open:
            here = after = 0  # the rows below tell
        now = here > 0
        column = index.column()
        painter.save()
        if now and column not in (HERE, LINE):
            whole = rect if column else rect.adjusted(0, 0, COUNT, 0)
            painter.fillRect(whole, QColor(theme.selected))
        if column == WORDS:
            # words go on to the number of ranks, which mostly is short
            told = here_text(here, after)
            figures = QFontMetrics(self._count).horizontalAdvance(told)
            right = COUNT - (18 + figures if told else 2)
            self._paint_words(painter, rect.adjusted(0, 0, right, 0), node, theme)
        elif column == HERE:
            self._paint_here(painter, rect, here, after, theme)
        elif column == LINE:
            painter.setFont(self._number)
            painter.setPen(QColor(theme.text3))
            painter.drawText(rect.adjusted(0, 0, -6, 0), RIGHT, str(node.line + 1))
        elif column == SHARE:
            self._paint_share(painter, rect, node, theme)
        else:
            self._paint_time(painter, rect, node, theme, now=now)
        if self._model.is_inside(node) and column == WORDS:
            left = self._view.columnViewportPosition(WORDS)
            painter.setClipping(False)
            painter.fillRect(QRectF(left, rect.top(), 2, ROW), QColor(theme.ink))
        if self._model.is_framed(node):
            self._frame(painter, rect, column, theme)
        painter.restore()

    def _paint_words(
        self, painter: QPainter, rect: QRect, node: Node, theme: Theme
    ) -> None:
        x, y = rect.left() + 4.0, rect.center().y() + 5.0
        if node.state >= 0:
            bar = QRectF(x, rect.top() + 5, 3, rect.height() - 10)
            painter.fillRect(bar, QColor(theme.state_colour(node.state)))
            x += 10
        marked = ""
        if node.call and self._model.is_marked(node):
            ways = any(kind == "direction" for _, kind in node.tokens)
            marked = "direction" if ways else "operation"
        colours = {
            "operation": theme.text,
            "direction": theme.text,
            "dim": theme.text2,
            "size": theme.text2,
            "detail": theme.text2,
            "count": theme.accent,
            "condition": CONDITION[theme.name],
            "name": NAME[theme.name],
        }
        painter.setClipRect(rect)
        room = rect.right() - x
        for whole, kind in shortened(node.tokens, lambda t: self._width(t) <= room):
            painter.setFont(self._strong if kind == "operation" else self._plain)
            painter.setPen(QColor(colours[kind]))
            metrics = painter.fontMetrics()
            left = int(rect.right() - x)
            word = metrics.elidedText(whole, Qt.TextElideMode.ElideRight, left)
            painter.drawText(QPointF(x, y), word)
            width = metrics.horizontalAdvance(word)
            if kind == marked:
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
            painter.setFont(self._number)
            painter.setPen(QColor(theme.text2))
            painter.drawText(room, RIGHT, past)
            room.setRight(room.right() - painter.fontMetrics().horizontalAdvance(past))
            room.setRight(room.right() - 6)
        if here:
            painter.setFont(self._count)
            painter.setPen(QColor(theme.text))
            painter.drawText(room, RIGHT, grouped(here))

    def _width(self, words: tuple[Token, ...]) -> int:
        plain, strong = QFontMetrics(self._plain), QFontMetrics(self._strong)
        return sum(
            (strong if kind == "operation" else plain).horizontalAdvance(word)
            for word, kind in words
        ) + plain.horizontalAdvance(" ") * (len(words) - 1)

    def _paint_share(
        self, painter: QPainter, rect: QRect, node: Node, theme: Theme
    ) -> None:
        share = self._model.share(node)
        if share < 0:
            return
        hot = node.call and share >= HOT
        painter.setFont(self._count if hot else self._number)
        painter.setPen(QColor(theme.text if share >= HOT else theme.text2))
        painter.drawText(rect.adjusted(0, 0, -10, 0), RIGHT, percent_text(share))

    def _paint_time(
        self, painter: QPainter, rect: QRect, node: Node, theme: Theme, *, now: bool
    ) -> None:
        seconds = self._model.seconds(node)
        if node.state >= 0 and self._model.longest > 0:
            share = min(1.0, seconds / self._model.longest)
            track = QRectF(
                rect.left() + 2, rect.center().y() - 2, rect.width() - FIGURES, 5
            )
            painter.fillRect(track, QColor(theme.rule if now else theme.hairline))
            if seconds > 0:
                track.setWidth(max(1.0, track.width() * share))
                painter.fillRect(track, QColor(theme.state_colour(node.state)))
        weak = seconds < 0.02 * self._model.longest
        hot = node.call and self._model.share(node) >= HOT
        painter.setFont(self._count if hot else self._number)
        painter.setPen(QColor(theme.text2 if weak else theme.text))
        painter.drawText(rect.adjusted(0, 0, -8, 0), RIGHT, duration_text(seconds))

    def _frame(self, painter: QPainter, rect: QRect, column: int, theme: Theme) -> None:
        """Frame the selected statement in ink, across all columns."""
        painter.setPen(QPen(QColor(theme.ink), 1))
        box = QRectF(rect).adjusted(0.5, 0.5, -0.5, -0.5)
        painter.drawLine(box.topLeft(), box.topRight())
        painter.drawLine(box.bottomLeft(), box.bottomRight())
        if column == LINE:
            painter.drawLine(box.topLeft(), box.bottomLeft())
        if column == (SHARE if self._model.wide else TIME):
            painter.drawLine(box.topRight(), box.bottomRight())
