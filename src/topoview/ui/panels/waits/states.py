"""Wait states as bars: by kind, and by the distance from the delay that is shown."""

import math

import numpy as np
from PySide6.QtCore import QEvent, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QHelpEvent, QPainter
from PySide6.QtWidgets import QToolTip, QWidget

from topoview.base.text import duration_text, share_text, tr
from topoview.live.waits.waits import KindSums
from topoview.model import WAIT_KINDS, WAITED_STATES, Analysis, Floats, TimeState
from topoview.report.claims import decay
from topoview.report.profile import KIND_TEXTS
from topoview.report.waits.delays import AS_CLOCKS_ARE
from topoview.report.waits.pages import bounds_text
from topoview.scene.palette import Theme, mix_colours
from topoview.session import Session
from topoview.ui.widgets.charts.chart import Chart
from topoview.ui.widgets.theme import CENTRE, LEFT, RIGHT, font, letter

MARGIN, ROW_HEIGHT, BAR_HEIGHT = 12, 22, 9
NAME_WIDTH, NUMBER_WIDTH = 126, 112
HOPS_HEIGHT = 96
"""Pixels that the bars by distance take, with their title and numbers."""

PALE = 0.45
"""Share of the colour in bars of what is not due to the delay."""

MIN_HOP_WIDTH, MAX_HOP_WIDTH, LABEL_WIDTH = 3.0, 48.0, 28


