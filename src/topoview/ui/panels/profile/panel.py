"""The profile panel: account of time, MPI functions or call tree, a bar for each rank.

A profile is requested in the window's thread and made in another one.
"""

from dataclasses import dataclass, replace

import numpy as np
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QAbstractItemView, QLineEdit, QWidget

from topoview.base.text import ARROW, duration_text, plural, share_text, tr
from topoview.live.moments.window_sums import profile_of_calls, profile_within
from topoview.live.picking.selection import selected_spans
from topoview.live.tables.call_tree import CallTree, call_tree
from topoview.live.waits.waits import waits_of_functions
from topoview.model import (
    GROUP_TEXTS,
    PROFILES,
    STATE_OF_CLASS,
    Analysis,
    Ints,
    Profile,
    Table,
    TimeState,
    Trace,
)
from topoview.report.profile import (
    ACCOUNT,
    CLASS_TEXTS,
    CLASSES_BY_NAME,
    PROFILE,
    account_table,
    function_table,
    group_table,
    span_text,
    state_of_function,
)
from topoview.session import NO_CALLS, CallFilter, ComparedRun, Session, State
from topoview.ui.panels.empty import why_no_profile
from topoview.ui.panels.matrix.content import effective_scope, scope_remark
from topoview.ui.panels.options import ProfileOptions
from topoview.ui.panels.selected_calls import call_filter
from topoview.ui.widgets.charts.rank_bars import RankBarData, RankBars
from topoview.ui.widgets.controls import ScopeBar, Segmented
from topoview.ui.widgets.panel import TablePanel
from topoview.ui.widgets.table import NO_TABLE
from topoview.ui.widgets.theme import font


@dataclass(frozen=True, slots=True)
class ProfileRequest:
    """What a profile is made from; equal ones are alike."""

    analysis: Analysis
    """What is known."""
    span: str
    """What counts unless a window does: a name in `PROFILES`."""
    window: tuple[int, int] | None
    """Ticks that count, None for the span."""
    ranks: tuple[int, ...]
    """Ranks that count, all if empty."""
    wanted: CallFilter
    """Calls that count, all if empty."""
    marked: CallFilter = NO_CALLS
    """Calls whose lines are marked: of a selected statement or loop."""
    tree: bool = False
    """Whether the call tree is wanted."""


@dataclass(frozen=True, slots=True, eq=False)
class ProfileResult:
    """A profile and its lines."""

    request: ProfileRequest
    """What it is a profile of."""
    profile: Profile
    """All numbers."""
    account: Table
    functions: Table
    """`account` and `functions`: lines: classes by group, functions by time."""
    marked: Profile | None = None
    """Numbers of the marked calls alone; None if there are none."""
    tree: CallTree | None = None
    """None as long as it is not wanted."""

    def table(self, kind: str) -> Table:
        """Return the lines of a kind in `PROFILE_KINDS`."""
        if kind == "tree":
            return NO_TABLE if self.tree is None else self.tree.table
        return self.account if kind == "account" else self.functions

    def by_rank(self, kind: str, line: int) -> tuple[Ints, Ints | None]:
        """Return ticks and calls of each rank in a line; no calls for a class."""
        profile, name = self.profile, self.name(kind, line)
        if kind == "tree" and self.tree is not None:
            return self.tree.of_row(line, self.ranks)
        if kind == "account":
            column = profile.classes.tolist().index(CLASSES_BY_NAME[name])
            return profile.class_ticks[self.ranks, column], None
        column = profile.operations.index(name)
        return profile.ticks[self.ranks, column], profile.calls[self.ranks, column]

    def name(self, kind: str, line: int) -> str:
        """Return what a line is of."""
        table = self.table(kind)
        return str(table.cell(line, table.names[0]))

    def state(self, kind: str, line: int) -> int:
        """Return the `TimeState` whose colour a line has."""
        name, trace = self.name(kind, line), self.request.analysis.trace
        if kind == "account":
            return int(STATE_OF_CLASS[CLASSES_BY_NAME[name]])
        if kind == "tree" and name not in trace.regions.operations:
            return int(TimeState.COMPUTE)
        return int(state_of_function(trace, name))

    @property
    def ranks(self) -> Ints:
        """Ranks that count, ascending, int64."""
        chosen = self.request.ranks or range(self.request.analysis.trace.ranks)
        return np.array(chosen, np.int64)


