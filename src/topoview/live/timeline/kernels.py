"""Kernels of the timeline: states of pixels, call stacks, what is under way.

A loop finds the states of a row's pixels from each interval of the row or, where there
are very many, from sums of time by state; `plan_rows` says which loop does.

Within a window times are counted in ticks / width from its begin: pixel x lasts from
x * span to (x + 1) * span, and all sums of time are exact integers.
"""

import cython
import numpy as np

if not cython.compiled:
    from numpy.typing import NDArray

    from topoview.base.kinds import *
    from topoview.model import TimeState

    STATE_COUNT = len(TimeState)

    SCAN_INTERVALS = -1
    """Instead of a level: each interval of the row is looked at."""

    SAMPLE_STATES = -2
    """Instead of a level: a pixel counts as the state in its middle."""

    CODE_BITS = 5
    """Bits that a state's code has room in, beside its time."""

    MIN_SUMS_PER_PIXEL = 2
    """Sums within a pixel, on average, from which on they beat intervals."""

    MIN_PREVIEW_SUMS_PER_PIXEL = 4
    """Sums within a pixel at which a level is fine enough for a preview."""


class Sums:
    """The columns of `topoview.model.StateSums`, as kernels take them."""

    def __init__(
        self, every: Int, places: IntRows, begins: Ints, ticks: IntRows, states: Bytes
    ) -> None:
        self.every = every
        self.places = places
        self.begins = begins
        self.ticks = ticks
        self.states = states


# Searches.


def interval_at(time: Ints, low: Int, high: Int, ticks: Int) -> Int:
    """Find the last place in [low, high) by a time, else `low`."""
    # As many steps for all times, and no branch, which would be guessed wrong.
    left = high - low
    while left > 1:
        middle = low + (left >> 1)
        low = middle if time[middle] <= ticks else low
        left -= left >> 1
    return low


def interval_near(time: Ints, low: Int, high: Int, place: Int, ticks: Int) -> Int:
    """Find what `interval_at` does, soon where it is near the given place of a row."""
    near = min(low + place, high - 1)
    step: Int = 1
    if time[near] <= ticks:
        while near + step < high and time[near + step] <= ticks:
            near += step
            step *= 2
        return interval_at(time, near, min(near + step, high), ticks)
    while near - step > low and time[near - step] > ticks:
        near -= step
        step *= 2
    return interval_at(time, max(near - step, low), near, ticks)


def last_begun(begins: Ints, first: Int, stop: Int, ticks: Int) -> Int:
    """Find the last place from `first` on that begins by a time, near ones soon."""
    step: Int = 1
    while first + step < stop and begins[first + step] <= ticks:
        first += step
        step *= 2
    # Branches are guessed well here: places are about as far apart as the ones before.
    stop = min(first + step, stop)
    while stop - first > 1:
        middle = (first + stop) >> 1
        if begins[middle] <= ticks:
            first = middle
        else:
            stop = middle
    return first


# States of pixels, from intervals.


def longest_state(spent: OutInts) -> Int:
    """Find the state that has most time; of equal ones that of the higher code."""
    best: Int = 0
    most = spent[0]
    code: Int
    for code in range(1, STATE_COUNT):
        # all bits where it is more: a branch would often be guessed wrong
        more: Int = -cython.cast(Int, spent[code] >= most)
        most = max(most, spent[code])
        best ^= (best ^ code) & more
    return best


def add_state_times(  # noqa: PLR0913
    time: Ints,
    state: Bytes,
    i: Int,
    stop: Int,
    begin: Int,
    since: Int,
    until: Int,
    tick: Int,
    width: Int,
    spent: OutInts,
) -> Int:
    """Add up the time by state between two moments, from interval `i` on.

    `tick` is ``begin + until // width``. Returns the interval of the second moment.
    """
    while i + 1 < stop and time[i + 1] <= tick:
        change = (time[i + 1] - begin) * width
        spent[state[i]] += change - since
        since = change
        i += 1
    spent[state[i]] += until - since
    return i


