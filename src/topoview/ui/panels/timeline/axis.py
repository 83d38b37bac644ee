"""Paint the timeline's axis of time, and its cursor."""

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF

from topoview.model import Clock
from topoview.scene.flat.timeline_pixels import TimeAxis
from topoview.scene.palette import Theme
from topoview.ui.panels.timeline import marks
from topoview.ui.panels.timeline.frame import TimelineFrame
from topoview.ui.panels.timeline.picture import TimelinePicture
from topoview.ui.widgets.theme import (
    CENTRE,
    LEFT,
    RIGHT,
    font,
    letter,
    set_shape,
    text_width,
    translucent,
)

_OUTSIDE_ARROW = 8
"""Pixels of the arrow that tells on which side of what is shown the cursor is."""

_MAX_FLAG_WIDTH = 180
"""More than the widest flag and the labels that it covers."""


def paint_axis(painter: QPainter, picture: TimelinePicture) -> None:
    """Paint ticks and their labels."""
    frame, theme = picture.frame, picture.theme
    axis = frame.axis(picture.clock)
    top = frame.rows.top()
    labels = _axis_labels(painter, axis, frame)
    painter.setPen(QColor(theme.text2))
    for box, label in labels:
        painter.drawText(box, CENTRE, label)
    letter(painter, font(12, 600), theme.text)
    painter.drawText(_offset_box(axis, frame), RIGHT, axis.offset)
    painter.setPen(QPen(QColor(theme.rule), 1))
    for ticks in axis.minor:
        _paint_vertical(painter, frame.x(ticks), top - 4, top - 2)
    painter.setPen(QPen(QColor(theme.text3), 1))
    for ticks, _ in axis.ticks:
        _paint_vertical(painter, frame.x(ticks), top - 5, top - 1)


def paint_cursor(  # noqa: PLR0913
    painter: QPainter,
    frame: TimelineFrame,
    theme: Theme,
    clock: Clock,
    time: int,
    *,
    overview: bool = True,
) -> None:
    """Paint the time cursor over what stays."""
    if overview:
        strip, x = frame.strip, frame.strip_x(time)
        line_with_halo(painter, theme, x, strip.top(), strip.bottom() - 1)
    axis = frame.axis(clock)
    if not frame.window[0] <= time <= frame.window[1]:
        _paint_outside(painter, frame, theme, frame.label(clock, time), time)
        return
    words = axis.flag(clock, time)
    flag = _flag_box(painter, frame, frame.x(time), words)
    boxes = [box for box, _ in _axis_labels(painter, axis, frame)]
    for box in (*boxes, marks.time_zero_box(painter, frame)):
        if box.intersects(flag.adjusted(-6, 0, 6, 0)):
            painter.fillRect(box, QColor(theme.panel))
    x = frame.x(time)
    line_with_halo(painter, theme, x, frame.rows.top() - 2, frame.bottom)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    set_shape(painter, fill=theme.ink)
    painter.drawRoundedRect(flag, 3, 3)
    tip = (QPointF(x - 4, 23), QPointF(x + 4, 23), QPointF(x, 28))
    painter.drawPolygon(QPolygonF(list(tip)))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)
    letter(painter, font(11, 600), theme.panel)
    painter.drawText(flag, CENTRE, words)


def _paint_outside(
    painter: QPainter, frame: TimelineFrame, theme: Theme, words: str, time: int
) -> None:
    """Show at the edge the time of a cursor that stands outside of what is shown."""
    box, before = _outside_box(frame, words, time), time < frame.window[0]
    painter.fillRect(box.adjusted(-2, 0, 2, 0), QColor(theme.panel))
    tip = box.left() if before else box.right()
    base = tip + (_OUTSIDE_ARROW if before else -_OUTSIDE_ARROW)
    middle = box.center().y()
    arrow = (
        QPointF(tip, middle),
        QPointF(base, middle - 5),
        QPointF(base, middle + 5),
    )
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    set_shape(painter, fill=theme.ink)
    painter.drawPolygon(QPolygonF(list(arrow)))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)
    letter(painter, font(11, 600), theme.ink)
    painter.drawText(box, RIGHT if before else LEFT, words)


def _outside_box(frame: TimelineFrame, words: str, time: int) -> QRectF:
    """Return the place of the cursor's time at the edge that it lies beyond."""
    wide = text_width(words, 11, 600) + _OUTSIDE_ARROW + 5
    rows = frame.rows
    left = rows.left() if time < frame.window[0] else rows.right() - wide
    return QRectF(left, 7, wide, 16)


def cursor_area(frame: TimelineFrame, time: int) -> list[QRectF]:
    """Return the places that change when the time cursor comes or goes."""
    x, on_strip = frame.x(time), frame.strip_x(time)
    small = QRectF(on_strip - 3, frame.strip.top() - 3, 6, frame.strip.height() + 6)
    if not frame.window[0] <= time <= frame.window[1]:
        before = time < frame.window[0]
        left = frame.rows.left() if before else frame.rows.right() - _MAX_FLAG_WIDTH
        return [QRectF(left - 4, 0, _MAX_FLAG_WIDTH + 8, frame.rows.top()), small]
    flag = QRectF(x - _MAX_FLAG_WIDTH, 0, 2 * _MAX_FLAG_WIDTH, frame.rows.top())
    line = QRectF(x - 4, 0, 8, frame.bottom + 2)
    return [flag, line, small]


def _axis_labels(
    painter: QPainter, axis: TimeAxis, frame: TimelineFrame
) -> list[tuple[QRectF, str]]:
    """Return the labels that are wholly inside, with their places; sets the font."""
    painter.setFont(font(11))
    result = []
    offset = _offset_box(axis, frame).right()
    for ticks, label in axis.ticks:
        wide = text_width(label, 11) + 4
        box = QRectF(frame.x(ticks) - wide / 2, 7, wide, 16)
        first = max(frame.rows.left() - 4, offset)
        if box.left() > first and box.right() < frame.width - 2:
            result.append((box, label))
    return result


def _offset_box(axis: TimeAxis, frame: TimelineFrame) -> QRectF:
    """Return the place of what labels count from: before them, or as far as it goes."""
    wide = text_width(axis.offset, 12, 600)
    return QRectF(max(frame.gutter - 10 - wide, 4), 7, wide, 16)


def _flag_box(painter: QPainter, frame: TimelineFrame, x: float, words: str) -> QRectF:
    """Return the place of the cursor's flag."""
    painter.setFont(font(11, 600))
    wide = text_width(words, 11, 600) + 14
    left = max(x - wide / 2, frame.rows.left() - wide / 3)
    return QRectF(min(left, frame.width - wide - 1), 6, wide, 17)


def line_with_halo(
    painter: QPainter, theme: Theme, x: float, top: float, bottom: float
) -> None:
    """Paint an upright line in ink that is seen on any colour."""
    halo = translucent(theme.panel, 170 / 255)
    left, high = round(x), bottom - top
    painter.fillRect(QRectF(left - 1, top, 3, high), halo)
    painter.fillRect(QRectF(left, top, 1, high), QColor(theme.ink))


def _paint_vertical(painter: QPainter, x: float, top: float, bottom: float) -> None:
    at = round(x) + 0.5
    painter.drawLine(QPointF(at, top), QPointF(at, bottom))
