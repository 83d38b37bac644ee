"""Find what sequences repeat: their cycles, their runs, and classes of runs."""

import cython
import numpy as np

if not cython.compiled:
    from topoview.base.hashing import mix
    from topoview.base.kinds import Code, Int, IntRows, Ints, OutIntRows, OutInts

    Arrays = tuple[Ints, ...]


# What a whole sequence repeats.


def cycle_length(s: Ints) -> Int:
    """Find the length of the shortest start that, repeated, gives the whole sequence.

    The repetition may end within the start. By the failure function of Knuth,
    Morris and Pratt (1977): linear time.

    Parameters
    ----------
    s : int64, shape (n,)
    """
    border: OutInts = np.empty(len(s), np.int64)
    with cython.nogil:
        length: Int = cycle_within(s, 0, len(s), border)
    return length


def cycle_within(s: Ints, begin: Int, n: Int, border: OutInts) -> Int:
    """Find the `cycle_length` of a stretch; `border` has room for its n symbols."""
    if n < 2:
        return n
    border[0] = 0
    k: Int = 0
    i: Int
    for i in range(1, n):
        # the longest proper start of the first i symbols that is also their end
        while k > 0 and s[begin + i] != s[begin + k]:
            k = border[k - 1]
        if s[begin + i] == s[begin + k]:
            k += 1
        border[i] = k
    length: Int = n - border[n - 1]
    return length


# Sequences that occur in several places.


def best_repeat(text: Ints, weight: Ints, least: Int, shortest: Int) -> Arrays:
    """Find the sequence whose naming saves most.

    Naming one costs a head, and a line for each use. Candidates are the intervals of
    the sorted suffixes that begin alike (Abouelhoda, Kurtz and Ohlebusch 2004).

    Parameters
    ----------
    text : int64, shape (n,)
        Numbers; negative ones are all different.
    weight : int64, shape (n,)
        Lines of each.
    least
        Lines that naming it must save.
    shortest
        Lines that it must have.

    Returns
    -------
    begins : int64, shape (uses,)
        Where it occurs, without overlap, ascending; empty if nothing saves enough.
    length : int64, shape (1,)
    """
    n: Int = len(text)
    order: OutInts = np.argsort(text, kind="stable")
    place: OutInts = np.empty(n, np.int64)
    common: OutInts = np.zeros(n + 1, np.int64)
    total: OutInts = np.zeros(n + 1, np.int64)
    stack: OutIntRows = np.empty((n + 2, 2), np.int64)
    other: OutInts = np.empty(n, np.int64)
    begins: OutInts = np.empty(n, np.int64)
    best: Int = max(least - 1, 0)
    first: Int = 0
    last: Int = 0
    longest: Int = 0
    i: Int
    with cython.nogil:
        sort_suffixes(text, order, place, other, begins)
        common_prefixes(text, order, place, common)
        for i in range(n):
            total[i + 1] = total[i] + weight[i]
        open_: Int = 0
        for i in range(n):
            begin: Int = i
            # intervals that end here: what begins alike is shorter from now on
            while open_ > 0 and stack[open_ - 1, 1] > common[i]:
                open_ -= 1
                begin = stack[open_, 0]
                length: Int = stack[open_, 1]
                lines: Int = total[order[begin] + length] - total[order[begin]]
                if lines < shortest or lines_saved(i + 1 - begin, lines) <= best:
                    continue
                uses: Int = spread_uses(place, begin, i + 1, length, begins)
                saved: Int = lines_saved(uses, lines)
                if saved > best:
                    best, first, last, longest = saved, begin, i + 1, length
            if common[i] > 0 and (open_ == 0 or stack[open_ - 1, 1] < common[i]):
                stack[open_, 0], stack[open_, 1] = begin, common[i]
                open_ += 1
        many: Int = 0
        if longest > 0:
            many = spread_uses(place, first, last, longest, begins)
    return np.asarray(begins)[:many], np.array([longest])


def lines_saved(uses: Int, lines: Int) -> Int:
    """Count the lines that naming a sequence saves."""
    return (uses - 1) * lines - uses - 1


