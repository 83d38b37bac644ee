"""Marks on the timeline: trace markers, playback range, idle intervals, time zero."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Final

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPen, QPolygonF

from topoview.base.text import duration_text, plural, tr
from topoview.ui.panels.timeline.frame import TimelineFrame
from topoview.ui.widgets.formats import time_text
from topoview.ui.widgets.theme import font, set_shape, translucent

if TYPE_CHECKING:
    from topoview.live.timeline.rows import RowBands
    from topoview.model import Clock, Ints, Marker
    from topoview.session import Note, State
    from topoview.ui.panels.timeline.picture import TimelinePicture

_FLAG_HEIGHT: Final = 11
_FLAG_WIDTH: Final = 7
_FLAG_REACH: Final = 6
"""Pixels beside a flag at which it is meant."""

_SEVERE_LEVELS: Final = frozenset({"medium", "high"})
_MAX_MARKERS_NAMED: Final = 4
"""Markers that are told of one place."""


def paint_markers(painter: QPainter, picture: TimelinePicture) -> None:
    """Paint a flag for every marker, one at most for each pixel."""
    frame, theme = picture.frame, picture.theme
    places: dict[int, bool] = {}
    for marker in picture.markers:
        if frame.window[0] <= marker.time <= frame.window[1]:
            x = round(frame.x(marker.time))
            places[x] = places.get(x, False) or marker.severity in _SEVERE_LEVELS
    top = frame.rows.top()
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    for severe, x in sorted((severe, x) for x, severe in places.items()):
        painter.setBrush(QColor(theme.ink if severe else theme.text3))
        left, high = x + 0.5, top - _FLAG_HEIGHT - 1
        flag = (
            QPointF(left - 0.5, top - 1),
            QPointF(left - 0.5, high),
            QPointF(left + _FLAG_WIDTH, high + 3),
            QPointF(left + 0.5, high + 6),
            QPointF(left + 0.5, top - 1),
        )
        painter.drawPolygon(QPolygonF(list(flag)))
    painter.restore()


def marker_words(
    markers: tuple[Marker, ...], clock: Clock, frame: TimelineFrame, at: QPointF
) -> str:
    """Describe in HTML what the flags at a place above the rows mean; or nothing."""
    top = frame.rows.top()
    if not top - _FLAG_HEIGHT - 4 <= at.y() < top:
        return ""
    near = sorted(
        (abs(frame.x(m.time) + _FLAG_WIDTH / 2 - at.x()), number)
        for number, m in enumerate(markers)
        if frame.window[0] <= m.time <= frame.window[1]
    )
    hits = [markers[number] for apart, number in near if apart <= _FLAG_REACH]
    if not hits:
        return ""
    lines = []
    for marker in hits[:_MAX_MARKERS_NAMED]:
        when = frame.label(clock, marker.time)
        if marker.duration:
            when += tr(
                " for {duration}",
                duration=duration_text(clock.seconds(marker.duration)),
            )
        kind = " ".join(word for word in (marker.group, marker.category) if word)
        about = ", ".join(word for word in (kind, marker.scope, when) if word)
        lines.append(f"<b>{escape(marker.text)}</b><br>{escape(about)}")
    if len(hits) > _MAX_MARKERS_NAMED:
        lines.append(
            tr("and {found} more markers", found=len(hits) - _MAX_MARKERS_NAMED)
        )
    return "<br>".join(lines)


_PIN_RADIUS: Final = 4.0
_MAX_NOTE_WIDTH: Final = 170
"""Pixels that the words of a note take beside their pin; tips have all of them."""


def notes_in_window(
    notes: tuple[Note, ...], frame: TimelineFrame, bands: RowBands
) -> list[tuple[QPointF, Note]]:
    """Find the notes that are seen, and where their pins are."""
    result = []
    for note in notes:
        if frame.window[0] <= note.time <= frame.window[1]:
            for k in bands.index_of_rank((note.rank,))[:1]:
                y = frame.y(float((bands.top[k] + bands.bottom[k]) / 2))
                result.append((QPointF(frame.x(note.time), y), note))
    return result


def paint_notes(painter: QPainter, picture: TimelinePicture) -> None:
    """Paint a pin for every note, and its first line where there is room."""
    theme, frame = picture.theme, picture.frame
    seen = notes_in_window(picture.notes, frame, picture.bands)
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setFont(font(11))
    metrics = painter.fontMetrics()
    taken: list[QRectF] = []
    for at, note in seen:
        set_shape(painter, fill=theme.ink, edge=theme.panel, width=2)
        painter.drawEllipse(at, _PIN_RADIUS, _PIN_RADIUS)
        line = note.text.partition("\n")[0]
        words = metrics.elidedText(line, Qt.TextElideMode.ElideRight, _MAX_NOTE_WIDTH)
        box = QRectF(at.x() + 8, at.y() - 8, metrics.horizontalAdvance(words) + 10, 16)
        box.moveBottom(min(box.bottom(), frame.rows.bottom()))
        box.moveTop(max(box.top(), frame.rows.top()))
        if box.right() > frame.rows.right():
            box.moveRight(at.x() - 8)
        if any(box.intersects(other) for other in taken):
            continue
        taken.append(box)
        set_shape(painter, fill=theme.panel, edge=theme.ink)
        painter.drawRoundedRect(box, 3, 3)
        painter.setPen(QColor(theme.text))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, words)
    painter.restore()


def note_words(state: State, frame: TimelineFrame, bands: RowBands, at: QPointF) -> str:
    """Describe in HTML what the note is whose pin is at a place; empty for none."""
    for place, note in notes_in_window(state.notes, frame, bands):
        apart = place - at
        if max(abs(apart.x()), abs(apart.y())) <= _FLAG_REACH:
            text = escape(note.text).replace("\n", "<br>")
            return tr("<b>note on rank {rank}</b><br>{text}", rank=note.rank, text=text)
    return ""


_BAR_HEIGHT: Final = 3
"""Pixels that the bar over what is played is high."""

_BAR_REACH: Final = 5
_MAX_INTERVALS_HATCHED: Final = 2000
"""Stretches that are hatched at most: more would be a haze."""


def paint_spans(painter: QPainter, picture: TimelinePicture) -> None:
    """Hatch what playing leaves out, put a bar over what is played, and the mark."""
    painter.save()
    _paint_idle(painter, picture)
    _paint_played(painter, picture)
    _paint_time_zero(painter, picture)
    painter.restore()


def _paint_idle(painter: QPainter, picture: TimelinePicture) -> None:
    frame, quiet = picture.frame, picture.quiet
    if quiet is None:
        return
    span = picture.played or frame.window
    low, high = max(span[0], frame.window[0]), min(span[1], frame.window[1])
    seen = _intervals_in_window(quiet, (low, high)).clip(low, high)
    hatch = QColor(picture.theme.text2)
    veil = translucent(picture.theme.panel, 150 / 255)
    for begin, end in seen.tolist():
        left, right = frame.x(begin), frame.x(end)
        if right - left < 1:
            continue
        box = QRectF(left, frame.rows.top(), right - left, frame.rows.height())
        painter.fillRect(box, veil)
        narrow = box.width() < _BAR_REACH
        pattern = Qt.BrushStyle.Dense6Pattern if narrow else Qt.BrushStyle.BDiagPattern
        painter.fillRect(box, QBrush(hatch, pattern))


def _paint_played(painter: QPainter, picture: TimelinePicture) -> None:
    played, frame = picture.played, picture.frame
    if played is None:
        return
    ink = QColor(picture.theme.ink)
    for left, right, top, low, high in (
        (*map(frame.x, played), 0.0, frame.rows.left(), frame.rows.right()),
        (
            *map(frame.strip_x, played),
            frame.strip.top() - 7,
            frame.strip.left(),
            frame.strip.right(),
        ),
    ):
        begin, end = max(left, low), min(right, high)
        if end < begin:
            continue
        painter.fillRect(QRectF(begin, top, max(end - begin, 2.0), _BAR_HEIGHT), ink)
        for x, inside in ((left, left >= low), (right - 1, right <= high)):
            if inside:
                painter.fillRect(QRectF(x, top, 1.0, 2.0 * _BAR_HEIGHT), ink)


def _paint_time_zero(painter: QPainter, picture: TimelinePicture) -> None:
    frame, theme = picture.frame, picture.theme
    if frame.time_zero is None:
        return
    pen = QPen(QColor(theme.ink), 1, Qt.PenStyle.DashLine)
    painter.setPen(pen)
    x = round(frame.strip_x(frame.time_zero)) + 0.5
    painter.drawLine(QLineF(x, frame.strip.top(), x, frame.strip.bottom()))
    if not frame.window[0] <= frame.time_zero <= frame.window[1]:
        return
    x = round(frame.x(frame.time_zero)) + 0.5
    painter.drawLine(QLineF(x, frame.rows.top() - 5, x, frame.rows.bottom()))
    box = time_zero_box(painter, frame)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    set_shape(painter, fill=theme.panel, edge=theme.ink)
    painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), 3, 3)
    painter.drawText(box, Qt.AlignmentFlag.AlignCenter, tr("mark"))


def time_zero_box(painter: QPainter, frame: TimelineFrame) -> QRectF:
    """Place of the mark's name above the rows; empty if it is not there."""
    if (
        frame.time_zero is None
        or not frame.window[0] <= frame.time_zero <= frame.window[1]
    ):
        return QRectF()
    painter.setFont(font(11, 600))
    wide = painter.fontMetrics().horizontalAdvance(tr("mark")) + 10
    left = max(frame.x(frame.time_zero) - wide / 2, frame.rows.left())
    return QRectF(min(left, frame.rows.right() - wide), 6, wide, 17)


