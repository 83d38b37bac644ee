"""Call paths of MPI calls: which regions were open around each.

Paths are a tree: a path is the one around it, and a region. Nothing is done for a
region until an MPI call is made in it; then the levels that changed since the call
before are looked up in a table of (path around, region). So a call costs a look at
one number, unless other regions are open than around the call before.
"""

# mypy: allow-untyped-defs, disable-error-code="no-untyped-call,call-arg"
# ruff: noqa: ANN001, ANN201, ANN202 - numba finds the types of what has none

from typing import Any, Final

import numba
import numpy as np
from numpy.typing import NDArray

from topoview.io.decoder.memory import load32, load64, store32, store64
from topoview.io.decoder.regions import NOWHERE
from topoview.model import Indices, Ints

DEEPEST: Final = 256
"""Levels that are kept of a path: recursion can go deeper."""

SURELY: Final = 255
"""Levels, as many or more, of which it is told that they stayed open."""

MOST: Final = 1 << 14
"""Paths that are kept of a location, and of those read through the library."""

FIELDS: Final = (
    "path_keys", "path_values", "path_slots", "path_parents", "path_regions",
    "path_nodes", "path_count", "path_cut",
)  # fmt: skip
"""What a kernel's frame holds of a `PathTable`."""

ROOMY: Final = 2 * MOST
_FREE: Final = -1
_FULL: Final = -1
_CUT: Final = 1 << 40
_SLOTS: Final = 64
_SPREAD: Final = np.uint64(0x9E3779B97F4A7C15)


@numba.njit(nogil=True, inline="always")
def _home(key, slots):
    mixed = np.uint64(key) * _SPREAD
    return np.int64(mixed >> np.uint64(24)) & (slots - 1)


@numba.njit(nogil=True)
def step(frame, path, region):
    """Find the path that a region makes of another; -1 if the table must grow.

    Where no more are kept it is the other path itself with the bit `_CUT`, and so it
    is with all regions in it.
    """
    if path & _CUT:
        return path
    slots = frame.path_slots
    key = path << 32 | region
    slot = _home(key, slots)
    while True:
        found = load64(frame.path_keys + 8 * slot)
        if found == key:
            return load32(frame.path_values + 4 * slot)
        if found == _FREE:
            break
        slot = (slot + 1) & (slots - 1)
    new = frame.path_count
    if new >= MOST:
        frame.path_cut += 1
        return path | _CUT
    if 2 * new >= slots:
        return np.int64(_FULL)
    store64(frame.path_keys, slot, key)
    store32(frame.path_values, slot, new)
    store32(frame.path_parents, new, path)
    store32(frame.path_regions, new, region)
    frame.path_count = new + 1
    return new


@numba.njit(nogil=True)
def descend(frame, stack, known, level):
    """Note the paths of some levels of open regions; tells whether there was room.

    Parameters
    ----------
    stack
        Address of the words of open regions.
    known, level
        Levels whose paths are known, and that are to be; `DEEPEST` at most.
    """
    path = load64(frame.path_nodes + 8 * known)
    for place in range(known, level):
        path = step(frame, path, load64(stack + 8 * place) & NOWHERE)
        if path == _FULL:
            return False
        store64(frame.path_nodes, place + 1, path)
    return True


@numba.njit(nogil=True, inline="always")
def path_of(frame, stack, depth):
    """Find the path of a stack of regions, an array of their numbers, -1 for none.

    The table must have room.
    """
    path = np.int64(0)
    for level in range(min(depth, DEEPEST)):
        path = step(frame, path, np.int64(stack[level]) & NOWHERE)
    frame.path_cut += depth > DEEPEST
    return path & ~_CUT


@numba.njit(nogil=True, cache=True)
def _enter_again(frames: NDArray[np.void], parents: Indices, regions: Indices) -> None:
    """Put the paths of a table to the frame's new one."""
    frame = frames[0]
    count, frame.path_count = frame.path_count, 1
    store32(frame.path_parents, np.int64(0), np.int64(-1))
    store32(frame.path_regions, np.int64(0), np.int64(-1))
    for path in range(1, count):
        step(frame, np.int64(parents[path]), np.int64(regions[path]) & NOWHERE)


class PathTable:
    """The paths of one location, while it is read.

    Path 0 is that of a call in no region.

    Parameters
    ----------
    frame
        One element with the `FIELDS`.
    slots
        Size of the table at first, a power of two; with `ROOMY` it never has to grow.
    """

    def __init__(self, frame: NDArray[Any], slots: int = _SLOTS) -> None:
        self._frame = frame
        nodes = np.zeros(DEEPEST + 1, np.int64)
        self._nodes: Ints = nodes
        frame["path_nodes"] = _address(nodes)
        self._place(slots)
        self._begin()

    def _place(self, slots: int) -> None:
        self._keys: Ints = np.full(slots, _FREE, np.int64)
        self._values: Indices = np.empty(slots, np.int32)
        self._parents: Indices = np.empty(slots // 2 + 1, np.int32)
        self._regions: Indices = np.empty(slots // 2 + 1, np.int32)
        frame = self._frame
        frame["path_slots"] = slots
        frame["path_keys"] = _address(self._keys)
        frame["path_values"] = _address(self._values)
        frame["path_parents"] = _address(self._parents)
        frame["path_regions"] = _address(self._regions)

    def clear(self) -> None:
        """Forget all paths, for the next location."""
        if len(self._keys) > _SLOTS:
            self._place(_SLOTS)
        else:
            self._keys[:] = _FREE
        self._begin()

    def _begin(self) -> None:
        self._parents[0] = self._regions[0] = -1
        self._frame["path_count"] = 1

    def grow(self) -> None:
        """Make room for twice as many."""
        parents, regions = self._parents, self._regions
        self._place(2 * len(self._keys))
        _enter_again(self._frame, parents, regions)

    def table(self) -> bytes:
        """All paths: those around each, then the regions; int32."""
        count = int(self._frame["path_count"][0])
        return self._parents[:count].tobytes() + self._regions[:count].tobytes()


def _address(array: NDArray[Any]) -> int:
    return array.__array_interface__["data"][0]  # type: ignore[no-any-return]
