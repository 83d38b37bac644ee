"""Grids and tori by unfolding them from one vertex, in linear time."""

import math

import numba
import numpy as np

from topoview.model import Indices, Ints
from topoview.progress import breathe
from topoview.topology.graph import Graph
from topoview.topology.kinds.product import Axis, axes_along, axis_changed
from topoview.topology.outwards import outwards


def unfolded_axes(graph: Graph) -> list[Axis] | None:
    """Coordinates of a connected graph that is a product of paths and cycles.

    Edges at one vertex that span exactly one square lie on different axes. From
    there on each vertex takes of two neighbours nearer to the first one, which
    differ in two coordinates, the further of both (after Imrich, Peterin, 2007,
    "Recognizing Cartesian products in linear time", Discrete Math. 307). Then
    every edge is verified.

    Returns
    -------
    list of Axis, or None
        None if it is no such product.
    """
    axis, count = _axes_at_first(graph.indptr, graph.indices)
    if not 0 < count < 63 or 2**count > graph.n:
        return None
    places = _unfolded(graph.indptr, graph.indices, axis, count)
    breathe()
    if not len(places):
        return None
    extents = places.max(axis=0) + 1
    if math.prod(extents.tolist()) != graph.n:
        return None
    classes = axis_changed(graph, places)
    breathe()
    if classes.min() < 0:
        return None
    strides = np.concatenate([[1], np.cumprod(extents[:-1])])
    if (np.bincount(places @ strides, minlength=graph.n) != 1).any():
        return None
    return axes_along(graph, classes, places, extents)


@numba.njit(nogil=True, cache=True)
def _axes_at_first(  # noqa: C901 - squares at one vertex
    indptr: Ints, indices: Indices
) -> tuple[Ints, int]:
    # axis of each neighbour of vertex 0: those that span one square differ
    n, degree = len(indptr) - 1, indptr[1]
    axis = np.arange(degree)
    squares = np.zeros((degree, degree), np.int64)
    near = np.full(n, -1, np.int64)
    near[indices[:degree]] = np.arange(degree)
    met = np.full((n, 2), -1, np.int64)
    for i in range(degree):
        v = indices[i]
        for k in range(indptr[v], indptr[v + 1]):
            x = indices[k]
            if x == 0:
                continue
            if near[x] >= 0:
                squares[i, near[x]] = -degree
                continue
            for j in range(2):
                if met[x, j] >= 0:
                    squares[i, met[x, j]] += 1
                    squares[met[x, j], i] += 1
            if met[x, 0] < 0:
                met[x, 0] = i
            else:
                met[x, 1] = i
    count = 0
    for i in range(degree):
        axis[i] = -1
    for i in range(degree):
        if axis[i] < 0:
            axis[i] = count
            count += 1
        for j in range(i + 1, degree):
            if squares[i, j] != 1:
                if axis[j] >= 0 and axis[j] != axis[i]:
                    return axis, 0
                axis[j] = axis[i]
    return axis, count


@numba.njit(nogil=True, cache=True)
def _unfolded(  # noqa: C901 - one pass outwards
    indptr: Ints, indices: Indices, axis: Ints, count: int
) -> Ints:
    n = len(indptr) - 1
    places = np.zeros((n, count), np.int32)
    none = places[:0].astype(np.int64)
    depth = np.zeros((count, n // 2 ** (count - 1) + 2), np.int32)
    extents = np.ones(count, np.int64)
    along = np.full(n, -1, np.int8)  # axis on which a vertex lies, -2 off all
    distance = np.full(n, -1, np.int32)
    queue = np.empty(n, np.int32)
    for v in queue[: outwards(indptr, indices, 0, distance, queue)]:
        one = other = -1
        for k in range(indptr[v], indptr[v + 1]):
            u = indices[k]
            if distance[u] < distance[v]:
                if one < 0:
                    one = u
                elif other < 0:
                    differ = 0
                    for a in range(count):
                        differ += places[u, a] != places[one, a]
                    if differ == 2:
                        other = u
        if one < 0:
            continue
        if other >= 0:
            along[v] = -2
            for a in range(count):
                p, q = places[one, a], places[other, a]
                places[v, a] = p if depth[a, p] >= depth[a, q] else q
            continue
        if one == 0:
            for i in range(indptr[1]):
                if indices[i] == v:
                    along[v] = axis[i]
        else:
            along[v] = along[one]
        a = along[v]
        if a < 0 or extents[a] >= depth.shape[1]:
            return none
        places[v, a] = extents[a]
        depth[a, extents[a]] = distance[v]
        extents[a] += 1
    return places.astype(np.int64)
