"""Members of the library behind missing and extra edges, for what cannot be grown.

The edges of chains, rings, stars and all-to-alls follow from the degrees. Of all other
members the degrees exclude most; the rest is laid over the graph from a vertex around
which both look alike.
"""

import math
from collections.abc import Iterable, Iterator

import numpy as np

from topoview.base.progress import Report, silent
from topoview.model import Ints
from topoview.topology.graph.graph import Graph, distances_from, graph_of, induced
from topoview.topology.graph.isomorphism import isomorphism
from topoview.topology.graph.percolation import grow_on
from topoview.topology.members import Member
from topoview.topology.noise.few_edits import fewest_edits
from topoview.topology.noise.fit import Fit, agreeing, fitted
from topoview.topology.noise.grown_lattices import supported

# Chains, rings, stars and all-to-all with edges missing and too many.
#
# They have no short cycles that could vote, or nothing else, and need none: the edges
# that belong there follow from the degrees.

MAX_COMPLETE_VERTICES = 2048
"""Vertices up to which an all-to-all is looked for."""


def plain_fits(graph: Graph, most: float = math.inf) -> list[Fit]:
    """Fit the chain, the ring, the star and the all-to-all that degrees suggest.

    A ring without one of its edges is a chain: of two that need equally many edits
    the chain is given alone, as the ring needs an edge more.

    Parameters
    ----------
    most
        Edits beyond which none is of interest.
    """
    n, m = graph.n, len(graph.edges)
    fits = []
    if n > 2 and 0.7 * n <= m <= 1.3 * n:
        if np.abs(graph.degree - 2).sum() - 2 <= 2 * most:  # two an edit
            path = _path(graph)
            fits.append(Fit.of(f"chain {n}", graph, path[:-1], path[1:]))
            fits.append(Fit.of(f"ring {n}", graph, path, np.roll(path, -1)))
        hub = int(graph.degree.argmax())
        if n - 1 + m - 2 * graph.degree[hub] <= most:
            others = np.delete(np.arange(n), hub)
            fits.append(Fit.of(f"star {n}", graph, np.full(n - 1, hub), others))
    if n <= MAX_COMPLETE_VERTICES and m >= 0.4 * n * (n - 1) > 2:
        u, v = np.triu_indices(n, 1)
        fits.append(Fit.of(f"all-to-all {n}", graph, u, v))
    return sorted(fits, key=lambda fit: fit.edits)


def _path(graph: Graph) -> Ints:
    """Put all vertices in a row so that most neighbours in it share an edge.

    Edges between vertices of which both have too many are left out first, then any
    that still are too many at a vertex, or would close a cycle; what remains are
    paths, which are put one after another, first those that an edge joins.
    """
    degree = graph.degree.copy()
    ends = graph.edges
    crowded = np.minimum(degree[ends[:, 0]], degree[ends[:, 1]])
    total = degree[ends[:, 0]] + degree[ends[:, 1]]
    beside: list[list[int]] = [[] for _ in range(graph.n)]
    head = list(range(graph.n))  # of the path that a vertex lies on

    def path_of(v: int) -> int:
        while head[v] != v:
            head[v] = head[head[v]]
            v = head[v]
        return v

    for e in np.lexsort((total, crowded)).tolist():
        u, v = ends[e].tolist()
        if len(beside[u]) < 2 and len(beside[v]) < 2 and path_of(u) != path_of(v):
            beside[u].append(v)
            beside[v].append(u)
            head[path_of(u)] = path_of(v)
    row: list[int] = []
    seen = np.zeros(graph.n, bool)
    for start in (v for v in range(graph.n) if len(beside[v]) < 2):
        here, before = start, -1
        while here >= 0 and not seen[here]:
            seen[here] = True
            row.append(here)
            onward = [v for v in beside[here] if v != before]
            before, here = here, onward[0] if onward else -1
    return np.array(row, np.int64)


MAX_WORK = 1_500_000
"""Edges that are looked at in all."""

MAX_BEGINNINGS = 4
"""Beginnings that are tried for each kind of vertex of a member."""

