"""The panel Find: calls of all ranks that a query finds, their numbers, their rows."""

from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from PySide6.QtCore import (
    QModelIndex,
    QPersistentModelIndex,
    QStringListModel,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import QGuiApplication, QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QCompleter,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from topoview.base.text import duration_text, grouped, plural, tr
from topoview.live.picking.picked import changes_to_pick
from topoview.live.tables.calls import NUMBERS
from topoview.live.tables.find import (
    UNITS,
    Finder,
    FindPage,
    FindRequest,
    FoundCalls,
    brushed_text,
    calls_of_text,
    found_table,
    suggestions,
)
from topoview.live.tables.query import QueryError, parse_query
from topoview.model import Analysis, Clock, MPIState, Table
from topoview.report.write import csv
from topoview.session import Picked, Selection, Session, State
from topoview.ui.panels.empty import EmptyView, stacked
from topoview.ui.panels.options import FIND_SCOPES, FindOptions
from topoview.ui.panels.table import Panel
from topoview.ui.widgets.controls import (
    DockBar,
    IconButton,
    Segmented,
)
from topoview.ui.widgets.formats import moment_writer
from topoview.ui.widgets.histogram import HistogramData, HistogramView
from topoview.ui.widgets.latest_only import LatestOnly
from topoview.ui.widgets.table import NO_TABLE, TableModel, TableView
from topoview.ui.widgets.theme import font

Index = QModelIndex | QPersistentModelIndex
Role = Qt.ItemDataRole

TYPING_MILLISECONDS = 150
"""Milliseconds that the typing rests before calls are looked for."""

SHOWN: Final = (
    "rank",
    "function",
    "begin",
    "seconds",
    "last",
    "waited",
    "bytes",
    "direction",
    "iteration",
    "tag",
    "communicator",
)
"""Columns of the rows."""

SORTS: Final = {"duration": "seconds"}
"""Names of columns in queries and options that are others in tables."""

NOTHING_ASKED = (
    tr("Find calls of all ranks"),
    tr(
        "Type a function, a duration, a size, a direction: Waitall > 10 ms, "
        "to EAST > 1 MiB, waited > 1 ms iteration 5-20, isend tag 7 rank 0-15."
    ),
)


@dataclass(frozen=True, slots=True)
class _SelectRequest:
    """Calls that are to be selected everywhere."""

    analysis: Analysis
    selection: Selection


def _look_up(request: _SelectRequest, _: object) -> None:
    calls_of_text(request.analysis, request.selection.query)  # all panels ask for them


def find_request(state: State) -> FindRequest | None:
    """Gather what a state looks for; None if it looks for nothing.

    Raises
    ------
    QueryError
        The text is not understood.
    """
    options, analysis = state.of(FindOptions), state.analysis
    query = parse_query(options.text)
    if analysis is None or not query:
        return None
    scope = options.scope
    return FindRequest(
        analysis=analysis,
        query=query,
        window=state.window if scope == "window" else None,
        ranks=state.selection.ranks if scope == "ranks" else (),
        column=options.column,
        brush=options.brush,
        sort=options.sort,
        descending=options.descending,
    )


class FindPanel(Panel):
    """One field for the calls of all ranks; a click on a row goes there.

    Signals
    -------
    shown
        `FoundCalls` that are listed now, or None.
    """

    shown = Signal(object)

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(session, parent)
        self.model = TableModel(session, apart=True)
        self.model.colour = self._colour
        self.found: FoundCalls | None = None
        self._request: FindRequest | None = None
        finder, pages = Finder(), Finder()
        self._worker = LatestOnly[FindRequest, FoundCalls](
            lambda asked, go_on: finder.step(
                asked, lambda: go_on() and self._is_wanted(asked)
            ),
            self._take,
        )
        self._paging = LatestOnly[tuple[FoundCalls, int], FindPage](
            lambda asked, _: pages.page(asked), lambda _, page: self._take_page(page)
        )
        self._selecting = LatestOnly[_SelectRequest, None](_look_up, self._select)
        self.field = self._make_field()
        self.wrong = QLabel(self)
        self.wrong.setFont(font(12))
        self.wrong.setWordWrap(True)
        self.wrong.setContentsMargins(12, 0, 12, 4)
        self.wrong.hide()
        self.scopes = Segmented(self)
        self.scopes.setAccessibleName(tr("Where calls are looked for"))
        self.scopes.chosen.connect(lambda name: session.change(FindOptions, scope=name))
        self.columns = QComboBox(self)
        self.columns.setFont(font(12))
        self.columns.setAccessibleName(tr("Numbers that the histogram counts"))
        for name in NUMBERS:
            self.columns.addItem(tr(name), name)
        self.columns.setToolTip(tr("Numbers that the histogram counts; drag to narrow"))
        self.columns.activated.connect(
            lambda at: session.change(FindOptions, column=NUMBERS[at], brush=None)
        )
        self.bars = HistogramView(session, self)
        self.bars.brushed.connect(
            lambda brush: session.change(FindOptions, brush=brush)
        )
        self.view = self._make_table()
        self._empty = EmptyView(self)
        self._empty.tell(*NOTHING_ASKED)
        self._lay_out()
        self._rest = QTimer(self, singleShot=True, interval=TYPING_MILLISECONDS)
        self._rest.timeout.connect(self._typed)
        self.field.textEdited.connect(lambda _: self._rest.start())
        self.field.returnPressed.connect(self._typed)
        self.model.page_asked.connect(self._ask_page)
        parts = ("analysis", "window", "selection", "theme", "time_zero", "unit")
        ended = session.subscribe(self._follow, to=(*parts, FindOptions))
        for end in (
            self._worker.stop,
            self._paging.stop,
            self._selecting.stop,
            ended,
        ):
            self.destroyed.connect(end)
        self._follow(State(), session.state)

    def take_keyboard(self) -> None:
        """Take the keyboard in the field."""
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)

    # Making

    def _make_field(self) -> QLineEdit:
        field = QLineEdit(self)
        field.setPlaceholderText(tr("Waitall > 10 ms"))
        field.setClearButtonEnabled(True)
        field.setFont(font(13, mono=True))
        field.setAccessibleName(tr("Find calls"))
        self._words = QStringListModel(self)
        completer = _LastWordCompleter(self._words, self)
        field.setCompleter(completer)
        completer.activated.connect(lambda _: self._rest.start())
        field.textChanged.connect(self._cleared)
        down = QShortcut(QKeySequence(Qt.Key.Key_Down), field)
        down.setContext(Qt.ShortcutContext.WidgetShortcut)
        down.activated.connect(self._into_rows)
        return field

    def _make_table(self) -> TableView:
        view = TableView(self.model, tr("Calls found"), self, sort=self._sort)
        view.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        view.chosen.connect(self._go)
        for keys, by in (("F3", 1), ("Shift+F3", -1)):
            key = QShortcut(QKeySequence(keys), self)
            key.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
            key.activated.connect(lambda by=by: self.step(by))
        self.offer_menu(view, (tr("Select all"), self.select_all))
        return view

    def _lay_out(self) -> None:
        top = QWidget(self)
        top.setObjectName("page")
        rows = QVBoxLayout(top)
        rows.setContentsMargins(0, 10, 0, 0)
        rows.setSpacing(6)
        line = QHBoxLayout()
        line.setContentsMargins(12, 0, 12, 0)
        line.addWidget(self.field)
        rows.addLayout(line)
        rows.addWidget(self.wrong)
        chips = QHBoxLayout()
        chips.setContentsMargins(12, 0, 12, 0)
        chips.addWidget(self.scopes)
        chips.addStretch(1)
        chips.addWidget(self.columns)
        rows.addLayout(chips)
        self._content = QWidget(self)
        below = QVBoxLayout(self._content)
        below.setContentsMargins(0, 0, 0, 0)
        below.setSpacing(4)
        below.addWidget(self.bars)
        below.addWidget(self.view, 1)
        self.bars.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        lower = QWidget(self)
        self._stack = stacked(lower, self._content, self._empty)
        rows.addWidget(lower, 1)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(top)
        top.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)

    # Following the state

    def _follow(self, old: State, new: State) -> None:
        options = new.of(FindOptions)
        if old.analysis is not new.analysis:
            analysis = new.analysis
            self._words.setStringList(list(suggestions(analysis)) if analysis else [])
        if not self._rest.isActive() and self.field.text() != options.text:
            self.field.setText(options.text)
        self.scopes.offer(list(FIND_SCOPES.items()), options.scope)
        self.columns.setCurrentIndex(NUMBERS.index(options.column))
        self.model.moment = moment_writer(new)
        if old.theme != new.theme:
            self.bars.update()
            self.view.viewport().update()
        try:
            request = find_request(new)
        except QueryError as error:
            self.wrong.setText(str(error))
            self.wrong.show()
            return  # the rows of before stay
        self.wrong.hide()
        if request is None:
            self._request = None
            self._show(None)
        elif request != self._request:
            self._request = request
            self._worker.ask(request)
        self._mark(new.selection.call)

    def _is_wanted(self, request: FindRequest) -> bool:
        """Tell whether nothing else has been asked for since; in any thread."""
        return replace(request, calls=0) == self._request

    def _take(self, request: FindRequest, calls: FoundCalls) -> None:
        """Show what was found so far, and go on, unless something else is asked for."""
        if self._request is None or not self._is_wanted(request):
            return
        self._show(calls)
        if calls.next:
            self._worker.ask(replace(self._request, calls=calls.next))

    def _show(self, calls: FoundCalls | None) -> None:
        self._stack.setCurrentWidget(self._empty if calls is None else self._content)
        self.found = calls
        if calls is None:
            self.model.show(NO_TABLE)
        else:
            by = (
                SORTS.get(calls.request.sort, calls.request.sort),
                calls.request.descending,
            )
            most = {
                "seconds": calls.longest / calls.request.analysis.trace.clock.resolution
            }
            table = found_table(calls)
            self.model.show(table, columns=SHOWN, by=by, most=most)
            self.model.take_page(0, calls.first)
            self.view.fit()
        self.shown.emit(calls)
        if calls is None:
            self.bars.show_bins(None)
            return
        request = calls.request
        self.bars.show_bins(
            HistogramData(
                calls.histogram,
                "call",
                UNITS.get(request.column, ""),
                request.brush,
                calls.state,
            )
        )
        self._mark(self.session.state.selection.call)

    def _mark(self, call: int | None) -> None:
        """Mark the row of the selected call."""
        calls = self.found.calls if self.found is not None else np.zeros(0, np.int64)
        rows = np.flatnonzero(calls == (-1 if call is None else call))
        self.view.point_at(int(rows[0]) if len(rows) else -1)

    @property
    def settled(self) -> bool:
        """Whether what is seen is what the state asks for."""
        busy = self._worker.busy or self._paging.busy or self._selecting.busy
        matches = self.found
        complete = self._request is None or (matches is not None and not matches.next)
        return complete and not busy and not self._rest.isActive()

    # What the user does

    def _typed(self) -> None:
        self._rest.stop()
        self.session.change(FindOptions, text=self.field.text(), brush=None)

    def _cleared(self, text: str) -> None:
        if not text and self.session.state.of(FindOptions).text:
            self._rest.start()

    def _into_rows(self) -> None:
        if self.model.rowCount():
            self.view.setFocus(Qt.FocusReason.TabFocusReason)
            self.step(1)

    def _sort(self, name: str) -> None:
        name = {column: key for key, column in SORTS.items()}.get(name, name)
        now = self.session.state.of(FindOptions)
        down = not now.descending if name == now.sort else name in UNITS
        self.session.change(FindOptions, sort=name, descending=down)

    def _ask_page(self, number: int) -> None:
        if self.found is not None:
            self._paging.ask((self.found, number))

    def _take_page(self, page: FindPage) -> None:
        if page.found is self.found:
            self.model.take_page(page.number, page.table)

    def _go(self, place: int) -> None:
        if self.found is not None:
            picked = Picked("call", int(self.found.calls[place]))
            self.session.update(**changes_to_pick(self.session.state, picked))

    def _colour(self, row: int) -> str:
        assert self.found is not None
        trace = self.found.request.analysis.trace
        state = trace.regions.state[trace.calls.region[self.found.calls[row]]]
        return self.model.theme.state_colour(MPIState(int(state)))

    def step(self, by: int) -> None:
        """Go to the next (`by` above 0) or previous row."""
        count, row = self.model.rowCount(), self.view.currentIndex().row()
        if count:
            row = min(max(row + by, 0), count - 1)
            self.view.selectRow(row)
            self._go(row)

    def select_all(self) -> None:
        """Select the ranks of the rows, and narrow the calls of all panels to them."""
        matches, state = self.found, self.session.state
        if matches is None or not len(matches.calls):
            return
        options = state.of(FindOptions)
        text = brushed_text(options.text, matches.request.column, matches.request.brush)
        chosen = Selection(
            ranks=matches.ranks, window=matches.request.window, query=text
        )
        self._selecting.ask(_SelectRequest(matches.request.analysis, chosen))

    def _select(self, request: _SelectRequest, _: object) -> None:
        if self.session.state.analysis is request.analysis:
            self.session.update(selection=request.selection)

    def copy(self) -> None:
        """Copy all rows as comma-separated values."""
        table = self.listing()
        if table is not None:
            QGuiApplication.clipboard().setText(csv(table))
            calls = plural(len(table), "call")
            self.told.emit(tr("{calls} copied as CSV", calls=calls))

    def listing(self) -> Table | None:
        """Return all rows."""
        return found_table(self.found) if self.found is not None else None

    def bar(self, title: str) -> DockBar:
        """Make its title bar."""
        return FindBar(self, title)


