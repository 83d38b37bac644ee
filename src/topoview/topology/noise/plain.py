"""Chains, rings, stars and all-to-all with edges missing and too many.

They have no short cycles that could vote, or nothing else, and need none: the edges
that belong there follow from the degrees.
"""

import numpy as np

from topoview.model import Indices, Ints
from topoview.topology.graph import Graph, edge_keys, unique_edges
from topoview.topology.noise.fit import Fit

MOST_COMPLETE = 2048
"""Vertices up to which an all-to-all is looked for."""


def plain_fits(graph: Graph) -> list[Fit]:
    """Fit the chain, the ring, the star and the all-to-all that degrees suggest.

    A ring without one of its edges is a chain: of two that need equally many edits
    the chain is given alone, as the ring needs an edge more.
    """
    n, m = graph.n, len(graph.edges)
    fits = []
    if n > 2 and 0.7 * n <= m <= 1.3 * n:
        path = _path(graph)
        fits.append(_fit(graph, f"chain {n}", path[:-1], path[1:]))
        fits.append(_fit(graph, f"ring {n}", path, np.roll(path, -1)))
        hub = int(graph.degree.argmax())
        others = np.delete(np.arange(n), hub)
        fits.append(_fit(graph, f"star {n}", np.full(n - 1, hub), others))
    if n <= MOST_COMPLETE and m >= 0.4 * n * (n - 1) > 2:
        u, v = np.triu_indices(n, 1)
        fits.append(_fit(graph, f"all-to-all {n}", u, v))
    return sorted(fits, key=lambda fit: fit.edits)


def _fit(graph: Graph, name: str, u: Ints, v: Ints) -> Fit:
    edges = unique_edges(graph.n, u, v)
    matched = _common(graph.n, graph.edges, edges)
    return Fit(name, edges, len(edges) - matched, len(graph.edges) - matched)


def _common(n: int, edges: Indices, others: Indices) -> int:
    return len(np.intersect1d(edge_keys(n, edges), edge_keys(n, others), True))


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
