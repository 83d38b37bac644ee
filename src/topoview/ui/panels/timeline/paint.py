"""Paints a timeline on any QPainter: rows, selection, operations, strip."""

import math
from itertools import pairwise

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPaintEngine, QPainter, QPen, QPolygonF

from topoview.base.text import duration_text, plural, share_text, tr
from topoview.live.timeline.collectives import WindowCollectives
from topoview.live.timeline.device_waits import WindowDeviceWaits
from topoview.live.timeline.rows import RowBands
from topoview.live.timeline.selected_messages import SelectedMessages
from topoview.report.info import UNALIGNED_CLOCKS
from topoview.scene.flat.timeline_pixels import WAITING_LINES
from topoview.scene.palette import Theme
from topoview.ui.panels.timeline import marks
from topoview.ui.panels.timeline.axis import line_with_halo, paint_axis, paint_cursor
from topoview.ui.panels.timeline.critical_path import paint_path
from topoview.ui.panels.timeline.frame import BOTTOM_HEIGHT, TimelineFrame
from topoview.ui.panels.timeline.labels import (
    paint_functions,
    paint_labels,
    paint_streams,
    selected_runs,
)
from topoview.ui.panels.timeline.legend import paint_legend
from topoview.ui.panels.timeline.picture import TimelinePicture
from topoview.ui.panels.timeline.tracks import paint_tracks
from topoview.ui.widgets.formats import absolute_unit, relative_time_text
from topoview.ui.widgets.theme import (
    CENTRE,
    LEFT,
    RIGHT,
    font,
    letter,
    set_shape,
    translucent,
)

VECTOR_ENGINES = QPaintEngine.Type.Pdf, QPaintEngine.Type.SVG
"""Of files in which what ranks do is painted as shapes."""

_MAX_STRONG_LINES = 16
"""Messages of a window up to which they are as strong as selected ones."""

MOST_WAITING = 0.999
"""Share of the ranks from which all but a few wait: it is written with a decimal."""


def paint_timeline(painter: QPainter, picture: TimelinePicture) -> None:
    """Paint a timeline on any painter, a widget's or a report's."""
    paint_still(painter, picture)
    cursor = picture.frame, picture.theme, picture.clock, picture.time
    paint_cursor(painter, *cursor, overview=picture.controls)


def paint_still(painter: QPainter, picture: TimelinePicture) -> None:
    """Paint all that stays when the time cursor moves."""
    frame = picture.frame
    whole = QRectF(0, 0, frame.width, frame.height)
    painter.fillRect(whole, QColor(picture.theme.panel))
    paint_axis(painter, picture)
    marks.paint_markers(painter, picture)
    _paint_rows(painter, picture)
    paint_streams(painter, picture)
    paint_functions(painter, picture)
    marks.paint_spans(painter, picture)
    paint_path(painter, frame, picture.theme, picture.bands, picture.path)
    _paint_front(painter, picture)
    paint_labels(painter, picture)
    _paint_selection(painter, picture)
    _paint_operations(painter, picture)
    _paint_device_waits(painter, picture)
    _paint_messages(painter, picture)
    _paint_front_words(painter, picture)
    marks.paint_notes(painter, picture)
    paint_tracks(painter, picture)
    paint_legend(painter, picture)
    if picture.controls:
        _paint_strip(painter, picture)


def _paint_rows(painter: QPainter, picture: TimelinePicture) -> None:
    image, frame = picture.rows, picture.frame
    if image is None:
        return
    if picture.rows_window == frame.window and image.width() == frame.columns:
        if painter.paintEngine().type() in VECTOR_ENGINES:
            _paint_shapes(painter, image, frame.rows, picture.theme)
        else:
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


