"""Sends and their receives, for one receiving rank after the other.

Messages between the same two ranks on the same communicator with the same tag
do not overtake each other (MPI 4.1, section 3.5): the k-th send matches the
k-th receive, in the order in which the receives were posted. Sends are ordered
by receiver first, by counting, so that what is matched at a time is near in
memory, and receivers can be shared out among threads.
"""

# mypy: allow-untyped-defs, disable-error-code="no-untyped-call,call-arg"
# ruff: noqa: ANN001, ANN202 - numba finds the types of what has none

from typing import Any, Final, NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

from topoview.io.decoder.memory import load32, load64, store32, store64
from topoview.io.decoder.place import BYTES, EMPTY, HALVES
from topoview.model import Indices, Ints

_SPREAD: Final = np.uint64(0x9E3779B97F4A7C15)
_MORE: Final = np.uint64(0xC2B2AE3D27D4EB4F)
_SLOTS: Final = 1 << 6

# Bytes of a channel, and in it: sender and tag, communicator, first and last of its
# queue, and the channels of the messages that were sent, and received, after its last
# one. The first channel is none: no message is in it.
_CHANNEL: Final = 64
_NAME: Final = 0
_COMMUNICATOR: Final = 8
_HEAD: Final = 16
_TAIL: Final = 24
_NEXT_SENT: Final = 32
_NEXT_RECEIVED: Final = 40
_NOBODY: Final = 1 << 31
"""Ranks from here on are negative ones."""


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
    """Fields of receives; the rank of one that was matched becomes `EMPTY`."""

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
    # Addresses: arrays in loops count references, which threads would fight for, and
    # look whether an index is negative.
    columns = (
        sent.sender.ctypes.data,
        sent.communicator.ctypes.data,
        sent.tag.ctypes.data,
    )
    send_time, receive_time = sent.send_time.ctypes.data, sent.receive_time.ctypes.data
    receive_call = sent.receive_call.ctypes.data
    completion_call = sent.completion_call.ctypes.data
    sources, spaces = received.rank.ctypes.data, received.communicator.ctypes.data
    labels, call = received.tag.ctypes.data, received.call.ctypes.data
    time, post = received.time.ctypes.data, received.post.ctypes.data
    in_order = len(order) == 0
    matched, backwards, worst = np.int64(0), np.int64(0), np.int64(0)
    longest = np.max(begins[first + 1 : last + 1] - begins[first:last])
    following = np.empty(longest, grouped.dtype)
    for rank in range(first, last):
        group = grouped[begins[rank] : begins[rank + 1]]
        if not len(group):
            continue
        index, table = _queues(columns, group, following)
        channels = table.ctypes.data
        at = np.int64(0)
        for posted in range(slots[rank, 0], slots[rank, 1]):
            slot = np.int64(posted) if in_order else order[posted]
            at_slot = BYTES * slot
            source = load32(sources + at_slot)
            if source >= _NOBODY:
                continue
            name = source << 32 | load32(labels + at_slot)
            space = load32(spaces + at_slot)
            before = at
            at = load64(channels + before + _NEXT_RECEIVED)
            if not _is(channels + at, name, space):
                at = index[_slot(index, channels, name, space)]
                if at < 0:
                    at = before
                    continue
                store64(channels + before + _NEXT_RECEIVED, np.int64(0), at)
            place = load64(channels + at + _HEAD)
            if place < 0:
                continue
            after = np.int64(-1)
            if place != load64(channels + at + _TAIL):
                after = np.int64(following[np.uint64(place)])
            store64(channels + at + _HEAD, np.int64(0), after)
            send, now = np.int64(group[np.uint64(place)]), load64(time + at_slot)
            store64(receive_call, send, load64(post + at_slot))
            store64(completion_call, send, load64(call + at_slot))
            store64(receive_time, send, now)
            store32(sources, HALVES * slot, np.int64(EMPTY))
            matched += 1
            early = load64(send_time + 8 * send) - now
            backwards += early > 0
            worst = max(worst, early)
        _leave(table, group, following, (receive_call, completion_call, receive_time))
    return int(matched), int(backwards), int(worst)


