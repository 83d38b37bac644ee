"""All lattices of a number of vertices, and which of them a graph is.

Degrees in closed form exclude most; the rest are made and compared. The library lists
its lattices from here; as templates all stencils are tried but the plain one, of which
local relations tell the axes.
"""

import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from operator import add, mul

import numpy as np

from topoview.model import Bools, Indices, Ints, Topology, distinct
from topoview.topology.graph.graph import Graph, graph_of, induced
from topoview.topology.graph.invariants import level_sizes
from topoview.topology.graph.isomorphism import isomorphism
from topoview.topology.graph.products import LatticeAxis, same_edges
from topoview.topology.lattices import kernels
from topoview.topology.lattices.lattice import (
    SCATTERED,
    STENCILS,
    Offsets,
    divisions,
    factorisations,
    lattice,
    lattice_name,
    strides_of,
)
from topoview.topology.members import ExactMatch, Member, by_signature, degrees_of

# Degrees of lattices in closed form.


def degree_histogram(
    dims: Sequence[int], periodic: Sequence[bool], offsets: Offsets
) -> Counter[int]:
    """Count the vertices of each degree without making the lattice.

    No two steps may lead from a vertex to the same one: see `fits`. Degrees of
    plain lattices add along the axes, those of boxes multiply.
    """
    d = len(dims)
    if _same(offsets, STENCILS["plain"](d)):
        return _by_axes(dims, periodic, add, 0)
    if _same(offsets, STENCILS["box"](d)):  # of each axis the place itself counts
        return _by_axes(dims, periodic, mul, 1)
    return _by_zones(dims, periodic, offsets)


def _by_axes(
    dims: Sequence[int],
    periodic: Sequence[bool],
    joined: Callable[[int, int], int],
    more: int,
) -> Counter[int]:
    """Count by what each axis has, `more` added while axes are joined."""
    histogram = Counter({more: 1})
    for m, wraps in zip(dims, periodic, strict=True):
        ends = 2 * (m > 1) * (not wraps or m == 2)
        axis = +Counter({1: ends, 2: m - ends} if m > 1 else {0: 1})
        total: Counter[int] = Counter()
        for (a, many), (b, ways) in itertools.product(histogram.items(), axis.items()):
            total[joined(a, b + more)] += many * ways
        histogram = total
    return Counter({degree - more: count for degree, count in histogram.items()})


def _same(offsets: Offsets, wanted: Offsets) -> bool:
    if offsets is wanted:
        return bool(offsets)
    return len(offsets) == len(wanted) and set(offsets) == set(wanted)


def edge_count(dims: Sequence[int], periodic: Sequence[bool], offsets: Offsets) -> int:
    """Count the edges; as for the degrees no two steps may lead to the same vertex."""
    axes = list(zip(dims, periodic, strict=True))
    return sum(
        math.prod(
            m if wraps else max(m - abs(s), 0)
            for (m, wraps), s in zip(axes, offset, strict=True)
        )
        for offset in offsets
    )


def _by_zones(
    dims: Sequence[int], periodic: Sequence[bool], offsets: Offsets
) -> Counter[int]:
    """Count by zones: along open axes the places near each end, and the rest."""
    signed = [*offsets, *(tuple(-s for s in offset) for offset in offsets)]
    zones: list[list[tuple[int, int, int]]] = []  # room below, room above, places
    for axis, (m, wraps) in enumerate(zip(dims, periodic, strict=True)):
        reach = max(abs(offset[axis]) for offset in offsets)
        if wraps:
            zones.append([(reach, reach, m)])
            continue
        near = [*range(min(reach, m)), *range(max(reach, m - reach), m)]
        rooms = Counter((min(p, reach), min(m - 1 - p, reach)) for p in near)
        rooms[reach, reach] += m - len(near)
        zones.append([(low, high, many) for (low, high), many in rooms.items()])
    histogram: Counter[int] = Counter()
    for corner in itertools.product(*zones):
        degree = sum(
            all(-low <= s <= high for s, (low, high, _) in zip(o, corner, strict=True))
            for o in signed
        )
        histogram[degree] += math.prod(many for _, _, many in corner)
    return histogram


