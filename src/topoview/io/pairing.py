"""Sends and their receives, for one receiving rank after the other.

Messages between the same two ranks on the same communicator with the same tag
do not overtake each other (MPI 4.1, section 3.5): the k-th send matches the
k-th receive, in the order in which the receives were posted. Sends are ordered
by receiver first, by counting, so that what is matched at a time is near in
memory, and receivers can be shared out among threads.
"""

# mypy: allow-untyped-defs
# ruff: noqa: ANN001, ANN202 - numba finds the types of what has none

from typing import Any, Final, NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

from topoview.io.decoder_messages import EMPTY
from topoview.model import Indices, Ints

_SPREAD: Final = np.uint64(0x9E3779B97F4A7C15)
_MORE: Final = np.uint64(0xC2B2AE3D27D4EB4F)
_SLOTS: Final = 1 << 6


class Sent(NamedTuple):
    """Columns of messages, by send; the last three are filled here."""

    sender: Indices
    receiver: Indices
    communicator: Indices
    tag: Indices
    send_time: Ints
    receive_call: Ints
    completion_call: Ints
    receive_time: Ints


class Received(NamedTuple):
    """Columns of receives; the rank of one that was matched becomes `EMPTY`."""

    rank: Indices
    communicator: Indices
    tag: NDArray[np.uint32]
    call: Ints
    time: Ints
    post: Ints


@numba.njit(nogil=True, cache=True)
def count_by_receiver(receiver: Indices, begins: Ints) -> None:
    """Count the messages of each receiver: where their groups begin.

    Parameters
    ----------
    begins : int64, shape (ranks + 1,)
        Zeros, filled here.
    """
    for send in range(len(receiver)):
        begins[receiver[send] + 1] += 1
    for rank in range(1, len(begins)):
        begins[rank] += begins[rank - 1]


@numba.njit(nogil=True, cache=True)
def group_by_receiver(
    receiver: Indices, begins: Ints, order: Ints, grouped: NDArray[Any]
) -> None:
    """Group sends by their receiver, in order within each group.

    Parameters
    ----------
    order : int64
        Order of the sends; empty if it is theirs.
    grouped : uint32 or int64, shape (sends,)
        Filled here.
    """
    following = begins[:-1].copy()
    for place in range(len(receiver)):
        send = order[place] if len(order) else place
        rank = receiver[send]
        grouped[following[rank]] = send
        following[rank] += 1


@numba.njit(nogil=True, cache=True)
def pair(  # noqa: PLR0913
    first: int,
    last: int,
    begins: Ints,
    grouped: NDArray[Any],
    slots: Ints,
    order: Ints,
    sent: Sent,
    received: Received,
) -> tuple[int, int, int]:
    """Match the receives of ranks `first` to `last`, without the last.

    Parameters
    ----------
    begins, grouped
        Sends by receiver.
    slots : int64, shape (ranks, 2)
        Where the receives of each rank begin and end, in `order`.
    order : int64
        Order of the receives; empty if it is theirs.

    Returns
    -------
    int, int, int
        Matched; received before they were sent; by how many ticks at most.
    """
    matched, backwards, worst = 0, 0, 0
    for rank in range(first, last):
        group = grouped[begins[rank] : begins[rank + 1]]
        if not len(group) or slots[rank, 0] == slots[rank, 1]:
            continue
        key, head, following = _queues(sent, group)
        for place in range(slots[rank, 0], slots[rank, 1]):
            slot = order[place] if len(order) else place
            sender = received.rank[slot]
            if sender < 0:
                continue
            at = _slot(
                key,
                sent,
                group,
                sender,
                received.communicator[slot],
                np.int32(received.tag[slot]),
            )
            if key[at] < 0 or head[at] < 0:
                continue
            send = group[head[at]]
            head[at] = following[head[at]]
            sent.receive_call[send] = received.post[slot]
            sent.completion_call[send] = received.call[slot]
            sent.receive_time[send] = received.time[slot]
            received.rank[slot] = EMPTY
            matched += 1
            early = sent.send_time[send] - received.time[slot]
            backwards += early > 0
            worst = max(worst, early)
    return matched, backwards, worst


@numba.njit(nogil=True)
def _queues(sent, group):
    """Make a queue of the sends of each channel, in a table that grows."""
    key = np.full(_SLOTS, -1, np.int64)
    head, tail = np.empty_like(key), np.empty_like(key)
    following = np.empty(len(group), np.int64)
    used = 0
    for place in range(len(group)):
        send = group[place]
        at = _find(key, sent, group, send)
        if key[at] < 0:
            used += 1
            if 2 * used > len(key):
                key, head, tail = _grow(key, head, tail, sent, group)
                at = _find(key, sent, group, send)
            key[at] = head[at] = place
        else:
            following[tail[at]] = place
        tail[at] = place
        following[place] = -1
    return key, head, following


@numba.njit(nogil=True)
def _grow(key, head, tail, sent, group):
    """Double a table."""
    larger = np.full(2 * len(key), -1, np.int64)
    heads, tails = np.empty_like(larger), np.empty_like(larger)
    for old in range(len(key)):
        if key[old] >= 0:
            at = _find(larger, sent, group, group[key[old]])
            larger[at], heads[at], tails[at] = key[old], head[old], tail[old]
    return larger, heads, tails


@numba.njit(nogil=True, inline="always")
def _find(key, sent, group, send):
    """Place of a send's channel in the table."""
    return _slot(
        key, sent, group, sent.sender[send], sent.communicator[send], sent.tag[send]
    )


@numba.njit(nogil=True, inline="always")
def _slot(key, sent, group, sender, communicator, tag):  # noqa: PLR0913
    """Place of a channel in the table."""
    mask = np.int64(len(key) - 1)
    label = (np.uint64(communicator) << np.uint64(32)) | np.uint64(np.uint32(tag))
    mixed = (np.uint64(sender) * _SPREAD) ^ (label * _MORE)
    mixed = (mixed ^ (mixed >> np.uint64(29))) * _SPREAD
    at = np.int64(mixed >> np.uint64(24)) & mask
    while True:
        other = key[at]
        if other < 0:
            return at
        send = group[other]
        if (
            sent.sender[send] == sender
            and sent.tag[send] == tag
            and sent.communicator[send] == communicator
        ):
            return at
        at = (at + 1) & mask
