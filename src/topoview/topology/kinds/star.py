"""Masters and workers: stars, also with several masters."""

from collections import Counter
from collections.abc import Iterator

import numpy as np

from topoview.model import MASTER, WORKER, Ints, Match, Topology
from topoview.topology.direction_names import NamedDirections, number_after
from topoview.topology.graph.graph import Graph, unique_edges
from topoview.topology.members import ExactMatch, Member, degrees_of, rank_distance


def star(n: int, masters: int = 1, joined: bool = False) -> Topology:
    """Build a star: the first vertices are masters, all others their workers.

    Parameters
    ----------
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
            )


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


class StarDirections(NamedDirections):
    """MASTER and WORKER with its number; several masters are numbered too."""

    def __init__(self, match: Match) -> None:
        super().__init__(match)
        self.masters = int((match.topology.coordinates[:, 0] == 0).sum())

    def codes(self, here: Ints, there: Ints) -> Ints:
        """Encode the direction of each pair; see `NamedDirections`."""
        del here
        return there

    def name(self, code: int) -> str:
        """Name of a direction."""
        if self.masters == 1:
            return f"{WORKER} {code}" if code else MASTER
        if code < self.masters:
            return f"{MASTER} {code}"
        return f"{WORKER} {code - self.masters}"

    def follow(self, vertex: int, name: str) -> int | None:
        """Vertex that a direction leads to."""
        del vertex
        worker = number_after(name, f"{WORKER} ")
        if worker is not None:
            return worker + (self.masters if self.masters > 1 else 0)
        if self.masters == 1:
            return 0 if name == MASTER else None
        master = number_after(name, f"{MASTER} ")
        return master if master is not None and master < self.masters else None
