"""What all tests share: traces, isolation from the user, VTK's warnings."""

import gc
import itertools
import os
import subprocess
import sys
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Literal

import blas  # noqa: F401 - before NumPy reads how many threads there are
import forked_workers
import kernel_builds  # noqa: F401 - chooses kernels before `traces` imports some
import pytest
import traces
from hypothesis import settings

from topoview.model import Trace
from topoview.ui import hasten_imports
from topoview.worker import pool, process

OBJECTS_A_COLLECTION = 10_000
"""New objects after which Python looks for cycles of them.

Now and then it looks through all traces that tests share, too: with its own 700 that
took a twentieth of all time. With 100,000 closed windows stay, 200 MB of them.
"""

# Examples are the same in each run: nobody's
# change fails for what another one left; `--hypothesis-profile=search` tries others.
settings.register_profile("topoview", deadline=None, derandomize=True)
settings.register_profile("search", deadline=None)
settings.load_profile("topoview")

# Each of the hundreds of processes that tests start would compile all modules that it
# imports, and each that runs tests all tests.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# What tests write need not outlast a loss of power: no disk is waited for, here or in
# the processes that tests start.
os.environ["PYTHONPATH"] = os.pathsep.join(
    filter(None, [str(Path(__file__).parent / "startup"), os.getenv("PYTHONPATH")])
)
os.fsync = lambda _: None
os.environ["TOPOVIEW_PROGRESS"] = "none"  # what is told every few seconds comes or not
os.environ["MPLBACKEND"] = "agg"  # figures open no windows
# hwloc asks every X server about its GPUs: mpirun ends with a display that another
# process of the tests closes
os.environ["HWLOC_COMPONENTS"] = "-gl"
# ranks of a skeleton talk through memory: a third of their time went into other ways
os.environ |= {"OMPI_MCA_pml": "ob1", "OMPI_MCA_btl": "self,vader"}


def pytest_configure(config: pytest.Config) -> None:
    """Tell tests, and processes that run them, whether slow ones run."""
    if "not slow" not in config.option.markexpr:
        os.environ["TOPOVIEW_SLOW_TESTS"] = "1"


def pytest_unconfigure() -> None:
    """End what workers are forked from."""
    forked_workers.end()


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collect thousands of tests without looking for garbage among them, ever."""
    hasten_imports()  # disables the search, too
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(OBJECTS_A_COLLECTION)
        gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Look for garbage after a test of the window, not within, as the window does.

    Qt holds a lock while PySide looks for methods that Python overrides: to destroy a
    widget that is found to be garbage just then would wait for that lock, forever.
    """
    if "qtbot" in getattr(item, "fixturenames", ()):
        gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Let every other process collect from the end.

    In a fresh clone each compiles the modules of tests, and what they import: so two
    of them compile a half each, and take the other as they find it.
    """
    report = yield
    if isinstance(collector, pytest.Dir) and _worker_number() % 2:
        report.result.reverse()
    return report


def _worker_number() -> int:
    """Return which of the processes that run tests this is; 0 if there is but one."""
    return int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))


def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark what is tried on a real trace that does not come with the tests."""
    call = getattr(item, "callspec", None)
    if call is not None and any(map(traces.is_elsewhere, call.params.values())):
        item.add_marker("traces")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> None:
    """Put tests in the same order in all processes.

    Leave out what is tried on real traces beside the checkout, if there are none.
    """
    items.sort(key=lambda item: item.path.parts)
    if traces.REAL_TRACES.is_dir():
        return
    left = [item for item in items if item.get_closest_marker("traces")]
    config.hook.pytest_deselected(items=left)
    items[:] = [item for item in items if not item.get_closest_marker("traces")]


@pytest.fixture
def real_path() -> Callable[[str], Path]:
    """Find a real trace by its name."""
    return traces.real_path


@pytest.fixture
def real_trace() -> Callable[[str], Trace]:
    """Read a real trace by its name, once a session."""
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


@pytest.fixture(scope="session")
def compiled_shaders(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Make a folder for what Mesa compiles, which all processes of a run share.

    It would compile for each window, and each program that draws, what it did before:
    0.4 s of processor time.
    """
    return str(_folder_of_run(tmp_path_factory, "shaders"))


def _folder_of_run(factory: pytest.TempPathFactory, name: str) -> Path:
    """Make a folder that all processes of a run share."""
    base = factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        base = base.parent
    (base / name).mkdir(exist_ok=True)
    return base / name


@pytest.fixture(scope="session")
def user_folders(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Name a folder for each test.

    pytest's `mktemp` looks at all that it made before: with thousands of them that
    takes some milliseconds, more than most tests.
    """
    folder = tmp_path_factory.mktemp("users")
    return (folder / str(number) for number in itertools.count())


def _user_folders_of(scope: Literal["session", "module", "function"]) -> object:
    @pytest.fixture(scope=scope, autouse=True, name=f"user_folders_of_{scope}")
    def set_folders(
        user_folders: Iterator[Path], compiled_shaders: str
    ) -> Iterator[None]:
        folder = next(user_folders)
        folder.mkdir()
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("MESA_SHADER_CACHE_DIR", compiled_shaders)
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

    return set_folders


# Keep tests, and the windows that tests of a module share, away from the settings,
# caches and data of who runs them, and of each other.
user_folders_of_session = _user_folders_of("session")
user_folders_of_module = _user_folders_of("module")
user_folders_of_function = _user_folders_of("function")


@pytest.fixture(autouse=True)
def workers_forked(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Fork workers, which takes no time, instead of starting them.

    Each does one task.
    """
    for module in (process, pool):
        monkeypatch.setattr(module, "subprocess", forked_workers.FORKING)
    monkeypatch.setattr(process, "TAKEN_SECONDS", -1.0)
    yield
    process.end_idle()


@pytest.fixture
def started_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Start workers as the program does, for tests of their beginning and their end."""
    for module in (process, pool):
        monkeypatch.setattr(module, "subprocess", subprocess)


@pytest.fixture(scope="session")
def store_of_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a folder for what all processes of a run keep of traces."""
    return _folder_of_run(tmp_path_factory, "store")


@pytest.fixture
def one_store(store_of_run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Read and analyse each trace once a run, for tests of what is made of it."""
    monkeypatch.setenv("TOPOVIEW_CACHE", str(store_of_run))


@pytest.fixture
def few_moves(monkeypatch: pytest.MonkeyPatch) -> None:
    """Anneal mappings for a small part of the time."""
    monkeypatch.setattr("topoview.analysis.network.mappings.MOVES", 200_000)


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
