"""Where the partners of a location change: cuts of its sequence of messages.

A part of a program that repeats itself has the same partners in any two neighbouring
windows that hold an iteration each. Where the partners change for good, the windows
before and after have few in common. Cuts are refined, the stretches between them
named by their partners, and their edges moved to where the partners of one kind end.
All of that goes by rounds: what is under way at once is never cut apart. All here is
linear in the messages.
"""

import cython
import numpy as np

if not cython.compiled:
    from numpy.typing import NDArray

    from topoview.base.kinds import (
        Bool,
        BoolRows,
        Bools,
        Float,
        Indices,
        Int,
        IntRows,
        Ints,
        OutBoolRows,
        OutBools,
        OutFloatRows,
        OutIndices,
        OutIntRows,
        OutInts,
    )

    LOW_OVERLAP, HIGH_OVERLAP = 0.3, 0.6
    """Overlap of the partners of two neighbouring windows: below the first they are
    different, from the second on alike."""

    MAX_KINDS = 12
    """Kinds of stretches that are told apart in one location; more are no phases."""

    MIN_OVERLAP_OF_KIND = 0.5
    """Overlap of partners from which on two stretches are of one kind."""


def number_partners(
    begins: Ints, partner: Indices, ranks: Int
) -> tuple[NDArray[np.int32], int]:
    """Enumerate the partners of each row in order of appearance.

    Parameters
    ----------
    begins : int64, shape (rows + 1,)
        Where the events of each row begin.
    partner : int32, shape (events,)
        Ranks.
    ranks
        How many there are.

    Returns
    -------
    int32, shape (events,), and int
        Numbers from 0 in each row; the most that a row has.
    """
    numbers = np.empty(len(partner), np.int32)
    symbol: OutIndices = numbers
    stamp: OutInts = np.full(ranks, -1, np.int64)
    number: OutIndices = np.zeros(ranks, np.int32)
    most: Int = 1
    row: Int
    i: Int
    with cython.nogil:
        for row in range(len(begins) - 1):
            count: Int = 0
            for i in range(begins[row], begins[row + 1]):
                p: Int = partner[i]
                if stamp[p] != row:
                    stamp[p] = row
                    number[p] = count
                    count += 1
                symbol[i] = number[p]
            most = max(most, count)
    return numbers, most


def round_starts(begins: Ints, call: Ints, done: Ints) -> OutBools:
    """Find before which events nothing is under way in their row.

    Parameters
    ----------
    begins : int64, shape (rows + 1,)
        Where the events of each row begin.
    call, done : int64, shape (events,)
        Call that each was posted in, ascending, and the one that completes it.

    Returns
    -------
    bool, shape (events,)
        Whether a round begins with the event: all before it are done by then.
    """
    is_first = np.ones(len(call), np.bool_)
    starts: OutBools = is_first
    row: Int
    i: Int
    with cython.nogil:
        for row in range(len(begins) - 1):
            last: Int = -1
            for i in range(begins[row], begins[row + 1]):
                starts[i] = last < call[i]
                last = max(last, done[i])
    return is_first


