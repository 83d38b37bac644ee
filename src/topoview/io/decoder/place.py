"""Sends and receives in their columns, once it is known what their records say.

Sends become messages at once. Receives get their place when they are posted, so that
they lie in the order that matching needs.
"""

# mypy: allow-untyped-defs, disable-error-code="no-untyped-call,call-arg"
# ruff: noqa: ANN001, ANN201, PLR0913 - numba finds the types

from typing import Final

import numba
import numpy as np

from topoview.io.decoder.frame import CHANGED, WHOLE
from topoview.io.decoder.memory import load64, store32, store64
from topoview.io.decoder.requests import BY_RECEIVE, BY_SEND, FREE, put_near, take_near

EMPTY: Final = -3
"""Sender of a receive that was posted and never completed."""
RECEIVED: Final = np.dtype(
    [
        ("rank", np.int32), ("tag", np.uint32), ("communicator", np.int32),
        ("local", np.uint32), ("size", np.int64), ("call", np.int64),
        ("time", np.int64), ("post", np.int64),
    ]
)  # fmt: skip
"""What is known of a receive: together, for it is looked at when others are, too."""
BYTES: Final = RECEIVED.itemsize
WORDS: Final = BYTES // 8
HALVES: Final = BYTES // 4
ORPHAN: Final = -5
"""Value of a request that nothing is known to have posted, where that is asked."""
SEVERAL: Final = -2
"""Of `Calls.completes`, until the end: several calls posted the requests."""


@numba.njit(nogil=True, forceinline=True)
def posted_by(frame, value):
    """Call that posted a request."""
    index = value >> 2
    if value & 3 == BY_SEND:
        return index
    if value & 3 == BY_RECEIVE:
        return load64(frame.from_post + BYTES * index)
    return load64(frame.part_call + 8 * index)


@numba.njit(nogil=True, forceinline=True)
def complete(frame, request, call):
    """Complete a request in a call: its value in the table of requests."""
    value = take_near(frame, request)
    if value == FREE:
        return value
    posted = posted_by(frame, value)
    if call >= 0 and call != posted:
        known = load64(frame.completed + 8 * call)
        if known == -1:
            store64(frame.completed, call, posted)
        else:
            store64(frame.completed, call, np.int64(SEVERAL))
            frame.several = 1
    return value


@numba.njit(nogil=True, forceinline=True)
def orphaned(frame, value):
    """Give a receive's request its value; `ORPHAN` if EZTrace wrote an unknown one."""
    if value == FREE and frame.from_local:
        return np.int64(ORPHAN)
    return value


@numba.njit(nogil=True, forceinline=True)
def place_send(frame, partner, size, tag, time, call):
    """Enter a send on the communicator that was found last."""
    row = frame.send
    if row >= frame.send_limit:
        return np.int64(CHANGED)
    store32(frame.sender, row, frame.rank)
    store32(frame.receiver, row, partner)
    store64(frame.size, row, size)
    store32(frame.tag, row, tag)
    store32(frame.communicator, row, frame.comm_number)
    store64(frame.send_call, row, call)
    store64(frame.send_time, row, time)
    frame.send = row + 1
    return np.int64(WHOLE)


@numba.njit(nogil=True, forceinline=True)
def new_receive(frame, time, call):
    """Give a receive its place, -1 if there is none left."""
    slot = frame.receive
    if slot >= frame.receive_limit:
        return np.int64(-1)
    frame.receive = slot + 1
    empty = np.int64(EMPTY)
    store32(frame.from_rank, HALVES * slot, empty)
    store64(frame.from_size, WORDS * slot, empty)
    store64(frame.from_post, WORDS * slot, call)
    if frame.from_posted:
        store64(frame.from_posted, slot, time)
    return slot


@numba.njit(nogil=True, forceinline=True)
def place_posted(frame, request, time, call):
    """Enter a receive that was posted."""
    slot = new_receive(frame, time, call)
    if slot < 0:
        return np.int64(CHANGED)
    put_near(frame, request, slot << 2 | BY_RECEIVE)
    return np.int64(WHOLE)


@numba.njit(nogil=True, forceinline=True)
def place_receive(frame, posted, partner, local, size, tag, time, call):
    """Enter what a receive brought, on the communicator that was found last.

    Parameters
    ----------
    posted
        Value of its request, which was completed; `FREE` if it has none.
    partner, local
        Sender: rank of the world, and of the communicator.
    """
    if posted != FREE and posted & 3 == BY_SEND:
        # What EZTrace records when a persistent send completes.
        return np.int64(WHOLE)
    if posted != FREE and posted & 3 == BY_RECEIVE:
        slot = posted >> 2
    else:
        slot = new_receive(frame, time, call)
        if slot < 0:
            return np.int64(CHANGED)
        if posted == ORPHAN:
            store64(frame.from_post, WORDS * slot, -2 - call)
        elif posted != FREE:
            store64(frame.from_post, WORDS * slot, posted_by(frame, posted))
    store32(frame.from_rank, HALVES * slot, partner)
    if frame.from_local:
        store32(frame.from_local, HALVES * slot, local)
    store32(frame.from_communicator, HALVES * slot, frame.comm_number)
    store32(frame.from_tag, HALVES * slot, tag)
    store64(frame.from_size, WORDS * slot, size)
    store64(frame.from_call, WORDS * slot, call)
    store64(frame.from_time, WORDS * slot, time)
    return np.int64(WHOLE)
