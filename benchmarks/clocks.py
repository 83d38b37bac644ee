"""Alignment of clocks: time over ranks, and how well shifts are found again.

Programs are simulated, the clock of each rank is shifted by up to 3 s, and found
again from messages and collective operations. Prints the time beside that of the
smallest size, for each message, and the error beside the half width that is told::

    python benchmarks/clocks.py [--largest 16384]
"""

import argparse
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Final

import numpy as np

from topoview.io.clocks.bounds import find_clock_bounds
from topoview.io.clocks.correction import ClockOffsets, find_clock_offsets
from topoview.model import Ints, Trace
from topoview.topology.lattices.lattice import lattice

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from simulation import Program, simulate

_TICKS: Final = 1_000_000_000
_BEST: Final = 3


def shifted(trace: Trace, shift: Ints) -> Trace:
    """Shift the clock of each rank by so many ticks."""
    calls, messages = trace.calls, trace.messages
    of_call = np.repeat(shift, np.diff(calls.offsets))
    return replace(
        trace,
        calls=replace(calls, enter=calls.enter + of_call, leave=calls.leave + of_call),
        messages=replace(
            messages,
            send_time=messages.send_time + shift[messages.sender],
            receive_time=messages.receive_time + shift[messages.receiver],
        ),
    )


def align(trace: Trace) -> ClockOffsets:
    """Find the offsets of a trace's clocks."""
    sizes = np.array([len(c.ranks) for c in trace.communicators], np.int64)
    bounds = find_clock_bounds(
        trace.ranks, trace.messages, trace.calls, trace.collectives, trace.regions,
        sizes, np.arange(trace.ranks, dtype=np.int32),
    )  # fmt: skip
    return find_clock_offsets(trace.ranks, bounds)


def main() -> None:
    """Print a line for each size."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--largest", type=int, default=16384)
    largest = parser.parse_args().largest
    print("ranks  messages  seconds  a message / smallest  error / half (med, max)")
    first, side = 0.0, 8
    while side * side <= largest:
        torus = lattice((side, side), (True, True))
        trace = simulate(Program(torus, iterations=40, allreduce_every=10))
        rng = np.random.default_rng(side)
        shift = rng.integers(-3 * _TICKS, 3 * _TICKS, trace.ranks)
        apart = shifted(trace, shift)
        align(apart)
        best = np.inf
        for _ in range(_BEST):
            begin = time.perf_counter()
            found = align(apart)
            best = min(best, time.perf_counter() - begin)
        error = np.abs(found.offset + shift - shift[0])
        ratio = error[1:] / np.maximum(found.half_width[1:], 1)
        each = best / len(trace.messages)
        first = first or each
        print(
            f"{trace.ranks:6} {len(trace.messages):9} {best:8.3f} {each / first:21.2f} "
            f"{np.median(ratio):18.2f} {ratio.max():.2f}   half "
            f"{np.median(found.half_width) / 1e3:.1f} us, error "
            f"{np.median(error) / 1e3:.1f} us"
        )
        side *= 2


if __name__ == "__main__":
    main()
