"""The log file, and how the last run of the window ended.

Each run has a record beside the log, which it holds locked and removes at its end. A
record that nobody holds is that of a run which did not get there: Python's fault
handler and Qt have written into it what they knew.
"""

import contextlib
import faulthandler
import logging
import os
from collections.abc import Iterator
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import IO

from PySide6.QtCore import QMessageLogContext, QtMsgType, qInstallMessageHandler

from topoview.base.platform import try_lock
from topoview.base.text import tr
from topoview.ui.widgets.dialogs import log_path, versions

LOG = logging.getLogger("topoview")

MAX_LOG_BYTES = 1 << 18
"""Of the log file; the one before it is kept, too."""

NO_3D = tr(
    "Start it with topoview --no-3d to work without the 3D scene, or with "
    "LIBGL_ALWAYS_SOFTWARE=1 to draw without the graphics card."
)

_DRAWING = ("scene/canvas.py", "scene/plotter.py", "vtkmodules", "pyvista")
_DISPLAY_LOST = ("X11 connection broke", "XIO:", "Wayland connection broke")


class RunLog:
    """Keeps the log, and the record of this run until it is closed."""

    def __init__(self) -> None:
        self.last = ""
        """Why the last run ended without being closed, in sentences; empty if none
        did or nothing is known."""
        self._lost_display = False
        self._record: IO[str] | None = None
        self._handler: logging.Handler = logging.NullHandler()
        path = log_path()
        with contextlib.suppress(OSError):  # then there is none: nothing depends on it
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            for log in _abandoned(path.parent):
                self.last = explain_end(log) or self.last
            self._handler = RotatingFileHandler(
                path, maxBytes=MAX_LOG_BYTES, backupCount=1, encoding="utf-8"
            )
            own = path.with_name(f"run-{os.getpid()}.txt")
            record = own.open("w", encoding="utf-8")
            try_lock(record.fileno())
            faulthandler.enable(record)
            self._record = record
        self._handler.setFormatter(
            logging.Formatter("%(asctime)s %(process)d %(levelname)s %(message)s")
        )
        LOG.addHandler(self._handler)
        LOG.setLevel(logging.INFO)
        LOG.info("started: %s", versions())
        if self.last:
            LOG.warning("a run before: %s", self.last)
        self._before = qInstallMessageHandler(self._take)

    def _take(self, kind: QtMsgType, _: QMessageLogContext, text: str) -> None:
        """Keep what Qt says, and print it as Qt does."""
        if kind is QtMsgType.QtDebugMsg:
            return
        LOG.warning("Qt: %s", text)
        self._lost_display |= any(word in text for word in _DISPLAY_LOST)
        with contextlib.suppress(OSError):  # a full disk, or a terminal that is gone
            if self._record is not None:
                print(text, file=self._record, flush=True)
            os.write(2, f"{text}\n".encode(errors="replace"))

    def close(self) -> None:
        """Note that the run has ended as it should, or in order without its display.

        Qt leaves its loop when the display is gone: the record stays, and the next run
        says why this one ended.
        """
        qInstallMessageHandler(self._before)
        LOG.info("ended")
        LOG.removeHandler(self._handler)
        self._handler.close()
        if self._record is not None:
            faulthandler.disable()
            with contextlib.suppress(OSError):
                if not self._lost_display:
                    Path(self._record.name).unlink()
            self._record.close()


def _abandoned(folder: Path) -> Iterator[str]:
    """Yield the records of runs that have not removed theirs, oldest first."""
    for path in sorted(folder.glob("run-*.txt"), key=lambda p: p.stat().st_mtime):
        with path.open(encoding="utf-8", errors="replace") as record:
            try:
                is_over = try_lock(record.fileno())
            except OSError:  # nobody knows
                is_over = False
            if not is_over:
                continue
            yield record.read(MAX_LOG_BYTES)
            path.unlink()


def explain_end(record: str) -> str:
    """Explain why a run ended that left this record; empty if the record does not say.

    Examples
    --------
    >>> explain_end("The X11 connection broke (error 1). Did the X11 server die?")
    'It lost its connection to the display: the session or the network ended first.'
    """
    if any(word in record for word in _DISPLAY_LOST):
        return tr(
            "It lost its connection to the display: the session or the network ended "
            "first."
        )
    if "Fatal Python error" not in record:
        return ""
    signal = record.partition("Fatal Python error: ")[2].partition("\n")[0]
    stack = record.partition("Current thread ")[2].partition("\n\n")[0]
    if any(name in stack for name in _DRAWING):
        return tr(
            "It ended while it drew the 3D scene ({signal}). {no_3d}",
            signal=signal,
            no_3d=NO_3D,
        )
    return tr("It ended by a fault of its own ({signal}).", signal=signal)
