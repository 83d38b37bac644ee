"""Where reading takes its arrays from: memory, or files of a store."""

import contextlib
import mmap
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import DTypeLike, NDArray

_LARGE: Final = 1 << 20
"""Bytes from which on an array lies in a block."""
_BLOCK: Final = 1 << 26
_HUGE: Final = 1 << 21
_LINE: Final = 64


class Allocate(Protocol):
    """Give an array of one dimension, whatever it contains, to be written to.

    Parameters
    ----------
    name
        What it is, unique in a reading: ``timeline.time``, ``calls.enter``,
        ``messages.size``. What the trace holds in the end is the array's
        beginning, ``array[:count]``.
    length
        Elements: as many as there can be, perhaps more than are written.
    dtype
    scratch
        The array is needed until the trace has been read, and not in it.
    """

    def __call__(
        self, name: str, length: int, dtype: DTypeLike, *, scratch: bool = False
    ) -> NDArray[Any]:
        """Give an array."""
        ...


class Memory:
    """Gives arrays from memory; what is never written to costs nothing.

    Large ones lie close together in blocks for which the system is asked for huge
    pages: to clear and to map a trace's columns page by page takes as long as to
    decode them. A block is given back when none of its arrays is used any more;
    those that are not needed for long have blocks of their own.
    """

    def __init__(self) -> None:
        self._blocks: dict[bool, tuple[mmap.mmap, int]] = {}

    def __call__(
        self, name: str, length: int, dtype: DTypeLike, *, scratch: bool = False
    ) -> NDArray[Any]:
        """Give an array; see `Allocate`."""
        del name
        size = length * np.dtype(dtype).itemsize
        if size < _LARGE:
            return np.empty(length, dtype)
        block, used = self._blocks.get(scratch, (None, 0))
        if block is None or used + size > len(block):
            block, used = _make_block(max(size, _BLOCK)), 0
            used = -np.frombuffer(block, np.uint8).ctypes.data % _HUGE
        self._blocks[scratch] = block, used + -(-size // _LINE) * _LINE
        return np.frombuffer(block, dtype, length, used)


def _make_block(size: int) -> mmap.mmap:
    """Reserve addresses for so many bytes, and for their alignment.

    Raises
    ------
    MemoryError
        If there are none.
    """
    length = -(-size // _HUGE) * _HUGE + _HUGE
    private = hasattr(mmap, "MAP_PRIVATE") and hasattr(mmap, "MAP_ANONYMOUS")
    try:
        if not private:
            return mmap.mmap(-1, length)
        block = mmap.mmap(-1, length, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    except OSError as error:
        raise MemoryError(f"no {length} bytes of memory") from error
    ask_for_huge_pages(block)
    return block


def ask_for_huge_pages(memory: mmap.mmap) -> None:
    """Have the system map memory, or a file, in large pieces if it can."""
    if hasattr(mmap, "MADV_HUGEPAGE"):
        with contextlib.suppress(OSError):  # a system that has none
            memory.madvise(mmap.MADV_HUGEPAGE)
