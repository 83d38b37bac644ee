"""Levels of call paths for parameters: which function each is set in, and how long."""

# mypy: disable-error-code="arg-type"

from typing import Any, Final

import numba
import numpy as np

from topoview.hash_table import slot_of
from topoview.model import Bytes, Indices, Ints

_DEEPEST: Final = 256
_SEVERAL: Final = 8
"""Parameters of one function that are followed."""

_OPEN: Final = 254


@numba.njit(nogil=True, cache=True)
def levels_at(  # noqa: PLR0913
    offsets: Ints,
    enter: Ints,
    path: Indices,
    parent: Indices,
    region: Indices,
    rows: Ints,
    times: Ints,
    inner: Indices,
    rank: Ints,
    time: Ints,
    own: Ints,
) -> tuple[Ints, Ints]:
    """Find the first call after each record, and the level of its function there.

    -1 where the function was left before. Of a function that is open several times
    it is the innermost.
    """
    calls = np.full(len(rank), -1, np.int64)
    levels = np.full(len(rank), -1, np.int64)
    around = np.empty(_DEEPEST + 1, np.int64)
    for k in range(len(rank)):
        low, high = offsets[rank[k]], offsets[rank[k] + 1]
        call = low + np.searchsorted(enter[low:high], time[k], side="left")
        if call == high or own[k] < 0:
            continue
        depth, node = 0, path[call]
        while node > 0:
            around[depth] = region[node]
            depth += 1
            node = parent[node]
        up = 0
        while up < depth and around[up] != own[k]:
            up += 1
        if up == depth:
            continue
        outer = around[up + 1] if up + 1 < depth else np.int64(-1)
        first, last = rows[rank[k]], rows[rank[k] + 1]
        at = first + np.searchsorted(times[first:last], time[k], side="right")
        is_left = False
        while at < last and times[at] < enter[call] and not is_left:
            is_left = bool(inner[at] == outer) and bool(outer != own[k])
            at += 1
        if not is_left:
            calls[k], levels[k] = call, depth - up
    return calls, levels


@numba.njit(nogil=True, cache=True)
def _step(  # noqa: PLR0913
    keys: Ints,
    values: Ints,
    parent: Indices,
    region: Indices,
    count: int,
    node: int,
    key: int,
) -> Any:  # noqa: ANN401 - an integer of numba's
    """Find the node that a region makes of another; a new one is `count`."""
    code = node << 32 | key
    slot = slot_of(keys, code)
    if keys[slot] >= 0:
        return values[slot]
    keys[slot], values[slot] = code, count
    parent[count], region[count] = node, key
    return count


@numba.njit(nogil=True, cache=True)
def _rehashed(keys: Ints, values: Ints) -> tuple[Ints, Ints]:
    larger, moved = (
        np.full(2 * len(keys), -1, np.int64),
        np.zeros(2 * len(keys), np.int64),
    )
    for place in range(len(keys)):
        if keys[place] >= 0:
            slot = slot_of(larger, keys[place])
            larger[slot], moved[slot] = keys[place], values[place]
    return larger, moved


@numba.njit(nogil=True, cache=True)
def extended(  # noqa: C901, PLR0913
    offsets: Ints,
    path: Indices,
    kept: Bytes,
    parent: Indices,
    region: Indices,
    at_call: Ints,
    at_level: Ints,
    value: Ints,
    parameter: Ints,
    first: int,
) -> tuple[Ints, Bytes, Indices, Indices]:
    """Follow what the functions around calls have for values."""
    news = np.zeros(len(path), np.int64)
    open_since = np.zeros(len(path), np.uint8)
    slots = 4 * (_DEEPEST + 1) * (_SEVERAL + 1)
    room = 1
    while room < slots:
        room *= 2
    keys, values = np.full(room, -1, np.int64), np.zeros(room, np.int64)
    parents, regions = np.full(room, -1, np.int32), np.full(room, -1, np.int32)
    count = np.int64(1)
    set_to = np.zeros((_DEEPEST + 1, _SEVERAL), np.int64)
    anew = np.zeros((_DEEPEST + 1, _SEVERAL), np.bool_)
    many = np.zeros(_DEEPEST + 1, np.int64)
    around = np.zeros(_DEEPEST + 1, np.int64)
    turn = np.int64(0)
    for rank in range(len(offsets) - 1):
        many[:] = 0
        deepest = 0
        for call in range(offsets[rank], offsets[rank + 1]):
            depth, node = 0, path[call]
            while node > 0:
                depth += 1
                node = parent[node]
            node = path[call]
            for level in range(depth, 0, -1):
                around[level] = np.int64(region[node]) & 0xFFFFFFFF
                node = parent[node]
            stays = np.int64(kept[call])
            for level in range(stays + 1, deepest + 1):
                many[level] = 0
            deepest = depth
            anew[: depth + 1] = False
            while turn < len(at_call) and at_call[turn] == call:
                level, own = at_level[turn], parameter[value[turn]]
                place = 0
                while place < many[level] and parameter[set_to[level, place]] != own:
                    place += 1
                if place < _SEVERAL:
                    many[level] = max(many[level], place + 1)
                    set_to[level, place] = value[turn]
                    anew[level, place] = True
                turn += 1
            if 2 * (count + (_DEEPEST + 1) * (_SEVERAL + 1)) > len(keys):
                keys, values = _rehashed(keys, values)
                more = np.full(len(keys), -1, np.int32)
                more[:count] = parents[:count]
                parents = more
                more = np.full(len(keys), -1, np.int32)
                more[:count] = regions[:count]
                regions = more
            made, length, still, same = np.int64(0), 0, 0, True
            for level in range(1, depth + 1):
                made = _step(keys, values, parents, regions, count, made, around[level])
                count = max(count, made + 1)
                length += 1
                same = same and bool(level <= stays)
                still = length if same else still
                for place in range(many[level]):
                    key = first + set_to[level, place]
                    made = _step(keys, values, parents, regions, count, made, key)
                    count = max(count, made + 1)
                    length += 1
                    same = same and not bool(anew[level, place])
                    still = length if same else still
            news[call] = made
            open_since[call] = min(still, _OPEN) if still < length else 255
    return news, open_since, parents[:count].copy(), regions[:count].copy()
