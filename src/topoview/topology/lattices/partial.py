"""Lattices of which some places are held by no rank: land, holes, ragged rows, an L.

Ocean models leave out blocks that are land, other programs have a last row that is not
full. The graph is laid on an endless lattice; where two sides meet that lie apart, an
axis comes back after as many places. The box around all of it gives the dims.
"""

import math
from collections import Counter
from dataclasses import replace

import numpy as np

from topoview.model import Bools, Indices, Ints, Topology
from topoview.topology.graph.graph import Graph, distances_from, graph_of, unique_edges
from topoview.topology.graph.products import same_edges
from topoview.topology.graph.refinement import canonical_order
from topoview.topology.lattices import embedding_kernels
from topoview.topology.lattices.lattice import (
    STENCILS,
    Offsets,
    lattice,
    plain,
    strides_of,
)
from topoview.topology.lattices.unnamed_stencils import unnamed_stencils
from topoview.topology.members import ExactMatch, other_names, rank_distance

MODELS: dict[str, tuple[int, str]] = {
    "2D": (2, "plain"),
    "2D triangles": (2, "6-point"),
    "3D": (3, "plain"),
    "2D box": (2, "box"),
    "3D box": (3, "box"),
}
"""Dimensions and stencils of those that are looked for, fewest partners first."""

MAX_AXES_LAID = 3
"""Axes of `MODELS`; places with more neighbours may be the corners of a cube."""

MAX_ROOTS_TRIED = 16
"""Vertices from which on corners of a cube are numbered."""

MAX_PERIODS_TRIED = 8
"""Ways to close axes that are tried for each of `MODELS`."""

MAX_PERIODS_LIKELY = 2
"""Ways to close one more axis that are tried after one that failed."""

MAX_LOOKS_PER_VERTEX = 20
"""How often places are looked for, on average; lattices need two to five."""

MIN_LOOKS = 20_000
"""How often they are looked for at least."""

MAX_ANY_ORDER = 4096
"""Vertices up to which they are laid out in several orders."""

ORDERS_TRIED = 4
"""Orders in which they are laid out beside the one in which they come."""

MIN_SHARE_HELD = 0.55
"""Share of a lattice's places that are held, at least: with room enough, anything can
be laid on a lattice."""


def partial_lattice(
    dims: tuple[int, ...], periodic: tuple[bool, ...], offsets: Offsets, held: Bools
) -> Topology:
    """Build a lattice of which some places only are held.

    Parameters
    ----------
    held : bool, shape (places,)
        Which of its places there are; x fastest.
    """
    whole = lattice(dims, periodic, offsets)
    number = np.cumsum(held, dtype=np.int32) - 1
    inside = held[whole.edges].all(axis=1)
    edges: Indices = number[whole.edges[inside]].astype(np.int32)
    name = partial_name(whole.name, len(held) - int(held.sum()))
    places = whole.coordinates[held]
    return Topology(
        kind="part",
        name=name,
        dims=whole.dims,
        periodic=whole.periodic,
        offsets=whole.offsets,
        edges=edges,
        coordinates=places,
    )


def partial_name(whole: str, left_out: int) -> str:
    """Name as shown: ``2D grid 8x8 without 6 places``."""
    comma = "," if "," in whole else ""
    return f"{whole}{comma} without {left_out} place{'s' if left_out > 1 else ''}"


def recognise_partial_lattices(graph: Graph) -> list[ExactMatch]:
    """Find the lattice that a connected graph is a part of, under any numbering.

    Every step between two of the places is an edge, and no other. It is an answer if
    it is told in fewer bits than the edges one by one: a tree, which can often be
    laid on a grid too, is none.
    """
    n, m = graph.n, len(graph.edges)
    if m < n or n < 4:  # without a cycle there are no parallel edges
        return []
    widest, matches = int(graph.degree.max()), []
    for d, stencil in MODELS.values():
        offsets = STENCILS[stencil](d)
        if widest > 2 * len(offsets) or m > len(offsets) * n:
            continue
        laid = _smallest(graph, offsets)
        exact = None if laid is None else _exact(graph, *laid, stencil)
        if exact is not None:
            matches.append(exact)
            break
    is_cube = widest > MAX_AXES_LAID and MIN_SHARE_HELD * 2**widest <= n < 2**widest
    corners = _corners(graph) if is_cube else None
    if corners is not None:
        exact = _exact(graph, corners, (0,) * widest, "plain")
        matches += [] if exact is None else [exact]
    return matches


