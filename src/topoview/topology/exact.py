"""A topology that a graph exactly is."""

from dataclasses import dataclass

import numpy as np

from topoview.model import Indices, Ints, Topology

NEARLY = 0.25
"""Distance below which a numbering is mostly the natural one."""

FEW = 16
"""Vertices up to which a small distance says nothing."""


@dataclass(frozen=True, slots=True, eq=False)
class Exact:
    """A topology that a graph exactly is.

    Attributes
    ----------
    topology
        The topology.
    vertex : int64, shape (n,)
        Its vertex for each of the graph's; -1 for those outside.
    distance
        Mean distance between rank and vertex: 0 for natural numberings, about
        1 for random ones.
    also
        Other names of the same graph.
    """

    topology: Topology
    vertex: Ints
    distance: float
    also: tuple[str, ...] = ()

    @property
    def naturalness(self) -> int:
        """Sort key: 0 in rank order, 1 mostly so, 2 for numberings that follow nothing.

        Of few vertices some lie in order by chance.
        """
        if self.distance == 0:
            return 0
        return 1 if self.distance < NEARLY and len(self.vertex) > FEW else 2


def rank_distance(vertex: Ints | Indices) -> float:
    """Mean distance between rank and vertex in thirds of their number."""
    n = len(vertex)
    return 3 * float(np.mean(np.abs(vertex - np.arange(n)))) / n
