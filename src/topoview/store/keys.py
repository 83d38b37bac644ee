"""Keys by which a kept trace is found again: files, part read, version of the code."""

import hashlib
import os
from functools import cache
from operator import itemgetter
from pathlib import Path
from typing import Final

from topoview.errors import TraceError
from topoview.io.archive import is_unpacked, locate_anchor
from topoview.model import Subset

_KEY_LENGTH: Final = 32
_PACKAGE: Final = Path(__file__).parents[1]
_SUFFIXES: Final = (".py", ".c", ".h")


def store_key(path: Path, subset: Subset) -> str:
    """Make the key of a trace, or of a part of it, from its files as they are now.

    It changes with the name, size, time of change and inode of each file, with the
    part that is read, and with the source code that reads it.

    Raises
    ------
    OSError, TraceError
        If there are no such files.
    """
    told = [
        reader_version(),
        repr(subset),
        *map(_describe_file, _trace_files(path.resolve())),
    ]
    return hashlib.sha256("\n".join(told).encode()).hexdigest()[:_KEY_LENGTH]


def canonical_path(path: Path) -> Path:
    """Path that a trace has however it is spelled: its anchor file or archive."""
    path = path.resolve()
    try:
        return locate_anchor(path).resolve() if is_unpacked(path) else path
    except (OSError, TraceError):  # it was removed while it was read
        return path


def _trace_files(path: Path) -> list[tuple[str, os.stat_result]]:
    """List the files of a trace: those named like its anchor, or its archive."""
    if not is_unpacked(path):
        return [(str(path), path.stat())]
    anchor = locate_anchor(path)
    with os.scandir(anchor.parent) as entries:
        found = [
            (entry.path, entry.stat())
            for entry in entries
            if Path(entry.name).stem == anchor.stem and entry.is_file()
        ]
    folder = anchor.with_suffix("")
    if folder.is_dir():
        with os.scandir(folder) as entries:  # very many: nothing more is done for each
            found += [
                (entry.path, entry.stat()) for entry in entries if entry.is_file()
            ]
    return sorted(found, key=itemgetter(0))


def _describe_file(file: tuple[str, os.stat_result]) -> str:
    name, status = file
    return f"{name!r} {status.st_size} {status.st_mtime_ns} {status.st_ino}"


@cache
def reader_version() -> str:
    """Digest of the source code that reads traces and of the model.

    What other code has read is read again: nobody has to count versions.
    """
    return _digest_sources("io", "model", "store", "worker")


@cache
def code_version() -> str:
    """Digest of the source code that reads and analyses traces, and draws pixels."""
    own = _digest_sources("analysis", "live", "logical", "pipeline", "topology", "")
    return reader_version() + own


def _digest_sources(*folders: str) -> str:
    """Digest of the sources in folders of the package; "" stands for those beside."""
    digest = hashlib.sha256()
    for folder in folders:
        files = (_PACKAGE / folder).rglob("*") if folder else _PACKAGE.glob("*")
        for file in sorted(files):
            if file.suffix in _SUFFIXES:
                digest.update(str(file.relative_to(_PACKAGE)).encode())
                digest.update(file.read_bytes())
    return digest.hexdigest()[:_KEY_LENGTH]
