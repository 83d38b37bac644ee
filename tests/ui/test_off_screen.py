"""VTK draws through EGL where that works: no display is needed or held."""

import os
import subprocess
import sys

import pytest

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
