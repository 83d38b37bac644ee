"""Kernels that go once through all calls, messages or intervals of a trace."""

import cython
import numpy as np

if not cython.compiled:
    from numpy.typing import NDArray

    from topoview.base.kinds import *
    from topoview.base.ordering import search_right
    from topoview.model import MESSAGES_PER_BLOCK, TimeState

    MAX_TAGS = 256
    """Different tags that are told apart."""

    NEVER = np.iinfo(np.int64).max
    """Time of what does not happen."""

    SEND, ONE_SIDED = int(TimeState.SEND), int(TimeState.ONE_SIDED)
    """First and last of the states in which a rank communicates."""


def take(  # noqa: PLR0913
    offsets: Ints,
    time: Ints,
    places: Indices,
    regions: Indices,
    row: Ints,
    enter: Ints,
    region: Indices,
    lines: OutIndices,
) -> None:
    """Find the lines of records that stand where calls begin.

    Parameters
    ----------
    offsets : int64, shape (rows + 1,)
        Where the records of each location begin.
    time : int64, shape (records,)
        When they are, in ticks.
    places, regions : int32, shape (records,)
        The line that each record tells, and the region that it is of; -1 for none,
        and for any.
    row, enter : int64, shape (calls,)
        Location and begin of each call.
    region : int32, shape (calls,)
    lines : int32, shape (calls,)
        Gets the line of each call of which a record tells one.
    """
    call: Int
    with cython.nogil:
        for call in range(len(row)):
            first, stop = offsets[row[call]], offsets[row[call] + 1]
            record: Int = first
            behind: Int = stop
            while record < behind:
                middle: Int = (record + behind) >> 1
                if time[middle] < enter[call]:
                    record = middle + 1
                else:
                    behind = middle
            # several records may be of one time: the last one that fits holds
            while record < stop and time[record] == enter[call]:
                if places[record] >= 0 and (
                    regions[record] < 0 or regions[record] == region[call]
                ):
                    lines[call] = places[record]
                record += 1


def summarise(
    sender: Indices, receiver: Indices, sent: Ints, received: Ints
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int32], NDArray[np.int64]]:
    """Find between which ranks and when the messages of each block are on their way.

    Parameters
    ----------
    sender, receiver : int32, shape (messages,)
    sent, received : int64, shape (messages,)
        When, in ticks; -1 where unknown.

    Returns
    -------
    begin, end : int64, shape (blocks,)
        First time that a message was sent, last that one was received, of those
        between different ranks that took time.
    ranks : int32, shape (blocks, 4)
        Lowest and highest sender, lowest and highest receiver.
    arrival : int64, shape (blocks, 2)
        First and last time that a message was received; never, if one was not.
    """
    count: Int = len(sender)
    blocks: Int = (count + MESSAGES_PER_BLOCK - 1) // MESSAGES_PER_BLOCK
    begins, ends = np.full(blocks, NEVER, np.int64), np.full(blocks, -1, np.int64)
    all_ranks = np.empty((blocks, 4), np.int32)
    arrivals = np.empty((blocks, 2), np.int64)
    begin: OutInts = begins
    end: OutInts = ends
    ranks: OutIndexRows = all_ranks
    arrival: OutIntRows = arrivals
    block: Int
    i: Int
    with cython.nogil:
        for block in range(blocks):
            first: Int = block * MESSAGES_PER_BLOCK
            low: Int = sender[first]
            high: Int = low
            lowest: Int = receiver[first]
            highest: Int = lowest
            begun: Int = NEVER
            ended: Int = -1
            soonest: Int = NEVER
            latest: Int = -1
            for i in range(first, min(first + MESSAGES_PER_BLOCK, count)):
                source: Int = sender[i]
                target: Int = receiver[i]
                low, high = min(low, source), max(high, source)
                lowest, highest = min(lowest, target), max(highest, target)
                soonest = min(soonest, received[i])
                latest = NEVER if received[i] < 0 else max(latest, received[i])
                if 0 <= sent[i] < received[i] and source != target:
                    begun, ended = min(begun, sent[i]), max(ended, received[i])
            begin[block], end[block] = begun, ended
            ranks[block, 0], ranks[block, 1] = low, high
            ranks[block, 2], ranks[block, 3] = lowest, highest
            arrival[block, 0], arrival[block, 1] = soonest, latest
    return begins, ends, all_ranks, arrivals


