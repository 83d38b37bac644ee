"""Unpacking the archive (tar, zip) that a trace came in.

Only the files of a trace are written: anchor, definitions and events. Names
are checked by hand, because `tarfile.data_filter` is missing from the Python
3.11.2 that Debian 12 has.
"""

import lzma
import shutil
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import IO, Final, NamedTuple

from topoview.errors import TraceError
from topoview.progress import Report

_WANTED: Final = frozenset({".otf2", ".def", ".evt"})
_ZSTANDARD: Final = b"\x28\xb5\x2f\xfd"
_BLOCK: Final = 1 << 20
_DAMAGE: Final = (
    tarfile.TarError, zipfile.BadZipFile, lzma.LZMAError, zlib.error, EOFError,
    NotImplementedError,
)  # fmt: skip


class _Member(NamedTuple):
    """A file in an archive, and how far into the archive it is."""

    name: str
    content: IO[bytes]
    fraction: float


def unpack(path: Path, folder: Path, report: Report) -> Path:
    """Unpack the trace in an archive to an empty folder.

    Returns
    -------
    Path
        The folder.

    Raises
    ------
    TraceError
        If the file is no archive, is damaged, does not fit on the disk, or
        holds names that lead out of the folder, links or devices.
    """
    try:
        if zipfile.is_zipfile(path):
            _write(path, _members_of_zip(path), folder, report)
        elif tarfile.is_tarfile(path):
            _write(path, _members_of_tar(path), folder, report)
        else:
            raise TraceError(_what_else(path))
    except _DAMAGE as error:
        raise TraceError(
            f"{path} is damaged and cannot be unpacked ({error}); copy it again"
        ) from error
    except RuntimeError as error:  # zipfile, for encrypted members
        raise TraceError(f"{path} cannot be unpacked: {error}") from error
    except OSError as error:
        raise TraceError(
            f"{path} cannot be unpacked to {folder.parent}: {error.strerror or error}; "
            "set TMPDIR to a folder with more room, or unpack it yourself"
        ) from error
    return folder


def _what_else(path: Path) -> str:
    with path.open("rb") as file:
        head = file.read(4)
    if head == _ZSTANDARD:
        return (
            f"{path} is packed with Zstandard, which this Python cannot read; unpack "
            f"it first: tar --zstd -xf {path.name}"
        )
    folder = path.absolute().parent
    for anchor in (path.with_suffix(".otf2"), folder.with_name(f"{folder.name}.otf2")):
        if path.suffix in _WANTED and anchor.is_file():
            return f"{path} is a part of a trace; open {anchor} instead"
    return (
        f"{path} is no OTF2 trace: open an anchor file (.otf2), the folder that holds "
        "one, or a .tar or .zip of it"
    )


def _members_of_tar(path: Path) -> Iterator[_Member]:
    size = max(path.stat().st_size, 1)
    with path.open("rb") as raw, tarfile.open(fileobj=raw) as archive:
        for member in archive:
            _check_name(path, member.name)
            if member.isdir():
                continue
            if not member.isfile():
                _refuse(path, member.name, "is a link or a device")
            content = archive.extractfile(member)
            if content is not None:
                yield _Member(member.name, content, raw.tell() / size)


def _members_of_zip(path: Path) -> Iterator[_Member]:
    with zipfile.ZipFile(path) as archive:
        members = archive.infolist()
        for number, member in enumerate(members):
            _check_name(path, member.filename)
            kind = stat.S_IFMT(member.external_attr >> 16)
            if member.is_dir():
                continue
            if kind not in (0, stat.S_IFREG):
                _refuse(path, member.filename, "is a link or a device")
            with archive.open(member) as content:
                yield _Member(member.filename, content, number / len(members))


def _check_name(path: Path, name: str) -> None:
    parts = PurePosixPath(name)
    if parts.is_absolute() or ".." in parts.parts or "\\" in name or "\0" in name:
        _refuse(path, name, "leads out of the folder that it is unpacked to")


def _refuse(path: Path, name: str, why: str) -> None:
    raise TraceError(f"{path} is not unpacked: {name!r} in it {why}; a trace has none")


def _write(
    path: Path, members: Iterator[_Member], folder: Path, report: Report
) -> None:
    report("unpacking", 0.0)
    for member in members:
        name = PurePosixPath(member.name)
        if name.suffix not in _WANTED:
            continue
        target = folder.joinpath(*name.parts)
        target.parent.mkdir(parents=True, exist_ok=True)
        if target.exists():
            _refuse(path, member.name, "is there twice")
        with target.open("wb") as file:
            while block := member.content.read(_BLOCK):
                if shutil.disk_usage(folder).free < 2 * _BLOCK:
                    raise OSError(None, "no room is left")
                file.write(block)
                report("unpacking", min(member.fraction, 1.0))
