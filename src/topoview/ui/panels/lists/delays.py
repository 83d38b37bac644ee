"""The delays panel: who was late, by how much, and what that caused."""

from dataclasses import dataclass, replace

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QLineEdit,
    QSplitter,
    QStackedWidget,
    QWidget,
)

from topoview.base.text import duration_text, grouped, plural, share_text, tr
from topoview.live.tables.search.query import (
    Query,
    QueryError,
    parse_query,
    why_nothing,
)
from topoview.live.waits import waits
from topoview.live.waits.delays import changes_to_delay
from topoview.model import (
    Analysis,
    Delays,
    Efficiency,
    Floats,
    Indices,
    Ints,
    Table,
    Trace,
    UsefulWork,
)
from topoview.report.advice import Advice, advice_of
from topoview.report.waits.delays import (
    AS_CLOCKS_ARE,
    SHOWN,
    cause_bounds_text,
    course_text,
    delay_groups_table,
    delays_table,
)
from topoview.report.waits.pages import bounds_text
from topoview.session import Session, State
from topoview.ui.panels.empty import ANALYSIS_STOPPED
from topoview.ui.panels.options import DelayOptions
from topoview.ui.panels.waits.advice import AdviceList, rests_on
from topoview.ui.panels.waits.efficiency import EfficiencyView
from topoview.ui.panels.waits.states import WaitBars
from topoview.ui.widgets.controls import Segmented
from topoview.ui.widgets.latest_only import LastMade
from topoview.ui.widgets.layouts import bare_column, filled, new_label, scrolled, styled
from topoview.ui.widgets.panel import TablePanel
from topoview.ui.widgets.table import NO_TABLE
from topoview.ui.widgets.theme import font

FITTING = (
    "rank",
    "seconds",
    "caused_seconds",
    "saved_seconds",
    "iteration",
    "ranks_reached",
    "hops_per_iteration",
    "hops_per_second",
    "predicted_hops_per_second",
    "decay_seconds_per_hop",
    "noise_seconds_per_hop",
)
"""Columns, those first that are hidden last."""

LISTED = {"delays": tr("Delays"), "groups": tr("By cause")}
"""What is listed: single delays, or those of a rank in an iteration."""

GROUP_COLUMNS = ("rank", "iteration", "delays", "seconds", "caused_seconds", "share")
"""Columns of groups that are shown."""

PAGES = {
    "advice": tr("Advice"),
    "states": tr("Wait states"),
    "efficiency": tr("Efficiency"),
}
"""What is told below the list."""

SCOPES = {
    "exchange": tr("Exchange"),
    "run": tr("Run"),
    "loop": tr("Loop"),
    "window": tr("Window"),
}
"""Spans that efficiencies are of."""


@dataclass(frozen=True, slots=True)
class DelayRequest:
    """What is told below the list."""

    analysis: Analysis
    delay: int
    """The delay that is shown; -1 for none."""
    efficiency_of: tuple[str, tuple[int, int]] | None
    """Scope and window whose efficiencies are seen; None while none are."""


@dataclass(frozen=True, slots=True, eq=False)
class DelayDetails:
    """What is told below the list: of the delay, and of all waits."""

    course: str
    kinds: waits.KindSums | None
    hops: Floats
    advice: tuple[Advice, ...]
    efficiency: Efficiency | None = None
    work: UsefulWork | None = None


class DelayReader:
    """Finds what is told; what it is the same for is kept from delay to delay."""

    def __init__(self) -> None:
        self._keep = LastMade()

    def __call__(self, request: DelayRequest, _go_on: object) -> DelayDetails:
        """Find it, in a thread."""
        analysis, delay = request.analysis, request.delay
        is_shown = analysis.delays is not None and 0 <= delay < len(analysis.delays)
        is_shown &= analysis.wait_sums is not None
        efficiency: tuple[Efficiency | None, UsefulWork | None] = None, None
        if request.efficiency_of is not None:
            _, window = request.efficiency_of
            efficiency = self._keep(
                "efficiency",
                (analysis, window),
                lambda: (
                    waits.window_efficiency(analysis, window),
                    waits.window_work(analysis, window),
                ),
            )
        return DelayDetails(
            course_text(analysis, delay) if is_shown else "",
            waits.kind_sums(analysis, delay)
            if analysis.wait_sums is not None
            else None,
            waits.hop_waits(analysis, delay) if is_shown else np.zeros(0),
            self._keep("advice", rests_on(analysis), lambda: advice_of(analysis)),
            *efficiency,
        )


