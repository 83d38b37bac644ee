"""Repetitions in a sequence: its cycle, and its maximal runs by what they repeat.

A run is a stretch that repeats with its shortest period at least twice, and that
cannot be prolonged; a sequence of n symbols has fewer than n (Bannai et al., The
"runs" theorem, 2017). They are found by halving (Main and Lorentz, An O(n log n)
algorithm for finding all repetitions in a string, 1984). Runs whose periods are
rotations of each other are one class, known by the least rotation (a Lyndon word).
"""

from dataclasses import dataclass

import numpy as np

from topoview.base.kernels import kernel
from topoview.base.progress import Report, silent
from topoview.model import Ints


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


def find_runs(sequence: Ints, report: Report = silent) -> Ints:
    """Find all runs.

    Parameters
    ----------
    sequence : int64, shape (n,)

    Returns
    -------
    int64, shape (runs, 3)
        Begin, end and period of each run, in no particular order.

    Raises
    ------
    Cancelled
        From `report`.
    """
    s = np.ascontiguousarray(sequence, np.int64)
    n = len(s)
    backwards = np.ascontiguousarray(s[::-1])
    runs = np.empty((max(n, 1), 3), np.int64)
    scratch = np.empty((4, n + 1), np.int64)
    found, width, done = 0, 2, 0
    levels = max(1, (n - 1).bit_length())
    while width < 2 * n:
        for low in range(0, n, max(width, SYMBOLS_PER_REPORT // width * width)):
            high = min(n, low + max(width, SYMBOLS_PER_REPORT // width * width))
            found = _runs_of_width(s, backwards, width, low, high, runs, found, scratch)
            report("finding loops", 0.3 * done / levels)
        width *= 2
        done += 1
    return runs[:found]


SYMBOLS_PER_REPORT = 1 << 18
"""Symbols that are looked at between two reports."""


@kernel
def _runs_of_width(  # noqa: PLR0913
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
            found = _runs_across(s, backwards, begin, middle, end, runs, found, scratch)
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
        found = _runs_of_width(s, backwards, width, begin, len(s), runs, found, scratch)
        width *= 2
    return found


@kernel
def _runs_across(  # noqa: C901, PLR0913
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
    _own_matches(after, ahead)
    _own_matches(before, behind)
    _matches(after, ahead, s[low:high], left, over)
    _matches(before, behind, backwards[n - high : n - low], right, under)
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
def _own_matches(s: Ints, out: Ints) -> None:
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
def _matches(s: Ints, own: Ints, text: Ints, starts: int, out: Ints) -> None:
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


@dataclass(frozen=True, slots=True, eq=False)
class RunClasses:
    """Classes of runs.

    Attributes
    ----------
    of, first : int64, shape (runs,)
        Class of each run, and the index at which its root first begins.
    begin, period : int64, shape (classes,)
        Where the sequence has each root, and its length.
    slot : int64, shape (classes + 1,)
        Each class owns `period` numbers from there on: one for each rotation.
    table : int64, shape (power of two,)
        Classes by hash, -1 where there is none.
    """

    of: Ints
    first: Ints
    begin: Ints
    period: Ints
    slot: Ints
    table: Ints


def classify_runs(s: Ints, runs: Ints) -> RunClasses:
    """Put runs into classes.

    Parameters
    ----------
    s : int64, shape (n,)
    runs : int64, shape (runs, 3)
        From `find_runs`; ascending periods.
    """
    table = np.full(1 << max(3, (2 * len(runs)).bit_length()), -1, np.int64)
    of, first = np.empty((2, len(runs)), np.int64)
    begin, period = np.empty((2, len(runs)), np.int64)
    found = _classify(s, runs, table, of, first, begin, period)
    slot = np.zeros(found + 1, np.int64)
    np.cumsum(period[:found], out=slot[1:])
    return RunClasses(of, first, begin[:found], period[:found], slot, table)


@kernel
def _classify(  # noqa: PLR0913
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
