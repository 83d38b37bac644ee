"""Time of reading a trace by cores, and the part of it that one core does alone.

Run: ``python benchmarks/cores.py [ANCHOR] [--events N] [--ranks X Y] [--cores N...]``.
Without an anchor a trace is written first. The process is kept to 1, 2, 4, ... cores.
Prints for each: wall and CPU seconds of the C program that does nothing with the
events (`floor.c`), those of topoview, how often faster than on one core both are, and
the CPU seconds in which topoview has one thread only, and by what. From one core's run
follows what more cores could bring at best: the lone seconds and a share of the others
(Amdahl, 1967).

The C program takes very long to open many thousand files: leave it out there.

The best of some rounds counts, in which all numbers of cores take turns.
"""

import argparse
import os
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path.insert(0, os.fspath(Path(__file__).parent))

from generate import generate
from reading import Cost, compile_floor, floor

from topoview.io import otf2
from topoview.io.decoder import blocks, decoding
from topoview.io.decoder.threads import Readers
from topoview.io.reading import messages, whole
from topoview.worker import open_trace

SHARED = "in all threads"
PARTS = (
    (whole, "read_definitions_of"),
    (whole, "survey_trace"),
    (whole, "decode"),
    (blocks.Blocks, "squeeze"),
    (whole, "match_messages"),
    (messages, "_receive_orders"),
    (messages, "group_by_receiver"),
    (decoding, "_collectives"),
    (whole, "find_correction"),
    (otf2, "add_samples_to_timeline"),
    (otf2, "add_warnings_and_health"),
)
"""Functions that are told apart, by the module that calls them."""


@dataclass
class Watch:
    """CPU seconds of the main thread in each part, without parts within it."""

    seconds: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    open: list[str] = field(default_factory=list)
    since: float = 0.0

    @contextmanager
    def within(self, name: str) -> Iterator[None]:
        """Count the time of a block for a part."""
        self._turn()
        self.open.append(name)
        try:
            yield
        finally:
            self._turn()
            self.open.pop()

    def _turn(self) -> None:
        now = time.thread_time()
        if self.open:
            self.seconds[self.open[-1]] += now - self.since
        self.since = now

    def over(self, owner: Any, attribute: str, name: str) -> None:  # noqa: ANN401
        """Count all calls of a function for a part."""
        plain = getattr(owner, attribute)

        def counted(*args: object, **more: object) -> object:
            with self.within(name):
                return plain(*args, **more)

        setattr(owner, attribute, counted)


@dataclass(frozen=True)
class Read:
    """What a reading took, and what its parts took of the main thread."""

    cost: Cost
    parts: dict[str, float]

    @property
    def lone(self) -> float:
        """CPU seconds with one thread."""
        return sum(self.parts.values()) - self.parts[SHARED]


def watch() -> Watch:
    """Count from now on."""
    found = Watch()
    for owner, name in PARTS:
        found.over(owner, name, name.lstrip("_"))
    found.over(Readers, "work", SHARED)
    for owner in (messages, blocks):
        found.over(owner, "in_threads", SHARED)
    return found


def read(anchor: Path, watched: Watch) -> Read:
    """Read a trace into memory."""
    watched.seconds.clear()
    wall, cpu = time.perf_counter(), time.process_time()
    with watched.within("else"):
        events = open_trace(anchor).events
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    return Read(Cost(wall, cpu, events), dict(watched.seconds))


@contextmanager
def kept_to(some: list[int]) -> Iterator[None]:
    """Keep this process, and those that it starts, to some cores."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, some)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def powers(most: int) -> list[int]:
    """1, 2, 4, ... up to a number, and that."""
    found = [1 << k for k in range(most.bit_length())]
    return sorted({*(n for n in found if n <= most), most})


def measure(
    anchor: Path, counts: list[int], program: list[str] | None, rounds: int
) -> None:
    """Print a line for each number of cores, then what is done alone."""
    every = sorted(os.sched_getaffinity(0))
    watched = watch()
    read(anchor, watched)  # loads what is compiled
    ours: dict[int, list[Read]] = defaultdict(list)
    floors: dict[int, list[Cost]] = defaultdict(list)
    for _ in range(rounds):
        for count in counts:
            with kept_to(every[:count]):
                ours[count].append(read(anchor, watched))
                if program is not None:
                    floors[count].append(floor(program, anchor, count))
    best: Callable[[int], Read] = lambda count: min(  # noqa: E731
        ours[count], key=lambda found: found.cost.wall
    )
    one = min(ours[counts[0]], key=lambda found: found.cost.cpu)
    print(f"{one.cost.events} events; seconds")
    names = ("cores", "floor", "CPU", "x", "topoview", "CPU", "x", "alone", "at best")
    print("".join(f"{name:>10}" for name in names))
    for count in counts:
        found = best(count)
        row: list[float] = [float("nan")] * 3
        if program is not None:
            wall = min(cost.wall for cost in floors[count])
            first = min(cost.wall for cost in floors[counts[0]])
            row = [wall, min(cost.cpu for cost in floors[count]), first / wall]
        shared = one.cost.cpu - one.lone
        row += [
            found.cost.wall,
            found.cost.cpu,
            one.cost.wall / found.cost.wall,
            min(each.lone for each in ours[count]),
            one.lone + shared / count,
        ]
        print(f"{count:10}" + "".join(f"{number:10.3f}" for number in row))
    print("alone:")
    last = one.parts
    for name in sorted(last.keys() - {SHARED}, key=lambda name: -last[name]):
        print(f"{name:>22} {last[name]:8.4f}")


def main() -> None:
    """Measure a trace."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("anchor", type=Path, nargs="?")
    parser.add_argument("--events", type=float, default=1e7)
    parser.add_argument("--ranks", type=int, nargs=2, default=[8, 8])
    parser.add_argument("--cores", type=int, nargs="*")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--no-floor", action="store_true")
    arguments = parser.parse_args()
    most = len(os.sched_getaffinity(0))
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        dims = arguments.ranks[0], arguments.ranks[1]
        anchor = arguments.anchor or generate(
            folder / "run", int(arguments.events), dims
        )
        counts = [n for n in arguments.cores or powers(most) if n <= most]
        program = None if arguments.no_floor else compile_floor(folder)
        measure(anchor, counts, program, arguments.rounds)


if __name__ == "__main__":
    main()
