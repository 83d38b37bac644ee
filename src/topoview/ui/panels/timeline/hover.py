"""What the mouse is over on the timeline: interval, message, group; tips about it."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QTimer
from PySide6.QtWidgets import QToolTip

from topoview.base.text import duration_text, plural, size_text, tr
from topoview.live.call_facts import call_beginning, communicator_of, path_text
from topoview.live.timeline.collectives import WindowCollectives
from topoview.live.timeline.rows import RowBands
from topoview.live.timeline.selected_messages import WindowMessages
from topoview.model import Ints, TimeState, Trace
from topoview.session import State
from topoview.ui.panels.timeline.frame import TimelineFrame
from topoview.ui.panels.timeline.marks import marker_words, note_words, span_words
from topoview.ui.panels.timeline.paint import message_lines, operation_lines
from topoview.ui.panels.timeline.picture import ShownTrack
from topoview.ui.panels.timeline.tracks import track_words
from topoview.ui.widgets.panel import Panel

_TIP_DELAY_MILLISECONDS = 300
"""Milliseconds that the mouse rests before it is told what is there."""


CATCH_DISTANCE = 4
"""Logical pixels within which a line is caught, and that a click may tremble."""


class TimelineSurface(Panel):
    """What the mouse moves over: the timeline, as far as the mouse has to know it."""

    quiet: Ints | None
    """int64, shape (n, 2), or None: times that playing leaves out."""

    @property
    def frame(self) -> TimelineFrame:
        """Geometry now; needs an open trace."""
        raise NotImplementedError

    @property
    def bands(self) -> RowBands:
        """Where the rows are; needs an open trace."""
        raise NotImplementedError

    @property
    def tracks(self) -> tuple[ShownTrack, ...]:
        """Tracks as they are shown; needs an open trace."""
        raise NotImplementedError

    @property
    def lines(self) -> WindowMessages | None:
        """All messages of the window, if they are drawn."""
        raise NotImplementedError

    @property
    def operations(self) -> WindowCollectives | None:
        """All collective operations of the window, if they are drawn."""
        raise NotImplementedError

    def show_rubber(self, band: QRectF | None) -> None:
        """Show what a drag would select, or nothing."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class HoveredInterval:
    """An interval of a row: rank, row of the timeline, ticks, state, region."""

    rank: int
    row: int
    begin: int
    end: int
    state: TimeState
    region: int


def interval_at(
    state: State, frame: TimelineFrame, bands: RowBands, at: QPointF
) -> HoveredInterval | None:
    """Return the interval that has most of the pixel under a point, if any."""
    index = bands.row_at(frame.line(at.y()))
    if state.analysis is None or index is None or not _is_beside_rows(frame, at):
        return None
    if bands.is_folded(index):
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
    interval = first + int(seen[best])
    return HoveredInterval(
        rank=int(bands.rank[index]),
        row=row,
        begin=int(timeline.time[interval]),
        end=int(ends[best]),
        state=TimeState(int(timeline.state[interval])),
        region=int(timeline.region[interval]),
    )


def _is_beside_rows(frame: TimelineFrame, at: QPointF) -> bool:
    return frame.rows.top() <= at.y() <= frame.rows.bottom()


def folded_words(
    state: State, frame: TimelineFrame, bands: RowBands, at: QPointF
) -> str:
    """Describe what the ranks of a folded group do at a point, in HTML; or nothing."""
    index = bands.row_at(frame.line(at.y()))
    if state.analysis is None or index is None or not _is_beside_rows(frame, at):
        return ""
    if not bands.is_folded(index):
        return ""
    ranks = ranks_of_row(bands, index)
    place = bands.group_at(index)
    name = bands.labels[place] if bands.labels else ""
    head = f"<b>{escape(name)}</b> {plural(len(ranks), 'rank')}"
    if at.x() < frame.rows.left():
        return tr("<nobr>{head}, folded: a click unfolds it</nobr>", head=head)
    trace, ticks = state.analysis.trace, round(frame.ticks(at.x()))
    states = trace.timeline.state[trace.timeline.at(ticks)[list(ranks)]]
    counts = np.bincount(states, minlength=len(TimeState))
    order = sorted(np.flatnonzero(counts).tolist(), key=lambda code: -counts[code])
    text = ", ".join(f"{counts[code]} {TimeState(code).label}" for code in order)
    return f"<nobr>{head}, {frame.label(trace.clock, ticks)}<br>{text}</nobr>"


