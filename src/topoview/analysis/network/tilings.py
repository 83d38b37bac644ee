"""Mappings of a lattice of ranks onto the box of nodes that a job has.

Each extent of the lattice is split into factors, one for each dimension of the box and
one for the places within a node, so that their products are the box's extents: planes
are folded into boxes, long dimensions wound up. The digits of a coordinate are those
of a reflected mixed-radix code, so that neighbours stay neighbours where a digit
carries. Which tiling is best is measured, not guessed.
"""

from collections.abc import Iterator, Sequence
from itertools import islice, permutations, product
from typing import Final, NamedTuple

import numpy as np

from topoview.model import Indices, Ints
from topoview.model.topology import AXES

MAX_TILINGS: Final = 3000
"""Tilings that are looked at: of a few extents of powers of two there are hundreds."""

Table = tuple[tuple[int, ...], ...]


class Tiling(NamedTuple):
    """A way to split a lattice onto a box."""

    factors: Table
    """Of each dimension of the lattice, for each target: the places within a node
    first, then the dimensions of the box."""
    order: tuple[int, ...]
    """Targets in which the digits of a coordinate stand, the most significant first;
    the place within a node is always the last."""
    reverse: bool
    """Whether digits of several lattice dimensions in one target have the last one
    first."""
    folded: bool
    """Whether these are reflected, too."""

    def text(self) -> str:
        """Return which digits go where: ``node: x2 y2; x: z4``."""
        targets = ["node", *AXES]
        words = []
        for target in range(len(self.factors[0])):
            digits = [
                f"{AXES[axis]}{row[target]}"
                for axis, row in enumerate(self.factors)
                if row[target] > 1
            ]
            if digits:
                words.append(f"{targets[target]}: {' '.join(digits)}")
        return "; ".join(words)


def tilings(dims: Sequence[int], targets: Sequence[int]) -> Iterator[Tiling]:
    """List ways to split a lattice's extents onto targets, at most `MAX_TILINGS`.

    Each split stands there once, its digits in one order; `variants` gives the others.

    Parameters
    ----------
    dims
        Extents of the lattice.
    targets
        Places within a node, then the extents of the box; their product is that of
        `dims`.
    """
    boxes = range(1, len(targets))
    for factors in islice(_tables(tuple(dims), tuple(targets)), MAX_TILINGS):
        used = tuple(t for t in boxes if any(row[t] > 1 for row in factors))
        yield Tiling(factors, used, reverse=False, folded=False)


def variants(tiling: Tiling) -> Iterator[Tiling]:
    """List the orders of the digits of a tiling, itself included."""
    factors = tiling.factors
    boxes = range(1, len(factors[0]))
    mixed = any(sum(row[t] > 1 for row in factors) > 1 for t in boxes)
    ways = product((False, True), repeat=2) if mixed else [(False, False)]
    split = any(sum(row[t] > 1 for t in boxes) > 1 for row in factors)
    orders = list(permutations(tiling.order)) if split else [tiling.order]
    for reverse, folded in ways:
        for order in orders:
            yield Tiling(factors, order, reverse, folded)


def _tables(dims: tuple[int, ...], targets: tuple[int, ...]) -> Iterator[Table]:
    """Tables of factors whose rows multiply to `dims`, columns to `targets`."""
    if not dims:
        if all(target == 1 for target in targets):
            yield ()
        return
    for row in _rows(dims[0], targets):
        left = tuple(t // f for t, f in zip(targets, row, strict=True))
        for below in _tables(dims[1:], left):
            yield (row, *below)


def _rows(extent: int, targets: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    if not targets:
        if extent == 1:
            yield ()
        return
    for factor in range(1, min(extent, targets[0]) + 1):
        if extent % factor == 0 and targets[0] % factor == 0:
            for rest in _rows(extent // factor, targets[1:]):
                yield (factor, *rest)


def tiled(tiling: Tiling, places: Indices) -> Ints:
    """Place vertices of the lattice in the targets.

    Parameters
    ----------
    places : int32, shape (vertices, dims)
        Coordinates in the lattice.

    Returns
    -------
    int64, shape (vertices, targets)
        Place within the node, then the coordinates in the box.
    """
    targets = len(tiling.factors[0])
    result = np.zeros((len(places), targets), np.int64)
    axes = range(len(tiling.factors))
    for axis in reversed(axes) if tiling.reverse else axes:
        row = tiling.factors[axis]
        rest, value = int(np.prod(row)), places[:, axis].astype(np.int64)
        for target in (*tiling.order, 0):
            factor = row[target]
            rest //= factor
            prefix = value // rest
            digit = prefix % factor
            digit = np.where(prefix // factor % 2, factor - 1 - digit, digit)
            if tiling.folded:
                digit = np.where(result[:, target] % 2, factor - 1 - digit, digit)
            result[:, target] = result[:, target] * factor + digit
    return result
