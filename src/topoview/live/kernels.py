"""Kernels that look up states, calls and messages of a moment, a window, a selection.

Of each row of a trace they read what lies in the window: a binary search, and a scan.
"""

import cython
import numpy as np

if not cython.compiled:
    from math import ceil

    from numpy.typing import NDArray

    from topoview.base.kinds import *
    from topoview.model import MESSAGES_PER_BLOCK

    CALLS_PER_BLOCK = 1 << 18
    """Calls whose bytes are summed up together."""

    ROWS_PER_BLOCK = 4096
    """Rows that are searched together."""

    LAST_TIME = (1 << 63) - 1
    """Until when a row stays behind its last number."""


# Searches.


def first_from(time: Ints, low: Int, stop: Int, ticks: Int) -> Int:
    """Find the first place in [low, stop) from a time on, else `stop`."""
    while low < stop:
        middle = (low + stop) >> 1
        if time[middle] < ticks:
            low = middle + 1
        else:
            stop = middle
    return low


def first_after(time: Ints, low: Int, stop: Int, ticks: Int) -> Int:
    """Find the first place in [low, stop) after a time, else `stop`."""
    while low < stop:
        middle = (low + stop) >> 1
        if time[middle] <= ticks:
            low = middle + 1
        else:
            stop = middle
    return low


