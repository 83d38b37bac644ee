"""Requests of a location that are open: a table that forgets completed ones.

Open addressing with linear probing; removal moves followers back (Knuth, "The
Art of Computer Programming", volume 3, 1998, section 6.4, algorithm R), so that
the table's size follows the requests that are open, not all there ever were.
"""

# mypy: allow-untyped-defs, disable-error-code="no-untyped-call,call-arg"
# ruff: noqa: ANN001, ANN201, ANN202 - numba finds the types of what has none

from typing import Final

import numba
import numpy as np
from numpy.typing import NDArray

from topoview.io.decoder.memory import load64, store64
from topoview.model import Ints

FREE: Final = -1
"""Value of an unused slot, and of what is not in the table."""

# What posted a request, in the value's lowest bits; above them the index of
# its call (sends), of its slot among receives or of its part in a collective.
BY_SEND: Final = 0
BY_RECEIVE: Final = 1
BY_COLLECTIVE: Final = 2

_SPREAD: Final = np.uint64(0x9E3779B97F4A7C15)


@numba.njit(nogil=True, inline="always")
def _home(key, slots):
    mixed = np.uint64(key) * _SPREAD
    return np.int64(((mixed >> np.uint64(32)) * np.uint64(slots)) >> np.uint64(32))


@numba.njit(nogil=True)
def put(frame, key, value):
    """Remember a request; one with the same identifier is replaced.

    At least half of the table must be free.
    """
    slots = frame.slots
    slot = _home(key, slots)
    while load64(frame.values + 8 * slot) != FREE:
        if load64(frame.keys + 8 * slot) == key:
            store64(frame.values, slot, value)
            return
        slot = (slot + 1) & (slots - 1)
    store64(frame.keys, slot, key)
    store64(frame.values, slot, value)
    frame.used += 1


@numba.njit(nogil=True)
def take(frame, key):
    """Forget a request: its value, `FREE` if it is not known."""
    slots = frame.slots
    slot = _home(key, slots)
    while True:
        value = load64(frame.values + 8 * slot)
        if value == FREE or load64(frame.keys + 8 * slot) == key:
            break
        slot = (slot + 1) & (slots - 1)
    if value == FREE:
        return value
    frame.used -= 1
    hole = slot
    while True:
        slot = (slot + 1) & (slots - 1)
        follower = load64(frame.values + 8 * slot)
        if follower == FREE:
            break
        other = load64(frame.keys + 8 * slot)
        if ((slot - _home(other, slots)) & (slots - 1)) >= (
            (slot - hole) & (slots - 1)
        ):
            store64(frame.keys, hole, other)
            store64(frame.values, hole, follower)
            hole = slot
    store64(frame.values, hole, np.int64(FREE))
    return value


@numba.njit(nogil=True, forceinline=True)
def put_near(frame, key, value):
    """Do what `put` does; without a call if the request's own slot is unused."""
    slot = _home(key, frame.slots)
    if load64(frame.values + 8 * slot) != FREE:
        put(frame, key, value)
        return
    store64(frame.keys, slot, key)
    store64(frame.values, slot, value)
    frame.used += 1


@numba.njit(nogil=True, forceinline=True)
def take_near(frame, key):
    """Do what `take` does; without a call if nothing has to be moved."""
    slots = frame.slots
    slot = _home(key, slots)
    value = load64(frame.values + 8 * slot)
    behind = load64(frame.values + 8 * ((slot + 1) & (slots - 1)))
    if value == FREE or behind != FREE or load64(frame.keys + 8 * slot) != key:
        return take(frame, key)
    store64(frame.values, slot, np.int64(FREE))
    frame.used -= 1
    return value


@numba.njit(nogil=True, cache=True)
def rehash(frames: NDArray[np.void], old_keys: Ints, old_values: Ints) -> None:
    """Put the requests of a table to the frame's new one."""
    frame = frames[0]
    frame.used = 0
    for slot in range(frame.slots):
        store64(frame.values, slot, np.int64(FREE))
    for slot in range(len(old_keys)):
        if old_values[slot] != FREE:
            put(frame, old_keys[slot], old_values[slot])
