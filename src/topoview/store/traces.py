"""The traces that are kept: a folder for each, found again by its key.

A folder holds ``trace.json`` and arrays in ``.npy`` files, smaller ones together. It is
written beside, as ``KEY.partial``, and renamed when it is whole. Whoever writes or
removes a folder holds ``KEY.lock``. Above its limit the store drops what was not used
for longest.
"""

import contextlib
import errno
import json
import os
import shutil
import time
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple, Self

from topoview.base.memory import parse_size
from topoview.base.platform import NO_CHILD, NO_LINK, boot_id, try_lock
from topoview.base.text import one_line, size_text
from topoview.errors import TopoviewError
from topoview.model import Trace
from topoview.store.encoding import array_getter, decode_value
from topoview.store.integrity import (
    BELONGS_TO_ANOTHER,
    CACHE_VARIABLE,
    CHECKED_AT_ONCE_BYTES,
    DAMAGE_ERRORS,
    FILE_MODE,
    FOLDER_MODE,
    MANIFEST,
    TRACES,
    CheckedFiles,
    DamagedError,
    cache_folder,
    cache_is_off,
    foreign_fault,
    is_shared,
    make_private_folder,
    read_private,
    shared_folder,
    unseal,
    write_private,
)
from topoview.store.keys import reader_version


