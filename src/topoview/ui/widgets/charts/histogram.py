"""A histogram to brush: bars of counts, of which some are chosen by a drag."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPen
from PySide6.QtWidgets import QWidget

from topoview.base.text import plural, tr, write
from topoview.live.tables.statistics.histogram import LOG_SPAN, Histogram
from topoview.scene.palette import Theme
from topoview.session import Session
from topoview.ui.widgets.charts.chart import Chart
from topoview.ui.widgets.formats import count_text
from topoview.ui.widgets.theme import RIGHT, font, letter, translucent

LEFT_MARGIN, TOP_MARGIN, RIGHT_MARGIN, BOTTOM_MARGIN = 44, 6, 12, 20
ZERO_WIDTH, ZERO_GAP = 12, 6
"""Pixels of the bar for what has no logarithm, and right of it."""

CLICK_TOLERANCE = 3
MIN_LABEL_DISTANCE = 58
"""Pixels between two numbers on the axis."""

Brush = tuple[float, float]


@dataclass(frozen=True, slots=True, eq=False)
class HistogramData:
    """What is drawn."""

    bins: Histogram
    """Counts."""
    noun: str
    """What is counted, such as ``call``."""
    unit: str
    """Of the numbers: ``s``, ``B`` or empty."""
    brush: Brush | None = None
    """From which to below which numbers are chosen; None: all."""
    state: int = -1
    """`TimeState` whose colour the bars have; -1: that of edges."""


class HistogramView(Chart):
    """The bars; a drag brushes them, a click on what is not brushed ends that."""

    SIZE = (388, 96)
    brushed = Signal(object)
    """From which to below which numbers, or None."""

    def __init__(self, session: Session, parent: QWidget) -> None:
        super().__init__(session, parent, tr("Histogram"))
        self.data: HistogramData | None = None
        """What is shown."""
        self._pressed: int | None = None
        self._at = 0
        self._moved = False
        self.setMinimumHeight(72)
        self.setToolTip("")

    def show_bins(self, data: HistogramData | None) -> None:
        """Show other counts."""
        self.data = data
        self.update()

    # Places

    @property
    def _left(self) -> float:
        zeros = self.data is not None and self.data.bins.zeros
        return LEFT_MARGIN + (ZERO_WIDTH + ZERO_GAP if zeros else 0)

    @property
    def _room(self) -> float:
        return max(self.width() - self._left - RIGHT_MARGIN, 8.0)

    @property
    def _floor(self) -> float:
        return self.height() - BOTTOM_MARGIN

    def box_of(self, place: int) -> QRectF:
        """Where a bin is, from the top of the bars to their foot; -1: that of zeros."""
        assert self.data is not None
        tall = self._floor - TOP_MARGIN
        if place < 0:
            return QRectF(LEFT_MARGIN, TOP_MARGIN, ZERO_WIDTH, tall)
        wide = self._room / len(self.data.bins.counts)
        return QRectF(self._left + place * wide, TOP_MARGIN, wide, tall)

    def bin_at(self, x: float) -> int:
        """Bin at or next to some pixels from the left; -1: that of zeros."""
        assert self.data is not None
        count = len(self.data.bins.counts)
        if self.data.bins.zeros and x < self._left - ZERO_GAP / 2:
            return -1
        return min(max(int((x - self._left) * count / self._room), 0), count - 1)

    def _x(self, value: float) -> float:
        """Where a number is."""
        assert self.data is not None
        edges = self.data.bins.edges
        if value < edges[0]:
            return float(LEFT_MARGIN)
        place = np.interp(value, edges, np.arange(len(edges)))
        return float(self._left + place * self._room / (len(edges) - 1))

    def _chosen(self, place: int) -> bool:
        assert self.data is not None
        low, high = sorted((self._pressed or 0, self._at))
        if self._pressed is not None and self._moved:
            return low <= place <= high
        if self.data.brush is None:
            return True
        least, most = self.data.bins.span(place, place)
        return self.data.brush[0] <= (least + most) / 2 < self.data.brush[1]

    # Painting

    def paint(self, painter: QPainter, theme: Theme) -> None:
        """Draw the bars."""
        if self.data is not None and self.data.bins.total:
            self._paint(painter, theme, self.data)

    def _paint(self, painter: QPainter, theme: Theme, data: HistogramData) -> None:
        counts = data.bins.counts
        most = max(int(counts.max()), data.bins.zeros)
        log = most > LOG_SPAN
        height = bar_height(most, self._floor - TOP_MARGIN, log=log)
        self._paint_counts(painter, theme, most, height, log=log)
        state = data.state
        colour = QColor(theme.state_colour(state) if state >= 0 else theme.edge)
        pale = translucent(colour, 0.3)
        bars = [(-1, data.bins.zeros)] if data.bins.zeros else []
        bars += list(enumerate(counts.tolist()))
        for place, count in bars:
            if not count:
                continue
            box = self.box_of(place)
            gap = 1.0 if box.width() >= 4 else 0.0
            box = box.adjusted(0, 0, -gap, 0)
            box.setTop(self._floor - height(count))
            painter.fillRect(box, colour if self._chosen(place) else pale)
        painter.setPen(QColor(theme.rule))
        end = self.width() - RIGHT_MARGIN
        painter.drawLine(QPointF(LEFT_MARGIN, self._floor), QPointF(end, self._floor))
        self._paint_axis(painter, theme, data)
        self._paint_brush(painter, theme, data)

    def _paint_counts(
        self,
        painter: QPainter,
        theme: Theme,
        most: int,
        height: Callable[[float], float],
        *,
        log: bool,
    ) -> None:
        painter.setFont(font(11))
        marks = [10**k for k in range(len(str(most)))] if log else [0, most]
        if len(marks) > 3:
            marks = marks[::2]
        for count in marks:
            y = self._floor - height(count)
            painter.setPen(QColor(theme.hairline))
            if count:
                end = self.width() - RIGHT_MARGIN
                painter.drawLine(QPointF(LEFT_MARGIN, y), QPointF(end, y))
            painter.setPen(QColor(theme.text2))
            box = QRectF(0, max(y - 7, 0), LEFT_MARGIN - 6, 14)
            painter.drawText(box, RIGHT, count_text(count))

    def _paint_axis(self, painter: QPainter, theme: Theme, data: HistogramData) -> None:
        letter(painter, font(11), theme.text2)
        y = self._floor + 4
        after = -math.inf
        if data.bins.zeros:
            painter.drawText(
                QRectF(LEFT_MARGIN - 10, y, 32, 14), Qt.AlignmentFlag.AlignHCenter, "0"
            )
            after = LEFT_MARGIN + 12.0
        bars = QRectF(self._left, 0, self._room, self._floor)
        paint_marks(painter, data.bins, data.unit, bars, after)

    def _paint_brush(
        self, painter: QPainter, theme: Theme, data: HistogramData
    ) -> None:
        if self._pressed is not None and self._moved:
            low, high = sorted((self._pressed, self._at))
            left, right = self.box_of(low).left(), self.box_of(high).right()
        elif data.brush is not None:
            left, right = self._x(data.brush[0]), self._x(data.brush[1])
        else:
            return
        fill = translucent(theme.ink, 0.05)
        box = QRectF(left, TOP_MARGIN, max(right - left, 2), self._floor - TOP_MARGIN)
        painter.fillRect(box, fill)
        painter.setPen(QPen(QColor(theme.ink), 1.5))
        painter.drawLine(box.topLeft(), box.bottomLeft())
        painter.drawLine(box.topRight(), box.bottomRight())

    # The mouse

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Begin to brush."""
        if event.button() == Qt.MouseButton.LeftButton and self.data is not None:
            self._pressed = self._at = self.bin_at(event.position().x())
            self._moved = False

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Brush more, or tell what is there."""
        if self.data is None or not self.data.bins.total:
            return
        place = self.bin_at(event.position().x())
        if self._pressed is not None:
            self._moved |= place != self._pressed
            self._at = place
            self.update()
            return
        bins, unit = self.data.bins, self.data.unit
        count = bins.zeros if place < 0 else int(bins.counts[place])
        low, high = bins.span(place, place)
        words = write(low, unit)
        if write(high, unit) != words:
            words += tr(" to {high}", high=write(high, unit))
        text = f"{plural(count, self.data.noun)}: {words}"
        self.tell(event, text)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Choose the bins that were brushed; a click chooses one, or all again."""
        pressed, self._pressed = self._pressed, None
        if pressed is None or self.data is None:
            return
        place = self.bin_at(event.position().x())
        brush = self.data.bins.span(*sorted((pressed, place)))
        same = not self._moved and self.data.brush is not None
        self._moved = False
        self.update()
        self.brushed.emit(None if same else brush)


