"""What reading a part of a trace costs beside reading all of it.

Run: ``python benchmarks/window.py FOLDER [EVENTS]``. FOLDER gets the generated trace,
which stays there. Each part is read in this process, the best of three, and compared
with the whole of the same run: CPU seconds, events, and the share of both.
"""

import argparse
import sys
import time
from pathlib import Path

from generate import generate

from topoview.io import open_trace
from topoview.model import Subset, Trace

_BEST = 3


def read(path: Path, subset: Subset) -> tuple[float, Trace]:
    """Read a part; the least CPU seconds of several times, and the trace."""
    best = float("inf")
    for _ in range(_BEST):
        begin = time.process_time()
        trace = open_trace(path, subset=subset)
        best = min(best, time.process_time() - begin)
    return best, trace


def main() -> None:
    """Print a line for each part."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("events", type=float, nargs="?", default=2e7)
    arguments = parser.parse_args()
    path = arguments.folder / "run"
    if not path.exists():
        generate(path, int(arguments.events))
    whole_seconds, whole = read(path, Subset())
    length = whole.clock.seconds(whole.clock.length)
    last = whole.ranks - 1
    events = whole.events
    del whole
    print("part                 CPU seconds   share    events read   share")
    parts = {
        "all": Subset(),
        "to 5 %": Subset(end=0.05 * length),
        "to 25 %": Subset(end=0.25 * length),
        "to 50 %": Subset(end=0.5 * length),
        "from 25 % to 50 %": Subset(begin=0.25 * length, end=0.5 * length),
        "from 75 %": Subset(begin=0.75 * length),
        "a quarter of the ranks": Subset(ranks=((0, last // 4),)),
        "one rank": Subset(ranks=((last, last),)),
    }
    for name, subset in parts.items():
        seconds, trace = read(path, subset)
        print(
            f"{name:24}{seconds:8.3f}{seconds / whole_seconds:8.2f}"
            f"{trace.events:15}{trace.events / events:8.2f}"
        )
        del trace
        sys.stdout.flush()


if __name__ == "__main__":
    main()
