"""Paints the tracks below the rows, and says what is at a place of them."""

from html import escape
from typing import Final

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPen, QPolygonF

from topoview.base.text import duration_text, plural, tr, write
from topoview.live.timeline import tracks
from topoview.live.timeline.call_stack import StackSpans
from topoview.model import Floats, TimeState, Trace
from topoview.scene.flat.timeline_pixels import packed_colour, strip_pixels
from topoview.scene.palette import Theme, map_colours, region_colours, text_on
from topoview.session import State
from topoview.ui.panels.timeline.frame import TimelineFrame
from topoview.ui.panels.timeline.picture import ShownTrack, TimelinePicture
from topoview.ui.widgets.theme import LEFT, RIGHT, font, letter, set_shape

_MIN_TEXT_WIDTH: Final = 24
_MIN_TEXT_HEIGHT: Final = 12


def track_title(shown: ShownTrack) -> tuple[str, str]:
    """Write what a track is in two lines."""
    track = shown.track
    title = tr("rank {rank}", rank=shown.request.rank) if track.of_rank else track.title
    return title, track.remark


def paint_tracks(painter: QPainter, picture: TimelinePicture) -> None:
    """Paint the tracks, each with its name and its scale."""
    frame, theme = picture.frame, picture.theme
    for number, shown in enumerate(picture.tracks):
        box = frame.track_box(number)
        painter.setPen(QPen(QColor(theme.hairline), 1))
        y = round(box.top()) - 3.5
        painter.drawLine(QPointF(0, y), QPointF(frame.width, y))
        painter.save()
        painter.setClipRect(box.adjusted(-1, -1, 1, 1))
        data = shown.data
        if isinstance(data, tracks.Curve):
            _paint_curve(painter, picture, box, shown.request, data)
        elif isinstance(data, tracks.StateStack):
            _paint_states(painter, picture, box, shown.request, data)
        elif isinstance(data, tracks.Heat):
            _paint_heat(painter, picture, box, shown.request, data)
        elif isinstance(data, StackSpans):
            _paint_stack(painter, picture, (box, shown.track), data)
        elif shown.request.name == "marks":
            _paint_marks(painter, picture, box)
        elif shown.done:
            letter(painter, font(11), theme.text2)
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, _nothing(shown))
        painter.restore()
        _paint_title(painter, picture, box, shown)


def _nothing(shown: ShownTrack) -> str:
    if shown.request.name == "stack":
        return tr("too many calls in this window: zoom in")
    return tr("not recorded on rank {rank}", rank=shown.request.rank)


def _paint_title(
    painter: QPainter, picture: TimelinePicture, box: QRectF, shown: ShownTrack
) -> None:
    theme, frame = picture.theme, picture.frame
    title, remark = track_title(shown)
    room = QRectF(8, box.top(), frame.gutter - 14, box.height())
    painter.setFont(font(11))
    metrics = painter.fontMetrics()
    painter.setPen(QColor(theme.text2))
    right = room.adjusted(0, 0, -4, 0)
    top = right.adjusted(0, -2, 0, 12 - right.height())
    ends = scale_words(shown)
    if ends:
        painter.drawText(top, RIGHT, ends[1])
    wide = metrics.horizontalAdvance(ends[1]) + 6 if ends else 0
    second = box.height() >= 2 * _MIN_TEXT_HEIGHT
    letter(painter, font(11, 600), theme.text)
    first = room.adjusted(0, 0, -wide, 13 - room.height())
    elide = Qt.TextElideMode.ElideRight
    text = title if second else f"{title} {remark}"
    words = painter.fontMetrics().elidedText(text, elide, int(first.width()))
    painter.drawText(first, LEFT, words)
    if second:
        letter(painter, font(11), theme.text2)
        below = room.adjusted(0, 13, 0, 26 - room.height())
        words = metrics.elidedText(remark, elide, int(below.width()))
        painter.drawText(below, LEFT, words)


def scale_words(shown: ShownTrack) -> tuple[str, str] | None:
    """Write the numbers at the foot and at the top of a track; None if it has none."""
    data = shown.data
    if isinstance(data, tracks.StateStack):
        return "0", str(data.ranks)
    if isinstance(data, (tracks.Curve, tracks.Heat)):
        return number_text(data.least, data.unit), number_text(data.most, data.unit)
    return None


def number_text(number: float, unit: str) -> str:
    """Write a number of a track with its unit; a share of time is a plain number."""
    return write(number, "" if unit == "s/s" else unit)


def _edges(
    picture: TimelinePicture, request: tracks.TrackRequest
) -> tuple[float, float]:
    frame = picture.frame
    return frame.x(request.window[0]), frame.x(request.window[1])


