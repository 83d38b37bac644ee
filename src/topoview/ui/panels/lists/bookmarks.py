"""The panel Bookmarks: places and notes that the user keeps, in order of time."""

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import (
    QHeaderView,
    QInputDialog,
    QTableView,
    QWidget,
)

from topoview.base.text import plural, tr
from topoview.live.picking.navigation import following
from topoview.session import (
    Bookmark,
    Note,
    Selection,
    Session,
    State,
    kept_notes,
    renamed_bookmarks,
)
from topoview.ui.panels.empty import EmptyView, stacked
from topoview.ui.panels.table import Panel
from topoview.ui.widgets.controls import DockBar, column_header, prepare_table
from topoview.ui.widgets.formats import exact_time_text

Index = QModelIndex | QPersistentModelIndex
Role = Qt.ItemDataRole

COLUMN_TITLES = (tr("name"), tr("about"), tr("time"))
NOTHING_KEPT = (
    tr("No bookmarks, no notes"),
    tr(
        "Ctrl+B keeps this time and selection, Ctrl+N pins a note to the selected rank."
    ),
)


def kept_places(state: State) -> list[Bookmark | Note]:
    """List bookmarks and notes in order of time."""
    return sorted((*state.bookmarks, *state.notes), key=lambda kept: kept.time)


def changes_to_place(state: State, kept: Bookmark | Note) -> dict[str, object]:
    """Return what changes when a bookmark or the place of a note is shown."""
    assert state.analysis is not None
    if isinstance(kept, Bookmark):
        return {
            "time": kept.time,
            "window": kept.window,
            "selection": kept.selection,
            "picked": kept.picked,
            "playing": False,
        }
    whole = 0, max(state.analysis.trace.clock.length, 1)
    return {
        "time": kept.time,
        "window": following(state.window, kept.time, whole),
        "selection": Selection(ranks=(kept.rank,)),
        "playing": False,
    }


class KeptModel(QAbstractTableModel):
    """Bookmarks and notes, a row each."""

    def __init__(self) -> None:
        super().__init__()
        self._state = State()
        self.kept: list[Bookmark | Note] = []

    def show(self, state: State) -> None:
        """List those of a state."""
        self.beginResetModel()
        self._state = state
        self.kept = kept_places(state) if state.analysis else []
        self.endResetModel()

    def rowCount(self, parent: Index | None = None) -> int:
        """Count them."""
        return 0 if parent is not None and parent.isValid() else len(self.kept)

    def columnCount(self, parent: Index | None = None) -> int:
        """Count the columns."""
        return 0 if parent is not None and parent.isValid() else len(COLUMN_TITLES)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Role.DisplayRole
    ) -> object:
        """Give a column's title."""
        if role == Role.TextAlignmentRole and section < 2:
            return Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        return column_header(COLUMN_TITLES, section, orientation, role)

    def data(self, index: Index, role: int = Role.DisplayRole) -> object:
        """Give what a cell says, and how."""
        if role in (Role.DisplayRole, Role.ToolTipRole):
            return self.text(index.row(), index.column())
        if role == Role.TextAlignmentRole and index.column() == 2:
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        return None

    def text(self, row: int, column: int) -> str:
        """Write a cell."""
        kept, state = self.kept[row], self._state
        assert state.analysis is not None
        if column == 2:
            clock = state.analysis.trace.clock
            return exact_time_text(kept.time, state.time_zero, clock, state.unit)
        if isinstance(kept, Note):
            return kept.text if column == 0 else tr("note, rank {rank}", rank=kept.rank)
        if column == 0:
            return kept.name
        count = len(kept.selection.ranks)
        if count == 1:
            return tr("rank {rank}", rank=kept.selection.ranks[0])
        return plural(count, "rank") if count else ""


class BookmarksPanel(Panel):
    """Lists bookmarks and notes: a click goes there, F2 edits, Delete removes."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(session, parent)
        self.model, self.view = KeptModel(), QTableView(self)
        prepare_table(self.view, self.model, tr("Bookmarks"))
        self.view.setWordWrap(False)
        heads = self.view.horizontalHeader()
        heads.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self.view.clicked.connect(self.go)
        self.view.activated.connect(self.go)
        for text, key, act in (
            (tr("Edit…"), "F2", self.edit),
            (tr("Remove"), QKeySequence.StandardKey.Delete, self.remove),
        ):
            action = QAction(text, self.view)
            action.setShortcut(QKeySequence(key))
            action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
            action.triggered.connect(act)
            self.view.addAction(action)
        self.view.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        self._empty = EmptyView(self)
        self._empty.tell(*NOTHING_KEPT)
        self._stack = stacked(self, self._empty, self.view)
        session.subscribe(
            self._show, to=("analysis", "bookmarks", "notes", "time_zero", "unit")
        )
        self._show(session.state, session.state)

    def _show(self, _: State, new: State) -> None:
        self.model.show(new)
        self._stack.setCurrentWidget(self.view if self.model.kept else self._empty)

    def bar(self, title: str) -> DockBar:
        """Make its title bar."""
        return DockBar(title)

    def go(self, index: Index) -> None:
        """Show what a row keeps."""
        kept = self.model.kept[index.row()]
        self.session.update(**changes_to_place(self.session.state, kept))

    def _current(self) -> Bookmark | Note | None:
        row = self.view.currentIndex().row()
        return self.model.kept[row] if 0 <= row < len(self.model.kept) else None

    def edit(self) -> None:
        """Ask for another name, or other words."""
        kept = self._current()
        if isinstance(kept, Bookmark):
            name, agreed = QInputDialog.getText(
                self, tr("Rename bookmark"), tr("Name:"), text=kept.name
            )
            if agreed and name.strip():
                marks = renamed_bookmarks(self.session.state, kept, name.strip())
                self.session.update(bookmarks=marks)
        elif kept is not None:
            ask_for_note(self, self.session, kept)

    def remove(self) -> None:
        """Keep the current row's no longer."""
        kept, state = self._current(), self.session.state
        if isinstance(kept, Bookmark):
            rest = tuple(mark for mark in state.bookmarks if mark != kept)
            self.session.update(bookmarks=rest)
        elif kept is not None:
            self.session.update(notes=kept_notes(state, kept, ""))


def ask_for_note(parent: QWidget, session: Session, note: Note) -> None:
    """Ask for the words of a note; without any it goes."""
    state = session.state
    assert state.analysis is not None
    clock = state.analysis.trace.clock
    when = exact_time_text(note.time, state.time_zero, clock, state.unit)
    title = tr("Note on rank {rank} at {when}:", rank=note.rank, when=when)
    text, agreed = QInputDialog.getMultiLineText(parent, tr("Note"), title, note.text)
    if agreed:
        session.update(notes=kept_notes(state, note, text.strip()))
