"""The delays panel: who was late, by how much, and what that caused."""

from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHBoxLayout,
    QLabel,
    QScrollArea,
    QSplitter,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from topoview.base.text import duration_text, grouped, plural, share_text, tr
from topoview.live.delays import changes_to_delay
from topoview.live.waits import KindSums, hop_waits, kind_sums
from topoview.model import Analysis, Floats, Table
from topoview.report.advice import Advice, advice_of
from topoview.report.delays import (
    AS_CLOCKS_ARE,
    SHOWN,
    cause_bounds_text,
    course_text,
    delays_table,
)
from topoview.report.waits import bounds_text
from topoview.session import Session, State
from topoview.ui.panels.empty import ANALYSIS_STOPPED, EmptyView, stacked
from topoview.ui.panels.options import DelayOptions
from topoview.ui.panels.table import Panel
from topoview.ui.panels.waits.advice import AdviceList, rests_on
from topoview.ui.panels.waits.efficiency import EfficiencyView
from topoview.ui.panels.waits.states import WaitBars
from topoview.ui.widgets.controls import DockBar, Segmented
from topoview.ui.widgets.latest_only import LastMade, LatestOnly
from topoview.ui.widgets.table import NO_TABLE, TableModel, TableView
from topoview.ui.widgets.theme import font

Index = QModelIndex | QPersistentModelIndex
Role = Qt.ItemDataRole

FITTING = (
    "rank",
    "seconds",
    "caused_seconds",
    "iteration",
    "ranks_reached",
    "hops_per_iteration",
    "decay_seconds_per_hop",
)
"""Columns, those first that are hidden last."""

PAGES = {
    "advice": tr("Advice"),
    "states": tr("Wait states"),
    "efficiency": tr("Efficiency"),
}
"""What is told below the list."""

SCOPES = {"run": tr("Run"), "window": tr("Window")}
"""What efficiencies are of: all between the first message and the last, or less."""


