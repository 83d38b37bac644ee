"""What eight analyses cost, by Pipit and by topoview, of traces that both can read.

Run: ``python benchmarks/beside_pipit.py PIPIT TRACE...``. PIPIT is a folder that holds
the package `pipit` (a clone of github.com/hpcgroup/pipit; its needs are pandas, NumPy
and otf2), and a TRACE one that holds ``traces.otf2``. Each opens a trace, and computes
the matrix, a histogram of sizes, bytes over time, bytes by rank, the profile by rank,
the imbalance and how long ranks were idle; Pipit no imbalance, in which it fails. They
take turns, TIMES times, each in a new process. Printed are seconds of processor time
(user and system, of all processes started, imports among them), the least of the
turns, and how many times as long Pipit took, of

- pipit
- new: topoview, with an empty cache
- kept: topoview once more

first as a whole, then without what it takes to start Python and to import what the
packages of others are (pandas and otf2; NumPy and SciPy's sparse arrays).
"""

import argparse
import os
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

from first_use import processor_time

TIMES = 5
PIPIT = """
import sys, pipit
trace = pipit.Trace.from_otf2(sys.argv[1])
trace.comm_matrix()
trace.message_histogram()
trace.comm_over_time()
trace.comm_by_process()
trace.flat_profile(per_process=True)
trace.idle_time(mpi_events=True)
"""
IMPORTS = {"pipit": "import pandas, otf2", "topoview": "import numpy, scipy.sparse"}
TOPOVIEW = """
import sys, numpy as np, topoview
trace = topoview.open(sys.argv[1])
matrix = trace.matrix(span="run")
matrix.volume.toarray()
messages = trace.messages
np.histogram(messages.size, 20)
np.histogram(messages.send_time, 50, weights=messages.size)
matrix.volume.sum(axis=1), matrix.volume.sum(axis=0)
trace.profile("rank-function", span="run")
trace.profile(span="run")["imbalance"]
trace.waits("rank")
"""


def turn(pipit: str, trace: str) -> dict[str, float]:
    """Measure all once."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {
            **os.environ,
            "TOPOVIEW_CACHE": f"{folder}/cache",
            "PYTHONPATH": pipit,
        }

        def taken(program: str) -> float:
            return processor_time([sys.executable, "-c", program, trace], environment)

        times = {"pipit": taken(PIPIT), "new": taken(TOPOVIEW), "kept": taken(TOPOVIEW)}
        return times | {f"import {name}": taken(IMPORTS[name]) for name in IMPORTS}


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("pipit")
    parser.add_argument("trace", nargs="+")
    args = parser.parse_args()
    subprocess.run([sys.executable, "-c", TOPOVIEW, args.trace[0]], check=True)
    for trace in args.trace:
        least: dict[str, float] = defaultdict(lambda: float("inf"))
        for _ in range(TIMES):
            for name, taken in turn(args.pipit, trace).items():
                least[name] = min(taken, least[name])
        print(Path(trace).name)
        whole = least["pipit"], least["pipit"] - least["import pipit"]
        for name in ("pipit", "new", "kept"):
            package = "pipit" if name == "pipit" else "topoview"
            ours = least[name], least[name] - least[f"import {package}"]
            pairs = zip(ours, whole, strict=True)
            print(
                f"  {name:6}",
                *(f"{own:6.2f} {their / own:5.1f}" for own, their in pairs),
            )


if __name__ == "__main__":
    main()
