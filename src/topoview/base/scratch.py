"""Large arrays: in memory, or in files that are mapped.

As far as arrays of a task fit into the memory that it may take they lie there; others
are files without a name, which go with the last array that shows them. The system takes
their memory back when it needs it. So nothing that is computed depends on how much
memory there is, but for the time that it takes.

What goes from rank to rank needs columns of all calls or messages beside those of the
trace: these lie in half of that memory, which leaves the other half for batches of
them.
"""

import contextlib
import os
import tempfile
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import DTypeLike, NDArray

from topoview.base.blocks import blocks_as_before, blocks_in_files, fault_of_block
from topoview.base.memory import memory_budget
from topoview.base.progress import batches

_SMALL_BYTES: Final = 1 << 20
"""Bytes up to which an array lies in memory in any case."""

_SHARE: Final = 2
"""The part of the memory that columns for a while may take."""

_folder: ContextVar[Path | None] = ContextVar("folder", default=None)


@contextlib.contextmanager
def scratch_folder(folder: Path) -> Iterator[None]:
    """Let arrays that this thread makes lie in files of a folder, beyond its memory.

    Raises `OSError` if there is no room for one.
    """
    before = _folder.set(folder)
    try:
        with _in_files(memory_budget()):
            yield
    finally:
        _folder.reset(before)


@contextlib.contextmanager
def _in_files(limit: int) -> Iterator[None]:
    """Let arrays lie in files for which others leave too little of so many bytes."""
    folder = os.fsencode(_folder.get() or tempfile.gettempdir())
    before = blocks_in_files(_SMALL_BYTES, limit, folder)
    try:
        yield
    except MemoryError as error:
        if fault := fault_of_block():
            raise OSError(fault, os.strerror(fault)) from error
        raise
    finally:
        blocks_as_before(before)


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
    with _in_files(memory_budget() // _SHARE):
        return make(shape, dtype)


def add_up(values: NDArray[np.int64]) -> None:
    """Turn values into their running sums, in place."""
    for some in batches(len(values)):
        if some.start:
            values[some.start] += values[some.start - 1]
        np.cumsum(values[some], out=values[some])
