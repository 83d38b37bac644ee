"""Has processes that run tests beside each other compile each kernel once.

They need the same ones at the same time, from the first on: each would compile nearly
all of them, which takes longer than all other that tests do.
"""

import fcntl
import os
import tempfile
import zlib
from pathlib import Path
from typing import Any, Final

from numba.core.compiler_lock import global_compiler_lock
from numba.core.dispatcher import Dispatcher

_COMPILE: Final = Dispatcher.compile


def compile_once() -> None:
    """Wait for what another process compiles, and load it then."""
    name = f"topoview-tests-{os.getuid()}.lock"
    # open to the end: to close a file that is locked frees what is locked of it
    lock = (Path(tempfile.gettempdir()) / name).open("w")
    held: list[int] = []

    def compiled(dispatcher: Dispatcher, types: Any) -> Any:  # noqa: ANN401 - of numba
        code = dispatcher.py_func.__code__
        place = zlib.crc32(f"{code.co_filename}:{code.co_firstlineno}".encode())
        if place in held:  # for other types, by itself
            return _COMPILE(dispatcher, types)
        with global_compiler_lock:
            fcntl.lockf(lock, fcntl.LOCK_EX, 1, place)
            held.append(place)
            try:
                return _COMPILE(dispatcher, types)
            finally:
                held.remove(place)
                fcntl.lockf(lock, fcntl.LOCK_UN, 1, place)

    Dispatcher.compile = compiled
