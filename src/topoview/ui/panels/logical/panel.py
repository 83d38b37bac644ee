"""The logical trace panel: one program for all ranks, and a field to filter lines."""

from PySide6.QtCore import QEvent, QModelIndex, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QVBoxLayout,
    QWidget,
)

from topoview.live.line_filter import LineFilter, parse_line_filter
from topoview.session import Session, State
from topoview.ui.panels.empty import EmptyView, stacked, why_no_logical
from topoview.ui.panels.logical.model import LogicalModel
from topoview.ui.panels.logical.view import LogicalView
from topoview.ui.panels.selection import step_occurrence
from topoview.ui.widgets.formats import plural
from topoview.ui.widgets.theme import font

SEARCH_DELAY_MILLISECONDS = 120
"""Milliseconds that the typing rests before lines are looked for."""


class LineFinder(QWidget):
    """The field; hidden until it is asked for.

    Signals
    -------
    wanted
        What is to be shown, a `LineFilter`.
    left
        The field was left.
    """

    wanted = Signal(object)
    left = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.field = QLineEdit(self)
        self.field.setPlaceholderText("Words, > 5 %, rank 0-3")
        self.field.setClearButtonEnabled(True)
        self.field.setFont(font(12))
        self.field.setAccessibleName("Find lines of the logical trace")
        self.field.setToolTip(
            "Lines that hold all words; > 5 %: those that take more of the run;\n"
            "rank 0-3: those that one of these ranks runs"
        )
        self.field.installEventFilter(self)
        self.note = QLabel(self)
        self.note.setFont(font(12))
        row = QHBoxLayout(self)
        row.setContentsMargins(6, 4, 8, 4)
        row.addWidget(self.field, 1)
        row.addWidget(self.note)
        self._rest = QTimer(self)
        self._rest.setSingleShot(True)
        self._rest.setInterval(SEARCH_DELAY_MILLISECONDS)
        self._rest.timeout.connect(self._ask)
        self.field.textChanged.connect(lambda _: self._rest.start())
        self.hide()

    def open(self) -> None:
        """Show the field and let the user type."""
        self.show()
        self.field.setFocus()
        self.field.selectAll()

    def close_up(self) -> None:
        """Hide the field and show all lines."""
        if self.isHidden():
            return
        self.hide()
        self.field.clear()
        self._rest.stop()
        self.wanted.emit(LineFilter())
        self.left.emit()

    def tell(self, hidden: int, shown: int) -> None:
        """Say how many lines are left out, or that none is left."""
        told = f"{plural(hidden, 'line')} left out" if shown else "no line found"
        self.note.setText(told if hidden else "")

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        """Esc closes the field, Enter goes on to the lines."""
        if watched is self.field and event.type() == QEvent.Type.KeyPress:
            assert isinstance(event, QKeyEvent)
            if event.key() == Qt.Key.Key_Escape:
                self.close_up()
                return True
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self._rest.stop()
                self._ask()
                self.left.emit()
                return True
        return super().eventFilter(watched, event)

    def _ask(self) -> None:
        self.wanted.emit(parse_line_filter(self.field.text()))


FOLLOW_DELAY_MILLISECONDS = 250
"""Milliseconds that the time cursor rests before the view follows the ranks."""

PLAYING_MILLISECONDS = 100
"""Milliseconds between two looks at where the ranks are while playing."""

MAX_ROWS_UNFOLDED = 400
"""Up to so many rows everything is unfolded at first."""


MIN_ROWS_FOLDED = 20_000
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
        self.finder = LineFinder(self.content)
        column = QVBoxLayout(self.content)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.finder)
        column.addWidget(self.view)
        self.finder.wanted.connect(self._filter)
        self.finder.left.connect(self.view.setFocus)
        self._stack = stacked(self, self.content, self.empty)
        self._text: tuple[str, str] | None = None
        self._wanted = LineFilter()
        self.view.clicked.connect(self._choose)
        self.view.doubleClicked.connect(self._step)
        self._rest = QTimer(self)
        self._rest.setSingleShot(True)
        self._rest.setInterval(FOLLOW_DELAY_MILLISECONDS)
        self._rest.timeout.connect(self._follow_ranks)
        self._late = QTimer(self)
        self._late.setSingleShot(True)
        self._late.setInterval(PLAYING_MILLISECONDS)
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

    def _filter(self, wanted: LineFilter) -> None:
        self._wanted = wanted
        self.model.filter(wanted)
        self._unfold_few()
        self.finder.tell(self.model.hidden, self.model.rowCount())
        self.model.mark(self._session.state.selection.edge)

    def _unfold_few(self) -> None:
        tree = self.model.tree
        if tree is not None and len(tree.nodes) <= MAX_ROWS_UNFOLDED:
            self.view.expandAll()
        elif tree is not None and len(tree.nodes) <= MIN_ROWS_FOLDED:
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
        if fresh or _shown_selection(old) != _shown_selection(new):
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
        self.told.emit(step_occurrence(self._session, 1))

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


def _shown_selection(state: State) -> tuple[object, ...]:
    """Return all of the selection that rows show."""
    chosen = state.selection
    return chosen.statement, chosen.lines, chosen.call, chosen.operation
