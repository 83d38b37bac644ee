"""Checksums and rights: nothing that is damaged, or that others may write, is used.

A folder is of this user only, and so is each file in it, whoever had the folder before.

Small files are checked whenever they are opened. Of larger ones it is remembered in
what state of the file (size, times, inode) they were found whole: they are checked
again when that changes, and when the machine was started again.
"""

import contextlib
import errno
import json
import mmap
import os
import stat
import struct
import zlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import platformdirs

from topoview.base.platform import NO_CHILD, NO_LINK, NO_WAIT, boot_id, user_id
from topoview.base.text import json_text
from topoview.errors import TopoviewError

ALWAYS_CHECKED_BELOW_BYTES: Final = 1 << 20
CHECKED_AT_ONCE_BYTES: Final = 1 << 28
"""Bytes that are checked before a trace is used; what is above, behind its user."""

FILE_MODE: Final = 0o600
FOLDER_MODE: Final = 0o700
_BLOCK_BYTES: Final = 1 << 24
BELONGS_TO_ANOTHER: Final = "it belongs to another user"
CACHE_VARIABLE: Final = "TOPOVIEW_CACHE"
SHARED_VARIABLE: Final = "TOPOVIEW_CACHE_SHARED"
TRACES: Final = "traces"
"""Name of the folder in a cache in which traces are."""
OF_SHARED: Final = "of-shared"
"""Name of the user's store of results of traces that are in the shared one."""
MANIFEST: Final = "trace.json"
"""Name of the file of an entry that tells what is in the others."""

_WRITABLE_BY_OTHERS: Final = stat.S_IWGRP | stat.S_IWOTH
_STATES_FILE: Final = "checked.json"
DAMAGE_ERRORS: Final = (
    ValueError,
    TypeError,
    KeyError,
    IndexError,
    AttributeError,
    RecursionError,
)
"""What reading raises of files that are not what was written."""


class DamagedError(ValueError):
    """A file of the store is not what was written."""


def checksum(data: Any) -> int:  # noqa: ANN401 - a buffer
    """Checksum of bytes: that of the CRC-32 of each block, which threads find."""
    view = memoryview(data)
    blocks = [view[at : at + _BLOCK_BYTES] for at in range(0, len(view), _BLOCK_BYTES)]
    if len(blocks) <= 1:  # what is small is checked without NumPy, which takes longer
        return _joined(list(map(zlib.crc32, blocks)))
    from topoview.base.threads import in_parts

    return _joined(in_parts(zlib.crc32, blocks))


def _joined(sums: Sequence[int]) -> int:
    return zlib.crc32(struct.pack(f"<{len(sums)}I", *sums))


def checksum_of(blocks: Iterable[memoryview]) -> int:
    """Checksum of bytes that lie in several places: that of all of them together."""
    sums, own, room = [], 0, _BLOCK_BYTES
    for block in blocks:
        left = block
        while left:
            some, left = left[:room], left[room:]
            own, room = zlib.crc32(some, own), room - len(some)
            if not room:
                sums.append(own)
                own, room = 0, _BLOCK_BYTES
    if room < _BLOCK_BYTES:
        sums.append(own)
    return _joined(sums)


def file_checksum(path: Path, begin: int = 0) -> int:
    """Checksum of a file from a byte on.

    Raises `OSError` if it cannot be read.
    """
    with open_private(path) as file:
        if not os.fstat(file.fileno()).st_size:
            return checksum(b"")
        # Not closed: what ends this halfway still holds views, and would be masked.
        memory = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        return checksum(memoryview(memory)[begin:])


