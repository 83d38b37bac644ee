"""The commonest records of messages, in the byte order of this machine.

They are taken as `topoview.io.decoder.messages` takes them, without calls and without
looking for what is seldom there: partners that are not in their communicator, numbers
that are none, requests that nothing posted. Whoever meets such a one leaves it there.
"""

# mypy: allow-untyped-defs, disable-error-code="no-untyped-call,call-arg"
# ruff: noqa: ANN001, ANN201 - numba finds the types

from typing import Final

import numba
import numpy as np

from topoview.io import record_types as kinds
from topoview.io.decoder.frame import WHOLE
from topoview.io.decoder.memory import load8, load32, load64
from topoview.io.decoder.partners import find_communicator
from topoview.io.decoder.place import (
    complete,
    orphaned,
    place_posted,
    place_receive,
    place_send,
)
from topoview.io.decoder.requests import BY_SEND, FREE, put_near

ROOM: Final = 64
"""More bytes than such a record takes; so many are there before one is taken so."""

LEFT: Final = 0
"""What tells that a record was left to others."""

NARROW: Final = 4
_WIDE: Final = 8
_LAST_RANK: Final = 0x7FFFFFFF
_MASKS: Final = np.array(
    [(1 << 8 * size) - 1 if size < _WIDE else -1 for size in range(256)], np.int64
)


@numba.njit(nogil=True, forceinline=True)
def field(at):
    """Bytes of a compressed integer, and its value if they are at most eight."""
    size = load8(at)
    return size, load64(at + 1) & _MASKS[np.uint64(size)]


@numba.njit(nogil=True, forceinline=True)
def take_message(frame, kind, at, time, call):  # noqa: C901
    """Take a record of a message that belongs to a call.

    Parameters
    ----------
    at
        Behind the byte that says what it is; `ROOM` bytes are there.
    time
        From the trace's beginning.
    call
        The MPI call that is open.

    Returns
    -------
    int
        Where the next record begins; `LEFT`, and nothing was done.
    """
    if 2 * frame.used + 2 > frame.slots:
        return np.int64(LEFT)
    posted = np.int64(FREE)
    if kind == kinds.ISEND_COMPLETE or kind == kinds.IRECV_REQUEST:
        size, request = field(at)
        if size > _WIDE:
            return np.int64(LEFT)
        status = np.int64(WHOLE)
        if kind == kinds.IRECV_REQUEST:
            status = place_posted(frame, request, time, call)
        else:
            complete(frame, request, call)
        return np.int64(LEFT) if status != WHOLE else at + 1 + size
    length = load8(at)
    after = at + 1 + length
    size1, local = field(at + 1)
    at += 2 + size1
    size2, identifier = field(at)
    at += 1 + size2
    size3, tag = field(at)
    at += 1 + size3
    size4, size = field(at)
    at += 1 + size4
    bad = size1 > NARROW or size2 > NARROW or size3 > NARROW or size4 > _WIDE
    has_request = kind == kinds.ISEND or kind == kinds.IRECV
    request = np.int64(0)
    if has_request:
        size5, request = field(at)
        bad = bad or size5 > _WIDE
    if bad or length >= ROOM or size < -1:
        return np.int64(LEFT)
    if identifier != frame.comm_known:
        find_communicator(frame, identifier)
    if local >= frame.comm_end:
        return np.int64(LEFT)
    partner = load32(frame.comm_begin + 4 * local)
    if partner > _LAST_RANK:
        return np.int64(LEFT)
    if kind == kinds.SEND or kind == kinds.ISEND:
        if has_request:
            put_near(frame, request, call << 2 | BY_SEND)
        status = place_send(frame, partner, size, tag, time, call)
    else:
        if has_request:
            posted = orphaned(frame, complete(frame, request, call))
        status = place_receive(frame, posted, partner, local, size, tag, time, call)
    return after if status == WHOLE else np.int64(LEFT)
