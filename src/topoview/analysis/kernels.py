"""Kernels of analysis."""

from typing import Final

import numpy as np

from topoview.base.kernels import kernel
from topoview.model import MESSAGES_PER_BLOCK, Bools, Bytes, Indices, Ints, MPIState

MAX_TAGS: Final = 256
"""Different tags that are told apart."""


NEVER: Final = np.iinfo(np.int64).max


LEVEL_FACTOR: Final = 16
"""Sums of a level for one of the next level."""


SEND: Final = np.uint8(MPIState.SEND)


ONE_SIDED: Final = np.uint8(MPIState.ONE_SIDED)


@kernel
def take(  # noqa: PLR0913
    offsets: Ints,
    time: Ints,
    places: Indices,
    regions: Indices,
    row: Ints,
    enter: Ints,
    region: Indices,
    found: Indices,
) -> None:
    """Take the lines of records that stand where calls begin."""
    for call in range(len(row)):
        first, stop = offsets[row[call]], offsets[row[call] + 1]
        at = first + np.searchsorted(time[first:stop], enter[call], side="left")
        while at < stop and time[at] == enter[call]:
            if places[at] >= 0 and (regions[at] < 0 or regions[at] == region[call]):
                found[call] = places[at]
            at += 1


@kernel
def summarise(
    sender: Indices, receiver: Indices, sent: Ints, received: Ints
) -> tuple[Ints, Ints, Indices, Ints]:
    blocks = (len(sender) + MESSAGES_PER_BLOCK - 1) // MESSAGES_PER_BLOCK
    begin, end = np.full(blocks, NEVER, np.int64), np.full(blocks, -1, np.int64)
    ranks = np.empty((blocks, 4), np.int32)
    arrival = np.empty((blocks, 2), np.int64)
    for block in range(blocks):
        first = block * MESSAGES_PER_BLOCK
        low = high = sender[first]
        lowest = highest = receiver[first]
        soonest, latest = np.int64(NEVER), np.int64(-1)
        for i in range(first, min(first + MESSAGES_PER_BLOCK, len(sender))):
            low, high = min(low, sender[i]), max(high, sender[i])
            lowest, highest = min(lowest, receiver[i]), max(highest, receiver[i])
            soonest = min(soonest, received[i])
            latest = max(latest, received[i])
            if received[i] < 0:
                latest = np.int64(NEVER)
            if 0 <= sent[i] < received[i] and sender[i] != receiver[i]:
                begin[block] = min(begin[block], sent[i])
                end[block] = max(end[block], received[i])
        ranks[block, 0], ranks[block, 1] = low, high
        ranks[block, 2], ranks[block, 3] = lowest, highest
        arrival[block, 0], arrival[block, 1] = soonest, latest
    return begin, end, ranks, arrival


@kernel
def sizes_and_tags(size: Ints, tag: Indices) -> tuple[Ints, Indices]:
    sizes = np.zeros(2, np.int64)
    tags = np.empty(MAX_TAGS, np.int32)
    count = 0
    for i in range(len(size)):
        sizes[0] = size[i] if i == 0 else min(sizes[0], size[i])
        sizes[1] = max(sizes[1], size[i])
        known = count == MAX_TAGS or (count > 0 and tags[count - 1] == tag[i])
        for k in range(count):
            if known:
                break
            known = tags[k] == tag[i]
        if not known:
            tags[count] = tag[i]
            count += 1
    return sizes, tags[:count]


@kernel
def scan_part(  # noqa: PLR0913
    offsets: Ints,
    time: Ints,
    state: Bytes,
    part: tuple[int, int],
    ranks: int,
    every: int,
    places: Ints,
    begin: Ints,
    ticks: Ints,
    seen: Bools,
    extremes: Ints,
) -> None:
    """Add up the time between sums, and look for extremes, in a part of a timeline."""
    row = np.searchsorted(offsets, part[0], side="right") - 1
    at = part[0]
    while at < part[1]:
        first, stop = offsets[row], offsets[row + 1]
        place, many = places[row], places[row + 1] > places[row]
        main = row < ranks
        for i in range(at, min(stop, part[1])):
            code = state[i]
            length = time[i + 1] - time[i] if i + 1 < stop else 0
            if many:
                own = place + (i - first) // every
                if (i - first) % every == 0:
                    begin[own] = time[i]
                ticks[own, code] += length
            seen[0 if main else 1, code] = True
            if not main:
                continue
            if SEND <= code <= ONE_SIDED:
                if extremes[0] < 0 or time[i] < extremes[0]:
                    extremes[0] = time[i]
                extremes[1] = max(extremes[1], time[i] + length)
        if many and stop <= part[1]:
            begin[places[row + 1] - 1] = time[stop - 1]
        at = stop
        row += 1


@kernel
def cumulate(offsets: Ints, ticks: Ints) -> None:
    """Turn time from each sum to the next into time from the row's begin."""
    total = np.zeros(ticks.shape[1], np.int64)
    for row in range(len(offsets) - 1):
        total[:] = 0
        for place in range(offsets[row], offsets[row + 1]):
            for code in range(len(total)):
                length = ticks[place, code]
                ticks[place, code] = total[code]
                total[code] += length


@kernel
def thinned(old: Ints, new: Ints) -> Ints:
    """Places in a level of the sums of the next one."""
    found = np.empty(new[-1], np.int64)
    for row in range(len(old) - 1):
        count = new[row + 1] - new[row]
        for k in range(count - 1):
            found[new[row] + k] = old[row] + k * LEVEL_FACTOR
        if count:
            found[new[row + 1] - 1] = old[row + 1] - 1
    return found


@kernel
def find_visits(time: Ints, region: Indices, regions: int) -> Ints:
    found = np.full((regions, 2), -1, np.int64)
    for i in range(len(time) - 1):
        own = region[i]
        if own >= 0:
            if found[own, 0] < 0 or time[i] < found[own, 0]:
                found[own, 0] = time[i]
            found[own, 1] = max(found[own, 1], time[i + 1])
    return found


@kernel
def sum_calls(  # noqa: PLR0913
    offsets: Ints,
    rank: Ints,
    region: Indices,
    operations: Indices,
    enter: Ints,
    leave: Ints,
    counts: Ints,
) -> tuple[Ints, Ints]:
    ticks = np.zeros_like(counts)
    for row in range(len(offsets) - 1):
        for call in range(offsets[row], offsets[row + 1]):
            operation = operations[region[call]]
            if operation >= 0:
                counts[rank[row], operation] += 1
                ticks[rank[row], operation] += leave[call] - enter[call]
    return counts, ticks


@kernel
def sum_states(
    offsets: Ints, time: Ints, state: Bytes, length: int, states: int
) -> Ints:
    ticks = np.zeros((len(offsets) - 1, states), np.int64)
    for row in range(len(offsets) - 1):
        last = offsets[row + 1] - 1
        for i in range(offsets[row], last):
            ticks[row, state[i]] += time[i + 1] - time[i]
        if last >= offsets[row]:
            ticks[row, state[last]] += max(length - time[last], 0)
    return ticks
