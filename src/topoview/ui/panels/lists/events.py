"""The events panel: a rank's calls as text, found page by page around the cursor."""

from dataclasses import dataclass, field, replace

import numpy as np
from PySide6.QtCore import QTimer
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QAbstractItemView, QWidget

from topoview.base.text import ARROW, grouped, plural, tr
from topoview.live.tables.calls import CallSearch, Search
from topoview.live.tables.events import SHOWN, events_table
from topoview.live.tables.search.query import Query, QueryError, parse_query
from topoview.model import Analysis, Ints, TimeState, Trace
from topoview.session import Picked, Session, State
from topoview.ui.panels.options import FindOptions
from topoview.ui.widgets.controls import IconButton, follow
from topoview.ui.widgets.panel import TablePanel

FOLLOW_MILLISECONDS = 60
"""Milliseconds between two steps of following a cursor that runs."""


def listed_rank(state: State) -> int:
    """Return the rank whose calls are listed: the first selected one, else 0."""
    analysis = state.analysis
    if analysis is None:
        return -1
    return next((r for r in state.selection.ranks if r < analysis.trace.ranks), 0)


@dataclass(frozen=True, slots=True)
class EventsRequest:
    """Whose calls are listed, and which of them: those that a query finds, else all."""

    trace: Trace
    rank: int
    query: Query
    analysis: Analysis = field(compare=False)


def events_request(state: State) -> EventsRequest | None:
    """Return what a state lists; None before there is a trace.

    Raises
    ------
    QueryError
        The query is not understood.
    """
    analysis = state.analysis
    if analysis is None:
        return None
    query = parse_query(state.of(FindOptions).text)
    return EventsRequest(analysis.trace, listed_rank(state), query, analysis)


def _calls_of(trace: Trace, rank: int) -> tuple[int, int]:
    """Return the first call of a rank, and that behind its last one."""
    if not 0 <= rank < trace.ranks:
        return 0, 0
    low, high = trace.calls.offsets[rank : rank + 2].tolist()
    return low, high


def _find_calls(request: EventsRequest, _: object) -> Ints:
    """Find the calls of a rank that a query means; all without one."""
    low, high = _calls_of(request.trace, request.rank)
    if not request.query:
        return np.arange(low, high)
    return CallSearch(Search(request.analysis), request.query).between(low, high)


class EventsPanel(TablePanel[EventsRequest, Ints]):
    """Lists the calls of a rank; follows the cursor, and a click moves it."""

    PARTS = ("analysis", "selection", "theme", "time_zero", "unit", FindOptions)
    NAME = tr("Events")
    COLUMNS = SHOWN

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(session, parent, _find_calls)
        self.model.colour, self.model.tip = self._colour, self._tip
        self.view.horizontalHeader().setSectionsClickable(False)
        self.every = IconButton(
            "filter-off", tr("List all calls: clear the field of Find")
        )
        self.every.clicked.connect(
            lambda: session.change(FindOptions, text="", brush=None)
        )
        self.dock_bar.add_control(self.every)
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self._point)
        follow(self, session, self._follow_time, to=("time",))

    def request(self, state: State) -> EventsRequest | None:
        """Return whose calls are wanted; what is not understood changes nothing."""
        try:
            return events_request(state)
        except QueryError:
            return self.requested

    def is_quick(self, request: EventsRequest) -> bool:
        """Answer at once where nothing is looked for."""
        return not request.query

    def show_result(self, result: Ints) -> None:
        """List calls; what they did is found as rows are seen."""
        assert self.answered is not None
        analysis, rank = self.answered.analysis, self.answered.rank
        self.show_table(events_table(analysis, rank, result))
        self._timer.start(0)

    def show_state(self, state: State) -> None:
        """Write times as the state says, in its theme."""
        self.model.refresh()
        self.every.setVisible(bool(state.of(FindOptions).text.strip()))

    def why_empty(self, state: State) -> tuple[str, str]:
        """Return that a rank has no calls, or none that are looked for."""
        if self.result is None or len(self.result):
            return super().why_empty(state)
        if self.answered is not None and self.answered.query:
            return tr("No such calls"), tr("The query of Find fits none of them.")
        return tr("No calls"), tr("This rank makes no MPI calls.")

    def remark(self) -> tuple[str, str]:
        """Return whose calls are listed, and how many."""
        state, request = self.session.state, self.answered
        if request is None or self.result is None:
            return "", ""
        low, high = _calls_of(request.trace, request.rank)
        calls = plural(high - low, "MPI call")
        hint = "" if state.selection.ranks else tr("; select another in the scene")
        if text := state.of(FindOptions).text.strip():
            count = grouped(len(self.result))
            calls = tr("{rowcount} of {calls}", rowcount=count, calls=calls)
            hint = f": {text}"
        rank = request.rank
        return tr("rank {rank}, {calls}{hint}", rank=rank, calls=calls, hint=hint), ""

    @property
    def settled(self) -> bool:
        """Whether what is seen is what the state asks for."""
        return super().settled and not self._timer.isActive()

    def _follow_time(self, _: State, __: State) -> None:
        if self.isVisible() and not self._timer.isActive():
            self._timer.start(FOLLOW_MILLISECONDS)

    def _point(self) -> None:
        """Mark the present call, and show it."""
        if self.result is None or self.answered is None or not len(self.result):
            return
        enter = self.answered.trace.calls.enter[self.result]
        row = int(np.searchsorted(enter, self.session.state.time, side="right")) - 1
        self.model.mark(frozenset({row} - {-1}))
        index = self.model.index(max(row, 0), 0)
        box = self.view.visualRect(index)
        height = self.view.viewport().height()
        if not (height * 0.15 < box.center().y() < height * 0.85):
            middle = QAbstractItemView.ScrollHint.PositionAtCenter
            self.view.scrollTo(index, middle)

    def showEvent(self, event: QShowEvent) -> None:
        """Go to the cursor when the panel is seen again."""
        super().showEvent(event)
        self._timer.start(0)

    def choose(self, place: int) -> None:
        """Pick a call, and move the cursor to it, the window too if need be."""
        from topoview.live.picking.navigation import following

        if self.result is None or self.answered is None:
            return
        state, trace = self.session.state, self.answered.trace
        call = int(self.result[place])
        time = int(trace.calls.enter[call])
        window = following(state.window, time, trace.clock.whole)
        self.session.update(
            time=time,
            window=window,
            selection=replace(state.selection, edge=None, call=call),
            picked=Picked("call", call),
            playing=False,
        )

    def _colour(self, row: int) -> str:
        assert self.result is not None
        assert self.answered is not None
        trace = self.answered.trace
        state = trace.regions.state[trace.calls.region[self.result[row]]]
        return self.model.theme.state_colour(TimeState(int(state)))

    def _tip(self, row: int, name: str) -> str:
        """Name the call, with the functions that it was made in."""
        if name not in ("function", "path"):
            return ""
        path, function = (self.model.text(row, key) for key in ("path", "function"))
        return f"{path}{ARROW}{function}" if path else function
