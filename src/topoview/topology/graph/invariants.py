"""Numbers that isomorphic graphs share: what excludes a candidate at little cost.

Vertices at each distance, short cycles, eigenvalues.
"""

import numpy as np

from topoview.model import Floats, Ints
from topoview.topology.graph import kernels
from topoview.topology.graph.graph import Graph
from topoview.topology.graph.refinement import stable_colours


def level_sizes(graph: Graph) -> list[int]:
    """Count the vertices at each distance from the first."""
    moved = graph.outwards
    sizes: list[int] = np.bincount(moved.distance[moved.component == 0]).tolist()
    return sizes


MAX_SQUARED_DEGREES = 20_000_000
"""Sum of squared degrees up to which cycles of four are counted."""

MAX_DISTANCES = 50_000_000
"""Arcs times vertices up to which all distances are looked at."""

MAX_EIGENVALUES = 2048
"""Vertices up to which all eigenvalues are computed."""


def short_cycles(graph: Graph) -> tuple[int, int] | None:
    """Count the triangles and the cycles of four; None if that takes too long."""
    squares = squares_at(graph)
    if squares is None:
        return None
    return int(graph.triangles.sum()) // 3, int(squares.sum()) // 4


def triangles_at(graph: Graph) -> Ints:
    """Count the triangles that each vertex lies in: int64, shape (n,)."""
    return _at_vertices(graph, graph.triangles)


def squares_at(graph: Graph) -> Ints | None:
    """Count the cycles of four that each vertex lies in; None if that takes too long.

    Returns
    -------
    int64, shape (n,), or None
    """
    if int((graph.degree**2).sum()) > MAX_SQUARED_DEGREES:
        return None
    return _at_vertices(graph, graph.squares)


def _at_vertices(graph: Graph, cycles: Ints) -> Ints:
    """Count the cycles at each vertex by those of its edges, of which each has two."""
    twice = np.zeros(graph.n, np.int64)
    for side in graph.edges.T:
        np.add.at(twice, side, cycles)
    return twice // 2


def distance_profile(graph: Graph) -> Ints | None:
    """Count vertices at each distance from each vertex, in order of these counts.

    Returns
    -------
    int64, shape (vertices, longest distance + 1), or None
        Rows sorted; None if that takes too long.
    """
    rings = distances_at(graph)
    return None if rings is None else rings[np.lexsort(rings.T[::-1])]


def distances_at(graph: Graph) -> Ints | None:
    """Count vertices at each distance from each vertex.

    Returns
    -------
    int64, shape (vertices, longest distance + 1), or None
        None if that takes too long.
    """
    if graph.n * len(graph.indices) > MAX_DISTANCES:
        return None
    rings = kernels.all_level_sizes(graph.indptr, graph.indices)
    result: Ints = rings[:, : int(np.flatnonzero(rings.any(axis=0)).max(initial=0)) + 1]
    return result


def vertex_classes(graph: Graph) -> Ints:
    """Colour vertices by what no renumbering changes: int64, shape (n,).

    How many neighbours each has, in how many triangles and cycles of four it lies, and
    how many vertices are at each distance, as far as that is counted in reasonable
    time; then by the classes of their neighbours, and so on. Vertices of different
    classes cannot change places; those of one class may be alike, or not.
    """
    columns = [graph.degree, triangles_at(graph)]
    for more in (squares_at(graph), distances_at(graph)):
        if more is not None:
            columns += list(np.atleast_2d(more.T))
    if not graph.n:
        return np.zeros(0, np.int64)
    order = np.lexsort(columns[::-1])
    differs = np.zeros(graph.n, bool)
    for column in columns:
        differs[1:] |= np.diff(column[order]) != 0
    first = np.empty(graph.n, np.int64)
    first[order] = np.cumsum(differs)
    return stable_colours(graph, first)


def eigenvalues(graph: Graph) -> Floats | None:
    """Eigenvalues of the adjacency matrix, ascending; None if there are too many."""
    if graph.n > MAX_EIGENVALUES:
        return None
    dense = np.zeros((graph.n, graph.n))
    dense[graph.edges[:, 0], graph.edges[:, 1]] = 1.0
    return np.asarray(np.linalg.eigvalsh(dense + dense.T), np.float64)


def same_spectrum(one: Floats, other: Floats) -> bool:
    """Return whether two spectra are the same but for rounding."""
    if len(one) != len(other):
        return False
    scale = max(1.0, float(np.abs(one).max(initial=0.0)))
    return bool(np.abs(one - other).max(initial=0.0) < 1e-7 * scale * len(one) ** 0.5)
