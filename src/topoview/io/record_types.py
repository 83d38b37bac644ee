"""Event records of OTF2: numbers, names, and the fields that they hold.

Every type of OTF2 3.1 (header ``OTF2_Events.h`` and source of
``OTF2_EvtReader_inc.c``, libotf2 3.2). Records of a type that is not listed are
skipped by their length.
"""

from typing import Final, NamedTuple

import numpy as np

# How a field is written: a byte, a compressed integer, eight bytes.
BYTE: Final = 1
NARROW: Final = 2
WIDE: Final = 3
WHOLE: Final = 4

MAPPINGS: Final = (
    "string", "attribute", "location", "region", "group", "metric", "comm",
    "parameter", "window", "source", "context", "generator", "file", "handle",
    "location group",
)  # fmt: skip
"""Identifiers that local definitions can map to global ones, by OTF2_MappingType."""


MAX_FIELDS: Final = 7
ATTRIBUTES: Final = 6

BUFFER_FLUSH: Final = 10
MEASUREMENT: Final = 11
ENTER: Final = 12
LEAVE: Final = 13
SEND: Final = 14
ISEND: Final = 15
ISEND_COMPLETE: Final = 16
IRECV_REQUEST: Final = 17
RECV: Final = 18
IRECV: Final = 19
COLLECTIVE_END: Final = 23
METRIC: Final = 31
CONTEXT_ENTER: Final = 66
CONTEXT_LEAVE: Final = 67
COLLECTIVE_REQUEST: Final = 85
COLLECTIVE_COMPLETE: Final = 86
PROBE: Final = 89
MRECV: Final = 90
IMRECV_REQUEST: Final = 91
IMRECV: Final = 92


class Field(NamedTuple):
    """A field of a record."""

    name: str
    """"""
    form: int
    """How it is written."""
    mapping: int = -1
    """What kind of identifier it is, by `MAPPINGS`; -1 if it is none."""


class Record(NamedTuple):
    """A type of record; ``bare`` ones are a single integer without a length."""

    name: str
    fields: tuple[Field, ...]
    bare: bool = False


_FORMS: Final = {"u8": BYTE, "u32": NARROW, "u64": WIDE, "i64": WIDE, "time": WHOLE}


def _record(name: str, fields: str = "", *, bare: bool = False) -> Record:
    """Parse a record from ``name:form`` or ``name:identifier``, blanks between."""
    record_fields = []
    for field in fields.split():
        title, form = field.split(":")
        if form in _FORMS:
            record_fields.append(Field(title, _FORMS[form]))
        else:
            kind = form.replace("-", " ")
            record_fields.append(Field(title, NARROW, MAPPINGS.index(kind)))
    return Record(name, tuple(record_fields), bare)


_SENT: Final = "receiver:u32 communicator:comm tag:u32 bytes:u64"
_RECEIVED: Final = "sender:u32 communicator:comm tag:u32 bytes:u64"
_COLLECTIVE: Final = (
    "operation:u8 communicator:comm root:u32 bytes_sent:u64 bytes_received:u64"
)
_LOCK: Final = "window:window remote:u32 lock:u64 type:u8"
_TASK: Final = "team:comm thread:u32 generation:u32"
_MATCHED: Final = "window:window matching:u64"
_THREAD: Final = "contingent:comm sequence:u64"
_IO: Final = "handle:handle matching:u64"