def _paint_shapes(painter: QPainter, image: QImage, rows: QRectF, theme: Theme) -> None:
    """Paint rows as a box for each stretch of a colour: no pixels in vector graphics.

    Each box reaches as far as its row, so that nothing shines through between two.
    """
    lines = np.frombuffer(image.constBits(), np.uint32).reshape(image.height(), -1)
    lines = lines[:, : image.width()]
    high, columns = lines.shape
    begins = np.flatnonzero((lines[1:] != lines[:-1]).any(axis=1)) + 1
    unit = rows.width() / columns, rows.height() / high
    lines = lines & np.uint32(0xFFFFFF)
    ground = QColor(theme.panel).rgb() & 0xFFFFFF
    for top, bottom in pairwise([0, *begins.tolist(), high]):
        changes = np.flatnonzero(np.diff(lines[top].astype(np.int64))) + 1
        box = QRectF(rows)
        box.setTop(rows.top() + top * unit[1])
        box.setBottom(rows.top() + bottom * unit[1])
        before = ground
        for begin in [0, *changes.tolist()]:
            colour = int(lines[top, begin])
            box.setLeft(rows.left() + begin * unit[0])
            if colour != ground or before != ground:
                painter.fillRect(box, QColor(colour))
            before = colour


def _paint_front(painter: QPainter, picture: TimelinePicture) -> None:
    """Paint where the waits for a delay begin and end as stairs from group to group."""
    front, frame, bands = picture.front, picture.frame, picture.bands
    if front is None:
        return
    theme = picture.theme
    seen, place, here = np.intersect1d(front.group, bands.group, return_indices=True)
    if not len(seen):
        return
    last = np.append(bands.groups[1:], len(bands.rows)) - 1
    top = [frame.y(float(bands.top[bands.groups[g]])) for g in here.tolist()]
    bottom = [frame.y(float(bands.bottom[last[g]])) for g in here.tolist()]
    begins, ends = front.begin[place], front.end[place]
    painter.save()
    painter.setClipRect(frame.rows)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    join = Qt.PenJoinStyle.RoundJoin
    for ticks, width, dashed in ((ends, 1.2, True), (begins, 1.8, False)):
        stairs = QPolygonF()
        for t, y0, y1 in zip(ticks.tolist(), top, bottom, strict=True):
            stairs.append(QPointF(frame.x(t), y0))
            stairs.append(QPointF(frame.x(t), y1))
        for colour, wide in ((theme.panel, width + 2.0), (theme.ink, width)):
            pen = QPen(QColor(colour), wide)
            pen.setJoinStyle(join)
            if dashed and colour == theme.ink:
                pen.setDashPattern([3, 2.5])
            painter.setPen(pen)
            if not dashed or colour == theme.ink:
                painter.drawPolyline(stairs)
    painter.restore()


def _paint_front_words(painter: QPainter, picture: TimelinePicture) -> None:
    """Write how fast a front is in the middle of the waits, if there is room."""
    front, frame, theme = picture.front, picture.frame, picture.theme
    bands = picture.bands
    if front is None:
        return
    here = np.flatnonzero(np.isin(bands.group, front.group))
    if not len(here):
        return
    last = np.append(bands.groups[1:], len(bands.rows)) - 1
    above = frame.y(float(bands.top[bands.groups[here[0]]]))
    below = frame.y(float(bands.bottom[last[here[-1]]]))
    middle = len(front.group) // 2
    left = max(frame.x(int(front.begin[middle])), frame.rows.left())
    right = min(frame.x(int(front.end[middle])), frame.rows.right())
    painter.setFont(font(12))
    wide = painter.fontMetrics().horizontalAdvance(front.words) + 16
    if not front.words or wide > right - left or below - above < 40:
        return
    y = (above + below) / 2
    box = QRectF((left + right - wide) / 2, y - 10, wide, 20)
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    set_shape(painter, fill=theme.panel)
    painter.drawRoundedRect(box, 3, 3)
    painter.setPen(QColor(theme.text))
    painter.drawText(box, CENTRE, front.words)
    painter.restore()


