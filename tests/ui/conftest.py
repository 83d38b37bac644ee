"""A real window on a virtual display."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from pathlib import Path

import pytest
import traces
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel, QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from topoview.model import Analysis, Trace
from topoview.pipeline import analyse
from topoview.session import Session, State
from topoview.ui.actions.appearance import choose_theme
from topoview.ui.panels.lists import query_panel
from topoview.ui.panels.logical import panel as logical_panel
from topoview.ui.panels.profile import panel as profile_panel
from topoview.ui.panels.scene import camera, canvas
from topoview.ui.panels.scene.view import SceneView
from topoview.ui.panels.table import COLUMN, FIRST, SCENE
from topoview.ui.settings import MemoryStore, Settings
from topoview.ui.shell.app import application
from topoview.ui.shell.window import MainWindow
from topoview.ui.shell.workspace import QUEUED, EmptyPlace

PATIENCE = 300_000
"""Milliseconds; kernels may have to be compiled first, beside other programs."""

SIZE = (1280, 800)
"""Pixels of a window."""


@pytest.fixture(scope="session", autouse=True)
def dressed(qapp: QApplication) -> None:
    """Give the tests' application topoview's style, fonts and icon."""
    assert application() is qapp


MOTIONS = {
    camera: ("TURN_MILLISECONDS", "TRANSITION_MILLISECONDS"),
    canvas: ("SMOOTH_DELAY_MILLISECONDS",),
    logical_panel: ("FOLLOW_DELAY_MILLISECONDS", "SEARCH_DELAY_MILLISECONDS"),
    profile_panel: ("SEARCH_DELAY_MILLISECONDS",),
    query_panel: ("TYPING_MILLISECONDS",),
}
"""How long a camera turns and ranks wander, and what waits for a hand to rest."""

MOTION_TIMES = {
    (module, name): getattr(module, name)
    for module, names in MOTIONS.items()
    for name in names
}


SET_SMOOTH = canvas.SceneCanvas.set_smooth
MAX_RANKS_SMOOTHED = canvas.MAX_RANKS_SMOOTHED


@pytest.fixture(scope="session", autouse=True)
def without_motion() -> Iterator[None]:
    """Let what moves arrive soon: frames on the way take most of a test's time."""
    with pytest.MonkeyPatch.context() as patch:
        for module, name in MOTION_TIMES:
            patch.setattr(module, name, 1)
        yield


@pytest.fixture(scope="session", autouse=True)
def without_smoothing() -> Iterator[None]:
    """Let VTK draw its pixels once: to smooth a frame takes 10 to 30 times as long."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(canvas.SceneCanvas, "set_smooth", lambda *_, **__: None)
        patch.setattr(canvas, "MAX_RANKS_SMOOTHED", -1)
        yield


@pytest.fixture
def with_smoothing(without_smoothing: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a view smooth its frames, as it does for users."""
    del without_smoothing
    monkeypatch.setattr(canvas.SceneCanvas, "set_smooth", SET_SMOOTH)
    monkeypatch.setattr(canvas, "MAX_RANKS_SMOOTHED", MAX_RANKS_SMOOTHED)


