"""Write a trace to the store while it is read: its columns are filled in place."""

import contextlib
import json
import time
import weakref
from collections.abc import Collection
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import DTypeLike, NDArray

from topoview.base.memory import MEMORY_VARIABLE, memory_budget
from topoview.base.platform import boot_id
from topoview.base.progress import Report
from topoview.base.text import json_text, size_text
from topoview.errors import TraceError
from topoview.model import Subset, Trace
from topoview.store.arrays import (
    MemoryAllocator,
    SharedFiles,
    create_array_file,
    finish_array_file,
    load_array,
    write_array,
)
from topoview.store.encoding import PACK_FILE, Pack, encode_value
from topoview.store.integrity import (
    MANIFEST,
    CheckedFiles,
    column_checksum,
    make_private_folder,
    seal,
    write_private,
)
from topoview.store.keys import reader_version
from topoview.store.traces import PARTIAL, FileLock, Store, flush_folder, too_large_text

IN_MEMORY_BELOW_BYTES: Final = 1 << 20
"""Bytes below which an array is in memory until the end."""

OWN_FILE_FROM_BYTES: Final = 1 << 23
"""Bytes from which on an array has a file of its own."""

PATIENCE_SECONDS: Final = 20.0
"""How long another process may tell nothing before it is not waited for."""

_PAUSE_SECONDS: Final = 0.03
_MAX_LOOKS: Final = 3
_PROGRESS_FILE: Final = "progress.json"
_PROGRESS_INTERVAL_SECONDS: Final = 0.5


class TraceWriter:
    """Arrays for a trace that is being read, and what becomes of them.

    Where the store cannot be written they are in memory, as far as the budget goes.

    Parameters
    ----------
    store, key
        Where the trace is to be, and its key.
    folder
        Where files go, None for nowhere.
    lock
        Lock that is held until the end.
    """

    def __init__(
        self, store: Store, key: str, folder: Path | None, lock: FileLock | None
    ) -> None:
        self.key = key
        """As it was given."""
        self._store, self._folder, self._lock = store, folder, lock
        self._usable = folder is not None
        self._files: dict[int, tuple[Path, NDArray[Any]]] = {}
        self._claimed: dict[str, int] = {}
        self._adopted: set[str] = set()
        self._shared = SharedFiles(folder or Path())
        self._held = 0
        self._memory = MemoryAllocator()
        self._last_report = -1.0
        self._budget = memory_budget()
        self.fault = ""
        """Why the trace is not kept, empty if it is."""

    @property
    def folder(self) -> Path | None:
        """Where its files are."""
        return self._folder

    def allocate(
        self, name: str, length: int, dtype: DTypeLike, *, scratch: bool = False
    ) -> NDArray[Any]:
        """Return an array to be filled; see `topoview.store.arrays.Allocate`.

        Raises `TraceError` if neither the store nor the budget of memory has room for
        it.
        """
        size = length * np.dtype(dtype).itemsize
        fits = self._held + size <= self._budget
        if size < IN_MEMORY_BELOW_BYTES or (scratch and fits):
            return self._in_memory(name, length, dtype, scratch)
        if self._folder is not None and self._usable:
            try:
                if size < OWN_FILE_FROM_BYTES and not scratch:
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
        array = create_array_file(path, length, dtype)
        if scratch:
            path.unlink()
        else:
            self._files[array.ctypes.data] = path, array
        return array

    def adopt(self, name: str) -> NDArray[Any]:
        """Map an array that is in the folder already; see `begin_writing`.

        It gets no checksum: one process would read all that many have written.
        """
        path = self._store.folder / f"{self.key}{PARTIAL}" / f"{name}.npy"
        self._adopted.add(path.name)
        array = load_array(path)
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
        where = f" and {self._store.folder}: {self.fault}" if self.fault else ""
        return (
            f"there is no room for the trace: it needs {size_text(size)} or more "
            f"(memory may take {size_text(self._budget)}{where}); make room there, "
            "set TOPOVIEW_CACHE to a folder on a larger disk or "
            f"{MEMORY_VARIABLE} to a larger size, or read some ranks (--ranks) or "
            "seconds (--from, --to) only"
        )

    def keep(self, trace: Trace, subset: Subset, path: Path) -> bool:
        """Enter the trace in the store.

        Parameters
        ----------
        subset
            What was read of it.
        path
            Its path however it is spelled, by which later versions replace it.

        Returns
        -------
        bool
            Whether it is there; else `fault` says why not.
        """
        folder = self._folder
        if folder is None or not self._usable:
            return False
        try:
            self._enter(folder, trace, subset, path)
        except OSError as error:
            self._fail(error)
            return False
        return True

    def _enter(self, folder: Path, trace: Trace, subset: Subset, path: Path) -> None:
        pack = Pack()

        def put(name: str, array: NDArray[Any]) -> dict[str, Any]:
            reference = self._shared.refer(array)
            if reference is not None or array.nbytes < IN_MEMORY_BELOW_BYTES:
                return reference or pack.put(array)
            file = self._file_of(folder, name, array)
            return {"file": file, "dtype": array.dtype.str, "shape": list(array.shape)}

        encoded = encode_value(trace, put, columns=True)
        self._claimed |= dict.fromkeys(self._shared.finish(), 0)
        for file in folder.iterdir():
            if file.name not in self._claimed:
                file.unlink()
        write_array(folder / PACK_FILE, pack.bytes())
        files = (file for file in folder.iterdir() if file.name not in self._adopted)
        sums = {file.name: column_checksum(file) for file in files}
        CheckedFiles(folder).trust(*sums)
        manifest = {
            "key": self.key,
            "path": str(path),
            "part": subset.words,
            "version": reader_version(),
            "boot": boot_id(),
            "files": sums,
            "trace": encoded,
        }
        write_private(folder / MANIFEST, seal(json_text(manifest).encode()))
        if not boot_id():
            flush_folder(folder)
        store = self._store
        store.enter(self.key)
        self._folder = None
        store.supersede(self.key)
        store.sweep()
        self.fault = too_large_text(store.size(self.key), store.limit)
        if not self.fault:
            store.trim()

    def _file_of(self, folder: Path, name: str, array: NDArray[Any]) -> str:
        """Name of the file that an array is in by now."""
        mapped = self._files.get(array.ctypes.data)
        if mapped is not None and array.flags.c_contiguous:
            path, whole = mapped
            claimed = self._claimed.setdefault(path.name, array.nbytes)
            if array.dtype == whole.dtype and array.nbytes == claimed:
                finish_array_file(path, array)
                return path.name
        path = folder / f"{name}.npy"
        if path.exists():
            path = folder / f"{name}-{len(self._claimed)}.npy"
        write_array(path, array)
        self._claimed[path.name] = array.nbytes
        return path.name

    def discard(self, fault: str) -> None:
        """Keep nothing, for a reason."""
        self.fault, self._usable = self.fault or fault, False

    def tell(self, stage: str, fraction: float) -> None:
        """Report to processes that wait for this one how far it is."""
        now = time.monotonic()
        if (
            self._folder is not None
            and now - self._last_report > _PROGRESS_INTERVAL_SECONDS
        ):
            self._last_report = now
            with contextlib.suppress(OSError):
                payload = json_text([stage, fraction]).encode()
                write_private(self._folder / _PROGRESS_FILE, payload)

    def close(self) -> None:
        """Free the lock."""
        if self._lock is not None:
            self._lock.free()


