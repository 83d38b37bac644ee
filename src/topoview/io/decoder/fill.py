"""The second pass over a chunk: intervals, calls, messages, further records.

Regions that are left while others are open above them close these, too; one that
was never entered is not left. Records of a message belong to the MPI call that
is open, or to the one before.
"""

# mypy: allow-untyped-defs, disable-error-code="no-untyped-call,call-arg"
# ruff: noqa: ANN001, ANN202 - numba finds the types of what has none

from typing import Final

import numba
import numpy as np

from topoview.io.decoder.attributes import take_attributes
from topoview.io.decoder.clock import corrected
from topoview.io.decoder.frame import (
    CHANGED,
    CUT,
    DAMAGED,
    GROW_PATHS,
    GROW_REQUESTS,
    GROW_STACK,
    WHOLE,
    Frame,
)
from topoview.io.decoder.further import take_further
from topoview.io.decoder.memory import (
    compressed,
    length,
    load8,
    load32,
    load64,
    store8,
    store32,
    store64,
    whole,
)
from topoview.io.decoder.paths import DEEPEST, SURELY, descend
from topoview.io.decoder.place import SEVERAL
from topoview.io.decoder.quick import LEFT, NARROW, ROOM, field, take_message
from topoview.io.decoder.regions import (
    IS_CALL,
    NOWHERE,
    context_of,
    region_of,
    search_region,
)
from topoview.io.decoder.take import take
from topoview.io.record_types import (
    ATTRIBUTES,
    BARE,
    CONTEXT_ENTER,
    CONTEXT_LEAVE,
    END_OF_CHUNK,
    END_OF_FILE,
    ENTER,
    IRECV,
    LEAVE,
    MEASUREMENT,
    SEND,
    TIMESTAMP,
)
from topoview.model import MPIState

LATEST: Final = 1 << 62
OUTSIDE: Final = NOWHERE | int(MPIState.OUTSIDE) << 32

_SHOWN: Final = IS_CALL - 1
_MEASUREMENT_ON: Final = 1
_DEEPEST_SEARCH: Final = 1024


@numba.njit(nogil=True, inline="always")
def _show(columns, first, last, shown_time, shown, time, word):  # noqa: PLR0913
    """Show a state and a region from now on; gives the last interval."""
    times, states, regions = columns
    if word == shown:
        return last, shown_time, shown
    if shown_time != time:
        last += 1
        store64(times, last, time)
    elif last > first:
        before = last - 1
        if load32(regions + 4 * before) | load8(states + before) << 32 == word:
            return before, load64(times + 8 * before), word
    store8(states, last, word >> 32)
    store32(regions, last, word)
    return last, time, word


