"""All-to-all: of all ranks, in rows and columns, in planes, between groups; and none.

In rows and columns (rook's graphs) all ranks communicate that share all coordinates but
one; in planes, of three dimensions, all that share one coordinate; between groups all
that share none (complete multipartite graphs), as where ranks of a node share memory.
"""

import itertools
import math
from collections.abc import Iterator, Sequence

import numpy as np

from topoview.model import NO_MESSAGES, Indices, Ints, Topology
from topoview.topology.graph.graph import Graph, distances_from, unique_edges
from topoview.topology.graph.products import LatticeAxis, same_edges
from topoview.topology.lattices.lattice import (
    complete_aliases,
    divisions,
    row_major_places,
    strides_of,
)
from topoview.topology.lattices.orientation import orient
from topoview.topology.members import ExactMatch, Member

# Rows and columns: all that share all coordinates but one communicate.

MAX_ROOK_DIMS = 3
"""Dimensions of those that are looked for."""


def rook(dims: Sequence[int]) -> Topology:
    """Build rows and columns (a rook's graph): each is all-to-all within.

    With three dims the lines along each axis are all-to-all (a Hamming graph).
    """
    n = math.prod(dims)
    places = row_major_places(n, dims)
    strides = strides_of(dims)
    u, v = [], []
    for axis, extent in enumerate(dims):
        for step in range(1, extent):
            here = np.flatnonzero(places[:, axis] + step < extent)
            u.append(here)
            v.append(here + step * strides[axis])
    extents = tuple(int(m) for m in dims)
    edges = unique_edges(n, np.concatenate(u), np.concatenate(v))
    open_axes = (False,) * len(extents)
    return Topology(
        kind="rook",
        name=rook_name(extents),
        dims=extents,
        periodic=open_axes,
        edges=edges,
        coordinates=places,
    )


def rook_name(dims: Sequence[int]) -> str:
    """Name as shown: ``rows and columns 6x4``."""
    return f"rows and columns {'x'.join(map(str, dims))}"


def rooks(n: int) -> Iterator[Member]:
    """List all of `n` vertices."""
    for dims in divisions(n, MAX_ROOK_DIMS):
        if len(dims) > 1 and dims[0] > 2:
            yield Member(
                "rook",
                rook_name(dims),
                {sum(dims) - len(dims): n},
                lambda dims=dims: rook(dims),  # type: ignore[misc]
            )


def recognise_rooks(graph: Graph) -> list[ExactMatch]:
    """Find out whether a connected graph is rows and columns.

    The neighbours of a vertex fall into one clique for each axis; a vertex
    further away inherits its coordinates from its neighbours nearer to it.
    """
    degree = int(graph.degree[0])
    if (graph.degree != degree).any():
        return []
    fitting = [
        dims
        for dims in divisions(graph.n, MAX_ROOK_DIMS)
        if len(dims) > 1 and dims[0] > 2 and sum(dims) - len(dims) == degree
    ]
    if not fitting:
        return []
    for axes in range(2, MAX_ROOK_DIMS + 1):
        if any(len(dims) == axes for dims in fitting):
            places = _places(graph, axes)
            if len(places):
                exact = _exact(graph, places)
                if exact is not None:
                    return [exact]
    return []


def _exact(graph: Graph, places: Ints) -> ExactMatch | None:
    dims = (places.max(axis=0) + 1).tolist()
    if math.prod(dims) != graph.n:
        return None
    laid = orient(graph, [*map(LatticeAxis, dims, itertools.repeat(False), places.T)])
    topology = rook(laid.dims)
    if not same_edges(graph, topology.edges, laid.vertex):
        return None
    return ExactMatch(topology, laid.vertex, laid.distance)


def _places(graph: Graph, axes: int) -> Ints:
    near = np.zeros(graph.n, bool)
    beside = graph.indices[: graph.indptr[1]]
    near[beside] = True
    places = np.zeros((graph.n, axes), np.int64)
    axis = 0
    while near.any():  # a clique for each axis, its places in order of rank
        if axis == axes:
            return places[:0]
        v = int(near.argmax())
        clique = graph.indices[graph.indptr[v] : graph.indptr[v + 1]]
        clique = np.sort(np.append(clique[near[clique]], v))
        near[clique] = False
        places[clique, axis] = np.arange(1, len(clique) + 1)
        axis += 1
    distance, met = distances_from(graph, np.zeros(1, np.int64))
    if axis < axes or len(met) < graph.n:
        return places[:0]
    ends = np.concatenate([graph.edges, graph.edges[:, ::-1]])
    for far in range(2, int(distance.max()) + 1):
        nearer, own = ends[distance[ends[:, 1]] == far].T
        inward = distance[nearer] == far - 1
        np.maximum.at(places, own[inward], places[nearer[inward]])
    return places


