"""What a trace in the store is found again by."""

import hashlib
import os
from functools import cache
from operator import itemgetter
from pathlib import Path
from typing import Final

from topoview.errors import TraceError
from topoview.io.archive import is_loose, locate
from topoview.model import Subset

_LENGTH: Final = 32


def store_key(path: Path, subset: Subset) -> str:
    """Make the key of a trace, or of a part of it, from its files as they are now.

    It changes with the name, size, time of change and inode of each file, with the
    part that is read, and with the source code that reads it.

    Raises
    ------
    OSError, TraceError
        If there are no such files.
    """
    told = [reader_version(), repr(subset), *map(_describe, _files(path.resolve()))]
    return hashlib.sha256("\n".join(told).encode()).hexdigest()[:_LENGTH]


def canonical(path: Path) -> Path:
    """Path that a trace has however it is spelled: its anchor file or archive."""
    path = path.resolve()
    try:
        return locate(path).resolve() if is_loose(path) else path
    except (OSError, TraceError):  # it was removed while it was read
        return path


def _files(path: Path) -> list[tuple[str, os.stat_result]]:
    """List the files of a trace: those named like its anchor, or its archive."""
    if not is_loose(path):
        return [(str(path), path.stat())]
    anchor = locate(path)
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


def _describe(file: tuple[str, os.stat_result]) -> str:
    name, status = file
    return f"{name!r} {status.st_size} {status.st_mtime_ns} {status.st_ino}"


@cache
def reader_version() -> str:
    """Digest of the source code that reads traces and of the model.

    What other code has read is read again: nobody has to count versions.
    """
    reader = Path(__file__).parents[1]
    digest = hashlib.sha256()
    for folder in (reader, reader.parent / "model"):
        for file in sorted(folder.rglob("*.py")):
            digest.update(str(file.relative_to(reader.parent)).encode())
            digest.update(file.read_bytes())
    return digest.hexdigest()[:_LENGTH]