def _paint_curve(
    painter: QPainter,
    picture: TimelinePicture,
    box: QRectF,
    request: tracks.TrackRequest,
    data: tracks.Curve,
) -> None:
    theme = picture.theme
    left, right = _edges(picture, request)
    span = (data.most - data.least) or 1.0
    columns = len(data.high)
    x = left + (np.arange(columns) + 0.5) * (right - left) / columns
    tops, feet = (
        box.bottom() - (values - data.least) / span * (box.height() - 2)
        for values in (data.high, data.low)
    )
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    valid = ~np.isnan(data.high)
    starts = np.flatnonzero(np.diff(valid.astype(np.int8), prepend=0) == 1)
    stops = np.flatnonzero(np.diff(valid.astype(np.int8), append=0) == -1) + 1
    for first, stop in zip(starts.tolist(), stops.tolist(), strict=True):
        own = slice(first, stop)
        upper = [QPointF(*at) for at in zip(x[own], tops[own], strict=True)]
        lower = [QPointF(*at) for at in zip(x[own], feet[own], strict=True)]
        ground = [QPointF(upper[-1].x(), box.bottom())]
        ground.append(QPointF(upper[0].x(), box.bottom()))
        set_shape(painter, fill=theme.rule)
        painter.drawPolygon(QPolygonF([*upper, *ground]))
        painter.setPen(QPen(QColor(theme.text2), 1))
        painter.drawPolyline(QPolygonF(upper))
        if not np.array_equal(tops[own], feet[own]):
            painter.drawPolyline(QPolygonF(lower))


def _paint_states(
    painter: QPainter,
    picture: TimelinePicture,
    box: QRectF,
    request: tracks.TrackRequest,
    data: tracks.StateStack,
) -> None:
    lines = max(1, round(box.height() * picture.frame.scale))
    pixels = strip_pixels(data.shares, lines, picture.theme)
    _paint_pixels(painter, picture, box, request, pixels)


def _paint_heat(
    painter: QPainter,
    picture: TimelinePicture,
    box: QRectF,
    request: tracks.TrackRequest,
    data: tracks.Heat,
) -> None:
    colours = heat_colours(picture.theme)
    table = np.array([packed_colour(c) for c in colours], np.uint32)
    span = (data.most - data.least) or 1.0
    share = np.clip((data.values - data.least) / span, 0.0, 1.0)
    code = np.nan_to_num(share * (len(table) - 1)).astype(np.int64)
    ground = packed_colour(picture.theme.without)
    pixels = np.where(np.isnan(data.values), ground, table[code]).astype(np.uint32)
    _paint_pixels(painter, picture, box, request, pixels)


def heat_colours(theme: Theme) -> tuple[str, ...]:
    """Colours of heat maps: what is large stands out from the ground."""
    colours = map_colours("cividis", theme)
    return colours if theme.name == "dark" else colours[::-1]


def _paint_pixels(
    painter: QPainter,
    picture: TimelinePicture,
    box: QRectF,
    request: tracks.TrackRequest,
    pixels: np.ndarray,
) -> None:
    height, width = pixels.shape
    data = np.ascontiguousarray(pixels)
    image = QImage(data.data, width, height, 4 * width, QImage.Format.Format_RGB32)
    left, right = _edges(picture, request)
    target = QRectF(left, box.top(), right - left, box.height())
    painter.drawImage(target, image, QRectF(image.rect()))


def _paint_stack(
    painter: QPainter,
    picture: TimelinePicture,
    place: tuple[QRectF, tracks.Track],
    data: StackSpans,
) -> None:
    """Paint a line for each depth; of what is narrower than a pixel the first."""
    frame, theme, trace = picture.frame, picture.theme, picture.trace
    box, high = place[0], _stack_line(*place)
    if trace is None or not len(data.begin):
        return
    left = np.array([frame.x(t) for t in frame.window])
    begin, end = frame.window
    scale = (left[1] - left[0]) / (end - begin)
    lows, highs = (left[0] + (t - begin) * scale for t in (data.begin, data.end))
    colours = stack_colours(trace, theme)
    painter.setFont(font(11))
    metrics = painter.fontMetrics()
    lines = round(box.height() / high)
    order = np.lexsort((data.begin, data.depth))
    last: dict[int, float] = {}
    for k in order.tolist():
        depth, low, up = int(data.depth[k]), float(lows[k]), float(highs[k])
        if depth >= lines or (up - low < 1 and up <= last.get(depth, -1.0)):
            continue
        last[depth] = max(low + 1, up)
        cell = QRectF(low, box.top() + depth * high, max(up - low, 1.0), high - 1)
        region = int(data.region[k])
        painter.fillRect(cell, QColor(colours[region]))
        if up - low >= 3:
            painter.setPen(QPen(QColor(theme.panel), 1))
            painter.drawLine(cell.topLeft(), cell.bottomLeft())
        if cell.width() >= _MIN_TEXT_WIDTH and high >= _MIN_TEXT_HEIGHT:
            seen = cell & box
            words = metrics.elidedText(
                trace.regions.title(region),
                Qt.TextElideMode.ElideRight,
                int(seen.width()) - 6,
            )
            painter.setPen(QColor(text_on(colours[region])))
            painter.drawText(seen.adjusted(4, 0, -2, 0), LEFT, words)


