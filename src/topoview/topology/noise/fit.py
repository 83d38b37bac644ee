"""Fit a template to a graph with missing and extra edges, and repair the fit.

A partial map is completed by the votes of neighbours; what is needlessly bad around the
edits that remain is taken out and placed anew.
"""

import math
from dataclasses import dataclass

import numpy as np

from topoview.model import Bools, Indices, Ints
from topoview.topology.graph.graph import Graph, edge_keys, graph_of, unique_edges
from topoview.topology.graph.percolation import grow_on
from topoview.topology.kernels import merged_in
from topoview.topology.lattices.partial import log2_choices
from topoview.topology.noise import kernels

# Repair a map onto a template where it is needlessly bad: around its edits.
#
# What grew to a place by chance stays there if a swap of two vertices makes nothing
# better. So all vertices around the edits are taken out and grown anew from what is
# certain, farther and farther around, and vertices change places with any that their
# neighbours expect there.

RADII = (0, 1, 2, 3)
"""How far around edits vertices are placed anew, in turn."""

MAX_PASSES = 6
"""How often all badly placed vertices are tried elsewhere."""

SMALL_GRAPH = 1024
MIN_MATCHED = 0.6
"""Of more vertices, the share of edges that must match already: others are far off."""


def repaired(graph: Graph, template: Graph, vertex: Ints) -> Ints:
    """Improve a map of all vertices as long as that matches more edges.

    Parameters
    ----------
    graph, template
        With equally many vertices.
    vertex : int64, shape (n,)
        Vertex of the template for each of the graph's, none twice.

    Returns
    -------
    int64, shape (n,)
        One that matches at least as many edges.
    """
    best = vertex.copy()
    at_most = 2 * min(len(graph.edges), len(template.edges))
    most = int(_agreement(graph, template, best).sum())
    if most < MIN_MATCHED * at_most and graph.n > SMALL_GRAPH:
        return best
    _improve(graph, template, best)
    most = int(_agreement(graph, template, best).sum())
    tried = 0
    while tried < len(RADII) and most < at_most:
        trial = best.copy()
        trial[_around_edits(graph, template, best, RADII[tried])] = -1
        tried += 1
        if (trial >= 0).sum() < graph.n // 4:
            break
        grow_on(graph, template, trial)
        _fill(graph, template, trial)
        _improve(graph, template, trial)
        matched = int(_agreement(graph, template, trial).sum())
        if matched > most:
            best, most, tried = trial, matched, 0
    return best


def _agreement(graph: Graph, template: Graph, vertex: Ints) -> Ints:
    """Count neighbours of each vertex that the template has beside it, too: (n,)."""
    return kernels.agreement(
        graph.indptr, graph.indices, template.indptr, template.indices, vertex
    )


def _improve(graph: Graph, template: Graph, vertex: Ints) -> None:
    """Exchange badly placed vertices with others while that matches more edges."""
    rows = graph.indptr, graph.indices
    kernels.improve(*rows, template.indptr, template.indices, vertex, MAX_PASSES)


def _around_edits(graph: Graph, template: Graph, vertex: Ints, radius: int) -> Bools:
    """Find the vertices at an edge that the other does not have, and those near."""
    agree = _agreement(graph, template, vertex)
    near = np.zeros(graph.n, bool)  # of the template's vertices
    near[vertex] = agree < np.maximum(graph.degree, template.degree[vertex])
    for _ in range(radius):
        touched = template.edges[near[template.edges].any(axis=1)]
        near[touched] = True
    result: Bools = near[vertex]
    return result


MAX_ROUNDS = 4
"""How often misplaced vertices are taken out and placed anew."""

MAX_PIECES = 8
"""How many pieces without a place are begun anew."""

MAX_CLUSTERING = 1.2
"""Edges between vertices that edits touch, per edge that chance would give, up to
which edits are noise."""

