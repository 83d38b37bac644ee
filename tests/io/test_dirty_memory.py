"""Nothing that is read depends on what memory held before."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import DTypeLike, NDArray
from same import assert_same
from traces import simulated
from writer import write_trace

from topoview.base.progress import silent
from topoview.io.archive.finding import find_anchor
from topoview.io.reading.whole import read_anchor
from topoview.model import Subset
from topoview.worker import open_trace


def dirty(
    name: str, length: int, dtype: DTypeLike, *, scratch: bool = False
) -> NDArray[Any]:
    """Give memory that was used for something else."""
    del name, scratch
    array = np.empty(length, dtype)
    array.view(np.uint8)[:] = 0x5A
    return array


@pytest.mark.parametrize("share", [0.0, 0.3, 0.6])
def test_dirty_memory(tmp_path: Path, share: float) -> None:
    write_trace(simulated("grid", (3, 2)), tmp_path / "run")
    clock = open_trace(tmp_path / "run").clock
    begin = share * clock.seconds(clock.length)
    subset = Subset(begin, begin + 0.2 * clock.seconds(clock.length))
    anchor = find_anchor(tmp_path / "run", tmp_path, silent)
    found = read_anchor(anchor, silent, subset, dirty)
    assert_same(found.paths, read_anchor(anchor, silent, subset).paths)
    for name in ("timeline", "calls", "messages", "collectives"):
        expected = getattr(read_anchor(anchor, silent, subset), name)
        assert_same(getattr(found, name), expected)
