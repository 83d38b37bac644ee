"""What repeats in each run: the class of its period, whatever it begins with.

Two runs are of one class if one's period is a rotation of the other's. A class
is known by its root, the least of its rotations (a Lyndon word).
"""

from dataclasses import dataclass

import numba
import numpy as np

from topoview.model import Ints


@dataclass(frozen=True, slots=True, eq=False)
class Roots:
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


def roots_of(s: Ints, runs: Ints) -> Roots:
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
    return Roots(of, first, begin[:found], period[:found], slot, table)


@numba.njit(nogil=True, cache=True)
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


@numba.njit(nogil=True, cache=True)
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


@numba.njit(nogil=True, cache=True)
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
