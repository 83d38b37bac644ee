"""Call paths as a tree: a path is the one around it, and a region."""

from typing import NamedTuple

import numba
import numpy as np

from topoview.base.hash_table import slot_of
from topoview.io.decoder.library import MAX_LOCATION_PATHS, MAX_PATH_DEPTH
from topoview.model import CallPaths, Indices, Ints


class Tree(NamedTuple):
    """Paths that were met; `counts` says how many, and how often one was cut."""

    keys: Ints
    values: Indices
    parents: Indices
    regions: Indices
    counts: Ints


def make_tree() -> Tree:
    """Make a tree of the empty path."""
    parents, regions = np.full((2, MAX_LOCATION_PATHS), -1, np.int32)
    keys = np.full(4 * MAX_LOCATION_PATHS, -1, np.int64)
    values = np.zeros(4 * MAX_LOCATION_PATHS, np.int32)
    return Tree(keys, values, parents, regions, np.array([1, 0]))


def paths_of(tree: Tree) -> tuple[CallPaths, int]:
    """Give the paths, and how often one was cut."""
    count, cut = tree.counts.tolist()
    return CallPaths(tree.parents[:count].copy(), tree.regions[:count].copy()), cut


@numba.njit(nogil=True, cache=True)
def path_of(tree: Tree, stack: Indices, depth: int) -> int:
    """Find the path of a stack of regions, an array of their numbers, -1 for none."""
    keys, values, parents, regions, counts = tree
    path = np.int64(0)
    counts[1] += depth > MAX_PATH_DEPTH
    for level in range(min(depth, MAX_PATH_DEPTH)):
        key = path << 32 | (np.int64(stack[level]) & 0xFFFFFFFF)
        slot = slot_of(keys, key)
        if keys[slot] < 0:
            if counts[0] == MAX_LOCATION_PATHS:
                counts[1] += 1
                break
            keys[slot], values[slot] = key, counts[0]
            parents[counts[0]], regions[counts[0]] = path, stack[level]
            counts[0] += 1
        path = np.int64(values[slot])
    return path