def _paint_selection(painter: QPainter, picture: TimelinePicture) -> None:
    frame, theme = picture.frame, picture.theme
    rows = frame.rows
    set_shape(painter, edge=theme.ink)
    painter.save()
    painter.setClipRect(rows.adjusted(-2, -2, 2, 2))
    for run in selected_runs(picture.bands, picture.selected, frame.scale):
        # around the lines of pixels that show the rows, not over them
        top = frame.y(math.floor(picture.bands.top[run[0]])) - 0.5
        bottom = frame.y(math.ceil(picture.bands.bottom[run[-1]])) + 0.5
        left = rows.left() - 0.5
        painter.drawRect(QRectF(left, top, rows.width() + 1, bottom - top))
    painter.restore()
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
    for k in bands.index_of_rank((row,)).tolist():
        if bands.is_folded(k):
            continue
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
    """Return whether a selected time is all that is shown: it would hide the axis."""
    return span[0] <= window[0] and span[1] >= window[1]


def message_lines(
    messages: SelectedMessages, frame: TimelineFrame, bands: RowBands
) -> tuple[list[QLineF], list[int]]:
    """Find where messages are drawn, and which of them are: their rows are seen."""
    main = np.flatnonzero(bands.rows == bands.rank)
    middle = np.full(int(bands.rank.max(initial=0)) + 1, np.nan)
    middle[bands.rank[main]] = (bands.top[main] + bands.bottom[main]) / 2
    lines, drawn = [], []
    columns = messages.sender, messages.receiver, messages.sent, messages.received
    for k, (a, b, sent, received) in enumerate(
        zip(*(column.tolist() for column in columns), strict=True)
    ):
        if max(a, b) < len(middle) and not np.isnan(middle[a] + middle[b]):
            ends = frame.y(float(middle[a])), frame.y(float(middle[b]))
            lines.append(QLineF(frame.x(sent), ends[0], frame.x(received), ends[1]))
            drawn.append(k)
    return lines, drawn


def operation_lines(
    operations: WindowCollectives, frame: TimelineFrame, bands: RowBands
) -> list[tuple[QPolygonF, QLineF, QPointF]]:
    """Find where collective operations are drawn, those that are seen.

    Returns
    -------
    QPolygonF
        Arrivals of its ranks from row to row.
    QLineF
        Upright, when the last one came, over all its rows.
    QPointF
        Where that one is.
    """
    main = np.flatnonzero(bands.rows == bands.rank)
    middle = np.full(int(bands.rank.max(initial=0)) + 1, np.nan)
    middle[bands.rank[main]] = (bands.top[main] + bands.bottom[main]) / 2
    result = []
    for k, last in enumerate(operations.last.tolist()):
        own = slice(*operations.offsets[k : k + 2].tolist())
        rank = operations.rank[own]
        rank, enter = (
            rank[rank < len(middle)],
            operations.enter[own][rank < len(middle)],
        )
        y = middle[rank]
        order = np.argsort(y)[: int((~np.isnan(y)).sum())]
        points = [
            QPointF(frame.x(t), frame.y(line))
            for t, line in zip(enter[order].tolist(), y[order].tolist(), strict=True)
        ]
        if not points:
            points = [QPointF(frame.x(int(operations.complete[k])), np.nan)]
        x = frame.x(int(operations.complete[k]))
        upright = QLineF(x, points[0].y(), x, points[-1].y())
        there = last < len(middle) and not np.isnan(middle[last])
        at = QPointF(x, frame.y(float(middle[last])) if there else np.nan)
        result.append((QPolygonF(points), upright, at))
    return result


def _begin_lines(
    painter: QPainter, frame: TimelineFrame, theme: Theme
) -> tuple[QPen, tuple[QPen, QPen]]:
    """Begin to paint lines over the rows: a faint pen, and two for one with a halo."""
    painter.setClipRect(frame.rows)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    halo, faint = QColor(theme.panel), QColor(theme.ink)
    halo.setAlpha(170)
    faint.setAlpha(120)
    return QPen(faint, 0.8), (QPen(halo, 3), QPen(QColor(theme.ink), 1.2))


