"""Find the files of a trace: in a folder, or in an archive.

A path leads to an anchor file (``traces.otf2``). Archives are unpacked to a scratch
folder, by `topoview.io.archive.unpacking`, which whoever shows what is kept does not
import.
"""

import contextlib
import errno
import hashlib
import os
import stat
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Final

from topoview.base.progress import Report, silent
from topoview.errors import TraceError
from topoview.io.readers import (
    ANCHOR_SUFFIXES,
    FORMATS,
    READERS,
    Anchor,
    read_trace,
    suffix_of,
)
from topoview.model import Subset
from topoview.store.keys import reader_version

if TYPE_CHECKING:
    from topoview.model import Trace

_DEFAULT_ANCHOR_NAMES: Final = frozenset({"traces", "eztrace_log"})
_MAX_NAMES_LISTED: Final = 5
_KEY_LENGTH: Final = 32


def find_anchor(path: Path, scratch: Path, report: Report) -> Anchor:
    """Find the anchor file that a path leads to, unpacked where it has to be."""
    if is_unpacked(path):
        file = locate_anchor(path)
        anchor = Anchor(path, file, file, trace_name(path, file))
    else:
        from topoview.io.archive.unpacking import unpack

        anchor = _anchor_in_folder(path, unpack(path, scratch, report))
    _require_files(anchor.file)
    return anchor


def open_trace(
    path: str | Path, report: Report = silent, subset: Subset | None = None
) -> "Trace":
    """Read a trace in this process, and keep nothing of it.

    What is damaged is left out and told in the trace's `warnings`.

    Parameters
    ----------
    path
        An anchor file (``traces.otf2``), a folder that holds exactly one, or an
        archive (``.tar``, ``.tar.gz``, ``.tar.xz``, ``.zip``, ...) of one, which
        is unpacked to a temporary folder.
    report
        Called after every few ten thousand events.
    subset
        What to read of it; None: all.

    Raises
    ------
    TraceError
        If there is no trace, it cannot be read at all, or has no such part.
    Cancelled
        From `report`.
    """
    from topoview.store.temporary import ScratchFolder

    with ScratchFolder() as scratch:
        anchor = find_anchor(Path(path), scratch.path, report)
        return read_trace(anchor, report, subset or Subset())


def is_unpacked(path: Path) -> bool:
    """Return whether a path leads to the files of a trace, not to an archive of them.

    Raises `TraceError` if there is nothing.
    """
    if os.path.isdir(path):  # noqa: PTH112 - Path.is_dir raises for long names
        return True
    _require_file(path)
    return suffix_of(path) in READERS


_KINDS_REFUSED: Final = {
    stat.S_IFIFO: "a pipe",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFSOCK: "a socket",
}
"""What would have no end, or make who opens it wait."""


def _require_file(path: Path) -> None:
    """Refuse what is no regular file, before anything opens it.

    Raises `TraceError` if it is something else, or not there.
    """
    try:
        kind = _KINDS_REFUSED.get(stat.S_IFMT(path.stat().st_mode))
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise TraceError(
                f"{path} is a link that leads back to itself: open the trace itself"
            ) from None
        if error.errno == errno.ENAMETOOLONG:
            raise TraceError(f"{path} is no path: its name is too long") from None
        if isinstance(error, PermissionError):
            raise
        raise TraceError(f"{path} does not exist: check the name") from None
    except ValueError:  # a zero in it
        raise TraceError(f"{path} is no path: check the name") from None
    if kind is not None:
        raise TraceError(f"{path} is {kind}, no file: open the file of a trace itself")


def _require_files(anchor: Path) -> None:
    """Refuse a trace of which a file is none: reading it would wait, or for ever.

    Raises `TraceError` if one of those named like its anchor is no regular file.
    """
    own = (anchor.with_suffix(suffix) for suffix in (".def", ".marker"))
    for path in (anchor, *(path for path in own if path.exists())):
        _require_file(path)
    with contextlib.suppress(OSError), os.scandir(anchor.with_suffix("")) as entries:
        for entry in entries:  # very many: only what is special is asked for
            if not entry.is_file() and not entry.is_dir() and Path(entry).exists():
                _require_file(Path(entry))


