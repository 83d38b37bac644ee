"""Lattices with few enough candidates to try each as a template.

For stencils that no local relation takes apart: the 19-point, and the 6-point
with an axis of 3.
"""

import itertools
import math
from collections import Counter
from collections.abc import Iterator

import numba
import numpy as np

from topoview.model import Indices, Ints, Topology
from topoview.topology.graph import Graph, graph_of
from topoview.topology.lattice import lattice
from topoview.topology.product import Axis, same_edges
from topoview.topology.refinement import isomorphism
from topoview.topology.stencils import STENCILS, Offsets

TEMPLATED = ("6-point", "19-point")
"""Stencils whose templates are tried."""

MOST_DIMS = 3
"""Dimensions that any of these has at most."""


def template_axes(graph: Graph) -> list[list[Axis]]:
    """Find axes along which a connected graph is one of the templates.

    Returns
    -------
    list of list of Axis
        At most one; empty if there is none.
    """
    degrees, counts = np.unique(graph.degree, return_counts=True)
    histogram = Counter(dict(zip(degrees.tolist(), counts.tolist(), strict=True)))
    rings = distance_rings(graph) if len(degrees) == 1 else []
    for candidate in _candidates(graph.n, histogram):
        if all(candidate[1]) and not _same_rings(rings, *candidate):
            continue
        vertex = _fitted(graph, *candidate)
        if vertex is not None:
            return [vertex]
    return []


def _candidates(
    n: int, histogram: Counter[int]
) -> Iterator[tuple[tuple[int, ...], tuple[bool, ...], Offsets]]:
    """Dims, periods and offsets whose vertices have the degrees that were seen."""
    for name, d in itertools.product(TEMPLATED, range(2, MOST_DIMS + 1)):
        offsets = STENCILS[name](d)
        if not offsets or 2 * len(offsets) < max(histogram):
            continue
        for dims in factorisations(n, d):
            for periodic in itertools.product((False, True), repeat=d):
                if any(p and m < 3 for p, m in zip(periodic, dims, strict=True)):
                    continue
                if degree_histogram(dims, periodic, offsets) == histogram:
                    yield dims, periodic, offsets


def _fitted(
    graph: Graph,
    dims: tuple[int, ...],
    periodic: tuple[bool, ...],
    offsets: Offsets,
) -> list[Axis] | None:
    ranks = np.arange(graph.n)
    for order in itertools.permutations(range(len(dims))):
        natural = lattice(
            [dims[i] for i in order], [periodic[i] for i in order], offsets
        )
        if same_edges(graph, natural.edges, ranks):
            return _axes(natural, ranks)
    template = lattice(dims, periodic, offsets)
    vertex = isomorphism(graph, graph_of(graph.n, template.edges))
    return None if vertex is None else _axes(template, vertex)


def _axes(template: Topology, vertex: Ints) -> list[Axis]:
    places = template.coordinates[vertex].astype(np.int64)
    return [
        Axis(extent, wraps, places[:, i])
        for i, (extent, wraps) in enumerate(
            zip(template.dims, template.periodic, strict=True)
        )
    ]


@numba.njit(nogil=True, cache=True)
def _rings(indptr: Ints, indices: Indices) -> Ints:
    n = len(indptr) - 1
    distance = np.full(n, -1, np.int64)
    sizes = np.zeros(n, np.int64)
    queue = np.empty(n, np.int64)
    distance[0] = queue[0] = 0
    head, tail = 0, 1
    while head < tail:
        u = queue[head]
        head += 1
        sizes[distance[u]] += 1
        for k in range(indptr[u], indptr[u + 1]):
            if distance[indices[k]] < 0:
                distance[indices[k]] = distance[u] + 1
                queue[tail] = indices[k]
                tail += 1
    return sizes


def distance_rings(graph: Graph) -> list[int]:
    """Count the vertices at each distance from the first."""
    sizes: list[int] = _rings(graph.indptr, graph.indices).tolist()
    return [size for size in sizes if size]


def _same_rings(
    rings: list[int],
    dims: tuple[int, ...],
    periodic: tuple[bool, ...],
    offsets: Offsets,
) -> bool:
    """Grow a closed lattice from a vertex; stop where the graph grows otherwise.

    All vertices of a closed lattice are alike, so that any one tells.
    """
    del periodic
    reached = np.zeros(dims, bool)
    reached[(0,) * len(dims)] = True
    axes = tuple(range(len(dims)))
    count = 1
    for size in rings[1:]:
        grown = reached.copy()
        for offset in offsets:
            grown |= np.roll(reached, offset, axes)
            grown |= np.roll(reached, [-step for step in offset], axes)
        reached = grown
        count += size
        if int(reached.sum()) != count:
            return False
    return True


def factorisations(n: int, d: int, most: int = 0) -> Iterator[tuple[int, ...]]:
    """Write `n` as a product of `d` factors of 2 or more, largest first."""
    if d == 1:
        if 2 <= n <= (most or n):
            yield (n,)
        return
    for first in range(min(most or n, n // 2 ** (d - 1)), 1, -1):
        if n % first == 0 and first**d >= n:
            for rest in factorisations(n // first, d - 1, first):
                yield (first, *rest)


def degree_histogram(
    dims: tuple[int, ...], periodic: tuple[bool, ...], offsets: Offsets
) -> Counter[int]:
    """Count the vertices of each degree without making the lattice.

    Offsets are of single steps; periodic dims are 3 or more. Along an open axis
    the first, the last and the inner places are told apart.
    """
    histogram: Counter[int] = Counter()
    signed = [*offsets, *(tuple(-s for s in offset) for offset in offsets)]
    axes = [
        [("inner", m)] if p else [("first", 1), ("inner", m - 2), ("last", 1)]
        for m, p in zip(dims, periodic, strict=True)
    ]
    outward = {"first": -1, "inner": 2, "last": 1}
    for corner in itertools.product(*axes):
        barred = [outward[side] for side, _ in corner]
        degree = sum(
            all(step != bar for step, bar in zip(offset, barred, strict=True))
            for offset in signed
        )
        histogram[degree] += math.prod(size for _, size in corner)
    return +histogram
