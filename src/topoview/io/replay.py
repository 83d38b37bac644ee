"""Events replayed: from the tape of a location to intervals, calls and records."""

from typing import Final

import numba
import numpy as np

from topoview.io import callbacks as tape_kinds
from topoview.io.callbacks import HEADER, LONG, SEND, SHORT, Words
from topoview.io.columns import (
    ASTRAY,
    BEFORE,
    CALLS,
    DEPTH,
    INTERVALS,
    NOW,
    OFF,
    OPEN_CALL,
    OPEN_LEVEL,
    RECORDS,
    ROW_CALL,
    ROW_INTERVAL,
    UNBALANCED,
    Columns,
    Meaning,
)
from topoview.model import Indices, Ints, MPIState

_ENTER: Final = tape_kinds.ENTER
_LEAVE: Final = tape_kinds.LEAVE
_CONTEXT_ENTER: Final = tape_kinds.CONTEXT_ENTER
_CONTEXT_LEAVE: Final = tape_kinds.CONTEXT_LEAVE
_OUTSIDE: Final = int(MPIState.OUTSIDE)
_COMPUTE: Final = int(MPIState.COMPUTE)
_MEASUREMENT_ON: Final = 1
_LATEST: Final = np.uint64(1 << 62)
_DEEPEST_SEARCH: Final = 1024


@numba.njit(nogil=True, cache=True)
def begin(columns: Columns, cursor: Ints) -> None:
    """Begin a location."""
    at = cursor[INTERVALS]
    columns.time[at] = BEFORE
    columns.state[at] = _OUTSIDE
    columns.region[at] = -1
    cursor[ROW_INTERVAL] = at
    cursor[INTERVALS] = at + 1
    cursor[ROW_CALL] = cursor[CALLS]
    cursor[DEPTH] = cursor[NOW] = cursor[OFF] = 0
    cursor[OPEN_LEVEL] = cursor[OPEN_CALL] = -1


@numba.njit(nogil=True, cache=True)
def end(columns: Columns, cursor: Ints, last: np.uint64) -> None:
    """End a location, whose last event was at the time `last`."""
    now = max(cursor[NOW], np.int64(min(last, _LATEST)))
    cursor[NOW] = now
    _close_call(columns, cursor, 0, now)
    _set(columns, cursor, now, _OUTSIDE, -1)


@numba.njit(nogil=True, cache=True)
def process(  # noqa: PLR0913
    tape: Words,
    columns: Columns,
    cursor: Ints,
    stack: Indices,
    meaning: Meaning,
    idle: int,
    flat: bool,
) -> None:
    """Append what a tape says to the columns.

    Regions that are left while others are open above them close these, too;
    one that was never entered is not left.

    Parameters
    ----------
    stack : int32
        Regions that are open; room for as many more as the tape has events.
    idle
        State of the location when no region is open.
    flat
        MPI calls are never nested: one that begins within another ends that.
    """
    at, stop = np.uint64(HEADER), tape[0]
    while at < stop:
        now = max(cursor[NOW], np.int64(min(tape[at], _LATEST)))
        cursor[NOW] = now
        word = tape[at + np.uint64(1)]
        kind = np.int64(word >> np.uint64(32))
        reference = np.uint32(word & np.uint64(0xFFFFFFFF))
        if kind >= SEND:
            _record(tape, at, kind, reference, columns, cursor)
            at += np.uint64(LONG)
            continue
        at += np.uint64(SHORT)
        if kind == _ENTER:
            _open(columns, cursor, stack, meaning, _dense(meaning, reference), flat)
        elif kind == _LEAVE:
            _close(columns, cursor, stack, _dense(meaning, reference))
        elif kind == _CONTEXT_ENTER:
            _open(columns, cursor, stack, meaning, _region(meaning, reference), flat)
        elif kind == _CONTEXT_LEAVE:
            _close(columns, cursor, stack, _region(meaning, reference))
        else:
            cursor[OFF] = reference != _MEASUREMENT_ON
        _show(columns, cursor, stack, meaning, idle)


# ruff: noqa: ANN001, ANN202 - numba finds the types of what follows
@numba.njit(nogil=True, cache=True, inline="always")  # type: ignore[misc]
def _dense(meaning, reference):  # type: ignore[no-untyped-def]
    if len(meaning.direct):
        return meaning.direct[reference] if reference < len(meaning.direct) else -1
    at = np.searchsorted(meaning.identifiers, reference)
    if at < len(meaning.identifiers) and meaning.identifiers[at] == reference:
        return meaning.dense[at]
    return -1


