"""Find the files of a trace: in a folder, or in an archive.

A path leads to an anchor file (``traces.otf2``). Archives are unpacked to a scratch
folder.
"""

import bz2
import contextlib
import errno
import gzip
import hashlib
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
from operator import itemgetter
from pathlib import Path, PurePosixPath
from typing import IO, TYPE_CHECKING, Any, Final, NamedTuple, NoReturn

from topoview.base.progress import Report, silent
from topoview.base.text import size_text
from topoview.errors import TraceError
from topoview.io.readers import READERS, Anchor, read_trace, suffix_of
from topoview.model import Subset
from topoview.store.keys import reader_version

if TYPE_CHECKING:
    from topoview.model import Trace

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

_FORMATS: Final = " or ".join(r.format for r in READERS.values() if not r.alone)
_ANCHOR_SUFFIXES: Final = " or ".join(n for n, r in READERS.items() if not r.alone)
_DEFAULT_ANCHOR_NAMES: Final = frozenset({"traces", "eztrace_log"})
_MAX_NAMES_LISTED: Final = 5
_KEY_LENGTH: Final = 32


def find_anchor(path: Path, scratch: Path, report: Report) -> Anchor:
    """Find the anchor file that a path leads to, unpacked where it has to be."""
    if is_unpacked(path):
        file = locate_anchor(path)
        anchor = Anchor(path, file, file, trace_name(path, file))
    else:
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
            f"{given} holds no {_FORMATS} trace: no file in it ends in "
            f"{_ANCHOR_SUFFIXES}; open the folder that the measurement wrote"
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


# Unpacking the archive (tar, zip) that a trace came in.
#
# Only the files of a trace are written: anchor, definitions and events. Names are
# checked by hand, because `tarfile.data_filter` is missing from the Python 3.11.2
# that Debian 12 has.

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
        f"{path} is no {_FORMATS} trace: open an anchor file ({_ANCHOR_SUFFIXES}), the "
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
