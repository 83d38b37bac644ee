"""A real window on a virtual display."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import traces
from pytestqt.qtbot import QtBot

from topoview.model import Analysis, Trace
from topoview.pipeline import analyse
from topoview.session import Session
from topoview.ui.actions.general import choose_theme
from topoview.ui.shell.app import application
from topoview.ui.shell.window import MainWindow

PATIENCE = 60_000
"""Milliseconds; compiled kernels may have to be compiled first."""


@pytest.fixture
def window(qtbot: QtBot) -> Iterator[MainWindow]:
    """Show a window, with its workspace loaded."""
    application()
    shown = MainWindow()
    shown.settings.theme = "light"
    choose_theme("light", shown.context)
    qtbot.addWidget(shown)
    shown.resize(1280, 800)
    with qtbot.waitActive(shown):
        shown.show()
        shown.activateWindow()
    shown.start()
    qtbot.waitUntil(lambda: shown.workspace is not None, timeout=PATIENCE)
    yield shown
    shown.close()


@pytest.fixture
def load(window: MainWindow, qtbot: QtBot) -> Callable[[Path], MainWindow]:
    """Open a trace in the window, and wait until all is known of it."""

    def act(path: Path) -> MainWindow:
        window.open(str(path))
        qtbot.waitUntil(lambda: window.session.state.opening is None, timeout=PATIENCE)
        assert not window.session.state.failure
        return window

    return act


@pytest.fixture
def no_reading(monkeypatch: pytest.MonkeyPatch) -> Trace:
    """Take a simulated torus of 4x3 ranks for whatever is opened.

    A process that reads costs seconds; tests of opening itself do without this.
    """
    trace = traces.simulated("torus", (4, 3), numbering=1)
    monkeypatch.setattr("topoview.worker.analyse_in_process", lambda *_: analyse(trace))
    return trace


@pytest.fixture
def loaded(
    load: Callable[[Path], MainWindow],
    no_reading: Trace,
    tmp_path: Path,
) -> MainWindow:
    """Open a simulated torus of 4x3 ranks."""
    return load(tmp_path / f"{no_reading.name}.otf2")


@pytest.fixture(scope="session")
def torus() -> Analysis:
    """Analyse a simulated torus."""
    *_, known = analyse(traces.simulated("torus", (4, 3), numbering=1))
    return known


@pytest.fixture
def session(torus: Analysis) -> Session:
    """Hold a state with the torus open."""
    made = Session()
    length = torus.trace.clock.length
    made.update(analysis=torus, window=(0, length), time=length // 2)
    return made
