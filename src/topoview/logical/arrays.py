"""Array functions that the steps share: runs of equal length, sums by owner, codes.

They do what NumPy and pandas do, in compiled code that gives way to other threads.
"""

from typing import Any, Final

import numba
import numpy as np
from numpy.typing import NDArray

from topoview.hash_table import slot_of
from topoview.model import Ints, distinct
from topoview.progress import Report, batches, silent


def run_offsets(counts: Ints) -> Ints:
    """Offsets of consecutive runs: ``[0, c0, c0 + c1, ...]``, int64."""
    offsets = np.zeros(len(counts) + 1, np.int64)
    np.cumsum(counts, out=offsets[1:])
    return offsets


@numba.njit(nogil=True, cache=True)
def index_in_run(counts: Ints) -> Ints:
    """Count 0, 1, ... within each run: ``[0 .. c0), [0 .. c1), ...``, int64.

    Compiled because `numpy.repeat` holds Python's lock.
    """
    found = np.empty(counts.sum(), np.int64)
    at = 0
    for count in counts:
        for k in range(count):
            found[at] = k
            at += 1
    return found


@numba.njit(nogil=True, cache=True)
def repeat(values: NDArray[Any], counts: Ints) -> NDArray[Any]:
    """Repeat each value so often; as `numpy.repeat`, which holds Python's lock."""
    found = np.empty(counts.sum(), values.dtype)
    at = 0
    for place in range(len(counts)):
        found[at : at + counts[place]] = values[place]
        at += counts[place]
    return found


@numba.njit(nogil=True, cache=True)
def widen_ranges(least: Ints, most: Ints, place: Ints, value: Ints) -> None:
    """Widen the ranges at places so that they hold the values.

    As `numpy.minimum.at` and `numpy.maximum.at`, which hold Python's lock.
    """
    for k in range(len(place)):
        at = place[k]
        least[at] = min(least[at], value[k])
        most[at] = max(most[at], value[k])


@numba.njit(nogil=True, cache=True)
def count_at(often: Ints, place: Ints) -> None:
    """Count how often each place occurs, in addition to what was counted before."""
    for k in range(len(place)):
        often[place[k]] += 1


@numba.njit(nogil=True, cache=True)
def hash_sums_at(
    place: Ints, value: NDArray[np.uint64], places: int
) -> NDArray[np.uint64]:
    """Sum of the values at each place, modulo 2^64; as `numpy.add.at`."""
    found = np.zeros(places, np.uint64)
    for k in range(len(place)):
        found[place[k]] += value[k]
    return found


def sums_by_owner(owner: Ints, amount: Ints, owners: int) -> Ints:
    """Sum of the amounts of each owner, exact in int64, shape (owners,)."""
    low = np.bincount(owner, weights=amount & 0xFFFFF, minlength=owners)
    high = np.bincount(owner, weights=amount >> 20, minlength=owners)
    total: Ints = low.astype(np.int64) + (high.astype(np.int64) << 20)
    return total


def mix_bits(codes: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Scramble 64 bits (Steele, Lea and Flood 2014, the finaliser of SplitMix)."""
    x = codes * np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


# Numbers for what occurs: of columns of codes, in portions.

_INITIAL_SLOTS: Final = 1 << 12
_MIN_HASHED_ENTRIES: Final = 1 << 14
_MAX_TABLE_PER_ENTRY: Final = 4
"""Codes may be so many times as large as there are entries for a table."""


def factorize(
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
        As of `batches`.

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
    if most <= _MAX_TABLE_PER_ENTRY * len(codes) + 1024:
        seen = np.zeros(most + 1, bool)
        for some in batches(len(codes), report, stage, halves[0]):
            seen[codes[some]] = True
        kinds = np.flatnonzero(seen)
        numbers = np.empty(most + 1, np.int64)
        numbers[kinds] = np.arange(len(kinds))
        for some in batches(len(codes), report, stage, halves[1]):
            found[some] = numbers[codes[some]]
        return kinds, found
    if len(codes) <= _MIN_HASHED_ENTRIES:
        kinds, inverse = np.unique(codes, return_inverse=True)
        return kinds, inverse.astype(np.int64)
    keys = _hash_codes(codes, report, stage, halves[0])
    used = np.flatnonzero(keys >= 0)
    order = np.argsort(keys[used])
    numbers = np.empty(len(keys), np.int64)
    numbers[used[order]] = np.arange(len(used))
    for some in batches(len(codes), report, stage, halves[1]):
        _look_up(codes[some], keys, numbers, found[some])
    return keys[used[order]], found


def distinct_codes(
    codes: Ints,
    report: Report = silent,
    stage: str = "",
    fractions: tuple[float, float] = (0.0, 1.0),
) -> Ints:
    """Tell which codes occur, ascending: the first that `factorize` returns."""
    if len(codes) <= _MIN_HASHED_ENTRIES:
        return distinct(codes)
    keys = _hash_codes(codes, report, stage, fractions)
    return np.sort(keys[keys >= 0])


def first_entries(codes: Ints, kinds: int) -> Ints:
    """First entry with each code, int64, shape (kinds,); 0 for what is none."""
    found = np.zeros(kinds, np.int64)
    _first_entries(codes, found)
    return found


def _hash_codes(
    codes: Ints, report: Report, stage: str, fractions: tuple[float, float]
) -> Ints:
    """Hash table of codes."""
    keys, used = np.full(_INITIAL_SLOTS, -1, np.int64), 0
    for some in batches(len(codes), report, stage, fractions):
        keys, used = _insert(codes[some], keys, used)
    return keys


@numba.njit(nogil=True, cache=True)
def _insert(codes: Ints, keys: Ints, used: int) -> tuple[Ints, int]:
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
def _first_entries(codes: Ints, found: Ints) -> None:
    for k in range(len(codes) - 1, -1, -1):
        found[codes[k]] = k
