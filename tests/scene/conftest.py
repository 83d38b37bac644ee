"""A stage to draw scenes on, which leaves nothing behind."""

import gc
from collections.abc import Callable, Iterator

import pytest
from scene_cases import Stage
from vtkmodules.vtkCommonCore import vtkObjectBase

from topoview.ui.panels.scene.plotter import require_opengl


@pytest.fixture
def stage() -> Iterator[Callable[..., Stage]]:
    """Make a stage; all are closed after the test, and leave nothing of VTK."""
    require_opengl()  # the first to ask makes a window that the process keeps
    gc.collect()
    gc.freeze()  # what is there already is not this test's, nor looked through again
    stages: list[Stage] = []

    def make(
        theme: str = "light", size: tuple[int, int] = (480, 360), *, rays: bool = False
    ) -> Stage:
        stages.append(Stage(theme, size, rays=rays))
        return stages[-1]

    yield make
    for each in stages:
        each.close()
        each.__dict__.clear()
    stages.clear()
    gc.collect()
    left = [
        found for found in gc.get_objects() if issubclass(type(found), vtkObjectBase)
    ]
    names = sorted({type(found).__name__ for found in left})
    assert not left, f"VTK objects are left: {names}"
