"""Time reading a trace, beside the C library and the `otf2` package, in one run.

Run: ``python benchmarks/reading.py [ANCHOR...] [--events N...] [--producer NAME]``.
Without an anchor, traces of 10^5, 10^6 and 10^7 events are written first, or of as many
as are told, which say that another program than topoview wrote them: what EZTrace and
APEX write is read otherwise.

- **floor**: a C program (``floor.c``, compiled here with gcc) that reads all events
  through libotf2's local readers with empty callbacks, on one core and on all.
- **open_trace**: all events into the model, messages matched; imports done, compiled
  code loaded, memory fresh.
- **kept**: the same into a new store, as the program does it.
- **bytes alone**: the files read once, and memory for all columns touched, on one
  core: what no reader that keeps columns can do without.
- **whole**: ``python -m topoview info``, start of the interpreter included, with no
  cache; the marginal rate is what a further event costs between two sizes.
- **otf2-print**: if it is installed, to /dev/null.
- **otf2 package**: its own loop over the first events, which does nothing with them;
  left out where it refuses the trace.

Readings take turns, so that all meet the same machine; the best of each counts.
Ratios above 1 say that topoview is faster.
"""

import argparse
import dataclasses
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from itertools import islice, pairwise
from pathlib import Path
from typing import NamedTuple

import _otf2
import numpy as np
import otf2

from topoview.base.progress import silent
from topoview.io.archive.finding import find_anchor, store_key
from topoview.io.reading.whole import read_anchor
from topoview.io.record_types import RECORDS
from topoview.model import Subset, Trace
from topoview.store.arrays import MemoryAllocator
from topoview.store.traces import Store
from topoview.store.writer import begin_writing
from topoview.topology import lattice
from topoview.worker import open_trace

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from simulation import Program, simulate
from writer import write_trace

ROUNDS = 7
PACKAGE_EVENTS = 100_000
EVENTS_AN_ITERATION = 480
PAGE = 4096
BLOCK = 1 << 20


class Cost(NamedTuple):
    """Seconds that a reading took, and events."""

    wall: float
    cpu: float
    events: int


