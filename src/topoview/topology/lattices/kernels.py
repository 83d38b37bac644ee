"""Kernels of topology/lattices."""

import numpy as np

from topoview.base.kernels import kernel
from topoview.model import Bools, Indices, Ints
from topoview.topology.graph.kernels import breadth_first


@kernel
def lattice_edges(places: Indices, dims: Ints, periodic: Bools, steps: Ints) -> Indices:
    # vertex by vertex, so that they come out sorted
    n, d = places.shape
    edges = np.empty((n * len(steps), 2), np.int32)
    ends = np.empty(2 * len(steps), np.int64)
    count = 0
    for u in range(n):
        many = 0
        for i in range(len(ends)):
            sign = 1 - 2 * (i % 2)
            v, stride = 0, 1
            for axis in range(d):
                m = dims[axis]
                place = places[u, axis] + sign * steps[i // 2, axis]
                if place < 0 or place >= m:
                    if not periodic[axis]:
                        v = -1
                        break
                    place %= m
                v += stride * place
                stride *= m
            if v <= u:
                continue
            at = many
            while at and ends[at - 1] > v:
                ends[at] = ends[at - 1]
                at -= 1
            ends[at] = v
            many += 1
        for i in range(many):
            if i == 0 or ends[i] != ends[i - 1]:
                edges[count, 0], edges[count, 1] = u, ends[i]
                count += 1
    return edges[:count].copy()


@kernel
def axes_at_first(  # noqa: C901 - squares at one vertex
    indptr: Ints, indices: Indices
) -> tuple[Ints, int]:
    # axis of each neighbour of vertex 0: those that span one square differ
    n, degree = len(indptr) - 1, indptr[1]
    axis = np.arange(degree)
    squares = np.zeros((degree, degree), np.int64)
    near = np.full(n, -1, np.int64)
    for i in range(degree):
        near[indices[i]] = i
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


@kernel
def unfolded(  # noqa: C901 - one pass outwards
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
    distance[0] = queue[0] = 0
    for v in queue[: breadth_first(indptr, indices, 1, distance, queue)]:
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


@kernel
def arc(indptr: Ints, indices: Indices, u: int, v: int) -> int:
    # arc from u to v, -1 if they are no neighbours
    low, high = indptr[u], indptr[u + 1]
    while low < high:
        mid = (low + high) // 2
        if indices[mid] < v:
            low = mid + 1
        else:
            high = mid
    return low if low < indptr[u + 1] and indices[low] == v else -1


@kernel
def skeleton(
    indptr: Ints, indices: Indices, edge_of: Indices, triangles: Ints, edges: Indices
) -> Bools:
    # An edge xy is dispensable if some z has more in common with x, and with y,
    # than they have with each other, or a closed neighbourhood strictly between
    # theirs. Such a z is a neighbour of x, of y and of all that both share.
    kept = np.ones(len(edges), np.bool_)
    common = np.empty(len(indptr), np.int64)
    from_one = np.empty(len(indptr), np.int64)
    from_other = np.empty(len(indptr), np.int64)
    for e in range(len(edges)):
        x, y = edges[e, 0], edges[e, 1]
        size = 0
        i, j = indptr[x], indptr[y]
        while i < indptr[x + 1] and j < indptr[y + 1]:
            if indices[i] < indices[j]:
                i += 1
            elif indices[i] > indices[j]:
                j += 1
            else:
                common[size] = indices[i]
                from_one[size], from_other[size] = edge_of[i], edge_of[j]
                size += 1
                i += 1
                j += 1
        nx = indptr[x + 1] - indptr[x] + 1
        ny = indptr[y + 1] - indptr[y] + 1
        for a in range(size):
            z = common[a]
            nz = indptr[z + 1] - indptr[z] + 1
            xz = triangles[from_one[a]] + 2
            yz = triangles[from_other[a]] + 2
            from_x = xz > size + 2 or (xz == nx and yz == nz and nx < nz < ny)
            from_y = yz > size + 2 or (yz == ny and xz == nz and ny < nz < nx)
            if not (from_x and from_y):
                continue
            joined = True
            for b in range(size):
                if b != a and arc(indptr, indices, z, common[b]) < 0:
                    joined = False
                    break
            if joined:
                kept[e] = False
                break
    return kept


@kernel
def grows_so(n: int, steps: Ints, wanted: Ints) -> bool:
    reached: Bools = np.zeros(n, np.bool_)
    reached[0] = True
    queue = np.empty(n, np.int64)
    queue[0] = 0
    first, last = 0, 1
    for ring in range(1, len(wanted)):
        end = last
        for i in range(first, end):
            for step in steps:
                for there in ((queue[i] + step) % n, (queue[i] - step) % n):
                    if not reached[there]:
                        reached[there] = True
                        queue[last] = there
                        last += 1
        if last - end != wanted[ring]:
            return False
        first = end
    return last == n
