"""Events replayed: from the tape of a location to intervals and calls."""

# mypy: allow-untyped-defs
# ruff: noqa: ANN001, ANN202 - numba finds the types of what has none

from typing import Final

import numba
import numpy as np

from otf2_reader import callbacks as tape_kinds
from otf2_reader.callbacks import HEADER, LONG, SEND, SHORT, Words
from otf2_reader.columns import (
    ASTRAY,
    BEFORE,
    CALLS,
    DEPTH,
    INTERVALS,
    KNOWN,
    NOW,
    OFF,
    OPEN_CALL,
    OPEN_LEVEL,
    RECORDS,
    ROW_CALL,
    ROW_INTERVAL,
    UNBALANCED,
    Columns,
)
from otf2_reader.paths import Tree, path_of
from topoview.io.decoder.library import MAX_KEPT_LEVELS, MAX_PATH_DEPTH
from topoview.io.definitions.regions import RegionLookup
from topoview.model import Indices, Ints, MPIState

_ENTER: Final = tape_kinds.ENTER
_LEAVE: Final = tape_kinds.LEAVE
_CONTEXT_ENTER: Final = tape_kinds.CONTEXT_ENTER
_CONTEXT_LEAVE: Final = tape_kinds.CONTEXT_LEAVE
_MEASUREMENT: Final = tape_kinds.MEASUREMENT
_OUTSIDE: Final = np.uint8(MPIState.OUTSIDE)
_COMPUTE: Final = np.uint8(MPIState.COMPUTE)
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
    cursor[DEPTH] = cursor[NOW] = cursor[OFF] = cursor[KNOWN] = 0
    cursor[OPEN_LEVEL] = cursor[OPEN_CALL] = -1


@numba.njit(nogil=True, cache=True)
def end(columns: Columns, cursor: Ints, last: np.uint64) -> None:
    """End a location, whose last event was at the time `last`."""
    now = max(cursor[NOW], np.int64(min(last, _LATEST)))
    cursor[NOW] = now
    if cursor[OPEN_LEVEL] >= 0:
        columns.leave[cursor[OPEN_CALL]] = now
        cursor[OPEN_LEVEL] = cursor[OPEN_CALL] = -1
    cursor[INTERVALS] = 1 + _put(
        columns.time,
        columns.state,
        columns.region,
        cursor[INTERVALS] - 1,
        cursor[ROW_INTERVAL],
        now,
        _OUTSIDE,
        -1,
    )


