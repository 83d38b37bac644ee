"""Paints the scales of numbers that are told, with histograms, in rows."""

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPolygonF

from topoview.scene.annotations import Scale
from topoview.scene.palette import Theme
from topoview.scene.shading import SMALLEST
from topoview.ui.fonts import font

WIDTH = 160.0
SHORTEST = 60.0
HEIGHT = 9.0

BARS_HEIGHT = 18.0
"""Height of the histogram's longest bar, above the scale."""

MARGIN = 16.0
LINE = 20.0
"""Pixels about what is written at the edges of a scene, and height of a line."""

ROW = LINE + BARS_HEIGHT
"""Height of a row of scales."""

BETWEEN = 28.0
"""Pixels between two scales of a row."""


def scale_rows(
    scales: tuple[Scale, ...], width: float, *, alone: bool
) -> list[list[tuple[float, Scale]]]:
    """Put scales into rows, the lowest row first, each scale with where it begins.

    Parameters
    ----------
    width
        Of the view.
    alone
        Whether the first one has its row for itself and the key.
    """
    rows: list[list[tuple[float, Scale]]] = []
    x = MARGIN
    for number, scale in enumerate(scales):
        takes = scale_width(scale)
        if not rows or x + takes > width - MARGIN or (alone and number == 1):
            rows.append([])
            x = MARGIN
        rows[-1].append((x, scale))
        x += takes + BETWEEN
    return rows


def scale_width(scale: Scale) -> float:
    """Pixels that a scale takes with its words."""
    ends = QFontMetricsF(font(12, 600))
    title = QFontMetricsF(font(12)).horizontalAdvance(_titled(scale))
    numbers = ends.horizontalAdvance(scale.low) + ends.horizontalAdvance(scale.high)
    return title + 12 + numbers + 8 + WIDTH + 8


def paint_scale(
    painter: QPainter,
    theme: Theme,
    scale: Scale,
    at: tuple[float, float],
    room: float,
) -> float:
    """Paint a scale in one row; where there is little room it is shorter.

    Parameters
    ----------
    at
        Where it begins, and the base line of its words.
    room
        Pixels from there to where it must end.

    Returns
    -------
    float
        Where it ends.
    """
    x, y = at
    long = min(max(WIDTH - scale_width(scale) + room, SHORTEST), WIDTH)
    title = _cut(_titled(scale), room - scale_width(scale) + WIDTH - long)
    x = _words(painter, title, theme.text2, 12, 400, x, y) + 12
    x = _words(painter, scale.low, theme.text, 12, 600, x, y) + 8
    if scale.look == "size":
        _wedge(painter, theme, x, y, long)
    for number, colour in enumerate(scale.colours):
        step = long / len(scale.colours)
        part = QRectF(x + number * step, y - HEIGHT, step + 0.6, HEIGHT)
        painter.fillRect(part, QColor(colour))
    if scale.look == "rim":  # hollow, as rims are
        hole = QRectF(x + 3, y - HEIGHT + 3, long - 6, HEIGHT - 6)
        painter.fillRect(hole, QColor(theme.panel))
    _bars(painter, theme, scale.counts, (x, y - HEIGHT - 2), long)
    return _words(painter, scale.high, theme.text, 12, 600, x + long + 8, y)


def _cut(title: str, left: float) -> str:
    """Shorten a title by the pixels that lack; `left` is negative then."""
    if left >= 0:
        return title
    words = QFontMetricsF(font(12))
    room = max(words.horizontalAdvance(title) + left, 0.0)
    return words.elidedText(title, Qt.TextElideMode.ElideRight, room)


def _titled(scale: Scale) -> str:
    return scale.title if scale.look == "fill" else f"{scale.look}: {scale.title}"


def _wedge(painter: QPainter, theme: Theme, x: float, y: float, long: float) -> None:
    """Paint sizes from the smallest to the largest."""
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(theme.text3))
    low = HEIGHT * SMALLEST
    corners = ((x, y), (x, y - low), (x + long, y - HEIGHT), (x + long, y))
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
    painter: QPainter,
    theme: Theme,
    counts: tuple[int, ...],
    at: tuple[float, float],
    long: float,
) -> None:
    most = max(counts, default=0)
    if not most:
        return
    (x, y), step = at, long / len(counts)
    for number, count in enumerate(counts):
        if count:
            height = max(BARS_HEIGHT * count / most, 1.5)
            bar = QRectF(x + number * step, y - height, step - 1, height)
            painter.fillRect(bar, QColor(theme.text3))
