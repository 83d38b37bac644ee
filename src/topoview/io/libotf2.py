"""The OTF2 C library, as far as reading needs it, through ctypes.

The `otf2` package ships libotf2 inside its extension ``_otf2``. It is loaded
here a second time (one copy in memory, own prototypes): the package's own
bindings set `argtypes` anew at every call and pass every event through Python.
"""

import ctypes
import importlib.machinery
import importlib.util
from collections.abc import Iterator
from contextlib import contextmanager
from ctypes import (
    POINTER,
    c_char_p,
    c_int,
    c_uint8,
    c_uint32,
    c_uint64,
    c_void_p,
)
from functools import cache
from pathlib import Path
from typing import Any

from topoview.errors import TraceError
from topoview.io.definitions.tables import text_of

Handle = c_void_p

_PREFIX = "OTF2_"
_ALL = 0xFFFFFFFFFFFFFFFF
_READ = (Handle, Handle, c_uint64, POINTER(c_uint64))
_PROTOTYPES: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "Error_RegisterCallback": (c_void_p, (c_void_p, c_void_p)),
    "Reader_Open": (c_void_p, (c_char_p,)),
    "Reader_Close": (c_int, (Handle,)),
    "Reader_SetSerialCollectiveCallbacks": (c_int, (Handle,)),
    "Reader_GetCreator": (c_int, (Handle, POINTER(c_void_p))),
    "Reader_GetChunkSize": (c_int, (Handle, POINTER(c_uint64), POINTER(c_uint64))),
    "Reader_GetGlobalDefReader": (c_void_p, (Handle,)),
    "Reader_CloseGlobalDefReader": (c_int, (Handle, Handle)),
    "Reader_RegisterGlobalDefCallbacks": (c_int, (Handle,) * 4),
    "Reader_ReadGlobalDefinitions": (c_int, _READ),
    "GlobalDefReaderCallbacks_New": (c_void_p, ()),
    "GlobalDefReaderCallbacks_Delete": (None, (Handle,)),
}

_ErrorCallback = ctypes.CFUNCTYPE(
    c_int, c_void_p, c_char_p, c_uint64, c_char_p, c_int, c_char_p, c_void_p
)


class Library:
    """Functions of libotf2, without their prefix: ``library.Reader_Open``."""

    def __init__(self, path: Path) -> None:
        self._library = ctypes.CDLL(str(path))
        for name, (result, arguments) in _PROTOTYPES.items():
            function = getattr(self._library, _PREFIX + name)
            function.restype, function.argtypes = result, arguments
            setattr(self, name, function)

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - a C function
        """Functions without a prototype: those that set a callback."""
        function = getattr(self._library, _PREFIX + name)
        function.restype, function.argtypes = c_int, (Handle, c_void_p)
        setattr(self, name, function)
        return function

    def creator(self, reader: Handle) -> str:
        """Name that the program which wrote the archive gave itself."""
        pointer = c_void_p()
        if self.Reader_GetCreator(reader, ctypes.byref(pointer)) or not pointer.value:
            return ""
        text = text_of(ctypes.string_at(pointer.value))
        free = ctypes.CDLL(None).free  # that of the process, whoever provides it
        free.argtypes, free.restype = (c_void_p,), None
        free(pointer)
        return text

    def chunk_sizes(self, reader: Handle) -> tuple[int, int]:
        """Give the sizes in bytes of the chunks of event and definition files."""
        events, definitions = c_uint64(), c_uint64()
        self.Reader_GetChunkSize(
            reader, ctypes.byref(events), ctypes.byref(definitions)
        )
        return events.value, definitions.value

    def read_definitions(self, name: str, *handles: Handle, count: int | None) -> bool:
        """Read ``Global`` or ``Local`` definitions; tells whether all went well.

        Parameters
        ----------
        count
            How many; None for all.
        """
        read = getattr(self, f"Reader_Read{name}Definitions")
        return not read(*handles, _ALL if count is None else count, c_uint64())


@cache
def load() -> Library:
    """Load the library that the `otf2` package brings.

    Raises `TraceError` if the package is not installed.
    """
    found = importlib.util.find_spec("_otf2")
    if found is not None and found.origin:
        folder = Path(found.origin).parent
        for suffix in importlib.machinery.EXTENSION_SUFFIXES:
            path = folder / f"_otf2{suffix}"
            if path.is_file():
                return Library(path)
    raise TraceError("The package otf2 is missing: install it (pip install otf2)")


@_ErrorCallback
def _keep_quiet(  # noqa: PLR0913 - libotf2's signature
    user: int,
    file: bytes,
    line: int,
    function: bytes,
    code: int,
    text: bytes,
    arguments: int,
) -> int:
    del user, file, line, function, text, arguments
    return code


@contextmanager
def quiet(library: Library) -> Iterator[None]:
    """Keep libotf2's complaints from the terminal; what fails is told otherwise."""
    before = library.Error_RegisterCallback(_keep_quiet, None)
    try:
        yield
    finally:
        library.Error_RegisterCallback(before, None)


__all__ = [
    "Handle",
    "Library",
    "c_uint8",
    "c_uint32",
    "load",
    "quiet",
]
