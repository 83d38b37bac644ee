"""The key below the matrix: its colours, and what the topology does not have."""

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QLinearGradient, QPainter, QPolygonF

from topoview.scene.colour_maps import map_colours
from topoview.scene.matrix_pixels import ABSENT
from topoview.scene.palette import Theme
from topoview.ui.fonts import font
from topoview.ui.formats import grouped, plural, size_text
from topoview.ui.matrix.content import MatrixPicture
from topoview.ui.matrix.frame import BELOW, MatrixFrame

LEFT_MIDDLE = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
SCALE = 84
"""Pixels of the key's colours."""


def paint_key(
    painter: QPainter, frame: MatrixFrame, picture: MatrixPicture, theme: Theme
) -> None:
    """Say what the colours are, and how many pairs the topology does not have."""
    text = size_text if picture.asked.unit == "bytes" else grouped
    shown, y = picture.cells, frame.area.bottom() + BELOW / 2 - 9
    x = frame.area.left()
    painter.setFont(font(12))
    metrics = painter.fontMetrics()
    if not (shown.values != ABSENT).any():
        painter.setPen(QColor(theme.text2))
        painter.drawText(QRectF(x, y, 300, 20), LEFT_MIDDLE, "nothing is sent here")
        return
    low, high = text(shown.low), text(shown.high)
    painter.setPen(QColor(theme.text))
    if not shown.alike:
        painter.drawText(QPointF(x, y + 14), low)
        x += metrics.horizontalAdvance(low) + 6
        band = QRectF(x, y + 5, SCALE, 9)
        gradient = QLinearGradient(band.topLeft(), band.topRight())
        colours = map_colours("cividis", theme, 16)
        for k, colour in enumerate(colours):
            gradient.setColorAt(k / (len(colours) - 1), QColor(colour))
        painter.fillRect(band, gradient)
        x += SCALE + 6
    else:
        colour = map_colours("cividis", theme, 2)[1]
        painter.fillRect(QRectF(x, y + 4, 11, 11), QColor(colour))
        x += 17
    if shown.alike and low != high:
        high = f"{low} to {high}"
    what = "bytes" if picture.asked.unit == "bytes" else f"{picture.matrix.noun}s"
    what = what if picture.cells.exact else f"{what} a pixel"
    words = high if picture.asked.unit == "bytes" else f"{high} {what}"
    if picture.asked.unit == "bytes" and not picture.cells.exact:
        words += " a pixel"
    painter.setPen(QColor(theme.text))
    painter.drawText(QPointF(x, y + 14), words)
    x += metrics.horizontalAdvance(words) + 16
    _paint_remark(painter, frame, picture, theme, QPointF(x, y))


def _paint_remark(
    painter: QPainter,
    frame: MatrixFrame,
    picture: MatrixPicture,
    theme: Theme,
    at: QPointF,
) -> None:
    match = picture.asked.match
    if match is None or not match.extra:
        return
    x, y = at.x(), at.y()
    words = f"{plural(match.extra, 'edge')} not in the topology"
    if x + painter.fontMetrics().horizontalAdvance(words) + 16 > frame.width:
        words = f"{grouped(match.extra)} not in it"
    if x + painter.fontMetrics().horizontalAdvance(words) + 16 > frame.width:
        return
    painter.setBrush(QColor(theme.ink))
    painter.setPen(Qt.PenStyle.NoPen)
    painter.drawPolygon(
        QPolygonF([QPointF(x, y + 4), QPointF(x + 9, y + 4), QPointF(x + 9, y + 13)])
    )
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QColor(theme.text2))
    painter.drawText(QPointF(x + 14, y + 14), words)
