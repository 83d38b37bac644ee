"""Time wait states, their costs, delays, efficiencies and advice over the calls.

Run: ``python benchmarks/waits.py [--large]``

The programs are halos on tori with an Allreduce every tenth iteration, noise and one
delay, simulated. Times are CPU seconds of this process, beside
them nanoseconds a call.
"""

import argparse
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from simulation import Delay, Program, simulate

from topoview.analysis.waits.costs.costs import wait_costs
from topoview.analysis.waits.critical_path import critical_path
from topoview.analysis.waits.delays import delays
from topoview.analysis.waits.efficiency import efficiencies
from topoview.analysis.waits.states import wait_states
from topoview.base.memory import keep_freed_memory
from topoview.model import Trace
from topoview.pipeline import Results
from topoview.report.advice import advice_of
from topoview.topology import lattice

SMALL = [((8, 8), 180), ((8, 8), 1_800), ((32, 32), 110)]
LARGE = [((100, 100), 110), ((400, 250), 6)]


def halo(dims: tuple[int, ...], iterations: int) -> Trace:
    """Simulate a halo in which one rank is late."""
    program = Program(
        lattice(dims, (True,) * len(dims)),
        iterations=iterations,
        noise=0.2,
        allreduce_every=10,
        delays=(Delay(5, iterations // 3, 60e-3),),
    )
    return simulate(program)


def timed(function: Callable[..., Any], *given: Any) -> tuple[Any, float]:  # noqa: ANN401
    """Call a function, and tell the CPU seconds that it took."""
    began = time.process_time()
    found = function(*given)
    return found, time.process_time() - began


def measure(trace: Trace) -> None:
    """Print a line for a trace."""
    results, calls = Results(trace, caches=()), len(trace.calls)
    waits, of_states = timed(wait_states, trace)
    names = ("identification", "logical", "positions", "parts", "overview")
    identification, logical, positions, parts, overview = map(results.make, names)
    _, of_costs = timed(wait_costs, trace, waits, logical)
    given = trace, waits, identification, logical, positions, overview
    found, of_delays = timed(delays, *given)
    results.make("wait_sums")  # and what it is made of
    sums, of_sums = timed(results.make_part, "wait_sums")
    of_lines = results.make("line_sums")
    path, of_path = timed(critical_path, trace, waits, logical, of_lines)
    pop, of_pop = timed(efficiencies, trace, waits, positions, parts, overview)
    known = replace(
        results.analysis(),
        waits=waits,
        delays=found,
        wait_sums=sums,
        critical_path=path,
        efficiencies=pop,
    )
    _, of_advice = timed(advice_of, known)
    told = "  ".join(
        f"{name} {seconds:6.2f} s {seconds / calls * 1e9:5.0f} ns"
        for name, seconds in (
            ("states", of_states),
            ("costs", of_costs),
            ("costs and delays", of_delays),
            ("sums", of_sums),
            ("path", of_path),
            ("efficiencies", of_pop),
            ("advice", of_advice),
        )
    )
    first = found.rank[0] if found is not None and len(found) else np.int32(-1)
    print(f"{trace.ranks:6d} ranks {calls:9d} calls  {told}  first: rank {first}")


def main() -> None:
    """Measure small programs, or large ones."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--large", action="store_true", help="10^7 calls; 10^5 ranks")
    large = parser.parse_args().large
    keep_freed_memory()  # as the worker
    measure(halo((4, 4), 20))  # imports
    for dims, iterations in LARGE if large else SMALL:
        measure(halo(dims, iterations))


if __name__ == "__main__":
    main()