def spread_uses(place: Ints, low: Int, high: Int, length: Int, begins: OutInts) -> Int:
    """Find where sorted suffixes begin, without those that overlap an earlier one."""
    many: Int = 0
    after: Int = 0
    i: Int
    for i in range(len(place)):
        if low <= place[i] and place[i] < high and i >= after:
            begins[many] = i
            many += 1
            after = i + length
    return many


def sort_suffixes(  # noqa: C901
    text: Ints, order: OutInts, place: OutInts, other: OutInts, count: OutInts
) -> None:
    """Sort suffixes by doubling (Manber and Myers 1993); `order` has the symbols'."""
    n: Int = len(text)
    i: Int
    ranks: Int = 0
    for i in range(n):
        if i > 0 and text[order[i]] != text[order[i - 1]]:
            ranks += 1
        place[order[i]] = ranks
    step: Int = 1
    while ranks < n - 1:
        # by what comes `step` later: first those that end before
        many: Int = 0
        for i in range(n - step, n):
            other[many] = i
            many += 1
        for i in range(n):
            if order[i] >= step:
                other[many] = order[i] - step
                many += 1
        # then, keeping that order, by how they begin
        for i in range(ranks + 1):
            count[i] = 0
        for i in range(n):
            count[place[i]] += 1
        for i in range(1, ranks + 1):
            count[i] += count[i - 1]
        for i in range(n - 1, -1, -1):
            count[place[other[i]]] -= 1
            order[count[place[other[i]]]] = other[i]
        ranks = 0
        other[order[0]] = 0
        for i in range(1, n):
            now: Int = order[i]
            before: Int = order[i - 1]
            after: Int = place[now + step] if now + step < n else -1
            if place[now] != place[before] or after != (
                place[before + step] if before + step < n else -1
            ):
                ranks += 1
            other[now] = ranks
        for i in range(n):
            place[i] = other[i]
        step *= 2


def common_prefixes(text: Ints, order: Ints, place: Ints, common: OutInts) -> None:
    """Find how long each suffix and the next in order are alike (Kasai 2001)."""
    n: Int = len(text)
    k: Int = 0
    i: Int
    for i in range(n):
        if place[i] == n - 1:
            k = 0
            continue
        j: Int = order[place[i] + 1]
        while i + k < n and j + k < n and text[i + k] == text[j + k]:
            k += 1
        common[place[i]] = k
        k = max(k - 1, 0)


# Runs: stretches that repeat at least twice.


def runs_of_width(  # noqa: PLR0913 - it goes on where it was
    s: Ints,
    backwards: Ints,
    width: Int,
    low: Int,
    high: Int,
    runs: OutIntRows,
    count: Int,
    scratch: OutIntRows,
) -> Int:
    """Find the runs across the middle of each stretch of a width.

    Parameters
    ----------
    s, backwards : int64, shape (n,)
        The sequence and its reverse.
    width, low, high
        Stretches begin at `low`, and each `width` symbols up to `high`.
    runs : int64, shape (n, 3)
        Gets begin, end and period of each run behind the `count` that it has.
    scratch : int64, shape (4, n + 1)

    Returns
    -------
    int
        Runs that there are then.
    """
    ahead: OutInts = scratch[0]
    behind: OutInts = scratch[1]
    over: OutInts = scratch[2]
    under: OutInts = scratch[3]
    with cython.nogil:
        total: Int = find_width(
            s, backwards, width, low, high, runs, count, ahead, behind, over, under
        )
    return total


def find_width(  # noqa: PLR0913
    s: Ints,
    backwards: Ints,
    width: Int,
    low: Int,
    high: Int,
    runs: OutIntRows,
    count: Int,
    ahead: OutInts,
    behind: OutInts,
    over: OutInts,
    under: OutInts,
) -> Int:
    """Find what `runs_of_width` does."""
    begin: Int = low
    while begin < high:
        middle: Int = begin + width // 2
        end: Int = min(begin + width, len(s))
        if middle < end:
            count = runs_across(
                s,
                backwards,
                begin,
                middle,
                end,
                runs,
                count,
                ahead,
                behind,
                over,
                under,
            )
        begin += width
    return count


