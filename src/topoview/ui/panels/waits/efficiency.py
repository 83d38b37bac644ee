"""Efficiencies of POP: numbers of the run or the window, and bars by iteration.

Below them, where a trace has counters, what they count while ranks compute.
"""

import math

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QHelpEvent, QMouseEvent, QPainter
from PySide6.QtWidgets import QToolTip, QWidget

from topoview.base.text import in_sentence, share_text, tr
from topoview.live.waits.waits import iterations_of_delay
from topoview.model import Efficiency, EfficiencySeries, Floats, TimeState, UsefulWork
from topoview.report.waits.pages import work_rows
from topoview.scene.palette import Theme
from topoview.session import Session, State
from topoview.ui.widgets.charts.chart import Chart
from topoview.ui.widgets.charts.rank_bars import bin_ranks
from topoview.ui.widgets.theme import LEFT, RIGHT, font, letter

MARGIN, NUMBERS_HEIGHT, WORK_HEIGHT, TITLE_HEIGHT = 12, 108, 48, 26
MIN_BARS_HEIGHT = 40
COLUMNS = 3
TEXTS = (
    ("parallel", tr("Parallel")),
    ("load_balance", tr("Load balance")),
    ("communication", tr("Communication")),
    ("serialisation", tr("Serialisation")),
    ("transfer", tr("Transfer")),
)
"""Names of the efficiencies, in two rows: the first three, and what the third is of."""