class FindBar(DockBar):
    """Says how many calls were found; selects and copies them."""

    def __init__(self, panel: FindPanel, title: str) -> None:
        super().__init__(title)
        self.select_button = QPushButton(tr("Select all"), self)
        self.select_button.setFont(font(12))
        self.select_button.setToolTip(
            tr("Select these calls and their ranks in all panels")
        )
        self.select_button.clicked.connect(panel.select_all)
        row = QWidget(self)
        row.setProperty("compact", True)
        inner = QHBoxLayout(row)
        inner.setContentsMargins(0, 0, 0, 0)
        inner.addWidget(self.select_button)
        self.copy_button = IconButton("copy", tr("Copy all rows as CSV"))
        self.copy_button.clicked.connect(panel.copy)
        self.add_control(row)
        self.add_control(self.copy_button)
        panel.shown.connect(self._show)
        self._show(panel.found)

    def _show(self, calls: FoundCalls | None) -> None:
        self.tell("" if calls is None else summary_text(calls))
        for button in (self.select_button, self.copy_button):
            button.setEnabled(calls is not None and bool(len(calls.calls)))


class _LastWordCompleter(QCompleter):
    """Completes the last term of what is typed."""

    def __init__(self, words: QStringListModel, parent: QWidget) -> None:
        super().__init__(words, parent)
        self.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self.setCompletionMode(QCompleter.CompletionMode.PopupCompletion)

    def splitPath(self, path: str) -> list[str]:
        """Give what is completed."""
        return [last_term(path)[1]]

    def pathFromIndex(self, index: Index) -> str:
        """Give the text with its last term completed."""
        widget = self.widget()
        typed = widget.text() if isinstance(widget, QLineEdit) else ""
        return last_term(typed)[0] + str(index.data())


