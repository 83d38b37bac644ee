"""The application from its start to its end."""

import gc
import signal
import subprocess
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import pytest
from PySide6.QtCore import QProcess, QTimer
from PySide6.QtWidgets import QApplication, QLabel, QWidget
from pytestqt.qtbot import QtBot

from topoview.session import Session
from topoview.ui import run
from topoview.ui.actions.general import WINDOW_NUMBER
from topoview.ui.panels.table import PANELS, PARTS, SCENE, module_of
from topoview.ui.shell.status_bar import StatusBar
from topoview.ui.shell.window import MainWindow

HEAVY = ("scipy", "pyvista", "vtkmodules")


@pytest.fixture(autouse=True)
def own_hooks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give back what the application takes from the interpreter."""
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    monkeypatch.setattr(signal, "signal", lambda *_: None)
    monkeypatch.setattr(sys, "setswitchinterval", lambda _: None)
    monkeypatch.setattr(gc, "freeze", lambda: None)  # later tests look for leaks


def windows() -> list[MainWindow]:
    return [w for w in QApplication.topLevelWidgets() if isinstance(w, MainWindow)]


@pytest.mark.usefixtures("qtbot")
def test_the_window_is_there_before_what_is_heavy() -> None:
    seen: list[bool] = []

    def look() -> None:
        (window,) = [w for w in windows() if w.isVisible()]
        seen.append(window.workspace is None)
        window.close()

    QTimer.singleShot(0, look)
    assert run([]) == 0
    assert seen == [True]


@pytest.mark.parametrize("part", PARTS)
def test_every_part_of_the_workspace_is_where_its_row_says(part: str) -> None:
    """Rows name modules in words, which nothing else checks."""
    module = import_module(module_of(part))
    name = PANELS[part].made_by.rpartition(".")[2] if part != SCENE else "SceneView"
    assert issubclass(getattr(module, name), QWidget)


def test_a_trace_that_is_named_is_opened(qtbot: QtBot, tmp_path: Path) -> None:
    failures: list[str] = []

    def look() -> None:
        for window in (w for w in windows() if w.isVisible()):
            if not window.session.state.failure:
                continue
            failures.append(window.session.state.failure)
            window.close()

    timer = QTimer()
    timer.timeout.connect(look)
    timer.start(50)
    assert run([str(tmp_path / "nothing.otf2")]) == 0
    assert "nothing.otf2" in failures[0]
    qtbot.wait(10)


def test_a_message_stands_alone_on_the_left(session: Session, qtbot: QtBot) -> None:
    """Qt hides what stands there, and shows it again when it lays the bar out anew."""
    status = StatusBar(session)
    qtbot.addWidget(status)
    status.resize(1280, 24)
    status.show()
    assert status.ranks.isVisible()
    status.showMessage("Restored your last view")
    status.addPermanentWidget(QLabel(status))
    QApplication.sendPostedEvents()
    assert not status.ranks.isVisible()
    assert not status.selected.isVisible()
    status.clearMessage()
    assert status.ranks.isVisible()


def test_further_traces_get_processes_of_their_own(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[tuple[list[str], str]] = []

    class Process(QProcess):
        """Tells what would be started."""

        def startDetached(self) -> None:  # noqa: N802 - Qt's
            number = self.processEnvironment().value(WINDOW_NUMBER)
            started.append((self.arguments(), number))

    monkeypatch.setattr("topoview.ui.actions.general.QProcess", Process)
    timer = QTimer()  # once is not enough where the window takes long to come
    timer.timeout.connect(lambda: [w.close() for w in windows() if w.isVisible()])
    timer.start(200)
    assert run(["one.otf2", "two.otf2"]) == 0
    path = str(Path("two.otf2").absolute())
    assert started == [(["-P", "-m", "topoview", path], "1")], "one step aside"
    qtbot.wait(10)


def test_the_first_window_waits_for_nothing_that_is_slow_to_load() -> None:
    code = (
        f"import sys, topoview.ui.shell.window; print(*set({HEAVY}) & set(sys.modules))"
    )
    said = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert said.stdout.split() == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_does_not_close_the_window_while_it_is_drawn(
    number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Python runs the handler in any frame, such as in that of a paint event."""
    handlers: dict[int, Callable[..., object]] = {}
    monkeypatch.setattr(signal, "signal", handlers.__setitem__)
    seen: list[bool] = []

    def draw() -> None:
        (window,) = [w for w in windows() if w.isVisible()]
        handlers[number](number, None)
        seen.append(window.isVisible())

    QTimer.singleShot(200, draw)
    assert run([]) == 0
    assert seen == [True]


@pytest.mark.usefixtures("qtbot")
@pytest.mark.parametrize("name", ["topoview", "python"])
def test_the_program_has_its_style_and_fonts_whatever_it_is_called(name: str) -> None:
    """Qt takes the application's name from what is started."""
    told = subprocess.run(
        [sys.executable, "-c", STYLE, name], capture_output=True, text=True, check=True
    )
    assert told.stdout.split() == ["topoview", "topoview", "fusion", "Inter"]


STYLE = """
import sys
sys.argv = sys.argv[1:]
from topoview.ui.shell.app import application
from topoview.ui.widgets.theme import font
from PySide6.QtGui import QFontInfo
made = application()
names = made.applicationName(), made.organizationName()
print(*names, made.style().objectName(), QFontInfo(font()).family())
"""