@numba.njit(nogil=True, cache=True)
def fill(frames: Frame) -> None:  # noqa: C901 - one loop is fastest
    """Take the events of a chunk, as many as were counted.

    Ends early, to be called again, when there is no room for what is open.
    """
    frame = frames[0]
    at, end, swap = frame.at, frame.end, frame.swap
    announced, events = frame.announced, frame.events
    now, depth, stack = frame.now, frame.depth, frame.stack
    open_level, open_call, call = frame.open_level, frame.open_call, frame.call
    last, shown = frame.interval, frame.shown
    # Of these the compiler cannot know that no store changes them.
    columns = frame.time, frame.state, frame.region
    call_region, enter, leave = frame.call_region, frame.enter, frame.leave
    completed, call_limit = frame.completed, frame.call_limit
    first_interval, interval_limit = frame.first_interval, frame.interval_limit - 1
    stack_size, clock_count, origin = frame.stack_size, frame.clock_count, frame.origin
    flat, idle, off = frame.flat, frame.idle, frame.off
    regions, region_count = frame.regions, frame.region_count
    call_path, call_kept = frame.call_path, frame.call_kept
    path_nodes, known = frame.path_nodes, frame.path_known
    shown_time = load64(frame.time + 8 * last)
    here = now - origin
    # Up to here the next record is one that is wholly there.
    near = at if swap else end - ROOM
    status = np.int64(WHOLE)
    while True:
        # Behind what was counted nothing is known to be sound.
        if events == announced:
            break
        begin = at
        if at >= end:
            status = np.int64(CUT)
            break
        kind = load8(at)
        if kind == TIMESTAMP:
            time = whole(at + 1, swap)
            if clock_count:
                time = corrected(frame, time)
            if time < 0 or time > LATEST:
                time = np.int64(LATEST)
            now = max(now, time)
            here = now - origin
            at += 9
            kind = load8(at)
        at += 1
        is_near = at < near
        if is_near and SEND <= kind <= IRECV and open_level >= 0:
            after = take_message(frame, kind, at, here, open_call)
            if after != LEFT:
                at = after
                events += 1
                continue
        content = at
        size, number = field(at)
        if is_near and ENTER <= kind <= LEAVE and size <= NARROW:
            at += 1 + size
            if number < region_count:
                word = load64(regions + 8 * number)
            else:
                word = search_region(frame, number)
        else:
            if kind in (END_OF_CHUNK, END_OF_FILE):
                break
            word = idle
            if BARE[np.uint64(kind)]:
                at += 1 + (0 if size > 8 else size)
            else:
                size, content = length(at, swap)
                at = content + size
            if at > end or at < content:
                status = np.int64(DAMAGED)
                break
            if kind == ATTRIBUTES:
                take_attributes(frame, content, size, swap, now, load8(at))
                continue
            if kind in (ENTER, LEAVE, CONTEXT_ENTER, CONTEXT_LEAVE):
                number, _, bad = compressed(content, swap, 4, np.int64(0))
                if bad:
                    events += 1
                    frame.spoilt += 1
                    continue
                if kind <= LEAVE:
                    word = region_of(frame, number)
                else:
                    word = context_of(frame, number)
        if kind in (ENTER, CONTEXT_ENTER):
            if depth >= stack_size:
                status, at = np.int64(GROW_STACK), begin
                break
            if word & IS_CALL:
                if flat and open_level >= 0:
                    store64(leave, open_call, here)
                    depth, open_level = open_level, np.int64(-1)
                    known = min(known, depth)
                    frame.unbalanced += 1
                if open_level < 0:
                    if call >= call_limit:
                        status, at = np.int64(CHANGED), begin
                        break
                    level = min(depth, DEEPEST)
                    if known < level and not descend(frame, stack, known, level):
                        status, at = np.int64(GROW_PATHS), begin
                        break
                    store8(call_kept, call, min(known, SURELY))
                    known = level
                    frame.path_cut += level < depth
                    store32(call_path, call, load64(path_nodes + 8 * level))
                    store32(call_region, call, word)
                    store64(enter, call, here)
                    store64(completed, call, np.int64(-1))
                    open_level, open_call = depth, call
                    call += 1
            # Behind all that would have the record taken again.
            if kind == CONTEXT_ENTER:
                take_further(frame, kind, content, at - content, swap, now)
            store64(stack, depth, word)
            depth += 1
        elif kind in (LEAVE, CONTEXT_LEAVE):
            if depth and load64(stack + 8 * (depth - 1)) == word:
                depth -= 1
            else:
                frame.unbalanced += 1
                level = depth - 2
                lowest = max(depth - _DEEPEST_SEARCH, 0)
                while level >= lowest and load64(stack + 8 * level) != word:
                    level -= 1
                if level >= lowest:
                    depth = level
            known = min(known, depth)
            if open_level >= depth:
                store64(leave, open_call, here)
                open_level = np.int64(-1)
        elif kind == MEASUREMENT:
            off = np.int64(load8(content) != _MEASUREMENT_ON)
            take_further(frame, kind, content, at - content, swap, now)
        else:
            size = at - content
            status = take(
                frame, kind, content, size, swap, now, open_level, open_call, call
            )
            if status in (GROW_REQUESTS, CHANGED):
                at = begin
                break
            frame.spoilt += status == DAMAGED
            if shown != OUTSIDE or depth or off:
                events += 1
                continue
        events += 1
        word = idle
        if off:
            word = np.int64(OUTSIDE)
        elif depth:
            word = load64(stack + 8 * (depth - 1)) & _SHOWN
        if last >= interval_limit and word != shown and shown_time != here:
            status, at = np.int64(CHANGED), begin
            break
        last, shown_time, shown = _show(
            columns, first_interval, last, shown_time, shown, here, word
        )
    frame.at, frame.events, frame.status = at, events, status
    frame.now, frame.depth, frame.off = now, depth, off
    frame.open_level, frame.open_call, frame.call = open_level, open_call, call
    frame.interval, frame.shown, frame.path_known = last, shown, known


@numba.njit(nogil=True, cache=True)
def open_row(frames: Frame) -> None:
    """Begin a location: outside of everything from time 0 on."""
    frame = frames[0]
    frame.interval = frame.first_interval
    frame.shown = np.int64(OUTSIDE)
    store64(frame.time, frame.interval, np.int64(0))
    store8(frame.state, frame.interval, frame.shown >> 32)
    store32(frame.region, frame.interval, frame.shown)
    frame.call = frame.first_call
    frame.now = frame.depth = frame.off = frame.clock = 0
    frame.open_level = frame.open_call = frame.comm_known = -1
    frame.several = frame.path_known = 0


@numba.njit(nogil=True, cache=True)
def close(frames: Frame) -> None:
    """End a location with its last event."""
    frame = frames[0]
    if frame.open_level >= 0:
        store64(frame.leave, frame.open_call, frame.now - frame.origin)
        frame.open_level = -1
    columns = frame.time, frame.state, frame.region
    last, time = frame.interval, frame.now - frame.origin
    shown_time = load64(frame.time + 8 * last)
    if last >= frame.interval_limit - 1 and shown_time != time:
        last -= 1  # the file has changed since it was counted
    last, _, _ = _show(
        columns,
        frame.first_interval,
        last,
        shown_time,
        frame.shown,
        time,
        np.int64(OUTSIDE),
    )
    frame.interval = last
    if frame.several:
        for call in range(frame.first_call, frame.call):
            if load64(frame.completed + 8 * call) == SEVERAL:
                store64(frame.completed, call, np.int64(-1))
