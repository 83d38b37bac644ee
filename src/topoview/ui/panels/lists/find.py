"""The panel Find: calls of all ranks that a query finds, their numbers, their rows."""

from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QStringListModel, Qt
from PySide6.QtGui import QGuiApplication, QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QCompleter,
    QLineEdit,
    QPushButton,
    QSizePolicy,
    QWidget,
)

from topoview.base.text import duration_text, grouped, plural, tr
from topoview.live.tables.calls import NUMBERS
from topoview.live.tables.scope import refuse_unknown
from topoview.live.tables.search import find
from topoview.live.tables.search.query import parse_query
from topoview.model import Analysis, Clock, TimeState
from topoview.report.write import csv
from topoview.session import Picked, Selection, Session, State
from topoview.ui.panels.lists.query_panel import FOLLOWED, QueryPanel
from topoview.ui.panels.options import FindOptions
from topoview.ui.widgets.charts.histogram import HistogramData, HistogramView
from topoview.ui.widgets.controls import IconButton
from topoview.ui.widgets.latest_only import LatestOnly
from topoview.ui.widgets.layouts import bare_column
from topoview.ui.widgets.panel import MenuEntries
from topoview.ui.widgets.theme import font

Index = QModelIndex | QPersistentModelIndex

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
    find.calls_of_text(
        request.analysis, request.selection.query
    )  # all panels ask for them


def find_request(state: State) -> find.FindRequest | None:
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
    refuse_unknown(analysis, query)
    scope = options.scope
    return find.FindRequest(
        analysis=analysis,
        query=query,
        window=state.window if scope == "window" else None,
        ranks=state.selection.ranks if scope == "ranks" else (),
        column=options.column,
        brush=options.brush,
        sort=options.sort,
        descending=options.descending,
        text=options.text,
    )


