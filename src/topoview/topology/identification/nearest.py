"""What is nearest: lattices close to an answer, and members close to an unknown."""

import itertools
import math
from collections.abc import Iterator

import numpy as np

from topoview.model import Bools, Indices, Ints, Match, Topology
from topoview.progress import Report, silent
from topoview.topology.graph.graph import Graph, graph_of
from topoview.topology.identification.traffic import (
    PairTraffic,
    VolumeLevel,
    match_topology,
)
from topoview.topology.lattices.lattice import factorisations, lattice, plain
from topoview.topology.library import library_members
from topoview.topology.noise.fit import Fit
from topoview.topology.noise.grown_lattices import grown_lattices
from topoview.topology.noise.matches import (
    MAX_MEMBER_VERTICES,
    MIN_GROWN_VERTICES,
    match_of,
)
from topoview.topology.noise.nearest_members import nearest_members, plain_fits

MAX_MATCHES_LISTED = 4
"""Matches that are listed beside the answer."""

MAX_PAIRS_FOR_RELATIVES = 100_000
"""Pairs beyond which only the answer is told: each relative costs as much as it."""

MAX_SHAPES_TRIED = (12, 4)
"""Shapes that are held against all pairs, of few and of many pairs; which ones, the
differences of rank tell."""


def relatives(best: Match, traffic: PairTraffic, seen: Bools) -> list[Match]:
    """Match lattices that differ from a lattice in little, in the same places.

    The same with axes opened or closed, with the plain stencil, and for dims
    that are powers of two the hypercube (by a Gray code along each axis).

    Returns
    -------
    list of Match
        At most `MAX_MATCHES_LISTED`, fewest differing edges first.
    """
    if best.topology.kind != "lattice" or len(traffic.pairs) > MAX_PAIRS_FOR_RELATIVES:
        return []
    matches = [
        match_topology(topology, vertex, traffic, best.level, seen)
        for topology, vertex in _variants(best)
    ]
    close = [m for m in matches if 2 * _differing(m) <= len(best.topology.edges)]
    return sorted(close, key=_differing)[:MAX_MATCHES_LISTED]


def _differing(match: Match) -> int:
    return match.missing + match.extra


def _variants(best: Match) -> Iterator[tuple[Topology, Indices]]:
    topology = best.topology
    dims, periodic, offsets = topology.dims, topology.periodic, topology.offsets
    axes = [i for i, n in enumerate(dims) if n > 2]
    toggles = [c for k in (1, 2, 3) for c in itertools.combinations(axes, k)]
    for chosen in toggles if len(axes) <= 3 else [(i,) for i in axes]:
        flags = [p != (i in chosen) for i, p in enumerate(periodic)]
        closed = all(flags[i] for i in axes)
        flags = [f if n > 2 else closed for f, n in zip(flags, dims, strict=True)]
        yield lattice(dims, flags, offsets), best.vertex
    if set(offsets) != set(plain(len(dims))):
        yield lattice(dims, periodic, plain(len(dims))), best.vertex
    elif all(n & (n - 1) == 0 for n in dims) and max(dims) > 4:
        yield _hypercube(topology, best.vertex)


def _hypercube(topology: Topology, vertex: Indices) -> tuple[Topology, Indices]:
    """Make the hypercube that a lattice lies in, and its vertex of each rank."""
    bits = [n.bit_length() - 1 for n in topology.dims]
    codes = np.zeros(topology.vertices, np.int64)
    shift = 0
    for i, width in enumerate(bits):
        place = topology.coordinates[:, i].astype(np.int64)
        codes |= (place ^ (place >> 1)) << shift
        shift += width
    corners = np.where(vertex >= 0, codes[vertex], -1).astype(np.int32)
    return lattice((2,) * shift, (False,) * shift), corners


def in_rank_order(traffic: PairTraffic) -> list[Match]:
    """Match grids and tori whose places follow the order of the ranks.

    For graphs that are no member of the library: every way to write the number
    of communicating ranks as a product of up to three dims is rated by how many
    pairs differ by its strides, the best ones are held against all pairs. Linear
    in the pairs.

    Returns
    -------
    list of Match
        At most `MAX_MATCHES_LISTED`, fewest differing edges first; only those of whose
        edges at least half were seen.
    """
    members = traffic.members
    place = np.zeros(traffic.ranks, np.int64)
    place[members] = np.arange(len(members))
    ends = place[traffic.pairs]
    spans = np.bincount(ends[:, 1] - ends[:, 0], minlength=len(members) + 1)
    rated = [(-_likely(dims, spans), len(dims), dims) for dims in _shapes(len(members))]
    scored = []
    for _, _, dims in sorted(rated)[
        : MAX_SHAPES_TRIED[len(ends) > MAX_PAIRS_FOR_RELATIVES]
    ]:
        for periodic, matched, edges in _counts(dims, ends):
            if 2 * matched >= edges:
                differing = edges + len(ends) - 2 * matched
                scored.append((differing, len(dims), dims, periodic))
    vertex = np.full(traffic.ranks, -1, np.int32)
    vertex[members] = np.arange(len(members))
    seen = np.ones(len(traffic.pairs), bool)
    most = MAX_MATCHES_LISTED if len(traffic.pairs) <= MAX_PAIRS_FOR_RELATIVES else 1
    return [
        match_topology(lattice(dims, periodic), vertex, traffic, 0, seen)
        for _, _, dims, periodic in sorted(scored)[:most]
    ]


