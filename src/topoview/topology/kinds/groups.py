"""Groups of ranks that are alike within, most often all-to-all, joined by few edges.

Programs and MPI libraries that know of nodes exchange within each node, and between
nodes through one leader each (Zhu, Goodell, Gropp, Thakur, 2009, "Hierarchical
collectives in MPICH2", EuroPVM/MPI). In a dragonfly every two groups are joined by one
edge, each of another member (Kim, Dally, Scott, Abts, 2008, "Technology-driven,
highly-scalable dragonfly topology", ISCA). Copies of any topology may be joined by the
first rank of each, or by a master that is in none.
"""

import itertools
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from topoview.model import Bools, Directions, Indices, Ints, Match, Topology
from topoview.topology.direction_names import NamedDirections, number_after
from topoview.topology.graph.graph import (
    Graph,
    graph_of,
    induced,
    neighbourhoods,
    unique_edges,
)
from topoview.topology.graph.invariants import MAX_SQUARED_DEGREES
from topoview.topology.graph.isomorphism import isomorphism
from topoview.topology.graph.products import same_edges
from topoview.topology.graph.refinement import stable_colours
from topoview.topology.kinds.complete import complete
from topoview.topology.kinds.composite import FactorDirections
from topoview.topology.kinds.star import star
from topoview.topology.lattices.lattice import divisors
from topoview.topology.members import ExactMatch, Recogniser, rank_distance

LEADER, MEMBER, GROUP, OF = "LEADER", "MEMBER ", "GROUP ", " of group "

MIN_COPIES, MIN_COPY = 3, 4
"""Copies of a topology that are joined by a rank each, and ranks of each, at least."""

MAX_COLOURED = 4096
"""Vertices up to which leaders are told by what is around them."""

MAX_JOINTS_TRIED = 24
"""Choices of edges that may join copies that are tried."""

MIN_LINKED = 3
"""Groups, and members of each, from which on pairwise links show them as groups."""


def led_groups(sizes: ArrayLike, leaders: Topology, starred: bool = False) -> Topology:
    """Build groups whose first members, the leaders, form a topology.

    Parameters
    ----------
    sizes : int64, shape (groups,)
        Members of each group.
    leaders
        What the leaders form; as many groups as it has vertices.
    starred
        Whether members communicate with their leader only.
    """
    sizes = np.asarray(sizes, np.int64)
    size, count = int(sizes.max()), len(sizes)
    of = str(size) if (sizes == size).all() else f"up to {size}"
    name = f"{count} {'stars' if starred else 'groups'} of {of}"
    return _led_by(name, sizes, star(size) if starred else complete(size), leaders)


def _led_by(name: str, sizes: Ints, inner: Topology, leaders: Topology) -> Topology:
    """Build groups of some sizes; the first of each is joined to others' as leaders."""
    first = np.cumsum(sizes) - sizes
    edges = _with_links(sizes, inner.edges, first[leaders.edges])
    if sizes.min() > 1 or leaders.kind != "star":  # a master is joined to all others
        name += f", {_of_leaders(leaders.name, len(sizes))}"
    return _groups(name, sizes, edges, (inner, leaders))


def joined_copies(copy: Topology, leaders: Topology, master: bool = False) -> Topology:
    """Build copies of a topology whose first vertices are joined.

    Parameters
    ----------
    copy
        What is copied.
    leaders
        What the first vertices form; as many copies as it has vertices.
    master
        Whether the first of these is in no copy.
    """
    sizes = np.full(leaders.vertices, copy.vertices)
    sizes[: int(master)] = 1
    name = f"{len(sizes) - master} x {copy.name}"
    name = f"a master and {name}" if master else name
    return _led_by(name, sizes, copy, leaders)


