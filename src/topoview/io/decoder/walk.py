"""What is before a stretch of time, walked over: nothing of it is written down.

What follows needs to know which regions are open, and how many messages of each channel
were sent and received, as those of a channel match in order. Which requests are open
would take long to follow: it is decoded from the last moment on at which none was.
"""

# mypy: allow-untyped-defs, disable-error-code="no-untyped-call,call-arg"
# ruff: noqa: PLR0913 - numba finds the types

from typing import Final

import numba
import numpy as np

from topoview.io.decoder.channels import name, slot_for
from topoview.io.decoder.clock import corrected
from topoview.io.decoder.fill import LATEST
from topoview.io.decoder.frame import Frame
from topoview.io.decoder.memory import (
    UNDEFINED,
    compressed,
    length,
    load8,
    load64,
    store64,
    whole,
)
from topoview.io.decoder.quick import NARROW, ROOM, field
from topoview.io.decoder.regions import IS_CALL, context_of, region_of
from topoview.io.record_types import (
    ATTRIBUTES,
    BARE,
    CANCELLED,
    COLLECTIVE_COMPLETE,
    COLLECTIVE_REQUEST,
    CONTEXT_ENTER,
    CONTEXT_LEAVE,
    END_OF_CHUNK,
    END_OF_FILE,
    ENTER,
    IMRECV,
    IRECV,
    IRECV_REQUEST,
    ISEND,
    ISEND_COMPLETE,
    LEAVE,
    MEASUREMENT,
    PROBE,
    RECV,
    SEND,
    TIMESTAMP,
)
from topoview.model import Ints

# How a walk over a chunk ended.
THROUGH: Final = 0
REACHED: Final = 1
"""The moment that was looked for is behind `AT`."""
FULL: Final = 2
"""There is no room for a region, a channel or a message more: go on with more."""
STRANGE: Final = 3
"""Something that needs to be decoded to know what it means, or damage."""

# Places in what a walk keeps between chunks: where it is in this one, and what is open;
# how many channels and, since the last moment without requests, messages it has met.
AT, EVENTS, DEPTH, OFF, NOW, CHUNK, REQUESTS, USED, LOGGED = range(9)
MOMENT_AT: Final = 9
"""Behind it the same is kept, up to the chunk, of that moment."""
WORDS: Final = MOMENT_AT + CHUNK + 1

_CHANGE: Final = np.zeros(256, np.int64)
"""How many more requests are open behind a record of a type."""
_CHANGE[[ISEND, IRECV_REQUEST, COLLECTIVE_REQUEST]] = 1
_CHANGE[[ISEND_COMPLETE, IRECV, CANCELLED, COLLECTIVE_COMPLETE]] = -1

_FURTHER_REQUESTS: Final = (CANCELLED, COLLECTIVE_REQUEST, COLLECTIVE_COMPLETE)
_CONTEXT: Final = 1 << 40
_MEASUREMENT_ON: Final = 1
_SHOWN: Final = IS_CALL - 1


