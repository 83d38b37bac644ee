"""Axes of strong products: boxes, the 9- and 27-point stencils."""

import itertools

import numba
import numpy as np

from topoview.model import Bools, Indices, Ints
from topoview.progress import breathe
from topoview.topology.graph import Graph, graph_of, unique_edges
from topoview.topology.kinds.product import Axis, product_axes, ring_of_four
from topoview.topology.relations import square_classes

MOST_RINGS = 4
"""Rings of 4 in a box up to which all ways to pair their axes are tried."""


BATCH = 1 << 14
"""Edges of a strong product that are looked at between two reports."""


def strong_axes(graph: Graph) -> list[list[Axis]]:
    """Find axes along which a connected graph may be a box.

    Vertices with the same closed neighbourhood differ along open axes of 2 and
    closed ones of 3 only. They are merged; what remains is a box without such
    axes, whose Cartesian skeleton is a plain lattice.

    Returns
    -------
    list of list of Axis
        Candidates, to be verified; empty if there is none.
    """
    if not _degrees_of_boxes(graph) or graph.triangles.max(initial=0) < 2:
        return []
    label, size = _twins(graph)
    breathe()
    if not size:
        return []
    merged = _merge(graph, label) if size > 1 else graph
    breathe()
    kept = _skeleton_of(merged)
    breathe()
    rest = graph_of(merged.n, np.ascontiguousarray(merged.edges[kept]))
    if merged.n < 3 or not rest.connected:
        return []
    breathe()
    classes = square_classes(rest)
    breathe()
    axes = product_axes(rest, classes)
    if axes is None:
        return []
    outer = [Axis(axis.extent, axis.wraps, axis.place[label]) for axis in axes]
    digits = _digits(_index_within(label), size)
    return [rings + inner for rings in _rings(outer) for inner in digits]


def _degrees_of_boxes(graph: Graph) -> bool:
    """Tell whether all closed neighbourhoods have a product of 2 and 3 vertices."""
    for degree in np.flatnonzero(np.bincount(graph.degree)):
        size = int(degree) + 1
        for base in (2, 3):
            while size % base == 0:
                size //= base
        if size > 1:
            return False
    return True


def _rings(axes: list[Axis]) -> list[list[Axis]]:
    """Join axes of 2 to rings of 4 in all ways: open ones have been merged."""
    twos = [i for i, axis in enumerate(axes) if axis.extent == 2]
    if not twos:
        return [axes]
    if len(twos) % 2 or len(twos) > 2 * MOST_RINGS:
        return []
    choices = []
    for other in twos[1:]:
        rest = [axis for i, axis in enumerate(axes) if i not in (twos[0], other)]
        ring = ring_of_four(axes[twos[0]], axes[other])
        choices += [[ring, *more] for more in _rings(rest)]
    return choices


def _twins(graph: Graph) -> tuple[Ints, int]:
    """Class of each vertex by its closed neighbourhood; common size, else 0."""
    # sums of random numbers stand for the neighbourhoods: a coincidence would
    # be noticed when the edges are verified
    weight = np.random.default_rng(1).integers(1, 2**62, graph.n).astype(np.uint64)
    total = np.zeros(len(graph.indices) + 1, np.uint64)
    np.cumsum(weight[graph.indices], out=total[1:])
    closed = total[graph.indptr[1:]] - total[graph.indptr[:-1]] + weight
    _, label, sizes = np.unique(closed, return_inverse=True, return_counts=True)
    if len(sizes) == graph.n:
        return np.arange(graph.n), 1
    return label, int(sizes[0]) if (sizes == sizes[0]).all() else 0


def _merge(graph: Graph, label: Ints) -> Graph:
    n = int(label.max()) + 1
    u, v = label[graph.edges[:, 0]], label[graph.edges[:, 1]]
    return graph_of(n, unique_edges(n, u, v))


def _index_within(label: Ints) -> Ints:
    """Count through the members of each class in order of rank."""
    order = np.argsort(label, kind="stable")
    sizes = np.bincount(label)
    index = np.empty(len(label), np.int64)
    index[order] = np.arange(len(label)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return index


def _digits(index: Ints, size: int) -> list[list[Axis]]:
    """Write a number below `size` in digits of 2 and 3, in every order of them."""
    bases = []
    for base in (2, 3):
        while size % base == 0:
            bases.append(base)
            size //= base
    if size > 1 or len(bases) > 4:
        return []
    choices = []
    for order in sorted(set(itertools.permutations(bases))):
        axes, rest = [], index
        for base in order:
            axes.append(Axis(base, base == 3, rest % base))
            rest = rest // base
        choices.append(axes)
    return choices


def _skeleton_of(graph: Graph) -> Bools:
    """Tell which edges of a strong product belong to its Cartesian skeleton.

    Dispensable edges are dropped (Hammack, Imrich, 2009, "On Cartesian skeletons
    of graphs", Ars Math. Contemp. 2, section 3); no two vertices may have the
    same closed neighbourhood.
    """
    kept = np.empty(len(graph.edges), bool)
    rows = graph.indptr, graph.indices, graph.edge_of, graph.triangles
    for begin in range(0, len(kept), BATCH):
        breathe()
        some = slice(begin, begin + BATCH)
        kept[some] = _skeleton(*rows, graph.edges[some])
    return kept


@numba.njit(nogil=True, cache=True)
def _arc(indptr: Ints, indices: Indices, u: int, v: int) -> int:
    # arc from u to v, -1 if they are no neighbours
    low, high = indptr[u], indptr[u + 1]
    while low < high:
        mid = (low + high) // 2
        if indices[mid] < v:
            low = mid + 1
        else:
            high = mid
    return low if low < indptr[u + 1] and indices[low] == v else -1


@numba.njit(nogil=True, cache=True)
def _skeleton(
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
                if b != a and _arc(indptr, indices, z, common[b]) < 0:
                    joined = False
                    break
            if joined:
                kept[e] = False
                break
    return kept