def find_cuts(  # noqa: C901
    begins: Ints, symbol: Indices, most: Int, width: Int
) -> tuple[NDArray[np.int64], int, int, int]:
    """Cut each row where windows before and after have few partners in common.

    Parameters
    ----------
    begins : int64, shape (rows + 1,)
        Where the events of each row begin.
    symbol : int32, shape (events,)
        Partner of each event, numbered from 0 in each row.
    most
        Most partners of a row.
    width
        Events in a window.

    Returns
    -------
    int64, shape (cuts,), and three ints
        First event after each cut, ascending; places where windows could be
        compared, those with low and those with high overlap.
    """
    rows: Int = len(begins) - 1
    events: Int = begins[rows] - begins[0]
    # a cut falls, then rises
    all_cuts = np.empty(events // 2 + len(begins), np.int64)
    cuts: OutInts = all_cuts
    # how many more events with a partner the window before has than the one after:
    # what these add up to, whatever their signs, is twice what is not in common
    more: OutInts = np.zeros(most, np.int64)
    count: Int = 0
    places: Int = 0
    low: Int = 0
    high: Int = 0
    row: Int
    i: Int
    with cython.nogil:
        for row in range(rows):
            begin: Int = begins[row]
            end: Int = begins[row + 1]
            if end - begin < 2 * width:
                continue
            for i in range(begin, end):
                more[symbol[i]] = 0
            apart: Int = 0
            for i in range(begin, begin + width):
                apart += shift(more, symbol[i], 1)
                apart += shift(more, symbol[i + width], -1)
            ready: Bool = True
            falling: Bool = False
            least: Int = 0
            first: Int = 0
            last: Int = 0
            for i in range(begin + width, end - width + 1):
                places += 1
                common: Int = width - apart // 2
                if common < LOW_OVERLAP * width:
                    low += 1
                    # the cut is in the midst of where they have least in common
                    if ready or (falling and common < least):
                        ready, falling = False, True
                        least, first, last = common, i, i
                    elif falling and common == least:
                        last = i
                elif common >= HIGH_OVERLAP * width:
                    high += 1
                    if falling:
                        cuts[count] = (first + last + 1) // 2
                        count += 1
                    ready, falling = True, False
                if i < end - width:  # one place further
                    apart += shift(more, symbol[i], 2)
                    apart += shift(more, symbol[i - width], -1)
                    apart += shift(more, symbol[i + width], -1)
            if falling:
                cuts[count] = (first + last + 1) // 2
                count += 1
    return all_cuts[:count], places, low, high


def shift(more: OutInts, symbol: Int, change: Int) -> Int:
    """Count an event in or out; return by how much what is not in common changes."""
    before: Int = more[symbol]
    after: Int = before + change
    more[symbol] = after
    return max(after, -after) - max(before, -before)


def whole_rounds(begins: Ints, starts: Bools, cuts: Ints) -> OutInts:
    """Move each cut to the nearest begin of a round; those that fall together are one.

    Parameters
    ----------
    begins, starts
        As for `round_starts`, and what it returns.
    cuts : int64, shape (cuts,)
        First event after each cut, ascending.

    Returns
    -------
    int64, shape (n,)
    """
    moved = np.empty(len(cuts), np.int64)
    kept: OutInts = moved
    count: Int = 0
    row: Int = 0
    k: Int
    with cython.nogil:
        for k in range(len(cuts)):
            cut: Int = cuts[k]
            while begins[row + 1] <= cut:
                row += 1
            before: Int = cut
            after: Int = cut
            while not starts[before]:
                before -= 1
            while after < begins[row + 1] and not starts[after]:
                after += 1
            near: Int = before if cut - before <= after - cut else after
            inside: Bool = begins[row] < near < begins[row + 1]
            if inside and (count == 0 or near > kept[count - 1]):
                kept[count] = near
                count += 1
    return moved[:count]


def refine_cuts(  # noqa: C901, PLR0913
    begins: Ints, symbol: Indices, starts: Bools, most: Int, width: Int, cuts: Ints
) -> OutInts:
    """Move each cut to the round where fewest events lie on the wrong side of it.

    Parameters
    ----------
    begins, symbol, most, width
        As for `find_cuts`.
    starts : bool, shape (events,)
        Whether a round begins with the event.
    cuts : int64, shape (cuts,)
        First event after each cut, ascending.

    Returns
    -------
    int64, shape (cuts,)
    """
    moved = np.array(cuts, np.int64)
    kept: OutInts = moved
    left: OutInts = np.zeros(most, np.int64)
    right: OutInts = np.zeros(most, np.int64)
    row: Int = 0
    k: Int
    i: Int
    with cython.nogil:
        for k in range(len(cuts)):
            cut: Int = kept[k]
            while begins[row + 1] <= cut:
                row += 1
            low: Int = begins[row]
            if k > 0:
                low = max(low, kept[k - 1])
            high: Int = begins[row + 1]
            if k + 1 < len(cuts):
                high = min(high, cuts[k + 1])
            for i in range(low, cut):
                left[symbol[i]] += 1
            for i in range(cut, high):
                right[symbol[i]] += 1
            # an event lies on the wrong side of a cut if its partner has a larger
            # share of the events on the other one
            before: Int = cut - low
            after: Int = high - cut
            wrong: Int = 0
            least: Int = 0
            best: Int = cut
            for i in range(cut, min(cut + width, high - 1)):  # later
                a: Int = left[symbol[i]] * after
                b: Int = right[symbol[i]] * before
                if a < b:
                    wrong += 1
                elif a > b:
                    wrong -= 1
                if wrong < least and starts[i + 1]:
                    least, best = wrong, i + 1
            wrong = 0
            for i in range(cut - 1, max(cut - width, low), -1):  # earlier
                a = left[symbol[i]] * after
                b = right[symbol[i]] * before
                if a > b:
                    wrong += 1
                elif a < b:
                    wrong -= 1
                if wrong < least and starts[i]:
                    least, best = wrong, i
            for i in range(low, high):
                left[symbol[i]] = 0
                right[symbol[i]] = 0
            kept[k] = best
    return moved


@cython.cdivision(True)
def name_stretches(  # noqa: C901
    begins: Ints, symbol: Indices, most: Int, cuts: Ints
) -> OutIndices:
    """Enumerate stretches between cuts; those with the same partners have one number.

    Parameters
    ----------
    begins, symbol, most
        As for `find_cuts`.
    cuts : int64, shape (cuts,)
        First event after each cut, ascending.

    Returns
    -------
    int32, shape (events,)
        Kind of each event's stretch: numbered from 0 in each row in order of
        appearance; -1 in rows with more than `MAX_KINDS`.
    """
    kinds = np.zeros(len(symbol), np.int32)
    kind: OutIndices = kinds
    share: OutFloatRows = np.zeros((MAX_KINDS, most), np.float64)
    counts: OutInts = np.zeros(most, np.int64)
    k: Int = 0
    row: Int
    i: Int
    c: Int
    with cython.nogil:
        for row in range(len(begins) - 1):
            begin: Int = begins[row]
            end: Int = begins[row + 1]
            used: Int = 0
            are_few: Bool = True
            start: Int = begin
            while start < end:
                stop: Int = end
                if k < len(cuts) and cuts[k] < end:
                    stop = cuts[k]
                    k += 1
                for i in range(start, stop):
                    counts[symbol[i]] += 1
                # the kind that has most in common with this stretch
                best: Int = -1
                alike: Float = MIN_OVERLAP_OF_KIND
                for c in range(used):
                    overlap: Float = 0.0
                    for i in range(start, stop):
                        # each event adds its part of what its partner has in common
                        part: Float = share[c, symbol[i]] * (stop - start)
                        part /= counts[symbol[i]]
                        overlap += min(1.0, part)
                    overlap /= max(stop - start, 1)
                    if overlap >= alike:
                        best, alike = c, overlap
                if best < 0 and used < MAX_KINDS:
                    best = used
                    used += 1
                    length: Float = stop - start
                    for i in range(start, stop):
                        share[best, symbol[i]] = counts[symbol[i]] / length
                if best < 0 and start < stop:
                    are_few = False
                for i in range(start, stop):
                    kind[i] = best
                    counts[symbol[i]] = 0
                start = stop
            for i in range(begin, end):
                if not are_few:
                    kind[i] = -1
                for c in range(used):
                    share[c, symbol[i]] = 0.0
    return kinds


def drop_small(begins: Ints, kind: OutIndices, least: Float) -> None:
    """Let kinds of little share join the stretch before, or after; in place.

    Afterwards kinds are numbered anew in order of appearance.

    Parameters
    ----------
    begins : int64, shape (rows + 1,)
        Where the events of each row begin.
    kind : int32, shape (events,)
        Kind of each event's stretch, -1 throughout rows without.
    least
        Share of a row's events that a kind keeps its number from on.
    """
    sizes: OutInts = np.empty(MAX_KINDS, np.int64)
    number: OutInts = np.empty(MAX_KINDS, np.int64)
    row: Int
    i: Int
    k: Int
    with cython.nogil:
        for row in range(len(begins) - 1):
            begin: Int = begins[row]
            end: Int = begins[row + 1]
            if begin == end or kind[begin] < 0:
                continue
            for k in range(MAX_KINDS):
                sizes[k], number[k] = 0, -1
            for i in range(begin, end):
                sizes[kind[i]] += 1
            enough: Float = least * (end - begin)
            # what comes before all large kinds joins the first of them
            last: Int = 0
            for i in range(begin, end):
                if sizes[kind[i]] >= enough:
                    last = kind[i]
                    break
            count: Int = 0
            for i in range(begin, end):
                if sizes[kind[i]] >= enough:
                    last = kind[i]
                if number[last] < 0:
                    number[last] = count
                    count += 1
                kind[i] = number[last]


def number_stretches(
    begins: Ints, kind: Indices
) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int64]]:
    """Count the stretches of one kind in each row, and sum up their sequence.

    Parameters
    ----------
    begins, kind
        As for `drop_small`.

    Returns
    -------
    int32, shape (events,), and two int64, shape (rows,)
        Number of each event's stretch; stretches of each row, and a number that
        is the same for rows whose stretches have the same kinds in order.
    """
    rows: Int = len(begins) - 1
    numbers = np.zeros(len(kind), np.int32)
    lengths, sequences = np.zeros(rows, np.int64), np.zeros(rows, np.int64)
    stretch: OutIndices = numbers
    counts: OutInts = lengths
    sums: OutInts = sequences
    row: Int
    i: Int
    with cython.nogil:
        for row in range(rows):
            number: Int = -1
            for i in range(begins[row], begins[row + 1]):
                if i == begins[row] or kind[i] != kind[i - 1]:
                    number += 1
                    sums[row] = sums[row] * 1_000_003 + kind[i] + 2
                stretch[i] = number
            counts[row] = number + 1
    return numbers, lengths, sequences


