"""The delays panel: who was late, by how much, and what that caused."""

from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QAction, QGuiApplication, QKeySequence, QShowEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QScrollArea,
    QSplitter,
    QStackedWidget,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from topoview.base.text import csv_text, duration_text, grouped, plural, share_text, tr
from topoview.live.delays import changes_to_delay
from topoview.live.waits import KindSums, hop_waits, kind_sums
from topoview.model import Analysis, Floats, Ints
from topoview.report.advice import Advice, advice_of
from topoview.report.delays import (
    AS_CLOCKS_ARE,
    CSV_TITLES,
    TITLES,
    cause_bounds_text,
    course_text,
    delay_cells,
    delay_rows,
)
from topoview.report.waits import bounds_text
from topoview.session import Session, State
from topoview.ui.panels.empty import ANALYSIS_STOPPED, EmptyView, stacked
from topoview.ui.panels.options import DelayOptions
from topoview.ui.panels.table import Listing, Panel, PointedThing
from topoview.ui.panels.waits.advice import AdviceList, rests_on
from topoview.ui.panels.waits.efficiency import EfficiencyView
from topoview.ui.panels.waits.states import WaitBars
from topoview.ui.widgets.controls import (
    DockBar,
    Segmented,
    column_header,
    fit_ranks,
    prepare_table,
)
from topoview.ui.widgets.latest_only import LastMade, LatestOnly
from topoview.ui.widgets.theme import font

Index = QModelIndex | QPersistentModelIndex
Role = Qt.ItemDataRole

COLUMN_TIPS = (
    tr("Rank that was late"),
    tr("Iteration of the program's main loop, from 1"),
    tr(
        "How much longer it took than that place of the program usually does: "
        "than the median over ranks and iterations"
    ),
    tr("Ranks that waited mainly for it, directly or through others"),
    tr("How fast the waiting travels: hops in the topology per iteration"),
    tr("By how much waits get shorter with each hop"),
    tr("Waiting of all ranks that is attributed to it"),
)
HEADINGS = (
    tr("rank"),
    tr("iter."),
    tr("late by"),
    tr("reached"),
    tr("hops/it."),
    tr("decay"),
    tr("caused"),
)
SPARSE_COLUMNS = (1, 4, 5)
"""Columns that are hidden where no delay has a number for them."""

COLUMN_WIDTHS = (44, 38, 60, 58, 54, 58, 40)

PAGES = {
    "advice": tr("Advice"),
    "states": tr("Wait states"),
    "efficiency": tr("Efficiency"),
}
"""What is told below the list."""

SCOPES = {"run": tr("Run"), "window": tr("Window")}
"""What efficiencies are of: all between the first message and the last, or less."""


class DelaysModel(QAbstractTableModel):
    """The delays of a trace, in a chosen order."""

    def __init__(self) -> None:
        super().__init__()
        self._known: Analysis | None = None
        self._sorted_by = 0, False
        self.order: Ints = np.zeros(0, np.int64)

    def show(self, known: Analysis | None, column: int, descending: bool) -> None:
        """List the delays of a trace, sorted by a column."""
        self.beginResetModel()
        self._known, self._sorted_by = known, (column, descending)
        self.order = np.zeros(0, np.int64)
        if known is not None and known.delays is not None:
            keys = _keys(known, column)
            self.order = np.argsort(-keys if descending else keys, kind="stable")
        self.endResetModel()

    def rowCount(self, parent: Index | None = None) -> int:
        """Count the delays."""
        return 0 if parent is not None and parent.isValid() else len(self.order)

    def columnCount(self, parent: Index | None = None) -> int:
        """Count the columns."""
        return 0 if parent is not None and parent.isValid() else len(TITLES)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Role.DisplayRole
    ) -> object:
        """Give a column's title."""
        if role == Role.FontRole:
            return font(11)
        titles, (column, descending) = list(HEADINGS), self._sorted_by
        titles[column] += " \u2193" if descending else " \u2191"
        return column_header(titles, section, orientation, role, COLUMN_TIPS)

    def data(self, index: Index, role: int = Role.DisplayRole) -> object:
        """Give what a cell says, and how."""
        if self._known is None:
            return None
        if role == Role.DisplayRole:
            cell = delay_cells(self._known, self.delay(index.row()))[index.column()]
            return cell.removeprefix(tr("rank "))
        if role == Role.ToolTipRole and index.column() == len(TITLES) - 1:
            delays, delay = self._known.delays, self.delay(index.row())
            assert delays is not None
            told = cause_bounds_text(self._known.trace, delays, "delay", delay)
            return f"{told}, {AS_CLOCKS_ARE}" if told else None
        if role == Role.FontRole and index.column() == 0:
            return font(12, 600)
        if role == Role.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignRight
            side = side if index.column() else Qt.AlignmentFlag.AlignLeft
            return side | Qt.AlignmentFlag.AlignVCenter
        return None

    def tells(self, column: int) -> bool:
        """Tell whether any delay has a number in a column that may be empty."""
        if self._known is None or not len(self.order):
            return True
        keys = _keys(self._known, column)
        return bool((np.isfinite(keys) & (keys != 0)).any())

    def delay(self, row: int) -> int:
        """Index of the delay of a row."""
        return int(self.order[row])

    def row(self, delay: int) -> int:
        """Row of a delay, -1 if it is not listed."""
        found = np.flatnonzero(self.order == delay)
        return int(found[0]) if len(found) else -1