def sizes_and_tags(
    size: Ints, tag: Indices
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Find the extremes of sizes, and different tags in order of appearance.

    Parameters
    ----------
    size : int64, shape (messages,)
    tag : int32, shape (messages,)

    Returns
    -------
    int64, shape (2,), and int32, shape (tags,)
        The least and the most, 0 without any; at most `MAX_TAGS` tags.
    """
    sizes, tags = np.zeros(2, np.int64), np.empty(MAX_TAGS, np.int32)
    extremes: OutInts = sizes
    seen: OutIndices = tags
    count: Int = 0
    i: Int
    k: Int
    with cython.nogil:
        for i in range(len(size)):
            extremes[0] = size[i] if i == 0 else min(extremes[0], size[i])
            extremes[1] = max(extremes[1], size[i])
            # neighbours mostly have the same tag
            is_seen: Bool = count == MAX_TAGS or (
                count > 0 and seen[count - 1] == tag[i]
            )
            for k in range(count):
                if is_seen:
                    break
                is_seen = seen[k] == tag[i]
            if not is_seen:
                seen[count] = tag[i]
                count += 1
    return sizes, tags[:count]


def scan_part(  # noqa: PLR0913
    offsets: Ints,
    time: Ints,
    state: Bytes,
    begin: Int,
    end: Int,
    ranks: Int,
    every: Int,
    places: Ints,
    times: OutInts,
    ticks: OutIntRows,
    seen: OutBoolRows,
    extremes: OutInts,
) -> None:
    """Add up the time between sums, and look for extremes, in a part of a timeline.

    Parameters
    ----------
    offsets : int64, shape (rows + 1,)
        Where the intervals of each row begin.
    time : int64, shape (intervals,)
        When each begins, in ticks; the last of a row is where that ends.
    state : uint8, shape (intervals,)
    begin, end
        The intervals that are looked at.
    ranks
        Rows that are main threads of ranks: the first ones.
    every
        Intervals of a sum.
    places : int64, shape (rows + 1,)
        Where the sums of each row begin.
    times : int64, shape (sums,)
        Gets when each sum begins.
    ticks : int64, shape (sums, states)
        Gets the time from each sum to the next.
    seen : bool, shape (2, states)
        Gets which states main threads, and others, are in.
    extremes : int64, shape (2,)
        Begin of the first communication and end of the last one, -1 without any.
    """
    row: Int = search_right(offsets, begin) - 1
    i: Int = begin
    with cython.nogil:
        while i < end:
            first, stop = offsets[row], offsets[row + 1]
            has_sums: Bool = places[row + 1] > places[row]
            is_main: Bool = row < ranks
            others: Int = 0 if is_main else 1
            # the sum that an interval is in, and how many more of them are
            place: Int = 0
            left: Int = 0
            if has_sums:
                place = places[row] + (i - first) // every
                left = (every - (i - first) % every) % every
            last: Int = min(stop, end)
            while i < last:
                if has_sums:
                    if left == 0:
                        place = places[row] + (i - first) // every
                        times[place] = time[i]
                        left = every
                    left -= 1
                code: Int = state[i]
                length: Int = time[i + 1] - time[i] if i + 1 < stop else 0
                if has_sums:
                    ticks[place, code] += length
                seen[others, code] = True
                if SEND <= code <= ONE_SIDED:
                    if extremes[0] < 0 or time[i] < extremes[0]:
                        extremes[0] = time[i]
                    extremes[1] = max(extremes[1], time[i] + length)
                i += 1
            if has_sums and stop <= end:
                times[places[row + 1] - 1] = time[stop - 1]
            row += 1


def cumulate(offsets: Ints, ticks: OutIntRows) -> None:
    """Turn time from each sum to the next into time from the row's begin.

    Parameters
    ----------
    offsets : int64, shape (rows + 1,)
        Where the sums of each row begin.
    ticks : int64, shape (sums, states)
        Changed in place.
    """
    states: Int = ticks.shape[1]
    total: OutInts = np.zeros(states, np.int64)
    row: Int
    place: Int
    code: Int
    with cython.nogil:
        for row in range(len(offsets) - 1):
            for code in range(states):
                total[code] = 0
            for place in range(offsets[row], offsets[row + 1]):
                for code in range(states):
                    length: Int = ticks[place, code]
                    ticks[place, code] = total[code]
                    total[code] += length


def find_visits(time: Ints, region: Indices, regions: Int) -> OutIntRows:
    """Find when a thread is first in each region, and last.

    Parameters
    ----------
    time : int64, shape (intervals,)
        When each begins, in ticks; the last one is where they end.
    region : int32, shape (intervals,)
        -1 for none.

    Returns
    -------
    int64, shape (regions, 2)
        Begin and end, -1 of regions that it is never in.
    """
    first: OutInts = np.full(regions, NEVER, np.int64)
    last: OutInts = np.full(regions, -1, np.int64)
    visits = np.empty((regions, 2), np.int64)
    visit: OutIntRows = visits
    number: Int
    i: Int
    with cython.nogil:
        for i in range(len(time) - 1):
            number = region[i]
            if number < 0:
                continue
            if time[i] < first[number]:
                first[number] = time[i]
            if time[i + 1] > last[number]:
                last[number] = time[i + 1]
        for number in range(regions):
            visit[number, 0] = -1 if first[number] == NEVER else first[number]
            visit[number, 1] = last[number]
    return visits


def sum_calls(  # noqa: PLR0913
    offsets: Ints,
    rank: Ints,
    region: Indices,
    operations: Indices,
    enter: Ints,
    leave: Ints,
    window: Pair,
    counts: OutIntRows,
    ticks: OutIntRows,
) -> None:
    """Count calls that begin in a window, and add up the time that calls take in it.

    Parameters
    ----------
    offsets : int64, shape (rows + 1,)
        Where the calls of each location begin.
    rank : int64, shape (rows,)
        Rank of each location; -1 for none: its calls do not count.
    region : int32, shape (calls,)
        -1 for none.
    operations : int32, shape (regions,)
        Operation of each region, -1 for none.
    enter, leave : int64, shape (calls,)
        In ticks; of calls within others either may be the later one.
    window
        Begin and end in ticks.
    counts, ticks : int64, shape (ranks, operations)
        Get what is added.
    """
    row: Int
    call: Int
    with cython.nogil:
        for row in range(len(offsets) - 1):
            if rank[row] < 0:
                continue
            for call in range(offsets[row], offsets[row + 1]):
                if enter[call] >= window[1]:
                    break
                number: Int = region[call]
                operation: Int = operations[number] if number >= 0 else -1
                if operation >= 0 and leave[call] >= window[0]:
                    counts[rank[row], operation] += enter[call] >= window[0]
                    spent: Int = min(leave[call], window[1]) - max(
                        enter[call], window[0]
                    )
                    ticks[rank[row], operation] += max(spent, 0)
