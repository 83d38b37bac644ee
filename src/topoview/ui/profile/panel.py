"""The panel of the profile: a table, and a bar for every rank of a line."""

from dataclasses import replace

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QLineEdit, QVBoxLayout, QWidget

from topoview.analysis.profile_rows import ProfileRow
from topoview.session import Session, State
from topoview.ui.empty import EmptyView, stacked, why_no_profile
from topoview.ui.fonts import font
from topoview.ui.formats import duration_text, percent_text
from topoview.ui.latest_only import LatestOnly
from topoview.ui.matrix.content import effective_scope
from topoview.ui.profile.content import (
    ProfileFound,
    ProfileRequest,
    chosen_names,
    find,
    request,
)
from topoview.ui.profile.model import ROW, Index, ProfileModel
from topoview.ui.profile.table import ProfileTable
from topoview.ui.rank_bars import Bars, RankBars
from topoview.ui.scope_bar import ScopeBar
from topoview.ui.widgets import DockBar, Segmented

KINDS = {"functions": "Functions", "states": "States"}
REST = 120
"""Milliseconds that the typing rests before lines are looked for."""


class ProfilePanel(QWidget):
    """Where the time goes: by MPI function or state, and over the ranks."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.model = ProfileModel(self)
        self._found: ProfileFound | None = None
        self._asked: ProfileRequest | None = None
        self._worker = LatestOnly[ProfileRequest, ProfileFound](find, self._take)
        self.content = QWidget(self)
        self.content.setObjectName("page")
        self.empty = EmptyView(self)
        self.scopes = ScopeBar(session, self.content)
        self.field = QLineEdit(self.scopes)
        self.field.setPlaceholderText("Find")
        self.field.setClearButtonEnabled(True)
        self.field.setFont(font(12))
        self.field.setMaximumWidth(150)
        self.field.setAccessibleName("Find lines of the profile")
        self.scopes.row.addWidget(self.field, 1)
        self.view = ProfileTable(session, self.model, self.content)
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
        self._rest.setInterval(REST)
        self._rest.timeout.connect(lambda: self.model.search(self.field.text()))
        self.field.textChanged.connect(lambda _: self._rest.start())
        self.view.clicked.connect(self._choose)
        self.bars.chosen.connect(lambda low, high: self._select_ranks(low, high))
        end_subscription = session.subscribe(self._show)
        for end in (self._worker.stop, end_subscription):
            self.destroyed.connect(end)
        self._show(State(), session.state)

    @property
    def settled(self) -> bool:
        """Whether what is seen is what the state asks for."""
        return not self._worker.busy

    @property
    def found(self) -> ProfileFound | None:
        """What is shown."""
        return self._found

    def _show(self, old: State, new: State) -> None:
        text = why_no_profile(new.analysis, going_on=new.opening is not None)
        if text != self._text:
            self._text = text
            self.empty.tell(*text)
            self._stack.setCurrentWidget(self.empty if text[0] else self.content)
        if _but_time(old) == _but_time(new):
            return
        asked = request(new)
        if asked is None:
            self._asked = self._found = None
            self.model.show((), 1.0)
        elif asked != self._asked:
            self._asked = asked
            self._worker.ask(asked)
        elif old.view.profiled != new.view.profiled:
            self._list()
        self._tell_chosen()

    def _take(self, asked: ProfileRequest, found: ProfileFound) -> None:
        if self._asked is None or asked.known.trace is not self._asked.known.trace:
            return
        self._found = found
        self._list()
        self._tell_chosen()

    def _list(self) -> None:
        if self._found is not None:
            clock = self._found.asked.known.trace.clock
            self.model.show(self._found.rows(self._kind()), 1 / clock.resolution)

    def _kind(self) -> str:
        """Tell what is listed: states where no function was called."""
        none = self._found is not None and not self._found.functions
        return "states" if none else self._session.state.view.profiled

    def _tell_chosen(self) -> None:
        """Mark the lines of the selection, and show how it is spread over ranks.

        Of a statement or a loop that is the time in its own calls; of all else that
        of the selected line, or of the first.
        """
        found, kind, state = self._found, self._kind(), self._session.state
        fresh = found is not None and self._asked == found.asked
        names = chosen_names(state, found if fresh else None)
        self.view.mark(names)
        rows = found.rows(kind) if found else ()
        if found is None or not rows:
            self.bars.show_bars(None)
            return
        own = [row for row in rows if row.name in names]
        row = (own or rows)[0]
        ticks, calls = found.by_rank(kind, row)
        title = row.name
        if fresh and own and found.marked is not None and kind != "states":
            ticks, calls = found.marked.ticks.sum(1), found.marked.calls.sum(1)
            title = f"{title} of the selection" if len(own) == 1 else "Selected calls"
        seconds = ticks / found.asked.known.trace.clock.resolution
        self.bars.show_bars(Bars(title, seconds, calls, row.state))

    def _choose(self, index: Index) -> None:
        """Select an operation, or bring a state out."""
        row: ProfileRow = index.data(ROW)
        state = self._session.state
        if row.calls < 0:
            focus = frozenset({row.column})
            same = state.view.focus == focus
            self._session.view(focus=frozenset() if same else focus)
            return
        wanted = "" if state.selection.operation == row.name else row.name
        self._session.choose(operation=wanted)

    def _select_ranks(self, low: int, high: int) -> None:
        chosen = self._session.state.selection
        ranks = tuple(range(low, high))
        if chosen.ranks == ranks:
            ranks = ()
        self._session.update(
            selection=replace(chosen, ranks=ranks, edge=None, call=None)
        )


def _but_time(state: State) -> tuple[object, ...]:
    return (state.analysis, state.window, state.selection, state.view)


class ProfileBar(DockBar):
    """Tells how much of the time is MPI's, and chooses functions or states."""

    def __init__(self, session: Session, title: str) -> None:
        super().__init__(title)
        self._kinds = Segmented(self)
        self._kinds.chosen.connect(lambda name: session.view(profiled=name))
        self.add_control(self._kinds)
        session.subscribe(self._show)
        self._show(session.state, session.state)

    def _show(self, _: State, new: State) -> None:
        self._kinds.offer(list(KINDS.items()), new.view.profiled)
        found = new.analysis.profile if new.analysis else None
        self._kinds.setVisible(found is not None)
        if found is None or new.analysis is None:
            self.tell("")
        elif effective_scope(new) != new.view.scope:
            self.tell("nothing is selected: the whole run")
        else:
            ticks = int(found.ticks.sum())
            whole = max(int(found.state_ticks.sum()), 1)
            second = duration_text(ticks / new.analysis.trace.clock.resolution)
            share = percent_text(ticks / whole)
            more = f"{share} of the time of all ranks is spent in MPI: {second}"
            self.tell(f"MPI {share}, {second}", more)
