"""Starts the application."""

import gc
import os
import signal
import sys
from collections.abc import Sequence
from contextlib import ExitStack

from PySide6.QtCore import QSettings, QTimer
from PySide6.QtWidgets import QApplication

from topoview.base.platform import end_signals
from topoview.base.text import tr
from topoview.ui.actions.general import open_windows
from topoview.ui.language import prepare
from topoview.ui.settings import Settings
from topoview.ui.shell.window import MainWindow
from topoview.ui.widgets.dialogs import catch_faults, show_fault
from topoview.ui.widgets.icons import APPLICATION, application_icon
from topoview.ui.widgets.theme import load_fonts

SWITCH_INTERVAL = 5e-4
"""Seconds after which Python threads take turns.

With the default of 5 ms a thread that runs Python code holds every frame up
for 68 ms, with this one for 22.
"""


def application() -> QApplication:
    """Return the application, with its fonts and icon; it is created once."""
    existing = QApplication.instance()
    made = existing if isinstance(existing, QApplication) else _make_application()
    if made.organizationName() == "topoview":  # Qt itself names it after the program
        return made  # a style that is set again dresses all that is shown anew
    made.setApplicationName("topoview")
    made.setOrganizationName("topoview")
    made.setDesktopFileName(APPLICATION)
    made.setWindowIcon(application_icon())
    made.setStyle("Fusion")
    prepare(made)
    load_fonts()
    return made


def _make_application() -> QApplication:
    """Create it, with text and controls as large as the user wants them.

    Qt reads that from the environment alone; what is started later is not to.
    """
    scale, variable = (
        Settings(QSettings("topoview", "topoview")).scale,
        "QT_SCALE_FACTOR",
    )
    if scale == "1" or variable in os.environ:
        return QApplication(sys.argv[:1])
    os.environ[variable] = scale
    try:
        return QApplication(sys.argv[:1])
    finally:
        del os.environ[variable]


def collect_garbage() -> None:
    """Look for garbage if Python would by itself, which it does not in the window.

    It would anywhere: in a thread, to which no widget belongs; or where Qt disconnects
    a signal, with a lock that the end of a widget waits for, forever.
    """
    counts, limits = gc.get_count(), gc.get_threshold()
    due = [number for number in range(3) if counts[number] > limits[number]]
    if due:
        gc.collect(due[-1])


def run(paths: Sequence[str] = (), *, draws: bool = True, language: str = "") -> int:
    """Open the window, with a trace if one is given; returns the exit status.

    Further traces get windows, and processes, of their own.

    Parameters
    ----------
    draws
        Whether there is a 3D scene.
    language
        What further windows are told to speak.
    """
    options = [*(() if draws else ("--no-3d",))]
    options += ["--language", language] if language else []
    open_windows(paths[1:], options)
    sys.setswitchinterval(SWITCH_INTERVAL)
    qt = application()
    catch_faults()
    for sent in (signal.SIGINT, *end_signals()):
        signal.signal(sent, lambda *_: _quit_soon())
    awake = QTimer()
    awake.timeout.connect(lambda: None)  # lets Python see signals
    awake.start(200)
    window = MainWindow(draws=draws)
    window.loaded.connect(gc.freeze)  # what was loaded stays
    window.loaded.connect(lambda: awake.timeout.connect(collect_garbage))
    window.show()
    if paths:
        window.open(paths[0])
    # By itself Qt ends later, and not at all if another window is shown until then; or
    # what is posted for that ends a later loop of the same process.
    qt.setQuitOnLastWindowClosed(False)
    closed = qt.lastWindowClosed.connect(qt.quit)
    with ExitStack() as end:
        QTimer.singleShot(0, lambda: _begin(window, end))
        code = qt.exec()
        qt.lastWindowClosed.disconnect(closed)
        window.close()
    return code


def _quit_soon() -> None:
    """Quit when what runs is done: it may be a picture that is being drawn."""
    QTimer.singleShot(0, QApplication.quit)


def _begin(window: MainWindow, end: ExitStack) -> None:
    """Keep a log, then load what can fail, OpenGL: the window is shown by now."""
    from topoview.ui.shell.run_log import LOG, RunLog

    if not window.isVisible():  # closed already
        QApplication.quit()
        return
    log = RunLog()
    end.callback(log.close)
    window.start()
    window.opener.read.connect(lambda path: LOG.info("opened %s", path))
    if log.last:
        show_fault(window, tr("The last run of topoview ended unexpectedly"), log.last)
