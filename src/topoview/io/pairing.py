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

from topoview.io.decoder_place import EMPTY
from topoview.model import Indices, Ints

_SPREAD: Final = np.uint64(0x9E3779B97F4A7C15)
_MORE: Final = np.uint64(0xC2B2AE3D27D4EB4F)
_SLOTS: Final = 1 << 6

# Of each channel: sender and tag, communicator, ends of its queue, and the channels
# of the messages that were sent, and received, after its last one.
_NAME: Final = 0
_COMMUNICATOR: Final = 1
_HEAD: Final = 2
_TAIL: Final = 3
_NEXT_SENT: Final = 4
_NEXT_RECEIVED: Final = 5
_WORDS: Final = 6


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
    # Taken out of the tuples once: else each access counts references, which
    # threads would fight for.
    senders, communicators, tags = sent.sender, sent.communicator, sent.tag
    send_time, receive_time = sent.send_time, sent.receive_time
    receive_call, completion_call = sent.receive_call, sent.completion_call
    sources, spaces, labels = received.rank, received.communicator, received.tag
    call, time, post = received.call, received.time, received.post
    in_order = len(order) == 0
    matched, backwards, worst = 0, 0, 0
    longest = np.max(begins[first + 1 : last + 1] - begins[first:last])
    following = np.empty(longest, grouped.dtype)
    for rank in range(first, last):
        group = grouped[begins[rank] : begins[rank + 1]]
        if not len(group):
            continue
        index, channels = _queues(senders, communicators, tags, group, following)
        at = np.int64(0)
        for posted in range(slots[rank, 0], slots[rank, 1]):
            slot = posted if in_order else order[posted]
            if sources[slot] < 0:
                continue
            before, name = at, _channel(sources[slot], labels[slot])
            at = channels[before, _NEXT_RECEIVED]
            if not _is(channels, at, name, spaces[slot]):
                at = index[_slot(index, channels, name, spaces[slot])]
                if at < 0:
                    at = before
                    continue
                channels[before, _NEXT_RECEIVED] = at
            place = channels[at, _HEAD]
            if place < 0:
                continue
            send, after = group[place], following[place]
            channels[at, _HEAD] = -1 if after == place else after
            receive_call[send] = post[slot]
            completion_call[send] = call[slot]
            receive_time[send] = time[slot]
            sources[slot] = EMPTY
            matched += 1
            early = send_time[send] - time[slot]
            backwards += early > 0
            worst = max(worst, int(early))
        for channel in range(len(channels)):
            left = channels[channel, _HEAD]
            while left >= 0:
                send, after = group[left], following[left]
                receive_call[send] = completion_call[send] = receive_time[send] = -1
                left = -1 if after == left else np.int64(after)
    return matched, backwards, worst


@numba.njit(nogil=True)
def _queues(senders, communicators, tags, group, following):
    """Make a queue of the sends of each channel; the last one follows itself.

    Returns where channels are by their names, and the channels.
    """
    index = np.full(_SLOTS, -1, np.int64)
    channels = np.empty((_SLOTS // 2, _WORDS), np.int64)
    place, at, used = _enqueue(
        senders, communicators, tags, group, following, index, channels, (0, 0, 0)
    )
    while place < len(group):
        index, channels = _grow(index, channels)
        state = (place, at, used)
        place, at, used = _enqueue(
            senders, communicators, tags, group, following, index, channels, state
        )
    return index, channels[:used]


@numba.njit(nogil=True)
def _enqueue(  # noqa: PLR0913
    senders, communicators, tags, group, following, index, channels, state
):
    """Append sends to queues until there is no room for a further channel.

    Programs repeat themselves: the channel that followed before is tried first.
    """
    first, at, used = state
    for place in range(first, len(group)):
        send = group[place]
        name, communicator = _channel(senders[send], tags[send]), communicators[send]
        before = at
        if used:
            at = channels[before, _NEXT_SENT]
        if not used or not _is(channels, at, name, communicator):
            slot = _slot(index, channels, name, communicator)
            if index[slot] < 0:
                if used == len(channels):
                    return place, before, used
                index[slot] = used
                channels[used, _NAME] = name
                channels[used, _COMMUNICATOR] = communicator
                channels[used, _NEXT_SENT] = channels[used, _NEXT_RECEIVED] = used
                channels[used, _HEAD] = channels[used, _TAIL] = place
                used += 1
            at = index[slot]
            channels[before, _NEXT_SENT] = at
        following[channels[at, _TAIL]] = place
        following[place] = place
        channels[at, _TAIL] = place
    return len(group), at, used


@numba.njit(nogil=True)
def _grow(index, channels):
    """Double the room for channels."""
    more = np.empty((2 * len(channels), _WORDS), np.int64)
    more[: len(channels)] = channels
    larger = np.full(2 * len(index), -1, np.int64)
    for at in range(len(channels)):
        name, communicator = channels[at, _NAME], channels[at, _COMMUNICATOR]
        larger[_slot(larger, channels, name, communicator)] = at
    return larger, more


@numba.njit(nogil=True)
def _channel(sender, tag):
    """Sender and tag in one word."""
    return np.int64(sender) << 32 | np.int64(np.uint32(tag))


@numba.njit(nogil=True)
def _is(channels, at, name, communicator):
    """Tell whether a channel is the one that is meant."""
    return channels[at, _NAME] == name and channels[at, _COMMUNICATOR] == communicator


@numba.njit(nogil=True)
def _slot(index, channels, name, communicator):
    """Place in the index where a channel is, or could be."""
    mask = np.int64(len(index) - 1)
    mixed = (np.uint64(name) ^ (np.uint64(communicator) * _MORE)) * _SPREAD
    slot = (
        np.int64((mixed ^ (mixed >> np.uint64(32))) * _SPREAD >> np.uint64(24)) & mask
    )
    while index[slot] >= 0 and not _is(channels, index[slot], name, communicator):
        slot = (slot + 1) & mask
    return slot
