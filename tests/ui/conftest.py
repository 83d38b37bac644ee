"""A real window on a virtual display."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import traces
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from topoview.model import Analysis, Trace
from topoview.pipeline import analyse, first_look
from topoview.session import Session
from topoview.topology import communication_matrix, identify
from topoview.ui.actions.appearance import choose_theme
from topoview.ui.panels.scene.view import SceneView
from topoview.ui.shell.app import application
from topoview.ui.shell.window import MainWindow

PATIENCE = 300_000
"""Milliseconds; kernels may have to be compiled first, beside other programs."""


@pytest.fixture(scope="session", autouse=True)
def dressed(qapp: QApplication) -> None:
    """Give the tests' application topoview's style, fonts and icon."""
    assert application() is qapp


@pytest.fixture
def window(qtbot: QtBot) -> Iterator[MainWindow]:
    """Show a window, with its workspace loaded."""
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
        assert window.workspace is not None
        scene = window.workspace.scene
        qtbot.waitUntil(lambda: scene.content is not None, timeout=PATIENCE)
        return window

    return act


@pytest.fixture(scope="session")
def torus_steps() -> tuple[Analysis, ...]:
    """Analyse a simulated torus of 4x3 ranks, step by step."""
    return tuple(analyse(traces.simulated("torus", (4, 3), numbering=1)))


@pytest.fixture
def no_reading(
    monkeypatch: pytest.MonkeyPatch, torus_steps: tuple[Analysis, ...]
) -> Trace:
    """Take a simulated torus for whatever is opened.

    A process that reads costs seconds; tests of opening itself do without this.
    """
    monkeypatch.setattr(
        "topoview.worker.analyse_in_process", lambda *_: iter(torus_steps)
    )
    return torus_steps[-1].trace


@pytest.fixture
def loaded(
    load: Callable[[Path], MainWindow],
    no_reading: Trace,
    tmp_path: Path,
) -> MainWindow:
    """Open a simulated torus of 4x3 ranks."""
    return load(tmp_path / f"{no_reading.name}.otf2")


@pytest.fixture(scope="session")
def torus(torus_steps: tuple[Analysis, ...]) -> Analysis:
    """Give what is known of a simulated torus."""
    return torus_steps[-1]


@pytest.fixture
def session(torus: Analysis) -> Session:
    """Hold a state with the torus open."""
    made = Session()
    length = torus.trace.clock.length
    made.update(analysis=torus, window=(0, length), time=length // 2)
    return made


@pytest.fixture
def show_scene(qtbot: QtBot) -> Iterator[Callable[..., SceneView]]:
    """Show the ranks of a trace, of which no more is known than its topology."""
    views: list[SceneView] = []

    def act(trace: Trace, size: tuple[int, int], **results: object) -> SceneView:
        matrix = communication_matrix(trace)
        analysis = replace(
            first_look(trace),
            matrix=matrix,
            identification=identify(matrix),
            **results,
        )
        view = SceneView(Session())
        views.append(view)
        qtbot.addWidget(view)
        view.resize(*size)
        with qtbot.waitExposed(view):
            view.show()
        view.session.update(analysis=analysis, time=trace.clock.length // 2)
        ranks = trace.ranks
        qtbot.waitUntil(lambda: view.scene.ranks == ranks, timeout=PATIENCE)
        return view

    yield act
    for view in views:
        view.close()