class FileLock:
    """An exclusive lock on a file that is there only while somebody holds it.

    Raises
    ------
    OSError
        If the file cannot be made, or its file system cannot lock.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file = -1

    def take(self) -> bool:
        """Acquire the lock unless another process, or object, has it; tells whether."""
        while True:
            flags = os.O_RDWR | os.O_CREAT | NO_CHILD | NO_LINK
            file = os.open(self._path, flags, FILE_MODE)
            try:
                is_locked = try_lock(file)
                # Whoever held it may have removed the file since it was opened here.
                if is_locked and self._is_there(file):
                    self._file = file
                    return True
            finally:
                if self._file != file:
                    os.close(file)
            if not is_locked:
                return False

    def _is_there(self, file: int) -> bool:
        try:
            return os.path.samestat(os.fstat(file), self._path.stat())
        except FileNotFoundError:
            return False

    def free(self) -> None:
        """Release it, if it was acquired."""
        if self._file >= 0:
            self._path.unlink(missing_ok=True)
            os.close(self._file)
            self._file = -1

    def __enter__(self) -> Self:
        """Release the lock at the end, whether it was acquired or not."""
        return self

    def __exit__(self, *_: object) -> None:
        """Release it."""
        self.free()


PARTIAL: Final = ".partial"
LOCK: Final = ".lock"
SAFE_MARK: Final = "safe"
"""File in an entry that is on the disk for good, and not only told to the system."""

CACHE_LIMIT_VARIABLE: Final = "TOPOVIEW_CACHE_LIMIT"
_TRASH_PREFIX: Final = "trash-"
_LIMIT_FILE: Final = "limit"
_MAX_DEFAULT_LIMIT_BYTES: Final = 50 << 30
_DISK_PARTS: Final = 10
_UNREADABLE: Final = "damaged, or of another version"
_LOST: Final = (
    errno.ENOENT,
    errno.ENOTDIR,
    errno.EISDIR,
    errno.ELOOP,
    errno.EIO,
    errno.EPERM,
)
"""Errors of files that are not there, not what they were, or open to others."""


NO_LIMIT: Final = 1 << 62
"""Bytes that a store may take which goes with the process whose own it is."""


class StoreEntry(NamedTuple):
    """A trace in the store."""

    key: str
    """Name of its folder."""
    trace: str
    """Path of the trace that was read: its anchor file or archive, links followed."""
    part: str
    """What was read of it, ``all`` or such as ``ranks 0-63``."""
    stale: bool
    """Another version of topoview read it: this one does not use it."""
    size: int
    """Bytes on the disk."""
    used: float
    """When it was opened last, in seconds since 1970."""


class Store:
    """Traces that were read, in a folder.

    Parameters
    ----------
    folder
        Made when something is written.
    limit
        Bytes; when there is more those not used for longest are removed.
    """

    def __init__(self, folder: Path, limit: int | None = None) -> None:
        self.folder = folder
        self.read_only = is_shared(folder)
        """Whether it is another user's, from which this one only reads."""
        self._limit = limit
        self._room = 0

    @property
    def limit(self) -> int:
        """Bytes that the store may take.

        As told by the environment, else by `set_limit`, else a tenth of the disk,
        50 GiB at most.
        """
        if self._limit is not None:
            return self._limit
        setting = os.environ.get(CACHE_LIMIT_VARIABLE)
        try:
            return parse_size(
                setting or read_private(self.folder / _LIMIT_FILE).decode("ascii")
            )
        except (OSError, ValueError) as error:
            if setting:
                raise TopoviewError(f"{CACHE_LIMIT_VARIABLE}: {error}") from None
        there = next(p for p in (self.folder, *self.folder.parents) if p.exists())
        return min(
            shutil.disk_usage(there).total // _DISK_PARTS, _MAX_DEFAULT_LIMIT_BYTES
        )

    @property
    def fault(self) -> str:
        """Why nothing is taken from the store or put there, empty if it is."""
        fault = foreign_fault(self.folder)
        if fault == BELONGS_TO_ANOTHER:
            return f"{fault}; set {CACHE_VARIABLE} to a folder of yours"
        remedy = "; topoview cache --clear empties and closes it"
        return f"{fault}{remedy}" if fault else ""

    def set_limit(self, size: int) -> None:
        """Remember a limit, and hold the store to it."""
        make_private_folder(self.folder)
        write_private(self.folder / _LIMIT_FILE, b"%d\n" % size)
        self.trim()

    def find(self, key: str) -> Trace | None:
        """Find a trace; what is damaged is removed."""
        folder = self.folder / key
        if self.fault or not folder.exists():
            return None
        try:
            manifest = _manifest_of(folder)
            is_safe = self.read_only or (folder / SAFE_MARK).exists()
            if not is_safe and manifest["boot"] != boot_id():
                raise ValueError("the machine went down before it was written")
            CheckedFiles(folder).check(manifest["files"], CHECKED_AT_ONCE_BYTES)
            trace = decode_value(manifest["trace"], array_getter(folder))
            if not isinstance(trace, Trace):
                raise TypeError("no trace")
        except OSError as error:
            if error.errno in _LOST:
                self.discard(key)
            return None
        except DAMAGE_ERRORS:
            self.discard(key)
            return None
        if not self.read_only:
            with contextlib.suppress(OSError):
                os.utime(folder / MANIFEST)
        return trace

    def lock(self, key: str) -> FileLock:
        """Return the lock of an entry, not yet acquired."""
        return FileLock(self.folder / f"{key}{LOCK}")

    def size(self, key: str) -> int:
        """Bytes of an entry."""
        return _folder_size(self.folder / key)

    def entries(self) -> list[StoreEntry]:
        """List what is in the store, the one used last first."""
        result = []
        for folder in _folders_in(self.folder):
            if "." in folder.name or folder.name.startswith(_TRASH_PREFIX):
                continue
            try:
                manifest = _manifest_of(folder)
                used = (folder / MANIFEST).stat().st_mtime
                trace, part = str(manifest["path"]), str(manifest["part"])
                stale = manifest.get("version") != reader_version()
            except (OSError, *DAMAGE_ERRORS):
                trace, part, stale, used = _UNREADABLE, "", True, 0.0
            size = _folder_size(folder)
            result.append(
                StoreEntry(
                    key=folder.name,
                    trace=trace,
                    part=part,
                    stale=stale,
                    size=size,
                    used=used,
                )
            )
        return sorted(result, key=lambda entry: -entry.used)

    def discard(self, key: str) -> bool:
        """Remove an entry, unless it is being written just now.

        Who has it open keeps what is mapped.
        """
        if self.read_only:
            return False
        try:
            with self.lock(key) as lock:
                return lock.take() and self._throw_away(self.folder / key)
        except OSError:
            return False

    def sweep(self) -> None:
        """Remove what processes left that were ended in the middle."""
        for folder in _folders_in(self.folder):
            name = folder.name
            if name.startswith(_TRASH_PREFIX):
                shutil.rmtree(folder, ignore_errors=True)
            elif name.endswith(PARTIAL):
                self.abandon(name.removesuffix(PARTIAL))
        for path in self.folder.glob(f"*{LOCK}"):
            self.abandon(path.stem)

    def abandon(self, key: str) -> None:
        """Remove what was begun of an entry, unless somebody is writing it."""
        if self.read_only:
            return
        with contextlib.suppress(OSError), self.lock(key) as lock:
            if lock.take():
                self._throw_away(self.folder / f"{key}{PARTIAL}")

    def supersede(self, key: str) -> None:
        """Remove what an entry replaces: its trace, read by older code or changed."""
        entries = self.entries()
        mine = [(entry.trace, entry.part) for entry in entries if entry.key == key]
        for entry in entries:
            if entry.key != key and (entry.trace, entry.part) in mine:
                self.discard(entry.key)

    def trim(self, spare: str = "", written: int | None = None) -> None:
        """Remove entries until the limit is kept: first stale ones, then old ones.

        Parameters
        ----------
        spare
            Key of an entry that stays. If it is above the limit alone, no other has to
            go for it: it goes itself when its process ends.
        written
            Bytes that were added: if they are few beside what was free when all was
            counted, it is not counted again. None: it is.
        """
        if written is not None and written <= self._room:
            self._room -= written
            return
        limit = self.limit
        free = limit - sum(map(_folder_size, _folders_in(self.folder)))
        self._room = free // _SHARE_OF_ROOM
        if free >= 0:
            return
        entries = sorted(self.entries(), key=lambda entry: entry.stale)
        own = sum(entry.size for entry in entries if entry.key == spare)
        entries = [entry for entry in entries if entry.key != spare]
        total = sum(entry.size for entry in entries) + (own if own <= limit else 0)
        while entries and total > limit:
            entry = entries.pop()
            if self.discard(entry.key):
                total -= entry.size

    def clear(self) -> tuple[int, int]:
        """Remove everything; returns how many entries and bytes that were.

        A folder that others could write to is closed to them.
        """
        self.sweep()
        gone = [entry for entry in self.entries() if self.discard(entry.key)]
        with contextlib.suppress(OSError):
            self.folder.chmod(FOLDER_MODE)
        return len(gone), sum(entry.size for entry in gone)

    def secure(self, key: str) -> None:
        """Flush an entry to the disk for good, and know it to be whole.

        Takes as long as the disk. What is damaged is removed: who has it open may see
        damage until then, and nobody after.
        """
        folder = self.folder / key
        try:
            manifest = _manifest_of(folder)
            CheckedFiles(folder).check(manifest["files"])
            if not (folder / SAFE_MARK).exists():
                flush_folder(folder)
                write_private(folder / SAFE_MARK, b"")
        except OSError:
            return
        except DAMAGE_ERRORS:
            self.discard(key)

    def enter(self, key: str) -> None:
        """Enter what is written beside; its lock is held."""
        self._throw_away(self.folder / key)
        (self.folder / f"{key}{PARTIAL}").rename(self.folder / key)

    def _throw_away(self, folder: Path) -> bool:
        """Remove a folder, whole or not at all for whoever looks."""
        trash = self.folder / f"{_TRASH_PREFIX}{uuid.uuid4().hex}"
        try:
            folder.rename(trash)
        except OSError:
            return False
        shutil.rmtree(trash, ignore_errors=True)
        return True


