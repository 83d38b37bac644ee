"""Groups of ranks that are all-to-all within, and joined by few edges between.

Programs and MPI libraries that know of nodes exchange within each node, and between
nodes through one leader each (Zhu, Goodell, Gropp, Thakur, 2009, "Hierarchical
collectives in MPICH2", EuroPVM/MPI). In a dragonfly every two groups are joined by one
edge, each of another member (Kim, Dally, Scott, Abts, 2008, "Technology-driven,
highly-scalable dragonfly topology", ISCA).
"""

from collections.abc import Callable

import numpy as np

from topoview.model import Bools, Directions, Indices, Ints, Match, Topology
from topoview.topology.direction_names import NamedDirections, number_after
from topoview.topology.graph.graph import Graph, graph_of, neighbourhoods, unique_edges
from topoview.topology.graph.products import same_edges
from topoview.topology.kinds.complete import complete
from topoview.topology.kinds.composite import FactorDirections
from topoview.topology.kinds.star import star
from topoview.topology.lattices.lattice import divisors
from topoview.topology.members import ExactMatch, Recogniser, rank_distance

LEADER, MEMBER, GROUP, OF = "LEADER", "MEMBER ", "GROUP ", " of group "

MIN_LINKED = 3
"""Groups, and members of each, from which on pairwise links show them as groups."""


def led_groups(
    size: int, leaders: Topology, last: int = 0, starred: bool = False
) -> Topology:
    """Make groups whose first members, the leaders, form a topology.

    Parameters
    ----------
    size
        Members of each group.
    leaders
        What the leaders form; as many groups as it has vertices.
    last
        Members of the last group, if these are fewer.
    starred
        Whether members communicate with their leader only.
    """
    sizes = np.full(leaders.vertices, size)
    sizes[-1] = last or size
    return _led_groups(sizes, leaders, starred)


def _led_groups(sizes: Ints, leaders: Topology, starred: bool) -> Topology:
    size, count = int(sizes.max()), len(sizes)
    inner = star(size) if starred else complete(size)
    first = np.cumsum(sizes) - sizes
    edges = _with_links(sizes, inner.edges, first[leaders.edges])
    of = str(size) if (sizes == size).all() else f"up to {size}"
    name = f"{count} {'stars' if starred else 'groups'} of {of}, "
    name += _of_leaders(leaders.name, count)
    return _groups(name, sizes, edges, (inner, leaders))


def linked_groups(size: int, count: int, links: Ints | None = None) -> Topology:
    """Make groups of which every two are joined by one edge.

    Parameters
    ----------
    size, count
        Members of each group, and groups.
    links : int64, shape (count * (count - 1) / 2, 2)
        The members that are joined, by their vertices; if not given, a group's links
        go round its members in turn, beginning with the one to the next group.
    """
    if links is None:
        one, other = np.triu_indices(count, 1)
        apart = other - one
        links = np.stack(
            [
                size * one + (apart - 1) % size,
                size * other + (count - apart - 1) % size,
            ],
            1,
        )
    name = f"{count} groups of {size}, linked pairwise"
    sizes, inner = np.full(count, size), complete(size)
    edges = _with_links(sizes, inner.edges, links)
    return _groups(name, sizes, edges, (inner,))


def _with_links(sizes: Ints, inner: Indices, links: Ints) -> Indices:
    first = np.repeat(np.cumsum(sizes) - sizes, len(inner))
    ends = np.tile(inner, (len(sizes), 1))
    held = ends[:, 1] < np.repeat(sizes, len(inner))
    u, v = np.concatenate([ends[held] + first[held, None], links]).T
    return unique_edges(int(sizes.sum()), u, v)


def _groups(
    name: str, sizes: Ints, edges: Indices, factors: tuple[Topology, ...]
) -> Topology:
    group = np.repeat(np.arange(len(sizes)), sizes)
    member = np.arange(len(group)) - (np.cumsum(sizes) - sizes)[group]
    places = np.stack([member, group], 1).astype(np.int32)
    dims = int(sizes.max()), len(sizes)
    return Topology(
        kind="groups",
        name=name,
        dims=dims,
        edges=edges,
        coordinates=places,
        factors=factors,
    )


def recognise_groups(graph: Graph, recognise: Recogniser) -> list[ExactMatch]:
    """Find the groups that a connected graph is, under any numbering.

    Parameters
    ----------
    graph
        The graph.
    recognise
        Finds what the leaders form.
    """
    return [
        ExactMatch(topology, vertex, rank_distance(vertex), also)
        for topology, vertex, also in _led(graph, recognise) or _linked(graph)
        if same_edges(graph, topology.edges, vertex)
    ]


_Found = tuple[Topology, Ints, tuple[str, ...]]
"""A topology, its vertex of each rank, and its other names."""


