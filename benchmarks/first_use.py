"""What commands cost when they are used for the first time, and later.

Run: ``python benchmarks/first_use.py TRACE OTHER [PYTHON...]``. Each PYTHON has a
topoview installed; by default this one's is measured. They take turns, TIMES times.
Each turn begins with an empty cache, and in folders of its own for whatever else is
kept between runs. Printed are seconds of processor time (user and system, of all
processes started), the least of the turns, of

- numpy, topoview: importing one of them and nothing else
- help: ``topoview --help``
- first NAME: the first use ever of a command, on TRACE
- other NAME: on OTHER then, a trace that was never read
- again NAME: on OTHER once more: all of it is kept

and the size of the folder of packages in MB.
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

TIMES = 3
COMMANDS = ("info", "identify", "logical")
SITE = "import sysconfig; print(sysconfig.get_path('purelib'))"


def processor_time(command: list[str], environment: dict[str, str]) -> float:
    """Run a command; return what it and its children computed, in seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, env=environment, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def turn(python: str, first: str, other: str) -> dict[str, float]:
    """Measure all once."""
    times = {}
    with tempfile.TemporaryDirectory() as folder:
        environment = {
            **os.environ,
            "TOPOVIEW_CACHE": f"{folder}/cache",
            "XDG_CACHE_HOME": f"{folder}/user",
        }
        for name in ("numpy", "topoview"):
            times[name] = processor_time([python, "-c", f"import {name}"], environment)
        command = [python, "-m", "topoview"]
        times["help"] = processor_time([*command, "--help"], environment)
        for name in COMMANDS:
            for use, trace in (("first", first), ("other", other), ("again", other)):
                taken = processor_time([*command, name, trace], environment)
                times[f"{use} {name}"] = taken
            for kept in Path(environment["TOPOVIEW_CACHE"]).glob("*"):
                subprocess.run(["rm", "-rf", str(kept)], check=True)
    return times


def packages_megabytes(python: str) -> float:
    """Size of all that is installed beside a Python, in MB."""
    told = subprocess.run(
        [python, "-c", SITE], capture_output=True, text=True, check=True
    )
    files = Path(told.stdout.strip()).rglob("*")
    return sum(path.stat().st_size for path in files if path.is_file()) / 1e6


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("trace")
    parser.add_argument("other")
    parser.add_argument("python", nargs="*", default=[sys.executable])
    args = parser.parse_args()
    least: dict[str, dict[str, float]] = defaultdict(dict)
    for _ in range(TIMES):
        for python in args.python:
            for name, taken in turn(python, args.trace, args.other).items():
                least[name][python] = min(taken, least[name].get(python, taken))
    for name, by_python in least.items():
        print(f"{name:16}", *(f"{by_python[python]:8.2f}" for python in args.python))
    sizes = (f"{packages_megabytes(python):8.0f}" for python in args.python)
    print(f"{'packages, MB':16}", *sizes)


if __name__ == "__main__":
    main()