def message_near(view: TimelineSurface, at: QPointF) -> int | None:
    """Index of the message whose line is next to a place; None for none near it."""
    if view.lines is None or not view.frame.rows.contains(at):
        return None
    lines, drawn = message_lines(view.lines.drawn, view.frame, view.bands)
    best, result = float(CATCH_DISTANCE), None
    for line, k in zip(lines, drawn, strict=True):
        along, off = line.p2() - line.p1(), at - line.p1()
        long = QPointF.dotProduct(along, along) or 1.0
        share = min(max(QPointF.dotProduct(off, along) / long, 0.0), 1.0)
        apart = off - along * share
        away = QPointF.dotProduct(apart, apart) ** 0.5
        if away < best:
            best, result = away, int(view.lines.message[k])
    return result


def operation_near(view: TimelineSurface, at: QPointF) -> int | None:
    """Index of the collective operation whose last arrival is next to a place."""
    if view.operations is None or not view.frame.rows.contains(at):
        return None
    best, result = float(CATCH_DISTANCE), None
    drawn = operation_lines(view.operations, view.frame, view.bands)
    for k, (_, upright, _) in enumerate(drawn):
        away = abs(at.x() - upright.x1())
        low, high = sorted((upright.y1(), upright.y2()))
        if away < best and low - CATCH_DISTANCE <= at.y() <= high + CATCH_DISTANCE:
            best, result = away, k
    return result


def operation_words(
    state: State, frame: TimelineFrame, operations: WindowCollectives, number: int
) -> str:
    """Describe a collective operation in a few lines of HTML."""
    assert state.analysis is not None
    trace = state.analysis.trace
    call = int(operations.call[number])
    part = int(np.searchsorted(trace.collectives.call, call))
    communicator = trace.communicators[int(trace.collectives.communicator[part])]
    name = escape(trace.regions.title(int(trace.calls.region[call])))
    begin, complete = int(operations.begin[number]), int(operations.complete[number])
    apart = duration_text(trace.clock.seconds(complete - begin))
    members = f"{escape(communicator.name)}, {plural(len(communicator.ranks), 'rank')}"
    return tr(
        "<nobr><b>{name}</b> on {members}<br>"
        "ranks came within {apart}, from {begin}<br>"
        "rank {last} came last, at "
        "{complete}</nobr>",
        name=name,
        members=members,
        apart=apart,
        begin=frame.label(trace.clock, begin),
        last=operations.last[number],
        complete=frame.label(trace.clock, complete),
    )


def message_words(state: State, frame: TimelineFrame, message: int) -> str:
    """Describe a message in two lines of HTML."""
    assert state.analysis is not None
    trace = state.analysis.trace
    messages, clock = trace.messages, trace.clock
    sent, received = (
        int(times[message]) for times in (messages.send_time, messages.receive_time)
    )
    ends = tr(
        "rank {sender} to rank {receiver}",
        sender=messages.sender[message],
        receiver=messages.receiver[message],
    )
    size = size_text(int(messages.size[message]))
    tag = tr("{size}, tag {tag}", size=size, tag=messages.tag[message])
    took = duration_text(clock.seconds(received - sent))
    when = tr(
        "under way for {took}, from {sent}", took=took, sent=frame.label(clock, sent)
    )
    return tr(
        "<nobr><b>message</b>, {ends}<br>{tag}<br>{when}</nobr>",
        ends=ends,
        tag=tag,
        when=when,
    )


