"""What all tests share: traces, isolation from the user, VTK's warnings."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import traces
from hypothesis import settings

from topoview.model import Trace

# The first example may compile kernels. Examples are the same in each run: nobody's
# change fails for what another one left; `--hypothesis-profile=search` tries others.
settings.register_profile("topoview", deadline=None, derandomize=True)
settings.register_profile("search", deadline=None)
settings.load_profile("topoview")


@pytest.fixture
def real_path() -> Callable[[str], Path]:
    """Find a real trace by its name; skips the test if it is not there."""
    return traces.real_path


@pytest.fixture
def real_trace() -> Callable[[str], Trace]:
    """Read a real trace by its name, once a session; skips if it is not there."""
    return traces.read_real


@pytest.fixture
def simulated() -> Callable[..., Trace]:
    """Simulate: ``simulated("torus", (4, 3), numbering=1)``."""
    return traces.simulated


@pytest.fixture
def archive(tmp_path: Path) -> Callable[[Trace], Path]:
    """Write a trace to an OTF2 archive; returns the path of its anchor."""
    from writer import write_trace

    return lambda trace: write_trace(trace, tmp_path / "archive")


@pytest.fixture(autouse=True)
def own_user_folders(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep tests away from the settings, caches and data of who runs them."""
    folder = tmp_path_factory.mktemp("user")
    with pytest.MonkeyPatch.context() as patch:
        for name in ("CONFIG", "CACHE", "DATA", "STATE"):
            patch.setenv(f"XDG_{name}_HOME", str(folder / name.lower()))
        core = sys.modules.get("PySide6.QtCore")
        if core is not None:
            # Qt has read the environment already
            settings = core.QSettings
            for kind in (settings.Format.NativeFormat, settings.Format.IniFormat):
                place = str(folder / "config")
                settings.setPath(kind, settings.Scope.UserScope, place)
        yield


@pytest.fixture(autouse=True)
def no_vtk_warnings() -> Iterator[None]:
    """Fail a test in which VTK complains; it does so on stderr only."""
    core = sys.modules.get("vtkmodules.vtkCommonCore")
    if core is None:
        yield
        return
    before = core.vtkOutputWindow.GetInstance()
    window = core.vtkStringOutputWindow()
    core.vtkOutputWindow.SetInstance(window)
    yield
    core.vtkOutputWindow.SetInstance(before)
    said = window.GetOutput().strip()
    assert not said, f"VTK complained:\n{said}"
