"""Hash tables for kernels: an array of keys, by linear probing."""

# mypy: allow-untyped-defs
# ruff: noqa: ANN001, ANN201 - numba finds the types of what has none

from typing import Final

import numpy as np
from numpy.typing import NDArray

from topoview.base.kernels import kernel

Ints = NDArray[np.int64]

HASH_MULTIPLIER: Final = np.uint64(0x9E3779B97F4A7C15)
"""2^64 over the golden ratio (Knuth, The Art of Computer Programming 3, 6.4)."""


@kernel(inline="always")
def slot_of(keys, key):
    """Find the place of a key, or where it can be put.

    Parameters
    ----------
    keys : int64, shape (power of two,)
        Keys from 0 on, -1 where there is none; some place is free.
    key : int64
    """
    mask = np.uint64(len(keys) - 1)
    mixed = np.uint64(key) * HASH_MULTIPLIER
    slot = ((mixed ^ (mixed >> np.uint64(29))) >> np.uint64(8)) & mask
    while keys[slot] >= 0 and keys[slot] != key:
        slot = (slot + np.uint64(1)) & mask
    return np.int64(slot)
