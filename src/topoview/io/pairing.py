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

# Of each channel: sender and tag, communicator, ends of its queue.
_NAME: Final = 0
_COMMUNICATOR: Final = 1
_HEAD: Final = 2
_TAIL: Final = 3
_WORDS: Final = 4


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
        if not len(group):
            continue
        table, following = _queues(sent, group)
        for posted in range(slots[rank, 0], slots[rank, 1]):
            slot = order[posted] if len(order) else posted
            sender = received.rank[slot]
            if sender < 0:
                continue
            at = _slot(
                table, _channel(sender, received.tag[slot]), received.communicator[slot]
            )
            if table[at, _HEAD] < 0:
                continue
            place = table[at, _HEAD]
            send = group[place]
            table[at, _HEAD] = following[place]
            sent.receive_call[send] = received.post[slot]
            sent.completion_call[send] = received.call[slot]
            sent.receive_time[send] = received.time[slot]
            received.rank[slot] = EMPTY
            matched += 1
            early = sent.send_time[send] - received.time[slot]
            backwards += early > 0
            worst = max(worst, early)
        for at in range(len(table)):
            left = table[at, _HEAD]
            while left >= 0:
                send = group[left]
                sent.receive_call[send] = sent.completion_call[send] = -1
                sent.receive_time[send] = -1
                left = following[left]
    return matched, backwards, worst


@numba.njit(nogil=True)
def _queues(sent, group):
    """Make a queue of the sends of each channel, in a table that grows."""
    table = np.full((_SLOTS, _WORDS), -1, np.int64)
    following = np.empty(len(group), np.int64)
    used = 0
    at, known, communicator = 0, np.int64(-1), np.int32(-1)
    for place in range(len(group)):
        send = group[place]
        channel = _channel(sent.sender[send], sent.tag[send])
        if channel != known or sent.communicator[send] != communicator:
            known, communicator = channel, sent.communicator[send]
            at = _slot(table, known, communicator)
            if table[at, _TAIL] < 0:
                used += 1
                if 2 * used > len(table):
                    table = _grow(table)
                    at = _slot(table, known, communicator)
                table[at, _NAME], table[at, _COMMUNICATOR] = known, communicator
        if table[at, _TAIL] < 0:
            table[at, _HEAD] = place
        else:
            following[table[at, _TAIL]] = place
        table[at, _TAIL] = place
        following[place] = -1
    return table, following


@numba.njit(nogil=True)
def _grow(table):
    """Double a table."""
    larger = np.full((2 * len(table), _WORDS), -1, np.int64)
    for old in range(len(table)):
        if table[old, _TAIL] >= 0:
            at = _slot(larger, table[old, _NAME], table[old, _COMMUNICATOR])
            larger[at] = table[old]
    return larger


@numba.njit(nogil=True, inline="always")
def _channel(sender, tag):
    """Sender and tag in one word."""
    return np.int64(sender) << 32 | np.int64(np.uint32(tag))


@numba.njit(nogil=True, inline="always")
def _slot(table, channel, communicator):
    """Place of a channel in the table."""
    mask = np.int64(len(table) - 1)
    mixed = (np.uint64(channel) ^ (np.uint64(communicator) * _MORE)) * _SPREAD
    at = np.int64((mixed ^ (mixed >> np.uint64(32))) * _SPREAD >> np.uint64(24)) & mask
    while table[at, _TAIL] >= 0 and (
        table[at, _NAME] != channel or table[at, _COMMUNICATOR] != communicator
    ):
        at = (at + 1) & mask
    return at
