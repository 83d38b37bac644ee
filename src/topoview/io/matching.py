"""Which receive belongs to which send.

Messages between the same two ranks on the same communicator with the same tag
do not overtake each other (MPI 4.1, section 3.5): the k-th send matches the
k-th receive, in the order in which the receives were posted.
"""

# mypy: allow-untyped-defs
# ruff: noqa: ANN001, ANN202 - numba finds the types of what has none

import numba
import numpy as np

from topoview.model import Ints

_SPREAD = np.uint64(0x9E3779B97F4A7C15)
_MORE = np.uint64(0xC2B2AE3D27D4EB4F)


@numba.njit(nogil=True, cache=True)
def match_in_order(
    send_pair: Ints, send_label: Ints, receive_pair: Ints, receive_label: Ints
) -> Ints:
    """Match the k-th send to the k-th receive of the same pair and label.

    A hash table of queues: linear in the number of sends and receives.

    Parameters
    ----------
    send_pair, send_label : int64, shape (sends,)
        Numbers that stand for sender and receiver, and for communicator and
        tag; negative pairs match nothing.
    receive_pair, receive_label : int64, shape (receives,)
        The same of the receives, in the order in which they were posted.

    Returns
    -------
    int64, shape (receives,)
        Index of each receive's send, -1 if there is none.
    """
    size = 4
    while size < 2 * len(send_pair):
        size *= 2
    head = np.full(size, -1, np.int64)
    tail = np.full(size, -1, np.int64)
    key = np.full(size, -1, np.int64)  # a send that has the slot's key
    following = np.full(len(send_pair), -1, np.int64)
    for send in range(len(send_pair)):
        if send_pair[send] < 0:
            continue
        slot = _slot(key, send_pair, send_label, send_pair[send], send_label[send])
        if key[slot] < 0:
            key[slot] = send
            head[slot] = send
        else:
            following[tail[slot]] = send
        tail[slot] = send
    found = np.full(len(receive_pair), -1, np.int64)
    for receive in range(len(receive_pair)):
        if receive_pair[receive] < 0:
            continue
        slot = _slot(
            key, send_pair, send_label, receive_pair[receive], receive_label[receive]
        )
        send = head[slot]
        if send >= 0:
            found[receive] = send
            head[slot] = following[send]
    return found


@numba.njit(nogil=True, cache=True, inline="always")
def _slot(key, pairs, labels, pair, label):
    mask = np.uint64(len(key) - 1)
    mixed = (np.uint64(pair) * _SPREAD) ^ (np.uint64(label) * _MORE)
    slot = ((mixed ^ (mixed >> np.uint64(29))) * _SPREAD >> np.uint64(20)) & mask
    while key[slot] >= 0 and (pairs[key[slot]] != pair or labels[key[slot]] != label):
        slot = (slot + np.uint64(1)) & mask
    return slot
