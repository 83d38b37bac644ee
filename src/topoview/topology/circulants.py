"""Rings and chains with several steps, under any numbering.

A ring on which each rank has partners at certain distances is a circulant graph.
Multiplying all steps by a number that has no divisor in common with the ring's length
gives the same graph, so that the first step can be taken as a divisor of the length
(Elspas, Turner, 1970, "Graphs with circulant adjacency matrices", J. Combin. Theory 9).
"""

import itertools
import math
from collections.abc import Iterator

import numba
import numpy as np

from topoview.model import Bools, Ints
from topoview.topology.exact import Exact, rank_distance
from topoview.topology.graph import Graph, graph_of
from topoview.topology.isomorphism import isomorphism
from topoview.topology.lattice import lattice
from topoview.topology.rings import distance_rings
from topoview.topology.signature import degrees_of
from topoview.topology.stencil_degrees import degree_histogram

MOST_STEPS = 4
"""Steps up to which rings are tried."""

WORK = 20_000_000
"""Vertices that are looked at in all, for rings."""

TRIED = 12
"""Rings or chains that grow as the graph does and are tried as templates."""


def circulants(graph: Graph) -> list[Exact]:
    """Find the ring or chain with several steps that a connected graph exactly is.

    Returns
    -------
    list of Exact
        One, every edge verified; empty if none was found.
    """
    closed = bool((graph.degree == graph.degree[0]).all())
    shapes = _rings_like(graph) if closed else _chains_like(graph)
    for steps in itertools.islice(shapes, TRIED):
        topology = lattice((graph.n,), (closed,), tuple((s,) for s in steps))
        vertex = isomorphism(graph, graph_of(graph.n, topology.edges))
        if vertex is not None:
            return [Exact(topology, vertex, rank_distance(vertex))]
    return []


def _rings_like(graph: Graph) -> Iterator[tuple[int, ...]]:
    """List the steps of rings that have as many vertices at each distance."""
    n, degree = graph.n, int(graph.degree[0])
    half = (n // 2,) if degree % 2 else ()
    many = degree // 2
    steps = range(1, (n + 1) // 2)
    if not 0 < many <= MOST_STEPS or math.comb(len(steps), many - 1) * n > WORK:
        return
    wanted = np.array(distance_rings(graph))
    for first in (s for s in steps if n % s == 0):
        # no further step has a smaller divisor in common with the length
        others = [s for s in steps if s != first and math.gcd(s, n) >= first]
        for more in itertools.combinations(others, many - 1):
            chosen = (first, *more, *half)
            if math.gcd(n, *chosen) == 1 and _grows_so(n, np.array(chosen), wanted):
                yield tuple(sorted(chosen))


def _chains_like(graph: Graph) -> Iterator[tuple[int, ...]]:
    """List pairs of steps of chains that have as many vertices of each degree."""
    n, total = graph.n, 2 * graph.n - len(graph.edges)
    if graph.degree.max() > 4:
        return
    histogram = degrees_of(graph)
    for one in range(1, (total + 1) // 2):
        other = total - one
        if other <= n // 2 and math.gcd(one, other) == 1:
            steps = ((one,), (other,))
            if degree_histogram((n,), (False,), steps) == histogram:
                yield one, other


@numba.njit(nogil=True, cache=True)
def _grows_so(n: int, steps: Ints, wanted: Ints) -> bool:
    reached: Bools = np.zeros(n, np.bool_)
    reached[0] = True
    queue = np.empty(n, np.int64)
    queue[0] = 0
    first, last = 0, 1
    for ring in range(1, len(wanted)):
        end = last
        for i in range(first, end):
            for step in steps:
                for there in ((queue[i] + step) % n, (queue[i] - step) % n):
                    if not reached[there]:
                        reached[there] = True
                        queue[last] = there
                        last += 1
        if last - end != wanted[ring]:
            return False
        first = end
    return last == n