# Lattices of a number of vertices, by dims, periods and stencils.


@lru_cache(maxsize=64)  # one identification asks some hundred times
def lattice_members(n: int) -> tuple[Member, ...]:
    """List all lattices of `n` vertices with the stencils of `STENCILS`.

    Dims are listed largest first; of equal ones the closed come first.
    """
    return tuple(
        lattice_member(dims, periodic, offsets)
        for dims in divisions(n)
        for periodic in periods(dims)
        for make in STENCILS.values()
        if (offsets := make(len(dims))) and fits(dims, periodic, offsets)
    )


MAX_PARTS = 4
"""Parts into which steps along all of three axes at once fall."""


def scattered_lattices(graph: Graph, members: Bools) -> list[ExactMatch]:
    """Find the lattices of a graph in parts, such as the two colours of a chessboard.

    Parameters
    ----------
    graph
        Graph of all ranks, silent ones too.
    members : bool, shape (ranks,)
        Ranks that communicate at all: each must have its place.
    """
    ranks = np.flatnonzero(members)
    inside = induced(ranks, graph.edges)
    if inside.component_of.max(initial=0) >= MAX_PARTS:
        return []
    result = []
    for one in _recognise_scattered(inside):
        vertex = np.full(graph.n, -1, np.int64)
        vertex[ranks] = one.vertex
        result.append(replace(one, vertex=vertex))
    return result


def _scattered(n: int) -> Iterator[Member]:
    return (
        lattice_member(dims, periodic, offsets)
        for name, d in itertools.product(SCATTERED, (2, 3))
        if (offsets := STENCILS[name](d))
        for dims in factorisations(n, d)
        for periodic in periods(dims)
        # of width 2 but along one axis it is paths or rings
        if sum(m > 2 for m in dims) > 1 and fits(dims, periodic, offsets)
    )


_recognise_scattered = by_signature(_scattered)


def periods(dims: tuple[int, ...]) -> Iterator[tuple[bool, ...]]:
    """List which dims may wrap, each graph once: no dim of 2, equal ones in order."""
    for flags in itertools.product((True, False), repeat=len(dims)):
        axes = list(zip(dims, flags, strict=True))
        ordered = all(m != k or p >= q for (m, p), (k, q) in itertools.pairwise(axes))
        if ordered and not any(p and m < 3 for m, p in axes):
            yield flags


def fits(dims: Sequence[int], periodic: Sequence[bool], offsets: Offsets) -> bool:
    """Return whether no two steps of a stencil lead from a vertex to the same one.

    Arms that reach all round are no arms but rows and columns, and those of a chain
    are whole at two vertices at least.
    """
    alone = len(dims) == 1
    if offsets is STENCILS["box"](len(dims)):
        reach = [1] * len(dims)
    else:
        reach = [max(abs(step[i]) for step in offsets) for i in range(len(dims))]
    return all(
        2 * r + ((wraps or alone) and r > 1) < m if wraps or r > 1 else r < m
        for r, m, wraps in zip(reach, dims, periodic, strict=True)
    )


def lattice_member(
    dims: tuple[int, ...], periodic: tuple[bool, ...], offsets: Offsets
) -> Member:
    """Describe a lattice before it is built."""

    def variants() -> Iterator[Topology]:
        axes = zip(dims, periodic, strict=True)
        for order in sorted(set(itertools.permutations(axes))):
            yield lattice([m for m, _ in order], [p for _, p in order], offsets)

    return Member(
        kind="lattice",
        name=lattice_name(dims, periodic, offsets),
        degrees=degree_histogram(dims, periodic, offsets),
        make=lambda: lattice(dims, periodic, offsets),
        variants=variants,
    )


MAX_TEMPLATE_DIMS = 5
"""Dimensions of a template at most."""

MAX_VERTICES_FOR_ALL_FITS = 1024
"""Vertices beyond which one that fits is enough."""

TemplateShape = tuple[tuple[int, ...], tuple[bool, ...], Offsets]
"""Dims, periods and offsets."""


