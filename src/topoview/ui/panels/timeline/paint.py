"""Paints a timeline on any QPainter: axis, rows, labels, selection, cursor, strip."""

import math
from bisect import bisect
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPen, QPolygonF

from topoview.live.timeline.collectives import WindowCollectives
from topoview.live.timeline.orders import RowOrder
from topoview.live.timeline.rows import RowBands
from topoview.live.timeline.selected_messages import SelectedMessages
from topoview.model import Floats, Indices, Ints, distinct
from topoview.report.info import UNALIGNED_CLOCKS
from topoview.scene.palette import Theme
from topoview.scene.timeline_pixels import TimeAxis, time_axis, time_label
from topoview.text import duration_text
from topoview.ui.panels.timeline.content import TimelinePicture
from topoview.ui.panels.timeline.critical_path import paint_path
from topoview.ui.panels.timeline.frame import BOTTOM_HEIGHT, TimelineFrame
from topoview.ui.panels.timeline.legend import paint_legend
from topoview.ui.panels.timeline.marks import (
    paint_markers,
    paint_notes,
    paint_spans,
    played_words,
    time_zero_box,
)
from topoview.ui.panels.timeline.tracks import paint_tracks
from topoview.ui.widgets.formats import plural
from topoview.ui.widgets.theme import font

ALIGN_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
ALIGN_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
ALIGN_CENTRE = Qt.AlignmentFlag.AlignCenter
_MAX_FLAG_WIDTH = 180
"""More than the widest flag and the labels that it covers."""


def paint_axis(painter: QPainter, picture: TimelinePicture) -> None:
    """Paint ticks and their labels."""
    frame, theme = picture.frame, picture.theme
    axis = frame.axis(picture.clock)
    top = frame.rows.top()
    labels = _axis_labels(painter, axis, frame)
    painter.setPen(QColor(theme.text2))
    painter.drawText(QRectF(0, 7, frame.gutter - 10, 16), ALIGN_RIGHT, axis.unit)
    for box, label in labels:
        painter.drawText(box, ALIGN_CENTRE, label)
    painter.setPen(QPen(QColor(theme.rule), 1))
    for ticks in axis.minor:
        _paint_vertical(painter, frame.x(ticks), top - 4, top - 2)
    painter.setPen(QPen(QColor(theme.text3), 1))
    for ticks, _ in axis.ticks:
        _paint_vertical(painter, frame.x(ticks), top - 5, top - 1)


def paint_cursor(painter: QPainter, picture: TimelinePicture) -> None:
    """Paint the time cursor over what stays."""
    frame, theme, strip = picture.frame, picture.theme, picture.frame.strip
    x = frame.strip_x(picture.time)
    line_with_halo(painter, theme, x, strip.top(), strip.bottom() - 1)
    if not frame.window[0] <= picture.time <= frame.window[1]:
        return
    axis = frame.axis(picture.clock)
    words = frame.label(picture.clock, picture.time)
    flag = _flag_box(painter, frame, frame.x(picture.time), words)
    boxes = [box for box, _ in _axis_labels(painter, axis, frame)]
    for box in (*boxes, _unit_box(painter, axis, frame), time_zero_box(painter, frame)):
        if box.intersects(flag.adjusted(-6, 0, 6, 0)):
            painter.fillRect(box, QColor(theme.panel))
    x = frame.x(picture.time)
    line_with_halo(painter, theme, x, frame.rows.top() - 2, frame.bottom)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(theme.ink))
    painter.drawRoundedRect(flag, 3, 3)
    tip = (QPointF(x - 4, 23), QPointF(x + 4, 23), QPointF(x, 28))
    painter.drawPolygon(QPolygonF(list(tip)))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)
    painter.setFont(font(11, 600))
    painter.setPen(QColor(theme.panel))
    painter.drawText(flag, ALIGN_CENTRE, words)


def cursor_area(frame: TimelineFrame, time: int) -> list[QRectF]:
    """Return the places that change when the time cursor comes or goes."""
    x, on_strip = frame.x(time), frame.strip_x(time)
    small = QRectF(on_strip - 3, frame.strip.top() - 3, 6, frame.strip.height() + 6)
    if not frame.window[0] <= time <= frame.window[1]:
        return [small]
    flag = QRectF(x - _MAX_FLAG_WIDTH, 0, 2 * _MAX_FLAG_WIDTH, frame.rows.top())
    line = QRectF(x - 4, 0, 8, frame.bottom + 2)
    return [flag, line, small]


