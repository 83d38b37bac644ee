"""What drawings of numbers share: their ground, size and tips; and those of cells."""

from typing import ClassVar

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QToolTip, QWidget

from topoview.scene.palette import THEMES, Theme
from topoview.session import Session


class Chart(QWidget):
    """A drawing in the colours of the theme; a tip tells what is pointed at."""

    SIZE: ClassVar[tuple[int, int]] = (388, 132)
    """Pixels that look good in a panel."""

    def __init__(self, session: Session, parent: QWidget | None, name: str) -> None:
        super().__init__(parent)
        self._session = session
        self.setMouseTracking(True)
        self.setAccessibleName(name)

    @property
    def theme(self) -> Theme:
        """Colours of the window."""
        return THEMES[self._session.state.theme]

    def paint(self, painter: QPainter, theme: Theme) -> None:
        """Draw what there is."""
        raise NotImplementedError

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw it on the ground of a panel."""
        with QPainter(self) as painter:  # one that is left open crashes Qt
            painter.fillRect(event.rect(), QColor(self.theme.panel))
            self.paint(painter, self.theme)

    def sizeHint(self) -> QSize:
        """Return what looks good in a panel."""
        return QSize(*self.SIZE)

    def tell(self, event: QMouseEvent, words: str) -> None:
        """Show words at the pointer; empty ones hide what was shown."""
        QToolTip.showText(event.globalPosition().toPoint(), words, self)

    def leaveEvent(self, event: QEvent) -> None:
        """Hide the tip."""
        super().leaveEvent(event)
        QToolTip.hideText()


class CellChart(Chart):
    """A chart of rows and columns of cells."""

    MARGINS: ClassVar[tuple[int, int, int, int]]
    """Pixels at the left, top, right and bottom of the cells."""

    @property
    def cells(self) -> tuple[int, int]:
        """How many rows and columns there are."""
        raise NotImplementedError

    @property
    def area(self) -> QRectF:
        """Where the cells are."""
        left, top, right, bottom = self.MARGINS
        wide = max(self.width() - left - right, 16)
        return QRectF(left, top, wide, max(self.height() - top - bottom, 16))

    def box(self, row: int, column: int) -> QRectF:
        """Where a cell is."""
        area, (rows, columns) = self.area, self.cells
        wide, high = area.width() / columns, area.height() / rows
        return QRectF(area.left() + column * wide, area.top() + row * high, wide, high)

    def shares(self, at: QPointF) -> tuple[float, float] | None:
        """Return how far down and across the area a point is; None outside of it."""
        area = self.area
        if not area.contains(at):
            return None
        down, across = at.y() - area.top(), at.x() - area.left()
        return down / area.height(), across / area.width()
