"""Words with a rim in the background's colour, which are read over anything."""

from functools import lru_cache

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import (
    QColor,
    QFontMetricsF,
    QImage,
    QPainter,
    QPainterPath,
    QPen,
    QPixmap,
)

from topoview.scene.annotations import Label
from topoview.scene.palette import Theme
from topoview.ui.fonts import font

RIM = 3.0
"""Width of the rim's pen: half of it is outside of the words."""

KEPT = 4096
"""Words that are kept as images: each is about 2 kB."""


def paint_label(painter: QPainter, theme: Theme, label: Label) -> None:
    """Write a word centred at its place.

    Outlines of letters take long: on a window's pixmap they are painted once and
    kept, and stand on whole pixels. Pictures and pages get outlines.
    """
    colour = theme.text if label.strong else theme.text2
    device = painter.device()
    if not isinstance(device, QPixmap):
        half = QFontMetricsF(font(11)).horizontalAdvance(label.text) / 2
        at = QPointF(label.x - half, label.y + 4)
        _write(painter, label.text, theme.panel, colour, at)
        return
    ratio = device.devicePixelRatioF() * painter.worldTransform().m11()
    image, left, top = _word(label.text, theme.panel, colour, ratio)
    x, y = ((label.x - left) * ratio, (label.y + 4 - top) * ratio)
    painter.drawImage(QPointF(round(x) / ratio, round(y) / ratio), image)


@lru_cache(maxsize=KEPT)
def _word(
    text: str, rim: str, colour: str, ratio: float
) -> tuple[QImage, float, float]:
    """Image of a word, and where the middle of its base line is in it."""
    metrics = QFontMetricsF(font(11))
    width = metrics.horizontalAdvance(text) + 2 * RIM
    height = metrics.height() + 2 * RIM
    size = int(width * ratio) + 1, int(height * ratio) + 1
    image = QImage(*size, QImage.Format.Format_ARGB32_Premultiplied)
    image.setDevicePixelRatio(ratio)
    image.fill(Qt.GlobalColor.transparent)
    base = RIM + metrics.ascent()
    with QPainter(image) as painter:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        _write(painter, text, rim, colour, QPointF(RIM, base))
    return image, width / 2, base


def _write(painter: QPainter, text: str, rim: str, colour: str, at: QPointF) -> None:
    path = _outlines(text).translated(at)
    pen = QPen(QColor(rim), RIM)
    pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(pen)
    painter.drawPath(path)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(colour))
    painter.drawPath(path)


@lru_cache(maxsize=KEPT)
def _outlines(text: str) -> QPainterPath:
    """Outlines of a word at the origin.

    Qt does not find quite the same ones each time: without keeping them two pictures
    of the same would differ by shades in a few pixels.
    """
    path = QPainterPath()
    path.addText(0, 0, font(11), text)
    return path
