"""Records of messages and collectives, from a chunk to the columns.

Parts in collectives get their place when they are posted, like receives.
"""

# mypy: allow-untyped-defs, disable-error-code="no-untyped-call,call-arg"
# ruff: noqa: ANN001, ANN201, ANN202, PLR0913 - numba finds the types

from typing import Final

import numba
import numpy as np

from topoview.io import record_types as kinds
from topoview.io.decoder.frame import CHANGED, DAMAGED, WHOLE
from topoview.io.decoder.memory import (
    compressed,
    load8,
    load64,
    store8,
    store32,
    store64,
)
from topoview.io.decoder.partners import NOBODY, UNKNOWN, find_communicator, partner_of
from topoview.io.decoder.place import (
    BYTES,
    EMPTY,
    HALVES,
    WORDS,
    complete,
    new_receive,
    orphaned,
    place_posted,
    place_receive,
    place_send,
)
from topoview.io.decoder.requests import (
    BY_COLLECTIVE,
    BY_RECEIVE,
    BY_SEND,
    FREE,
    put,
    take,
)

NO_PART: Final = 255
"""Operation of a collective that was posted and never completed."""

_MESSAGE: Final = np.int64(-(1 << 63))
_FIRST_PSEUDO: Final = 17  # OTF2_COLLECTIVE_OP_CREATE_HANDLE and those after it


@numba.njit(nogil=True, forceinline=True)
def _posted(frame, at, swap, call, is_posted, bad):
    """Complete the request at the end of a record that has one.

    Returns
    -------
    int, int
        Value of the request; `FREE` if there is none, or none is known. `bad`, or 1 if
        its number is none: then nothing is completed.
    """
    posted = np.int64(FREE)
    if is_posted:
        request, _, bad = compressed(at, swap, 8, bad)
        if not bad:
            posted = complete(frame, request, call)
    return posted, bad


@numba.njit(nogil=True)
def take_send(frame, at, swap, now, call, is_posted):
    """Take a send; tells how that went."""
    bad = np.int64(0)
    local, at, bad = compressed(at, swap, 4, bad)
    identifier, at, bad = compressed(at, swap, 4, bad)
    tag, at, bad = compressed(at, swap, 4, bad)
    size, at, bad = compressed(at, swap, 8, bad)
    if is_posted:
        request, at, bad = compressed(at, swap, 8, bad)
        if not bad:
            put(frame, request, call << 2 | BY_SEND)
    if bad:
        return np.int64(DAMAGED)
    find_communicator(frame, identifier)
    partner = partner_of(frame, local)
    if partner >= 0 and size < -1:  # 8 EiB or more: memory that was never set
        partner = np.int64(UNKNOWN)
    if partner < 0:
        frame.unknown_senders += partner < NOBODY
        return np.int64(WHOLE)
    return place_send(frame, partner, size, tag, now - frame.origin, call)


@numba.njit(nogil=True)
def post_receive(frame, at, swap, now, call):
    """Post a receive."""
    request, at, bad = compressed(at, swap, 8, np.int64(0))
    if bad:
        return np.int64(DAMAGED)
    return place_posted(frame, request, now - frame.origin, call)


@numba.njit(nogil=True)
def take_receive(frame, at, swap, now, call, is_posted):
    """Take a receive that completed."""
    bad = np.int64(0)
    local, at, bad = compressed(at, swap, 4, bad)
    identifier, at, bad = compressed(at, swap, 4, bad)
    tag, at, bad = compressed(at, swap, 4, bad)
    size, at, bad = compressed(at, swap, 8, bad)
    posted, bad = _posted(frame, at, swap, call, is_posted, bad)
    if is_posted:
        posted = orphaned(frame, posted)
    if bad:
        return np.int64(DAMAGED)
    find_communicator(frame, identifier)
    partner = partner_of(frame, local)
    if partner >= 0 and size < -1:
        partner, local = np.int64(UNKNOWN), np.int64(-1)
    time = now - frame.origin
    return place_receive(frame, posted, partner, local, size, tag, time, call)


