"""Paints a timeline on any QPainter: the widget's, an image's, a report's."""

import math
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPen, QPolygonF

from topoview.model import Clock
from topoview.scene.palette import Theme
from topoview.scene.ticks import Axis, time_axis, time_label
from topoview.scene.timeline_bands import Bands
from topoview.scene.timeline_rows import RowOrder
from topoview.ui.fonts import font
from topoview.ui.formats import duration_text, plural
from topoview.ui.timeline_frame import BELOW, GUTTER, Frame
from topoview.ui.timeline_labels import row_labels, selected_runs

_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_CENTRE = Qt.AlignmentFlag.AlignCenter
FLAG_WIDTH = 110
"""More than the widest time flag; what the cursor may cover of the axis."""


@dataclass(frozen=True, slots=True, eq=False)
class TimelinePicture:
    """All that is to be seen of a timeline.

    Attributes
    ----------
    frame
        Geometry, with the shown window.
    theme, clock, time
        Colours, clock of the trace, time cursor in ticks.
    order, bands
        Which rows there are, and where.
    rows, rows_window
        Image of the rows and the window in ticks that it shows. If that is not
        the frame's window (yet), it is shifted and stretched.
    strip
        Image of the shares of states over the whole run.
    selected
        Selected ranks.
    span
        Selected time window in ticks.
    """

    frame: Frame
    theme: Theme
    clock: Clock
    time: int
    order: RowOrder
    bands: Bands
    rows: QImage | None
    rows_window: tuple[int, int]
    strip: QImage | None
    selected: tuple[int, ...] = ()
    span: tuple[int, int] | None = None


def paint_timeline(painter: QPainter, picture: TimelinePicture) -> None:
    """Paint a timeline on any painter, a widget's or a report's."""
    paint_still(painter, picture)
    paint_cursor(painter, picture)


def paint_still(painter: QPainter, picture: TimelinePicture) -> None:
    """Paint all that stays when the time cursor moves."""
    frame = picture.frame
    whole = QRectF(0, 0, frame.width, frame.height)
    painter.fillRect(whole, QColor(picture.theme.panel))
    _paint_axis(painter, picture)
    _paint_rows(painter, picture)
    _paint_labels(painter, picture)
    _paint_selection(painter, picture)
    _paint_strip(painter, picture)


def paint_cursor(painter: QPainter, picture: TimelinePicture) -> None:
    """Paint the time cursor over what stays."""
    frame, theme, strip = picture.frame, picture.theme, picture.frame.strip
    x = frame.strip_x(picture.time)
    _line_with_halo(painter, theme, x, strip.top(), strip.bottom() - 1)
    if not frame.window[0] <= picture.time <= frame.window[1]:
        return
    axis = time_axis(picture.clock, *frame.window, frame.rows.width())
    words = time_label(picture.clock, picture.time, axis.unit, axis.decimals)
    flag = _flag(painter, frame, frame.x(picture.time), words)
    for box, _ in _axis_labels(painter, axis, frame):
        if box.intersects(flag.adjusted(-6, 0, 6, 0)):
            painter.fillRect(box, QColor(theme.panel))
    x = frame.x(picture.time)
    _line_with_halo(painter, theme, x, frame.rows.top() - 2, frame.rows.bottom())
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(theme.ink))
    painter.drawRoundedRect(flag, 3, 3)
    tip = (QPointF(x - 4, 23), QPointF(x + 4, 23), QPointF(x, 28))
    painter.drawPolygon(QPolygonF(list(tip)))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)
    painter.setFont(font(11, 600))
    painter.setPen(QColor(theme.panel))
    painter.drawText(flag, _CENTRE, words)


def cursor_area(frame: Frame, time: int) -> list[QRectF]:
    """Return the places that change when the time cursor comes or goes."""
    x, on_strip = frame.x(time), frame.strip_x(time)
    flag = QRectF(x - FLAG_WIDTH / 2, 0, FLAG_WIDTH, frame.rows.top())
    if x < frame.rows.left() + FLAG_WIDTH or x > frame.rows.right() - FLAG_WIDTH:
        flag = QRectF(x - FLAG_WIDTH, 0, 2 * FLAG_WIDTH, frame.rows.top())
    line = QRectF(x - 4, 0, 8, frame.rows.bottom() + 2)
    small = QRectF(on_strip - 3, frame.strip.top() - 3, 6, frame.strip.height() + 6)
    return [flag, line, small]


def _paint_axis(painter: QPainter, picture: TimelinePicture) -> None:
    frame, theme = picture.frame, picture.theme
    axis = time_axis(picture.clock, *frame.window, frame.rows.width())
    top = frame.rows.top()
    labels = _axis_labels(painter, axis, frame)
    painter.setPen(QColor(theme.text2))
    painter.drawText(QRectF(0, 7, GUTTER - 10, 16), _RIGHT, axis.unit)
    for box, label in labels:
        painter.drawText(box, _CENTRE, label)
    painter.setPen(QPen(QColor(theme.rule), 1))
    for ticks in axis.minor:
        _vertical(painter, frame.x(ticks), top - 4, top - 2)
    painter.setPen(QPen(QColor(theme.text3), 1))
    for ticks, _ in axis.ticks:
        _vertical(painter, frame.x(ticks), top - 5, top - 1)


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


