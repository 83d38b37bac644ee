"""Read traces with random damage, and count what becomes of them.

Run: ``python benchmarks/fuzz.py [TRIALS] [--seed N] [--trace FOLDER...]``. Each trial
flips bytes of some of the files of a small trace, cuts them, removes them, empties
them, or writes one over another, and reads the trace, or a stretch of its time and
some of its ranks: it must be read, perhaps in part, or be refused in one line.
Anything else ends the script with a traceback; a crash ends it without one. Told are
traces to be damaged instead of a simulated one: those of tracers hold more types of
records. With ``--analyse`` what was read is described and analysed, too.
"""

import argparse
import json
import random
import shutil
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from topoview.errors import TraceError
from topoview.model import Subset, Trace
from topoview.pipeline import analyse
from topoview.report.info import info_record, info_text
from topoview.topology import lattice
from topoview.worker import open_trace

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from simulation import Program, simulate
from writer import write_trace

MOST_BYTES = 20
MOST_FILES = 3
LATEST = 1e3


def damage(path: Path, files: list[Path], rng: random.Random) -> None:
    """Flip bytes of a file, cut it, or something worse."""
    data = bytearray(path.read_bytes()) if path.exists() else bytearray()
    if not data:
        return
    kind = rng.random()
    if kind < 0.7:
        for _ in range(rng.randrange(1, MOST_BYTES)):
            data[rng.randrange(len(data))] = rng.randrange(256)
    elif kind < 0.85:
        del data[rng.randrange(len(data)) :]
    elif kind < 0.9:
        at = rng.randrange(len(data))
        data[at:at] = rng.randbytes(rng.randrange(1, MOST_BYTES))
    elif kind < 0.94:
        data = bytearray()
    elif kind < 0.97:
        other = rng.choice(files)
        data = bytearray(other.read_bytes() if other.exists() else b"")
    else:
        path.unlink()
        return
    path.write_bytes(data)


def part(rng: random.Random) -> Subset | None:
    """Choose what to read: mostly all."""
    if rng.random() < 0.7:
        return None
    begin = rng.choice([None, rng.uniform(0, 1) ** 4])
    end = rng.choice([None, (begin or 0) + rng.uniform(0, 1) ** 6 * LATEST])
    ranks = rng.choice([(), ((0, 1),), ((1, 3),)])
    return Subset(begin, end, ranks)


def look(trace: Trace) -> None:
    """Describe a trace, and do all that the window does with it."""
    info_text(trace)
    json.dumps(info_record(trace))
    for _ in analyse(trace):
        pass


def main() -> None:
    """Print how many trials ended how."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("trials", type=int, nargs="?", default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--trace", type=Path, nargs="*", default=[])
    parser.add_argument("--analyse", action="store_true")
    arguments = parser.parse_args()
    rng = random.Random(arguments.seed)
    found: Counter[str] = Counter()
    slowest = 0.0
    with tempfile.TemporaryDirectory() as scratch:
        traces: list[Path] = arguments.trace
        if not traces:
            traces = [Path(scratch, "pristine")]
            write_trace(simulate(Program(lattice((2, 2), (True, True)))), traces[0])
        for _ in range(arguments.trials):
            run = Path(shutil.copytree(rng.choice(traces), Path(scratch, "run")))
            files = sorted(path for path in run.rglob("*") if path.is_file())
            count = min(rng.randrange(1, MOST_FILES + 1), len(files))
            for path in rng.sample(files, count):
                damage(path, files, rng)
            chosen = part(rng)
            begin = time.perf_counter()
            try:
                trace = open_trace(run, subset=chosen)
            except TraceError as error:
                if "\n" in str(error):
                    raise
                found["refused in one line"] += 1
            else:
                told = "and told" if trace.warnings else "nothing noticed"
                found[f"read, {told}"] += 1
                if arguments.analyse:
                    look(trace)
            slowest = max(slowest, time.perf_counter() - begin)
            shutil.rmtree(run)
    for outcome, count in found.most_common():
        print(f"{count:8} {outcome}")
    print(f"{slowest:8.2f} s the slowest")


if __name__ == "__main__":
    main()
