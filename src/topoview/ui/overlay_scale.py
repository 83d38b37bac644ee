"""Paints the scale of numbers that ranks are coloured by, with a histogram."""

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPolygonF

from topoview.scene.annotations import Scale
from topoview.scene.palette import Theme
from topoview.scene.shading import SMALLEST
from topoview.ui.fonts import font

WIDTH = 192.0
HEIGHT = 9.0

BARS_HEIGHT = 18.0
"""Height of the histogram's longest bar, above the scale."""


def paint_scale(
    painter: QPainter, theme: Theme, scale: Scale, left: float, y: float
) -> float:
    """Paint a scale in one row.

    Parameters
    ----------
    left, y
        Where it begins, and the base line of its words.

    Returns
    -------
    float
        Where it ends.
    """
    x = left
    of = "" if scale.look == "fill" else f"{scale.look}: "
    x = _words(painter, of + scale.title, theme.text2, 12, 400, x, y) + 12
    x = _words(painter, scale.low, theme.text, 12, 600, x, y) + 8
    if scale.look == "size":
        _wedge(painter, theme, x, y)
    for number, colour in enumerate(scale.colours):
        step = WIDTH / len(scale.colours)
        part = QRectF(x + number * step, y - HEIGHT, step + 0.6, HEIGHT)
        painter.fillRect(part, QColor(colour))
    if scale.look == "rim":  # hollow, as rims are
        hole = QRectF(x + 3, y - HEIGHT + 3, WIDTH - 6, HEIGHT - 6)
        painter.fillRect(hole, QColor(theme.panel))
    _bars(painter, theme, scale.counts, x, y - HEIGHT - 2)
    return _words(painter, scale.high, theme.text, 12, 600, x + WIDTH + 8, y)


def _wedge(painter: QPainter, theme: Theme, x: float, y: float) -> None:
    """Paint sizes from the smallest to the largest."""
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(theme.text3))
    low = HEIGHT * SMALLEST
    corners = ((x, y), (x, y - low), (x + WIDTH, y - HEIGHT), (x + WIDTH, y))
    painter.drawPolygon(QPolygonF([QPointF(*corner) for corner in corners]))


def _words(  # noqa: PLR0913 - what a text is made of
    painter: QPainter,
    text: str,
    colour: str,
    size: int,
    weight: int,
    x: float,
    y: float,
) -> float:
    painter.setFont(font(size, weight))
    painter.setPen(QColor(colour))
    painter.drawText(QPointF(x, y), text)
    return x + QFontMetricsF(font(size, weight)).horizontalAdvance(text)


def _bars(
    painter: QPainter, theme: Theme, counts: tuple[int, ...], x: float, y: float
) -> None:
    most = max(counts, default=0)
    if not most:
        return
    step = WIDTH / len(counts)
    for number, count in enumerate(counts):
        if count:
            height = max(BARS_HEIGHT * count / most, 1.5)
            bar = QRectF(x + number * step, y - height, step - 1, height)
            painter.fillRect(bar, QColor(theme.text3))
