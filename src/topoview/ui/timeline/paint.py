"""Paints a timeline on any QPainter: the widget's, an image's, a report's."""

import math

import numpy as np
from PySide6.QtCore import QLineF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from topoview.scene.timeline.ticks import time_axis, time_label
from topoview.ui.fonts import font
from topoview.ui.formats import duration_text, plural
from topoview.ui.timeline.axis import (
    CENTRE,
    LEFT,
    RIGHT,
    line_with_halo,
    paint_axis,
    paint_cursor,
)
from topoview.ui.timeline.frame import BELOW, GUTTER
from topoview.ui.timeline.labels import row_labels, selected_runs, short_name
from topoview.ui.timeline.markers import paint_markers
from topoview.ui.timeline.picture import TimelinePicture
from topoview.ui.timeline.spans import paint_spans, played_words


def paint_timeline(painter: QPainter, picture: TimelinePicture) -> None:
    """Paint a timeline on any painter, a widget's or a report's."""
    paint_still(painter, picture)
    paint_cursor(painter, picture)


def paint_still(painter: QPainter, picture: TimelinePicture) -> None:
    """Paint all that stays when the time cursor moves."""
    frame = picture.frame
    whole = QRectF(0, 0, frame.width, frame.height)
    painter.fillRect(whole, QColor(picture.theme.panel))
    paint_axis(painter, picture)
    paint_markers(painter, picture)
    _paint_rows(painter, picture)
    paint_spans(painter, picture)
    _paint_labels(painter, picture)
    _paint_selection(painter, picture)
    _paint_messages(painter, picture)
    _paint_strip(painter, picture)


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
    labels = row_labels(
        picture.order, picture.bands, frame, picture.selected, picture.names
    )
    for label in labels:
        painter.setFont(font(11, 600 if label.strong else 400))
        painter.setPen(QColor(theme.text if label.strong else theme.text2))
        text = short_name(label.text, painter.fontMetrics(), GUTTER - 14)
        painter.drawText(QRectF(0, label.y - 8, GUTTER - 10, 16), RIGHT, text)


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
    _paint_call(painter, picture)
    if picture.span is None or _covers(picture.span, frame.window):
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
        painter.drawText(bar, CENTRE, words)
    for x in (left, right):
        line_with_halo(painter, theme, x, rows.top() - 23, rows.bottom())


def _paint_call(painter: QPainter, picture: TimelinePicture) -> None:
    """Frame the selected call, at least some pixels wide."""
    if picture.call is None:
        return
    row, begin, end = picture.call
    frame, bands, theme = picture.frame, picture.bands, picture.theme
    for k in bands.index_of_rank((row,)):
        left, right = frame.x(begin), max(frame.x(end), frame.x(begin) + 3)
        top = frame.y(math.floor(bands.top[k]))
        bottom = frame.y(math.ceil(bands.bottom[k]))
        box = QRectF(left, top, right - left, max(bottom - top, 3))
        seen = box.adjusted(-1.5, -1.5, 1.5, 1.5) & frame.rows
        if box.right() < frame.rows.left() or box.left() > frame.rows.right():
            continue
        for colour, width in ((theme.panel, 3.5), (theme.ink, 1.6)):
            painter.setPen(QPen(QColor(colour), width))
            painter.drawRect(seen)


def _covers(span: tuple[int, int], window: tuple[int, int]) -> bool:
    """Tell whether a selected time is all that is shown: it would hide the axis."""
    return span[0] <= window[0] and span[1] >= window[1]


def _paint_messages(painter: QPainter, picture: TimelinePicture) -> None:
    messages, frame, bands = picture.messages, picture.frame, picture.bands
    if messages is None:
        return
    ends = np.column_stack((messages.sender, messages.receiver))
    heights = {
        int(rank): frame.y(float((bands.top[k] + bands.bottom[k]) / 2))
        for rank in np.unique(ends)
        for k in bands.index_of_rank((int(rank),))
    }
    lines = [
        QLineF(frame.x(sent), heights[a], frame.x(received), heights[b])
        for (a, b), sent, received in zip(
            ends.tolist(), messages.sent, messages.received, strict=True
        )
    ]
    painter.save()
    painter.setClipRect(frame.rows)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    halo = QColor(picture.theme.panel)
    halo.setAlpha(170)
    for pen in (QPen(halo, 3), QPen(QColor(picture.theme.ink), 1.2)):
        painter.setPen(pen)
        painter.drawLines(lines)
    painter.restore()


def _paint_strip(painter: QPainter, picture: TimelinePicture) -> None:
    frame, theme, strip = picture.frame, picture.theme, picture.frame.strip
    if picture.strip is not None:
        painter.drawImage(strip, picture.strip, QRectF(picture.strip.rect()))
    painter.setFont(font(11))
    painter.setPen(QColor(theme.text2))
    middle = strip.center().y()
    painter.drawText(QRectF(0, middle - 8, GUTTER - 10, 16), RIGHT, "all ranks")
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
    clock, mark = picture.clock, frame.mark
    axis = time_axis(clock, *frame.bounds, strip.width(), unit=frame.unit)
    below = QRectF(strip.left(), strip.bottom() + 2, strip.width(), BELOW - 3)
    painter.setFont(font(11))
    painter.setPen(QColor(theme.text2))
    begin, end = (
        time_label(clock, ticks, axis.unit, axis.decimals, mark)
        for ticks in frame.bounds
    )
    begin = begin if mark is not None else f"0 {axis.unit}"
    painter.drawText(below, LEFT, begin)
    painter.drawText(below, RIGHT, end)
    beside = painter.fontMetrics().horizontalAdvance(end) + 12
    between = below.adjusted(beside, 0, -beside, 0)
    metrics = painter.fontMetrics()
    shown = metrics.elidedText(
        _remarks(picture), Qt.TextElideMode.ElideRight, int(between.width())
    )
    painter.drawText(between, CENTRE, shown)


def _remarks(picture: TimelinePicture) -> str:
    """Say what the rows do not show, or show differently from what they seem."""
    clock = picture.clock
    words = played_words(picture)
    if not clock.aligned:
        words.append("clocks not aligned: do not compare times of different ranks")
    elif clock.alignment is not None:
        within = clock.words(clock.alignment.widest)
        words.append(f"clocks aligned by topoview, to within {within}")
    if picture.bands.hidden:
        words.append(f"no room for {plural(picture.bands.hidden, 'further location')}")
    return "; ".join(words)
