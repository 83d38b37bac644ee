"""Read traces with random damage, and count what becomes of them.

Run: ``python benchmarks/fuzz.py [TRIALS] [--seed N]``. Each trial flips bytes of some
of the files of a small trace, or cuts them, and reads it: it must be read, perhaps in
part, or be refused in one line. Anything else ends the script with a traceback; a
crash ends it without one.
"""

import argparse
import random
import shutil
import tempfile
import time
from collections import Counter
from pathlib import Path

from topoview.analysis.simulation import Program, simulate
from topoview.errors import TraceError
from topoview.io import open_trace, write_trace
from topoview.topology import lattice

MOST_BYTES = 20


def damage(path: Path, rng: random.Random) -> None:
    """Flip bytes of a file, or cut it."""
    data = bytearray(path.read_bytes())
    if not data:
        return
    if rng.random() < 0.2:
        del data[rng.randrange(len(data)) :]
    else:
        for _ in range(rng.randrange(1, MOST_BYTES)):
            data[rng.randrange(len(data))] = rng.randrange(256)
    path.write_bytes(data)


def main() -> None:
    """Print how many trials ended how."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("trials", type=int, nargs="?", default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    rng = random.Random(arguments.seed)
    found: Counter[str] = Counter()
    slowest = 0.0
    with tempfile.TemporaryDirectory() as scratch:
        pristine = Path(scratch, "pristine")
        write_trace(simulate(Program(lattice((2, 2), (True, True)))), pristine)
        for _ in range(arguments.trials):
            run = Path(shutil.copytree(pristine, Path(scratch, "run")))
            files = sorted(path for path in run.rglob("*") if path.is_file())
            for path in rng.sample(files, rng.randrange(1, 4)):
                damage(path, rng)
            begin = time.perf_counter()
            try:
                trace = open_trace(run)
            except TraceError as error:
                if "\n" in str(error):
                    raise
                found["refused in one line"] += 1
            else:
                told = "and told" if trace.warnings else "nothing noticed"
                found[f"read, {told}"] += 1
            slowest = max(slowest, time.perf_counter() - begin)
            shutil.rmtree(run)
    for outcome, count in found.most_common():
        print(f"{count:8} {outcome}")
    print(f"{slowest:8.2f} s the slowest")


if __name__ == "__main__":
    main()