def _paint_operations(painter: QPainter, picture: TimelinePicture) -> None:
    """Paint collective operations: arrivals, and when and where the last one is."""
    if picture.operations is None:
        return
    frame, theme = picture.frame, picture.theme
    painter.save()
    faint, strong = _begin_lines(painter, frame, theme)
    drawn = operation_lines(picture.operations, frame, picture.bands)
    for arrivals, upright, at in drawn:
        if math.isnan(upright.y1()):
            continue
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(faint)
        painter.drawPolyline(arrivals)
        for pen in strong:
            painter.setPen(pen)
            painter.drawLine(upright)
        if not math.isnan(at.y()):
            set_shape(painter, fill=theme.ink, edge=theme.panel)
            painter.drawEllipse(at, 3.5, 3.5)
    painter.restore()


def device_wait_lines(
    waits: WindowDeviceWaits, frame: TimelineFrame, bands: RowBands
) -> list[QLineF]:
    """Find where waits for devices are drawn: from what ended to who waited for it."""
    place = {row: k for k, row in enumerate(bands.rows.tolist())}
    middle = ((bands.top + bands.bottom) / 2).tolist()
    return [
        QLineF(
            frame.x(ended),
            frame.y(middle[place[stream]]),
            frame.x(end),
            frame.y(middle[place[row]]),
        )
        for row, stream, end, ended in zip(
            waits.row.tolist(),
            waits.stream.tolist(),
            waits.end.tolist(),
            waits.operation_end.tolist(),
            strict=True,
        )
        if row in place and stream in place
    ]


def _paint_device_waits(painter: QPainter, picture: TimelinePicture) -> None:
    """Link the ends of waits for devices to the kernels and copies that end them."""
    bands, theme = picture.bands, picture.theme
    if picture.device_waits is None or not bands.strip.any():
        return
    painter.save()
    _, strong = _begin_lines(painter, picture.frame, theme)
    lines = device_wait_lines(picture.device_waits, picture.frame, bands)
    for pen in strong:
        painter.setPen(pen)
        painter.drawLines(lines)
    set_shape(painter, fill=theme.ink)
    for line in lines:
        painter.drawEllipse(line.p2(), 2.5, 2.5)
    painter.restore()


def _paint_messages(painter: QPainter, picture: TimelinePicture) -> None:
    """Paint all messages of the window if asked, those selected over them."""
    frame, theme = picture.frame, picture.theme
    painter.save()
    faint, strong = _begin_lines(painter, frame, theme)
    if picture.lines is not None:
        lines, _ = message_lines(picture.lines.drawn, frame, picture.bands)
        few = picture.messages is None and len(lines) <= _MAX_STRONG_LINES
        for pen in strong if few else (faint,):
            painter.setPen(pen)
            painter.drawLines(lines)
    if picture.messages is not None:
        lines, _ = message_lines(picture.messages, frame, picture.bands)
        for pen in strong:
            painter.setPen(pen)
            painter.drawLines(lines)
    painter.restore()
    _paint_ruler(painter, picture)


def _paint_ruler(painter: QPainter, picture: TimelinePicture) -> None:
    """Paint the ruler with what lies between its ends."""
    if picture.ruler is None:
        return
    frame, theme, bands = picture.frame, picture.theme, picture.bands
    begin, one, end, other = picture.ruler.ends
    at = []
    for ticks, rank in ((begin, one), (end, other)):
        for k in bands.index_of_rank((rank,))[:1].tolist():
            y = frame.y(float((bands.top[k] + bands.bottom[k]) / 2))
            at.append(QPointF(frame.x(ticks), y))
    if len(at) < 2:
        return
    painter.save()
    painter.setClipRect(frame.rows)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    for colour, width in ((theme.panel, 4.0), (theme.ink, 1.6)):
        painter.setPen(QPen(QColor(colour), width))
        painter.drawLine(*at)
    painter.setBrush(QColor(theme.ink))
    for point in at:
        painter.drawEllipse(point, 3, 3)
    painter.setFont(font(11, 600))
    wide = painter.fontMetrics().horizontalAdvance(picture.ruler.words) + 14
    middle = (at[0] + at[1]) / 2
    rows = frame.rows
    box = QRectF(middle.x() - wide / 2, middle.y() + 6, wide, 18)
    box.moveLeft(min(max(box.left(), rows.left() + 2), rows.right() - wide - 2))
    box.moveBottom(min(box.bottom(), rows.bottom() - 2))
    set_shape(painter, fill=theme.panel, edge=theme.ink)
    painter.drawRoundedRect(box, 3, 3)
    painter.setPen(QColor(theme.text))
    painter.drawText(box, CENTRE, picture.ruler.words)
    painter.restore()


