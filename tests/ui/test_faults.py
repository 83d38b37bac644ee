"""Faults of the program, of the display and of the machine: what the user is told."""

import faulthandler
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QUrl, qWarning
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QDockWidget, QLabel, QMessageBox
from pytestqt.qtbot import QtBot

from topoview.model import Trace
from topoview.store.traces import user_store
from topoview.ui.actions.preferences import PreferencesDialog
from topoview.ui.settings import MemoryStore, Settings
from topoview.ui.shell.app import application
from topoview.ui.shell.run_log import LOG, RunLog, explain_end
from topoview.ui.shell.window import MainWindow
from topoview.ui.widgets import dialogs

PATIENCE = 60_000


@pytest.fixture
def log_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Keep logs where nobody else's are."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    return dialogs.log_path().parent


def end_in(code: str, folder: Path) -> None:
    """Run code in a process that keeps a log in this folder, to its bad end."""
    begin = "from topoview.ui.shell.run_log import RunLog\nlog = RunLog()\n"
    environment = {**os.environ, "XDG_STATE_HOME": str(folder.parents[1])}
    done = subprocess.run(
        [sys.executable, "-c", begin + code],
        env=environment,
        capture_output=True,
        check=False,
    )
    assert done.returncode != 0


def test_a_run_that_ends_as_it_should_leaves_a_log_alone(log_folder: Path) -> None:
    log = RunLog()
    LOG.info("something happened")
    log.close()
    assert log.last == ""
    assert [path.name for path in log_folder.iterdir()] == ["topoview.log"]
    assert "something happened" in (log_folder / "topoview.log").read_text()
    assert not faulthandler.is_enabled()


def test_a_crash_is_explained_at_the_next_start_and_once_only(log_folder: Path) -> None:
    crash = "import ctypes\nctypes.string_at(0)"
    end_in(
        f"code = compile({crash!r}, 'ui/panels/scene/canvas.py', 'exec')\nexec(code)",
        log_folder,
    )
    log = RunLog()
    log.close()
    assert "while it drew the 3D scene (Segmentation fault)" in log.last
    assert "--no-3d" in log.last
    log = RunLog()
    log.close()
    assert log.last == ""


@pytest.mark.parametrize("end", ["os._exit(1)", "log.close(); raise SystemExit(1)"])
def test_a_display_that_goes_is_named(log_folder: Path, end: str) -> None:
    """Qt has ended the process, or, since 6.11, its loop: all is closed then."""
    end_in(
        "from PySide6.QtCore import qWarning\nimport os\n"
        "qWarning('The X11 connection broke (error 1). Did the X11 server die?')\n"
        f"{end}",
        log_folder,
    )
    log = RunLog()
    log.close()
    assert "connection to the display" in log.last
    assert not list(log_folder.glob("run-*"))


def test_what_is_killed_says_nothing_and_leaves_nothing(log_folder: Path) -> None:
    end_in("import os, signal\nos.kill(os.getpid(), signal.SIGKILL)", log_folder)
    assert len(list(log_folder.glob("run-*"))) == 1
    log = RunLog()
    log.close()
    assert log.last == ""
    assert not list(log_folder.glob("run-*"))


def test_a_run_that_goes_on_is_left_alone(log_folder: Path) -> None:
    first = RunLog()
    (own,) = log_folder.glob("run-*")
    other = own.with_name("run-0.txt")
    own.rename(other)  # as another process would have called it
    second = RunLog()
    assert other.exists()
    assert second.last == ""
    second.close()
    other.rename(own)
    first.close()


def test_a_fault_of_another_kind_is_one_sentence() -> None:
    record = (
        "Fatal Python error: Aborted\n\nCurrent thread 0x1 (most recent call first):\n"
        '  File "topoview/live/tables/x.py", line 3 in y\n\nThread 0x2 (most recent'
        ' call first):\n  File "ui/panels/scene/canvas.py", line 1 in z\n'
    )
    assert explain_end(record) == "It ended by a fault of its own (Aborted)."
    assert explain_end("") == ""