@pytest.fixture
def with_motion(without_motion: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a view that is made from here on move, and rest, as it does for users."""
    del without_motion
    for (module, name), milliseconds in MOTION_TIMES.items():
        monkeypatch.setattr(module, name, milliseconds)


def show_window(qtbot: QtBot, settings: Settings | None = None) -> MainWindow:
    """Show a window, with its workspace loaded."""
    shown = MainWindow(settings)
    shown.settings.theme = "light"
    choose_theme("light", shown.context)
    shown.resize(*SIZE)
    with qtbot.waitActive(shown):
        shown.show()
        shown.activateWindow()
    shown.start()
    qtbot.waitUntil(lambda: shown.workspace is not None, timeout=PATIENCE)
    return shown


@pytest.fixture
def window(qtbot: QtBot) -> Iterator[MainWindow]:
    """Show a window of the test's own, with its workspace loaded."""
    shown = show_window(qtbot)
    qtbot.addWidget(shown)
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
def loaded_anew(
    load: Callable[[Path], MainWindow],
    no_reading: Trace,
    tmp_path: Path,
) -> MainWindow:
    """Open a simulated torus of 4x3 ranks in a window of the test's own."""
    return load(tmp_path / f"{no_reading.name}.otf2")


WITH_TEXT = (QAbstractButton, QLabel, QLineEdit)


class SharedWindow:
    """Shows a trace in a window that tests use one after the other.

    To make a window takes longer than most tests. It is set anew for each test; one
    that does not look as at first then gives way to another.
    """

    def __init__(self, qtbot: QtBot, torus_steps: tuple[Analysis, ...]) -> None:
        self._qtbot, self._steps = qtbot, torus_steps
        self._window: MainWindow | None = None
        self._first = State()
        self._look = Counter[tuple[object, ...]]()

    def take(self) -> MainWindow:
        """Return a window as it is at first."""
        window = self._window
        if window is not None and window.pages.currentWidget() is window.workspace:
            for set_anew in (self._set_anew, self._arrange):
                set_anew(window)
                if self._looks(window) == self._look:
                    return window
        self.close()
        window = self._window = show_window(self._qtbot, Settings(MemoryStore()))
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(
                "topoview.worker.analyse_in_process", lambda *_: iter(self._steps)
            )
            window.open(f"{self._steps[-1].trace.name}.otf2")
            session = window.session
            self._wait(lambda: session.state.analysis and not session.state.opening)
        self._settle(window)
        self._first, self._look = session.state, self._looks(window)
        return window

    def close(self) -> None:
        """Close the window, if there is one."""
        if self._window is not None:
            self._window.close()
            self._window.deleteLater()
            self._window = None
            QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)

    def _set_anew(self, window: MainWindow) -> None:
        """Show all as at first: state, panels, history and settings."""
        workspace, session = window.workspace, window.session
        assert workspace is not None
        if window.size().toTuple() != SIZE:
            window.showNormal()
            window.resize(*SIZE)
            QApplication.processEvents()
        first = {f.name: getattr(self._first, f.name) for f in fields(State) if f.init}
        session.update(**first)
        for name, dock in workspace._docks.items():
            if dock.isFloating():
                dock.setFloating(False)
            if name in workspace._panels and name not in FIRST:
                panel, bar = workspace._panels.pop(name), dock.titleBarWidget()
                panel.close()
                place = EmptyPlace(name, dock)
                place.seen.connect(workspace._see, QUEUED)
                dock.setWidget(place)
                dock.setTitleBarWidget(QWidget(dock))
                panel.deleteLater()
                bar.deleteLater()
        for widget in QApplication.topLevelWidgets():
            if widget is not window and widget.isVisible():
                widget.close()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        workspace.used = SCENE
        workspace._unasked = workspace._last = COLUMN[-1]
        workspace.setFocus()
        history = window.context.history
        history._undo.clear()
        history._redo.clear()
        history._end_step()
        history.turned.emit()
        window.settings._store._kept.clear()
        choose_theme("light", window.context)
        window._status.clearMessage()
        window.activateWindow()
        self._settle(window)

    def _arrange(self, window: MainWindow) -> None:
        """Put panels where they are at first, which takes long."""
        window.workspace.arrange()
        self._settle(window)

    def _settle(self, window: MainWindow) -> None:
        workspace = window.workspace
        assert workspace is not None
        self._wait(lambda: workspace.scene.content is not None and workspace.settled)
        window.actions_shown.refresh()
        QApplication.processEvents()

    def _wait(self, condition: Callable[[], object]) -> None:
        self._qtbot.waitUntil(lambda: bool(condition()), timeout=PATIENCE)

    @staticmethod
    def _looks(window: MainWindow) -> Counter[tuple[object, ...]]:
        """Count what is seen, by kind, place and words."""
        return Counter(
            (
                type(widget).__name__,
                widget.objectName(),
                widget.geometry().getRect(),
                widget.isEnabled(),
                widget.text() if isinstance(widget, WITH_TEXT) else "",
                isinstance(widget, QAbstractButton) and widget.isChecked(),
            )
            for widget in window.findChildren(QWidget)
            if widget.isVisible()
        )


@pytest.fixture(scope="module")
def share_window(
    request: pytest.FixtureRequest,
) -> Iterator[Callable[[tuple[Analysis, ...]], SharedWindow]]:
    """Make a window that tests of a module share, of a trace that is analysed."""
    shared: list[SharedWindow] = []

    def act(steps: tuple[Analysis, ...]) -> SharedWindow:
        shared.append(SharedWindow(QtBot(request), steps))
        return shared[-1]

    yield act
    for each in shared:
        each.close()


@pytest.fixture(scope="module")
def shared_window(
    share_window: Callable[[tuple[Analysis, ...]], SharedWindow],
    torus_steps: tuple[Analysis, ...],
) -> SharedWindow:
    """Hold the window with the torus that tests of a module share."""
    return share_window(torus_steps)


@pytest.fixture
def loaded(shared_window: SharedWindow, qtbot: QtBot, no_reading: Trace) -> MainWindow:
    """Show a simulated torus of 4x3 ranks, in a window that other tests use too."""
    del qtbot, no_reading
    return shared_window.take()


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
        analysis = replace(traces.identified(trace), **results)
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
