"""Lattices whose stencil has no name: its offsets are read off the graph.

Rings with steps of 1 and 4, long arms, moves of any kind. In rank order every pair of
ranks shows its offset. Under other numberings parallel edges are steps, and the ways
round tell which sums of steps lead nowhere: the steps generate an abelian group whose
Cayley graph it is. Where that fails, small circulant graphs are tried one by one.
"""

import itertools
import math
from collections.abc import Iterator

import numpy as np

from topoview.model import Bools, Indices, Ints, Topology
from topoview.topology.graph.graph import Graph, graph_of
from topoview.topology.graph.invariants import level_sizes
from topoview.topology.graph.isomorphism import isomorphism
from topoview.topology.graph.percolation import grow_on
from topoview.topology.graph.products import LatticeAxis, same_edges
from topoview.topology.lattices import kernels
from topoview.topology.lattices.abelian import AbelianGroup, Basis, Row, bases, group_of
from topoview.topology.lattices.lattice import (
    Offsets,
    canonical,
    factorisations,
    fills,
    lattice,
    offsets_between,
    row_major_places,
    strides_of,
)
from topoview.topology.lattices.orientation import orient
from topoview.topology.lattices.parallel_edges import ParallelSteps, parallel_steps
from topoview.topology.lattices.templates import degree_histogram
from topoview.topology.members import ExactMatch, degrees_of, rank_distance

# Rings and chains with several steps, under any numbering.
#
# A ring on which each rank has partners at certain distances is a circulant graph.
# Multiplying all steps by a number that has no divisor in common with the ring's
# length gives the same graph, so that the first step can be taken as a divisor of the
# length (Elspas, Turner, 1970, "Graphs with circulant adjacency matrices", J. Combin.
# Theory 9).

MIN_CHAIN_OF_STEPS = 6
"""Ranks of a chain of two steps: on fewer, one rank at most has all neighbours."""

MAX_CIRCULANT_STEPS = 4
"""Steps up to which rings are tried."""

MAX_CIRCULANT_WORK = 20_000_000
"""Vertices that are looked at in all, for rings."""

MAX_CIRCULANTS_TRIED = 12
"""Rings or chains that grow as the graph does and are tried as templates."""


def circulants(graph: Graph) -> list[ExactMatch]:
    """Find the ring or chain with several steps that a connected graph exactly is.

    Returns
    -------
    list of Exact
        One, every edge verified; empty if none was found.
    """
    closed = bool((graph.degree == graph.degree[0]).all())
    shapes = _rings_like(graph) if closed else _chains_like(graph)
    for steps in itertools.islice(shapes, MAX_CIRCULANTS_TRIED):
        topology = lattice((graph.n,), (closed,), tuple((s,) for s in steps))
        vertex = isomorphism(graph, graph_of(graph.n, topology.edges))
        if vertex is not None:
            return [ExactMatch(topology, vertex, rank_distance(vertex))]
    return []


