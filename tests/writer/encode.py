"""Event records into an archive, through libotf2's event writer."""

import ctypes
from collections.abc import Callable
from ctypes import c_int64, c_uint8, c_uint32, c_uint64, c_void_p
from functools import cache
from typing import Any

import _otf2

from writer.records import Kind, Records

_ARGUMENTS: dict[Kind, tuple[str, tuple[Any, ...]]] = {
    Kind.ENTER: ("Enter", (c_uint32,)),
    Kind.LEAVE: ("Leave", (c_uint32,)),
    Kind.MEASUREMENT: ("MeasurementOnOff", (c_uint8,)),
    Kind.SEND: ("MpiSend", (c_uint32, c_uint32, c_uint32, c_uint64)),
    Kind.ISEND: ("MpiIsend", (c_uint32, c_uint32, c_uint32, c_uint64, c_uint64)),
    Kind.ISEND_COMPLETE: ("MpiIsendComplete", (c_uint64,)),
    Kind.RECEIVE_REQUEST: ("MpiIrecvRequest", (c_uint64,)),
    Kind.RECEIVE: ("MpiRecv", (c_uint32, c_uint32, c_uint32, c_uint64)),
    Kind.IRECEIVE: ("MpiIrecv", (c_uint32, c_uint32, c_uint32, c_uint64, c_uint64)),
    Kind.COLLECTIVE_BEGIN: ("MpiCollectiveBegin", ()),
    Kind.COLLECTIVE_END: (
        "MpiCollectiveEnd",
        (c_uint8, c_uint32, c_uint32, c_uint64, c_uint64),
    ),
    Kind.PROGRAM_BEGIN: ("ProgramBegin", (c_uint32, c_uint32, c_void_p)),
    Kind.PROGRAM_END: ("ProgramEnd", (c_int64,)),
    Kind.RMA_COLLECTIVE_END: (
        "RmaCollectiveEnd",
        (c_uint8, c_uint32, c_uint32, c_uint32, c_uint64, c_uint64),
    ),
    Kind.RMA_GROUP_SYNC: ("RmaGroupSync", (c_uint32, c_uint32, c_uint32)),
    Kind.RMA_REQUEST_LOCK: ("RmaRequestLock", (c_uint32, c_uint32, c_uint64, c_uint8)),
    Kind.RMA_RELEASE_LOCK: ("RmaReleaseLock", (c_uint32, c_uint32, c_uint64)),
    Kind.RMA_PUT: ("RmaPut", (c_uint32, c_uint32, c_uint64, c_uint64)),
    Kind.RMA_GET: ("RmaGet", (c_uint32, c_uint32, c_uint64, c_uint64)),
    Kind.RMA_OP_COMPLETE: ("RmaOpCompleteBlocking", (c_uint32, c_uint64)),
    Kind.THREAD_FORK: ("ThreadFork", (c_uint8, c_uint32)),
    Kind.THREAD_JOIN: ("ThreadJoin", (c_uint8,)),
    Kind.THREAD_TEAM_BEGIN: ("ThreadTeamBegin", (c_uint32,)),
    Kind.THREAD_TEAM_END: ("ThreadTeamEnd", (c_uint32,)),
    Kind.METRIC: ("Metric", (c_uint32, c_uint8, c_void_p, c_void_p)),
}
"""Kind of record to the writer's function, and its arguments after the time."""


@cache
def _functions() -> list[tuple[Callable[..., int], int]]:
    """C functions by kind, with the number of their arguments after the time.

    The package's own bindings set `argtypes` anew at every call, which takes
    longer than the call.
    """
    library = ctypes.CDLL(_otf2.Config.lib_path())
    found: list[tuple[Callable[..., int], int]] = []
    for kind in Kind:
        name, arguments = _ARGUMENTS[kind]
        function = library[f"OTF2_EvtWriter_{name}"]
        function.argtypes = (c_void_p, c_void_p, c_uint64, *arguments)
        function.restype = ctypes.c_int
        found.append((function, len(arguments)))
    return found


def write_row(writer: Any, records: Records, row: int, origin: int) -> None:  # noqa: ANN401 - a pointer of ctypes
    """Write the records of a location.

    Parameters
    ----------
    writer
        Event writer of the location.
    records
        Records of all locations.
    row
        Row of the location.
    origin
        Time stamp of time 0 in the archive.

    Raises
    ------
    _otf2.Error
        If the library cannot write them.
    """
    handle = ctypes.cast(writer, c_void_p)
    functions = _functions()
    here = slice(records.offsets[row], records.offsets[row + 1])
    kinds = records.kind[here].tolist()
    times = (records.time[here] + origin).tolist()
    details = records.details[here].tolist()
    failed = 0
    for kind, time, detail in zip(kinds, times, details, strict=True):
        function, arguments = functions[kind]
        failed |= function(handle, None, time, *detail[:arguments])
    if failed:
        raise _otf2.Error(_otf2.ErrorCodes.ErrorCode(failed))