MIN_EDITS_JUDGED = 8
"""Edits of which that cannot be told."""


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """A library graph laid over one that was seen."""

    name: str
    """Name of the template."""
    edges: Indices
    """int32, shape (m, 2): the template's edges in the numbering of the graph,
    sorted."""
    missing: int
    extra: int
    """`missing` and `extra`: edges of the template that the graph lacks; edges of the
    graph that the template lacks."""
    left_out: int = 0
    """Places of a lattice that no vertex holds."""

    @staticmethod
    def of(name: str, graph: Graph, u: Ints, v: Ints) -> "Fit":
        """Lay the edges between two columns of vertices over a graph."""
        edges = unique_edges(graph.n, u, v)
        keys = edge_keys(graph.n, edges), edge_keys(graph.n, graph.edges)
        matched = int(merged_in(*keys).sum())
        return Fit(name, edges, len(edges) - matched, len(graph.edges) - matched)

    @property
    def edits(self) -> int:
        """Edges to remove and to add."""
        return self.missing + self.extra

    @property
    def bits(self) -> float:
        """Bits that tell which places are left out, and which edges differ."""
        n = int(self.edges.max(initial=0)) + 1
        held = log2_choices(n + self.left_out, n)
        several = n * (n - 1) // 2
        # at most so many: more differences never take fewer bits
        return held + log2_choices(several, min(self.edits, several // 2))


def regrown(graph: Graph, template: Graph, vertex: Ints) -> None:
    """Undo what a growth got wrong, in place, in a graph almost without false edges.

    A wrong step shifts all that grows from it: edges across the border of such a
    patch do not agree with the template. Vertices at such edges are taken out, of
    what remains the largest piece is kept, and the rest is grown from it.
    """
    best, most = vertex.copy(), -1
    for _ in range(MAX_ROUNDS):
        agree = _agreement(graph, template, vertex)
        matched = int(agree.sum())
        if matched <= most:
            break
        best, most = vertex.copy(), matched
        if matched == 2 * len(graph.edges):
            break
        _keep_largest(graph, agree, vertex)
        grow_on(graph, template, vertex, ties=False)
    vertex[:] = best


def fitted(graph: Graph, template: Graph, vertex: Ints, name: str) -> Fit:
    """Complete and improve a partial map onto a template.

    Vertices whose neighbours mostly disagree are placed anew by votes; those that
    are left take what places are left; then vertices change places as long as
    that matches more edges.

    Parameters
    ----------
    graph, template
        With equally many vertices.
    vertex : int64, shape (n,)
        Vertex of the template for each of the graph's, -1 where not known; no
        vertex twice. It is not changed.
    name
        Name of the template.
    """
    best = vertex.copy()
    most = -1
    trial = vertex.copy()
    for _ in range(MAX_ROUNDS):
        grow_on(graph, template, trial)
        matched = int(_agreement(graph, template, trial).sum())
        if matched <= most:
            break
        best, most = trial.copy(), matched
        if matched == 2 * len(template.edges):
            break
        _take_out(graph, template, trial)
    _place_pieces(graph, template, best)
    _fill(graph, template, best)
    best = repaired(graph, template, best)
    place = np.empty(graph.n, np.int64)
    place[best] = np.arange(graph.n)
    return Fit.of(name, graph, *place[template.edges].T)


def scattered(graph: Graph, fit: Fit) -> bool:
    """Return whether the edits of a fit lie beside each other no more than by chance.

    Along a seam, a border or around a hole they do: then it is another shape.
    """
    if fit.edits < MIN_EDITS_JUDGED:
        return True
    n = graph.n
    seen, wanted = edge_keys(n, graph.edges), edge_keys(n, fit.edges)
    matched = merged_in(wanted, seen)
    touched = np.zeros(n, bool)
    touched[fit.edges[~matched]] = True
    touched[graph.edges[~merged_in(seen, wanted)]] = True
    kept = fit.edges[matched]
    beside = int((touched[kept[:, 0]] & touched[kept[:, 1]]).sum())
    chance = len(kept) * float(touched.mean()) ** 2
    return beside <= MAX_CLUSTERING * chance + 4 * math.sqrt(chance) + 4


def agreeing(graph: Graph, template: Graph, vertex: Ints) -> int:
    """Count the edges of a graph that a partial map puts on the template's."""
    return int(_agreement(graph, template, vertex).sum()) // 2


def _place_pieces(graph: Graph, template: Graph, vertex: Ints) -> None:
    """Begin anew in pieces that no edge joins to what has its place."""
    ours, theirs = graph.log_walks, template.log_walks
    for _ in range(MAX_PIECES):
        left = np.flatnonzero((vertex < 0) & (graph.degree > 0))
        if not len(left):
            return
        free = np.ones(template.n, bool)
        free[vertex[vertex >= 0]] = False
        places = np.flatnonzero(free)
        first = left[ours[left].argmax()]
        vertex[first] = places[np.abs(theirs[places] - ours[first]).argmin()]
        grow_on(graph, template, vertex)


def _fill(graph: Graph, template: Graph, vertex: Ints) -> None:
    """Place vertices that have none at the places that are left, by degree."""
    left = np.flatnonzero(vertex < 0)
    if not len(left):
        return
    free = np.ones(template.n, bool)
    free[vertex[vertex >= 0]] = False
    places = np.flatnonzero(free)
    left = left[np.argsort(graph.degree[left], kind="stable")]
    vertex[left] = places[np.argsort(template.degree[places], kind="stable")]


def _keep_largest(graph: Graph, agree: Ints, vertex: Ints) -> None:
    """Keep the largest piece of vertices all of whose edges agree."""
    whole = agree == graph.degree
    inside = graph.edges[whole[graph.edges].all(axis=1)]
    piece = graph_of(graph.n, inside).component_of
    sizes = np.bincount(piece[whole], minlength=1)
    vertex[~whole | (piece != sizes.argmax())] = -1


def _take_out(graph: Graph, template: Graph, vertex: Ints) -> None:
    """Remove the vertices whose neighbours mostly disagree."""
    agree = _agreement(graph, template, vertex)
    least = np.minimum(graph.degree, template.degree[vertex])
    vertex[(2 * agree < least) | (agree == 0)] = -1
