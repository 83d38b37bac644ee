"""Networks whose vertices are words, and pyramids: a few of a size at most.

In a de Bruijn or Kautz graph a word leads to those that are shifted by a letter (Kautz:
no letter follows itself); in the shuffle-exchange, which sorts and transforms, to the
word turned around, and to that of another last bit. In cube-connected cycles each
corner of a hypercube is a cycle, with one of its edges at each place (Leighton, 1992,
"Introduction to parallel algorithms and architectures", chapter 3). In a star or a
pancake graph words are orders; the first letter changes places with another, or a
beginning is reversed (Akers, Krishnamurthy, 1989, "A group-theoretic model for
symmetric interconnection networks", IEEE Trans. Comput. 38). A pyramid has a grid for
each level, each place of which is the parent of four, or eight: a quadtree or octree
whose cells have neighbours, as of a multigrid solver or a fast multipole method.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from itertools import permutations
from typing import Final

import numpy as np

from topoview.model import Indices, Ints, Topology
from topoview.topology.graph.graph import unique_edges
from topoview.topology.lattices.lattice import lattice, row_major_places, strides_of
from topoview.topology.members import Member

MIN_VERTICES: Final = 10
"""Vertices from which on such a network is told from other small graphs."""

Ends = tuple[Ints, Ints]
"""One end of each edge, and the other; some are loops, or occur twice."""

Rule = tuple[str, dict[int, int], Callable[[], Ends]]
"""Name of a network; how many vertices have each degree but the largest, which comes
first, with 0; its edges."""


def networks(n: int) -> Iterator[Member]:
    """List those of `n` vertices."""
    for family in FAMILIES if n >= MIN_VERTICES else ():
        for name, few, ends in family(n):
            most = next(iter(few))
            degrees = +Counter(few | {most: n - sum(few.values())})
            made = partial(_made, name, n, ends)
            yield Member("network", name, degrees, made)


def _made(name: str, n: int, ends: Callable[[], Ends]) -> Topology:
    edges = unique_edges(n, *ends())
    places = row_major_places(n, (n,))
    return Topology(kind="network", name=name, edges=edges, coordinates=places)


def _de_bruijn(n: int) -> Iterator[Rule]:
    def ends(d: int) -> Ends:
        word, last = np.repeat(np.arange(n), d), np.tile(np.arange(d), n)
        return word, (word * d + last) % n

    for length in range(2, n.bit_length()):
        d = round(n ** (1 / length))
        if d > 1 and d**length == n:
            # words of one letter are their own neighbours, those of two each other's
            few = {2 * d: 0, 2 * d - 1: d * (d - 1), 2 * d - 2: d}
            yield f"de Bruijn {d}^{length}", few, partial(ends, d)


def _kautz(n: int) -> Iterator[Rule]:
    def ends(d: int) -> Ends:  # numbered after Imase and Itoh (1983)
        word, step = np.repeat(np.arange(n), d), np.tile(np.arange(1, d + 1), n)
        return word, (-word * d - step) % n

    for length in range(2, n.bit_length()):
        d = int(n ** (1 / length))
        if d > 1 and (d + 1) * d ** (length - 1) == n:
            few = {2 * d: 0, 2 * d - 1: (d + 1) * d}
            yield f"Kautz {d + 1}x{d}^{length - 1}", few, partial(ends, d)


def _shuffle_exchange(n: int) -> Iterator[Rule]:
    bits = n.bit_length() - 1

    def ends() -> Ends:
        word = np.arange(n)
        turned = (word << 1) & (n - 1) | word >> (bits - 1)
        return np.tile(word, 2), np.concatenate([turned, word ^ 1])

    if 1 << bits == n:
        few = {3: 0, 2: 2 - 2 * (bits % 2), 1: 2}
        yield f"shuffle-exchange 2^{bits}", few, ends


def _cube_connected_cycles(n: int) -> Iterator[Rule]:
    def ends(bits: int) -> Ends:
        corner, at = np.divmod(np.arange(n), bits)
        around, across = (at + 1) % bits, corner ^ (1 << at)
        others = corner * bits + around, across * bits + at
        return np.tile(np.arange(n), 2), np.concatenate(others)

    for bits in range(3, n.bit_length()):
        if bits << bits == n:
            yield (
                f"cube-connected cycles {bits}x{1 << bits}",
                {3: 0},
                partial(ends, bits),
            )


def _orders(n: int) -> Iterator[Rule]:
    def ends(letters: int, pancakes: bool) -> Ends:
        every = np.array(list(permutations(range(letters))))
        weights = strides_of((letters,) * letters)[::-1]  # so that they ascend
        others = []
        for k in range(1, letters):
            order = np.arange(letters)
            chosen = np.arange(k + 1) if pancakes else np.array([0, k])
            order[chosen] = chosen[::-1]
            moved = every[:, order] @ weights
            others.append(np.searchsorted(every @ weights, moved))
        return np.tile(np.arange(n), len(others)), np.concatenate(others)

    for letters in range(4, n.bit_length()):
        if math.factorial(letters) == n:
            for pancakes, word in enumerate(("star graph", "pancake graph")):
                made = partial(ends, letters, bool(pancakes))
                yield f"{word} {letters}!", {letters - 1: 0}, made


def _pyramids(n: int) -> Iterator[Rule]:
    def ends(levels: int, axes: int) -> Ends:
        above, first, parts = 0, 0, list[Indices | Ints]()
        for level in range(levels):
            dims = (1 << level,) * axes
            grid = lattice(dims, (False,) * axes)
            parts.append(grid.edges + first)
            if level:
                half = strides_of([max(width // 2, 1) for width in dims])
                parent = above + grid.coordinates.astype(np.int64) // 2 @ half
                child = first + np.arange(grid.vertices)
                parts.append(np.stack([child, parent], 1))
            above, first = first, first + grid.vertices
        one, other = np.concatenate(parts).T
        return one, other

    for axes in (2, 3):
        for levels in range(3, n.bit_length()):
            if ((1 << axes * levels) - 1) // ((1 << axes) - 1) == n:
                made = partial(ends, levels, axes)
                degree = np.bincount(np.concatenate(made()))
                few = dict(Counter(np.sort(degree)[::-1].tolist()))
                few[next(iter(few))] = 0
                yield f"{axes}D pyramid of {levels} levels", few, made


FAMILIES: Final[tuple[Callable[[int], Iterator[Rule]], ...]] = (
    _de_bruijn,
    _kautz,
    _shuffle_exchange,
    _cube_connected_cycles,
    _orders,
    _pyramids,
)
"""All families: each lists its networks with a number of vertices."""
