"""How long analyses go on between two reports, and who holds Python's lock.

Run: ``python benchmarks/reports.py [SHAPE...] [--ranks N] [--iterations N]
[--identify] [--natural]``. Programs on many topologies are simulated, their ranks
numbered at random, and analysed as the window does it (with `--identify`: identified
only). Whoever gives up is heard at the next report, so the longest time between two
of them is the longest that giving up can take. Printed for each program: seconds; the
longest time of the processor between two reports, between which stages and where it
was spent; how many exceed 50 and 100 ms; and the longest time for which a second
thread did not get Python's lock though it had a core. Times are those of the analysing
thread on the processor (Linux), which other programs lengthen little. Code that was
never compiled counts as well: run it twice.
"""

import argparse
import os
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
from topoview.pipeline.identification import identify_run

from topoview.model import Topology, Trace
from topoview.pipeline import analyse
from topoview.progress import Report
from topoview.topology import (
    binomial_tree,
    cg,
    communication_matrix,
    complete_tree,
    lattice,
)
from topoview.topology.graph.graph import unique_edges
from topoview.topology.lattices.lattice import STENCILS

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from simulation import Program, simulate

LONG, LONGER = 0.05, 0.1


def dims_of(ranks: int, d: int) -> tuple[int, ...]:
    """Extents of about so many ranks, not all equal."""
    side = max(3, round(ranks ** (1 / d)))
    return (side + 2, *(side,) * (d - 2), max(3, round(ranks / side ** (d - 1))))[:d]


def stencil(name: str, ranks: int, d: int, wraps: bool) -> Topology:
    """Make a lattice of about so many ranks."""
    return lattice(dims_of(ranks, d), (wraps,) * d, STENCILS[name](d))


def cube(d: int) -> Topology:
    """Make a hypercube."""
    return lattice((2,) * d, (False,) * d)


def graph(n: int, u: np.ndarray, v: np.ndarray) -> Topology:
    """Make a graph of pairs."""
    places = np.arange(n, dtype=np.int32)[:, None]
    return Topology("unknown", "a graph", (), (), (), unique_edges(n, u, v), places)


def noisy(ranks: int, d: int, share: float) -> Topology:
    """Take edges from a torus, and add as many at random."""
    whole, rng = stencil("plain", ranks, d, True), np.random.default_rng(0)
    n, m = whole.vertices, len(whole.edges)
    kept = whole.edges[rng.random(m) > share]
    both = np.concatenate([kept, rng.integers(0, n, (int(share * m), 2))])
    return graph(n, both[:, 0], both[:, 1])


def at_random(ranks: int) -> Topology:
    """Join ranks by two cycles at random."""
    rng = np.random.default_rng(0)
    turns = [rng.permutation(ranks) for _ in range(2)]
    ends = [np.concatenate(turns), np.concatenate([np.roll(t, 1) for t in turns])]
    return graph(ranks, *ends)


