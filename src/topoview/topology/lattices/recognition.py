"""Which lattice a connected graph exactly is, under any numbering.

`METHODS` lists the ways to find its axes, cheapest first: grids and tori are unfolded
from one vertex, all others are compared with templates. Then the axes are turned to
rank order, the stencil is read off, and every edge is verified.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from topoview.base.threads import in_parts
from topoview.model import Topology
from topoview.topology.graph.graph import Graph, rows_among
from topoview.topology.graph.products import (
    LatticeAxis,
    path_factors,
    product_places,
    ring_of_four,
)
from topoview.topology.lattices import kernels
from topoview.topology.lattices.lattice import (
    as_lattice,
    fills,
    lattice_aliases,
    offsets_between,
    plain,
    stencil_of,
)
from topoview.topology.lattices.orientation import OrientedLattice, fold_pairs, orient
from topoview.topology.lattices.templates import template_axes
from topoview.topology.members import MAX_ORDERED_BY_CHANCE, ExactMatch

# Grids and tori by unfolding them from one vertex, in linear time.


def unfolded_axes(graph: Graph) -> list[LatticeAxis] | None:
    """Coordinates of a connected graph that is a product of paths and cycles.

    Edges at one vertex that span exactly one square lie on different axes. From
    there on each vertex takes of two neighbours nearer to the first one, which
    differ in two coordinates, the further of both (after Imrich, Peterin, 2007,
    "Recognizing Cartesian products in linear time", Discrete Math. 307).

    Returns
    -------
    list of Axis, or None
        To be verified; None if it is no such product.
    """
    axis, count = kernels.axes_at_first(graph.indptr, graph.indices)
    if not count or np.bincount(axis).max() > 2:
        return None
    located = product_places(graph, axis, count)
    if located is None:
        return None
    moved, along = graph.outwards, located.along
    few = np.flatnonzero(along > -2)
    begins, there = rows_among(*moved.rows, few)
    here = np.repeat(np.arange(len(few)), np.diff(begins))
    u, v = (few[end[here < there]] for end in (here, there))
    classes = np.maximum(along[u], along[v]).astype(np.int64)
    if any(((along[end] >= 0) & (along[end] != classes)).any() for end in (u, v)):
        return None
    ends = np.stack([located.column(classes, u), located.column(classes, v)], 1)
    factors = path_factors(graph, ends, classes, located.extents)
    if factors is None:
        return None

    def laid_along(c: int) -> LatticeAxis:
        number, wraps = factors[c]
        place = number[located.column(c, moved.number)]
        return LatticeAxis(len(number), wraps, place)

    return in_parts(laid_along, range(count))


MAX_DEGREE = 128
"""Neighbours beyond which the local relations cost too much; lattices have few."""


def naturalness(dims: tuple[int, ...], distance: float) -> tuple[float, float, float]:
    """Sort key of lattices: nearest to row-major order, then simplest.

    Distances beyond one half come from numberings that follow nothing; they do
    not say which match is meant. Simplest is what has fewest dimensions, but a
    cube of 8 is simpler than 4 x 2, and a hypercube than a torus beyond 3D.
    """
    simplicity = float(len(dims))
    if len(dims) > 2 and set(dims) == {2}:
        simplicity = 1.5 if len(dims) == 3 else 3.5
    by_chance = distance > 0 and math.prod(dims) <= MAX_ORDERED_BY_CHANCE
    return 0.5 if by_chance else min(distance, 0.5), simplicity, distance


def lattices(graph: Graph) -> list[ExactMatch]:
    """Find the lattice that a connected graph exactly is, the most natural one.

    Returns
    -------
    list of Exact
        One; empty if it is no lattice.
    """
    if graph.n < 2 or graph.degree.max() > MAX_DEGREE:
        return []
    if graph.n > 3 and graph.degree.min() == graph.n - 1:
        return []  # all-to-all: a box of 2 x 2 is less to the point
    matches: list[ExactMatch] = []
    for axes_of in METHODS.values():
        choices = [(orient(graph, axes), template) for axes, template in axes_of(graph)]
        choices.sort(key=lambda one: naturalness(one[0].dims, one[0].distance))
        for oriented, template in choices:
            exact = _exact(graph, oriented, template)
            if exact is not None:
                matches.append(exact)
                if axes_of is not template_axes:  # its choices have several names
                    break
        if matches and not cramped(matches[-1].topology):
            break
    matches.sort(key=lambda exact: naturalness(exact.topology.dims, exact.distance))
    names = dict.fromkeys(exact.topology.name for exact in matches)
    return [
        replace(exact, also=(*exact.also, *list(names)[1:])) for exact in matches[:1]
    ]


def cramped(topology: Topology) -> bool:
    """Return whether a stencil is found on 2 places, where others may fit better."""
    d = len(topology.dims)
    on_two = topology.is_lattice and min(topology.dims) == 2
    return on_two and set(topology.offsets) != set(plain(d))


def _exact(
    graph: Graph, oriented: OrientedLattice, template: Topology | None
) -> ExactMatch | None:
    offsets = offsets_between(graph.edges, oriented.axes)
    if not stencil_of(offsets, len(oriented.axes)):
        return None
    flags = _periods(oriented), tuple(axis.wraps for axis in oriented.axes)
    for periodic in flags[: 1 + (flags[0] != flags[1])]:
        topology = as_lattice(oriented.dims, periodic, offsets, template)
        if fills(graph, topology, oriented.vertex):
            also = lattice_aliases(topology)
            return ExactMatch(topology, oriented.vertex, oriented.distance, also)
    return None


def _periods(oriented: OrientedLattice) -> tuple[bool, ...]:
    # an axis of 2 is mostly the same open and closed: it counts as closed where
    # all others are, so that a torus is called one
    larger = [axis.wraps for axis in oriented.axes if axis.extent > 2]
    closed = bool(larger) and all(larger)
    return tuple(axis.wraps or (closed and axis.extent == 2) for axis in oriented.axes)


def _cartesian(graph: Graph) -> list[tuple[list[LatticeAxis], None]]:
    axes = unfolded_axes(graph)
    if axes is None:
        return []
    folded = fold_pairs(graph, axes)
    twos = [axis for axis in folded if axis.extent == 2]
    choices = [folded]
    if len(folded) < len(axes):
        choices.append(axes)
    if len(twos) > 1:
        rest = [axis for axis in folded if axis.extent != 2]
        pairs = zip(twos[::2], twos[1::2], strict=False)
        rings = [ring_of_four(a, b) for a, b in pairs]
        choices.append(rest + rings + twos[len(twos) - len(twos) % 2 :])
    return [(choice, None) for choice in choices]


Proposal = tuple[list[LatticeAxis], Topology | None]
"""Axes of what may be a lattice, and the one that it looks like if that was made."""

METHODS: dict[str, Callable[[Graph], Sequence[Proposal]]] = {
    "Cartesian product": _cartesian,
    "template": template_axes,
}
"""Ways to find axes, cheapest and most frequent first; each result is verified."""
