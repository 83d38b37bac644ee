"""Kernels of the timeline: states of pixels, call stacks, what is under way.

A loop finds the states of a row's pixels from each interval of the row or, where there
are very many, from sums of time by state; `plan_rows` says which loop does.
"""

from typing import Final

import numba
import numpy as np

from topoview.base.kernels import kernel
from topoview.model import MESSAGES_PER_BLOCK, Bytes, Floats, Indices, Ints, MPIState

MAX_DEPTH: Final = 64
"""Regions within each other that are told apart: those deeper are left out."""


STATE_COUNT: Final = len(MPIState)


SCAN_INTERVALS: Final = -1
"""Instead of a level: each interval of the row is looked at."""


SAMPLE_STATES: Final = -2
"""Instead of a level: a pixel counts as the state in its middle."""


MIN_SUMS_PER_PIXEL: Final = 2
"""Sums within a pixel, on average, from which on they are faster than intervals."""


MIN_PREVIEW_SUMS_PER_PIXEL: Final = 4
"""Sums within a pixel at which a level is fine enough for a preview."""


SumColumns = tuple[int, Ints, Ints, Ints, Bytes]
"""Fields of `StateSums`, as compiled code takes them."""


@kernel
def spans(  # noqa: C901, PLR0913 - a state machine
    time: Ints,
    region: Indices,
    until: int,
    enter: Ints,
    called: Indices,
    path: Indices,
    parent: Indices,
    of_path: Indices,
) -> tuple[Ints, Ints, Ints, Ints]:
    room = 4 * len(time) + 4 * MAX_DEPTH
    begins, ends = np.empty(room, np.int64), np.empty(room, np.int64)
    depths, regions = np.empty(room, np.int64), np.empty(room, np.int64)
    count = 0
    stack, since = np.empty(MAX_DEPTH, np.int64), np.empty(MAX_DEPTH, np.int64)
    target, size = np.empty(MAX_DEPTH, np.int64), 0
    wanted = 0
    depth, call = 0, 0
    for i in range(len(time) + 1):
        now = until if i == len(time) else time[i]
        wanted, is_call = 0, False
        if i < len(time):
            while call < len(enter) and enter[call] < now:
                call += 1
            # What is open at the next call: its path, and at the call itself the call.
            size = 0
            if call < len(enter):
                at = np.int64(path[call])
                while at > 0:
                    size += 1
                    at = np.int64(parent[at])
                at, k = np.int64(path[call]), size
                size = min(size, MAX_DEPTH - 2)
                while at > 0:
                    k -= 1
                    if k < MAX_DEPTH - 2:
                        target[k] = of_path[at]
                    at = np.int64(parent[at])
                is_call = enter[call] == now and called[call] == region[i]
            if is_call:
                target[size] = region[i]
                wanted = size + 1
            elif region[i] >= 0:
                wanted = -1
                for k in range(size - 1, -1, -1):  # it leads to the next call
                    if target[k] == region[i]:
                        wanted = k + 1
                        break
                if wanted < 0:
                    for k in range(depth - 1, -1, -1):  # it was open: others are left
                        if stack[k] == region[i]:
                            wanted = k + 1
                            break
                    for k in range(wanted):
                        target[k] = stack[k]
                if wanted < 0:  # it is entered
                    common = min(depth, MAX_DEPTH - 2)
                    for k in range(common):
                        target[k] = stack[k]
                    target[common] = region[i]
                    wanted = common + 1
        same = 0
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
    return begins[:count], ends[:count], depths[:count], regions[:count]


@kernel
def add_under_way(  # noqa: PLR0913
    begins: Ints,
    ends: Ints,
    sent: Ints,
    received: Ints,
    size: Ints,
    begin: int,
    end: int,
    count: Floats,
    bytes_: Floats,
) -> None:
    width, span = len(count), end - begin
    whole = np.zeros((width + 1, 2), np.int64)
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
                bytes_[low] += float(right - left) * size[i]
                continue
            head, tail = (low + 1) * span - left, right - high * span
            count[low] += head
            bytes_[low] += float(head) * size[i]
            if high < width:
                count[high] += tail
                bytes_[high] += float(tail) * size[i]
            whole[low + 1, 0] += 1
            whole[high, 0] -= 1
            whole[low + 1, 1] += size[i]
            whole[high, 1] -= size[i]
    now, now_bytes = 0, 0
    for x in range(width):
        now += whole[x, 0]
        now_bytes += whole[x, 1]
        count[x] += float(now) * span
        bytes_[x] += float(now_bytes) * span


