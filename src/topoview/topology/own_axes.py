"""Axes for a lattice of which only the steps are known, not where they point."""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from topoview.model import Ints
from topoview.topology.abelian import Group
from topoview.topology.stencils import canonical, stencil_of

MOST_AXES = 4

AXIS = 3
"""Steps by which offsets must be shorter for an axis more."""

WORDS = 6
"""Steps that a step along an axis may be made of."""

CANDIDATES = {1: 64, 2: 160, 3: 30, 4: 14}
"""Elements that are tried as steps along axes, for each number of axes."""

LONGEST = {1: 1 << 14, 2: 4, 3: 3, 4: 2}
"""Longest offset along an axis."""


@dataclass(frozen=True, slots=True, eq=False)
class Basis:
    """Axes that an abelian group can be laid along.

    Attributes
    ----------
    orders
        Extent of each axis, 0 for an open one.
    offsets : int64, shape (generators, axes)
        Each generator along these axes.
    """

    orders: tuple[int, ...]
    offsets: Ints

    @property
    def simplicity(self) -> tuple[int, int, int]:
        """Sort key: named stencils, then the shortest offsets on the fewest axes."""
        d = len(self.orders)
        steps = {canonical(row) for row in self.offsets.tolist()}
        unnamed = not stencil_of(tuple(steps), d)
        return int(unnamed), int(np.abs(self.offsets).sum()) + AXIS * d, d


def bases(group: Group) -> list[Basis]:
    """List axes along which the generators are short, the simplest first."""
    words = _words(group)
    found: list[Basis] = []
    for d in range(max(1, group.free), MOST_AXES + 1):
        found += _of_dimension(group, words[: CANDIDATES[d]], d)
    return sorted(found, key=lambda basis: basis.simplicity)


def _words(group: Group) -> Ints:
    """Elements that are sums of few generators, one of each +/- pair, short first."""
    steps = group.reduced(np.concatenate([group.coordinates, -group.coordinates]))
    zero = (0,) * len(group.orders)
    seen = {zero}
    front, found = [np.array(zero)], []
    limit = CANDIDATES[2]
    for _ in range(WORDS):
        beyond = []
        for element, step in itertools.product(front, steps):
            there = group.reduced(element + step)
            if tuple(there.tolist()) in seen:
                continue
            seen.add(tuple(there.tolist()))
            seen.add(tuple(group.reduced(-there).tolist()))
            beyond.append(there)
        found += beyond
        front = beyond
        if len(found) > limit:
            break
    return np.array(found[:limit], np.int64).reshape(-1, len(zero))


def _of_dimension(group: Group, words: Ints, d: int) -> Iterator[Basis]:
    orders = [group.order(word) for word in words]
    longest = (
        LONGEST[d] if d > 1 else min(LONGEST[d], max(orders, default=0) // 2 or 64)
    )
    span = np.arange(-longest, longest + 1)
    grid = np.stack(np.meshgrid(*[span] * d, indexing="ij"), -1).reshape(-1, d)
    grid = grid[np.argsort(np.abs(grid).sum(axis=1), kind="stable")]
    weights = _weights(group, grid, words)
    wanted = weights.codes(group.reduced(group.coordinates))
    for chosen in itertools.combinations(range(len(words)), d):
        extents = [orders[i] for i in chosen]
        product = 1
        for extent in extents:
            product *= extent or 1
        if extents.count(0) != group.free or product != group.torsion:
            continue
        codes = weights.codes(group.reduced(grid @ words[list(chosen)]))
        unique, first = np.unique(codes, return_index=True)
        at = np.searchsorted(unique, wanted).clip(max=len(unique) - 1)
        if (unique[at] == wanted).all():
            yield Basis(tuple(extents), grid[first[at]])


@dataclass(frozen=True, slots=True, eq=False)
class _Codes:
    """Writes elements of a group as one number each."""

    low: Ints
    weights: Ints

    def codes(self, elements: Ints) -> Ints:
        found: Ints = (elements - self.low) @ self.weights
        return found


def _weights(group: Group, grid: Ints, words: Ints) -> _Codes:
    reach = int(np.abs(grid).sum(axis=1).max()) * int(np.abs(words).max(initial=1))
    reach = max(reach, int(np.abs(group.coordinates).max(initial=1)))
    free = group.orders == 0
    low = np.where(free, -reach, 0)
    widths = np.where(free, 2 * reach + 1, group.orders)
    return _Codes(low, np.cumprod(np.append(1, widths[:-1])).astype(np.int64))
