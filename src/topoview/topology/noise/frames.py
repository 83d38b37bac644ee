"""Where to begin: a vertex of a lattice and its neighbours along the axes.

In a lattice that is whole around a vertex, how its neighbours are joined among
themselves, or by squares, tells which of them lie opposite each other.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from topoview.model import Ints
from topoview.topology.graph import Graph
from topoview.topology.stencils import STENCILS, Offsets

Frame = tuple[Ints, Ints]
"""Vertices, and their points: int64, shape (s,) and (s, d)."""


@dataclass(frozen=True, slots=True)
class Model:
    """A lattice that is looked for, whatever its dims and periods.

    Attributes
    ----------
    d
        Number of dimensions.
    offsets
        Neighbours, one of each +/- pair.
    frame
        Finds the neighbours along the axes of a vertex: a function of the graph
        and the vertex.
    turn
        Matrix of a turn that leaves the offsets and gives other axes: a frame may
        have found any of these. Empty if there is none.
    turns
        How many turns give other axes, and none counted.
    """

    d: int
    offsets: Offsets
    frame: Callable[[Graph, int, int], Frame | None]
    turn: tuple[tuple[int, ...], ...] = ()
    turns: int = 1

    @property
    def degree(self) -> int:
        """Neighbours of an inner vertex."""
        return 2 * len(self.offsets)

    @property
    def both_ways(self) -> Ints:
        """All neighbours of a point, int64, shape (degree, d)."""
        one = np.array(self.offsets, np.int64)
        return np.concatenate([one, -one])


def _beside(graph: Graph, v: int) -> list[int]:
    found: list[int] = graph.indices[graph.indptr[v] : graph.indptr[v + 1]].tolist()
    return found


def _cross(v: int, opposite: list[tuple[int, int]], d: int) -> Frame:
    axes = np.eye(d, dtype=np.int64)
    ends = [end for pair in opposite for end in pair]
    points = [sign * axes[i] for i in range(d) for sign in (1, -1)]
    return np.array([v, *ends]), np.array([np.zeros(d, np.int64), *points])


def _pairs(
    ends: list[int], apart: Callable[[int, int], bool]
) -> list[tuple[int, int]] | None:
    """Pair each end with the only one that is apart from it."""
    pairs = []
    for a in ends:
        partners = [b for b in ends if b != a and apart(a, b)]
        if len(partners) != 1:
            return None
        if a < partners[0]:
            pairs.append((a, partners[0]))
    return pairs if 2 * len(pairs) == len(ends) else None


def plain_frame(graph: Graph, v: int, d: int) -> Frame | None:
    """Find opposite neighbours: they share no square, all others do."""
    ends = _beside(graph, v)
    if len(ends) != 2 * d:
        return None
    around = {a: set(_beside(graph, a)) - {v} for a in ends}
    pairs = _pairs(ends, lambda a, b: not around[a] & around[b])
    return None if pairs is None else _cross(v, pairs, d)


def box_frame(graph: Graph, v: int, d: int) -> Frame | None:
    """Neighbours along the axes have most neighbours in common with the vertex."""
    ends = _beside(graph, v)
    around = {a: set(_beside(graph, a)) for a in ends}
    inside = set(ends)
    common = sorted(((len(around[a] & inside), a) for a in ends), reverse=True)
    if len(common) <= 2 * d or common[2 * d - 1][0] == common[2 * d][0]:
        return None
    along = [a for _, a in common[: 2 * d]]
    pairs = _pairs(along, lambda a, b: b not in around[a])
    return None if pairs is None else _cross(v, pairs, d)


def hexagon_frame(graph: Graph, v: int, d: int) -> Frame | None:
    """Put the neighbours on the ring of six that they form."""
    ends = _beside(graph, v)
    if len(ends) != 6:
        return None
    around = {a: [b for b in _beside(graph, a) if b in ends] for a in ends}
    if any(len(beside) != 2 for beside in around.values()):
        return None
    walk = [ends[0], around[ends[0]][0]]
    while len(walk) < 6:
        walk.append(next(b for b in around[walk[-1]] if b != walk[-2]))
    if len(set(walk)) < 6:
        return None
    ring = [(1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1)]
    return np.array([v, *walk]), np.array([(0,) * d, *ring], np.int64)


MODELS: dict[str, Model] = {
    "2D": Model(2, STENCILS["plain"](2), plain_frame),
    "3D": Model(3, STENCILS["plain"](3), plain_frame),
    "4D": Model(4, STENCILS["plain"](4), plain_frame),
    "5D": Model(5, STENCILS["plain"](5), plain_frame),
    "6-point": Model(2, STENCILS["6-point"](2), hexagon_frame, ((0, -1), (1, 1)), 3),
    "2D box": Model(2, STENCILS["box"](2), box_frame),
    "19-point": Model(3, STENCILS["19-point"](3), box_frame),
    "3D box": Model(3, STENCILS["box"](3), box_frame),
}
"""Lattices that are grown. To add one is to add a line."""