@numba.njit(nogil=True)
def _leave(table, group, following, columns):
    """Say of the sends that are left in queues that nobody received them.

    The caller has the table: an array lives up to where its name is read last, even if
    its address is used behind that.
    """
    channels = table.ctypes.data
    for channel in range(channels, channels + _CHANNEL * len(table), _CHANNEL):
        place, tail = load64(channel + _HEAD), load64(channel + _TAIL)
        while place >= 0:
            send = np.int64(group[np.uint64(place)])
            for column in columns:
                store64(column, send, np.int64(-1))
            place = np.int64(following[np.uint64(place)]) if place != tail else -1


@numba.njit(nogil=True)
def _queues(columns, group, following):
    """Make a queue of the sends of each channel.

    Returns where channels are by their names, and the channels.
    """
    index = np.full(_SLOTS, -1, np.int64)
    table = np.empty((_SLOTS // 2, _CHANNEL // 8), np.int64)
    _open(table.ctypes.data, np.int64(-1), np.int64(-1), np.int64(-1))
    state = np.int64(0), np.int64(0), np.int64(1)
    while True:
        place, at, used = _enqueue(columns, group, following, index, table, state)
        if place == len(group):
            return index, table[:used]
        index, table = _grow(index, table)
        state = place, at, used


@numba.njit(nogil=True, forceinline=True)
def _open(channel, name, communicator, place):
    """Begin a channel with its first send; no other follows."""
    at = np.int64(0)
    store64(channel + _NAME, at, name)
    store64(channel + _COMMUNICATOR, at, communicator)
    store64(channel + _HEAD, at, place)
    store64(channel + _TAIL, at, place)
    store64(channel + _NEXT_SENT, at, at)
    store64(channel + _NEXT_RECEIVED, at, at)


@numba.njit(nogil=True)
def _enqueue(columns, group, following, index, table, state):  # noqa: PLR0913
    """Append sends to queues until there is no room for a further channel.

    Programs repeat themselves: the channel that followed before is tried first.
    """
    senders, communicators, tags = columns
    channels = table.ctypes.data
    first, at, used = state
    for place in range(first, len(group)):
        send = np.int64(group[np.uint64(place)])
        name = load32(senders + 4 * send) << 32 | load32(tags + 4 * send)
        communicator = load32(communicators + 4 * send)
        before = at
        at = load64(channels + before + _NEXT_SENT)
        if not _is(channels + at, name, communicator):
            slot = _slot(index, channels, name, communicator)
            at = index[slot]
            is_new = at < 0
            if is_new:
                if used == len(table):
                    return np.int64(place), before, used
                at = _CHANNEL * used
                index[slot] = at
                _open(channels + at, name, communicator, np.int64(place))
                used += 1
            store64(channels + before + _NEXT_SENT, np.int64(0), at)
            if is_new:
                continue
        following[np.uint64(load64(channels + at + _TAIL))] = place
        store64(channels + at + _TAIL, np.int64(0), np.int64(place))
    return np.int64(len(group)), at, used


@numba.njit(nogil=True)
def _grow(index, table):
    """Double the room for channels."""
    more = np.empty((2 * len(table), _CHANNEL // 8), np.int64)
    more[: len(table)] = table
    larger = np.full(2 * len(index), -1, np.int64)
    channels = more.ctypes.data
    for at in range(_CHANNEL, _CHANNEL * len(table), _CHANNEL):
        name = load64(channels + at + _NAME)
        communicator = load64(channels + at + _COMMUNICATOR)
        larger[_slot(larger, channels, name, communicator)] = at
    return larger, more


@numba.njit(nogil=True, forceinline=True)
def _is(channel, name, communicator):
    """Tell whether a channel is the one that is meant."""
    is_named = load64(channel + _NAME) == name
    return is_named and load64(channel + _COMMUNICATOR) == communicator


@numba.njit(nogil=True)
def _slot(index, channels, name, communicator):
    """Place in the index where a channel is, or could be."""
    mask = np.int64(len(index) - 1)
    mixed = (np.uint64(name) ^ (np.uint64(communicator) * _MORE)) * _SPREAD
    slot = (
        np.int64((mixed ^ (mixed >> np.uint64(32))) * _SPREAD >> np.uint64(24)) & mask
    )
    while index[slot] >= 0 and not _is(channels + index[slot], name, communicator):
        slot = (slot + 1) & mask
    return slot
