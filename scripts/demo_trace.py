#!/usr/bin/env python3
"""Make the sample trace that is shipped, resources/demo/demo.tar.xz, anew."""

import sys
import tarfile
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from simulation.demo import demo_trace
from writer import write_trace

TARGET = Path(__file__).resolve().parents[1] / "resources" / "demo" / "demo.tar.xz"


def _nameless(member: tarfile.TarInfo) -> tarfile.TarInfo:
    """Leave out who made a file, and when."""
    member.mode = 0o755 if member.isdir() else 0o644
    member.uid = member.gid = member.mtime = 0
    member.uname = member.gname = ""
    return member


def main() -> None:
    """Simulate the trace, and pack it."""
    TARGET.parent.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        folder = write_trace(demo_trace(), Path(scratch)).parent
        with tarfile.open(TARGET, "w:xz", preset=9) as archive:
            for path in sorted(folder.rglob("*")):
                archive.add(path, path.relative_to(folder), False, filter=_nameless)
    print(f"{TARGET}: {TARGET.stat().st_size / 1024:.0f} KiB")


if __name__ == "__main__":
    main()
