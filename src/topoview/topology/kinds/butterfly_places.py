"""Levels and rows of a butterfly, read off its blocks in linear time.

Between two levels a butterfly falls into blocks: two rows, each with an edge to both
on the other side. From a vertex of level 0 one way leads to every row of the last
level, and back (Leighton, 1992, "Introduction to parallel algorithms and
architectures", section 3.2): the ways forth number the lower bits of all rows, the
ways back the higher ones. Any numbers do, a butterfly has that many symmetries; but
where the last level is the first one, both numbers of its rows must agree.
"""

import numba
import numpy as np

from topoview.model import Bools, Indices, Ints
from topoview.topology.graph import Graph
from topoview.topology.near import near


def butterfly_places(graph: Graph, bits: int, wrapped: bool) -> Ints | None:
    """Vertex, numbered level by level, of each vertex of a graph.

    Parameters
    ----------
    graph
        A connected graph with the degrees of a butterfly.
    bits
        Exchanges of the butterfly.
    wrapped
        Whether the last one leads back to the first level; 5 bits or more.

    Returns
    -------
    int64, shape (n,), or None
        Edges are not verified; None if there are no such levels or rows.
    """
    moved = near(graph)
    ends = np.flatnonzero(moved.graph.degree == (4 if wrapped else 2))
    start = int(ends[np.argmin(moved.order[ends])])
    rows = moved.graph.indptr, moved.graph.indices
    level, ahead, behind = _levels(*rows, start, bits if wrapped else 0)
    sizes = np.bincount(level + 1)
    if len(sizes) != bits + 2 - wrapped or sizes[0] or (sizes[1:] != 1 << bits).any():
        return None
    low, high = _codes(level, ahead, behind, moved.order, start)
    if low.min() < 0 or high.min() < 0:
        return None
    if wrapped:
        low, high = _agreed(low, high, level == 0, bits)
    lower = (1 << level) - 1
    vertex = (level << bits) + ((low & lower) | (high & ~lower))
    if (np.bincount(vertex, minlength=graph.n) != 1).any():
        return None
    return vertex[moved.number]


def _agreed(low: Ints, high: Ints, first: Bools, bits: int) -> tuple[Ints, Ints]:
    """Renumber the bits of rows so that those of the first level have one number.

    A way forth exchanges the numbers of a bit by what the lower bits are, a way back
    by what the higher ones are: so the difference of both numbers of a bit is a sum
    of a function of the lower and one of the higher bits.
    """
    one, other = low[first], high[first]
    codes = np.arange(1 << bits)
    lower, higher = np.zeros_like(codes), np.zeros_like(codes)
    for bit in range(bits):
        differs = (one ^ other) >> bit & 1
        below, above = one & ((1 << bit) - 1), other >> (bit + 1)
        alike = above == above[0]
        by_low = np.zeros(1 << bit, np.int64)
        by_low[below[alike]] = differs[alike]
        by_high = np.zeros(1 << (bits - 1 - bit), np.int64)
        by_high[above] = differs ^ by_low[below]
        own = codes >> bit & 1
        lower |= (own ^ by_low[codes & ((1 << bit) - 1)]) << bit
        higher |= (own ^ by_high[codes >> (bit + 1)]) << bit
    return lower[low], higher[high]


@numba.njit(nogil=True, cache=True)
def _opposite(indptr: Ints, indices: Indices, a: int, b: int, here: int) -> int:
    """Return the only other vertex that two neighbours of a vertex share, or -1."""
    found = -1
    for k in range(indptr[a], indptr[a + 1]):
        for j in range(indptr[b], indptr[b + 1]):
            if indices[k] == indices[j] and indices[k] != here:
                if found >= 0:
                    return -1
                found = int(indices[k])
    return found


@numba.njit(nogil=True, cache=True)
def _fill(
    indptr: Ints, indices: Indices, side: Indices, other: Indices, v: int
) -> bool:
    """Give a vertex the neighbours on one side that are not on the other."""
    many = 0
    for k in range(indptr[v], indptr[v + 1]):
        u = indices[k]
        if u != other[v, 0] and u != other[v, 1]:
            if many == 2:
                return False
            side[v, many] = u
            many += 1
    return many == 2


