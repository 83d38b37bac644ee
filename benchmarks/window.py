"""What reading a part of a trace costs beside reading all of it.

Run: ``python benchmarks/window.py FOLDER [EVENTS]``. FOLDER gets the generated trace,
which stays there. Each part is compared with the whole of the same run: CPU seconds of
reading it to memory in this process, the best of several times; own memory at most of
a process that reads it and keeps it in an empty cache; room there; and events. Of time
and memory that of a part of no length is taken off, which is what starting costs.
"""

import argparse
import os
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from generate import generate
from memory import MIB, Sampler, memory

from topoview.model import Subset
from topoview.worker import open_trace, read_in_process

_TIMES = 5


class Cost(NamedTuple):
    """What reading took: CPU seconds, bytes of own memory and of the cache."""

    cpu: float
    own: float
    kept: float
    events: int
    length: float


def read(path: Path, subset: Subset, times: int) -> Cost:
    """Read a part; the least CPU seconds of several times."""
    cpu = float("inf")
    for _ in range(times):
        begin = time.process_time()
        trace = open_trace(path, subset=subset)
        cpu = min(cpu, time.process_time() - begin)
        events, length = trace.events, trace.clock.seconds(trace.clock.length)
        del trace
    cache = Path(tempfile.mkdtemp(dir=path.parent))
    os.environ["TOPOVIEW_CACHE"] = str(cache)
    mine = memory(os.getpid())["RssAnon"]
    with Sampler() as sampler:
        kept = read_in_process(path, subset=subset)
    del kept
    room = sum(f.stat().st_size for f in cache.rglob("*") if f.is_file())
    shutil.rmtree(cache, ignore_errors=True)
    return Cost(cpu, sampler.peak["own"] - mine, room, events, length)


def main() -> None:
    """Print a line for each part."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("events", type=float, nargs="?", default=2e7)
    parser.add_argument("--times", type=int, default=_TIMES)
    arguments = parser.parse_args()
    path, times = arguments.folder / "run", arguments.times
    if not path.exists():
        generate(path, int(arguments.events))
    whole = read(path, Subset(), times)
    length = whole.length
    start = read(path, Subset(0.0, 1e-9), times)
    print(f"starting: {start.cpu:.2f} CPU seconds, {start.own / MIB:.0f} MiB")
    print(f"{'part':24}CPU seconds  share   own MiB  share  in the cache     events")
    shares = (
        (0, 1), (0, 0.1), (0.05, 0.15), (0.45, 0.55), (0.9, 1), (0.99, 1), (0, 0.5),
        (0.25, 0.5), (0.5, 1),
    )  # fmt: skip
    parts = {
        f"{100 * a:.0f} % to {100 * b:.0f} %": Subset(
            a * length if a else None, b * length if b < 1 else None
        )
        for a, b in shares
    }
    last = 15
    parts |= {
        "a quarter of the ranks": Subset(ranks=((0, last // 4),)),
        "one rank": Subset(ranks=((last, last),)),
    }
    for name, subset in parts.items():
        found = whole if subset.is_all else read(path, subset, times)
        cpu, own = found.cpu - start.cpu, found.own - start.own
        print(
            f"{name:24}{cpu:11.3f}{cpu / (whole.cpu - start.cpu):7.2f}"
            f"{own / MIB:10.0f}{own / max(whole.own - start.own, 1):7.2f}"
            f"{found.kept / whole.kept:14.2f}{found.events / whole.events:11.2f}"
        )
        sys.stdout.flush()


if __name__ == "__main__":
    main()
