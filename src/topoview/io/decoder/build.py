"""Compiling the decoder: for a wheel, and in place for a source checkout.

Also run as a program, ``python build.py [FOLDER [OPTION ...]]``, and by
``hatch_build.py``: it imports nothing of topoview.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

HERE: Final = Path(__file__).resolve().parent
SOURCES: Final = HERE / "c"
LIBRARY: Final = "decoder.so"

_OPTIONS: Final = (
    *("-std=c11", "-O3", "-fPIC", "-shared", "-fvisibility=hidden"),
    *("-Wall", "-Wextra"),
)


class BuildError(OSError):
    """The decoder cannot be compiled; says why in one line."""


def sources() -> list[Path]:
    """Files that are compiled, in an order that is always the same."""
    return sorted(SOURCES.glob("*.c"))


def build(folder: Path = HERE, options: Sequence[str] = ()) -> Path:
    """Compile the library to a folder.

    It is written beside its place and then renamed, so that several processes can do
    this at a time, and those that have loaded the old one keep it.

    Parameters
    ----------
    options
        Further ones of the compiler.

    Raises
    ------
    BuildError
        If there is no compiler, or it fails.
    """
    compiler = os.environ.get("CC") or shutil.which("cc") or shutil.which("gcc")
    if not compiler:
        raise BuildError(
            "there is no C compiler (on Debian: apt install gcc libc6-dev)"
        )
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder, prefix=".decoder-") as scratch:
        made = Path(scratch) / LIBRARY
        files = [str(path) for path in sources()]
        command = [
            *compiler.split(),
            *_OPTIONS,
            *options,
            *files,
            "-lm",
            "-o",
            str(made),
        ]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            lines = done.stderr.strip().splitlines() or ["no reason given"]
            first = next((line for line in lines if "error" in line), lines[0])
            raise BuildError(f"{compiler} fails: {first}")
        made.replace(folder / LIBRARY)
    return folder / LIBRARY


if __name__ == "__main__":
    build(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE, sys.argv[2:])
