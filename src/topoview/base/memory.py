"""How much memory may be used, and sizes as people type them."""

import contextlib
import ctypes
import os
from collections.abc import Iterator
from contextvars import ContextVar
from typing import Final

from topoview.base.platform import machine_memory
from topoview.errors import TopoviewError

MEMORY_VARIABLE: Final = "TOPOVIEW_MEMORY"
"""Environment variable that holds the budget, such as ``6G``."""

_TRIM_THRESHOLD: Final = -1
_MMAP_MAX: Final = -4
_ARENA_MAX: Final = -8
"""Parameters of mallopt (malloc.h of glibc)."""

_MACHINE_PARTS: Final = 4
_SIZE_UNITS: Final = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


def memory_budget() -> int:
    """Bytes that what grows with a trace may take of memory.

    A quarter of the machine's memory unless `granted_memory` or the environment says
    otherwise. Files of the store that are mapped do not count: the system takes their
    memory back.

    Raises `TopoviewError` if the environment holds no size.
    """
    granted = _granted.get()
    if granted is not None:
        return granted
    setting = os.environ.get(MEMORY_VARIABLE)
    if setting:
        try:
            return parse_size(setting)
        except ValueError as error:
            raise TopoviewError(f"{MEMORY_VARIABLE}: {error}") from None
    return machine_memory() // _MACHINE_PARTS


_granted: ContextVar[int | None] = ContextVar("granted", default=None)


@contextlib.contextmanager
def granted_memory(size: int) -> Iterator[None]:
    """Limit what this thread computes to so many bytes; others keep their own limit."""
    before = _granted.set(size)
    try:
        yield
    finally:
        _granted.reset(before)


_TOO_LARGE: Final = 2.0**62


def parse_size(text: str) -> int:
    """Bytes of a size as it is written: ``6G``, ``512 MiB``, ``1.5 GB``, ``4096``.

    Units are powers of 1024.

    Raises `ValueError` if it is no size.
    """
    number = text.strip().upper().removesuffix("B").removesuffix("I").rstrip()
    unit = number[-1:] if number[-1:] in _SIZE_UNITS else ""
    try:
        size = float(number.removesuffix(unit)) * _SIZE_UNITS[unit]
    except ValueError:
        size = -1.0
    if not 0 <= size < _TOO_LARGE:
        raise ValueError(f"{text!r} is no size: write 6G or 512M")
    return int(size)


def memory_environment(most: int) -> dict[str, str]:
    """Name the variables by which processes that are started keep what they free.

    As `keep_freed_memory`, also for threads: these have memory of their own unless they
    are told to share one.

    Parameters
    ----------
    most
        Bytes that each may keep; of more the rest is given back.
    """
    return {
        "MALLOC_MMAP_MAX_": "0",
        "MALLOC_TRIM_THRESHOLD_": str(most),
        "MALLOC_ARENA_MAX": "1",
    }


def keep_freed_memory() -> None:
    """Let this process use again what it has freed, instead of giving it back.

    The system clears the memory that it hands out. For large arrays that are used a
    few times that takes as long as what is computed. Only glibc can be told; the
    process takes no more memory at its peak, but it keeps it until it ends.
    """
    with contextlib.suppress(AttributeError, OSError, TypeError):
        library = ctypes.CDLL(None)
        library.mallopt(_MMAP_MAX, 0)
        library.mallopt(_TRIM_THRESHOLD, -1)
        library.mallopt(_ARENA_MAX, 1)  # else threads would not use each other's
