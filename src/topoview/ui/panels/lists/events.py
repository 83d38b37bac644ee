"""The events panel: a rank's calls as text, found page by page around the cursor."""

from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace

import numpy as np
from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    QSize,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import QAction, QColor, QFont, QGuiApplication, QKeySequence
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QWidget

from topoview.base.text import duration_text, grouped, plural, size_text, tr
from topoview.live.call_facts import (
    ARROW,
    CallFacts,
    CallMessages,
    facts_of,
    messages_of,
    path_text,
    ranks_text,
    tags_text,
)
from topoview.live.tables.calls import CallSearch, Search
from topoview.live.tables.query import Query, QueryError, parse_query
from topoview.model import Analysis, Ints, MPIState, Trace
from topoview.scene.palette import THEMES
from topoview.session import Picked, Session, State
from topoview.ui.panels.empty import EmptyView, stacked
from topoview.ui.panels.options import FindOptions
from topoview.ui.panels.table import Listing, Panel, PointedThing
from topoview.ui.widgets.controls import (
    DockBar,
    IconButton,
    column_header,
    fit_ranks,
    prepare_table,
)
from topoview.ui.widgets.formats import exact_time_text
from topoview.ui.widgets.latest_only import LatestOnly
from topoview.ui.widgets.theme import font

Index = QModelIndex | QPersistentModelIndex
Role = Qt.ItemDataRole

COLUMN_TITLES = (
    *(
        tr("time"),
        tr("call"),
        tr("to"),
        tr("from"),
        tr("bytes"),
        tr("duration"),
        tr("tag"),
    ),
    *(tr("communicator"), tr("path")),
)
COLUMN_TIPS = (
    tr("When the call was entered, from the mark if there is one"),
    tr("MPI function"),
    tr("Ranks that it sends to, or the root of a collective operation"),
    tr("Ranks that it receives from"),
    tr("Bytes of its messages, or of its part in the operation"),
    tr("Time that the call took"),
    tr("Tag of its messages"),
    tr("Communicator"),
    tr("Functions of the program that the call was made in, the outermost first"),
)
(
    TIME_COLUMN,
    CALL_COLUMN,
    TO_COLUMN,
    FROM_COLUMN,
    BYTES_COLUMN,
    DURATION_COLUMN,
    TAG_COLUMN,
    _,
    PATH_COLUMN,
) = range(9)

LISTING_TITLES = (
    *("rank", "time [s]", "call", "to", "from", "bytes [B]", "duration [s]"),
    *("tag", "communicator", "path"),
)
"""Columns of the table that other programs are given."""

CALLS_PER_PAGE = 256
"""Calls whose messages are looked up together."""

MAX_PAGES = 16


