"""Kernels of what stands below the rows: call stacks, and messages under way."""

import cython
import numpy as np

if not cython.compiled:
    from numpy.typing import NDArray

    from topoview.base.kinds import *
    from topoview.model import MESSAGES_PER_BLOCK

    MAX_DEPTH = 64
    """Regions within each other that are told apart: those deeper are left out."""


def spans(  # noqa: C901, PLR0913 - a state machine
    time: Ints,
    region: Indices,
    until: Int,
    enter: Ints,
    called: Indices,
    path: Indices,
    parent: Indices,
    region_of_path: Indices,
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Find when which regions were open, from the intervals and calls of a row.

    An interval has the innermost region only: which regions are around it is known
    where MPI is called, by the call's path.

    Parameters
    ----------
    time : int64, shape (n,)
        Begins of intervals in ticks.
    region : int32, shape (n,)
        Their regions; -1: outside of all.
    until
        End of the last interval.
    enter : int64, shape (calls,)
        Begins of MPI calls in ticks.
    called, path : int32, shape (calls,)
        Their regions, and the paths they are called on.
    parent, region_of_path : int32, shape (paths,)
        The path around each, 0 for the outermost ones, and its innermost region.

    Returns
    -------
    begins, ends : int64, shape (spans,)
        In ticks.
    depths, regions : int64, shape (spans,)
        How many regions are around it, and which region it is.
    """
    room: Int = 4 * len(time) + 4 * MAX_DEPTH
    all_begins, all_ends = np.empty(room, np.int64), np.empty(room, np.int64)
    all_depths, all_regions = np.empty(room, np.int64), np.empty(room, np.int64)
    begins: OutInts = all_begins
    ends: OutInts = all_ends
    depths: OutInts = all_depths
    regions: OutInts = all_regions
    stack: OutInts = np.empty(MAX_DEPTH, np.int64)
    since: OutInts = np.empty(MAX_DEPTH, np.int64)
    target: OutInts = np.empty(MAX_DEPTH, np.int64)
    size: Int = 0
    depth: Int = 0
    wanted: Int = 0
    call: Int = 0
    count: Int = 0
    i: Int
    k: Int
    with cython.nogil:
        for i in range(len(time) + 1):
            now = until if i == len(time) else time[i]
            wanted = 0
            is_call: Bool = False
            if i < len(time):
                while call < len(enter) and enter[call] < now:
                    call += 1
                # Of calls at one tick only the last one can last: it has the interval.
                while call + 1 < len(enter) and enter[call + 1] == now:
                    call += 1
                # What is open at the next call: its path, and at the call itself the
                # call.
                size = 0
                if call < len(enter):
                    at: Int = path[call]
                    while at > 0:
                        size += 1
                        at = parent[at]
                    at = path[call]
                    k = size
                    size = min(size, MAX_DEPTH - 2)
                    while at > 0:
                        k -= 1
                        if k < MAX_DEPTH - 2:
                            target[k] = region_of_path[at]
                        at = parent[at]
                    is_call = enter[call] == now and called[call] == region[i]
                if is_call:
                    target[size] = region[i]
                    wanted = size + 1
                elif region[i] >= 0:
                    wanted = -1
                    if depth > 1 and stack[depth - 2] == region[i]:
                        # a call or a function has returned to it: what leads to the
                        # next call may be another visit of the same function
                        wanted = depth - 1
                        for k in range(wanted):
                            target[k] = stack[k]
                    for k in range(size - 1, -1, -1):  # it leads to the next call
                        if wanted < 0 and target[k] == region[i]:
                            wanted = k + 1
                    if wanted < 0:
                        for k in range(depth - 1, -1, -1):  # it was open: others close
                            if stack[k] == region[i]:
                                wanted = k + 1
                                break
                        for k in range(wanted):
                            target[k] = stack[k]
                    if wanted < 0:  # it is entered
                        common: Int = min(depth, MAX_DEPTH - 2)
                        for k in range(common):
                            target[k] = stack[k]
                        target[common] = region[i]
                        wanted = common + 1
            # What is open before and after stays; the rest ends, or begins.
            same: Int = 0
            while same < min(depth, wanted) and stack[same] == target[same]:
                same += 1
            for k in range(depth - 1, same - 1, -1):
                if now > since[k] and count < room:
                    begins[count], ends[count] = since[k], now
                    depths[count], regions[count] = k, stack[k]
                    count += 1
            for k in range(same, wanted):
                stack[k], since[k] = target[k], now
            depth = wanted
    return (
        all_begins[:count],
        all_ends[:count],
        all_depths[:count],
        all_regions[:count],
    )


@cython.cdivision(True)
def add_under_way(  # noqa: PLR0913
    begins: Ints,
    ends: Ints,
    sent: Ints,
    received: Ints,
    size: Ints,
    begin: Int,
    end: Int,
    count: OutFloats,
    volume: OutFloats,
) -> None:
    """Add the messages and bytes that are under way in each pixel, times ticks / width.

    Parameters
    ----------
    begins, ends : int64, shape (blocks,)
        First send and last receipt of each block of messages, in ticks.
    sent, received, size : int64, shape (messages,)
        Times in ticks, -1 where unknown, and bytes.
    begin, end
        The window in ticks.
    count, volume : float64, shape (width,)
        What is added to.
    """
    width: Int = len(count)
    span = end - begin
    whole: OutIntRows = np.zeros((width + 1, 2), np.int64)
    block: Int
    i: Int
    x: Int
    with cython.nogil:
        for block in range(len(begins)):
            if begins[block] >= end or ends[block] <= begin:
                continue
            first = block * MESSAGES_PER_BLOCK
            for i in range(first, min(first + MESSAGES_PER_BLOCK, len(sent))):
                if sent[i] < 0 or received[i] <= begin or sent[i] >= end:
                    continue
                left = (max(sent[i], begin) - begin) * width
                right = (min(received[i], end) - begin) * width
                if right <= left:
                    continue
                low, high = left // span, right // span
                if low == high:
                    count[low] += right - left
                    volume[low] += cython.cast(Float, right - left) * size[i]
                    continue
                # Between the pixels it begins and ends in it is under way all the
                # time: that is counted by differences.
                head, tail = (low + 1) * span - left, right - high * span
                count[low] += head
                volume[low] += cython.cast(Float, head) * size[i]
                if high < width:
                    count[high] += tail
                    volume[high] += cython.cast(Float, tail) * size[i]
                whole[low + 1, 0] += 1
                whole[high, 0] -= 1
                whole[low + 1, 1] += size[i]
                whole[high, 1] -= size[i]
        now: Int = 0
        now_bytes: Int = 0
        for x in range(width):
            now += whole[x, 0]
            now_bytes += whole[x, 1]
            count[x] += cython.cast(Float, now) * span
            volume[x] += cython.cast(Float, now_bytes) * span
