"""Where the partners of a location change: cuts of its sequence of messages.

A part of a program that repeats itself has the same partners in any two neighbouring
windows that hold an iteration each. Where the partners change for good, the windows
before and after have few in common. Cuts are refined, the stretches between them
named by their partners, and their edges moved to where the partners of one kind end.
All of that goes by rounds: what is under way at once is never cut apart. All here is
linear in the messages.
"""

import numpy as np

from topoview.base.kernels import kernel
from topoview.model import Bools, Indices, Ints

LOW_OVERLAP, HIGH_OVERLAP = 0.3, 0.6
"""Overlap of the partners of two neighbouring windows: below the first they are
different, from the second on alike."""

MAX_KINDS = 12
"""Kinds of stretches that are told apart in one location; more are no phases."""

MIN_OVERLAP_OF_KIND = 0.5
"""Overlap of partners from which on two stretches are of one kind."""


@kernel
def number_partners(begins: Ints, partner: Indices, ranks: int) -> tuple[Indices, int]:
    """Give the partners of each row numbers in order of appearance.

    Returns
    -------
    int32, shape (events,), and int
        Numbers from 0 in each row; the most that a row has.
    """
    found = np.empty(len(partner), np.int32)
    stamp = np.full(ranks, -1, np.int64)
    number = np.zeros(ranks, np.int32)
    most = 1
    for row in range(len(begins) - 1):
        count = 0
        for i in range(begins[row], begins[row + 1]):
            p = partner[i]
            if stamp[p] != row:
                stamp[p] = row
                number[p] = count
                count += 1
            found[i] = number[p]
        most = max(most, count)
    return found, most


