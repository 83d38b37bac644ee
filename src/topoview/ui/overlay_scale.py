"""Paints the scale of numbers that ranks are coloured by, with a histogram."""

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QFontMetricsF, QPainter

from topoview.scene.annotations import Scale
from topoview.scene.palette import Theme
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
    x = _words(painter, scale.title, theme.text2, 12, 400, x, y) + 12
    x = _words(painter, scale.low, theme.text, 12, 600, x, y) + 8
    step = WIDTH / len(scale.colours)
    for number, colour in enumerate(scale.colours):
        part = QRectF(x + number * step, y - HEIGHT, step + 0.6, HEIGHT)
        painter.fillRect(part, QColor(colour))
    _bars(painter, theme, scale.counts, x, y - HEIGHT - 2)
    return _words(painter, scale.high, theme.text, 12, 600, x + WIDTH + 8, y)


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