@dataclass(frozen=True, slots=True)
class DelayRequest:
    """A delay, -1 for none, of which more than its row is wanted."""

    analysis: Analysis
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

    def __call__(self, request: DelayRequest, _go_on: object) -> DelayDetails:
        """Find it, in a thread."""
        analysis, delay = request.analysis, request.delay
        is_shown = analysis.delays is not None and 0 <= delay < len(analysis.delays)
        is_shown &= analysis.wait_sums is not None
        return DelayDetails(
            course_text(analysis, delay) if is_shown else "",
            kind_sums(analysis, delay) if analysis.wait_sums is not None else None,
            hop_waits(analysis, delay) if is_shown else np.zeros(0),
            self._keep("advice", rests_on(analysis), lambda: advice_of(analysis)),
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


def has_waits(analysis: Analysis | None) -> bool:
    """Tell whether there is anything to be told of waits."""
    return (
        analysis is not None
        and analysis.delays is not None
        and analysis.delays.waiting > 0
    )


class DelaysPanel(Panel):
    """Lists delays; a click shows one: its rank, its time, its front."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(session, parent)
        self.model = TableModel(session)
        self.model.tip = self._tip
        self.view = TableView(
            self.model, tr("Delays"), self, sort=self._sort, fitting=FITTING
        )
        self.view.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.view.chosen.connect(self._go)
        self.offer_menu(self.view)
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
        self._request: DelayRequest | None = None
        self._reader = LatestOnly[DelayRequest, DelayDetails](DelayReader(), self._take)
        self.destroyed.connect(self._reader.stop)
        parts = ("analysis", "opening", "delay", DelayOptions)
        session.subscribe(self._follow, to=parts)
        self._follow(State(), session.state)

    def _follow(self, old: State, new: State) -> None:
        chosen = new.of(DelayOptions)
        analysis = new.analysis
        before = old.analysis.delays if old.analysis else None
        delays = analysis.delays if analysis else None
        if before is not delays or old.of(DelayOptions) != chosen:
            self._list(analysis, chosen)
        self._empty.tell(*why_no_delays(new))
        self._stack.setCurrentWidget(
            self._content if has_waits(analysis) else self._empty
        )
        self._ask()
        self.view.point_at(new.delay)

    def _list(self, analysis: Analysis | None, options: DelayOptions) -> None:
        """List the delays, the columns of the options' number first."""
        if analysis is None or analysis.delays is None:
            self.model.show(NO_TABLE)
            return
        table = delays_table(analysis.trace, analysis.delays)
        by = SHOWN[options.column], options.descending
        self.model.show(table, columns=SHOWN, by=by)

    def _tip(self, delay: int, name: str) -> str:
        """Say between what the waiting lies that a delay caused."""
        analysis = self.session.state.analysis
        if name != "caused_seconds" or analysis is None or analysis.delays is None:
            return ""
        bounds = cause_bounds_text(analysis.trace, analysis.delays, "delay", delay)
        return f"{bounds}, {AS_CLOCKS_ARE}" if bounds else ""

    def _ask(self) -> None:
        """Ask for what is told below the list, if anybody sees it."""
        state = self.session.state
        if state.analysis is None:
            self._request = None
            self._show(None, -1, DelayDetails("", None, np.zeros(0), ()))
            return
        request = DelayRequest(state.analysis, state.delay)
        if request != self._request and self.isVisible():
            self._request = request
            self._reader.ask(request)

    def _take(self, request: DelayRequest, details: DelayDetails) -> None:
        if request == self._request:
            self._show(request.analysis, request.delay, details)

    def _show(
        self, analysis: Analysis | None, delay: int, details: DelayDetails
    ) -> None:
        self.course.setVisible(bool(details.course))
        self.course.setText(details.course)
        self.below.advice.show_advice(details.advice)
        self.below.states.show_waits(analysis, delay, details.kinds, details.hops)

    def showEvent(self, event: QShowEvent) -> None:
        """Ask for what was not asked for while nobody saw it."""
        super().showEvent(event)
        self._ask()

    def _sort(self, name: str) -> None:
        column, now = SHOWN.index(name), self.session.state.of(DelayOptions)
        down = not now.descending if column == now.column else column > 1
        self.session.change(DelayOptions, column=column, descending=down)

    def _go(self, place: int) -> None:
        state, delay = self.session.state, self.model.row(place)
        self.session.update(**changes_to_delay(state, delay))

    @property
    def settled(self) -> bool:
        """Whether what is seen is what the state asks for."""
        return self.below.efficiency.settled and not self._reader.busy

    def listing(self) -> Table | None:
        """Return all delays, costliest first."""
        analysis = self.session.state.analysis
        if analysis is None or analysis.delays is None:
            return None
        return delays_table(analysis.trace, analysis.delays)

    def bar(self, title: str) -> DockBar:
        """Make its title bar."""
        return DelaysBar(self.session, title)


def why_no_delays(state: State) -> tuple[str, str]:
    """Title and sentence for a trace without delays."""
    analysis = state.analysis
    if analysis is None:
        return tr("No trace"), tr("Open one to see who was late.")
    if analysis.delays is None and state.opening is not None:
        return tr("Looking for delays…"), tr("They follow from the logical trace.")
    if analysis.delays is None and analysis.waits is None:
        return tr("Not looked for"), ANALYSIS_STOPPED
    return tr("No delays"), tr("No rank waited for another, as far as the trace shows.")


class DelaysBar(DockBar):
    """Says how much of the waiting the listed delays caused."""

    def __init__(self, session: Session, title: str) -> None:
        super().__init__(title)
        session.subscribe(self._show, to=("analysis",))
        self._show(session.state, session.state)

    def _show(self, _: State, new: State) -> None:
        analysis = new.analysis
        if analysis is None or analysis.delays is None or not analysis.delays.waiting:
            self.tell("")
            return
        delays, clock = analysis.delays, analysis.trace.clock
        caused = int(delays.caused.sum())
        waiting = duration_text(clock.seconds(delays.waiting))
        bounds = (
            bounds_text(analysis.trace, analysis.wait_sums)
            if analysis.wait_sums
            else ""
        )
        listed = plural(len(delays), "delay")
        if delays.left_out:
            listed = tr(
                "{count} of {delays}",
                count=grouped(len(delays)),
                delays=plural(len(delays) + delays.left_out, "delay"),
            )
        words = f"{listed}, {share_text(caused / delays.waiting)}"
        words += tr(" of {waiting} waiting", waiting=waiting)
        left_out = tr(
            "{left_out} caused {caused} together: too little, or less late than the "
            "clocks tell",
            left_out=plural(delays.left_out, "delay"),
            caused=duration_text(clock.seconds(delays.left_out_caused)),
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
