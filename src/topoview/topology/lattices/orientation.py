"""Of all ways to lay the axes of a lattice, the one nearest to rank order.

A lattice has many automorphisms: axes may change places, be reversed, and be
shifted if they wrap. Programs number ranks row by row; undoing that shows the
axes that the program means.
"""

from dataclasses import dataclass, replace

import numpy as np

from topoview.model import Ints
from topoview.topology.graph.graph import Graph
from topoview.topology.graph.products import LatticeAxis, ring_of_four
from topoview.topology.members import rank_distance


@dataclass(frozen=True, slots=True, eq=False)
class OrientedLattice:
    """Axes in their natural order, x (fastest with the rank) first."""

    axes: tuple[LatticeAxis, ...]
    """x first."""
    vertex: Ints
    """int64, shape (n,): row-major number of each vertex' place."""
    distance: float
    """Mean distance between rank and vertex; about 1 for random numbers, 0 for natural
    ones."""

    @property
    def dims(self) -> tuple[int, ...]:
        """Extent of each axis."""
        return tuple(axis.extent for axis in self.axes)


def orient(graph: Graph, axes: list[LatticeAxis]) -> OrientedLattice:
    """Order, reverse and shift axes so that places follow the ranks.

    The stride of an axis is the most frequent difference of rank along its
    edges. If that leaves less than a quarter of all ranks in row-major order
    the numbering is no natural one, and the axes are put largest first.
    """
    strides = [_stride(steps) for steps in _steps_along(graph, axes)]
    natural = _aligned([axes[i] for i in np.argsort(strides, kind="stable")], graph.n)
    some = sample(graph.n)
    if np.mean(_row_major(natural, some) == some) >= 0.25:
        return _placed(natural)
    by_size = sorted(axes, key=lambda axis: (not axis.wraps, -axis.extent))
    by_size.sort(key=lambda axis: -axis.extent)
    return _placed(_aligned(by_size, graph.n))


def fold_pairs(graph: Graph, axes: list[LatticeAxis]) -> list[LatticeAxis]:
    """Join pairs of axes of 2 into rings of 4 where the numbering says so.

    A ring of 4 is the product of two edges. In a ring of stride s the edges of
    one of them span s, those of the other s and 3 s.
    """
    twos = [i for i, axis in enumerate(axes) if axis.extent == 2]
    if len(twos) < 2:
        return axes
    steps = _steps_along(graph, axes)
    strides = {i: _stride(steps[i]) for i in twos}
    joined: set[int] = set()
    rings = []
    for i in twos:
        for j in twos:
            if i == j or joined & {i, j}:
                continue
            both = (np.count_nonzero(steps[j] == k * strides[i]) for k in (1, 3))
            if min(both) > 0.3 * len(steps[j]):
                rings.append(ring_of_four(axes[i], axes[j]))
                joined |= {i, j}
    return [axis for i, axis in enumerate(axes) if i not in joined] + rings


def _steps_along(graph: Graph, axes: list[LatticeAxis]) -> list[Ints]:
    # differences of rank along edges that change this axis alone
    u, v = graph.edges[sample(len(graph.edges))].T
    changes = np.stack([axis.place[u] != axis.place[v] for axis in axes])
    alone = np.count_nonzero(changes, axis=0) == 1
    spans = v - u
    return [spans[alone & change] for change in changes]


MAX_SAMPLED = 1 << 15
"""Edges, or vertices, that show what is most frequent among more of them."""


def sample(many: int) -> Ints:
    """Choose some of many, or all: at random, for regular ones have much in common."""
    if many <= MAX_SAMPLED:
        return np.arange(many)
    return np.random.default_rng(1).integers(0, many, MAX_SAMPLED)


def _stride(steps: Ints) -> int:
    return int(np.bincount(steps).argmax()) if len(steps) else 0


def _placed(axes: list[LatticeAxis]) -> OrientedLattice:
    vertex = _row_major(axes, slice(None))
    return OrientedLattice(tuple(axes), vertex, rank_distance(vertex))


def _row_major(axes: list[LatticeAxis], some: Ints | slice) -> Ints:
    """Compute the row-major numbers of the places of some vertices."""
    result, stride = np.zeros(len(axes[0].place[some]), np.int64), 1
    for axis in axes:
        result += stride * axis.place[some]
        stride *= axis.extent
    return result


def _aligned(axes: list[LatticeAxis], n: int) -> list[LatticeAxis]:
    """Reverse and shift axes so that most of some vertices are where ranks are."""
    some, aligned, stride = sample(n), [], 1
    for axis in axes:
        aligned.append(_turned(axis, some, some // stride % axis.extent))
        stride *= axis.extent
    return aligned


def _turned(axis: LatticeAxis, some: Ints, wanted: Ints) -> LatticeAxis:
    n, place = axis.extent, axis.place[some]
    ahead = np.bincount((wanted - place) % n, minlength=n)
    back = np.bincount((wanted + place) % n, minlength=n)
    if not axis.wraps:
        forwards = ahead[0] >= back[n - 1]
        return axis if forwards else replace(axis, place=n - 1 - axis.place)
    if ahead.max() >= back.max():
        return replace(axis, place=(axis.place + int(ahead.argmax())) % n)
    return replace(axis, place=(int(back.argmax()) - axis.place) % n)
