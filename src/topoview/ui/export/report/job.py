"""A report saved from the window: drawn by a process that can be ended."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from topoview.base.text import tr
from topoview.ui.export.job import ExportJob
from topoview.ui.export.picture_choice import REPORT_FORMATS
from topoview.ui.session_file import SUFFIX, save_session
from topoview.ui.widgets import dialogs

if TYPE_CHECKING:
    from topoview.session import State
    from topoview.ui.actions.action import Context


def ask_for_report(c: Context) -> None:
    """Ask for a file, and save a report of the trace there."""
    analysis = c.state.analysis
    if analysis is None:
        return
    folder = Path(c.settings.folder or Path.home())
    suggestion = folder / f"{analysis.trace.name}-report.html"
    chosen = dialogs.ask_where(c.window, tr("Save report"), suggestion, REPORT_FORMATS)
    if chosen:
        ReportJob(c, Path(chosen)).start()


def report_command(state: State, folder: Path, path: Path) -> list[str]:
    """Write the command that reports all that the window knows; its session too."""
    assert state.analysis is not None
    session = folder / f"report{SUFFIX}"
    save_session(state, session)
    trace = state.analysis.trace
    command = ["report", trace.path, "-o", str(path), "--session", str(session)]
    if state.compared is not None and state.compared.trace is trace:
        command += ["--compare", state.compared.path]
    return command


class ReportJob(ExportJob):
    """Writes a report, with the window's bookmarks, notes, machine and other run."""

    def __init__(self, context: Context, path: Path) -> None:
        super().__init__(
            context,
            path,
            tr("Report"),
            tr("Writing {name}", name=path.name),
            tr("Save report"),
        )

    def _command(self, folder: Path) -> list[str]:
        return report_command(self._context.state, folder, self._path)

    def _show(self, _: bytes) -> None:
        lines = self._said.decode("utf-8", "replace").splitlines()
        last = lines[-1] if lines else ""
        if last.endswith("%") and last.split()[-1][:-1].isdecimal():
            self.dialog.setValue(min(int(last.split()[-1][:-1]), 99))
