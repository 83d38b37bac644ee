"""Communicators in events, and the ranks of the world that partners are."""

# mypy: allow-untyped-defs, disable-error-code="no-untyped-call,call-arg"
# ruff: noqa: ANN001, ANN201, ANN202 - numba finds the types of what has none

from typing import Final

import numba
import numpy as np

from topoview.io.decoder.memory import load32, load64
from topoview.io.decoder.regions import mapped
from topoview.io.record_types import COMM

NOBODY: Final = -1
"""Partner where none is meant: MPI_PROC_NULL, no root."""
UNKNOWN: Final = -2
"""Partner that is not in the communicator."""

REMOTE_WORDS: Final = 6

SPECIAL: Final = 0xFFFFFF00  # MPI_PROC_NULL, OTF2_UNDEFINED and other codes


@numba.njit(nogil=True)
def _contains(ranks, count, rank):
    """Tell whether sorted ranks contain one."""
    low, high = np.int64(0), count
    while low < high:
        middle = (low + high) // 2
        if np.int64(np.int32(load32(ranks + 4 * middle))) < rank:
            low = middle + 1
        else:
            high = middle
    return low < count and np.int64(np.int32(load32(ranks + 4 * low))) == rank


@numba.njit(nogil=True)
def find_communicator(frame, identifier):
    """Find a communicator by the location's identifier; the world if not defined.

    In one between two groups, partners are ranks of the other group.
    """
    if identifier == frame.comm_known:
        return
    frame.comm_known = identifier
    identifier = mapped(frame, COMM, identifier) & 0xFFFFFFFF
    low, high = np.int64(0), frame.comm_count
    while low < high:
        middle = (low + high) // 2
        if load32(frame.comm_identifiers + 4 * middle) < identifier:
            low = middle + 1
        else:
            high = middle
    number = np.int64(0)
    is_there = low < frame.comm_count
    if is_there and load32(frame.comm_identifiers + 4 * low) == identifier:
        number = load32(frame.comm_numbers + 4 * low)
    begin = load64(frame.comm_begins + 8 * number)
    frame.comm_number = number
    frame.comm_begin = frame.comm_ranks + 4 * begin
    frame.comm_end = load64(frame.comm_begins + 8 * number + 8) - begin
    if frame.comm_remote:
        table = frame.comm_remote + 8 * REMOTE_WORDS * number
        for side in range(2):
            mine, theirs = table + 24 * side, table + 24 * (1 - side)
            if _contains(load64(mine + 8), load64(mine + 16), frame.rank):
                frame.comm_begin, frame.comm_end = load64(theirs), load64(theirs + 16)
                if frame.comm_end == 0:
                    frame.comm_end = -1  # unlike that of the own rank: nobody is known


@numba.njit(nogil=True)
def partner_of(frame, local):
    """Rank of the world that a rank of the communicator is."""
    if local >= SPECIAL:
        return np.int64(NOBODY)
    if local < frame.comm_end:
        return np.int64(np.int32(load32(frame.comm_begin + 4 * local)))
    if frame.comm_end == 0 and local == 0:
        return frame.rank
    return np.int64(UNKNOWN)
