"""Kernels of logical/functions."""

from typing import Any, Final

import numpy as np

from topoview.base.hash_table import slot_of
from topoview.base.kernels import kernel
from topoview.model import Bytes, Indices, Ints

ALL_LEVELS: int = 255
"""Of the levels of a path that stayed open: all of them."""


MAX_DEPTH: Final = 256


MAX_PARAMETERS_OF_FUNCTION: Final = 8
"""Parameters of one function that are followed."""


MAX_LEVELS_OPEN: Final = 254


@kernel
def levels_kept(kept: Bytes, call: Ints) -> Bytes:
    """Follow what stayed open over calls that have no row."""
    found = np.full(len(call), ALL_LEVELS, np.uint8)
    at = np.int64(0)
    for row in range(len(call)):
        while at <= call[row]:
            found[row] = min(found[row], kept[at])
            at += 1
    return found


@kernel
def root(joined: Ints, node: int) -> int:
    while joined[node] != node:
        joined[node] = joined[joined[node]]
        node = joined[node]
    return node


@kernel
def join_levels(  # noqa: PLR0913
    offsets: Ints,
    place: Ints,
    path: Ints,
    kept: Bytes,
    parent: Ints,
    region: Ints,
    level: Ints,
    first: int,
    nodes: int,
) -> Ints:
    """Put together the levels of places that are in one visit of a parameter."""
    joined = np.arange(nodes)
    width = level.max() + 1
    latest = np.full(width, -1, np.int64)
    for rank in range(len(offsets) - 1):
        latest[:] = -1
        for row in range(offsets[rank], offsets[rank + 1]):
            node = path[row]
            while node > 0:
                depth = level[node]
                own = place[row] * width + depth
                if region[node] >= first:
                    if depth <= kept[row] and latest[depth] >= 0:
                        one, other = root(joined, own), root(joined, latest[depth])
                        joined[max(one, other)] = min(one, other)
                    latest[depth] = own
                node = parent[node]
    for node in range(nodes):
        joined[node] = root(joined, node)
    return joined


@kernel
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
    around = np.empty(MAX_DEPTH + 1, np.int64)
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


@kernel
def child_node(  # noqa: PLR0913
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


@kernel
def rehashed(keys: Ints, values: Ints) -> tuple[Ints, Ints]:
    larger, moved = (
        np.full(2 * len(keys), -1, np.int64),
        np.zeros(2 * len(keys), np.int64),
    )
    for place in range(len(keys)):
        if keys[place] >= 0:
            slot = slot_of(larger, keys[place])
            larger[slot], moved[slot] = keys[place], values[place]
    return larger, moved


@kernel
def extend_paths(  # noqa: C901, PLR0913
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
    slots = 4 * (MAX_DEPTH + 1) * (MAX_PARAMETERS_OF_FUNCTION + 1)
    room = 1
    while room < slots:
        room *= 2
    keys, values = np.full(room, -1, np.int64), np.zeros(room, np.int64)
    parents, regions = np.full(room, -1, np.int32), np.full(room, -1, np.int32)
    count = np.int64(1)
    set_to = np.zeros((MAX_DEPTH + 1, MAX_PARAMETERS_OF_FUNCTION), np.int64)
    anew = np.zeros((MAX_DEPTH + 1, MAX_PARAMETERS_OF_FUNCTION), np.bool_)
    many = np.zeros(MAX_DEPTH + 1, np.int64)
    around = np.zeros(MAX_DEPTH + 1, np.int64)
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
                if place < MAX_PARAMETERS_OF_FUNCTION:
                    many[level] = max(many[level], place + 1)
                    set_to[level, place] = value[turn]
                    anew[level, place] = True
                turn += 1
            if 2 * (count + (MAX_DEPTH + 1) * (MAX_PARAMETERS_OF_FUNCTION + 1)) > len(
                keys
            ):
                keys, values = rehashed(keys, values)
                more_parents = np.full(len(keys), -1, np.int32)
                more_regions = np.full(len(keys), -1, np.int32)
                for i in range(count):
                    more_parents[i], more_regions[i] = parents[i], regions[i]
                parents, regions = more_parents, more_regions
            made, length, still, same = np.int64(0), 0, 0, True
            for level in range(1, depth + 1):
                made = child_node(
                    keys, values, parents, regions, count, made, around[level]
                )
                count = max(count, made + 1)
                length += 1
                same = same and bool(level <= stays)
                still = length if same else still
                for place in range(many[level]):
                    key = first + set_to[level, place]
                    made = child_node(keys, values, parents, regions, count, made, key)
                    count = max(count, made + 1)
                    length += 1
                    same = same and not bool(anew[level, place])
                    still = length if same else still
            news[call] = made
            open_since[call] = min(still, MAX_LEVELS_OPEN) if still < length else 255
        if offsets[rank] < offsets[rank + 1]:
            open_since[offsets[rank]] = 0  # as of `topoview.model.Calls`
    return news, open_since, parents[:count].copy(), regions[:count].copy()


@kernel
def looked_up(offsets: Ints, time: Ints, region: Indices, row: Ints, at: Ints) -> Ints:
    found = np.full(len(row), -1, np.int64)
    for k in range(len(row)):
        low, high = offsets[row[k]], offsets[row[k] + 1]
        place = low + np.searchsorted(time[low:high], at[k], side="right") - 1
        if place >= low:
            found[k] = region[place]
    return found
