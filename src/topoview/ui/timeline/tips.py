"""What the timeline tells about the interval under the mouse."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QPointF, QTimer
from PySide6.QtWidgets import QToolTip

from topoview.analysis.call_communicator import communicator_of
from topoview.analysis.path_words import call_beginning, path_text
from topoview.model import MPIState, Trace
from topoview.scene.timeline.bands import Bands
from topoview.session import State
from topoview.ui.formats import duration_text
from topoview.ui.timeline.frame import Frame
from topoview.ui.timeline.markers import marker_words
from topoview.ui.timeline.spans import span_words

if TYPE_CHECKING:
    from topoview.ui.timeline.view import TimelineView

_DELAY = 300
"""Milliseconds that the mouse rests before it is told what is there."""


@dataclass(frozen=True, slots=True)
class Interval:
    """An interval of a row: rank, row of the timeline, ticks, state, region."""

    rank: int
    row: int
    begin: int
    end: int
    state: MPIState
    region: int


def interval_at(
    state: State, frame: Frame, bands: Bands, at: QPointF
) -> Interval | None:
    """Return the interval that has most of the pixel under a point, if any."""
    index = bands.row_at(frame.line(at.y()))
    if state.analysis is None or index is None or at.y() < frame.rows.top():
        return None
    trace = state.analysis.trace
    timeline, row = trace.timeline, int(bands.rows[index])
    first, stop = timeline.offsets[row : row + 2].tolist()
    time = timeline.time[first:stop]
    pixel = frame.ticks(at.x()), frame.ticks(at.x() + 1 / frame.scale)
    low, high = np.searchsorted(time, pixel, side="right") - 1
    seen = np.arange(max(low, 0), max(high, 0) + 1)
    ends = np.append(time[1:], max(trace.clock.length, int(time[-1])))[seen]
    overlap = np.minimum(ends, pixel[1]) - np.maximum(time[seen], pixel[0])
    best = int(np.argmax(overlap))
    found = first + int(seen[best])
    return Interval(
        int(bands.rank[index]),
        row,
        int(timeline.time[found]),
        int(ends[best]),
        MPIState(int(timeline.state[found])),
        int(timeline.region[found]),
    )


def row_words(state: State, frame: Frame, bands: Bands, at: QPointF) -> str:
    """Name the row beside a point, in HTML; empty if there is none."""
    index = bands.row_at(frame.line(at.y()))
    if state.analysis is None or index is None or at.y() < frame.rows.top():
        return ""
    name = state.analysis.trace.locations[int(bands.rows[index])].name
    return f"<nobr><b>rank {bands.rank[index]}</b> {escape(name)}</nobr>"


def interval_words(state: State, frame: Frame, interval: Interval) -> str:
    """Describe an interval in a few lines of HTML."""
    assert state.analysis is not None
    trace = state.analysis.trace
    head = f"<b>rank {interval.rank}</b>"
    if interval.row >= trace.ranks:
        head += f" {escape(trace.locations[interval.row].name)}"
    if interval.region >= 0:
        head += f"&ensp;{escape(trace.regions.title(interval.region))}"
        place = trace.regions.source(interval.region)
        head += f"<br>{escape(place)}" if place else ""
        line = _line_of(trace, interval)
        head += f"<br>called from {escape(line)}" if line else ""
        path = _path_of(trace, interval)
        head += f"<br>in {escape(path)}" if path else ""
        on = communicator_of(trace, interval.row, interval.begin, interval.region)
        head += f"<br>on {escape(on)}" if on else ""
    begin = frame.label(trace.clock, interval.begin)
    length = duration_text(trace.clock.seconds(interval.end - interval.begin))
    return f"<nobr>{head}<br>{interval.state.label} for {length}, from {begin}</nobr>"


def _path_of(trace: Trace, interval: Interval) -> str:
    """Tell the functions that a call was made in, where the trace records them."""
    call = call_beginning(trace, interval.row, interval.begin, interval.region)
    return path_text(trace, call) if call >= 0 else ""


def _line_of(trace: Trace, interval: Interval) -> str:
    """Find the line that a region was called from, where the trace tells."""
    if not len(trace.sources):
        return ""
    from topoview.analysis.call_sites import place_at  # loads the compiler

    return place_at(trace, interval.row, interval.region, interval.begin)


class HoverTip:
    """A tooltip for what the mouse rests on."""

    def __init__(self, view: TimelineView) -> None:
        self._view = view
        self._at = QPointF()
        self._timer = QTimer(view)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_DELAY)
        self._timer.timeout.connect(self._show)

    def hover(self, at: QPointF) -> None:
        """Show what is at a place once the mouse rests."""
        self._at = at
        QToolTip.hideText()
        self._timer.start()

    def hide(self) -> None:
        """Show nothing."""
        self._timer.stop()
        QToolTip.hideText()

    def _show(self) -> None:
        view, state = self._view, self._view.session.state
        if state.analysis is None or not view.isVisible():
            return
        frame = view.frame
        if self._at.y() > frame.rows.bottom() or self._at.x() > frame.rows.right():
            return
        trace = state.analysis.trace
        words = marker_words(trace.markers, trace.clock, frame, self._at)
        words = words or span_words(state, frame, view.quiet, self._at)
        if words:
            pass
        elif self._at.x() < frame.rows.left():
            words = row_words(state, frame, view.bands, self._at)
        else:
            interval = interval_at(state, frame, view.bands, self._at)
            words = interval_words(state, frame, interval) if interval else ""
        if words:
            QToolTip.showText(view.mapToGlobal(self._at.toPoint()), words, view)
