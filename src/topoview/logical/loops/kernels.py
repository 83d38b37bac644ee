"""Kernels of logical/loops."""

import numpy as np

from topoview.base.kernels import kernel
from topoview.model import Bools, Indices, Ints

SYMBOL_COST = 1 << 32
"""Cost of a symbol; a loop costs 1 beside its body, so that symbols count first."""


INFINITE_COST = 1 << 62


MAX_ROTATED_SYMBOLS = 1 << 20
"""Symbols of rotations that are tried for each class, at least 8 rotations."""


STOP, CALL, SCRIPT, LOOP, NEXT, WHEN, SOMETIMES, USE, RETURN = range(9)
"""What words say: the end; a call, or calls without a rule, of a statement; a loop's
head, of two words, and its end; a condition; a part; a block, and its end."""


@kernel
def cycle_length(s: Ints) -> int:
    """Length of the shortest start that, repeated, gives the whole sequence.

    The repetition may end within the start. By the failure function of Knuth,
    Morris and Pratt (1977): linear time.
    """
    n = len(s)
    if n < 2:
        return n
    border = np.zeros(n, np.int64)
    k = 0
    for i in range(1, n):
        while k > 0 and s[i] != s[k]:
            k = border[k - 1]
        if s[i] == s[k]:
            k += 1
        border[i] = k
    return n - int(border[n - 1])


@kernel
def runs_of_width(  # noqa: PLR0913
    s: Ints,
    backwards: Ints,
    width: int,
    low: int,
    high: int,
    runs: Ints,
    found: int,
    scratch: Ints,
) -> int:
    """Find the runs across the middle of each stretch of a width."""
    for begin in range(low, high, width):
        middle, end = begin + width // 2, min(begin + width, len(s))
        if middle < end:
            found = runs_across(s, backwards, begin, middle, end, runs, found, scratch)
    return found


@kernel
def runs_of(s: Ints, backwards: Ints, runs: Ints, scratch: Ints) -> int:
    """Find all runs, within a kernel: how many were written to `runs`.

    Parameters
    ----------
    s, backwards : int64, shape (n,)
        The sequence and its reverse.
    runs : int64, shape (n or more, 3)
    scratch : int64, shape (4, n + 1 or more)
    """
    # As numbers of a type: numba compiles anew for each that is written out.
    begin, found, width = int(np.int64(0)), int(np.int64(0)), int(np.int64(2))
    while width < 2 * len(s):
        found = runs_of_width(s, backwards, width, begin, len(s), runs, found, scratch)
        width *= 2
    return found


@kernel
def runs_across(  # noqa: C901, PLR0913
    s: Ints,
    backwards: Ints,
    low: int,
    middle: int,
    high: int,
    runs: Ints,
    found: int,
    scratch: Ints,
) -> int:
    n, left, right = len(s), middle - low, high - middle
    after, before = s[middle:high], backwards[n - middle : n - low]
    ahead, behind, over, under = scratch
    own_matches(after, ahead)
    own_matches(before, behind)
    matches(after, ahead, s[low:high], left, over)
    matches(before, behind, backwards[n - high : n - low], right, under)
    first = found
    for period in range(1, max(left, right) + 1):
        for side in range(2):
            if period > (right if side == 0 else left):
                continue
            if side == 0:  # the period right of the middle belongs to the run
                back, forth = under[right - period], 0
                if period < right:
                    forth = ahead[period]
                begin, end = middle - back, middle + period + forth
            else:  # the period left of it does
                back, forth = 0, over[left - period]
                if period < left:
                    back = behind[period]
                begin, end = middle - period - back, middle + forth
            if end - begin < 2 * period or begin == middle or end == middle:
                continue
            if begin == low and low > 0 and s[low - 1] == s[low - 1 + period]:
                continue  # goes on beyond the stretch: found across another middle
            if end == high and high < n and s[high] == s[high - period]:
                continue
            known = False
            for k in range(first, found):
                known = known or (runs[k, 0] == begin and runs[k, 1] == end)
            if not known:
                runs[found, 0] = begin
                runs[found, 1] = end
                runs[found, 2] = period
                found += 1
    return found


