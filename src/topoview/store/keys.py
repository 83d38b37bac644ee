"""Versions by which what is kept is found again: those of the source code.

What other code has read or computed is made again: nobody has to count versions.
"""

import contextlib
import hashlib
import os
import sys
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Final

from platformdirs import user_data_path

from topoview.base.resources import resource

_KEY_LENGTH: Final = 32
_PACKAGE: Final = Path(__file__).parents[1]
_SOURCE_SUFFIXES: Final = (".py", ".c", ".h")
_INSTALLED_SUFFIXES: Final = (".py", ".so")
"""Where there are no sources of the decoder it is known by what it was compiled to."""


@cache
def reader_version() -> str:
    """Digest of the source code that reads traces and of the model."""
    return _digest_sources("base", "io", "model", "store", "worker", "")


@cache
def code_version() -> str:
    """Digest of the source code that reads and analyses traces, and draws pixels."""
    own = _digest_sources("analysis", "live", "logical", "topology")
    names = resource("mpi", "operations.txt").read_bytes()
    return reader_version() + own + hashlib.sha256(names).hexdigest()


@cache
def answer_version() -> str:
    """Digest of the source code that a command runs, and prints by."""
    return code_version() + _digest_sources("cli", "pipeline", "report", "skeleton")


@cache
def drawing_version() -> str:
    """Digest of what a command runs, and writes into files: pictures and pages, too."""
    digest = hashlib.sha256()
    for folder in ("fonts", "html", "skeleton"):
        for file in sorted(resource(folder).rglob("*")):
            if file.is_file():
                digest.update(file.name.encode() + file.read_bytes())
    return answer_version() + _digest_sources("api", "scene", "ui") + digest.hexdigest()


def packages() -> list[str]:
    """List packages that are installed, with their versions: some draw, or write."""
    result: list[str] = []
    for folder in sys.path:
        with contextlib.suppress(OSError):
            names = os.listdir(folder)  # noqa: PTH208 - texts are faster than paths
            result += [name for name in names if name.endswith("-info")]
    return sorted(result)


def _digest_sources(*folders: str) -> str:
    """Digest of the sources in folders of the package; "" stands for those beside."""
    digest = hashlib.sha256()
    has_sources = (_PACKAGE / "io" / "decoder" / "c").is_dir()
    suffixes = _SOURCE_SUFFIXES if has_sources else _INSTALLED_SUFFIXES
    # of hundreds of files, whenever a command starts: texts are faster than paths
    top = str(_PACKAGE)
    for folder in folders:
        there = os.walk(f"{top}/{folder}")
        some = there if folder else islice(there, 1)
        files = (f"{place}/{name}" for place, _, names in some for name in names)
        for file in sorted(files):
            if file.endswith(suffixes):
                digest.update(file.removeprefix(top).encode())
                with open(file, "rb", buffering=0) as opened:  # noqa: PTH123
                    digest.update(opened.read())
    return digest.hexdigest()[:_KEY_LENGTH]


def pattern_folder() -> Path:
    """Folder in which the user's patterns are remembered."""
    return user_data_path("topoview", appauthor=False) / "patterns"