def _axis_labels(
    painter: QPainter, axis: TimeAxis, frame: TimelineFrame
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


def _unit_box(painter: QPainter, axis: TimeAxis, frame: TimelineFrame) -> QRectF:
    """Return the place of the unit; sets the font."""
    painter.setFont(font(11))
    wide = painter.fontMetrics().horizontalAdvance(axis.unit) + 4
    return QRectF(frame.gutter - 8 - wide, 7, wide, 16)


def _flag_box(painter: QPainter, frame: TimelineFrame, x: float, words: str) -> QRectF:
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
        _paint_vertical(painter, x, top, bottom)


def _paint_vertical(painter: QPainter, x: float, top: float, bottom: float) -> None:
    at = round(x) + 0.5
    painter.drawLine(QPointF(at, top), QPointF(at, bottom))


_MIN_LABEL_DISTANCE = 13.0
"""Least distance of labels in logical pixels."""
_BINARY_STRIDES = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)
_DECIMAL_STRIDES = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000)


@dataclass(frozen=True, slots=True)
class RowLabel:
    """A label: its text, the middle of its line, and whether it is selected."""

    text: str
    y: float
    strong: bool = False


def row_labels(
    order: RowOrder,
    bands: RowBands,
    frame: TimelineFrame,
    selected: tuple[int, ...],
    names: tuple[str, ...] = (),
) -> list[RowLabel]:
    """Label the rows as far as there is room; selected ranks come first.

    Further locations have their names from `names`, if all of them fit.
    """
    strong = list(_thinned(_selected_labels(bands, frame, selected), []))
    strong += _further_labels(bands, frame, names)
    tall = bands.row_height >= _MIN_LABEL_DISTANCE * frame.scale
    if bands.labels and not (order.numbered or tall or _ascending(order.ranks)):
        return strong
    return strong + list(_thinned(_rank_labels(bands, frame), strong))


FOLD_ROOM = 20
"""Pixels of the gutter that the mark takes by which a group is folded."""

_MIN_GROUP_LABEL: Final = 13.0


@dataclass(frozen=True, slots=True)
class GroupLabel:
    """Name of a group beside its rows: where, which, and whether it is folded."""

    text: str
    y: float
    group: int
    folded: bool
    ranks: int


def group_labels(bands: RowBands, frame: TimelineFrame) -> list[GroupLabel]:
    """Name the groups as far as there is room; those that are alike at even steps.

    Where two would touch, the one of more rows has its name: it can be folded.
    """
    if not bands.labels:
        return []
    ends = np.append(bands.groups[1:], len(bands.rows)) - 1
    top, bottom = bands.top[bands.groups], bands.bottom[ends]
    band = np.searchsorted(bands.bounds, bands.groups, side="right") - 1
    folded = bands.folded[band]
    first_row = (top + bands.bottom[bands.groups]) / 2
    least = _MIN_GROUP_LABEL / 2 * frame.scale
    low = np.where(folded, first_row, np.maximum(first_row, top + least))
    middle = np.where(bottom - top < 2 * least, (top + bottom) / 2, low)
    middle = np.clip(middle, least, bands.height - least)
    sizes = np.diff(np.append(bands.groups, len(bands.rows)))
    alike = len(np.unique(sizes)) == 1
    stride = _stride_with_room(middle / frame.scale, _BINARY_STRIDES) if alike else 1
    found: list[GroupLabel] = []
    for k in sorted(range(0, len(ends), stride), key=lambda k: -sizes[k]):
        y = frame.y(float(middle[k]))
        at = bisect(found, y, key=_height)
        near = found[max(at - 1, 0) : at + 1]
        if any(abs(y - other.y) < _MIN_GROUP_LABEL for other in near):
            continue
        ranks = len(distinct(bands.rank[bands.groups[k] : ends[k] + 1]))
        number = int(bands.group[k])
        found.insert(at, GroupLabel(bands.labels[k], y, number, folded[k], ranks))
    return found


def _height(label: GroupLabel) -> float:
    return label.y


def short_name(name: str, metrics: QFontMetrics, room: int) -> str:
    """Shorten a name to some pixels: ``OMP thread 1``, ``thread 1``, ``Serv…ad 1``.

    The last two words tell more than those before, and the first and last letters
    more than those in the middle.
    """
    words, shorter = name.split(), name
    for first in range(max(1, len(words) - 1)):
        shorter = " ".join(words[first:])
        if metrics.horizontalAdvance(shorter) <= room:
            return shorter
    return metrics.elidedText(shorter, Qt.TextElideMode.ElideMiddle, room)


