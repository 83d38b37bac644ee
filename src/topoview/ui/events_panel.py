"""The selected rank's calls as text, around the time cursor."""

from PySide6.QtCore import QModelIndex, QSize, Qt, QTimer
from PySide6.QtGui import QAction, QGuiApplication, QKeySequence
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QWidget

from topoview.model import Trace
from topoview.session import Session, State
from topoview.ui.empty import EmptyView, stacked
from topoview.ui.events_model import TITLES, EventsModel
from topoview.ui.fonts import font
from topoview.ui.formats import grouped, plural
from topoview.ui.widgets import DockBar

FOLLOW = 60
"""Milliseconds between two steps of following a cursor that runs."""

WIDTHS = (92, 100, 34, 44, 48, 56, 40, 96, 160)
"""Of the columns; what matters most is seen in the narrowest panel."""


def listed_rank(state: State) -> int:
    """Return the rank whose calls are listed: the first selected one, else 0."""
    known = state.analysis
    if known is None:
        return -1
    chosen = [rank for rank in state.selection.ranks if rank < known.trace.ranks]
    return chosen[0] if chosen else 0


class EventsPanel(QWidget):
    """Lists the calls of a rank; follows the cursor, and a click moves it."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.model = EventsModel()
        self.view = QTableView(self)
        self.view.setModel(self.model)
        self.view.setAccessibleName("Events")
        self.view.setShowGrid(False)
        self.view.setFont(font(12))
        self.view.setWordWrap(False)
        self.view.setIconSize(QSize(8, 8))
        self.view.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.view.verticalHeader().hide()
        self.view.verticalHeader().setDefaultSectionSize(22)
        heads = self.view.horizontalHeader()
        heads.setHighlightSections(False)
        heads.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        heads.setStretchLastSection(True)
        for column, width in enumerate(WIDTHS):
            self.view.setColumnWidth(column, width)
        self.view.clicked.connect(self._go)
        self.view.activated.connect(self._go)
        copy = QAction("Copy", self.view)
        copy.setShortcut(QKeySequence.StandardKey.Copy)
        copy.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        copy.triggered.connect(self.copy)
        self.view.addAction(copy)
        self.view.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        self._empty = EmptyView(self)
        self._empty.tell("No calls", "This rank makes no MPI calls.")
        self._stack = stacked(self, self.view, self._empty)
        self._shown: tuple[Trace | None, int] = (None, -1)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(FOLLOW)
        self._timer.timeout.connect(self._point)
        session.subscribe(self._follow)
        self._follow(State(), session.state)

    def _follow(self, old: State, new: State) -> None:
        trace = new.analysis.trace if new.analysis else None
        wanted = trace, listed_rank(new)
        if wanted[0] is not self._shown[0] or wanted[1] != self._shown[1]:
            self._shown = wanted
            self.model.show(*wanted)
            some = self.view if self.model.rowCount() else self._empty
            self._stack.setCurrentWidget(some)
            self._timer.start(0)
        if old.view.theme != new.view.theme:
            self.model.paint(new.view.theme)
        if (old.mark, old.unit) != (new.mark, new.unit):
            self.model.count_from(new.mark, new.unit)
        if old.time != new.time and not self._timer.isActive():
            self._timer.start(FOLLOW)

    def _point(self) -> None:
        """Show the present call, if the panel is seen."""
        state = self._session.state
        known = state.analysis
        if known is None or not self.model.rowCount():
            return
        low, high = known.trace.calls.offsets[self.model.rank : self.model.rank + 2]
        enter = known.trace.calls.enter[low:high]
        row = int(enter.searchsorted(state.time, side="right")) - 1
        if row != self.model.now:
            self.model.point(row)
        if self.isVisible():
            hint = QAbstractItemView.ScrollHint.PositionAtCenter
            index = self.model.index(max(row, 0), 0)
            box = self.view.visualRect(index)
            height = self.view.viewport().height()
            if not (height * 0.15 < box.center().y() < height * 0.85):
                self.view.scrollTo(index, hint)

    def showEvent(self, event: object) -> None:  # noqa: ARG002, N802 - Qt's name
        """Go to the cursor when the panel is seen again."""
        self._timer.start(0)

    def _go(self, index: QModelIndex) -> None:
        """Move the cursor to a call, and the window with it if need be."""
        from topoview.analysis.navigation import following

        known = self._session.state.analysis
        if known is None:
            return
        time = self.model.enter(index.row())
        whole = 0, max(known.trace.clock.length, 1)
        window = following(self._session.state.window, time, whole)
        self._session.update(time=time, window=window, playing=False)

    def copy(self) -> None:
        """Copy the selected rows as text, columns apart by tabs."""
        rows = sorted({i.row() for i in self.view.selectionModel().selectedRows()})
        lines = ["\t".join(TITLES)]
        lines += [
            "\t".join(self.model.text(row, c) for c in range(len(TITLES)))
            for row in rows
        ]
        QGuiApplication.clipboard().setText("\n".join(lines))


class EventsBar(DockBar):
    """Tells whose calls are listed."""

    def __init__(self, session: Session, title: str) -> None:
        super().__init__(title)
        session.subscribe(self._show)
        self._show(session.state, session.state)

    def _show(self, _: State, new: State) -> None:
        rank = listed_rank(new)
        if new.analysis is None or rank < 0:
            self.tell("")
            return
        offsets = new.analysis.trace.calls.offsets
        count = int(offsets[rank + 1] - offsets[rank])
        hint = "" if new.selection.ranks else "; select another in the scene"
        self.tell(f"rank {grouped(rank)}, {plural(count, 'MPI call')}{hint}")