# Cuts moved to where the partners of one kind of stretch end.
#
# Windows of a few messages cannot see a stretch of one or two: what is cut out holds
# their neighbours, too. A partner that one kind of stretch has at its edges only, and
# the kind beside it also in its midst, belongs to that one.


def move_edges(begins: Ints, symbol: Indices, starts: Bools, kind: OutIndices) -> None:
    """Let rounds at the edges of stretches join the stretch beside them; in place.

    No stretch becomes empty: the sequence of kinds stays. A partner that may go
    either way stays, too. Linear in the events, but for partners that others hide.

    Parameters
    ----------
    begins : int64, shape (rows + 1,)
        Where the events of each row begin.
    symbol : int32, shape (events,)
        Partner of each event, numbered from 0 in each row.
    starts : bool, shape (events,)
        Whether a round begins with the event.
    kind : int32, shape (events,)
        Kind of each event's stretch, -1 throughout rows without.
    """
    most: Int = 0
    row: Int
    i: Int
    with cython.nogil:
        for i in range(len(symbol)):
            most = max(most, symbol[i])
    counts: OutIntRows = np.empty((MAX_KINDS, most + 1), np.int64)
    at_edge: OutIntRows = np.empty((MAX_KINDS, most + 1), np.int64)
    free: OutBoolRows = np.empty((MAX_KINDS, most + 1), np.bool_)
    target: OutIndices = np.empty(len(symbol), np.int32)
    with cython.nogil:
        for row in range(len(begins) - 1):
            begin: Int = begins[row]
            end: Int = begins[row + 1]
            if begin == end:
                continue
            least: Int = kind[begin]
            most = 0
            for i in range(begin, end):
                least = min(least, kind[i])
                most = max(most, symbol[i])
            if least >= 0:
                join(
                    symbol, starts, kind, begin, end, most + 1,
                    counts, at_edge, free, target,
                )  # fmt: skip


