"""The first pass over a chunk: how many records of each type it holds.

A record is a byte that says what it is, then, unless it is a single integer, its
length, then its content. A timestamp holds for all records up to the next one
(libotf2 3.2, source of ``OTF2_Buffer.c`` and ``OTF2_EvtReader_inc.c``).
"""

# mypy: allow-untyped-defs, disable-error-code="no-untyped-call,call-arg"

from typing import Final

import numba
import numpy as np
from numpy.typing import NDArray

from topoview.io.decoder.attributes import count_attributes
from topoview.io.decoder.frame import (
    ATTRIBUTED,
    CALLS,
    CUT,
    DAMAGED,
    TALLY,
    VALUES,
    WHOLE,
    Frame,
)
from topoview.io.decoder.further import count_values
from topoview.io.decoder.memory import (
    UNDEFINED,
    compressed,
    length,
    load8,
    load64,
    store64,
    whole,
)
from topoview.io.decoder.quick import field
from topoview.io.decoder.regions import IS_CALL, context_of, region_of
from topoview.io.record_types import (
    ATTRIBUTES,
    BARE,
    CONTEXT_ENTER,
    CONTEXT_LEAVE,
    END_OF_CHUNK,
    END_OF_FILE,
    ENTER,
    LEAVE,
    MEASUREMENT,
    METRIC,
    TIMESTAMP,
)

STATES: Final = (ENTER, LEAVE, CONTEXT_ENTER, CONTEXT_LEAVE, MEASUREMENT)
"""Types of records that change the state of a location."""

_NARROW: Final = 4
_WIDE: Final = 8


@numba.njit(nogil=True)
def _opening(kind: int, is_timed: bool, size: int) -> int:
    """Intervals that a location's first event can need beyond those of `STATES`.

    One if it does not change the state, which is shown all the same. One more if it
    may be unsound or has no time: else none is needed where it is the trace's first.
    """
    plain = kind not in STATES
    sound = is_timed and (plain or (BARE[np.uint64(kind)] and size <= _NARROW))
    return int(plain) + int(not sound)


@numba.njit(nogil=True, cache=True)
def count(frames: Frame) -> None:  # noqa: C901 - one loop is fastest
    """Count the records of a chunk, up to as many events as it is said to hold."""
    frame = frames[0]
    at, end, swap = frame.at, frame.end, frame.swap
    tally, announced = frame.tally, frame.announced
    events, latest = frame.events, frame.latest
    calls = np.int64(0)
    opening = frame.opening
    status = WHOLE
    while True:
        if at >= end:
            status = CUT
            break
        kind = load8(at)
        if kind == TIMESTAMP:
            if at + 9 >= end:
                status = CUT
                break
            if frame.first < 0:
                frame.first = whole(at + 1, swap)
            at += 9
            kind = load8(at)
        at += 1
        if kind in (END_OF_CHUNK, END_OF_FILE):
            break
        if BARE[np.uint64(kind)]:
            size = load8(at)
            if size == UNDEFINED:
                size = np.int64(0)
            after = at + 1 + size
            if after > end or size > 8:
                status = CUT if size <= 8 else DAMAGED
                break
            if kind == ENTER:
                number, _, bad = compressed(at, swap, 4, np.int64(0))
                if not bad:
                    calls += region_of(frame, number) & IS_CALL != 0
            at = after
        else:
            size, at = length(at, swap)
            if size < 0 or at > end or size > end - at:
                status = CUT if 0 <= size < 1 << 32 else DAMAGED
                break
            if kind == ATTRIBUTES:
                values = count_attributes(at, size, swap)
                store64(tally, ATTRIBUTED, load64(tally + 8 * ATTRIBUTED) + values)
                at += size
                continue
            if kind == CONTEXT_ENTER:
                number, _, bad = compressed(at, swap, 4, np.int64(0))
                calls += not bad and context_of(frame, number) & IS_CALL != 0
            elif kind == METRIC:
                values = count_values(at, size, swap)
                store64(tally, VALUES, load64(tally + 8 * VALUES) + values)
            at += size
        if events == announced:
            break
        events += 1
        if opening < 0:
            opening = _opening(kind, frame.first >= 0, size)
        latest = kind
        store64(tally, kind, load64(tally + 8 * kind) + 1)
    store64(tally, CALLS, load64(tally + 8 * CALLS) + calls)
    if events:
        frame.opening, frame.ending = opening, latest not in STATES
    frame.events, frame.status, frame.at = events, status, at


_ROOM: Final = 80
"""More bytes than a timestamp and a record that `_LONGEST` allows."""


def _longest() -> NDArray[np.int64]:
    """Length, by type, up to which a record is counted by `count_near`."""
    table = np.full(256, _ROOM - 16, np.int64)
    table[BARE] = _WIDE
    table[ENTER] = _NARROW
    table[: TIMESTAMP + 1] = -1
    table[[ATTRIBUTES, METRIC, CONTEXT_ENTER]] = -1
    return table


_LONGEST: Final = _longest()


@numba.njit(nogil=True, forceinline=True)
def _near(at, regions, region_count, calls):  # noqa: ANN001, ANN202
    """Look at a record: whether it is common, its type, where the next one begins."""
    kind = load8(at)
    if kind == TIMESTAMP:
        at += 9
        kind = load8(at)
    size = load8(at + 1)
    is_near = size <= _LONGEST[np.uint64(kind)]
    if kind == ENTER and is_near:
        _, number = field(at + 1)
        is_near = number < region_count
        if is_near:
            calls += load64(regions + 8 * number) & IS_CALL != 0
    return is_near, kind, at + 2 + size, calls


@numba.njit(nogil=True, cache=True)
def count_near(frames: Frame) -> None:
    """Count the records of two chunks beside each other, as far as both are common.

    Where the next record begins is known when the length of this one is: that of
    another chunk can be looked at meanwhile. Both are in this machine's byte order.
    The second tally is behind the first. What is told of the last event is that of the
    other chunk, which comes later.
    """
    frame = frames[0]
    at, end = frame.at, frame.end - _ROOM
    other, other_end = frame.other_at, frame.other_end - _ROOM
    regions, region_count = frame.regions, frame.region_count
    tally, tally2, most = frame.tally, frame.tally + 8 * TALLY, frame.announced
    events, calls = np.int64(0), np.int64(0)
    latest = np.int64(-1)
    if frame.opening < 0 and at < end:
        is_near, kind, _, _ = _near(at, regions, region_count, calls)
        if load8(at) != TIMESTAMP or not is_near:
            most = np.int64(0)
        else:
            if frame.first < 0:
                frame.first = load64(at + 1)
            frame.opening = _opening(kind, True, load8(at + 10))
    while events < most and at < end and other < other_end:
        one, kind, after, more = _near(at, regions, region_count, calls)
        two, kind2, after2, more = _near(other, regions, region_count, more)
        if not one or not two:
            break
        store64(tally, kind, load64(tally + 8 * kind) + 1)
        store64(tally2, kind2, load64(tally2 + 8 * kind2) + 1)
        at, other, latest, calls = after, after2, kind2, more
        events += 1
    store64(tally, CALLS, load64(tally + 8 * CALLS) + calls)
    frame.at, frame.events, frame.latest, frame.other_at = at, events, latest, other
