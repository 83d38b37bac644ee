"""Kernels that make lattices, and that unfold graphs which may be some.

Of all here that take them, ``indptr`` (int64, shape (n + 1,)) tells where the
neighbours of each vertex begin in ``indices`` (int32, ascending for each vertex), and
``edge_of`` (int32) the edges to them; ``edges`` (int32, shape (m, 2)) are pairs of
vertices, the smaller first, sorted.
"""

import cython
import numpy as np
from numpy.typing import NDArray

if not cython.compiled:
    from topoview.base.kinds import *


def lattice_edges(  # noqa: C901, PLR0913 - steps of each vertex, in order
    places: IndexRows,
    dims: Ints,
    periodic: Bools,
    steps: IntRows,
    first: Int,
    last: Int,
) -> NDArray[np.int32]:
    """List the edges of a lattice whose smaller ends are some vertices, sorted.

    Parameters
    ----------
    places : int32, shape (n, d)
        Coordinates of each vertex; the first axis varies fastest.
    dims : int64, shape (d,)
        Extent of each axis.
    periodic : bool, shape (d,)
        Whether it comes back.
    steps : int64, shape (k, d)
        Steps to a vertex' neighbours, one of each +/- pair.
    first, last
        The first of the vertices, and the first that is none of them.

    Returns
    -------
    int32, shape (m, 2)
        Pairs of vertices, smaller first.
    """
    d: Int = places.shape[1]
    many: Int = steps.shape[0]
    # no vertex has more than all others
    result = np.empty(((last - first) * 2 * many, 2), np.int32)
    edges: OutIndexRows = result
    ends: OutInts = np.empty(2 * many, np.int64)
    strides: OutInts = np.ones(d, np.int64)
    # the axes along which each step leads: most lead along few of them
    along: OutInts = np.empty(many * d, np.int64)
    begins: OutInts = np.zeros(many + 1, np.int64)
    count: Int = 0
    u: Int
    i: Int
    k: Int
    axis: Int
    with cython.nogil:
        for axis in range(1, d):
            strides[axis] = strides[axis - 1] * dims[axis - 1]
        for i in range(many):
            begins[i + 1] = begins[i]
            for axis in range(d):
                if steps[i, axis]:
                    along[begins[i + 1]] = axis
                    begins[i + 1] += 1
        for u in range(first, last):
            larger: Int = 0
            for i in range(2 * many):
                sign: Int = 1 - 2 * (i & 1)
                v: Int = u
                for k in range(begins[i >> 1], begins[(i >> 1) + 1]):
                    axis = along[k]
                    m: Int = dims[axis]
                    place: Int = places[u, axis] + sign * steps[i >> 1, axis]
                    if place < 0 or place >= m:
                        if not periodic[axis]:
                            v = -1
                            break
                        place %= m
                    v += strides[axis] * (place - places[u, axis])
                if v <= u:
                    continue
                # in order; along short axes several steps lead to the same vertex
                at: Int = larger
                while at > 0 and ends[at - 1] > v:
                    ends[at] = ends[at - 1]
                    at -= 1
                ends[at] = v
                larger += 1
            for i in range(larger):
                if i == 0 or ends[i] != ends[i - 1]:
                    edges[count, 0], edges[count, 1] = u, ends[i]
                    count += 1
    return result[:count]


def axes_at_first(  # noqa: C901 - squares at one vertex
    indptr: Ints, indices: Indices
) -> tuple[NDArray[np.int64], int]:
    """Find which neighbours of vertex 0 lie along the same axis of a product.

    Edges at a vertex that span exactly one square lie along different axes.

    Returns
    -------
    int64, shape (degree of vertex 0,)
        Axis of each neighbour.
    int
        How many axes there are, 0 if the graph is no such product.
    """
    n: Int = len(indptr) - 1
    degree: Int = indptr[1]
    result = np.full(degree, -1, np.int64)
    axis: OutInts = result
    squares: OutIntRows = np.zeros((degree, degree), np.int64)
    # the neighbour that a vertex is, and up to two that it is beside; 0 is none, since
    # only pages that are touched of zeros cost anything
    near: OutInts = np.zeros(n, np.int64)
    met: OutIntRows = np.zeros((n, 2), np.int64)
    count: Int = 0
    i: Int
    j: Int
    k: Int
    with cython.nogil:
        for i in range(degree):
            near[indices[i]] = i + 1
        # two neighbours span a square with each other vertex that is beside both
        for i in range(degree):
            v: Int = indices[i]
            for k in range(indptr[v], indptr[v + 1]):
                x: Int = indices[k]
                if x == 0:
                    continue
                if near[x]:  # a triangle: along the same axis, whatever follows
                    squares[i, near[x] - 1] = -degree
                    continue
                for j in range(2):
                    if met[x, j]:
                        squares[i, met[x, j] - 1] += 1
                        squares[met[x, j] - 1, i] += 1
                if not met[x, 0]:
                    met[x, 0] = i + 1
                else:
                    met[x, 1] = i + 1
        for i in range(degree):
            if axis[i] < 0:
                axis[i] = count
                count += 1
            for j in range(i + 1, degree):
                if squares[i, j] != 1:
                    if axis[j] >= 0 and axis[j] != axis[i]:
                        count = 0
                        break
                    axis[j] = axis[i]
            if count == 0:
                break
    return result, count