class EventsModel(QAbstractTableModel):
    """The MPI calls of one rank; rows are made when they are seen."""

    def __init__(self) -> None:
        super().__init__()
        self._known: Analysis | None = None
        self.rank = -1
        self._low = self._last = self._count = 0
        self._calls: Ints | None = None
        self._pages: OrderedDict[int, CallMessages] = OrderedDict()
        self._now, self._unit = -1, ""
        self._time_zero: int | None = None
        self._theme = THEMES["light"]
        self._bold: QFont = font(12, 600)

    def show(
        self, known: Analysis | None, rank: int, calls: Ints | None = None
    ) -> None:
        """List the calls of a rank of a trace, or some of them, ascending."""
        self.beginResetModel()
        self._known, self.rank, self._calls = known, rank, calls
        trace = known.trace if known else None
        self._pages.clear()
        self._low = self._count = 0
        if trace is not None and 0 <= rank < trace.ranks:
            self._low = int(trace.calls.offsets[rank])
            self._last = int(trace.calls.offsets[rank + 1])
            self._count = self._last - self._low if calls is None else len(calls)
        self._now = -1
        self.endResetModel()

    def paint(self, theme: str) -> None:
        """Take the colours of a theme."""
        self._theme = THEMES[theme]
        self._changed(0, self._count - 1)

    def count_from(self, time_zero: int | None, unit: str) -> None:
        """Write times from a mark, in a unit (empty: as suits)."""
        self._time_zero, self._unit = time_zero, unit
        self._changed(0, self._count - 1)

    def point(self, row: int) -> None:
        """Show which call is the present one; -1 for none."""
        before, self._now = self._now, row
        for each in {before, row} - {-1}:
            self._changed(each, each)

    @property
    def now(self) -> int:
        """Row of the present call."""
        return self._now

    def enter(self, row: int) -> int:
        """When a row's call was entered, in ticks."""
        assert self._known is not None
        return int(self._known.trace.calls.enter[self.call(row)])

    def call(self, row: int) -> int:
        """Index of a row's call in the trace."""
        return self._low + row if self._calls is None else int(self._calls[row])

    def row_at(self, ticks: int) -> int:
        """Row of the call that was entered last at a time; -1 before the first."""
        assert self._known is not None
        enter = self._known.trace.calls.enter
        if self._calls is not None:
            return int(np.searchsorted(enter[self._calls], ticks, side="right")) - 1
        own = enter[self._low : self._last]
        return int(own.searchsorted(ticks, side="right")) - 1

    def _changed(self, first: int, last: int) -> None:
        if 0 <= first <= last < self._count:
            ends = self.index(first, 0), self.index(last, len(COLUMN_TITLES) - 1)
            self.dataChanged.emit(*ends)

    def rowCount(self, parent: Index | None = None) -> int:
        """Count the calls."""
        return 0 if parent is not None and parent.isValid() else self._count

    def columnCount(self, parent: Index | None = None) -> int:
        """Count the columns."""
        return 0 if parent is not None and parent.isValid() else len(COLUMN_TITLES)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Role.DisplayRole
    ) -> object:
        """Give a column's title."""
        if role == Role.TextAlignmentRole and section not in (
            TIME_COLUMN,
            BYTES_COLUMN,
            DURATION_COLUMN,
        ):
            return Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        if role == Role.TextAlignmentRole:
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        return column_header(COLUMN_TITLES, section, orientation, role, COLUMN_TIPS)

    def data(self, index: Index, role: int = Role.DisplayRole) -> object:
        """Give what a cell says, and how."""
        row, column = index.row(), index.column()
        if self._known is None:
            return None
        if role == Role.DisplayRole:
            return self.text(row, column)
        if role == Role.ToolTipRole and column in (CALL_COLUMN, PATH_COLUMN):
            return self.whole(row)
        if role == Role.TextAlignmentRole and column in (
            TIME_COLUMN,
            BYTES_COLUMN,
            DURATION_COLUMN,
        ):
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        if role == Role.FontRole and row == self._now:
            return self._bold
        if role == Role.BackgroundRole and row == self._now:
            return QColor(self._theme.selected)
        if role == Role.DecorationRole and column == CALL_COLUMN:
            state = self._known.trace.regions.state[self._region(row)]
            return QColor(self._theme.state_colour(MPIState(int(state))))
        return None

    def _region(self, row: int) -> int:
        assert self._known is not None
        return int(self._known.trace.calls.region[self.call(row)])

    def text(self, row: int, column: int) -> str:
        """Write a cell."""
        trace = self._known.trace if self._known else None
        assert trace is not None
        call = self.call(row)
        if column == TIME_COLUMN:
            enter = int(trace.calls.enter[call])
            return exact_time_text(enter, self._time_zero, trace.clock, self._unit)
        if column == CALL_COLUMN:
            return trace.regions.title(self._region(row))
        if column == PATH_COLUMN:
            return path_text(trace, call)
        if column == DURATION_COLUMN:
            spent = int(trace.calls.leave[call] - trace.calls.enter[call])
            return duration_text(trace.clock.seconds(spent))
        return _cell_text(trace, self.facts(row), column)

    def plain(self, row: int) -> tuple[object, ...]:
        """Give a row in plain numbers, as `LISTING_TITLES` says."""
        assert self._known is not None
        trace, call, facts = self._known.trace, self.call(row), self.facts(row)
        enter, leave = (
            trace.clock.seconds(int(of[call]))
            for of in (trace.calls.enter, trace.calls.leave)
        )
        size = "" if facts.size is None else facts.size
        return (
            self.rank,
            enter,
            self.text(row, CALL_COLUMN),
            *(self.text(row, column) for column in (TO_COLUMN, FROM_COLUMN)),
            size,
            leave - enter,
            *(self.text(row, column) for column in range(TAG_COLUMN, PATH_COLUMN + 1)),
        )

    def whole(self, row: int) -> str:
        """Tell a row's call with the functions it was made in."""
        path, name = self.text(row, PATH_COLUMN), self.text(row, CALL_COLUMN)
        return f"{path}{ARROW}{name}" if path else name

    def facts(self, row: int) -> CallFacts:
        """Tell what a row's call did."""
        assert self._known is not None
        call = self.call(row)
        page = (call - self._low) // CALLS_PER_PAGE
        found = self._pages.get(page)
        if found is None:
            first = self._low + page * CALLS_PER_PAGE
            last = min(first + CALLS_PER_PAGE, self._last)
            found = messages_of(self._known, self.rank, first, last)
            self._pages[page] = found
            if len(self._pages) > MAX_PAGES:
                self._pages.popitem(last=False)
        return facts_of(self._known.trace, found, call)


