"""The sample program: an idle wave crosses a torus."""

import shutil
from pathlib import Path

import numpy as np
import platformdirs

from topoview.analysis.simulation.program import Delay, Program
from topoview.analysis.simulation.simulate import simulate
from topoview.model import Indices, Trace
from topoview.topology import lattice
from topoview.worker import write_trace

DIMS = (24, 12)

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


def simulate_demo() -> Trace:
    """Simulate the sample program."""
    return simulate(demo_program())


def write_demo(folder: Path | None = None) -> Path:
    """Write the sample program's trace as an OTF2 archive.

    Parameters
    ----------
    folder
        Where to write; None: the folder ``demo`` of the user's cache, where an
        earlier one is replaced.

    Returns
    -------
    Path
        The anchor file.

    Raises
    ------
    ExportError
        If the folder cannot be written, or holds an archive already.
    """
    if folder is None:
        folder = platformdirs.user_cache_path("topoview") / "demo"
        shutil.rmtree(folder, ignore_errors=True)
    return write_trace(simulate_demo(), folder)
