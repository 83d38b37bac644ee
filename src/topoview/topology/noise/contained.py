"""Lattices that a graph contains, beside edges of another pattern.

A halo exchange and a tree over all ranks make one graph if both carry as much: nearly
half of its edges are none of the lattice's. No vertex then looks like one of a lattice,
and neighbours' votes for places are mostly wrong. But each place of the lattice must be
held, so that places are searched one after the other, each beside those that have their
vertex, with ways back. Which of the lattices found is worth its places is left to the
length of their description.
"""

from collections.abc import Iterable

import numpy as np

from topoview.base.progress import Report, silent
from topoview.model import Ints
from topoview.topology.graph.graph import Graph, graph_of, unique_edges
from topoview.topology.members import Member
from topoview.topology.noise.fit import Fit

MAX_VERTICES = 256
"""Vertices up to which it is searched."""

MIN_EXTENT = 3
"""Places along the shortest axis: ladders lie in most graphs."""

MAX_STEPS = 120_000
"""Vertices that are put at places, in all."""

MAX_STEPS_OF_A_LATTICE = 30_000
"""The same for each lattice."""

MAX_FOUND = 32
"""Ways in which the graph contains a lattice."""

MAX_MISSING = 1
"""Edges of the lattice that the graph may lack."""


def contained_lattices(
    graph: Graph, members: Iterable[Member], report: Report = silent
) -> list[Fit]:
    """Find the lattices with most edges that a graph contains, but for an edge or so.

    Parameters
    ----------
    members
        Members of the library with as many vertices.
    report
        May raise `Cancelled`.

    Returns
    -------
    list of Fit
        Those of one lattice, in all ways that were found.
    """
    if graph.n > MAX_VERTICES:
        return []
    ours = np.sort(graph.degree)
    likely = []
    for member in members:
        topology = member.make() if graph.n < member.edges < len(graph.edges) else None
        if topology is None or topology.kind != "lattice" or len(topology.dims) < 2:
            continue
        template = graph_of(topology.vertices, topology.edges)
        lack = int(np.maximum(np.sort(template.degree) - ours, 0).sum())
        whole = template.connected and min(topology.dims) >= MIN_EXTENT
        if whole and lack <= 2 * MAX_MISSING:
            likely.append((member.name, template))
    likely.sort(key=lambda one: -len(one[1].edges))
    left = MAX_STEPS
    for missing in range(MAX_MISSING + 1):
        for name, template in likely:
            report("looking past noise", 0.5)
            search = _Search(
                graph, template, missing, min(left, MAX_STEPS_OF_A_LATTICE)
            )
            left -= search.run()
            if search.found:
                return [
                    Fit.of(name, graph, *at[template.edges].T) for at in search.found
                ]
    return []


class _Search:
    """Puts vertices at the places of a lattice; sets of vertices are bits of a number.

    The next place is always that for which fewest vertices are left.
    """

    def __init__(self, graph: Graph, template: Graph, missing: int, steps: int) -> None:
        self.n, self.missing, self.steps = graph.n, missing, steps
        self.degree = graph.degree.tolist()
        self.beside = [0] * graph.n
        for u, v in graph.edges.tolist():
            self.beside[u] |= 1 << v
            self.beside[v] |= 1 << u
        self.template = template
        rows = np.split(template.indices, template.indptr[1:-1])
        self.around = [row.tolist() for row in rows]
        enough = {
            degree: sum(
                1 << v for v in range(graph.n) if self.degree[v] >= degree - missing
            )
            for degree in set(template.degree.tolist())
        }
        self.may = [enough[degree] for degree in template.degree.tolist()]
        self.known: set[bytes] = set()
        self.found: list[Ints] = []
        """Vertex at each place, int64, shape (n,): lattices with different edges."""

    def run(self) -> int:
        """Search; how many vertices were put at places."""
        whole = self.steps
        self._place({}, (1 << self.n) - 1, {0: (self.may[0], 0)}, self.missing)
        return whole - self.steps

    def _place(
        self,
        at: dict[int, int],
        free: int,
        fits: dict[int, tuple[int, int]],
        lack: int,
    ) -> None:
        """Put vertices at all places that are left.

        Parameters
        ----------
        at
            Vertices at places.
        free
            Vertices without a place.
        fits
            For places beside these: vertices with all edges to what is there, and
            vertices that lack one.
        lack
            How many edges may lack.
        """
        if not free:
            self._note(at)
            return
        place, least = -1, self.n + 1
        for one, (all_, but_one) in fits.items():
            many = (free & (all_ | but_one if lack else all_)).bit_count()
            if many < least:
                place, least = one, many
        all_, but_one = fits[place]
        choices = [(v, lack) for v in _members(all_ & free)]
        choices.sort(key=lambda one: self.degree[one[0]])
        if lack:
            choices += [(v, lack - 1) for v in _members(but_one & free)]
        for v, left in choices:
            if self.steps <= 0 or len(self.found) == MAX_FOUND:
                return
            self.steps -= 1
            after, rest, beside = fits.copy(), free ^ (1 << v), self.beside[v]
            del after[place]
            for other in self.around[place]:
                if other in at:
                    continue
                full, some = after.get(other, (self.may[other], 0))
                full, some = full & beside, (some & beside) | (full & ~beside)
                if not rest & (full | some if left else full):
                    break  # nobody is left for it
                after[other] = full, some
            else:
                at[place] = v
                self._place(at, rest, after, left)
                del at[place]

    def _note(self, at: dict[int, int]) -> None:
        """Keep a lattice, unless one with the same edges was found."""
        places = np.array([at[place] for place in range(self.n)], np.int64)
        edges = unique_edges(self.n, *places[self.template.edges.T])
        if edges.tobytes() not in self.known:
            self.known.add(edges.tobytes())
            self.found.append(places)


def _members(bits: int) -> list[int]:
    result = []
    while bits:
        low = bits & -bits
        result.append(low.bit_length() - 1)
        bits ^= low
    return result
