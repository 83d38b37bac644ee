"""Nothing of VTK outlives the window or a picture: each kept a connection to X open."""

import gc
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from vtkmodules.vtkRenderingCore import vtkRenderWindow

from topoview.desktop import has_display
from topoview.model import Analysis
from topoview.session import SceneOptions, Selection
from topoview.ui.export.picture import render
from topoview.ui.export.render_spec import RenderSpec
from topoview.ui.shell.app import application
from topoview.ui.shell.window import MainWindow

OPENED = Path("/proc/self/fd")


def sockets() -> int:
    """Count the open sockets: one for each connection to X."""
    found = 0
    for entry in OPENED.iterdir():
        try:
            found += str(entry.readlink()).startswith("socket")
        except OSError:  # the folder's own
            continue
    return found


def render_windows() -> int:
    return sum(issubclass(type(found), vtkRenderWindow) for found in gc.get_objects())


@pytest.mark.skipif(not OPENED.is_dir(), reason="open files are not listed")
def test_a_closed_window_leaves_no_connection_to_x(
    qtbot: QtBot, torus: Analysis, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VTK_DEFAULT_OPENGL_WINDOW", "vtkXOpenGLRenderWindow")
    application()
    assert has_display()  # keeps a connection of its own
    gc.collect()
    before, windows = sockets(), render_windows()
    shown = MainWindow()
    shown.show()
    shown.start()
    qtbot.waitUntil(lambda: shown.workspace is not None, timeout=60_000)
    assert shown.workspace is not None
    clock = torus.trace.clock
    shown.session.update(analysis=torus, window=(0, clock.length), time=1)
    shown.workspace.open_panel("second", shown=True)
    panel = shown.workspace.panel
    qtbot.waitUntil(lambda: panel("second").view is not None, timeout=60_000)
    spec = RenderSpec(
        *(clock.length // 2, (0, clock.length), (320, 240)),
        footer=False,
        scene=SceneOptions(),
        selection=Selection(),
        pose=None,
    )
    assert not render(torus, spec).isNull()
    assert sockets() >= before + 2, "one for each scene"
    shown.close()
    QApplication.processEvents()
    gc.collect()
    assert (sockets(), render_windows()) == (before, windows)
