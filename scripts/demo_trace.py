#!/usr/bin/env python3
"""Make the simulated traces that are shipped in resources/demo anew.

The trace of the transpose was recorded, by Score-P.
"""

import sys
import tarfile
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from simulation.demo import demo_program, demo_trace, mapping_program
from writer import write_trace

FOLDER = Path(__file__).resolve().parents[1] / "resources" / "demo"

PROGRAMS = {"wave": demo_program, "mapping": mapping_program}


def _nameless(member: tarfile.TarInfo) -> tarfile.TarInfo:
    """Leave out who made a file, and when."""
    member.mode = 0o755 if member.isdir() else 0o644
    member.uid = member.gid = member.mtime = 0
    member.uname = member.gname = ""
    return member


def main() -> None:
    """Simulate the traces that are named, else all, and pack them."""
    for name in sys.argv[1:] or PROGRAMS:
        target = FOLDER / f"{name}.tar.xz"
        with tempfile.TemporaryDirectory() as scratch:
            folder = write_trace(demo_trace(PROGRAMS[name]()), Path(scratch)).parent
            with tarfile.open(target, "w:xz", preset=9) as archive:
                for path in sorted(folder.rglob("*")):
                    archive.add(path, path.relative_to(folder), False, filter=_nameless)
        print(f"{target}: {target.stat().st_size / 1024:.0f} KiB")


if __name__ == "__main__":
    main()