def profile_request(state: State) -> ProfileRequest | None:
    """Gather what a state wants to see; None before there is a profile."""
    analysis = state.analysis
    if analysis is None or analysis.profile is None:
        return None
    scope, chosen = effective_scope(state), state.selection
    if state.scope == "loop" and analysis.profile_of_loop is not None:
        scope = "loop"  # of a digest, too
    window = {"window": state.window, "selected": chosen.window}.get(scope)
    # an operation is a line of the profile itself: it would be left alone
    alone = call_filter(state) if not chosen.operation else NO_CALLS
    return ProfileRequest(
        analysis,
        scope if scope in PROFILES else "exchange",
        window,
        ranks=(chosen.ranks or chosen.edge or ()) if scope == "selected" else (),
        wanted=alone if scope == "selected" else NO_CALLS,
        marked=alone,
        tree=state.of(ProfileOptions).kind == "tree" and analysis.trace.digest is None,
    )


def make_profile(request: ProfileRequest, _: object = None) -> ProfileResult:
    """Compute a profile; a long computation that releases the GIL."""
    analysis = request.analysis
    trace = analysis.trace
    if request.window is not None:
        profile = profile_within(analysis, request.window)
    else:
        profile = getattr(analysis, PROFILES[request.span])
    marked = None
    if request.marked:
        spans = selected_spans(trace, analysis.logical, request.marked)
        marked = profile_of_calls(trace, profile, spans)
    if request.wanted:
        assert marked is not None  # they are marked too
        profile = marked
    ranks = np.array(request.ranks, np.int64) if request.ranks else None
    waits: tuple[dict[str, int], ...] = ()
    if not request.wanted:
        waits = waits_of_functions(analysis, profile.span.window, request.ranks)
    tree = None
    if request.tree:
        tree = call_tree(trace, request.ranks, profile.span.window)
    return ProfileResult(
        request,
        profile,
        account=account_table(trace, profile, ranks),
        functions=function_table(trace, profile, ranks, waits),
        marked=marked,
        tree=tree,
    )


def calls_of_line(trace: Trace, table: Table, line: int) -> str:
    """Write the query that finds the MPI calls of a line of the call tree."""
    name, path = table.cell(line, "function"), table.cell(line, "path")
    if name not in trace.regions.operations:
        return f'in "{path}"'
    around = path.rpartition(ARROW)[0]
    return f'{name} in "{around}{ARROW.rstrip()}"' if around else str(name)


def folded_lines(table: Table) -> tuple[int, ...]:
    """Return the lines of the call tree below which nothing takes much of the time."""
    return tuple(np.flatnonzero(table["share"] < UNFOLDED_SHARE).tolist())


def selected_names(state: State, profile: ProfileResult | None) -> frozenset[str]:
    """Names of the lines that the selection is about, empty if it is about none.

    Parameters
    ----------
    profile
        What is shown; of a statement or a loop its marked calls tell.
    """
    chosen, analysis = state.selection, state.analysis
    if state.of(ProfileOptions).kind == "account":
        focus = state.focus if len(state.focus) == 1 else ()
        codes = CLASSES_BY_NAME.items()
        return frozenset(n for n, code in codes if int(STATE_OF_CLASS[code]) in focus)
    if chosen.operation or analysis is None:
        return frozenset({chosen.operation} - {""})
    if profile is not None and profile.marked is not None:
        return frozenset(profile.marked.operations)
    if chosen.call is not None and chosen.call < len(analysis.trace.calls):
        regions = analysis.trace.regions
        operation = int(regions.operation[analysis.trace.calls.region[chosen.call]])
        return frozenset([regions.operations[operation]] if operation >= 0 else [])
    return frozenset()


