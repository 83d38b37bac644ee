"""Array functions that the steps share: runs, sums by owner."""

import numpy as np
from numpy.typing import NDArray

from topoview.model import Ints

Hashes = NDArray[np.uint64]
"""Scrambled codes."""


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
