"""Transpose pairs: each rank of a square exchanges with that at the mirrored place."""

import math

import numpy as np

from topoview.model import Bools, Indices, Ints, Match, Topology
from topoview.topology.direction_names import NamedDirections, number_after
from topoview.topology.graph.graph import Graph, unique_edges
from topoview.topology.lattices.lattice import row_major_places
from topoview.topology.members import ExactMatch, rank_distance

TRANSPOSE, PLACE = "TRANSPOSE", "vertex "


def transpose(side: int) -> Topology:
    """Make the transpose of side x side; the diagonal has no edges."""
    n = side * side
    vertex = np.arange(n)
    mirrored = vertex % side * side + vertex // side
    dims = (side, side)
    edges = unique_edges(n, vertex, mirrored)
    places = row_major_places(n, dims)
    name = f"transpose {side}x{side}"
    return Topology("transpose", name, dims, (False, False), (), edges, places)


def recognise_transpose(graph: Graph, members: Bools) -> list[ExactMatch]:
    """Find out whether the pairs of all ranks are a transpose.

    Parameters
    ----------
    graph
        Graph of all ranks, silent ones too.
    members : bool, shape (ranks,)
        Ranks that communicate at all.
    """
    del members
    side = math.isqrt(graph.n)
    pairs = side * (side - 1) // 2
    if side < 3 or side * side != graph.n or len(graph.edges) != pairs:
        return []
    if graph.degree.max() > 1:
        return []
    topology = transpose(side)
    vertex: Ints = np.arange(graph.n)
    if not np.array_equal(topology.edges, graph.edges):
        quiet = np.flatnonzero(graph.degree == 0)
        vertex = np.empty(graph.n, np.int64)
        vertex[quiet] = np.arange(side) * (side + 1)
        vertex[graph.edges] = topology.edges
    return [ExactMatch(topology, vertex, rank_distance(vertex))]


class TransposeDirections(NamedDirections):
    """TRANSPOSE, on the diagonal to oneself, else the vertex."""

    def __init__(self, match: Match) -> None:
        super().__init__(match)
        self.side = match.topology.dims[0]

    def names(self, ranks: Indices, partners: Indices) -> tuple[Indices, list[str]]:
        """Name the partner of each rank; see `Directions`."""
        found, names = super().names(ranks, partners)
        vertex = self.vertex[ranks]
        own = (ranks == partners) & (vertex >= 0) & (self._mirrored(vertex) == vertex)
        if own.any():
            if TRANSPOSE not in names:
                names.append(TRANSPOSE)
            found[own] = names.index(TRANSPOSE)
        return found, names

    def _mirrored(self, vertex: Ints) -> Ints:
        return vertex % self.side * self.side + vertex // self.side

    def codes(self, here: Ints, there: Ints) -> Ints:
        """Give the direction of each pair a number; see `NamedDirections`."""
        return np.where(self._mirrored(here) == there, 0, 1 + there)

    def name(self, code: int) -> str:
        """Name of a direction."""
        return TRANSPOSE if code == 0 else f"{PLACE}{code - 1}"

    def follow(self, vertex: int, name: str) -> int | None:
        """Vertex that a direction leads to."""
        if name == TRANSPOSE:
            return vertex % self.side * self.side + vertex // self.side
        return number_after(name, PLACE)
