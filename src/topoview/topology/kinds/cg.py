"""Transposition: of pairs alone, and in the NAS benchmark CG beside rows.

In CG ranks form rows; each exchanges with those of its row whose column differs in
one bit, and with the rank at the transposed place (Bailey et al., 1991, "The NAS
parallel benchmarks"; its source, setup_proc_info and setup_submatrix_info).
"""

import math
from collections import Counter
from collections.abc import Iterator

import numpy as np

from topoview.model import Bools, Ints, Match, Topology
from topoview.topology.direction_names import CompassDirections
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


def cg_directions(match: Match) -> CompassDirections:
    """Name TRANSPOSE, and EXCHANGE with the bit of the column that differs."""
    n, columns = match.topology.vertices, match.topology.dims[0]
    bits = [1 << bit for bit in range(columns.bit_length() - 1)]
    ends = [transposed(n), *(np.arange(n) ^ bit for bit in bits)]
    sides = (TRANSPOSE, *(f"EXCHANGE {bit}" for bit in bits))
    return CompassDirections(match, np.stack(ends, 1), ("column", "row"), sides)


# Transpose pairs: each rank of a square exchanges with that at the mirrored place.


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


def transpose_directions(match: Match) -> CompassDirections:
    """Name TRANSPOSE, on the diagonal to oneself."""
    across = _mirrored(match.topology.dims[0])[:, None]
    return CompassDirections(match, across, ("column", "row"), (TRANSPOSE,))
