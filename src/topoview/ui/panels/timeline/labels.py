"""Labels beside the rows: which ranks and groups are named, where, and how."""

import re
from bisect import bisect
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPen, QPolygonF

from topoview.base.text import plural, tr
from topoview.live.picking.navigation import Window
from topoview.live.timeline.orders import RowOrder
from topoview.live.timeline.rows import RowBands
from topoview.model import Bools, Floats, Indices, Ints, TimeState, Trace, distinct
from topoview.scene.palette import Theme, text_on
from topoview.ui.panels.timeline.frame import TimelineFrame
from topoview.ui.panels.timeline.picture import TimelinePicture
from topoview.ui.widgets.controls import LEAST_CUT
from topoview.ui.widgets.theme import LEFT, RIGHT, font, letter

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


def row_labels(  # noqa: PLR0913 - what is named
    order: RowOrder,
    bands: RowBands,
    frame: TimelineFrame,
    selected: tuple[int, ...],
    names: tuple[str, ...] = (),
    incomplete: frozenset[int] = frozenset(),
) -> list[RowLabel]:
    """Label the rows as far as there is room; selected ranks come first.

    Then those of which events are lost. Further locations have their names from
    `names`, if all of them fit.
    """
    strong = list(_thinned(_selected_labels(bands, frame, selected, incomplete), []))
    strong += list(_thinned(_incomplete_labels(bands, frame, incomplete), strong))
    strong += _further_labels(bands, frame, names)
    for k in np.flatnonzero(bands.strip).tolist():
        middle = float(bands.bottom[k] + bands.strip[k] / 2)
        strong.append(RowLabel(tr("function"), frame.y(middle)))
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
    result: list[GroupLabel] = []
    for k in sorted(range(0, len(ends), stride), key=lambda k: -sizes[k]):
        y = frame.y(float(middle[k]))
        at = bisect(result, y, key=_height)
        near = result[max(at - 1, 0) : at + 1]
        if any(abs(y - other.y) < _MIN_GROUP_LABEL for other in near):
            continue
        ranks = len(distinct(bands.rank[bands.groups[k] : ends[k] + 1]))
        number = int(bands.group[k])
        result.insert(at, GroupLabel(bands.labels[k], y, number, folded[k], ranks))
    return result


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


def short_place(name: str, metrics: QFontMetrics, room: int) -> str:
    """Shorten the name of a group to some pixels: ``y 0, z 1, w 2``, ``y0 z1 w2``.

    It is empty if a few letters would be all that is left.
    """
    if metrics.horizontalAdvance(name) > room:
        name = " ".join(part.replace(" ", "") for part in name.split(", "))
    cut = metrics.elidedText(name, Qt.TextElideMode.ElideRight, room)
    return cut if len(cut) >= min(len(name), LEAST_CUT) else ""


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


def _incomplete_labels(
    bands: RowBands, frame: TimelineFrame, incomplete: frozenset[int]
) -> Iterator[RowLabel]:
    """Name the ranks of which events are lost: what is said of them may be wrong."""
    if not incomplete:
        return
    own = np.isin(bands.rank, list(incomplete)) & (bands.rows == bands.rank)
    for row in np.flatnonzero(own).tolist():
        middle = frame.y(float((bands.top[row] + bands.bottom[row]) / 2))
        words = tr("{rank} incomplete", rank=int(bands.rank[row]))
        yield RowLabel(words, middle, strong=True)


def _selected_labels(
    bands: RowBands,
    frame: TimelineFrame,
    selected: tuple[int, ...],
    incomplete: frozenset[int],
) -> Iterator[RowLabel]:
    for run in selected_runs(bands, selected, frame.scale):
        ranks = distinct(bands.rank[run])
        middle = (bands.top[run[0]] + bands.bottom[run[-1]]) / 2
        words = (
            tr("rank {rank}", rank=ranks[0])
            if len(ranks) == 1
            else tr("{ranks} ranks", ranks=len(ranks))
        )
        if len(ranks) == 1 and int(ranks[0]) in incomplete:
            words = tr("rank {rank} incomplete", rank=ranks[0])
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
    place: Ints | None = None  # one after the other
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
    elif _ascending(ranks) and len(ranks) and len(ranks) <= ranks[-1]:
        place = ranks.astype(np.int64)

    def every(stride: int) -> slice | Bools:
        return slice(None, None, stride) if place is None else place % stride == 0

    stride = next(
        (
            s
            for s in strides
            if np.diff(middle[every(s)]).min(initial=np.inf) >= _MIN_LABEL_DISTANCE
        ),
        strides[-1],
    )
    shown, has_strips = every(stride), bool(bands.strip.any())
    for rank, y in zip(ranks[shown].tolist(), middle[shown].tolist(), strict=True):
        at = frame.y(y * frame.scale)
        if has_strips:  # several rows are its
            yield RowLabel(tr("rank {rank}", rank=rank), at, strong=True)
        else:
            yield RowLabel(f"{rank}", at)


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


