"""Paints cards about ranks and edges over the scene, and tips beside the pointer."""

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen

from topoview.model import Floats
from topoview.scene.annotations import Box, Card, leader_end, place_card
from topoview.scene.palette import Theme
from topoview.ui.fonts import font


def paint_card(  # noqa: PLR0913 - where it is and what it must spare
    painter: QPainter,
    theme: Theme,
    card: Card,
    view: Box,
    spared: tuple[Floats, float],
    taken: list[Box],
) -> Box:
    """Paint a card where it hides least; returns where that is."""
    fonts = [font(12, 600 if number == 0 else 400) for number in range(len(card.lines))]
    width = 20 + max(
        QFontMetricsF(each).horizontalAdvance(line)
        for each, line in zip(fonts, card.lines, strict=True)
    )
    size = (float(int(width) + 1), 20.0 * len(card.lines) + 8)
    if card.leader:
        box = place_card(card.x, card.y, size, view, spared, taken)
        end = leader_end(card.x, card.y, box)
        for colour, stroke in ((theme.panel, 3.0), (theme.ink, 1.0)):
            painter.setPen(QPen(QColor(colour), stroke))
            painter.drawLine(QPointF(card.x, card.y), QPointF(*end))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(theme.ink))
        painter.drawEllipse(QPointF(card.x, card.y), 2.5, 2.5)
    else:
        box = _beside(card, size, view)
    left, top = round(box[0]) + 0.5, round(box[1]) + 0.5
    painter.setBrush(QColor(theme.panel))
    painter.setPen(QPen(QColor(theme.rule), 1))
    painter.drawRoundedRect(QRectF(left, top, box[2], box[3]), 4, 4)
    middle = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
    for number, (each, line) in enumerate(zip(fonts, card.lines, strict=True)):
        painter.setFont(each)
        painter.setPen(QColor(theme.text if number == 0 else theme.text2))
        row = QRectF(left + 10, top + 4 + 20 * number, box[2], 20)
        painter.drawText(row, middle, line)
    return box


def _beside(card: Card, size: tuple[float, float], view: Box) -> Box:
    """Place of a tip: right and below the pointer, or left or above it."""
    x, y = card.x + 16, card.y + 14
    if x + size[0] > view[0] + view[2]:
        x = card.x - 12 - size[0]
    if y + size[1] > view[1] + view[3]:
        y = card.y - 12 - size[1]
    return max(x, view[0]), y, *size