@numba.njit(nogil=True, cache=True)
def _pair_of(indptr: Ints, indices: Indices, v: int) -> tuple[int, int]:
    """Return the first neighbour of a vertex and the other one of its block."""
    first = int(indices[indptr[v]])
    for k in range(indptr[v] + 1, indptr[v + 1]):
        if _opposite(indptr, indices, first, indices[k], v) >= 0:
            return first, int(indices[k])
    return first, -1


@numba.njit(nogil=True, cache=True)
def _levels(  # noqa: C901 - a search outwards
    indptr: Ints, indices: Indices, start: int, around: int
) -> tuple[Ints, Indices, Indices]:
    # Each vertex that is met knows one of its blocks; its other neighbours are the
    # far side of its other one. Levels are counted modulo `around`, unless it is 0.
    n = len(indptr) - 1
    level = np.full(n, -1, np.int64)
    none = level.copy()
    ahead = np.full((n, 2), -1, np.int32)
    behind = np.full((n, 2), -1, np.int32)
    queue = np.empty(n, np.int32)
    level[start] = 0
    queue[0] = start
    head, tail = 0, 1
    while head < tail:
        v = queue[head]
        head += 1
        ends = indptr[v + 1] - indptr[v] == 2
        for way in range(2):
            side, other = (ahead, behind) if way == 0 else (behind, ahead)
            if side[v, 0] >= 0:
                continue
            if v == start and other[v, 0] < 0 and around:
                a, b = _pair_of(indptr, indices, v)
                if b < 0:
                    return none, ahead, behind
            elif ends and (way == 1 if v == start else other[v, 0] >= 0):
                continue
            elif _fill(indptr, indices, side, other, v):
                a, b = int(side[v, 0]), int(side[v, 1])
            else:
                return none, ahead, behind
            across = _opposite(indptr, indices, a, b, v)
            taken = across < 0 or other[a, 0] >= 0 or other[b, 0] >= 0
            if taken or side[across, 0] >= 0:
                return none, ahead, behind
            side[v, 0], side[v, 1] = a, b
            side[across, 0], side[across, 1] = a, b
            for i in range(3):
                u = a if i == 0 else b if i == 1 else across
                if u != across:
                    other[u, 0], other[u, 1] = v, across
                if level[u] < 0:
                    level[u] = level[v] + (0 if u == across else 1 - 2 * way)
                    if around:
                        level[u] %= around
                    elif level[u] < 0:
                        return none, ahead, behind
                    queue[tail] = u
                    tail += 1
    return level, ahead, behind


@numba.njit(nogil=True, cache=True)
def _cone(  # noqa: PLR0913 - a walk from one vertex
    codes: Ints, level: Ints, side: Indices, ranks: Indices, start: int, forth: bool
) -> None:
    """Give what one reaches a number, up to the last level: a bit for each step."""
    reached = np.empty(len(level) + 1, np.int32)
    carried = np.empty(len(level) + 1, np.int64)
    reached[0], carried[0] = start, 0
    head, tail = 0, 1
    last = level[start]
    while head < tail:
        v = reached[head]
        a, b = side[v, 0], side[v, 1]
        if a < 0 or (head and level[v] == last):
            codes[v] = carried[head]
            head += 1
            continue
        if ranks[b] < ranks[a]:
            a, b = b, a
        for u, bit in ((a, 0), (b, 1)):
            if tail < len(reached):
                step = level[v] if forth else level[u]
                reached[tail], carried[tail] = u, carried[head] | (bit << step)
                tail += 1
        head += 1


@numba.njit(nogil=True, cache=True)
def _codes(
    level: Ints, ahead: Indices, behind: Indices, ranks: Indices, start: int
) -> tuple[Ints, Ints]:
    # ways forth number all vertices of the last level, ways back all of the first;
    # those between take of each what they share with them
    n = len(level)
    order = np.argsort(level)
    low = np.full(n, -1, np.int64)
    high = np.full(n, -1, np.int64)
    _cone(low, level, ahead, ranks, start, True)
    last = start
    for v in order[::-1]:
        if low[v] < 0:
            low[v] = low[ahead[v, 0]] & ((1 << level[v]) - 1)
        if low[v] == 0 and ahead[v, 0] < 0:
            last = v
    _cone(high, level, behind, ranks, last, False)
    for v in order:
        if high[v] < 0:
            high[v] = high[behind[v, 0]] >> level[v] << level[v]
    return low, high
