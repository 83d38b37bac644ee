"""Members of the library by what is known before they are made, and exact matches.

Degrees exclude most members; the rest are made and compared, in rank order first.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

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

    @property
    def edges(self) -> int:
        """Number of edges."""
        return sum(degree * count for degree, count in self.degrees.items()) // 2


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


def candidates(graph: Graph, members: Iterable[Member]) -> Iterator[Member]:
    """Keep the members that have as many vertices of each degree as a graph."""
    degrees = degrees_of(graph)
    return (member for member in members if member.degrees == degrees)


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

    def recognise(graph: Graph) -> list[ExactMatch]:
        result, ours = [], None
        for member in candidates(graph, members(graph.n)):
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
