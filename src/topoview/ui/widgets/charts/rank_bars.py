"""A bar for every rank: how a number is distributed over them."""

from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPen
from PySide6.QtWidgets import QWidget

from topoview.base.text import duration_text, plural, tr
from topoview.model import Floats, Ints
from topoview.scene.palette import Theme
from topoview.session import Session
from topoview.ui.widgets.charts.chart import Chart
from topoview.ui.widgets.controls import paint_rubber
from topoview.ui.widgets.theme import LEFT, RIGHT, font, letter, translucent

LEFT_MARGIN, TOP_MARGIN, RIGHT_MARGIN, BOTTOM_MARGIN = 12, 26, 12, 20
CLICK_TOLERANCE = 4


@dataclass(frozen=True, slots=True, eq=False)
class RankBarData:
    """What is drawn."""

    title: str
    """What the numbers are."""
    ranks: Ints
    """int64, shape (n,): ranks that there is a bar for, ascending."""
    seconds: Floats
    """float64, shape (n,)"""
    calls: Ints | None
    """int64, shape (n,), or None"""
    colour: int
    """`TimeState` whose colour the bars have."""


def bin_ranks(values: Floats, columns: int) -> tuple[Floats, Floats, Ints]:
    """Gather ranks in as many columns as there are pixels.

    Returns
    -------
    mean, most : float64, shape (columns,)
        Of the ranks of each column.
    first : int64, shape (columns + 1,)
        First rank of each, and the number of ranks.
    """
    count = len(values)
    columns = max(1, min(columns, count))
    first = (np.arange(columns + 1, dtype=np.int64) * count) // columns
    if not count:
        return np.zeros(1), np.zeros(1), np.zeros(2, np.int64)
    mean = np.add.reduceat(values, first[:-1]) / np.diff(first)
    return mean, np.maximum.reduceat(values, first[:-1]), first