def _corners(graph: Graph) -> Ints | None:
    """Find corners of a cube, of any dimension, that a graph's vertices are.

    From a vertex that has all neighbours. What is farther off lies in all directions in
    which its neighbours lie that are nearer; two of these tell.

    Returns
    -------
    int64, shape (n, d), or None
        0 or 1 along each axis; edges are not verified.
    """
    d = int(graph.degree.max())
    for root in np.flatnonzero(graph.degree == d)[:MAX_ROOTS_TRIED].tolist():
        corner = np.zeros(graph.n, np.int64)
        beside = graph.indices[graph.indptr[root] : graph.indptr[root + 1]]
        corner[beside] = 1 << np.arange(d)
        far, order = distances_from(graph, np.array([root]))
        ends = np.concatenate([graph.edges, graph.edges[:, ::-1]])
        outward = ends[far[ends[:, 1]] == far[ends[:, 0]] + 1]
        for distance in range(2, int(far.max()) + 1):
            nearer, here = outward[far[outward[:, 1]] == distance].T
            np.bitwise_or.at(corner, here, corner[nearer])
        points = corner[:, None] >> np.arange(d) & 1
        apart = (points[graph.edges[:, 0]] != points[graph.edges[:, 1]]).sum(axis=1)
        if len(order) == graph.n and (apart == 1).all():
            return points
    return None


def _smallest(graph: Graph, offsets: Offsets) -> tuple[Ints, tuple[int, ...]] | None:
    """Lay a graph out as its vertices come, and in others' order; the least room wins.

    A row that leads off has room on several sides. All other orders are made from the
    canonical one, so that the room does not depend on the numbers of the vertices.
    """
    result = _laid_out(graph, offsets)
    if result is None or graph.n > MAX_ANY_ORDER or _room(*result) == graph.n:
        return result
    rng = np.random.default_rng(1)
    order = canonical_order(graph)
    for _ in range(ORDERS_TRIED):
        number = np.argsort(order)
        ends = number[graph.edges]
        other = graph_of(graph.n, unique_edges(graph.n, ends[:, 0], ends[:, 1]))
        laid = _laid_out(other, offsets)
        if laid is not None and _room(*laid) < _room(*result):
            result = laid[0][number], laid[1]
        order = order[rng.permutation(graph.n)]
    return result


def _room(points: Ints, periods: tuple[int, ...]) -> int:
    """Count the places of the box around some points."""
    return math.prod(_from_zero(points, periods)[1])


def _laid_out(graph: Graph, offsets: Offsets) -> tuple[Ints, tuple[int, ...]] | None:
    """Lay a graph on open axes, and close those along which it does not fit."""
    one = np.array(offsets, np.int64)
    steps, d = np.concatenate([one, -one]), one.shape[1]
    begun = _beginning(graph, plain=len(one) == d)
    if begun is None:
        return None
    queue = [((0,) * d, begun, np.eye(2, d, -1, np.int64))]
    visited = {queue[0][0]}
    for _ in range(MAX_PERIODS_TRIED):
        if not queue:
            break
        periods, vertices, points = queue.pop(0)
        laid, order, clashes = embedding_kernels.search(
            graph.indptr,
            graph.indices,
            steps,
            np.array(periods, np.int64),
            vertices.astype(np.int64),
            points.astype(np.int64),
            max(MIN_LOOKS, MAX_LOOKS_PER_VERTEX * graph.n),
        )
        if len(order) == graph.n:
            return laid, periods
        closed = []
        for axis, period in _periods(clashes, periods, len(one) == d):
            wraps = (*periods[:axis], period, *periods[axis + 1 :])
            if wraps not in visited:
                visited.add(wraps)
                # what was placed up to the first step along the axis is kept
                along = laid[order, axis] != 0
                kept = order[: int(np.argmax(along)) + 1].astype(np.int64)
                places = laid[kept]
                places[:, axis] %= period
                closed.append((wraps, kept, places))
        queue = closed + queue
    return None


