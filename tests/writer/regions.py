"""Records that enter and leave regions which are no MPI calls.

Around a call those of its path are open. Elsewhere the timeline tells the innermost
one: what is open around that follows from the calls before and after.
"""

# mypy: allow-untyped-defs, disable-error-code="no-untyped-call"
# ruff: noqa: ANN001, ANN202 - numba finds the types of what has none

from typing import Final

import numba
import numpy as np

from topoview.model import Bools, Ints, MPIState, Trace
from writer.records import Block, Kind, Turn, block

_FIELDS: Final = 7
_ROW, _TIME, _REGION, _ENTERS, _TURN, _PLACE, _NUMBER = range(_FIELDS)
_SURELY: Final = 255  # of `Calls.kept`
_OUTSIDE: Final = int(MPIState.OUTSIDE)
_CALL: Final = int(Turn.CALL)
_BETWEEN: Final = int(Turn.ENTER_REGION)
_WITHIN_END: Final = int(Turn.LEAVE_REGION)


def region_blocks(trace: Trace) -> list[Block]:
    """List the records that enter and leave regions that are no MPI calls."""
    timeline, calls, paths = trace.timeline, trace.calls, trace.paths
    found = _changes(
        (timeline.offsets, timeline.time, timeline.state, timeline.region),
        (calls.offsets, calls.enter, calls.leave, calls.path, calls.kept),
        (paths.parent, paths.region),
        np.append(trace.regions.operation < 0, False),
    )
    return [
        block(
            kind,
            turn,
            (part[:, _ROW], part[:, _TIME]),
            np.stack([part[:, _PLACE], np.full(len(part), -1), part[:, _NUMBER]], 1),
            (part[:, _REGION],),
        )
        for kind, enters in ((Kind.ENTER, 1), (Kind.LEAVE, 0))
        for turn in (Turn.CALL, Turn.ENTER_REGION, Turn.LEAVE_REGION)
        if len(part := _those(found, enters, turn))
    ]


def _those(found: Ints, enters: int, turn: Turn) -> Ints:
    here: Bools = (found[:, _ENTERS] == enters) & (found[:, _TURN] == turn)
    return found[here]


@numba.njit(nogil=True, cache=True)
def _with_room(found, count):
    """Give a table that has room for so many records."""
    if count <= len(found):
        return found
    larger = np.empty((2 * count, _FIELDS), np.int64)
    for i in range(len(found)):
        for field in range(_FIELDS):
            larger[i, field] = found[i, field]
    return larger


@numba.njit(nogil=True, cache=True)
def _put(found, count, row, time, region, enters, turn, place):
    """Write a record."""
    found[count, _ROW], found[count, _TIME] = row, time
    found[count, _REGION], found[count, _ENTERS] = region, enters
    found[count, _TURN], found[count, _PLACE] = turn, place
    found[count, _NUMBER] = count


@numba.njit(nogil=True, cache=True)
def _unroll(path, parent, region, wanted):
    """Write the regions of a path, the outermost first; how many they are."""
    depth, at = 0, path
    while at > 0:
        depth, at = depth + 1, parent[at]
    at = path
    for level in range(depth - 1, -1, -1):
        wanted[level], at = region[at], parent[at]
    return depth


@numba.njit(nogil=True, cache=True)
def _common(stack, depth, wanted, most):
    """Count the outermost levels in which two stacks agree."""
    level = 0
    while level < min(depth, most) and stack[level] == wanted[level]:
        level += 1
    return level


@numba.njit(nogil=True, cache=True)
def _around(stack, depth, wanted, size, here):
    """Find what is open in an interval: the levels of `wanted` to be; see `_changes`.

    `wanted` has the path of the next call, and then the levels that are to be open.
    """
    for level in range(depth - 1, -1, -1):
        if stack[level] == here:
            for i in range(level + 1):
                wanted[i] = stack[i]
            return level + 1
    common = _common(stack, depth, wanted, size)
    for level in range(common, size):
        if wanted[level] == here:
            return level + 1
    wanted[common] = here
    return common + 1


@numba.njit(nogil=True, cache=True)
def _deepest(parent):
    """Count the levels of the deepest path."""
    depth, most = np.zeros(len(parent), np.int64), 0
    for path in range(1, len(parent)):
        depth[path] = depth[parent[path]] + 1
        most = max(most, depth[path])
    return most


@numba.njit(nogil=True, cache=True)
def _changes(intervals, calls, paths, own):  # noqa: C901
    """List what is entered and left in the order of each row: `_FIELDS` columns.

    In an interval whose region is open that one is left to; else it is taken to be
    in those around the next call, or it is called from what is open before and then.
    """
    # a number that is written out in a call would be a type of its own
    leaves, enters, none = np.int64(0), np.int64(1), np.int64(0)
    within = np.int64(_WITHIN_END)
    offsets, time, state, region = intervals
    call_offsets, enter, leave, path, kept = calls
    parent, region_of = paths
    room = _deepest(parent) + 2
    stack, wanted = np.empty(room, np.int32), np.empty(room, np.int32)
    found, count = np.empty((1 << 10, _FIELDS), np.int64), none
    for row in range(len(offsets) - 1):
        depth = size = none
        call, stop = call_offsets[row], call_offsets[row + 1]
        first = call
        at, end = offsets[row], offsets[row + 1]
        while at < end or call < stop:
            turn, place, most = np.int64(_BETWEEN), none, room
            if call < stop and (at == end or enter[call] <= time[at]):
                now, turn, place = enter[call], np.int64(_CALL), 2 * call + 1
                size = _unroll(path[call], parent, region_of, wanted)
                if call > first and kept[call] < _SURELY:
                    most = np.int64(kept[call])
                call += 1
            else:
                now, here = time[at], region[at]
                at += 1
                if here >= 0 and not own[here]:
                    continue
                if call > first and leave[call - 1] > now:
                    if here >= 0:  # called by MPI
                        until = leave[call - 1]
                        if at < end:
                            until = min(until, time[at])
                        found = _with_room(found, count + 2)
                        _put(found, count, row, now, here, enters, turn, none)
                        _put(found, count + 1, row, until, here, leaves, within, none)
                        count += 2
                    continue
                if here >= 0:
                    near = call if call < stop else stop - 1
                    size = none
                    if near >= first:
                        size = _unroll(path[near], parent, region_of, wanted)
                    size = _around(stack, depth, wanted, size, here)
                elif state[at - 1] == _OUTSIDE and at < end:
                    continue  # a pause
                else:
                    size = none
            keep = min(_common(stack, depth, wanted, size), most)
            found = _with_room(found, count + depth + size)
            while depth > keep:
                depth -= 1
                _put(found, count, row, now, stack[depth], leaves, turn, place)
                count += 1
            while depth < size:
                stack[depth] = wanted[depth]
                _put(found, count, row, now, stack[depth], enters, turn, place)
                count += 1
                depth += 1
    return found[:count]