def _paint_strip(painter: QPainter, picture: TimelinePicture) -> None:
    frame, theme, strip = picture.frame, picture.theme, picture.frame.strip
    if picture.strip is not None:
        painter.drawImage(strip, picture.strip, QRectF(picture.strip.rect()))
    letter(painter, font(11), theme.text2)
    upper, lower = (
        strip.center().y(),
        strip.bottom() - WAITING_LINES * strip.height() / 2,
    )
    if picture.waiting:
        upper = strip.top() + (1 - WAITING_LINES) * strip.height() / 2
        line = QRectF(0, lower - 7, frame.gutter - 10, 16)
        painter.drawText(line, RIGHT, tr("waiting"))
    line = QRectF(0, upper - 8, frame.gutter - 10, 16)
    painter.drawText(line, RIGHT, tr("all ranks"))
    left = frame.strip_x(frame.window[0])
    right = min(frame.strip_x(frame.window[1]), strip.right())
    veil = translucent(theme.panel, 165 / 255)
    before, after = QRectF(strip), QRectF(strip)
    before.setRight(left)
    after.setLeft(right)
    painter.fillRect(before, veil)
    painter.fillRect(after, veil)
    set_shape(painter, edge=theme.ink)
    wide = max(3, round(right) - round(left))
    painter.drawRect(
        QRectF(round(left) - 0.5, strip.top() - 1.5, wide, strip.height() + 2)
    )
    clock, time_zero = picture.clock, frame.time_zero
    span = frame.bounds[1] - frame.bounds[0]
    below = QRectF(strip.left(), strip.bottom() + 2, strip.width(), BOTTOM_HEIGHT - 3)
    letter(painter, font(11), theme.text2)
    begin, end = (
        relative_time_text(ticks, time_zero, clock, span, frame.unit)
        for ticks in frame.bounds
    )
    if time_zero is None and not frame.bounds[0]:
        begin = f"0 {absolute_unit(clock, frame.unit)}"
    painter.drawText(below, LEFT, begin)
    painter.drawText(below, RIGHT, end)
    beside = painter.fontMetrics().horizontalAdvance(end) + 12
    between = below.adjusted(beside, 0, -beside, 0)
    metrics = painter.fontMetrics()
    shown = metrics.elidedText(
        _remark_text(picture), Qt.TextElideMode.ElideRight, int(between.width())
    )
    painter.drawText(between, CENTRE, shown)


def _remark_text(picture: TimelinePicture) -> str:
    """Describe what the rows do not show, or show differently from what they seem."""
    words = marks.played_words(picture)
    if picture.lines is not None:
        words.append(picture.lines.words)
    if picture.operations is not None:
        words.append(picture.operations.words)
    if not picture.clock.aligned:
        words.append(UNALIGNED_CLOCKS)
    if picture.bands.hidden:
        words.append(
            tr(
                "no room for {others}",
                others=plural(picture.bands.hidden, "other location"),
            )
        )
    if picture.waiting:
        most = min(picture.waiting, MOST_WAITING)
        share = share_text(most, int(most == MOST_WAITING))
        words.append(tr("waiting: up to {share} of the ranks", share=share))
    return "; ".join(words)
