"""The axes of tori of which some are four long: taken from what the program does.

A ring of four is a square, so two such axes together are a hypercube, in which the
bits may be paired to axes in several ways (Harary, Hayes and Wu, "A survey of the
theory of hypercube graphs", 1988, section 1). The graph cannot tell which way is
the program's; its declared Cartesian topology can, or the order of its messages.
"""

from dataclasses import replace

import numpy as np

from topoview.model import Identification, Indices, Ints, Match, Trace
from topoview.topology.lattices.lattice import strides_of


def oriented(trace: Trace, identification: Identification) -> Identification:
    """Choose the axes of a torus as the program has them, where the graph does not.

    As it is declared, else so that all ranks send first to the same neighbour, then
    to the same other one, and so on. What does not have exactly the edges seen is
    not taken. Near linear in the messages.
    """
    best = identification.best
    if not _leaves_a_choice(best):
        return identification
    for way in (_declared, _in_order):
        vertex = way(trace, best)
        if vertex is not None and _has_the_edges(best, vertex):
            return replace(
                identification,
                matches=(replace(best, vertex=vertex), *identification.matches[1:]),
            )
    return identification


def _leaves_a_choice(match: Match) -> bool:
    topology = match.topology
    if not topology.is_lattice or match.missing:
        return False
    dims, steps = topology.dims, np.abs(np.array(topology.offsets))
    return (
        np.sum(np.array(dims) == 4) > 1
        and min(dims) > 2
        and all(topology.periodic)
        and len(steps) == len(dims)
        and bool((steps.sum(axis=1) == 1).all())
        and topology.vertices == len(match.vertex)
    )


def _declared(trace: Trace, match: Match) -> Indices | None:
    """Vertex of each rank by a declared topology of all ranks."""
    dims = match.topology.dims
    for declared in trace.topologies:
        if len(declared.ranks) != trace.ranks or not all(declared.periodic):
            continue
        axes = [a for a in reversed(range(len(declared.dims))) if declared.dims[a] > 1]
        if sorted(declared.dims[a] for a in axes) != sorted(dims):
            continue
        chosen = []
        for extent in dims:
            chosen.append(next(a for a in axes if declared.dims[a] == extent))
            axes.remove(chosen[-1])
        vertex = np.full(trace.ranks, -1, np.int64)
        vertex[declared.ranks] = declared.coordinates[:, chosen] @ strides_of(dims)
        return vertex.astype(np.int32)
    return None


def _in_order(trace: Trace, match: Match) -> Indices | None:
    """Vertex of each rank if ranks send along the axes in the same order."""
    steps = _steps(trace, match)
    if steps is None:
        return None
    n = trace.ranks
    each = np.arange(n)
    commute = all(
        np.array_equal(a[b], b[a]) for i, a in enumerate(steps) for b in steps[:i]
    )
    if not commute or not np.array_equal(np.sort(steps, axis=1), [each] * len(steps)):
        return None
    # The axis to the nearest rank by number comes first, and leads that way.
    left = sorted(steps, key=lambda step: int(step[0]))
    grid: Ints = np.zeros(1, np.int64)
    for extent in match.topology.dims:
        fits = [i for i, step in enumerate(left) if _order(step) == extent]
        if not fits:
            return None
        step = left.pop(fits[0])
        left = [other for other in left if not np.array_equal(other[step], each)]
        rows = [grid]
        for _ in range(extent - 1):
            rows.append(step[rows[-1]])
        grid = np.concatenate(rows)
    if not np.array_equal(np.sort(grid), each):
        return None
    vertex = np.empty(n, np.int32)
    shape = match.topology.dims[::-1]
    places = np.stack(np.unravel_index(each, shape)[::-1], axis=1)
    vertex[grid] = places @ strides_of(match.topology.dims)
    return vertex


def _steps(trace: Trace, match: Match) -> Ints | None:
    """Rank that each rank sends to first, second, and so on, one row for each.

    None unless all send to as many ranks along the topology's edges.
    """
    messages, n = trace.messages, trace.ranks
    edges = match.rank_edges.astype(np.int64)
    wanted = np.concatenate([edges @ [n, 1], edges @ [1, n]])
    key = messages.sender.astype(np.int64) * n + messages.receiver
    chosen = np.flatnonzero((messages.send_call >= 0) & np.isin(key, wanted))
    chosen = chosen[np.argsort(messages.send_call[chosen], kind="stable")]
    pairs, first = np.unique(key[chosen], return_index=True)
    if len(pairs) != len(wanted):
        return None
    order = np.lexsort((first, pairs // n))
    steps: Ints = (pairs % n)[order].reshape(n, -1).T
    return np.ascontiguousarray(steps)


def _order(step: Ints) -> int:
    """Count the steps from rank 0 back to it."""
    count, at = 1, int(step[0])
    while at:
        count, at = count + 1, int(step[at])
    return count


def _has_the_edges(match: Match, vertex: Indices) -> bool:
    n = len(vertex)
    if not np.array_equal(np.sort(vertex), np.arange(n)):
        return False
    rank = np.empty(n, np.int64)
    rank[vertex] = np.arange(n)
    here, there = rank[match.topology.edges], match.rank_edges.astype(np.int64)
    meant, seen = np.sort(here, axis=1) @ [n, 1], np.sort(there, axis=1) @ [n, 1]
    return np.array_equal(np.sort(meant), np.sort(seen))
