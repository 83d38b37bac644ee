"""A stage to draw scenes on, which leaves nothing behind."""

import gc
from collections.abc import Callable, Iterator

import pytest
from scene_cases import Stage
from vtkmodules.vtkCommonCore import vtkObjectBase


@pytest.fixture
def stage() -> Iterator[Callable[..., Stage]]:
    """Make a stage; all are closed after the test, and leave nothing of VTK."""
    gc.collect()  # what earlier tests left to be collected is not this one's
    before = {id(found) for found in _vtk_objects()}
    stages: list[Stage] = []

    def make(theme: str = "light", size: tuple[int, int] = (480, 360)) -> Stage:
        stages.append(Stage(theme, size))
        return stages[-1]

    yield make
    for each in stages:
        each.close()
        each.__dict__.clear()
    stages.clear()
    gc.collect()
    left = [found for found in _vtk_objects() if id(found) not in before]
    names = sorted({type(found).__name__ for found in left})
    assert not left, f"VTK objects are left: {names}"


def _vtk_objects() -> list[vtkObjectBase]:
    return [
        found for found in gc.get_objects() if issubclass(type(found), vtkObjectBase)
    ]
