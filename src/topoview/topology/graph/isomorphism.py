"""Isomorphism of a graph and a template, every edge verified.

The vertices near one of each graph are mapped by refinement. From there on each vertex
tells its neighbours apart by which of theirs are mapped already, in linear time; where
that does not serve, all vertices are refined
(`topoview.topology.graph.refinement`).
"""

from collections.abc import Iterator
from functools import reduce
from itertools import permutations

import numpy as np

from topoview.model import Bools, Ints, Topology
from topoview.topology.graph import kernels
from topoview.topology.graph.graph import Graph, rows_among
from topoview.topology.graph.products import same_edges
from topoview.topology.graph.refinement import Rows, refined_map

# Isomorphism that spreads from the surroundings of one vertex, in linear time.
#
# The vertices near one of each graph are mapped by refinement. From there on each
# vertex tells its neighbours apart by which of theirs are mapped already (Yartseva,
# Grossglauser, 2013, "On the performance of percolation graph matching"; here no edge
# may differ, so that one disagreement ends the attempt).

MAX_SPREAD_DEGREE = 128
"""Neighbours up to which they are told apart one by one."""


def ball_around(
    rows: Rows, colour: Ints, root: int, most: int
) -> tuple[Ints, Rows, Ints, Ints]:
    """Cut out the vertices that are nearest to one.

    Returns
    -------
    members : int64, shape (m,)
        All vertices up to some distance, at most `most` (but for those next to the
        root), in order of distance.
    rows
        Their neighbours among themselves, as rows of indices.
    inner : int64, shape (m,)
        Colour of each: its own, and its distance.
    rings : int64, shape (k,)
        How many there are at each distance.
    """
    distance, order = kernels.search_from(*rows, np.array([root]), len(colour), most)
    members, far = order.astype(np.int64), distance[order].astype(np.int64)
    inner = far * (int(colour.max()) + 1) + colour[members]
    return members, rows_among(*rows, members), inner, np.bincount(far)


MIN_SPREAD_VERTICES = 400
"""Vertices below which all are refined at once."""

TRIES_BY_BALL_SIZE = {250: 6, 2000: 2}
"""How many vertices around the first are mapped by refinement, and on how many others
that is tried: on another one, axes that look alike from within may fall otherwise."""


def isomorphism(
    graph: Graph,
    template: Graph,
    colour: Ints | None = None,
    wanted: Ints | None = None,
    lattice: Topology | None = None,
) -> Ints | None:
    """Find the vertex of the template for each vertex of a graph.

    Parameters
    ----------
    graph, template
        The graphs.
    colour, wanted : int64, shape (n,)
        Colour of each vertex of the graph and of the template, which the map
        keeps; degrees if not given.
    lattice
        The template, if it is a lattice, whose axes may look alike from one vertex:
        then edges are left to verify.

    Returns
    -------
    int64, shape (n,), or None
        Verified edge by edge; None if none was found.
    """
    if graph.n != template.n or len(graph.edges) != len(template.edges):
        return None
    ours, theirs = graph.degree, template.degree
    if colour is not None and wanted is not None:
        both = np.unique(np.concatenate([colour, wanted]), return_inverse=True)[1]
        ours, theirs = both[: graph.n], both[graph.n :]
    if not np.array_equal(np.bincount(ours), np.bincount(theirs)):
        return None
    for vertex in _spreading(graph, template, ours, theirs, lattice):
        if vertex is None or lattice or same_edges(graph, template.edges, vertex):
            return vertex
    rows = (graph.indptr, graph.indices), (template.indptr, template.indices)
    mapping = refined_map(*rows, ours, theirs)
    if mapping is None:
        return None
    return mapping if same_edges(graph, template.edges, mapping) else None


def _spreading(
    graph: Graph, template: Graph, ours: Ints, theirs: Ints, lattice: Topology | None
) -> Iterator[Ints | None]:
    """Map what is near to one vertex by refinement, and all others outwards from it.

    Yields
    ------
    int64, shape (n,), or None
        A map; None if there is none, since no vertex has surroundings like those of the
        template's first one.
    """
    widest = int(graph.degree.max(initial=0))
    if graph.n < MIN_SPREAD_VERTICES or widest > MAX_SPREAD_DEGREE:
        return
    moved = graph.outwards
    own, other = moved.rows, (template.indptr, template.indices)
    ours = ours[moved.order]
    many = np.bincount(theirs)
    rarest = int(np.where(many, many, graph.n + 1).argmin())
    root = int(np.argmax(theirs == rarest))
    chosen = np.flatnonzero(ours == rarest)
    everywhere = np.zeros(0, bool)
    lines = _lines(lattice, root) if lattice else everywhere
    for most, tries in TRIES_BY_BALL_SIZE.items():
        wanted, small, inner, rings = ball_around(other, theirs, root, most)
        roots = kernels.roots_like(*own, chosen, rings, tries)
        if not len(roots):
            yield None
            return
        for begin in roots.tolist():
            members, rows, colour, _ = ball_around(own, ours, begin, most)
            if len(members) != len(wanted) or len(rows[1]) != len(small[1]):
                continue
            begun = refined_map(rows, small, colour, inner)
            if begun is None:
                continue
            # those farthest out may be exchanged without it being noticed
            inside = int(rings[:-1].sum()) if len(rings) > 3 else len(members)
            begun = wanted[begun[:inside]]
            members = members[:inside]
            for there in _turned(lattice, root, begun) if lattice else (begun,):
                both = *own, *other, members, there, widest
                if lattice and not len(kernels.spread(*both, lines)):
                    continue
                vertex = kernels.spread(*both, everywhere)
                if len(vertex):
                    yield vertex[moved.number].astype(np.int64)


def _turned(lattice: Topology, root: int, begun: Ints) -> Iterator[Ints]:
    """Yield a map's beginning with the axes of its lattice in each different order.

    Parameters
    ----------
    root
        Vertex of the lattice around which the beginning lies.
    begun : int64, shape (b,)
        Vertices of the lattice that it has.
    """
    dims, wraps = np.array(lattice.dims), np.array(lattice.periodic)
    low = np.where(wraps, (dims - 1) // 2, 0)
    place = lattice.coordinates[root].astype(np.int64)
    apart = lattice.coordinates[begun] - place
    apart = np.where(wraps, (apart + low) % dims - low, apart)
    shapes = list(zip(lattice.dims, lattice.periodic, strict=True))
    seen = set()
    for axes in permutations(range(len(dims))):
        shape = tuple(shapes[axis] for axis in axes)
        if shape in seen:
            continue
        seen.add(shape)
        there = apart[:, axes] + place
        there = np.where(wraps, there % dims, there)
        if ((there >= 0) & (there < dims)).all():
            yield there @ np.cumprod([1, *dims[:-1]])


def _lines(lattice: Topology, root: int) -> Bools:
    """Return which vertices of a lattice lie near the axes through one of them."""
    reach = np.abs(lattice.offsets).max()
    near = []
    for extent, wraps, place in zip(
        lattice.dims, lattice.periodic, lattice.coordinates[root], strict=True
    ):
        away = np.abs(np.arange(extent) - place)
        away = np.minimum(away, extent - away) if wraps else away
        near.append((away <= reach).astype(np.int8))
    along = reduce(np.add.outer, near[::-1]).ravel()  # the first axis varies fastest
    result: Bools = along >= len(near) - 1
    return result