def _incomplete_ranks(trace: Trace | None) -> frozenset[int]:
    """Return the ranks of which a file is damaged or missing."""
    health = None if trace is None else trace.health
    return frozenset() if health is None else frozenset(x.rank for x in health.losses)


def paint_labels(painter: QPainter, picture: TimelinePicture) -> None:
    """Paint the labels of rows, then those of groups, with the marks that fold them."""
    frame, theme, bands = picture.frame, picture.theme, picture.bands
    labels = row_labels(
        picture.order,
        bands,
        frame,
        picture.selected,
        picture.names,
        _incomplete_ranks(picture.trace),
    )
    groups = group_labels(bands, frame)
    taken = []
    for label in labels:
        letter(
            painter,
            font(11, 600 if label.strong else 400),
            theme.text if label.strong else theme.text2,
        )
        beside = FOLD_ROOM if label.strong else 52
        room = frame.gutter - 14 - (beside if groups else 0)
        text = short_name(label.text, painter.fontMetrics(), room)
        taken.append((label.y, painter.fontMetrics().horizontalAdvance(text)))
        box = QRectF(0, label.y - 8, frame.gutter - 10, 16)
        painter.drawText(box, RIGHT, text)
    for group in groups:
        letter(painter, font(11, 600 if group.folded else 400), theme.text)
        words = f"{plural(group.ranks, 'rank')}"
        box = QRectF(FOLD_ROOM, group.y - 8, frame.gutter - 10 - FOLD_ROOM, 16)
        both = painter.fontMetrics().horizontalAdvance(group.text + words) + 8
        near = [width for y, width in taken if abs(y - group.y) < _MIN_GROUP_LABEL]
        alone = not near
        wide = box.width() if alone else box.width() - max(34, *near, 0)
        text = short_place(group.text, painter.fontMetrics(), int(wide))
        painter.drawText(box, LEFT, text)
        if group.folded and alone and both <= box.width():
            letter(painter, font(11), theme.text2)
            painter.drawText(box, RIGHT, words)
        if group.ranks > 1 and picture.controls:
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


_MIN_NAMED_HEIGHT: Final = 13.0
_MIN_NAMED_WIDTH: Final = 30.0
"""Logical pixels of a bar that has its name on it."""
_MIN_LETTERS: Final = 4
"""Letters of a name that tell something, with the sign that others are left out."""
_MIN_DOTTED_WIDTH: Final = 8.0
_MIN_FUNCTION_WIDTH: Final = 2.0
_STRIP_GAP: Final = 1.0
"""Logical pixels above and below the strip of functions."""
_MAX_INTERVALS: Final = 2_000_000
"""Intervals of a row that are looked at for names in a frame."""
_MANGLED: Final = re.compile(r"_ZN?((?:\d+[A-Za-z_]\w*)+)")
_LENGTH: Final = re.compile(r"\d+")


def kernel_name(name: str) -> str:
    """Shorten the name of a kernel to what a programmer calls it.

    Examples
    --------
    >>> kernel_name("_Z13jacobi_kernelPKfPfiiS1_"), kernel_name("heavy(float*, int)")
    ('jacobi_kernel', 'heavy')
    """
    mangled = _MANGLED.match(name)
    rest, own = mangled[1] if mangled else "", ""
    while (length := _LENGTH.match(rest)) and int(length[0]) < len(rest):
        rest = rest[length.end() :]
        own, rest = rest[: int(length[0])], rest[int(length[0]) :]
    return own or name.partition("(")[0] or name


def _intervals_seen(trace: Trace, row: int, window: Window) -> tuple[Ints, slice]:
    """Find a row's intervals in a window: their edges, cut off there, and places.

    None where they are too many to be looked at.
    """
    line, (begin, end) = trace.timeline, window
    start, after = line.offsets[row : row + 2].tolist()
    time = line.time[start:after]
    first = max(int(np.searchsorted(time, begin, side="right")) - 1, 0)
    stop = int(np.searchsorted(time, end, side="left"))
    if stop - first > _MAX_INTERVALS:
        return time[:1], slice(start, start)
    edges = np.append(time[first:stop], time[stop] if stop < len(time) else end)
    return np.clip(edges, begin, end), slice(start + first, start + stop)


