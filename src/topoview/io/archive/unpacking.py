"""Unpack the archive (tar, zip) that a trace came in.

Only the files of a trace are written: anchor, definitions and events. Names are
checked by hand, because `tarfile.data_filter` is missing from the Python 3.11.2
that Debian 12 has.
"""

import bz2
import errno
import gzip
import io
import lzma
import os
import re
import shutil
import stat
import sys
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath
from typing import IO, Any, Final, NamedTuple, NoReturn

from topoview.base.progress import Report
from topoview.base.text import size_text
from topoview.errors import TraceError
from topoview.io.readers import ANCHOR_SUFFIXES, FORMATS, READERS

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

_COPY_BYTES: Final = 1 << 20
_MAX_MEMBERS: Final = 250_000
"""Members of an archive: a trace has two files a location, and a few besides."""

_MAX_RATIO: Final = 100
"""Times its size that an archive may unpack to: traces are packed to a tenth."""

_MAX_SHARE_OF_ROOM: Final = 0.9
_ANY_RATIO_BELOW_BYTES: Final = 1 << 30
"""Bytes up to which an archive may unpack to any number of times its size."""

_MAX_HEADER_BYTES: Final = 1 << 16
"""Bytes of a tar archive between two contents: long names, and other attributes."""

_MAX_DIGITS: Final = 64
"""Digits in a row in attributes: Python before 3.11.10 takes their square as long."""

_MAX_NAME_BYTES: Final = 2048
_MAX_PART_BYTES: Final = 255
_MAX_LEVELS: Final = 100
"""`_MAX_NAME_BYTES`, `_MAX_PART_BYTES` and `_MAX_LEVELS`: of the name of a member."""

_DAMAGE_ERRORS: Final = (
    tarfile.TarError, zipfile.BadZipFile, gzip.BadGzipFile, lzma.LZMAError, zlib.error,
    zstd.ZstdError, EOFError, NotImplementedError,
)  # fmt: skip
_ROOM_ERRORS: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS)


class _ArchiveMember(NamedTuple):
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
        with path.open("rb") as file:
            head = file.read(_MAGIC_BYTES)
    except OSError as error:
        raise TraceError(
            f"{path} cannot be read ({error.strerror}): check its rights"
        ) from error
    try:
        if zipfile.is_zipfile(path):
            _write_members(path, _members_of_zip(path, folder, report), folder, report)
        elif not _unpack_tar(path, head, folder, report):
            raise TraceError(_why_no_archive(path))
    except _DAMAGE_ERRORS as error:
        raise _damaged(path, error) from error
    except RuntimeError as error:  # zipfile, for encrypted members
        raise TraceError(f"{path} cannot be unpacked: {error}") from error
    except OSError as error:
        if error.errno is None:  # bz2 has no other error for damage
            raise _damaged(path, error) from error
        raise _not_unpacked(path, folder.parent, error) from error
    return folder


def _damaged(path: Path, error: Exception) -> TraceError:
    return TraceError(
        f"{path} is damaged and cannot be unpacked ({error}); copy it again"
    )


def _not_unpacked(path: Path, place: Path, error: OSError) -> TraceError:
    """Explain why the system let nothing be unpacked: for lack of room or otherwise."""
    words = f"{path} cannot be unpacked to {place}: {error.strerror or error}"
    if error.errno in _ROOM_ERRORS:
        words += "; set TMPDIR to a folder with more room, or unpack it yourself"
    return TraceError(words)


def _why_no_archive(path: Path) -> str:
    folder = path.absolute().parent
    for suffix, reader in READERS.items():
        beside = path.with_suffix(suffix), folder.with_name(f"{folder.name}{suffix}")
        for anchor in beside:
            if path.suffix in reader.suffixes and anchor.is_file():
                return f"{path} is a part of a trace; open {anchor} instead"
    return (
        f"{path} is no {FORMATS} trace: open an anchor file ({ANCHOR_SUFFIXES}), the "
        "folder that holds one, or a .tar or .zip of it"
    )