def _keys(known: Analysis, column: int) -> Ints:
    """Numbers by which a column is sorted; unknown ones come last."""
    delays = known.delays
    assert delays is not None
    found = (
        *(delays.rank, delays.iteration, delays.excess, delays.reached),
        *(delays.hops_per_iteration, delays.decay, delays.caused),
    )[column].astype(np.float64)
    return np.nan_to_num(found, nan=-np.inf)  # type: ignore[no-any-return]


@dataclass(frozen=True, slots=True)
class DelayRequest:
    """A delay, -1 for none, of which more than its row is wanted."""

    known: Analysis
    delay: int


@dataclass(frozen=True, slots=True, eq=False)
class DelayDetails:
    """What is told below the list: of the delay, and of all waits."""

    course: str
    kinds: KindSums | None
    hops: Floats
    advice: tuple[Advice, ...]


class DelayReader:
    """Finds what is told; advice on a run is kept from delay to delay."""

    def __init__(self) -> None:
        self._keep = LastMade()

    def __call__(self, asked: DelayRequest, _go_on: object) -> DelayDetails:
        """Find it, in a thread."""
        known, delay = asked.known, asked.delay
        is_shown = known.delays is not None and 0 <= delay < len(known.delays)
        is_shown &= known.wait_sums is not None
        return DelayDetails(
            course_text(known, delay) if is_shown else "",
            kind_sums(known, delay) if known.wait_sums is not None else None,
            hop_waits(known, delay) if is_shown else np.zeros(0),
            self._keep("advice", rests_on(known), lambda: advice_of(known)),
        )


class WaitPages(QWidget):
    """What is said of waits below the list: advice, wait states, or efficiencies."""

    def __init__(self, session: Session, parent: QWidget) -> None:
        super().__init__(parent)
        self._session = session
        self.setObjectName("page")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.pages = Segmented(self)
        self.scopes = Segmented(self)
        self.advice = AdviceList(session, self)
        self.states = WaitBars(session, self)
        self.efficiency = EfficiencyView(session, self)
        self._stack = QStackedWidget(self)
        for page in (self.advice, _scrolled(self.states, self), self.efficiency):
            self._stack.addWidget(page)
        row = QHBoxLayout()
        row.setContentsMargins(12, 6, 12, 4)
        row.addWidget(self.pages)
        row.addStretch(1)
        narrow = QHBoxLayout()
        narrow.setContentsMargins(12, 0, 12, 2)
        narrow.addWidget(self.scopes)
        narrow.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(row)
        column.addLayout(narrow)
        column.addWidget(self._stack, 1)
        self.pages.chosen.connect(lambda key: session.change(DelayOptions, page=key))
        self.scopes.chosen.connect(lambda key: session.change(DelayOptions, scope=key))
        parts = ("analysis", "delay", "theme", "window", DelayOptions)
        end_subscription = session.subscribe(self._follow, to=parts)
        self.destroyed.connect(end_subscription)
        self._follow(State(), session.state)

    def _follow(self, _: State, new: State) -> None:
        chosen = new.of(DelayOptions)
        self.pages.offer(list(PAGES.items()), chosen.page)
        self.scopes.offer(list(SCOPES.items()), chosen.scope)
        digest = new.analysis is not None and new.analysis.trace.digest is not None
        self.scopes.setVisible(chosen.page == "efficiency" and not digest)
        self._stack.setCurrentIndex(list(PAGES).index(chosen.page))
        self.states.update()  # the theme may be another
        self.efficiency.show_state(new, "run" if digest else chosen.scope)

    def showEvent(self, event: QShowEvent) -> None:
        """Ask for what was not asked for while nobody saw it."""
        super().showEvent(event)
        self._follow(self._session.state, self._session.state)