RECORDS: Final[dict[int, Record]] = {
    10: _record("BufferFlush", "stop:time"),
    11: _record("MeasurementOnOff", "mode:u8"),
    12: _record("Enter", "region:region", bare=True),
    13: _record("Leave", "region:region", bare=True),
    14: _record("MpiSend", _SENT),
    15: _record("MpiIsend", _SENT + " request:u64"),
    16: _record("MpiIsendComplete", "request:u64", bare=True),
    17: _record("MpiIrecvRequest", "request:u64", bare=True),
    18: _record("MpiRecv", _RECEIVED),
    19: _record("MpiIrecv", _RECEIVED + " request:u64"),
    20: _record("MpiRequestTest", "request:u64", bare=True),
    21: _record("MpiRequestCancelled", "request:u64", bare=True),
    22: _record("MpiCollectiveBegin"),
    23: _record("MpiCollectiveEnd", _COLLECTIVE),
    24: _record("OmpFork", "threads:u32", bare=True),
    25: _record("OmpJoin"),
    26: _record("OmpAcquireLock", "lock:u32 order:u32"),
    27: _record("OmpReleaseLock", "lock:u32 order:u32"),
    28: _record("OmpTaskCreate", "task:u64", bare=True),
    29: _record("OmpTaskSwitch", "task:u64", bare=True),
    30: _record("OmpTaskComplete", "task:u64", bare=True),
    31: _record("Metric", "metric:metric values:u8"),
    32: _record("ParameterString", "parameter:parameter value:string"),
    33: _record("ParameterInt", "parameter:parameter value:i64"),
    34: _record("ParameterUnsignedInt", "parameter:parameter value:u64"),
    35: _record("RmaWinCreate", "window:window"),
    36: _record("RmaWinDestroy", "window:window"),
    37: _record("RmaCollectiveBegin"),
    38: _record(
        "RmaCollectiveEnd",
        "operation:u8 sync_level:u32 window:window root:u32 bytes_sent:u64 "
        "bytes_received:u64",
    ),
    39: _record("RmaGroupSync", "sync_level:u32 window:window group:group"),
    40: _record("RmaRequestLock", _LOCK),
    41: _record("RmaAcquireLock", _LOCK),
    42: _record("RmaTryLock", _LOCK),
    43: _record("RmaReleaseLock", "window:window remote:u32 lock:u64"),
    44: _record("RmaSync", "window:window remote:u32 type:u8"),
    45: _record("RmaWaitChange", "window:window"),
    46: _record("RmaPut", "window:window remote:u32 bytes:u64 matching:u64"),
    47: _record("RmaGet", "window:window remote:u32 bytes:u64 matching:u64"),
    48: _record(
        "RmaAtomic",
        "window:window remote:u32 type:u8 bytes_sent:u64 bytes_received:u64 "
        "matching:u64",
    ),
    49: _record("RmaOpCompleteBlocking", _MATCHED),
    50: _record("RmaOpCompleteNonBlocking", _MATCHED),
    51: _record("RmaOpTest", _MATCHED),
    52: _record("RmaOpCompleteRemote", _MATCHED),
    53: _record("ThreadFork", "model:u8 threads:u32"),
    54: _record("ThreadJoin", "model:u8"),
    55: _record("ThreadTeamBegin", "team:comm"),
    56: _record("ThreadTeamEnd", "team:comm"),
    57: _record("ThreadAcquireLock", "model:u8 lock:u32 order:u32"),
    58: _record("ThreadReleaseLock", "model:u8 lock:u32 order:u32"),
    59: _record("ThreadTaskCreate", _TASK),
    60: _record("ThreadTaskSwitch", _TASK),
    61: _record("ThreadTaskComplete", _TASK),
    62: _record("ThreadCreate", _THREAD),
    63: _record("ThreadBegin", _THREAD),
    64: _record("ThreadWait", _THREAD),
    65: _record("ThreadEnd", _THREAD),
    66: _record("CallingContextEnter", "context:context unwind:u32"),
    67: _record("CallingContextLeave", "context:context"),
    68: _record(
        "CallingContextSample", "context:context unwind:u32 generator:generator"
    ),
    69: _record(
        "IoCreateHandle", "handle:handle mode:u8 creation_flags:u32 status_flags:u32"
    ),
    70: _record("IoDestroyHandle", "handle:handle"),
    71: _record(
        "IoDuplicateHandle", "old_handle:handle new_handle:handle status_flags:u32"
    ),
    72: _record("IoSeek", "handle:handle offset:i64 whence:u8 result:u64"),
    73: _record("IoChangeStatusFlags", "handle:handle status_flags:u32"),
    74: _record("IoDeleteFile", "paradigm:u8 file:file"),
    75: _record(
        "IoOperationBegin", "handle:handle mode:u8 flags:u32 bytes:u64 matching:u64"
    ),
    76: _record("IoOperationTest", _IO),
    77: _record("IoOperationIssued", _IO),
    78: _record("IoOperationComplete", "handle:handle bytes:u64 matching:u64"),
    79: _record("IoOperationCancelled", _IO),
    80: _record("IoAcquireLock", "handle:handle type:u8"),
    81: _record("IoReleaseLock", "handle:handle type:u8"),
    82: _record("IoTryLock", "handle:handle type:u8"),
    83: _record("ProgramBegin", "program:string arguments:u32"),
    84: _record("ProgramEnd", "exit_status:i64"),
    85: _record("NonBlockingCollectiveRequest", "request:u64"),
    86: _record("NonBlockingCollectiveComplete", _COLLECTIVE + " request:u64"),
    87: _record("CommCreate", "communicator:comm"),
    88: _record("CommDestroy", "communicator:comm"),
    89: _record("MpiProbe", "sender:u32 communicator:comm tag:u32 message:u64"),
    90: _record("MpiMrecv", "message:u64 bytes:u64"),
    91: _record("MpiImrecvRequest", "message:u64 request:u64"),
    92: _record("MpiImrecv", "request:u64 bytes:u64"),
}
"""Every type of event record, by its number."""

BARE: Final = np.array(
    [number in RECORDS and RECORDS[number].bare for number in range(256)]
)
"""Whether records of a type have no length, by number."""


def _formats() -> np.ndarray:
    """Form of each field, and its mapping above it; 0 behind the last."""
    table = np.zeros((256, MAX_FIELDS + 1), np.int64)
    for number, record in RECORDS.items():
        for place, field in enumerate(record.fields):
            table[number, place] = field.form | (field.mapping + 1) << 4
    return table


FORMATS: Final = _formats()