@kernel
def round_starts(begins: Ints, call: Ints, done: Ints) -> Bools:
    """Tell before which events nothing is under way in their row.

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
    found = np.ones(len(call), np.bool_)
    for row in range(len(begins) - 1):
        last = np.int64(-1)
        for i in range(begins[row], begins[row + 1]):
            found[i] = last < call[i]
            last = max(last, done[i])
    return found


@kernel
def find_cuts(  # noqa: C901 - numba inlines what is written out here
    begins: Ints, symbol: Indices, most: int, width: int
) -> tuple[Ints, int, int, int]:
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
    events = begins[-1] - begins[0]
    cuts = np.empty(events // 2 + len(begins), np.int64)  # a cut falls, then rises
    count = places = low = high = 0
    before = np.zeros(most, np.int64)
    after = np.zeros(most, np.int64)
    for row in range(len(begins) - 1):
        begin, end = begins[row], begins[row + 1]
        if end - begin < 2 * width:
            continue
        for i in range(begin, end):
            before[symbol[i]] = after[symbol[i]] = 0
        for i in range(begin, begin + width):
            before[symbol[i]] += 1
        common = 0
        for i in range(begin + width, begin + 2 * width):
            s = symbol[i]
            common += after[s] < before[s]
            after[s] += 1
        ready, falling = True, False
        least, first, last = 0, 0, 0
        for g in range(begin + width, end - width + 1):
            places += 1
            if common < LOW_OVERLAP * width:
                low += 1
                if ready:
                    ready, falling = False, True
                    least, first, last = common, g, g
                elif falling and common < least:
                    least, first, last = common, g, g
                elif falling and common == least:
                    last = g
            elif common >= HIGH_OVERLAP * width:
                high += 1
                if falling:
                    cuts[count] = (first + last + 1) // 2
                    count += 1
                ready, falling = True, False
            if g < end - width:  # one place further
                s = symbol[g]
                common -= min(before[s], after[s])
                before[s] += 1
                after[s] -= 1
                common += min(before[s], after[s])
                s = symbol[g - width]
                common -= min(before[s], after[s])
                before[s] -= 1
                common += min(before[s], after[s])
                s = symbol[g + width]
                common -= min(before[s], after[s])
                after[s] += 1
                common += min(before[s], after[s])
        if falling:
            cuts[count] = (first + last + 1) // 2
            count += 1
    return cuts[:count], places, low, high


@kernel
def whole_rounds(begins: Ints, starts: Bools, cuts: Ints) -> Ints:
    """Move each cut to the nearest begin of a round; those that fall together are one.

    Parameters
    ----------
    begins, starts
        As for `round_starts`, and what it tells.
    cuts : int64, shape (cuts,)
        First event after each cut, ascending.
    """
    found = np.empty(len(cuts), np.int64)
    count = row = 0
    for cut in cuts:
        while begins[row + 1] <= cut:
            row += 1
        before = after = cut
        while not starts[before]:
            before -= 1
        while after < begins[row + 1] and not starts[after]:
            after += 1
        near = before if cut - before <= after - cut else after
        inside = begins[row] < near < begins[row + 1]
        if inside and (count == 0 or near > found[count - 1]):
            found[count] = near
            count += 1
    return found[:count]


@kernel
def refine_cuts(  # noqa: C901, PLR0913 - numba inlines what is written out here
    begins: Ints, symbol: Indices, starts: Bools, most: int, width: int, cuts: Ints
) -> Ints:
    """Move each cut to the round where fewest events lie on the wrong side of it."""
    found = cuts.copy()
    left = np.zeros(most, np.int64)
    right = np.zeros(most, np.int64)
    row = 0
    for k in range(len(cuts)):
        cut = found[k]
        while begins[row + 1] <= cut:
            row += 1
        low = begins[row]
        if k > 0:
            low = max(low, found[k - 1])
        high = begins[row + 1]
        if k + 1 < len(cuts):
            high = min(high, cuts[k + 1])
        for i in range(low, cut):
            left[symbol[i]] += 1
        for i in range(cut, high):
            right[symbol[i]] += 1
        before, after = cut - low, high - cut
        wrong = least = 0
        best = cut
        for i in range(cut, min(cut + width, high - 1)):  # later
            s = symbol[i]
            a, b = left[s] * after, right[s] * before
            wrong += (a < b) - (a > b)
            if wrong < least and starts[i + 1]:
                least, best = wrong, i + 1
        wrong = 0
        for i in range(cut - 1, max(cut - width, low), -1):  # earlier
            s = symbol[i]
            a, b = left[s] * after, right[s] * before
            wrong += (a > b) - (a < b)
            if wrong < least and starts[i]:
                least, best = wrong, i
        for i in range(low, high):
            left[symbol[i]] = 0
            right[symbol[i]] = 0
        found[k] = best
    return found


@kernel
def name_stretches(  # noqa: C901 - numba inlines what is written out here
    begins: Ints, symbol: Indices, most: int, cuts: Ints
) -> Indices:
    """Give stretches between cuts that have the same partners one number.

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
    kind = np.zeros(len(symbol), np.int32)
    share = np.zeros((MAX_KINDS, most), np.float64)
    counts = np.zeros(most, np.int64)
    k = 0
    for row in range(len(begins) - 1):
        begin, end = begins[row], begins[row + 1]
        known = 0
        start = begin
        while start < end:
            stop = end
            if k < len(cuts) and cuts[k] < end:
                stop = cuts[k]
                k += 1
            for i in range(start, stop):
                counts[symbol[i]] += 1
            best, alike = -1, MIN_OVERLAP_OF_KIND
            for c in range(known):
                overlap = 0.0
                for i in range(start, stop):
                    s = symbol[i]
                    # each event adds its part of what its partner has in common
                    overlap += min(1.0, share[c, s] * (stop - start) / counts[s])
                overlap /= max(stop - start, 1)
                if overlap >= alike:
                    best, alike = c, overlap
            if best < 0 and known < MAX_KINDS:
                best = known
                known += 1
                for i in range(start, stop):
                    share[best, symbol[i]] = counts[symbol[i]] / (stop - start)
            for i in range(start, stop):
                kind[i] = best
                counts[symbol[i]] = 0
            start = stop
        if begin < end and kind[begin:end].min() < 0:
            kind[begin:end] = -1
        for i in range(begin, end):
            share[:known, symbol[i]] = 0.0
    return kind


@kernel
def drop_small(begins: Ints, kind: Indices, least: float) -> None:
    """Let kinds of little share join the stretch before, or after; in place.

    Afterwards kinds are numbered anew in order of appearance.
    """
    for row in range(len(begins) - 1):
        begin, end = begins[row], begins[row + 1]
        if begin == end or kind[begin] < 0:
            continue
        sizes = np.zeros(MAX_KINDS, np.int64)
        for i in range(begin, end):
            sizes[kind[i]] += 1
        large = sizes >= least * (end - begin)
        last = -1
        for i in range(begin, end):
            if large[kind[i]]:
                last = kind[i]
                break
        number = np.full(MAX_KINDS, -1, np.int32)
        count = 0
        for i in range(begin, end):
            if large[kind[i]]:
                last = kind[i]
            if number[last] < 0:
                number[last] = count
                count += 1
            kind[i] = number[last]