def user_store(name: str = TRACES) -> Store | None:
    """Store of the user; None if the environment says ``TOPOVIEW_CACHE=off``."""
    if cache_is_off():
        return None
    return Store(cache_folder() / name)


def shared_store() -> Store | None:
    """Store of another user that the environment names; None if it names none."""
    folder = shared_folder()
    return None if folder is None else Store(folder)


def flush_folder(folder: Path) -> None:
    """Flush the files of a folder to the disk for good.

    Raises `OSError` if that fails.
    """
    for path in (*folder.iterdir(), folder):
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _manifest_of(folder: Path) -> dict[str, Any]:
    """Read what a folder says that it holds.

    Raises `OSError`, or one of `DAMAGE_ERRORS`, also if it is not called as its entry.
    """
    manifest: dict[str, Any] = json.loads(unseal(read_private(folder / MANIFEST)))
    if manifest["key"] != folder.name:
        raise DamagedError("a folder has the name of another entry")
    return manifest


def _folders_in(folder: Path) -> Iterator[Path]:
    with contextlib.suppress(OSError):
        yield from [path for path in folder.iterdir() if path.is_dir()]


def _folder_size(folder: Path) -> int:
    with contextlib.suppress(OSError), os.scandir(folder) as files:
        return sum(file.stat().st_size for file in files)
    return 0


_SHARE_OF_ROOM: Final = 10
"""Part of what was free that may be written before all is counted again: other
processes write, too."""

_AGE_UNITS: Final = ((86400, "day"), (3600, "hour"), (60, "minute"))


def cache_record(store: Store) -> dict[str, Any]:
    """Describe a store as JSON-able values: what ``topoview cache`` prints."""
    entries = store.entries()
    return {
        "folder": str(store.folder),
        "limit": store.limit,
        "bytes": sum(entry.size for entry in entries),
        "traces": [
            {
                "path": entry.trace,
                "part": entry.part,
                "stale": entry.stale,
                "bytes": entry.size,
                "used": entry.used,
            }
            for entry in entries
        ],
    }


def cache_text(store: Store) -> str:
    """Describe a store in lines for a reader."""
    entries = store.entries()
    total = size_text(sum(entry.size for entry in entries))
    room = ", shared, only read" if store.read_only else f" of {size_text(store.limit)}"
    return "\n".join(
        [
            f"{store.folder}: {total}{room}",
            *(_entry_line(entry) for entry in entries),
        ]
    )


def _entry_line(entry: StoreEntry) -> str:
    part = "" if entry.part in ("all", "") else f" ({entry.part})"
    part += ", read by another version" * (entry.stale and bool(entry.part))
    trace, age = one_line(entry.trace), _age_text(entry.used)
    return f"{size_text(entry.size):>10}  {age:<15} {trace}{part}"


def _age_text(when: float) -> str:
    age = time.time() - when
    for seconds, unit in _AGE_UNITS:
        count = int(age // seconds)
        if count:
            return f"{count} {unit}{'s' * (count > 1)} ago"
    return "just now"


def too_large_text(size: int, limit: int) -> str:
    """Explain why a trace is not kept for long; empty if it is."""
    if size <= limit:
        return ""
    return (
        f"it takes {size_text(size)} and the cache {size_text(limit)}; "
        "topoview cache --limit raises that"
    )
