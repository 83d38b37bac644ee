"""Records of messages and collectives, from a chunk to the columns.

Sends become messages at once. Receives and parts in collectives get their place
when they are posted, so that they lie in the order that matching needs.
"""

# mypy: allow-untyped-defs, disable-error-code="no-untyped-call,call-arg"
# ruff: noqa: ANN001, ANN201, ANN202, PLR0913 - numba finds the types

from typing import Final

import numba
import numpy as np

from topoview.io import records as kinds
from topoview.io.decoder_frame import CHANGED, DAMAGED, WHOLE
from topoview.io.decoder_memory import (
    compressed,
    load8,
    load64,
    store8,
    store32,
    store64,
)
from topoview.io.decoder_partners import NOBODY, find_communicator, partner_of
from topoview.io.decoder_requests import (
    BY_COLLECTIVE,
    BY_RECEIVE,
    BY_SEND,
    FREE,
    put,
    take,
)

EMPTY: Final = -3
"""Sender of a receive that was posted and never completed."""
NO_PART: Final = 255
"""Operation of a collective that was posted and never completed."""
SEVERAL: Final = -2
"""Of `Calls.completes`, until the end: several calls posted the requests."""

_MESSAGE: Final = np.int64(-(1 << 63))
_FIRST_PSEUDO: Final = 17  # OTF2_COLLECTIVE_OP_CREATE_HANDLE and those after it


@numba.njit(nogil=True)
def _posted_by(frame, value):
    """Call that posted a request."""
    index = value >> 2
    if value & 3 == BY_SEND:
        return index
    if value & 3 == BY_RECEIVE:
        return load64(frame.from_post + 8 * index)
    return load64(frame.part_call + 8 * index)


@numba.njit(nogil=True)
def _complete(frame, request, call):
    """Complete a request in a call: its value in the table of requests."""
    value = take(frame, request)
    if value == FREE:
        return value
    posted = _posted_by(frame, value)
    if call >= 0 and call != posted:
        known = load64(frame.completed + 8 * call)
        if known == -1:
            store64(frame.completed, call, posted)
        else:
            store64(frame.completed, call, np.int64(SEVERAL))
            frame.several = 1
    return value


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
    if partner < 0:
        frame.unknown_senders += partner < NOBODY
        return np.int64(WHOLE)
    row = frame.send
    if row >= frame.send_limit:
        return np.int64(CHANGED)
    store32(frame.sender, row, frame.rank)
    store32(frame.receiver, row, partner)
    store64(frame.size, row, size)
    store32(frame.tag, row, tag)
    store32(frame.communicator, row, frame.comm_number)
    store64(frame.send_call, row, call)
    store64(frame.send_time, row, now - frame.origin)
    frame.send = row + 1
    return np.int64(WHOLE)


@numba.njit(nogil=True)
def _new_receive(frame, now, call):
    """Give a receive its place, -1 if there is none left."""
    slot = frame.receive
    if slot >= frame.receive_limit:
        return np.int64(-1)
    frame.receive = slot + 1
    empty = np.int64(EMPTY)
    store32(frame.from_rank, slot, empty)
    store64(frame.from_size, slot, empty)
    store64(frame.from_post, slot, call)
    if frame.from_posted:
        store64(frame.from_posted, slot, now)
    return slot


@numba.njit(nogil=True)
def post_receive(frame, at, swap, now, call):
    """Post a receive."""
    request, at, bad = compressed(at, swap, 8, np.int64(0))
    if bad:
        return np.int64(DAMAGED)
    slot = _new_receive(frame, now, call)
    if slot < 0:
        return np.int64(CHANGED)
    put(frame, request, slot << 2 | BY_RECEIVE)
    return np.int64(WHOLE)


@numba.njit(nogil=True)
def take_receive(frame, at, swap, now, call, is_posted):
    """Take a receive that completed."""
    bad = np.int64(0)
    local, at, bad = compressed(at, swap, 4, bad)
    identifier, at, bad = compressed(at, swap, 4, bad)
    tag, at, bad = compressed(at, swap, 4, bad)
    size, at, bad = compressed(at, swap, 8, bad)
    posted = np.int64(FREE)
    if is_posted:
        request, at, bad = compressed(at, swap, 8, bad)
        if not bad:
            posted = _complete(frame, request, call)
    if bad:
        return np.int64(DAMAGED)
    if posted != FREE and posted & 3 == BY_SEND:
        # What EZTrace records when a persistent send completes.
        return np.int64(WHOLE)
    if posted != FREE and posted & 3 == BY_RECEIVE:
        slot = posted >> 2
    else:
        slot = _new_receive(frame, now, call)
        if slot < 0:
            return np.int64(CHANGED)
        if posted != FREE:
            store64(frame.from_post, slot, _posted_by(frame, posted))
    find_communicator(frame, identifier)
    store32(frame.from_rank, slot, partner_of(frame, local))
    if frame.from_local:
        store32(frame.from_local, slot, local)
    store32(frame.from_communicator, slot, frame.comm_number)
    store32(frame.from_tag, slot, tag)
    store64(frame.from_size, slot, size)
    store64(frame.from_call, slot, call)
    store64(frame.from_time, slot, now - frame.origin)
    return np.int64(WHOLE)


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
    slot = _new_receive(frame, now, call)
    if slot < 0:
        return np.int64(CHANGED)
    find_communicator(frame, identifier)
    # The sender waits where the size will be: it may never be received.
    store64(frame.from_size, slot, partner_of(frame, local))
    if frame.from_local:
        store32(frame.from_local, slot, local)
    store32(frame.from_communicator, slot, frame.comm_number)
    store32(frame.from_tag, slot, tag)
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
        found = _complete(frame, one, call)
    else:
        found = take(frame, one ^ _MESSAGE)
    if found == FREE or found & 3 != BY_RECEIVE:
        return np.int64(WHOLE)
    slot = found >> 2
    if kind == kinds.IMRECV_REQUEST:
        store64(frame.from_post, slot, call)
        put(frame, other, found)
        return np.int64(WHOLE)
    sender = load64(frame.from_size + 8 * slot)
    if sender == EMPTY:
        return np.int64(WHOLE)
    if kind == kinds.MRECV:
        store64(frame.from_post, slot, call)
    store32(frame.from_rank, slot, sender)
    store64(frame.from_size, slot, other)
    store64(frame.from_call, slot, call)
    store64(frame.from_time, slot, now - frame.origin)
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
    posted = np.int64(FREE)
    if is_posted:
        request, at, bad = compressed(at, swap, 8, bad)
        if not bad:
            posted = _complete(frame, request, call)
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
        _complete(frame, request, call)
    return np.int64(WHOLE)