def test_what_qt_says_is_kept_and_printed(
    log_folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    log = RunLog()
    qWarning("a widget has lost its way")
    log.close()
    assert "a widget has lost its way" in (log_folder / "topoview.log").read_text()
    assert "a widget has lost its way" in capfd.readouterr().err


def test_a_folder_that_cannot_be_written_costs_the_log_only(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    log = RunLog()
    LOG.info("nobody reads this")
    log.close()
    assert log.last == ""


def test_a_fault_can_be_copied_with_all_versions(
    qtbot: QtBot, log_folder: Path
) -> None:
    application()
    window = MainWindow(Settings(MemoryStore()))
    qtbot.addWidget(window)
    log = RunLog()
    dialogs._show_exception(ZeroDivisionError, ZeroDivisionError("one of ours"), None)
    log.close()
    (box,) = dialogs._message_boxes(dialogs.FAULT_BOX)
    assert isinstance(box, QMessageBox)
    (copy,) = [b for b in box.buttons() if b.text() == "Copy details"]
    copy.click()
    copied = QGuiApplication.clipboard().text()
    assert "one of ours" in copied
    assert dialogs.versions() in copied
    assert box.isVisible()
    assert "one of ours" in (log_folder / "topoview.log").read_text()
    box.close()


@pytest.fixture
def flat(qtbot: QtBot, no_reading: Trace, tmp_path: Path) -> Iterator[MainWindow]:
    """Open a trace in a window without a scene."""
    application()
    window = MainWindow(Settings(MemoryStore()), draws=False)
    qtbot.addWidget(window)
    window.resize(1280, 800)
    window.show()
    window.start()
    qtbot.waitUntil(lambda: window.workspace is not None, timeout=PATIENCE)
    window.open(str(tmp_path / no_reading.name))
    state = window.session
    qtbot.waitUntil(
        lambda: state.state.analysis is not None and state.state.opening is None,
        timeout=PATIENCE,
    )
    yield window
    window.close()


def test_without_3d_the_second_view_says_why_it_is_empty(
    flat: MainWindow, qtbot: QtBot
) -> None:
    workspace = flat.workspace
    assert workspace is not None
    qtbot.waitUntil(lambda: workspace.complete, timeout=PATIENCE)
    workspace.open_panel("second", shown=True)
    dock = workspace.findChild(QDockWidget, "second")
    assert dock is not None

    def said() -> list[str]:
        return [label.text() for label in dock.widget().findChildren(QLabel)]

    qtbot.waitUntil(lambda: bool(said()), timeout=PATIENCE)
    assert "topoview was started with --no-3d." in said()


def test_without_3d_all_but_the_scene_works(flat: MainWindow, qtbot: QtBot) -> None:
    workspace = flat.workspace
    assert workspace is not None
    assert workspace.scene is None
    assert flat.context.scene is None
    qtbot.waitUntil(lambda: workspace.settled, timeout=PATIENCE)
    said = [label.text() for label in workspace.findChildren(QLabel)]
    assert "No 3D scene" in said
    actions = flat.actions_shown.qt
    for name in ("screenshot", "film", "fit-scene", "camera-1", "shape"):
        assert not actions[name].isEnabled(), name
    for name in ("zoom-in", "report", "next-event"):
        assert actions[name].isEnabled(), name
    flat.session.select(ranks=(3,))
    actions["zoom-in"].trigger()
    qtbot.waitUntil(lambda: workspace.settled, timeout=PATIENCE)
    assert flat.session.state.selection.ranks == (3,)


def test_preferences_count_at_once_and_at_the_next_start(
    window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("TOPOVIEW_CACHE", str(tmp_path))
    dialog = PreferencesDialog(window.context)
    qtbot.addWidget(dialog)

    def choose(box: object, name: str) -> None:
        index = box.findData(name)  # type: ignore[attr-defined]
        box.setCurrentIndex(index)  # type: ignore[attr-defined]
        box.activated.emit(index)  # type: ignore[attr-defined]

    choose(dialog.theme, "dark")
    choose(dialog.unit, "ms")
    choose(dialog.mouse, "vampir")
    choose(dialog.colour_map, "red-green")
    choose(dialog.scale, "1.25")
    state = window.session.state
    assert (state.theme, state.unit, state.mouse) == ("dark", "ms", "vampir")
    assert state.scene.colour_map == "red-green"
    other = MainWindow(window.settings)
    qtbot.addWidget(other)
    state = other.session.state
    assert (state.theme, state.unit, state.mouse) == ("dark", "ms", "vampir")
    assert state.scene.colour_map == "red-green"
    assert window.settings.scale == "1.25"


@pytest.mark.parametrize(("text", "size"), [("3 GiB", 3 << 30), ("ages", None)])
def test_the_limit_of_the_cache_is_typed(
    window: MainWindow,
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    text: str,
    size: int | None,
) -> None:
    monkeypatch.setenv("TOPOVIEW_CACHE", str(tmp_path))
    dialog = PreferencesDialog(window.context)
    qtbot.addWidget(dialog)
    store = user_store()
    assert store is not None
    before = store.limit
    dialog.limit.setText(text)
    dialog.limit.editingFinished.emit()
    assert store.limit == (before if size is None else size)
    assert ("no size" in dialog.remark.text()) == (size is None)


def test_text_and_controls_grow(tmp_path: Path) -> None:
    """In a process of its own: Qt reads the factor when it starts."""
    code = (
        "from topoview.ui.settings import Settings\n"
        "from PySide6.QtCore import QSettings\n"
        "Settings(QSettings('topoview', 'topoview')).scale = '1.5'\n"
        "from topoview.ui.shell.app import application\n"
        "import os\n"
        "print(application().primaryScreen().devicePixelRatio(), "
        "'QT_SCALE_FACTOR' in os.environ)"
    )
    environment = {
        **os.environ,
        "XDG_CONFIG_HOME": str(tmp_path),
        "QT_QPA_PLATFORM": "offscreen",
    }
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == ["1.5", "False"]


def test_the_log_is_opened_and_named(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []

    def take(url: QUrl) -> bool:
        opened.append(url.toLocalFile())
        return False

    monkeypatch.setattr(QDesktopServices, "openUrl", take)
    window.actions_shown.qt["log"].trigger()
    assert opened == [str(dialogs.log_path())]
    assert str(dialogs.log_path()) in window.statusBar().currentMessage()