def join(  # noqa: C901, PLR0913
    symbol: Indices,
    starts: Bools,
    kind: OutIndices,
    begin: Int,
    end: Int,
    symbols: Int,
    counts: OutIntRows,
    at_edge: OutIntRows,
    free: OutBoolRows,
    target: OutIndices,
) -> None:
    """Let rounds at the edges of a row's stretches join the stretch beside them.

    Of `counts`, `at_edge` and `free` as many columns are used as there are symbols, of
    `target` the row's events; all are overwritten.
    """
    k: Int
    s: Int
    i: Int
    for k in range(MAX_KINDS):
        for s in range(symbols):
            counts[k, s] = 0
    for i in range(begin, end):
        counts[kind[i], symbol[i]] += 1
    # a partner may go if two kinds of stretch have it
    for k in range(MAX_KINDS):
        for s in range(symbols):
            free[k, s] = counts[k, s] > 0
    left: Int = 0
    for s in range(symbols):
        left += keep_column(free, s, 2, 2)
    while left:
        find_targets(symbol, starts, kind, begin, end, counts, free, target)
        for k in range(MAX_KINDS):
            for s in range(symbols):
                at_edge[k, s] = 0
        for i in range(begin, end):
            if target[i] >= 0:
                at_edge[kind[i], symbol[i]] += 1
        # it goes from a kind that has it at its edges only
        before: Int = left
        left = 0
        for s in range(symbols):
            for k in range(MAX_KINDS):
                if at_edge[k, s] != counts[k, s]:
                    free[k, s] = False
                elif free[k, s]:
                    left += 1
        if left < before:
            continue
        left = 0  # nothing else changes: without what may go either way
        for s in range(symbols):
            left += keep_column(free, s, 0, 1)
        if left == before:
            for i in range(begin, end):
                if target[i] >= 0:
                    kind[i] = target[i]
            return