@numba.njit(nogil=True)
def take_probe(frame, at, swap, now, call):
    """Take a message that was found and will be received later (MPI_Mprobe)."""
    bad = np.int64(0)
    local, at, bad = compressed(at, swap, 4, bad)
    identifier, at, bad = compressed(at, swap, 4, bad)
    tag, at, bad = compressed(at, swap, 4, bad)
    message, at, bad = compressed(at, swap, 8, bad)
    if bad:
        return np.int64(DAMAGED)
    slot = new_receive(frame, now - frame.origin, call)
    if slot < 0:
        return np.int64(CHANGED)
    find_communicator(frame, identifier)
    # The sender waits where the size will be: it may never be received.
    store64(frame.from_size, WORDS * slot, partner_of(frame, local))
    if frame.from_local:
        store32(frame.from_local, HALVES * slot, local)
    store32(frame.from_communicator, HALVES * slot, frame.comm_number)
    store32(frame.from_tag, HALVES * slot, tag)
    put(frame, message ^ _MESSAGE, slot << 2 | BY_RECEIVE)
    return np.int64(WHOLE)


@numba.njit(nogil=True)
def take_matched(frame, kind, at, swap, now, call):
    """Take the receive of a message that was probed."""
    bad = np.int64(0)
    one, at, bad = compressed(at, swap, 8, bad)
    other, at, bad = compressed(at, swap, 8, bad)
    if bad:
        return np.int64(DAMAGED)
    if kind == kinds.IMRECV:
        found = complete(frame, one, call)
    else:
        found = take(frame, one ^ _MESSAGE)
    if found == FREE or found & 3 != BY_RECEIVE:
        return np.int64(WHOLE)
    slot = found >> 2
    if kind == kinds.IMRECV_REQUEST:
        store64(frame.from_post, WORDS * slot, call)
        put(frame, other, found)
        return np.int64(WHOLE)
    sender = load64(frame.from_size + BYTES * slot)
    if sender == EMPTY:
        return np.int64(WHOLE)
    if kind == kinds.MRECV:
        store64(frame.from_post, WORDS * slot, call)
    store32(frame.from_rank, HALVES * slot, sender)
    store64(frame.from_size, WORDS * slot, other)
    store64(frame.from_call, WORDS * slot, call)
    store64(frame.from_time, WORDS * slot, now - frame.origin)
    return np.int64(WHOLE)


@numba.njit(nogil=True)
def _new_part(frame, call):
    """Give a part in a collective its place, -1 if there is none left."""
    slot = frame.part
    if slot >= frame.part_limit:
        return np.int64(-1)
    frame.part = slot + 1
    store64(frame.part_call, slot, call)
    store8(frame.part_operation, slot, np.int64(NO_PART))
    return slot


@numba.njit(nogil=True)
def post_collective(frame, at, swap, call):
    """Post a non-blocking collective."""
    bad = np.int64(0)
    request, at, bad = compressed(at, swap, 8, bad)
    if bad:
        return np.int64(DAMAGED)
    slot = _new_part(frame, call)
    if slot < 0:
        return np.int64(CHANGED)
    put(frame, request, slot << 2 | BY_COLLECTIVE)
    return np.int64(WHOLE)


@numba.njit(nogil=True)
def take_part(frame, at, swap, call, is_posted):
    """Take the part in a collective that ended."""
    operation = load8(at)
    bad = np.int64(0)
    identifier, at, bad = compressed(at + 1, swap, 4, bad)
    root, at, bad = compressed(at, swap, 4, bad)
    sent, at, bad = compressed(at, swap, 8, bad)
    received, at, bad = compressed(at, swap, 8, bad)
    posted, bad = _posted(frame, at, swap, call, is_posted, bad)
    if bad:
        return np.int64(DAMAGED)
    if operation >= _FIRST_PSEUDO:
        return np.int64(WHOLE)
    if posted != FREE and posted & 3 == BY_COLLECTIVE:
        slot = posted >> 2
    else:
        slot = _new_part(frame, call)
        if slot < 0:
            return np.int64(CHANGED)
    find_communicator(frame, identifier)
    store32(frame.part_communicator, slot, frame.comm_number)
    store8(frame.part_operation, slot, operation)
    store32(frame.part_root, slot, partner_of(frame, root))
    store64(frame.part_sent, slot, sent)
    store64(frame.part_received, slot, received)
    return np.int64(WHOLE)


@numba.njit(nogil=True)
def finish(frame, kind, at, swap, call):
    """End a request whose record says nothing more: a send, or a cancelled one."""
    bad = np.int64(0)
    request, at, bad = compressed(at, swap, 8, bad)
    if bad:
        return np.int64(DAMAGED)
    if kind == kinds.CANCELLED:
        take(frame, request)
    else:
        complete(frame, request, call)
    return np.int64(WHOLE)
