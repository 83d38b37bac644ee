"""A panel with a table that is made in another thread: of any result."""

from collections.abc import Callable
from typing import Generic

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from topoview.model import Table
from topoview.session import Session, State
from topoview.ui.widgets.controls import DockBar
from topoview.ui.widgets.latest_only import LatestOnly, Request, Result
from topoview.ui.widgets.panel import EmptyView, Panel, scrolled, stacked
from topoview.ui.widgets.table import TableModel, TableView


class NumbersPanel(Panel, Generic[Request, Result]):
    """A panel whose table is made in another thread, for what a state asks for.

    Parameters
    ----------
    make
        Makes a result from what is asked; see `LatestOnly`.
    """

    def __init__(
        self,
        session: Session,
        parent: QWidget | None,
        make: Callable[[Request, Callable[[], bool]], Result],
    ) -> None:
        super().__init__(session, parent)
        self._request: Request | None = None
        self._worker = LatestOnly[Request, Result](make, self._take)
        self.content = QWidget(self)
        self.content.setObjectName("page")
        self.content.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.model = TableModel(session)
        self._empty = EmptyView(self)
        self._page = scrolled(self.content)
        self._stack = stacked(self, self._empty, self._page)
        self._bar: DockBar | None = None

    def _make_view(self, name: str) -> None:
        """Make the table, which screen readers call by its name."""
        self.view = TableView(self.model, name, self.content)
        self.view.chosen.connect(self._choose)
        self.offer_menu(self.view)

    def _begin(self, *parts: str | type) -> None:
        """Follow parts of the state, from now to the panel's end."""
        ended = self.session.subscribe(self._follow, to=parts)
        for end in (self._worker.stop, ended):
            self.destroyed.connect(end)
        self._follow(State(), self.session.state)

    def _follow(self, old: State, new: State) -> None:
        """Ask for what a state shows."""
        raise NotImplementedError

    def _take(self, request: Request, made: Result) -> None:
        """Show what was made."""
        raise NotImplementedError

    def _choose(self, place: int) -> None:
        """Go to the row at a place, which was clicked."""
        raise NotImplementedError

    def _told(self) -> str:
        """Say what the title bar says."""
        raise NotImplementedError

    def showEvent(self, event: object) -> None:  # noqa: ARG002 - Qt's name
        """Show what changed while nobody looked."""
        self._follow(self.session.state, self.session.state)

    @property
    def settled(self) -> bool:
        """Whether what is seen is what the state asks for."""
        return not self._worker.busy

    def listing(self) -> Table | None:
        """Return the rows as they are shown."""
        return self.model.rows() if len(self.model.table) else None

    def bar(self, title: str) -> DockBar:
        """Make its title bar."""
        self._bar = DockBar(title)
        self._tell()
        return self._bar

    def _tell(self) -> None:
        if self._bar is not None:
            self._bar.tell(self._told())
