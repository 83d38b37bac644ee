"""Large arrays that are needed for a while: in memory, or in files that are mapped.

What goes from rank to rank needs columns of all calls or messages beside those of the
trace. As far as they fit into half of the memory that may be taken they lie there; the
others are files without a name, which go with the last array that shows them. The
system takes their memory back when it needs it. So nothing that is computed depends on
how much memory there is, but for the time that it takes.
"""

import contextlib
import math
import mmap
import tempfile
import threading
import weakref
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import DTypeLike, NDArray

from topoview.base.memory import memory_budget
from topoview.base.platform import reserve_room
from topoview.base.progress import batches

_SMALL_BYTES: Final = 1 << 20
"""Bytes up to which an array lies in memory in any case."""

_SHARE: Final = 2
"""The part of the memory that such arrays may take: the rest is for batches of them."""

_folder: ContextVar[Path | None] = ContextVar("folder", default=None)
_in_memory = [0]
_counting = threading.Lock()


@contextlib.contextmanager
def scratch_folder(folder: Path) -> Iterator[None]:
    """Let the files of arrays that this thread needs lie in a folder."""
    before = _folder.set(folder)
    try:
        yield
    finally:
        _folder.reset(before)


def scratch(shape: int | tuple[int, ...], dtype: DTypeLike = np.int64) -> NDArray[Any]:
    """Return an array of zeros that is needed for a while.

    Raises `OSError` if there is no room on the disk.
    """
    return _array(shape, dtype, np.zeros)


def unset(shape: int, dtype: DTypeLike = np.int64) -> NDArray[Any]:
    """Return an array, whatever it contains, that is needed for a while.

    Raises `OSError` if there is no room on the disk.
    """
    return _array(shape, dtype, np.empty)


def scratch_full(length: int, value: int, dtype: DTypeLike = np.int64) -> NDArray[Any]:
    """Return an array of equal numbers that is needed for a while; see `scratch`."""
    array = unset(length, dtype)
    array.fill(value)
    return array


def scratch_of(
    parts: Iterator[NDArray[Any]], length: int, dtype: DTypeLike
) -> NDArray[Any]:
    """Join arrays in one that is needed for a while; see `scratch`."""
    array, begin = unset(length, dtype), 0
    for part in parts:
        array[begin : begin + len(part)] = part
        begin += len(part)
    return array


def _array(
    shape: int | tuple[int, ...], dtype: DTypeLike, make: Callable[..., NDArray[Any]]
) -> NDArray[Any]:
    size = math.prod(np.atleast_1d(shape).tolist()) * np.dtype(dtype).itemsize
    if size <= _SMALL_BYTES:
        return make(shape, dtype)
    with _counting:
        fits = _in_memory[0] + size <= memory_budget() // _SHARE
        _in_memory[0] += size * fits
    if fits:
        array = make(shape, dtype)
        weakref.finalize(array, _free, size)
        return array
    with tempfile.TemporaryFile(dir=_folder.get()) as file:
        reserve_room(file.fileno(), size)
        memory = mmap.mmap(file.fileno(), size)
    return np.frombuffer(memory, dtype).reshape(shape)


def add_up(values: NDArray[np.int64]) -> None:
    """Turn values into their running sums, in place."""
    for some in batches(len(values)):
        if some.start:
            values[some.start] += values[some.start - 1]
        np.cumsum(values[some], out=values[some])


def _free(size: int) -> None:
    with _counting:
        _in_memory[0] -= size
