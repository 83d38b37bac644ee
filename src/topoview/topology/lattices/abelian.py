"""Abelian groups given by generators and relations, and axes to lay them along.

The steps of a lattice generate such a group; the axes are those along which the steps
are short.
"""

import itertools
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from topoview.model import Ints
from topoview.topology.lattices.lattice import canonical, stencil_of

Row = list[int]

MAX_COORDINATE = 1 << 30
"""Numbers up to which products of a few fit into 64 bits."""


@dataclass(frozen=True, slots=True, eq=False)
class AbelianGroup:
    """A finitely generated abelian group as a sum of cyclic ones."""

    orders: Ints
    """int64, shape (r,): order of each cyclic group, 0 for the whole numbers."""
    coordinates: Ints
    """int64, shape (generators, r): the generators in it."""

    def elements(self, sums: Ints) -> Ints:
        """Coordinates of sums of generators: from int64 (k, generators) to (k, r)."""
        return self.reduced(sums @ self.coordinates)

    def reduced(self, elements: Ints) -> Ints:
        """Reduce coordinates to the smallest that are not negative."""
        result: Ints = np.where(
            self.orders > 0, elements % np.maximum(self.orders, 1), elements
        )
        return result

    def order(self, element: Ints) -> int:
        """Order of an element, 0 if no multiple of it is nothing."""
        if (element[self.orders == 0] != 0).any():
            return 0
        orders, parts = self.orders[self.orders > 0], element[self.orders > 0]
        return int(np.lcm.reduce(orders // np.gcd(orders, parts), initial=1))

    @property
    def free(self) -> int:
        """How many of the cyclic groups are infinite."""
        return int((self.orders == 0).sum())

    @property
    def torsion(self) -> int:
        """Order of the finite ones together."""
        total = 1
        for order in self.orders.tolist():
            total *= order or 1
        return total


def group_of(generators: int, relations: Iterable[Row]) -> AbelianGroup | None:
    """Build the group of some generators and relations.

    By the normal form of Smith (1861): row and column operations make the matrix of
    relations diagonal.

    Parameters
    ----------
    generators
        How many there are.
    relations
        Sums of generators that are nothing.

    Returns
    -------
    Group or None
        None if its numbers are too large to compute with.
    """
    rows = [row[:] for row in relations]
    basis = [[int(i == j) for j in range(generators)] for i in range(generators)]
    orders = []
    for column in range(generators):
        rows = [row for row in rows if any(row)]
        if not rows:
            orders.append(0)
            continue
        _isolate(rows, basis, column)
        orders.append(abs(rows[0][column]))
        rows = rows[1:]
    kept = [i for i, order in enumerate(orders) if order != 1]
    if any(abs(basis[i][j]) > MAX_COORDINATE for i in range(generators) for j in kept):
        basis = [
            [value % orders[j] if orders[j] else value for j, value in enumerate(row)]
            for row in basis
        ]
    if any(abs(basis[i][j]) > MAX_COORDINATE for i in range(generators) for j in kept):
        return None
    return AbelianGroup(
        np.array([orders[j] for j in kept], np.int64),
        np.array([[row[j] for j in kept] for row in basis], np.int64).reshape(
            generators, len(kept)
        ),
    )


def _isolate(rows: list[Row], basis: list[Row], column: int) -> None:
    """Reduce rows so that the first one alone has a number in a column, and no other.

    Columns before it are done with. `basis` follows the operations on columns.
    """
    width = len(basis)
    while True:
        least, at, pivot = min(
            (abs(row[j]), i, j)
            for i, row in enumerate(rows)
            for j in range(column, width)
            if row[j]
        )
        del least
        rows[0], rows[at] = rows[at], rows[0]
        for row in (*rows, *basis):
            row[column], row[pivot] = row[pivot], row[column]
        head = rows[0][column]
        done = True
        for row in rows[1:]:
            times = row[column] // head
            if times:
                for j in range(column, width):
                    row[j] -= times * rows[0][j]
            done &= not row[column]
        for j in range(column + 1, width):
            times = rows[0][j] // head
            if times:
                for row in (*rows, *basis):
                    row[j] -= times * row[column]
            done &= not rows[0][j]
        if done:
            return


# Axes for a lattice of which only the steps are known, not where they point.

MAX_AXES = 4

COST_OF_AN_AXIS = 3
"""Steps by which offsets must be shorter for an axis more."""

MAX_STEPS_OF_A_WORD = 6
"""Steps that a step along an axis may be made of."""

MAX_WORDS = {1: 64, 2: 160, 3: 30, 4: 14}
"""Elements that are tried as steps along axes, for each number of axes."""

MAX_OFFSET = {1: 1 << 14, 2: 4, 3: 3, 4: 2}
"""Longest offset along an axis."""


MAX_COMPARED = 1 << 18
"""Elements, times generators, that are compared at a time."""


@dataclass(frozen=True, slots=True, eq=False)
class Basis:
    """Axes that an abelian group can be laid along."""

    orders: tuple[int, ...]
    """Extent of each axis, 0 for an open one."""
    offsets: Ints
    """int64, shape (generators, axes): each generator along these axes."""

    @property
    def simplicity(self) -> tuple[int, int, int]:
        """Sort key: named stencils, then the shortest offsets on the fewest axes."""
        d = len(self.orders)
        steps = {canonical(row) for row in self.offsets.tolist()}
        unnamed = not stencil_of(tuple(steps), d)
        return int(unnamed), int(np.abs(self.offsets).sum()) + COST_OF_AN_AXIS * d, d


def bases(group: AbelianGroup) -> list[Basis]:
    """List axes along which the generators are short, the simplest first."""
    words = _words(group)
    result: list[Basis] = []
    for d in range(max(1, group.free), MAX_AXES + 1):
        result += _of_dimension(group, words[: MAX_WORDS[d]], d)
    return sorted(result, key=lambda basis: basis.simplicity)


def _words(group: AbelianGroup) -> Ints:
    """Elements that are sums of few generators, one of each +/- pair, short first."""
    steps = group.reduced(np.concatenate([group.coordinates, -group.coordinates]))
    zero = (0,) * len(group.orders)
    seen = {zero}
    front, words = [zero], []
    limit = MAX_WORDS[2]
    for _ in range(MAX_STEPS_OF_A_WORD):
        sums = np.array(front, np.int64)[:, None] + steps
        reached = group.reduced(sums.reshape(len(front) * len(steps), len(zero)))
        back = group.reduced(-reached)
        front = []
        pairs = zip(reached.tolist(), back.tolist(), strict=True)
        for there, opposite in ((tuple(one), tuple(other)) for one, other in pairs):
            if there not in seen:
                seen |= {there, opposite}
                front.append(there)
        words += front
        if len(words) > limit or not front:
            break
    return np.array(words[:limit], np.int64).reshape(-1, len(zero))


def _of_dimension(group: AbelianGroup, words: Ints, d: int) -> Iterator[Basis]:
    orders = [group.order(word) for word in words]
    longest = (
        MAX_OFFSET[d]
        if d > 1
        else min(MAX_OFFSET[d], max(orders, default=0) // 2 or 64)
    )
    span = np.arange(-longest, longest + 1)
    grid = np.stack(np.meshgrid(*[span] * d, indexing="ij"), -1).reshape(-1, d)
    grid = grid[np.argsort(np.abs(grid).sum(axis=1), kind="stable")]
    codes_of = _codes(group, grid, words)
    wanted = codes_of(group.reduced(group.coordinates))
    choices = np.array(list(itertools.combinations(range(len(words)), d)), np.int64)
    extents = np.array(orders, np.int64)[choices.reshape(-1, d)]
    sizes = np.maximum(extents, 1).prod(axis=1, dtype=float)
    fits = ((extents == 0).sum(axis=1) == group.free) & (sizes == group.torsion)
    chosen, extents = choices[fits], extents[fits]
    at_once = max(MAX_COMPARED // (len(grid) * max(len(wanted), 1)), 1)
    for first in range(0, len(chosen), at_once):
        some = slice(first, first + at_once)
        codes = codes_of(group.reduced(grid @ words[chosen[some]]))
        hits = codes[:, None, :] == wanted[:, None]
        for k in np.flatnonzero(hits.any(axis=2).all(axis=1)).tolist():
            extent = tuple(extents[first + k].tolist())
            yield Basis(extent, grid[hits[k].argmax(axis=1)])


def _codes(group: AbelianGroup, grid: Ints, words: Ints) -> Callable[[Ints], Ints]:
    """Write elements of a group as one number each."""
    reach = int(np.abs(grid).sum(axis=1).max()) * int(np.abs(words).max(initial=1))
    reach = max(reach, int(np.abs(group.coordinates).max(initial=1)))
    free = group.orders == 0
    low = np.where(free, -reach, 0)
    widths = np.where(free, 2 * reach + 1, group.orders)
    weights = np.cumprod(np.append(1, widths[:-1])).astype(np.int64)
    return lambda elements: (elements - low) @ weights
