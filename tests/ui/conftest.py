"""A real window on a virtual display."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from pathlib import Path
from typing import NamedTuple

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


WITH_TEXT = (QAbstractButton, QLabel, QLineEdit)


def is_blank(widget: QWidget) -> bool:
    """Tell whether this would say something, but there is nothing to say."""
    return isinstance(widget, QLabel) and not widget.text() and widget.pixmap().isNull()


class First(NamedTuple):
    """What a window shows at first."""

    state: State
    look: Counter[tuple[object, ...]]


class SharedWindow:
    """A window that tests use one after the other, empty or with a trace.

    To make a window takes longer than most tests. It is set anew for each test; one
    that does not look as at first then gives way to another.
    """

    def __init__(self, qtbot: QtBot) -> None:
        self._qtbot = qtbot
        self._window: MainWindow | None = None
        self._first: dict[tuple[Analysis, ...], First] = {}

    def take(self, steps: tuple[Analysis, ...] = ()) -> MainWindow:
        """Return a window as it is at first, or with an opening of these steps done."""
        window = self._window
        if window is not None and window._frame is not None:  # it was not closed
            first = self._first.get(steps, self._first[()])
            for again in (self._set_anew, self._arrange):
                again(window, first.state)
                if self._looks(window) == first.look:
                    return self._with_trace(window, steps)
        return self._with_trace(self._made(), steps)

    def _made(self) -> MainWindow:
        """Make a window in place of the one before."""
        self.close()
        window = self._window = show_window(self._qtbot, Settings(MemoryStore()))
        self._settle(window)
        self._first = {(): First(window.session.state, self._looks(window))}
        return window

    def close(self) -> None:
        """Close the window, if there is one."""
        if self._window is not None:
            self._window.close()
            self._window.deleteLater()
            self._window = None
            QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)

    def hide(self) -> None:
        """Take the window off the screen, until a test asks for it."""
        if self._window is not None:
            self._window.opener.leave()
            self._window.hide()

    def _with_trace(
        self, window: MainWindow, steps: tuple[Analysis, ...]
    ) -> MainWindow:
        """Open a trace in a window, unless it is there."""
        session = window.session
        if not steps or session.state.analysis is steps[-1]:
            return window
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("topoview.worker.analyse_in_process", lambda *_: iter(steps))
            window.open(f"{steps[-1].trace.name}.otf2")
            self._wait(lambda: session.state.analysis and not session.state.opening)
        self._wait(lambda: window.workspace.scene.content is not None)
        self._settle(window)
        self._first[steps] = First(session.state, self._looks(window))
        return window

    def _set_anew(self, window: MainWindow, first: State) -> None:
        """Show all as at first: state, panels, history and settings."""
        workspace = window.workspace
        assert workspace is not None
        if not window.isVisible():
            with self._qtbot.waitActive(window):
                window.show()
                window.activateWindow()
        if window.size().toTuple() != SIZE:
            window.showNormal()
            window.resize(*SIZE)
            QApplication.processEvents()
        window.opener.leave()
        subscriptions = window.session._subscriptions
        for subscription in subscriptions[:]:
            if subscription[0].__module__.startswith("test_"):
                subscriptions.remove(subscription)
        window.settings._store._kept.clear()
        window.welcome.show_recent([])
        window.session.update(
            **{f.name: getattr(first, f.name) for f in fields(State) if f.init}
        )
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
        choose_theme("light", window.context)
        window._status.clearMessage()
        window.activateWindow()
        self._settle(window)

    def _arrange(self, window: MainWindow, _: State) -> None:
        """Put panels where they are at first, which takes long."""
        window.workspace.arrange()
        self._settle(window)

    def _settle(self, window: MainWindow) -> None:
        workspace = window.workspace
        assert workspace is not None
        self._wait(lambda: workspace.settled)
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
            if widget.isVisible() and not is_blank(widget)
        )


@pytest.fixture(scope="session")
def window_of_tests(request: pytest.FixtureRequest) -> Iterator[SharedWindow]:
    """Hold the window that tests share."""
    shared = SharedWindow(QtBot(request))
    yield shared
    shared.close()


@pytest.fixture(scope="module")
def shared_window(window_of_tests: SharedWindow) -> Iterator[SharedWindow]:
    """Hold the window that tests share; others than those of a module see none."""
    yield window_of_tests
    window_of_tests.hide()


@pytest.fixture
def window(shared_window: SharedWindow, qtbot: QtBot) -> MainWindow:
    """Show an empty window that other tests use too, with its workspace loaded."""
    del qtbot
    return shared_window.take()


@pytest.fixture
def window_anew(qtbot: QtBot, window_of_tests: SharedWindow) -> Iterator[MainWindow]:
    """Show a window of the test's own, with its workspace loaded.

    For tests of what a window does first, does once, or keeps for the next one: a
    module whose tests do gives it as its `window`.
    """
    window_of_tests.hide()
    shown = show_window(qtbot)
    qtbot.addWidget(shown)
    yield shown
    shown.close()


def open_in(window: MainWindow, path: Path, qtbot: QtBot) -> MainWindow:
    """Open a trace in a window, and wait until all is known of it."""
    window.open(str(path))
    qtbot.waitUntil(lambda: window.session.state.opening is None, timeout=PATIENCE)
    assert not window.session.state.failure
    assert window.workspace is not None
    scene = window.workspace.scene
    qtbot.waitUntil(lambda: scene.content is not None, timeout=PATIENCE)
    return window


@pytest.fixture
def load(window: MainWindow, qtbot: QtBot) -> Callable[[Path], MainWindow]:
    """Open a trace in the window, and wait until all is known of it."""
    return lambda path: open_in(window, path, qtbot)


@pytest.fixture
def loaded(
    shared_window: SharedWindow,
    qtbot: QtBot,
    no_reading: Trace,
    torus_steps: tuple[Analysis, ...],
) -> MainWindow:
    """Show a simulated torus of 4x3 ranks, in a window that other tests use too."""
    del qtbot, no_reading
    return shared_window.take(torus_steps)


@pytest.fixture
def loaded_anew(
    window_anew: MainWindow,
    no_reading: Trace,
    tmp_path: Path,
    qtbot: QtBot,
) -> MainWindow:
    """Open a simulated torus of 4x3 ranks in a window of the test's own."""
    return open_in(window_anew, tmp_path / f"{no_reading.name}.otf2", qtbot)


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
