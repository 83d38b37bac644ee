"""The panel Communicators: which there are, in which others, and what they cost."""

from collections.abc import Sequence
from functools import partial
from typing import Final

import numpy as np
from PySide6.QtWidgets import QPushButton, QWidget

from topoview.base.text import grouped, plural, tr
from topoview.live.tables.parts.communicator_tree import communicator_tree, tree_table
from topoview.model import Analysis, Match, Table
from topoview.scene.palette import category_colours
from topoview.session import Picked, Session, State
from topoview.ui.panels.options import RUN_OR_WINDOW, CommunicatorOptions
from topoview.ui.widgets.controls import Segmented
from topoview.ui.widgets.panel import Request, TablePanel
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
FITTING: Final = (
    "ranks",
    "seconds",
    "shape",
    "operations",
    "messages",
    "bytes",
    "spread",
    "spread_most",
)
"""Columns in the order in which a narrow panel has room for them."""

MAX_UNFOLDED: Final = 40
"""Rows up to which all of the tree is unfolded at first."""


def _tree(
    analysis: Analysis, match: Match | None, window: tuple[int, int] | None
) -> Table:
    return tree_table(communicator_tree(analysis, match, window))


class CommunicatorsPanel(TablePanel[Request[Table], Table]):
    """A tree of communicators; a click selects the members everywhere."""

    PARTS = ("analysis", "match", "window", "theme", "scene", CommunicatorOptions)
    NAME = tr("Communicators")
    COLUMNS = SHOWN
    FITTING = FITTING

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(session, parent)
        self.content.setProperty("compact", True)
        take = session.setter(CommunicatorOptions, "scope")
        self.scopes = Segmented(self.content, take)
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
        self.add_controls(self.scopes, right=(self.colour,))
        self._names: list[str] = []

    def request(self, state: State) -> Request[Table] | None:
        """Ask for the tree of the run, or of the window."""
        if state.analysis is None:
            return None
        scope = state.of(CommunicatorOptions).scope
        window = state.window if scope == "window" else None
        return Request(state.analysis, _tree, (state.derived.match, window))

    def show_result(self, result: Table) -> None:
        """Show a tree; one that has other rows, and many, with its roots alone."""
        self.show_table(result)
        names = list(result["name"]) if len(result) else []
        if names != self._names:
            self._names, many = names, len(result) > MAX_UNFOLDED
            below = np.flatnonzero(result["depth"] > 0).tolist() if many else ()
            self.model.fold(below)

    def clear(self) -> None:
        """List nothing; what comes then is folded anew."""
        super().clear()
        self._names = []

    def show_state(self, state: State) -> None:
        """Show the scope, and colours of the theme."""
        self.scopes.offer(RUN_OR_WINDOW, state.of(CommunicatorOptions).scope)
        text = tr("Colour by state") if self._coloured else tr("Colour ranks")
        self.colour.setText(text)
        self.colour.setEnabled(
            state.analysis is not None and state.analysis.trace.has_parts
        )
        colours = 1 + int(self.model.table["colour"].max()) if self._names else 0
        shades = category_colours(colours, self.model.theme)
        self.model.colour = partial(self._colour, shades) if colours else None
        self.model.refresh()

    def why_empty(self, state: State) -> tuple[str, str]:
        """Return that there are no communicators."""
        if self.result is None or len(self.result):
            return super().why_empty(state)
        return tr("No communicators"), tr("The trace names none that has members.")

    @property
    def _coloured(self) -> bool:
        return self.session.state.scene.colouring == "communicator"

    def _colour(self, shades: Sequence[str], row: int) -> str:
        number = int(self.model.table["colour"][row])
        return shades[number] if number >= 0 else self.model.theme.panel

    def choose(self, place: int) -> None:
        """Select the members of a communicator."""
        number = int(self.model.table["communicator"][self.model.row(place)])
        if number >= 0:
            self.pick(Picked("communicator", number))

    def listing(self) -> Table | None:
        """Return a row for each node of the tree, with how deep it is."""
        table = self.model.table
        if not len(table):
            return None
        return table.select(*(name for name in table.names if name != "colour"))

    def remark(self) -> tuple[str, str]:
        """Return how many communicators there are, and how many were used."""
        table = self.model.table
        if not len(table):
            return "", ""
        single = table.filter(table["communicator"] >= 0)
        used = int(np.count_nonzero(single["operations"] + single["messages"]))
        communicators = plural(len(single), "communicator")
        return tr(
            "{communicators}, {used} used",
            communicators=communicators,
            used=grouped(used),
        ), ""
