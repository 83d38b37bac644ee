"""Starts the application."""

import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QProcess, QTimer
from PySide6.QtWidgets import QApplication

from topoview.ui.shell.window import MainWindow
from topoview.ui.widgets.dialogs import catch_faults
from topoview.ui.widgets.icons import APPLICATION, application_icon
from topoview.ui.widgets.theme import load_fonts

SWITCH_INTERVAL = 5e-4
"""Seconds after which Python threads take turns.

With the default of 5 ms a thread that runs Python code holds every frame up
for 68 ms, with this one for 22.
"""


def application() -> QApplication:
    """Make the application, with its fonts and icon; or give the one there is."""
    found = QApplication.instance()
    made = found if isinstance(found, QApplication) else QApplication(sys.argv[:1])
    made.setApplicationName("topoview")
    made.setOrganizationName("topoview")
    made.setDesktopFileName(APPLICATION)
    made.setWindowIcon(application_icon())
    made.setStyle("Fusion")
    load_fonts()
    return made


def run(paths: Sequence[str] = ()) -> int:
    """Open the window, with a trace if one is given; returns the exit status.

    Further traces get windows, and processes, of their own.
    """
    for path in paths[1:]:
        # absolute: a trace may be called like a subcommand
        known = str(Path(path).absolute())
        QProcess.startDetached(sys.executable, ["-m", "topoview", known])
    sys.setswitchinterval(SWITCH_INTERVAL)
    qt = application()
    catch_faults()
    signal.signal(signal.SIGINT, lambda *_: qt.quit())
    awake = QTimer()
    awake.timeout.connect(lambda: None)  # lets Python see signals
    awake.start(200)
    window = MainWindow()
    window.show()
    if paths:
        window.open(paths[0])
    QTimer.singleShot(0, window.start)
    status = qt.exec()
    window.close()
    return status
