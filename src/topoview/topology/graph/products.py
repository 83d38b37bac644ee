"""Cartesian products: classes of parallel edges, and the coordinates they give.

Local relations between edges tell the factors apart; the coordinates follow from the
classes, and every edge is verified.
"""

import math
from dataclasses import dataclass

import numpy as np

from topoview.grouping import counting_sort
from topoview.model import Indices, Ints, distinct
from topoview.topology.graph import product_kernels
from topoview.topology.graph.graph import (
    Graph,
    distances_from,
    edge_keys,
    graph_of,
    unique_edges,
)

# Local relations between edges that tell a lattice's directions apart.
#
# All kernels look at a vertex, its neighbours and theirs, so that they cost the sum
# of the squared degrees and work under any numbering.


def square_classes(graph: Graph) -> Ints:
    """Join edges that must lie in one prime Cartesian factor.

    Opposite edges of a unique chordless square are parallel; adjacent edges
    that do not span exactly one such square share a factor (Feder, 1992,
    "Product graph representations", J. Graph Theory 16).

    Returns
    -------
    int64, shape (edges,)
        Class of each edge, numbered densely.
    """
    widest = int(graph.degree.max(initial=0))
    rows = graph.indptr, graph.indices, graph.edge_of
    return _dense(product_kernels.find_squares(*rows, len(graph.edges), widest))


def _dense(parent: Ints) -> Ints:
    """Enumerate the trees of a forest of parents, without gaps."""
    roots = parent[parent]
    while not np.array_equal(roots, parent):
        parent, roots = roots, roots[roots]
    used = np.zeros(len(roots), np.int64)
    used[roots] = 1
    numbers: Ints = (np.cumsum(used) - 1)[roots]
    return numbers


# Coordinates of a Cartesian product of paths and cycles, every edge verified.


@dataclass(frozen=True, slots=True, eq=False)
class LatticeAxis:
    """One axis of a lattice whose coordinates are known."""

    extent: int
    """Number of places."""
    wraps: bool
    """Whether the last place is a neighbour of the first; False for 2."""
    place: Ints | Indices
    """integers, shape (n,): coordinate of each vertex."""


def ring_of_four(first: LatticeAxis, second: LatticeAxis) -> LatticeAxis:
    """Join two axes of 2 into a ring of 4 (a Gray code)."""
    place = np.where(second.place == 0, first.place, 3 - first.place)
    return LatticeAxis(4, True, place)


@dataclass(frozen=True, slots=True, eq=False)
class ProductPlaces:
    """Coordinates of the vertices of what may be a product, each in bits of its own.

    Vertices have the numbers of `Graph.outwards`.
    """

    codes: Ints
    """int64, shape (n,): all coordinates of each vertex."""
    masks: Ints
    shifts: Ints
    """`masks` and `shifts`: int64, shape (axes,): bits of each coordinate, and how far
    they are up."""
    along: Indices
    """int32, shape (n,): axis through vertex 0 that each lies on; -1 of that vertex, -2
    of those on none."""

    extents: Ints
    """int64, shape (axes,): number of coordinates along each axis."""

    def column(self, axis: int | Ints, some: Ints | Indices) -> Ints:
        """Coordinates of some vertices along an axis, or of each along one of its own.

        Those on an axis are numbered in order of distance from vertex 0.
        """
        return (self.codes[some] & self.masks[axis]) >> self.shifts[axis]


def product_places(graph: Graph, axis: Ints, count: int) -> ProductPlaces | None:
    """Find coordinates of a connected graph that may be a product, from vertex 0 on.

    A vertex that is reached along two axes inherits its coordinates from both
    neighbours; one that is reached along a single one lies on that axis (Imrich,
    Peterin, 2007, "Recognizing Cartesian products in linear time", Discrete Math. 307).

    Parameters
    ----------
    axis : int64, shape (degree of vertex 0,)
        Axis of each neighbour of vertex 0.
    count
        How many axes there are.

    Returns
    -------
    ProductPlaces or None
        To be verified; None if it is no product.
    """
    if not 0 < count < 63 or 2**count > graph.n:
        return None
    moved = graph.outwards
    search = *moved.rows, axis, count, moved.distance
    along, place, extents = product_kernels.along_axes(*search)
    if math.prod(extents.tolist()) != graph.n:
        return None
    bits = [int(extent - 1).bit_length() for extent in extents]
    shifts = np.cumsum([0, *bits[:-1]])
    masks = (np.left_shift(1, bits) - 1) << shifts
    codes = np.where(along >= 0, place << shifts[along], 0)
    if not product_kernels.joined_places(*moved.rows, moved.distance, masks, codes):
        return None
    return ProductPlaces(codes, masks, shifts, along, extents)


