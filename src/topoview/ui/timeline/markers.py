"""Markers above the timeline's rows: small flags, and what they say."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QPainter, QPolygonF

from topoview.ui.formats import duration_text
from topoview.ui.timeline.frame import Frame

if TYPE_CHECKING:
    from topoview.model import Clock, Marker
    from topoview.ui.timeline.picture import TimelinePicture

_HEIGHT: Final = 11
_WIDTH: Final = 7
_REACH: Final = 6
"""Pixels beside a flag at which it is meant."""

_SEVERE: Final = frozenset({"medium", "high"})
_MOST: Final = 4
"""Markers that are told of one place."""


def paint_markers(painter: QPainter, picture: TimelinePicture) -> None:
    """Paint a flag for every marker, one at most for each pixel."""
    frame, theme = picture.frame, picture.theme
    places: dict[int, bool] = {}
    for marker in picture.markers:
        if frame.window[0] <= marker.time <= frame.window[1]:
            x = round(frame.x(marker.time))
            places[x] = places.get(x, False) or marker.severity in _SEVERE
    top = frame.rows.top()
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    for severe, x in sorted((severe, x) for x, severe in places.items()):
        painter.setBrush(QColor(theme.ink if severe else theme.text3))
        left, high = x + 0.5, top - _HEIGHT - 1
        flag = (
            QPointF(left - 0.5, top - 1),
            QPointF(left - 0.5, high),
            QPointF(left + _WIDTH, high + 3),
            QPointF(left + 0.5, high + 6),
            QPointF(left + 0.5, top - 1),
        )
        painter.drawPolygon(QPolygonF(list(flag)))
    painter.restore()


def marker_words(
    markers: tuple[Marker, ...], clock: Clock, frame: Frame, at: QPointF
) -> str:
    """Say in HTML what the flags at a place above the rows mean; empty for none."""
    top = frame.rows.top()
    if not top - _HEIGHT - 4 <= at.y() < top:
        return ""
    near = sorted(
        (abs(frame.x(m.time) + _WIDTH / 2 - at.x()), number)
        for number, m in enumerate(markers)
        if frame.window[0] <= m.time <= frame.window[1]
    )
    found = [markers[number] for apart, number in near if apart <= _REACH]
    if not found:
        return ""
    lines = []
    for marker in found[:_MOST]:
        when = frame.label(clock, marker.time)
        if marker.duration:
            when += f" for {duration_text(clock.seconds(marker.duration))}"
        kind = " ".join(word for word in (marker.group, marker.category) if word)
        about = ", ".join(word for word in (kind, marker.scope, when) if word)
        lines.append(f"<b>{escape(marker.text)}</b><br>{escape(about)}")
    if len(found) > _MOST:
        lines.append(f"and {len(found) - _MOST} more markers")
    return "<br>".join(lines)