def side_by_side(ranks: int) -> Topology:
    """Two lattices with nothing between them."""
    one, other = (stencil("plain", ranks // 2, d, d == 2) for d in (2, 3))
    both = np.concatenate([one.edges, other.edges + one.vertices])
    return graph(one.vertices + other.vertices, both[:, 0], both[:, 1])


SHAPES: dict[str, Callable[[int], Topology]] = {
    "grid2": lambda n: stencil("plain", n, 2, False),
    "torus2": lambda n: stencil("plain", n, 2, True),
    "grid3": lambda n: stencil("plain", n, 3, False),
    "torus3": lambda n: stencil("plain", n, 3, True),
    "grid4": lambda n: stencil("plain", n, 4, False),
    "torus4": lambda n: stencil("plain", n, 4, True),
    "box2": lambda n: stencil("box", n, 2, False),
    "box3": lambda n: stencil("box", n, 3, False),
    "19-point": lambda n: stencil("19-point", n, 3, True),
    "6-point": lambda n: stencil("6-point", n, 2, True),
    "hypercube": lambda n: cube(n.bit_length() - 1),
    "binary": lambda n: complete_tree(n, 2),
    "binomial": binomial_tree,
    "cg": lambda n: cg(1 << (n.bit_length() - 1)),
    "noisy2": lambda n: noisy(n, 2, 0.01),
    "noisy3": lambda n: noisy(n, 3, 0.01),
    "random": at_random,
    "two": side_by_side,
}
"""Topologies by name, of about so many ranks."""


class Watch(threading.Thread):
    """Sleeps for 2 ms again and again; tells where the other thread is."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.watched, self.native = threading.get_ident(), threading.get_native_id()
        self.longest, self.holder = 0.0, ""
        self.looks: list[tuple[float, str]] = []
        self.ended = False

    def run(self) -> None:
        """Look until it is ended."""
        tasks = Path("/proc/self/task")
        files = [
            tasks.joinpath(str(t), "schedstat").open("rb", buffering=0)
            for t in (self.native, threading.get_native_id())
        ]

        def shares() -> tuple[float, float, float]:
            told = [os.pread(f.fileno(), 100, 0).split() for f in files]
            return time.perf_counter(), int(told[0][0]) / 1e9, int(told[1][1]) / 1e9

        now, ran, waited = shares()
        while not self.ended:
            time.sleep(0.002)
            then = now, ran, waited
            now, ran, waited = shares()
            frame = sys._current_frames().get(self.watched)
            while frame is not None and "topoview" not in frame.f_code.co_filename:
                frame = frame.f_back
            code = None if frame is None else frame.f_code
            place = f"{Path(code.co_filename).stem}.{code.co_name}" if code else ""
            self.looks.append((now, place))
            held = min(now - then[0] - (waited - then[2]), ran - then[1])
            if held > self.longest:
                self.longest, self.holder = held, place

    def where(self, begin: float, end: float) -> str:
        """Where most of a stretch was spent."""
        places = [p for t, p in self.looks if begin < t <= end + 0.003]
        return Counter(places).most_common(1)[0][0] if places else ""


def measure(name: str, work: Callable[[Report], object]) -> None:
    """Print a line of a program's analysis."""
    watch = Watch()
    watch.start()
    gaps: list[tuple[float, float, float, str]] = []
    last = time.thread_time(), time.perf_counter(), "begin"

    def report(stage: str, _: float) -> None:
        nonlocal last
        ran, now = time.thread_time(), time.perf_counter()
        gaps.append((ran - last[0], last[1], now, f"{last[2]} - {stage}"))
        last = ran, now, stage

    began = time.perf_counter()
    work(report)
    report("end", 1.0)
    seconds = time.perf_counter() - began
    watch.ended = True
    watch.join()
    gap, begin, end, stages = max(gaps)
    over = [sum(g[0] > limit for g in gaps) for limit in (LONG, LONGER)]
    print(
        f"{name:<10} {seconds:6.2f} s; longest {1e3 * gap:4.0f} ms ({stages}; "
        f"{watch.where(begin, end)}); {over[0]} over 50, {over[1]} over 100 ms; "
        f"lock held for {1e3 * watch.longest:3.0f} ms ({watch.holder})",
        flush=True,
    )


def analysing(trace: Trace) -> Callable[[Report], object]:
    """Analyse as the window does."""
    return lambda report: list(analyse(trace, report))


def identifying(trace: Trace) -> Callable[[Report], object]:
    """Identify the whole run."""
    return lambda report: identify_run(
        communication_matrix(trace, None, report), report
    )


def main() -> None:
    """Print a line for each topology."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("shapes", nargs="*", choices=[[], *SHAPES], metavar="SHAPE")
    parser.add_argument("--ranks", type=int, default=100_000)
    parser.add_argument("--iterations", type=int, default=2)
    parser.add_argument("--identify", action="store_true")
    parser.add_argument("--natural", action="store_true", help="not renumbered")
    given = parser.parse_args()
    analysing(simulate(Program(lattice((4, 3), (True, False)))))(
        lambda *_: None
    )  # loads the kernels
    sys.setswitchinterval(0.0005)
    for name in given.shapes or SHAPES:
        topology = SHAPES[name](given.ranks)
        order = np.random.default_rng(1).permutation(topology.vertices)
        trace = simulate(
            Program(
                topology,
                numbering=None if given.natural else order,
                iterations=given.iterations,
                allreduce_every=2,
            )
        )
        print(f"{trace.ranks:,d} ranks, {trace.events:,d} events: ", end="")
        measure(name, (identifying if given.identify else analysing)(trace))


if __name__ == "__main__":
    main()
