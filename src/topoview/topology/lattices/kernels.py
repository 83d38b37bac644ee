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


def grows_so(  # noqa: C901 - a search
    dims: Ints, steps: IntRows, wanted: Ints
) -> bool:
    """Return whether a torus has as many vertices at each distance, and no others.

    All its vertices are alike, so that any one tells.

    Parameters
    ----------
    dims : int64, shape (d,)
        Its extents.
    steps : int64, shape (k, d)
        Steps to a vertex' neighbours, taken both ways, none longer than an extent.
    wanted : int64
        Vertices at each distance from one of them.
    """
    d: Int = len(dims)
    n: Int = 1
    strides: OutInts = np.ones(d, np.int64)
    first: Int = 0
    last: Int = 1
    same: Bool = True
    ring: Int
    i: Int
    s: Int
    way: Int
    a: Int
    for a in range(d):
        strides[a] = n
        n *= dims[a]
    reached: OutBools = np.zeros(n, np.bool_)
    queue: OutInts = np.empty(n, np.int64)
    place: OutInts = np.empty(d, np.int64)
    with cython.nogil:
        reached[0] = True
        queue[0] = 0
        for ring in range(1, len(wanted)):
            end: Int = last
            for i in range(first, end):
                for a in range(d):
                    place[a] = queue[i] // strides[a] % dims[a]
                for s in range(steps.shape[0]):
                    for way in range(-1, 2, 2):
                        there: Int = 0
                        for a in range(d):
                            to: Int = place[a] + way * steps[s, a]
                            if to < 0:
                                to += dims[a]
                            elif to >= dims[a]:
                                to -= dims[a]
                            there += to * strides[a]
                        if not reached[there]:
                            reached[there] = True
                            queue[last] = there
                            last += 1
            if last - end != wanted[ring]:
                same = False
                break
            first = end
    return bool(same and last == n)
