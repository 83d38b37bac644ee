"""Writing a trace to the store while it is read: columns are filled in place."""

import contextlib
import json
import shutil
import time
import weakref
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import DTypeLike, NDArray

from topoview.errors import TraceError
from topoview.io.allocation import Memory
from topoview.io.store.arrays import create, finish, write
from topoview.io.store.format import encode
from topoview.io.store.key import canonical, reader_version
from topoview.io.store.lock import FileLock
from topoview.io.store.pack import PACK, Pack
from topoview.io.store.shared import Shared
from topoview.io.store.store import MANIFEST, PARTIAL, Store, boot, flush
from topoview.io.store.text import too_large
from topoview.memory import VARIABLE, budget, size_words
from topoview.model import Subset, Trace
from topoview.progress import Report

SMALL: Final = 1 << 20
"""Bytes below which an array is in memory until the end."""

LARGE: Final = 1 << 23
"""Bytes from which on an array has a file of its own."""

PATIENCE_SECONDS: Final = 20.0
"""How long another process may tell nothing before it is not waited for."""

_PAUSE_SECONDS: Final = 0.03
_LOOKS: Final = 3
_ALIVE: Final = "progress.json"
_TELLING_SECONDS: Final = 0.5


class Draft:
    """Arrays for a trace that is being read, and what becomes of them.

    Where the store cannot be written they are in memory, as far as the budget goes.

    Parameters
    ----------
    store
        None: nothing is to be kept.
    key
        Key of the trace.
    folder
        Where files go, None for nowhere.
    lock
        Lock that is held until the end.

    Attributes
    ----------
    key
        As it was given.
    fault
        Why the trace is not kept, empty if it is or was not meant to be.
    """

    def __init__(
        self, store: Store | None, key: str, folder: Path | None, lock: FileLock | None
    ) -> None:
        self.key = key
        self._store, self._folder, self._lock = store, folder, lock
        self._usable = folder is not None
        self._files: dict[int, tuple[Path, NDArray[Any]]] = {}
        self._claimed: dict[str, int] = {}
        self._shared = Shared(folder or Path())
        self._held = 0
        self._memory = Memory()
        self._told = -1.0
        self._budget = budget()
        self.fault = ""

    @property
    def folder(self) -> Path | None:
        """Where its files are."""
        return self._folder

    def allocate(
        self, name: str, length: int, dtype: DTypeLike, *, scratch: bool = False
    ) -> NDArray[Any]:
        """Give an array to be filled; see `topoview.io.allocation.Allocate`.

        Raises
        ------
        TraceError
            If neither the store nor the budget of memory has room for it.
        """
        size = length * np.dtype(dtype).itemsize
        fits = self._held + size <= self._budget
        if size < SMALL or (scratch and fits):
            return self._in_memory(name, length, dtype, scratch)
        if self._folder is not None and self._usable:
            try:
                if size < LARGE and not scratch:
                    return self._shared.allocate(length, dtype)
                path = self._folder / f"{name}.npy"
                return self._in_file(path, length, dtype, scratch)
            except OSError as error:
                self._fail(error)
        if not fits:
            raise TraceError(self._no_room(self._held + size))
        return self._in_memory(name, length, dtype, scratch)

    def _in_file(
        self, path: Path, length: int, dtype: DTypeLike, scratch: bool
    ) -> NDArray[Any]:
        path.unlink(missing_ok=True)
        array = create(path, length, dtype)
        if scratch:
            path.unlink()
        else:
            self._files[array.ctypes.data] = path, array
        return array

    def _in_memory(
        self, name: str, length: int, dtype: DTypeLike, scratch: bool
    ) -> NDArray[Any]:
        size = length * np.dtype(dtype).itemsize
        array = self._memory(name, length, dtype, scratch=scratch)
        self._held += size
        weakref.finalize(array, self._release, size)
        return array

    def _release(self, size: int) -> None:
        self._held -= size

    def _fail(self, error: OSError) -> None:
        self._usable = False
        self.fault = self.fault or (error.strerror or str(error))

    def _no_room(self, size: int) -> str:
        where = f" and {self._store.folder}: {self.fault}" if self._store else ""
        return (
            f"there is no room for the trace: it needs {size_words(size)} or more "
            f"(memory may take {size_words(self._budget)}{where}); make room there, "
            f"set TOPOVIEW_CACHE to a folder on a larger disk or {VARIABLE} to a "
            "larger size, or read some ranks (--ranks) or seconds (--from, --to) only"
        )

    def keep(self, trace: Trace, subset: Subset) -> tuple[bytes, memoryview] | None:
        """Enter the trace in the store.

        Returns
        -------
        tuple or None
            None if it is there. Else manifest and pack for whoever opens it, which
            refer to files in `folder`; `fault` says why.
        """
        pack = Pack()

        def put(name: str, array: NDArray[Any]) -> dict[str, Any]:
            told = self._shared.refer(array)
            if told is not None or array.nbytes < SMALL:
                return told or pack.put(array)
            file = self._file_of(name, array)
            if file is None:
                return pack.put(array)
            return {"file": file, "dtype": array.dtype.str, "shape": list(array.shape)}

        manifest = {
            "path": str(canonical(Path(trace.path))),
            "part": subset.words,
            "version": reader_version(),
            "boot": boot(),
            "trace": encode(trace, put),
        }
        self._claimed |= dict.fromkeys(self._shared.finish(), 0)
        told, blob = json.dumps(manifest).encode(), pack.bytes()
        if self._store is not None and self._folder is not None and self._usable:
            try:
                self._enter(self._store, self._folder, told, blob)
            except OSError as error:
                self._fail(error)
            else:
                return None
        return told, blob.data

    def _file_of(self, name: str, array: NDArray[Any]) -> str | None:
        """Name of the file that an array is in by now; None if there is none."""
        known = self._files.get(array.ctypes.data)
        if known is not None and array.flags.c_contiguous:
            path, whole = known
            claimed = self._claimed.setdefault(path.name, array.nbytes)
            if array.dtype == whole.dtype and array.nbytes == claimed:
                finish(path, array)
                return path.name
        if self._folder is None or not self._usable:
            return None
        path = self._folder / f"{name}.npy"
        if path.exists():
            path = self._folder / f"{name}-{len(self._claimed)}.npy"
        try:
            write(path, array)
        except OSError as error:
            self._fail(error)
            return None
        self._claimed[path.name] = array.nbytes
        return path.name

    def _enter(
        self, store: Store, folder: Path, told: bytes, blob: NDArray[np.uint8]
    ) -> None:
        for path in folder.iterdir():
            if path.name not in self._claimed:
                path.unlink()
        write(folder / PACK, blob)
        (folder / MANIFEST).write_bytes(told)
        if not boot():
            flush(folder)
        store.enter(self.key)
        self._folder = None
        store.supersede(self.key)
        store.sweep()
        self.fault = too_large(store.size(self.key), store.limit)
        if not self.fault:
            store.trim()

    def discard(self, fault: str) -> None:
        """Keep nothing, for a reason."""
        self.fault, self._usable = self.fault or fault, False

    def tell(self, stage: str, fraction: float) -> None:
        """Tell processes that wait for this one how far it is."""
        now = time.monotonic()
        if self._folder is not None and now - self._told > _TELLING_SECONDS:
            self._told = now
            with contextlib.suppress(OSError):
                (self._folder / _ALIVE).write_text(json.dumps([stage, fraction]))

    def close(self) -> None:
        """Free the lock."""
        if self._lock is not None:
            self._lock.free()


