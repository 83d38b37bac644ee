"""Both ends of a stretch of time in a location: where it stops, how it begins.

What was before is told by a walk over it (`topoview.io.decoder.walk`).
"""

# mypy: allow-untyped-defs, disable-error-code="no-untyped-call,call-arg"
# ruff: noqa: PLR0913 - what a walk found

import numba
import numpy as np

from topoview.io.decoder.clock import corrected
from topoview.io.decoder.fill import LATEST, OUTSIDE
from topoview.io.decoder.frame import Frame
from topoview.io.decoder.memory import (
    UNDEFINED,
    length,
    load8,
    store8,
    store32,
    store64,
    whole,
)
from topoview.io.decoder.place import HALVES, WORDS
from topoview.io.decoder.regions import IS_CALL
from topoview.io.record_types import ATTRIBUTES, BARE, CONTEXT_LEAVE, LEAVE, TIMESTAMP
from topoview.model import Ints

_SHOWN = IS_CALL - 1


@numba.njit(nogil=True, cache=True)
def count_until(frames: Frame, until: int) -> int:
    """Count the events of a chunk up to the first end of a region behind a time stamp.

    A call that is open then has ended, if it is no deeper. -1 if that is in a later
    chunk.
    """
    frame = frames[0]
    at, end, swap = frame.at, frame.end, frame.swap
    clocks, events, is_behind = frame.clock_count, np.int64(0), False
    while events < frame.announced and at < end:
        kind = load8(at)
        if kind == TIMESTAMP:
            time = whole(at + 1, swap)
            if clocks:
                time = corrected(frame, time)
            is_behind |= time < 0 or time > LATEST or time >= until
            at += 9
            kind = load8(at)
        at += 1
        if BARE[np.uint64(kind)]:
            size = load8(at)
            at += 1 + (0 if size == UNDEFINED else size)
        else:
            size, content = length(at, swap)
            if size < 0 or size > end - content:
                break
            at = content + size
        events += kind != ATTRIBUTES
        if is_behind and kind in (LEAVE, CONTEXT_LEAVE):
            return int(events)
    return -1


@numba.njit(nogil=True, cache=True)
def restore(
    frames: Frame, words: Ints, off: int, now: int, sends: Ints, receives: Ints
) -> None:
    """Begin a location in the middle: behind `open_row`, with room in its stack.

    All that was before is one call, which is cut off later.

    Parameters
    ----------
    words : int64
        Words of the regions that are open.
    now
        Time stamp of an event before, 0 if none is known.
    sends, receives : int64, shape (n, 3)
        Partner, communicator and tag of those that are still to be matched.
    """
    frame = frames[0]
    when, call = max(now - frame.origin, np.int64(0)), frame.call
    shown, inside = np.int64(frame.idle), np.int64(-1)
    for level in range(len(words)):
        store64(frame.stack, level, words[level])
        if inside < 0 and words[level] & IS_CALL:
            inside = np.int64(level)
        shown = words[level] & _SHOWN
    if off:
        shown = np.int64(OUTSIDE)
    frame.depth, frame.off, frame.now = len(words), off, when + frame.origin
    store32(frame.call_region, call, words[inside] if inside >= 0 else np.int64(0))
    store64(frame.enter, call, when)
    store64(frame.leave, call, when)
    store64(frame.completed, call, np.int64(-1))
    store32(frame.call_path, call, np.int64(0))
    store8(frame.call_kept, call, np.int64(0))
    if inside >= 0:
        frame.open_level, frame.open_call = inside, call
    frame.call = call + 1
    if shown != OUTSIDE:
        frame.interval += when > 0
        store64(frame.time, frame.interval, when)
        store8(frame.state, frame.interval, shown >> 32)
        store32(frame.region, frame.interval, shown)
        frame.shown = shown
    row = frame.send
    for one in range(len(sends)):
        store32(frame.sender, row, frame.rank)
        store32(frame.receiver, row, sends[one, 0])
        store64(frame.size, row, np.int64(0))
        store32(frame.tag, row, sends[one, 2])
        store32(frame.communicator, row, sends[one, 1])
        store64(frame.send_call, row, call)
        store64(frame.send_time, row, when)
        row += 1
    frame.send = row
    row = frame.receive
    for one in range(len(receives)):
        store32(frame.from_rank, HALVES * row, receives[one, 0])
        store32(frame.from_communicator, HALVES * row, receives[one, 1])
        store32(frame.from_tag, HALVES * row, receives[one, 2])
        store64(frame.from_size, WORDS * row, np.int64(0))
        store64(frame.from_call, WORDS * row, call)
        store64(frame.from_time, WORDS * row, when)
        store64(frame.from_post, WORDS * row, call)
        if frame.from_posted:
            store64(frame.from_posted, row, when)
        row += 1
    frame.receive = row
