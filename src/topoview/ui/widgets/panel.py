"""Panels: what a dock holds, and the one that asks for what it shows."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from PySide6.QtCore import QPoint, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget
from shiboken6 import isValid

from topoview.base.text import tr
from topoview.model import Analysis, Table
from topoview.session import Picked, Selection, Session, State
from topoview.ui.widgets.controls import DockBar, follow
from topoview.ui.widgets.formats import moment_text
from topoview.ui.widgets.latest_only import LatestOnly
from topoview.ui.widgets.layouts import (
    bare_column,
    filled,
    new_label,
    scrolled,
    stacked,
    styled,
)
from topoview.ui.widgets.table import NO_TABLE, TableModel, TableView
from topoview.ui.widgets.theme import font

MenuEntries = tuple[tuple[str, Callable[[], object]], ...]


@dataclass(frozen=True, slots=True)
class PointedThing:
    """What a context menu is about."""

    title: str = ""
    """What it is called; empty: nothing that has a name."""
    own: MenuEntries = ()
    """Texts of entries that only this place has, and what they do; an empty text is a
    separator."""


class Panel(QWidget):
    """What a dock holds."""

    message = Signal(str)
    """What the user should know."""
    menu_asked = Signal(object, QPoint)
    """The user wants the context menu: of which `PointedThing`, where on the screen."""
    filled = Signal()
    """There is something to see now."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.session = session

    def bar(self, title: str) -> DockBar:
        """Create its title bar."""
        return DockBar(title)

    def take_keyboard(self) -> None:
        """Move the keyboard to the field where one types, if there is one.

        Not by a focus proxy: Tab that comes to the panel would go back to the field.
        """
        self.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def listing(self) -> Table | None:
        """Return the table that it shows; None if it shows none, or nothing yet."""
        return None

    def pick(self, picked: Picked) -> None:
        """Select a thing in all panels."""
        from topoview.live.picking.picked import changes_to_pick  # loads SciPy

        self.session.update(**changes_to_pick(self.session.state, picked))

    def paint_at(self, painter: QPainter, size: QSize) -> None:
        """Paint it in another size, for a picture: it is laid out for that size."""
        before = self.size()
        self.resize(size)
        for widget in (self, *self.findChildren(QWidget)):
            layout = widget.layout()
            if layout is not None:
                layout.activate()
        self.render(painter, QPoint())
        self.resize(before)

    @property
    def settled(self) -> bool:
        """Whether what is seen is what the state asks for."""
        return True


