"""Which lattice a connected graph exactly is, under any numbering."""

from collections.abc import Callable, Iterator

import numpy as np

from topoview.model import Ints, Topology
from topoview.topology.graph import Graph, graph_of
from topoview.topology.lattice import lattice
from topoview.topology.orientation import (
    Oriented,
    fold_pairs,
    orient,
    ring_of_four,
)
from topoview.topology.product import (
    Axis,
    offsets_between,
    product_axes,
    same_edges,
)
from topoview.topology.relations import diamond_classes, square_classes
from topoview.topology.stencils import stencil_of
from topoview.topology.strong import strong_axes
from topoview.topology.templates import template_axes

Found = tuple[Topology, Ints, float]
"""An exact match: topology, vertex of each of the graph's, distance to row-major."""


def naturalness(found: Found) -> tuple[float, int, float]:
    """Sort exact matches: nearest to row-major order, then fewest dimensions.

    Distances beyond one half come from numberings that follow nothing; they say
    nothing about which match is meant.
    """
    topology, _, distance = found
    return min(distance, 0.5), len(topology.dims), distance


WIDEST = 128
"""Neighbours beyond which the local relations cost too much; lattices have few."""


def lattices(graph: Graph) -> list[Found]:
    """Find the lattices that a connected graph exactly is.

    Returns
    -------
    list of (Topology, vertices, distance)
        Nearest to row-major order first; empty if it is no lattice.
    """
    if graph.n < 2 or graph.degree.max() > WIDEST:
        return []
    for axes_of in METHODS.values():
        found = [exact for axes in axes_of(graph) for exact in _exact(graph, axes)]
        if found:
            return sorted(found, key=naturalness)
    return []


def _exact(graph: Graph, axes: list[Axis]) -> Iterator[Found]:
    oriented = orient(graph, axes)
    offsets = offsets_between(graph, list(oriented.axes))
    d = len(oriented.axes)
    if offsets is None or not stencil_of(offsets, d):
        return
    topology = lattice(oriented.dims, _periods(oriented), tuple(offsets))
    if same_edges(graph, topology.edges, oriented.vertex):
        yield topology, oriented.vertex, oriented.distance


def _periods(oriented: Oriented) -> list[bool]:
    # an axis of 2 is the same open and closed: it counts as closed where all
    # others are, so that a torus is called one
    larger = [axis.wraps for axis in oriented.axes if axis.extent > 2]
    closed = bool(larger) and all(larger)
    return [axis.wraps or (closed and axis.extent == 2) for axis in oriented.axes]


def _cartesian(graph: Graph) -> list[list[Axis]]:
    axes = product_axes(graph, square_classes(graph))
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
    return choices


def _triangular(graph: Graph) -> list[list[Axis]]:
    classes = diamond_classes(graph)
    if classes.max() != 2:
        return []
    choices = []
    for dropped in range(3):
        kept = classes != dropped
        rest = graph_of(graph.n, np.ascontiguousarray(graph.edges[kept]))
        if rest.components > 1:
            continue
        axes = product_axes(rest, np.unique(classes[kept], return_inverse=True)[1])
        if axes is not None:
            choices.append(axes)
    return choices


METHODS: dict[str, Callable[[Graph], list[list[Axis]]]] = {
    "Cartesian product": _cartesian,
    "triangular": _triangular,
    "strong product": strong_axes,
    "template": template_axes,
}
"""Ways to find axes, cheapest and most frequent first; each result is verified."""