MIN_OUTLINE_GAP: Final = 3
"""Pixels between outlines of rows from which the rows between them can be seen."""


def selected_runs(
    bands: RowBands, selected: tuple[int, ...], scale: float
) -> list[Indices]:
    """List the selected rows in runs that have an outline each, by their indices.

    Rows of a run are neighbours, or there is no room for outlines between them.
    """
    chosen = np.flatnonzero(np.isin(bands.rank, selected))
    if not len(chosen):
        return []
    gap = np.floor(bands.top[chosen[1:]]) - np.ceil(bands.bottom[chosen[:-1]])
    apart = (np.diff(chosen) > 1) & (gap >= MIN_OUTLINE_GAP * scale)
    return np.split(chosen, np.flatnonzero(apart) + 1)


def _selected_labels(
    bands: RowBands, frame: TimelineFrame, selected: tuple[int, ...]
) -> Iterator[RowLabel]:
    for run in selected_runs(bands, selected, frame.scale):
        ranks = distinct(bands.rank[run])
        middle = (bands.top[run[0]] + bands.bottom[run[-1]]) / 2
        words = f"rank {ranks[0]}" if len(ranks) == 1 else f"{len(ranks)} ranks"
        yield RowLabel(words, frame.y(float(middle)), strong=True)


def _further_labels(
    bands: RowBands, frame: TimelineFrame, names: tuple[str, ...]
) -> Iterator[RowLabel]:
    further = np.flatnonzero(bands.rows != bands.rank)
    tall = (
        bands.bottom[further] - bands.top[further] >= _MIN_LABEL_DISTANCE * frame.scale
    )
    if names and np.all(tall):
        for i in further:
            middle = frame.y(float((bands.top[i] + bands.bottom[i]) / 2))
            yield RowLabel(names[bands.rows[i]], middle)


def _rank_labels(bands: RowBands, frame: TimelineFrame) -> Iterator[RowLabel]:
    """Rank numbers at regular steps, which begin at the borders of groups.

    The step divides groups, or is a number of them, where these are alike; else
    there is a number at each border, or at each row if there is room.
    """
    open_ = ~np.repeat(bands.folded, np.diff(bands.bounds))
    main = np.flatnonzero((bands.rows == bands.rank) & open_)
    ranks = bands.rank[main]
    middle = (bands.top[main] + bands.bottom[main]) / 2 / frame.scale
    group = np.searchsorted(bands.groups, main, side="right") - 1
    sizes = np.bincount(group) if len(main) else np.zeros(0, np.int64)
    count = len(sizes) if len(sizes) > 1 else len(ranks)
    binary = count & (count - 1) == 0
    strides: tuple[int, ...] = _BINARY_STRIDES if binary else _DECIMAL_STRIDES
    place: Ints = np.arange(len(ranks))
    if len(sizes) > 1 and len(np.unique(sizes)) == 1:
        size = int(sizes[0])
        divisors = [s for s in range(1, size + 1) if size % s == 0]
        strides = (*divisors, *(size * s for s in strides[1:]))
    elif len(sizes) > 1:
        borders = np.flatnonzero(np.diff(group, prepend=-1))
        crowded = np.diff(middle).min(initial=np.inf) < _MIN_LABEL_DISTANCE
        place = np.ones(len(ranks), np.int64)
        place[borders] = 0
        strides = (2,) if crowded else (1,)
    elif _ascending(ranks):
        place = ranks.astype(np.int64)
    stride = next(
        (
            s
            for s in strides
            if np.diff(middle[place % s == 0]).min(initial=np.inf)
            >= _MIN_LABEL_DISTANCE
        ),
        strides[-1],
    )
    shown = place % stride == 0
    for rank, y in zip(ranks[shown].tolist(), middle[shown].tolist(), strict=True):
        yield RowLabel(f"{rank}", frame.y(y * frame.scale))


def _stride_with_room(middle: Floats, strides: tuple[int, ...]) -> int:
    """Choose the least step at which no two labels touch."""
    return next(
        (
            s
            for s in strides
            if np.diff(middle[::s]).min(initial=np.inf) >= _MIN_LABEL_DISTANCE
        ),
        strides[-1],
    )