class RankBars(Chart):
    """The bars; a click selects a rank, a drag the ranks below it."""

    chosen = Signal(object)
    """A tuple of ranks."""

    def __init__(self, session: Session, parent: QWidget) -> None:
        super().__init__(session, parent, tr("Time of each rank"))
        self.bars: RankBarData | None = None
        """What is shown."""
        self._pressed: float | None = None
        self._at: float | None = None
        self.setMinimumHeight(96)

    def show_bars(self, bars: RankBarData | None) -> None:
        """Show other numbers."""
        self.bars = bars
        self.update()

    def rank_at(self, x: float) -> int | None:
        """Rank whose bar is at some pixels from the left."""
        place = self._place_at(x)
        return (
            None
            if place is None or self.bars is None
            else (int(self.bars.ranks[place]))
        )

    def _place_at(self, x: float) -> int | None:
        """Place of the bar at some pixels from the left; of several the highest."""
        if self.bars is None or not len(self.bars.seconds):
            return None
        mean, _, first = bin_ranks(self.bars.seconds, self._room)
        column = int((x - LEFT_MARGIN) * len(mean) / self._room)
        if not 0 <= column < len(mean):
            return None
        own = self.bars.seconds[first[column] : first[column + 1]]
        return int(first[column] + own.argmax())

    @property
    def _room(self) -> int:
        return max(self.width() - LEFT_MARGIN - RIGHT_MARGIN, 8)

    def paint(self, painter: QPainter, theme: Theme) -> None:
        """Draw the bars."""
        bars = self.bars
        painter.fillRect(0, 0, self.width(), 1, QColor(theme.rule))
        if bars is None or not len(bars.seconds):
            return
        mean, most, first = bin_ranks(bars.seconds, self._room)
        top = float(bars.seconds.max())
        height = self.height() - TOP_MARGIN - BOTTOM_MARGIN
        floor = TOP_MARGIN + height
        pitch = self._room / len(mean)
        gap = 1.0 if pitch >= 4 else 0.0
        colour = QColor(theme.state_colour(bars.colour))
        faint = translucent(colour, 110 / 255)
        for column in range(len(mean)):
            x = LEFT_MARGIN + column * pitch
            for value, shade in ((most[column], faint), (mean[column], colour)):
                tall = height * value / top if top else 0.0
                if value > 0:
                    tall = max(tall, 1.0)
                box = QRectF(x, floor - tall, max(pitch - gap, 0.6), tall)
                painter.fillRect(box, shade)
        average = float(bars.seconds.mean())
        painter.setPen(QPen(QColor(theme.text2), 1, Qt.PenStyle.DashLine))
        if top:
            y = round(floor - height * average / top) + 0.5
            painter.drawLine(LEFT_MARGIN, int(y), LEFT_MARGIN + self._room, int(y))
        self._paint_selected(painter, theme, floor)
        self._paint_words(painter, theme, bars, average, first)

    def _paint_selected(self, painter: QPainter, theme: Theme, floor: float) -> None:
        assert self.bars is not None
        count = len(self.bars.ranks)
        chosen = self._session.state.selection.ranks
        places = np.flatnonzero(np.isin(self.bars.ranks, chosen))
        if len(places) < count:
            pitch = self._room / count
            for x in np.unique((places * pitch).astype(np.int64)).tolist():
                box = QRectF(LEFT_MARGIN + x, floor + 2, max(pitch - 1, 1.5), 3)
                painter.fillRect(box, QColor(theme.ink))
        if self._pressed is not None and self._at is not None:
            left, right = sorted((self._pressed, self._at))
            box = QRectF(left, TOP_MARGIN, right - left, floor - TOP_MARGIN)
            paint_rubber(painter, box, theme)

    def _paint_words(
        self,
        painter: QPainter,
        theme: Theme,
        bars: RankBarData,
        mean: float,
        first: Ints,
    ) -> None:
        letter(painter, font(12, 600), theme.text)
        wide = painter.fontMetrics().horizontalAdvance(bars.title) + 8
        painter.drawText(QRectF(LEFT_MARGIN, 4, wide, 18), LEFT, bars.title)
        letter(painter, font(12), theme.text2)
        top = float(bars.seconds.max())
        text = tr(
            "most {top}, mean {mean}", top=duration_text(top), mean=duration_text(mean)
        )
        box = QRectF(LEFT_MARGIN + wide, 4, self._room - wide, 18)
        painter.drawText(box, RIGHT, text)
        painter.setFont(font(11))
        y = self.height() - BOTTOM_MARGIN + 5
        count = len(bars.ranks)
        below = QRectF(LEFT_MARGIN, y, self._room, 14)
        painter.drawText(below, LEFT, tr("rank {rank}", rank=bars.ranks[0]))
        if count > 1:
            painter.drawText(below, RIGHT, str(bars.ranks[-1]))
        middle = ""
        if bars.ranks[-1] - bars.ranks[0] >= count:
            middle = plural(count, "selected rank")
        if len(first) - 1 < count:
            middle = tr("one bar for several ranks: mean, maximum faint")
        painter.drawText(below, Qt.AlignmentFlag.AlignCenter, middle)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Begin to select."""
        if event.button() == Qt.MouseButton.LeftButton and self.bars is not None:
            self._pressed = event.position().x()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Select more, or tell what is there."""
        at = event.position().x()
        if self._pressed is not None:
            if abs(at - self._pressed) > CLICK_TOLERANCE:
                self._at = at
                self.update()
            return
        place, bars = self._place_at(at), self.bars
        if place is None or bars is None:
            self.tell(event, "")
            return
        took = duration_text(float(bars.seconds[place]))
        words = tr("rank {rank}: {took}", rank=bars.ranks[place], took=took)
        if bars.calls is not None:
            words += f", {plural(int(bars.calls[place]), 'call')}"
        self.tell(event, words)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Select."""
        pressed, at = self._pressed, self._at
        self._pressed = self._at = None
        self.update()
        if pressed is None or self.bars is None:
            return
        if at is None:
            rank = self.rank_at(event.position().x())
            if rank is not None:
                self.chosen.emit((rank,))
            return
        count = len(self.bars.seconds)
        ends = [(x - LEFT_MARGIN) / self._room * count for x in sorted((pressed, at))]
        low, high = max(int(ends[0]), 0), min(int(ends[1]) + 1, count)
        if low < high:
            self.chosen.emit(tuple(self.bars.ranks[low:high].tolist()))