def _cell_text(trace: Trace, facts: CallFacts, column: int) -> str:
    if column == TO_COLUMN:
        root = tr("root {root}", root=facts.root) if facts.root >= 0 else ""
        return ranks_text(facts.to) or root
    if column == FROM_COLUMN:
        return ranks_text(facts.source)
    if column == BYTES_COLUMN:
        carries = facts.size or facts.to or facts.source
        return size_text(facts.size) if facts.size is not None and carries else ""
    if column == TAG_COLUMN:
        return tags_text(facts.tags)
    if facts.communicator < 0:
        return ""
    return trace.communicators[facts.communicator].name or "world"


FOLLOW_MILLISECONDS = 60
"""Milliseconds between two steps of following a cursor that runs."""

COLUMN_WIDTHS = (92, 88, 34, 44, 52, 62, 44, 96, 160)
"""Of the columns; what matters most is seen in the narrowest panel."""


def listed_rank(state: State) -> int:
    """Return the rank whose calls are listed: the first selected one, else 0."""
    known = state.analysis
    if known is None:
        return -1
    return next((r for r in state.selection.ranks if r < known.trace.ranks), 0)


@dataclass(frozen=True, slots=True)
class EventsRequest:
    """Whose calls are listed, and which of them: those that a query finds, else all."""

    trace: Trace | None
    rank: int
    query: Query
    known: Analysis | None = field(compare=False)


def events_request(state: State) -> EventsRequest | None:
    """Tell what a state lists; None if its query is not understood."""
    known = state.analysis
    with suppress(QueryError):
        query = parse_query(state.of(FindOptions).text)
        trace = known.trace if known else None
        return EventsRequest(trace, listed_rank(state), query, known)
    return None


