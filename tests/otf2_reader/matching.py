"""Which receive belongs to which send.

Messages between the same two ranks on the same communicator with the same tag
do not overtake each other (MPI 4.1, section 3.5): the k-th send matches the
k-th receive, in the order in which the receives were posted.
"""

# mypy: allow-untyped-defs
# ruff: noqa: ANN001, ANN202 - numba finds the types of what has none

from typing import NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

from topoview.model import Indices, Ints

_SPREAD = np.uint64(0x9E3779B97F4A7C15)
_MORE = np.uint64(0xC2B2AE3D27D4EB4F)
_SLOTS = 1 << 10


class Ends(NamedTuple):
    """What sends or receives are matched by.

    Attributes
    ----------
    sender, receiver : int32, shape (n,)
        Ranks; a message with a negative one matches nothing.
    communicator : int32, shape (n,)
    tag : uint32, shape (n,)
    """

    sender: Indices
    receiver: Indices
    communicator: Indices
    tag: NDArray[np.uint32]


@numba.njit(nogil=True, cache=True)
def match_in_order(sends: Ends, receives: Ends) -> Ints:
    """Match the k-th send to the k-th receive of the same ends.

    A hash table of queues: linear in the number of sends and receives.

    Parameters
    ----------
    sends, receives
        In the order in which they were posted.

    Returns
    -------
    int64, shape (receives,)
        Index of each receive's send, -1 if there is none.
    """
    senders, receivers = sends.sender, sends.receiver
    # Of each slot: a send that has its key, and the ends of its queue. Far fewer
    # keys than messages: a table that grows stays in the processor's cache.
    key = np.full(_SLOTS, -1, np.int64)
    head = np.empty(_SLOTS, np.int64)
    tail = np.empty(_SLOTS, np.int64)
    used = 0
    following = np.empty(len(senders), np.int64)
    for send in range(len(senders)):
        if senders[send] < 0 or receivers[send] < 0:
            continue
        slot = _slot(key, sends, sends, send)
        if key[slot] < 0:
            used += 1
            if 2 * used > len(key):
                key, head, tail = _grow(key, head, tail, sends)
                slot = _slot(key, sends, sends, send)
            key[slot] = head[slot] = send
        else:
            following[tail[slot]] = send
        tail[slot] = send
        following[send] = -1
    found = np.full(len(receives.sender), -1, np.int64)
    for receive in range(len(found)):
        if receives.sender[receive] < 0 or receives.receiver[receive] < 0:
            continue
        slot = _slot(key, sends, receives, receive)
        if key[slot] >= 0 and head[slot] >= 0:
            found[receive] = head[slot]
            head[slot] = following[head[slot]]
    return found


@numba.njit(nogil=True, cache=True)
def _grow(key, head, tail, sends):
    """Double a table."""
    larger = np.full(2 * len(key), -1, np.int64)
    heads, tails = np.empty_like(larger), np.empty_like(larger)
    for old in range(len(key)):
        if key[old] >= 0:
            slot = _slot(larger, sends, sends, key[old])
            larger[slot], heads[slot], tails[slot] = key[old], head[old], tail[old]
    return larger, heads, tails


@numba.njit(nogil=True, cache=True, inline="always")
def _slot(key, sends, ends, at):
    """Place in the table of the ends at an index."""
    mask = np.uint64(len(key) - 1)
    sender, receiver = ends.sender[at], ends.receiver[at]
    communicator, tag = ends.communicator[at], ends.tag[at]
    pair = (np.uint64(sender) << np.uint64(32)) | np.uint64(receiver)
    label = (np.uint64(communicator) << np.uint64(32)) | np.uint64(tag)
    mixed = (pair * _SPREAD) ^ (label * _MORE)
    slot = ((mixed ^ (mixed >> np.uint64(29))) * _SPREAD >> np.uint64(20)) & mask
    while True:
        other = key[slot]
        if other < 0 or (
            sends.sender[other] == sender
            and sends.receiver[other] == receiver
            and sends.communicator[other] == communicator
            and sends.tag[other] == tag
        ):
            return slot
        slot = (slot + np.uint64(1)) & mask
