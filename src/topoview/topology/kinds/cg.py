"""Transposition: of pairs alone, and in the NAS benchmark CG beside rows.

In CG ranks form rows; each exchanges with those of its row whose column differs in
one bit, and with the rank at the transposed place (Bailey et al., 1991, "The NAS
parallel benchmarks"; its source, setup_proc_info and setup_submatrix_info).
"""

import math
import re
from collections import Counter
from collections.abc import Iterator

import numpy as np

from topoview.model import Bools, Indices, Ints, Match, Topology
from topoview.topology.direction_names import NamedDirections, number_after
from topoview.topology.graph.graph import Graph, unique_edges
from topoview.topology.lattices.lattice import row_major_places
from topoview.topology.members import ExactMatch, Member, rank_distance

TRANSPOSE = "TRANSPOSE"


def cg(n: int) -> Topology:
    """Build the pattern of `n` ranks, a power of two from 4 on.

    Rows are as long as the columns are high, or twice as long; the vertex
    number grows along the row.
    """
    columns, rows = shape_of(n)
    vertex = np.arange(n)
    ends = [vertex ^ (1 << bit) for bit in range(columns.bit_length() - 1)]
    ends.append(transposed(n))
    edges = unique_edges(n, np.tile(vertex, len(ends)), np.concatenate(ends))
    places = np.stack([vertex % columns, vertex // columns], 1).astype(np.int32)
    name = f"CG {columns}x{rows}"
    return Topology(
        kind="cg",
        name=name,
        dims=(columns, rows),
        periodic=(False, False),
        edges=edges,
        coordinates=places,
    )


def shape_of(n: int) -> tuple[int, int]:
    """Columns and rows of `n` ranks."""
    rows = 1 << ((n.bit_length() - 1) // 2)
    return n // rows, rows


def transposed(n: int) -> Ints:
    """Vertex at the transposed place of each; pairs of columns move as one."""
    columns, rows = shape_of(n)
    width = columns // rows
    vertex = np.arange(n)
    block = vertex // width
    result: Ints = width * (block % rows * rows + block // rows) + vertex % width
    return result


def cgs(n: int) -> Iterator[Member]:
    """List the pattern of `n` vertices, if there is one."""
    if n < 4 or n & (n - 1):
        return
    columns, rows = shape_of(n)
    bits = columns.bit_length() - 1
    # the transpose leads to oneself on the diagonal, and in CG of 2 x 2 and 4 x 2
    # never along a row
    own = np.arange(n) == transposed(n)
    partner = np.arange(n) ^ transposed(n)
    inside = ~own & (partner < columns) & (partner & (partner - 1) == 0)
    less = int((own | inside).sum())
    degrees = Counter({bits: less, bits + 1: n - less})
    yield Member("cg", f"CG {columns}x{rows}", +degrees, lambda: cg(n))


class _TransposedDirections(NamedDirections):
    """TRANSPOSE leads to the transposed place, on the diagonal to oneself."""

    def __init__(self, match: Match, across: Ints) -> None:
        super().__init__(match)
        self.transposed = across

    def names(self, ranks: Indices, partners: Indices) -> tuple[Indices, list[str]]:
        """Name the partner of each rank; see `Directions`."""
        numbers, names = super().names(ranks, partners)
        vertex = self.vertex[ranks]
        own = (ranks == partners) & (vertex >= 0)
        own &= self.transposed[vertex] == vertex
        if own.any():
            if TRANSPOSE not in names:
                names.append(TRANSPOSE)
            numbers[own] = names.index(TRANSPOSE)
        return numbers, names


class CGDirections(_TransposedDirections):
    """EXCHANGE with the bits of the column, TRANSPOSE, else the vertex."""

    def __init__(self, match: Match) -> None:
        super().__init__(match, transposed(match.topology.vertices))
        self.columns = match.topology.dims[0]

    def codes(self, here: Ints, there: Ints) -> Ints:
        """Encode the direction of each pair; see `NamedDirections`."""
        bits = here ^ there
        codes = np.where(bits < self.columns, bits, self.columns + there)
        return np.where(self.transposed[here] == there, 0, codes)

    def name(self, code: int) -> str:
        """Name of a direction."""
        if code == 0:
            return TRANSPOSE
        if code < self.columns:
            return f"EXCHANGE {code}"
        place = code - self.columns
        return f"column {place % self.columns} row {place // self.columns}"

    def follow(self, vertex: int, name: str) -> int | None:
        """Vertex that a direction leads to."""
        if name == TRANSPOSE:
            return int(self.transposed[vertex])
        bits = number_after(name, "EXCHANGE ")
        if bits is not None:
            return vertex ^ bits
        place = re.fullmatch(r"column (\d+) row (\d+)", name)
        return int(place[1]) + self.columns * int(place[2]) if place else None


# Transpose pairs: each rank of a square exchanges with that at the mirrored place.

PLACE = "vertex "


def transpose(side: int) -> Topology:
    """Build the transpose of side x side; the diagonal has no edges."""
    n = side * side
    vertex = np.arange(n)
    dims = (side, side)
    edges = unique_edges(n, vertex, _mirrored(side))
    places = row_major_places(n, dims)
    name = f"transpose {side}x{side}"
    return Topology(
        kind="transpose",
        name=name,
        dims=dims,
        periodic=(False, False),
        edges=edges,
        coordinates=places,
    )


def _mirrored(side: int) -> Ints:
    """Vertex at the mirrored place of each."""
    result: Ints = np.arange(side * side).reshape(side, side).T.ravel()
    return result


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


class TransposeDirections(_TransposedDirections):
    """TRANSPOSE, on the diagonal to oneself, else the vertex."""

    def __init__(self, match: Match) -> None:
        super().__init__(match, _mirrored(match.topology.dims[0]))

    def codes(self, here: Ints, there: Ints) -> Ints:
        """Encode the direction of each pair; see `NamedDirections`."""
        return np.where(self.transposed[here] == there, 0, 1 + there)

    def name(self, code: int) -> str:
        """Name of a direction."""
        return TRANSPOSE if code == 0 else f"{PLACE}{code - 1}"

    def follow(self, vertex: int, name: str) -> int | None:
        """Vertex that a direction leads to."""
        if name == TRANSPOSE:
            return int(self.transposed[vertex])
        return number_after(name, PLACE)