def begin_writing(
    store: Store, key: str, report: Report, spare: Collection[str] = ()
) -> TraceWriter | None:
    """Begin to write a trace.

    Waits while another process reads the same one.

    Parameters
    ----------
    spare
        Files that are there and stay; what else was begun is removed.

    Returns
    -------
    TraceWriter or None
        None if the trace has come to the store meanwhile.

    Raises
    ------
    Cancelled
        From `report`.
    """
    lock = store.lock(key)
    partial = store.folder / f"{key}{PARTIAL}"
    try:
        make_private_folder(store.folder)
        if store.fault:
            return _writer_without_store(store, key, store.fault)
        while not lock.take():
            progress = progress_of_writer(partial)
            if progress is None:
                return _writer_without_store(
                    store, key, "another process is busy with it"
                )
            report(f"another window reads it: {progress[0]}", progress[1])
            time.sleep(_PAUSE_SECONDS)
        if (store.folder / key / MANIFEST).exists():
            lock.free()
            return None
        make_private_folder(partial)
        for file in partial.iterdir():
            if file.name not in spare:
                file.unlink()
    except OSError as error:
        lock.free()
        return _writer_without_store(store, key, error.strerror or str(error))
    return TraceWriter(store, key, partial, lock)


def _writer_without_store(store: Store, key: str, fault: str) -> TraceWriter:
    writer = TraceWriter(store, key, None, None)
    writer.fault = fault
    return writer


def progress_of_writer(partial: Path) -> tuple[str, float] | None:
    """Read how far another process is; None if it has told nothing for long."""
    for _ in range(_MAX_LOOKS):
        try:
            age = time.time() - (partial / _PROGRESS_FILE).stat().st_mtime
            stage, fraction = json.loads((partial / _PROGRESS_FILE).read_text())
        except (OSError, ValueError, TypeError):
            time.sleep(_PAUSE_SECONDS)  # it begins, ends, or writes just now
        else:
            return (str(stage), float(fraction)) if age < PATIENCE_SECONDS else None
    return "starting", 0.0
