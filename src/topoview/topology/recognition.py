"""Which lattice a connected graph exactly is, under any numbering."""

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from topoview.model import Topology
from topoview.progress import breathe
from topoview.topology.aliases import lattice_aliases
from topoview.topology.exact import FEW, Exact
from topoview.topology.graph import Graph, graph_of
from topoview.topology.kinds.product import (
    Axis,
    offsets_between,
    product_axes,
    ring_of_four,
    same_edges,
)
from topoview.topology.lattice import lattice
from topoview.topology.near import Near, near
from topoview.topology.orientation import (
    Oriented,
    fold_pairs,
    orient,
)
from topoview.topology.relations import diamond_classes
from topoview.topology.stencils import plain, stencil_of
from topoview.topology.strong import strong_axes
from topoview.topology.templates import template_axes
from topoview.topology.unfolding import unfolded_axes

WIDEST = 128
"""Neighbours beyond which the local relations cost too much; lattices have few."""


FEW_ENOUGH = 4096
"""Vertices up to which all ways to pair axes of 2 are held against rank order."""


def naturalness(dims: tuple[int, ...], distance: float) -> tuple[float, float, float]:
    """Sort key of lattices: nearest to row-major order, then simplest.

    Distances beyond one half come from numberings that follow nothing; they do
    not say which match is meant. Simplest is what has fewest dimensions, but a
    cube of 8 is simpler than 4 x 2, and a hypercube than a torus beyond 3D.
    """
    simplicity = float(len(dims))
    if len(dims) > 2 and set(dims) == {2}:
        simplicity = 1.5 if len(dims) == 3 else 3.5
    by_chance = distance > 0 and math.prod(dims) <= FEW
    return 0.5 if by_chance else min(distance, 0.5), simplicity, distance


def lattices(graph: Graph) -> list[Exact]:
    """Find the lattice that a connected graph exactly is, the most natural one.

    Returns
    -------
    list of Exact
        One; empty if it is no lattice.
    """
    if graph.n < 2 or graph.degree.max() > WIDEST:
        return []
    if graph.n > 3 and graph.degree.min() == graph.n - 1:
        return []  # all-to-all: a box of 2 x 2 is less to the point
    moved = near(graph)
    breathe()
    found: list[Exact] = []
    for axes_of in METHODS.values():
        choices = [orient(moved.graph, axes, moved.order) for axes in axes_of(moved)]
        choices.sort(key=lambda choice: naturalness(choice.dims, choice.distance))
        breathe()
        for oriented in choices:
            exact = _exact(moved, oriented)
            if exact is not None:
                found.append(exact)
                break
        if found and not _cramped(found[-1].topology):
            break
    found.sort(key=lambda exact: naturalness(exact.topology.dims, exact.distance))
    names = tuple(exact.topology.name for exact in found[1:])
    return [replace(exact, also=exact.also + names) for exact in found[:1]]


def _cramped(topology: Topology) -> bool:
    """Tell whether a stencil is found on 2 places, where others may fit better."""
    d = len(topology.dims)
    return min(topology.dims) == 2 and set(topology.offsets) != set(plain(d))


def _exact(moved: Near, oriented: Oriented) -> Exact | None:
    offsets = offsets_between(moved.graph, list(oriented.axes))
    if offsets is None or not stencil_of(offsets, len(oriented.axes)):
        return None
    flags = _periods(oriented), [axis.wraps for axis in oriented.axes]
    for periodic in flags[: 1 + (flags[0] != flags[1])]:
        breathe()
        topology = lattice(oriented.dims, periodic, tuple(offsets))
        breathe()
        if same_edges(moved.graph, topology.edges, oriented.vertex):
            vertex = oriented.vertex[moved.number]
            also = lattice_aliases(topology)
            return Exact(topology, vertex, oriented.distance, also)
    return None


def _periods(oriented: Oriented) -> list[bool]:
    # an axis of 2 is mostly the same open and closed: it counts as closed where
    # all others are, so that a torus is called one
    larger = [axis.wraps for axis in oriented.axes if axis.extent > 2]
    closed = bool(larger) and all(larger)
    return [axis.wraps or (closed and axis.extent == 2) for axis in oriented.axes]


def _cartesian(moved: Near) -> list[list[Axis]]:
    graph = moved.graph
    axes = unfolded_axes(graph)
    if axes is None:
        return []
    folded = fold_pairs(graph, axes, moved.order)
    twos = [axis for axis in folded if axis.extent == 2]
    choices = [folded]
    if len(folded) < len(axes):
        choices.append(axes)
    if len(twos) > 1 and graph.n <= FEW_ENOUGH:
        rest = [axis for axis in folded if axis.extent != 2]
        pairs = zip(twos[::2], twos[1::2], strict=False)
        rings = [ring_of_four(a, b) for a, b in pairs]
        choices.append(rest + rings + twos[len(twos) - len(twos) % 2 :])
    return choices


def _triangular(moved: Near) -> list[list[Axis]]:
    graph = moved.graph
    if graph.degree.max() > 6 or graph.triangles.max(initial=0) != 2:
        return []
    breathe()
    classes = diamond_classes(graph)
    breathe()
    if classes.max() != 2:
        return []
    choices = []
    for dropped in range(3):
        kept = classes != dropped
        rest = graph_of(graph.n, np.ascontiguousarray(graph.edges[kept]))
        breathe()
        if not rest.connected:
            continue
        # the two classes that stay are numbered 0 and 1
        breathe()
        axes = product_axes(rest, (classes[kept] > (dropped == 0)).astype(np.int64))
        if axes is not None:
            choices.append(axes)
    return choices


METHODS: dict[str, Callable[[Near], list[list[Axis]]]] = {
    "Cartesian product": _cartesian,
    "triangular": _triangular,
    "strong product": lambda moved: strong_axes(moved.graph),
    "template": template_axes,
}
"""Ways to find axes, cheapest and most frequent first; each result is verified."""