class _Bounds:
    """What may be unpacked of an archive, in a folder."""

    def __init__(self, path: Path, folder: Path) -> None:
        self._path = path
        self._most = max(_MAX_RATIO * path.stat().st_size, _ANY_RATIO_BELOW_BYTES)
        self._room = shutil.disk_usage(folder).free * _MAX_SHARE_OF_ROOM
        self._members = self._bytes = self._written = 0

    def add(self, name: str, size: int) -> None:
        """Count a member, whether it is wanted or not, before it is unpacked.

        Raises `TraceError` if there are more members than of a trace; or as
        `add_bytes`.
        """
        self._members += 1
        if self._members > _MAX_MEMBERS:
            raise TraceError(
                f"{self._path} is not unpacked: it has more than {_MAX_MEMBERS} "
                "members; if it is a trace, unpack it yourself"
            )
        self.add_bytes(size, written=_is_wanted(name))

    def add_bytes(self, size: int, *, written: bool = True) -> None:
        """Count bytes, written or skipped, before they are unpacked.

        Raises `TraceError` if there are more, for the packed size, than of a trace.
        Raises `OSError` if there is no room for them.
        """
        self._bytes += size
        self._written += size * written
        if self._bytes > self._most:
            raise TraceError(
                f"{self._path} is not unpacked: it would take more than "
                f"{size_text(self._most)}; if it is a trace, unpack it yourself"
            )
        if self._written > self._room:
            raise OSError(errno.ENOSPC, "there is not enough room")


def _is_wanted(name: str) -> bool:
    member = PurePosixPath(name)
    suffix = member.suffix
    if member.name.startswith("._") or "__MACOSX" in member.parts:
        return False  # what macOS keeps of files beside them (AppleDouble)
    return any(suffix in reader.suffixes for reader in READERS.values())