def dominant_states(  # noqa: PLR0913
    offsets: Ints,
    time: Ints,
    state: Bytes,
    rows: Indices,
    bounds: Ints,
    begin: Int,
    end: Int,
    out: OutByteRows,
) -> None:
    """Find the state that rows of a band have most of in each pixel.

    Parameters
    ----------
    offsets : int64, shape (all rows + 1,)
        Where the intervals of each row are.
    time : int64, shape (intervals,)
        Their begins in ticks, ascending within a row.
    state : uint8, shape (intervals,)
        Their `TimeState`.
    rows : int32, shape (n,)
        The rows drawn.
    bounds : int64, shape (bands + 1,)
        Which of them each band holds, at least one.
    begin, end
        The window in ticks.
    out : uint8, shape (bands, width)
        Gets the states.
    """
    bands: Int = out.shape[0]
    width: Int = out.shape[1]
    band: Int
    k: Int
    shared: Bool = False
    for band in range(bands):
        shared |= bounds[band + 1] - bounds[band] > 1
    spent: OutInts = np.zeros(STATE_COUNT, np.int64)
    size: Int = width if shared else 0
    ticks: OutIntRows = np.zeros((size, STATE_COUNT), np.int64)
    whole: OutIntRows = np.zeros((size + 1, STATE_COUNT), np.int64)
    changed: OutBytes = np.zeros(size + 1, np.uint8)
    place: Int = 0  # of the row before: most are about as far at the same time
    with cython.nogil:
        for band in range(bands):
            first, after = bounds[band], bounds[band + 1]
            if after - first > 1:
                for k in range(first, after):
                    low, stop = offsets[rows[k]], offsets[rows[k] + 1]
                    i = interval_near(time, low, stop, place, begin)
                    place = i - low
                    add_row_ticks(
                        time, state, i, stop, begin, end, ticks, whole, changed
                    )
                paint_band(ticks, whole, changed, spent, out[band])
            else:
                low, stop = offsets[rows[first]], offsets[rows[first] + 1]
                i = interval_near(time, low, stop, place, begin)
                place = i - low
                paint_row(time, state, i, stop, begin, end, spent, out[band])


