"""Members of the library behind edges that are missing and edges too many.

For what is no lattice, or too small to grow. Each edit changes two degrees by one:
half the difference of the sorted degrees is a lower bound of the edits, so that most
members are excluded without being made. The rest is laid over the graph from a vertex
around which both look alike.
"""

from collections.abc import Iterable, Iterator

import numpy as np

from topoview.model import Ints
from topoview.progress import Report, breathe, silent
from topoview.topology.graph import Graph, graph_of, unique_edges
from topoview.topology.growth import grow_on, surroundings
from topoview.topology.isomorphism import isomorphism
from topoview.topology.noise.fit import Fit, agreeing, fitted
from topoview.topology.noise.support import supported
from topoview.topology.signature import Member

WORK = 1_500_000
"""Edges that are looked at in all."""

BEGINNINGS = 4
"""Beginnings that are tried for each kind of vertex of a member."""

KINDS_OF_VERTEX = 3
"""Different vertices of a member that are tried as the beginning."""

PROMISING = 0.6
"""Share of the edges that a beginning must lead to before it is improved."""

BUSIEST = 128
"""Neighbours of a vertex beyond which members are not tried."""

BALL = 80
"""Most vertices around a beginning that are compared exactly."""


def nearest_members(
    graph: Graph,
    members: Iterable[Member],
    most: int,
    report: Report = silent,
    limits: tuple[int, float] = (WORK, PROMISING),
) -> list[Fit]:
    """Find the members that a graph nearly is.

    Parameters
    ----------
    graph
        Any graph.
    members
        Members with as many vertices.
    most
        Edits beyond which a member is of no interest.
    report
        May raise `Cancelled`.
    limits
        Edges that are looked at in all, and the share of the edges that a beginning
        must lead to before it is improved.

    Returns
    -------
    list of Fit
        Those with at most as many edits, fewest first.
    """
    if graph.degree.max(initial=0) > BUSIEST:
        return []
    ordered = np.sort(graph.degree)
    bounds = []
    for member in members:
        breathe()
        if abs(member.edges - len(graph.edges)) <= most:
            bounds.append((least_edits(ordered, member), member))
    close = sorted((b for b in bounds if b[0] <= most), key=lambda bound: bound[0])
    clean = supported(graph)
    work, promising = limits
    best, found = most, []
    for least, member in close:
        if least > best or work <= 0:
            break
        report("looking past noise", 0.5)
        fit, spent = _closest(graph, clean, member, least, (work, promising))
        work -= spent
        if fit is not None and fit.edits <= most:
            found.append(fit)
            best = min(best, fit.edits)
    return sorted(found, key=lambda fit: fit.edits)


def least_edits(ordered: Ints, member: Member) -> int:
    """Lower bound of the edits between a graph and a member, from degrees alone.

    Parameters
    ----------
    ordered : int64, shape (n,)
        Degrees of the graph's vertices, ascending.
    member
        The member.
    """
    degrees = sorted(member.degrees)
    counts = [member.degrees[d] for d in degrees]
    if sum(counts) != len(ordered):
        return 2**62
    apart = int(np.abs(ordered - np.repeat(degrees, counts)).sum())
    return max((apart + 1) // 2, abs(int(ordered.sum()) // 2 - member.edges))


def _closest(
    graph: Graph, clean: Graph, member: Member, least: int, limits: tuple[int, float]
) -> tuple[Fit | None, int]:
    """Lay a member over a graph from several beginnings; the fewest edits win."""
    work, promising = limits
    breathe()
    topology = member.make()
    breathe()
    template = graph_of(topology.vertices, topology.edges)
    if template.n != graph.n:
        return None, 0
    source = clean if template_has_cycles(template) else graph
    best: Fit | None = None
    spent = 0
    for vertex in _beginnings(source, template):
        grow_on(source, template, vertex)
        breathe()
        spent += 4 * len(graph.edges) + 2000
        if agreeing(source, template, vertex) < promising * len(source.edges):
            if spent > work:
                break
            continue
        fit = fitted(graph, template, vertex, topology.name)
        spent += 16 * len(graph.edges)
        if best is None or fit.edits < best.edits:
            best = fit
        if best.edits <= least or spent > work:
            break
    return best, spent


def template_has_cycles(template: Graph) -> bool:
    """Tell whether edges without short cycles are likely to be false."""
    return len(supported(template).edges) == len(template.edges)


def _beginnings(graph: Graph, template: Graph) -> Iterator[Ints]:
    """Give maps of a few vertices around which graph and template look alike."""
    ours, theirs = surroundings(graph).round(6), surroundings(template).round(6)
    kinds, first, counts = np.unique(theirs, return_index=True, return_counts=True)
    rare = np.argsort(counts, kind="stable")
    common = rare[-1:]
    chosen = list(dict.fromkeys([*rare[: KINDS_OF_VERTEX - 1], *common]))
    rng = np.random.default_rng(1)
    given = 0
    for kind in chosen:
        root = int(first[kind])
        alike = rng.permutation(np.flatnonzero(ours == kinds[kind]))
        for radius in (2, 1):
            theirs_near = _ball(template, root, radius)
            if len(theirs_near[0]) > BALL:
                continue
            for v in alike[: 2 * BEGINNINGS].tolist():
                vertex = _around(graph, v, theirs_near, radius)
                if vertex is not None:
                    yield vertex
                    given += 1
                    if given % BEGINNINGS == 0:
                        break
    if not given:
        vertex = np.full(graph.n, -1, np.int64)
        vertex[int(ours.argmax())] = int(theirs.argmax())
        yield vertex


_Ball = tuple[Ints, Graph, Ints]
"""Vertices around one, the edges among them, and their distances from it."""


def _ball(graph: Graph, root: int, radius: int) -> _Ball:
    distance = {root: 0}
    front = [root]
    for step in range(1, radius + 1):
        beyond = []
        for v in front:
            for u in graph.indices[graph.indptr[v] : graph.indptr[v + 1]].tolist():
                if u not in distance:
                    distance[u] = step
                    beyond.append(u)
            if len(distance) > BALL:
                break
        front = beyond
    inside = np.sort(np.array(list(distance)))
    pairs = [
        (v, u)
        for v in distance
        for u in graph.indices[graph.indptr[v] : graph.indptr[v + 1]].tolist()
        if u in distance
    ]
    ends = np.searchsorted(inside, np.array(pairs, np.int64).reshape(-1, 2))
    edges = unique_edges(len(inside), ends[:, 0], ends[:, 1])
    colours = np.array([distance[v] for v in inside.tolist()])
    return inside, graph_of(len(inside), edges), colours


def _around(graph: Graph, v: int, theirs: _Ball, radius: int) -> Ints | None:
    places, wanted, their_colours = theirs
    near, mine, colours = _ball(graph, v, radius)
    if len(near) != len(places):
        return None
    mapping = isomorphism(mine, wanted, colours, their_colours)
    if mapping is None:
        return None
    vertex = np.full(graph.n, -1, np.int64)
    vertex[near] = places[mapping]
    return vertex
