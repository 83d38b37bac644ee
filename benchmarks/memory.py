"""Peak memory of opening traces of 10^6, 10^7, 10^8 events, and of looking at them.

Run: ``python benchmarks/memory.py FOLDER [EVENTS...]``. FOLDER gets the generated
traces and a cache of its own; both are removed again. For every size a fresh process
opens the trace (reading in its child), opens it again from the cache, and does what
the window does before its first picture, then the analyses. Its memory and its
child's are sampled every 10 ms:

- own: memory that only the process can give back (RssAnon)
- mapped: pages of the store's files that are in memory (RssFile and RssShmem); the
  system takes them back when it needs them

A curve of own memory that stays flat is what "larger than memory" needs.
"""

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from generate import generate
from simulation import Program, simulate

MIB = 1 << 20
STEPS = ("idle", "read", "open again", "first picture", "profile", "matrix", "logical")


class Sampler:
    """Watches the memory of this process and of its children."""

    def __init__(self) -> None:
        self.peak = {"own": 0, "mapped": 0}
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run)

    def __enter__(self) -> "Sampler":
        """Begin."""
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """End."""
        self._stop.set()
        self._thread.join()

    def _run(self) -> None:
        while True:
            own, mapped = 0, 0
            for process in (os.getpid(), *children()):
                told = memory(process)
                own += told.get("RssAnon", 0)
                mapped += told.get("RssFile", 0) + told.get("RssShmem", 0)
            self.peak["own"] = max(self.peak["own"], own)
            self.peak["mapped"] = max(self.peak["mapped"], mapped)
            if self._stop.wait(0.01):
                return


def children() -> list[int]:
    """List the processes that this one has started."""
    found = []
    for task in Path("/proc/self/task").iterdir():
        try:
            found += [int(text) for text in (task / "children").read_text().split()]
        except OSError:
            continue
    return found


def memory(process: int) -> dict[str, int]:
    """Bytes by the names of /proc/PID/status."""
    try:
        lines = Path(f"/proc/{process}/status").read_text().splitlines()
    except OSError:
        return {}
    pairs = (line.split() for line in lines if line.startswith("Rss"))
    return {pair[0].rstrip(":"): int(pair[1]) << 10 for pair in pairs}


def one(anchor: Path) -> None:
    """Do everything with one trace; prints the measurements as JSON."""
    import numpy as np
    from parts import logicalise

    import topoview
    from topoview.live.moments.messages import message_flights
    from topoview.live.picking.navigation import working_window
    from topoview.live.timeline.raster import plan_render, raster_bands
    from topoview.pipeline import Results, analyse, first_look
    from topoview.topology import communication_matrix, directions, identify, lattice

    list(analyse(simulate(Program(lattice((4, 3), (True, False))))))
    steps: dict[str, Any] = {}

    def measure(name: str, act: Callable[[], Any]) -> Any:  # noqa: ANN401
        with Sampler() as sampler:
            begin = time.perf_counter()
            found = act()
            seconds = time.perf_counter() - begin
        steps[name] = {**sampler.peak, "seconds": seconds}
        return found

    measure("idle", lambda: None)
    trace = measure("read", lambda: topoview.open(anchor))
    trace = measure("open again", lambda: topoview.open(anchor))

    def picture() -> None:
        known = first_look(trace)
        window = working_window(known)
        rows = np.arange(trace.ranks, dtype=np.int32)
        plan = plan_render(trace.timeline, known.sums, rows, window, 1200)
        raster_bands(plan, np.arange(len(rows) + 1))
        message_flights(known).at(window[1] // 2)

    measure("first picture", picture)
    measure("profile", lambda: Results(trace).make("profile"))
    matrix = measure("matrix", lambda: communication_matrix(trace))
    found = identify(matrix)
    measure("logical", lambda: logicalise(trace, directions(found.best)))
    steps["events"] = trace.events
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10
    steps["topology"], steps["most"] = found.best.topology.name, peak
    print(json.dumps(steps))


def table(results: list[dict[str, Any]]) -> None:
    """Print one line a step, one column a size."""
    print(f"{'':<16}" + "".join(f"{r['events']:>34,d}" for r in results))
    head = f"{'own MiB':>12}{'mapped MiB':>12}{'s':>10}"
    print(f"{'events':<16}" + head * len(results))
    for step in STEPS:
        cells = ""
        for r in results:
            told = r[step]
            own, mapped = told["own"] / MIB, told["mapped"] / MIB
            cells += f"{own:12.0f}{mapped:12.0f}{told['seconds']:10.2f}"
        print(f"{step:<16}{cells}")


def main() -> None:
    """Print the curve."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("events", type=float, nargs="*", default=[1e6, 1e7, 1e8])
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one:
        one(arguments.folder)
        return
    arguments.folder.mkdir(parents=True, exist_ok=True)
    results = []
    for events in arguments.events:
        folder, cache = arguments.folder / "trace", arguments.folder / "cache"
        try:
            anchor = generate(folder, int(events))
            size = sum(f.stat().st_size for f in folder.rglob("*") if f.is_file())
            environment = {
                **os.environ,
                "TOPOVIEW_CACHE": str(cache),
                "TOPOVIEW_CACHE_LIMIT": "1T",
            }
            run = subprocess.run(
                [sys.executable, __file__, str(anchor), "--one"],
                env=environment,
                stdout=subprocess.PIPE,
                check=True,
            )
            results.append(json.loads(run.stdout))
            kept = sum(f.stat().st_size for f in cache.rglob("*") if f.is_file())
            print(
                f"{results[-1]['events']:,d} events: {size / MIB:.0f} MiB of trace, "
                f"{kept / MIB:.0f} MiB in the store, {results[-1]['topology']}",
                flush=True,
            )
        finally:
            shutil.rmtree(folder, ignore_errors=True)
            shutil.rmtree(cache, ignore_errors=True)
    table(results)


if __name__ == "__main__":
    main()