@cython.cdivision(True)
def paint_row(  # noqa: PLR0913
    time: Ints,
    state: Bytes,
    i: Int,
    stop: Int,
    begin: Int,
    end: Int,
    spent: OutInts,
    line: OutBytes,
) -> None:
    """Find the state that a row has most of in each pixel; `spent` is overwritten.

    `i` is the interval that `begin` is in, and `stop` the end of the row's.
    """
    width: Int = len(line)
    span = end - begin
    last = interval_at(time, i, stop, end - 1)
    x: Int = 0
    since: Int = 0
    edge = span
    code: Int
    k: Int
    # The time of a state is kept with its code in the lowest bits: so the largest of
    # these numbers is all that is to be known, and no branch is guessed wrong. A state
    # grows only, so the largest one yet is the largest of all once the pixel is over.
    most: Int = 0
    for k in range(STATE_COUNT):
        spent[k] = k
    while x < width:
        until = width * span
        while i < last:
            change = (time[i + 1] - begin) * width
            if change >= edge:
                until = change
                break
            code = state[i]
            spent[code] += (change - since) << CODE_BITS
            most = max(most, spent[code])
            since = change
            i += 1
        code = state[i]
        most = max(most, spent[code] + ((edge - since) << CODE_BITS))
        line[x] = most & ((1 << CODE_BITS) - 1)
        x += 1
        # Pixels from edge to edge of an interval have its state.
        if until >= edge + span:
            for k in range(x, until // span):
                line[k] = code
            x = until // span
            edge = x * span
        for k in range(STATE_COUNT):
            spent[k] = k
        most = spent[code] = ((until - edge) << CODE_BITS) + code
        edge += span
        since = until
        i += 1


def paint_band(
    ticks: OutIntRows,
    whole: OutIntRows,
    changed: OutBytes,
    covered: OutInts,
    line: OutBytes,
) -> None:
    """Find the state that has most of each pixel; all but `line` gets zero."""
    x: Int
    code: Int
    best: Int = 0
    width: Int = len(line)
    alike: Bool = False
    covered[:] = 0
    for x in range(width):
        if changed[x]:
            changed[x] = 0
            for code in range(STATE_COUNT):
                covered[code] += whole[x, code]
                ticks[x, code] += covered[code]
                whole[x, code] = 0
            best = longest_state(ticks[x])
            ticks[x, :] = 0
            alike = False
        elif not alike:
            # From here to the next change intervals cover pixels from edge to edge.
            best = longest_state(covered)
            alike = True
        line[x] = best
    # what lasts to the end ends behind the last pixel
    whole[width, :] = 0
    changed[width] = 0


def add_state_ticks(  # noqa: PLR0913
    offsets: Ints,
    time: Ints,
    state: Bytes,
    rows: Indices,
    begin: Int,
    end: Int,
    ticks: OutIntRows,
) -> None:
    """Add up the time by state in each pixel, in ticks / width.

    Parameters
    ----------
    offsets, time, state, rows, begin, end
        As of `dominant_states`.
    ticks : int64, shape (width, states)
        What is added to.
    """
    whole: OutIntRows = np.zeros((len(ticks) + 1, STATE_COUNT), np.int64)
    changed: OutBytes = np.zeros(len(ticks) + 1, np.uint8)
    covered: OutInts = np.zeros(STATE_COUNT, np.int64)
    place: Int = 0  # of the row before: most are about as far at the same time
    k: Int
    with cython.nogil:
        for k in range(len(rows)):
            low, stop = offsets[rows[k]], offsets[rows[k] + 1]
            i = interval_near(time, low, stop, place, begin)
            place = i - low
            add_row_ticks(time, state, i, stop, begin, end, ticks, whole, changed)
        add_whole_pixels(whole, changed, covered, ticks)


@cython.cdivision(True)
def add_row_ticks(  # noqa: PLR0913
    time: Ints,
    state: Bytes,
    i: Int,
    stop: Int,
    begin: Int,
    end: Int,
    ticks: OutIntRows,
    whole: OutIntRows,
    changed: OutBytes,
) -> None:
    """Add the time of a row by state, as far as its intervals end within pixels.

    `i` is the interval that `begin` is in, and `stop` the end of the row's.
    Pixels that an interval covers from edge to edge are counted by differences: where
    they begin `whole` grows by a pixel's time, where they end it shrinks. So an
    interval costs the same however long it is. Pixels of which either is written are
    `changed`.
    """
    width: Int = len(ticks)
    span = end - begin
    limit = width * span
    pixel: Int = 0
    edge = span
    since: Int = 0
    while since < limit:
        until = limit
        if i + 1 < stop and time[i + 1] < end:
            until = (time[i + 1] - begin) * width
        code = state[i]
        changed[pixel] = 1
        if until <= edge:
            ticks[pixel, code] += until - since
        else:
            ticks[pixel, code] += edge - since
            last = until // span
            whole[pixel + 1, code] += span
            whole[last, code] -= span
            changed[pixel + 1] = changed[last] = 1
            if last < width:
                ticks[last, code] += until - last * span
            pixel, edge = last, (last + 1) * span
        since = until
        i += 1


def add_whole_pixels(
    whole: IntRows, changed: Bytes, covered: OutInts, ticks: OutIntRows
) -> None:
    """Add the time of pixels that intervals cover from edge to edge.

    The states of a pixel lie side by side: compilers add several of them at a time.
    """
    code: Int
    x: Int
    covered[:] = 0
    for x in range(len(ticks)):
        if changed[x]:
            for code in range(STATE_COUNT):
                covered[code] += whole[x, code]
        for code in range(STATE_COUNT):
            ticks[x, code] += covered[code]


def mark_spans(  # noqa: PLR0913
    offsets: Ints,
    enter: Ints,
    leave: Ints,
    state: Bytes,
    rows: Indices,
    bounds: Ints,
    begin: Int,
    end: Int,
    out: OutByteRows,
) -> None:
    """Mark the pixels that spans lie in with the state of the last one.

    Parameters
    ----------
    offsets : int64, shape (all rows + 1,)
        Where the spans of each row are.
    enter, leave : int64, shape (spans,)
        Their begins and ends in ticks, both ascending within a row.
    state : uint8, shape (spans,)
        What each is marked with.
    rows, bounds, begin, end
        As of `dominant_states`.
    out : uint8, shape (bands, width)
        What is marked.
    """
    bands: Int = out.shape[0]
    width: Int = out.shape[1]
    span = end - begin
    band: Int
    k: Int
    x: Int
    with cython.nogil:
        for band in range(bands):
            for k in range(bounds[band], bounds[band + 1]):
                low, stop = offsets[rows[k]], offsets[rows[k] + 1]
                if low == stop:
                    continue
                i = interval_at(leave, low, stop, begin)
                while i < stop and enter[i] < end:
                    if leave[i] > begin or enter[i] >= begin:
                        # one that takes no time has the pixel that it is in
                        first = max(0, (enter[i] - begin) * width // span)
                        last = ((leave[i] - begin) * width - 1) // span
                        last = min(width - 1, max(first, last))
                        for x in range(first, last + 1):
                            out[band, x] = state[i]
                    i += 1


# States of pixels, from sums.


def plan_rows(  # noqa: PLR0913
    offsets: Ints,
    time: Ints,
    rows: Indices,
    sums: Sums,
    window: Pair,
    width: Int,
    rough: Bool,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Decide for each row which level of sums makes its pixels, and what that costs.

    Parameters
    ----------
    offsets, time, rows
        As of `dominant_states`.
    sums
        Sums of all rows.
    window
        Begin and end in ticks.
    width
        Number of pixels.
    rough
        Whether it is for a preview.

    Returns
    -------
    level : int64, shape (n,)
        `SCAN_INTERVALS` where sums are too few, or do not pay.
    cost : int64, shape (n,)
        Intervals and pixels that are looked at, about.
    """
    levels: Int = sums.places.shape[0]
    all_level = np.full(len(rows), SCAN_INTERVALS, np.int64)
    all_cost = np.empty(len(rows), np.int64)
    level: OutInts = all_level
    cost: OutInts = all_cost
    k: Int
    up: Int
    with cython.nogil:
        places: IntRows = sums.places
        for k in range(len(rows)):
            row = rows[k]
            # A preview takes the coarsest level that is fine enough.
            up = levels - 1 if rough else -1
            while up >= 0:
                first, stop = places[up, row], places[up, row + 1]
                least = (MIN_PREVIEW_SUMS_PER_PIXEL if up else 1) * width
                if count_sums(sums.begins, first, stop, window) >= least:
                    break
                up -= 1
            if up >= 0:
                level[k], cost[k] = up, width
                continue
            first, stop = places[0, row], places[0, row + 1]
            if stop > first:
                seen = count_sums(sums.begins, first, stop, window)
                if seen >= MIN_SUMS_PER_PIXEL * width:
                    level[k], cost[k] = 0, width * sums.every // 2
                else:
                    cost[k] = seen * sums.every + width
            else:
                low, high = offsets[row], offsets[row + 1]
                seen = interval_at(time, low, high, window[1])
                seen -= interval_at(time, low, high, window[0])
                cost[k] = seen + 1 + width
    return all_level, all_cost


def count_sums(begins: Ints, first: Int, stop: Int, window: Pair) -> Int:
    """Count the sums of a row in a window."""
    if stop <= first:
        return 0
    last = interval_at(begins, first, stop, window[1])
    return last - interval_at(begins, first, stop, window[0])


def interval_ranges(
    offsets: Ints, sums: Sums, rows: Indices, window: Pair
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Find where the intervals of rows lie that are in a window, and some around.

    Parameters
    ----------
    offsets, rows
        As of `dominant_states`.
    window
        Begin and end in ticks.

    Returns
    -------
    first, stop : int64, shape (n,)
        Of all its intervals, for a row without sums.
    """
    all_first, all_stop = np.empty(len(rows), np.int64), np.empty(len(rows), np.int64)
    first: OutInts = all_first
    stop: OutInts = all_stop
    k: Int
    with cython.nogil:
        places: IntRows = sums.places
        for k in range(len(rows)):
            row = rows[k]
            low, high = places[0, row], places[0, row + 1]
            first[k], stop[k] = offsets[row], offsets[row + 1]
            if high > low:
                since = interval_at(sums.begins, low, high, window[0]) - low
                until = interval_at(sums.begins, low, high, window[1]) - low + 1
                first[k] = min(first[k] + since * sums.every, stop[k] - 1)
                stop[k] = min(offsets[row] + until * sums.every, stop[k])
    return all_first, all_stop


def dominant_states_summed(  # noqa: PLR0913
    offsets: Ints,
    time: Ints,
    state: Bytes,
    rows: Indices,
    bounds: Ints,
    begin: Int,
    end: Int,
    sums: Sums,
    level: Ints,
    rough: Bool,
    out: OutByteRows,
) -> None:
    """Find the state that has most of each pixel, as `dominant_states` does.

    Parameters
    ----------
    offsets, time, state, rows, bounds, begin, end, out
        As of `dominant_states`.
    sums
        Sums of all rows.
    level : int64, shape (n,)
        Level of sums for each row, `SCAN_INTERVALS`, or `SAMPLE_STATES`.
    rough
        Whether time between two sums counts evenly.
    """
    bands: Int = out.shape[0]
    width: Int = out.shape[1]
    ticks: OutIntRows = np.zeros((width, STATE_COUNT), np.int64)
    whole: OutIntRows = np.zeros((width + 1, STATE_COUNT), np.int64)
    changed: OutBytes = np.zeros(width + 1, np.uint8)
    spent: OutInts = np.zeros(STATE_COUNT, np.int64)
    guessed: OutFloatRows = np.zeros((2, STATE_COUNT))
    band: Int
    k: Int
    with cython.nogil:
        for band in range(bands):
            first, after = bounds[band], bounds[band + 1]
            if after - first == 1 and level[first] == SCAN_INTERVALS:
                low, stop = offsets[rows[first]], offsets[rows[first] + 1]
                i = interval_at(time, low, stop, begin)
                paint_row(time, state, i, stop, begin, end, spent, out[band])
                continue
            for k in range(first, after):
                add_summed_row(
                    offsets,
                    time,
                    state,
                    rows[k],
                    begin,
                    end,
                    sums,
                    level[k],
                    rough,
                    ticks,
                    whole,
                    changed,
                    spent,
                    guessed,
                )
            paint_band(ticks, whole, changed, spent, out[band])


def add_summed_ticks(  # noqa: PLR0913
    offsets: Ints,
    time: Ints,
    state: Bytes,
    rows: Indices,
    begin: Int,
    end: Int,
    sums: Sums,
    level: Ints,
    rough: Bool,
    ticks: OutIntRows,
) -> None:
    """Add up the time by state in each pixel, as `add_state_ticks` does.

    Parameters
    ----------
    offsets, time, state, rows, begin, end, sums, level, rough
        As of `dominant_states_summed`.
    ticks : int64, shape (width, states)
        What is added to.
    """
    whole: OutIntRows = np.zeros((len(ticks) + 1, STATE_COUNT), np.int64)
    changed: OutBytes = np.zeros(len(ticks) + 1, np.uint8)
    spent: OutInts = np.zeros(STATE_COUNT, np.int64)
    guessed: OutFloatRows = np.zeros((2, STATE_COUNT))
    k: Int
    with cython.nogil:
        for k in range(len(rows)):
            add_summed_row(
                offsets,
                time,
                state,
                rows[k],
                begin,
                end,
                sums,
                level[k],
                rough,
                ticks,
                whole,
                changed,
                spent,
                guessed,
            )
        add_whole_pixels(whole, changed, spent, ticks)


def add_summed_row(  # noqa: PLR0913
    offsets: Ints,
    time: Ints,
    state: Bytes,
    row: Int,
    begin: Int,
    end: Int,
    sums: Sums,
    level: Int,
    rough: Bool,
    ticks: OutIntRows,
    whole: OutIntRows,
    changed: OutBytes,
    spent: OutInts,
    guessed: OutFloatRows,
) -> None:
    """Add the time of a row by state; `spent` and `guessed` are overwritten."""
    low, stop = offsets[row], offsets[row + 1]
    if level == SCAN_INTERVALS:
        i = interval_at(time, low, stop, begin)
        add_row_ticks(time, state, i, stop, begin, end, ticks, whole, changed)
        return
    x: Int
    for x in range(len(changed)):
        changed[x] = 1
    if level == SAMPLE_STATES:
        add_samples(time, state, low, stop, begin, end, ticks)
    else:
        first, after = sums.places[level, row], sums.places[level, row + 1]
        if rough:
            last = state[stop - 1]
            add_preview(last, begin, end, sums, first, after, ticks, guessed)
        else:
            add_exact(
                time, state, low, stop, begin, end, sums, first, after, ticks, spent
            )


@cython.cdivision(True)
def add_samples(  # noqa: PLR0913
    time: Ints,
    state: Bytes,
    low: Int,
    stop: Int,
    begin: Int,
    end: Int,
    ticks: OutIntRows,
) -> None:
    """Add the time of a row as if each pixel was in the state of its middle."""
    width: Int = len(ticks)
    span = end - begin
    x: Int
    for x in range(width):
        middle = begin + (2 * x + 1) * span // (2 * width)
        low = last_begun(time, low, stop, middle)
        ticks[x, state[low]] += span


@cython.cdivision(True)
def add_exact(  # noqa: PLR0913
    time: Ints,
    state: Bytes,
    low: Int,
    stop: Int,
    begin: Int,
    end: Int,
    sums: Sums,
    first: Int,
    after: Int,
    ticks: OutIntRows,
    spent: OutInts,
) -> None:
    """Add the time of a row, whose sums are from `first` to `after`, by state."""
    # What is summed up to an edge may wrap around, its difference to the edge before
    # does not: it is added to the pixel before the edge, and taken from the one behind.
    width: Int = len(ticks)
    span = end - begin
    place = first
    x: Int
    k: Int
    code: Int
    for x in range(width + 1):
        edge = x * span
        tick = begin + edge // width
        place = last_begun(sums.begins, place, after, tick)
        spent[:] = 0
        for k in range(len(sums.states)):
            spent[sums.states[k]] = sums.ticks[place, k] * width
        # The last sum is at the begin of the row's last interval.
        i = stop - 1
        if place < after - 1:
            i = low + (place - first) * sums.every
        since = (sums.begins[place] - begin) * width
        add_state_times(time, state, i, stop, begin, since, edge, tick, width, spent)
        if x > 0:
            for code in range(STATE_COUNT):
                ticks[x - 1, code] += spent[code]
        if x < width:
            for code in range(STATE_COUNT):
                ticks[x, code] -= spent[code]


def add_preview(  # noqa: PLR0913
    last: Int,
    begin: Int,
    end: Int,
    sums: Sums,
    first: Int,
    after: Int,
    ticks: OutIntRows,
    guessed: OutFloatRows,
) -> None:
    """Add the time of a row by its sums alone; `last` is the state it ends in."""
    width: Int = len(ticks)
    span = end - begin
    place = first
    x: Int
    k: Int
    code: Int
    for x in range(width + 1):
        now: OutFloats = guessed[x & 1]
        before: OutFloats = guessed[1 - (x & 1)]
        tick: Float = begin + x * span / width
        place = last_begun(sums.begins, place, after, cython.cast(Int, tick))
        now[:] = 0.0
        into = tick - sums.begins[place]
        # Between two sums each state grows evenly.
        if place == after - 1:
            now[last] = into
        else:
            length = sums.begins[place + 1] - sums.begins[place]
            for k in range(len(sums.states)):
                grown = sums.ticks[place + 1, k] - sums.ticks[place, k]
                now[sums.states[k]] = grown * (into / length)
        for k in range(len(sums.states)):
            now[sums.states[k]] += sums.ticks[place, k]
        if x > 0:
            for code in range(STATE_COUNT):
                ticks[x - 1, code] += cython.cast(
                    Int, (now[code] - before[code]) * width
                )
