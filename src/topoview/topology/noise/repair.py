"""Repair a map onto a template where it is needlessly bad: around its edits.

What grew to a place by chance stays there if a swap of two vertices makes nothing
better. So all vertices around the edits are taken out and grown anew from what is
certain, farther and farther around, and vertices change places with any that their
neighbours expect there.
"""

import numba
import numpy as np

from topoview.model import Bools, Ints
from topoview.progress import breathe
from topoview.topology.graph import Graph
from topoview.topology.growth import grow_on
from topoview.topology.growth_votes import Rows

RADII = (0, 1, 2, 3)
"""How far around edits vertices are placed anew, in turn."""

PASSES = 6
"""How often all badly placed vertices are tried elsewhere."""

BATCH = 1 << 13
"""Vertices that are looked at between two reports."""

SMALL = 1024
PROMISING = 0.6
"""Of more vertices, the share of edges that must match already: others are far off."""

WIDEST = 256
"""Neighbours beyond which a vertex is left where it is."""


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
    rows = (graph.indptr, graph.indices)
    wanted = (template.indptr, template.indices)
    best = vertex.copy()
    at_most = 2 * min(len(graph.edges), len(template.edges))
    most = int(agreement(rows, wanted, best).sum())
    if most < PROMISING * at_most and graph.n > SMALL:
        return best
    breathe()
    _improve(rows, wanted, best, PASSES)
    breathe()
    most = int(agreement(rows, wanted, best).sum())
    tried = 0
    while tried < len(RADII) and most < at_most:
        breathe()
        trial = best.copy()
        trial[_around_edits(rows, wanted, best, RADII[tried])] = -1
        tried += 1
        if (trial >= 0).sum() < graph.n // 4:
            break
        grow_on(graph, template, trial)
        breathe()
        _fill_up(trial)
        _improve(rows, wanted, trial, PASSES)
        breathe()
        matched = int(agreement(rows, wanted, trial).sum())
        if matched > most:
            best, most, tried = trial, matched, 0
    return best


def _fill_up(vertex: Ints) -> None:
    """Give vertices without a place the places that are left."""
    left = np.flatnonzero(vertex < 0)
    free = np.ones(len(vertex), bool)
    free[vertex[vertex >= 0]] = False
    vertex[left] = np.flatnonzero(free)


@numba.njit(nogil=True, cache=True)
def agreement(rows: Rows, wanted: Rows, vertex: Ints) -> Ints:
    """Count neighbours of each vertex that the template has beside it, too: (n,)."""
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
def _around_edits(rows: Rows, wanted: Rows, vertex: Ints, radius: int) -> Bools:
    # vertices at an edge that the other does not have, and those near them
    indptr = rows[0]
    tptr, tind = wanted
    n = len(vertex)
    agree = agreement(rows, wanted, vertex)
    found = np.zeros(n, np.bool_)
    for v in range(n):
        here = indptr[v + 1] - indptr[v]
        there = tptr[vertex[v] + 1] - tptr[vertex[v]]
        found[v] = agree[v] < max(here, there)
    at = np.empty(n, np.int64)
    for v in range(n):
        at[vertex[v]] = v
    for _ in range(radius):
        before = found.copy()
        for v in range(n):
            if before[v]:
                for k in range(tptr[vertex[v]], tptr[vertex[v] + 1]):
                    found[at[tind[k]]] = True
    return found


@numba.njit(nogil=True, cache=True)
def _fits(rows: Rows, wanted: Rows, vertex: Ints, v: int, mark: Ints) -> int:
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


def _improve(rows: Rows, wanted: Rows, vertex: Ints, passes: int) -> None:
    """Exchange badly placed vertices with others while that matches more edges."""
    n = len(vertex)
    at = np.empty(n, np.int64)
    at[vertex] = np.arange(n)
    mark = np.zeros(n, np.int64)
    tried = np.full(n, -1, np.int64)
    for number in range(passes):
        breathe()
        agree = agreement(rows, wanted, vertex)
        changed = False
        for begin in range(0, n, BATCH):
            breathe()
            own = begin, min(begin + BATCH, n)
            known = agree, at, tried, mark
            changed |= _improve_some(rows, wanted, vertex, known, number * n, own)
        if not changed:
            return


@numba.njit(nogil=True, cache=True)
def _improve_some(  # noqa: PLR0913 - tries and undoes
    rows: Rows,
    wanted: Rows,
    vertex: Ints,
    known: tuple[Ints, Ints, Ints, Ints],
    turn: int,
    own: tuple[int, int],
) -> bool:
    indptr, indices = rows
    tptr, tind = wanted
    agree, at, tried, mark = known
    changed = False
    for v in range(own[0], own[1]):
        here = indptr[v + 1] - indptr[v]
        there = tptr[vertex[v] + 1] - tptr[vertex[v]]
        if agree[v] >= max(here, there) or here > WIDEST:
            continue
        old, place, most = vertex[v], -1, 0
        fits = _fits(rows, wanted, vertex, v, mark)
        tried[old] = turn + v
        for k in range(indptr[v], indptr[v + 1]):
            beside = vertex[indices[k]]
            for j in range(tptr[beside], tptr[beside + 1]):
                t = tind[j]
                if tried[t] == turn + v:
                    continue
                tried[t] = turn + v
                other = at[t]
                before = fits + _fits(rows, wanted, vertex, other, mark)
                vertex[v], vertex[other] = t, old
                after = _fits(rows, wanted, vertex, v, mark)
                after += _fits(rows, wanted, vertex, other, mark)
                vertex[v], vertex[other] = old, t
                if after - before > most:
                    most, place = after - before, t
        if place >= 0:
            other = at[place]
            vertex[v], vertex[other] = place, old
            at[place], at[old] = v, other
            changed = True
    return changed