def keep_column(free: OutBoolRows, symbol: Int, least: Int, most: Int) -> Int:
    """Keep a column that so many kinds have, and count them; else clear it."""
    many: Int = 0
    kind: Int
    for kind in range(MAX_KINDS):
        if free[kind, symbol]:
            many += 1
    if least <= many <= most:
        return many
    for kind in range(MAX_KINDS):
        free[kind, symbol] = False
    return 0


def find_targets(  # noqa: C901, PLR0913
    symbol: Indices,
    starts: Bools,
    kind: Indices,
    begin: Int,
    end: Int,
    counts: IntRows,
    free: BoolRows,
    target: OutIndices,
) -> None:
    """Find the kind beside each event's stretch that it may join, -1 where it may not.

    Between the event and that stretch are only such that may join it, too, and so is
    the rest of its round.
    """
    start: Int = begin
    i: Int
    for i in range(begin, end):
        target[i] = -1
    while start < end:
        its: Int = kind[start]
        stop: Int = start
        while stop < end and kind[stop] == its:
            stop += 1
        low: Int = start
        high: Int = stop
        if start > begin:
            before: Int = kind[start - 1]
            while low < stop and free[its, symbol[low]] and counts[before, symbol[low]]:
                target[low] = before
                low += 1
            # back to where a round begins
            while low < stop and not starts[low]:
                low -= 1
                target[low] = -1
        if stop < end:
            after: Int = kind[stop]
            while (
                high > low
                and free[its, symbol[high - 1]]
                and counts[after, symbol[high - 1]]
            ):
                high -= 1
                target[high] = after
            while high < stop and not starts[high]:
                target[high] = -1
                high += 1
        if low == high:  # no stretch becomes empty
            for i in range(start, stop):
                target[i] = -1
        start = stop
