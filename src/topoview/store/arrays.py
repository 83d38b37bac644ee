"""Arrays of a trace while it is read and afterwards: in memory, or in mapped files.

Reading asks an `Allocate` for its arrays. They lie in memory with huge pages, in
``.npy`` files of their own (NumPy enhancement proposal 1) that are filled in place, or
several in one shared file. Files are mapped read-only when a trace is opened again.
"""

import contextlib
import io
import math
import mmap
import os
import re
import weakref
from pathlib import Path
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import DTypeLike, NDArray

from topoview.base.platform import NO_CHILD, reserve_room
from topoview.store.integrity import FILE_MODE, open_private, write_all

_BLOCK_FROM_BYTES: Final = 1 << 20
"""Bytes from which on an array lies in a block."""
_BLOCK_BYTES: Final = 1 << 26
_HUGE_PAGE_BYTES: Final = 1 << 21
_CACHE_LINE_BYTES: Final = 64


class Allocate(Protocol):
    """Allocate an array of one dimension, whatever it contains, to be written to.

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
        """Return an array."""
        ...


class MemoryAllocator:
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
        """Return an array; see `Allocate`."""
        del name
        size = length * np.dtype(dtype).itemsize
        if size < _BLOCK_FROM_BYTES:
            return np.empty(length, dtype)
        block, used = self._blocks.get(scratch, (None, 0))
        if block is None or used + size > len(block):
            block, used = _make_block(max(size, _BLOCK_BYTES)), 0
            used = -np.frombuffer(block, np.uint8).ctypes.data % _HUGE_PAGE_BYTES
        self._blocks[scratch] = (
            block,
            used + -(-size // _CACHE_LINE_BYTES) * _CACHE_LINE_BYTES,
        )
        return np.frombuffer(block, dtype, length, used)


def _make_block(size: int) -> mmap.mmap:
    """Reserve addresses for so many bytes, and for their alignment.

    Raises `MemoryError` if there are none.
    """
    length = -(-size // _HUGE_PAGE_BYTES) * _HUGE_PAGE_BYTES + _HUGE_PAGE_BYTES
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
    """Ask the system to map memory, or a file, in large pieces if it can."""
    if hasattr(mmap, "MADV_HUGEPAGE"):
        with contextlib.suppress(OSError):  # a system that has none
            memory.madvise(mmap.MADV_HUGEPAGE)


# Arrays in ``.npy`` files that are mapped to memory (NumPy enhancement proposal 1).
#
# Measured with 20 million rows of eight columns: Arrow IPC was written half as fast
# and opened within 0.4 ms instead of 1, but takes 100 ms to import and cannot be
# filled in place.

HEADER_BYTES: Final = 128
"""Bytes before the data that NumPy heads an array of one dimension with."""

SPARSE_FROM_BYTES: Final = 1 << 22
"""Bytes from which on an array is mapped a second time, for `sparse_view`."""

_READ_AHEAD_BYTES: Final = 1 << 16
"""Bytes that the system reads around a place that it is asked for, or more."""

_WRITE_BYTES: Final = 1 << 23


def create_array_file(path: Path, length: int, dtype: DTypeLike) -> NDArray[Any]:
    """Create a file for an array of one dimension, and map it to be filled.

    Its room on the disk is taken at once: else a full disk would end the process
    when it writes to the array.

    Raises `OSError` if there is no room, or the file cannot be made; none is left then.
    """
    kind = np.dtype(dtype)
    size = HEADER_BYTES + length * kind.itemsize
    flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | NO_CHILD
    file = os.open(path, flags, FILE_MODE)
    try:
        reserve_room(file, size)
        memory = mmap.mmap(file, size)
        ask_for_huge_pages(memory)
    except BaseException:
        path.unlink()
        raise
    finally:
        os.close(file)
    return np.frombuffer(memory, kind, length, HEADER_BYTES)


def lay_out_array_file(path: Path, shape: tuple[int, ...], dtype: DTypeLike) -> None:
    """Create a file of an array that several processes fill; what is there stays.

    Raises `OSError` if that fails.
    """
    kind = np.dtype(dtype)
    with open_private(path, os.O_RDWR | os.O_CREAT) as file:
        file.truncate(HEADER_BYTES + math.prod(shape) * kind.itemsize)
        file.write(_header(kind, shape))


def fill_array_file(path: Path, first: int, rows: NDArray[Any]) -> None:
    """Write some rows of an array, from one on, to its file; they are on the disk then.

    They are written, not mapped: processes that map a page on two machines would
    overwrite what the other one wrote there.

    Raises `OSError` if that fails.
    """
    block = np.ascontiguousarray(rows).reshape(-1).view(np.uint8).data
    at = HEADER_BYTES + first * math.prod(rows.shape[1:]) * rows.itemsize
    with open_private(path, os.O_RDWR) as file:
        while block:
            done = os.pwrite(file.fileno(), block, at)
            block, at = block[done:], at + done
        os.fsync(file.fileno())


def finish_array_file(path: Path, array: NDArray[Any]) -> None:
    """Cut a file of `create_array_file` to the beginning of its data, and head it."""
    with open_private(path, os.O_RDWR) as file:
        file.truncate(HEADER_BYTES + array.nbytes)
        file.write(_header(array.dtype, array.shape))


def write_array(path: Path, array: NDArray[Any]) -> None:
    """Write an array to a new file, block by block.

    Raises `OSError` if that fails.
    """
    with open_private(path, os.O_RDWR | os.O_CREAT | os.O_EXCL) as file:
        write_all(file.fileno(), memoryview(_header(array.dtype, array.shape)))
        flat = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
        for begin in range(0, len(flat), _WRITE_BYTES):
            write_all(file.fileno(), flat[begin : begin + _WRITE_BYTES].data)


def _header(dtype: np.dtype[Any], shape: tuple[int, ...]) -> bytes:
    """Return what NumPy heads the array's file with."""
    head = io.BytesIO()
    layout = {"descr": dtype.str, "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(head, layout)
    return head.getvalue()


_HEADER: Final = re.compile(
    rb"\x93NUMPY\x01\x00.."
    rb"{'descr': '([<>|][biuf]\d{1,2})', 'fortran_order': False, "
    rb"'shape': \(((?:\d{1,18}, ?)*\d{0,18})\), } *\n",
    re.DOTALL,
)


def parse_header(data: bytes | mmap.mmap) -> tuple[np.dtype[Any], tuple[int, ...], int]:
    """Return the kind and shape of an array of numbers, and where these begin.

    NumPy's own functions call Python's compiler, which fails in several threads.

    Raises `ValueError` if the data do not begin with a header such as NumPy's.
    """
    head = _HEADER.match(data)
    if head is None:
        raise ValueError("it has no header of an array of numbers")
    kind, dims = (text.decode() for text in head.groups())
    return np.dtype(kind), tuple(map(int, dims.replace(",", " ").split())), head.end()


def load_array(path: Path) -> NDArray[Any]:
    """Map the array in a file to memory, read-only.

    Raises `OSError` or `ValueError` if it cannot be read, or is not what
    `finish_array_file` or `write_array` made.
    """
    with open_private(path) as file:
        memory = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        dtype, shape, begin = parse_header(memory)
        size, count = len(memory), math.prod(shape)
        if size != begin + count * dtype.itemsize:
            raise ValueError(f"{path.name} has another size than its header says")
        array = np.frombuffer(memory, dtype, count, begin).reshape(shape)
        if count:
            _MAPPED[array.ctypes.data] = path, array.dtype, shape
            weakref.finalize(memory, _MAPPED.pop, array.ctypes.data, None)
        if size >= SPARSE_FROM_BYTES:
            again = mmap.mmap(file.fileno(), size, access=mmap.ACCESS_READ)
            again.madvise(mmap.MADV_RANDOM)
            other = np.frombuffer(again, dtype, count, begin).reshape(shape)
            _SPARSE_VIEWS[array.ctypes.data] = again, other
            weakref.finalize(memory, _SPARSE_VIEWS.pop, array.ctypes.data, None)
    return array


_MAPPED: Final[dict[int, tuple[Path, np.dtype[Any], tuple[int, ...]]]] = {}
"""Files of arrays, and what these are like, by their places in memory."""


def file_of(array: NDArray[Any]) -> Path | None:
    """Name the file that `load_array` mapped, if an array is all that it holds."""
    path, *layout = _MAPPED.get(array.ctypes.data, (None,))
    same = layout == [array.dtype, array.shape] and array.flags.c_contiguous
    return path if same else None


_SPARSE_VIEWS: Final[dict[int, tuple[mmap.mmap, NDArray[Any]]]] = {}
"""Second mappings of arrays, by the place of the first one in memory."""


def sparse_view(array: NDArray[Any], places: int) -> NDArray[Any]:
    """Return an array to look at some places of it only.

    Where a file is looked at the system reads up to megabytes around; of an array that
    `load_array` mapped there is a second mapping for which it reads a page only. To
    look at all of it would take long in that one.

    Parameters
    ----------
    places
        How many there are, about: of many the array itself is given.
    """
    _, other = _SPARSE_VIEWS.get(array.ctypes.data, (None, array))
    same = other.dtype == array.dtype and other.shape == array.shape
    few = places * _READ_AHEAD_BYTES < array.nbytes
    return other if same and few else array


def prefetch(array: NDArray[Any], first: int, stop: int) -> None:
    """Read a stretch of an array at once, before all of its `sparse_view` is looked at.

    Nothing beside it is read, and nobody waits for it.
    """
    again, _ = _SPARSE_VIEWS.get(array.ctypes.data, (None, array))
    if again is not None:
        begin = HEADER_BYTES + first * array.itemsize
        begin -= begin % mmap.PAGESIZE
        end = HEADER_BYTES + stop * array.itemsize
        again.madvise(mmap.MADV_WILLNEED, begin, end - begin)


# Files of the store that several arrays share.
#
# To make, map and cut a file costs as much as to fill a megabyte, and what is smaller
# than the huge pages that files are mapped in is cleared and mapped page by page: 27
# MB in 17 files took twice the CPU time of one file.

_FIRST_FILE_BYTES: Final = 1 << 22
_MAX_FILE_BYTES: Final = 1 << 25
_ALIGNMENT_BYTES: Final = 64


class SharedFiles:
    """Arrays that lie one behind the other in files of bytes.

    Parameters
    ----------
    folder
        Where the files go.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._blocks: list[NDArray[np.uint8]] = []
        self._used: list[int] = []
        self._places: dict[int, tuple[int, int, NDArray[Any]]] = {}
        self._wanted: set[int] = set()

    def allocate(self, length: int, dtype: DTypeLike) -> NDArray[Any]:
        """Return an array to be filled.

        Raises `OSError` if there is no room for it.
        """
        size = length * np.dtype(dtype).itemsize
        if not self._blocks or self._used[-1] + size > len(self._blocks[-1]):
            self._begin(size)
        number, at = len(self._blocks) - 1, self._used[-1]
        array = self._blocks[-1][at : at + size].view(dtype)
        self._used[-1] = at + size + -size % _ALIGNMENT_BYTES
        self._places[array.ctypes.data] = number, at, array
        return array

    def _begin(self, size: int) -> None:
        """Begin a file for so many bytes or more: twice as large as those before."""
        room = (
            max(_FIRST_FILE_BYTES, min(2 * sum(self._used), _MAX_FILE_BYTES))
            - HEADER_BYTES
        )
        path = self._folder / self._name(len(self._blocks))
        self._blocks.append(create_array_file(path, max(size, room), np.uint8))
        self._used.append(0)

    def _name(self, number: int) -> str:
        return f"shared-{number}.npy"

    def refer(self, array: NDArray[Any]) -> dict[str, Any] | None:
        """Return the reference to an array's beginning; None if it is not from here."""
        number, at, whole = self._places.get(array.ctypes.data, (-1, 0, array))
        is_part = array.nbytes <= whole.nbytes and array.dtype == whole.dtype
        if number < 0 or not is_part or not array.flags.c_contiguous:
            return None
        self._wanted.add(number)
        layout = {"dtype": array.dtype.str, "shape": list(array.shape)}
        return {"file": self._name(number), "at": at, **layout}

    def finish(self) -> list[str]:
        """Cut and head the files; gives those that something refers to."""
        for number in self._wanted:
            used = min(self._used[number], len(self._blocks[number]))
            finish_array_file(
                self._folder / self._name(number), self._blocks[number][:used]
            )
        return [self._name(number) for number in sorted(self._wanted)]