def linked_groups(size: int, count: int, links: Ints | None = None) -> Topology:
    """Build groups of which every two are joined by one edge.

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
    recognise
        Finds what the leaders form.
    """
    return [
        ExactMatch(topology, vertex, rank_distance(vertex), also)
        for topology, vertex, also in _led(graph, recognise)
        or _linked(graph)
        or _joined(graph, recognise)
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
    if not member.any():
        return []
    leader = np.arange(graph.n)
    # each member has one neighbour that is none
    up = graph.edges[member[graph.edges[:, 0]] != member[graph.edges[:, 1]]]
    lower = np.where(member[up[:, 0]], up[:, 0], up[:, 1])
    leader[lower] = np.where(member[up[:, 0]], up[:, 1], up[:, 0])
    leaders = np.flatnonzero(~member)
    if len(leaders) < 2 or (np.bincount(lower, minlength=graph.n)[member] != 1).any():
        return []
    inner = induced(leaders, graph.edges)
    starred = bool((graph.degree[member] == 1).all())
    group = np.searchsorted(leaders, leader)
    sizes = np.bincount(group)
    fewer = np.flatnonzero(sizes < sizes.max())
    if len(fewer) > 1 or sizes.max() < 2:
        return []
    count = len(leaders)
    ways: list[_Found]
    if len(inner.edges) == count * (count - 1) // 2:
        order = np.argsort(sizes < sizes.max(), kind="stable")  # fewer in the last
        ways = [(complete(count), np.argsort(order), ())]
    else:
        ways = [(one.topology, one.vertex, one.also) for one in recognise(inner)]
    result: list[_Found] = []
    for topology, place, also in ways:
        in_turn = sizes[np.argsort(place)]
        made = led_groups(in_turn, topology, starred and sizes.max() > 2)
        groups = made.name.partition("leaders ")[0]
        names = (_of_leaders(other, count) for other in also)
        vertex = _placed(place[group], member)
        result.append((made, vertex, tuple(groups + name for name in names)))
    return result


def _of_leaders(name: str, count: int) -> str:
    return f"leaders {name.removesuffix(f' {count}')}"


def _joined(graph: Graph, recognise: Recogniser) -> list[_Found]:
    """Find copies of a topology that are joined by one rank each, or by a master."""
    if graph.n < MIN_COPIES * MIN_COPY:
        return []
    for among in itertools.islice(_joints(graph), MAX_JOINTS_TRIED):
        joined = np.zeros(graph.n, bool)
        joined[graph.edges[among]] = True
        if not MIN_COPIES <= joined.sum() <= graph.n // MIN_COPY + 1:
            continue  # one of each copy, and a master
        label = graph_of(graph.n, graph.edges[~among]).component_of.astype(np.int64)
        sizes = np.bincount(label)
        leaders = np.flatnonzero(joined)
        of = label[leaders]
        size, single = int(sizes.max()), int((sizes == 1).sum())
        if (
            size < MIN_COPY
            or single > 1
            or ((sizes != size) & (sizes != 1)).any()
            or len(sizes) - single < MIN_COPIES
            or not np.array_equal(np.sort(of), np.arange(len(sizes)))
        ):
            continue
        matches = _of_copies(graph, among, label, leaders[np.argsort(of)], recognise)
        if matches:
            return matches
    return []


def _joints(graph: Graph) -> Iterator[Bools]:
    """Choose edges that may join copies, bool, shape (edges,).

    Those in no triangle and no square, those between vertices of many neighbours, and
    those between vertices that look alike, with one that looks like no other.
    """
    u, v = graph.edges.T
    if int((graph.degree**2).sum()) <= MAX_SQUARED_DEGREES:
        yield (graph.triangles == 0) & (graph.squares == 0)
    fewer = np.minimum(graph.degree[u], graph.degree[v])
    for least in np.unique(fewer)[::-1]:
        among, joined = fewer >= least, np.zeros(graph.n, bool)
        joined[graph.edges[among]] = True
        if joined.sum() > graph.n // MIN_COPY + 1:
            break  # of fewer neighbours there are more yet
        yield among
    if graph.n > MAX_COLOURED:
        return
    colour = stable_colours(graph)
    sizes = np.bincount(colour)
    alone = sizes[colour] == 1
    for alike in np.flatnonzero((sizes >= MIN_COPIES) & (sizes <= graph.n // MIN_COPY)):
        chosen = (colour == alike) | alone
        yield chosen[u] & chosen[v]


def _of_copies(
    graph: Graph, among: Bools, label: Ints, leaders: Ints, recognise: Recogniser
) -> list[_Found]:
    """Find what copies are whose leaders, one a label, some edges join."""
    sizes = np.bincount(label)
    ends = np.sort(label[graph.edges[among]], axis=1)
    above = recognise(graph_of(len(sizes), unique_edges(len(sizes), *ends.T)))
    if not above:
        return []
    place = above[0].vertex
    master = bool((sizes == 1).any())
    turn = _to_front(len(sizes), int(place[sizes.argmin()]) if master else 0)
    place, among_leaders = turn[place], _renumbered(above[0].topology, turn)
    copy: Topology | None = None
    vertex = np.zeros(graph.n, np.int64)
    own = label[graph.edges[:, 0]]
    for piece in np.flatnonzero(sizes > 1).tolist():
        ranks = np.flatnonzero(label == piece)
        some = induced(ranks, graph.edges[~among & (own == piece)])
        lead = np.arange(some.n) == np.searchsorted(ranks, leaders[piece])
        if copy is None:
            shapes = recognise(some)
            # trees are alike by chance, unless they are chains
            is_tree = len(some.edges) < some.n
            if not shapes or (is_tree and not shapes[0].topology.is_lattice):
                return []
            copy = shapes[0].topology
            if _led_map(some, copy, lead) is None:  # no corner, or whatever is first
                at = int(shapes[0].vertex[lead][0])
                copy = _renumbered(copy, _to_front(some.n, at))
        within = _led_map(some, copy, lead)
        if within is None:
            return []
        vertex[ranks] = within
    if copy is None:
        return []
    in_turn = sizes[np.argsort(place)]
    vertex += (np.cumsum(in_turn) - in_turn)[place][label]
    return [(joined_copies(copy, among_leaders, master), vertex, ())]


def _to_front(n: int, first: int) -> Ints:
    """Enumerate vertices in their order, but that one is the first."""
    number = np.arange(n)
    number[:first] += 1
    number[first] = 0
    return number


def _renumbered(topology: Topology, number: Ints) -> Topology:
    edges = unique_edges(topology.vertices, *number[topology.edges].T)
    places = topology.coordinates[np.argsort(number)]
    return replace(topology, edges=edges, coordinates=places)


def _led_map(graph: Graph, topology: Topology, lead: Bools) -> Ints | None:
    """Map a copy onto its topology, so that its leader is the first vertex."""
    first = (np.arange(graph.n) == 0).astype(np.int64)
    template = graph_of(graph.n, topology.edges)
    return isomorphism(graph, template, lead.astype(np.int64), first)


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
    """Enumerate vertices group by group, leaders first, others by their rank."""
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
        inner = topology.factors[0]
        self.inner = (
            None
            if inner.kind in ("complete", "star")
            else FactorDirections(inner, naming)
        )
        group = self.group[topology.edges]
        links = topology.edges[group[:, 0] != group[:, 1]].astype(np.int64)
        both = np.concatenate([links, links[:, ::-1]])
        self.links = np.sort(both @ (topology.vertices, 1))

    def codes(self, here: Ints, there: Ints) -> Ints:
        """Encode the direction of each pair; see `NamedDirections`."""
        n = len(self.member)
        group, other = self.group[here], self.group[there]
        codes = np.where(group == other, self.member[there], self.size + there)
        if self.inner is not None:
            own = group == other
            members = self.member[here[own]], self.member[there[own]]
            codes[own] = -1 - self.inner.codes(*members)
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
        if self.inner is not None and code < 0:
            return self.inner.name(-1 - code)
        if code < self.size:
            return LEADER if self.led and not code else f"{MEMBER}{code}"
        code -= self.size
        if code < n:
            return f"{MEMBER}{self.member[code]}{OF}{self.group[code]}"
        return self.leaders.name(code - n) if self.led else f"{GROUP}+{code - n}"

    def follow(self, vertex: int, name: str) -> int | None:
        """Vertex that a direction leads to."""
        group, own = int(self.group[vertex]), int(self.member[vertex])
        if self.inner is not None and not name.startswith((LEADER, MEMBER)):
            there = self.inner.follow(own, name)
            return None if there is None else int(self.first[group]) + there
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
