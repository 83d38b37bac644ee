"""A graph laid on an endless lattice, so that neighbours are exactly the neighbours.

Vertices are placed one after the other. Where a vertex may lie follows from its
neighbours that lie already: beside all of them, and beside no vertex that is none (a
search for an induced subgraph with forward checking, after Haralick, Elliott, 1980,
"Increasing tree search efficiency for constraint satisfaction problems", Artificial
Intelligence 14). What has one place only is placed first. Of several places most are
excluded by what a neighbour's neighbours then could do, as opposite sides of a square
are parallel; what is left, such as a single row that leads off, is tried.
"""

from dataclasses import dataclass

import numpy as np

from topoview.model import Indices, Ints
from topoview.topology.graph.graph import Graph
from topoview.topology.lattices import embedding_kernels

MAX_LOOKS_PER_VERTEX = 20
"""How often places are looked for, on average; lattices need two to five."""

MIN_LOOKS = 20_000
"""How often they are looked for at least."""


@dataclass(frozen=True, slots=True, eq=False)
class Embedding:
    """A graph on an endless lattice, or how far that went."""

    complete: bool
    """Whether all vertices have a place."""
    points: Ints
    """int64, shape (n, d): place of each vertex."""
    order: Indices
    """int32, shape (placed,): vertices in the order in which they were placed."""
    clashes: Ints
    """int64, shape (c, 1 + d): where it went no further, pairs of vertices that a few
    steps join over others, for which there is no room: how many steps, and how far
    along each axis."""


def embedded(
    graph: Graph,
    steps: Ints,
    periods: tuple[int, ...],
    vertices: Ints,
    points: Ints,
) -> Embedding:
    """Lay a connected graph on a lattice.

    Parameters
    ----------
    steps : int64, shape (k, d)
        Steps to the neighbours of a point, both ways, none longer than 1 along an axis.
    periods
        After how many places each axis comes back, 3 or more; 0 if it never does.
    vertices, points : int64, shape (b,) and (b, d)
        Vertices whose places are given, one at least.
    """
    place, order, clashes = embedding_kernels.search(
        graph.indptr,
        graph.indices,
        steps,
        np.array(periods, np.int64),
        vertices.astype(np.int64),
        points.astype(np.int64),
        max(MIN_LOOKS, MAX_LOOKS_PER_VERTEX * graph.n),
    )
    return Embedding(len(order) == graph.n, place, order, clashes)