class EfficiencyView(Chart):
    """Numbers and bars; a click on a bar shows that iteration."""

    def __init__(self, session: Session, parent: QWidget) -> None:
        super().__init__(session, parent, tr("Efficiency"))
        self.efficiency: Efficiency | None = None
        self.work: UsefulWork | None = None
        self._reached = (0, 0)
        self._fit()

    def show_efficiency(
        self, efficiency: Efficiency | None, work: UsefulWork | None
    ) -> None:
        """Show other numbers, and what counters count."""
        self.efficiency, self.work = efficiency, work
        self._fit()
        self.update()

    def show_state(self, state: State) -> None:
        """Show which iterations the wave of the delay that is shown reaches."""
        analysis = state.analysis
        self._reached = (
            (0, 0) if analysis is None else iterations_of_delay(analysis, state.delay)
        )
        self.update()

    @property
    def _bars_title(self) -> int:
        """Where the title of the bars begins, in pixels from the top."""
        return NUMBERS_HEIGHT + (WORK_HEIGHT if self.work else 0)

    def _fit(self) -> None:
        self.setMinimumHeight(self._bars_title + TITLE_HEIGHT + MIN_BARS_HEIGHT + 20)

    def sizeHint(self) -> QSize:
        """Return what looks good."""
        return QSize(300, 230 + (WORK_HEIGHT if self.work else 0))

    def _bars(self) -> tuple[EfficiencySeries | None, str]:
        """Return the bars and what they are of: iterations, without any the time."""
        analysis = self._session.state.analysis
        parts = analysis.efficiencies if analysis else None
        if parts is None:
            return None, ""
        if len(parts.by_iteration) > 1:
            return parts.by_iteration, "iteration"
        return parts.over_time, "time"

    @property
    def _room(self) -> int:
        return max(self.width() - 2 * MARGIN, 8)

    def bar_at(self, x: float) -> int:
        """Find the part whose bar is at some pixels from the left, -1 for none."""
        series, _ = self._bars()
        if series is None or not len(series):
            return -1
        place = int((x - MARGIN) * len(series) / self._room)
        return place if 0 <= place < len(series) else -1

    def paint(self, painter: QPainter, theme: Theme) -> None:
        """Draw numbers and bars."""
        if self.efficiency is not None:
            self._paint_numbers(painter, theme, self.efficiency)
        if self.work is not None:
            self._paint_work(painter, theme)
        series, by = self._bars()
        if series is not None and len(series):
            self._paint_bars(painter, theme, series, by)

    def _paint_numbers(
        self, painter: QPainter, theme: Theme, efficiency: Efficiency
    ) -> None:
        wide = self._room / COLUMNS
        for place, (name, text) in enumerate(TEXTS):
            first = place < 3
            column = place if first else place - 2
            x = MARGIN + column * wide
            y = 2 if first else 62
            value = getattr(efficiency, name)
            letter(painter, font(12), theme.text2)
            painter.drawText(QRectF(x, y, wide - 6, 16), LEFT, text)
            letter(painter, font(16 if first else 13, 600), theme.text)
            label = "-" if math.isnan(value) else share_text(value, 0)
            painter.drawText(QRectF(x, y + 16, wide - 6, 22), LEFT, label)
            bar = QRectF(x, y + 40, wide - 14, 4)
            painter.fillRect(bar, QColor(theme.hairline))
            if not math.isnan(value):
                bar.setWidth(bar.width() * min(max(value, 0.0), 1.0))
                painter.fillRect(bar, QColor(theme.text2))

    def _told(self) -> list[tuple[str, str]]:
        """List what counters count, in words; their own names stay as they are."""
        analysis, work = self._session.state.analysis, self.work
        if analysis is None or work is None:
            return []
        return [
            (name if name in work.counted else name[0].upper() + name[1:], value)
            for name, value in work_rows(analysis.trace, work)
        ]

    def _paint_work(self, painter: QPainter, theme: Theme) -> None:
        wide = self._room / COLUMNS
        for column, (name, value) in enumerate(self._told()[:COLUMNS]):
            box = QRectF(MARGIN + column * wide, NUMBERS_HEIGHT + 6, wide - 6, 16)
            for text, size, weight, colour in (
                (name, 12, 400, theme.text2),
                (value, 13, 600, theme.text),
            ):
                letter(painter, font(size, weight), colour)
                metrics = painter.fontMetrics()
                short = metrics.elidedText(
                    text, Qt.TextElideMode.ElideRight, int(box.width())
                )
                painter.drawText(box, LEFT, short)
                box.translate(0, 18)

    def _paint_bars(
        self, painter: QPainter, theme: Theme, series: EfficiencySeries, by: str
    ) -> None:
        values: Floats = np.nan_to_num(series.columns()["parallel"])
        first, last = self._reached if by == "iteration" else (0, 0)
        letter(painter, font(12), theme.text2)
        title = QRectF(MARGIN, self._bars_title, self._room, 18)
        painter.drawText(
            title,
            LEFT,
            tr("Parallel, by iteration")
            if by == "iteration"
            else tr("Parallel, over time"),
        )
        if first:
            text = tr("orange: the wave, {first} to {last}", first=first, last=last)
            painter.drawText(title, RIGHT, text)
        floor = self.height() - 18
        high = max(floor - self._bars_title - TITLE_HEIGHT, 8)
        mean, _, starts = bin_ranks(values, self._room)
        pitch = self._room / len(mean)
        gap = 1.0 if pitch >= 4 else 0.0
        for column, value in enumerate(mean.tolist()):
            number = int(starts[column]) + 1
            reached = first <= number <= last
            colour = theme.state_colour(TimeState.WAIT) if reached else theme.text2
            tall = max(high * value, 1.0)
            box = QRectF(
                MARGIN + column * pitch, floor - tall, max(pitch - gap, 0.6), tall
            )
            painter.fillRect(box, QColor(colour))
        letter(painter, font(11), theme.text2)
        below = QRectF(MARGIN, floor + 2, self._room, 14)
        if by == "iteration":
            painter.drawText(below, LEFT, "1")
            painter.drawText(below, RIGHT, str(len(values)))

    def event(self, event: QEvent) -> bool:
        """Show the bar that is pointed at."""
        if isinstance(event, QHelpEvent):
            place = self.bar_at(event.pos().x())
            series, by = self._bars()
            if NUMBERS_HEIGHT < event.pos().y() < self._bars_title:
                counted = "\n".join(f"{name} {value}" for name, value in self._told())
                tip = tr(
                    "While computing, all ranks together\n{counted}", counted=counted
                )
                QToolTip.showText(event.globalPos(), tip, self)
                return True
            if place >= 0 and series is not None and event.pos().y() > self._bars_title:
                one = series[place]
                name = (
                    tr("iteration {place}", place=place + 1)
                    if by == "iteration"
                    else tr("this stretch")
                )
                tip = "\n".join(
                    f"{in_sentence(text)} {share_text(getattr(one, key))}"
                    for key, text in TEXTS
                    if not math.isnan(getattr(one, key))
                )
                QToolTip.showText(event.globalPos(), f"{name}\n{tip}", self)
                return True
        return super().event(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Show the part whose bar was clicked."""
        self.show_part(event.position())

    def show_part(self, at: QPointF) -> None:
        """Let the window be the iteration, or the stretch of time, of a bar."""
        place, (_, by) = self.bar_at(at.x()), self._bars()
        analysis = self._session.state.analysis
        if place < 0 or at.y() < self._bars_title or analysis is None:
            return
        parts = analysis.efficiencies
        assert parts is not None
        spans = (
            parts.iterations
            if by == "iteration"
            else np.stack([parts.stretches[:-1], parts.stretches[1:]], axis=1)
        )
        begin, end = spans[place].tolist()
        self._session.update(window=(begin, max(end, begin + 1)), time=begin)
