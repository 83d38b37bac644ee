"""Results computed from a kept trace, cached beside it.

A result is one file in the trace's folder, ``NAME-KEY.kept``: a head in JSON, and the
arrays that it refers to, both with their checksums. It is written beside and renamed
when it is whole and on the disk; so it is removed with the trace, and found by whoever
opens the trace again. The key holds what made the result: the version of the code, and
what was asked for.
"""

import contextlib
import hashlib
import io
import json
import mmap
import os
import threading
import time
import uuid
from pathlib import Path
from typing import Any, Final
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from topoview.base.text import json_text
from topoview.model import Calls, Messages, Timeline, Trace
from topoview.store.arrays import file_of
from topoview.store.encoding import Pack, array_getter, decode_value, encode_value
from topoview.store.integrity import (
    CHECKED_AT_ONCE_BYTES,
    DAMAGE_ERRORS,
    CheckedFiles,
    DamagedError,
    checksum_of,
    file_checksum,
    is_shared,
    open_private,
    seal,
    unseal,
)
from topoview.store.traces import Store

SUFFIX: Final = ".kept"
_WRITING: Final = ".writing"
_FILE_MARK: Final = b"topoview kept 3\n"
_HEAD_AT: Final = len(_FILE_MARK) + 8
_ALIGNMENT_BYTES: Final = 64
_KEY_LENGTH: Final = 32
_BUFFER_BYTES: Final = 1 << 20
_SPARSE_FROM_BYTES: Final = 1 << 25
"""Bytes of a file of which only the pages are read that are looked at."""
_ABANDONED_AFTER_SECONDS: Final = 3600.0

TraceTable = Timeline | Calls | Messages


class ResultCache:
    """The results that are kept with one trace.

    Parameters
    ----------
    store, key
        Where the trace is.
    writer
        Begins the names of files that are not finished, for `abandon`.
    """

    def __init__(self, store: Store, key: str, writer: str = "") -> None:
        self.store, self.key, self._writer = store, key, writer
        """`store` and `key`: as they were given."""
        self._folder = store.folder / key

    def has(self, name: str, made_of: object) -> bool:
        """Return whether a result is kept; see `find`."""
        return self._path(name, made_of).exists()

    def find(self, name: str, made_of: object) -> Any:  # noqa: ANN401 - as it was kept
        """Find a result; what is damaged is removed.

        Parameters
        ----------
        name
            What it is.
        made_of
            Version of the code and what was asked for, as `repr` tells it: only a
            result that was kept with the same one is found.

        Returns
        -------
        object or None
            Its arrays are mapped to memory, read-only.
        """
        path = self._path(name, made_of)
        try:
            return read_kept(path, of=self._of(path))
        except OSError:
            return None
        except DAMAGE_ERRORS:
            if not self.store.read_only:
                with contextlib.suppress(OSError):
                    path.unlink()
            return None

    def keep(
        self,
        name: str,
        made_of: object,
        value: object,
        *,
        others: int = 0,
    ) -> bool:
        """Keep a result, as far as there is room; nobody is told if it cannot be.

        Parameters
        ----------
        name, made_of
            As for `find`.
        value
            Dataclasses, tuples, dictionaries, numbers, texts, arrays of numbers.
        others
            How many older ones of the name, made of other things, stay.

        Returns
        -------
        bool
            Whether it is kept now.
        """
        if self.store.read_only:
            return False
        path = self._path(name, made_of)
        beside = self._folder / f"{self._writer}{uuid.uuid4().hex}{_WRITING}"
        try:
            write_kept(beside, value, of=self._of(path))
            beside.rename(path)
            CheckedFiles(self._folder).trust(path.name)
        except OSError:
            with contextlib.suppress(OSError):
                beside.unlink()
            return False
        with contextlib.suppress(OSError):
            self._tidy(name, path, others)
            self.store.trim(spare=self.key, written=path.stat().st_size)
        return path.exists()

    def abandon(self) -> None:
        """Remove what this writer, who has ended, did not finish."""
        if self.store.read_only:
            return
        for path in self._folder.glob(f"{self._writer}*{_WRITING}"):
            path.unlink(missing_ok=True)

    def _path(self, name: str, made_of: object) -> Path:
        key = hashlib.sha256(repr(made_of).encode()).hexdigest()[:_KEY_LENGTH]
        return self._folder / f"{name}-{key}{SUFFIX}"

    def _of(self, path: Path) -> str:
        """Name a result so that no other one is taken for it."""
        return f"{self.key}/{path.name}"

    def _tidy(self, name: str, new: Path, others: int) -> None:
        """Remove what is replaced, and what was never finished."""
        same = [path for path in self._folder.glob(f"{name}-*{SUFFIX}") if path != new]
        same.sort(key=lambda path: -path.stat().st_mtime)
        long_ago = time.time() - _ABANDONED_AFTER_SECONDS
        left = [
            path
            for path in self._folder.glob(f"*{_WRITING}")
            if path.stat().st_mtime < long_ago
        ]
        for path in (*same[others:], *left):
            path.unlink(missing_ok=True)


def abandon_results(store: Store, writer: str) -> None:
    """Remove from all entries what a writer, who has ended, did not finish."""
    for path in store.folder.glob(f"*/{writer}*{_WRITING}"):
        path.unlink(missing_ok=True)


_CACHES: WeakKeyDictionary[TraceTable, tuple[ResultCache, ...]] = WeakKeyDictionary()


