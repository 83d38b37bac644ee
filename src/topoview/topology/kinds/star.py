"""Masters and workers: stars, with several masters, or of workers that exchange."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from topoview.model import MASTER, WORKER, Floats, Ints, Match, Topology
from topoview.topology.direction_names import NamedDirections, number_after
from topoview.topology.graph.graph import Graph, graph_of, unique_edges
from topoview.topology.kinds.composite import FactorDirections, Naming
from topoview.topology.members import (
    ExactMatch,
    Member,
    Recogniser,
    degrees_of,
    rank_distance,
)

MIN_EXCHANGING = 8
"""Workers from which on what they are among themselves is no chance."""


def star(n: int, masters: int = 1, joined: bool = False) -> Topology:
    """Build a star: the first vertices are masters, all others their workers.

    Parameters
    ----------
    n
        Number of vertices.
    masters
        How many there are; each has edges to all workers.
    joined
        Whether masters have edges between each other too.
    """
    master, worker = np.arange(masters), np.arange(masters, n)
    u = np.repeat(master, len(worker))
    v = np.tile(worker, masters)
    if joined:
        first, second = np.triu_indices(masters, 1)
        u, v = np.concatenate([u, first]), np.concatenate([v, second])
    vertex = np.arange(n)
    number = np.where(vertex < masters, vertex, vertex - masters + (masters == 1))
    places = np.stack([vertex >= masters, number], 1).astype(np.int32)
    name = star_name(n, masters, joined)
    return Topology(
        kind="star", name=name, edges=unique_edges(n, u, v), coordinates=places
    )


def star_name(n: int, masters: int = 1, joined: bool = False) -> str:
    """Name as shown: ``star 24``, ``star 24, 3 masters``."""
    if masters == 1:
        return f"star {n}"
    return f"star {n}, {masters} {'joined ' if joined else ''}masters"


def stars(n: int) -> Iterator[Member]:
    """List all stars of `n` vertices with at least as many workers as masters."""
    for masters in range(1, n // 2 + 1 if n > 4 else 2):
        for joined in (False, True)[: 1 + (1 < masters < n - 1)]:
            degrees = Counter({n - masters: 0})
            degrees[n - masters + (masters - 1) * joined] += masters
            degrees[masters] += n - masters
            yield Member(
                "star",
                star_name(n, masters, joined),
                +degrees,
                lambda m=masters, j=joined: star(n, m, j),  # type: ignore[misc]
                lambda m=masters, j=joined: _spectrum(n, m, j),  # type: ignore[misc]
            )


def _spectrum(n: int, masters: int, joined: bool) -> Floats:
    # the constant vectors on masters and on workers span what is not -1 or 0
    inner = masters - 1 if joined else 0
    root = np.sqrt(inner**2 + 4 * masters * (n - masters))
    values = np.zeros(n)
    values[:2] = (inner + root) / 2, (inner - root) / 2
    if joined:
        values[2 : masters + 1] = -1
    return np.sort(values)


def recognise_stars(graph: Graph) -> list[ExactMatch]:
    """Find out which star a connected graph is, under any numbering."""
    n = graph.n
    if n < 2 or len(degrees_of(graph)) > 2:
        return []
    if graph.degree.max() == n - 1:
        masters = graph.degree == n - 1
        joined = True
    else:
        masters = np.ones(n, bool)
        masters[graph.indices[graph.indptr[0] : graph.indptr[1]]] = False
        if 2 * masters.sum() > n:
            masters = ~masters
        joined = False
    if n == 2:
        masters[1] = False
    count = int(masters.sum())
    if 2 * count > n or (count > 1 and n == 4):
        return []  # four ranks are a ring
    ends = masters[graph.edges]
    between = int((ends[:, 0] != ends[:, 1]).sum())
    inside = count * (count - 1) // 2 if joined else 0
    if between != count * (n - count) or len(graph.edges) != between + inside:
        return []
    if bool((~ends).all(axis=1).any()):
        return []
    order = np.concatenate([np.flatnonzero(masters), np.flatnonzero(~masters)])
    vertex = np.empty(n, np.int64)
    vertex[order] = np.arange(n)
    topology = star(n, count, joined and count > 1)
    return [ExactMatch(topology, vertex, rank_distance(vertex))]


def star_among(workers: Topology) -> Topology:
    """Build a master of workers that are some topology among themselves."""
    n = workers.vertices + 1
    plain = star(n)
    ends = np.concatenate([plain.edges, workers.edges + 1]).T
    return replace(
        plain,
        name=f"{plain.name}, workers {workers.name}",
        edges=unique_edges(n, *ends),
        factors=(workers,),
    )


def recognise_among(graph: Graph, recognise: Recogniser) -> list[ExactMatch]:
    """Find out what a connected graph is without the one vertex that all others join.

    Parameters
    ----------
    graph
        The graph.
    recognise
        Finds what the others are.
    """
    masters = np.flatnonzero(graph.degree == graph.n - 1)
    if len(masters) != 1 or graph.n <= MIN_EXCHANGING:
        return []
    between = graph.edges[(graph.edges != masters[0]).all(axis=1)]
    rest = graph_of(graph.n - 1, between - (between > masters[0]))
    result = []
    for one in recognise(rest):
        topology = star_among(one.topology)
        vertex = np.insert(one.vertex + 1, masters[0], 0)
        also = [star_name(graph.n) + f", workers {name}" for name in one.also]
        result.append(ExactMatch(topology, vertex, rank_distance(vertex), tuple(also)))
    return result


class StarDirections(NamedDirections):
    """MASTER and WORKER with its number; several masters are numbered too.

    Between workers that exchange, what their topology says.
    """

    def __init__(self, match: Match, naming: Naming) -> None:
        super().__init__(match)
        self.masters = int((match.topology.coordinates[:, 0] == 0).sum())
        self.ranks = match.topology.vertices
        self.among = [FactorDirections(one, naming) for one in match.topology.factors]

    def codes(self, here: Ints, there: Ints) -> Ints:
        """Encode the direction of each pair; see `NamedDirections`."""
        codes = there.copy()
        for among in self.among:
            both = (here > 0) & (there > 0)
            codes[both] = self.ranks + among.codes(here[both] - 1, there[both] - 1)
        return codes

    def name(self, code: int) -> str:
        """Name of a direction."""
        if code >= self.ranks:
            return self.among[0].name(code - self.ranks)
        if self.masters == 1:
            return f"{WORKER} {code}" if code else MASTER
        if code < self.masters:
            return f"{MASTER} {code}"
        return f"{WORKER} {code - self.masters}"

    def follow(self, vertex: int, name: str) -> int | None:
        """Vertex that a direction leads to."""
        for among in self.among if vertex > 0 else ():
            there = among.follow(vertex - 1, name)
            if there is not None:
                return there + 1
        worker = number_after(name, f"{WORKER} ")
        if worker is not None:
            return worker + (self.masters if self.masters > 1 else 0)
        if self.masters == 1:
            return 0 if name == MASTER else None
        master = number_after(name, f"{MASTER} ")
        return master if master is not None and master < self.masters else None