def fitting_delays(trace: Trace, delays: Delays, query: Query) -> Ints:
    """Find the delays that a query means: int64, ascending.

    Its durations are how late they are; functions and partners say nothing of them.

    Raises
    ------
    QueryError
        It asks for what delays have not.
    """
    keep = np.ones(len(delays), bool)
    second = trace.clock.resolution
    columns: dict[str, Floats | Ints | Indices] = {
        "rank": delays.rank,
        "iteration": delays.iteration,
        "duration": delays.excess / second,
        "begin": delays.begin / second,
    }
    if replace(query, bounds=()) or any(b.column not in columns for b in query.bounds):
        raise QueryError(tr("Write for instance rank 0-7 iteration 9 > 1 ms"))
    for name, values in columns.items():
        if bounds := query.bounds_of(name):
            keep &= np.any(
                [(values >= b.least) & (values <= b.most) for b in bounds], 0
            )
    return np.flatnonzero(keep)


def efficiency_wanted(state: State) -> tuple[str, tuple[int, int]] | None:
    """Return scope and window whose efficiencies are shown; None if none are."""
    analysis, options = state.analysis, state.of(DelayOptions)
    if analysis is None or analysis.efficiencies is None:
        return None
    if options.page != "efficiency":
        return None
    if options.scope == "window" and analysis.trace.digest is None:
        return "window", state.window
    if options.scope == "run" and analysis.overview is not None:
        return "run", analysis.overview.run
    if options.scope == "loop" and analysis.profile_of_loop is not None:
        return "loop", analysis.profile_of_loop.span.window
    return "exchange", analysis.efficiencies.exchange_window


class WaitPages(QWidget):
    """What is said of waits below the list: advice, wait states, or efficiencies."""

    def __init__(self, session: Session, parent: QWidget) -> None:
        super().__init__(parent)
        styled(self, "page")
        self.pages = Segmented(self)
        self.scopes = Segmented(self)
        self.advice = AdviceList(session, self)
        self.states = WaitBars(session, self)
        self.efficiency = EfficiencyView(session, self)
        self._stack = QStackedWidget(self)
        for page in (self.advice, scrolled(self.states), self.efficiency):
            self._stack.addWidget(page)
        row = filled(QHBoxLayout(), self.pages, 1, margins=(12, 6, 12, 4))
        narrow = filled(QHBoxLayout(), self.scopes, 1, margins=(12, 0, 12, 2))
        bare_column(self, row, narrow, (self._stack, 1))
        self.pages.chosen.connect(session.setter(DelayOptions, "page"))
        self.scopes.chosen.connect(session.setter(DelayOptions, "scope"))

    def show_state(self, state: State) -> None:
        """Show the page that the options name."""
        chosen = state.of(DelayOptions)
        self.pages.offer(PAGES, chosen.page)
        self.scopes.offer(SCOPES, chosen.scope)
        digest = state.analysis is not None and state.analysis.trace.digest is not None
        self.scopes.setVisible(chosen.page == "efficiency" and not digest)
        self._stack.setCurrentIndex(list(PAGES).index(chosen.page))
        self.states.update()  # the theme may be another
        self.efficiency.show_state(state)


def has_waits(analysis: Analysis | None) -> bool:
    """Return whether any waiting is recorded."""
    return (
        analysis is not None
        and analysis.delays is not None
        and analysis.delays.waiting > 0
    )


