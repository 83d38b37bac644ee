"""The panel Communicators: which there are, in which others, and what they cost."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from topoview.base.text import grouped, plural, tr
from topoview.live.picking.picked import changes_to_pick
from topoview.live.tables.communicator_tree import communicator_tree, tree_table
from topoview.model import Analysis, Match, Table
from topoview.scene.palette import category_colours
from topoview.session import Picked, Session, State
from topoview.ui.panels.options import CommunicatorOptions
from topoview.ui.widgets.controls import DockBar, Segmented
from topoview.ui.widgets.latest_only import LatestOnly
from topoview.ui.widgets.panel import EmptyView, Panel, stacked
from topoview.ui.widgets.table import NO_TABLE, TableModel, TableView
from topoview.ui.widgets.theme import font

SHOWN: Final = (
    "name",
    "ranks",
    "shape",
    "seconds",
    "spread",
    "spread_most",
    "operations",
    "messages",
    "bytes",
)
MAX_UNFOLDED: Final = 40
"""Rows up to which all of the tree is unfolded at first."""


@dataclass(frozen=True, slots=True)
class CommunicatorsRequest:
    """What a tree is made from."""

    analysis: Analysis
    match: Match | None
    window: tuple[int, int] | None

    def tree(self, go_on: Callable[[], bool]) -> Table:
        """Make it."""
        del go_on
        return tree_table(communicator_tree(self.analysis, self.match, self.window))


class CommunicatorsPanel(Panel):
    """A tree of communicators; a click selects the members everywhere."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(session, parent)
        self._request: CommunicatorsRequest | None = None
        self._worker = LatestOnly[CommunicatorsRequest, Table](
            CommunicatorsRequest.tree, self._take
        )
        self.content = QWidget(self)
        self.content.setObjectName("page")
        self.content.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.scopes = Segmented(self.content)
        self.scopes.chosen.connect(
            lambda name: session.change(CommunicatorOptions, scope=name)
        )
        self.colour = QPushButton(tr("Colour ranks"), self.content)
        self.colour.setFont(font(12))
        self.colour.setToolTip(
            tr("Colour ranks by the smallest communicator that they share")
        )
        self.colour.clicked.connect(
            lambda: session.change(
                "scene", colouring="state" if self._coloured else "communicator"
            )
        )
        self.model = TableModel(session)
        self._colours: tuple[str, ...] = ()
        self.view = TableView(self.model, tr("Communicators"), self.content)
        self.view.chosen.connect(self._go)
        self.offer_menu(self.view)
        chips = QHBoxLayout()
        chips.setContentsMargins(10, 6, 10, 4)
        chips.addWidget(self.scopes)
        chips.addStretch(1)
        chips.addWidget(self.colour)
        self.content.setProperty("compact", True)
        rows = QVBoxLayout(self.content)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setSpacing(0)
        rows.addLayout(chips)
        rows.addWidget(self.view, 1)
        self._empty = EmptyView(self)
        self._empty.tell(
            tr("No communicators"), tr("The trace names none that has members.")
        )
        self._stack = stacked(self, self._empty, self.content)
        self._bar: DockBar | None = None
        parts = ("analysis", "match", "window", "theme", "scene", "picked")
        ended = session.subscribe(self._follow, to=(*parts, CommunicatorOptions))
        for end in (self._worker.stop, ended):
            self.destroyed.connect(end)
        self._follow(State(), session.state)

    def _follow(self, old: State, new: State) -> None:
        options, analysis = new.of(CommunicatorOptions), new.analysis
        self.scopes.offer([("run", tr("Run")), ("window", tr("Window"))], options.scope)
        words = tr("Colour by state") if self._coloured else tr("Colour ranks")
        self.colour.setText(words)
        self.colour.setEnabled(analysis is not None and analysis.trace.has_parts)
        if not self.isVisible():
            return  # asked when it is seen
        if analysis is None:
            self._request = None
            self._take(None, NO_TABLE)
            return
        window = new.window if options.scope == "window" else None
        request = CommunicatorsRequest(analysis, new.derived.match, window)
        if request != self._request:
            self._request = request
            self._worker.ask(request)
        elif old.theme != new.theme:
            self._show(self.model.table)

    @property
    def _coloured(self) -> bool:
        return self.session.state.scene.colouring == "communicator"

    def showEvent(self, event: object) -> None:  # noqa: ARG002 - Qt's name
        """Show what changed while nobody looked."""
        self._follow(self.session.state, self.session.state)

    def _take(self, request: CommunicatorsRequest | None, table: Table) -> None:
        if request == self._request:
            self._show(table)

    def _show(self, table: Table) -> None:
        """Show a tree; of another trace with many rows its roots alone at first."""
        before = self.model.table
        same = len(table) == len(before) and len(table) > 0
        same = same and list(table["name"]) == list(before["name"])
        colours = 1 + int(table["colour"].max()) if len(table) else 0
        self._colours = category_colours(max(colours, 1), self.model.theme)
        self.model.colour = self._colour if colours else None
        self.model.show(table, columns=SHOWN if len(table) else ())
        if not same:
            many = len(table) > MAX_UNFOLDED
            self.model.fold(np.flatnonzero(table["depth"] > 0).tolist() if many else ())
        self._stack.setCurrentWidget(self.content if len(table) else self._empty)
        if self._bar is not None:
            self._tell(self._bar)

    def _colour(self, row: int) -> str:
        number = int(self.model.table["colour"][row])
        return self._colours[number] if number >= 0 else self.model.theme.panel

    def _go(self, place: int) -> None:
        number = int(self.model.table["communicator"][self.model.row(place)])
        if number >= 0:
            picked = Picked("communicator", number)
            self.session.update(**changes_to_pick(self.session.state, picked))

    @property
    def settled(self) -> bool:
        """Whether what is seen is what the state asks for."""
        return not self._worker.busy

    def listing(self) -> Table | None:
        """Return a row for each node of the tree, with how deep it is."""
        table = self.model.table
        if not len(table):
            return None
        return table.select(*(name for name in table.names if name != "colour"))

    def bar(self, title: str) -> DockBar:
        """Make its title bar."""
        self._bar = DockBar(title)
        self._tell(self._bar)
        return self._bar

    def _tell(self, bar: DockBar) -> None:
        table = self.model.table
        if not len(table):
            bar.tell("")
            return
        single = table.filter(table["communicator"] >= 0)
        used = int(np.count_nonzero(single["operations"] + single["messages"]))
        bar.tell(
            tr(
                "{communicators}, {used} used",
                communicators=plural(len(single), "communicator"),
                used=grouped(used),
            )
        )
