"""Local definitions: mappings of identifiers, and offsets of the clock.

The other records of these files say nothing that the global definitions do not
(libotf2 3.2, source of ``OTF2_DefReader_inc.c`` and ``otf2_id_map.c``).
"""

# mypy: allow-untyped-defs, disable-error-code="no-untyped-call,call-arg"
# ruff: noqa: ANN001, ANN202 - numba finds the types of what has none

from typing import Final

import numba
import numpy as np

from topoview.io.decoder.clock import WORDS, corrected
from topoview.io.decoder.frame import CUT, DAMAGED, WHOLE, Frame
from topoview.io.decoder.memory import compressed, length, load8, load64, store64, whole
from topoview.io.decoder.regions import SPARSE, search_region
from topoview.io.record_types import END_OF_CHUNK, END_OF_FILE, MAPPINGS
from topoview.model import Ints

HEADER: Final = 18
MARK: Final = 3
LITTLE: Final = 0x42
BIG: Final = 0x23

_MAPPING_TABLE: Final = 5
_CLOCK_OFFSET: Final = 6
_SHORTEST_OFFSET: Final = 17
_KINDS: Final = len(MAPPINGS)


@numba.njit(nogil=True)
def _take_table(frame, at, end, swap, items, used):  # noqa: PLR0913
    """Take a mapping table; tells how many items there are, negative if none."""
    kind = load8(at)
    bad = np.int64(0)
    count, at, bad = compressed(at + 1, swap, 8, bad)
    mode = load8(at)
    at += 1
    if bad or mode > SPARSE or count <= 0 or count > end - at:
        return np.int64(-1)
    for place in range(count * (1 + mode)):
        if at >= end:
            return np.int64(-1)
        value, at, bad = compressed(at, swap, 8, bad)
        items[used + place] = value
    if bad:
        return np.int64(-1)
    if kind >= _KINDS:
        return used
    table = frame.maps + 24 * kind
    if load64(table + 8):
        return np.int64(-1)
    store64(table, 0, frame.items + 8 * used)
    store64(table, 1, count)
    store64(table, 2, mode)
    return used + count * (1 + mode)


@numba.njit(nogil=True)
def _take_offset(frame, at, swap, clocks, pending):
    """Take an offset of the clock; tells whether it is later than the last one."""
    time = whole(at, swap)
    offset, _, bad = compressed(at + 8, swap, 8, np.int64(0))
    if bad:
        return False
    if pending[0]:
        begin = pending[1]
        if np.uint64(begin) >= np.uint64(time):
            return False
        row = WORDS * frame.clock_count
        clocks[row], clocks[row + 1], clocks[row + 2] = begin, time, pending[2]
        slope = np.float64(offset - pending[2]) / np.float64(np.uint64(time - begin))
        clocks[row + 3 : row + 4].view(np.float64)[0] = slope
        frame.clock_count += 1
    pending[0] += 1
    pending[1], pending[2] = time, offset
    return True


@numba.njit(nogil=True, cache=True)
def define(  # noqa: C901, PLR0913
    frames: Frame, file: int, size: int, chunk: int, items: Ints, clocks: Ints
) -> tuple[int, int]:
    """Take the local definitions of a location.

    Parameters
    ----------
    file, size
        Address of the whole file, with padding behind it, and its bytes.
    chunk
        Bytes of its chunks.
    items, clocks : int64
        Room for what is found: twice as many items as the file has bytes, as
        many clock intervals as it has records.

    Returns
    -------
    int, int
        How it ended, and how many offsets of the clock there are.
    """
    frame = frames[0]
    frame.clock = frame.clock_count = 0
    for kind in range(_KINDS):
        store64(frame.maps + 24 * kind, 1, np.int64(0))
    pending = np.zeros(3, np.int64)
    used = np.int64(0)
    for begin in range(file, file + size, chunk):
        end = min(begin + chunk, file + size)
        order = load8(begin + 1)
        if end - begin <= HEADER or load8(begin) != MARK or order not in (LITTLE, BIG):
            return DAMAGED, pending[0]
        swap = np.int64(order == BIG)
        at = np.int64(begin + HEADER)
        while True:
            if at >= end:
                return CUT, pending[0]
            kind = load8(at)
            if kind == END_OF_FILE:
                return WHOLE, pending[0]
            if kind == END_OF_CHUNK:
                break
            count, at = length(at + 1, swap)
            if count < 0 or at > end or count > end - at:
                return CUT, pending[0]
            if kind == _MAPPING_TABLE:
                there = _take_table(frame, at, at + count, swap, items, used)
                if there < 0:
                    return DAMAGED, pending[0]
                used = there
            elif kind == _CLOCK_OFFSET and (
                count < _SHORTEST_OFFSET
                or not _take_offset(frame, at, swap, clocks, pending)
            ):
                return DAMAGED, pending[0]
            at += count
    return CUT, pending[0]


@numba.njit(nogil=True, cache=True)
def tabulate(frames: Frame, table: Ints) -> None:
    """Find the regions of a location's identifiers, from 0 on."""
    frame = frames[0]
    for identifier in range(len(table)):
        table[identifier] = search_region(frame, np.int64(identifier))


@numba.njit(nogil=True, cache=True)
def correct_first(frames: Frame) -> None:
    """Correct the time of the location's first event."""
    frame = frames[0]
    if frame.clock_count:
        frame.first = corrected(frame, frame.first)
        frame.clock = 0


def order_pairs(pairs: Ints) -> int:
    """Order pairs of a local and a global identifier by the first, in place.

    Of several for the same identifier the last one counts; gives how many are left.
    """
    table = pairs.reshape(-1, 2)
    local = table[:, 0].view(np.uint64)
    if (local[1:] > local[:-1]).all():
        return len(table)
    order = np.argsort(local, kind="stable")
    last = np.append(local[order][1:] != local[order][:-1], True)
    kept = table[order[last]]
    table[: len(kept)] = kept
    return len(kept)