@kernel
def interval_at(time: Ints, low: int, high: int, ticks: int) -> int:
    """Last index in [low, high) whose time is not after `ticks`, else `low`."""
    while high - low > 1:
        middle = (low + high) >> 1
        if time[middle] <= ticks:
            low = middle
        else:
            high = middle
    return low


@numba.njit(nogil=True, forceinline=True)
def add_state_times(  # noqa: PLR0913
    time: Ints,
    state: Bytes,
    at: int,
    stop: int,
    begin: int,
    since: int,
    until: int,
    width: int,
    spent: Ints,
) -> int:
    """Add up the time by state between two moments, from an interval on.

    Times within the window are counted in ticks / width from its begin: pixel x lasts
    from x * span to (x + 1) * span, and all sums are exact integers.

    Returns
    -------
    int
        The interval of the second moment.
    """
    tick = begin + until // width
    while at + 1 < stop and time[at + 1] <= tick:
        change = (time[at + 1] - begin) * width
        spent[state[at]] += change - since
        since = change
        at += 1
    spent[state[at]] += until - since
    return at


@numba.njit(nogil=True, forceinline=True)
def longest_state(spent: Ints) -> int:
    """Find the state that has most time; of equal ones that of the higher code."""
    best = 0
    for code in range(STATE_COUNT):
        if spent[code] >= spent[best]:
            best = code
    return best


@kernel
def dominant_states(  # noqa: PLR0913
    offsets: Ints,
    time: Ints,
    state: Bytes,
    rows: Indices,
    bounds: Ints,
    begin: int,
    end: int,
    out: Bytes,
) -> None:
    """Find the state that rows of a band have most of in each pixel."""
    bands, width = out.shape
    span = end - begin
    weight = np.zeros(STATE_COUNT, np.int64)
    ticks = np.zeros((0, STATE_COUNT), np.int64)
    for band in range(bands):
        first = bounds[band]
        if bounds[band + 1] - first > 1:
            if not len(ticks):
                ticks = np.zeros((width, STATE_COUNT), np.int64)
            ticks[:] = 0
            own = rows[first : bounds[band + 1]]
            add_state_ticks(offsets, time, state, own, begin, end, ticks)
            for x in range(width):
                out[band, x] = longest_state(ticks[x])
            continue
        stop = offsets[rows[first] + 1]
        at = interval_at(time, offsets[rows[first]], stop, begin)
        for x in range(width):
            left = x * span
            right = left + span
            if at + 1 >= stop or time[at + 1] > begin + right // width:
                out[band, x] = state[at]
                continue
            at = add_state_times(
                time, state, at, stop, begin, left, right, width, weight
            )
            out[band, x] = longest_state(weight)
            weight[:] = 0


@kernel
def add_state_ticks(  # noqa: PLR0913
    offsets: Ints,
    time: Ints,
    state: Bytes,
    rows: Indices,
    begin: int,
    end: int,
    ticks: Ints,
) -> None:
    """Add up the time by state in each pixel, in ticks / width."""
    whole = np.zeros((len(ticks) + 1, STATE_COUNT), np.int64)
    for row in rows:
        low, stop = offsets[row], offsets[row + 1]
        add_row_ticks(time, state, low, stop, begin, end, ticks, whole)
    add_whole_pixels(whole, end - begin, ticks)


@numba.njit(nogil=True, forceinline=True)
def add_row_ticks(  # noqa: PLR0913
    time: Ints,
    state: Bytes,
    low: int,
    stop: int,
    begin: int,
    end: int,
    ticks: Ints,
    whole: Ints,
) -> None:
    """Add the time of a row by state, as far as its intervals end within pixels.

    Pixels that an interval covers from edge to edge are counted by differences:
    where they begin `whole` grows by one, where they end it shrinks. So an interval
    costs the same however long it is.
    """
    width, span = len(ticks), end - begin
    i = interval_at(time, low, stop, begin)
    limit = width * span
    pixel, edge, since = 0, span, 0
    while since < limit:
        until = limit
        if i + 1 < stop and time[i + 1] < end:
            until = (time[i + 1] - begin) * width
        code = state[i]
        if until <= edge:
            ticks[pixel, code] += until - since
        else:
            ticks[pixel, code] += edge - since
            last = until // span
            whole[pixel + 1, code] += 1
            whole[last, code] -= 1
            if last < width:
                ticks[last, code] += until - last * span
            pixel, edge = last, (last + 1) * span
        since = until
        i += 1


