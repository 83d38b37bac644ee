"""The profile panel: time by MPI function or state, with a bar for every rank.

A profile is requested in the window's thread and made in another one.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QAbstractItemView, QLineEdit, QVBoxLayout, QWidget

from topoview.base.text import duration_text, plural, share_text, tr
from topoview.live.moments.window_sums import profile_within
from topoview.live.picking.selection import selected_spans
from topoview.live.waits import waits_of_functions
from topoview.model import Analysis, Ints, MPIState, Profile, Table
from topoview.report.profile import (
    PROFILE,
    STATES_BY_LABEL,
    function_table,
    state_of_function,
    state_table,
)
from topoview.session import NO_CALLS, CallFilter, Session, State
from topoview.ui.panels.empty import EmptyView, stacked, why_no_profile
from topoview.ui.panels.matrix.content import effective_scope
from topoview.ui.panels.options import ProfileOptions
from topoview.ui.panels.selected_calls import call_filter
from topoview.ui.panels.table import Panel
from topoview.ui.widgets.controls import DockBar, ScopeBar, Segmented
from topoview.ui.widgets.latest_only import LatestOnly
from topoview.ui.widgets.rank_bars import RankBarData, RankBars
from topoview.ui.widgets.table import NO_TABLE, TableModel, TableView
from topoview.ui.widgets.theme import font


@dataclass(frozen=True, slots=True)
class ProfileRequest:
    """What a profile is made from; equal ones are alike."""

    analysis: Analysis
    """What is known."""
    window: tuple[int, int] | None
    """Ticks that count, None for the whole run."""
    ranks: tuple[int, ...]
    """Ranks that count, all if empty."""
    wanted: CallFilter
    """Calls that count, all if empty."""
    marked: CallFilter = NO_CALLS
    """Calls whose lines are marked: of a selected statement or loop."""


@dataclass(frozen=True, slots=True, eq=False)
class ProfileResult:
    """A profile and its lines."""

    request: ProfileRequest
    """What it is a profile of."""
    profile: Profile
    """All numbers."""
    functions: Table
    states: Table
    """`functions` and `states`: lines, most time first."""
    marked: Profile | None = None
    """Numbers of the marked calls alone; None if there are none."""

    def table(self, kind: str) -> Table:
        """Return the lines of ``functions`` or ``states``."""
        return self.states if kind == "states" else self.functions

    def by_rank(self, kind: str, name: str) -> tuple[Ints, Ints | None]:
        """Return ticks and calls of each rank in a line; no calls for a state."""
        profile = self.profile
        if kind == "states":
            return profile.state_ticks[self.ranks, STATES_BY_LABEL[name]], None
        column = profile.operations.index(name)
        return profile.ticks[self.ranks, column], profile.calls[self.ranks, column]

    def state(self, kind: str, name: str) -> int:
        """Return the `MPIState` whose colour a line has."""
        if kind == "states":
            return STATES_BY_LABEL[name]
        return int(state_of_function(self.request.analysis.trace, name))

    @property
    def ranks(self) -> Ints:
        """Ranks that count, ascending, int64."""
        chosen = self.request.ranks or range(self.request.analysis.trace.ranks)
        return np.array(chosen, np.int64)

    @property
    def mpi(self) -> tuple[int, int]:
        """Ticks in MPI, and in all, of the ranks and the time that count."""
        ticks = self.profile.ticks[self.ranks].sum()
        return int(ticks), int(self.profile.state_ticks[self.ranks].sum())


def profile_request(state: State) -> ProfileRequest | None:
    """Gather what a state wants to see; None before there is a profile."""
    analysis = state.analysis
    if analysis is None or analysis.profile is None:
        return None
    scope, chosen = effective_scope(state), state.selection
    window = {"window": state.window, "selected": chosen.window}.get(scope)
    # an operation is a line of the profile itself: it would be left alone
    alone = call_filter(state) if not chosen.operation else NO_CALLS
    if scope != "selected":
        return ProfileRequest(analysis, window, (), NO_CALLS, alone)
    ranks = chosen.ranks or chosen.edge or ()
    return ProfileRequest(analysis, window, ranks, alone, alone)


def make_profile(
    request: ProfileRequest, go_on: Callable[[], bool] = lambda: True
) -> ProfileResult:
    """Make a profile; a long computation that releases the GIL."""
    del go_on
    analysis = request.analysis
    trace = analysis.trace
    assert analysis.profile is not None
    profile, marked = analysis.profile, None
    window = request.window or (0, max(trace.clock.length, 1))
    if request.marked:
        spans = selected_spans(trace, analysis.logical, request.marked)
        marked = profile_within(trace, window, spans)
    if request.wanted:
        assert marked is not None  # they are marked too
        profile = marked
    elif request.window is not None:
        profile = profile_within(trace, window)
    ranks = np.array(request.ranks, np.int64) if request.ranks else None
    waits: tuple[dict[str, int], ...] = ()
    if not request.wanted:
        waits = waits_of_functions(analysis, request.window, request.ranks)
    return ProfileResult(
        request,
        profile,
        function_table(trace, profile, ranks, waits),
        state_table(trace, profile, ranks),
        marked,
    )


def selected_names(state: State, profile: ProfileResult | None) -> frozenset[str]:
    """Names of the lines that the selection is about, empty if it is about none.

    Parameters
    ----------
    profile
        What is shown; of a statement or a loop its marked calls tell.
    """
    chosen, analysis = state.selection, state.analysis
    if state.of(ProfileOptions).kind == "states":
        focus = sorted(state.focus)
        return frozenset([MPIState(focus[0]).label] if len(focus) == 1 else [])
    if chosen.operation or analysis is None:
        return frozenset({chosen.operation} - {""})
    if profile is not None and profile.marked is not None:
        return frozenset(profile.marked.operations)
    if chosen.call is not None and chosen.call < len(analysis.trace.calls):
        regions = analysis.trace.regions
        operation = int(regions.operation[analysis.trace.calls.region[chosen.call]])
        return frozenset([regions.operations[operation]] if operation >= 0 else [])
    return frozenset()


SHOWN_FIRST = (
    "seconds",
    "calls",
    "imbalance",
    "share",
    "mean_seconds",
    "wait_seconds",
    "most_seconds",
    "least_seconds",
    "caused_seconds",
)
"""Columns beside the name, those first that are hidden last."""

PROFILE_KINDS = {"functions": tr("Functions"), "states": tr("States")}
SEARCH_DELAY_MILLISECONDS = 120
"""Milliseconds that the typing rests before lines are looked for."""


SHOWN_PARTS = (
    "analysis",
    "opening",
    "window",
    "selection",
    "theme",
    "scope",
    "focus",
    ProfileOptions,
)
"""Parts of the state that the profile shows."""


class ProfilePanel(Panel):
    """Where the time goes: by MPI function or state, and over the ranks."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(session, parent)
        self.model = TableModel(session)
        self.model.colour, self.model.tip = self._colour, self._tip
        self.model.sort_by("seconds")
        self._profile: ProfileResult | None = None
        self._request: ProfileRequest | None = None
        self._worker = LatestOnly[ProfileRequest, ProfileResult](
            make_profile, self._take
        )
        self.content = QWidget(self)
        self.content.setObjectName("page")
        self.empty = EmptyView(self)
        self.scopes = ScopeBar(session, self.content)
        self.field = QLineEdit(self.scopes)
        self.field.setPlaceholderText(tr("Find"))
        self.field.setClearButtonEnabled(True)
        self.field.setFont(font(12))
        self.field.setMaximumWidth(150)
        self.field.setAccessibleName(tr("Find lines of the profile"))
        self.scopes.row.addWidget(self.field, 1)
        self._bar: ProfileBar | None = None
        self.view = TableView(
            self.model, tr("Profile"), self.content, fitting=SHOWN_FIRST
        )
        self.view.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.bars = RankBars(session, self.content)
        column = QVBoxLayout(self.content)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.scopes)
        column.addWidget(self.view, 1)
        column.addWidget(self.bars)
        self._stack = stacked(self, self.content, self.empty)
        self._text: tuple[str, str] | None = None
        self._rest = QTimer(self)
        self._rest.setSingleShot(True)
        self._rest.setInterval(SEARCH_DELAY_MILLISECONDS)
        self._rest.timeout.connect(self._search)
        self.field.textChanged.connect(lambda _: self._rest.start())
        self.view.chosen.connect(self._choose)
        self.offer_menu(self.view)
        self.bars.chosen.connect(self._select_ranks)
        end_subscription = session.subscribe(self._show, to=SHOWN_PARTS)
        for end in (self._worker.stop, end_subscription):
            self.destroyed.connect(end)
        self._show(State(), session.state)

    @property
    def settled(self) -> bool:
        """Whether what is seen is what the state asks for."""
        return not self._worker.busy

    @property
    def found(self) -> ProfileResult | None:
        """What is shown."""
        return self._profile

    def _show(self, old: State, new: State) -> None:
        request, profile = profile_request(new), self._profile
        trace = request.analysis.trace if request else None
        if profile is not None and profile.request.analysis.trace is not trace:
            self._profile = None
            self.model.show(NO_TABLE)
            self._list()
        if request is None:
            self._request = None
        elif request != self._request:
            self._request = request
            self._worker.ask(request)
        elif old.of(ProfileOptions).kind != new.of(ProfileOptions).kind:
            self._list()
        self._tell_why_empty()
        self._tell_chosen()

    def _tell_why_empty(self) -> None:
        """Say why there is nothing to see, where there is nothing."""
        state, made = self.session.state, self._profile is not None
        going_on = state.opening is not None
        text = why_no_profile(state.analysis, going_on=going_on, made=made)
        if text != self._text:
            self._text = text
            self.empty.tell(*text)
            self._stack.setCurrentWidget(self.empty if text[0] else self.content)

    def _take(self, request: ProfileRequest, profile: ProfileResult) -> None:
        if (
            self._request is None
            or request.analysis.trace is not self._request.analysis.trace
        ):
            return
        self._profile = profile
        self._list()
        self._tell_why_empty()
        self._tell_chosen()

    def _list(self) -> None:
        if self._bar is not None:
            self._bar.tell_result(self._profile)
        if self._profile is not None:
            kind = self._kind()
            self.model.mono = kind != "states"
            names = [c.name for c in PROFILE if not c.name.endswith("_rank")]
            table = self._profile.table(kind)
            names = [name for name in names if name in table.names]
            self.model.show(table, columns=names)

    def _search(self) -> None:
        words = self.field.text().strip().lower()
        self.model.search(words.removeprefix("mpi_"))

    def _colour(self, row: int) -> str:
        assert self._profile is not None
        name = str(self.model.table.cell(row, "name"))
        return self.model.theme.state_colour(self._profile.state(self._kind(), name))

    def _kind(self) -> str:
        """Tell what is listed: states where no function was called."""
        none = self._profile is not None and not len(self._profile.functions)
        return "states" if none else self.session.state.of(ProfileOptions).kind

    def _tell_chosen(self) -> None:
        """Mark the lines of the selection, and show how it is spread over ranks.

        Of a statement or a loop that is the time in its own calls; of all else that
        of the selected line, or of the first.
        """
        profile, kind, state = self._profile, self._kind(), self.session.state
        fresh = profile is not None and self._request == profile.request
        names = selected_names(state, profile if fresh else None)
        lines = list(profile.table(kind)["name"]) if profile else []
        own = [row for row, name in enumerate(lines) if name in names]
        self.model.mark(frozenset(own))
        if profile is None or not lines:
            self.bars.show_bars(None)
            return
        name = title = lines[own[0] if own else 0]
        ticks, calls = profile.by_rank(kind, name)
        if fresh and own and profile.marked is not None and kind != "states":
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
        state_shown = profile.state(kind, name)
        self.bars.show_bars(
            RankBarData(title, profile.ranks, seconds, calls, state_shown)
        )

    def _choose(self, place: int) -> None:
        """Select an operation, or bring a state out."""
        name, state = str(self.model.value(place, "name")), self.session.state
        if self._kind() == "states":
            focus = frozenset({STATES_BY_LABEL[name]})
            same = state.focus == focus
            self.session.update(focus=frozenset() if same else focus)
            return
        self.session.choose(operation="" if state.selection.operation == name else name)

    def _tip(self, row: int, _: str) -> str:
        """Say in sentences what a line says."""
        table = self.model.table
        cells = {
            column.name: column.text(table.cell(row, column.name))
            for column in table.columns
        }
        lines = [
            tr(
                "{name}: {time}, {share} of the time of all ranks",
                name=cells["name"],
                time=cells["seconds"],
                share=cells["share"],
            )
        ]
        if "calls" in cells:
            counted = plural(table.cell(row, "calls"), "call")
            mean = cells["mean_seconds"]
            lines.append(tr("{calls}, {mean} on average", calls=counted, mean=mean))
        lines.append(
            tr(
                "least on rank {least_rank}: {least}",
                least_rank=cells["least_rank"],
                least=cells["least_seconds"],
            )
        )
        lines.append(
            tr(
                "most on rank {most_rank}: {most}, imbalance {imbalance}",
                most_rank=cells["most_rank"],
                most=cells["most_seconds"],
                imbalance=cells["imbalance"],
            )
        )
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

    def listing(self) -> Table | None:
        """Return the lines."""
        return self.model.rows() if self._profile is not None else None

    def bar(self, title: str) -> DockBar:
        """Make its title bar."""
        self._bar = ProfileBar(self.session, title)
        self._bar.tell_result(self._profile)
        return self._bar


