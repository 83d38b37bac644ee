"""Groups with edges missing and too many: all-to-all within, and joined by few edges.

Ranks of one group have most of their neighbours in common, more than ranks of two
groups, so that the groups are the components of some cut through what neighbours share.
"""

from collections.abc import Callable, Iterator

import numpy as np

from topoview.model import Bools, Ints
from topoview.topology.graph.graph import Graph, graph_of, unique_edges
from topoview.topology.kinds.complete import complete
from topoview.topology.kinds.groups import MIN_LINKED
from topoview.topology.noise.fit import Fit

MAX_CUTS = 16
"""Cuts through the shares of common neighbours that are tried, the highest."""

Search = Callable[[Graph], list[Fit]]
"""Finds what a graph nearly is, fewest edits first."""


def fits_of_groups(graph: Graph, search: Search) -> list[Fit]:
    """Fit groups with leaders, and groups of which every two are linked."""
    fits: list[Fit] = []
    for group in _groupings(graph):
        inner = group[graph.edges[:, 0]] == group[graph.edges[:, 1]]
        ways = [*_of_leaders(graph, group, inner, search)]
        ways += _pairwise(graph, group, inner)
        fits += [_fit(graph, group, links) for links in ways]
    return sorted(fits, key=lambda fit: fit.edits)[:1]


def _groupings(graph: Graph) -> Iterator[Ints]:
    """Group what edges join whose ends have most neighbours in common, by each cut."""
    u, v = graph.edges.T
    both = graph.degree[u] + graph.degree[v] - graph.triangles
    alike = (graph.triangles + 2) / both
    seen: set[bytes] = set()
    for least in np.unique(alike)[::-1][:MAX_CUTS].tolist():
        group = _completed(graph, alike >= least)
        if group is not None and group.tobytes() not in seen:
            seen.add(group.tobytes())
            yield group


def _completed(graph: Graph, kept: Bools) -> Ints | None:
    """Complete components of some edges; others join where most neighbours are.

    None if somebody's neighbours are in none, or there are too few groups.
    """
    label = graph_of(graph.n, np.ascontiguousarray(graph.edges[kept])).component_of
    sizes = np.bincount(label)
    alone = sizes[label] == 1
    both = np.concatenate([graph.edges, graph.edges[:, ::-1]])
    some = both[alone[both[:, 0]] & ~alone[both[:, 1]]]
    votes = np.zeros((graph.n, len(sizes)), np.int64)
    np.add.at(votes, (some[:, 0], label[some[:, 1]]), 1)
    if not votes[alone].any(axis=1).all():
        return None
    group = np.where(alone, votes.argmax(axis=1), label)
    group = np.unique(group, return_inverse=True)[1]
    count = int(group.max()) + 1
    return group if MIN_LINKED <= count <= graph.n // 2 else None


def _of_leaders(
    graph: Graph, group: Ints, inner: Bools, search: Search
) -> Iterator[Ints]:
    """Links between the leaders: the members with most partners in other groups."""
    count = int(group.max()) + 1
    outside = np.bincount(graph.edges[~inner].ravel(), minlength=graph.n)
    order = np.lexsort((-outside, group))
    leader = order[np.flatnonzero(np.diff(group[order], prepend=-1))]
    is_leader = np.zeros(graph.n, bool)
    is_leader[leader] = True
    between = graph.edges[~inner & is_leader[graph.edges].all(axis=1)]
    ends = group[between]
    if not len(ends):
        return
    among = graph_of(count, unique_edges(count, ends[:, 0], ends[:, 1]))
    if 2 * len(among.edges) >= count * (count - 1) // 2:
        yield leader[complete(count).edges]
    yield from (leader[fit.edges] for fit in search(among)[:1])


def _pairwise(graph: Graph, group: Ints, inner: Bools) -> Iterator[Ints]:
    """Yield one link to every two groups: one that is there, or of who has fewest."""
    count, sizes = int(group.max()) + 1, np.bincount(group)
    if sizes.min() < max(MIN_LINKED, sizes.max()):
        return
    links = np.full((count, count, 2), -1, np.int64)
    for u, v in graph.edges[~inner][::-1].tolist():
        (a, u), (b, v) = sorted(((int(group[u]), u), (int(group[v]), v)))
        links[a, b] = u, v
    one, other = np.triu_indices(count, 1)
    several = np.bincount(links[links >= 0], minlength=graph.n)
    for a, b in zip(one.tolist(), other.tolist(), strict=True):
        if links[a, b, 0] < 0:
            for side, own in enumerate((a, b)):
                free = np.flatnonzero(group == own)
                links[a, b, side] = end = free[several[free].argmin()]
                several[end] += 1
    yield links[one, other]


def _fit(graph: Graph, group: Ints, links: Ints) -> Fit:
    order = np.argsort(group, kind="stable")
    begins = np.cumsum(np.bincount(group))[:-1]
    within = [own[complete(len(own)).edges] for own in np.split(order, begins)]
    return Fit.of("", graph, *np.concatenate([*within, links]).T)
