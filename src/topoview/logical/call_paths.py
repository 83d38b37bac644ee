"""Call paths of rows, numbered so that the common part of several is found at once."""

from dataclasses import dataclass

import numba
import numpy as np

from topoview.model import Bytes, Indices, Ints, Trace

ANY: int = 255
"""Of the levels of a path that stayed open: all of them."""


@dataclass(frozen=True, slots=True, eq=False)
class CallPaths:
    """Call paths as a tree, in an order in which a path comes before those in it.

    What is between two paths in this order shares with both what they have in common.

    Attributes
    ----------
    parent : int64, shape (paths,)
        -1 for the first, that of calls in no function.
    region : int64, shape (paths,)
        Innermost region.
    level : int64, shape (paths,)
        Number of regions.
    """

    parent: Ints
    region: Ints
    level: Ints

    def common(self, one: int, other: int) -> int:
        """Find the longest path that is the begin of two."""
        while one != other:
            if self.level[one] < self.level[other]:
                one, other = other, one
            one = int(self.parent[one])
        return one

    def cut(self, path: Ints, levels: int) -> Ints:
        """Shorten paths to their outermost levels."""
        shortened = np.arange(len(self.level))
        while (deep := self.level[shortened] > levels).any():
            shortened[deep] = self.parent[shortened[deep]]
        return shortened[path]

    def regions(self, path: int) -> tuple[int, ...]:
        """Regions of a path, the outermost first."""
        found: list[int] = []
        while path > 0:
            found.append(int(self.region[path]))
            path = int(self.parent[path])
        return tuple(reversed(found))


def call_paths(trace: Trace, call: Ints) -> tuple[CallPaths, Ints, Bytes]:
    """Find the call path of each row.

    Parameters
    ----------
    call : int64, shape (rows,), ascending
        Indices into the trace's calls, of the ranks' main threads.

    Returns
    -------
    CallPaths
        All paths.
    int64, shape (rows,)
        Path of each row.
    uint8, shape (rows,)
        How many of its outermost regions stayed open since the row before, `ANY` for
        all.
    """
    order = _order(trace.paths.parent)
    number = np.empty(len(order), np.int64)
    number[order] = np.arange(len(order))
    parent = np.append(number, -1)[trace.paths.parent[order]]
    level = np.zeros(len(order), np.int64)
    for path in range(1, len(order)):
        level[path] = level[parent[path]] + 1
    paths = CallPaths(parent, trace.paths.region[order].astype(np.int64), level)
    return paths, number[trace.calls.path[call]], _kept(trace.calls.kept, call)


def _order(parent: Indices) -> Ints:
    """Put paths in an order in which those in one follow it at once."""
    below: list[list[int]] = [[] for _ in range(len(parent))]
    for path, above in enumerate(parent[1:].tolist(), 1):
        below[above].append(path)
    found: list[int] = []
    left = [0]
    while left:
        path = left.pop()
        found.append(path)
        left += reversed(below[path])
    return np.array(found, np.int64)


@numba.njit(nogil=True, cache=True)
def _kept(kept: Bytes, call: Ints) -> Bytes:
    """Follow what stayed open over calls that have no row."""
    found = np.full(len(call), ANY, np.uint8)
    at = np.int64(0)
    for row in range(len(call)):
        while at <= call[row]:
            found[row] = min(found[row], kept[at])
            at += 1
    return found
