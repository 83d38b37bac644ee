"""Channels of a location, counted: sender or receiver, communicator and tag.

A table with open addressing, by the location's own identifiers.
"""

# mypy: allow-untyped-defs, disable-error-code="no-untyped-call,call-arg"
# ruff: noqa: ANN001, ANN201 - numba finds the types of what has none

from typing import Final

import numba
import numpy as np

from topoview.io.decoder.frame import Frame
from topoview.io.decoder.memory import compressed, load64
from topoview.io.decoder.partners import find_communicator, partner_of
from topoview.io.decoder.quick import NARROW, field
from topoview.model import Bools, Ints

FIRST, SECOND, COUNT = range(3)
"""Columns of a table of channels: two words of the key, and how many messages."""

_SPREAD: Final = np.uint64(0x9E3779B97F4A7C15)
_STIR: Final = np.uint64(0xC2B2AE3D27D4EB4F)


@numba.njit(nogil=True, forceinline=True)
def name(at, swap, is_near):
    """Make the key of a message's channel.

    Parameters
    ----------
    at
        Its record's content.
    is_near
        The record is wholly there, and in the byte order of this machine.

    Returns
    -------
    int, int, int
        Both words of the key, the lowest bit of the second for who asks; 1 if the
        record holds a number that is none.
    """
    if is_near:
        size1, local = field(at)
        size2, identifier = field(at + 1 + size1)
        size3, tag = field(at + 2 + size1 + size2)
        if max(size1, size2, size3) <= NARROW:
            return local << 32 | identifier, tag << 1, np.int64(0)
    local, at, bad = compressed(at, swap, 4, np.int64(0))
    identifier, at, bad = compressed(at, swap, 4, bad)
    tag, at, bad = compressed(at, swap, 4, bad)
    return local << 32 | identifier, tag << 1, bad


@numba.njit(nogil=True, forceinline=True)
def slot_for(table, last, first, second):
    """Address of a channel in a table, or of where it would be.

    Of the table its address is told, and its last row: to pass the array would count
    references to it, which takes longer than all else.
    """
    mixed = (np.uint64(first) + np.uint64(second) * _STIR) * _SPREAD
    slot = np.int64(mixed >> np.uint64(40)) & last
    at = table + 24 * slot
    while load64(at + 16):
        if load64(at) == first and load64(at + 8) == second:
            break
        slot = (slot + 1) & last
        at = table + 24 * slot
    return at


@numba.njit(nogil=True, cache=True)
def move_channels(old: Ints, new: Ints, places: Ints) -> None:
    """Enter the channels of a table in a larger one, and tell their places there."""
    for row in range(len(old)):
        if old[row, COUNT]:
            first, second = old[row, FIRST], old[row, SECOND]
            at = slot_for(new.ctypes.data, len(new) - 1, first, second)
            slot = (at - new.ctypes.data) // 24
            new[slot] = old[row]
            places[row] = slot


@numba.njit(nogil=True, cache=True)
def global_channels(frames: Frame, table: Ints, channels: Ints, receives: Bools) -> int:
    """Tell partners, communicators, tags and counts of channels; how many those are.

    Records that name nobody, or somebody unknown, are no messages.
    """
    frame = frames[0]
    frame.comm_known = -1
    found = 0
    for row in range(len(table)):
        if not table[row, COUNT]:
            continue
        find_communicator(frame, table[row, FIRST] & 0xFFFFFFFF)
        partner = partner_of(frame, table[row, FIRST] >> 32 & 0xFFFFFFFF)
        if partner < 0:
            continue
        channels[found, 0], channels[found, 1] = partner, frame.comm_number
        channels[found, 2], channels[found, 3] = table[row, SECOND] >> 1, table[row, 2]
        receives[found] = table[row, SECOND] & 1
        found += 1
    return found
