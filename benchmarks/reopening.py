"""Time until a window shows a trace that was open before, beside the trace's size.

Run: ``python benchmarks/reopening.py FOLDER [EVENTS...]`` (under xvfb-run without a
display; on Linux). FOLDER gets the generated traces and a cache; both are removed
again. Each trace is opened in a window of a fresh process: for the first time; again;
again after the cache's files were taken out of memory (``cold``); so in a window of
another size; and so after a magnified window, each a tenth of the one before, was asked
for. Printed are seconds from the order to open until

- timeline: the rows show the first pixels, and until they are exact
- topology: the scene shows the ranks in the topology's shape
- all: the logical trace is there too (where memory allows one), nothing is left to do

and MiB of the cache's files that were in memory then. Behind each magnified window:
seconds until it is exact, MiB that came to memory for it, and the longest stretch
without a beat of the event loop in milliseconds.
"""

import argparse
import ctypes
import json
import mmap
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from generate import generate

MIB = 1 << 20
PATIENCE = 600.0
SIZES = {"first": (1280, 800), "again": (1280, 800), "cold": (1280, 800)}
OTHER = (1610, 930)
ZOOMS = 4


def resident(folder: Path) -> int:
    """Bytes of a folder's files that are in memory."""
    libc = ctypes.CDLL(None, use_errno=True)
    total = 0
    for file in files_of(folder):
        with file.open("rb") as opened:
            size = os.fstat(opened.fileno()).st_size
            if not size:
                continue
            mapped = mmap.mmap(opened.fileno(), size, access=mmap.ACCESS_READ)
        pages = np.zeros(-(-size // mmap.PAGESIZE), np.uint8)
        address = ctypes.c_void_p(np.frombuffer(mapped, np.uint8).ctypes.data)
        libc.mincore(
            address, ctypes.c_size_t(size), pages.ctypes.data_as(ctypes.c_void_p)
        )
        total += int((pages & 1).sum()) * mmap.PAGESIZE
    return total


def files_of(folder: Path) -> list[Path]:
    """List the files of a folder and of those in it."""
    return [file for file in folder.rglob("*") if file.is_file()]


def evict(folder: Path) -> None:
    """Take a folder's files out of memory."""
    for file in files_of(folder):
        descriptor = os.open(file, os.O_RDONLY)
        os.fsync(descriptor)
        os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
        os.close(descriptor)


def one(anchor: Path, cache: Path, size: tuple[int, int]) -> dict[str, Any]:
    """Open a trace in a window; what was measured."""
    from PySide6.QtCore import QTimer

    from topoview.live.picking.navigation import zoomed
    from topoview.ui.panels.timeline.view import TimelineView
    from topoview.ui.settings import MemoryStore, Settings
    from topoview.ui.shell.app import SWITCH_INTERVAL, application
    from topoview.ui.shell.window import MainWindow

    sys.setswitchinterval(SWITCH_INTERVAL)
    qt = application()
    window = MainWindow(Settings(MemoryStore()))
    window.resize(*size)
    window.show()
    window.start()
    wait(qt, lambda: window.workspace is not None)
    wait(qt, lambda: False, 1.0)
    workspace, session = window.workspace, window.session
    assert workspace is not None
    timeline = workspace.panel("timeline")
    assert isinstance(timeline, TimelineView)
    gaps = [0.0, time.perf_counter()]

    def beat() -> None:
        now = time.perf_counter()
        gaps[:] = max(gaps[0], now - gaps[1]), now

    timer = QTimer()
    timer.timeout.connect(beat)
    timer.start(1)
    began = time.perf_counter()
    window.open(str(anchor))
    steps = {
        "timeline": lambda: timeline._rows[0] is not None,
        "topology": lambda: workspace.scene._content is not None,
        "exact": lambda: timeline._rows[0] is not None and timeline.settled,
        "all": lambda: (
            session.state.opening is None
            and session.state.analysis is not None
            and timeline.settled
            and not workspace.scene.busy
        ),
    }
    found: dict[str, Any] = {}
    while len(found) < len(steps):
        for name, done in steps.items():
            if name not in found and done():
                found[name] = time.perf_counter() - began
        qt.processEvents()
        if time.perf_counter() - began > PATIENCE:
            raise TimeoutError(f"only {found}; {session.state.failure}")
    known = session.state.analysis
    assert known is not None
    assert known.identification is not None
    found["resident"] = resident(cache)
    found["events"] = known.trace.events
    found["name"] = known.identification.best.topology.name
    found["zooms"] = []
    bounds = (0, known.trace.clock.length)
    wait(qt, lambda: False, 1.0)
    for _ in range(ZOOMS):
        here, before = session.state.window, resident(cache)
        gaps[:] = 0.0, time.perf_counter()
        start = time.perf_counter()
        session.update(
            window=zoomed(here, 10, here[0] + (here[1] - here[0]) / 3, bounds)
        )
        wait(qt, lambda: timeline.settled)
        seconds = time.perf_counter() - start
        wait(qt, lambda: False, 0.2)
        found["zooms"].append([seconds, resident(cache) - before, gaps[0]])
    window.close()
    return found


def wait(qt: Any, done: Callable[[], bool], most: float = PATIENCE) -> None:  # noqa: ANN401
    """Let the window work until something is so."""
    end = time.perf_counter() + most
    while not done() and time.perf_counter() < end:
        qt.processEvents()


def measured(
    anchor: Path, cache: Path, size: tuple[int, int], *, cold: bool = False
) -> dict[str, Any]:
    """Open a trace in a fresh process."""
    if cold:
        evict(cache)
    environment = {
        **os.environ,
        "TOPOVIEW_CACHE": str(cache),
        "TOPOVIEW_CACHE_LIMIT": "1T",
    }
    command = [sys.executable, __file__, str(anchor), "--one", *map(str, size)]
    run = subprocess.run(
        command, env=environment, stdout=subprocess.PIPE, check=True, text=True
    )
    told: dict[str, Any] = json.loads(run.stdout.splitlines()[-1])
    return told


def show(name: str, told: dict[str, Any], *, zooms: bool) -> None:
    """Print a line."""
    steps = "".join(
        f"{told[k]:10.2f}" for k in ("timeline", "exact", "topology", "all")
    )
    print(f"    {name:<22}{steps}{told['resident'] / MIB:10.1f}", flush=True)
    if zooms:
        cells = [
            f"{s:.3f} s {size / MIB:.1f} MiB {1e3 * gap:.0f} ms"
            for s, size, gap in told["zooms"]
        ]
        print(f"    {'magnified':<22}  {'; '.join(cells)}", flush=True)


def main() -> None:
    """Print a table for each size."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("events", type=float, nargs="*", default=[1e6, 1e7, 1e8])
    parser.add_argument("--one", type=int, nargs=2, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one:
        cache = Path(os.environ["TOPOVIEW_CACHE"])
        print(json.dumps(one(arguments.folder, cache, tuple(arguments.one))))
        return
    arguments.folder.mkdir(parents=True, exist_ok=True)
    head = "".join(f"{k:>10}" for k in ("timeline", "exact", "topology", "all", "MiB"))
    for events in arguments.events:
        folder, cache = arguments.folder / "trace", arguments.folder / "cache"
        try:
            anchor = generate(folder, int(events))
            first = measured(anchor, cache, SIZES["first"])
            kept = sum(file.stat().st_size for file in files_of(cache))
            print(
                f"{first['events']:,d} events, {first['name']}, {kept / MIB:.0f} MiB "
                f"in the cache\n    {'seconds until':<22}{head}"
            )
            show("first, with reading", first, zooms=False)
            show("again", measured(anchor, cache, SIZES["again"]), zooms=False)
            told = measured(anchor, cache, SIZES["cold"], cold=True)
            show("cold", told, zooms=True)
            told = measured(anchor, cache, OTHER, cold=True)
            show("cold, another size", told, zooms=False)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
            shutil.rmtree(cache, ignore_errors=True)


if __name__ == "__main__":
    main()
