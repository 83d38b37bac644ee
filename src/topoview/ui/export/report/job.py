"""A report saved from the window: drawn by a process that can be ended."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QProcess, QProcessEnvironment, Qt, Signal
from PySide6.QtWidgets import QProgressDialog

from topoview.ui.session_file import SUFFIX, save_session
from topoview.ui.widgets import dialogs

if TYPE_CHECKING:
    from topoview.ui.actions.action import Context


def ask_for_report(c: Context) -> None:
    """Ask for a file, and save a report of the trace there."""
    known = c.state.analysis
    if known is None:
        return
    folder = Path(c.settings.folder or Path.home())
    suggestion = folder / f"{known.trace.name}-report.html"
    chosen = dialogs.ask_for_report(c.window, suggestion)
    if chosen:
        ReportJob(c, Path(chosen)).start()


class ReportJob(QObject):
    """Writes a report while the window goes on, with a dialog that can cancel it.

    Parameters
    ----------
    context
        Of the window whose trace it is about, with its bookmarks and notes.
    path
        Of the report; its suffix chooses the kind.

    Signals
    -------
    finished
        Whether there is a report.
    """

    finished = Signal(bool)

    def __init__(self, context: Context, path: Path) -> None:
        super().__init__(context.window)
        self._context, self._path = context, path
        self._said, self._ended = b"", False
        self._folder = tempfile.TemporaryDirectory(prefix="topoview-report-")
        self.process = QProcess(self)
        self.process.readyReadStandardError.connect(self._read)
        self.process.finished.connect(self._end)
        self.process.errorOccurred.connect(self._end)
        self.dialog = QProgressDialog(
            f"Writing {path.name}", "Cancel", 0, 100, context.window
        )
        dialogs.calm_progress(self.dialog, "Save report")
        self.dialog.setMinimumWidth(320)
        self.dialog.setWindowModality(Qt.WindowModality.NonModal)
        self.dialog.setMinimumDuration(0)
        self.dialog.setAutoReset(False)
        self.dialog.canceled.connect(self.process.kill)

    def start(self) -> None:
        """Begin."""
        state = self._context.state
        assert state.analysis is not None
        session = Path(self._folder.name) / f"report{SUFFIX}"
        save_session(state, session)
        environment = QProcessEnvironment.systemEnvironment()
        environment.insert("TOPOVIEW_PROGRESS", "lines")
        self.process.setProcessEnvironment(environment)
        self.process.start(
            sys.executable,
            [
                *("-P", "-m", "topoview", "report", state.analysis.trace.path),
                *("-o", str(self._path), "--session", str(session)),
                *self._context.opener.subset.options,
            ],
        )
        self.process.closeWriteChannel()
        self.dialog.setValue(0)

    def _read(self) -> None:
        """Show how far it is."""
        self._said += bytes(self.process.readAllStandardError().data())
        lines = self._said.decode("utf-8", "replace").splitlines()
        last = lines[-1] if lines else ""
        if last.endswith("%") and last.split()[-1][:-1].isdecimal():
            self.dialog.setValue(min(int(last.split()[-1][:-1]), 99))

    def _end(self) -> None:
        """Say where the report is, or why there is none."""
        if self._ended:
            return
        self._ended = True
        self._read()
        cancelled = self.dialog.wasCanceled()
        self.dialog.canceled.disconnect()
        self.dialog.close()
        self.dialog.deleteLater()
        done = (
            self.process.error() == QProcess.ProcessError.UnknownError
            and self.process.exitStatus() == QProcess.ExitStatus.NormalExit
            and self.process.exitCode() == 0
        )
        self._folder.cleanup()
        if done:
            self._context.say(f"Report saved: {self._path}")
        elif not cancelled:
            lines = self._said.decode("utf-8", "replace").strip().splitlines()
            why = lines[-1].removeprefix("topoview: ") if lines else os.strerror(5)
            dialogs.show_fault(
                self._context.window, "The report could not be saved", why
            )
        self.finished.emit(done)
        self.deleteLater()
