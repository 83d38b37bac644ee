"""The mouse on the timeline: drags that scrub, select, pan, zoom and measure."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Protocol

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt, QTimer
from PySide6.QtGui import QMouseEvent, QWheelEvent

from topoview.base.text import plural, tr
from topoview.live.moments.moment import call_at
from topoview.live.picking.navigation import MIN_WINDOW_TICKS, panned, within, zoomed
from topoview.live.picking.picked import changes_to_pick
from topoview.live.timeline.call_stack import StackSpans
from topoview.live.timeline.rows import fitted_rows, scrolled_rows, zoomed_rows
from topoview.session import Picked, Selection, Session, TimelineOptions
from topoview.ui.panels.timeline.content import overview_turned, run_bounds
from topoview.ui.panels.timeline.frame import TimelineFrame
from topoview.ui.panels.timeline.hover import (
    CATCH_DISTANCE,
    HoveredInterval,
    HoverTip,
    TimelineSurface,
    interval_at,
    message_near,
    operation_near,
    ranks_of_row,
)
from topoview.ui.panels.timeline.tracks import stack_at
from topoview.ui.widgets.controls import dragged_box

_FRAME_MILLISECONDS = 16
"""Milliseconds between changes that a drag makes: one a frame is seen."""


class FrameLimiter:
    """Makes changes to a session at most once a frame, the latest ones."""

    def __init__(self, session: Session, parent: TimelineSurface) -> None:
        self._session = session
        self._changes: dict[str, Any] = {}
        self._timer = QTimer(parent)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_FRAME_MILLISECONDS)
        self._timer.timeout.connect(self.flush)

    def update(self, **changes: Any) -> None:  # noqa: ANN401 - fields of State
        """Change fields of the state soon."""
        self._changes |= changes
        if not self._timer.isActive():
            self._timer.start()

    def flush(self) -> None:
        """Compute what is waiting now."""
        self._timer.stop()
        changes, self._changes = self._changes, {}
        if changes:
            self._session.update(**changes)

    def window(self) -> tuple[int, int]:
        """Window as it will be once all changes are made."""
        result: tuple[int, int] = self._changes.get(
            "window", self._session.state.window
        )
        return result

    def timeline(self) -> TimelineOptions:
        """Options of the timeline as they will be once all changes are made."""
        now: TimelineOptions = self._session.state.timeline
        return self._changes.get("timeline", now)  # type: ignore[no-any-return]


class MouseDrag(Protocol):
    """A pressed mouse that moves."""

    def move(self, at: QPointF) -> None:
        """Follow the mouse."""

    def end(self, at: QPointF) -> None:
        """Finish: the button was released."""


class ScrubDrag:
    """Moves the time cursor, within the window."""

    def __init__(self, view: TimelineSurface, soon: FrameLimiter) -> None:
        self._view = view
        self._soon = soon

    def move(self, at: QPointF) -> None:
        """Follow the mouse."""
        frame = self._view.frame
        ticks = round(frame.ticks(at.x()))
        self._soon.update(time=min(max(ticks, frame.window[0]), frame.window[1]))

    def end(self, at: QPointF) -> None:
        """Leave the cursor where it is."""
        self.move(at)


class PanDrag:
    """Moves the window, and the rows if they are zoomed, under the mouse."""

    def __init__(self, view: TimelineSurface, soon: FrameLimiter, at: QPointF) -> None:
        self._view = view
        self._soon = soon
        self._from = at
        self._window = view.frame.window
        self._rows = view.session.state.timeline.view

    def move(self, at: QPointF) -> None:
        """Keep the time that was pressed under the mouse."""
        begin, end = self._window
        pixels = self._view.frame.rows.width()
        by = round((self._from.x() - at.x()) / pixels * (end - begin))
        state = self._view.session.state
        limits = run_bounds(state)
        down = (self._from.y() - at.y()) / self._view.frame.rows.height()
        view = scrolled_rows(self._rows, down)
        options = replace(state.timeline, view=view)
        window = within((begin + by, end + by), limits)
        self._soon.update(window=window, timeline=options)

    def end(self, at: QPointF) -> None:
        """Leave the window where it is."""
        self.move(at)


class SelectDrag:
    """Selects a rank with a click, a stretch of time and ranks with a drag."""

    def __init__(
        self, view: TimelineSurface, at: QPointF, keys: Qt.KeyboardModifier
    ) -> None:
        self._view = view
        self._from = at
        self._keys = keys
        self._dragging = False

    def move(self, at: QPointF) -> None:
        """Draw a rubber band once it is more than a click."""
        moved = at - self._from
        if max(abs(moved.x()), abs(moved.y())) > CATCH_DISTANCE:
            self._dragging = True
        if self._dragging:
            self._view.show_rubber(self._band(at))

    def end(self, at: QPointF) -> None:
        """Select."""
        self._view.show_rubber(None)
        if not self._dragging:
            self._click()
            return
        session, band, frame = self._view.session, self._band(at), self._view.frame
        window = round(frame.ticks(band.left())), round(frame.ticks(band.right()))
        chosen = replace(session.state.selection, edge=None)
        chosen = replace(chosen, ranks=self._ranks_between(band.top(), band.bottom()))
        if window[1] - window[0] > 0 and band.width() > CATCH_DISTANCE:
            chosen = replace(chosen, window=window)
        session.update(selection=chosen)

    def _band(self, at: QPointF) -> QRectF:
        return dragged_box(self._from, at, self._view.frame.rows)

    def _ranks_between(self, top: float, bottom: float) -> tuple[int, ...]:
        """Ranks of rows that a band touches; none if it touches all."""
        frame, bands = self._view.frame, self._view.bands
        touched = (bands.bottom > frame.line(top)) & (bands.top <= frame.line(bottom))
        chosen, seen = np.zeros((2, int(bands.rank.max(initial=0)) + 1), np.bool_)
        chosen[bands.rank[touched]] = seen[bands.rank] = True
        everything = bool((chosen == seen).all())
        return () if everything else tuple(np.flatnonzero(chosen).tolist())

    def _click(self) -> None:
        view = self._view
        session, bands = view.session, view.bands
        row = bands.row_at(view.frame.line(self._from.y()))
        message = None if self._keys else message_near(view, self._from)
        if message is not None:
            picked = Picked("message", message)
            session.update(**changes_to_pick(session.state, picked))
            return
        number = None if self._keys else operation_near(view, self._from)
        if number is not None and view.operations is not None:
            picked = Picked("collective", int(view.operations.call[number]))
            session.update(**changes_to_pick(session.state, picked))
            return
        if row is None:
            session.select()
            return
        chosen, meant = session.state.selection.ranks, ranks_of_row(bands, row)
        if self._keys & Qt.KeyboardModifier.ControlModifier:
            session.select(ranks=tuple(sorted(set(chosen) ^ set(meant))))
        elif self._keys & Qt.KeyboardModifier.ShiftModifier and chosen:
            near = bands.index_of_rank(chosen)
            near = near if len(near) else np.array([row])
            first, last = min(int(near[0]), row), max(int(near[-1]), row)
            between = np.unique(bands.rank[first : last + 1])
            session.select(ranks=tuple(between.tolist()))
        elif bands.is_folded(row):
            session.select(ranks=meant)
        else:
            self._pick(meant[0])

    def _pick(self, rank: int) -> None:
        """Select the rank and its call there, and move the cursor into it."""
        view = self._view
        frame, selection = (
            view.frame,
            Selection((rank,), call=self._call_at(self._from)),
        )
        ticks = round(frame.ticks(self._from.x()))
        begin, end = frame.window
        interval = interval_at(view.session.state, frame, view.bands, self._from)
        if interval is not None:
            begin, end = max(begin, interval.begin), min(end, interval.end - 1)
        time = min(max(ticks, begin), max(end, begin))
        picked = Picked("rank", rank)
        if selection.call is not None:
            picked = Picked("call", selection.call)
        view.session.update(selection=selection, picked=picked, time=time)

    def _call_at(self, at: QPointF) -> int | None:
        """Index of the call that is seen at a place."""
        view = self._view
        state = view.session.state
        interval = interval_at(state, view.frame, view.bands, at)
        if interval is None or state.analysis is None:
            return None
        return call_at(state.analysis.trace, interval.row, interval.begin)


class ZoomDrag(SelectDrag):
    """Zooms to a stretch of time with a drag, as Vampir does; a click selects."""

    def end(self, at: QPointF) -> None:
        """Zoom."""
        if not self._dragging:
            super().end(at)
            return
        self._view.show_rubber(None)
        band, frame = self._band(at), self._view.frame
        if band.width() > CATCH_DISTANCE:
            ends = round(frame.ticks(band.left())), round(frame.ticks(band.right()))
            session = self._view.session
            limits = run_bounds(session.state)
            session.update(window=_window_between(*ends, limits))

    def _band(self, at: QPointF) -> QRectF:
        """All rows: time alone is zoomed."""
        rows = self._view.frame.rows
        band = super()._band(at)
        return QRectF(band.left(), rows.top(), band.width(), rows.height())


class RulerDrag(SelectDrag):
    """Measures between two points with a drag; a click selects, as with its keys."""

    def move(self, at: QPointF) -> None:
        """Lay the ruler once it is more than a click."""
        moved = at - self._from
        if max(abs(moved.x()), abs(moved.y())) > CATCH_DISTANCE:
            self._dragging = True
        if self._dragging:
            ends = (*self._end_at(self._from), *self._end_at(at))
            self._view.session.change("timeline", ruler=ends)

    def end(self, at: QPointF) -> None:
        """Leave the ruler where it is, or select."""
        if not self._dragging:
            super().end(at)

    def _end_at(self, at: QPointF) -> tuple[int, int]:
        """Time and rank at a place, within the rows."""
        frame, bands = self._view.frame, self._view.bands
        x = min(max(at.x(), frame.rows.left()), frame.rows.right())
        y = min(max(at.y(), frame.rows.top()), frame.rows.bottom())
        line = min(frame.line(y), float(bands.bottom.max(initial=0.0)))
        index = bands.row_at(line) or 0
        return round(frame.ticks(x)), int(bands.rank[index])


class RectangleDrag(SelectDrag):
    """Zooms to a rectangle: to its stretch of time, and to its rows."""

    def end(self, at: QPointF) -> None:
        """Zoom."""
        if not self._dragging:
            super().end(at)
            return
        self._view.show_rubber(None)
        band, frame, session = self._band(at), self._view.frame, self._view.session
        rows = frame.rows
        if min(band.width(), band.height()) <= CATCH_DISTANCE:
            return
        ends = round(frame.ticks(band.left())), round(frame.ticks(band.right()))
        top, bottom = (
            (y - rows.top()) / rows.height() for y in (band.top(), band.bottom())
        )
        low, high = session.state.timeline.view
        view = low + top * (high - low), low + bottom * (high - low)
        options = replace(session.state.timeline, view=fitted_rows(view))
        window = _window_between(*ends, run_bounds(session.state))
        session.update(window=window, timeline=options)


class CursorDrag:
    """Moves the cursor that was pressed; a click goes to what is below it."""

    def __init__(
        self,
        view: TimelineSurface,
        soon: FrameLimiter,
        at: QPointF,
        keys: Qt.KeyboardModifier,
    ) -> None:
        self._scrub = ScrubDrag(view, soon)
        self._select = SelectDrag(view, at, keys)
        self._from = at
        self._moved = False

    def move(self, at: QPointF) -> None:
        """Follow the mouse once it is more than a click."""
        moved = at - self._from
        if max(abs(moved.x()), abs(moved.y())) > CATCH_DISTANCE:
            self._moved = True
        if self._moved:
            self._scrub.move(at)

    def end(self, at: QPointF) -> None:
        """Leave the cursor where it is, or select."""
        if self._moved:
            self._scrub.end(at)
        else:
            self._select.end(at)


class StripDrag:
    """Moves the frame on the strip, pulls its edges, or draws a new one."""

    def __init__(self, view: TimelineSurface, soon: FrameLimiter, at: QPointF) -> None:
        self._view = view
        self._soon = soon
        self._from = view.frame.strip_ticks(at.x())
        self._window = view.frame.window
        self._part = _frame_part(view.frame, at)
        self._moved = False
        self._start = at

    @staticmethod
    def shape(frame: TimelineFrame, at: QPointF) -> Qt.CursorShape:
        """Shape of the mouse over a part of the frame."""
        shapes = {"begin": "SizeHorCursor", "end": "SizeHorCursor"}
        shapes |= {"inside": "OpenHandCursor", "outside": "CrossCursor"}
        return Qt.CursorShape[shapes[_frame_part(frame, at)]]

    def move(self, at: QPointF) -> None:
        """Change the window."""
        if abs(at.x() - self._start.x()) > CATCH_DISTANCE:
            self._moved = True
        if not self._moved:
            return
        limits = run_bounds(self._view.session.state)
        ticks = round(self._view.frame.strip_ticks(at.x()))
        begin, end = self._window
        if self._part == "inside":
            by = ticks - round(self._from)
            window = within((begin + by, end + by), limits)
        elif self._part == "begin":
            window = _window_between(ticks, end, limits)
        elif self._part == "end":
            window = _window_between(begin, ticks, limits)
        else:
            window = _window_between(round(self._from), ticks, limits)
        self._soon.update(window=window)

    def end(self, at: QPointF) -> None:
        """Centre the window at a click outside the frame."""
        self.move(at)
        if not self._moved and self._part == "outside":
            begin, end = self._window
            by = round(self._from) - (begin + end) // 2
            limits = run_bounds(self._view.session.state)
            self._soon.update(window=within((begin + by, end + by), limits))


def _frame_part(frame: TimelineFrame, at: QPointF) -> str:
    left, right = frame.strip_x(frame.window[0]), frame.strip_x(frame.window[1])
    wide = right - left > 3 * CATCH_DISTANCE
    if abs(at.x() - left) <= CATCH_DISTANCE and wide:
        return "begin"
    if abs(at.x() - right) <= CATCH_DISTANCE and wide:
        return "end"
    slack = 0 if wide else CATCH_DISTANCE
    return "inside" if left - slack <= at.x() <= right + slack else "outside"


def _window_between(one: int, other: int, limits: tuple[int, int]) -> tuple[int, int]:
    """Window between two times, in bounds, not too short."""
    begin = min(max(min(one, other), limits[0]), limits[1])
    end = max(min(max(one, other), limits[1]), limits[0])
    return within((begin, max(end, begin + MIN_WINDOW_TICKS)), limits)


FOLD_REACH = 60
"""Pixels from the left in which a click folds or unfolds a group."""


class TrackDrag(ScrubDrag):
    """Moves the time cursor on a track; a click in a call stack selects the call."""

    def __init__(self, view: TimelineSurface, soon: FrameLimiter, at: QPointF) -> None:
        super().__init__(view, soon)
        self._from = at

    def end(self, at: QPointF) -> None:
        """Select what was clicked, if it is a call."""
        self.move(at)
        moved, view = at - self._from, self._view
        number = view.frame.track_at(at.y())
        state = view.session.state
        if (
            number is None
            or state.analysis is None
            or max(abs(moved.x()), abs(moved.y())) > CATCH_DISTANCE
        ):
            return
        shown = view.tracks[number]
        if not isinstance(shown.data, StackSpans):
            return
        span = stack_at(view.frame, number, shown, at)
        if span is None:
            return
        region = int(shown.data.region[span])
        if state.analysis.trace.regions.operation[region] < 0:
            return
        rank, ticks = shown.request.rank, round(view.frame.ticks(at.x()))
        call = call_at(state.analysis.trace, rank, ticks)
        if call is not None:
            view.session.update(
                selection=Selection((rank,), call=call), picked=Picked("call", call)
            )


_ZOOM_PER_NOTCH = 1.25
"""Zoom of a notch of the wheel."""


class TimelineMouse:
    """Turns what the mouse does into changes of the session."""

    def __init__(self, view: TimelineSurface) -> None:
        self._view = view
        self._session = view.session
        self._soon = FrameLimiter(view.session, view)
        self._drag: MouseDrag | None = None
        self._tip = HoverTip(view)
        self._clicked: HoveredInterval | None = None
        self._selection = Selection()

    def press(self, event: QMouseEvent) -> None:
        """Begin what the place under the mouse asks for."""
        if self._session.state.analysis is None:
            return
        self._tip.hide()
        self._drag = self._begin(event)
        if self._drag is not None:
            self._drag.move(event.position())

    def move(self, event: QMouseEvent) -> None:
        """Go on with a drag; else show what is under the mouse."""
        if self._session.state.analysis is None:
            return
        if self._drag is not None:
            self._drag.move(event.position())
            return
        self._view.setCursor(self._shape(event.position()))
        self._tip.hover(event.position())

    def release(self, event: QMouseEvent) -> None:
        """End a drag."""
        if self._drag is not None:
            drag, self._drag = self._drag, None
            drag.end(event.position())
            self._soon.flush()

    def double_click(self, event: QMouseEvent) -> None:
        """Zoom to the selected time if the mouse is in it, else to the interval.

        The first of the two clicks has changed the selection; what counts is what
        there was before it.
        """
        state, at = self._session.state, event.position()
        if state.analysis is None:
            return
        if at.y() >= self._view.frame.strip.top() - CATCH_DISTANCE:
            self._session.update(timeline=overview_turned(state))
            return
        if not self._on_rows(at):
            return
        ticks = self._view.frame.ticks(event.position().x())
        chosen = self._selection.window
        if chosen is not None and chosen[0] <= ticks <= chosen[1]:
            self._session.update(
                window=within(chosen, run_bounds(state)), selection=self._selection
            )
        elif self._clicked is not None:
            begin, end = self._clicked.begin, self._clicked.end
            margin = max(2, (end - begin) // 8)
            window = begin - margin, end + margin
            self._session.update(window=within(window, run_bounds(state)))

    def wheel(self, event: QWheelEvent) -> None:
        """Zoom at the pointer; sideways or with Shift, pan.

        With Ctrl over the overview that is zoomed, not the rows.
        """
        state = self._session.state
        if state.analysis is None:
            return
        self._tip.hide()
        angle, frame = event.angleDelta(), self._view.frame
        window, limits = self._soon.window(), run_bounds(state)
        modifier = Qt.KeyboardModifier
        pans = bool(event.modifiers() & modifier.ShiftModifier)
        both = modifier.ShiftModifier | modifier.ControlModifier
        at_side = event.position().x() < frame.rows.left()
        on_strip = event.position().y() >= frame.strip.top() - CATCH_DISTANCE
        factor = _ZOOM_PER_NOTCH ** (angle.y() / 120)
        if on_strip and event.modifiers() & both == modifier.ControlModifier:
            at = frame.strip_ticks(event.position().x())
            shown = zoomed(frame.bounds, factor, at, limits)
            options = self._soon.timeline()
            chosen = None if shown == limits else shown
            self._soon.update(timeline=replace(options, overview=chosen))
            event.accept()
            return
        if event.modifiers() & both == both or at_side:
            self._turn_rows(event, zooms=event.modifiers() & both == both)
            event.accept()
            return
        if state.mouse == "vampir":
            pans = not event.modifiers() & modifier.ControlModifier
        if pans or abs(angle.x()) > abs(angle.y()):
            notches = (angle.x() or angle.y()) / 120
            self._soon.update(window=panned(window, -notches / 10, limits))
        else:
            share = (event.position().x() - frame.rows.left()) / frame.rows.width()
            share = min(max(share, 0.0), 1.0)
            at = window[0] + share * (window[1] - window[0])
            if on_strip:
                at = frame.strip_ticks(event.position().x())
            self._soon.update(window=zoomed(window, factor, at, limits))
        event.accept()

    def _turn_rows(self, event: QWheelEvent, *, zooms: bool) -> None:
        """Zoom the rows at the pointer, or scroll them."""
        options, rows = self._soon.timeline(), self._view.frame.rows
        notches = (event.angleDelta().y() or event.angleDelta().x()) / 120
        if zooms:
            share = (event.position().y() - rows.top()) / rows.height()
            view = zoomed_rows(options.view, _ZOOM_PER_NOTCH**notches, share)
        else:
            view = scrolled_rows(options.view, -notches / 10)
        self._soon.update(timeline=replace(options, view=view))

    def choose(self, at: QPointF) -> str:
        """Select the rank and call at a place, unless they are; names them.

        A selected stretch of time stays selected: a menu may be about it.
        """
        view, state = self._view, self._session.state
        if not view.frame.rows.contains(at):
            return ""
        interval = interval_at(state, view.frame, view.bands, at)
        index = view.bands.row_at(view.frame.line(at.y()))
        if interval is None and index is not None:
            ranks = ranks_of_row(view.bands, index)
            if not set(ranks) <= set(state.selection.ranks):
                chosen = replace(state.selection, ranks=ranks, call=None, edge=None)
                self._session.update(selection=chosen)
            return plural(len(ranks), "rank")
        if interval is None or state.analysis is None:
            return ""
        if interval.rank not in state.selection.ranks:
            call = call_at(state.analysis.trace, interval.row, interval.begin)
            chosen = replace(
                state.selection, ranks=(interval.rank,), call=call, edge=None
            )
            self._session.update(selection=chosen)
        regions = state.analysis.trace.regions
        name = (
            regions.title(interval.region)
            if interval.region >= 0
            else interval.state.label
        )
        return tr("rank {rank}, {name}", rank=interval.rank, name=name)

    def leave(self) -> None:
        """Forget what was under the mouse."""
        self._tip.hide()

    def _begin(self, event: QMouseEvent) -> MouseDrag | None:
        view, at = self._view, event.position()
        frame = view.frame
        if event.button() == Qt.MouseButton.MiddleButton:
            return PanDrag(view, self._soon, at)
        if event.button() != Qt.MouseButton.LeftButton:
            return None
        if at.y() >= frame.strip.top() - CATCH_DISTANCE:
            return StripDrag(view, self._soon, at)
        if at.y() < frame.rows.top():
            return ScrubDrag(view, self._soon)
        state = self._session.state
        if at.y() > frame.rows.bottom():
            return TrackDrag(view, self._soon, at)
        if at.x() < FOLD_REACH and self._turn_group(at):
            return None
        self._selection = state.selection
        self._clicked = interval_at(self._session.state, frame, view.bands, at)
        if self._near_cursor(at):
            return CursorDrag(view, self._soon, at, event.modifiers())
        return self._select_drag(event)(view, at, event.modifiers())

    def _select_drag(self, event: QMouseEvent) -> type[SelectDrag]:
        """Return the kind of drag on the rows, by the keys that are held."""
        shifted = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        controlled = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        if controlled:
            return RectangleDrag if shifted else RulerDrag
        as_vampir = self._session.state.mouse == "vampir"
        return ZoomDrag if as_vampir and not shifted else SelectDrag

    def _turn_group(self, at: QPointF) -> bool:
        """Fold or unfold the group whose mark is at a place; False for none."""
        view = self._view
        index = view.bands.row_at(view.frame.line(at.y()))
        if index is None or not view.bands.labels:
            return False
        group = int(view.bands.group[view.bands.group_at(index)])
        turned = view.session.state.timeline.turned ^ {group}
        view.session.change("timeline", turned=turned)
        return True

    def _near_cursor(self, at: QPointF) -> bool:
        frame = self._view.frame
        return (
            at.x() >= frame.rows.left()
            and abs(at.x() - frame.x(self._session.state.time)) <= CATCH_DISTANCE
        )

    def _on_rows(self, at: QPointF) -> bool:
        return self._view.frame.rows.contains(at)

    def _shape(self, at: QPointF) -> Qt.CursorShape:
        frame = self._view.frame
        if at.y() >= frame.strip.top() - CATCH_DISTANCE:
            return StripDrag.shape(frame, at)
        if at.y() < frame.rows.bottom() and self._near_cursor(at):
            return Qt.CursorShape.SizeHorCursor
        return Qt.CursorShape.ArrowCursor