def template_axes(graph: Graph) -> list[tuple[list[LatticeAxis], Topology]]:
    """Find axes along which a connected graph is one of the templates, and this.

    Returns
    -------
    list
        The first that fits; further ones beside those with dims of 2.
    """
    if len(graph.edges) < graph.n:
        return []  # trees: a stencil has more edges
    rings = np.zeros(0, np.int64)
    result = []
    for shape in _candidates(graph):
        dims, periodic, offsets = shape
        if all(periodic):
            rings = rings if len(rings) else np.array(level_sizes(graph))
            if not kernels.grows_so(np.array(dims), np.array(offsets), rings):
                continue
        fitted = _fitted(graph, *shape)
        if fitted is not None:
            result.append(fitted)
            alone = min(dims) > 2 and len(dims) > 1
            if alone or graph.n > MAX_VERTICES_FOR_ALL_FITS:
                break
    return result


def _candidates(graph: Graph) -> Iterator[TemplateShape]:
    """Dims, periods and offsets whose vertices have the degrees that were seen."""
    histogram = degrees_of(graph)
    widest = max(histogram)
    for name, d in itertools.product(STENCILS, range(1, MAX_TEMPLATE_DIMS + 1)):
        offsets = STENCILS[name](d)
        if name == "plain" or 2 * len(offsets) < widest or not offsets:
            continue
        for dims, periodic in _by_edges(graph.n, name, d).get(len(graph.edges), ()):
            alike = len(histogram) == 1 and min(dims) > 2  # so that all are closed
            if alike and 2 * len(offsets) != widest:
                continue
            if degree_histogram(dims, periodic, offsets) == histogram:
                yield dims, periodic, offsets


@lru_cache(maxsize=1024)  # as `lattice_members`, of each stencil and number of axes
def _by_edges(
    n: int, name: str, d: int
) -> Mapping[int, Sequence[tuple[tuple[int, ...], tuple[bool, ...]]]]:
    """Dims and periods of all lattices with a stencil by the number of their edges."""
    result: dict[int, list[tuple[tuple[int, ...], tuple[bool, ...]]]] = {}
    offsets = STENCILS[name](d)
    for dims in factorisations(n, d):
        for periodic in periods(dims):
            if fits(dims, periodic, offsets):
                edges = edge_count(dims, periodic, offsets)
                result.setdefault(edges, []).append((dims, periodic))
    return result


def _fitted(
    graph: Graph,
    dims: tuple[int, ...],
    periodic: tuple[bool, ...],
    offsets: Offsets,
) -> tuple[list[LatticeAxis], Topology] | None:
    ranks = np.arange(graph.n)
    beside_first = graph.indices[: graph.indptr[1]]
    for order in sorted(set(itertools.permutations(zip(dims, periodic, strict=True)))):
        extents, wraps = zip(*order, strict=True)
        if not np.array_equal(_beside_first(extents, wraps, offsets), beside_first):
            continue
        natural = lattice(extents, wraps, offsets)
        if same_edges(graph, natural.edges, ranks):
            return _axes(natural, ranks)
    template = lattice(dims, periodic, offsets)
    rows = graph_of(graph.n, template.edges)
    vertex = isomorphism(graph, rows, lattice=template)
    return None if vertex is None else _axes(template, vertex)


def _beside_first(
    dims: Sequence[int], periodic: Sequence[bool], offsets: Offsets
) -> Ints:
    """Neighbours of the first vertex of a lattice, ascending."""
    steps = np.concatenate([np.array(offsets), -np.array(offsets)])
    inside = ((steps >= 0) | np.array(periodic)) & (steps < np.array(dims))
    return distinct(steps[inside.all(axis=1)] % np.array(dims) @ strides_of(dims))


def _axes(
    template: Topology, vertex: Ints | Indices
) -> tuple[list[LatticeAxis], Topology]:
    places = template.coordinates[vertex].astype(np.int64)
    axes = [
        LatticeAxis(extent, wraps, places[:, i])
        for i, (extent, wraps) in enumerate(
            zip(template.dims, template.periodic, strict=True)
        )
    ]
    return axes, template