def begin(store: Store | None, key: str, report: Report) -> Draft | None:
    """Begin to write a trace.

    Waits while another process reads the same one.

    Returns
    -------
    Draft or None
        None if the trace has come to the store meanwhile.

    Raises
    ------
    Cancelled
        From `report`.
    """
    if store is None or not key:
        return Draft(None, key, None, None)
    lock = store.lock(key)
    partial = store.folder / f"{key}{PARTIAL}"
    try:
        store.folder.mkdir(parents=True, exist_ok=True)
        while not lock.take():
            told = progress_of(partial)
            if told is None:
                return _without(store, key, "another process is busy with it")
            report(f"another window reads it: {told[0]}", told[1])
            time.sleep(_PAUSE_SECONDS)
        if (store.folder / key / MANIFEST).exists():
            lock.free()
            return None
        shutil.rmtree(partial, ignore_errors=True)
        partial.mkdir()
    except OSError as error:
        lock.free()
        return _without(store, key, error.strerror or str(error))
    return Draft(store, key, partial, lock)


def _without(store: Store, key: str, fault: str) -> Draft:
    draft = Draft(store, key, None, None)
    draft.fault = fault
    return draft


def progress_of(partial: Path) -> tuple[str, float] | None:
    """Read how far another process is; None if it has told nothing for long."""
    for _ in range(_LOOKS):
        try:
            age = time.time() - (partial / _ALIVE).stat().st_mtime
            stage, fraction = json.loads((partial / _ALIVE).read_text())
        except (OSError, ValueError, TypeError):
            time.sleep(_PAUSE_SECONDS)  # it begins, ends, or writes just now
        else:
            return (str(stage), float(fraction)) if age < PATIENCE_SECONDS else None
    return "starting", 0.0