def attach_result_cache(trace: Trace, store: Store, key: str) -> None:
    """Remember where results of a trace are kept: where it came from, or beside.

    Its tables lead there. A second place is for what has no room in the first.
    """
    attached = result_caches_of(trace)
    if (store.folder, key) not in [(one.store.folder, one.key) for one in attached]:
        caches = (*attached, ResultCache(store, key))
        for table in (trace.timeline, trace.calls, trace.messages):
            _CACHES[table] = caches


def share_result_caches(trace: Trace, table: TraceTable) -> None:
    """Let a table that was made of a trace lead to where its results are kept."""
    _CACHES[table] = result_caches_of(trace)


def result_caches_of(trace: Trace) -> tuple[ResultCache, ...]:
    """Where results of a trace are kept, if its tables are of one kept trace."""
    tables = (trace.timeline, trace.calls, trace.messages)
    caches = {_CACHES.get(table, ()) for table in tables}
    return caches.pop() if len(caches) == 1 else ()


def place_of(trace: Trace) -> tuple[str, ...]:
    """Name the folder of the store and the key by which others find a kept trace.

    Empty if it is in no store.
    """
    caches = result_caches_of(trace)
    return (str(caches[0].store.folder), caches[0].key) if caches else ()


def result_cache_of(*tables: TraceTable) -> ResultCache | None:
    """Where results of some tables are kept; None if they are not of one kept trace."""
    caches = {_CACHES.get(table, ())[:1] for table in tables}
    first = caches.pop() if len(caches) == 1 else ()
    return first[0] if first else None


def write_kept(path: Path, value: object, *, of: str = "") -> None:
    """Write a value to a new file; see `ResultCache.keep`.

    Arrays that are files of the same folder are referred to; one that is in several
    places is written once.

    Parameters
    ----------
    of
        What it is, without which it is not read again; empty: the file's name.

    Raises `OSError` if that fails.
    """
    pack = Pack()
    packed: dict[int, dict[str, Any]] = {}

    def put(_: str, array: NDArray[Any]) -> dict[str, Any]:
        file = file_of(array)
        if file is None or file.parent != path.parent:
            if id(array) not in packed:
                packed[id(array)] = pack.put(array)
            return packed[id(array)]
        layout = {"dtype": array.dtype.str, "shape": list(array.shape)}
        return {"file": file.name, **layout}

    encoded = encode_value(value, put, columns=True)
    total = checksum_of(pack.blocks)
    payload = {"of": of or path.name, "value": encoded, "arrays": total}
    head = seal(json_text(payload).encode())
    gap = b" " * (-(_HEAD_AT + len(head)) % _ALIGNMENT_BYTES)
    begin = _FILE_MARK + len(head).to_bytes(8, "little") + head + gap
    file = open_private(path, os.O_RDWR | os.O_CREAT | os.O_EXCL)
    with io.BufferedWriter(file, _BUFFER_BYTES) as out:  # small arrays go together
        out.write(begin)
        for block in pack.blocks:
            out.write(block)
        out.flush()
        os.fsync(out.fileno())


def read_kept(
    path: Path, *, of: str = "", check: bool = True, whole: bool = False
) -> Any:  # noqa: ANN401 - as it was kept
    """Read the value in a file of `write_kept`; its arrays are mapped.

    Parameters
    ----------
    of
        What it was written as.
    check
        Compare the arrays with their checksum, for which all of them are read.
    whole
        All of it will be looked at: the system reads ahead. Else of a large file it
        reads only the pages that are looked at.

    Raises `OSError`, or what `decode_value` raises of a damaged file.
    """
    with open_private(path) as file:
        size = os.fstat(file.fileno()).st_size
        if size < _HEAD_AT:
            raise DamagedError(f"{path.name} is cut")
        memory = mmap.mmap(file.fileno(), size, access=mmap.ACCESS_READ)
    end = _HEAD_AT + int.from_bytes(memory[len(_FILE_MARK) : _HEAD_AT], "little")
    begin = end + -end % _ALIGNMENT_BYTES
    if memory[: len(_FILE_MARK)] != _FILE_MARK or begin > size:
        raise DamagedError(f"{path.name} is no result")
    payload = json.loads(unseal(memory[_HEAD_AT:end]))
    if payload["of"] != (of or path.name):
        raise DamagedError(f"{path.name} has the name of another result")
    arrays = np.frombuffer(memory, np.uint8, size - begin, begin)
    if check:
        _check_arrays(path, begin, payload["arrays"])
    if size >= _SPARSE_FROM_BYTES and not whole:
        memory.madvise(mmap.MADV_RANDOM)
    return decode_value(payload["value"], array_getter(path.parent, arrays.data))


def _check_arrays(path: Path, begin: int, checksum: int) -> None:
    """Compare the arrays of a result with their checksum, where that has to be.

    Raises `DamagedError` if it is another one; of very large ones that comes out behind
    their user, and they are removed.
    """
    checked = CheckedFiles(path.parent)

    def compare() -> None:
        if file_checksum(path, begin) != checksum:
            raise DamagedError(f"{path.name} is damaged")
        checked.trust(path.name)

    def compare_behind() -> None:
        with contextlib.suppress(OSError):
            try:
                compare()
            except DamagedError:
                if not is_shared(path):
                    path.unlink()

    if checked.knows(path.name):
        return
    if path.stat().st_size <= CHECKED_AT_ONCE_BYTES:
        compare()
    else:
        threading.Thread(target=compare_behind, name="checking", daemon=True).start()