# Planes: all that share a coordinate in three dimensions communicate.

MAX_PLANES_VERTICES = 4096
"""Vertices of the largest planes and groups that are looked for: of planes edges grow
by n to 5/3, between groups by n squared."""


def planes(dims: Sequence[int]) -> Topology:
    """Build planes: each plane across each of three axes is all-to-all."""
    n = math.prod(dims)
    places = row_major_places(n, dims)
    u, v = [], []
    for axis, extent in enumerate(dims):
        order = np.argsort(places[:, axis], kind="stable").reshape(extent, -1)
        first, second = np.triu_indices(order.shape[1], 1)
        u.append(order[:, first].ravel())
        v.append(order[:, second].ravel())
    extents = tuple(int(m) for m in dims)
    edges = unique_edges(n, np.concatenate(u), np.concatenate(v))
    name = f"planes {'x'.join(map(str, extents))}"
    open_axes = (False,) * len(extents)
    return Topology(
        kind="planes",
        name=name,
        dims=extents,
        periodic=open_axes,
        edges=edges,
        coordinates=places,
    )


def all_planes(n: int) -> Iterator[Member]:
    """List all of `n` vertices."""
    if n > MAX_PLANES_VERTICES:
        return
    for dims in divisions(n, 3):
        if len(dims) == 3 and dims[1] > 2:
            apart = math.prod(m - 1 for m in dims)
            yield Member(
                "planes",
                f"planes {'x'.join(map(str, dims))}",
                {n - 1 - apart: n},
                lambda dims=dims: planes(dims),  # type: ignore[misc]
                variants=lambda dims=dims: map(  # type: ignore[misc]
                    planes, sorted(set(itertools.permutations(dims)))
                ),
            )


# Between groups: all of different groups communicate.

LEAST_GROUPS = 3
"""Groups of the smallest: the workers of several masters are two."""


def between_groups(groups: int, size: int) -> Topology:
    """Build groups of one size: each rank has all ranks of the others as partners."""
    n = groups * size
    u, v = np.triu_indices(n, 1)
    apart = u // size != v // size
    return Topology(
        kind="between groups",
        name=f"all-to-all between {groups} groups of {size}",
        dims=(size, groups),
        periodic=(False, False),
        edges=unique_edges(n, u[apart], v[apart]),
        coordinates=row_major_places(n, (size, groups)),
    )


def all_between_groups(n: int) -> Iterator[Member]:
    """List all of `n` vertices."""
    for groups in range(LEAST_GROUPS, n // 2 + 1 if n <= MAX_PLANES_VERTICES else 0):
        size, rest = divmod(n, groups)
        if not rest:
            yield Member(
                "between groups",
                f"all-to-all between {groups} groups of {size}",
                {n - size: n},
                lambda g=groups, s=size: between_groups(g, s),  # type: ignore[misc]
            )


# Topologies of one form each: all-to-all, none, unknown.


def complete(n: int) -> Topology:
    """Build the graph in which all communicate with all."""
    u, v = np.triu_indices(n, 1)
    edges = np.stack([u, v], 1).astype(np.int32)
    return Topology(
        kind="complete", name=f"all-to-all {n}", edges=edges, coordinates=_column(n)
    )


def completes(n: int) -> Iterator[Member]:
    """List the one of `n` vertices."""
    yield Member("complete", f"all-to-all {n}", {n - 1: n}, lambda: complete(n))


def recognise_complete(graph: Graph) -> list[ExactMatch]:
    """Find out whether all communicate with all."""
    n = graph.n
    if n < 2 or len(graph.edges) != n * (n - 1) // 2:
        return []
    return [ExactMatch(complete(n), np.arange(n), 0.0, complete_aliases(n))]


def none(own: int = 0, unrecorded: int = 0) -> Topology:
    """Build the topology of a program in which no messages between ranks are seen.

    Parameters
    ----------
    own
        Messages that ranks send to themselves.
    unrecorded
        Calls that reach another rank, of which the trace does not tell whom.
    """
    edges = np.zeros((0, 2), np.int32)
    places = np.zeros((0, 1), np.int32)
    name = NO_MESSAGES
    if unrecorded:
        name = "partners not recorded"
    elif own:
        name = "messages to oneself only"
    return Topology(kind="none", name=name, edges=edges, coordinates=places)


def unknown(graph: Graph) -> Topology:
    """Build the topology that is the graph which was seen itself."""
    column = _column(graph.n)
    return Topology("unknown", "unknown", graph.edges, coordinates=column)


def _column(n: int) -> Indices:
    return np.arange(n, dtype=np.int32)[:, None]