@numba.njit(nogil=True, cache=True, inline="always")  # type: ignore[misc]
def _region(meaning, context):  # type: ignore[no-untyped-def]
    return meaning.contexts[context] if context < len(meaning.contexts) else -1


@numba.njit(nogil=True, cache=True, inline="always")  # type: ignore[misc]
def _open(columns, cursor, stack, meaning, region, flat):  # type: ignore[no-untyped-def]
    if region >= 0 and meaning.operation[region] >= 0:
        if flat and cursor[OPEN_LEVEL] >= 0:
            cursor[DEPTH] = cursor[OPEN_LEVEL]
            cursor[UNBALANCED] += 1
            _close_call(columns, cursor, cursor[DEPTH], cursor[NOW])
        if cursor[OPEN_LEVEL] < 0:
            call = cursor[CALLS]
            columns.call_region[call] = region
            columns.enter[call] = columns.leave[call] = cursor[NOW]
            columns.completes[call] = -1
            cursor[CALLS] = call + 1
            cursor[OPEN_LEVEL] = cursor[DEPTH]
            cursor[OPEN_CALL] = call
    stack[cursor[DEPTH]] = region
    cursor[DEPTH] += 1


@numba.njit(nogil=True, cache=True, inline="always")  # type: ignore[misc]
def _close(columns, cursor, stack, region):  # type: ignore[no-untyped-def]
    depth = cursor[DEPTH]
    if depth and stack[depth - 1] == region:
        cursor[DEPTH] = depth - 1
    else:
        cursor[UNBALANCED] += 1
        lowest = max(depth - _DEEPEST_SEARCH, 0)
        for level in range(depth - 2, lowest - 1, -1):
            if stack[level] == region:
                cursor[DEPTH] = level
                break
    _close_call(columns, cursor, cursor[DEPTH], cursor[NOW])


@numba.njit(nogil=True, cache=True, inline="always")  # type: ignore[misc]
def _close_call(columns, cursor, depth, now):  # type: ignore[no-untyped-def]
    if cursor[OPEN_LEVEL] >= depth:
        columns.leave[cursor[OPEN_CALL]] = now
        cursor[OPEN_LEVEL] = cursor[OPEN_CALL] = -1


@numba.njit(nogil=True, cache=True, inline="always")  # type: ignore[misc]
def _show(columns, cursor, stack, meaning, idle):  # type: ignore[no-untyped-def]
    depth = cursor[DEPTH]
    if cursor[OFF]:
        _set(columns, cursor, cursor[NOW], _OUTSIDE, -1)
    elif depth:
        region = stack[depth - 1]
        state = meaning.state[region] if region >= 0 else _COMPUTE
        _set(columns, cursor, cursor[NOW], state, region)
    else:
        _set(columns, cursor, cursor[NOW], idle, -1)


@numba.njit(nogil=True, cache=True, inline="always")  # type: ignore[misc]
def _set(columns, cursor, now, state, region):  # type: ignore[no-untyped-def]
    last = cursor[INTERVALS] - 1
    if columns.time[last] == now:
        before = last - 1
        if (
            before >= cursor[ROW_INTERVAL]
            and columns.state[before] == state
            and columns.region[before] == region
        ):
            cursor[INTERVALS] = last
            return
        columns.state[last] = state
        columns.region[last] = region
    elif columns.state[last] != state or columns.region[last] != region:
        columns.time[last + 1] = now
        columns.state[last + 1] = state
        columns.region[last + 1] = region
        cursor[INTERVALS] = last + 2


@numba.njit(nogil=True, cache=True, inline="always")  # type: ignore[misc]
def _record(tape, at, kind, reference, columns, cursor):  # type: ignore[no-untyped-def]
    record = cursor[RECORDS]
    call = cursor[OPEN_CALL]
    if call < 0:
        cursor[ASTRAY] += 1
        if cursor[CALLS] > cursor[ROW_CALL]:
            call = cursor[CALLS] - 1
    columns.kind[record] = kind
    columns.when[record] = cursor[NOW]
    columns.call[record] = call
    columns.partner[record] = reference
    pair = tape[at + np.uint64(2)]
    columns.communicator[record] = pair >> np.uint64(32)
    columns.tag[record] = pair & np.uint64(0xFFFFFFFF)
    columns.size[record] = np.int64(tape[at + np.uint64(3)])
    columns.received[record] = np.int64(tape[at + np.uint64(4)])
    columns.request[record] = tape[at + np.uint64(5)]
    columns.post[record] = record
    cursor[RECORDS] = record + 1
