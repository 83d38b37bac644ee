"""The simulated programs of the demos: an idle wave on a torus, and a bad mapping."""

from dataclasses import replace
from typing import TypeVar

import numpy as np

from simulation.program import Delay, Program
from simulation.simulate import simulate
from topoview.model import Indices, Timeline, Trace
from topoview.topology import lattice

DIMS = (24, 12)

CLOCK_RESOLUTION = 1_000_000
"""Ticks a second of the trace that is shipped."""

Table = TypeVar("Table")

DELAYED_PLACE = (18, 10)
"""Where the delayed rank is: at the front of the torus as it is first drawn."""


def demo_program() -> Program:
    """Describe the sample program.

    A solver on 288 randomly numbered ranks in a 2D torus, which tests for
    convergence after every 16 iterations. Soon after the first test one rank is
    held up for the time of four iterations; in the middle of the run the idle
    wave is well on its way.
    """
    torus = lattice(DIMS, (True, True))
    rng = np.random.default_rng(4)
    numbering: Indices = rng.permutation(torus.vertices).astype(np.int32)
    vertex = int(np.ravel_multi_index(DELAYED_PLACE, DIMS, order="F"))
    return Program(
        torus,
        numbering=numbering,
        iterations=48,
        compute=3e-3,
        noise=0.015,
        size=(12288, 24576),
        delays=(Delay(int(numbering[vertex]), 17, 12e-3),),
        allreduce_every=16,
        name="demo",
        seed=7,
    )


def mapping_program() -> Program:
    """Describe a solver on a torus of 16x16 ranks, four to a node in their order."""
    return Program(
        lattice((16, 16), (True, True)),
        iterations=10,
        size=65536,
        noise=0.0,
        allreduce_every=5,
        ranks_per_node=4,
        name="mapping",
    )


def simulate_demo() -> Trace:
    """Simulate the sample program."""
    return simulate(demo_program())


def demo_trace(program: Program | None = None) -> Trace:
    """Simulate a sample program with a clock of microseconds, as it is shipped.

    Finer digits of its random times would make the archive four times as large.
    """
    made = simulate(program or demo_program())
    step = made.clock.resolution // CLOCK_RESOLUTION

    def coarse(table: Table, *columns: str) -> Table:
        changed = {name: getattr(table, name) // step for name in columns}
        return replace(table, **changed)  # type: ignore[type-var]

    return replace(
        made,
        clock=replace(coarse(made.clock, "length"), resolution=CLOCK_RESOLUTION),
        timeline=_that_last(coarse(made.timeline, "time")),
        calls=coarse(made.calls, "enter", "leave"),
        messages=coarse(made.messages, "send_time", "receive_time"),
    )


def _that_last(line: Timeline) -> Timeline:
    """Leave out intervals that have become none, as who reads the archive does."""
    kept = np.append(np.diff(line.time) != 0, True)
    kept[line.offsets[1:] - 1] = True
    return Timeline(
        np.append(0, np.cumsum(kept))[line.offsets],
        line.time[kept],
        line.state[kept],
        line.region[kept],
    )