class ProfileBar(DockBar):
    """Tells how much of the time is MPI's, and chooses functions or states."""

    def __init__(self, session: Session, title: str) -> None:
        super().__init__(title)
        self._kinds = Segmented(self)
        self._kinds.chosen.connect(
            lambda name: session.change(ProfileOptions, kind=name)
        )
        self.add_control(self._kinds)
        session.subscribe(self._show, to=("analysis", ProfileOptions))
        self._show(session.state, session.state)

    def _show(self, _: State, new: State) -> None:
        self._kinds.offer(list(PROFILE_KINDS.items()), new.of(ProfileOptions).kind)
        profile = new.analysis.profile if new.analysis else None
        self._kinds.setVisible(profile is not None)

    def tell_result(self, profile: ProfileResult | None) -> None:
        """Say how much of the time is MPI's, of exactly what the table lists."""
        if profile is None:
            self.tell("")
            return
        ticks, whole = profile.mpi
        resolution = profile.request.analysis.trace.clock.resolution
        share = share_text(ticks / max(whole, 1), 0)
        second = duration_text(ticks / resolution)
        request = profile.request
        ranks = (
            f"{plural(len(request.ranks), 'selected rank')}"
            if request.ranks
            else (tr("all ranks"))
        )
        time = tr("a part of the run") if request.window else tr("the whole run")
        calls = tr("selected calls") if request.wanted else "MPI"
        more = tr(
            "{share} of the time of {ranks} in {time} is spent in {calls}: {second}",
            share=share,
            ranks=ranks,
            time=time,
            calls=calls,
            second=second,
        )
        self.tell(f"{calls[0].upper()}{calls[1:]} {share}, {second}", more)
