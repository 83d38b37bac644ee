"""The panel Bookmarks: places and notes that the user keeps, in order of time."""

from typing import Final

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QAbstractItemView, QInputDialog, QWidget

from topoview.base.text import plural, tr
from topoview.live.picking.navigation import following
from topoview.model import Analysis, Column, Schema, Table, words
from topoview.session import (
    Bookmark,
    Note,
    Selection,
    Session,
    State,
    kept_notes,
    renamed_bookmarks,
)
from topoview.ui.widgets.formats import exact_time_text
from topoview.ui.widgets.panel import Request, TablePanel

BOOKMARKS: Final = Schema(
    Column("name", "", tr("name")),
    Column("about", "", tr("about")),
    Column("time", "at", tr("time")),
)
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
    whole = state.analysis.trace.clock.whole
    return {
        "time": kept.time,
        "window": following(state.window, kept.time, whole),
        "selection": Selection(ranks=(kept.rank,)),
        "playing": False,
    }


def kept_table(analysis: Analysis, *kept: Bookmark | Note) -> Table:
    """Return bookmarks and notes, in the order given."""
    times = np.array([each.time for each in kept], np.int64)
    return Table(
        BOOKMARKS,
        {
            "name": words([n.text if isinstance(n, Note) else n.name for n in kept]),
            "about": words([about_text(each) for each in kept]),
            "time": times / analysis.trace.clock.resolution,
        },
    )


def about_text(kept: Bookmark | Note) -> str:
    """Name the ranks that a bookmark or a note is about."""
    if isinstance(kept, Note):
        return tr("note, rank {rank}", rank=kept.rank)
    count = len(kept.selection.ranks)
    if count == 1:
        return tr("rank {rank}", rank=kept.selection.ranks[0])
    return plural(count, "rank") if count else ""


class BookmarksPanel(TablePanel[Request[Table], Table]):
    """Lists bookmarks and notes: a click goes there, F2 edits, Delete removes."""

    PARTS = ("analysis", "bookmarks", "notes", "time_zero", "unit")
    NAME = tr("Bookmarks")
    FITTING = ("time", "about")

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(session, parent)
        self.view.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
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

    def request(self, state: State) -> Request[Table] | None:
        """Ask for what is kept."""
        if state.analysis is None:
            return None
        return Request(state.analysis, kept_table, tuple(kept_places(state)))

    def is_quick(self, _: Request[Table]) -> bool:
        """Answer at once: a user keeps a few."""
        return True

    def why_empty(self, _: State) -> tuple[str, str]:
        """Return how something is kept."""
        return ("", "") if self.model.rowCount() else NOTHING_KEPT

    def choose(self, place: int) -> None:
        """Show what a row keeps."""
        kept = kept_places(self.session.state)[self.model.row(place)]
        self.session.update(**changes_to_place(self.session.state, kept))

    def _current(self) -> Bookmark | Note | None:
        place = self.view.currentIndex().row()
        if not 0 <= place < self.model.rowCount():
            return None
        return kept_places(self.session.state)[self.model.row(place)]

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
    when = exact_time_text(note.time, state.analysis.trace.clock, state)
    title = tr("Note on rank {rank} at {when}:", rank=note.rank, when=when)
    text, agreed = QInputDialog.getMultiLineText(parent, tr("Note"), title, note.text)
    if agreed:
        session.update(notes=kept_notes(state, note, text.strip()))
