"""Fit a template to a graph that has edges too few and too many."""

from dataclasses import dataclass

import numba
import numpy as np

from topoview.model import Indices, Ints
from topoview.topology.graph import Graph, unique_edges
from topoview.topology.growth import grow_on, surroundings

ROUNDS = 4
"""How often misplaced vertices are taken out and placed anew."""

PIECES = 8
"""How many pieces without a place are begun anew."""

PASSES = 6
"""How often all badly placed vertices are tried elsewhere."""


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
        matched = int(_agreement(rows, wanted, vertex).sum())
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
        matched = int(_agreement(rows, wanted, trial).sum())
        if matched <= most:
            break
        best, most = trial.copy(), matched
        if matched == 2 * len(template.edges):
            break
        _take_out(rows, wanted, trial)
    _place_pieces(graph, template, best)
    _fill(graph, template, best)
    _improve(rows, wanted, best, PASSES)
    place = np.empty(graph.n, np.int64)
    place[best] = np.arange(graph.n)
    edges = unique_edges(
        graph.n, place[template.edges[:, 0]], place[template.edges[:, 1]]
    )
    matched = int(_agreement(rows, wanted, best).sum()) // 2
    return Fit(name, edges, len(edges) - matched, len(graph.edges) - matched)


def agreeing(graph: Graph, template: Graph, vertex: Ints) -> int:
    """Count the edges of a graph that a partial map puts on the template's."""
    rows, wanted = (graph.indptr, graph.indices), (template.indptr, template.indices)
    return int(_agreement(rows, wanted, vertex).sum()) // 2


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


_Rows = tuple[Ints, Indices]


@numba.njit(nogil=True, cache=True)
def _agreement(rows: _Rows, wanted: _Rows, vertex: Ints) -> Ints:
    # neighbours of each vertex that the template has beside it, too
    indptr, indices = rows
    tptr, tind = wanted
    n = len(vertex)
    mark = np.full(n, -1, np.int64)
    agree = np.zeros(n, np.int64)
    for v in range(n):
        if vertex[v] < 0:
            continue
        for k in range(tptr[vertex[v]], tptr[vertex[v] + 1]):
            mark[tind[k]] = v
        for k in range(indptr[v], indptr[v + 1]):
            place = vertex[indices[k]]
            if place >= 0 and mark[place] == v:
                agree[v] += 1
    return agree


@numba.njit(nogil=True, cache=True)
def _keep_largest(rows: _Rows, wanted: _Rows, vertex: Ints) -> None:
    # the largest piece of vertices all of whose edges agree
    indptr, indices = rows
    n = len(vertex)
    agree = _agreement(rows, wanted, vertex)
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
def _take_out(rows: _Rows, wanted: _Rows, vertex: Ints) -> None:
    agree = _agreement(rows, wanted, vertex)
    for v in range(len(vertex)):
        if vertex[v] >= 0:
            here = rows[0][v + 1] - rows[0][v]
            there = wanted[0][vertex[v] + 1] - wanted[0][vertex[v]]
            if 2 * agree[v] < min(here, there) or agree[v] == 0:
                vertex[v] = -1


@numba.njit(nogil=True, cache=True)
def _fits(rows: _Rows, wanted: _Rows, vertex: Ints, v: int, mark: Ints) -> int:
    # neighbours of one vertex that the template has beside it, too
    tptr, tind = wanted
    count = 0
    place = vertex[v]
    for k in range(tptr[place], tptr[place + 1]):
        mark[tind[k]] = 1
    for k in range(rows[0][v], rows[0][v + 1]):
        count += mark[vertex[rows[1][k]]]
    for k in range(tptr[place], tptr[place + 1]):
        mark[tind[k]] = 0
    return count


@numba.njit(nogil=True, cache=True)
def _improve(  # noqa: C901 - tries and undoes
    rows: _Rows, wanted: _Rows, vertex: Ints, passes: int
) -> None:
    """Exchange badly placed vertices with others while that matches more edges."""
    indptr, indices = rows
    tptr, tind = wanted
    n = len(vertex)
    at = np.empty(n, np.int64)
    for v in range(n):
        at[vertex[v]] = v
    mark = np.zeros(n, np.int64)
    votes = np.zeros(n, np.int64)
    for _ in range(passes):
        changed = False
        agree = _agreement(rows, wanted, vertex)
        for v in range(n):
            here = indptr[v + 1] - indptr[v]
            there = tptr[vertex[v] + 1] - tptr[vertex[v]]
            if agree[v] >= min(here, there):
                continue
            if here > 256:
                continue
            place, top = -1, 0
            for k in range(indptr[v], indptr[v + 1]):
                beside = vertex[indices[k]]
                for j in range(tptr[beside], tptr[beside + 1]):
                    t = tind[j]
                    votes[t] += 1
                    if votes[t] > top and t != vertex[v]:
                        place, top = t, votes[t]
            for k in range(indptr[v], indptr[v + 1]):
                beside = vertex[indices[k]]
                for j in range(tptr[beside], tptr[beside + 1]):
                    votes[tind[j]] = 0
            if place < 0:
                continue
            other = at[place]
            before = _fits(rows, wanted, vertex, v, mark)
            before += _fits(rows, wanted, vertex, other, mark)
            old = vertex[v]
            vertex[v], vertex[other] = place, old
            after = _fits(rows, wanted, vertex, v, mark)
            after += _fits(rows, wanted, vertex, other, mark)
            if after > before:
                at[place], at[old] = v, other
                changed = True
            else:
                vertex[v], vertex[other] = old, place
        if not changed:
            return