def _ascending(ranks: Indices) -> bool:
    return bool(np.all(np.diff(ranks) > 0))


def _thinned(labels: Iterator[RowLabel], taken: list[RowLabel]) -> Iterator[RowLabel]:
    """Leave out labels that would touch another one."""
    last = -_MIN_LABEL_DISTANCE
    for label in labels:
        crowded = any(abs(label.y - other.y) < _MIN_LABEL_DISTANCE for other in taken)
        if label.y - last >= _MIN_LABEL_DISTANCE and not crowded:
            last = label.y
            yield label


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
    paint_path(painter, frame, picture.theme, picture.bands, picture.path)
    _paint_front(painter, picture)
    _paint_labels(painter, picture)
    _paint_selection(painter, picture)
    _paint_operations(painter, picture)
    _paint_messages(painter, picture)
    _paint_front_words(painter, picture)
    paint_notes(painter, picture)
    paint_tracks(painter, picture)
    paint_legend(painter, picture)
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


def _paint_front(painter: QPainter, picture: TimelinePicture) -> None:
    """Paint where the waits for a delay begin and end as stairs from group to group."""
    found, frame, bands = picture.front, picture.frame, picture.bands
    if found is None:
        return
    theme = picture.theme
    seen, place, here = np.intersect1d(found.group, bands.group, return_indices=True)
    if not len(seen):
        return
    last = np.append(bands.groups[1:], len(bands.rows)) - 1
    top = [frame.y(float(bands.top[bands.groups[g]])) for g in here.tolist()]
    bottom = [frame.y(float(bands.bottom[last[g]])) for g in here.tolist()]
    begins, ends = found.begin[place], found.end[place]
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
    found, frame, theme = picture.front, picture.frame, picture.theme
    bands = picture.bands
    if found is None:
        return
    here = np.flatnonzero(np.isin(bands.group, found.group))
    if not len(here):
        return
    last = np.append(bands.groups[1:], len(bands.rows)) - 1
    above = frame.y(float(bands.top[bands.groups[here[0]]]))
    below = frame.y(float(bands.bottom[last[here[-1]]]))
    middle = len(found.group) // 2
    left = max(frame.x(int(found.begin[middle])), frame.rows.left())
    right = min(frame.x(int(found.end[middle])), frame.rows.right())
    painter.setFont(font(12))
    wide = painter.fontMetrics().horizontalAdvance(found.words) + 16
    if not found.words or wide > right - left or below - above < 40:
        return
    y = (above + below) / 2
    box = QRectF((left + right - wide) / 2, y - 10, wide, 20)
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(theme.panel))
    painter.drawRoundedRect(box, 3, 3)
    painter.setPen(QColor(theme.text))
    painter.drawText(box, ALIGN_CENTRE, found.words)
    painter.restore()


def _paint_labels(painter: QPainter, picture: TimelinePicture) -> None:
    frame, theme, bands = picture.frame, picture.theme, picture.bands
    labels = row_labels(picture.order, bands, frame, picture.selected, picture.names)
    groups = group_labels(bands, frame)
    taken = []
    for label in labels:
        painter.setFont(font(11, 600 if label.strong else 400))
        painter.setPen(QColor(theme.text if label.strong else theme.text2))
        beside = FOLD_ROOM if label.strong else 52
        room = frame.gutter - 14 - (beside if groups else 0)
        text = short_name(label.text, painter.fontMetrics(), room)
        taken.append((label.y, painter.fontMetrics().horizontalAdvance(text)))
        box = QRectF(0, label.y - 8, frame.gutter - 10, 16)
        painter.drawText(box, ALIGN_RIGHT, text)
    for group in groups:
        painter.setFont(font(11, 600 if group.folded else 400))
        painter.setPen(QColor(theme.text))
        words = f"{plural(group.ranks, 'rank')}"
        box = QRectF(FOLD_ROOM, group.y - 8, frame.gutter - 10 - FOLD_ROOM, 16)
        both = painter.fontMetrics().horizontalAdvance(group.text + words) + 8
        near = [width for y, width in taken if abs(y - group.y) < _MIN_GROUP_LABEL]
        alone = not near
        wide = box.width() if alone else box.width() - max(34, *near, 0)
        text = painter.fontMetrics().elidedText(
            group.text, Qt.TextElideMode.ElideRight, int(wide)
        )
        painter.drawText(box, ALIGN_LEFT, text)
        if group.folded and alone and both <= box.width():
            painter.setFont(font(11))
            painter.setPen(QColor(theme.text2))
            painter.drawText(box, ALIGN_RIGHT, words)
        if group.ranks > 1:
            _paint_fold(painter, QPointF(11, group.y), group.folded, theme)


