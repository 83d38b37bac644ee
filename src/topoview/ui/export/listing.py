"""Tables of panels as CSV or Markdown: on the clipboard, or in a file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication

from topoview.base.text import plural, tr
from topoview.errors import ExportError
from topoview.report.write import csv, markdown
from topoview.ui.widgets import dialogs

if TYPE_CHECKING:
    from topoview.model import Table
    from topoview.ui.actions.action import Context


NO_TABLE = tr("This panel has no table: click one that has, such as Profile or Matrix")


def copy_csv(c: Context) -> None:
    """Copy the table of the panel that was used last."""
    _copy(c, csv)


def copy_markdown(c: Context) -> None:
    """Copy that table for a text in Markdown."""
    _copy(c, markdown)


def _copy(c: Context, form: Callable[[Table], str]) -> None:
    table = _table(c)
    if table is None:
        c.say(NO_TABLE)
        return
    QGuiApplication.clipboard().setText(_text(table, form))
    rows = plural(len(table), "row")
    c.say(tr("The table is on the clipboard: {rows}", rows=rows))


def save_csv(c: Context) -> None:
    """Ask for a file, and save the table of the panel that was used last."""
    from topoview.ui.export.picture import exporting  # loads VTK

    panels, analysis, table = c.panels(), c.state.analysis, _table(c)
    if panels is None or analysis is None:
        return
    if table is None:
        c.say(NO_TABLE)
        return
    folder = Path(c.settings.folder or Path.home())
    suggestion = folder / f"{analysis.trace.name}-{panels.used}.csv"
    chosen = dialogs.ask_where(
        c.window, tr("Save table as CSV"), suggestion, {".csv": "CSV"}
    )
    if not chosen:
        return
    try:
        with exporting(Path(chosen)):
            Path(chosen).write_text(_text(table, csv), "utf-8", "replace")
    except ExportError as error:
        title = tr("The table could not be saved")
        dialogs.show_fault(c.window, title, str(error))
    else:
        c.say(tr("Table saved: {chosen}", chosen=chosen))


def _table(c: Context) -> Table | None:
    panels = c.panels()
    return None if panels is None else panels.listing()


def _text(table: Table, form: Callable[[Table], str]) -> str:
    QGuiApplication.setOverrideCursor(Qt.CursorShape.WaitCursor)
    try:
        return form(table)
    finally:
        QGuiApplication.restoreOverrideCursor()
