"""Follow which functions stay open over calls, and the parameters that they have."""

import cython
import numpy as np

if not cython.compiled:
    from topoview.base.hashing import slot_of
    from topoview.base.kinds import *
    from topoview.base.ordering import search_left

    Arrays = tuple[Ints, ...]
    Paths = tuple[Ints, Bytes, Indices, Indices]

    ALL_LEVELS = 255
    """Levels of a path that stayed open, of a uint8: all of them."""

    MAX_LEVELS_OPEN = 254
    """Levels of a path that stayed open, where not all did."""

    MAX_DEPTH = 256
    """Functions around a call."""

    MAX_PARAMETERS_OF_FUNCTION = 8
    """Parameters of one function that are followed."""


# Levels that are one, since a parameter was set before them.


def join_levels(  # noqa: PLR0913
    offsets: Ints,
    place: Ints,
    path: Ints,
    kept: Bytes,
    parent: Ints,
    region: Ints,
    level: Ints,
    first: Int,
    nodes: Int,
) -> Ints:
    """Join the levels of places that are in one visit of a parameter.

    Parameters
    ----------
    offsets : int64, shape (ranks + 1,)
        Rows of each rank.
    place, path : int64, shape (rows,)
    kept : uint8, shape (rows,)
        Levels that stayed open since the row before.
    parent, region, level : int64, shape (paths,)
    first
        The first region that is a value of a parameter.
    nodes
        Places times levels: all levels of a place come before those of the next.

    Returns
    -------
    int64, shape (nodes,)
        The lowest node that each is joined with.
    """
    joined: OutInts = np.arange(nodes)
    width: Int = int(np.max(level)) + 1
    latest: OutInts = np.empty(width, np.int64)
    rank: Int
    row: Int
    k: Int
    with cython.nogil:
        for rank in range(len(offsets) - 1):
            for k in range(width):
                latest[k] = -1
            for row in range(offsets[rank], offsets[rank + 1]):
                node: Int = path[row]
                while node > 0:
                    depth: Int = level[node]
                    here: Int = place[row] * width + depth
                    if region[node] >= first:
                        if depth <= kept[row] and latest[depth] >= 0:
                            a: Int = root(joined, here)
                            b: Int = root(joined, latest[depth])
                            joined[max(a, b)] = min(a, b)
                        latest[depth] = here
                    node = parent[node]
        for k in range(nodes):
            joined[k] = root(joined, k)
    return np.asarray(joined)


def root(joined: OutInts, node: Int) -> Int:
    """Find the root of a node in a forest, and halve the way there (Tarjan 1975)."""
    while joined[node] != node:
        joined[node] = joined[joined[node]]
        node = joined[node]
    return node


# Parameters, as further levels of call paths.


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
    function: Ints,
) -> Arrays:
    """Find the first call after each record, and the level of its function there.

    -1 where the function was left before. Of a function that is open several times
    it is the innermost.

    Parameters
    ----------
    offsets, enter, path
        Calls of each rank: int64, shape (ranks + 1,), int64 and int32, shape (calls,).
    parent, region : int32, shape (paths,)
    rows, times, inner
        Where each rank's innermost region changes: int64, shape (ranks + 1,), int64
        and int32, shape (changes,).
    rank, time, function : int64, shape (records,)
        The records; function -1 if none is known.

    Returns
    -------
    calls, levels : int64, shape (records,)
    """
    calls: OutInts = np.full(len(rank), -1, np.int64)
    levels: OutInts = np.full(len(rank), -1, np.int64)
    around: OutInts = np.empty(MAX_DEPTH + 1, np.int64)
    k: Int
    with cython.nogil:
        for k in range(len(rank)):
            if function[k] < 0:
                continue
            high: Int = offsets[rank[k] + 1]
            call: Int = offsets[rank[k]]
            call += search_left(enter[call:high], time[k])
            if call == high:
                continue
            depth: Int = 0
            node: Int = path[call]
            while node > 0:
                around[depth] = region[node]
                depth += 1
                node = parent[node]
            up: Int = 0
            while up < depth and around[up] != function[k]:
                up += 1
            if up == depth:
                continue
            # it is left when the region around it becomes the innermost one
            outer: Int = around[up + 1] if up + 1 < depth else -1
            high = rows[rank[k] + 1]
            at: Int = rows[rank[k]]
            at += search_left(times[at:high], time[k] + 1)
            is_left: Bool = False
            while at < high and times[at] < enter[call] and not is_left:
                is_left = inner[at] == outer and outer != function[k]
                at += 1
            if not is_left:
                calls[k], levels[k] = call, depth - up
    return np.asarray(calls), np.asarray(levels)