@cython.cdivision(True)
def changes(
    offsets: Ints, time: Ints, window: Pair, steps: Int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Find the first and the last change in each step of a window.

    Parameters
    ----------
    offsets : int64, shape (rows + 1,)
        Where the intervals of each row are.
    time : int64, shape (intervals,)
        Their begins in ticks, ascending within a row.
    window
        Begin and end in ticks.
    steps
        Number of equal steps of the window.

    Returns
    -------
    first, last : int64, shape (steps + 2,)
        In ticks, -1 where there is none. The last change before the window and the
        first one after it have steps of their own.
    """
    all_first = np.full(steps + 2, -1, np.int64)
    all_last = np.full(steps + 2, -1, np.int64)
    first: OutInts = all_first
    last: OutInts = all_last
    begin, end = window[0], window[1]
    wide = cython.cast(Float, end - begin) / steps
    row: Int
    with cython.nogil:
        for row in range(len(offsets) - 1):
            stop = offsets[row + 1]
            i = first_from(time, offsets[row], stop, begin)
            if i > offsets[row]:
                last[0] = max(last[0], time[i - 1])
                first[0] = max(first[0], time[i - 1])
            while i < stop and time[i] < end:
                step: Int = min(
                    cython.cast(Int, (time[i] - begin) / wide),
                    steps - 1,
                )
                limit = end
                if step < steps - 1:
                    limit = cython.cast(Int, begin + ceil((step + 1) * wide))
                if first[step + 1] < 0 or time[i] < first[step + 1]:
                    first[step + 1] = time[i]
                # rounding may put the step's end before the change that is in it
                i = max(first_from(time, i, stop, limit), i + 1)
                last[step + 1] = max(last[step + 1], time[i - 1])
            if i < stop and (first[steps + 1] < 0 or time[i] < first[steps + 1]):
                first[steps + 1] = last[steps + 1] = time[i]
    return all_first, all_last


def last_until(time: Ints, low: Int, first: Int, stop: Int, ticks: Int) -> Int:
    """Find the last place in [first, stop) up to a time, else one less than `first`.

    From `low` on steps are doubled until it is passed (Bentley and Yao 1976, unbounded
    searching), then halved.
    """
    step: Int = 1
    if first <= low < stop and time[low] > ticks:
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
    return low


def search_times(  # noqa: PLR0913
    offsets: Ints,
    time: Ints,
    near: Ints,
    ticks: Int,
    until: OutInts,
    place: OutInts,
    searched: OutIndices,
    within: Bool,
) -> int:
    """Find the last number of each row that is not above one, searching from `near`.

    Parameters
    ----------
    offsets : int64, shape (rows + 1,)
        Where the numbers of each row are.
    time : int64, shape (numbers,)
        Ascending within a row.
    near : int64, shape (rows,)
        A place in each row, or one less than its first.
    ticks
        The number.
    until : int64, shape (rows,)
        It is `near` where this is above `ticks`; else this gets the next number.
    place : int64, shape (rows,)
        Gets the places: where there is none one less than the row's first, or this if
        it is to be `within`.
    searched : int32, shape (rows,)
        Gets the rows that need not be where they were, at its beginning.

    Returns
    -------
    int
        How many these are.
    """
    rows: Int = len(near)
    many: Int = len(time)
    block: Int = 0
    count: Int = 0
    row: Int
    k: Int
    coming: OutInts = np.empty(ROWS_PER_BLOCK, np.int64)
    with cython.nogil:
        while block < rows:
            end = min(block + ROWS_PER_BLOCK, rows)
            begun = count
            for row in range(block, end):
                place[row] = near[row]
                searched[count] = cython.cast(cython.int, row)
                if until[row] <= ticks:
                    count += 1
            # of many at once: none waits until memory has answered for another
            for k in range(begun, count if many else begun):
                coming[k - begun] = time[min(near[searched[k]] + 2, many - 1)]
            for k in range(begun, count):
                row = searched[k]
                first, stop, low = offsets[row], offsets[row + 1], near[row]
                soon = coming[k - begun]
                if first <= low < stop - 2 and time[low + 1] <= ticks < soon:
                    place[row], until[row] = low + 1, soon
                    continue
                low = last_until(time, low, first, stop, ticks)
                until[row] = time[low + 1] if low + 1 < stop else LAST_TIME
                place[row] = max(low, first) if within else low
            block = end
    return count


# States.


def add_states(
    offsets: Ints, time: Ints, state: Bytes, window: Pair, ticks: OutIntRows
) -> None:
    """Add up the time of each row in a window by state.

    Parameters
    ----------
    offsets, time
        As of `changes`.
    state : uint8, shape (intervals,)
        Their `TimeState`.
    window
        Begin and end in ticks.
    ticks : int64, shape (rows, states)
        What is added to; the first rows count.
    """
    begin, end = window[0], window[1]
    row: Int
    i: Int
    with cython.nogil:
        for row in range(len(ticks)):
            low, stop = offsets[row], offsets[row + 1]
            i = max(first_after(time, low, stop, begin) - 1, low)
            while i < stop and time[i] < end:
                until = end if i + 1 == stop else min(time[i + 1], end)
                ticks[row, state[i]] += max(until - max(time[i], begin), 0)
                i += 1


def longest_state(offsets: Ints, time: Ints, state: Bytes, wanted: Bools) -> Int:
    """Find the length of the longest interval in some states, in ticks.

    Parameters
    ----------
    offsets, time, state
        As of `add_states`; the last interval of a row does not count.
    wanted : bool, shape (states,)
    """
    longest: Int = 0
    row: Int
    i: Int
    with cython.nogil:
        for row in range(len(offsets) - 1):
            for i in range(offsets[row], offsets[row + 1] - 1):
                # times 0 or 1: a branch would often be guessed wrong
                longest = max(longest, (time[i + 1] - time[i]) * wanted[state[i]])
    return longest


def foremost(state: Bytes, before: Int, now: Int, priority: Bytes) -> Int:
    """Find the interval of the foremost state of some, the latest of equals."""
    best = now
    i: Int
    for i in range(now - 1, before - 1, -1):
        if priority[state[i]] > priority[state[best]]:
            best = i
    return best


def foremost_intervals(
    state: Bytes, before: Ints, now: Ints, priority: Bytes, interval: OutInts
) -> None:
    """Find the interval of the foremost state since a time in each row.

    Parameters
    ----------
    state : uint8, shape (intervals,)
        `TimeState`.
    before, now : int64, shape (rows,)
        The intervals that each row was in then, and is in now.
    priority : uint8, shape (states,)
        The foremost state has the highest.
    interval : int64, shape (rows,)
        Gets the intervals: the latest of equals.
    """
    row: Int
    with cython.nogil:
        for row in range(len(now)):
            interval[row] = foremost(state, before[row], now[row], priority)


def renew_states(  # noqa: PLR0913
    state: Bytes,
    before: Ints,
    now: Ints,
    priority: Bytes,
    moved: Indices,
    code: OutBytes,
    shown: OutBytes,
) -> None:
    """Look up the states of rows that have moved, and the foremost on the way.

    Parameters
    ----------
    state, before, now, priority
        As of `foremost_intervals`.
    moved : int32, shape (n,)
        The rows.
    code, shown : uint8, shape (rows,)
        Get the states that they are in now, and the foremost.
    """
    k: Int
    row: Int
    with cython.nogil:
        for k in range(len(moved)):
            row = moved[k]
            code[row] = state[now[row]]
        for k in range(len(moved)):
            row = moved[k]
            shown[row] = code[row]
            if now[row] > before[row]:
                shown[row] = state[foremost(state, before[row], now[row], priority)]


def count_codes(code: Bytes, count: OutInts) -> None:
    """Count codes, which are less than there are counts: uint8, shape (rows,)."""
    row: Int
    k: Int
    rows: Int = len(code)
    whole: Int = rows - rows % 4
    # four counts in turn: equal codes in a row need not wait for each other
    some: OutIntRows = np.zeros((4, len(count)), np.int64)
    with cython.nogil:
        for row in range(0, whole, 4):
            some[0, code[row]] += 1
            some[1, code[row + 1]] += 1
            some[2, code[row + 2]] += 1
            some[3, code[row + 3]] += 1
        for row in range(whole, rows):
            some[0, code[row]] += 1
        for k in range(len(count)):
            count[k] += some[0, k] + some[1, k] + some[2, k] + some[3, k]


# Calls.


def inside_calls(
    offsets: Ints, leave: Ints, call: Ints, ticks: Int, inside: OutBools
) -> None:
    """Find whether each row is still in a call of its own: int64, bool, shape (rows,).

    One before its first is none.
    """
    row: Int
    some: Int = len(call) if len(leave) else 0
    with cython.nogil:
        for row in range(some):
            goes_on: Int = leave[max(call[row], 0)] > ticks
            inside[row] = goes_on & (call[row] >= offsets[row])


def count_statements(
    offsets: Ints, statement: Indices, call: Ints, inside: Bools, count: OutIntRows
) -> None:
    """Count the rows in calls of each statement, and after them.

    Parameters
    ----------
    offsets : int64, shape (rows,)
        The first call of each row.
    statement : int32, shape (calls,)
        -1 for none.
    call : int64, shape (rows,)
        The one entered last; before the row's first if none was.
    inside : bool, shape (rows,)
        Whether the row is still in it.
    count : int64, shape (2, statements + 1)
        What is added to: first for no statement.
    """
    row: Int
    with cython.nogil:
        for row in range(len(call)):
            if call[row] >= offsets[row]:
                past: Int = 0 if inside[row] else 1
                count[past, statement[call[row]] + 1] += 1


def add_waiting(
    offsets: Ints, enter: Ints, leave: Ints, until: Ints, window: Pair
) -> NDArray[np.int64]:
    """Add up how long the calls of each row waited in a window.

    Parameters
    ----------
    offsets : int64, shape (rows + 1,)
        Where the calls of each row are.
    enter, leave : int64, shape (calls,)
        Their begins and ends in ticks, both ascending within a row.
    until : int64, shape (calls,)
        When the partner was there.
    window
        Begin and end in ticks.

    Returns
    -------
    int64, shape (rows,)
        Ticks.
    """
    begin, end = window[0], window[1]
    result = np.zeros(len(offsets) - 1, np.int64)
    waited: OutInts = result
    row: Int
    with cython.nogil:
        for row in range(len(waited)):
            stop = offsets[row + 1]
            i = first_after(leave, offsets[row], stop, begin)
            while i < stop and enter[i] < end:
                last = min(until[i], leave[i], end)
                waited[row] += max(last - max(enter[i], begin), 0)
                i += 1
    return result


# Messages.


def in_flight(  # noqa: PLR0913
    begin: Ints,
    end: Ints,
    sender: Indices,
    receiver: Indices,
    sent: Ints,
    received: Ints,
    since: Int,
    ticks: Int,
) -> NDArray[np.int64]:
    """Find messages between two ranks that are under way between two moments.

    Parameters
    ----------
    begin, end : int64, shape (blocks,)
        First send and last receipt of each block of messages, in ticks.
    sender, receiver : int32, shape (messages,)
        Ranks.
    sent, received : int64, shape (messages,)
        In ticks, -1 where unknown.
    since, ticks
        The moments.

    Returns
    -------
    int64
        Their places, ascending.
    """
    blocks: Int = 0
    block: Int
    i: Int
    for block in range(len(begin)):
        blocks += begin[block] <= ticks and since < end[block]
    result = np.empty(blocks * MESSAGES_PER_BLOCK, np.int64)
    places: OutInts = result
    count: Int = 0
    with cython.nogil:
        for block in range(len(begin)):
            if begin[block] > ticks or since >= end[block]:
                continue
            first = block * MESSAGES_PER_BLOCK
            for i in range(first, min(first + MESSAGES_PER_BLOCK, len(sender))):
                # each is written, and kept if it counts: no branch is guessed wrong
                places[count] = i
                count += (
                    (sent[i] >= 0)
                    & (sent[i] <= ticks)
                    & (max(since, sent[i]) < received[i])
                    & (sender[i] != receiver[i])
                )
    return result[:count]


def sum_edges(  # noqa: PLR0913
    begin: Ints,
    end: Ints,
    sender: Indices,
    receiver: Indices,
    sent: Ints,
    size: Ints,
    keys: Ints,
    ranks: Int,
    window: Pair,
) -> NDArray[np.int64]:
    """Add up the bytes that pairs of ranks sent each other in a window.

    Parameters
    ----------
    begin, end, sender, receiver, sent
        As of `in_flight`.
    size : int64, shape (messages,)
        Bytes.
    keys : int64, shape (pairs,)
        ``lower rank * ranks + higher rank``, ascending.
    window
        Begin and end in ticks.

    Returns
    -------
    int64, shape (pairs,)
        Bytes.
    """
    result = np.zeros(len(keys), np.int64)
    volume: OutInts = result
    block: Int
    i: Int
    with cython.nogil:
        for block in range(len(begin)):
            if begin[block] >= window[1] or end[block] < window[0]:
                continue
            first = block * MESSAGES_PER_BLOCK
            for i in range(first, min(first + MESSAGES_PER_BLOCK, len(sender))):
                if not window[0] <= sent[i] < window[1]:
                    continue
                one: Int = sender[i]
                other: Int = receiver[i]
                key = min(one, other) * ranks + max(one, other)
                place = first_from(keys, 0, len(keys), key)
                if place < len(keys) and keys[place] == key:
                    volume[place] += size[i]
    return result


def mark_messages(  # noqa: PLR0913
    send_call: Ints,
    receive_call: Ints,
    completion_call: Ints,
    sender: Indices,
    receiver: Indices,
    sent: Ints,
    received: Ints,
    key: Indices,
    mask: Bools,
    window: Pair,
    chosen: Bools,
) -> NDArray[np.bool_]:
    """Find the messages in a window of some calls, and from or to some ranks.

    Parameters
    ----------
    send_call, receive_call, completion_call : int64, shape (messages,)
        The calls of each, -1 where unknown.
    sender, receiver : int32, shape (messages,)
        Ranks.
    sent, received : int64, shape (messages,)
        In ticks, -1 where unknown: it is in the window where it was sent or, where
        that is unknown, received.
    key : int32, shape (calls,)
        Statement, region or the like of each call, -1 without any.
    mask : bool
        Keys of the calls that count, and last False for those without; empty: all do.
    window
        Begin and end in ticks.
    chosen : bool
        Ranks that count; empty: all do.

    Returns
    -------
    bool, shape (messages,)
    """
    result = np.zeros(len(send_call), np.bool_)
    marked: OutBools = result
    i: Int
    with cython.nogil:
        for i in range(len(marked)):
            ticks = sent[i] if sent[i] >= 0 else received[i]
            if ticks < window[0] or ticks >= window[1]:
                continue
            if len(chosen) > 0 and not (
                is_chosen(chosen, sender[i]) or is_chosen(chosen, receiver[i])
            ):
                continue
            if len(mask) > 0 and not (
                is_marked(mask, key, send_call[i])
                or is_marked(mask, key, receive_call[i])
                or is_marked(mask, key, completion_call[i])
            ):
                continue
            marked[i] = True
    return result


def is_chosen(chosen: Bools, rank: Int) -> Bool:
    """Return whether a rank counts; one that does not exist does not."""
    return 0 <= rank < len(chosen) and chosen[rank]


def is_marked(mask: Bools, key: Indices, call: Int) -> Bool:
    """Return whether a call counts: not -1, an unknown one, nor one without a key."""
    return call >= 0 and mask[key[call] if key[call] >= 0 else len(mask) - 1]


def add_bytes(
    volume: OutInts, call: Ints, before: Ints, size: Ints, wanted: Bools
) -> None:
    """Add the bytes of messages to calls.

    Parameters
    ----------
    volume : int64, shape (calls,)
        What is added to.
    call : int64, shape (messages,)
        A call of each, -1 where unknown.
    before : int64
        A call of each that has its bytes already; empty: none.
    size : int64, shape (messages,)
        Bytes.
    wanted : bool
        Blocks of `CALLS_PER_BLOCK` calls that count.
    """
    i: Int
    with cython.nogil:
        for i in range(len(call)):
            to = call[i]
            if to < 0 or not wanted[to // CALLS_PER_BLOCK]:
                continue
            if len(before) == 0 or before[i] != to:
                volume[to] += size[i]


# Pairs of ranks.


def bin_pairs(  # noqa: PLR0913
    begins: Ints,
    columns: Indices,
    data: Floats,
    ranks: Indices,
    place: Indices,
    extract: Triple,
    cells: OutFloatRows,
) -> None:
    """Add up the numbers of pairs of ranks in the cells of a square picture.

    Parameters
    ----------
    begins : int64, shape (ranks + 1,)
    columns : int32, shape (pairs,)
    data : float64, shape (pairs,)
        A compressed sparse matrix, by rows.
    ranks, place : int32, shape (ranks,)
        The rank at each place, and the place of each rank.
    extract
        First column, first row, and how many of each are in the picture.
    cells : float64, shape (lines, lines)
        What is added to; what is below 0 counts as 0 where there is a pair.
    """
    left, top, count = extract[0], extract[1], extract[2]
    lines: Int = len(cells)
    row: Int
    k: Int
    with cython.nogil:
        for row in range(top, min(top + count, len(ranks))):
            rank = ranks[row]
            y = (row - top) * lines // count
            for k in range(begins[rank], begins[rank + 1]):
                column: Int = place[columns[k]] - left
                if 0 <= column < count:
                    x = column * lines // count
                    cells[y, x] = max(cells[y, x], 0.0) + data[k]