def _beginning(graph: Graph, plain: bool) -> Ints | None:
    """Find a vertex with most neighbours, far from all others, and one beside it.

    That is along an axis where it shares most neighbours with it. None if the two are
    in no cell: no square, or no triangle where neighbours are on diagonals too.
    """
    fewer = np.flatnonzero(graph.degree < graph.degree.max())
    _, order = distances_from(graph, fewer)
    root = int(order[-1]) if len(order) else 0
    arcs = slice(graph.indptr[root], graph.indptr[root + 1])
    if not plain:
        cells = graph.triangles[graph.edge_of[arcs]]
    else:
        rows = [
            graph.indices[graph.indptr[w] : graph.indptr[w + 1]]
            for w in graph.indices[arcs]
        ]
        met = np.bincount(np.concatenate(rows), minlength=graph.n)
        met[root] = 0
        cells = np.array([(met[row] > 1).sum() for row in rows])
    if not cells.any():
        return None
    return np.array([root, graph.indices[arcs][cells.argmax()]])


def _periods(
    clashes: Ints, periods: tuple[int, ...], plain: bool
) -> list[tuple[int, int]]:
    """After how many places which axis may come back: what most clashes tell first."""
    votes: Counter[tuple[int, int]] = Counter()
    for steps, *apart in clashes.tolist():
        for axis, far in enumerate(apart):
            aside = apart[:axis] + apart[axis + 1 :]
            if periods[axis] or max(aside, default=0) > steps:
                continue
            most = far + steps - (sum(aside) if plain else 0)
            for period in (most,) if plain else range(far, most + 1):
                votes[axis, period] += period > 2
    likely = sorted(votes.items(), key=lambda vote: (-vote[1], -vote[0][1]))
    return [choice for choice, many in likely[:MAX_PERIODS_LIKELY] if many]


def _exact(
    graph: Graph, points: Ints, periods: tuple[int, ...], stencil: str
) -> ExactMatch | None:
    """Name what was laid out, its axes in their natural order."""
    points, dims = _from_zero(points, periods)
    used = [axis for axis, extent in enumerate(dims) if extent > 1]
    dims, points = [dims[axis] for axis in used], points[:, used]
    flags = [periods[axis] > 0 for axis in used]
    if not _is_shorter(graph, dims):
        return None
    if _rows_are_whole(points, flags) and unnamed_stencils(graph):
        return None  # a grid whose axes lean is a part of a larger one, too
    names = [_named(graph, points, dims, flags, stencil)]
    twos = [axis for axis, extent in enumerate(dims) if extent == 2]
    if stencil == "plain" and len(twos) > 1 and len(dims) > 2:  # a ring of four
        one, other = (points[:, axis] for axis in twos[:2])
        rest = [axis for axis in range(len(dims)) if axis not in twos[:2]]
        ring = np.where(other == 0, one, 3 - one)
        points = np.column_stack([points[:, rest], ring])
        dims, flags = [*(dims[i] for i in rest), 4], [*(flags[i] for i in rest), True]
        names.insert(
            len(twos) == len(used), _named(graph, points, dims, flags, stencil)
        )
    names.sort(key=lambda exact: exact.naturalness)
    best = names[0]
    if not same_edges(graph, best.topology.edges, best.vertex):
        return None
    return replace(best, also=other_names(names))


def _named(
    graph: Graph, points: Ints, dims: list[int], periodic: list[bool], stencil: str
) -> ExactMatch:
    points, axes = _oriented(graph, points, dims, periodic)
    extents = tuple(dims[axis] for axis in axes)
    offsets = STENCILS[stencil](len(dims))
    if stencil == "6-point" and len(dims) > 1:  # which of its diagonals there are
        u, v = graph.edges.T
        leans = (points[v] - points[u]).prod(axis=1)
        offsets = (*plain(len(dims)), (1, 1 if (leans > 0).any() else -1))
    slot = points @ strides_of(extents)
    held = np.zeros(math.prod(dims), bool)
    held[slot] = True
    flags = tuple(periodic[axis] for axis in axes)
    if held.all():
        topology = lattice(extents, flags, offsets)
    else:
        topology = partial_lattice(extents, flags, offsets, held)
    vertex = (np.cumsum(held) - 1)[slot]
    return ExactMatch(topology, vertex, rank_distance(vertex))