def functions_seen(trace: Trace, row: int, window: Window) -> tuple[Ints, Indices]:
    """Find the functions that a location is in during a window, one after the other.

    Returns
    -------
    int64, shape (n + 1,)
        Ticks at which they begin, and the last one ends.
    int32, shape (n,)
        Region, the innermost one; -1 for none.
    """
    edges, places = _intervals_seen(trace, row, window)
    region = trace.timeline.region[places]
    new = np.flatnonzero(np.diff(region, prepend=np.int32(-2)))
    return np.append(edges[new], edges[-1:]), region[new]


def paint_functions(painter: QPainter, picture: TimelinePicture) -> None:
    """Paint which functions the ranks are in that use GPUs, in strips below their rows.

    Those that are wide enough are told apart, and have their names.
    """
    trace, frame, bands = picture.trace, picture.frame, picture.bands
    theme = picture.theme
    if trace is None:
        return
    painter.save()
    painter.setClipRect(frame.rows)
    painter.setFont(font(10))
    metrics = painter.fontMetrics()
    for k in np.flatnonzero(bands.strip).tolist():
        edges, region = functions_seen(trace, int(bands.rows[k]), frame.window)
        x = [frame.x(t) for t in edges.tolist()]
        top = frame.y(float(bands.bottom[k])) + _STRIP_GAP
        high = float(bands.strip[k]) / frame.scale - 2 * _STRIP_GAP
        painter.fillRect(QRectF(x[0], top, x[-1] - x[0], high), QColor(theme.hairline))
        wide = np.flatnonzero((np.diff(x) >= _MIN_FUNCTION_WIDTH) & (region >= 0))
        for place in wide.tolist():
            left, right = x[place], x[place + 1]
            box = QRectF(left, top, right - left - 1, high)
            painter.fillRect(box, QColor(theme.rule))
            if box.width() >= _MIN_NAMED_WIDTH:
                name = trace.regions.title(int(region[place]))
                room = int(box.width()) - 8
                text = metrics.elidedText(name, Qt.TextElideMode.ElideRight, room)
                if len(text) >= _MIN_LETTERS:
                    painter.setPen(QColor(theme.text))
                    painter.drawText(box.adjusted(4, 0, 0, 0), LEFT, text)
    painter.restore()


def paint_streams(painter: QPainter, picture: TimelinePicture) -> None:
    """Write the names of kernels on wide bars, and dot the time in which none runs."""
    trace, frame, bands = picture.trace, picture.frame, picture.bands
    if trace is None:
        return
    tall = bands.bottom - bands.top >= _MIN_NAMED_HEIGHT * frame.scale
    streams = np.isin(bands.rows, trace.further_rows("accelerator"))
    line = trace.timeline
    tick = frame.rows.width() / (frame.window[1] - frame.window[0])
    painter.save()
    painter.setClipRect(frame.rows)
    painter.setFont(font(11, 500))
    metrics = painter.fontMetrics()
    dots = QPen(QColor(picture.theme.text3), 1, Qt.PenStyle.DotLine)
    words = QPen(QColor(text_on(picture.theme.kernel)))
    edge = QColor(picture.theme.panel)
    for k in np.flatnonzero(tall & streams).tolist():
        edges, places = _intervals_seen(trace, int(bands.rows[k]), frame.window)
        wide = np.flatnonzero(np.diff(edges) * tick >= _MIN_DOTTED_WIDTH)
        top, bottom = frame.y(float(bands.top[k])), frame.y(float(bands.bottom[k]))
        for place in wide.tolist():
            left, right = frame.x(int(edges[place])), frame.x(int(edges[place + 1]))
            box = QRectF(left, top, right - left, bottom - top)
            state = line.state[places.start + place]
            region = int(line.region[places.start + place])
            if state == TimeState.OUTSIDE:
                painter.setPen(dots)
                middle = round(box.center().y()) + 0.5
                painter.drawLine(QPointF(left, middle), QPointF(right, middle))
            elif region >= 0 and box.width() >= _MIN_NAMED_WIDTH:
                painter.setPen(words)
                room = int(box.width()) - 8
                name = kernel_name(trace.regions.names[region])
                text = metrics.elidedText(name, Qt.TextElideMode.ElideRight, room)
                painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)
            if state != TimeState.OUTSIDE and edges[place] > frame.window[0]:
                painter.fillRect(QRectF(round(left), top, 1, box.height()), edge)
    painter.restore()