def stack_colours(trace: Trace, theme: Theme) -> list[str]:
    """Colours of regions: states of MPI and I/O, a hue for each of the program's."""
    regions, result, own = trace.regions, [], 0
    hues = region_colours(theme)
    for number, state in enumerate(regions.state.tolist()):
        if regions.operation[number] >= 0 or state not in (0, TimeState.COMPUTE):
            result.append(theme.state_colour(state))
        elif regions.names[number] in ("main", "MAIN__", "main_"):
            result.append(theme.rule)
        else:
            result.append(hues[own % len(hues)])
            own += 1
    return result


def _paint_marks(painter: QPainter, picture: TimelinePicture, box: QRectF) -> None:
    """Write bookmarks, notes and the trace's markers at their times."""
    frame, theme = picture.frame, picture.theme
    painter.setFont(font(11))
    metrics = painter.fontMetrics()
    free = box.left()
    for ticks, text in sorted(picture.remarks):
        x = frame.x(ticks)
        if not box.left() <= x <= box.right():
            continue
        painter.setPen(QPen(QColor(theme.ink), 1))
        painter.drawLine(QPointF(x, box.top()), QPointF(x, box.bottom()))
        if x < free:
            continue
        room = int(min(160, box.right() - x - 6))
        words = metrics.elidedText(text, Qt.TextElideMode.ElideRight, room)
        painter.setPen(QColor(theme.text))
        painter.drawText(QRectF(x + 4, box.top(), room, box.height()), LEFT, words)
        free = x + 10 + metrics.horizontalAdvance(words)


def _in_column(data: Floats, request: tracks.TrackRequest, ticks: float) -> float:
    begin, end = request.window
    column = int((ticks - begin) / (end - begin) * data.shape[-1])
    return float(data[min(max(column, 0), data.shape[-1] - 1)])


def track_words(
    state: State, frame: TimelineFrame, shown: tuple[ShownTrack, ...], at: QPointF
) -> str:
    """Describe in HTML what a track shows at a place; empty for none."""
    number = frame.track_at(at.y())
    if number is None or number >= len(shown) or state.analysis is None:
        return ""
    one, trace = shown[number], state.analysis.trace
    title, remark = map(escape, track_title(one))
    head = f"<b>{title}</b> {remark}"
    if at.x() < frame.rows.left():
        return f"<nobr>{head}</nobr>"
    ticks, data = frame.ticks(at.x()), one.data
    when = frame.label(trace.clock, ticks)
    text = ""
    if isinstance(data, tracks.Curve):
        low, high = (_in_column(d, one.request, ticks) for d in (data.low, data.high))
        if not np.isnan(high):
            text = number_text(high, data.unit)
            if low != high:
                text = tr("{low} to {text}", low=number_text(low, data.unit), text=text)
    elif isinstance(data, tracks.StateStack):
        shares = [
            (_in_column(row, one.request, ticks), TimeState(k))
            for k, row in enumerate(data.shares)
        ]
        text = ", ".join(
            f"{share * data.ranks:.3g} {kind.label}"
            for share, kind in sorted(shares, reverse=True)
            if share > 0
        )
    elif isinstance(data, tracks.Heat):
        box = frame.track_box(number)
        line = int((at.y() - box.top()) / box.height() * len(data.values))
        line = min(max(line, 0), len(data.values) - 1)
        value = _in_column(data.values[line], one.request, ticks)
        ranks = one.request.shown
        rank = ranks[line * len(ranks) // len(data.values)]
        text = tr("not recorded") if np.isnan(value) else number_text(value, data.unit)
        most = (
            tr(", largest of {ranks}", ranks=plural(data.ranks, "rank"))
            if data.ranks > 1
            else ""
        )
        text = tr("rank {rank}{most}: {text}", rank=rank, most=most, text=text)
    elif isinstance(data, StackSpans):
        span = stack_at(frame, number, one, at)
        if span is not None:
            begin, end = int(data.begin[span]), int(data.end[span])
            name = escape(trace.regions.title(int(data.region[span])))
            lasts = duration_text(trace.clock.seconds(end - begin))
            text = tr(
                "<b>{name}</b> for {lasts}, from {begin}",
                name=name,
                lasts=lasts,
                begin=frame.label(trace.clock, begin),
            )
            return f"<nobr>{head}<br>{text}</nobr>"
    return f"<nobr>{head}<br>{when}: {text}</nobr>" if text else ""


def _stack_line(box: QRectF, track: tracks.Track) -> float:
    """Height of a line of a call stack: less where the track was made smaller."""
    return box.height() / max(track.height // tracks.STACK_LINE, 1)


def stack_at(
    frame: TimelineFrame, number: int, shown: ShownTrack, at: QPointF
) -> int | None:
    """Index of the span of a call stack that is at a place; None for none."""
    box = frame.track_box(number)
    if not isinstance(shown.data, StackSpans):
        return None
    depth = int((at.y() - box.top()) // _stack_line(box, shown.track))
    return shown.data.at(frame.ticks(at.x()), depth)
