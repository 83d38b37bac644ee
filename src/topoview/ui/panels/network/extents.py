"""The plot of communicators: how far they reach on the machine, how long they take."""

import numpy as np
from PySide6.QtCore import QPointF, Qt, Signal
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPen
from PySide6.QtWidgets import QWidget

from topoview.base.text import duration_text, tr
from topoview.live.tables.parts.extents import measures, timed
from topoview.live.tables.statistics.histogram import correlation
from topoview.model import Floats, Ints, Table
from topoview.model.topology import AXES
from topoview.scene.palette import Theme
from topoview.session import Session
from topoview.ui.panels.network.content import NetworkPicture
from topoview.ui.panels.options import NetworkOptions
from topoview.ui.widgets.charts.chart import Chart
from topoview.ui.widgets.controls import ChoiceBox
from topoview.ui.widgets.formats import tip_text
from topoview.ui.widgets.theme import font, letter, translucent

LEFT, TOP, RIGHT, FOOT = 16, 50, 18, 58
"""Pixels around the plot: the title above, axis and box below."""

POINT = 3.5
"""Radius of a point."""

REACH = 9.0
"""Pixels around the pointer in which a point is found."""


def measure_text(name: str) -> str:
    """Name an extent."""
    return f"{name}-range" if name in AXES else name


LEAST_CORRELATED = 3
"""Operations that a correlation is told of: it means nothing for fewer."""


class ExtentPlot(Chart):
    """A point for each communicator: what it spans, and its slowest operation."""

    SIZE = (220, 400)
    picked = Signal(int)
    """Row of the table that was clicked."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(session, parent, tr("Communicators: extent and time"))
        self._table: Table | None = None
        self._rows: Ints = np.zeros(0, np.int64)
        self._x: Floats = np.zeros(0)
        self._seconds: Floats = np.zeros(0)
        self._chosen: set[int] = set()
        self.setMinimumWidth(180)
        self.setMaximumWidth(300)
        self.measures = ChoiceBox(
            tr("Extent that is plotted"),
            session.setter(NetworkOptions, "extent"),
            self,
            tr("What time depends on most stands first"),
        )

    def resizeEvent(self, event: object) -> None:
        """Keep the choice below the axis."""
        super().resizeEvent(event)  # type: ignore[arg-type]
        self.measures.setGeometry(LEFT, self.height() - 30, self.width() - 34, 26)

    def show_picture(self, picture: NetworkPicture, chosen: set[int]) -> None:
        """Show the communicators of a picture; hide if it lists none."""
        self._table = table = picture.extents
        self.setVisible(table is not None)
        if table is None:
            return
        columns = measures(table)
        self._chosen = chosen
        wanted = picture.request.extent
        name = wanted if wanted in columns else next(iter(columns))
        self.measures.offer({name: measure_text(name) for name in columns}, name)
        there = ~np.isnan(columns[name])  # some route joins the nodes
        self._x, self._rows = columns[name][there], timed(table)[there]
        self._seconds = np.asarray(table["slowest"])[self._rows]
        self.update()

    def point(self, row: int) -> QPointF:
        """Return where a row of the table is, among those that are timed."""
        k = int(np.flatnonzero(self._rows == row)[0])
        x, y = self._points()
        return QPointF(float(x[k]), float(y[k]))

    def _points(self) -> tuple[Floats, Floats]:
        width = self.width() - LEFT - RIGHT
        height = self.height() - TOP - FOOT
        low, high = self._x.min(initial=np.inf), self._x.max(initial=-np.inf)
        span = max(high - low, 1e-9)
        x = LEFT + 6 + (self._x - low) / span * (width - 12)
        most = max(self._seconds.max(initial=0.0), 1e-30)
        return x, TOP + height * (1 - 0.95 * self._seconds / most)

    def paint(self, painter: QPainter, theme: Theme) -> None:
        """Paint points, axes, and how far the two go together."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        letter(painter, font(12, 600), theme.text)
        painter.drawText(QPointF(LEFT, 22), tr("Slowest operation"))
        letter(painter, font(11), theme.text2)
        painter.drawText(QPointF(LEFT, 40), self._words())
        base = self.height() - FOOT
        painter.setPen(QPen(QColor(theme.rule), 1))
        painter.drawLine(QPointF(LEFT, base), QPointF(self.width() - RIGHT, base))
        painter.drawLine(QPointF(LEFT, TOP), QPointF(LEFT, base))
        if len(self._x):
            self._paint_points(painter, theme, base)

    def _words(self) -> str:
        if not len(self._rows):
            return tr("no times are known")
        together = correlation(self._x, self._seconds)
        most = tr("up to {max}", max=duration_text(float(self._seconds.max())))
        if np.isnan(together) or len(self._rows) < LEAST_CORRELATED:
            return most
        return f"r = {together:.2f}; {most}"

    def _paint_points(self, painter: QPainter, theme: Theme, base: float) -> None:
        painter.setPen(QColor(theme.text2))
        low, high = (f"{value:g}" for value in (self._x.min(), self._x.max()))
        painter.drawText(QPointF(LEFT, base + 16), low)
        right = self.width() - RIGHT - painter.fontMetrics().horizontalAdvance(high)
        painter.drawText(QPointF(right, base + 16), high)
        colour = translucent(theme.accent, 0.75)
        for row, x, y in zip(self._rows.tolist(), *self._points(), strict=True):
            marked = row in self._chosen
            painter.setPen(QPen(QColor(theme.ink), 2) if marked else Qt.PenStyle.NoPen)
            painter.setBrush(colour)
            size = POINT + 1.5 if marked else POINT
            painter.drawEllipse(QPointF(float(x), float(y)), size, size)

    def row_at(self, at: QPointF) -> int:
        """Find the row of the communicator at a point, -1 for none."""
        if not len(self._x):
            return -1
        x, y = self._points()
        far = np.hypot(x - at.x(), y - at.y())
        nearest = int(far.argmin())
        return int(self._rows[nearest]) if far[nearest] <= REACH else -1

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Select a communicator."""
        row = self.row_at(event.position())
        if row >= 0 and event.button() == Qt.MouseButton.LeftButton:
            self.picked.emit(row)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Show which communicator is at the pointer."""
        row = self.row_at(event.position())
        if row < 0 or self._table is None:
            self.tell(event, "")
            return
        seconds = float(self._table["slowest"][row])
        index, names = self._table.data["name"]
        text = f"{names[index[row]]}: {duration_text(seconds)}"
        self.tell(event, tip_text(text))
