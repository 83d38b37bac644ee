"""Parallel edges of a graph that looks the same from each inner vertex.

In a lattice a step from a vertex and the same step from its neighbour are opposite
sides of a parallelogram, so that the steps from a vertex follow from those of its
neighbours. Graphs of which this holds everywhere are Cayley graphs of abelian groups
(Babai, 1995, "Automorphism groups, isomorphism, reconstruction", Handbook of
Combinatorics, section 3.3).
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from topoview.model import Bools, Indices, Ints
from topoview.topology.graph.graph import Graph, distances_from, graph_of
from topoview.topology.lattices import parallel_edges_kernels

MAX_DEGREE = 48
"""Neighbours of a vertex up to which steps are told apart."""

MAX_BEGINNINGS = 24
"""How often it is begun anew if that led nowhere."""


@dataclass(frozen=True, slots=True, eq=False)
class ParallelSteps:
    """Steps of a graph: along parallel edges."""

    reached: Bools
    """bool, shape (n,): vertices whose steps are known: those of full degree that such
    ones join."""
    ends: Indices
    """int32, shape (n, degree): where each step leads from each of these."""
    generator: Ints
    """int64, shape (degree,): number of each step, the same for a step and its
    opposite."""
    sign: Ints
    """int64, shape (degree,): 1 for one of them, -1 for the other."""
    place: Ints
    """int64, shape (n, generators): A way from the first of these vertices to each: how
    often each step is taken."""


def parallel_steps(graph: Graph) -> Iterator[ParallelSteps]:
    """Find which edges are parallel; several ways if there is no telling.

    They are not verified. Linear in the edges for graphs of the same degree.
    """
    widest = int(graph.degree.max(initial=0))
    if not 2 <= widest <= MAX_DEGREE:
        return
    full = graph.degree == widest
    root = _innermost(graph, full)
    inner = _inner(graph, full)
    rng = np.random.default_rng(1)
    for _ in range(MAX_BEGINNINGS):
        reached, ends, opposite, guesses = parallel_edges_kernels.name_steps(
            graph.indptr, graph.indices, full, inner, root, rng.permutation(widest)
        )
        if reached[root] and (opposite >= 0).all():
            yield _steps(graph, root, reached, ends, opposite)
        if not guesses:
            return


def _steps(
    graph: Graph, root: int, reached: Bools, ends: Indices, opposite: Ints
) -> ParallelSteps:
    least = np.minimum(opposite, np.arange(len(opposite)))
    generator: Ints = np.unique(least, return_inverse=True)[1].astype(np.int64)
    sign = np.where(least == np.arange(len(opposite)), 1, -1)
    place = _ways(graph, root, reached, ends, (generator, sign))
    return ParallelSteps(reached, ends, generator, sign, place)


def _ways(
    graph: Graph, root: int, reached: Bools, ends: Indices, steps: tuple[Ints, Ints]
) -> Ints:
    """Count how often each step is taken on a shortest way from one vertex to each."""
    inside = reached[graph.edges].all(axis=1)
    within = graph_of(graph.n, np.ascontiguousarray(graph.edges[inside]))
    distance, order = distances_from(within, np.array([root]))
    generator, sign = steps
    ways = np.zeros((graph.n, int(generator.max()) + 1), np.int64)
    above, here = np.arange(graph.n), order[1:]
    nearer = reached[ends[here]] & (distance[ends[here]] < distance[here, None])
    back = nearer.argmax(axis=1)
    above[here] = ends[here, back]
    ways[here, generator[back]] = -sign[back]
    while (above[here] != root).any():  # twice as far each time
        ways += ways[above]
        above = above[above]
    return ways


def _innermost(graph: Graph, full: Bools) -> int:
    """Find a vertex of full degree, farthest from all that are not."""
    _, order = distances_from(graph, np.flatnonzero(~full))
    return int(order[-1]) if len(order) else 0


def _inner(graph: Graph, full: Bools) -> Bools:
    """Return which vertices are of full degree, as all their neighbours are."""
    result = full.copy()
    result[graph.edges[~full[graph.edges[:, 1]], 0]] = False
    result[graph.edges[~full[graph.edges[:, 0]], 1]] = False
    return result
