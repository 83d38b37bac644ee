"""Further names for partners, for phases that have another topology."""

from dataclasses import replace
from itertools import combinations

import numpy as np

from topoview.model import AXES, Directions, Indices, Ints, Match
from topoview.topology.direction_names import Difference, Exchange, NamedDirections
from topoview.topology.lattices.lattice import lattice, strides_of
from topoview.topology.library import directions


class _Transposed(NamedDirections):
    """TRANSPOSE: two coordinates change places; other partners have no name."""

    def __init__(self, match: Match, axes: tuple[int, int], name: str) -> None:
        super().__init__(match)
        swapped = match.topology.coordinates.astype(np.int64)
        swapped[:, axes] = swapped[:, axes[::-1]]
        self.across = swapped @ strides_of(match.topology.dims)
        self.said = name

    def names(self, ranks: Indices, partners: Indices) -> tuple[Indices, list[str]]:
        """Name the partner of each rank; those on the diagonal are their own."""
        here, there = self.vertex[ranks], self.vertex[partners]
        known = (here >= 0) & (there >= 0)
        found = np.where(known & (self.across[here] == there), 0, -1)
        return found.astype(np.int32), [self.said]

    def partner(self, rank: int, name: str) -> int | None:
        """World rank that a direction leads to; see `Directions`."""
        here = int(self.vertex[rank])
        if name != self.said or here < 0:
            return None
        return int(self.rank[self.across[here]])

    def codes(self, here: Ints, there: Ints) -> Ints:
        """Give the direction of each pair a number; see `NamedDirections`."""
        return np.where(self.across[here] == there, 0, -1)

    def name(self, code: int) -> str:
        """Name of a direction."""
        del code
        return self.said

    def follow(self, vertex: int, name: str) -> int | None:
        """Vertex that a direction leads to."""
        return int(self.across[vertex]) if name == self.said else None


def alternatives(match: Match) -> tuple[Directions, ...]:
    """Make further names for partners, for phases of another topology.

    On a lattice: TRANSPOSE, where two axes are equally long; EXCHANGE, the bits of
    the vertices' numbers that differ; the difference of the numbers. In rows and
    columns those of a torus too, which phases may go along.
    """
    topology = match.topology
    if topology.kind == "rook":
        dims = topology.dims
        torus = replace(match, topology=lattice(dims, (True,) * len(dims)))
        return (directions(torus), *alternatives(torus))
    if topology.kind != "lattice":
        return ()
    dims = topology.dims
    found: list[Directions] = []
    for a, b in combinations(range(min(len(dims), len(AXES))), 2):
        if dims[a] == dims[b] > 2:
            axes = "" if len(dims) == 2 else f" {AXES[a]}{AXES[b]}"
            found.append(_Transposed(match, (a, b), f"TRANSPOSE{axes}"))
    return (*found, Exchange(match), Difference(match))
