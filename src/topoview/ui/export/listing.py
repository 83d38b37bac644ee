"""Tables of panels as CSV or Markdown: on the clipboard, or in a file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication

from topoview.base.text import csv_text, markdown_text, plural, tr
from topoview.ui.widgets import dialogs

if TYPE_CHECKING:
    from topoview.ui.actions.action import Context
    from topoview.ui.panels.table import Listing


NO_TABLE = tr("This panel has no table: click one that has, such as Profile or Matrix")


def copy_csv(c: Context) -> None:
    """Copy the table of the panel that was used last."""
    _copy(c, _text(c), 1)


def copy_markdown(c: Context) -> None:
    """Copy that table for a text in Markdown."""
    _copy(c, _text(c, markdown_text), 2)


def _copy(c: Context, text: str, head: int) -> None:
    if not text:
        c.say(NO_TABLE)
    else:
        QGuiApplication.clipboard().setText(text)
        c.say(
            tr(
                "The table is on the clipboard: {rows}",
                rows=plural(text.count(chr(10)) - head, "row"),
            )
        )


def save_csv(c: Context) -> None:
    """Ask for a file, and save the table of the panel that was used last."""
    panels, known = c.panels(), c.state.analysis
    if panels is None or known is None:
        return
    if panels.listing() is None:
        c.say(NO_TABLE)
        return
    folder = Path(c.settings.folder or Path.home())
    suggestion = folder / f"{known.trace.name}-{panels.used}.csv"
    chosen = dialogs.ask_for_picture(c.window, suggestion, tr("Save table as CSV"))
    if not chosen:
        return
    try:
        Path(chosen).write_text(_text(c), "utf-8")
    except OSError as error:
        dialogs.show_fault(
            c.window,
            tr("The table could not be saved"),
            tr(
                "{chosen} cannot be written ({reason}): check that the folder may "
                "be written to and the disk is not full",
                chosen=chosen,
                reason=error.strerror,
            ),
        )
    else:
        c.say(tr("Table saved: {chosen}", chosen=chosen))


def copy_listing(listing: Listing) -> None:
    """Copy a table."""
    QGuiApplication.clipboard().setText(csv_text(listing.titles, listing.rows))


def _text(c: Context, write: Callable[..., str] = csv_text) -> str:
    QGuiApplication.setOverrideCursor(Qt.CursorShape.WaitCursor)
    try:
        panels = c.panels()
        listing = None if panels is None else panels.listing()
        return "" if listing is None else write(listing.titles, listing.rows)
    finally:
        QGuiApplication.restoreOverrideCursor()