def runs_across(  # noqa: C901, PLR0913
    s: Ints,
    backwards: Ints,
    low: Int,
    middle: Int,
    high: Int,
    runs: OutIntRows,
    count: Int,
    ahead: OutInts,
    behind: OutInts,
    over: OutInts,
    under: OutInts,
) -> Int:
    """Find the runs of a stretch that have symbols on both sides of its middle.

    Each has a whole period right of the middle or left of it; how far a period goes
    on in both directions is looked up (Main and Lorentz 1984).
    """
    n: Int = len(s)
    left: Int = middle - low
    right: Int = high - middle
    own_matches(s, middle, high, ahead)
    own_matches(backwards, n - middle, n - low, behind)
    matches(s, middle, low, high, ahead, left, over)
    matches(backwards, n - middle, n - high, n - low, behind, right, under)
    before: Int = count
    period: Int
    side: Int
    k: Int
    for period in range(1, max(left, right) + 1):
        for side in range(2):
            if period > (right if side == 0 else left):
                continue
            if side == 0:  # the period right of the middle belongs to the run
                begin: Int = middle - under[right - period]
                end: Int = middle + period
                if period < right:
                    end += ahead[period]
            else:  # the period left of it does
                begin = middle - period
                end = middle + over[left - period]
                if period < left:
                    begin -= behind[period]
            if end - begin < 2 * period or begin == middle or end == middle:
                continue
            if begin == low and low > 0 and s[low - 1] == s[low - 1 + period]:
                continue  # goes on beyond the stretch: found across another middle
            if end == high and high < n and s[high] == s[high - period]:
                continue
            # multiples of a period give the same run again
            for k in range(before, count):
                if runs[k, 0] == begin and runs[k, 1] == end:
                    break
            else:
                runs[count, 0], runs[count, 1], runs[count, 2] = begin, end, period
                count += 1
    return count


def own_matches(s: Ints, start: Int, stop: Int, out: OutInts) -> None:
    """Find how far a stretch from each of its indices on is as from its start.

    Linear time, since what was compared once is looked up (Gusfield, Algorithms on
    Strings, Trees and Sequences, 1997, 1.4).
    """
    n: Int = stop - start
    out[0] = n
    begin: Int = 0  # of the match that ends last
    end: Int = 0
    i: Int
    for i in range(1, n):
        k: Int = 0
        if i < end:
            k = min(out[i - begin], end - i)
        while i + k < n and s[start + i + k] == s[start + k]:
            k += 1
        out[i] = k
        if i + k > end:
            begin, end = i, i + k


def matches(  # noqa: PLR0913
    s: Ints, pattern: Int, text: Int, stop: Int, own: Ints, starts: Int, out: OutInts
) -> None:
    """Find how far a text from each of its first indices on is as a pattern.

    Both are parts of `s` that end at `stop`; `own` are the pattern's `own_matches`.
    """
    length: Int = stop - pattern
    n: Int = stop - text
    begin: Int = 0  # of the match that ends last
    end: Int = 0
    i: Int
    for i in range(starts):
        k: Int = 0
        if i < end:
            k = min(own[i - begin], end - i)
        while k < length and i + k < n and s[text + i + k] == s[pattern + k]:
            k += 1
        out[i] = k
        if i + k > end:
            begin, end = i, i + k


# Classes of runs, by what they repeat.


def classify(  # noqa: PLR0913
    s: Ints,
    runs: IntRows,
    table: OutInts,
    of: OutInts,
    first: OutInts,
    begin: OutInts,
    period: OutInts,
) -> Int:
    """Find the class of each run: periods that are rotations of each other are one.

    Parameters
    ----------
    s : int64, shape (n,)
    runs : int64, shape (runs, 3)
        Begin, end and period.
    table : int64, shape (power of two,)
        -1; gets classes by hash.
    of, first : int64, shape (runs,)
        Get each run's class, and where its root, the least rotation, first begins.
    begin, period : int64, shape (runs,)
        Get where each class has its root, and how long that is.

    Returns
    -------
    int
        Number of classes.
    """
    count: Int = 0
    k: Int
    with cython.nogil:
        for k in range(len(runs)):
            length: Int = runs[k, 2]
            root: Int = runs[k, 0] + least_rotation(s, runs[k, 0], length)
            place: Int = class_at(s, s, root, length, table, begin, period)
            if table[place] < 0:
                table[place], begin[count], period[count] = count, root, length
                count += 1
            of[k], first[k] = table[place], root
    return count


