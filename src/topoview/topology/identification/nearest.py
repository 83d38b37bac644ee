"""What is nearest: lattices close to an answer, and members close to an unknown."""

import itertools
from collections.abc import Iterator
from operator import attrgetter

import numpy as np

from topoview.base.progress import Report, silent
from topoview.model import Bools, Indices, Match, Topology
from topoview.topology.graph.graph import Graph, induced
from topoview.topology.identification.traffic import (
    PairTraffic,
    VolumeLevel,
    match_topology,
)
from topoview.topology.lattices.lattice import lattice, plain
from topoview.topology.library import library_members
from topoview.topology.noise.fit import Fit
from topoview.topology.noise.fitted_members import nearest_members, plain_fits
from topoview.topology.noise.grown_lattices import grown_lattices
from topoview.topology.noise.matches import (
    MAX_MEMBER_VERTICES,
    MIN_GROWN_VERTICES,
    ORDERS_TRIED,
    SMALL_GRAPH,
    in_any_order,
    match_exactly,
)

_edits = attrgetter("edits")

MAX_MATCHES_LISTED = 4
"""Matches that are listed beside the answer."""

MAX_PAIRS_FOR_RELATIVES = 100_000
"""Pairs beyond which only the answer is told: each relative costs as much as it."""


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
    close = [m for m in matches if 2 * m.edits <= len(best.topology.edges)]
    return sorted(close, key=_edits)[:MAX_MATCHES_LISTED]


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
    """Build the hypercube that a lattice lies in, and its vertex of each rank."""
    bits = [n.bit_length() - 1 for n in topology.dims]
    codes = np.zeros(topology.vertices, np.int64)
    shift = 0
    for i, width in enumerate(bits):
        place = topology.coordinates[:, i].astype(np.int64)
        codes |= (place ^ (place >> 1)) << shift
        shift += width
    corners = np.where(vertex >= 0, codes[vertex], -1).astype(np.int32)
    return lattice((2,) * shift, (False,) * shift), corners


# Members of the library that an unknown graph is nearest to.

MIN_WORK = 500_000
"""Edges that are looked at in all, at least."""

MIN_WORK_PER_EDGE = 64
"""Edges that are looked at for each edge, at least."""


def nearest_matches(
    traffic: PairTraffic, level: VolumeLevel, report: Report = silent
) -> list[Match]:
    """Match the members of the library that differ least from an unknown graph.

    Lattices that grow over the graph, and other members whose degrees fit, up to
    `MAX_MEMBER_VERTICES` ranks all. Linear in the edges. Their edits are counted, and
    do not depend on the numbers of the ranks; that nothing is nearer is not proven.

    Parameters
    ----------
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
    matches: dict[str, Match] = {}
    ranks = traffic.members
    graph = induced(ranks, traffic.pairs[level.seen])
    orders = ORDERS_TRIED if graph.n < SMALL_GRAPH else 1
    for fit in in_any_order(graph, lambda graph: _fits(graph, report), orders):
        match = match_exactly(traffic, level, ranks, ranks[fit.edges])
        if match is not None:
            name = match.topology.name
            matches[name] = min(match, matches.get(name, match), key=_edits)
    return sorted(matches.values(), key=_edits)[:MAX_MATCHES_LISTED]


def _fits(graph: Graph, report: Report) -> list[Fit]:
    most = len(graph.edges) - 1
    fits = plain_fits(graph)
    if graph.n >= MIN_GROWN_VERTICES:
        fits += grown_lattices(graph, report)
    best = min([most, *(fit.edits for fit in fits if not fit.left_out)])
    every = graph.n <= MAX_MEMBER_VERTICES
    # many lattices have as many vertices: beyond, growth finds those that are near; and
    # what is no network of words to the last edge has little to do with it
    without = ("network",) if every else ("network", "lattice")
    members = library_members(graph.n, without=without)
    work = max(MIN_WORK, MIN_WORK_PER_EDGE * len(graph.edges))
    fits += nearest_members(graph, members, best, report, (work, 0.0))
    near = [fit for fit in fits if fit.edits <= most and (every or _alike(graph, fit))]
    return sorted(near, key=lambda fit: fit.edits)[:MAX_MATCHES_LISTED]


def _alike(graph: Graph, fit: Fit) -> bool:
    """Return whether most edges of both are in the other."""
    matched = len(fit.edges) - fit.missing
    return 2 * matched >= max(len(fit.edges), len(graph.edges))
