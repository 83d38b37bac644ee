"""The sample program: an idle wave crosses a torus."""

import shutil
from pathlib import Path

import numpy as np
import platformdirs

from topoview.analysis.simulation import Delay, Program, simulate
from topoview.io import write_trace
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
