"""Lattices whose stencil has no name: its offsets are read off the graph.

Rings with steps of 1 and 4, long arms, moves of any kind. In rank order every pair of
ranks shows its offset, and a lattice it is if each offset is there wherever it can be.
Under other numberings parallel edges show them.
"""

import itertools
import math
from collections.abc import Iterator

import numpy as np

from topoview.model import Bools, Ints, Topology
from topoview.progress import breathe
from topoview.topology.circulants import circulants
from topoview.topology.exact import Exact
from topoview.topology.factorisation import factorisations
from topoview.topology.graph import Graph
from topoview.topology.kinds.product import same_edges
from topoview.topology.lattice import lattice, row_major_places, strides_of
from topoview.topology.named import numbered_codes
from topoview.topology.translated import translated_lattices

FEWEST = 8
"""Vertices below which most graphs are stencils of some kind."""

MOST = 16
"""Offsets of a stencil, one of each +/- pair."""

CARRIED = 4
"""Of so many vertices one must have an edge along each offset, so that no single edge
counts as an offset of its own."""

NARROW = 4
"""Extent below which an axis has too little room for a stencil of its own."""

MOST_TRIED = 4096
"""Vertices up to which rings and chains of all steps are tried one by one."""

SAMPLE = 512
"""Edges that exclude most dims."""


def own_stencils(graph: Graph) -> list[Exact]:
    """Find the lattice with a stencil of its own that a connected graph exactly is.

    In rank order with up to three dims; under any numbering where parallel edges show.
    Where half of the ranks are partners most graphs are stencils of some kind: then it
    must be in rank order, with so few steps as it takes to reach all ranks by doubling.

    Returns
    -------
    list of Exact
        Fewest offsets first; empty if there is none.
    """
    degree, doublings = int(graph.degree.max()), (graph.n - 1).bit_length()
    if graph.n < FEWEST or degree > min(2 * MOST, max(graph.n // 2, 2 * doublings)):
        return []
    if 2 * degree > graph.n:
        return _in_rank_order(graph, doublings)
    return (
        _in_rank_order(graph)
        or [one for one in translated_lattices(graph) if _telling(one.topology)]
        or (circulants(graph) if graph.n <= MOST_TRIED else [])
    )


def _telling(topology: Topology) -> bool:
    """Tell whether a lattice explains a graph: see `CARRIED` and `NARROW`."""
    dims, offsets = topology.dims, np.array(topology.offsets)
    open_axes = ~np.array(topology.periodic)
    room = np.where(open_axes, np.array(dims) - np.abs(offsets), dims)
    carried = (room / np.array(dims)).prod(axis=1)
    return bool((CARRIED * carried >= 1).all()) and not _cramped(offsets, dims)


def _in_rank_order(graph: Graph, most_steps: int = MOST) -> list[Exact]:
    n, ranks = graph.n, np.arange(graph.n)
    rng = np.random.default_rng(1)
    some = graph.edges
    if len(some) > SAMPLE:
        some = some[rng.choice(len(some), SAMPLE, replace=False)]
    found: list[tuple[int, Exact]] = []
    for dims in _shapes(n):
        breathe()
        strides, extents = strides_of(dims), np.array(dims)
        ends = some.astype(np.int64)[:, :, None] // strides % extents
        seen = ends[:, 1] - ends[:, 0]
        for wraps in itertools.product((True, False), repeat=len(dims)):
            breathe()
            most = found[0][0] - 1 if found else most_steps
            flags = np.array(wraps)
            if len(_offsets(seen, dims, flags)[0]) > most:
                continue
            places = row_major_places(n, dims).astype(np.int64)
            breathe()
            every = places[graph.edges[:, 1]] - places[graph.edges[:, 0]]
            breathe()
            offsets, counts = _offsets(every, dims, flags)
            if len(offsets) > most or CARRIED * counts.min() < n:
                continue
            if _cramped(offsets, dims):
                continue
            topology = lattice(dims, wraps, tuple(map(tuple, offsets.tolist())))
            if same_edges(graph, topology.edges, ranks):
                found.insert(0, (len(offsets), Exact(topology, ranks, 0.0)))
    return [one for _, one in found[:1]]


def _cramped(offsets: Ints, dims: tuple[int, ...]) -> bool:
    """Tell whether steps other than to the neighbour are taken on a narrow axis."""
    narrow = np.array(dims) < NARROW
    across = (offsets[:, narrow] != 0).any(axis=1)
    return len(dims) > 1 and bool((np.abs(offsets[across]).sum(axis=1) > 1).any())


def _shapes(n: int) -> Iterator[tuple[int, ...]]:
    for d in (1, 2, 3):
        for dims in factorisations(n, d):
            yield from sorted(set(itertools.permutations(dims)))


def _offsets(steps: Ints, dims: tuple[int, ...], wraps: Bools) -> tuple[Ints, Ints]:
    """Count the different offsets among differences of places.

    Returns
    -------
    offsets : int64, shape (k, d)
        One of each +/- pair, the shortest way round.
    counts : int64, shape (k,)
        How often each occurs.
    """
    extents = np.array(dims)
    low = (extents - 1) // 2
    widths = 2 * extents
    weights = np.array([math.prod(widths[i + 1 :].tolist()) for i in range(len(dims))])

    def numbers(signed: Ints) -> Ints:
        folded = np.where(wraps, (signed + low) % extents - low, signed)
        written: Ints = (folded + extents) @ weights
        return written

    # of an offset and its opposite the one whose first step is positive is larger
    one = numbers(steps)
    breathe()
    codes = np.maximum(one, numbers(-steps))
    breathe()
    unique, number = numbered_codes(codes)
    counts = np.bincount(number, minlength=len(unique))
    return unique[:, None] // weights % widths - extents, counts
