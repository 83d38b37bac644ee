"""Parallel edges of a graph that looks the same from each inner vertex.

In a lattice a step from a vertex and the same step from its neighbour are opposite
sides of a parallelogram. So what steps lead from a vertex where follows from its
neighbour's: the step that a neighbour is reached by must be beside it, and steps whose
ends are neighbours lead to neighbours everywhere. Graphs of which this holds at each
vertex are Cayley graphs of abelian groups (Babai, 1995, "Automorphism groups,
isomorphism, reconstruction", Handbook of Combinatorics, section 3.3).
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numba
import numpy as np

from topoview.model import Bools, Indices, Ints
from topoview.topology.graph import Graph
from topoview.topology.growth_votes import Rows
from topoview.topology.translations_local import steps_from

MOST = 48
"""Neighbours of a vertex up to which steps are told apart."""

GUESSES = 16
"""How often one of several ways to name a vertex' steps is taken."""

BEGINNINGS = 24
"""How often it is begun anew if that led nowhere."""


@dataclass(frozen=True, slots=True, eq=False)
class Steps:
    """Steps of a graph: along parallel edges.

    Attributes
    ----------
    known : bool, shape (n,)
        Vertices whose steps are known: those of full degree that such ones join.
    ends : int32, shape (n, degree)
        Where each step leads from each of these.
    generator : int64, shape (degree,)
        Number of each step, the same for a step and its opposite.
    sign : int64, shape (degree,)
        1 for one of them, -1 for the other.
    place : int64, shape (n, generators)
        A way from the first of these vertices to each: how often each step is taken.
    """

    known: Bools
    ends: Indices
    generator: Ints
    sign: Ints
    place: Ints


def parallel_steps(graph: Graph) -> Iterator[Steps]:
    """Find which edges are parallel; several ways if there is no telling.

    They are not verified. Linear in the edges for graphs of the same degree.
    """
    widest = int(graph.degree.max(initial=0))
    if not 2 <= widest <= MOST:
        return
    full = graph.degree == widest
    rows = (graph.indptr, graph.indices)
    root = _innermost(rows, full)
    inner = _inner(rows, full)
    rng = np.random.default_rng(1)
    for _ in range(BEGINNINGS):
        known, ends, opposite, guesses = _named(
            rows, full, inner, root, rng.permutation(widest)
        )
        if known[root] and (opposite >= 0).all():
            yield _steps(root, known, ends, opposite)
        if not guesses:
            return


def _steps(root: int, known: Bools, ends: Indices, opposite: Ints) -> Steps:
    least = np.minimum(opposite, np.arange(len(opposite)))
    generator: Ints = np.unique(least, return_inverse=True)[1].astype(np.int64)
    sign = np.where(least == np.arange(len(opposite)), 1, -1)
    many = int(generator.max()) + 1
    place = _ways(ends, known, root, generator, sign, many)
    return Steps(known, ends, generator, sign, place)


@numba.njit(nogil=True, cache=True)
def _innermost(rows: Rows, full: Bools) -> int:
    # of full degree, farthest from all vertices that are not
    indptr, indices = rows
    n = len(full)
    distance = np.full(n, -1, np.int64)
    queue = np.empty(n, np.int64)
    head = tail = 0
    for v in range(n):
        if not full[v]:
            distance[v] = 0
            queue[tail] = v
            tail += 1
    if tail == 0:
        return 0
    while head < tail:
        v = queue[head]
        head += 1
        for k in range(indptr[v], indptr[v + 1]):
            if distance[indices[k]] < 0:
                distance[indices[k]] = distance[v] + 1
                queue[tail] = indices[k]
                tail += 1
    return int(queue[tail - 1])


@numba.njit(nogil=True, cache=True)
def _inner(rows: Rows, full: Bools) -> Bools:
    # whether all neighbours are of full degree, and the vertex is
    indptr, indices = rows
    found = full.copy()
    for v in range(len(full)):
        for k in range(indptr[v], indptr[v + 1]):
            found[v] &= full[indices[k]]
    return found


@numba.njit(nogil=True, cache=True)
def _named(  # noqa: C901 - a queue, and what must wait
    rows: Rows, full: Bools, inner: Bools, root: int, order: Ints
) -> tuple[Bools, Indices, Ints, int]:
    # `known[root]` is False if there is no way to name the steps
    indptr, indices = rows
    n, degree = len(full), len(order)
    ends = np.full((n, degree), -1, np.int32)
    opposite = np.full(degree, -1, np.int64)
    known = np.zeros(n, np.bool_)
    waits = np.zeros(n, np.bool_)
    at = np.full(n, -1, np.int64)
    for s in range(degree):
        ends[root, s] = indices[indptr[root] + order[s]]
    known[root] = True
    queue = np.empty(n, np.int64)
    queue[0] = root
    waiting = np.empty(n, np.int64)
    head, tail, many, guesses = 0, 1, 0, 0
    guess = False
    while True:
        while head < tail:
            v = queue[head]
            head += 1
            for s in range(degree):
                w = ends[v, s]
                if not full[w] or known[w]:
                    continue
                found = steps_from(
                    rows, known, inner, ends, opposite, at, w, guess=False
                )
                if found == 0:
                    known[root] = False
                    return known, ends, opposite, guesses
                if found == 1:
                    known[w] = True
                    queue[tail] = w
                    tail += 1
                elif not waits[w]:
                    waits[w] = True
                    waiting[many] = w
                    many += 1
        left = 0
        for i in range(many):
            w = waiting[i]
            if known[w]:
                continue
            found = 2
            if head == tail:
                found = steps_from(rows, known, inner, ends, opposite, at, w, guess)
                if found == 0:
                    known[root] = False
                    return known, ends, opposite, guesses
            if found == 1:
                known[w] = True
                queue[tail] = w
                tail += 1
                guess = False
            else:
                waiting[left] = w
                left += 1
        many = left
        if head == tail:
            if many == 0:
                return known, ends, opposite, guesses
            if guess or guesses == GUESSES:
                known[root] = False
                return known, ends, opposite, guesses
            guess = True
            guesses += 1


@numba.njit(nogil=True, cache=True)
def _ways(  # noqa: PLR0913 - a search by breadth
    ends: Indices, known: Bools, root: int, generator: Ints, sign: Ints, many: int
) -> Ints:
    n, degree = ends.shape
    place = np.zeros((n, many), np.int64)
    seen = np.zeros(n, np.bool_)
    queue = np.empty(n, np.int64)
    queue[0] = root
    seen[root] = True
    head, tail = 0, 1
    while head < tail:
        v = queue[head]
        head += 1
        for s in range(degree):
            w = ends[v, s]
            if known[w] and not seen[w]:
                seen[w] = True
                place[w] = place[v]
                place[w, generator[s]] += sign[s]
                queue[tail] = w
                tail += 1
    return place