class WaitBars(Chart):
    """The bars; full colour is what is due to the delay that is shown."""

    def __init__(self, session: Session, parent: QWidget) -> None:
        super().__init__(session, parent, tr("Wait states"))
        self._analysis: Analysis | None = None
        self._delay = -1
        self.kinds: KindSums | None = None
        """What is shown by kind."""
        self.hops: Floats = np.zeros(0)
        """Seconds of the bars by distance."""
        self._bounds = ""

    def show_waits(
        self,
        analysis: Analysis | None,
        delay: int,
        kinds: KindSums | None,
        hops: Floats,
    ) -> None:
        """Show the waits of a trace, and what is due to a delay.

        They stay until others are found, whatever the state has become meanwhile.
        """
        self._analysis, self._delay = analysis, delay
        sums = analysis.wait_sums if analysis else None
        self.kinds, self.hops = kinds, hops
        self._bounds = bounds_text(analysis.trace, sums) if analysis and sums else ""
        self.setMinimumHeight(self.sizeHint().height())
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        """Return what all bars need."""
        rows = self._rows
        high = rows * ROW_HEIGHT + 10 + (HOPS_HEIGHT if len(self.hops) else 0)
        return QSize(300, high)

    @property
    def _rows(self) -> int:
        """Rows above the bars by distance: kinds, and between what their sum lies."""
        return (len(self.kinds.kind) if self.kinds else 0) + bool(self._bounds)

    def event(self, event: QEvent) -> bool:
        """Show the bounds of the kind that is pointed at."""
        if isinstance(event, QHelpEvent):
            analysis = self._analysis
            row = (event.pos().y() - 4) // ROW_HEIGHT
            if (
                analysis
                and analysis.wait_sums
                and self.kinds
                and 0 <= row < len(self.kinds.kind)
            ):
                kind = int(self.kinds.kind[row])
                bounds = bounds_text(analysis.trace, analysis.wait_sums, "kind", kind)
                words = f"{bounds}, {AS_CLOCKS_ARE}" if bounds else ""
                QToolTip.showText(event.globalPos(), words, self)
                return True
        return super().event(event)

    def paint(self, painter: QPainter, theme: Theme) -> None:
        """Draw the bars."""
        if self.kinds is None:
            return
        self._paint_kinds(painter, theme, self.kinds)
        if len(self.hops):
            self._paint_hops(painter, theme, 6 + ROW_HEIGHT * self._rows)

    def _paint_kinds(self, painter: QPainter, theme: Theme, kinds: KindSums) -> None:
        analysis = self._analysis
        assert analysis is not None
        whole, second = max(int(kinds.ticks.sum()), 1), analysis.trace.clock.resolution
        left = MARGIN + NAME_WIDTH
        wide = max(self.width() - left - NUMBER_WIDTH - MARGIN, 20)
        painter.setFont(font(12))
        columns = kinds.kind.tolist(), kinds.ticks.tolist(), kinds.due.tolist()
        for row, (kind, ticks, due) in enumerate(zip(*columns, strict=True)):
            y = 4 + row * ROW_HEIGHT
            name = WAIT_KINDS[kind]
            colour = theme.heel_colour(WAITED_STATES[name]) or theme.ink
            painter.setPen(QColor(theme.text))
            text = painter.fontMetrics().elidedText(
                KIND_TEXTS[name][0].upper() + KIND_TEXTS[name][1:],
                Qt.TextElideMode.ElideRight,
                NAME_WIDTH - 6,
            )
            painter.drawText(QRectF(MARGIN, y, NAME_WIDTH, ROW_HEIGHT), LEFT, text)
            bar = QRectF(left, y + (ROW_HEIGHT - BAR_HEIGHT) / 2, wide, BAR_HEIGHT)
            painter.fillRect(bar, QColor(theme.hairline))
            pale = QRectF(bar)
            pale.setWidth(max(wide * ticks / whole, 1.0))
            is_split = bool(len(self.hops))
            shade = mix_colours(theme.panel, colour, PALE) if is_split else colour
            painter.fillRect(pale, QColor(shade))
            if due and is_split:
                full = QRectF(bar)
                full.setWidth(wide * min(due, ticks) / whole)
                painter.fillRect(full, QColor(colour))
                edge = QRectF(full.right() - 1, bar.top() - 2, 1.5, BAR_HEIGHT + 4)
                painter.fillRect(edge, QColor(theme.ink))
            right = QRectF(self.width() - NUMBER_WIDTH - MARGIN, y, 62, ROW_HEIGHT)
            painter.drawText(right, RIGHT, duration_text(ticks / second))
            painter.setPen(QColor(theme.text2))
            right.translate(NUMBER_WIDTH - 62, 0)
            painter.drawText(right, RIGHT, share_text(ticks / whole, 0))
        if self._bounds:
            y = 4 + len(kinds.kind) * ROW_HEIGHT
            room = QRectF(MARGIN, y, self.width() - 2 * MARGIN, ROW_HEIGHT)
            painter.setPen(QColor(theme.text2))
            painter.drawText(room, LEFT, f"{self._bounds}, {AS_CLOCKS_ARE}")

    def _paint_hops(self, painter: QPainter, theme: Theme, top: float) -> None:
        analysis, hops, delay = self._analysis, self.hops, self._delay
        assert analysis is not None
        assert analysis.delays is not None
        rank = int(analysis.delays.rank[delay])
        letter(painter, font(12, 600), theme.text)
        room = self.width() - 2 * MARGIN
        most = float(np.nanmax(hops, initial=0.0))
        scale = 1e3 if most < 1 else 1.0  # milliseconds, or seconds
        unit = "ms" if scale > 1 else "s"
        title = tr("Wait by hops from rank {rank}, {unit}", rank=rank, unit=unit)
        wide = painter.fontMetrics().horizontalAdvance(title) + 8
        painter.drawText(QRectF(MARGIN, top, room, 18), LEFT, title)
        letter(painter, font(12), theme.text2)
        lost = decay(analysis.trace, analysis.delays, delay)
        if lost.holds:
            text = tr("{decay} less a hop", decay=duration_text(lost.number))
            beside = QRectF(MARGIN + wide, top, room - wide, 18)
            painter.drawText(beside, RIGHT, text)
        pitch = min(max(room / len(hops), MIN_HOP_WIDTH), MAX_HOP_WIDTH)
        floor, high = top + HOPS_HEIGHT - 18, HOPS_HEIGHT - 40
        painter.setFont(font(11))
        for place, seconds in enumerate(hops.tolist()):
            if math.isnan(seconds) or not most:
                continue
            tall = max(high * seconds / most, 1.0)
            box = QRectF(MARGIN + place * pitch, floor - tall, pitch - 2, tall)
            painter.fillRect(box, QColor(theme.state_colour(TimeState.WAIT)))
            if (place + 1) % math.ceil(LABEL_WIDTH / pitch) == 0:
                painter.setPen(QColor(theme.text2))
                under = QRectF(box.center().x() - 16, floor + 1, 32, 14)
                painter.drawText(under, CENTRE, str(place + 1))
            if pitch >= LABEL_WIDTH and tall > 16:
                painter.setPen(QColor("#0f1317"))  # ink, on orange in both themes
                number = f"{seconds * scale:.3g}"
                inside = QRectF(box.left(), box.top() + 1, box.width(), 14)
                painter.drawText(inside, CENTRE, number)
        painter.setPen(QColor(theme.text2))