def factor_places(graph: Graph, classes: Ints) -> Ints | None:
    """Coordinates of each vertex, one for each class of edges.

    Each edge changes the coordinate of its class alone, and no two vertices are at the
    same place; that the factors are everywhere the same remains to be verified.

    Returns
    -------
    int64, shape (n, classes), or None
        Rank 0 is at the origin; other places are numbered as they are met. None
        if there are no such coordinates.
    """
    count = int(classes.max(initial=-1)) + 1
    at_first = classes[graph.edge_of[: graph.indptr[1]]]
    located = product_places(graph, at_first, count)
    if located is None or len(np.unique(located.codes)) < graph.n:
        return None
    number = graph.outwards.number
    places = np.stack([located.column(c, number) for c in range(count)], 1)
    changed = axis_of_edges(graph.edges, places)
    return places if np.array_equal(changed, classes) else None


def path_factors(
    graph: Graph, ends: Ints, classes: Ints, extents: Ints
) -> list[tuple[Indices, bool]] | None:
    """Find the order of coordinates along each axis, and whether it comes back.

    None if one is no path or cycle, or the graph has not as many edges as the product.

    Parameters
    ----------
    ends : int64, shape (k, 2)
        Coordinates that edges along an axis join.
    classes : int64, shape (k,)
        Axis of each of these.
    extents : int64, shape (axes,)
        Coordinates along each axis.
    """
    factors, many = [], 0
    order, begins = counting_sort(classes, len(extents))
    for c, extent in enumerate(extents.tolist()):
        own = ends[order[begins[c] : begins[c + 1]]]
        factor = unique_edges(extent, own[:, 0], own[:, 1])
        number = _walk(extent, factor)
        if number is None:
            return None
        factors.append((number, len(factor) == extent))
        many += len(factor) * (graph.n // extent)
    return factors if many == len(graph.edges) else None


def _walk(extent: int, edges: Indices) -> Indices | None:
    """Follow a path or a cycle, numbering its vertices; None if it is neither."""
    degree = np.bincount(edges.ravel(), minlength=extent)
    if degree.max() > 2 or len(edges) not in (extent - 1, extent):
        return None
    start = int(np.argmin(degree))
    if degree[start] == 2:  # a cycle is cut open beside its first vertex
        last = np.flatnonzero((edges == start).any(axis=1))[-1]
        edges = np.delete(edges, last, axis=0)
    number, order = distances_from(graph_of(extent, edges), np.array([start]))
    return number if len(order) == extent else None


def same_edges(graph: Graph, edges: Indices, vertex: Ints | Indices) -> bool:
    """Return whether a topology's edges, renumbered, are exactly the graph's.

    Parameters
    ----------
    edges : int32, shape (m, 2)
        The topology's edges, smaller vertex first, sorted.
    vertex : int64, shape (n,)
        The topology's vertex for each of the graph's.
    """
    if len(edges) != len(graph.edges):
        return False
    if np.array_equal(vertex, np.arange(graph.n)):
        return np.array_equal(edges, graph.edges)
    u, v = vertex[graph.edges].astype(np.int64).T
    keys = np.minimum(u, v) * graph.n + np.maximum(u, v)
    keys.sort()
    each_once = len(distinct(vertex)) == graph.n
    return each_once and np.array_equal(keys, edge_keys(graph.n, edges))


def axis_of_edges(edges: Indices, places: Ints) -> Ints:
    """Find which coordinate each edge changes: int64, -1 if it is not just one.

    Parameters
    ----------
    places : int64, shape (n, axes)
        Coordinates of each vertex.
    """
    changes = places[edges[:, 0]] != places[edges[:, 1]]
    return np.where(changes.sum(axis=1) == 1, changes.argmax(axis=1), -1)
