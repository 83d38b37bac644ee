"""Trace after trace in one window: nothing of those before stays open or mapped."""

import gc
import os
from collections.abc import Callable
from pathlib import Path

from simulation import Program, simulate
from traces import shape
from writer import write_trace

from topoview.ui.shell.window import MainWindow

OPENINGS = 10


def held() -> tuple[int, int]:
    """Count descriptors, and mappings of the cache's files."""
    gc.collect()
    lines = Path("/proc/self/maps").read_text().splitlines()
    return (
        len(os.listdir("/proc/self/fd")),  # noqa: PTH208
        sum("/topoview/traces/" in line for line in lines),
    )


def test_no_opening_leaves_descriptors_or_mappings(
    load: Callable[[Path], MainWindow], tmp_path: Path
) -> None:
    anchors = [
        write_trace(
            simulate(Program(shape("torus", (4, n)), iterations=5)), tmp_path / str(n)
        )
        for n in (3, 4)
    ]
    counts = []
    for number in range(OPENINGS):
        window = load(anchors[number % 2])
        assert window.session.state.analysis is not None
        counts.append(held())
    before = max(counts[2:4])
    assert counts[-1][0] <= before[0] + 2, counts
    assert counts[-1][1] <= before[1] + 2, counts
