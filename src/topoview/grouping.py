"""Codes, groups and runs: numbers for distinct codes, rows by group, runs of rows."""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from topoview.base import hashing, ordering
from topoview.model import Bools, Indices, Ints, readonly

_INITIAL_SLOTS: Final = 1 << 12
_MIN_HASHED_ENTRIES: Final = 1 << 14
_MAX_TABLE_PER_ENTRY: Final = 4
"""Codes may span so many times as many numbers as there are entries, for a table."""

Hashes = NDArray[np.uint64]
"""Scrambled codes."""


def counting_sort(group: Ints | Indices, groups: int) -> tuple[Ints, Ints]:
    """Sort rows by their groups, keeping their order.

    As ``np.argsort(group, kind="stable")``, which takes several times as long.

    Parameters
    ----------
    group : integers, shape (n,)
        From 0 to `groups` - 1.

    Returns
    -------
    int64, shape (n,), and int64, shape (groups + 1,)
        The rows in order, and where each group begins.
    """
    return sorted_by_group(np.arange(len(group)), group, groups)


def sorted_by_group(
    values: Ints, group: Ints | Indices, groups: int
) -> tuple[Ints, Ints]:
    """Put values in order of their groups: as `counting_sort`, and take them.

    Returns
    -------
    int64, shape (n,), and int64, shape (groups + 1,)
        The values in order, and where each group begins.
    """
    begins = np.zeros(groups + 1, np.int64)
    np.cumsum(np.bincount(group, minlength=groups), out=begins[1:])
    placed = np.empty(len(group), np.int64)
    following = begins[:-1].copy()
    ordering.place_by_group(readonly(values), readonly(group), following, placed)
    return placed, begins


def factorize(codes: Ints | Indices) -> tuple[Ints, Ints]:
    """Enumerate the distinct codes.

    As ``np.unique(codes, return_inverse=True)``, but by a table instead of by
    sorting: of the codes if they are near each other, else by hashing. Only what is
    distinct is sorted.

    Returns
    -------
    int64, shape (distinct,), and int64, shape (n,)
        The codes that occur, ascending, and the number of each entry's code.
    """
    if not len(codes):
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    entries: Ints = readonly(codes)
    least, most = int(entries.min()), int(entries.max())
    span = most - least
    if span <= _MAX_TABLE_PER_ENTRY * len(entries) + 1024:
        if least:
            entries = entries - least
        seen = np.zeros(span + 1, bool)
        seen[entries] = True
        kinds = np.flatnonzero(seen)
        numbers = np.empty(span + 1, np.int64)
        numbers[kinds] = np.arange(len(kinds))
        return kinds + least, numbers[entries]
    if len(entries) <= _MIN_HASHED_ENTRIES or span >= 1 << 62:
        return _by_sorting(entries)
    if least < 0:
        entries = readonly(entries - least)
    met, index = in_order_met(entries)
    order = np.argsort(met)
    numbers = np.empty(len(met), np.int64)
    numbers[order] = np.arange(len(met))
    return met[order] + min(least, 0), numbers[index]


def _by_sorting(codes: Ints) -> tuple[Ints, Ints]:
    order = codes.argsort()
    ascending = codes[order]
    begins = np.empty(len(codes), bool)
    begins[0] = True
    np.not_equal(ascending[1:], ascending[:-1], out=begins[1:])
    inverse = np.empty(len(codes), np.int64)
    inverse[order] = begins.cumsum() - 1
    return ascending[begins], inverse


def first_entries(numbers: Ints, count: int) -> Ints:
    """Find the first entry of each number, as `factorize` gives them.

    Returns
    -------
    int64, shape (count,)
    """
    first = np.empty(count, np.int64)
    first[numbers[::-1]] = np.arange(len(numbers))[::-1]
    return first


def in_order_met(codes: Ints | Indices) -> tuple[Ints, Ints]:
    """Enumerate codes, of 0 and more, in the order in which they are met.

    Returns
    -------
    int64, shape (distinct,), and int64, shape (n,)
        The codes that occur, and the number of each entry's.
    """
    entries: Ints = readonly(codes)
    slots, used, done = _INITIAL_SLOTS, 0, 0
    met = np.empty(slots, np.int64)
    inverse = np.empty(len(entries), np.int64)
    while True:
        table = np.full(slots, -1, np.int64), np.empty(slots, np.int64)
        again = np.empty(used, np.int64)
        hashing.enter_codes(readonly(met[:used].copy()), 0, *table, met, 0, again)
        done, used = hashing.enter_codes(entries, done, *table, met, used, inverse)
        if done == len(entries):
            return met[:used], inverse
        slots *= 4
        met = np.append(met, np.empty(slots, np.int64))


def combined(columns: Sequence[Ints]) -> Ints:
    """Enumerate the combinations of columns, int64; equal ones have one number."""
    key = factorize(columns[0])[1]
    for column in columns[1:]:
        values, value = factorize(column)
        key = factorize(key * max(len(values), 1) + value)[1]
    return key


def kinds_by_owner(owner: Ints, kind: Ints, owners: int) -> Ints:
    """Count the different kinds of each owner: int64, shape (owners,)."""
    width = int(kind.max(initial=0)) + 1
    return np.bincount(factorize(owner * width + kind)[0] // width, minlength=owners)


def run_offsets(counts: Ints | Sequence[int]) -> Ints:
    """Offsets of consecutive runs: ``[0, c0, c0 + c1, ...]``, int64."""
    offsets = np.zeros(len(counts) + 1, np.int64)
    np.cumsum(counts, out=offsets[1:])
    return offsets


def index_in_run(counts: Ints) -> Ints:
    """Count 0, 1, ... within each run: ``[0 .. c0), [0 .. c1), ...``, int64."""
    begins = np.cumsum(counts) - counts
    result: Ints = np.arange(counts.sum()) - np.repeat(begins, counts)
    return result


def turns(number: Ints, numbers: int) -> Ints:
    """Count how often each number has come before: int64, shape (n,)."""
    order, begins = counting_sort(number, numbers)
    turn = np.empty(len(order), np.int64)
    turn[order] = index_in_run(np.diff(begins))
    return turn


def run_rows(offsets: Ints, runs: Ints) -> Ints:
    """Return the rows of some runs, int64, one run after the other."""
    counts = np.diff(offsets)[runs]
    rows: Ints = np.repeat(offsets[runs], counts) + index_in_run(counts)
    return rows


def begins_run(*columns: NDArray[Any]) -> Bools:
    """Return whether rows differ from the one before in any column; the first does."""
    begins = np.ones(len(columns[0]), np.bool_)
    begins[1:] = False
    for column in columns:
        begins[1:] |= column[1:] != column[:-1]
    return begins


def run_begins(*columns: NDArray[Any]) -> Ints:
    """Where runs begin of rows that are alike in all columns, int64, ascending."""
    return np.flatnonzero(begins_run(*columns))


def sums_by_owner(owner: Ints, amount: Ints, owners: int) -> Ints:
    """Sum of the amounts of each owner, exact in int64, shape (owners,)."""
    low = np.bincount(owner, weights=amount & 0xFFFFF, minlength=owners)
    high = np.bincount(owner, weights=amount >> 20, minlength=owners)
    total: Ints = low.astype(np.int64) + (high.astype(np.int64) << 20)
    return total
