"""The logical trace panel: one program for all ranks, and a field to filter lines."""

from PySide6.QtCore import QEvent, QModelIndex, QObject, QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractItemView, QHBoxLayout, QLineEdit, QWidget

from topoview.base.text import plural, share_text, tr
from topoview.live.picking.line_filter import LineFilter, parse_line_filter
from topoview.model import LogicalTrace, Table
from topoview.session import Session, State
from topoview.ui.panels.empty import why_no_logical
from topoview.ui.panels.logical.model import LogicalModel
from topoview.ui.panels.logical.view import LogicalView, row_thing
from topoview.ui.panels.options import LogicalOptions
from topoview.ui.panels.selected_calls import step_occurrence
from topoview.ui.widgets.controls import follow, takes_escape
from topoview.ui.widgets.layouts import filled, new_label
from topoview.ui.widgets.panel import AskingPanel, OfAnalysis
from topoview.ui.widgets.theme import font

SEARCH_DELAY_MILLISECONDS = 120
"""Milliseconds that the typing rests before lines are looked for."""


class LineFinder(QWidget):
    """The field; hidden until it is asked for."""

    wanted = Signal(object)
    """What is written in the field; None: it is to be closed."""
    left = Signal()
    """The field was left."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.field = QLineEdit(self)
        self.field.setPlaceholderText(tr("Words, > 5 %, rank 0-3"))
        self.field.setClearButtonEnabled(True)
        self.field.setFont(font(12))
        self.field.setAccessibleName(tr("Find lines of the logical trace"))
        self.field.setToolTip(
            tr(
                "Lines that hold all words; > 5 %: those that take more of the run;\n"
                "rank 0-3: those that one of these ranks runs"
            )
        )
        self.field.installEventFilter(self)
        self.note = new_label(self, look=font(12))
        filled(QHBoxLayout(self), (self.field, 1), self.note, margins=(6, 4, 8, 4))
        self._rest = QTimer(self, singleShot=True, interval=SEARCH_DELAY_MILLISECONDS)
        self._rest.timeout.connect(self._ask)
        self.field.textChanged.connect(lambda _: self._rest.start())
        self.hide()

    def show_text(self, text: str | None) -> None:
        """Show what is looked for; None hides the field."""
        if text is not None and text != self.field.text():
            self.field.setText(text)
        elif text is None:
            self._rest.stop()
            self.field.clear()
            self._rest.stop()
        self.setHidden(text is None)

    def tell(self, hidden: int, shown: int) -> None:
        """Show how many lines are left out, or that none is left."""
        message = (
            tr("{lines} left out", lines=plural(hidden, "line"))
            if shown
            else tr("no line found")
        )
        self.note.setText(message if hidden else "")

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Esc closes the field, Enter goes on to the lines."""
        if watched is self.field and takes_escape(event):
            return True
        if watched is self.field and event.type() == QEvent.Type.KeyPress:
            assert isinstance(event, QKeyEvent)
            if event.key() == Qt.Key.Key_Escape:
                self.wanted.emit(None)
                self.left.emit()
                return True
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self._rest.stop()
                self._ask()
                self.left.emit()
                return True
        return super().eventFilter(watched, event)

    def _ask(self) -> None:
        self.wanted.emit(self.field.text())


FOLLOW_DELAY_MILLISECONDS = 250
"""Milliseconds that the time cursor rests before the view follows the ranks."""

PLAYING_MILLISECONDS = 100
"""Milliseconds between two looks at where the ranks are while playing."""

MAX_ROWS_UNFOLDED = 400
"""Up to so many rows everything is unfolded at first."""


MIN_ROWS_FOLDED = 20_000
"""From so many rows on everything is folded at first."""


SHOWN_PARTS = (
    "analysis",
    "opening",
    "selection",
    "time",
    "playing",
    "theme",
    LogicalOptions,
)
"""Parts of the state that the logical trace shows."""


