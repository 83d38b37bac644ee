"""Array functions that the steps share: runs, sums by owner."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from topoview.grouping import counting_sort, factorize
from topoview.model import Ints

Hashes = NDArray[np.uint64]
"""Scrambled codes."""


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


def run_offsets(counts: Ints) -> Ints:
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


def run_begins(*columns: Ints) -> Ints:
    """Where runs begin of rows that are alike in all columns, int64, ascending."""
    begins = np.ones(len(columns[0]), bool)
    begins[1:] = False
    for column in columns:
        begins[1:] |= column[1:] != column[:-1]
    return np.flatnonzero(begins)


def sums_by_owner(owner: Ints, amount: Ints, owners: int) -> Ints:
    """Sum of the amounts of each owner, exact in int64, shape (owners,)."""
    low = np.bincount(owner, weights=amount & 0xFFFFF, minlength=owners)
    high = np.bincount(owner, weights=amount >> 20, minlength=owners)
    total: Ints = low.astype(np.int64) + (high.astype(np.int64) << 20)
    return total