MAX_KINDS_OF_VERTEX = 3
"""Different vertices of a member that are tried as the beginning."""

MIN_MATCHED = 0.6
"""Share of the edges that a beginning must lead to before it is improved."""

MAX_DEGREE = 128
"""Neighbours of a vertex beyond which members are not tried."""

MAX_BALL = 80
"""Most vertices around a beginning that are compared exactly."""


def nearest_members(
    graph: Graph,
    members: Iterable[Member],
    most: int,
    report: Report = silent,
    limits: tuple[int, float] = (MAX_WORK, MIN_MATCHED),
) -> list[Fit]:
    """Find the members that a graph nearly is.

    Parameters
    ----------
    members
        Members with as many vertices.
    most
        Edits beyond which a member is of no interest.
    limits
        Edges that are looked at in all, and the share of the edges that a beginning
        must lead to before it is improved.

    Returns
    -------
    list of Fit
        Those with at most as many edits, fewest first.
    """
    if graph.degree.max(initial=0) > MAX_DEGREE:
        return []
    bounds = []
    for member in members:
        if abs(member.edges - len(graph.edges)) <= most:
            bounds.append((fewest_edits(graph, member), member))
    close = sorted((b for b in bounds if b[0] <= most), key=lambda bound: bound[0])
    clean = supported(graph)
    work, promising = limits
    best, fits = most, []
    for least, member in close:
        if least > best or work <= 0:
            break
        report("looking past noise", 0.5)
        fit, spent = _closest(graph, clean, member, least, (work, promising))
        work -= spent
        if fit is not None and fit.edits <= most:
            fits.append(fit)
            best = min(best, fit.edits)
    return sorted(fits, key=lambda fit: fit.edits)


def _closest(
    graph: Graph, clean: Graph, member: Member, least: int, limits: tuple[int, float]
) -> tuple[Fit | None, int]:
    """Lay a member over a graph from several beginnings; the fewest edits win."""
    work, promising = limits
    topology = member.make()
    template = graph_of(topology.vertices, topology.edges)
    if template.n != graph.n:
        return None, 0
    source = clean if template_has_cycles(template) else graph
    best: Fit | None = None
    spent = 0
    for vertex in _beginnings(source, template):
        grow_on(source, template, vertex)
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
    """Return whether edges without short cycles are likely to be false."""
    return len(supported(template).edges) == len(template.edges)


def _beginnings(graph: Graph, template: Graph) -> Iterator[Ints]:
    """Yield maps of a few vertices around which graph and template look alike."""
    ours, theirs = graph.log_walks.round(6), template.log_walks.round(6)
    kinds, first, counts = np.unique(theirs, return_index=True, return_counts=True)
    rare = np.argsort(counts, kind="stable")
    common = rare[-1:]
    chosen = list(dict.fromkeys([*rare[: MAX_KINDS_OF_VERTEX - 1], *common]))
    rng = np.random.default_rng(1)
    given = 0
    for kind in chosen:
        root = int(first[kind])
        alike = rng.permutation(np.flatnonzero(ours == kinds[kind]))
        for radius in (2, 1):
            theirs_near = _ball(template, root, radius)
            if len(theirs_near[0]) > MAX_BALL:
                continue
            for v in alike[: 2 * MAX_BEGINNINGS].tolist():
                vertex = _around(graph, v, theirs_near, radius)
                if vertex is not None:
                    yield vertex
                    given += 1
                    if given % MAX_BEGINNINGS == 0:
                        break
    if not given:
        vertex = np.full(graph.n, -1, np.int64)
        vertex[int(ours.argmax())] = int(theirs.argmax())
        yield vertex


_Ball = tuple[Ints, Graph, Ints]
"""Vertices around one, the edges among them, and their distances from it."""


def _ball(graph: Graph, root: int, radius: int) -> _Ball:
    distance, order = distances_from(graph, np.array([root]), radius)
    inside = np.sort(order).astype(np.int64)
    return inside, induced(inside, graph.edges), distance[inside].astype(np.int64)


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
