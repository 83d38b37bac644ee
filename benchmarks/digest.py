"""What a digest costs step by step, in one process and in parts.

Run: ``python benchmarks/digest.py TRACE [PARTS ...]``. Every task of the graph runs in
a process of its own, one after the other, so that what Dask would do at the same time
is told apart: processor seconds of each step in all, the longest task (what remains
with any number of workers), and the most memory that a task takes beyond what the
process has at its beginning. ``--read`` leaves the results out: up to the joined trace.
"""

import argparse
import os
import pickle
import resource
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

from topoview.io.archive.finding import open_trace
from topoview.worker import graph
from topoview.worker.graph import Job, make_on


class Forked:
    """Runs each task in a child, and notes what it took."""

    def __init__(self) -> None:
        self.tasks: dict[str, list[tuple[float, int]]] = defaultdict(list)

    def submit(self, stage: str, task: Callable[..., Any], *given: object) -> Any:  # noqa: ANN401 - as given
        """Run a task."""
        source, sink = os.pipe()
        child = os.fork()
        if not child:
            os.close(source)
            begin = _peak()
            found = pickle.dumps(task(*given))
            with os.fdopen(sink, "wb") as file:
                pickle.dump((_peak() - begin, found), file)
            os._exit(0)
        os.close(sink)
        with os.fdopen(source, "rb") as file:
            more, found = pickle.load(file)
        used = os.wait4(child, 0)[2]
        self.tasks[stage].append((used.ru_utime + used.ru_stime, more))
        return pickle.loads(found)

    def value(self, future: Any) -> Any:  # noqa: ANN401 - as given
        """Give what a task gave."""
        return future


def _peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10


def single(path: Path) -> tuple[float, float]:
    """Read the trace in one process: processor and wall seconds."""
    child, begin = os.fork(), time.perf_counter()
    if not child:
        open_trace(path)
        os._exit(0)
    used = os.wait4(child, 0)[2]
    return used.ru_utime + used.ru_stime, time.perf_counter() - begin


def main() -> None:
    """Print a table for each number of parts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("trace", type=Path)
    parser.add_argument("parts", type=int, nargs="*", default=[1, 2, 4, 16])
    parser.add_argument("--read", action="store_true")
    args = parser.parse_args()
    if args.read:
        graph._results_on = lambda *_: []
        graph._write = lambda *_: ("", 0, 0, 0, ())
    cpu, wall = single(args.trace)
    print(f"one process reads it: {cpu:.2f} s of processors, {wall:.2f} s")
    for parts in args.parts:
        where = args.trace.absolute().parent  # there is room for its digest
        with tempfile.TemporaryDirectory(dir=where) as scratch:
            work, output = f"{scratch}/work", f"{scratch}/f.topoview"
            run, job = (
                Forked(),
                Job(str(args.trace), output, work, parts, 1, 1 << 34, 512),
            )
            made = make_on(run, job)
        print(f"\n{parts} parts, digest of {made.size} bytes")
        print(f"{'step':<28}{'tasks':>6}{'CPU s':>9}{'longest':>9}{'MB a task':>11}")
        for stage, tasks in run.tasks.items():
            used = [one for one, _ in tasks]
            most = max(more for _, more in tasks) / 1e6
            print(
                f"{stage:<28}{len(tasks):>6}{sum(used):>9.2f}{max(used):>9.2f}{most:>11.0f}"
            )
        total = sum(one for tasks in run.tasks.values() for one, _ in tasks)
        print(f"{'in all':<28}{'':>6}{total:>9.2f}")


if __name__ == "__main__":
    main()
