"""The timelines of two runs below each other, on one scale from the same beginning."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from topoview.base.text import plural
from topoview.live.picking.navigation import communication_window
from topoview.live.waits.delays import first_view
from topoview.model import Analysis
from topoview.session import Selection, Session, State
from topoview.ui.panels.timeline.view import TimelineView
from topoview.ui.widgets.controls import follow
from topoview.ui.widgets.layouts import filled
from topoview.ui.widgets.theme import font

DRAWN_RESULTS = ("message_index", "overview", "identification", "profile")
"""Results of a run that its timeline is drawn and ordered by."""

LINKED_PARTS = ("window", "time", "timeline", "unit", "selection")
"""Parts of the state that both timelines share."""

OF_WINDOW = ("time", "selection", "picked")
"""Parts that the window shares with the timeline of its trace: its zoom stays its own.
"""

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

    What is selected in one is in the other, by its ranks and time, and in the window,
    as long as that shows the first run: in its scene, and in its profile.

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
        self._window = session
        self.sessions = (Session(), Session())
        """What each timeline shows: apart from that of the window."""
        self.views: list[TimelineView] = []
        column = filled(QVBoxLayout(self), margins=(0, 8, 0, 0), spacing=2)
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
        follow(self, session, self._follow, to=("theme", *OF_WINDOW))
        self._follow(state, state)

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
                selection=self._selection_moved(new.selection, side, other),
            )
            self._show_in_window()
        finally:
            self._linking = False

    def _selection_moved(self, chosen: Selection, one: int, other: int) -> Selection:
        """Return ranks and time of a selection in the other run, if it has them."""
        counts = [run.trace.ranks for run in self._runs]
        window = chosen.window
        if window is not None:
            window = (
                self._moved(window[0], one, other),
                self._moved(window[1], one, other),
            )
        ranks = chosen.ranks if counts[0] == counts[1] else ()
        return Selection(ranks=ranks, window=window)

    @property
    def _shows_first(self) -> bool:
        """Whether the window shows the first run."""
        analysis = self._window.state.analysis
        return analysis is not None and analysis.trace is self._runs[0].trace

    def _show_in_window(self) -> None:
        """Select in the window what is selected in the first run, at its time."""
        if self._shows_first:
            own = self.sessions[0].state
            self._window.update(**{name: getattr(own, name) for name in OF_WINDOW})

    def _follow(self, _: State, new: State) -> None:
        for own in self.sessions:
            own.update(theme=new.theme)
        if self._shows_first and not self._linking:
            self.sessions[0].update(**{name: getattr(new, name) for name in OF_WINDOW})


def _beginning(analysis: Analysis) -> int:
    """Time of a run from which the other one is laid beside it."""
    window = communication_window(analysis)
    return 0 if window is None else window[0]
