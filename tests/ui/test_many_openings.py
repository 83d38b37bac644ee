"""Trace after trace in one window: nothing of those before stays open or mapped."""

import gc
import os
from collections.abc import Callable
from pathlib import Path

from pytestqt.qtbot import QtBot
from simulation import Program, simulate
from traces import shape, slow_tests_run
from writer import write_trace

from topoview.ui.shell.window import MainWindow

OPENINGS = 10 if slow_tests_run() else 6
PATIENCE = 60_000


def held() -> tuple[int, int]:
    """Count descriptors, and mappings of the cache's files."""
    gc.collect()
    lines = Path("/proc/self/maps").read_text().splitlines()
    return (
        len(os.listdir("/proc/self/fd")),  # noqa: PTH208
        sum("/topoview/traces/" in line for line in lines),
    )


def test_no_opening_leaves_descriptors_or_mappings(
    load: Callable[[Path], MainWindow], tmp_path: Path, qtbot: QtBot
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
    descriptors, mappings = max(counts[2:4])

    def is_level() -> bool:
        """Threads that drew an older trace have come to their end."""
        now = held()
        return now[0] <= descriptors + 2 and now[1] <= mappings + 2

    qtbot.waitUntil(is_level, timeout=PATIENCE)
