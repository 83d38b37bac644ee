"""Partners as directions: ``EAST``, ``MASTER``, ``EXCHANGE 4``, ``+3``."""

from collections.abc import Callable

import numpy as np

from topoview.model import Directions, Ints, Match
from topoview.topology.cg import CGDirections
from topoview.topology.compass import offset_name, offset_of
from topoview.topology.lattice import strides_of
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
