"""Which record posted the request that another one completes."""

# mypy: allow-untyped-defs
# ruff: noqa: ANN001, ANN202 - numba finds the types of what has none

from typing import Final

import numba
import numpy as np

from otf2_reader import callbacks as tape_kinds
from otf2_reader.columns import CALLS, RECORDS, ROW_CALL, Columns
from topoview.model import Ints

DROPPED: Final = 255
"""Kind of a record that says nothing."""

_ISEND: Final = tape_kinds.ISEND
_SEND_COMPLETE: Final = tape_kinds.SEND_COMPLETE
_RECEIVE_POST: Final = tape_kinds.RECEIVE_POST
_RECEIVE_COMPLETE: Final = tape_kinds.RECEIVE_COMPLETE
_COLLECTIVE_POST: Final = tape_kinds.COLLECTIVE_POST
_COLLECTIVE_COMPLETE: Final = tape_kinds.COLLECTIVE_COMPLETE
_NONE: Final = -1
_SEVERAL: Final = -2
_SPREAD: Final = np.uint64(0x9E3779B97F4A7C15)


@numba.njit(nogil=True, cache=True)
def resolve_requests(  # noqa: C901
    columns: Columns, cursor: Ints, first: int
) -> None:
    """Resolve the requests of a location, whose records begin at `first`.

    Fills `Columns.post`, and `Columns.completes` of the location's calls.
    Identifiers may be used again once they were completed. What EZTrace
    records as a receive when a persistent send completes is dropped: its
    request was posted by a send.
    """
    kinds, requests, posts_of = columns.kind, columns.request, columns.post
    call_of, completes = columns.call, columns.completes
    stop = cursor[RECORDS]
    posts = 0
    for record in range(first, stop):
        kind = kinds[record]
        if kind in (_ISEND, _RECEIVE_POST, _COLLECTIVE_POST):
            posts += 1
    if not posts:
        return
    size = 4
    while size < 2 * posts:
        size *= 2
    keys = np.zeros(size, np.uint64)
    values = np.full(size, -2, np.int64)
    for record in range(first, stop):
        kind = kinds[record]
        if kind in (_ISEND, _RECEIVE_POST, _COLLECTIVE_POST):
            slot = _slot(keys, values, requests[record])
            keys[slot] = requests[record]
            values[slot] = record
        elif kind in (_SEND_COMPLETE, _RECEIVE_COMPLETE, _COLLECTIVE_COMPLETE):
            slot = _slot(keys, values, requests[record])
            post = values[slot]
            if post < 0:
                continue
            values[slot] = -1
            if kind == _RECEIVE_COMPLETE and kinds[post] == _ISEND:
                kinds[record] = DROPPED
            posts_of[record] = post
            call, posted = call_of[record], call_of[post]
            if call >= 0 and call != posted:
                completes[call] = posted if completes[call] == _NONE else _SEVERAL
    for call in range(cursor[ROW_CALL], cursor[CALLS]):
        if completes[call] == _SEVERAL:
            completes[call] = _NONE


@numba.njit(nogil=True, cache=True, inline="always")
def _slot(keys, values, key):
    """Place of a key in the table: -2 is free, -1 was completed."""
    mask = np.uint64(len(keys) - 1)
    slot = ((key * _SPREAD) >> np.uint64(20)) & mask
    while values[slot] != -2 and keys[slot] != key:
        slot = (slot + np.uint64(1)) & mask
    return slot
