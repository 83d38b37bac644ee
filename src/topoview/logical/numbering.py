"""Numbers for what occurs: of columns of codes, in portions."""

from typing import Final

import numba
import numpy as np

from topoview.hash_table import slot_of
from topoview.model import Ints, distinct
from topoview.progress import Report, portions, silent

_SLOTS: Final = 1 << 12
_SMALL: Final = 1 << 14
_DENSE: Final = 4
"""Codes may be so many times as large as there are entries for a table."""


def number(
    codes: Ints,
    report: Report = silent,
    stage: str = "",
    fractions: tuple[float, float] = (0.0, 1.0),
) -> tuple[Ints, Ints]:
    """Give each distinct code a number.

    As ``np.unique(codes, return_inverse=True)``, but by a table instead of by
    sorting: of the codes if they are small, else by hashing. Only what is distinct
    is sorted.

    Parameters
    ----------
    codes : int64, shape (n,)
        Not negative.
    report, stage, fractions
        As of `portions`.

    Returns
    -------
    int64, shape (distinct,), and int64, shape (n,)
        The codes that occur, ascending, and the number of each entry's code.

    Raises
    ------
    Cancelled
        From `report`.
    """
    if not len(codes):
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    middle = sum(fractions) / 2
    halves = (fractions[0], middle), (middle, fractions[1])
    most = int(codes.max())
    found = np.empty(len(codes), np.int64)
    if most <= _DENSE * len(codes) + 1024:
        seen = np.zeros(most + 1, bool)
        for some in portions(len(codes), report, stage, halves[0]):
            seen[codes[some]] = True
        kinds = np.flatnonzero(seen)
        numbers = np.empty(most + 1, np.int64)
        numbers[kinds] = np.arange(len(kinds))
        for some in portions(len(codes), report, stage, halves[1]):
            found[some] = numbers[codes[some]]
        return kinds, found
    if len(codes) <= _SMALL:
        kinds, inverse = np.unique(codes, return_inverse=True)
        return kinds, inverse.astype(np.int64)
    keys = _entered(codes, report, stage, halves[0])
    used = np.flatnonzero(keys >= 0)
    order = np.argsort(keys[used])
    numbers = np.empty(len(keys), np.int64)
    numbers[used[order]] = np.arange(len(used))
    for some in portions(len(codes), report, stage, halves[1]):
        _look_up(codes[some], keys, numbers, found[some])
    return keys[used[order]], found


def kinds_of(
    codes: Ints,
    report: Report = silent,
    stage: str = "",
    fractions: tuple[float, float] = (0.0, 1.0),
) -> Ints:
    """Tell which codes occur, ascending: the first that `number` returns."""
    if len(codes) <= _SMALL:
        return distinct(codes)
    keys = _entered(codes, report, stage, fractions)
    return np.sort(keys[keys >= 0])


def firsts(codes: Ints, kinds: int) -> Ints:
    """First entry with each code, int64, shape (kinds,); 0 for what is none."""
    found = np.zeros(kinds, np.int64)
    _firsts(codes, found)
    return found


def _entered(
    codes: Ints, report: Report, stage: str, fractions: tuple[float, float]
) -> Ints:
    """Hash table of codes."""
    keys, used = np.full(_SLOTS, -1, np.int64), 0
    for some in portions(len(codes), report, stage, fractions):
        keys, used = _enter(codes[some], keys, used)
    return keys


@numba.njit(nogil=True, cache=True)
def _enter(codes: Ints, keys: Ints, used: int) -> tuple[Ints, int]:
    """Put codes into a hash table that grows; returns it and how many it holds."""
    last = np.int64(-1)
    for code in codes:
        if code == last:
            continue
        last = code
        slot = slot_of(keys, code)
        if keys[slot] >= 0:
            continue
        keys[slot] = code
        used += 1
        if 2 * used > len(keys):
            larger = np.full(4 * len(keys), -1, np.int64)
            for key in keys:
                if key >= 0:
                    larger[slot_of(larger, key)] = key
            keys = larger
    return keys, used


@numba.njit(nogil=True, cache=True)
def _look_up(codes: Ints, keys: Ints, numbers: Ints, found: Ints) -> None:
    for k in range(len(codes)):
        found[k] = numbers[slot_of(keys, codes[k])]


@numba.njit(nogil=True, cache=True)
def _firsts(codes: Ints, found: Ints) -> None:
    for k in range(len(codes) - 1, -1, -1):
        found[codes[k]] = k