class FindPanel(QueryPanel[find.FindRequest, find.FoundCalls]):
    """One field for the calls of all ranks; a click on a row goes there."""

    PARTS = (*FOLLOWED, FindOptions)
    NAME = tr("Calls found")
    COLUMNS = SHOWN
    APART = True
    OPTIONS = FindOptions

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        finder, pages = find.Finder(), find.Finder()
        super().__init__(
            session,
            parent,
            lambda request, go_on: finder.step(
                request, lambda: go_on() and self.fits(request)
            ),
        )
        self.model.colour = self._colour
        self._paging = LatestOnly[tuple[find.FoundCalls, int], find.FindPage](
            lambda request, _: pages.page(request),
            lambda _, page: self._take_page(page),
        )
        self._selecting = LatestOnly[_SelectRequest, None](_look_up, self._select)
        for worker in (self._paging, self._selecting):
            self.destroyed.connect(worker.stop)
        self._suggested: Analysis | None = None
        self.field.setPlaceholderText(tr("Waitall > 10 ms"))
        self.field.setAccessibleName(tr("Find calls"))
        self._words = QStringListModel(self)
        self._complete()
        self.scopes.setAccessibleName(tr("Where calls are looked for"))
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
        self.bars.brushed.connect(session.setter(FindOptions, "brush"))
        self.view.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        for keys, by in (("F3", 1), ("Shift+F3", -1)):
            key = QShortcut(QKeySequence(keys), self)
            key.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
            key.activated.connect(lambda by=by: self.step(by))
        self.chips.addWidget(self.columns)
        self.column.setSpacing(4)
        self.column.insertWidget(0, self.bars)
        self.bars.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._make_buttons()
        self.model.page_asked.connect(self._ask_page)

    # Making

    def _complete(self) -> None:
        """Complete words in the field, and go from there to the rows."""
        completer = _LastWordCompleter(self._words, self)
        self.field.setCompleter(completer)
        completer.activated.connect(lambda _: self._rest.start())
        down = QShortcut(QKeySequence(Qt.Key.Key_Down), self.field)
        down.setContext(Qt.ShortcutContext.WidgetShortcut)
        down.activated.connect(self._into_rows)

    def menu_entries(self) -> MenuEntries:
        """Return what the menu of a row has besides."""
        return ((tr("Select all"), self.select_all),)

    def _make_buttons(self) -> None:
        self.select_button = QPushButton(tr("Select all"))
        self.select_button.setFont(font(12))
        self.select_button.setToolTip(
            tr("Select these calls and their ranks in all panels")
        )
        self.select_button.clicked.connect(self.select_all)
        row = QWidget()
        row.setProperty("compact", True)
        bare_column(row).addWidget(self.select_button)
        self.copy_button = IconButton("copy", tr("Copy all rows as CSV"))
        self.copy_button.clicked.connect(self.copy)
        self.dock_bar.add_control(row)
        self.dock_bar.add_control(self.copy_button)

    # Following the state

    def request_of(self, state: State) -> find.FindRequest | None:
        """Gather what a state looks for."""
        return find_request(state)

    def fits(self, request: find.FindRequest) -> bool:
        """Return whether nothing else is looked for since; in any thread."""
        return replace(request, calls=0) == self.requested

    def further(self, result: find.FoundCalls) -> find.FindRequest | None:
        """Return what looks through the calls that are left."""
        return replace(result.request, calls=result.next) if result.next else None

    def show_result(self, result: find.FoundCalls) -> None:
        """Show what was found so far."""
        request = result.request
        second = request.analysis.trace.clock.resolution
        self.model.show(
            find.found_table(result),
            columns=SHOWN,
            by=(SORTS.get(request.sort, request.sort), request.descending),
            most={"seconds": result.longest / second},
            first=result.first,
        )
        self.bars.show_bins(
            HistogramData(
                result.histogram,
                "call",
                find.UNITS.get(request.column, ""),
                request.brush,
                result.state,
            )
        )

    def clear(self) -> None:
        """Show that nothing is looked for."""
        super().clear()
        self.bars.show_bins(None)

    def show_state(self, state: State) -> None:
        """Show what the options say, and mark the row of the selected call."""
        options, analysis = state.of(FindOptions), state.analysis
        if self._suggested is not analysis:
            self._suggested = analysis
            self._words.setStringList(
                list(find.suggestions(analysis)) if analysis else []
            )
        super().show_state(state)
        self.columns.setCurrentIndex(NUMBERS.index(options.column))
        self.bars.update()
        self.view.viewport().update()
        call, result = state.selection.call, self.result
        for button in (self.select_button, self.copy_button):
            button.setEnabled(result is not None and bool(len(result.calls)))
        calls = result.calls if result is not None else np.zeros(0, np.int64)
        rows = np.flatnonzero(calls == (-1 if call is None else call))
        self.view.point_at(int(rows[0]) if len(rows) else -1)

    def why_empty(self, _: State) -> tuple[str, str]:
        """Return what can be looked for, or why nothing was found."""
        if self.result is None:
            return NOTHING_ASKED
        none = self.wrong.isHidden() and not (self.result.count or self.result.next)
        return (tr("No such calls"), self.result.reason) if none else ("", "")

    def remark(self) -> tuple[str, str]:
        """Return how many calls were found."""
        return "" if self.result is None else summary_text(self.result), ""

    @property
    def settled(self) -> bool:
        """Whether what is seen is what the state asks for."""
        busy = self._paging.busy or self._selecting.busy
        whole = self.requested is None or (
            self.result is not None and not self.result.next
        )
        return super().settled and whole and not busy

    # What the user does

    def _typed(self) -> None:
        self._rest.stop()
        self.session.change(FindOptions, text=self.field.text(), brush=None)

    def _into_rows(self) -> None:
        if self.model.rowCount():
            self.step(1)
            self.view.setFocus(Qt.FocusReason.TabFocusReason)  # to a row that is there

    def sort_by(self, name: str) -> None:
        """Sort all calls, not only those that are seen."""
        name = {column: key for key, column in SORTS.items()}.get(name, name)
        now = self.session.state.of(FindOptions)
        down = not now.descending if name == now.sort else name in find.UNITS
        self.session.change(FindOptions, sort=name, descending=down)

    def _ask_page(self, number: int) -> None:
        if self.result is not None:
            self._paging.ask((self.result, number))

    def _take_page(self, page: find.FindPage) -> None:
        if page.result is self.result:
            self.model.take_page(page.number, page.table)

    def choose(self, place: int) -> None:
        """Go to a call."""
        if self.result is not None:
            self.pick(Picked("call", int(self.result.calls[place])))

    def _colour(self, row: int) -> str:
        assert self.result is not None
        trace = self.result.request.analysis.trace
        state = trace.regions.state[trace.calls.region[self.result.calls[row]]]
        return self.model.theme.state_colour(TimeState(int(state)))

    def step(self, by: int) -> None:
        """Go to the next (`by` above 0) or previous row."""
        count, row = self.model.rowCount(), self.view.currentIndex().row()
        if count:
            row = min(max(row + by, 0), count - 1)
            self.view.selectRow(row)
            self.choose(row)

    def select_all(self) -> None:
        """Select the ranks of the rows, and narrow the calls of all panels to them."""
        matches, state = self.result, self.session.state
        if matches is None or not len(matches.calls):
            return
        options = state.of(FindOptions)
        text = find.brushed_text(
            options.text, matches.request.column, matches.request.brush
        )
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
            self.message.emit(tr("{calls} copied as CSV", calls=calls))


class _LastWordCompleter(QCompleter):
    """Completes the last term of what is typed."""

    def __init__(self, words: QStringListModel, parent: QWidget) -> None:
        super().__init__(words, parent)
        self.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self.setCompletionMode(QCompleter.CompletionMode.PopupCompletion)

    def splitPath(self, path: str) -> list[str]:
        """Return what is completed."""
        return [last_term(path)[1]]

    def pathFromIndex(self, index: Index) -> str:
        """Return the text with its last term completed."""
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


def summary_text(calls: find.FoundCalls) -> str:
    """Describe how many calls were found, how long they took, and on how many ranks."""
    trace, rows = calls.request.analysis.trace, len(calls.calls)
    counted = plural(rows, "call")
    if rows != calls.count:
        counted = tr(
            "{rows} of {calls}", rows=grouped(rows), calls=plural(calls.count, "call")
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