def class_at(  # noqa: PLR0913
    s: Ints, text: Ints, root: Int, length: Int, table: Ints, begin: Ints, period: Ints
) -> Int:
    """Find the place in the table of a root in a text; that of a new one is empty."""
    key: Code = cython.cast(Code, length)
    i: Int
    for i in range(root, root + length):
        key = mix(key ^ cython.cast(Code, text[i]))
    mask: Int = len(table) - 1
    place: Int = cython.cast(Int, key & cython.cast(Code, mask))
    while table[place] >= 0:
        number: Int = table[place]
        if period[number] == length:
            i = 0
            while i < length and s[begin[number] + i] == text[root + i]:
                i += 1
            if i == length:
                break
        place = (place + 1) & mask
    return place


def least_rotation(s: Ints, begin: Int, n: Int) -> Int:
    """Find where a stretch's least rotation begins (Shiloach 1981): linear time."""
    i: Int = 0
    j: Int = 1
    k: Int = 0
    while i < n and j < n and k < n:
        # the rotations at i and j are equal for k symbols
        a: Int = s[begin + i + k] if i + k < n else s[begin + i + k - n]
        b: Int = s[begin + j + k] if j + k < n else s[begin + j + k - n]
        if a == b:
            k += 1
            continue
        if a > b:
            i += k + 1
        else:
            j += k + 1
        if i == j:
            j += 1
        k = 0
    return min(i, j)


# Runs within a class.


@cython.cclass
class InnerRuns:
    """Two periods of a class, and the runs within that are short enough for one.

    text, backwards
        The two periods, and their reverse.
    runs, classes, first
        Begin, end and period of each run; its class, and where its root first begins.
    ahead, behind, over, under
        What `find_width` overwrites.
    """

    def __init__(self, symbols: Int) -> None:
        self.text = np.empty(0, np.int64)
        self.reserve(symbols)

    def reserve(self, symbols: Int) -> Int:
        """Grow the room to two periods of so many symbols."""
        if 2 * symbols > len(self.text) or not symbols:
            self.text, self.backwards, self.classes, self.first = np.empty(
                (4, 2 * symbols), np.int64
            )
            self.runs = np.empty((2 * symbols, 3), np.int64)
            self.ahead, self.behind, self.over, self.under = np.empty(
                (4, 2 * symbols + 1), np.int64
            )
        return 0


def find_inner_runs(  # noqa: PLR0913
    which: Int, s: Ints, table: Ints, begin: Ints, period: Ints, inner: InnerRuns
) -> Int:
    """Find the runs within two periods of a class that are short enough for one.

    Fills `inner`, and returns how many there are.

    Parameters
    ----------
    which
        The class.
    s, table, begin, period
        As `classify` fills them.
    """
    length: Int = period[which]
    n: Int = 2 * length
    i: Int
    k: Int
    for i in range(length):
        symbol: Int = s[begin[which] + i]
        inner.text[i] = inner.text[length + i] = symbol
        inner.backwards[n - 1 - i] = inner.backwards[length - 1 - i] = symbol
    count: Int = 0
    width: Int = 2
    while width < 2 * n:
        count = find_width(
            inner.text[:n],
            inner.backwards[:n],
            width,
            0,
            n,
            inner.runs,
            count,
            inner.ahead,
            inner.behind,
            inner.over,
            inner.under,
        )
        width *= 2
    kept: Int = 0
    for k in range(count):
        p: Int = inner.runs[k, 2]
        if 2 * p > length:
            continue
        root: Int = inner.runs[k, 0] + least_rotation(inner.text, inner.runs[k, 0], p)
        place: Int = class_at(s, inner.text, root, p, table, begin, period)
        if table[place] < 0:  # the whole sequence has it across its end only
            continue
        for i in range(3):
            inner.runs[kept, i] = inner.runs[k, i]
        inner.classes[kept], inner.first[kept] = table[place], root
        kept += 1
    return kept
