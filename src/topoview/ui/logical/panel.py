"""The logical trace: one program for all ranks, and where they are in it now."""

from PySide6.QtCore import QModelIndex, QTimer, Signal
from PySide6.QtWidgets import QAbstractItemView, QVBoxLayout, QWidget

from topoview.analysis.logical.filter import Filter
from topoview.session import Session, State
from topoview.ui.empty import EmptyView, stacked, why_no_logical
from topoview.ui.instances import step_instance
from topoview.ui.logical.finder import Finder
from topoview.ui.logical.model import LogicalModel
from topoview.ui.logical.view import LogicalView

REST = 250
"""Milliseconds that the time cursor rests before the view follows the ranks."""

PLAYED = 100
"""Milliseconds between two looks at where the ranks are while playing."""

UNFOLDED = 400
"""Up to so many rows everything is unfolded at first."""


FOLDED = 20_000
"""From so many rows on everything is folded at first."""


class LogicalPanel(QWidget):
    """Shows the logical trace; a click selects a statement, a loop, a condition.

    A double click goes to the next time that it is run.

    Signals
    -------
    told
        What the user should know: where a step has led.
    """

    told = Signal(str)

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.model = LogicalModel(self)
        self.view = LogicalView(session, self.model, self)
        self.empty = EmptyView(self)
        self.content = QWidget(self)
        self.finder = Finder(self.content)
        column = QVBoxLayout(self.content)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.finder)
        column.addWidget(self.view)
        self.finder.wanted.connect(self._filter)
        self.finder.left.connect(self.view.setFocus)
        self._stack = stacked(self, self.content, self.empty)
        self._text: tuple[str, str] | None = None
        self._wanted = Filter()
        self.view.clicked.connect(self._choose)
        self.view.doubleClicked.connect(self._step)
        self._rest = QTimer(self)
        self._rest.setSingleShot(True)
        self._rest.setInterval(REST)
        self._rest.timeout.connect(self._follow_ranks)
        self._late = QTimer(self)
        self._late.setSingleShot(True)
        self._late.setInterval(PLAYED)
        self._late.timeout.connect(self._catch_up)
        session.subscribe(self._show)
        self._show(State(), session.state)

    def unfold(self, everything: bool) -> None:
        """Unfold or fold all loops."""
        if everything:
            self.view.expandAll()
        else:
            self.view.collapseAll()

    def open_finder(self) -> None:
        """Let the user type what to show."""
        self.finder.open()

    def _filter(self, wanted: Filter) -> None:
        self._wanted = wanted
        self.model.filter(wanted)
        self._unfold_few()
        self.finder.tell(self.model.hidden, self.model.rowCount())
        self.model.mark(self._session.state.selection.edge)

    def _unfold_few(self) -> None:
        tree = self.model.tree
        if tree is not None and len(tree.nodes) <= UNFOLDED:
            self.view.expandAll()
        elif tree is not None and len(tree.nodes) <= FOLDED:
            self.view.expandToDepth(0)

    def _show(self, old: State, new: State) -> None:
        before = old.analysis.logical if old.analysis else None
        after = new.analysis.logical if new.analysis else None
        text = why_no_logical(new.analysis, going_on=new.opening is not None)
        if text != self._text:
            self._text = text
            self.empty.tell(*text)
            self._stack.setCurrentWidget(self.empty if text[0] else self.content)
        fresh = before is not after
        if fresh:
            self.model.show(new.analysis)
            self.finder.close_up()
            self._unfold_few()
        repaint = self._measure(old, new)
        repaint = repaint or fresh or old.view.theme != new.view.theme
        if fresh or old.selection.edge != new.selection.edge:
            self.model.mark(new.selection.edge)
            repaint = True
        if fresh or old.time != new.time or old.selection.ranks != new.selection.ranks:
            self._move(new, fresh)
        if fresh or _told(old) != _told(new):
            self.model.choose(new.selection)
            self._reveal(new)
            self._rest.stop()  # what was stepped to stays in sight
            repaint = True
        if repaint:
            self.view.viewport().update()

    def _move(self, new: State, fresh: bool) -> None:
        """Count where the ranks are.

        While playing it is done some times a second: numbers that change in every
        frame cannot be read, and it is a search for every rank.
        """
        if new.playing and not fresh:
            if not self._late.isActive():
                self._late.start()
            return
        self._late.stop()
        self._count(new, fresh=fresh)

    def _catch_up(self) -> None:
        self._count(self._session.state)

    def _count(self, state: State, *, fresh: bool = False) -> None:
        if self.model.move(state.time, state.selection.ranks):
            if not fresh:  # which is painted anew as a whole
                self.view.repaint_moved()
            if not state.playing:
                self._rest.start()

    def _measure(self, old: State, new: State) -> bool:
        """Take the figures when they are there; tells whether they are new."""
        before = old.analysis.measured if old.analysis else None
        after = new.analysis.measured if new.analysis else None
        if before is not after:
            self.model.measure(after)
            if self._wanted:
                self._filter(self._wanted)
        return before is not after

    def _follow_ranks(self) -> None:
        """Scroll to where most ranks are, unless half of them are in sight."""
        best: tuple[int, QModelIndex] | None = None
        inside = in_sight = 0
        index = self.model.index(0, 0)
        area = self.view.viewport().rect()
        while index.isValid():
            node = self.model.node(index)
            here = self.model.ranks.here(node)
            if here and (node.call or not self.view.isExpanded(index)):
                inside += here
                if area.contains(self.view.visualRect(index)):
                    in_sight += here
                if best is None or here > best[0]:
                    best = here, index
            index = self.view.indexBelow(index)
        if best is not None and 2 * in_sight < inside:
            middle = QAbstractItemView.ScrollHint.PositionAtCenter
            self.view.scrollTo(best[1], middle)

    def _choose(self, index: QModelIndex) -> None:
        """Select what a row stands for, or no longer; ranks stay selected."""
        chosen, wanted = self._session.state.selection, self.model.selection_of(index)
        if all(getattr(chosen, name) == value for name, value in wanted.items()):
            wanted = {}
        elif self.model.node(index).kind == "use":
            self._show_block(index)
        self._session.choose(**wanted)

    def _step(self, index: QModelIndex) -> None:
        """Go to the next time that a row is run."""
        wanted = self.model.selection_of(index)
        chosen = self._session.state.selection
        if any(getattr(chosen, name) != value for name, value in wanted.items()):
            self._session.choose(**wanted)
        self.told.emit(step_instance(self._session, 1))

    def _show_block(self, index: QModelIndex) -> None:
        head = self.model.block_of(index)
        if head.isValid():
            self.view.expand(head)
            top = QAbstractItemView.ScrollHint.PositionAtTop
            self.view.scrollTo(head, top)
            self.view.setCurrentIndex(head)

    def _reveal(self, state: State) -> None:
        """Show the row of what is selected."""
        index = self.model.index_of_selection(state.selection)
        if index.isValid():
            self.view.scrollTo(index)
            self.view.setCurrentIndex(index)


def _told(state: State) -> tuple[object, ...]:
    """Return all of the selection that rows show."""
    chosen = state.selection
    return chosen.statement, chosen.lines, chosen.call, chosen.operation