def _scrolled(widget: QWidget, parent: QWidget) -> QScrollArea:
    """Let a widget be taller than its room."""
    area = QScrollArea(parent)
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setWidgetResizable(True)
    area.setWidget(widget)
    return area


def has_waits(known: Analysis | None) -> bool:
    """Tell whether there is anything to be told of waits."""
    return known is not None and known.delays is not None and known.delays.waiting > 0


class DelaysPanel(Panel):
    """Lists delays; a click shows one: its rank, its time, its front."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(session, parent)
        self.model = DelaysModel()
        self.view = QTableView(self)
        prepare_table(self.view, self.model, tr("Delays"))
        self.view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.view.setWordWrap(False)
        self.view.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        heads = self.view.horizontalHeader()
        heads.setMinimumSectionSize(30)
        heads.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        heads.setStretchLastSection(True)
        heads.setSectionsClickable(True)
        heads.sectionClicked.connect(self._sort)
        for column, width in enumerate(COLUMN_WIDTHS):
            self.view.setColumnWidth(column, width)
        self.view.clicked.connect(self._go)
        self.view.activated.connect(self._go)
        copy = QAction(tr("Copy as CSV"), self.view)
        copy.setShortcut(QKeySequence.StandardKey.Copy)
        copy.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        copy.triggered.connect(self.copy)
        self.view.addAction(copy)
        self.view.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.view.customContextMenuRequested.connect(
            lambda at: self.menu_asked.emit(
                PointedThing(), self.view.viewport().mapToGlobal(at)
            )
        )
        self._empty = EmptyView(self)
        self.course = QLabel(self)
        self.course.setFont(font(12))
        self.course.setProperty("dim", True)
        self.course.setWordWrap(True)
        self.course.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.course.setTextFormat(Qt.TextFormat.PlainText)
        self.course.setObjectName("detail")
        self.below = WaitPages(session, self)
        content = QSplitter(Qt.Orientation.Vertical, self)
        content.setChildrenCollapsible(False)
        listed = QWidget(content)
        listed.setObjectName("page")
        rows = QVBoxLayout(listed)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setSpacing(0)
        rows.addWidget(self.view, 1)
        rows.addWidget(self.course)
        content.addWidget(listed)
        content.addWidget(self.below)
        content.setStretchFactor(0, 1)
        content.setStretchFactor(1, 1)
        self._content = content
        self._stack = stacked(self, content, self._empty)
        self._asked: DelayRequest | None = None
        self._reader = LatestOnly[DelayRequest, DelayDetails](DelayReader(), self._take)
        self.destroyed.connect(self._reader.stop)
        parts = ("analysis", "opening", "delay", DelayOptions)
        session.subscribe(self._follow, to=parts)
        self._follow(State(), session.state)

    def _follow(self, old: State, new: State) -> None:
        chosen = new.of(DelayOptions)
        before = old.analysis.delays if old.analysis else None
        known = new.analysis
        delays = known.delays if known else None
        if known is not None and (
            old.analysis is None or old.analysis.trace is not known.trace
        ):
            fit_ranks(self.view, {0: COLUMN_WIDTHS[0]}, known.trace.ranks)
        if before is not delays or old.of(DelayOptions) != chosen:
            self.model.show(known, chosen.column, chosen.descending)
            for column in SPARSE_COLUMNS:
                self.view.setColumnHidden(column, not self.model.tells(column))
        self._empty.tell(*why_no_delays(new))
        self._stack.setCurrentWidget(self._content if has_waits(known) else self._empty)
        self._ask()
        row = self.model.row(new.delay)
        if row < 0:
            self.view.clearSelection()
        elif self.view.currentIndex().row() != row or not self._is_selected(row):
            self.view.selectRow(row)

    def _ask(self) -> None:
        """Ask for what is told below the list, if anybody sees it."""
        state = self.session.state
        if state.analysis is None:
            self._asked = None
            self._show(None, -1, DelayDetails("", None, np.zeros(0), ()))
            return
        asked = DelayRequest(state.analysis, state.delay)
        if asked != self._asked and self.isVisible():
            self._asked = asked
            self._reader.ask(asked)

    def _take(self, asked: DelayRequest, found: DelayDetails) -> None:
        if asked == self._asked:
            self._show(asked.known, asked.delay, found)

    def _show(self, known: Analysis | None, delay: int, found: DelayDetails) -> None:
        self.course.setVisible(bool(found.course))
        self.course.setText(found.course)
        self.below.advice.show_advice(found.advice)
        self.below.states.show_waits(known, delay, found.kinds, found.hops)

    def showEvent(self, event: QShowEvent) -> None:
        """Ask for what was not asked for while nobody saw it."""
        super().showEvent(event)
        self._ask()

    def _is_selected(self, row: int) -> bool:
        return self.view.selectionModel().isRowSelected(row, QModelIndex())

    def _sort(self, column: int) -> None:
        now = self.session.state.of(DelayOptions)
        down = not now.descending if column == now.column else column > 1
        self.session.change(DelayOptions, column=column, descending=down)

    def _go(self, index: QModelIndex) -> None:
        state, delay = self.session.state, self.model.delay(index.row())
        self.session.update(**changes_to_delay(state, delay))

    @property
    def settled(self) -> bool:
        """Whether what is seen is what the state asks for."""
        return self.below.efficiency.settled and not self._reader.busy

    def copy(self) -> None:
        """Copy all delays as comma-separated values."""
        listing, count = self.listing(), len(self.model.order)
        if listing is not None:
            text = csv_text(listing.titles, listing.rows)
            QGuiApplication.clipboard().setText(text)
            self.told.emit(tr("{delays} copied as CSV", delays=plural(count, "delay")))

    def listing(self) -> Listing | None:
        """Give all delays, costliest first."""
        known = self.session.state.analysis
        if known is None or known.delays is None:
            return None
        return Listing(CSV_TITLES, delay_rows(known))

    def bar(self, title: str) -> DockBar:
        """Make its title bar."""
        return DelaysBar(self.session, title)


def why_no_delays(state: State) -> tuple[str, str]:
    """Title and sentence for a trace without delays."""
    known = state.analysis
    if known is None:
        return tr("No trace"), tr("Open one to see who was late.")
    if known.delays is None and state.opening is not None:
        return tr("Looking for delays…"), tr("They follow from the logical trace.")
    if known.delays is None and known.waits is None:
        return tr("Not looked for"), ANALYSIS_STOPPED
    return tr("No delays"), tr("No rank waited for another, as far as the trace shows.")


class DelaysBar(DockBar):
    """Says how much of the waiting the listed delays caused."""

    def __init__(self, session: Session, title: str) -> None:
        super().__init__(title)
        session.subscribe(self._show, to=("analysis",))
        self._show(session.state, session.state)

    def _show(self, _: State, new: State) -> None:
        known = new.analysis
        if known is None or known.delays is None or not known.delays.waiting:
            self.tell("")
            return
        delays, clock = known.delays, known.trace.clock
        caused = int(delays.caused.sum())
        waiting = duration_text(clock.seconds(delays.waiting))
        bounds = bounds_text(known.trace, known.wait_sums) if known.wait_sums else ""
        words = f"{plural(len(delays), 'delay')}, {share_text(caused / delays.waiting)}"
        words += tr(" of {waiting} waiting", waiting=waiting)
        left_out = tr(
            "{left_out} smaller ones are left out", left_out=grouped(delays.left_out)
        )
        more = [left_out] if delays.left_out else []
        more += (
            [
                tr(
                    "All waiting is {bounds}: {as_clocks_are}",
                    bounds=bounds,
                    as_clocks_are=AS_CLOCKS_ARE,
                )
            ]
            if bounds
            else []
        )
        self.tell(words, "\n".join(more))
