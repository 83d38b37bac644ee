"""Fit a template to a graph that has edges too few and too many."""

import math
from dataclasses import dataclass

import numba
import numpy as np

from topoview.model import Indices, Ints
from topoview.progress import breathe
from topoview.topology.graph import Graph, edge_keys, unique_edges
from topoview.topology.growth import grow_on, surroundings
from topoview.topology.growth_votes import Rows
from topoview.topology.noise.repair import agreement, repaired

ROUNDS = 4
"""How often misplaced vertices are taken out and placed anew."""

PIECES = 8
"""How many pieces without a place are begun anew."""

BESIDE = 1.2
"""Edges between vertices that edits touch, per edge that chance would give, up to
which edits are noise."""

FEW = 8
"""Edits of which that cannot be told."""


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """A library graph laid over one that was seen.

    Attributes
    ----------
    name
        Name of the template.
    edges : int32, shape (m, 2)
        The template's edges in the numbering of the graph, sorted.
    missing, extra
        Edges of the template that the graph lacks; edges of the graph that the
        template lacks.
    """

    name: str
    edges: Indices
    missing: int
    extra: int

    @property
    def edits(self) -> int:
        """Edges to remove and to add."""
        return self.missing + self.extra


def regrown(graph: Graph, template: Graph, vertex: Ints) -> None:
    """Undo what a growth got wrong, in place, in a graph almost without false edges.

    A wrong step shifts all that grows from it: edges across the border of such a
    patch do not agree with the template. Vertices at such edges are taken out, of
    what remains the largest piece is kept, and the rest is grown from it.
    """
    rows = (graph.indptr, graph.indices)
    wanted = (template.indptr, template.indices)
    best, most = vertex.copy(), -1
    for _ in range(ROUNDS):
        breathe()
        matched = int(agreement(rows, wanted, vertex).sum())
        breathe()
        if matched <= most:
            break
        best, most = vertex.copy(), matched
        if matched == 2 * len(graph.edges):
            break
        _keep_largest(rows, wanted, vertex)
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
    rows = (graph.indptr, graph.indices)
    wanted = (template.indptr, template.indices)
    best = vertex.copy()
    most = -1
    trial = vertex.copy()
    for _ in range(ROUNDS):
        grow_on(graph, template, trial)
        breathe()
        matched = int(agreement(rows, wanted, trial).sum())
        breathe()
        if matched <= most:
            break
        best, most = trial.copy(), matched
        if matched == 2 * len(template.edges):
            break
        _take_out(rows, wanted, trial)
    _place_pieces(graph, template, best)
    breathe()
    _fill(graph, template, best)
    best = repaired(graph, template, best)
    breathe()
    place = np.empty(graph.n, np.int64)
    place[best] = np.arange(graph.n)
    edges = unique_edges(
        graph.n, place[template.edges[:, 0]], place[template.edges[:, 1]]
    )
    breathe()
    matched = int(agreement(rows, wanted, best).sum()) // 2
    return Fit(name, edges, len(edges) - matched, len(graph.edges) - matched)


def scattered(graph: Graph, fit: Fit) -> bool:
    """Tell whether the edits of a fit lie beside each other no more than by chance.

    Along a seam, a border or around a hole they do: then it is another shape.
    """
    if fit.edits < FEW:
        return True
    n, keys = graph.n, edge_keys(graph.n, fit.edges)
    edits = np.setxor1d(edge_keys(n, graph.edges), keys, True)
    touched = np.zeros(n, bool)
    touched[np.concatenate([edits // n, edits % n])] = True
    kept = fit.edges[~np.isin(keys, edits, assume_unique=True)]
    beside = int(touched[kept].all(axis=1).sum())
    chance = len(kept) * float(touched.mean()) ** 2
    return beside <= BESIDE * chance + 4 * math.sqrt(chance) + 4


def agreeing(graph: Graph, template: Graph, vertex: Ints) -> int:
    """Count the edges of a graph that a partial map puts on the template's."""
    rows, wanted = (graph.indptr, graph.indices), (template.indptr, template.indices)
    return int(agreement(rows, wanted, vertex).sum()) // 2


def _place_pieces(graph: Graph, template: Graph, vertex: Ints) -> None:
    """Begin anew in pieces that no edge joins to what has its place."""
    ours, theirs = surroundings(graph), surroundings(template)
    for _ in range(PIECES):
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
    """Give vertices without a place the places that are left, by degree."""
    left = np.flatnonzero(vertex < 0)
    if not len(left):
        return
    free = np.ones(template.n, bool)
    free[vertex[vertex >= 0]] = False
    places = np.flatnonzero(free)
    left = left[np.argsort(graph.degree[left], kind="stable")]
    vertex[left] = places[np.argsort(template.degree[places], kind="stable")]


@numba.njit(nogil=True, cache=True)
def _keep_largest(rows: Rows, wanted: Rows, vertex: Ints) -> None:
    # the largest piece of vertices all of whose edges agree
    indptr, indices = rows
    n = len(vertex)
    agree = agreement(rows, wanted, vertex)
    label = np.full(n, -1, np.int64)
    stack = np.empty(n, np.int64)
    largest, most, labels = -1, 0, 0
    for start in range(n):
        if label[start] >= 0 or agree[start] < indptr[start + 1] - indptr[start]:
            continue
        stack[0] = start
        top, size = 1, 0
        label[start] = labels
        while top:
            top -= 1
            v = stack[top]
            size += 1
            for k in range(indptr[v], indptr[v + 1]):
                u = indices[k]
                if label[u] < 0 and agree[u] == indptr[u + 1] - indptr[u]:
                    label[u] = labels
                    stack[top] = u
                    top += 1
        if size > most:
            largest, most = labels, size
        labels += 1
    for v in range(n):
        if label[v] != largest:
            vertex[v] = -1


@numba.njit(nogil=True, cache=True)
def _take_out(rows: Rows, wanted: Rows, vertex: Ints) -> None:
    agree = agreement(rows, wanted, vertex)
    for v in range(len(vertex)):
        if vertex[v] >= 0:
            here = rows[0][v + 1] - rows[0][v]
            there = wanted[0][vertex[v] + 1] - wanted[0][vertex[v]]
            if 2 * agree[v] < min(here, there) or agree[v] == 0:
                vertex[v] = -1
