"""Members of the library by what is known before they are made, and exact matches.

Degrees exclude most members; the rest are made and compared, in rank order first.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np

from topoview.model import Indices, Ints, Topology
from topoview.topology.graph.graph import Graph, graph_of
from topoview.topology.graph.isomorphism import isomorphism
from topoview.topology.graph.products import same_edges

NEARLY_NATURAL = 0.25
"""Distance below which a numbering is mostly the natural one."""

MAX_ORDERED_BY_CHANCE = 16
"""Vertices up to which a small distance says nothing."""


@dataclass(frozen=True, slots=True, eq=False)
class ExactMatch:
    """A topology that a graph exactly is."""

    topology: Topology
    """The topology."""
    vertex: Ints
    """int64, shape (n,): its vertex for each of the graph's; -1 for those outside."""
    distance: float
    """Mean distance between rank and vertex: 0 for natural numberings, about 1 for
    random ones."""
    also: tuple[str, ...] = ()
    """Other names of the same graph."""

    @property
    def naturalness(self) -> int:
        """Sort key: 0 in rank order, 1 mostly so, 2 for numberings that follow nothing.

        Of few vertices some lie in order by chance.
        """
        if self.distance == 0:
            return 0
        return (
            1
            if self.distance < NEARLY_NATURAL
            and len(self.vertex) > MAX_ORDERED_BY_CHANCE
            else 2
        )


def rank_distance(vertex: Ints | Indices) -> float:
    """Mean distance between rank and vertex in thirds of their number."""
    n = len(vertex)
    return 3 * float(np.mean(np.abs(vertex - np.arange(n)))) / n


@dataclass(frozen=True, slots=True, eq=False)
class Member:
    """A member of the library with a given number of vertices."""

    kind: str
    name: str
    """`kind` and `name`: of its topology."""
    degrees: Mapping[int, int]
    """How many vertices have each degree: in closed form, nothing is made."""
    make: Callable[[], Topology]
    """Makes the topology."""
    variants: Callable[[], Iterable[Topology]] | None = None
    """Makes the topology in other natural numberings."""
    edges: int = field(init=False)
    """Number of edges."""

    def __post_init__(self) -> None:
        """Count the edges once: each search asks."""
        ends = sum(degree * count for degree, count in self.degrees.items())
        object.__setattr__(self, "edges", ends // 2)


Members = Callable[[int], Iterable[Member]]
"""Lists a kind's members with a number of vertices."""

Recogniser = Callable[[Graph], list[ExactMatch]]
"""Finds all ways in which a connected graph is one kind of topology."""


def degrees_of(graph: Graph) -> Counter[int]:
    """Count the vertices of each degree."""
    return degree_counts(graph.degree)


def degree_counts(degree: Ints) -> Counter[int]:
    """Count how often each degree occurs."""
    counts = np.bincount(degree)
    return Counter({int(d): int(counts[d]) for d in np.flatnonzero(counts)})


SIZES_KEPT, MAX_VERTICES_KEPT = 64, 4096
"""Numbers of vertices of which a kind's members are kept, and up to which: one
identification asks some hundred times for a few, and stars are as many as ranks."""


def kept(members: Members) -> Members:
    """List a kind's members with a number of vertices once for many questions."""
    listed = lru_cache(maxsize=SIZES_KEPT)(lambda n: tuple(members(n)))
    return lambda n: listed(n) if n <= MAX_VERTICES_KEPT else members(n)


def candidates(members: Members) -> Callable[[Graph], Sequence[Member]]:
    """List the members that have as many vertices of each degree as a graph."""

    @lru_cache(maxsize=SIZES_KEPT)
    def by_degrees(n: int) -> dict[frozenset[tuple[int, int]], list[Member]]:
        result: dict[frozenset[tuple[int, int]], list[Member]] = {}
        for member in members(n):
            result.setdefault(_present(member.degrees), []).append(member)
        return result

    def alike(graph: Graph) -> Sequence[Member]:
        degrees = _present(degrees_of(graph))
        if graph.n <= MAX_VERTICES_KEPT:
            return by_degrees(graph.n).get(degrees, ())
        return [one for one in members(graph.n) if _present(one.degrees) == degrees]

    return alike


def _present(degrees: Mapping[int, int]) -> frozenset[tuple[int, int]]:
    return frozenset(one for one in degrees.items() if one[1])


def by_signature(
    members: Members, colour: Callable[[Graph], Ints] | None = None
) -> Recogniser:
    """Recognise a kind by trying the members whose sizes and degrees fit.

    Parameters
    ----------
    members
        Lists the kind's members.
    colour
        Tells vertices apart before refinement, where degrees do not suffice.
    """
    alike = candidates(members)

    def recognise(graph: Graph) -> list[ExactMatch]:
        result, ours = [], None
        for member in alike(graph):
            if ours is None and colour is not None:
                ours = colour(graph)
            exact = exactly(graph, member, colour, ours)
            if exact is not None:
                result.append(exact)
        return result

    return recognise


def exactly(
    graph: Graph,
    member: Member,
    colour: Callable[[Graph], Ints] | None = None,
    ours: Ints | None = None,
) -> ExactMatch | None:
    """Map a graph onto a member, in rank order where that fits; verified.

    With `colour` as in `by_signature`, and the graph's colours.
    """
    ranks = np.arange(graph.n)
    topology = member.make()
    for natural in (topology, *(member.variants() if member.variants else ())):
        if same_edges(graph, natural.edges, ranks):
            return ExactMatch(natural, ranks, 0.0)
    template = graph_of(topology.vertices, topology.edges)
    wanted = None if colour is None else colour(template)
    vertex = isomorphism(graph, template, ours, wanted)
    if vertex is None:
        return None
    return ExactMatch(topology, vertex, rank_distance(vertex))


def other_names(matches: list[ExactMatch]) -> tuple[str, ...]:
    """Names of the same graph beside the best one's."""
    names = [name for one in matches for name in (one.topology.name, *one.also)]
    return tuple(name for name in dict.fromkeys(names) if name != names[0])
