"""Time reading a trace, beside the `otf2` package's own loop over the events.

Run: ``python benchmarks/reading.py ANCHOR [EVENTS]``. The package's loop visits
the first EVENTS events (300,000 unless told) and does nothing with them;
`open_trace` reads all of them into the model: states, calls, matched messages.
Both are CPU seconds of this process, turn by turn, with imports and compiled
code warm. Then the whole way of the window: a fresh child process that imports,
reads and hands over, in CPU seconds of the child and in wall time.
"""

import argparse
import os
import resource
import time
from itertools import islice
from pathlib import Path
from statistics import median

# As the reading process has it; NumPy looks at it when it is imported.
os.environ.setdefault("NUMPY_MADVISE_HUGEPAGE", "0")

import otf2

from topoview.io import open_trace, read_in_process

ROUNDS = 5


def loop(anchor: Path, events: int) -> float:
    """Events a CPU second of the package's loop."""
    with otf2.reader.open(str(anchor)) as trace:
        begin = time.process_time()
        seen = sum(1 for _ in islice(trace.events, events))
        return seen / (time.process_time() - begin)


def ours(anchor: Path) -> float:
    """Events a CPU second of `open_trace`."""
    begin = time.process_time()
    trace = open_trace(anchor)
    return trace.events / (time.process_time() - begin)


def whole(anchor: Path) -> tuple[float, float, int]:
    """CPU seconds of the child and wall seconds of a reading, and its events."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begin = time.perf_counter()
    trace = read_in_process(anchor)
    wall = time.perf_counter() - begin
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = sum(
        getattr(after, name) - getattr(before, name)
        for name in ("ru_utime", "ru_stime")
    )
    return cpu, wall, trace.events


def main() -> None:
    """Print the rates and their ratio."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("anchor", type=Path)
    parser.add_argument("events", type=int, nargs="?", default=300_000)
    arguments = parser.parse_args()
    anchor: Path = arguments.anchor
    ours(anchor)  # warm
    package, own = [], []
    for _ in range(ROUNDS):
        package.append(loop(anchor, arguments.events))
        own.append(ours(anchor))
    for name, rates in (("otf2 package's loop", package), ("open_trace", own)):
        print(
            f"{name:<22}{median(rates) / 1e6:8.3f} million events a CPU second, "
            f"best {max(rates) / 1e6:.3f}"
        )
    print(
        f"{'ratio':<22}{median(own) / median(package):8.1f}, "
        f"best of each {max(own) / max(package):.1f}"
    )
    cpu, wall, events = min(whole(anchor) for _ in range(ROUNDS))
    print(
        f"{'whole child process':<22}{cpu:8.2f} CPU seconds, {wall:.2f} s wall time, "
        f"{events / cpu / 1e6:.2f} million events a CPU second, "
        f"{events / cpu / median(package):.1f} times the loop"
    )


if __name__ == "__main__":
    main()