class LogicalPanel(AskingPanel[OfAnalysis, None]):
    """Shows the logical trace; a click selects a statement, a loop, a condition.

    A double click goes to the next time that it is run.

    All of it is there with the analysis: it asks for nothing.
    """

    PARTS = ("analysis", "opening")

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(session, parent)
        self.model = LogicalModel(self)
        self.view = LogicalView(session, self.model, self)
        self.finder = LineFinder(self.content)
        self.column.addWidget(self.finder)
        self.column.addWidget(self.view)
        self.finder.wanted.connect(session.setter(LogicalOptions, "finding"))
        self.finder.left.connect(self.view.setFocus)
        self._wanted = LineFilter()
        self.view.clicked.connect(self._choose)
        self.view.doubleClicked.connect(self._step)
        self.view.customContextMenuRequested.connect(self._ask_menu)
        self._rest = QTimer(self, singleShot=True, interval=FOLLOW_DELAY_MILLISECONDS)
        self._rest.timeout.connect(self._follow_ranks)
        self._late = QTimer(self, singleShot=True, interval=PLAYING_MILLISECONDS)
        self._late.timeout.connect(self._catch_up)
        self._turned: set[int] = set()
        self._folds: object = (None, frozenset())
        self._turning = QTimer(self, singleShot=True, interval=0)
        self._turning.timeout.connect(self._keep_turned)
        for turned in (self.view.expanded, self.view.collapsed):
            turned.connect(self._turn)
        follow(self, session, self._change, to=SHOWN_PARTS)
        self._change(State(), session.state)

    def request(self, state: State) -> None:
        """Ask for nothing."""

    def why_empty(self, state: State) -> tuple[str, str]:
        """Return why there is no logical trace."""
        return why_no_logical(state.analysis, going_on=state.opening is not None)

    def remark(self) -> tuple[str, str]:
        """Return what the logical trace leaves out."""
        analysis = self.session.state.analysis
        if analysis is None or analysis.logical is None:
            return "", ""
        return _excluded_text(analysis.logical), "\n".join(analysis.logical.notes)

    def _filter(self, wanted: LineFilter) -> None:
        self._wanted = wanted
        self.model.filter(wanted)
        self._fold(self.session.state.of(LogicalOptions))
        self.finder.tell(self.model.hidden, self.model.rowCount())
        self.model.mark(self.session.state.selection.edge)

    def _fold(self, options: LogicalOptions) -> None:
        """Open the rows that the state says."""
        tree, view = self.model.tree, self.view
        view.blockSignals(True)
        if tree is not None:
            rows = len(tree.nodes) - tree.inside
            if options.folded or (options.folded is None and rows > MIN_ROWS_FOLDED):
                view.collapseAll()
            elif options.folded is None and rows > MAX_ROWS_UNFOLDED:
                view.collapseAll()
                view.expandToDepth(0)
            else:
                view.expandAll()
            if options.folded is None:
                at_top = rows > MAX_ROWS_UNFOLDED
                for index in self.model.indexes_folded(at_top=at_top):
                    view.collapse(index)
            for index in self.model.indexes_of(options.turned):
                view.setExpanded(index, not view.isExpanded(index))
        view.blockSignals(False)

    def _turn(self, index: QModelIndex) -> None:
        """Note a row that the user has folded or unfolded."""
        self._turned ^= {self.model.node(index).line}
        self._turning.start()

    def _keep_turned(self) -> None:
        """Keep rows that were folded or unfolded; many may be at once."""
        turned, self._turned = self._turned, set()
        before = self.session.state.of(LogicalOptions).turned
        now = before ^ turned
        self._folds = (self.session.state.of(LogicalOptions).folded, now)
        self.session.change(LogicalOptions, turned=now)

    def _change(self, old: State, new: State) -> None:
        before = old.analysis.logical if old.analysis else None
        after = new.analysis.logical if new.analysis else None
        fresh = before is not after
        options, was = new.of(LogicalOptions), old.of(LogicalOptions)
        if fresh:
            self.model.show(new.analysis)
        folds = (options.folded, options.turned)
        if options.finding != was.finding or fresh:
            self.finder.show_text(options.finding)
            self._filter(parse_line_filter(options.finding or ""))
        elif folds != self._folds:
            self._fold(options)
        self._folds = folds
        repaint = self._measure(old, new)
        waits = _waits_of(new)
        if not fresh and waits != _waits_of(old):
            self.model.take_waits(new.analysis)
            repaint = True
        repaint = repaint or fresh or old.theme != new.theme
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
        self._count(self.session.state)

    def _count(self, state: State, *, fresh: bool = False) -> None:
        if self.model.move(state.time, state.selection.ranks):
            if not fresh:  # which is painted anew as a whole
                self.view.repaint_moved()
            if not state.playing:
                self._rest.start()

    def _measure(self, old: State, new: State) -> bool:
        """Show the figures when they are there; return whether they are new."""
        before = old.analysis.measured if old.analysis else None
        after = new.analysis.measured if new.analysis else None
        if before is not after:
            self.model.measure(after)
            if self._wanted:
                self._filter(self._wanted)
        return before is not after

    def _follow_ranks(self) -> None:
        """Scroll to where most ranks are, unless half of them are in sight."""
        ranks: dict[int, int] = {}  # by the rows that stand for their statements
        for statement, count in self.model.ranks.occupied():
            row = self.model.index_of(statement)
            above = row.parent()
            while above.isValid():
                if not self.view.isExpanded(above):
                    row = above
                above = above.parent()
            if row.isValid():
                number = row.internalId()
                ranks[number] = ranks.get(number, 0) + count
        if not ranks:
            return
        area = self.view.viewport().rect()
        in_sight = sum(
            count
            for number, count in ranks.items()
            if area.contains(self.view.visualRect(self.model.index_of_node(number)))
        )
        if 2 * in_sight < sum(ranks.values()):
            most = min(ranks, key=lambda number: (-ranks[number], number))
            middle = QAbstractItemView.ScrollHint.PositionAtCenter
            self.view.scrollTo(self.model.index_of_node(most), middle)

    def _choose(self, index: QModelIndex) -> None:
        """Select what a row stands for, or no longer; ranks stay selected."""
        chosen, wanted = self.session.state.selection, self.model.selection_of(index)
        if all(getattr(chosen, name) == value for name, value in wanted.items()):
            wanted = {}
        elif self.model.node(index).kind == "use":
            self._show_block(index)
        self.session.choose(**wanted)

    def _step(self, index: QModelIndex) -> None:
        """Go to the next time that a row is run."""
        wanted = self.model.selection_of(index)
        chosen = self.session.state.selection
        if any(getattr(chosen, name) != value for name, value in wanted.items()):
            self.session.choose(**wanted)
        self.message.emit(step_occurrence(self.session, 1))

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

    def take_keyboard(self) -> None:
        """Move the keyboard to the field of the finder."""
        self.finder.field.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def listing(self) -> Table | None:
        """Return the lines of the listing with their times."""
        return self.model.listing()

    def _ask_menu(self, at: QPoint) -> None:
        thing = row_thing(self.view, self.model, at)
        self.menu_asked.emit(thing, self.view.viewport().mapToGlobal(at))


def _waits_of(state: State) -> tuple[int, ...]:
    """Return which results about waits a state has."""
    analysis = state.analysis
    return () if analysis is None else (id(analysis.wait_sums), id(analysis.delays))


def _shown_selection(state: State) -> tuple[object, ...]:
    """Return all of the selection that rows show."""
    chosen = state.selection
    return chosen.statement, chosen.lines, chosen.call, chosen.operation


def _excluded_text(logical: LogicalTrace) -> str:
    if not logical.statements:
        return ""
    if not logical.calls_excluded and not logical.bytes_excluded:
        return tr(
            "{statements}, all calls covered",
            statements=plural(logical.listed, "statement"),
        )
    return tr(
        "without {calls_excluded} of calls, {bytes_excluded} of bytes",
        calls_excluded=share_text(logical.calls_excluded, 0),
        bytes_excluded=share_text(logical.bytes_excluded, 0),
    )