def _paint_rows(painter: QPainter, picture: TimelinePicture) -> None:
    image, frame = picture.rows, picture.frame
    if image is None:
        return
    if picture.rows_window == frame.window and image.width() == frame.columns:
        painter.drawImage(frame.rows, image, QRectF(image.rect()))
        return
    begin, end = picture.rows_window
    from_, to = max(begin, frame.window[0]), min(end, frame.window[1])
    if from_ >= to:
        return
    left, right = frame.x(from_), frame.x(to)
    a = (from_ - begin) / (end - begin) * image.width()
    b = (to - begin) / (end - begin) * image.width()
    target = QRectF(left, frame.rows.top(), right - left, frame.rows.height())
    painter.drawImage(target, image, QRectF(a, 0, b - a, image.height()))


def _paint_labels(painter: QPainter, picture: TimelinePicture) -> None:
    frame, theme = picture.frame, picture.theme
    labels = row_labels(picture.order, picture.bands, frame, picture.selected)
    for label in labels:
        painter.setFont(font(11, 600 if label.strong else 400))
        painter.setPen(QColor(theme.text if label.strong else theme.text2))
        painter.drawText(QRectF(0, label.y - 8, GUTTER - 10, 16), _RIGHT, label.text)


def _paint_selection(painter: QPainter, picture: TimelinePicture) -> None:
    frame, theme = picture.frame, picture.theme
    rows = frame.rows
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(QColor(theme.ink), 1))
    for first, last in selected_runs(picture.bands, picture.selected):
        # around the lines of pixels that show the rows, not over them
        top = frame.y(math.floor(picture.bands.top[first])) - 0.5
        bottom = frame.y(math.ceil(picture.bands.bottom[last])) + 0.5
        left = rows.left() - 0.5
        painter.drawRect(QRectF(left, top, rows.width() + 1, bottom - top))
    if picture.span is None:
        return
    left = max(frame.x(picture.span[0]), rows.left())
    right = min(frame.x(picture.span[1]), rows.right())
    if left > right:
        return
    bar = QRectF(left, rows.top() - 23, right - left, 17)
    painter.fillRect(bar, QColor(theme.selected))
    length = picture.span[1] - picture.span[0]
    words = duration_text(picture.clock.seconds(length))
    painter.setFont(font(11, 600))
    if painter.fontMetrics().horizontalAdvance(words) + 8 < bar.width():
        painter.setPen(QColor(theme.text))
        painter.drawText(bar, _CENTRE, words)
    for x in (left, right):
        _line_with_halo(painter, theme, x, rows.top() - 23, rows.bottom())


def _paint_strip(painter: QPainter, picture: TimelinePicture) -> None:
    frame, theme, strip = picture.frame, picture.theme, picture.frame.strip
    if picture.strip is not None:
        painter.drawImage(strip, picture.strip, QRectF(picture.strip.rect()))
    painter.setFont(font(11))
    painter.setPen(QColor(theme.text2))
    middle = strip.center().y()
    painter.drawText(QRectF(0, middle - 8, GUTTER - 10, 16), _RIGHT, "all ranks")
    left, right = frame.strip_x(frame.window[0]), frame.strip_x(frame.window[1])
    veil = QColor(theme.panel)
    veil.setAlpha(165)
    before, after = QRectF(strip), QRectF(strip)
    before.setRight(left)
    after.setLeft(right)
    painter.fillRect(before, veil)
    painter.fillRect(after, veil)
    painter.setPen(QPen(QColor(theme.ink), 1))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    wide = max(3, round(right) - round(left))
    painter.drawRect(
        QRectF(round(left) - 0.5, strip.top() - 1.5, wide, strip.height() + 2)
    )
    axis = time_axis(picture.clock, *frame.bounds, strip.width())
    below = QRectF(strip.left(), strip.bottom() + 1, strip.width(), BELOW - 2)
    painter.setFont(font(10))
    painter.setPen(QColor(theme.text2))
    painter.drawText(below, Qt.AlignmentFlag.AlignLeft, f"0 {axis.unit}")
    end = time_label(picture.clock, frame.bounds[1], axis.unit, axis.decimals)
    painter.drawText(below, Qt.AlignmentFlag.AlignRight, end)
    if picture.bands.hidden:
        words = f"no room for {plural(picture.bands.hidden, 'further location')}"
        painter.drawText(below, Qt.AlignmentFlag.AlignHCenter, words)


def _flag(painter: QPainter, frame: Frame, x: float, words: str) -> QRectF:
    """Return the place of the cursor's flag."""
    painter.setFont(font(11, 600))
    wide = painter.fontMetrics().horizontalAdvance(words) + 14
    left = max(x - wide / 2, frame.rows.left() - wide / 3)
    return QRectF(min(left, frame.width - wide - 1), 6, wide, 17)


def _line_with_halo(
    painter: QPainter, theme: Theme, x: float, top: float, bottom: float
) -> None:
    halo = QColor(theme.panel)
    halo.setAlpha(170)
    for pen in (QPen(halo, 3), QPen(QColor(theme.ink), 1)):
        painter.setPen(pen)
        _vertical(painter, x, top, bottom)


def _vertical(painter: QPainter, x: float, top: float, bottom: float) -> None:
    at = round(x) + 0.5
    painter.drawLine(QPointF(at, top), QPointF(at, bottom))