def locate_anchor(path: Path) -> Path:
    """Find the anchor file that a folder holds, or that a path is."""
    return _anchor_in_folder(path, path).file if path.is_dir() else path


def store_key(path: Path, subset: Subset) -> str:
    """Return the key of a trace, or of a part of it, from its files as they are now.

    It changes with the name, size, times and inode of each file, with the part that is
    read, and with the source code that reads it. Whoever changes a file in place can
    set its time of change back, but not that of its status.

    Raises `OSError` or `TraceError` if there are no such files.
    """
    is_unpacked(path)  # what is refused is told by the name that it was given
    files = map(_describe_file, _trace_files(Path(os.path.realpath(path))))
    described = "\n".join((reader_version(), repr(subset), *files))
    return hashlib.sha256(described.encode()).hexdigest()[:_KEY_LENGTH]


def canonical_path(path: Path) -> Path:
    """Path that a trace has however it is spelled: its anchor file or archive."""
    path = Path(os.path.realpath(path))
    try:
        return locate_anchor(path).resolve() if is_unpacked(path) else path
    except (OSError, TraceError):  # it was removed while it was read
        return path


def _trace_files(path: Path) -> list[tuple[str, os.stat_result]]:
    """List the files of a trace: those named like its anchor, or its archive."""
    if not is_unpacked(path) or (path.is_file() and READERS[suffix_of(path)].alone):
        return [(str(path), path.stat())]
    anchor = locate_anchor(path)
    with os.scandir(anchor.parent) as entries:
        files = [
            (entry.path, entry.stat())
            for entry in entries
            if Path(entry.name).stem == anchor.stem and entry.is_file()
        ]
    folder = anchor.with_suffix("")
    if folder.is_dir():
        with os.scandir(folder) as entries:  # very many: nothing more is done for each
            files += [
                (entry.path, entry.stat()) for entry in entries if entry.is_file()
            ]
    return sorted(files, key=itemgetter(0))


def _describe_file(file: tuple[str, os.stat_result]) -> str:
    name, status = file
    times = f"{status.st_mtime_ns} {status.st_ctime_ns}"
    return f"{name!r} {status.st_size} {times} {status.st_ino}"


def anchors_in(folder: Path, below: str = "") -> list[Path]:
    """List the anchor files in a folder; in those below it too: ``**/``."""
    return sorted(
        file
        for suffix, reader in READERS.items()
        for file in folder.glob(f"{below}*{suffix}")
        if not reader.alone
    )


def _anchor_in_folder(given: Path, folder: Path) -> Anchor:
    """Find the one anchor file in a folder or below it, the nearest first."""
    files = anchors_in(folder) or anchors_in(folder, "**/")
    files = [file for file in files if file.exists() and not file.is_dir()]
    if not files:
        for suffix in READERS:
            beside = given.absolute().with_name(f"{given.absolute().name}{suffix}")
            if beside.is_file():
                raise TraceError(f"{given} is a part of a trace; open {beside} instead")
        raise TraceError(
            f"{given} holds no {FORMATS} trace: no file in it ends in "
            f"{ANCHOR_SUFFIXES}; open the folder that the measurement wrote"
        )
    shown = [given / file.relative_to(folder) for file in files]
    if len(files) > 1:
        names = ", ".join(
            str(file.relative_to(given)) for file in shown[:_MAX_NAMES_LISTED]
        )
        more = f" and {len(files) - _MAX_NAMES_LISTED} more" * (
            len(files) > _MAX_NAMES_LISTED
        )
        raise TraceError(
            f"{given} holds {len(files)} traces: {names}{more}; open one of them"
        )
    return Anchor(given, files[0], shown[0], trace_name(given, files[0]))


def trace_name(given: Path, file: Path) -> str:
    """Name of the folder or archive; of the anchor file if that says more."""
    name = given.absolute().name
    if given.is_file():
        name = name.removesuffix(given.suffix)
        for suffix in (".tar", *READERS):
            name = name.removesuffix(suffix)
    if given == file:
        parent = given.absolute().parent.name
        return parent if file.stem in _DEFAULT_ANCHOR_NAMES and parent else file.stem
    return name or file.stem