class EmptyView(QWidget):
    """A title and a sentence in the middle of a panel."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        styled(self, "page")
        self.title = new_label(self, look=font(13, 600))
        self.text = new_label(self, look=font(12, plain=True), dim=True, wraps=True)
        self.rows = filled(QVBoxLayout(self), 2, margins=(24, 16, 24, 16), spacing=4)
        for label in (self.title, self.text):
            label.setTextFormat(Qt.TextFormat.PlainText)  # names may look like HTML
            label.setAlignment(Qt.AlignmentFlag.AlignHCenter)
            self.rows.addWidget(label)
        self.rows.addStretch(3)

    def add_button(self, button: QWidget) -> None:
        """Put a button below the sentence."""
        place = self.rows.count() - 1
        self.rows.insertWidget(place, button, 0, Qt.AlignmentFlag.AlignCenter)

    def tell(self, title: str, text: str) -> None:
        """Show a title and a sentence."""
        self.title.setText(title)
        self.text.setText(text)


class OfAnalysis(Protocol):
    """What a panel asks for: frozen, and equal ones are answered alike."""

    @property
    def analysis(self) -> Analysis:
        """Return the analysis that the request is about."""


Asked = TypeVar("Asked", bound=OfAnalysis)
Result = TypeVar("Result")
GoOn = Callable[[], bool]


@dataclass(frozen=True, slots=True)
class Request(Generic[Result]):
    """Asks for what a function makes of an analysis."""

    analysis: Analysis
    make: Callable[..., Result]
    """Called in a thread with the analysis and `further`."""
    further: tuple[Hashable, ...] = ()
    """What it takes besides."""

    def answer(self, _: GoOn) -> Result:
        """Call the function."""
        return self.make(self.analysis, *self.further)


def _answer(request: Any, go_on: GoOn) -> Any:  # noqa: ANN401 - as the request says
    return request.answer(go_on)


class AskingPanel(Panel, Generic[Asked, Result]):
    """A panel that asks for what it shows, in another thread.

    A panel says what a state asks for (`request`), shows the answer (`show_result`)
    and what else the state says (`show_state`), and tells why there is nothing to see
    (`why_empty`) and what stands in its title bar (`remark`). The rest is done here. It
    asks only while somebody sees it. An answer is shown though something else has been
    asked for since, as long as that is of the same trace: while one drags, old pictures
    are nearer to what is wanted than none.
    """

    PARTS: ClassVar[tuple[str | type, ...]] = ("analysis", "opening", "theme")
    """Parts of the state that it shows."""

    SCROLLS: ClassVar[bool] = False
    """Whether its content can be scrolled where it is too low for it."""

    HEIGHT: ClassVar[int] = 420
    """Pixels in a window of 1280x800."""

    def __init__(
        self,
        session: Session,
        parent: QWidget | None = None,
        answer: Callable[[Asked, GoOn], Result] = _answer,
    ) -> None:
        """Begin to follow the session.

        Parameters
        ----------
        answer
            Answers requests in a thread, see `LatestOnly`; by default their own method
            `answer`.
        """
        super().__init__(session, parent)
        self.requested: Asked | None = None
        """What was asked for last; None while nothing can be."""
        self.answered: Asked | None = None
        self.result: Result | None = None
        """`answered` and `result`: what is shown: what it was asked by, and itself."""
        self.content = QWidget(self)
        styled(self.content, "page")
        self.column = bare_column(self.content)
        self._control_rows = 0
        self.empty = EmptyView(self)
        below = QWidget(self)
        self._page = scrolled(self.content) if self.SCROLLS else self.content
        self._stack = stacked(below, self._page, self.empty)
        self._whole = bare_column(self, (below, 1))
        self.dock_bar = DockBar()
        self._answer = answer
        self._worker = LatestOnly[Asked, Result](answer, self._take)
        self.destroyed.connect(self._worker.stop)
        follow(self, session, self._follow, self.PARTS)

    # What a panel says

    def request(self, state: State) -> Asked | None:
        """Return what a state asks for; None for nothing, or as long as it cannot."""
        raise NotImplementedError

    def show_result(self, result: Result) -> None:
        """Show another result."""

    def clear(self) -> None:
        """Show no result: that of before is of another trace."""

    def show_state(self, state: State) -> None:
        """Show what a state says beside, or about, the result."""

    def why_empty(self, state: State) -> tuple[str, str]:
        """Return title and sentence where there is nothing to see, else empty texts."""
        if state.analysis is None:
            return tr("No trace"), tr("Open one to see this.")
        return "", ""

    def remark(self) -> tuple[str, str]:
        """Return what the title bar says, and more of it when it is pointed at."""
        return "", ""

    def is_quick(self, _: Asked) -> bool:
        """Return whether a request is answered at once: within a frame."""
        return False

    def fits(self, request: Asked) -> bool:
        """Return whether the answer to a request is still worth showing."""
        wanted = self.requested
        if wanted is None or request.analysis.trace is not wanted.analysis.trace:
            return False
        return request == wanted or self.answered != wanted

    def further(self, _: Result) -> Asked | None:
        """Return what completes a result that was shown in part; None: it is whole."""
        return None

    # What is done for all of them

    def head(self) -> QVBoxLayout:
        """Add room above that is seen also where there is nothing else to see."""
        above = QWidget(self)
        styled(above, "page")
        self._whole.insertWidget(0, above)
        return bare_column(above)

    def add_controls(
        self, *left: QWidget, right: Sequence[QWidget] = (), always: bool = False
    ) -> None:
        """Add a row of controls above the content, seen with it or `always`."""
        row = filled(QHBoxLayout(), margins=(10, 6, 10, 4))
        for widget in left:
            row.addWidget(widget)
        row.addStretch(1)
        for widget in right:
            row.addWidget(widget)
        if always:
            self.head().addLayout(row)
        else:
            self.column.insertLayout(self._control_rows, row)
            self._control_rows += 1

    def ask(self) -> None:
        """Ask for what the state wants now, if anybody sees it."""
        if not self.isVisible():
            return
        request = self.request(self.session.state)
        if request is None:
            self.requested = None
            self._forget()
        elif request != self.requested:
            self.requested = request
            if self.is_quick(request):
                self._take(request, self._answer(request, lambda: True))
                return
            self._worker.ask(request)
        self._show()

    def _follow(self, _: State, new: State) -> None:
        trace = new.trace
        if self.answered is not None and self.answered.analysis.trace is not trace:
            self._forget()
        self.ask()

    def _forget(self) -> None:
        if self.answered is not None:
            self.answered = self.result = None
            self.clear()

    def _take(self, request: Asked, result: Result) -> None:
        if not self.fits(request):
            return
        self.answered, self.result = request, result
        self.show_result(result)
        self._show()
        self.filled.emit()
        rest = self.further(result)
        if rest is not None:
            self._worker.ask(rest)

    def _show(self) -> None:
        state = self.session.state
        self.show_state(state)
        title, text = self.why_empty(state)
        if title:
            self.empty.tell(title, text)
        self._stack.setCurrentWidget(self.empty if title else self._page)
        if isValid(self.dock_bar):  # the dock may go first
            self.dock_bar.tell(*self.remark())

    def showEvent(self, event: QShowEvent) -> None:
        """Show what changed while nobody looked."""
        super().showEvent(event)
        self.ask()

    def sizeHint(self) -> QSize:
        """Return the size in a window of 1280x800."""
        return QSize(388, self.HEIGHT)

    @property
    def settled(self) -> bool:
        """Whether what is seen is what the state asks for."""
        return not self._worker.busy

    def bar(self, title: str) -> DockBar:
        """Return its title bar."""
        self.dock_bar.rename(title)
        return self.dock_bar


class TablePanel(AskingPanel[Asked, Result]):
    """A panel of a table: by default of that which is its result."""

    NAME: ClassVar[str]
    """What screen readers call the table."""

    COLUMNS: ClassVar[Sequence[str]] = ()
    """Columns that are shown; all if empty."""

    FITTING: ClassVar[Sequence[str]] = ()
    """Columns that matter most, see `TableView`."""

    SORTED: ClassVar[str] = ""
    """Column by which rows are sorted at first, the greatest first."""

    VIEW: ClassVar[type[TableView]] = TableView
    """What shows the table."""

    APART: ClassVar[bool] = False
    """Whether pages of a lazy table are made in a thread."""

    def __init__(
        self,
        session: Session,
        parent: QWidget | None = None,
        answer: Callable[[Asked, GoOn], Result] = _answer,
    ) -> None:
        super().__init__(session, parent, answer)
        self.model = TableModel(session, apart=self.APART, sorted_by=self.SORTED)
        self.view = self.VIEW(
            self.model, self.NAME, self.content, sort=self.sort_by, fitting=self.FITTING
        )
        self._went: tuple[Selection, Picked] | None = None
        self.view.chosen.connect(self._go)
        follow(self, session, self._leave, to=("selection", "picked"))
        follow(self, session, self._write_times, to=("unit", "time_zero", "window"))
        self.view.customContextMenuRequested.connect(self.ask_menu)
        self.column.addWidget(self.view, 1)

    def _go(self, place: int) -> None:
        self._went = None
        self.choose(place)
        self._went = self.session.state.selection, self.session.state.picked

    def _write_times(self, old: State, new: State) -> None:
        """Write times anew where they look different, in columns as wide as that."""
        looks = [
            (state.unit, state.time_zero, moment_text(0.0, state))
            for state in (old, new)
        ]
        if looks[0] != looks[1]:
            self.model.refresh()
            self.view.fit()

    def _leave(self, _: State, new: State) -> None:
        """Light no row whose thing is not selected any more: something else is."""
        if self._went is not None and self._went != (new.selection, new.picked):
            self._went = None
            self.view.clearSelection()

    def sort_by(self, name: str) -> None:
        """Sort by a column whose title was clicked."""
        self.model.sort_by(name)

    def choose(self, place: int) -> None:
        """Go to the row at a place, which was clicked: to what its first cell names."""
        column = self.model.names.index(self.model.lead)
        if picked := self.view.link(self.model.index(place, column)):
            self.pick(picked)

    def menu_entries(self) -> MenuEntries:
        """Return what the menu of a row has besides."""
        return ()

    def ask_menu(self, at: QPoint) -> None:
        """Ask for the context menu of the row at a place of the view."""
        index, view = self.view.indexAt(at), self.view
        title, entries = "", self.menu_entries()
        if index.isValid():
            place, picked = index.row(), view.link(index)
            title = view.title(place)
            if picked:
                kind, number = tr(picked.kind), picked.number
                text = tr("Select {thing} {number}", thing=kind, number=number)
                entries += ((text, lambda: self.pick(picked)),)
            entries += ((tr("Copy lines"), lambda: view.copy([place])),)
        thing = PointedThing(title, entries)
        self.menu_asked.emit(thing, view.viewport().mapToGlobal(at))

    def show_result(self, result: Result) -> None:
        """Show the result, if it is a table."""
        if isinstance(result, Table):
            self.show_table(result)

    def show_table(self, table: Table, *, signed: bool = False) -> None:
        """Show another table, or draw the same one anew; numbers may be `signed`."""
        if table is self.model.table and signed == self.model.signed:
            self.model.refresh()
        else:
            there = [name for name in self.COLUMNS if name in table.names]
            self.model.show(table, columns=there, signed=signed)

    def clear(self) -> None:
        """List nothing."""
        self.model.show(NO_TABLE)

    def listing(self) -> Table | None:
        """Return the rows as they are shown."""
        return self.model.rows() if len(self.model.table) else None