def _find_calls(asked: EventsRequest, go_on: Callable[[], bool]) -> Ints:
    """Find the calls of a rank that a query means."""
    del go_on
    assert asked.known is not None
    low, high = asked.known.trace.calls.offsets[asked.rank : asked.rank + 2].tolist()
    return CallSearch(Search(asked.known), asked.query).between(low, high)


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
        self.model = EventsModel()
        self.view = QTableView(self)
        prepare_table(self.view, self.model, tr("Events"))
        self.view.setWordWrap(False)
        self.view.setIconSize(QSize(8, 8))
        heads = self.view.horizontalHeader()
        heads.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        heads.setStretchLastSection(True)
        for column, width in enumerate(COLUMN_WIDTHS):
            self.view.setColumnWidth(column, width)
        self.view.clicked.connect(self._go)
        self.view.activated.connect(self._go)
        copy = QAction(tr("Copy"), self.view)
        copy.setShortcut(QKeySequence.StandardKey.Copy)
        copy.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        copy.triggered.connect(self.copy)
        self.view.addAction(copy)
        self.view.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.view.customContextMenuRequested.connect(self._ask_menu)
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
                *("analysis", "selection", "theme", "time_zero", "unit", "time"),
                FindOptions,
            ),
        )
        self.destroyed.connect(self._worker.stop)
        self._follow(State(), session.state)

    def _follow(self, old: State, new: State) -> None:
        known = new.analysis
        if known is not None and (
            old.analysis is None or old.analysis.trace is not known.trace
        ):
            usual = {k: COLUMN_WIDTHS[k] for k in (TO_COLUMN, FROM_COLUMN)}
            fit_ranks(self.view, usual, known.trace.ranks)
        asked = events_request(new)
        if asked is not None and asked != self._shown:
            self._shown = asked
            if asked.query:
                self._worker.ask(asked)
            else:
                self._take(asked, None)
        if old.theme != new.theme:
            self.model.paint(new.theme)
        if (old.time_zero, old.unit) != (new.time_zero, new.unit):
            self.model.count_from(new.time_zero, new.unit)
        if old.time != new.time and not self._timer.isActive():
            self._timer.start(FOLLOW_MILLISECONDS)

    def _take(self, asked: EventsRequest, calls: Ints | None) -> None:
        """List the calls of a rank, or those of them that a query finds."""
        if asked != self._shown:
            return
        self.model.show(asked.known, asked.rank, calls)
        some = self.view if self.model.rowCount() else self._empty
        if asked.query:
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
        known = state.analysis
        if known is None or not self.model.rowCount():
            return
        row = self.model.row_at(state.time)
        if row != self.model.now:
            self.model.point(row)
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

    def _go(self, index: QModelIndex) -> None:
        """Pick a call, and move the cursor to it, the window too if need be."""
        from topoview.live.picking.navigation import following

        known = self.session.state.analysis
        if known is None:
            return
        state, time = self.session.state, self.model.enter(index.row())
        whole = 0, max(known.trace.clock.length, 1)
        window = following(state.window, time, whole)
        call = self.model.call(index.row())
        self.session.update(
            time=time,
            window=window,
            selection=replace(state.selection, edge=None, call=call),
            picked=Picked("call", call),
            playing=False,
        )

    def copy(self) -> None:
        """Copy the selected rows as text, columns apart by tabs."""
        rows = sorted({i.row() for i in self.view.selectionModel().selectedRows()})
        lines = ["\t".join(COLUMN_TITLES)]
        lines += [
            "\t".join(self.model.text(row, c) for c in range(len(COLUMN_TITLES)))
            for row in rows
        ]
        QGuiApplication.clipboard().setText("\n".join(lines))

    def listing(self) -> Listing | None:
        """Give all calls of the rank."""
        model = self.model
        if not model.rowCount():
            return None
        return Listing(LISTING_TITLES, map(model.plain, range(model.rowCount())))

    def _ask_menu(self, at: QPoint) -> None:
        index = self.view.indexAt(at)
        own: tuple[tuple[str, Callable[[], object]], ...] = ()
        title = ""
        if index.isValid():
            title = self.model.text(index.row(), CALL_COLUMN)
            own = ((tr("Copy lines"), self.copy),)
        thing = PointedThing(title, own)
        self.menu_asked.emit(thing, self.view.viewport().mapToGlobal(at))

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
        state, model = self._session.state, self._panel.model
        text = state.of(FindOptions).text.strip()
        self.every.setVisible(bool(text))
        rank = model.rank
        if state.analysis is None or rank < 0:
            self.tell("")
            return
        offsets = state.analysis.trace.calls.offsets
        count = int(offsets[rank + 1] - offsets[rank])
        hint = "" if state.selection.ranks else tr("; select another in the scene")
        told = plural(count, "MPI call")
        if text:
            told, hint = (
                tr(
                    "{rowcount} of {told}",
                    rowcount=grouped(model.rowCount()),
                    told=told,
                ),
                f": {text}",
            )
        self.tell(
            tr("rank {rank}, {told}{hint}", rank=grouped(rank), told=told, hint=hint)
        )