def generate(events: int, folder: Path, producer: str = "") -> Path:
    """Write a trace of about so many events: a halo exchange of 16 ranks."""
    program = Program(
        lattice((4, 4), (True, True)),
        iterations=max(1, events // EVENTS_AN_ITERATION),
        allreduce_every=10,
    )
    trace = simulate(program)
    if producer:
        trace = dataclasses.replace(trace, producer=producer)
    return write_trace(trace, folder / f"run{events}")


def compile_floor(folder: Path) -> list[str] | None:
    """Compile the C program; None where there is no compiler."""
    if shutil.which("gcc") is None:
        return None
    source, program = Path(__file__).with_name("floor.c"), folder / "floor"
    libraries = ["-ldl", "-lpthread"]
    subprocess.run(["gcc", "-O2", "-o", program, source, *libraries], check=True)
    return [os.fspath(program), _otf2.Config.lib_path()]


def floor(program: list[str], anchor: Path, threads: int) -> Cost:
    """Run the C program."""
    setters = [f"OTF2_EvtReaderCallbacks_Set{r.name}Callback" for r in RECORDS.values()]
    told = subprocess.run(
        [*program, anchor, str(threads), *setters],
        check=True,
        capture_output=True,
        text=True,
    ).stdout.split()
    return Cost(float(told[1]), float(told[2]), int(told[0]))


def ours(anchor: Path) -> Cost:
    """Read into the model in this process."""
    wall, cpu = time.perf_counter(), time.process_time()
    events = open_trace(anchor).events
    return Cost(time.perf_counter() - wall, time.process_time() - cpu, events)


def keep(anchor: Path) -> Cost:
    """Read into a new store in this process."""
    with tempfile.TemporaryDirectory() as folder:
        store, subset = Store(Path(folder)), Subset()
        wall, cpu = time.perf_counter(), time.process_time()
        draft = begin_writing(store, store_key(anchor, subset), silent)
        assert draft is not None
        found = find_anchor(anchor, Path(folder), silent)
        trace = read_anchor(found, silent, subset, draft.allocate)
        assert draft.keep(trace, subset, anchor), draft.fault
        cost = Cost(time.perf_counter() - wall, time.process_time() - cpu, trace.events)
        draft.close()
    return cost


def column_bytes(trace: Trace) -> int:
    """Bytes of the columns of a trace."""
    tables = (trace.timeline, trace.calls, trace.messages, trace.collectives)
    return sum(
        getattr(table, field.name).nbytes
        for table in tables
        for field in dataclasses.fields(table)
    )


def only_bytes(anchor: Path, size: int, events: int) -> Cost:
    """Do what no reader can do without: read the files, and touch so much memory."""
    files = sorted(anchor.with_suffix("").glob("*.evt"))
    buffer = bytearray(BLOCK)
    wall, cpu = time.perf_counter(), time.process_time()
    for file in files:
        with file.open("rb", buffering=0) as opened:
            while opened.readinto(buffer):
                pass
    touch(size)
    return Cost(time.perf_counter() - wall, time.process_time() - cpu, events)


def touch(size: int) -> None:
    """Touch so many bytes of memory that is given back then.

    A virtual machine may give its host back what it does not use, within seconds; to
    touch that takes twenty times as long. So it is done before each measurement.
    """
    memory = MemoryAllocator()
    held = [memory("touched", BLOCK, np.uint8) for _ in range(-(-size // BLOCK))]
    for block in held:
        block[::PAGE] = 1


def command(arguments: list[str], events: int) -> Cost:
    """Run a program, start and end included."""
    environment = dict(os.environ)
    # Who has installed a program has its modules compiled.
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    with tempfile.TemporaryDirectory() as cache:
        environment["XDG_CACHE_HOME"] = cache
        before, wall = os.times(), time.perf_counter()
        subprocess.run(
            arguments, check=True, stdout=subprocess.DEVNULL, env=environment
        )
        wall, after = time.perf_counter() - wall, os.times()
    cpu = after.children_user + after.children_system
    return Cost(wall, cpu - before.children_user - before.children_system, events)


LOOK = """
import otf2, sys
with otf2.reader.open(sys.argv[1]) as trace:
    next(iter(trace.events))
"""


def reads(anchor: Path) -> bool:
    """Return whether the package reads a trace: what EZTrace writes it refuses."""
    look = [sys.executable, "-c", LOOK, os.fspath(anchor)]
    return subprocess.run(look, check=False, capture_output=True).returncode == 0


def package(anchor: Path) -> Cost:
    """Loop over events as the package offers them."""
    with otf2.reader.open(os.fspath(anchor)) as trace:
        wall, cpu = time.perf_counter(), time.process_time()
        events = sum(1 for _ in islice(trace.events, PACKAGE_EVENTS))
        return Cost(time.perf_counter() - wall, time.process_time() - cpu, events)


def best(costs: list[Cost]) -> Cost:
    """Give the least of wall and CPU time."""
    return Cost(min(c.wall for c in costs), min(c.cpu for c in costs), costs[0].events)


def measure(anchor: Path, program: list[str] | None) -> dict[str, Cost]:
    """Take all measurements in turn."""
    trace = open_trace(anchor)  # warm
    events, size = trace.events, column_bytes(trace)
    del trace
    keep(anchor)
    readers: dict[str, Callable[[], Cost]] = {"open_trace": lambda: ours(anchor)}
    readers["open_trace, kept"] = lambda: keep(anchor)
    readers["bytes alone"] = lambda: only_bytes(anchor, size, events)
    if program is not None:
        readers["floor, 1 core"] = lambda: floor(program, anchor, 1)
        cores = os.cpu_count() or 1
        readers[f"floor, {cores} cores"] = lambda: floor(program, anchor, cores)
    info = [sys.executable, "-m", "topoview", "info", os.fspath(anchor)]
    readers["whole topoview info"] = lambda: command(info, events)
    if shutil.which("otf2-print"):
        printer = ["otf2-print", os.fspath(anchor)]
        readers["otf2-print"] = lambda: command(printer, events)
    if reads(anchor):
        readers["otf2 package"] = lambda: package(anchor)
    taken: dict[str, list[Cost]] = {name: [] for name in readers}
    for _ in range(ROUNDS):
        for name, reader in readers.items():
            touch(2 * size)
            taken[name].append(reader())
    return {name: best(costs) for name, costs in taken.items()}


def show(costs: dict[str, Cost]) -> None:
    """Print rates, and how much faster `open_trace` is."""
    own = costs["open_trace"]
    print(f"{own.events} events")
    print(
        f"  {'':22}{'wall s':>9}{'CPU s':>9}{'M/s wall':>10}{'M/s CPU':>10}"
        f"{'ratio':>8}{'of CPU':>8}"
    )
    for name, cost in costs.items():
        rate, rate_cpu = cost.events / cost.wall, cost.events / cost.cpu
        ratio = own.events / own.wall / rate
        ratio_cpu = own.events / own.cpu / rate_cpu
        print(
            f"  {name:22}{cost.wall:9.3f}{cost.cpu:9.3f}{rate / 1e6:10.2f}"
            f"{rate_cpu / 1e6:10.2f}{ratio:8.2f}{ratio_cpu:8.2f}"
        )


def main() -> None:
    """Print the rates and their ratios."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("anchor", type=Path, nargs="*")
    parser.add_argument("--events", type=int, nargs="*", default=[10**5, 10**6, 10**7])
    parser.add_argument("--producer", default="")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        program = compile_floor(folder)
        anchors: list[Path] = arguments.anchor or [
            generate(events, folder, arguments.producer) for events in arguments.events
        ]
        found = [measure(anchor, program) for anchor in anchors]
    for costs in found:
        show(costs)
    for smaller, larger in pairwise(found):
        for name in (smaller.keys() & larger.keys()) - {"otf2 package"}:
            one, other = smaller[name], larger[name]
            more = other.events - one.events
            if more > 0 and other.wall > one.wall:
                rate = more / (other.wall - one.wall) / 1e6
                sizes = f"{one.events} to {other.events} events"
                print(f"marginal, {sizes}: {name:22}{rate:8.2f} M/s")


if __name__ == "__main__":
    main()