def ranks_of_row(bands: RowBands, index: int) -> tuple[int, ...]:
    """Ranks that a row stands for, by its index: one, or those of a folded group."""
    if not bands.is_folded(index):
        return (int(bands.rank[index]),)
    first, last = bands.bounds[bands.band_of(index) :][:2].tolist()
    return tuple(np.unique(bands.rank[first:last]).tolist())


def row_words(state: State, frame: TimelineFrame, bands: RowBands, at: QPointF) -> str:
    """Name the row beside a point, in HTML; empty if there is none."""
    index = bands.row_at(frame.line(at.y()))
    if state.analysis is None or index is None or not _is_beside_rows(frame, at):
        return ""
    name = state.analysis.trace.locations[int(bands.rows[index])].name
    return tr(
        "<nobr><b>rank {rank}</b> {name}</nobr>",
        rank=bands.rank[index],
        name=escape(name),
    )


def interval_words(
    state: State, frame: TimelineFrame, interval: HoveredInterval
) -> str:
    """Describe an interval in a few lines of HTML."""
    assert state.analysis is not None
    trace = state.analysis.trace
    head = tr("<b>rank {rank}</b>", rank=interval.rank)
    if interval.row >= trace.ranks:
        head += f" {escape(trace.locations[interval.row].name)}"
    if interval.region >= 0:
        head += tr("&ensp;{title}", title=escape(trace.regions.title(interval.region)))
        place = trace.regions.source(interval.region)
        head += f"<br>{escape(place)}" if place else ""
        line = _source_line_text(trace, interval)
        head += tr("<br>called from {line}", line=escape(line)) if line else ""
        path = _call_path_text(trace, interval)
        head += tr("<br>in {path}", path=escape(path)) if path else ""
        on = communicator_of(trace, interval.row, interval.begin, interval.region)
        head += tr("<br>on {on}", on=escape(on)) if on else ""
    begin = frame.label(trace.clock, interval.begin)
    length = duration_text(trace.clock.seconds(interval.end - interval.begin))
    return tr(
        "<nobr>{head}<br>{label} for {length}, from {begin}</nobr>",
        head=head,
        label=interval.state.label,
        length=length,
        begin=begin,
    )


def _call_path_text(trace: Trace, interval: HoveredInterval) -> str:
    """Name the functions that a call was made in, where the trace records them."""
    call = call_beginning(trace, interval.row, interval.begin, interval.region)
    return path_text(trace, call) if call >= 0 else ""


def _source_line_text(trace: Trace, interval: HoveredInterval) -> str:
    """Find the line that a region was called from, where the trace tells."""
    if not len(trace.sources):
        return ""
    from topoview.live.call_facts import place_at

    return place_at(trace, interval.row, interval.region, interval.begin)


class HoverTip:
    """A tooltip for what the mouse rests on."""

    def __init__(self, view: TimelineSurface) -> None:
        self._view = view
        self._at = QPointF()
        self._timer = QTimer(view)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_TIP_DELAY_MILLISECONDS)
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
        if self._at.y() > frame.bottom or self._at.x() > frame.rows.right():
            return
        trace = state.analysis.trace
        words = marker_words(trace.markers, trace.clock, frame, self._at)
        words = words or note_words(state, frame, view.bands, self._at)
        words = words or span_words(state, frame, view.quiet, self._at)
        message = None if words else message_near(view, self._at)
        words = words or (
            "" if message is None else message_words(state, frame, message)
        )
        number = None if words else operation_near(view, self._at)
        if number is not None and view.operations is not None:
            words = operation_words(state, frame, view.operations, number)
        words = words or track_words(state, frame, view.tracks, self._at)
        words = words or folded_words(state, frame, view.bands, self._at)
        if words:
            pass
        elif self._at.x() < frame.rows.left():
            words = row_words(state, frame, view.bands, self._at)
        else:
            interval = interval_at(state, frame, view.bands, self._at)
            words = interval_words(state, frame, interval) if interval else ""
        if words:
            QToolTip.showText(view.mapToGlobal(self._at.toPoint()), words, view)
