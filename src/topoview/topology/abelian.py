"""Abelian groups that are given by generators and relations."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from topoview.model import Ints

Row = list[int]

LARGEST = 1 << 30
"""Numbers up to which products of a few fit into 64 bits."""


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """A finitely generated abelian group as a sum of cyclic ones.

    Attributes
    ----------
    orders : int64, shape (r,)
        Order of each cyclic group, 0 for the whole numbers.
    coordinates : int64, shape (generators, r)
        The generators in it.
    """

    orders: Ints
    coordinates: Ints

    def elements(self, sums: Ints) -> Ints:
        """Coordinates of sums of generators: from int64 (k, generators) to (k, r)."""
        return self.reduced(sums @ self.coordinates)

    def reduced(self, elements: Ints) -> Ints:
        """Make coordinates the smallest that are not negative."""
        found: Ints = np.where(
            self.orders > 0, elements % np.maximum(self.orders, 1), elements
        )
        return found

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


def group_of(generators: int, relations: Iterable[Row]) -> Group | None:
    """Make the group of some generators and relations.

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
    if any(abs(basis[i][j]) > LARGEST for i in range(generators) for j in kept):
        basis = [
            [value % orders[j] if orders[j] else value for j, value in enumerate(row)]
            for row in basis
        ]
    if any(abs(basis[i][j]) > LARGEST for i in range(generators) for j in kept):
        return None
    return Group(
        np.array([orders[j] for j in kept], np.int64),
        np.array([[row[j] for j in kept] for row in basis], np.int64).reshape(
            generators, len(kept)
        ),
    )


def _isolate(rows: list[Row], basis: list[Row], column: int) -> None:
    """Make the first row nothing but a number in a column, and no other has one there.

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
