"""Partners as directions: ``EAST``, ``MASTER``, ``EXCHANGE 4``, ``+3``."""

from collections.abc import Callable
from itertools import combinations

import numpy as np

from topoview.model import Directions, Indices, Ints, Match
from topoview.topology.cg import CGDirections
from topoview.topology.compass import offset_name, offset_of
from topoview.topology.lattice import AXES, strides_of
from topoview.topology.named import (
    Difference,
    Exchange,
    Named,
    number_after,
    numbered,
)
from topoview.topology.tree import TreeDirections


def directions(match: Match) -> Directions:
    """Name partners after a match's topology.

    Lattices: EAST is +x, WEST -x, SOUTH +y, NORTH -y, UP +z, DOWN -z, the
    shortest way round where an axis wraps (half way round counts as positive);
    a hypercube: EXCHANGE and the bits of the vertex that differ; a star: MASTER
    and WORKER with its number; a tree: PARENT, and CHILD with its number, from 0;
    CG: EXCHANGE and the bits of the column that differ, TRANSPOSE (also of ranks
    on the diagonal, to themselves); all others: the difference of rank the shortest
    way round (``+3``), the bits that differ, or the partner itself (``rank 5``),
    whichever needs the fewest names for the edges.
    """
    return NAMING.get(match.topology.kind, numbered)(match)


class _Lattice(Named):
    """Offsets on a lattice, the shortest way round."""

    def __init__(self, match: Match) -> None:
        super().__init__(match)
        topology = match.topology
        self.places = topology.coordinates.astype(np.int64)
        self.dims = np.array(topology.dims, np.int64)
        self.wraps = np.array(topology.periodic, bool)
        self.strides = strides_of(topology.dims)
        self.widths = 2 * self.dims - 1
        self.weights = strides_of(self.widths.tolist())

    def codes(self, here: Ints, there: Ints) -> Ints:
        step = self.places[there] - self.places[here]
        low = (self.dims - 1) // 2
        step = np.where(self.wraps, (step + low) % self.dims - low, step)
        codes: Ints = (step + self.dims - 1) @ self.weights
        return codes

    def name(self, code: int) -> str:
        steps = code // self.weights % self.widths - (self.dims - 1)
        return offset_name(steps.tolist())

    def follow(self, vertex: int, name: str) -> int | None:
        steps = offset_of(name, len(self.dims))
        if steps is None:
            return None
        place = self.places[vertex] + np.array(steps)
        place = np.where(self.wraps, place % self.dims, place)
        if (place < 0).any() or (place >= self.dims).any():
            return None
        return int(place @ self.strides)


class _Transposed(Named):
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
        """Give the direction of each pair a number; see `Named`."""
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
    the vertices' numbers that differ; the difference of the numbers.
    """
    topology = match.topology
    if topology.kind != "lattice":
        return ()
    dims = topology.dims
    found: list[Directions] = []
    for a, b in combinations(range(min(len(dims), len(AXES))), 2):
        if dims[a] == dims[b] > 2:
            axes = "" if len(dims) == 2 else f" {AXES[a]}{AXES[b]}"
            found.append(_Transposed(match, (a, b), f"TRANSPOSE{axes}"))
    return (*found, Exchange(match), Difference(match))


class _Star(Named):
    """MASTER, and WORKER with its number."""

    def codes(self, here: Ints, there: Ints) -> Ints:
        del here
        return there

    def name(self, code: int) -> str:
        return f"WORKER {code}" if code else "MASTER"

    def follow(self, vertex: int, name: str) -> int | None:
        del vertex
        return 0 if name == "MASTER" else number_after(name, "WORKER ")


def _lattice(match: Match) -> Directions:
    dims = match.topology.dims
    cube = len(dims) > 2 and set(dims) == {2}
    return Exchange(match) if cube else _Lattice(match)


NAMING: dict[str, Callable[[Match], Directions]] = {
    "lattice": _lattice,
    "star": _Star,
    "tree": TreeDirections,
    "cg": CGDirections,
    "complete": Difference,
}
"""How each kind names partners; kinds that are not here by number."""