@kernel
def own_matches(s: Ints, out: Ints) -> None:
    """How far the sequence from each index on is as from its start."""
    out[0] = len(s)
    begin, end = 0, 0
    for i in range(1, len(s)):
        k = 0
        if i < end:
            k = min(out[i - begin], end - i)
        while i + k < len(s) and s[i + k] == s[k]:
            k += 1
        out[i] = k
        if i + k > end:
            begin, end = i, i + k


@kernel
def matches(s: Ints, own: Ints, text: Ints, starts: int, out: Ints) -> None:
    """How far a text from each of its first indices on is as `s`."""
    begin, end = 0, 0
    for i in range(starts):
        k = 0
        if i < end:
            k = min(own[i - begin], end - i)
        while k < len(s) and i + k < len(text) and text[i + k] == s[k]:
            k += 1
        out[i] = k
        if i + k > end:
            begin, end = i, i + k


@kernel
def classify(  # noqa: PLR0913
    s: Ints, runs: Ints, table: Ints, of: Ints, first: Ints, begin: Ints, period: Ints
) -> int:
    found = 0
    for k in range(len(runs)):
        length = runs[k, 2]
        root = runs[k, 0] + least_rotation(s[runs[k, 0] : runs[k, 0] + length])
        place = class_at(s, s[root : root + length], table, begin, period)
        if table[place] < 0:
            table[place] = found
            begin[found] = root
            period[found] = length
            found += 1
        of[k] = table[place]
        first[k] = root
    return found


@kernel
def class_at(s: Ints, root: Ints, table: Ints, begin: Ints, period: Ints) -> int:
    """Find the place of a root in the table; that of a new one is empty."""
    key = np.uint64(len(root))
    for symbol in root:
        key = (key ^ np.uint64(symbol)) * np.uint64(0x9E3779B97F4A7C15)
        key ^= key >> np.uint64(29)
    place = np.int64(key & np.uint64(len(table) - 1))
    while table[place] >= 0:
        known = table[place]
        if period[known] == len(root):
            at = begin[known]
            same = True
            for i in range(len(root)):
                if s[at + i] != root[i]:
                    same = False
                    break
            if same:
                break
        place = np.int64((place + 1) & (len(table) - 1))
    return int(place)


@kernel
def least_rotation(s: Ints) -> int:
    """Index at which the least rotation begins (Shiloach 1981): linear time."""
    n = len(s)
    i, j, k = 0, 1, 0
    while i < n and j < n and k < n:
        a, b = s[(i + k) % n], s[(j + k) % n]
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


