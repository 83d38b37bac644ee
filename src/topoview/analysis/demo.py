"""The sample program: an idle wave crosses a torus."""

import numpy as np

from topoview.analysis.simulation import Delay, Program, simulate
from topoview.model import Indices, Trace
from topoview.topology import lattice

DIMS = (8, 8, 4)
DELAYED_PLACE = (2, 2, 1)
DELAYED_ITERATION = 6


def demo_program() -> Program:
    """Describe the sample program.

    256 ranks, randomly numbered, on a 3D torus; one of them is held up for four
    iterations' time, once.
    """
    torus = lattice(DIMS, (True, True, True))
    rng = np.random.default_rng(4)
    numbering: Indices = rng.permutation(torus.vertices).astype(np.int32)
    vertex = int(np.ravel_multi_index(DELAYED_PLACE, DIMS, order="F"))
    return Program(
        torus,
        numbering=numbering,
        iterations=24,
        compute=3e-3,
        noise=0.04,
        size=(16384, 16384, 8192),
        delays=(Delay(int(numbering[vertex]), DELAYED_ITERATION, 12e-3),),
        allreduce_every=12,
        name="demo",
        seed=7,
    )


def simulate_demo() -> Trace:
    """Simulate the sample program."""
    return simulate(demo_program())
