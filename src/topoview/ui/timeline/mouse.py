"""What the mouse does on the timeline."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QMouseEvent, QWheelEvent

from topoview.analysis.navigation import panned, within, zoomed
from topoview.session import Selection
from topoview.ui.timeline.content import bounds
from topoview.ui.timeline.drags import (
    NEAR,
    Choose,
    Coalesced,
    Drag,
    Pan,
    Scrub,
    StripDrag,
)
from topoview.ui.timeline.tips import HoverTip, Interval, interval_at

if TYPE_CHECKING:
    from topoview.ui.timeline.view import TimelineView

_NOTCH = 1.25
"""Zoom of a notch of the wheel."""


class TimelineMouse:
    """Turns what the mouse does into changes of the session."""

    def __init__(self, view: TimelineView) -> None:
        self._view = view
        self._session = view.session
        self._soon = Coalesced(view.session, view)
        self._drag: Drag | None = None
        self._tip = HoverTip(view)
        self._clicked: Interval | None = None
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

        The first of the two clicks has changed the selection, and perhaps the
        order of the rows; what counts is what there was before it.
        """
        state = self._session.state
        if state.analysis is None or not self._on_rows(event.position()):
            return
        ticks = self._view.frame.ticks(event.position().x())
        chosen = self._selection.window
        if chosen is not None and chosen[0] <= ticks <= chosen[1]:
            self._session.update(
                window=within(chosen, bounds(state)), selection=self._selection
            )
        elif self._clicked is not None:
            begin, end = self._clicked.begin, self._clicked.end
            margin = max(2, (end - begin) // 8)
            window = begin - margin, end + margin
            self._session.update(window=within(window, bounds(state)))

    def wheel(self, event: QWheelEvent) -> None:
        """Zoom at the pointer; sideways or with Shift, pan."""
        state = self._session.state
        if state.analysis is None:
            return
        self._tip.hide()
        angle, frame = event.angleDelta(), self._view.frame
        window, limits = self._soon.window(), bounds(state)
        shifted = event.modifiers() & Qt.KeyboardModifier.ShiftModifier
        if shifted or abs(angle.x()) > abs(angle.y()):
            notches = (angle.x() or angle.y()) / 120
            self._soon.update(window=panned(window, -notches / 10, limits))
        else:
            on_strip = event.position().y() >= frame.strip.top() - NEAR
            share = (event.position().x() - frame.rows.left()) / frame.rows.width()
            share = min(max(share, 0.0), 1.0)
            at = window[0] + share * (window[1] - window[0])
            if on_strip:
                at = frame.strip_ticks(event.position().x())
            factor = _NOTCH ** (angle.y() / 120)
            self._soon.update(window=zoomed(window, factor, at, limits))
        event.accept()

    def leave(self) -> None:
        """Forget what was under the mouse."""
        self._tip.hide()

    def _begin(self, event: QMouseEvent) -> Drag | None:
        view, at = self._view, event.position()
        frame = view.frame
        if event.button() == Qt.MouseButton.MiddleButton:
            return Pan(view, self._soon, at)
        if event.button() != Qt.MouseButton.LeftButton:
            return None
        if at.y() >= frame.strip.top() - NEAR:
            return StripDrag(view, self._soon, at)
        if at.y() < frame.rows.top() or self._near_cursor(at):
            return Scrub(view, self._soon)
        self._selection = self._session.state.selection
        self._clicked = interval_at(self._session.state, frame, view.bands, at)
        return Choose(view, at, event.modifiers())

    def _near_cursor(self, at: QPointF) -> bool:
        frame = self._view.frame
        return (
            at.x() >= frame.rows.left()
            and abs(at.x() - frame.x(self._session.state.time)) <= NEAR
        )

    def _on_rows(self, at: QPointF) -> bool:
        return self._view.frame.rows.contains(at)

    def _shape(self, at: QPointF) -> Qt.CursorShape:
        frame = self._view.frame
        if at.y() >= frame.strip.top() - NEAR:
            return StripDrag.shape(frame, at)
        if at.y() < frame.rows.bottom() and self._near_cursor(at):
            return Qt.CursorShape.SizeHorCursor
        return Qt.CursorShape.ArrowCursor
