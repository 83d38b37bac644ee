"""Partners as directions: ``EAST``, ``MASTER``, ``EXCHANGE 4``, ``+3``."""

from abc import ABC, abstractmethod
from collections.abc import Callable

import numpy as np

from topoview.model import Directions, Indices, Ints, Match
from topoview.topology.compass import offset_name, offset_of
from topoview.topology.lattice import strides_of

SELF = "SELF"
"""Direction of a message to oneself, in every topology."""


def directions(match: Match) -> Directions:
    """Name partners after a match's topology.

    Lattices: EAST is +x, WEST -x, SOUTH +y, NORTH -y, UP +z, DOWN -z, the
    shortest way round where an axis wraps (half way round counts as positive);
    a hypercube: EXCHANGE and the bits of the vertex that differ; a star: MASTER
    and WORKER with its number; all others: the difference of rank the shortest
    way round (``+3``), the bits that differ, or the partner itself (``rank 5``),
    whichever needs the fewest names for the edges.
    """
    return NAMING.get(match.topology.kind, _numbered)(match)


class _Named(ABC):
    """Directions by a number for each pair, from which the partner follows."""

    def __init__(self, match: Match) -> None:
        self.vertex = match.vertex.astype(np.int64)
        self.rank = np.full(match.topology.vertices, -1, np.int64)
        present = self.vertex >= 0
        self.rank[self.vertex[present]] = np.flatnonzero(present)

    def names(self, ranks: Indices, partners: Indices) -> tuple[Indices, list[str]]:
        """Name the partner of each rank; see `Directions`."""
        here, there = self.vertex[ranks], self.vertex[partners]
        own = np.asarray(ranks == partners)
        known = (here >= 0) & (there >= 0) & ~own
        codes = self.codes(here[known], there[known])
        unique, number = np.unique(codes, return_inverse=True)
        found = np.full(len(here), -1, np.int32)
        found[known] = number
        found[own] = len(unique)
        names = [self.name(int(code)) for code in unique]
        return found, [*names, SELF] if own.any() else names

    def partner(self, rank: int, name: str) -> int | None:
        """World rank that a direction leads to; see `Directions`."""
        if name == SELF:
            return rank
        here = int(self.vertex[rank])
        there = None if here < 0 else self.follow(here, name)
        if there is None or not 0 <= there < len(self.rank):
            return None
        return int(self.rank[there])

    @abstractmethod
    def codes(self, here: Ints, there: Ints) -> Ints:
        """Give the direction of each pair of different vertices a number."""

    @abstractmethod
    def name(self, code: int) -> str:
        """Name of a direction."""

    @abstractmethod
    def follow(self, vertex: int, name: str) -> int | None:
        """Vertex that a direction leads to."""


class _Lattice(_Named):
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


class _Star(_Named):
    """MASTER, and WORKER with its number."""

    def codes(self, here: Ints, there: Ints) -> Ints:
        del here
        return there

    def name(self, code: int) -> str:
        return f"WORKER {code}" if code else "MASTER"

    def follow(self, vertex: int, name: str) -> int | None:
        del vertex
        return 0 if name == "MASTER" else _number(name, "WORKER ")


class _Difference(_Named):
    """Difference of the ranks, the shortest way round."""

    def codes(self, here: Ints, there: Ints) -> Ints:
        n = len(self.rank)
        low = (n - 1) // 2
        return (there - here + low) % n - low

    def name(self, code: int) -> str:
        return f"{code:+d}"

    def follow(self, vertex: int, name: str) -> int | None:
        for sign, prefix in ((1, "+"), (-1, "-")):
            steps = _number(name, prefix)
            if steps is not None:
                return (vertex + sign * steps) % len(self.rank)
        return None


class _Exchange(_Named):
    """Bits in which the vertices' numbers differ."""

    def codes(self, here: Ints, there: Ints) -> Ints:
        return here ^ there

    def name(self, code: int) -> str:
        return f"EXCHANGE {code}"

    def follow(self, vertex: int, name: str) -> int | None:
        bits = _number(name, "EXCHANGE ")
        return None if bits is None else vertex ^ bits


class _Rank(_Named):
    """The partner itself."""

    def codes(self, here: Ints, there: Ints) -> Ints:
        del here
        found: Ints = self.rank[there]
        return found

    def name(self, code: int) -> str:
        return f"rank {code}"

    def follow(self, vertex: int, name: str) -> int | None:
        del vertex
        rank = _number(name, "rank ")
        known = rank is not None and rank < len(self.vertex)
        return int(self.vertex[rank]) if known else None


def _number(name: str, prefix: str) -> int | None:
    digits = name.removeprefix(prefix)
    return int(digits) if name.startswith(prefix) and digits.isdigit() else None


def _lattice(match: Match) -> Directions:
    dims = match.topology.dims
    cube = len(dims) > 2 and set(dims) == {2}
    return _Exchange(match) if cube else _Lattice(match)


def _numbered(match: Match) -> Directions:
    edges = match.topology.edges.astype(np.int64)
    here = np.concatenate([edges[:, 0], edges[:, 1]])
    there = np.concatenate([edges[:, 1], edges[:, 0]])
    schemes = [_Difference(match), _Exchange(match), _Rank(match)]
    return min(schemes, key=lambda scheme: len(np.unique(scheme.codes(here, there))))


NAMING: dict[str, Callable[[Match], Directions]] = {
    "lattice": _lattice,
    "star": _Star,
    "complete": _Difference,
}
"""How each kind names partners; kinds that are not here by number."""
