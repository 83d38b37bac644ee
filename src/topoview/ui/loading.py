"""Imports what is heavy while the window is there already."""

import importlib
import threading

from PySide6.QtCore import QObject, Signal

WORKSPACE = "topoview.ui.workspace"


class Loader(QObject):
    """Imports the workspace's modules in a thread.

    Signals
    -------
    loaded
        They are there; the workspace can be made in the GUI thread.
    """

    loaded = Signal()
    _failed = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._thread = threading.Thread(target=self._load, name="loading", daemon=True)
        self._failed.connect(self._raise)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def wait(self) -> None:
        """Wait until no import runs any more."""
        if self._thread.is_alive():
            self._thread.join()

    def _load(self) -> None:
        try:
            importlib.import_module(WORKSPACE)
        except Exception as error:  # noqa: BLE001 - raised again in the GUI thread
            self._failed.emit(error)
            return
        self.loaded.emit()
        from topoview.analysis.readiness import make_ready

        make_ready()

    def _raise(self, error: Exception) -> None:
        raise error