def _paint_fold(
    painter: QPainter,
    at: QPointF,
    folded: bool,
    theme: Theme,
) -> None:
    """Paint the mark by which a group is folded or unfolded."""
    x, y = at.x(), at.y()
    points = [(-2, -3.5), (1.5, 0), (-2, 3.5)] if folded else [(-3.5, -2), (0, 1.5)]
    points += [] if folded else [(3.5, -2)]
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(QColor(theme.text2), 1.4))
    painter.drawPolyline(QPolygonF([QPointF(x + a, y + b) for a, b in points]))
    painter.restore()


def _paint_selection(painter: QPainter, picture: TimelinePicture) -> None:
    frame, theme = picture.frame, picture.theme
    rows = frame.rows
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(QColor(theme.ink), 1))
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
        painter.drawText(bar, ALIGN_CENTRE, words)
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
    """Tell whether a selected time is all that is shown: it would hide the axis."""
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
    found = []
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
        found.append((QPolygonF(points), upright, at))
    return found


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
            painter.setPen(QPen(QColor(theme.panel), 1))
            painter.setBrush(QColor(theme.ink))
            painter.drawEllipse(at, 3.5, 3.5)
    painter.restore()


def _paint_messages(painter: QPainter, picture: TimelinePicture) -> None:
    """Paint all messages of the window if asked, those selected over them."""
    frame, theme = picture.frame, picture.theme
    painter.save()
    faint, strong = _begin_lines(painter, frame, theme)
    if picture.lines is not None:
        lines, _ = message_lines(picture.lines.drawn, frame, picture.bands)
        painter.setPen(faint)
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
    painter.setPen(QPen(QColor(theme.ink), 1))
    painter.setBrush(QColor(theme.panel))
    painter.drawRoundedRect(box, 3, 3)
    painter.setPen(QColor(theme.text))
    painter.drawText(box, ALIGN_CENTRE, picture.ruler.words)
    painter.restore()


def _paint_strip(painter: QPainter, picture: TimelinePicture) -> None:
    frame, theme, strip = picture.frame, picture.theme, picture.frame.strip
    if picture.strip is not None:
        painter.drawImage(strip, picture.strip, QRectF(picture.strip.rect()))
    painter.setFont(font(11))
    painter.setPen(QColor(theme.text2))
    middle = strip.center().y()
    painter.drawText(
        QRectF(0, middle - 8, frame.gutter - 10, 16), ALIGN_RIGHT, "all ranks"
    )
    left = frame.strip_x(frame.window[0])
    right = min(frame.strip_x(frame.window[1]), strip.right())
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
    clock, time_zero = picture.clock, frame.time_zero
    axis = time_axis(clock, *frame.bounds, strip.width(), unit=frame.unit)
    below = QRectF(strip.left(), strip.bottom() + 2, strip.width(), BOTTOM_HEIGHT - 3)
    painter.setFont(font(11))
    painter.setPen(QColor(theme.text2))
    begin, end = (
        time_label(clock, ticks, axis.unit, axis.decimals, time_zero)
        for ticks in frame.bounds
    )
    begin = begin if time_zero is not None else f"0 {axis.unit}"
    painter.drawText(below, ALIGN_LEFT, begin)
    painter.drawText(below, ALIGN_RIGHT, end)
    beside = painter.fontMetrics().horizontalAdvance(end) + 12
    between = below.adjusted(beside, 0, -beside, 0)
    metrics = painter.fontMetrics()
    shown = metrics.elidedText(
        _remark_text(picture), Qt.TextElideMode.ElideRight, int(between.width())
    )
    painter.drawText(between, ALIGN_CENTRE, shown)


def _remark_text(picture: TimelinePicture) -> str:
    """Say what the rows do not show, or show differently from what they seem."""
    words = played_words(picture)
    if picture.lines is not None:
        words.append(picture.lines.words)
    if picture.operations is not None:
        words.append(picture.operations.words)
    if not picture.clock.aligned:
        words.append(UNALIGNED_CLOCKS)
    if picture.bands.hidden:
        words.append(f"no room for {plural(picture.bands.hidden, 'further location')}")
    return "; ".join(words)
