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
from topoview.topology.noise import kernels
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
    """Puts vertices at the places of a lattice, and keeps the ways that do."""

    def __init__(self, graph: Graph, template: Graph, missing: int, steps: int) -> None:
        self.template, self.steps = template, steps
        self.placing = kernels.Placing(
            graph.indptr,
            graph.indices,
            template.indptr,
            template.indices,
            np.argsort(graph.degree, kind="stable"),
            missing,
            steps,
        )
        self.known: set[bytes] = set()
        self.found: list[Ints] = []
        """Vertex at each place, int64, shape (n,): lattices with different edges."""

    def run(self) -> int:
        """Search; how many vertices were put at places."""
        while len(self.found) < MAX_FOUND and self.placing.go_on():
            places = self.placing.vertices()
            edges = unique_edges(len(places), *places[self.template.edges.T])
            if edges.tobytes() not in self.known:
                self.known.add(edges.tobytes())
                self.found.append(places)
        return self.steps - self.placing.steps