def _rings_like(graph: Graph) -> Iterator[tuple[int, ...]]:
    """List the steps of rings that have as many vertices at each distance."""
    n, degree = graph.n, int(graph.degree[0])
    half = (n // 2,) if degree % 2 else ()
    many = degree // 2
    steps = range(1, (n + 1) // 2)
    if (
        not 0 < many <= MAX_CIRCULANT_STEPS
        or math.comb(len(steps), many - 1) * n > MAX_CIRCULANT_WORK
    ):
        return
    wanted = np.array(level_sizes(graph))
    for first in (s for s in steps if n % s == 0):
        # no further step has a smaller divisor in common with the length
        others = [s for s in steps if s != first and math.gcd(s, n) >= first]
        for more in itertools.combinations(others, many - 1):
            chosen = (first, *more, *half)
            if math.gcd(n, *chosen) == 1 and kernels.grows_so(
                np.array([n]), np.array(chosen)[:, None], wanted
            ):
                yield tuple(sorted(chosen))


def _chains_like(graph: Graph) -> Iterator[tuple[int, ...]]:
    """List pairs of steps of chains that have as many vertices of each degree."""
    n, total = graph.n, 2 * graph.n - len(graph.edges)
    if graph.degree.max() > 4 or n < MIN_CHAIN_OF_STEPS:
        return
    histogram = degrees_of(graph)
    for one in range(1, (total + 1) // 2):
        other = total - one
        if other <= n // 2 and math.gcd(one, other) == 1:
            steps = ((one,), (other,))
            if degree_histogram((n,), (False,), steps) == histogram:
                yield one, other


# Lattices with any stencil under any numbering: the offsets are read off the graph.
#
# Parallel edges are steps; what ways round there are tells which sums of steps lead
# nowhere, so that the steps generate an abelian group. Laid along axes on which the
# steps are short, it is the lattice.

MAX_ROUNDS = 12
"""How often relations are looked for that are not known yet."""

RELATIONS_AT_A_TIME = 48
"""Relations that are taken at a time."""

MAX_BASES_TRIED = 40
"""Bases that are tried for one graph."""


def cayley_lattices(graph: Graph) -> list[ExactMatch]:
    """Find the lattice with a stencil of its own that a connected graph exactly is.

    Near linear in the edges.

    Returns
    -------
    list of Exact
        One, every edge verified; empty if none was found.
    """
    for steps in parallel_steps(graph):
        group = group_of_steps(steps)
        if group is None:
            continue
        if not group.free and not (steps.reached.all() and group.torsion == graph.n):
            continue
        for basis in bases(group)[:MAX_BASES_TRIED]:
            axes = _axes(graph, steps, basis)
            exact = None if axes is None else _exact(graph, axes)
            if exact is not None:
                return [exact]
    return []


def group_of_steps(steps: ParallelSteps) -> AbelianGroup | None:
    """Build the group that the steps generate: ways round are sums that are nothing."""
    many = steps.place.shape[1]
    relations: list[Row] = []
    for s, t in enumerate(steps.generator.tolist()):
        if steps.sign[s] > 0 and (steps.generator == t).sum() == 1:
            relations.append([2 * int(i == t) for i in range(many)])
    for _ in range(MAX_ROUNDS):
        group = group_of(many, relations)
        if group is None:
            return None
        fresh = _relations(steps, group)
        if not fresh:
            return group
        relations += fresh
    return None


def _relations(steps: ParallelSteps, group: AbelianGroup) -> list[Row]:
    """List ways round that are not nothing in a group yet, a few of them."""
    vertices = np.flatnonzero(steps.reached)
    units = np.eye(steps.place.shape[1], dtype=np.int64)
    relations: list[Row] = []
    for s, (t, sign) in enumerate(zip(steps.generator, steps.sign, strict=True)):
        if sign < 0:
            continue
        there = steps.ends[vertices, s]
        both = steps.reached[there]
        round_trip = steps.place[vertices[both]] + units[t] - steps.place[there[both]]
        left = (group.elements(round_trip) != 0).any(axis=1)
        rows = np.unique(round_trip[left][: 8 * RELATIONS_AT_A_TIME], axis=0)
        relations += rows[np.argsort(np.abs(rows).sum(axis=1))][
            :RELATIONS_AT_A_TIME
        ].tolist()
    return sorted(relations, key=lambda row: sum(map(abs, row)))[:RELATIONS_AT_A_TIME]


def _axes(graph: Graph, steps: ParallelSteps, basis: Basis) -> list[LatticeAxis] | None:
    """Lay all vertices along axes; None if they do not fill a box."""
    orders = np.array(basis.orders)
    reached = np.flatnonzero(steps.reached)
    points = steps.place[reached] @ basis.offsets
    closed = orders > 0
    points[:, closed] %= orders[closed]
    points[:, ~closed] -= points[:, ~closed].min(axis=0)
    reach = np.where(closed, 0, np.abs(basis.offsets).max(axis=0))
    inner = np.where(closed, orders, points.max(axis=0) + 1)
    dims = inner + 2 * reach
    if int(dims.prod()) != graph.n or int(inner.prod()) != len(reached):
        return None
    weights = np.cumprod(np.append(1, dims[:-1]))
    vertex = np.full(graph.n, -1, np.int64)
    vertex[reached] = (points + reach) @ weights
    if len(np.unique(vertex[reached])) < len(reached):
        return None
    if len(reached) < graph.n:
        done = _completed(graph, dims, closed, basis, vertex)
        if done is None:
            return None
        vertex = done
    places = row_major_places(graph.n, dims.tolist()).astype(np.int64)[vertex]
    return [
        LatticeAxis(int(extent), bool(wraps), places[:, i])
        for i, (extent, wraps) in enumerate(zip(dims, closed, strict=True))
    ]


def _completed(
    graph: Graph, dims: Ints, closed: Bools, basis: Basis, vertex: Ints
) -> Ints | None:
    """Place the vertices near open borders, too, whose steps lead outside."""
    offsets = tuple(dict.fromkeys(map(canonical, basis.offsets.tolist())))
    topology = lattice(dims.tolist(), closed.tolist(), offsets)
    if len(topology.edges) != len(graph.edges):
        return None
    template = graph_of(graph.n, topology.edges)
    grow_on(graph, template, vertex)
    if (vertex >= 0).all() and same_edges(graph, topology.edges, vertex):
        return vertex
    return isomorphism(graph, template)


def _exact(graph: Graph, axes: list[LatticeAxis]) -> ExactMatch | None:
    oriented = orient(graph, axes)
    offsets = offsets_between(graph.edges, oriented.axes)
    if not offsets:
        return None
    periodic = [axis.wraps for axis in oriented.axes]
    topology = lattice(oriented.dims, periodic, offsets)
    if not fills(graph, topology, oriented.vertex):
        return None
    return ExactMatch(topology, oriented.vertex, oriented.distance)


MIN_VERTICES = 8
"""Vertices below which most graphs are stencils of some kind."""

MAX_OFFSETS = 16
"""Offsets of a stencil, one of each +/- pair."""

MAX_VERTICES_PER_CARRIER = 4
"""Of so many vertices one must have an edge along each offset, so that no single edge
counts as an offset of its own."""

MIN_EXTENT = 4
"""Extent below which an axis has too little room for a stencil of its own."""

MAX_VERTICES_OF_CIRCULANTS = 4096
"""Vertices up to which rings and chains of all steps are tried one by one."""

SAMPLED_EDGES = 512
"""Edges that exclude most dims."""


def unnamed_stencils(graph: Graph) -> list[ExactMatch]:
    """Find the lattice with a stencil of its own that a connected graph exactly is.

    In rank order with up to three dims; under any numbering where parallel edges show.
    Where half of the ranks are partners most graphs are stencils of some kind: then it
    must be in rank order, with so few steps as it takes to reach all ranks by doubling.

    Returns
    -------
    list of Exact
        Fewest offsets first; empty if there is none.
    """
    degree, doublings = int(graph.degree.max()), (graph.n - 1).bit_length()
    if graph.n < MIN_VERTICES or degree > min(
        2 * MAX_OFFSETS, max(graph.n // 2, 2 * doublings)
    ):
        return []
    if 2 * degree > graph.n:
        return _in_rank_order(graph, doublings)
    return (
        _in_rank_order(graph)
        or [one for one in cayley_lattices(graph) if _telling(one.topology)]
        or (circulants(graph) if graph.n <= MAX_VERTICES_OF_CIRCULANTS else [])
    )


def _telling(topology: Topology) -> bool:
    """Return whether a lattice explains a graph, as `MIN_EXTENT` and its like say."""
    dims, offsets = topology.dims, np.array(topology.offsets)
    open_axes = ~np.array(topology.periodic)
    room = np.where(open_axes, np.array(dims) - np.abs(offsets), dims)
    carried = (room / np.array(dims)).prod(axis=1)
    return bool((MAX_VERTICES_PER_CARRIER * carried >= 1).all()) and not _cramped(
        offsets, dims
    )


def _in_rank_order(graph: Graph, most: int = MAX_OFFSETS) -> list[ExactMatch]:
    ranks, some = np.arange(graph.n), graph.edges
    if len(some) > SAMPLED_EDGES:
        rng = np.random.default_rng(1)
        some = some[rng.choice(len(some), SAMPLED_EDGES, replace=False)]
    best: list[ExactMatch] = []
    for dims in _shapes(graph.n):
        for wraps in itertools.product((True, False), repeat=len(dims)):
            if not _offsets(some, dims, wraps, most):
                if all(wraps):  # of open axes there are more
                    break
                continue
            offsets = _offsets(graph.edges, dims, wraps, most)
            if not offsets:
                continue
            topology = lattice(dims, wraps, offsets)
            if _telling(topology) and fills(graph, topology, ranks):
                most, best = len(offsets) - 1, [ExactMatch(topology, ranks, 0.0)]
    return best


def _offsets(
    edges: Indices, dims: tuple[int, ...], wraps: tuple[bool, ...], most: int
) -> Offsets:
    """Return the offsets of some edges, if vertices are places in row-major order.

    Empty if there are more than `most`.
    """
    places = edges.reshape(-1, 1) // strides_of(dims) % np.array(dims)
    axes = list(map(LatticeAxis, dims, wraps, places.T))
    ends = np.arange(len(places), dtype=np.int32).reshape(-1, 2)
    return offsets_between(ends, axes, most)


def _cramped(offsets: Ints, dims: tuple[int, ...]) -> bool:
    """Return whether steps other than to the neighbour are taken on a narrow axis."""
    narrow = np.array(dims) < MIN_EXTENT
    across = (offsets[:, narrow] != 0).any(axis=1)
    return len(dims) > 1 and bool((np.abs(offsets[across]).sum(axis=1) > 1).any())


def _shapes(n: int) -> Iterator[tuple[int, ...]]:
    for d in (1, 2, 3):
        for dims in factorisations(n, d):
            yield from sorted(set(itertools.permutations(dims)))