def _from_zero(points: Ints, periods: tuple[int, ...]) -> tuple[Ints, list[int]]:
    closed = np.array(periods, np.int64)
    low = np.where(closed > 0, 0, points.min(axis=0))
    moved: Ints = points - low
    extents = np.where(closed > 0, closed, moved.max(axis=0) + 1)
    return moved, extents.tolist()


# What is told in fewer bits.


def log2_choices(of: float, many: float) -> float:
    """Bits that tell which `many` of some things are meant."""
    ways = math.lgamma(of + 1) - math.lgamma(many + 1) - math.lgamma(of - many + 1)
    return ways / math.log(2)


def _is_shorter(graph: Graph, dims: list[int]) -> bool:
    """Return whether the places held are shorter to write than all edges."""
    n, places = graph.n, math.prod(dims)
    if len(dims) < 2 or n < MIN_SHARE_HELD * places:
        return False
    ours, pairs = log2_choices(places, n), n * (n - 1) / 2
    numbering = math.lgamma(n + 1) / math.log(2)
    return ours + numbering < log2_choices(pairs, len(graph.edges))


def _rows_are_whole(points: Ints, periodic: list[bool]) -> bool:
    """Return whether each row along an open axis is without a gap."""
    extents = (points.max(axis=0) + 1).tolist()
    for axis, wraps in enumerate(periodic):
        aside = [i for i in range(len(extents)) if i != axis]
        others = points[:, aside] @ strides_of([extents[i] for i in aside])
        order = np.lexsort((points[:, axis], others))
        steps = np.diff(points[order, axis])
        if not wraps and (steps[np.diff(others[order]) == 0] > 1).any():
            return False
    return True


# The natural order of the axes.


def _oriented(
    graph: Graph, points: Ints, dims: list[int], periodic: list[bool]
) -> tuple[Ints, list[int]]:
    """Order, reverse and shift axes so that places follow the ranks.

    If that leaves less than a quarter of all ranks in row-major order the numbering
    is no natural one, and the axes are put largest first.

    Returns
    -------
    int64, shape (n, d)
        The points, their columns in the new order.
    list of int
        Which axis each of these columns was.
    """
    u, v = graph.edges.astype(np.int64).T
    apart = points[v] - points[u]
    closed = np.array(periodic)
    apart = np.where(closed, (apart + 1) % np.array(dims) - 1, apart)
    alone = (apart != 0).sum(axis=1) == 1
    strides, laid = [], points.copy()
    for axis, extent in enumerate(dims):
        chosen = alone & (apart[:, axis] != 0)
        spans = (v - u)[chosen] * apart[chosen, axis]
        strides.append(float(np.median(np.abs(spans))) if len(spans) else np.inf)
        if (spans < 0).sum() * 2 > len(spans):
            laid[:, axis] = extent - 1 - laid[:, axis]
            spans = -spans
        if closed[axis] and len(spans):  # it begins where steps lead back most often
            there = laid[v[chosen], axis]
            here = laid[u[chosen], axis]
            after = np.where((here + 1) % extent == there, there, here)
            back = np.bincount(after, spans < 0, extent)
            laid[:, axis] = (laid[:, axis] - int(back.argmax())) % extent
    order = np.argsort(strides, kind="stable").tolist()
    slots = laid[:, order] @ strides_of([dims[axis] for axis in order])
    rank = np.empty(graph.n, np.int64)
    rank[np.argsort(slots, kind="stable")] = np.arange(graph.n)
    if np.mean(rank == np.arange(graph.n)) < 0.25:
        order = sorted(range(len(dims)), key=lambda axis: -dims[axis])
    return laid[:, order], order