UNFOLDED_SHARE = 0.05
"""Share of the time from which a function's callees are seen at first."""

SHOWN_FIRST = (
    "seconds",
    "own_seconds",
    "calls",
    "visits",
    "imbalance",
    "share",
    "most_rank",
    "group",
    "mean_seconds",
    "wait_seconds",
    "most_seconds",
    "least_seconds",
    "caused_seconds",
    "time_difference",
    "time_b",
    "time_a",
    "time_ratio",
    "wait_difference",
    "wait_b",
    "wait_a",
)
"""Columns beside the name, those first that are hidden last."""

NOT_IN_DIGEST = (
    tr("Not in the digest"),
    tr("A call tree is made of all events. Open the trace itself to see it."),
)

PROFILE_KINDS = {
    "account": tr("Account"),
    "functions": tr("Functions"),
    "tree": tr("Call tree"),
    "compared": tr("Difference"),
}
SEARCH_DELAY_MILLISECONDS = 120
"""Milliseconds that the typing rests before lines are looked for."""


class ProfilePanel(TablePanel[ProfileRequest, ProfileResult]):
    """Where the time goes: by class or MPI function, and over the ranks."""

    PARTS = (
        "analysis",
        "opening",
        "window",
        "selection",
        "theme",
        "scope",
        "focus",
        "compared",
        ProfileOptions,
    )
    NAME = tr("Profile")
    COLUMNS = (
        "function",
        *(c.name for c in ACCOUNT if c.name not in PROFILE),
        *(c.name for c in PROFILE if c.name != "least_rank"),
        "visits",
        "own_seconds",
        "time_a",
        "time_b",
        "time_difference",
        "time_ratio",
        "wait_a",
        "wait_b",
        "wait_difference",
    )
    FITTING = SHOWN_FIRST

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(session, parent, make_profile)
        self.model.colour, self.model.tip = self._colour, self._tip
        self.model.heel = self._heel
        self.view.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.scopes = ScopeBar(session, self.content, of_time=True)
        self.field = QLineEdit(self.content)
        self.field.setPlaceholderText(tr("Find"))
        self.field.setClearButtonEnabled(True)
        self.field.setFont(font(12))
        self.field.setAccessibleName(tr("Find lines of the profile"))
        self.bars = RankBars(session, self.content)
        self.bars.chosen.connect(self._select_ranks)
        self.column.insertWidget(0, self.scopes)
        self.column.addWidget(self.bars)
        self._rest = QTimer(self, singleShot=True, interval=SEARCH_DELAY_MILLISECONDS)
        self._rest.timeout.connect(self._search)
        self.field.textChanged.connect(lambda _: self._rest.start())
        self.kinds = Segmented(None, session.setter(ProfileOptions, "kind"))
        self.add_controls(self.kinds, right=(self.field,))

    def request(self, state: State) -> ProfileRequest | None:
        """Return what a state wants to see."""
        return profile_request(state)

    def show_state(self, state: State) -> None:
        """List classes or functions, and mark those that are selected."""
        there = dict(PROFILE_KINDS)
        if self._compared is None:
            del there["compared"]
        self.kinds.offer(there, self._kind())
        self.kinds.setVisible(self.requested is not None)
        if self.result is not None:
            kind = self._kind()
            self.model.mono = kind != "account"
            table, before = self._table(), self.model.table
            self.show_table(table)
            if kind == "tree" and len(table) and table.names != before.names:
                self.model.fold(folded_lines(table))
        self._show_chosen(state)

    def show_result(self, result: ProfileResult) -> None:
        """Leave it to `show_state`: what is listed depends on both."""

    def why_empty(self, state: State) -> tuple[str, str]:
        """Return why there is no profile, or no call tree."""
        if self._kind() == "tree" and state.analysis is not None:
            if state.analysis.trace.digest is not None:
                return NOT_IN_DIGEST
            if self.result is not None and self.result.tree is None:
                return tr("Call tree"), tr("Following the calls of all ranks ...")
        return why_no_profile(
            state.analysis,
            going_on=state.opening is not None,
            made=self.result is not None,
        )

    def remark(self) -> tuple[str, str]:
        """Return how much of the time is useful, and waiting; more on hovering."""
        profile = self.result
        if profile is None:
            return "", ""
        request, trace = profile.request, profile.request.analysis.trace
        if self._kind() == "compared" and self._compared is not None:
            text = tr("A is this run, B is {name}", name=self._compared.name)
            return text, tr("Seconds of the mean rank, in all of each run")
        if request.wanted:
            ticks = int(profile.profile.ticks[profile.ranks].sum())
            second = duration_text(ticks / trace.clock.resolution)
            return tr("Selected calls {second}", second=second), ""
        groups = group_table(trace, profile.profile, profile.ranks)
        shares = dict(zip(groups["group"], groups["share"].tolist(), strict=True))
        text = ", ".join(
            f"{tr(GROUP_TEXTS[group])} {share_text(shares.get(group, 0.0), 0)}"
            for group in ("useful", "waiting")
        )
        lines = [
            tr(
                "{group} {share}, most on rank {rank}",
                group=tr(GROUP_TEXTS[row["group"]]),
                share=share_text(row["share"]),
                rank=int(row["most_rank"]),
            )
            for row in groups
        ]
        text = scope_remark(self.session.state) or text
        return text, "\n".join([span_text(trace, profile.profile.span), *lines])

    def _search(self) -> None:
        words = self.field.text().strip().lower()
        self.model.search(words.removeprefix("mpi_"))

    def _colour(self, row: int) -> str:
        assert self.result is not None
        if self._kind() == "compared":
            name = str(self.model.table.cell(row, "function"))
            trace = self.result.request.analysis.trace
            return self.model.theme.state_colour(state_of_function(trace, name))
        return self.model.theme.state_colour(self.result.state(self._kind(), row))

    def _heel(self, row: int) -> str | None:
        if self.result is None or self._kind() != "account":
            return None
        state = self.result.state("account", row)
        return self.model.theme.heel_colour(state)

    @property
    def _compared(self) -> ComparedRun | None:
        """The run that the open trace was compared with."""
        analysis, other = self.session.state.analysis, self.session.state.compared
        if analysis is None or other is None or other.trace is not analysis.trace:
            return None
        return other

    def _kind(self) -> str:
        """Return what is listed: classes where no function was called."""
        kind = self.session.state.of(ProfileOptions).kind
        none = self.result is not None and not len(self.result.functions)
        if none or (kind == "compared" and self._compared is None):
            return "account"
        return kind

    def _table(self) -> Table:
        """Return the lines of what is listed."""
        if self._kind() == "compared" and self._compared is not None:
            return self._compared.functions
        return NO_TABLE if self.result is None else self.result.table(self._kind())

    def _show_chosen(self, state: State) -> None:
        """Mark the lines of the selection, and show how it is spread over ranks.

        Of a statement or a loop that is the time in its own calls; of all else that
        of the selected line, or of the first.
        """
        profile, kind = self.result, self._kind()
        fresh = profile is not None and self.requested == profile.request
        table = self._table() if profile else NO_TABLE
        own = []
        if kind == "tree" and state.selection.query and profile is not None:
            trace, query = profile.request.analysis.trace, state.selection.query
            lines = range(len(table))
            own = [n for n in lines if calls_of_line(trace, table, n) == query]
        elif kind != "tree":
            names = selected_names(state, profile if fresh else None)
            lead = table[self.model.lead] if profile else ()
            own = [row for row, name in enumerate(lead) if name in names]
        self.model.mark(frozenset(own))
        if profile is None or not len(table):
            self.bars.show_bars(None)
            return
        line = own[0] if own else 0
        if kind == "compared":  # the bars are of this run, which may not call it
            kind, lines = "functions", profile.functions["name"].tolist()
            name = str(table.cell(line, "function"))
            if name not in lines:
                self.bars.show_bars(None)
                return
            line = lines.index(name)
        name = profile.name(kind, line)
        title = CLASS_TEXTS.get(name, name) if kind == "account" else name
        ticks, calls = profile.by_rank(kind, line)
        if fresh and own and profile.marked is not None and kind == "functions":
            ticks, calls = (
                table[profile.ranks].sum(1)
                for table in (profile.marked.ticks, profile.marked.calls)
            )
            title = (
                tr("{title} of the selection", title=title)
                if len(own) == 1
                else tr("Selected calls")
            )
        seconds = ticks / profile.request.analysis.trace.clock.resolution
        state_shown = profile.state(kind, line)
        self.bars.show_bars(
            RankBarData(title, profile.ranks, seconds, calls, state_shown)
        )

    def choose(self, place: int) -> None:
        """Select an operation, or bring the state of a class out."""
        name, state = str(self.model.value(place, self.model.lead)), self.session.state
        if self._kind() == "account":
            focus = frozenset({int(STATE_OF_CLASS[CLASSES_BY_NAME[name]])})
            same = state.focus == focus
            self.session.update(focus=frozenset() if same else focus)
            return
        if self._kind() == "tree" and self.result is not None:
            trace, row = self.result.request.analysis.trace, self.model.row(place)
            query = calls_of_line(trace, self.model.table, row)
            same = state.selection.query == query
            self.session.choose(query="" if same else query)
            return
        assert state.analysis is not None
        if name in state.analysis.trace.regions.operations:  # or only B calls it
            same = state.selection.operation == name
            self.session.choose(operation="" if same else name)

    def _tip(self, row: int, _: str) -> str:
        """Describe in sentences what a line shows."""
        table = self.model.table
        if self._kind() == "compared":
            return self.remark()[0]
        cells = {
            column.name: column.text(table.cell(row, column.name))
            for column in table.columns
        }
        lines = [
            tr(
                "{name}: {time}, {share} of the time of all ranks",
                name=cells.get("path", cells[self.model.lead]),
                time=cells["seconds"],
                share=cells["share"],
            )
        ]
        if "calls" in cells:
            counted = plural(table.cell(row, "calls"), "call")
            mean = cells["mean_seconds"]
            lines.append(tr("{calls}, {mean} on average", calls=counted, mean=mean))
        if "visits" in cells:
            own = cells["own_seconds"]
            lines.append(tr("{own} without what it calls", own=own))
        if "least_rank" in cells:
            lines.append(
                tr(
                    "least on rank {least_rank}: {least}",
                    least_rank=cells["least_rank"],
                    least=cells["least_seconds"],
                )
            )
        lines.append(
            tr(
                "most on rank {most_rank}: {most}",
                most_rank=cells["most_rank"],
                most=cells["most_seconds"],
            )
        )
        if "imbalance" in cells:
            lines.append(tr("imbalance {imbalance}", imbalance=cells["imbalance"]))
        if wait := cells.get("wait_seconds"):
            lines.append(tr("waited for late partners: {wait}", wait=wait))
        if caused := cells.get("caused_seconds"):
            lines.append(tr("caused others to wait: {caused}", caused=caused))
        return "\n".join(lines)

    def _select_ranks(self, ranks: tuple[int, ...]) -> None:
        chosen = self.session.state.selection
        if chosen.ranks == ranks:
            ranks = ()
        self.session.update(
            selection=replace(chosen, ranks=ranks, edge=None, call=None)
        )