def _led(graph: Graph, recognise: Recogniser) -> list[_Found]:
    """Find groups by their members, all of whose neighbours but the leader are alike.

    All groups have as many members but one, of which there may be fewer.
    """
    _, closed = neighbourhoods(graph)
    alike = np.bincount(closed)[closed]
    member = (alike == graph.degree) & (graph.degree > 0)
    leader = np.arange(graph.n)
    # each member has one neighbour that is none
    up = graph.edges[member[graph.edges[:, 0]] != member[graph.edges[:, 1]]]
    lower = np.where(member[up[:, 0]], up[:, 0], up[:, 1])
    leader[lower] = np.where(member[up[:, 0]], up[:, 1], up[:, 0])
    leaders = np.flatnonzero(~member)
    if len(leaders) < 2 or (np.bincount(lower, minlength=graph.n)[member] != 1).any():
        return []
    among = graph.edges[~member[graph.edges].any(axis=1)]
    inner = graph_of(len(leaders), np.searchsorted(leaders, among).astype(np.int32))
    starred = bool((graph.degree[member] == 1).all())
    group = np.searchsorted(leaders, leader)
    sizes = np.bincount(group)
    fewer = np.flatnonzero(sizes < sizes.max())
    if len(fewer) > 1 or sizes.max() < 2:
        return []
    count = len(leaders)
    ways: list[_Found]
    if len(among) == count * (count - 1) // 2:
        order = np.argsort(sizes < sizes.max(), kind="stable")  # fewer in the last
        ways = [(complete(count), np.argsort(order), ())]
    else:
        ways = [(one.topology, one.vertex, one.also) for one in recognise(inner)]
    result: list[_Found] = []
    for topology, place, also in ways:
        in_turn = sizes[np.argsort(place)]
        made = _led_groups(in_turn, topology, starred and sizes.max() > 2)
        groups = made.name.partition("leaders ")[0]
        names = (_of_leaders(other, count) for other in also)
        vertex = _placed(place[group], member)
        result.append((made, vertex, tuple(groups + name for name in names)))
    return result


def _of_leaders(name: str, count: int) -> str:
    return f"leaders {name.removesuffix(f' {count}')}"


def _linked(graph: Graph) -> list[_Found]:
    """Find groups that are joined in pairs: edges within lie in most triangles."""
    n, m = graph.n, len(graph.edges)
    for count in divisors(n):
        size = n // count
        links = count * (count - 1) // 2
        if min(size, count) < MIN_LINKED or m - links != n * (size - 1) // 2:
            continue
        for least in np.unique(graph.triangles).tolist():
            kept = graph.triangles >= least
            if int((~kept).sum()) > links:
                break
            inside = graph_of(n, np.ascontiguousarray(graph.edges[kept]))
            group = inside.component_of.astype(np.int64)
            if int(group.max()) + 1 != count:
                continue
            between = graph.edges[group[graph.edges[:, 0]] != group[graph.edges[:, 1]]]
            pairs = np.sort(group[between], axis=1) @ (count, 1)
            each = np.bincount(between.ravel(), minlength=n)
            level = -(-(count - 1) // size)
            if len(np.unique(pairs)) != links or each.max() > level:
                continue
            if (np.bincount(group) == size).all():
                placed = _placed(group, np.ones(n, bool))
                return [(linked_groups(size, count, placed[between]), placed, ())]
    return []


def _placed(group: Ints, member: Bools) -> Ints:
    """Give numbers group by group, leaders first, others by their rank."""
    vertex = np.empty(len(group), np.int64)
    vertex[np.lexsort((member, group))] = np.arange(len(group))
    return vertex


class GroupsDirections(NamedDirections):
    """LEADER and MEMBER with its number; between leaders what their topology says.

    Where groups are linked in pairs, a link leads to a GROUP so many further on.
    """

    def __init__(self, match: Match, naming: Callable[[Match], Directions]) -> None:
        super().__init__(match)
        topology = match.topology
        self.size, self.count = topology.dims
        self.member, self.group = topology.coordinates.T.astype(np.int64)
        self.first = np.flatnonzero(self.member == 0)
        self.led = len(topology.factors) == 2
        self.leaders = FactorDirections(topology.factors[-1], naming, f"{LEADER} ")
        group = self.group[topology.edges]
        links = topology.edges[group[:, 0] != group[:, 1]].astype(np.int64)
        both = np.concatenate([links, links[:, ::-1]])
        self.links = np.sort(both @ (topology.vertices, 1))

    def codes(self, here: Ints, there: Ints) -> Ints:
        """Give the direction of each pair a number; see `NamedDirections`."""
        n = len(self.member)
        group, other = self.group[here], self.group[there]
        codes = np.where(group == other, self.member[there], self.size + there)
        if self.led:
            leaders = self.member[here] + self.member[there] == 0
            both = (group != other) & leaders
            codes[both] = self.size + n + self.leaders.codes(group[both], other[both])
        else:
            linked = np.isin(here * n + there, self.links)
            apart = (other - group)[linked] % self.count
            codes[linked] = self.size + n + apart
        return codes

    def name(self, code: int) -> str:
        """Name of a direction."""
        n = len(self.member)
        if code < self.size:
            return LEADER if self.led and not code else f"{MEMBER}{code}"
        code -= self.size
        if code < n:
            return f"{MEMBER}{self.member[code]}{OF}{self.group[code]}"
        return self.leaders.name(code - n) if self.led else f"{GROUP}+{code - n}"

    def follow(self, vertex: int, name: str) -> int | None:
        """Vertex that a direction leads to."""
        group, own = int(self.group[vertex]), int(self.member[vertex])
        if name == LEADER:
            return int(self.first[group]) if self.led else None
        if OF in name:
            first, _, second = name.partition(OF)
            group = -1 if (to := number_after(second, "")) is None else to
            member = number_after(first, MEMBER)
        else:
            member = number_after(name, MEMBER)
        if member is not None:
            matches = np.flatnonzero((self.group == group) & (self.member == member))
            return int(matches[0]) if len(matches) else None
        if self.led:
            there = self.leaders.follow(group, name) if own == 0 else None
            return None if there is None else int(self.first[there])
        apart = number_after(name, f"{GROUP}+")
        if apart is None:
            return None
        n = len(self.member)
        ends = self.links[self.links // n == vertex] % n
        to = ends[self.group[ends] == (group + apart) % self.count]
        return int(to[0]) if len(to) else None
