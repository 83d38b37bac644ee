"""What a digest takes by one process, and by workers of this machine, in turns.

Run: ``python benchmarks/workers.py TRACE [--workers 2] [--memory 14G] [--turns 3]``.
The commands are those that a user types. Told are processor seconds of all processes
that a command starts (in the program, in the system), seconds from its begin to its
end, the most memory of its own that one process had, and the most room on the disk.
``--no-single`` leaves the single process out, ``--beside`` also runs two at once: what
the machine's processors slow each other.
"""

import argparse
import ctypes
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Final, NamedTuple

_SUBREAPER: Final = 36
"""Has processes whose parents have ended come to this one (prctl.h of Linux)."""


class Taken(NamedTuple):
    """What a command took: seconds, and bytes."""

    program: float
    system: float
    wall: float
    memory: int
    disk: int


def _descendants(top: int) -> set[int]:
    """Find all processes below one."""
    parent = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent[int(stat.parent.name)] = int(
                stat.read_text().rpartition(")")[2].split()[1]
            )
        except OSError:
            continue
    found, before = {top}, 0
    while len(found) > before:
        before = len(found)
        found |= {child for child, of in parent.items() if of in found}
    return found - {top}


def _memory(process: int) -> int:
    try:
        told = Path(f"/proc/{process}/status").read_text()
    except OSError:
        return 0
    lines = (line.split() for line in told.splitlines())
    return next((int(line[1]) << 10 for line in lines if line[:1] == ["RssAnon:"]), 0)


def _disk(folder: Path, processes: set[int]) -> int:
    """Count the bytes of the files in a folder, and of those without a name."""
    size = 0
    for path in folder.rglob("*"):
        try:
            size += path.lstat().st_blocks * 512
        except OSError:
            continue
    unnamed = set()
    for process in processes:
        try:
            maps = Path(f"/proc/{process}/maps").read_text()
        except OSError:
            continue
        for line in maps.splitlines():
            begin, _, rest = line.partition("-")
            if rest.endswith("(deleted)") and str(folder) in rest:
                end, _, first, _, inode, *_ = rest.split()
                unnamed.add((inode, first, int(end, 16) - int(begin, 16)))
    return size + sum(mapped for *_, mapped in unnamed)


def run(trace: Path, options: list[str], memory: str, copies: int = 1) -> Taken:
    """Make a digest, or several at once, and look at what happens meanwhile."""
    folder = Path(tempfile.mkdtemp(dir=trace.absolute().parent))
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    for number in range(copies):
        own = folder / str(number)
        own.mkdir()
        command = ["digest", str(trace), "-o", str(own / "f.topoview"), *options]
        environment = {"TOPOVIEW_CACHE": str(own), "TOPOVIEW_MEMORY": memory}
        environment["PYTHONDONTWRITEBYTECODE"] = ""  # compiled once, as for users
        subprocess.Popen(
            [sys.executable, "-m", "topoview", *command],
            env=os.environ | environment,
            stdout=subprocess.DEVNULL,
        )
    most = room = 0
    while True:
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            break
        processes = _descendants(os.getpid())
        most = max([most, *map(_memory, processes)])
        room = max(room, _disk(folder, processes))
        time.sleep(0.2)
    wall = time.perf_counter() - begin
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if not all((folder / f"{n}/f.topoview").exists() for n in range(copies)):
        raise SystemExit("no digest was made")
    shutil.rmtree(folder)
    program, system = (
        (getattr(after, name) - getattr(before, name)) / copies
        for name in ("ru_utime", "ru_stime")
    )
    return Taken(program, system, wall, most, room)


def main() -> None:
    """Print a line for each command, in turns."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("trace", type=Path)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--memory", default="14G")
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--beside", action="store_true")
    parser.add_argument("--no-single", action="store_true", help="no single process")
    args = parser.parse_args()
    ctypes.CDLL(None).prctl(_SUBREAPER, 1, 0, 0, 0)
    shared = ["--workers", str(args.workers), "--memory", args.memory]
    alone: list[str] = []
    kinds = [("one process", alone, 1), (f"{args.workers} workers", shared, 1)]
    if args.no_single:
        del kinds[0]
    if args.beside:
        kinds.append(("one beside another", alone, 2))
    heads = ("program", "system", "all", "wall", "MB", "disk MB")
    print(" " * 20 + "".join(map(str.rjust, heads, (9, 8, 8, 8, 7, 9))))
    for _ in range(args.turns):
        for name, options, copies in kinds:
            found = run(args.trace, options, args.memory, copies)
            print(
                f"{name:<20}{found.program:>9.1f}{found.system:>8.1f}"
                f"{found.program + found.system:>8.1f}{found.wall:>8.1f}"
                f"{found.memory / 1e6:>7.0f}{found.disk / 1e6:>9.0f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
