"""Codes and groups: numbers for distinct codes, rows in order of their groups."""

from typing import Final

import numpy as np

from topoview.base import hashing, ordering
from topoview.model import Indices, Ints, readonly

_INITIAL_SLOTS: Final = 1 << 12
_MIN_HASHED_ENTRIES: Final = 1 << 14
_MAX_TABLE_PER_ENTRY: Final = 4
"""Codes may span so many times as many numbers as there are entries, for a table."""


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
    met, index = _in_order_met(entries)
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


def _in_order_met(codes: Ints) -> tuple[Ints, Ints]:
    """Distinct codes in the order in which they are met, and each entry's number."""
    slots, used, done = _INITIAL_SLOTS, 0, 0
    met = np.empty(slots, np.int64)
    inverse = np.empty(len(codes), np.int64)
    while True:
        table = np.full(slots, -1, np.int64), np.empty(slots, np.int64)
        again = np.empty(used, np.int64)
        hashing.enter_codes(readonly(met[:used].copy()), 0, *table, met, 0, again)
        done, used = hashing.enter_codes(codes, done, *table, met, used, inverse)
        if done == len(codes):
            return met[:used], inverse
        slots *= 4
        met = np.append(met, np.empty(slots, np.int64))