def bar_height(most: int, room: float, *, log: bool) -> Callable[[float], float]:
    """Return a function of counts: a count of 1 is seen on a logarithmic axis."""
    if not log:
        return lambda count: max(room * count / max(most, 1), 1.0 if count else 0.0)
    foot = 4.0
    scale = (room - foot) / math.log10(most)
    return lambda count: foot + scale * math.log10(count) if count else 0.0


def round_pace(least: float) -> float:
    """Return the round number (1, 2, 5, 10, ...) that is not below another one."""
    power = 10.0 ** math.floor(math.log10(least))
    return next(power * k for k in (1, 2, 5, 10) if power * k >= least * 0.999)


def paint_marks(
    painter: QPainter, bins: Histogram, unit: str, box: QRectF, after: float
) -> None:
    """Write round numbers below bars in a box, right of a place, that have room."""
    for value in axis_marks(bins, box.width(), unit):
        words = write(value, unit)
        wide = painter.fontMetrics().horizontalAdvance(words)
        share = np.interp(value, bins.edges, np.linspace(0, 1, len(bins.edges)))
        x = min(box.left() + float(share) * box.width(), box.right() - wide / 2)
        if x - wide / 2 > after:
            below = QRectF(x - wide / 2 - 2, box.bottom() + 4, wide + 4, 14)
            painter.drawText(below, Qt.AlignmentFlag.AlignHCenter, words)
            after = x + wide / 2 + 8


def axis_marks(bins: Histogram, room: float, unit: str = "") -> list[float]:
    """Choose round numbers for the axis: of bytes powers of 2 and their multiples."""
    low, high = float(bins.edges[0]), float(bins.edges[-1])
    if bins.log:
        base = 4.0 if unit == "B" else 10.0
        first = math.ceil(math.log(low, base) - 1e-9)
        last = math.floor(math.log(high, base) + 1e-9)
        marks = [base**k for k in range(first, last + 1)]
        across = room * math.log(base, high / low)
        step = max(1, math.ceil(MIN_LABEL_DISTANCE / across))
        return [m for k, m in enumerate(marks, first) if k % step == 0] or [low, high]
    wanted = max(room / MIN_LABEL_DISTANCE, 1.0)
    if high <= low or len(bins.counts) == 1:
        return [low]
    rough = (high - low) / wanted
    if unit == "B":
        pace = 2.0 ** max(math.ceil(math.log2(rough) - 1e-9), 0)
    else:
        pace = round_pace(rough)
    return [k * pace for k in range(math.ceil(low / pace - 1e-9), int(high / pace) + 1)]
