"""Cartesian products of any topologies: ``ring 6 x star 4``."""

import math

import numpy as np

from topoview.model import Indices, Ints, Topology
from topoview.topology.exact import Exact, rank_distance
from topoview.topology.graph import Graph, graph_of, unique_edges
from topoview.topology.kinds.product import factor_places, same_edges
from topoview.topology.lattice import lattice
from topoview.topology.relations import square_classes
from topoview.topology.stencils import stencil_of

WIDEST = 128
"""Neighbours beyond which the local relations cost too much."""


def product(first: Topology, *others: Topology) -> Topology:
    """Make the Cartesian product; the first one is fastest in the vertices' numbers.

    Two vertices have an edge if they are neighbours in one factor and equal in all
    others.
    """
    factors = (first, *others)
    sizes = [factor.vertices for factor in factors]
    n = math.prod(sizes)
    vertex = np.arange(n)
    u, v, places, stride = [], [], [], 1
    for factor, size in zip(factors, sizes, strict=True):
        base = vertex[vertex // stride % size == 0]
        u.append((base[:, None] + stride * factor.edges[:, 0]).ravel())
        v.append((base[:, None] + stride * factor.edges[:, 1]).ravel())
        places.append(factor.coordinates[vertex // stride % size])
        stride *= size
    edges = unique_edges(n, np.concatenate(u), np.concatenate(v))
    name = " x ".join(factor.name for factor in factors)
    columns = np.concatenate(places, 1).astype(np.int32)
    return Topology("product", name, tuple(sizes), (), (), edges, columns, factors)


def recognise_products(graph: Graph) -> list[Exact]:
    """Find the factors of a connected graph, under any numbering.

    Its prime factors follow from the local relations of `square_classes`; those
    that are paths or cycles are taken together as one lattice.
    """
    from topoview.topology.library import exact

    if graph.n < 6 or graph.degree.max() > WIDEST:
        return []
    classes = square_classes(graph)
    if int(classes.max(initial=0)) < 1:
        return []
    places = factor_places(graph, classes)
    if places is None:
        return []
    groups = _groups(graph, classes, places)
    if len(groups) < 2:
        return []
    found = []
    for columns in groups:
        ranks, index = _fibre(places, columns)
        inside = exact(_induced(graph, ranks))
        if not inside or _diminutive(inside[0].topology):
            return []
        # a path of three is a chain here, though it is a star as well
        best = min(inside, key=lambda one: one.topology.kind != "lattice")
        found.append((_stride(graph, index), best, best.vertex[index]))
    found.sort(key=lambda one: one[0])
    vertex = np.zeros(graph.n, np.int64)
    stride = 1
    for _, factor, inner in found:
        vertex += stride * inner
        stride *= factor.topology.vertices
    factors = [factor.topology for _, factor, _ in found]
    joined = all(f.kind == "lattice" and len(f.dims) == 1 for f in factors)
    topology = _joined(factors) if joined else product(*factors)
    if not same_edges(graph, topology.edges, vertex):
        return []
    return [Exact(topology, vertex, rank_distance(vertex))]


def _joined(factors: list[Topology]) -> Topology:
    """Make the product of rings and chains with several steps as one lattice."""
    dims = [factor.dims[0] for factor in factors]
    periodic = [factor.periodic[0] for factor in factors]
    offsets = [
        (*(0,) * axis, step, *(0,) * (len(dims) - axis - 1))
        for axis, factor in enumerate(factors)
        for (step,) in factor.offsets
    ]
    return lattice(dims, periodic, tuple(offsets))


def _diminutive(factor: Topology) -> bool:
    """Tell whether a stencil has too little room to be one: a square with a chord."""
    if factor.kind != "lattice" or factor.vertices > 4:
        return False
    return stencil_of(factor.offsets, len(factor.dims)) != "plain"


def _groups(graph: Graph, classes: Ints, places: Ints) -> list[list[int]]:
    """Columns of each factor: all paths and cycles together, others alone."""
    plain: list[int] = []
    others: list[int] = []
    for column in range(places.shape[1]):
        extent = int(places[:, column].max()) + 1
        ends = places[graph.edges[classes == column], column]
        edges = unique_edges(extent, ends[:, 0], ends[:, 1])
        degree = np.bincount(edges.ravel(), minlength=extent)
        (plain if degree.max() <= 2 else others).append(column)
    return [[c] for c in others] + ([plain] if plain else [])


def _fibre(places: Ints, columns: list[int]) -> tuple[Ints, Ints]:
    """Ranks that differ from the first in some columns only, and who has whose place.

    Returns
    -------
    ranks : int64, shape (m,)
        Ascending.
    index : int64, shape (n,)
        For each vertex the index in `ranks` of the one at the same place.
    """
    others = np.ones(places.shape[1], bool)
    others[columns] = False
    ranks = np.flatnonzero((places[:, others] == places[0, others]).all(axis=1))
    extents = places.max(axis=0)[columns] + 1
    keys = places[:, columns] @ np.cumprod(np.append(1, extents[:-1]))
    number = np.empty(int(extents.prod()), np.int64)
    number[keys[ranks]] = np.arange(len(ranks))
    return ranks, number[keys]


def _induced(graph: Graph, ranks: Ints) -> Graph:
    number = np.full(graph.n, -1, np.int32)
    number[ranks] = np.arange(len(ranks))
    edges: Indices = number[graph.edges]
    return graph_of(len(ranks), edges[(edges >= 0).all(axis=1)])


def _stride(graph: Graph, index: Ints) -> int:
    # the most frequent difference of rank along edges within the factor
    inside = index[graph.edges[:, 0]] != index[graph.edges[:, 1]]
    spans = graph.edges[inside, 1].astype(np.int64) - graph.edges[inside, 0]
    return int(np.bincount(spans).argmax())
