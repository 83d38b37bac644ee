"""The OTF2 C library, as far as tests read with it, through ctypes.

The `otf2` package ships libotf2 inside its extension ``_otf2``. It is loaded here a
second time (one copy in memory, prototypes of its own): the package's bindings set
`argtypes` anew at every call.
"""

import ctypes
import os
from collections.abc import Iterator
from contextlib import contextmanager
from ctypes import POINTER, c_char_p, c_double, c_int, c_int64, c_uint64, c_void_p
from functools import cache
from pathlib import Path
from typing import Any

import _otf2

from topoview.io.definitions.tables import text_of

Handle = c_void_p
ALL = 0xFFFFFFFFFFFFFFFF

ClockOffsetCallback = ctypes.CFUNCTYPE(c_int, c_void_p, c_uint64, c_int64, c_double)

_PREFIX = "OTF2_"
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
    "Reader_SelectLocation": (c_int, (Handle, c_uint64)),
    "Reader_OpenDefFiles": (c_int, (Handle,)),
    "Reader_CloseDefFiles": (c_int, (Handle,)),
    "Reader_GetDefReader": (c_void_p, (Handle, c_uint64)),
    "Reader_CloseDefReader": (c_int, (Handle, Handle)),
    "Reader_RegisterDefCallbacks": (c_int, (Handle,) * 4),
    "Reader_ReadLocalDefinitions": (c_int, _READ),
    "DefReaderCallbacks_New": (c_void_p, ()),
    "DefReaderCallbacks_Delete": (None, (Handle,)),
    "Reader_OpenEvtFiles": (c_int, (Handle,)),
    "Reader_CloseEvtFiles": (c_int, (Handle,)),
    "Reader_GetEvtReader": (c_void_p, (Handle, c_uint64)),
    "Reader_CloseEvtReader": (c_int, (Handle, Handle)),
    "Reader_RegisterEvtCallbacks": (c_int, (Handle,) * 4),
    "EvtReader_ReadEvents": (c_int, (Handle, c_uint64, POINTER(c_uint64))),
    "EvtReaderCallbacks_New": (c_void_p, ()),
    "EvtReaderCallbacks_Delete": (None, (Handle,)),
}

_ErrorCallback = ctypes.CFUNCTYPE(
    c_int, c_void_p, c_char_p, c_uint64, c_char_p, c_int, c_char_p, c_void_p
)


class Library:
    """Functions of libotf2, without their prefix: ``library.Reader_Open``."""

    def __init__(self, path: str) -> None:
        self._library = ctypes.CDLL(path)
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


@cache
def load() -> Library:
    """Load the library that the `otf2` package brings."""
    return Library(_otf2.Config.lib_path())


@_ErrorCallback
def _keep_quiet(
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
def open_archive(anchor: Path) -> Iterator[tuple[Library, Handle]]:
    """Open an archive; the library keeps its complaints to itself meanwhile."""
    library = load()
    before = library.Error_RegisterCallback(_keep_quiet, None)
    reader = library.Reader_Open(os.fsencode(anchor))
    try:
        if reader:
            library.Reader_SetSerialCollectiveCallbacks(reader)
        yield library, reader
    finally:
        if reader:
            library.Reader_Close(reader)
        library.Error_RegisterCallback(before, None)
