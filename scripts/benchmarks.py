"""Run the benchmarks that guard what the documentation promises.

Run: ``python scripts/benchmarks.py [--small] [NAME...]``; all of them take about an
hour, of small sizes, which only show that they run, some minutes. Each is a program of
``benchmarks/`` that says more about itself, and takes other sizes. Those of the window
get a display of their own. What is printed is compared by the reader:
another machine has other times, but ratios of a run should be those of the pages.
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]

PROMISES: Final = {
    "first_use": "a first command costs at most 1.3 of what it costs later",
    "reading": "reading beside libotf2's own loop: docs/performance.md",
    "cores": "reading on more cores: docs/performance.md",
    "memory": "own memory does not grow with the trace: docs/performance.md",
    "window": "a part costs what it holds: docs/performance.md",
    "opening": "seconds until each part of the window is seen: docs/performance.md",
    "reopening": "a trace of any size is seen again at once: docs/performance.md",
    "heartbeat": "the window never stalls for long: docs/performance.md",
    "rows": "1000 rows of 10 million intervals in 50 ms: docs/performance.md",
    "scene": "frames by ranks: docs/performance.md",
    "scene_window": "frames a second in the whole window: docs/performance.md",
    "linked": "a selection costs a pass over the calls: docs/performance.md",
    "find": "a search of 10 million calls: docs/performance.md",
    "identification": "the published worst case, and growth near linear in edges",
    "noise": "an incomplete lattice costs little more: docs/performance.md",
    "logical": "time linear in calls, and in groups of ranks",
    "loops": "time linear in calls; lengths of listings: docs/methods/loops.md",
    "waits": "time linear in calls: docs/performance.md",
    "clocks": "error and time over ranks: docs/methods/clocks.md",
    "network": "traffic of a million pairs of ranks: docs/performance.md",
    "machines": "machines of 10^4 nodes, mappings: docs/methods/network.md",
    "digest": "cost of each step in parts: docs/performance.md",
    "workers": "one process and workers, in turns: docs/performance.md",
}

ON_A_DISPLAY: Final = ("opening", "reopening", "heartbeat", "scene", "scene_window")

TRACE: Final = "tests/data/sp-jacobi2d-8x4-periodic-idlewave.tar.xz"
OTHER: Final = "tests/data/ez-cg-8.tar.xz"

ARGUMENTS: Final = {
    "first_use": (TRACE, OTHER),
    "memory": ("{folder}", "1e6", "1e7"),
    "window": ("{folder}",),
    "opening": (TRACE,),
    "reopening": ("{folder}", "1e6", "1e7"),
    "heartbeat": (TRACE,),
    "digest": (TRACE,),
    "workers": (TRACE,),
}
"""What they are given; those that need nothing have sizes of their own."""

SMALL: Final = {
    "reading": ("--events", "100000"),
    "cores": ("--events", "1e5", "--rounds", "1"),
    "memory": ("{folder}", "1e5"),
    "window": ("{folder}", "2e5", "--times", "1"),
    "opening": (TRACE, "1"),
    "reopening": ("{folder}", "1e5"),
    "rows": ("100", "1e5"),
    "scene": ("1000",),
    "scene_window": ("1000",),
    "linked": ("1000",),
    "find": ("1e5",),
    "loops": ("--longest", "4"),
    "clocks": ("--largest", "256"),
    "network": ("10000",),
    "machines": ("27000",),
    "digest": (TRACE, "1", "2"),
    "workers": (TRACE, "--turns", "1"),
}
"""The same for sizes that take seconds; others are as above."""


def run(name: str, *, small: bool) -> bool:
    """Run one; returns whether it ended well."""
    words = ARGUMENTS.get(name, ())
    words = SMALL.get(name, words) if small else words
    print(f"\n== {name}: {PROMISES[name]}", flush=True)
    display = ("xvfb-run", "-a", "-s", "-screen 0 1920x1200x24")
    with tempfile.TemporaryDirectory(prefix="topoview-benchmark-") as folder:
        command = [
            *(display if name in ON_A_DISPLAY else ()),
            sys.executable,
            f"benchmarks/{name}.py",
            *(word.format(folder=folder) for word in words),
        ]
        return subprocess.run(command, cwd=ROOT, check=False).returncode == 0


def main() -> int:
    """Run those that are named, or all."""
    parser = argparse.ArgumentParser(
        description=__doc__.splitlines()[0],
        epilog="; ".join(f"{name}: {words}" for name, words in PROMISES.items()),
    )
    parser.add_argument("--small", action="store_true", help="see that they run")
    parser.add_argument("names", nargs="*", metavar="NAME", choices=[[], *PROMISES])
    given = parser.parse_args()
    names = given.names or PROMISES
    failed = [name for name in names if not run(name, small=given.small)]
    if failed:
        print(f"\nfailed: {', '.join(failed)}", file=sys.stderr)
    return len(failed) > 0


if __name__ == "__main__":
    sys.exit(main())
