"""What tests of reading share."""

from collections.abc import Callable
from pathlib import Path

import pytest
from writer import write_trace

from topoview.model import Trace
from topoview.store.traces import Store, user_store


@pytest.fixture
def anchor(simulated: Callable[..., Trace], tmp_path: Path) -> Path:
    return write_trace(simulated("torus", (4, 3)), tmp_path / "run")


@pytest.fixture
def kept() -> Store:
    found = user_store()
    assert found is not None
    return found