def _likely(dims: tuple[int, ...], spans: Ints) -> float:
    """Rate dims: pairs that differ by their strides, per edge of the grid."""
    n = math.prod(dims)
    stride, pairs, edges = 1, 0, 0
    for m in dims:
        inner = n // m * (m - 1)
        pairs += min(int(spans[stride]), inner)
        if m > 2:
            pairs += min(int(spans[stride * (m - 1)]), n // m)
        edges += inner
        stride *= m
    return pairs / edges - abs(len(dims) - 2) * 1e-9


def _shapes(n: int) -> Iterator[tuple[int, ...]]:
    for d in (1, 2, 3):
        for dims in factorisations(n, d):
            yield from sorted(set(itertools.permutations(dims)))


def _counts(
    dims: tuple[int, ...], ends: Ints
) -> Iterator[tuple[tuple[bool, ...], int, int]]:
    """For open and closed axes: periods, edges that were seen, edges in all."""
    n = math.prod(dims)
    one, around = np.zeros((2, len(dims)), np.int64)
    ours, theirs = (np.unravel_index(side, dims, order="F") for side in ends.T)
    steps = [np.abs(a - b) for a, b in zip(ours, theirs, strict=True)]
    alone = sum((step > 0).astype(np.int8) for step in steps) == 1
    for i, (step, m) in enumerate(zip(steps, dims, strict=True)):
        one[i] = (alone & (step == 1)).sum()
        around[i] = (alone & (step == m - 1)).sum() if m > 2 else 0
    inner = [n // m * (m - 1) for m in dims]
    yield (False,) * len(dims), int(one.sum()), sum(inner)
    wraps = [n // m if m > 2 else 0 for m in dims]
    if any(wraps):
        yield (
            (True,) * len(dims),
            int(one.sum() + around.sum()),
            sum(inner) + sum(wraps),
        )


# Members of the library that an unknown graph is nearest to.

MIN_WORK = 500_000
"""Edges that are looked at in all, at least."""

MIN_WORK_PER_EDGE = 64
"""Edges that are looked at for each edge, at least."""


def nearest_matches(
    traffic: PairTraffic, level: VolumeLevel, report: Report = silent
) -> list[Match]:
    """Match the members of the library that differ least from an unknown graph.

    Lattices in rank order; under any numbering those that grow over the graph, and
    other members whose degrees fit, up to `MAX_MEMBER_VERTICES` ranks all. Linear in
    the edges. Their edits are counted; that there is nothing nearer is not proven.

    Parameters
    ----------
    traffic
        Traffic of all pairs.
    level
        The pairs that are compared.
    report
        May raise `Cancelled`.

    Returns
    -------
    list of Match
        At most `MAX_MATCHES_LISTED`, fewest edits first; none that a graph without
        edges would be as near to.
    """
    matches = {match.topology.name: match for match in in_rank_order(traffic)}
    ranks = traffic.members
    pairs = traffic.pairs[level.seen]
    graph = graph_of(len(ranks), ranks.searchsorted(pairs).astype("int32"))
    for fit in _fits(graph, report):
        match = match_of(traffic, level, ranks, fit)
        if match is not None:
            name = match.topology.name
            matches[name] = min(match, matches.get(name, match), key=_edits)
    return sorted(matches.values(), key=_edits)[:MAX_MATCHES_LISTED]


def _fits(graph: Graph, report: Report) -> list[Fit]:
    most = len(graph.edges) - 1
    fits = plain_fits(graph)
    if graph.n >= MIN_GROWN_VERTICES:
        fits += grown_lattices(graph, report)
    best = min([most, *(fit.edits for fit in fits)])
    every = graph.n <= MAX_MEMBER_VERTICES
    # many lattices have as many vertices: beyond, growth finds those that are near
    members = library_members(graph.n, without=() if every else ("lattice",))
    work = max(MIN_WORK, MIN_WORK_PER_EDGE * len(graph.edges))
    fits += nearest_members(graph, members, best, report, (work, 0.0))
    near = [fit for fit in fits if fit.edits <= most and (every or _alike(graph, fit))]
    return sorted(near, key=lambda fit: fit.edits)[:MAX_MATCHES_LISTED]


def _alike(graph: Graph, fit: Fit) -> bool:
    """Tell whether most edges of both are in the other."""
    matched = len(fit.edges) - fit.missing
    return 2 * matched >= max(len(fit.edges), len(graph.edges))


def _edits(match: Match) -> int:
    return match.missing + match.extra
