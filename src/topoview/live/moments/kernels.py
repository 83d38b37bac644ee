"""Kernels of live/moments."""

from typing import Final

import numpy as np

from topoview.base.kernels import kernel
from topoview.model import MESSAGES_PER_BLOCK, Bools, Bytes, Indices, Ints

LAST_TIME: Final = int(np.iinfo(np.int64).max)
"""Until when a row stays somewhere that was not found; until when it stays behind its
last number."""


@kernel
def changes(
    offsets: Ints, time: Ints, window: tuple[int, int], steps: int
) -> tuple[Ints, Ints]:
    """First and last change in each step, -1 where there is none.

    The last one before the window and the first after it have steps of their own.
    """
    first, last = np.full(steps + 2, -1, np.int64), np.full(steps + 2, -1, np.int64)
    begin, end = window
    wide = (end - begin) / steps
    for row in range(len(offsets) - 1):
        at, stop = offsets[row], offsets[row + 1]
        at += np.searchsorted(time[at:stop], begin)
        if at > offsets[row]:
            last[0] = max(last[0], time[at - 1])
            first[0] = max(first[0], time[at - 1])
        while at < stop and time[at] < end:
            step = min(int((time[at] - begin) / wide), steps - 1)
            limit = np.int64(begin + np.ceil((step + 1) * wide))
            if step == steps - 1:
                limit = np.int64(end)
            if first[step + 1] < 0 or time[at] < first[step + 1]:
                first[step + 1] = time[at]
            after = at + np.searchsorted(time[at:stop], limit)
            after = max(after, at + 1)
            last[step + 1] = max(last[step + 1], time[after - 1])
            at = after
        if at < stop and (first[steps + 1] < 0 or time[at] < first[steps + 1]):
            first[steps + 1] = last[steps + 1] = time[at]
    return first, last


@kernel
def in_flight(  # noqa: PLR0913
    begin: Ints,
    end: Ints,
    sender: Indices,
    receiver: Indices,
    sent: Ints,
    received: Ints,
    since: int,
    ticks: int,
) -> Ints:
    found = np.empty(64, np.int64)
    count = 0
    for block in range(len(begin)):
        if not (begin[block] <= ticks and since < end[block]):
            continue
        first = block * MESSAGES_PER_BLOCK
        if count + MESSAGES_PER_BLOCK > len(found):
            larger = np.empty(2 * len(found) + MESSAGES_PER_BLOCK, np.int64)
            for i in range(count):
                larger[i] = found[i]
            found = larger
        for i in range(first, min(first + MESSAGES_PER_BLOCK, len(sender))):
            flies = 0 <= sent[i] <= ticks and max(since, sent[i]) < received[i]
            if flies and sender[i] != receiver[i]:
                found[count] = i
                count += 1
    return found[:count]


@kernel
def search_times(  # noqa: PLR0913
    offsets: Ints, time: Ints, near: Ints, ticks: int, until: Ints, found: Ints
) -> None:
    """Find the last number of each row that is not above one, searching from `near`.

    One less than the row's first where there is none, as `near` may be. Steps are
    doubled until it is passed (Bentley and Yao 1976, unbounded searching), then halved.
    It is `near` where `until` is above `ticks`; else that gets the next number.
    """
    for row in range(len(near)):
        if ticks < until[row]:
            found[row] = near[row]
            continue
        first, stop = offsets[row], offsets[row + 1]
        low, step = near[row], 1
        if low >= first and low < stop and time[low] > ticks:
            high = low
            while high - step >= first and time[high - step] > ticks:
                high -= step
                step *= 2
            low = max(high - step, first - 1)
        else:
            low = min(low, stop - 1)
            while low + step < stop and time[low + step] <= ticks:
                low += step
                step *= 2
            high = min(low + step, stop)
        while high - low > 1:
            middle = (low + high) >> 1
            if time[middle] > ticks:
                high = middle
            else:
                low = middle
        found[row] = low
        until[row] = time[low + 1] if low + 1 < stop else LAST_TIME


@kernel
def add_states(
    offsets: Ints, time: Ints, state: Bytes, window: tuple[int, int], ticks: Ints
) -> None:
    begin, end = window
    for row in range(len(ticks)):
        low, stop = offsets[row], offsets[row + 1]
        at = low + np.searchsorted(time[low:stop], begin, side="right") - 1
        for i in range(max(at, low), stop):
            if time[i] >= end:
                break
            until = end if i + 1 == stop else min(time[i + 1], end)
            ticks[row, state[i]] += max(until - max(time[i], begin), 0)


@kernel
def longest_state(offsets: Ints, time: Ints, state: Bytes, wanted: Bools) -> np.int64:
    longest = np.int64(0)
    for row in range(len(offsets) - 1):
        for i in range(offsets[row], offsets[row + 1] - 1):
            if wanted[state[i]]:
                longest = max(longest, time[i + 1] - time[i])
    return longest


@kernel
def foremost_state(state: Bytes, before: Ints, at: Ints, priority: Bytes) -> Ints:
    found = at.copy()
    for row in range(len(at)):
        for i in range(at[row] - 1, before[row] - 1, -1):
            if priority[state[i]] > priority[state[found[row]]]:
                found[row] = i
    return found


@kernel
def add_waiting(
    offsets: Ints, enter: Ints, leave: Ints, until: Ints, window: tuple[int, int]
) -> Ints:
    begin, end = window
    found = np.zeros(len(offsets) - 1, np.int64)
    for row in range(len(found)):
        low, stop = offsets[row], offsets[row + 1]
        at = low + np.searchsorted(leave[low:stop], begin, side="right")
        for i in range(at, stop):
            if enter[i] >= end:
                break
            last = min(until[i], leave[i], end)
            found[row] += max(last - max(enter[i], begin), 0)
    return found


@kernel
def sum_calls_within(  # noqa: PLR0913
    offsets: Ints,
    region: Indices,
    enter: Ints,
    leave: Ints,
    rank: Ints,
    operations: Indices,
    window: tuple[int, int],
    counts: Ints,
) -> tuple[Ints, Ints]:
    ticks = np.zeros_like(counts)
    begin, end = window
    for row in range(len(offsets) - 1):
        low, high = offsets[row], offsets[row + 1]
        first = low + np.searchsorted(leave[low:high], begin, side="left")
        for call in range(first, high):
            if enter[call] >= end:
                break
            operation = operations[region[call]]
            if operation >= 0:
                counts[rank[row], operation] += enter[call] >= begin
                spent = min(leave[call], end) - max(enter[call], begin)
                ticks[rank[row], operation] += max(spent, 0)
    return counts, ticks


@kernel
def sum_edges(  # noqa: PLR0913
    begin: Ints,
    end: Ints,
    sender: Indices,
    receiver: Indices,
    sent: Ints,
    size: Ints,
    keys: Ints,
    ranks: int,
    window: tuple[int, int],
) -> Ints:
    found = np.zeros(len(keys), np.int64)
    for block in range(len(begin)):
        if begin[block] >= window[1] or end[block] < window[0]:
            continue
        first = block * MESSAGES_PER_BLOCK
        for i in range(first, min(first + MESSAGES_PER_BLOCK, len(sender))):
            if not window[0] <= sent[i] < window[1]:
                continue
            low = np.int64(min(sender[i], receiver[i]))
            high = np.int64(max(sender[i], receiver[i]))
            key = low * ranks + high
            at = np.searchsorted(keys, key)
            if at < len(keys) and keys[at] == key:
                found[at] += size[i]
    return found
