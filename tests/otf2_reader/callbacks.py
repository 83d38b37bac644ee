"""Compiled callbacks that libotf2 calls for every event.

They append to a tape: an array of 64-bit words that is processed and rewound
after every few hundred thousand events, so that it stays in the processor's
cache and its size does not depend on the trace.

Words ``tape[0:HEADER]`` are: next free word, capacity, time of the first event,
time of the last one. A short entry has two words (time; kind and reference), a
long one six (then communicator and tag; bytes; bytes received; request).

A numba callback must not raise, and has to live as long as libotf2 may call it.
"""

# mypy: allow-untyped-defs, disable-error-code="attr-defined,call-arg"
# ruff: noqa: ANN001, ANN202, ARG001 - all have libotf2's signatures

from typing import Any, Final

import numba
import numpy as np
from numba import types
from numpy.typing import NDArray

from otf2_reader.libotf2 import Handle, Library
from topoview.io.record_types import RECORDS

Words = NDArray[np.uint64]

HEADER: Final = 4
SHORT: Final = 2
LONG: Final = 6

# Short entries: the reference is a region, a calling context, or a mode.
ENTER: Final = 0
LEAVE: Final = 1
CONTEXT_ENTER: Final = 2
CONTEXT_LEAVE: Final = 3
MEASUREMENT: Final = 4
OTHER: Final = 5
# Long entries: the reference is a partner or a root.
SEND: Final = 8
ISEND: Final = 9
SEND_COMPLETE: Final = 10
RECEIVE_POST: Final = 11
RECEIVE: Final = 12
RECEIVE_COMPLETE: Final = 13
COLLECTIVE: Final = 14
COLLECTIVE_POST: Final = 15
COLLECTIVE_COMPLETE: Final = 16

_ONE = np.uint64(1)
_HIGH = np.uint64(32)
_NO_TIME = np.uint64(0xFFFFFFFFFFFFFFFF)

_u8, _u32, _u64 = types.uint8, types.uint32, types.uint64
_EVENT = (_u64, _u64, _u64, types.voidptr, types.voidptr)


def _callback(*arguments: Any) -> Any:  # noqa: ANN401 - numba types
    return numba.cfunc(types.int32(*_EVENT, *arguments), nopython=True, cache=True)


@numba.njit(inline="always")
def _see(tape, time):
    if tape[2] == _NO_TIME:
        tape[2] = time
    tape[3] = time


@numba.njit(inline="always")
def _short(user, time, kind, reference):
    tape = numba.carray(user, (HEADER,), np.uint64)
    _see(tape, time)
    at = tape[0]
    if at + np.uint64(SHORT) > tape[1]:
        return np.int32(1)
    tape[0] = at + np.uint64(SHORT)
    tape[at] = time
    tape[at + _ONE] = (np.uint64(kind) << _HIGH) | np.uint64(reference)
    return np.int32(0)


@numba.njit(inline="always")
def _long(user, time, kind, partner, comm, tag, size, received, request):
    tape = numba.carray(user, (HEADER,), np.uint64)
    _see(tape, time)
    at = tape[0]
    if at + np.uint64(LONG) > tape[1]:
        return np.int32(1)
    tape[0] = at + np.uint64(LONG)
    tape[at] = time
    tape[at + _ONE] = (np.uint64(kind) << _HIGH) | np.uint64(partner)
    tape[at + np.uint64(2)] = (np.uint64(comm) << _HIGH) | np.uint64(tag)
    tape[at + np.uint64(3)] = np.uint64(size)
    tape[at + np.uint64(4)] = np.uint64(received)
    tape[at + np.uint64(5)] = np.uint64(request)
    return np.int32(0)


@_callback(_u32)
def _enter(location, time, position, user, attributes, region):
    return _short(user, time, ENTER, region)


@_callback(_u32)
def _leave(location, time, position, user, attributes, region):
    return _short(user, time, LEAVE, region)


@_callback(_u32, _u32)
def _context_enter(location, time, position, user, attributes, context, unwind):
    return _short(user, time, CONTEXT_ENTER, context)


@_callback(_u32)
def _context_leave(location, time, position, user, attributes, context):
    return _short(user, time, CONTEXT_LEAVE, context)


