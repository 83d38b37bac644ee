"""Time logical traces over the calls of a rank, ranks, and groups of ranks.

Run: ``python benchmarks/logical.py [--large] [TRACE...]``

The programs are halos on open lattices with a sum every tenth iteration, so there
are as many groups of ranks as a lattice has kinds of edges. Beside each time
stands that of the floor in the same run: sorting the calls once by what they say.
Memory is the most that was held at a time, as a multiple of the call table.
Times are CPU seconds of this process, the best of several
runs.
"""

import argparse
import sys
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import numpy as np

from topoview.model import (
    Calls,
    Clock,
    Collectives,
    Communicator,
    Ints,
    Location,
    Match,
    Messages,
    Regions,
    Timeline,
    Trace,
)
from topoview.topology import communication_matrix, directions, identify
from topoview.topology import lattice as make_lattice
from topoview.topology.library import alternatives

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from parts import logicalise

OPERATIONS = ("Irecv", "Isend", "Waitall", "Allreduce")
IRECV, ISEND, WAITALL, ALLREDUCE = range(4)

SMALL = [((8,), 1_000), ((8,), 10_000), ((4, 4), 10_000), ((32, 32), 100)]
LARGE = [((2,), 250_000), ((4, 8), 6_600), ((100, 100), 20), ((10, 10), 2_000)]


def halo(dims: tuple[int, ...], iterations: int) -> tuple[Trace, Match]:
    """Make the trace of a halo on an open lattice, call tables tiled from one turn."""
    topology = make_lattice(dims, (False,) * len(dims))
    n = topology.vertices
    around: list[list[int]] = [[] for _ in range(n)]
    for u, v in topology.edges.tolist():
        around[u].append(v)
        around[v].append(u)
    rows = [
        [(IRECV, p) for p in own] + [(ISEND, p) for p in own] + [(WAITALL, -1)]
        for own in around
    ]
    length = np.array([len(row) for row in rows])
    sums = iterations // 10
    counts = length * iterations + sums
    offsets = np.concatenate(([0], np.cumsum(counts)))
    operation, send, receive = [], [], []
    position: dict[tuple[int, int, int], Ints] = {}
    for rank, row in enumerate(rows):
        turn = np.arange(iterations)
        begin = offsets[rank] + turn * len(row) + turn // 10
        own = np.full(counts[rank], ALLREDUCE, np.int32)
        for place, (what, partner) in enumerate(row):
            own[begin - offsets[rank] + place] = what
            if partner >= 0:
                position[what, rank, partner] = begin + place
        operation.append(own)
    for rank, own_partners in enumerate(around):
        for partner in own_partners:
            send.append((rank, partner, position[ISEND, rank, partner]))
            receive.append(position[IRECV, partner, rank])
    region = np.concatenate(operation)
    enter = np.concatenate([np.arange(count) * 10 for count in counts])
    sender = np.concatenate([np.full(iterations, s[0], np.int32) for s in send])
    receiver = np.concatenate([np.full(iterations, s[1], np.int32) for s in send])
    send_call, receive_call = (
        np.concatenate([s[2] for s in send]),
        np.concatenate(receive),
    )
    order = np.argsort(send_call, kind="stable")
    parts = np.flatnonzero(region == ALLREDUCE)
    m = len(order)
    zero = np.zeros(m, np.int64)
    trace = Trace(
        "",
        "halo",
        "benchmark",
        Clock(1_000_000, 10 * int(counts.max())),
        n,
        tuple(Location(r, r, "Master thread") for r in range(n)),
        Regions(
            tuple(f"MPI_{name}" for name in OPERATIONS),
            np.zeros(4, np.uint8),
            np.arange(4, dtype=np.int32),
            OPERATIONS,
        ),
        (Communicator("MPI_COMM_WORLD", np.arange(n, dtype=np.int32)),),
        (),
        (),
        0,
        Timeline(
            np.arange(n + 1), zero[:n], np.zeros(n, np.uint8), np.full(n, -1, np.int32)
        ),
        Calls(
            offsets,
            region,
            enter,
            enter + 3,
            np.full(len(region), -1),
            np.zeros(len(region), np.int32),
            np.zeros(len(region), np.uint8),
        ),
        Messages(
            sender[order],
            receiver[order],
            zero + 1024,
            np.zeros(m, np.int32),
            np.zeros(m, np.int32),
            send_call[order],
            receive_call[order],
            receive_call[order],
            send_call[order],
            zero,
            zero,
        ),
        Collectives(
            parts,
            np.zeros(len(parts), np.int32),
            np.zeros(len(parts), np.uint8),
            np.full(len(parts), -1, np.int32),
            np.full(len(parts), 8),
            np.full(len(parts), 8),
            parts,
        ),
    )
    none = np.zeros((0, 2), np.int32)
    vertex = np.arange(n, dtype=np.int32)
    return trace, Match(topology, vertex, len(topology.edges), none, none, 1.0, 1.0)


def best_of(runs: int, work: Callable[[], object]) -> float:
    """CPU seconds of the fastest of several runs."""
    found = []
    for _ in range(runs):
        began = time.process_time()
        work()
        found.append(time.process_time() - began)
    return min(found)


def line(name: str, trace: Trace, match: Match) -> str:
    """Measure one trace."""
    named, others = directions(match), alternatives(match)
    logical = logicalise(trace, named, match=match, others=others)
    seconds = best_of(3, lambda: logicalise(trace, named, match=match, others=others))
    calls = len(trace.calls)
    keys = np.random.default_rng(1).permutation(calls)
    floor = best_of(3, lambda: np.argsort(keys, kind="stable"))
    tracemalloc.start()
    logicalise(trace, named, match=match, others=others)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    table = sum(
        getattr(trace.calls, column).nbytes
        for column in (
            "offsets",
            "region",
            "enter",
            "leave",
            "completes",
            "path",
            "kept",
        )
    )
    return (
        f"{name:28s} {trace.ranks:7d} {logical.records:9d} {calls:9d} "
        f"{logical.groups:6d} {logical.statements:6d} {seconds:8.2f} "
        f"{1e6 * seconds / max(calls, 1):8.2f} {seconds / max(floor, 1e-9):7.1f} "
        f"{peak / max(table, 1):6.1f} {logical.ranks_verified == trace.ranks!s:>6s}"
    )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--large", action="store_true")
    parser.add_argument("traces", nargs="*", type=Path, metavar="TRACE")
    args = parser.parse_args()
    print(
        f"{'program':28s} {'ranks':>7s} {'of a rank':>9s} {'calls':>9s} {'groups':>6s} "
        f"{'lines':>6s} {'seconds':>8s} {'us/call':>8s} {'x floor':>7s} {'x mem':>6s} "
        f"{'exact':>6s}"
    )
    for dims, iterations in SMALL + (LARGE if args.large else []):
        trace, match = halo(dims, iterations)
        said = "x".join(map(str, dims))
        print(line(f"halo {said}, {iterations} turns", trace, match), flush=True)
    for path in args.traces:
        from topoview.worker import open_trace

        trace = open_trace(path)
        found = identify(communication_matrix(trace))
        print(line(path.name.removesuffix(".tar.xz"), trace, found.best), flush=True)


if __name__ == "__main__":
    main()
