"""Drags of the mouse on the timeline: scrub, choose, pan, and move the frame."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt, QTimer

from topoview.analysis.moment import call_at
from topoview.analysis.navigation import SHORTEST, within
from topoview.session import Session
from topoview.ui.timeline.content import bounds
from topoview.ui.timeline.frame import Frame
from topoview.ui.timeline.tips import interval_at

if TYPE_CHECKING:
    from topoview.ui.timeline.view import TimelineView

NEAR = 4
"""Logical pixels within which a line is caught, and that a click may tremble."""
_FRAME = 16
"""Milliseconds between changes that a drag makes: one a frame is seen."""


class Coalesced:
    """Makes changes to a session at most once a frame, the latest ones."""

    def __init__(self, session: Session, parent: TimelineView) -> None:
        self._session = session
        self._changes: dict[str, Any] = {}
        self._timer = QTimer(parent)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_FRAME)
        self._timer.timeout.connect(self.flush)

    def update(self, **changes: Any) -> None:  # noqa: ANN401 - fields of State
        """Change fields of the state soon."""
        self._changes |= changes
        if not self._timer.isActive():
            self._timer.start()

    def flush(self) -> None:
        """Make what is waiting now."""
        self._timer.stop()
        changes, self._changes = self._changes, {}
        if changes:
            self._session.update(**changes)

    def window(self) -> tuple[int, int]:
        """Window as it will be once all changes are made."""
        found: tuple[int, int] = self._changes.get("window", self._session.state.window)
        return found


class Drag(Protocol):
    """A pressed mouse that moves."""

    def move(self, at: QPointF) -> None:
        """Follow the mouse."""

    def end(self, at: QPointF) -> None:
        """Finish: the button was released."""


class Scrub:
    """Moves the time cursor, within the window."""

    def __init__(self, view: TimelineView, soon: Coalesced) -> None:
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


class Pan:
    """Moves the window under the mouse."""

    def __init__(self, view: TimelineView, soon: Coalesced, at: QPointF) -> None:
        self._view = view
        self._soon = soon
        self._from = at.x()
        self._window = view.frame.window

    def move(self, at: QPointF) -> None:
        """Keep the time that was pressed under the mouse."""
        begin, end = self._window
        pixels = self._view.frame.rows.width()
        by = round((self._from - at.x()) / pixels * (end - begin))
        limits = bounds(self._view.session.state)
        self._soon.update(window=within((begin + by, end + by), limits))

    def end(self, at: QPointF) -> None:
        """Leave the window where it is."""
        self.move(at)


class Choose:
    """Selects a rank with a click, a stretch of time and ranks with a drag."""

    def __init__(
        self, view: TimelineView, at: QPointF, keys: Qt.KeyboardModifier
    ) -> None:
        self._view = view
        self._from = at
        self._keys = keys
        self._dragging = False

    def move(self, at: QPointF) -> None:
        """Draw a rubber band once it is more than a click."""
        moved = at - self._from
        if max(abs(moved.x()), abs(moved.y())) > NEAR:
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
        ranks = self._ranks_between(band.top(), band.bottom())
        if session.state.view.order != "distance":
            chosen = replace(chosen, ranks=ranks)
        if window[1] - window[0] > 0 and band.width() > NEAR:
            chosen = replace(chosen, window=window)
        session.update(selection=chosen)

    def _band(self, at: QPointF) -> QRectF:
        return QRectF(self._from, at).normalized() & self._view.frame.rows

    def _ranks_between(self, top: float, bottom: float) -> tuple[int, ...]:
        """Ranks of rows that a band touches; none if it touches all."""
        frame, bands = self._view.frame, self._view.bands
        touched = (bands.bottom > frame.line(top)) & (bands.top < frame.line(bottom))
        ranks = np.unique(bands.rank[touched])
        everything = len(ranks) == len(np.unique(bands.rank))
        return () if everything else tuple(ranks.tolist())

    def _click(self) -> None:
        view = self._view
        session, bands = view.session, view.bands
        row = bands.row_at(view.frame.line(self._from.y()))
        if row is None:
            session.select()
            return
        rank, chosen = int(bands.rank[row]), session.state.selection.ranks
        if self._keys & Qt.KeyboardModifier.ControlModifier:
            session.select(ranks=tuple(sorted(set(chosen) ^ {rank})))
        elif self._keys & Qt.KeyboardModifier.ShiftModifier and chosen:
            near = bands.index_of_rank(chosen)
            first, last = min(int(near[0]), row), max(int(near[-1]), row)
            between = np.unique(bands.rank[first : last + 1])
            session.select(ranks=tuple(between.tolist()))
        else:
            session.select(ranks=(rank,), call=self._call_at(self._from))

    def _call_at(self, at: QPointF) -> int | None:
        """Index of the call that is seen at a place."""
        view = self._view
        state = view.session.state
        found = interval_at(state, view.frame, view.bands, at)
        if found is None or state.analysis is None:
            return None
        return call_at(state.analysis.trace, found.row, found.begin)


class StripDrag:
    """Moves the frame on the strip, pulls its edges, or draws a new one."""

    def __init__(self, view: TimelineView, soon: Coalesced, at: QPointF) -> None:
        self._view = view
        self._soon = soon
        self._from = view.frame.strip_ticks(at.x())
        self._window = view.frame.window
        self._part = _frame_part(view.frame, at)
        self._moved = False
        self._start = at

    @staticmethod
    def shape(frame: Frame, at: QPointF) -> Qt.CursorShape:
        """Shape of the mouse over a part of the frame."""
        shapes = {"begin": "SizeHorCursor", "end": "SizeHorCursor"}
        shapes |= {"inside": "OpenHandCursor", "outside": "CrossCursor"}
        return Qt.CursorShape[shapes[_frame_part(frame, at)]]

    def move(self, at: QPointF) -> None:
        """Change the window."""
        if abs(at.x() - self._start.x()) > NEAR:
            self._moved = True
        if not self._moved:
            return
        limits = bounds(self._view.session.state)
        ticks = round(self._view.frame.strip_ticks(at.x()))
        begin, end = self._window
        if self._part == "inside":
            by = ticks - round(self._from)
            window = within((begin + by, end + by), limits)
        elif self._part == "begin":
            window = _span(ticks, end, limits)
        elif self._part == "end":
            window = _span(begin, ticks, limits)
        else:
            window = _span(round(self._from), ticks, limits)
        self._soon.update(window=window)

    def end(self, at: QPointF) -> None:
        """Centre the window at a click outside the frame."""
        self.move(at)
        if not self._moved and self._part == "outside":
            begin, end = self._window
            by = round(self._from) - (begin + end) // 2
            limits = bounds(self._view.session.state)
            self._soon.update(window=within((begin + by, end + by), limits))


def _frame_part(frame: Frame, at: QPointF) -> str:
    left, right = frame.strip_x(frame.window[0]), frame.strip_x(frame.window[1])
    wide = right - left > 3 * NEAR
    if abs(at.x() - left) <= NEAR and wide:
        return "begin"
    if abs(at.x() - right) <= NEAR and wide:
        return "end"
    slack = 0 if wide else NEAR
    return "inside" if left - slack <= at.x() <= right + slack else "outside"


def _span(one: int, other: int, limits: tuple[int, int]) -> tuple[int, int]:
    """Window between two times, in bounds, not too short."""
    begin = min(max(min(one, other), limits[0]), limits[1])
    end = max(min(max(one, other), limits[1]), limits[0])
    return within((begin, max(end, begin + SHORTEST)), limits)