@kernel
def rotation_costs(  # noqa: PLR0913
    s: Ints,
    table: Ints,
    begin: Ints,
    period: Ints,
    slot: Ints,
    cost: Ints,
    done: int,
    work: int,
) -> tuple[int, int]:
    """Go on until there was enough work for a report."""
    until = max(0, work - 20_000_000)
    while done < len(period) and work > until:
        length = period[done]
        text, inner, classes, first = inner_runs(
            s[begin[done] : begin[done] + length], s, table, begin, period
        )
        step = max(1, length // max(8, MAX_ROTATED_SYMBOLS // length))
        for rotation in range(0, length, step):
            at = parse(length, rotation, inner, classes, first, slot, cost)[0]
            cost[slot[done] + rotation] = at[length]
        looked = 2 * length  # symbols, and how often runs cover them
        for k in range(len(inner)):
            looked += inner[k, 1] - inner[k, 0]
        work -= (length // step + 1) * looked
        if step > 1:
            work -= looked * cuts(text, inner, classes, first, slot, cost, done)
        done += 1
    return done, work


@kernel
def cuts(  # noqa: PLR0913
    text: Ints,
    inner: Ints,
    classes: Ints,
    first: Ints,
    slot: Ints,
    cost: Ints,
    which: int,
) -> int:
    """Try rotations at which two periods written shortest are cut in any case."""
    length = len(text) // 2
    _, back, _ = parse(2 * length, int(np.int64(0)), inner, classes, first, slot, cost)
    on = np.zeros(2 * length + 1, np.bool_)
    j = 2 * length
    while j > 0:
        on[j] = True
        j = back[j]
    tried = 0
    for i in range(length):
        if on[i] and on[i + length] and tried < 8:
            if cost[slot[which] + i] < INFINITE_COST:
                continue
            at = parse(length, i, inner, classes, first, slot, cost)[0]
            cost[slot[which] + i] = at[length]
            tried += 1
    return tried + 2


@kernel
def inner_runs(
    root: Ints, s: Ints, table: Ints, begin: Ints, period: Ints
) -> tuple[Ints, Ints, Ints, Ints]:
    """Find the runs within two periods that are short enough to lie within one.

    Returns
    -------
    text, runs, classes, first
        The two periods; runs as of `find_runs`, their class, and where its root
        first begins.
    """
    length = len(root)
    text = np.empty(2 * length, np.int64)
    for i in range(length):
        text[i] = text[length + i] = root[i]
    runs = np.empty((2 * length, 3), np.int64)
    scratch = np.empty((4, 2 * length + 1), np.int64)
    found = runs_of(text, text[::-1].copy(), runs, scratch)
    kept = 0
    classes, first = np.empty(found, np.int64), np.empty(found, np.int64)
    for k in range(found):
        p = runs[k, 2]
        if 2 * p > length:
            continue
        at = runs[k, 0] + least_rotation(text[runs[k, 0] : runs[k, 0] + p])
        known = table[class_at(s, text[at : at + p], table, begin, period)]
        if known < 0:
            continue
        for i in range(3):
            runs[kept, i] = runs[k, i]
        classes[kept] = known
        first[kept] = at
        kept += 1
    return text, runs[:kept], classes[:kept], first[:kept]


@kernel
def parse(  # noqa: C901, PLR0913
    n: int, begin: int, runs: Ints, classes: Ints, first: Ints, slot: Ints, cost: Ints
) -> tuple[Ints, Ints, Ints]:
    """Find the shortest way to write n symbols, from an index of the text on.

    Returns
    -------
    at, back, run : int64, shape (n + 1,)
        What the first j symbols cost, where the last item of them begins, and
        the run that it is a loop of, -1 for a symbol.
    """
    at = np.zeros(n + 1, np.int64)
    back = np.zeros(n + 1, np.int64)
    run = np.full(n + 1, -1, np.int64)
    head = np.full(n + 1, -1, np.int64)
    follows = np.full(len(runs), -1, np.int64)
    room = np.zeros(len(runs) + 1, np.int64)
    for k in range(len(runs)):
        low = max(runs[k, 0] - begin, 0)
        high = min(runs[k, 1] - begin, n)
        room[k + 1] = room[k]
        if high - low >= 2 * runs[k, 2]:
            room[k + 1] += runs[k, 2]
            follows[k] = head[low + 2 * runs[k, 2]]
            head[low + 2 * runs[k, 2]] = k
    best = np.full(room[-1], INFINITE_COST, np.int64)
    start = np.zeros(room[-1], np.int64)
    active = np.empty((len(runs), 4), np.int64)  # run, phase, rotation, end
    many = 0
    for j in range(1, n + 1):
        at[j] = at[j - 1] + SYMBOL_COST
        back[j] = j - 1
        k = head[j]
        while k >= 0:
            active[many, 0] = k
            active[many, 1] = 0
            active[many, 2] = (j - 2 * runs[k, 2] + begin - first[k]) % runs[k, 2]
            active[many, 3] = min(runs[k, 1] - begin, n)
            many += 1
            k = follows[k]
        a = 0
        while a < many:
            k = active[a, 0]
            if j > active[a, 3]:
                many -= 1
                for i in range(4):
                    active[a, i] = active[many, i]
                continue
            p = runs[k, 2]
            place = room[k] + active[a, 1]
            body = cost[slot[classes[k]] + active[a, 2]]
            if body < INFINITE_COST:
                i = j - 2 * p
                if at[i] + body + 1 < best[place]:
                    best[place] = at[i] + body + 1
                    start[place] = i
                if best[place] < at[j]:
                    at[j] = best[place]
                    back[j] = start[place]
                    run[j] = k
            active[a, 1] = active[a, 1] + 1 if active[a, 1] + 1 < p else 0
            active[a, 2] = active[a, 2] + 1 if active[a, 2] + 1 < p else 0
            a += 1
    return at, back, run


@kernel
def run_ends(back: Ints) -> Ints:
    ends = np.empty(len(back), np.int64)
    found, j = 0, len(back) - 1
    while j > 0:
        ends[found] = j
        found += 1
        j = back[j]
    return ends[:found][::-1].copy()


@kernel
def elements_of_part(part: Ints, body: Ints) -> Ints:
    """Elements of a body at which a part's symbols are, as far as they are there."""
    placed = np.empty(len(part), np.int64)
    element = 0
    for k in range(len(part)):
        while element < len(body) and body[element] != part[k]:
            element += 1
        if element == len(body):
            return placed[:k]
        placed[k] = element
        element += 1
    return placed


@kernel
def have_common(one: Indices, other: Indices) -> bool:
    """Whether two ascending columns have anything in common."""
    j = 0
    for value in one:
        while j < len(other) and other[j] < value:
            j += 1
        if j < len(other) and other[j] == value:
            return True
    return False


@kernel
def stretches(row: Ints, body: Ints) -> tuple[Ints, Ints]:
    """Where each node or stretch begins, and how often the body runs there or 0."""
    first, count = np.empty(len(row), np.int64), np.zeros(len(row), np.int64)
    found, at = 0, 0
    while at < len(row):
        first[found] = at
        while at + len(body) <= len(row):
            k = 0
            while k < len(body) and row[at + k] == body[k]:
                k += 1
            if k < len(body):
                break
            count[found] += 1
            at += len(body)
        if not count[found]:
            at += 1
        found += 1
    return first[:found], count[:found]


@kernel
def run_words(  # noqa: C901, PLR0913
    words: Ints, loops: int, inside: Bools, offsets: Ints, values: Ints, counts: Ints
) -> Ints:
    made = np.empty((256, 2), np.int64)
    turns = np.zeros(len(offsets), np.int64)
    stack = np.zeros((loops + 1, 5), np.int64)  # head, done, count, numbers, outer
    returns = np.zeros(len(words), np.int64)
    deep, back, pc, number, many = 0, 0, 0, 0, 0
    while True:
        what, a, leap = words[pc, 0], words[pc, 1], words[pc, 3]
        pc += 1
        if what == STOP:
            return made[:many].copy()
        if what in (CALL, SCRIPT):
            if many == len(made):
                more = np.empty((2 * many, 2), np.int64)
                for i in range(many):
                    more[i, 0], more[i, 1] = made[i, 0], made[i, 1]
                made = more
            made[many, 0], made[many, 1] = a, number
            many += 1
        elif what == LOOP:
            count, of, by_rank, over = words[pc]
            if of >= 0:
                length = offsets[of + 1] - offsets[of]
                count = values[offsets[of] + turns[of] % length]
                turns[of] += 1
            if by_rank >= 0:
                count = counts[by_rank]
            if count <= 0:
                pc = leap
                continue
            stack[deep] = (pc - 1, 0, count, over, number)
            if over >= 0:
                number = values[offsets[over]]
            deep += 1
            pc += 1
        elif what == NEXT:
            top = stack[deep - 1]
            top[1] += 1
            if top[1] < top[2]:
                if top[3] >= 0:
                    number = values[offsets[top[3]] + top[1]]
                pc = top[0] + 2
            else:
                number = top[4]
                deep -= 1
        elif what == WHEN:
            if not inside[a]:
                pc = leap
        elif what == SOMETIMES:
            taken = values[offsets[a] + turns[a] % (offsets[a + 1] - offsets[a])]
            turns[a] += 1
            if not taken:
                pc = leap
        elif what == USE:
            returns[back] = pc
            back += 1
            pc = a
        else:
            back -= 1
            pc = returns[back]
