"""Butterflies: the network of the fast Fourier transform.

Between level i and the next one each row has an edge to itself and to the row that
differs in bit i (Leighton, 1992, "Introduction to parallel algorithms and
architectures", section 3.2). Levels and rows are read off its blocks, in linear time.
"""

from collections.abc import Iterator

import numpy as np

from topoview.kernels import kernel
from topoview.model import Bools, Indices, Ints, Match, Topology
from topoview.topology.direction_names import NamedDirections, number_after
from topoview.topology.graph.graph import Graph, renumber, unique_edges
from topoview.topology.members import Member

# Levels and rows of a butterfly, read off its blocks in linear time.
#
# Between two levels a butterfly falls into blocks: two rows, each with an edge to
# both on the other side. From a vertex of level 0 one way leads to every row of the
# last level, and back (Leighton, 1992, "Introduction to parallel algorithms and
# architectures", section 3.2): the ways forth number the lower bits of all rows, the
# ways back the higher ones. Any numbers do, a butterfly has that many symmetries; but
# where the last level is the first one, both numbers of its rows must agree.


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
    moved = renumber(graph)
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


@kernel
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


@kernel
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


@kernel
def _pair_of(indptr: Ints, indices: Indices, v: int) -> tuple[int, int]:
    """Return the first neighbour of a vertex and the other one of its block."""
    first = int(indices[indptr[v]])
    for k in range(indptr[v] + 1, indptr[v + 1]):
        if _opposite(indptr, indices, first, indices[k], v) >= 0:
            return first, int(indices[k])
    return first, -1


@kernel
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


@kernel
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


@kernel
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


FEWEST_WRAPPED = 5
"""Levels from which on a wrapped butterfly has no cycles of four but its blocks."""

AHEAD, BACK, CROSS, LEVEL = "AHEAD", "BACK", " CROSS", "level "


def butterfly(bits: int, wrapped: bool = False, by_level: bool = True) -> Topology:
    """Make a butterfly of 2^bits rows.

    Parameters
    ----------
    bits
        Number of exchanges: there are ``bits + 1`` levels, or ``bits`` where the
        last one leads back to the first.
    wrapped
        Whether it does.
    by_level
        Whether vertices are numbered level by level, not row by row.
    """
    levels, rows = bits + (not wrapped), 1 << bits
    row, step = np.meshgrid(np.arange(rows), np.arange(bits))
    ahead = (step + 1) % levels
    near, pitch = (1, rows) if by_level else (levels, 1)
    here = (pitch * step + near * row).ravel()
    straight = (pitch * ahead + near * row).ravel()
    across = (pitch * ahead + near * (row ^ (1 << step))).ravel()
    n = levels * rows
    edges = unique_edges(n, np.tile(here, 2), np.concatenate([straight, across]))
    vertex = np.arange(n)
    place = [vertex // pitch % levels, vertex // near % rows]
    places = np.stack(place, 1).astype(np.int32)
    dims, periodic = (levels, rows), (wrapped, False)
    name = f"{'wrapped ' if wrapped else ''}butterfly {levels}x{rows}"
    return Topology("butterfly", name, dims, periodic, (), edges, places)


def butterflies(n: int) -> Iterator[Member]:
    """List those of `n` vertices: one of each kind at most."""
    for bits in range(2, n.bit_length()):
        rows = 1 << bits
        if (bits + 1) * rows == n:
            yield _member(bits, False, {2: 2 * rows, 4: (bits - 1) * rows})
        if bits > 2 and bits * rows == n:
            yield _member(bits, True, {4: bits * rows})


def _member(bits: int, wrapped: bool, degrees: dict[int, int]) -> Member:
    levels = bits + (not wrapped)
    return Member(
        "butterfly",
        f"{'wrapped ' if wrapped else ''}butterfly {levels}x{1 << bits}",
        degrees,
        lambda: butterfly(bits, wrapped),
        variants=lambda: [butterfly(bits, wrapped, by_level=False)],
        places=(
            (lambda graph: butterfly_places(graph, bits, wrapped))
            if bits >= FEWEST_WRAPPED or not wrapped
            else None
        ),
    )


class ButterflyDirections(NamedDirections):
    """AHEAD and BACK a level, CROSS to the other row, else the place."""

    def __init__(self, match: Match) -> None:
        super().__init__(match)
        topology = match.topology
        self.level, self.row = topology.coordinates.astype(np.int64).T
        self.levels, self.rows = topology.dims
        self.wrapped = topology.periodic[0]
        self.at = np.empty(topology.dims, np.int64)
        self.at[self.level, self.row] = np.arange(topology.vertices)

    def codes(self, here: Ints, there: Ints) -> Ints:
        """Give the direction of each pair a number; see `NamedDirections`."""
        step = self.level[there] - self.level[here]
        if self.wrapped:
            step = np.where(abs(step) == self.levels - 1, -np.sign(step), step)
        changed = self.row[there] ^ self.row[here]
        between = np.where(step > 0, self.level[here], self.level[there])
        known = (abs(step) == 1) & ((changed == 0) | (changed == 1 << between))
        codes: Ints = np.where(known, (step < 0) * 2 + (changed > 0), 4 + there)
        return codes

    def name(self, code: int) -> str:
        """Name of a direction."""
        if code < 4:
            return (AHEAD, BACK)[code // 2] + CROSS * (code % 2)
        return f"{LEVEL}{self.level[code - 4]} row {self.row[code - 4]}"

    def follow(self, vertex: int, name: str) -> int | None:
        """Vertex that a direction leads to."""
        level, row = int(self.level[vertex]), int(self.row[vertex])
        for word, step in ((AHEAD, 1), (BACK, -1)):
            if name in (word, word + CROSS):
                there = (level + step) % self.levels if self.wrapped else level + step
                bit = level if step > 0 else there
                row ^= (1 << bit) * name.endswith(CROSS)
                inside = 0 <= there < self.levels
                return int(self.at[there, row]) if inside else None
        first, _, second = name.partition(" row ")
        place = number_after(first, LEVEL), number_after(second, "")
        if place[0] is None or place[1] is None:
            return None
        inside = place[0] < self.levels and place[1] < self.rows
        return int(self.at[place[0], place[1]]) if inside else None