def child_node(  # noqa: PLR0913
    keys: OutInts,
    values: OutInts,
    parent: OutIndices,
    region: OutIndices,
    count: Int,
    node: Int,
    key: Int,
) -> Int:
    """Find the node that a region makes of another; a new one is `count`."""
    code: Int = node << 32 | key
    slot: Int = slot_of(keys, code)
    if keys[slot] < 0:
        keys[slot], values[slot] = code, count
        parent[count], region[count] = node, key
    child: Int = values[slot]
    return child


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
    first: Int,
) -> Paths:
    """Follow what the functions around calls have for values.

    Parameters
    ----------
    offsets : int64, shape (ranks + 1,)
        Calls of each rank.
    path, kept
        int32 and uint8, shape (calls,): path of each call, and its levels that stayed
        open since the call before.
    parent, region : int32, shape (paths,)
    at_call, at_level, value : int64, shape (records,)
        The first call after each record, ascending, the level of its function there,
        and the number of its value.
    parameter : int64, shape (values,)
        Parameter of each value.
    first
        Region of the first value.

    Returns
    -------
    path, kept
        int64 and uint8, shape (calls,): as before, with values as further levels.
    parent, region : int32, shape (new paths,)
    """
    paths: OutInts = np.zeros(len(path), np.int64)
    open_since: OutBytes = np.zeros(len(path), np.uint8)
    # a table of nodes by parent and region; a call may take so many new ones
    most: Int = (MAX_DEPTH + 1) * (MAX_PARAMETERS_OF_FUNCTION + 1)
    room: Int = 1
    while room < 4 * most:
        room *= 2
    keys: OutInts = np.full(room, -1, np.int64)
    numbers: OutInts = np.zeros(room, np.int64)
    parents: OutIndices = np.full(room, -1, np.int32)
    regions: OutIndices = np.full(room, -1, np.int32)
    count: Int = 1
    # values that the function of each level has, and which are new at this call
    set_to: OutIntRows = np.zeros((MAX_DEPTH + 1, MAX_PARAMETERS_OF_FUNCTION), np.int64)
    anew: OutBoolRows = np.zeros((MAX_DEPTH + 1, MAX_PARAMETERS_OF_FUNCTION), np.bool_)
    many: OutInts = np.zeros(MAX_DEPTH + 1, np.int64)
    around: OutInts = np.zeros(MAX_DEPTH + 1, np.int64)
    turn: Int = 0
    rank: Int
    call: Int
    level: Int
    place: Int
    with cython.nogil:
        for rank in range(len(offsets) - 1):
            for level in range(MAX_DEPTH + 1):
                many[level] = 0
            deepest: Int = 0
            for call in range(offsets[rank], offsets[rank + 1]):
                # The functions around the call, outermost first: paths are told from
                # the inside.
                depth: Int = 0
                node: Int = path[call]
                while node > 0:
                    depth += 1
                    node = parent[node]
                node = path[call]
                for level in range(depth, 0, -1):
                    around[level] = region[node]
                    around[level] &= 0xFFFFFFFF
                    node = parent[node]
                # functions that were left since the call before lose their values
                stays: Int = kept[call]
                for level in range(stays + 1, deepest + 1):
                    many[level] = 0
                deepest = depth
                for level in range(depth + 1):
                    for place in range(MAX_PARAMETERS_OF_FUNCTION):
                        anew[level, place] = False
                # Values that were recorded before this call: another one of a parameter
                # replaces it.
                while turn < len(at_call) and at_call[turn] == call:
                    level = at_level[turn]
                    place = 0
                    while (
                        place < many[level]
                        and parameter[set_to[level, place]] != parameter[value[turn]]
                    ):
                        place += 1
                    if place < MAX_PARAMETERS_OF_FUNCTION:
                        many[level] = max(many[level], place + 1)
                        set_to[level, place] = value[turn]
                        anew[level, place] = True
                    turn += 1
                if 2 * (count + most) > len(keys):
                    with cython.gil:
                        keys, numbers = rehashed(keys, numbers)
                        parents = np.resize(parents, len(keys))
                        regions = np.resize(regions, len(keys))
                # the path, each function followed by its values
                node = 0
                length: Int = 0
                still: Int = 0  # levels that are the same as at the call before
                same: Bool = True
                for level in range(1, depth + 1):
                    node = child_node(
                        keys, numbers, parents, regions, count, node, around[level]
                    )
                    count = max(count, node + 1)
                    length += 1
                    same = same and level <= stays
                    if same:
                        still = length
                    for place in range(many[level]):
                        node = child_node(
                            keys,
                            numbers,
                            parents,
                            regions,
                            count,
                            node,
                            first + set_to[level, place],
                        )
                        count = max(count, node + 1)
                        length += 1
                        same = same and not anew[level, place]
                        if same:
                            still = length
                paths[call] = node
                open_since[call] = (
                    min(still, MAX_LEVELS_OPEN) if still < length else ALL_LEVELS
                )
            if offsets[rank] < offsets[rank + 1]:
                open_since[offsets[rank]] = 0  # as of `topoview.model.Calls`
    return (
        np.asarray(paths),
        np.asarray(open_since),
        np.asarray(parents)[:count].copy(),
        np.asarray(regions)[:count].copy(),
    )


def rehashed(keys: Ints, values: Ints) -> Arrays:
    """Write a hash table, keys and values, to one of twice its size."""
    larger: OutInts = np.full(2 * len(keys), -1, np.int64)
    moved: OutInts = np.zeros(2 * len(keys), np.int64)
    place: Int
    with cython.nogil:
        for place in range(len(keys)):
            if keys[place] >= 0:
                slot: Int = slot_of(larger, keys[place])
                larger[slot], moved[slot] = keys[place], values[place]
    return np.asarray(larger), np.asarray(moved)