@kernel
def number_stretches(begins: Ints, kind: Indices) -> tuple[Indices, Ints, Ints]:
    """Count the stretches of one kind in each row, and sum up their sequence.

    Returns
    -------
    int32, shape (events,), and two int64, shape (rows,)
        Number of each event's stretch; stretches of each row, and a number that
        is the same for rows whose stretches have the same kinds in order.
    """
    stretch = np.zeros(len(kind), np.int32)
    counts = np.zeros(len(begins) - 1, np.int64)
    sums = np.zeros(len(begins) - 1, np.int64)
    for row in range(len(begins) - 1):
        number = -1
        for i in range(begins[row], begins[row + 1]):
            if i == begins[row] or kind[i] != kind[i - 1]:
                number += 1
                sums[row] = sums[row] * 1_000_003 + kind[i] + 2
            stretch[i] = number
        counts[row] = number + 1
    return stretch, counts, sums


# Cuts moved to where the partners of one kind of stretch end.
#
# Windows of a few messages cannot see a stretch of one or two: what is cut out holds
# their neighbours, too. A partner that one kind of stretch has at its edges only, and
# the kind beside it also in its midst, belongs to that one.


@kernel
def move_edges(begins: Ints, symbol: Indices, starts: Bools, kind: Indices) -> None:
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
    for row in range(len(begins) - 1):
        begin, end = begins[row], begins[row + 1]
        if begin == end or kind[begin:end].min() < 0:
            continue
        _join(symbol[begin:end], starts[begin:end], kind[begin:end])


@kernel
def _join(own: Indices, starts: Bools, kinds: Indices) -> None:  # noqa: C901
    """Do it in one row."""
    most = 0
    for one in own:
        most = max(most, one)
    counts = np.zeros((MAX_KINDS, most + 1), np.int64)
    for i in range(len(own)):
        counts[kinds[i], own[i]] += 1
    free = counts > 0
    left = 0
    for s in range(most + 1):
        left += _keep_column(free, s, 2, 2)
    while left:
        target = _targets(own, starts, kinds, counts, free)
        at_edge = np.zeros_like(counts)
        for i in range(len(own)):
            at_edge[kinds[i], own[i]] += target[i] >= 0
        before, left = left, 0
        for s in range(most + 1):
            for kind in range(MAX_KINDS):
                free[kind, s] &= at_edge[kind, s] == counts[kind, s]
                left += free[kind, s]
        if left < before:
            continue
        left = 0  # nothing else changes: without what may go either way
        for s in range(most + 1):
            left += _keep_column(free, s, 0, 1)
        if left == before:
            for i in range(len(own)):
                if target[i] >= 0:
                    kinds[i] = target[i]
            return


@kernel
def _keep_column(free: Bools, s: int, least: int, most: int) -> int:
    """Keep a column that so many kinds have, and count them; else clear it."""
    many = 0
    for kind in range(len(free)):
        many += free[kind, s]
    if least <= many <= most:
        return many
    for kind in range(len(free)):
        free[kind, s] = False
    return 0


@kernel
def _targets(
    own: Indices, starts: Bools, kinds: Indices, counts: Ints, free: Bools
) -> Indices:
    """Kind beside each event's stretch that it may join, -1 where it may not.

    Between the event and that stretch are only such that may join it, too, and so is
    the rest of its round.
    """
    target = np.full(len(own), -1, np.int32)
    start = 0
    while start < len(own):
        stop = start
        while stop < len(own) and kinds[stop] == kinds[start]:
            stop += 1
        low, high = start, stop
        if start > 0:
            before = kinds[start - 1]
            while (
                low < stop and free[kinds[low], own[low]] and counts[before, own[low]]
            ):
                target[low] = before
                low += 1
            while low < stop and not starts[low]:
                low -= 1
                target[low] = -1
        if stop < len(own):
            after = kinds[stop]
            while high > low and (
                free[kinds[high - 1], own[high - 1]] and counts[after, own[high - 1]]
            ):
                high -= 1
                target[high] = after
            while high < stop and not starts[high]:
                target[high] = -1
                high += 1
        if low == high:
            target[start:stop] = -1
        start = stop
    return target
