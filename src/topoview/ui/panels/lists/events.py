"""The events panel: a rank's calls as text, found page by page around the cursor."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace

import numpy as np
from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QAbstractItemView, QWidget

from topoview.base.text import grouped, plural, tr
from topoview.live.call_facts import ARROW
from topoview.live.tables.calls import CallSearch, Search
from topoview.live.tables.events import SHOWN, events_table
from topoview.live.tables.query import Query, QueryError, parse_query
from topoview.model import Analysis, Ints, MPIState, Table, Trace
from topoview.session import Picked, Session, State
from topoview.ui.panels.options import FindOptions
from topoview.ui.widgets.controls import DockBar, IconButton
from topoview.ui.widgets.formats import moment_writer
from topoview.ui.widgets.latest_only import LatestOnly
from topoview.ui.widgets.panel import EmptyView, Panel, stacked
from topoview.ui.widgets.table import NO_TABLE, TableModel, TableView

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

    trace: Trace | None
    rank: int
    query: Query
    analysis: Analysis | None = field(compare=False)


def events_request(state: State) -> EventsRequest | None:
    """Tell what a state lists; None if its query is not understood."""
    analysis = state.analysis
    with suppress(QueryError):
        query = parse_query(state.of(FindOptions).text)
        trace = analysis.trace if analysis else None
        return EventsRequest(trace, listed_rank(state), query, analysis)
    return None


def _calls_of(trace: Trace, rank: int) -> tuple[int, int]:
    """Return the first call of a rank, and that behind its last one."""
    if not 0 <= rank < trace.ranks:
        return 0, 0
    low, high = trace.calls.offsets[rank : rank + 2].tolist()
    return low, high


def _find_calls(request: EventsRequest, go_on: Callable[[], bool]) -> Ints:
    """Find the calls of a rank that a query means."""
    del go_on
    assert request.analysis is not None
    low, high = _calls_of(request.analysis.trace, request.rank)
    return CallSearch(Search(request.analysis), request.query).between(low, high)


class EventsPanel(Panel):
    """Lists the calls of a rank; follows the cursor, and a click moves it.

    Signals
    -------
    listed
        Other calls are listed.
    """

    listed = Signal()

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(session, parent)
        self.model = TableModel(session)
        self.model.colour, self.model.tip = self._colour, self._tip
        self.rank = -1
        self.calls = np.zeros(0, np.int64)
        self.view = TableView(self.model, tr("Events"), self)
        self.view.horizontalHeader().setSectionsClickable(False)
        self.view.chosen.connect(self._go)
        self.offer_menu(self.view)
        self._empty = EmptyView(self)
        self._stack = stacked(self, self.view, self._empty)
        self._shown: EventsRequest | None = None
        self._worker = LatestOnly[EventsRequest, Ints](_find_calls, self._take)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(FOLLOW_MILLISECONDS)
        self._timer.timeout.connect(self._point)
        session.subscribe(
            self._follow,
            to=(
                "analysis",
                "selection",
                "theme",
                "time_zero",
                "unit",
                "time",
                FindOptions,
            ),
        )
        self.destroyed.connect(self._worker.stop)
        self._follow(State(), session.state)

    def _follow(self, old: State, new: State) -> None:
        request = events_request(new)
        if request is not None and request != self._shown:
            self._shown = request
            if request.query:
                self._worker.ask(request)
            else:
                self._take(request, None)
        times = old.analysis, old.time_zero, old.unit
        if times != (new.analysis, new.time_zero, new.unit):
            self.model.moment = moment_writer(new)
            self.model.refresh()
        if old.theme != new.theme:
            self.model.refresh()
        if old.time != new.time and not self._timer.isActive():
            self._timer.start(FOLLOW_MILLISECONDS)

    def _take(self, request: EventsRequest, calls: Ints | None) -> None:
        """List the calls of a rank, or those of them that a query finds."""
        if request != self._shown:
            return
        self.rank, self.calls = request.rank, np.zeros(0, np.int64)
        if request.analysis is None:
            self.model.show(NO_TABLE)
        else:
            low, high = _calls_of(request.analysis.trace, request.rank)
            self.calls = np.arange(low, high) if calls is None else calls
            table = events_table(request.analysis, request.rank, self.calls)
            self.model.show(table, columns=SHOWN)
        some = self.view if self.model.rowCount() else self._empty
        if request.query:
            self._empty.tell(
                tr("No such calls"), tr("The query of Find fits none of them.")
            )
        else:
            self._empty.tell(tr("No calls"), tr("This rank makes no MPI calls."))
        self._stack.setCurrentWidget(some)
        self._timer.start(0)
        self.listed.emit()

    @property
    def settled(self) -> bool:
        """Whether what is seen is what the state asks for."""
        return not self._worker.busy and not self._timer.isActive()

    def _point(self) -> None:
        """Show the present call, if the panel is seen."""
        state = self.session.state
        analysis = state.analysis
        if analysis is None or not self.model.rowCount():
            return
        enter = analysis.trace.calls.enter[self.calls]
        row = int(np.searchsorted(enter, state.time, side="right")) - 1
        self.model.mark(frozenset({row} - {-1}))
        if self.isVisible():
            hint = QAbstractItemView.ScrollHint.PositionAtCenter
            index = self.model.index(max(row, 0), 0)
            box = self.view.visualRect(index)
            height = self.view.viewport().height()
            if not (height * 0.15 < box.center().y() < height * 0.85):
                self.view.scrollTo(index, hint)

    def showEvent(self, event: object) -> None:  # noqa: ARG002 - Qt's name
        """Go to the cursor when the panel is seen again."""
        self._timer.start(0)

    def _go(self, place: int) -> None:
        """Pick a call, and move the cursor to it, the window too if need be."""
        from topoview.live.picking.navigation import following

        analysis = self.session.state.analysis
        if analysis is None:
            return
        state, call = self.session.state, int(self.calls[place])
        time = int(analysis.trace.calls.enter[call])
        whole = 0, max(analysis.trace.clock.length, 1)
        window = following(state.window, time, whole)
        self.session.update(
            time=time,
            window=window,
            selection=replace(state.selection, edge=None, call=call),
            picked=Picked("call", call),
            playing=False,
        )

    def _colour(self, row: int) -> str:
        analysis = self.session.state.analysis
        assert analysis is not None
        region = analysis.trace.calls.region[self.calls[row]]
        state = MPIState(int(analysis.trace.regions.state[region]))
        return self.model.theme.state_colour(state)

    def _tip(self, row: int, name: str) -> str:
        """Say which call it is, with the functions that it was made in."""
        if name not in ("function", "path"):
            return ""
        path, function = (self.model.text(row, key) for key in ("path", "function"))
        return f"{path}{ARROW}{function}" if path else function

    def listing(self) -> Table | None:
        """Return all calls of the rank."""
        return self.model.table if self.model.rowCount() else None

    def bar(self, title: str) -> DockBar:
        """Make its title bar."""
        return EventsBar(self, title)


class EventsBar(DockBar):
    """Tells whose calls are listed, and of which query; ends that."""

    def __init__(self, panel: EventsPanel, title: str) -> None:
        super().__init__(title)
        self._panel, self._session = panel, panel.session
        self.every = IconButton(
            "filter-off", tr("List all calls: clear the field of Find")
        )
        self.every.clicked.connect(
            lambda: self._session.change(FindOptions, text="", brush=None)
        )
        self.add_control(self.every)
        panel.listed.connect(self._show)
        self._show()

    def _show(self) -> None:
        state, rank = self._session.state, self._panel.rank
        text = state.of(FindOptions).text.strip()
        self.every.setVisible(bool(text))
        if state.analysis is None or rank < 0:
            self.tell("")
            return
        low, high = _calls_of(state.analysis.trace, rank)
        count = high - low
        hint = "" if state.selection.ranks else tr("; select another in the scene")
        subject = plural(count, "MPI call")
        if text:
            subject, hint = (
                tr(
                    "{rowcount} of {told}",
                    rowcount=grouped(len(self._panel.calls)),
                    told=subject,
                ),
                f": {text}",
            )
        self.tell(
            tr("rank {rank}, {told}{hint}", rank=grouped(rank), told=subject, hint=hint)
        )
