"""What identifiers in events mean: mapping tables of local definitions applied.

A region is one word: its number in the lowest 32 bits, the state of a location
in it in the next 8, and then a bit that tells whether it is an MPI call.
"""

# mypy: allow-untyped-defs, disable-error-code="no-untyped-call,call-arg"
# ruff: noqa: ANN001, ANN201 - numba finds the types of what has none

from typing import Final

import numba
import numpy as np

from topoview.io.decoder.memory import load32, load64
from topoview.io.record_types import CONTEXT, REGION
from topoview.model import MPIState

SPARSE: Final = 1
NOWHERE: Final = 0xFFFFFFFF
"""Number of no region."""

IS_CALL: Final = 1 << 40
UNKNOWN: Final = NOWHERE | int(MPIState.COMPUTE) << 32


@numba.njit(nogil=True)
def mapped(frame, kind, identifier):
    """Global identifier of a local one; itself if no table has it."""
    table = frame.maps + 24 * kind
    items, count = load64(table), load64(table + 8)
    if count == 0:
        return identifier
    if load64(table + 16) != SPARSE:
        if 0 <= identifier < count:
            return load64(items + 8 * identifier)
        return identifier
    low, high = np.int64(0), count
    while low < high:
        middle = (low + high) // 2
        if np.uint64(load64(items + 16 * middle)) < np.uint64(identifier):
            low = middle + 1
        else:
            high = middle
    if low < count and load64(items + 16 * low) == identifier:
        return load64(items + 16 * low + 8)
    return identifier


@numba.njit(nogil=True)
def search_region(frame, identifier):
    """Word of a region by its local identifier, whatever that is."""
    identifier = mapped(frame, REGION, identifier) & 0xFFFFFFFF
    if identifier < frame.direct_count:
        return load64(frame.direct + 8 * identifier)
    low, high = np.int64(0), frame.identifier_count
    while low < high:
        middle = (low + high) // 2
        if load32(frame.identifiers + 4 * middle) < identifier:
            low = middle + 1
        else:
            high = middle
    is_there = low < frame.identifier_count
    if is_there and load32(frame.identifiers + 4 * low) == identifier:
        return load64(frame.packed + 8 * low)
    return np.int64(UNKNOWN)


@numba.njit(nogil=True, inline="always")
def region_of(frame, identifier):
    """Word of the region with a local identifier."""
    if identifier < frame.region_count:
        return load64(frame.regions + 8 * identifier)
    return search_region(frame, identifier)


@numba.njit(nogil=True)
def context_of(frame, identifier):
    """Word of the region of a calling context."""
    context = mapped(frame, CONTEXT, identifier) & 0xFFFFFFFF
    if context < frame.context_count:
        return load64(frame.contexts + 8 * context)
    return np.int64(UNKNOWN)
