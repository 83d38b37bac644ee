"""Kernels that find parallel edges of a Cartesian product, and its coordinates."""

import cython
import numpy as np

if not cython.compiled:
    from topoview.base.kinds import *

    Axes = tuple[Indices, Ints, Ints]


def find_root(parent: OutInts, x: Int) -> Int:
    """Find the root of a tree, halving the paths to it."""
    while parent[x] != x:
        parent[x] = parent[parent[x]]
        x = parent[x]
    return x


def unite(parent: OutInts, a: Int, b: Int) -> None:
    """Join two trees; the smaller root stays one."""
    a = find_root(parent, a)
    b = find_root(parent, b)
    if a < b:
        parent[b] = a
    elif b < a:
        parent[a] = b


def find_squares(  # noqa: C901 - one pass over the neighbours of neighbours
    indptr: Ints, indices: Indices, edge_of: Indices, edges: Int, widest: Int
) -> Ints:
    """Join edges that must lie in one prime factor of a Cartesian product.

    Parameters
    ----------
    widest
        Most neighbours of a vertex.

    Returns
    -------
    int64, shape (edges,)
        An edge that each is joined to, as trees whose roots are their own; the first
        one for all of a connected graph that is no product.
    """
    n: Int = len(indptr) - 1
    parents = np.arange(edges)
    prime: Bool = False
    parent: OutInts = parents
    near: OutInts = np.full(n, -1, np.int64)  # last vertex that this is a neighbour of
    local: OutInts = np.empty(n, np.int64)  # which of its neighbours
    paths: OutInts = np.zeros(n, np.int64)  # of length 2 from u that end here
    middle: OutIntRows = np.empty((n, 2), np.int64)  # of the first two: local index
    second: OutIntRows = np.empty((n, 2), np.int64)  # and the arc from there
    far: OutInts = np.empty(widest * widest + 1, np.int64)
    squares: OutIntRows = np.zeros((widest, widest), np.int64)
    u: Int
    i: Int
    j: Int
    k: Int
    f: Int
    with cython.nogil:
        for u in range(n):
            first = indptr[u]
            degree = indptr[u + 1] - first
            for i in range(degree):
                near[indices[first + i]] = u
                local[indices[first + i]] = i
            ends: Int = 0
            for i in range(degree):
                v = indices[first + i]
                e: Int = edge_of[first + i]
                for k in range(indptr[v], indptr[v + 1]):
                    x: Int = indices[k]
                    if x == u:
                        continue
                    if near[x] == u:  # a chord: both edges share a factor
                        unite(parent, e, edge_of[first + local[x]])
                        squares[i, local[x]] = -widest
                        continue
                    many: Int = paths[x]
                    paths[x] = many + 1
                    if many == 0:
                        far[ends] = x
                        ends += 1
                    if many < 2:
                        middle[x, many] = i
                        second[x, many] = k
                    else:  # a third path: no two of them span a unique square
                        e0: Int = edge_of[first + middle[x, 0]]
                        e1: Int = edge_of[first + middle[x, 1]]
                        unite(parent, e, e0)
                        unite(parent, e, e1)
                        unite(parent, e0, e1)
            for f in range(ends):
                x = far[f]
                if paths[x] == 2:
                    squares[middle[x, 0], middle[x, 1]] += 1
                    squares[middle[x, 1], middle[x, 0]] += 1
            # opposite edges of a unique square are parallel
            for f in range(ends):
                x = far[f]
                if paths[x] == 2:
                    i = middle[x, 0]
                    j = middle[x, 1]
                    if squares[i, j] > 0:
                        unite(parent, edge_of[first + i], edge_of[second[x, 1]])
                        unite(parent, edge_of[first + j], edge_of[second[x, 0]])
                paths[x] = 0
            for i in range(degree):
                for j in range(i):
                    if squares[i, j] != 1:
                        unite(parent, edge_of[first + i], edge_of[first + j])
                    squares[i, j] = 0
                    squares[j, i] = 0
            # each vertex of a product has edges of all factors: here there is one only
            prime = degree > 0
            for i in range(1, degree):
                if find_root(parent, edge_of[first + i]) != find_root(
                    parent, edge_of[first]
                ):
                    prime = False
                    break
            if prime:
                parent[:] = 0
                break
    return parents


def along_axes(
    indptr: Ints, indices: Indices, axis: Ints, count: Int, distance: Indices
) -> Axes:
    """Find the vertices on the axes through vertex 0 of what may be a product.

    All their neighbours that are nearer to vertex 0 are on the axis, too.

    Parameters
    ----------
    axis : int64, shape (degree of vertex 0,)
        Axis of each neighbour of vertex 0.
    count
        How many axes there are.
    distance : int32, shape (n,)
        Of the vertices from vertex 0, in order of which they are numbered.

    Returns
    -------
    along : int32, shape (n,)
        Axis of each vertex: -1 of vertex 0, -2 of those on none.
    place : int64, shape (n,)
        Coordinate along it, in order of distance; 0 of those on none.
    extents : int64, shape (count,)
        Coordinates along each axis. Their product is larger than n where it went no
        further.
    """
    n: Int = len(indptr) - 1
    axis_of, places = np.full(n, -1, np.int32), np.zeros(n, np.int64)
    many = np.ones(count, np.int64)
    along: OutIndices = axis_of
    place: OutInts = places
    extents: OutInts = many
    product: Int = 1
    v: Int
    k: Int
    with cython.nogil:
        for k in range(indptr[1]):
            along[indices[k]] = axis[k]
        for v in range(1, n):
            a: Int = along[v]
            if distance[v] > 1:
                for k in range(indptr[v], indptr[v + 1]):
                    if distance[indices[k]] < distance[v]:
                        beside: Int = along[indices[k]]
                        a = beside if a == -1 or a == beside else -2
                        if a == -2:
                            break
                along[v] = a
            if a >= 0:
                place[v] = extents[a]
                product = product // extents[a] * (extents[a] + 1)
                extents[a] += 1
                if product > n:
                    break
    return axis_of, places, many


def joined_places(  # noqa: C901 - pairs of neighbours
    indptr: Ints, indices: Indices, distance: Indices, masks: Ints, codes: OutInts
) -> Bool:
    """Compute the coordinates of vertices on no axis, outwards from vertex 0.

    Each takes of two neighbours nearer to vertex 0, which differ in two coordinates,
    the further of both.

    Parameters
    ----------
    distance : int32, shape (n,)
        As in `along_axes`.
    masks : int64, shape (axes,)
        Bits of each coordinate.
    codes : int64, shape (n,)
        All coordinates of each vertex, 0 of those that get some.

    Returns
    -------
    bool
        False where there are no two such neighbours.
    """
    axes: Int = len(masks)
    product: Bool = True
    v: Int
    k: Int
    a: Int
    with cython.nogil:
        for v in range(1, len(codes)):
            if codes[v]:
                continue
            first: Int = -1
            for k in range(indptr[v], indptr[v + 1]):
                if distance[indices[k]] >= distance[v]:
                    continue
                here: Int = codes[indices[k]]
                if first < 0:
                    first = here
                    continue
                differ: Int = 0
                joined: Int = first
                for a in range(axes):
                    if (first ^ here) & masks[a]:
                        differ += 1
                        if here & masks[a] > first & masks[a]:
                            joined ^= (first ^ here) & masks[a]
                if differ == 2:
                    codes[v] = joined
                    break
            if codes[v] == 0:
                product = False
                break
    return product