class _TarBytes(io.RawIOBase):
    """The bytes of a tar archive, of which few are read outside of contents.

    `tarfile` reads names and attributes whole, however long they say they are.
    """

    def __init__(self, path: Path, file: IO[bytes]) -> None:
        super().__init__()
        self._path, self._file = path, file
        self._room: float = _MAX_HEADER_BYTES

    def begin_content(self) -> None:
        """Let the content of a member be read."""
        self._room = float("inf")

    def begin_header(self) -> None:
        """Let what is between two contents be read."""
        self._room = _MAX_HEADER_BYTES

    def read(self, size: int = -1) -> bytes:
        """Read some bytes.

        Raises `TraceError` if there are too many, or digits, between two contents.
        """
        self._room -= size if size >= 0 else float("inf")
        if self._room < 0:
            _refuse(self._path, "a member", "has a name, or attributes, too long")
        data = self._file.read(size)
        in_header = self._room <= _MAX_HEADER_BYTES and size > tarfile.BLOCKSIZE
        if in_header and re.search(rb"\d{%d}" % _MAX_DIGITS, data):
            _refuse(self._path, "a member", "has a number too long")
        return data

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Go to a place."""
        return self._file.seek(offset, whence)

    def tell(self) -> int:
        """Return the position in the stream."""
        return self._file.tell()


_UNPACKERS: Final[dict[bytes, Callable[[IO[bytes]], Any]]] = {
    b"\x1f\x8b": lambda raw: gzip.GzipFile(fileobj=raw),
    b"BZh": bz2.BZ2File,
    b"\xfd7zXZ\0": lzma.LZMAFile,
    b"\x5d\0\0": lzma.LZMAFile,
    b"\x28\xb5\x2f\xfd": zstd.ZstdFile,
}
"""How a tar archive is compressed, by its first bytes."""

_MAGIC_BYTES: Final = max(map(len, _UNPACKERS))


def _unpack_tar(path: Path, head: bytes, folder: Path, report: Report) -> bool:
    """Unpack a tar archive; tells whether it is one."""
    unpacker = next((u for m, u in _UNPACKERS.items() if head.startswith(m)), None)
    with path.open("rb") as raw:
        whole = _TarBytes(path, raw if unpacker is None else unpacker(raw))
        try:
            archive = tarfile.TarFile(fileobj=whole)
        except tarfile.ReadError:
            return False
        with archive:
            members = _members_of_tar(path, archive, whole, folder, report, raw.tell)
            _write_members(path, members, folder, report)
    return True


def _members_of_tar(  # noqa: PLR0913 - an archive, and where its bytes are from
    path: Path,
    archive: tarfile.TarFile,
    whole: _TarBytes,
    folder: Path,
    report: Report,
    tell: Callable[[], int],
) -> Iterator[_ArchiveMember]:
    size, bounds = max(path.stat().st_size, 1), _Bounds(path, folder)
    for member in archive:
        archive.members = []  # type: ignore[attr-defined] # else it keeps all
        bounds.add(member.name, member.size)
        report("unpacking", min(tell() / size, 1.0))
        _check_name(path, member.name)
        if member.isdir():
            whole.begin_header()
            continue
        if not member.isfile():
            _refuse(path, member.name, "is a link or a device")
        content = archive.extractfile(member)
        if content is not None:
            whole.begin_content()
            yield _ArchiveMember(member.name, content, tell() / size)
        whole.begin_header()
    whole.begin_content()
    while block := whole.read(_COPY_BYTES):  # the checksum of all stands at the end
        bounds.add_bytes(len(block), written=False)
        report("unpacking", 1.0)


def _members_of_zip(
    path: Path, folder: Path, report: Report
) -> Iterator[_ArchiveMember]:
    with zipfile.ZipFile(path) as archive:
        members, bounds = archive.infolist(), _Bounds(path, folder)
        for member in members:
            bounds.add(member.filename, member.file_size)
        for number, member in enumerate(members):
            report("unpacking", number / len(members))
            name = _name_in_zip(member)
            _check_name(path, name)
            kind = stat.S_IFMT(member.external_attr >> 16)
            if name.endswith("/"):
                continue
            if kind not in (0, stat.S_IFREG):
                _refuse(path, name, "is a link or a device")
            with archive.open(member) as content:
                yield _ArchiveMember(name, content, number / len(members))


_WINDOWS: Final = 0
"""System that a member of a zip archive says it was made on."""


def _name_in_zip(member: zipfile.ZipInfo) -> str:
    """Return a member's name; Windows may have put backslashes between folders."""
    name = member.filename
    return name.replace("\\", "/") if member.create_system == _WINDOWS else name


def _check_name(path: Path, name: str) -> None:
    parts = PurePosixPath(name)
    if parts.is_absolute() or ".." in parts.parts or "\\" in name or "\0" in name:
        _refuse(path, name, "leads out of the folder that it is unpacked to")
    sizes = [len(os.fsencode(part)) for part in parts.parts]
    if (
        len(sizes) > _MAX_LEVELS
        or sum(sizes) > _MAX_NAME_BYTES
        or max(sizes, default=0) > _MAX_PART_BYTES
    ):
        _refuse(path, f"{name[:_MAX_NAME_SHOWN]}...", "has too long a name")


_MAX_NAME_SHOWN: Final = 60


def _refuse(path: Path, name: str, why: str) -> NoReturn:
    raise TraceError(f"{path} is not unpacked: {name!r} in it {why}; a trace has none")


def _write_members(
    path: Path, members: Iterator[_ArchiveMember], folder: Path, report: Report
) -> None:
    report("unpacking", 0.0)
    for member in members:
        name = PurePosixPath(member.name)
        if not _is_wanted(member.name):
            continue
        target = folder.joinpath(*name.parts)
        target.parent.mkdir(parents=True, exist_ok=True)
        if target.exists():
            _refuse(path, member.name, "is there twice")
        with target.open("wb") as file:
            while block := member.content.read(_COPY_BYTES):
                if shutil.disk_usage(folder).free < 2 * _COPY_BYTES:
                    raise OSError(errno.ENOSPC, "no room is left")
                file.write(block)
                report("unpacking", min(member.fraction, 1.0))