def played_words(picture: TimelinePicture) -> list[str]:
    """Describe below the strip what is played, and what of it is left out."""
    words = []
    frame, clock = picture.frame, picture.clock
    if picture.played is not None:
        ends = [frame.label(clock, ticks) for ticks in picture.played]
        again = tr(", repeating") if picture.repeated else ""
        words.append(
            tr(
                "plays {first} to {second}{again}",
                first=ends[0],
                second=ends[1],
                again=again,
            )
        )
    if picture.quiet is not None:
        span = picture.played or frame.window
        inside = _intervals_in_window(picture.quiet, span)
        lost = int(np.diff(inside.clip(*span), axis=1).sum())
        took = duration_text(clock.seconds(lost))
        periods = plural(len(inside), "idle period")
        text = tr("skips {periods}, {took} in all", periods=periods, took=took)
        words.append(text if len(inside) else tr("no idle period to skip"))
    return words


def span_words(
    state: State, frame: TimelineFrame, quiet: Ints | None, at: QPointF
) -> str:
    """Describe what the mark, the bar or hatching at a place means; empty for none."""
    assert state.analysis is not None
    clock = state.analysis.trace.clock
    if at.x() < frame.rows.left() or at.y() > frame.rows.bottom():
        return ""
    above = at.y() < frame.rows.top()
    if (
        above
        and frame.time_zero is not None
        and abs(frame.x(frame.time_zero) - at.x()) <= 20
    ):
        span = frame.window[1] - frame.window[0]
        when = time_text(frame.time_zero, clock, span, state.unit)
        return tr(
            "<nobr><b>mark</b>, {when} from the start</nobr><br>zero of all times",
            when=when,
        )
    ticks = frame.ticks(at.x())
    played = state.bounds
    if at.y() <= 2 * _BAR_HEIGHT and played and played[0] <= ticks <= played[1]:
        return _interval_text(tr("playback range"), played, frame, clock)
    if quiet is not None and above:
        inside = quiet[(quiet[:, 0] <= ticks) & (quiet[:, 1] >= ticks)]
        if len(inside):
            begin, end = inside[0].tolist()
            text = _interval_text(tr("skipped in playback"), (begin, end), frame, clock)
            return tr("{text}<br>no rank changes state", text=text)
    return ""


def _interval_text(
    what: str, span: tuple[int, int], frame: TimelineFrame, clock: Clock
) -> str:
    ends = [frame.label(clock, ticks) for ticks in span]
    long = duration_text(clock.seconds(span[1] - span[0]))
    return tr(
        "<nobr><b>{what}</b>, {long}: {first} to {second}</nobr>",
        what=what,
        long=long,
        first=ends[0],
        second=ends[1],
    )


def _intervals_in_window(stretches: Ints, window: tuple[int, int]) -> Ints:
    """Keep those that a window shows, not too many: the longest."""
    seen = stretches[(stretches[:, 1] > window[0]) & (stretches[:, 0] < window[1])]
    if len(seen) > _MAX_INTERVALS_HATCHED:
        longest = np.argsort(seen[:, 0] - seen[:, 1], kind="stable")[
            :_MAX_INTERVALS_HATCHED
        ]
        seen = seen[np.sort(longest)]
    return seen
