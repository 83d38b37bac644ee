"""Actions on what the user keeps of a trace: bookmarks, notes, sessions in files."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QFileDialog, QInputDialog

from topoview.base.text import tr
from topoview.errors import SessionError
from topoview.session import Bookmark, Note
from topoview.ui.actions.action import SEPARATOR, Action, Context, Menu, has_trace
from topoview.ui.widgets import dialogs
from topoview.ui.widgets.formats import exact_time_text

if TYPE_CHECKING:
    from PySide6.QtWidgets import QMenu

BOOKMARKS_MENU = tr("Bookmarks")

SESSION_FILTER = tr("Sessions (*.session.json *.json);;All files (*)")


# Bookmarks


def add_bookmark(c: Context) -> None:
    """Ask for a name, and keep this place in the run under it."""
    state = c.state
    proposed = _place_text(c)
    name, agreed = QInputDialog.getText(
        c.window,
        tr("Add bookmark"),
        tr("Name of this time and selection:"),
        text=proposed,
    )
    if agreed and name.strip():
        made = Bookmark(
            name.strip(), state.time, state.window, state.selection, state.picked
        )
        kept = [mark for mark in state.bookmarks if mark.name != made.name]
        c.session.update(bookmarks=(*kept, made))
        c.say(tr("{name} is in Edit, Bookmarks", name=made.name))


def _place_text(c: Context) -> str:
    """Name the present place: its time, and a selected rank."""
    state = c.state
    assert state.analysis is not None
    when = exact_time_text(state.time, state.analysis.trace.clock, state)
    chosen = state.selection.ranks
    return (
        tr("rank {chosen} at {when}", chosen=chosen[0], when=when)
        if len(chosen) == 1
        else when
    )


def go_to(kept: Bookmark, c: Context) -> None:
    """Show a bookmark's time, window and selection."""
    from topoview.ui.panels.lists.bookmarks import changes_to_place

    c.session.update(**changes_to_place(c.state, kept))
    c.say(kept.name)


def step_bookmark(by: int, c: Context) -> None:
    """Go to the next or previous bookmark in time; after the last comes the first."""
    marks = sorted(c.state.bookmarks, key=lambda mark: mark.time)
    if not marks:
        return
    now = c.state.time
    after = [m for m in marks if (m.time > now if by > 0 else m.time < now)]
    targets = after or marks
    go_to(targets[0] if by > 0 else targets[-1], c)


def has_bookmarks(c: Context) -> bool:
    """Return whether there are bookmarks."""
    return has_trace(c) and bool(c.state.bookmarks)


def fill_bookmarks(menu: QMenu, c: Context) -> None:
    """List the bookmarks below the actions on them."""
    for entry in menu.actions():
        if entry.data() == BOOKMARKS_MENU:
            menu.removeAction(entry)
    for mark in c.state.bookmarks:
        entry = menu.addAction(mark.name.replace("&", "&&"))
        entry.setData(BOOKMARKS_MENU)
        entry.triggered.connect(lambda _=False, mark=mark: go_to(mark, c))


# Notes


def noted_rank(c: Context) -> int | None:
    """Rank that a new note is pinned to: what was clicked, else a selected one."""
    state = c.state
    analysis, picked = state.analysis, state.picked
    if analysis is None:
        return None
    if picked.kind == "rank" and 0 <= picked.number < analysis.trace.ranks:
        return picked.number
    chosen = state.selection.ranks or state.selection.edge or ()
    return chosen[0] if chosen and chosen[0] < analysis.trace.ranks else None


def add_note(c: Context) -> None:
    """Ask for words, and pin them to the selected rank and the time cursor."""
    rank = noted_rank(c)
    if rank is None:
        c.say(tr("Select the rank that the note is about first"))
        return
    from topoview.ui.panels.lists.bookmarks import ask_for_note

    ask_for_note(c.window, c.session, Note(rank, c.state.time, ""))


def can_note(c: Context) -> bool:
    """Return whether a rank is selected that a note can be about."""
    return has_trace(c) and noted_rank(c) is not None


# Sessions


def save_session(c: Context) -> None:
    """Ask for a file, and save the session to it."""
    analysis = c.state.analysis
    if analysis is None:
        return
    from topoview.ui.session_file import SUFFIX

    start = Path(c.settings.folder or ".") / f"{analysis.trace.name}{SUFFIX}"
    kinds = {SUFFIX: tr("Session"), ".json": "JSON"}
    chosen = dialogs.ask_where(c.window, tr("Save session"), start, kinds)
    if chosen:
        write_session(Path(chosen), c)


def write_session(path: Path, c: Context) -> None:
    """Save the session to a file."""
    from topoview.ui import session_file

    try:
        session_file.save_session(c.state, path)
    except SessionError as error:
        dialogs.show_fault(c.window, tr("The session was not saved"), str(error))
    else:
        c.say(tr("The session is in {path}", path=path))


def open_session(c: Context) -> None:
    """Ask for a session's file, and show the trace as it says."""
    chosen, _ = QFileDialog.getOpenFileName(
        c.window, tr("Open session"), c.settings.folder, SESSION_FILTER
    )
    if chosen:
        apply_session(Path(chosen), c)


def apply_session(path: Path, c: Context) -> None:
    """Show the trace as the file of a session says."""
    from topoview.ui import session_file

    analysis = c.state.analysis
    if analysis is None:
        return
    try:
        view = session_file.load_session(path, analysis)
    except SessionError as error:
        dialogs.show_fault(c.window, tr("The session was not opened"), str(error))
    else:
        c.session.update(playing=False, **view)
        c.say(tr("The session of {name}; Undo goes back", name=path.name))


BOOKMARK_ACTIONS: Menu = (
    Action(
        "add-bookmark", tr("Add bookmark…"), add_bookmark, "Ctrl+B", icon="bookmark"
    ),
    Action(
        "next-bookmark",
        tr("Next bookmark"),
        partial(step_bookmark, 1),
        "B",
        has_bookmarks,
    ),
    Action(
        "previous-bookmark",
        tr("Previous bookmark"),
        partial(step_bookmark, -1),
        "Shift+B",
        has_bookmarks,
    ),
    Action("add-note", tr("Add note…"), add_note, "Ctrl+N", can_note),
    SEPARATOR,
)

SESSION_ACTIONS: Menu = (
    Action("save-session", tr("Save session…"), save_session, "Ctrl+Alt+S"),
    Action("open-session", tr("Open session…"), open_session, "Ctrl+Alt+O"),
)