@numba.njit(nogil=True, cache=True)
def walk(  # noqa: C901
    frames: Frame,
    kept: Ints,
    stack: Ints,
    free: Ints,
    table: Ints,
    log: Ints,
    until: int,
) -> int:
    """Walk over the events of a chunk before a time stamp; tells how that ended.

    Parameters
    ----------
    kept : int64, shape (WORDS,)
        What is known so far; `AT` and `EVENTS` count in this chunk.
    stack, free : int64
        Regions that are open, by the location's identifiers; those that were at the
        last moment without requests.
    table : int64, shape (power of two, 3)
        Channels by the location's identifiers.
    log : int64
        Places in the table of the messages since that moment.
    until
        Negative: the whole chunk is before it, its times are not looked at.
    """
    frame = frames[0]
    begin, end, swap = frame.begin, frame.end, frame.swap
    announced, clocks = frame.announced, frame.clock_count
    at, events, depth = begin + kept[AT], kept[EVENTS], kept[DEPTH]
    off, now, used = kept[OFF], kept[NOW], kept[USED]
    requests, logged = kept[REQUESTS], kept[LOGGED]
    deepest, most, longest = len(stack), len(table) // 2, len(log)
    channels, last = np.int64(table.ctypes.data), np.int64(len(table) - 1)
    # Up to here the next record is one that is wholly there.
    near = at if swap else end - ROOM
    here, before, status = at, now, THROUGH
    while events < announced:
        here, before = at, now
        if at >= end:
            status = STRANGE
            break
        kind = load8(at)
        if kind == TIMESTAMP:
            if until >= 0:
                time = whole(at + 1, swap)
                if clocks:
                    time = corrected(frame, time)
                if time < 0 or time > LATEST:
                    status = STRANGE
                    break
                if time >= until:
                    status = REACHED
                    break
                now = max(now, time)
            at += 9
            kind = load8(at)
        at += 1
        is_near = at < near
        size, number = field(at)
        if is_near and ENTER <= kind <= LEAVE and size <= NARROW:
            at += 1 + size
            events += 1
            if kind == ENTER:
                if depth == deepest:
                    status = FULL
                    break
                stack[np.uint64(depth)] = number
                depth += 1
                continue
            depth -= 1
            if depth < 0 or stack[np.uint64(depth)] != number:
                status = STRANGE
                break
            continue
        content = at
        if BARE[np.uint64(kind)]:
            at += 1 + (0 if size == UNDEFINED else size)
        else:
            size, content = length(at, swap)
            at = content + size
        if at > end or at < content or kind in (END_OF_CHUNK, END_OF_FILE):
            status = STRANGE
            break
        if kind == ATTRIBUTES:
            continue
        events += 1
        change = _CHANGE[np.uint64(kind)]
        if kind in (ENTER, LEAVE, CONTEXT_ENTER, CONTEXT_LEAVE):
            number, _, bad = compressed(content, swap, 4, np.int64(0))
            if kind in (CONTEXT_ENTER, CONTEXT_LEAVE):
                number |= _CONTEXT
            if kind in (ENTER, CONTEXT_ENTER):
                if depth == deepest:
                    status = FULL
                    break
                stack[depth] = number
                depth += 1
            else:
                depth -= 1
                bad |= depth < 0 or stack[max(depth, 0)] != number
            if bad:
                status = STRANGE
                break
            continue
        if kind == MEASUREMENT:
            off = np.int64(load8(content) != _MEASUREMENT_ON)
        is_message = SEND <= kind <= IRECV or PROBE <= kind <= IMRECV
        if not is_message and kind not in _FURTHER_REQUESTS:
            continue
        if PROBE <= kind <= IMRECV:
            status = STRANGE
            break
        if change > 0 and not requests:
            kept[MOMENT_AT] = here - begin
            kept[MOMENT_AT + EVENTS] = events - 1
            kept[MOMENT_AT + DEPTH], kept[MOMENT_AT + OFF] = depth, off
            kept[MOMENT_AT + NOW] = before
            kept[MOMENT_AT + CHUNK] = kept[CHUNK]
            for level in range(depth):
                free[level] = stack[level]
            logged = 0
        if kind in (SEND, ISEND, RECV, IRECV):
            if used >= most or logged == longest:
                status = FULL
                break
            first, second, bad = name(content, swap, is_near and size < ROOM)
            if bad:
                status = STRANGE
                break
            second |= np.int64(kind in (RECV, IRECV))
            channel = slot_for(channels, last, first, second)
            known = load64(channel + 16)
            store64(channel, 2, known + 1)
            if not known:
                used += 1
                store64(channel, 0, first)
                store64(channel, 1, second)
            if requests or change > 0:
                log[logged] = (channel - channels) // 24
                logged += 1
        requests += change
        if requests < 0:
            status = STRANGE
            break
    if status in (FULL, REACHED):
        at = here
        now = before
        events -= status == FULL
    kept[AT], kept[EVENTS], kept[DEPTH] = at - begin, events, depth
    kept[OFF], kept[NOW], kept[USED] = off, now, used
    kept[REQUESTS], kept[LOGGED] = requests, logged
    return status


@numba.njit(nogil=True, cache=True)
def global_words(frames: Frame, stack: Ints) -> None:
    """Put the words of regions for a location's identifiers, in place."""
    frame = frames[0]
    for level in range(len(stack)):
        number = stack[level] & (_CONTEXT - 1)
        if stack[level] & _CONTEXT:
            stack[level] = context_of(frame, number)
        else:
            stack[level] = region_of(frame, number)