@kernel
def add_whole_pixels(whole: Ints, span: int, ticks: Ints) -> None:
    """Add the time of the pixels that intervals cover from edge to edge."""
    for code in range(STATE_COUNT):
        count = 0
        for x in range(len(ticks)):
            count += whole[x, code]
            ticks[x, code] += count * span


@kernel
def mark_spans(  # noqa: PLR0913
    offsets: Ints,
    enter: Ints,
    leave: Ints,
    state: Bytes,
    rows: Indices,
    bounds: Ints,
    begin: int,
    end: int,
    out: Bytes,
) -> None:
    """Mark the pixels that spans lie in with the state of the last one."""
    bands, width = out.shape
    span = end - begin
    for band in range(bands):
        for k in range(bounds[band], bounds[band + 1]):
            row = rows[k]
            if offsets[row] == offsets[row + 1]:
                continue
            i = interval_at(leave, offsets[row], offsets[row + 1], begin)
            while i < offsets[row + 1] and enter[i] < end:
                if leave[i] > begin or enter[i] >= begin:
                    first = max(0, (enter[i] - begin) * width // span)
                    last = (leave[i] - begin) * width - 1
                    last = min(width - 1, max(first, last // span))
                    out[band, first : last + 1] = state[i]
                i += 1


@kernel
def plan_rows(  # noqa: PLR0913
    offsets: Ints,
    time: Ints,
    rows: Indices,
    sums: SumColumns,
    window: tuple[int, int],
    width: int,
    rough: bool,
) -> tuple[Ints, Ints]:
    """Decide for each row which level of sums makes its pixels, and what that costs."""
    every, places, begins, _, _ = sums
    levels = len(places)
    level, cost = np.full(len(rows), SCAN_INTERVALS), np.empty(len(rows), np.int64)
    for k in range(len(rows)):
        row = rows[k]
        seen = 0
        if rough:
            for up in range(levels - 1, -1, -1):
                seen = count_sums(begins, places[up, row], places[up, row + 1], window)
                if seen >= (MIN_PREVIEW_SUMS_PER_PIXEL if up else 1) * width:
                    level[k], cost[k] = up, width
                    break
        if level[k] != SCAN_INTERVALS:
            continue
        first, stop = places[0, row], places[0, row + 1]
        if stop > first:
            seen = count_sums(begins, first, stop, window)
            if seen >= MIN_SUMS_PER_PIXEL * width:
                level[k], cost[k] = 0, width * every // 2
            else:
                cost[k] = seen * every + width
        else:
            low, high = offsets[row], offsets[row + 1]
            seen = interval_at(time, low, high, window[1])
            cost[k] = seen - interval_at(time, low, high, window[0]) + 1 + width
    return level, cost


@kernel
def count_sums(begins: Ints, first: int, stop: int, window: tuple[int, int]) -> int:
    """Count the sums of a row in a window."""
    if stop <= first:
        return 0
    last = interval_at(begins, first, stop, window[1])
    return last - interval_at(begins, first, stop, window[0])


@kernel
def interval_ranges(  # noqa: PLR0913
    offsets: Ints,
    places: Ints,
    begins: Ints,
    every: int,
    rows: Indices,
    window: tuple[int, int],
) -> tuple[Ints, Ints]:
    """Where the intervals of rows lie that are in a window, and some around."""
    first, stop = np.empty(len(rows), np.int64), np.empty(len(rows), np.int64)
    for k in range(len(rows)):
        row = rows[k]
        low, high = places[0, row], places[0, row + 1]
        first[k], stop[k] = offsets[row], offsets[row + 1]
        if high > low:
            since = interval_at(begins, low, high, window[0]) - low
            until = interval_at(begins, low, high, window[1]) - low + 1
            first[k] = min(first[k] + since * every, stop[k] - 1)
            stop[k] = min(offsets[row] + until * every, stop[k])
    return first, stop


@kernel
def dominant_states_summed(  # noqa: PLR0913
    offsets: Ints,
    time: Ints,
    state: Bytes,
    rows: Indices,
    bounds: Ints,
    begin: int,
    end: int,
    sums: SumColumns,
    level: Ints,
    rough: bool,
    out: Bytes,
) -> None:
    """Find the state that has most of each pixel, as `dominant` does."""
    bands, width = out.shape
    ticks = np.empty((width, STATE_COUNT), np.int64)
    for band in range(bands):
        ticks[:] = 0
        own = slice(bounds[band], bounds[band + 1])
        add_summed_ticks(
            *(offsets, time, state, rows[own], begin, end),
            *(sums, level[own], rough, ticks),
        )
        for x in range(width):
            out[band, x] = longest_state(ticks[x])


@kernel
def add_summed_ticks(  # noqa: PLR0913
    offsets: Ints,
    time: Ints,
    state: Bytes,
    rows: Indices,
    begin: int,
    end: int,
    sums: SumColumns,
    level: Ints,
    rough: bool,
    ticks: Ints,
) -> None:
    """Add up the time by state in each pixel, as `add_state_ticks` does."""
    whole = np.zeros((len(ticks) + 1, STATE_COUNT), np.int64)
    for k in range(len(rows)):
        row = rows[k]
        own = offsets[row], offsets[row + 1]
        if level[k] == SCAN_INTERVALS:
            add_row_ticks(time, state, own[0], own[1], begin, end, ticks, whole)
            continue
        if level[k] == SAMPLE_STATES:
            add_samples(time, state, own, begin, end, ticks)
            continue
        places = sums[1][level[k], row], sums[1][level[k], row + 1]
        if rough:
            add_preview(state[own[1] - 1], begin, end, sums, places, ticks)
        else:
            add_exact(time, state, own, begin, end, sums, places, ticks)
    add_whole_pixels(whole, end - begin, ticks)


@kernel
def last_begun(begins: Ints, at: int, stop: int, ticks: int) -> int:
    """Last place from `at` on that begins by a time: near ones are found soon."""
    step = 1
    while at + step < stop and begins[at + step] <= ticks:
        at += step
        step *= 2
    return interval_at(begins, at, min(at + step, stop), ticks)


@kernel
def add_samples(  # noqa: PLR0913
    time: Ints,
    state: Bytes,
    own: tuple[int, int],
    begin: int,
    end: int,
    ticks: Ints,
) -> None:
    width, span, at = len(ticks), end - begin, own[0]
    for x in range(width):
        middle = begin + (2 * x + 1) * span // (2 * width)
        at = last_begun(time, at, own[1], middle)
        ticks[x, state[at]] += span


@kernel
def add_exact(  # noqa: PLR0913
    time: Ints,
    state: Bytes,
    own: tuple[int, int],
    begin: int,
    end: int,
    sums: SumColumns,
    places: tuple[int, int],
    ticks: Ints,
) -> None:
    # Times are counted in ticks / width, as in `add_state_times`. What is summed up to
    # an edge may wrap around, its difference to the edge before does not.
    every, _, begins, summed, states = sums
    width, span = len(ticks), end - begin
    before, now = np.zeros(STATE_COUNT, np.int64), np.zeros(STATE_COUNT, np.int64)
    at = places[0]
    for x in range(width + 1):
        edge = x * span
        tick = begin + edge // width
        at = last_begun(begins, at, places[1], tick)
        now[:] = 0
        for k in range(len(states)):
            now[states[k]] = summed[at, k] * width
        i = own[1] - 1
        if at < places[1] - 1:
            i = own[0] + (at - places[0]) * every
        since = (begins[at] - begin) * width
        add_state_times(time, state, i, own[1], begin, since, edge, width, now)
        if x:
            for code in range(STATE_COUNT):
                ticks[x - 1, code] += now[code] - before[code]
        for code in range(STATE_COUNT):
            before[code] = now[code]


@kernel
def add_preview(  # noqa: PLR0913
    last: int,
    begin: int,
    end: int,
    sums: SumColumns,
    places: tuple[int, int],
    ticks: Ints,
) -> None:
    _, _, begins, summed, states = sums
    width, span = len(ticks), end - begin
    before, now = np.zeros(STATE_COUNT), np.zeros(STATE_COUNT)
    at = places[0]
    for x in range(width + 1):
        tick = begin + x * span / width
        at = last_begun(begins, at, places[1], int(tick))
        now[:] = 0.0
        into = tick - begins[at]
        if at == places[1] - 1:
            now[last] = into
        else:
            length = begins[at + 1] - begins[at]
            for k in range(len(states)):
                grown = summed[at + 1, k] - summed[at, k]
                now[states[k]] = grown * (into / length)
        for k in range(len(states)):
            now[states[k]] += summed[at, k]
        if x:
            for code in range(STATE_COUNT):
                ticks[x - 1, code] += np.int64((now[code] - before[code]) * width)
        for code in range(STATE_COUNT):
            before[code] = now[code]