class DelaysPanel(TablePanel[DelayRequest, DelayDetails]):
    """Lists delays; a click shows one: its rank, its time, its front."""

    PARTS = ("analysis", "opening", "delay", "theme", "window", DelayOptions)
    NAME = tr("Delays")
    FITTING = FITTING

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(session, parent, DelayReader())
        self.model.tip = self._tip
        self.view.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.course = new_label(self, look=font(12), dim=True, wraps=True)
        self.course.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.course.setTextFormat(Qt.TextFormat.PlainText)
        self.course.setObjectName("detail")
        self.below = WaitPages(session, self)
        halves = QSplitter(Qt.Orientation.Vertical, self)
        halves.setChildrenCollapsible(False)
        listed = QWidget(halves)
        listed.setObjectName("page")
        rows = bare_column(listed, (self.view, 1), self.course)
        halves.addWidget(listed)
        halves.addWidget(self.below)
        halves.setStretchFactor(0, 1)
        halves.setStretchFactor(1, 1)
        self.column.addWidget(halves)
        self.kinds = Segmented(None, session.setter(DelayOptions, "listed"))
        self.dock_bar.add_control(self.kinds)
        self.field = QLineEdit(self)
        self.field.setPlaceholderText("rank 0-7 iteration 9 > 1 ms")
        self.field.setClearButtonEnabled(True)
        self.field.setFont(font(12))
        self.field.setAccessibleName(tr("Filter delays"))
        self.field.textChanged.connect(session.setter(DelayOptions, "text"))
        line = filled(QHBoxLayout(), self.field, margins=(12, 6, 12, 4))
        rows.insertLayout(0, line)
        self.reason = new_label(listed, look=font(12), dim=True, wraps=True)
        """Why nothing is listed, or a filter is not understood."""
        self.reason.setContentsMargins(12, 0, 12, 4)
        self.reason.setTextFormat(Qt.TextFormat.PlainText)
        self.reason.hide()
        rows.insertWidget(1, self.reason)
        self._listed: tuple[Delays | None, DelayOptions | None] = None, None
        self._delays: Ints = np.zeros(0, np.int64)
        """Delay of each row of the table; -1 for none."""

    def request(self, state: State) -> DelayRequest | None:
        """Ask for the pages below the list."""
        if state.analysis is None:
            return None
        return DelayRequest(state.analysis, state.delay, efficiency_wanted(state))

    def show_result(self, result: DelayDetails) -> None:
        """Show more of a delay, and of all waits."""
        assert self.answered is not None
        request, below = self.answered, self.below
        self.course.setVisible(bool(result.course))
        self.course.setText(result.course)
        below.advice.show_advice(result.advice)
        below.states.show_waits(
            request.analysis, request.delay, result.kinds, result.hops
        )

    def clear(self) -> None:
        """Clear the pages; what is listed follows the state."""
        self.course.hide()
        self.below.advice.show_advice(())
        self.below.states.show_waits(None, -1, None, np.zeros(0))

    def show_state(self, state: State) -> None:
        """List the delays, the columns of the options' number first."""
        analysis, options, result = state.analysis, state.of(DelayOptions), self.result
        delays = None if analysis is None else analysis.delays
        if (delays, options) != self._listed:
            self._listed = delays, options
            self._list_delays(analysis, options)
        self.kinds.offer(LISTED, options.listed)
        if self.field.text() != options.text:
            self.field.setText(options.text)
        rows = np.flatnonzero(self._delays == state.delay)
        self.view.point_at(int(rows[0]) if len(rows) and state.delay >= 0 else -1)
        self.below.show_state(state)
        wanted = efficiency_wanted(state)
        shown = None if self.answered is None else self.answered.efficiency_of
        if wanted and shown and wanted[0] == shown[0] and result is not None:
            self.below.efficiency.show_efficiency(result.efficiency, result.work)
        else:  # those of the run are none of the window
            self.below.efficiency.show_efficiency(None, None)

    def _list_delays(self, analysis: Analysis | None, options: DelayOptions) -> None:
        """List the delays that the options ask for, or groups of them."""
        if analysis is None or analysis.delays is None:
            self._delays = np.zeros(0, np.int64)
            self.model.show(NO_TABLE, columns=())
            return
        trace, delays, why = analysis.trace, analysis.delays, ""
        try:
            some = fitting_delays(trace, delays, parse_query(options.text))
            if not len(some) and len(delays):
                why = why_nothing(
                    options.text,
                    "delay",
                    lambda query: len(fitting_delays(trace, delays, query)),
                )
                all_listed = plural(len(delays), "delay")
                why = why or tr("None of {delays} that are listed.", delays=all_listed)
        except QueryError as error:
            some, why = np.arange(len(delays)), str(error)
        self.reason.setText(why)
        self.reason.setVisible(bool(why))
        if options.listed == "groups":
            groups = delay_groups_table(trace, delays, some)
            self._delays = groups["delay"].astype(np.int64)
            self.model.show(groups, columns=GROUP_COLUMNS)
            return
        by = SHOWN[options.column], options.descending
        self._delays = some
        table = delays_table(trace, delays)
        table = table if len(some) == len(delays) else table.take(some)
        self.model.show(table, columns=SHOWN, by=by)

    def why_empty(self, state: State) -> tuple[str, str]:
        """Return why there are no delays."""
        return ("", "") if has_waits(state.analysis) else why_no_delays(state)

    def remark(self) -> tuple[str, str]:
        """Return how much of the waiting the listed delays caused."""
        analysis = self.session.state.analysis
        if analysis is None or analysis.delays is None or not analysis.delays.waiting:
            return "", ""
        delays, trace = analysis.delays, analysis.trace
        waiting = duration_text(trace.clock.seconds(delays.waiting))
        share = share_text(int(delays.caused.sum()) / delays.waiting)
        listed, more = plural(len(delays), "delay"), []
        if delays.left_out:
            every = plural(len(delays) + delays.left_out, "delay")
            count = grouped(len(delays))
            listed = tr("{count} of {delays}", count=count, delays=every)
            caused = duration_text(trace.clock.seconds(delays.left_out_caused))
            more.append(
                tr(
                    "{left_out} caused {caused} together: too little, or less late "
                    "than the clocks tell",
                    left_out=plural(delays.left_out, "delay"),
                    caused=caused,
                )
            )
        words = f"{listed}, {share}"
        words += tr(" of {waiting} waiting", waiting=waiting)
        sums = analysis.wait_sums
        if bounds := bounds_text(trace, sums) if sums else "":
            more.append(
                tr(
                    "All waiting is {bounds}: {as_clocks_are}",
                    bounds=bounds,
                    as_clocks_are=AS_CLOCKS_ARE,
                )
            )
        return words, "\n".join(more)

    def _tip(self, row: int, name: str) -> str:
        """Describe the bounds of the waiting that a delay caused."""
        analysis = self.session.state.analysis
        single = self.session.state.of(DelayOptions).listed == "delays"
        if name != "caused_seconds" or analysis is None or not single:
            return ""
        assert analysis.delays is not None
        number = int(self._delays[row])
        bounds = cause_bounds_text(analysis.trace, analysis.delays, "delay", number)
        return f"{bounds}, {AS_CLOCKS_ARE}" if bounds else ""

    def sort_by(self, name: str) -> None:
        """Sort by a column: the options keep which."""
        now = self.session.state.of(DelayOptions)
        if now.listed == "groups":
            super().sort_by(name)
            return
        column = SHOWN.index(name)
        down = not now.descending if column == now.column else column > 1
        self.session.change(DelayOptions, column=column, descending=down)

    def choose(self, place: int) -> None:
        """Show a delay."""
        delay = int(self._delays[self.model.row(place)])
        if delay >= 0:  # the others are none
            self.session.update(**changes_to_delay(self.session.state, delay))

    def listing(self) -> Table | None:
        """Return all delays, costliest first."""
        return self.model.table if self.model.rowCount() else None


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
