"""Comparing with another trace: it is read and made logical beside the window."""

from __future__ import annotations

import threading
import traceback
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtWidgets import QProgressDialog

from topoview.errors import TopoviewError
from topoview.logical.diff import Comparison, compare
from topoview.model import LogicalTrace
from topoview.progress import Cancelled
from topoview.ui import dialogs
from topoview.ui.logical.comparison import ComparisonDialog

if TYPE_CHECKING:
    from topoview.ui.window import MainWindow

_PERIOD = 50
"""Milliseconds between two looks at how far it is."""


def compare_with(window: MainWindow) -> None:
    """Ask for another trace, and show how its logical trace differs."""
    chosen = dialogs.ask_for_trace(window, window.settings.folder, folder=False)
    if chosen:
        window.settings.folder = str(Path(chosen).parent)
        CompareJob(window, chosen).start()


class CompareJob(QObject):
    """Reads another trace and compares, with a dialog that can cancel it.

    Signals
    -------
    finished
        The `ComparisonDialog`, None if there is nothing to show.
    """

    finished = Signal(object)
    _ended = Signal(object, str, str)

    def __init__(self, window: MainWindow, path: str) -> None:
        super().__init__(window)
        self._window = window
        self._path = path
        self._cancelled = threading.Event()
        self._progress = ("", 0.0)
        self._ended.connect(self._end)
        name = Path(path).name
        self.dialog = QProgressDialog(
            f"Comparing with {name}", "Cancel", 0, 100, window
        )
        self.dialog.setWindowTitle("topoview")
        self.dialog.setWindowModality(Qt.WindowModality.NonModal)
        self.dialog.setMinimumDuration(0)
        self.dialog.setAutoReset(False)
        self.dialog.setAutoClose(False)
        self.dialog.setMinimumWidth(360)
        self.dialog.canceled.connect(self._cancelled.set)
        self._timer = QTimer(self)
        self._timer.setInterval(_PERIOD)
        self._timer.timeout.connect(self._show_progress)

    def start(self) -> None:
        """Begin."""
        known = self._window.session.state.analysis
        assert known is not None
        assert known.logical is not None
        self._name = known.trace.name
        self._logical = known.logical
        self.dialog.setValue(0)
        self._timer.start()
        threading.Thread(
            target=self._work, args=(known.logical,), name="comparing", daemon=True
        ).start()

    def _report(self, stage: str, fraction: float) -> None:
        if self._cancelled.is_set():
            raise Cancelled
        self._progress = (stage, fraction)

    def _work(self, ours: LogicalTrace) -> None:
        """Run in the thread."""
        try:
            from topoview.analysis.logical.run import logical_of
            from topoview.io import read_in_process

            trace = read_in_process(self._path, self._report)
            _, theirs = logical_of(trace, self._report)
            self._ended.emit((trace.name, compare(ours, theirs)), "", "")
        except Cancelled:
            self._ended.emit(None, "", "")
        except TopoviewError as error:
            self._ended.emit(None, str(error), "")
        except Exception as error:  # noqa: BLE001 - a thread must not die silently
            fault = f"a fault in topoview ({type(error).__name__})"
            line = f"{fault}: please report the details"
            self._ended.emit(None, line, traceback.format_exc())

    def _show_progress(self) -> None:
        stage, fraction = self._progress
        if stage and not self.dialog.wasCanceled():
            name = Path(self._path).name
            self.dialog.setLabelText(f"Comparing with {name}: {stage}")
            self.dialog.setValue(min(int(100 * fraction), 99))

    def _end(
        self, found: tuple[str, Comparison] | None, line: str, details: str
    ) -> None:
        self._timer.stop()
        cancelled = self._cancelled.is_set()
        self.dialog.canceled.disconnect()
        self.dialog.close()
        self.dialog.deleteLater()
        shown: ComparisonDialog | None = None
        if found is not None and not cancelled:
            shown = ComparisonDialog(
                self._window.session,
                self._logical,
                found[1],
                (self._name, found[0]),
                self._window,
            )
            shown.show()
        elif line and not cancelled:
            dialogs.complain(
                self._window, "The traces could not be compared", line, details
            )
        self.finished.emit(shown)
        self.deleteLater()
