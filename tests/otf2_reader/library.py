"""Functions of libotf2 that only reading events needs."""

import ctypes
import os
from collections.abc import Iterator
from contextlib import contextmanager
from ctypes import POINTER, c_double, c_int, c_int64, c_uint64, c_void_p
from pathlib import Path
from typing import Any, NamedTuple

from topoview.io.libotf2 import Handle, Library, load, quiet
from topoview.io.otf2 import DefinedTrace

ClockOffsetCallback = ctypes.CFUNCTYPE(c_int, c_void_p, c_uint64, c_int64, c_double)

_READ = (Handle, Handle, c_uint64, POINTER(c_uint64))
_PROTOTYPES: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "Reader_SelectLocation": (c_int, (Handle, c_uint64)),
    "Reader_OpenDefFiles": (c_int, (Handle,)),
    "Reader_CloseDefFiles": (c_int, (Handle,)),
    "Reader_GetDefReader": (c_void_p, (Handle, c_uint64)),
    "Reader_CloseDefReader": (c_int, (Handle, Handle)),
    "Reader_RegisterDefCallbacks": (c_int, (Handle,) * 4),
    "Reader_ReadLocalDefinitions": (c_int, _READ),
    "DefReaderCallbacks_New": (c_void_p, ()),
    "DefReaderCallbacks_Delete": (None, (Handle,)),
    "DefReaderCallbacks_SetClockOffsetCallback": (c_int, (Handle, c_void_p)),
    "Reader_OpenEvtFiles": (c_int, (Handle,)),
    "Reader_CloseEvtFiles": (c_int, (Handle,)),
    "Reader_GetEvtReader": (c_void_p, (Handle, c_uint64)),
    "Reader_CloseEvtReader": (c_int, (Handle, Handle)),
    "Reader_RegisterEvtCallbacks": (c_int, (Handle,) * 4),
    "EvtReader_ReadEvents": (c_int, (Handle, c_uint64, POINTER(c_uint64))),
    "EvtReaderCallbacks_New": (c_void_p, ()),
    "EvtReaderCallbacks_Delete": (None, (Handle,)),
}


def prepare(library: Library) -> Library:
    """Say what these functions take."""
    for name, (result, arguments) in _PROTOTYPES.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library


class OpenArchive(NamedTuple):
    """An archive that libotf2 has open; see `topoview.io.otf2.EventFiles`."""

    library: Library
    reader: Handle
    folder: Path
    event_chunk: int
    definition_chunk: int
    silent: frozenset[int]
    resolution: int


@contextmanager
def open_archive(defined: DefinedTrace) -> Iterator[OpenArchive]:
    """Open a trace's archive with libotf2."""
    library = load()
    with quiet(library):
        reader = library.Reader_Open(os.fsencode(defined.anchor.file))
        try:
            library.Reader_SetSerialCollectiveCallbacks(reader)
            yield OpenArchive(library, reader, *defined.files)
        finally:
            library.Reader_Close(reader)