@numba.njit(nogil=True, cache=True)
def replay(  # noqa: C901 - one loop over local variables is fastest
    tape: Words,
    columns: Columns,
    cursor: Ints,
    stack: Indices,
    meaning: RegionLookup,
    tree: Tree,
    idle: np.uint8,
    flat: bool,
) -> None:
    """Append the intervals and calls of a tape to the columns.

    Regions that are left while others are open above them close these, too;
    one that was never entered is not left. Of each record of a message, its
    call and time are noted.

    Parameters
    ----------
    stack : int32
        Regions that are open; room for as many more as the tape has events.
    tree
        Call paths.
    idle
        State of the location when no region is open.
    flat
        MPI calls are never nested: one that begins within another ends that.
    """
    time, state, region = columns.time, columns.state, columns.region
    call_region, enter, leave = columns.call_region, columns.enter, columns.leave
    completes, when, call = columns.completes, columns.when, columns.call
    identifiers, dense = meaning.identifiers, meaning.dense
    direct, contexts = meaning.direct, meaning.contexts
    state_of, operation = meaning.state, meaning.operation
    last, first = cursor[INTERVALS] - 1, cursor[ROW_INTERVAL]
    calls, records = cursor[CALLS], cursor[RECORDS]
    now, depth, off = cursor[NOW], cursor[DEPTH], cursor[OFF]
    open_level, open_call = cursor[OPEN_LEVEL], cursor[OPEN_CALL]
    at, stop = np.int64(HEADER), np.int64(tape[0])
    while at < stop:
        now = max(now, np.int64(min(tape[at], _LATEST)))
        word = np.int64(tape[at + 1])
        kind = word >> 32
        reference = word & 0xFFFFFFFF
        if kind >= SEND:
            at += LONG
            when[records] = now
            if open_level >= 0:
                call[records] = open_call
            else:
                cursor[ASTRAY] += 1
                call[records] = calls - 1 if calls > cursor[ROW_CALL] else -1
            records += 1
            continue
        at += SHORT

        number = -1
        if kind in (_ENTER, _LEAVE):
            if reference < len(direct):
                number = direct[reference]
            elif len(direct) == 0:
                number = _find(identifiers, dense, np.uint32(reference))
        elif kind != _MEASUREMENT and reference < len(contexts):
            number = contexts[reference]

        if kind in (_ENTER, _CONTEXT_ENTER):
            if number >= 0 and operation[number] >= 0:
                if flat and open_level >= 0:
                    leave[open_call] = now
                    depth, open_level = open_level, -1
                    cursor[UNBALANCED] += 1
                if open_level < 0:
                    call_region[calls] = number
                    enter[calls] = leave[calls] = now
                    completes[calls] = -1
                    columns.path[calls] = path_of(tree, stack, depth)
                    columns.kept[calls] = min(cursor[KNOWN], depth, MAX_KEPT_LEVELS)
                    cursor[KNOWN] = min(depth, MAX_PATH_DEPTH)
                    open_level, open_call = depth, calls
                    calls += 1
            stack[depth] = number
            depth += 1
        elif kind in (_LEAVE, _CONTEXT_LEAVE):
            if depth and stack[depth - 1] == number:
                depth -= 1
            else:
                cursor[UNBALANCED] += 1
                level = depth - 2
                lowest = max(depth - _DEEPEST_SEARCH, 0)
                while level >= lowest and stack[level] != number:
                    level -= 1
                if level >= lowest:
                    depth = level
            cursor[KNOWN] = min(cursor[KNOWN], depth)
            if open_level >= depth:
                leave[open_call] = now
                open_level = -1
        elif kind == _MEASUREMENT:
            off = np.int64(reference != _MEASUREMENT_ON)

        shown, here = idle, np.int32(-1)
        if off:
            shown = _OUTSIDE
        elif depth:
            here = stack[depth - 1]
            shown = state_of[here] if here >= 0 else _COMPUTE
        last = _put(time, state, region, last, first, now, shown, here)
    cursor[INTERVALS], cursor[CALLS], cursor[RECORDS] = last + 1, calls, records
    cursor[NOW], cursor[DEPTH], cursor[OFF] = now, depth, off
    cursor[OPEN_LEVEL], cursor[OPEN_CALL] = open_level, open_call


@numba.njit(nogil=True, cache=True, inline="always")
def _put(time, state, region, last, first, now, shown, here):
    """Show a state and a region from now on; gives the last interval's index."""
    if state[last] == shown and region[last] == here:
        return last
    if time[last] != now:
        last += 1
        time[last] = now
    elif last > first and state[last - 1] == shown and region[last - 1] == here:
        return last - 1
    state[last] = shown
    region[last] = here
    return last


@numba.njit(nogil=True, cache=True)
def _find(identifiers, dense, identifier):
    at = np.searchsorted(identifiers, identifier)
    if at < len(identifiers) and identifiers[at] == identifier:
        return dense[at]
    return np.int32(-1)


@numba.njit(nogil=True, cache=True)
def copy_records(tape: Words, columns: Columns, record: int) -> None:
    """Append the records of messages and collectives on a tape to the columns.

    `replay` has noted their calls and times; `record` is the first one's index.
    """
    kinds, partner = columns.kind, columns.partner
    communicator, tag = columns.communicator, columns.tag
    size, received = columns.size, columns.received
    request, post = columns.request, columns.post
    at, stop = np.int64(HEADER), np.int64(tape[0])
    while at < stop:
        word = np.int64(tape[at + 1])
        kind = word >> 32
        if kind < SEND:
            at += SHORT
            continue
        kinds[record] = kind
        partner[record] = word & 0xFFFFFFFF
        pair = tape[at + 2]
        communicator[record] = pair >> np.uint64(32)
        tag[record] = pair & np.uint64(0xFFFFFFFF)
        size[record] = np.int64(tape[at + 3])
        received[record] = np.int64(tape[at + 4])
        request[record] = tape[at + 5]
        post[record] = record
        record += 1
        at += LONG
