"""Source files and lines of regions."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from writer import write_trace

from topoview.model import Trace
from topoview.worker import open_trace


def test_lines_are_written_and_read(
    simulated: Callable[..., Trace], tmp_path: Path
) -> None:
    trace = simulated("torus", (4, 3))
    count = len(trace.regions.names)
    files = tuple("MPI" if i % 2 else f"part{i}.c" for i in range(count))
    first = np.array([0 if i % 2 else 10 * i + 1 for i in range(count)], np.int32)
    lines = np.stack([first, first + 5 * (first > 0)], axis=1).astype(np.int32)
    trace = replace(trace, regions=replace(trace.regions, files=files, lines=lines))
    read = open_trace(write_trace(trace, tmp_path / "run")).regions
    for here, name in enumerate(read.names):
        there = trace.regions.names.index(name)
        assert read.files[here] == files[there]
        assert read.lines[here].tolist() == lines[there].tolist()
        expected = "" if there % 2 else f"part{there}.c:{10 * there + 1}"
        assert read.source(here) == expected
    assert read.source(-1) == ""


@pytest.mark.traces
def test_lines_of_a_real_program(real_trace: Callable[[str], Trace]) -> None:
    regions = real_trace("sp-lu-32-functions").regions
    main = regions.names.index("applu")
    assert regions.source(main).endswith("/LU/lu.f:46")
    assert regions.lines[main].tolist() == [46, 206]
    assert regions.source(regions.names.index("MPI_Send")) == ""


def test_a_trace_without_lines(anchor: Path) -> None:
    regions = open_trace(anchor).regions
    assert regions.files == ()
    assert regions.lines.shape == (0, 2)
    assert regions.source(0) == ""
