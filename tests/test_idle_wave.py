"""The idle waves of real traces leave the delayed rank and travel hop by hop."""

import importlib.util
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
import traces

SCRIPT = Path(__file__).parents[1] / "scripts" / "gallery.py"


@pytest.fixture(scope="module")
def gallery() -> Iterator[ModuleType]:
    """Load the script that draws the documentation's pictures of a wave."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(SCRIPT.parent)
        yield _load()


def _load() -> ModuleType:
    spec = importlib.util.spec_from_file_location("gallery", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    "name", ["sp-jacobi2d-6x6-idlewave", "sp-jacobi2d-8x4-periodic-idlewave"]
)
def test_a_wave_comes_to_ranks_in_the_order_of_their_distance(
    gallery: ModuleType, name: str
) -> None:
    known = traces.analysis_of_real(name)
    delayed, hops, arrival = gallery.arrivals(known)
    assert hops[delayed] == 0
    assert hops.max() > 4
    assert (arrival >= 0).all()
    middle = [np.median(arrival[hops == hop]) for hop in range(hops.max() + 1)]
    assert (np.diff(middle) > 0).all(), "each hop takes it time"


def test_on_a_torus_it_takes_an_iteration_for_each_hop(gallery: ModuleType) -> None:
    trace = traces.read_real("sp-jacobi2d-8x4-periodic-idlewave")
    known = traces.analysis_of_real("sp-jacobi2d-8x4-periodic-idlewave")
    _, hops, arrival = gallery.arrivals(known)
    latest = [arrival[hops == hop].max() for hop in range(hops.max() + 1)]
    earliest = [arrival[hops == hop].min() for hop in range(hops.max() + 1)]
    assert all(a < b for a, b in zip(latest[:-1], earliest[1:], strict=True))
    steps = np.diff(latest) / trace.clock.resolution
    assert np.allclose(steps, 4e-3, atol=1e-3)