def along_axes(  # noqa: PLR0913 - a graph, its axes, and a search
    indptr: Ints,
    indices: Indices,
    axis: Ints,
    count: Int,
    distance: Indices,
    order: Indices,
) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int64]]:
    """Find the vertices on the axes through vertex 0 of what may be a product.

    All their neighbours that are nearer to vertex 0 are on the axis, too.

    Parameters
    ----------
    axis : int64, shape (degree of vertex 0,)
        Axis of each neighbour of vertex 0.
    count
        How many axes there are.
    distance, order : int32, shape (n,)
        Of the vertices from vertex 0, and all vertices in order of that.

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
    h: Int
    k: Int
    with cython.nogil:
        for k in range(indptr[1]):
            along[indices[k]] = axis[k]
        for h in range(1, n):
            v: Int = order[h]
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


def joined_places(  # noqa: C901, PLR0913 - a graph, a search, and what is known
    indptr: Ints,
    indices: Indices,
    distance: Indices,
    order: Indices,
    masks: Ints,
    codes: OutInts,
) -> bool:
    """Compute the coordinates of vertices on no axis, outwards from vertex 0.

    Each takes of two neighbours nearer to vertex 0, which differ in two coordinates,
    the further of both.

    Parameters
    ----------
    distance, order : int32, shape (n,)
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
    h: Int
    k: Int
    a: Int
    with cython.nogil:
        for h in range(1, len(order)):
            v: Int = order[h]
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


def row_major(n: Int, dims: Ints) -> NDArray[np.int32]:
    """Compute coordinates of each vertex, x fastest: int32, shape (n, axes)."""
    d: Int = len(dims)
    result = np.zeros((n, d), np.int32)
    places: OutIndexRows = result
    v: Int
    a: Int
    with cython.nogil:
        for v in range(1, n):
            carry: Int = 1
            for a in range(d):
                places[v, a] = places[v - 1, a] + carry
                carry = places[v, a] == dims[a]
                if carry:
                    places[v, a] = 0
    return result


def are_joined(indptr: Ints, indices: Indices, u: Int, v: Int) -> Bool:
    """Return whether two vertices are neighbours."""
    low: Int = indptr[u]
    end: Int = indptr[u + 1]
    high: Int = end
    while low < high:
        middle: Int = (low + high) >> 1
        if indices[middle] < v:
            low = middle + 1
        else:
            high = middle
    return low < end and indices[low] == v


def skeleton(
    indptr: Ints,
    indices: Indices,
    edge_of: Indices,
    triangles: Ints,
    edges: IndexRows,
) -> NDArray[np.bool_]:
    """Find the edges of the Cartesian skeleton: those that are not dispensable.

    An edge xy is dispensable if some z has more in common with x, and with y, than they
    have with each other, or a closed neighbourhood strictly between theirs. Such a z is
    a neighbour of x, of y and of all that both share.

    Parameters
    ----------
    triangles : int64, shape (m,)
        Triangles that each edge lies in.

    Returns
    -------
    bool, shape (m,)
        Edges that are kept.
    """
    n: Int = len(indptr) - 1
    result = np.ones(len(edges), np.bool_)
    kept: OutBools = result
    # neighbours of both ends, and the edges to them
    common: OutInts = np.empty(n, np.int64)
    to_x: OutInts = np.empty(n, np.int64)
    to_y: OutInts = np.empty(n, np.int64)
    e: Int
    a: Int
    b: Int
    with cython.nogil:
        for e in range(edges.shape[0]):
            x: Int = edges[e, 0]
            y: Int = edges[e, 1]
            size: Int = 0
            i: Int = indptr[x]
            j: Int = indptr[y]
            while i < indptr[x + 1] and j < indptr[y + 1]:
                if indices[i] < indices[j]:
                    i += 1
                elif indices[i] > indices[j]:
                    j += 1
                else:
                    common[size] = indices[i]
                    to_x[size], to_y[size] = edge_of[i], edge_of[j]
                    size += 1
                    i += 1
                    j += 1
            # sizes of closed neighbourhoods, and of what two of them share
            nx: Int = indptr[x + 1] - indptr[x] + 1
            ny: Int = indptr[y + 1] - indptr[y] + 1
            for a in range(size):
                z: Int = common[a]
                nz: Int = indptr[z + 1] - indptr[z] + 1
                xz: Int = triangles[to_x[a]] + 2
                yz: Int = triangles[to_y[a]] + 2
                from_x: Bool = xz > size + 2 or (xz == nx and yz == nz and nx < nz < ny)
                from_y: Bool = yz > size + 2 or (yz == ny and xz == nz and ny < nz < nx)
                if not (from_x and from_y):
                    continue
                joined: Bool = True
                for b in range(size):
                    if b != a and not are_joined(indptr, indices, z, common[b]):
                        joined = False
                        break
                if joined:
                    kept[e] = False
                    break
    return result


def grows_so(n: Int, steps: Ints, wanted: Ints) -> bool:
    """Return whether a ring has as many vertices at each distance, and no others.

    Parameters
    ----------
    n
        Length of the ring.
    steps : int64, shape (k,)
        Steps to a vertex' neighbours, from 1 to n // 2, taken both ways.
    wanted : int64
        Vertices at each distance from one of them.
    """
    reached: OutBools = np.zeros(n, np.bool_)
    queue: OutInts = np.empty(n, np.int64)
    first: Int = 0
    last: Int = 1
    same: Bool = True
    ring: Int
    i: Int
    s: Int
    way: Int
    with cython.nogil:
        reached[0] = True
        queue[0] = 0
        for ring in range(1, len(wanted)):
            end: Int = last
            for i in range(first, end):
                for s in range(len(steps)):
                    for way in range(2):
                        there: Int = queue[i] + (steps[s] if way == 0 else -steps[s])
                        if there >= n:
                            there -= n
                        elif there < 0:
                            there += n
                        if not reached[there]:
                            reached[there] = True
                            queue[last] = there
                            last += 1
            if last - end != wanted[ring]:
                same = False
                break
            first = end
    return bool(same and last == n)
