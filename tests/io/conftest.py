"""What tests of reading share."""

from collections.abc import Callable
from pathlib import Path

import pytest
from traces import simulated as simulated_trace
from writer import write_trace

from topoview.model import Trace
from topoview.store.traces import Store, user_store


@pytest.fixture
def anchor(simulated: Callable[..., Trace], tmp_path: Path) -> Path:
    return write_trace(simulated("torus", (4, 3)), tmp_path / "run")


@pytest.fixture(scope="session")
def long_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the folder of a trace whose events fill more than a chunk.

    Writing it takes seconds: tests that change it copy it.
    """
    run = tmp_path_factory.mktemp("long") / "run"
    write_trace(simulated_trace("grid", (2, 1), iterations=5_000), run)
    return run


@pytest.fixture
def kept() -> Store:
    found = user_store()
    assert found is not None
    return found