def last_term(text: str) -> tuple[str, str]:
    """Split a text before its last term: a word, and what it belongs to.

    Examples
    --------
    >>> last_term("Waitall to EA"), last_term("Wai")
    (('Waitall ', 'to EA'), ('', 'Wai'))
    """
    words = text.split(" ")
    first = len(words) - 1
    if first and words[first - 1].lower() in {"to", "from", "on"}:
        first -= 1
    last = " ".join(words[first:])
    return text[: len(text) - len(last)], last


def summary_text(calls: FoundCalls) -> str:
    """Say how many calls were found, how long they took, and on how many ranks."""
    trace, rows = calls.request.analysis.trace, len(calls.calls)
    counted = plural(rows, "call")
    if rows != calls.found:
        counted = tr(
            "{rows} of {calls}", rows=grouped(rows), calls=plural(calls.found, "call")
        )
    clock: Clock = trace.clock
    words = f"{counted}, {duration_text(clock.seconds(calls.ticks))}"
    words += tr(" on {ranks}", ranks=plural(len(calls.ranks), "rank"))
    unknown = calls.histogram.unknown
    if unknown and calls.request.brush is None:
        words += tr(
            "; {column} of {unknown} not known",
            column=tr(calls.request.column),
            unknown=grouped(unknown),
        )
    if calls.next:
        words += tr(", looking on…")
    return words
