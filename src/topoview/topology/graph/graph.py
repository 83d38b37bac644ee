"""An undirected graph, and the search through it by breadth.

A graph is its edges and the compressed rows of neighbours. Numbered in the order of a
breadth-first search, neighbours have numbers alike and lie near each other in memory.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from topoview.base.threads import in_parts
from topoview.grouping import run_offsets
from topoview.model import Floats, Indices, Ints, distinct, occurring, readonly
from topoview.topology.graph import kernels

if TYPE_CHECKING:
    from scipy.sparse import csr_array

R = TypeVar("R")


@dataclass(frozen=True, eq=False)
class Graph:
    """An undirected graph without loops or parallel edges."""

    n: int
    """Number of vertices."""
    edges: Indices
    """int32, shape (m, 2): pairs of vertices, smaller first, sorted."""
    indptr: Ints
    """int64, shape (n + 1,): vertex ``v`` owns the arcs ``indptr[v]`` to ``indptr[v +
    1]``."""
    indices: Indices
    """int32, shape (2 m,): neighbour at the end of each arc, ascending for each
    vertex."""

    @cached_property
    def degree(self) -> Ints:
        """Neighbours of each vertex, int64, shape (n,)."""
        return np.diff(self.indptr)

    @cached_property
    def log_walks(self) -> Floats:
        """Logarithms of the walks of length 3 from each vertex: float64, (n,)."""
        walks = self.degree.astype(np.float64)
        for _ in range(2):
            total = np.concatenate([[0.0], np.cumsum(walks[self.indices])])
            walks = total[self.indptr[1:]] - total[self.indptr[:-1]]
        return np.log2(walks + 1)

    @cached_property
    def triangles(self) -> Ints:
        """Triangles that each edge lies in, int64, shape (m,)."""
        return kernels.triangles(self.indptr, self.indices, self.edges)

    @cached_property
    def edge_of(self) -> Indices:
        """Edge of each arc, int32, shape (2 m,)."""
        return _filled(self.n, self.edges, 2)[1]

    @cached_property
    def squares(self) -> Ints:
        """Cycles of four that each edge lies in, int64, shape (m,)."""
        rows = self.indptr, self.indices, self.edge_of
        return kernels.squares(*rows, len(self.edges))

    @cached_property
    def outwards(self) -> "Outwards":
        """The vertices in the order of a search by breadth from the first."""
        return Outwards(*kernels.search_all(self.indptr, self.indices))

    @property
    def component_of(self) -> Indices:
        """Connected component of each vertex, int32, shape (n,)."""
        return self.outwards.component[self.outwards.number]

    @property
    def connected(self) -> bool:
        """Whether there is a path between any two vertices."""
        return self.n > 0 and not self.outwards.component[-1]


@dataclass(frozen=True, slots=True, eq=False)
class Outwards:
    """The vertices of a graph, numbered anew in the order of a search by breadth.

    It begins at the first vertex of each component. Neighbours then lie near each other
    in memory.
    """

    order: Indices
    """int32, shape (n,): vertex that has each of the new numbers."""
    number: Indices
    """int32, shape (n,): new number of each vertex."""
    component: Indices
    distance: Indices
    """`component` and `distance`: int32, shape (n,): component of each of the new
    numbers, and steps from its first vertex."""
    indptr: Ints
    indices: Indices
    """`indptr` and `indices`: the rows of a `Graph`, by the new numbers."""

    @property
    def rows(self) -> tuple[Ints, Indices]:
        """Where the neighbours of each new number begin, and these."""
        return self.indptr, self.indices


def graph_of(n: int, edges: Indices) -> Graph:
    """Build a graph of `n` vertices from its sorted edges, in linear time.

    Parameters
    ----------
    edges : int32, shape (m, 2)
        Pairs of vertices, smaller first, sorted and unique (`unique_edges`).
    """
    held = readonly(edges, np.int32)
    return Graph(n, held, *_filled(n, held))


def induced(members: Ints | Indices, pairs: Indices) -> Graph:
    """Build the graph of some vertices, numbered anew, from pairs of all.

    Parameters
    ----------
    members : integers, shape (n,)
        Vertices, ascending.
    pairs : int32, shape (m, 2)
        Edges among these and others, smaller first, sorted: those of others count not.
    """
    size = 1 + max(int(members.max(initial=-1)), int(pairs.max(initial=-1)))
    if size == len(members):
        return graph_of(size, pairs)
    number = np.full(size, -1, np.int32)
    number[members] = np.arange(len(members))
    edges: Indices = number[pairs]
    inside = (edges >= 0).all(axis=1)
    return graph_of(len(members), edges if inside.all() else edges[inside])


MANY_EDGES = 1 << 18
"""Edges from which on two threads are faster than one."""


def _filled(n: int, edges: Indices, what: int = 0) -> tuple[Ints, Indices]:
    """Compute rows of neighbours, or of edges if `what` is 2, first to smaller ones.

    Returns
    -------
    int64, shape (n + 1,)
        Where the row of each vertex begins.
    int32, shape (2 m,)
        The rows.
    """
    on_both = in_parts if len(edges) > MANY_EDGES else _one_by_one
    larger, smaller = on_both(lambda side: kernels.count_ends(edges, side, n), (1, 0))
    begins = run_offsets(larger + smaller)
    free = begins[:-1] + larger, begins[:-1].copy()  # of smaller and of larger ends
    rows = np.empty(2 * len(edges), np.int32)

    on_both(lambda s: kernels.fill_rows(edges, s + what, free[s], rows), (1, 0))
    return begins, rows


def _one_by_one(work: Callable[[int], R], sides: Sequence[int]) -> list[R]:
    return [work(side) for side in sides]


def unique_edges(n: int, u: Ints | Indices, v: Ints | Indices) -> Indices:
    """Sort pairs of vertices smaller first, drop loops and repetitions.

    Returns
    -------
    int32, shape (m, 2)
    """
    a = np.minimum(u, v).astype(np.int64)
    b = np.maximum(u, v).astype(np.int64)
    codes = (a * n + b)[a != b]
    keys = occurring(codes, n * n) if n * n <= len(codes) else distinct(codes)
    edges = np.empty((len(keys), 2), np.int32)
    edges[:, 0] = keys // max(n, 1)
    edges[:, 1] = keys % max(n, 1)
    return edges


def edges_of_ends(ends: Ints) -> Indices:
    """Return the edges from each vertex to its neighbours: (n, k), -1 where none is."""
    here, side = np.nonzero(ends >= 0)
    return unique_edges(len(ends), here, ends[here, side])


def rows_among(
    indptr: Ints, indices: Indices, few: Ints | Indices
) -> tuple[Ints, Indices]:
    """Return the rows of few of the vertices, of neighbours among these, by places."""
    place = np.full(len(indptr) - 1, -1, np.int32)
    place[few] = np.arange(len(few))
    many = indptr[few + 1] - indptr[few]
    before = np.cumsum(many) - many
    arcs = np.arange(many.sum()) + np.repeat(indptr[few] - before, many)
    there = place[indices[arcs]]
    kept = np.concatenate([[0], np.cumsum(there >= 0)])
    begins = kept[np.append(before, len(arcs))]
    return begins, there[there >= 0]


def edge_keys(n: int, edges: Indices) -> Ints:
    """Return numbers of edges that sort as they do: int64, shape (m,)."""
    keys: Ints = edges[:, 0].astype(np.int64) * n + edges[:, 1]
    return keys


def adjacency(graph: Graph) -> "csr_array":
    """Return the adjacency matrix, int64, shape (n, n)."""
    from scipy.sparse import csr_array

    ones = np.ones(len(graph.indices), np.int64)
    return csr_array((ones, graph.indices, graph.indptr), shape=(graph.n, graph.n))


def neighbourhoods(graph: Graph) -> tuple[Ints, Ints]:
    """Enumerate vertices by their neighbours, without and with themselves.

    Returns
    -------
    int64, shape (n,), twice
        Vertices have the same number if they have the same neighbours.
    """
    marks = np.random.default_rng(1).integers(2**62, size=graph.n, dtype=np.int64)
    with np.errstate(over="ignore"):  # sums of marks stand for sets
        beside = np.concatenate([[0], np.cumsum(marks[graph.indices])])
        sums = beside[graph.indptr[1:]] - beside[graph.indptr[:-1]]
        closed = sums + marks
    one, other = (np.unique(code, return_inverse=True)[1] for code in (sums, closed))
    return one.astype(np.int64), other.astype(np.int64)


def distances_from(
    graph: Graph,
    starts: Ints | Indices,
    radius: int | None = None,
    most: int | None = None,
) -> tuple[Indices, Indices]:
    """Compute the distance of each vertex from some, by a search by breadth.

    Parameters
    ----------
    starts : integers, shape (s,)
        Vertices at distance 0.
    radius
        Distance up to which vertices are met; any if None.
    most
        How many are met, all at a distance or none; but all at distance 1 are. No
        bound if None.

    Returns
    -------
    distance : int32, shape (n,)
        -1 where a vertex is not met.
    order : int32, shape (met,)
        Vertices that are met by distance, those at an equal one as they were met.
    """
    return kernels.search_from(
        graph.indptr,
        graph.indices,
        np.ascontiguousarray(starts, np.int64),
        graph.n if radius is None else radius,
        graph.n if most is None else most,
    )
