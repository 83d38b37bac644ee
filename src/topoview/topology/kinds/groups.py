"""Groups of ranks that are all-to-all within, and joined by few edges between.

Programs and MPI libraries that know of nodes exchange within each node, and between
nodes through one leader each (Zhu, Goodell, Gropp, Thakur, 2009, "Hierarchical
collectives in MPICH2", EuroPVM/MPI). In a dragonfly every two groups are joined by one
edge, each of another member (Kim, Dally, Scott, Abts, 2008, "Technology-driven,
highly-scalable dragonfly topology", ISCA).
"""

from collections.abc import Callable

import numpy as np

from topoview.model import Directions, Indices, Ints, Match, Topology
from topoview.topology.direction_names import NamedDirections, number_after
from topoview.topology.graph.graph import Graph, graph_of, unique_edges
from topoview.topology.graph.products import same_edges
from topoview.topology.kinds.complete import complete
from topoview.topology.kinds.composite import FactorDirections
from topoview.topology.lattices.lattice import divisors
from topoview.topology.members import ExactMatch, Recogniser, rank_distance

LEADER, MEMBER, GROUP, OF = "LEADER", "MEMBER ", "GROUP ", " of group "

MIN_LINKED = 3
"""Groups, and members of each, from which on pairwise links show them as groups."""


def led_groups(size: int, leaders: Topology) -> Topology:
    """Make groups whose first members, the leaders, form a topology.

    Parameters
    ----------
    size
        Members of each group.
    leaders
        What the leaders form; as many groups as it has vertices.
    """
    count = leaders.vertices
    edges = _with_links(size, count, size * leaders.edges.astype(np.int64))
    kind = leaders.name.removesuffix(f" {count}")
    name = f"{count} groups of {size}, leaders {kind}"
    factors = (complete(size), leaders)
    return _groups(name, size, count, edges, factors)


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
    edges = _with_links(size, count, links)
    return _groups(name, size, count, edges, (complete(size),))


def _with_links(size: int, count: int, links: Ints) -> Indices:
    one, other = np.triu_indices(size, 1)
    first = size * np.arange(count)[:, None]
    u = np.concatenate([(first + one).ravel(), links[:, 0]])
    v = np.concatenate([(first + other).ravel(), links[:, 1]])
    return unique_edges(size * count, u, v)


def _groups(
    name: str, size: int, count: int, edges: Indices, factors: tuple[Topology, ...]
) -> Topology:
    group, member = np.divmod(np.arange(size * count), size)
    places = np.stack([member, group], 1).astype(np.int32)
    return Topology("groups", name, (size, count), (), (), edges, places, factors)


def recognise_groups(graph: Graph, recognise: Recogniser) -> list[ExactMatch]:
    """Find the groups that a connected graph is, under any numbering.

    Parameters
    ----------
    graph
        The graph.
    recognise
        Finds what the leaders form.
    """
    found = _led(graph, recognise) or _linked(graph)
    if found is None or not same_edges(graph, found[0].edges, found[1]):
        return []
    return [ExactMatch(*found, rank_distance(found[1]))]


def _led(graph: Graph, recognise: Recogniser) -> tuple[Topology, Ints] | None:
    """Find groups whose members have as many neighbours as the group has others."""
    size = int(graph.degree.min()) + 1
    member = graph.degree == size - 1
    count = graph.n - int(member.sum())
    if count < 2 or count * size != graph.n:
        return None
    # each member has one neighbour that is none
    up = graph.edges[member[graph.edges[:, 0]] != member[graph.edges[:, 1]]]
    lower = np.where(member[up[:, 0]], up[:, 0], up[:, 1])
    if len(up) != graph.n - count or (np.bincount(lower, minlength=graph.n) > 1).any():
        return None
    leader = np.arange(graph.n)
    leader[lower] = np.where(member[up[:, 0]], up[:, 1], up[:, 0])
    leaders = np.flatnonzero(~member)
    among = graph.edges[~member[graph.edges].any(axis=1)]
    inner = graph_of(count, np.searchsorted(leaders, among).astype(np.int32))
    if len(among) == count * (count - 1) // 2:
        topology, vertex = complete(count), np.arange(count)
    else:
        found = recognise(inner)
        if not found:
            return None
        topology, vertex = found[0].topology, found[0].vertex
    group = vertex[np.searchsorted(leaders, leader)]
    placed = _placed(group, member, size)
    return None if placed is None else (led_groups(size, topology), placed)


def _linked(graph: Graph) -> tuple[Topology, Ints] | None:
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
            placed = _placed(group, np.ones(n, bool), size)
            if placed is not None:
                return linked_groups(size, count, placed[between]), placed
    return None


def _placed(group: Ints, member: np.ndarray, size: int) -> Ints | None:
    """Give numbers group by group, leaders first, others by their rank."""
    if (np.bincount(group) != size).any():
        return None
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
        self.led = len(topology.factors) == 2
        self.leaders = FactorDirections(topology.factors[-1], naming, f"{LEADER} ")
        group = topology.edges // self.size
        links = topology.edges[group[:, 0] != group[:, 1]].astype(np.int64)
        both = np.concatenate([links, links[:, ::-1]])
        self.links = np.sort(both @ (topology.vertices, 1))

    def codes(self, here: Ints, there: Ints) -> Ints:
        """Give the direction of each pair a number; see `NamedDirections`."""
        n = self.size * self.count
        group, other = here // self.size, there // self.size
        codes = np.where(group == other, there % self.size, self.size + there)
        if self.led:
            both = (group != other) & (here % self.size + there % self.size == 0)
            codes[both] = self.size + n + self.leaders.codes(group[both], other[both])
        else:
            linked = np.isin(here * n + there, self.links)
            apart = (other - group)[linked] % self.count
            codes[linked] = self.size + n + apart
        return codes

    def name(self, code: int) -> str:
        """Name of a direction."""
        n = self.size * self.count
        if code < self.size:
            return LEADER if self.led and not code else f"{MEMBER}{code}"
        code -= self.size
        if code < n:
            return f"{MEMBER}{code % self.size}{OF}{code // self.size}"
        return self.leaders.name(code - n) if self.led else f"{GROUP}+{code - n}"

    def follow(self, vertex: int, name: str) -> int | None:
        """Vertex that a direction leads to."""
        group, own = divmod(vertex, self.size)
        if name == LEADER:
            return self.size * group if self.led else None
        if OF in name:
            first, _, second = name.partition(OF)
            group = -1 if (to := number_after(second, "")) is None else to
            member = number_after(first, MEMBER)
        else:
            member = number_after(name, MEMBER)
        if member is not None:
            known = member < self.size and 0 <= group < self.count
            return self.size * group + member if known else None
        if self.led:
            there = self.leaders.follow(group, name) if own == 0 else None
            return None if there is None else self.size * there
        apart = number_after(name, f"{GROUP}+")
        if apart is None:
            return None
        n = self.size * self.count
        ends = self.links[self.links // n == vertex] % n
        to = ends[ends // self.size == (group + apart) % self.count]
        return int(to[0]) if len(to) else None
