"""The timelines of two runs below each other, on one scale from the same beginning."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from topoview.base.text import plural
from topoview.live.delays import first_view
from topoview.live.picking.navigation import communication_window
from topoview.model import Analysis
from topoview.session import Session, State
from topoview.ui.panels.timeline.view import TimelineView
from topoview.ui.widgets.controls import follow
from topoview.ui.widgets.theme import font

DRAWN_RESULTS = ("message_index", "overview", "identification", "profile")
"""Results of a run that its timeline is drawn and ordered by."""

LINKED_PARTS = ("window", "time", "timeline", "unit")
"""Parts of the state that both timelines share."""

SHARED_OPTIONS = (
    "order",
    "folded",
    "view",
    "tracks",
    "messages",
    "collectives",
    "colour",
)
"""Of how a timeline is shown: what does not depend on the run's own ranks."""


class TimelinesPage(QWidget):
    """Two timelines that zoom, scroll and order their rows together.

    Times are counted from the first communication of each run.
    """

    def __init__(
        self,
        session: Session,
        runs: tuple[Analysis, Analysis],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._runs = runs
        self._zero = tuple(map(_beginning, runs))
        self._linking = False
        self.sessions = (Session(), Session())
        """What each timeline shows: apart from that of the window."""
        self.views: list[TimelineView] = []
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 8, 0, 0)
        column.setSpacing(2)
        for letter, analysis, own in zip("AB", runs, self.sessions, strict=True):
            ranks = plural(analysis.trace.ranks, "rank")
            title = QLabel(f"{letter}: {analysis.trace.name}, {ranks}", self)
            title.setTextFormat(Qt.TextFormat.PlainText)
            title.setFont(font(13, 600))
            title.setContentsMargins(14, 0, 14, 0)
            column.addWidget(title)
            view = TimelineView(own, self)
            column.addWidget(view, 1)
            self.views.append(view)
        state = session.state
        window, time = self._both_whole()
        for side in (0, 1):
            self.sessions[side].update(
                analysis=runs[side],
                theme=state.theme,
                timeline=replace(state.timeline.elsewhere, order="place"),
                mouse=state.mouse,
                unit=state.unit,
                time_zero=self._zero[side],
                window=(
                    self._moved(window[0], 0, side),
                    self._moved(window[1], 0, side),
                ),
                time=self._moved(time, 0, side),
            )
            follow(self, self.sessions[side], partial(self._link, side), LINKED_PARTS)
        follow(self, session, self._follow, to=("theme",))

    def _both_whole(self) -> tuple[tuple[int, int], int]:
        """Return the window, in the first run's ticks, that holds both, and a time."""
        ends = []
        for side, analysis in enumerate(self._runs):
            window = communication_window(analysis)
            end = analysis.trace.clock.length if window is None else window[1]
            ends.append(self._seconds(end, side))
        clock = self._runs[0].trace.clock
        begin = self._zero[0]
        return (begin, begin + clock.ticks(max(ends))), first_view(self._runs[0]).time

    def _seconds(self, ticks: int, side: int) -> float:
        """Seconds of a time from the run's beginning on."""
        return self._runs[side].trace.clock.seconds(ticks - self._zero[side])

    def _moved(self, ticks: int, one: int, other: int) -> int:
        """Turn a time of one run into that of another."""
        if one == other:
            return ticks
        clock, zero = self._runs[other].trace.clock, self._zero[other]
        return zero + clock.ticks(self._seconds(ticks, one))

    def _link(self, side: int, _: State, new: State) -> None:
        """Let the other timeline follow what one shows."""
        if self._linking:
            return
        other = 1 - side
        begin, end = new.window
        self._linking = True
        try:
            self.sessions[other].update(
                window=(self._moved(begin, side, other), self._moved(end, side, other)),
                time=self._moved(new.time, side, other),
                timeline=replace(
                    self.sessions[other].state.timeline,
                    **{name: getattr(new.timeline, name) for name in SHARED_OPTIONS},
                ),
                unit=new.unit,
            )
        finally:
            self._linking = False

    def _follow(self, _: State, new: State) -> None:
        for own in self.sessions:
            own.update(theme=new.theme)


def _beginning(analysis: Analysis) -> int:
    """Time of a run from which the other one is laid beside it."""
    window = communication_window(analysis)
    return 0 if window is None else window[0]
