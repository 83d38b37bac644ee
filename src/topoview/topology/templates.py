"""Lattices with few enough candidates to try each as a template.

For stencils that no local relation takes apart: the 19-point, those with long
arms, and the 6-point with an axis of 3.
"""

import itertools
from collections.abc import Iterator, Sequence

import numpy as np

from topoview.model import Indices, Ints, Topology
from topoview.progress import breathe
from topoview.topology.factorisation import factorisations
from topoview.topology.graph import Graph, graph_of
from topoview.topology.isomorphism import isomorphism
from topoview.topology.kinds.product import Axis, same_edges
from topoview.topology.lattice import lattice
from topoview.topology.members import fits, periods
from topoview.topology.near import Near
from topoview.topology.rings import distance_rings
from topoview.topology.signature import degrees_of
from topoview.topology.stencil_degrees import degree_histogram, edge_count
from topoview.topology.stencils import STENCILS, Offsets

UNTEMPLATED = ("plain", "box")
"""Stencils that local relations find whatever the dims are."""

MOST_DIMS = 3
"""Dimensions that any other has at most."""

MANY = 1024
"""Vertices beyond which one that fits is enough."""

Shape = tuple[tuple[int, ...], tuple[bool, ...], Offsets]
"""Dims, periods and offsets."""


def template_axes(moved: Near) -> list[list[Axis]]:
    """Find axes along which a connected graph is one of the templates.

    Returns
    -------
    list of list of Axis
        The first that fits; further ones beside those with dims of 2.
    """
    graph = moved.graph
    if len(graph.edges) < graph.n:
        return []  # trees: a stencil has more edges
    rings: list[int] | None = None
    found = []
    for shape in _candidates(graph):
        breathe()
        if all(shape[1]):
            rings = distance_rings(graph) if rings is None else rings
            if not _same_rings(rings, *shape):
                continue
        axes = _fitted(moved, *shape)
        if axes is not None:
            found.append(axes)
            if min(shape[0]) > 2 or graph.n > MANY:
                break
    return found


def _candidates(graph: Graph) -> Iterator[Shape]:
    """Dims, periods and offsets whose vertices have the degrees that were seen."""
    histogram = degrees_of(graph)
    widest = max(histogram)
    for name, d in itertools.product(STENCILS, range(1, MOST_DIMS + 1)):
        offsets = STENCILS[name](d)
        if name in UNTEMPLATED or 2 * len(offsets) < widest or not offsets:
            continue
        for dims in factorisations(graph.n, d):
            alike = len(histogram) == 1 and min(dims) > 2  # so that all are closed
            if alike and 2 * len(offsets) != widest:
                continue
            for periodic in periods(dims):
                if (
                    edge_count(dims, periodic, offsets) == len(graph.edges)
                    and fits(dims, periodic, offsets)
                    and degree_histogram(dims, periodic, offsets) == histogram
                ):
                    yield dims, periodic, offsets


def _fitted(
    moved: Near,
    dims: tuple[int, ...],
    periodic: tuple[bool, ...],
    offsets: Offsets,
) -> list[Axis] | None:
    graph, ranks = moved.graph, moved.order
    for order in itertools.permutations(range(len(dims))):
        breathe()
        natural = lattice(
            [dims[i] for i in order], [periodic[i] for i in order], offsets
        )
        if same_edges(graph, natural.edges, ranks):
            return _axes(natural, ranks)
    breathe()
    template = lattice(dims, periodic, offsets)
    breathe()
    vertex = isomorphism(graph, graph_of(graph.n, template.edges))
    return None if vertex is None else _axes(template, vertex)


def _axes(template: Topology, vertex: Ints | Indices) -> list[Axis]:
    places = template.coordinates[vertex].astype(np.int64)
    return [
        Axis(extent, wraps, places[:, i])
        for i, (extent, wraps) in enumerate(
            zip(template.dims, template.periodic, strict=True)
        )
    ]


def _same_rings(
    rings: Sequence[int],
    dims: tuple[int, ...],
    periodic: tuple[bool, ...],
    offsets: Offsets,
) -> bool:
    """Grow a closed lattice from a vertex; stop where the graph grows otherwise.

    All vertices of a closed lattice are alike, so that any one tells. A lattice
    that grows along straight lines is known by its first rings.
    """
    del periodic
    signed = np.array([*offsets, *(tuple(-s for s in o) for o in offsets)])
    extents = np.array(dims)
    strides = np.cumprod(np.append(1, extents[:-1]))
    reached = np.zeros(int(extents.prod()), bool)
    reached[0] = True
    front = np.zeros((1, len(dims)), np.int64)
    for size in rings[1:]:
        breathe()
        there = (front[:, None] + signed).reshape(-1, len(dims)) % extents
        keys = there @ strides
        fresh = ~reached[keys]
        keys, first = np.unique(keys[fresh], return_index=True)
        if len(keys) != size:
            return False
        reached[keys] = True
        front = there[fresh][first]
    return True