def column_checksum(path: Path) -> int:
    """Checksum of a file of columns: of small ones that of `checksum`.

    Raises `OSError` if it cannot be read.
    """
    with open_private(path) as file:
        if os.fstat(file.fileno()).st_size < ALWAYS_CHECKED_BELOW_BYTES:
            return checksum(file.readall())
        memory = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    import numpy as np

    from topoview.base.hashing import sum_words
    from topoview.base.threads import in_parts

    def summed(begin: int) -> bytes:
        whole = min(begin + _BLOCK_BYTES, len(memory)) // 8 * 8
        words = np.frombuffer(memory, np.uint64, (whole - begin) // 8, begin)
        return struct.pack("<Q", sum_words(words))

    sums = in_parts(summed, range(0, len(memory) // 8 * 8, _BLOCK_BYTES))
    return zlib.crc32(b"".join(sums) + memory[len(memory) // 8 * 8 :])


def seal(text: bytes) -> bytes:
    """Head a text with its checksum."""
    return b"%08x\n" % checksum(text) + text


def unseal(data: bytes) -> bytes:
    """Return the text without the head that `seal` added.

    Raises `DamagedError` if it is another one.
    """
    head, _, text = data.partition(b"\n")
    if head != b"%08x" % checksum(text):
        raise DamagedError("a text has another checksum than it says")
    return text


class CheckedFiles:
    """The files of a folder that were found whole since the machine was started.

    Parameters
    ----------
    folder
        An entry of the store.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / _STATES_FILE
        self._folder = folder

    def check(self, sums: Mapping[str, int], limit: int | None = None) -> bool:
        """Compare files with their checksums, where that has to be.

        Parameters
        ----------
        sums
            Checksums by the files' names.
        limit
            Bytes that may be read for it, the smallest files first; None: any number.

        Returns
        -------
        bool
            Whether all are known to be whole; else some were left out.

        Raises
        ------
        OSError
            If one cannot be read.
        DamagedError
            If one has another checksum.
        """
        checked, left = self._states(), limit
        states = {name: _state_of(self._folder / name) for name in sums}
        new = {}
        for name, state in sorted(states.items(), key=lambda item: item[1][0]):
            size = state[0]
            if checked.get(name) == state:
                continue
            if left is not None:
                left -= size
                if left < 0:
                    break
            if column_checksum(self._folder / name) != sums[name]:
                raise DamagedError(f"{name} is damaged")
            if size >= ALWAYS_CHECKED_BELOW_BYTES:
                new[name] = state
        if new:
            self._remember(checked | new)
        return left is None or left >= 0

    def knows(self, name: str) -> bool:
        """Return whether a file, of those that are large, is known to be whole."""
        return self._states().get(name) == _state_of(self._folder / name)

    def trust(self, *names: str) -> None:
        """Remember that files are whole as they are: they were written just now."""
        states = {name: _state_of(self._folder / name) for name in names}
        large = {
            name: state
            for name, state in states.items()
            if state[0] >= ALWAYS_CHECKED_BELOW_BYTES
        }
        if large:
            self._remember(self._states() | large)

    def _states(self) -> dict[str, list[int]]:
        with contextlib.suppress(OSError, *DAMAGE_ERRORS):
            payload = json.loads(unseal(read_private(self._path)))
            if payload["boot"] and payload["boot"] == boot_id():
                return dict(payload["files"])
        return {}

    def _remember(self, states: Mapping[str, list[int]]) -> None:
        if is_shared(self._folder):
            return
        there = {
            name: s for name, s in states.items() if (self._folder / name).exists()
        }
        sealed = seal(json_text({"boot": boot_id(), "files": there}).encode())
        beside = self._path.with_suffix(f".{os.getpid()}")
        with contextlib.suppress(OSError):  # a disk that is full: checked again
            write_private(beside, sealed)
            beside.rename(self._path)


def _state_of(path: Path) -> list[int]:
    status = path.stat()
    return [status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino]


def open_private(path: Path, flags: int = os.O_RDONLY) -> Any:  # noqa: ANN401 - a file
    """Open a file as bytes: one that is made is of this user only, no link is followed.

    Raises `OSError` if that fails, or others may write to the file.
    """
    flags |= NO_LINK | NO_CHILD | NO_WAIT  # nobody waits for a pipe
    file = os.open(path, flags, FILE_MODE)
    if fault := _foreign_fault(os.fstat(file), shared=is_shared(path)):
        os.close(file)
        raise PermissionError(errno.EPERM, fault, str(path))
    mode = "rb" if flags & (os.O_WRONLY | os.O_RDWR) == 0 else "r+b"
    return os.fdopen(file, mode, buffering=0)


def read_private(path: Path) -> bytes:
    """Read a file of the store; no link is followed."""
    with open_private(path) as file:
        return bytes(file.readall())


def write_private(path: Path, data: bytes) -> None:
    """Write a file of the store anew."""
    with open_private(path, os.O_RDWR | os.O_CREAT | os.O_TRUNC) as file:
        write_all(file.fileno(), memoryview(data))


def write_all(file: int, block: memoryview) -> None:
    """Write bytes to a descriptor, however many pieces it takes.

    Raises `OSError` if that fails.
    """
    while block:
        block = block[os.write(file, block) :]


def make_private_folder(folder: Path) -> None:
    """Create a folder of this user only, or close the one there is to others.

    One that others may write to stays as it is: see `foreign_fault`.

    Raises `OSError` if that fails.
    """
    folder.mkdir(FOLDER_MODE, parents=True, exist_ok=True)
    if not foreign_fault(folder) and stat.S_IMODE(folder.stat().st_mode) != FOLDER_MODE:
        folder.chmod(FOLDER_MODE)


def foreign_fault(folder: Path) -> str:
    """Explain why a folder is not to be trusted, empty if it is or is not there."""
    try:
        return _foreign_fault(folder.stat(), shared=is_shared(folder))
    except OSError:
        return ""


def _foreign_fault(state: os.stat_result, *, shared: bool) -> str:
    if state.st_uid != (_shared_owner() if shared else user_id()):
        return BELONGS_TO_ANOTHER
    return "others may write to it" if state.st_mode & _WRITABLE_BY_OTHERS else ""


def _shared_owner() -> int:
    """Whom this user trusts by naming the folder: its owner, and nobody else."""
    return Path(os.environ[SHARED_VARIABLE]).stat().st_uid


def cache_is_off() -> bool:
    """Return whether the user wants nothing to be kept."""
    return os.environ.get(CACHE_VARIABLE) == "off"


def cache_folder() -> Path:
    """Return the folder of the user's own cache."""
    setting = os.environ.get(CACHE_VARIABLE)
    return Path(setting) if setting else platformdirs.user_cache_path("topoview")


def shared_folder() -> Path | None:
    """Return the folder with traces that this user only reads; None if none is named.

    The user's own cache is none such, under whatever name.
    """
    setting = os.environ.get(SHARED_VARIABLE)
    if not setting:
        return None
    folder = Path(setting).absolute()
    with contextlib.suppress(OSError):
        if folder.samefile(cache_folder()):
            return None
    return folder / TRACES


def is_shared(path: Path) -> bool:
    """Return whether a file or folder of a store is in the one that is only read."""
    folder = shared_folder()
    return folder is not None and path.absolute().is_relative_to(folder)


def claim_folder(folder: Path) -> None:
    """Create a folder for what this user alone does, where others may have their own.

    Raises
    ------
    TopoviewError
        If the folder is there and is another user's, others may write to it, or it is
        a link, whoever made that.
    OSError
        If it cannot be made.
    """
    fault = "it is a link" if folder.is_symlink() else foreign_fault(folder)
    if not fault:
        make_private_folder(folder)
        fault = foreign_fault(folder)  # somebody may have been faster
    if fault:
        raise TopoviewError(
            f"{folder} is not used: {fault}; remove it, or write to another folder"
        )
