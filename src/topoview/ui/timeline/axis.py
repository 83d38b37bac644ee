"""Paints the timeline's axis, and the time cursor with its flag."""

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF

from topoview.scene.palette import Theme
from topoview.scene.timeline.ticks import Axis
from topoview.ui.fonts import font
from topoview.ui.timeline.frame import GUTTER, Frame
from topoview.ui.timeline.picture import TimelinePicture
from topoview.ui.timeline.spans import mark_box

LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
CENTRE = Qt.AlignmentFlag.AlignCenter
_FLAG = 180
"""More than the widest flag and the labels that it covers."""


def paint_axis(painter: QPainter, picture: TimelinePicture) -> None:
    """Paint ticks and their labels."""
    frame, theme = picture.frame, picture.theme
    axis = frame.axis(picture.clock)
    top = frame.rows.top()
    labels = _axis_labels(painter, axis, frame)
    painter.setPen(QColor(theme.text2))
    painter.drawText(QRectF(0, 7, GUTTER - 10, 16), RIGHT, axis.unit)
    for box, label in labels:
        painter.drawText(box, CENTRE, label)
    painter.setPen(QPen(QColor(theme.rule), 1))
    for ticks in axis.minor:
        _vertical(painter, frame.x(ticks), top - 4, top - 2)
    painter.setPen(QPen(QColor(theme.text3), 1))
    for ticks, _ in axis.ticks:
        _vertical(painter, frame.x(ticks), top - 5, top - 1)


def paint_cursor(painter: QPainter, picture: TimelinePicture) -> None:
    """Paint the time cursor over what stays."""
    frame, theme, strip = picture.frame, picture.theme, picture.frame.strip
    x = frame.strip_x(picture.time)
    line_with_halo(painter, theme, x, strip.top(), strip.bottom() - 1)
    if not frame.window[0] <= picture.time <= frame.window[1]:
        return
    axis = frame.axis(picture.clock)
    words = frame.label(picture.clock, picture.time)
    flag = _flag(painter, frame, frame.x(picture.time), words)
    boxes = [box for box, _ in _axis_labels(painter, axis, frame)]
    for box in (*boxes, _unit_box(painter, axis), mark_box(painter, frame)):
        if box.intersects(flag.adjusted(-6, 0, 6, 0)):
            painter.fillRect(box, QColor(theme.panel))
    x = frame.x(picture.time)
    line_with_halo(painter, theme, x, frame.rows.top() - 2, frame.rows.bottom())
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(theme.ink))
    painter.drawRoundedRect(flag, 3, 3)
    tip = (QPointF(x - 4, 23), QPointF(x + 4, 23), QPointF(x, 28))
    painter.drawPolygon(QPolygonF(list(tip)))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)
    painter.setFont(font(11, 600))
    painter.setPen(QColor(theme.panel))
    painter.drawText(flag, CENTRE, words)


def cursor_area(frame: Frame, time: int) -> list[QRectF]:
    """Return the places that change when the time cursor comes or goes."""
    x, on_strip = frame.x(time), frame.strip_x(time)
    small = QRectF(on_strip - 3, frame.strip.top() - 3, 6, frame.strip.height() + 6)
    if not frame.window[0] <= time <= frame.window[1]:
        return [small]
    flag = QRectF(x - _FLAG, 0, 2 * _FLAG, frame.rows.top())
    line = QRectF(x - 4, 0, 8, frame.rows.bottom() + 2)
    return [flag, line, small]


def _axis_labels(
    painter: QPainter, axis: Axis, frame: Frame
) -> list[tuple[QRectF, str]]:
    """Return the labels that are wholly inside, with their places; sets the font."""
    painter.setFont(font(11))
    advance = painter.fontMetrics().horizontalAdvance
    found = []
    for ticks, label in axis.ticks:
        wide = advance(label) + 4
        box = QRectF(frame.x(ticks) - wide / 2, 7, wide, 16)
        if box.left() > frame.rows.left() - 4 and box.right() < frame.width - 2:
            found.append((box, label))
    return found


def _unit_box(painter: QPainter, axis: Axis) -> QRectF:
    """Return the place of the unit; sets the font."""
    painter.setFont(font(11))
    wide = painter.fontMetrics().horizontalAdvance(axis.unit) + 4
    return QRectF(GUTTER - 8 - wide, 7, wide, 16)


def _flag(painter: QPainter, frame: Frame, x: float, words: str) -> QRectF:
    """Return the place of the cursor's flag."""
    painter.setFont(font(11, 600))
    wide = painter.fontMetrics().horizontalAdvance(words) + 14
    left = max(x - wide / 2, frame.rows.left() - wide / 3)
    return QRectF(min(left, frame.width - wide - 1), 6, wide, 17)


def line_with_halo(
    painter: QPainter, theme: Theme, x: float, top: float, bottom: float
) -> None:
    """Paint an upright line in ink that is seen on any colour."""
    halo = QColor(theme.panel)
    halo.setAlpha(170)
    for pen in (QPen(halo, 3), QPen(QColor(theme.ink), 1)):
        painter.setPen(pen)
        _vertical(painter, x, top, bottom)


def _vertical(painter: QPainter, x: float, top: float, bottom: float) -> None:
    at = round(x) + 0.5
    painter.drawLine(QPointF(at, top), QPointF(at, bottom))
