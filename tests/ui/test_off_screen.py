"""VTK draws through EGL where that works: no display is needed or held."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from topoview.base.resources import demo_trace
from topoview.errors import TopoviewError
from topoview.model import Trace
from topoview.ui.shell.window import MainWindow

SHOW = """
from topoview.ui.panels.scene.plotter import make_view
view = make_view((8, 8))
view.window.Render()
print(view.window.GetClassName())
view.close()
"""


def window_class(**environment: str) -> str:
    """Name the kind of window that a process draws in."""
    known = {k: v for k, v in os.environ.items() if k != "VTK_DEFAULT_OPENGL_WINDOW"}
    said = subprocess.run(
        [sys.executable, "-c", SHOW],
        env=known | environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return said.stdout.split()[-1]


@pytest.mark.usefixtures("qapp")
def test_egl_is_taken_beside_a_display() -> None:
    assert os.environ["DISPLAY"]
    assert window_class() == "vtkEGLRenderWindow"


@pytest.mark.usefixtures("qapp")
def test_without_egl_the_display_is_used() -> None:
    found = window_class(__EGL_VENDOR_LIBRARY_DIRS="/nonexistent")
    assert found == "vtkXOpenGLRenderWindow"


NO_DRIVER = {
    "DISPLAY": "",
    "WAYLAND_DISPLAY": "",
    "__EGL_VENDOR_LIBRARY_FILENAMES": "/nonexistent",
    "LIBGL_DRIVERS_PATH": "/nonexistent",
    "GALLIUM_DRIVER": "nonexistent",
}


@pytest.mark.usefixtures("one_store")
def test_without_a_driver_of_opengl_one_line_says_so(tmp_path: Path) -> None:
    """VTK would end the process by a signal."""
    for command in ("render", "report"):
        path = tmp_path / {"render": "a.png", "report": "a.html"}[command]
        done = subprocess.run(
            [sys.executable, "-m", "topoview", command, demo_trace(), "-o", path],
            env=os.environ | NO_DRIVER,
            capture_output=True,
            text=True,
            check=False,
        )
        told = [line for line in done.stderr.splitlines() if "libEGL" not in line]
        assert done.returncode == 1, done.stderr
        assert "topoview --doctor says what is missing" in "".join(told)
        assert not path.exists()


def test_without_opengl_the_window_has_all_but_the_scene(
    archive: Callable[[Trace], Path],
    simulated: Callable[..., Trace],
    monkeypatch: pytest.MonkeyPatch,
    qtbot: QtBot,
) -> None:
    def refuse() -> None:
        raise TopoviewError("OpenGL does not work here")

    monkeypatch.setattr("topoview.ui.panels.scene.plotter.require_opengl", refuse)
    window = MainWindow()
    qtbot.addWidget(window)
    window.show()
    window.start()
    qtbot.waitUntil(lambda: window.workspace is not None, timeout=60_000)
    workspace = window.workspace
    assert workspace is not None
    window.open(str(archive(simulated("torus", (4, 3)))))
    qtbot.waitUntil(lambda: window.session.state.analysis is not None, timeout=60_000)
    qtbot.waitUntil(lambda: window.session.state.opening is None, timeout=60_000)
    assert workspace.scene is None
    told = [label.text() for label in workspace.findChildren(QLabel)]
    assert any("OpenGL does not work here" in text for text in told)
    window.close()
