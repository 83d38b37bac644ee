"""What takes long to save: done by a process that can be cancelled."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QProcess, QProcessEnvironment, Signal

from topoview.base.platform import child_environment
from topoview.base.text import in_sentence, tr
from topoview.ui.widgets import dialogs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from topoview.ui.actions.action import Context

MAX_SAID_BYTES = 4000
"""Bytes of what a process says that are kept: its last lines name a fault."""


class ExportJob(QObject):
    """Runs a topoview command beside the window, with a dialog that can cancel it.

    Parameters
    ----------
    context
        Of the window whose trace is read, as far as it was read there.
    path
        Of the file that is saved.
    thing
        What it is, as a sentence begins with it: ``Film``.
    doing, title
        The dialog's words, and its title.
    """

    finished = Signal(bool)
    """Whether the file is there."""

    def __init__(
        self, context: Context, path: Path, thing: str, doing: str, title: str
    ) -> None:
        super().__init__(context.window)
        self._context, self._path, self._thing = context, path, thing
        self._said, self._ended = b"", False
        self._folder = tempfile.TemporaryDirectory(prefix=f"topoview-{thing.lower()}-")
        self.process = QProcess(self)
        self.process.readyReadStandardError.connect(self._read)
        self.process.finished.connect(self._end)
        self.process.errorOccurred.connect(self._end)
        kill = self.process.kill
        self.dialog = dialogs.progress_dialog(context.window, title, doing, kill)

    def start(self) -> None:
        """Begin."""
        environment = QProcessEnvironment.systemEnvironment()
        environment.insert("TOPOVIEW_PROGRESS", "lines")
        environment.insert("PYTHONPATH", child_environment()["PYTHONPATH"])
        self.process.setProcessEnvironment(environment)
        command = self._command(Path(self._folder.name))
        options = self._context.opener.subset.options()
        self.process.start(sys.executable, ["-P", "-m", "topoview", *command, *options])
        self.process.closeWriteChannel()
        self.dialog.setValue(0)

    def _command(self, folder: Path) -> Sequence[str]:
        """Name the command and its options; files for it may lie in a folder."""
        raise NotImplementedError

    def _show(self, said: bytes) -> None:
        """Show how far the process is, from what it said just now."""
        raise NotImplementedError

    def _clear(self) -> None:
        """Remove what the process may have left."""

    def _read(self) -> None:
        said = bytes(self.process.readAllStandardError().data())
        self._said = (self._said + said)[-MAX_SAID_BYTES:]
        self._show(said)

    def _end(self) -> None:
        """Show where the file is, or why there is none."""
        if self._ended:
            return
        self._ended = True
        self._read()
        cancelled = self.dialog.wasCanceled()
        self.dialog.canceled.disconnect()
        self.dialog.close()
        self.dialog.deleteLater()
        self._folder.cleanup()
        done = (
            not cancelled
            and self.process.exitStatus() == QProcess.ExitStatus.NormalExit
            and self.process.exitCode() == 0
            and self.process.error() == QProcess.ProcessError.UnknownError
        )
        if done:
            self._context.say(
                tr("{thing} saved: {path}", thing=self._thing, path=self._path)
            )
        elif not cancelled:
            lines = self._said.decode("utf-8", "replace").strip().splitlines()
            why = lines[-1] if lines else tr("the process that draws it ended early")
            title = tr("The {thing} could not be saved", thing=in_sentence(self._thing))
            why = why.removeprefix("topoview: ")
            dialogs.show_fault(self._context.window, title, why)
        self._clear()
        self.finished.emit(done)
        self.deleteLater()