@_callback(_u8)
def _measurement(location, time, position, user, attributes, mode):
    return _short(user, time, MEASUREMENT, mode)


@_callback(_u32, _u32, _u32, _u64)
def _send(location, time, position, user, attributes, peer, comm, tag, size):
    return _long(user, time, SEND, peer, comm, tag, size, 0, 0)


@_callback(_u32, _u32, _u32, _u64, _u64)
def _isend(location, time, position, user, attributes, peer, comm, tag, size, request):
    return _long(user, time, ISEND, peer, comm, tag, size, 0, request)


@_callback(_u64)
def _send_complete(location, time, position, user, attributes, request):
    return _long(user, time, SEND_COMPLETE, 0, 0, 0, 0, 0, request)


@_callback(_u64)
def _receive_post(location, time, position, user, attributes, request):
    return _long(user, time, RECEIVE_POST, 0, 0, 0, 0, 0, request)


@_callback(_u32, _u32, _u32, _u64)
def _receive(location, time, position, user, attributes, peer, comm, tag, size):
    return _long(user, time, RECEIVE, peer, comm, tag, size, 0, 0)


@_callback(_u32, _u32, _u32, _u64, _u64)
def _receive_complete(
    location, time, position, user, attributes, peer, comm, tag, size, request
):
    return _long(user, time, RECEIVE_COMPLETE, peer, comm, tag, size, 0, request)


@_callback(_u8, _u32, _u32, _u64, _u64)
def _collective(
    location, time, position, user, attributes, operation, comm, root, sent, received
):
    return _long(user, time, COLLECTIVE, root, comm, operation, sent, received, 0)


@_callback(_u64)
def _collective_post(location, time, position, user, attributes, request):
    return _long(user, time, COLLECTIVE_POST, 0, 0, 0, 0, 0, request)


@_callback(_u8, _u32, _u32, _u64, _u64, _u64)
def _collective_complete(
    location, time, position, user, attributes, operation, comm, root, sent, received,
    request,
):  # fmt: skip
    return _long(
        user, time, COLLECTIVE_COMPLETE, root, comm, operation, sent, received, request
    )


@_callback()
def _other(location, time, position, user, attributes):
    tape = numba.carray(user, (HEADER,), np.uint64)
    if tape[2] == _NO_TIME:
        return _short(user, time, OTHER, 0)
    _see(tape, time)
    return np.int32(0)


_TAPED: Final = frozenset({*range(11, 20), 23, 66, 67, 85, 86})
_CALLBACKS: Final = {
    "Enter": _enter,
    "Leave": _leave,
    "CallingContextEnter": _context_enter,
    "CallingContextLeave": _context_leave,
    "MeasurementOnOff": _measurement,
    "MpiSend": _send,
    "MpiIsend": _isend,
    "MpiIsendComplete": _send_complete,
    "MpiIrecvRequest": _receive_post,
    "MpiRecv": _receive,
    "MpiIrecv": _receive_complete,
    "MpiCollectiveEnd": _collective,
    "NonBlockingCollectiveRequest": _collective_post,
    "NonBlockingCollectiveComplete": _collective_complete,
    # Only their times are of interest. Further arguments that libotf2 passes
    # are not looked at, which the calling conventions of C allow.
    "Unknown": _other,
    **{
        record.name: _other
        for number, record in RECORDS.items()
        if number not in _TAPED
    },
}


def register(library: Library) -> Handle:
    """Make a set of callbacks for `OTF2_Reader_RegisterEvtCallbacks`.

    It is freed with `EvtReaderCallbacks_Delete`. The user data that goes with
    it is the address of a tape.
    """
    callbacks: Handle = library.EvtReaderCallbacks_New()
    for name, function in _CALLBACKS.items():
        setter = getattr(library, f"EvtReaderCallbacks_Set{name}Callback")
        setter(callbacks, function.address)
    return callbacks


def make_tape(events: int) -> Words:
    """Make a tape that holds any `events` events."""
    tape = np.empty(HEADER + LONG * events, np.uint64)
    rewind(tape, start=True)
    return tape


def rewind(tape: Words, *, start: bool = False) -> None:
    """Forget the tape's entries, at the start of a location its times too."""
    tape[0], tape[1] = HEADER, len(tape)
    if start:
        tape[2], tape[3] = _NO_TIME, 0
