"""How long reading and analysing go on after the user gave up.

Run: ``python benchmarks/cancel.py TRACE [--times N] [--busy N]``. The window itself
forgets a job at once; this is about the work behind it. A trace is read (in its child
process, with an empty cache) and analysed, to see how long that takes; then again and
again, and given up at random moments, while other processes keep cores busy if that is
asked for. Printed are the longest waits until the one who gave up went on, and what was
being done; as seconds of the clock and of the processor, which other programs cannot
lengthen. Of reading it is also printed when at the latest its process and all its files
were gone, and that nothing is left.
"""

import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from topoview.pipeline import analyse
from topoview.progress import Cancelled, Report
from topoview.worker import cleanup as sweep
from topoview.worker import open_trace
from topoview.worker.process import read_in_process

SHOWN = 5
LONG = 0.1
BUSY = "while True: pass"


class Wait(NamedTuple):
    """From giving up to going on, and until nothing is left."""

    wall: float
    cpu: float
    stage: str
    gone: float


def give_up(work: Callable[[Report], object], after: float) -> Wait | None:
    """Do some work and give up after some seconds; None if it was done before."""
    begin = time.perf_counter()
    stage, wall, cpu = "", begin, time.thread_time()

    def report(now: str, _: float) -> None:
        nonlocal stage, cpu
        if time.perf_counter() > begin + after:
            raise Cancelled
        stage, cpu = now, time.thread_time()

    try:
        work(report)
    except Cancelled:
        wall = time.perf_counter() - begin - after
        cpu = min(time.thread_time() - cpu, wall)
        sweep.wait_for_cleanup()
        return Wait(wall, cpu, stage, time.perf_counter() - begin - after)
    return None


def measure(
    name: str, work: Callable[[Report], object], times: int, rng: random.Random
) -> None:
    """Give up at random moments, and print the longest waits."""
    begin = time.perf_counter()
    work(lambda *_: None)
    length = time.perf_counter() - begin
    found = [give_up(work, rng.uniform(0, length)) for _ in range(times)]
    waits = sorted((wait for wait in found if wait is not None), reverse=True)
    longest = max((wait.cpu for wait in waits), default=0.0)
    print(
        f"{name}: {length:.2f} s; given up {len(waits)} times; the longest wait "
        f"{1e3 * waits[0].wall:.0f} ms, {1e3 * longest:.0f} ms of the processor; "
        f"{sum(wait.wall > LONG for wait in waits)} longer than {1e3 * LONG:.0f} ms; "
        f"nothing was left after {1e3 * max(wait.gone for wait in waits):.0f} ms"
    )
    for wait in waits[:SHOWN]:
        print(f"    {1e3 * wait.wall:5.0f} ms {1e3 * wait.cpu:5.0f} ms  {wait.stage}")


def main() -> None:
    """Print the waits of reading and of analysing."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("trace", type=Path)
    parser.add_argument("--times", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--busy", type=int, default=0, help="cores kept busy")
    arguments = parser.parse_args()
    others = [
        subprocess.Popen([sys.executable, "-c", BUSY]) for _ in range(arguments.busy)
    ]
    try:
        measure_all(arguments)
    finally:
        for other in others:
            other.kill()


def measure_all(arguments: argparse.Namespace) -> None:
    """Give reading and analysing up."""
    rng = random.Random(arguments.seed)
    with tempfile.TemporaryDirectory() as cache:
        os.environ["TOPOVIEW_CACHE"] = cache

        def read(report: Report) -> None:
            shutil.rmtree(cache, ignore_errors=True)
            read_in_process(arguments.trace, report)

        measure("reading", read, arguments.times, rng)
        sweep.wait_for_cleanup()
        left = [path for path in Path(cache).rglob("*") if path.is_file()]
        left += Path(tempfile.gettempdir()).glob("topoview-read-*")
        print(f"    left of the last one: {len(left)} files and folders")
    trace = open_trace(arguments.trace)
    list(analyse(trace))  # loads the kernels
    measure("analysing", lambda r: list(analyse(trace, r)), arguments.times, rng)


if __name__ == "__main__":
    main()
