"""Kernels: functions that numba compiles when they are first called, and keeps.

numba looks at the file of a kernel alone: after a change of a kernel that it calls,
or of a constant that it takes from another file, it would run what was compiled of
the old one. So what is kept lies in a folder that is named by all that it is made of.
"""

import hashlib
import os
import shutil
import sys
import threading
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any, Final, TypeVar, overload

import numba
import numpy as np
import platformdirs

R = TypeVar("R")

_KERNELS_BYTES: Final = 64 << 20
"""Bytes that have to be free: all kernels take half as many."""

_LOCK = threading.Lock()

_CONFIG: Any = numba.config


@overload
def kernel(function: Callable[..., R]) -> Callable[..., R]: ...


@overload
def kernel(**options: Any) -> Callable[[Callable[..., R]], Callable[..., R]]: ...  # noqa: ANN401 - as of numba


def kernel(function: Callable[..., Any] | None = None, **options: Any) -> Any:
    """Have numba compile a function when it is first called with such types.

    While a kernel runs other threads do.

    Parameters
    ----------
    options
        Further ones of `numba.njit`, such as ``inline="always"``.
    """
    if function is None:
        return partial(kernel, **options)
    compiled = numba.njit(nogil=True, **options)
    with _LOCK:
        given = _CONFIG.CACHE_DIR
        folder = _folder(function.__module__, given)
        if folder is None:
            return compiled(function)
        _CONFIG.CACHE_DIR = str(folder)
        try:
            return numba.njit(nogil=True, cache=True, **options)(function)
        except RuntimeError:  # nothing may be kept anywhere
            return compiled(function)
        finally:
            _CONFIG.CACHE_DIR = given


@cache
def _folder(module: str, given: str) -> Path | None:
    """Choose where the kernels of a module are kept; remove what is out of date.

    None: nowhere, since the disk is full.
    """
    place = place_for(Path(str(sys.modules[module].__file__)), given)
    folder = place / f"{module}-{sources_digest(module)}"
    if not folder.exists():
        for old in place.glob(f"{module}-*"):
            shutil.rmtree(old, ignore_errors=True)
        above = next(path for path in (place, *place.parents) if path.exists())
        if shutil.disk_usage(above).free < _KERNELS_BYTES:
            return None
    return folder


def place_for(source: Path, given: str | None = None) -> Path:
    """Choose a folder for what is compiled of a file.

    That is beside it, as Python keeps its own, or where the user says
    (``NUMBA_CACHE_DIR``); in the user's cache if that may not be written.
    """
    given = _CONFIG.CACHE_DIR if given is None else given
    place = Path(given) if given else source.parent / "__pycache__"
    if given or _may_write(place):
        return place
    return platformdirs.user_cache_path("topoview") / "kernels"


def _may_write(folder: Path) -> bool:
    try:
        folder.mkdir(exist_ok=True)
    except OSError:
        return False
    return os.access(folder, os.W_OK)


@cache
def sources_digest(module: str) -> str:
    """Digest of a module, and of the kernels and constants that it has imported."""
    names = vars(sys.modules[module])
    found = hashlib.sha256(Path(names["__file__"]).read_bytes())
    for name, value in sorted(names.items()):
        python = getattr(value, "py_func", None)
        if python is not None and python.__module__ != module:
            found.update(sources_digest(python.__module__).encode())
        elif _is_constant(value) and not name.startswith("__"):
            found.update(f"{name}={value!r}".encode())
        elif isinstance(value, np.ndarray):
            found.update(value.tobytes())
    return found.hexdigest()[:16]


def _is_constant(value: object) -> bool:
    if isinstance(value, tuple):
        return all(map(_is_constant, value))
    return isinstance(value, (int, float, complex, str))
