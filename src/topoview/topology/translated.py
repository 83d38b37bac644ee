"""Lattices with any stencil under any numbering: the offsets are read off the graph.

Parallel edges are steps; what ways round there are tells which sums of steps lead
nowhere, so that the steps generate an abelian group. Laid along axes on which the steps
are short, it is the lattice.
"""

import numpy as np

from topoview.model import Bools, Ints
from topoview.topology.abelian import Group, Row, group_of
from topoview.topology.exact import Exact
from topoview.topology.graph import Graph, graph_of
from topoview.topology.growth import grow_on
from topoview.topology.isomorphism import isomorphism
from topoview.topology.kinds.product import Axis, offsets_between, same_edges
from topoview.topology.lattice import lattice, row_major_places
from topoview.topology.orientation import orient
from topoview.topology.own_axes import Basis, bases
from topoview.topology.stencils import canonical
from topoview.topology.translations import Steps, parallel_steps

ROUNDS = 12
"""How often relations are looked for that are not known yet."""

BATCH = 48
"""Relations that are taken at a time."""

TRIED = 40
"""Bases that are tried for one graph."""


def translated_lattices(graph: Graph) -> list[Exact]:
    """Find the lattice with a stencil of its own that a connected graph exactly is.

    Near linear in the edges.

    Returns
    -------
    list of Exact
        One, every edge verified; empty if none was found.
    """
    for steps in parallel_steps(graph):
        group = _group(steps)
        if group is None:
            continue
        if not group.free and not (steps.known.all() and group.torsion == graph.n):
            continue
        for basis in bases(group)[:TRIED]:
            axes = _axes(graph, steps, basis)
            exact = None if axes is None else _exact(graph, axes)
            if exact is not None:
                return [exact]
    return []


def _group(steps: Steps) -> Group | None:
    """Make the group that the steps generate: ways round are sums that are nothing."""
    many = steps.place.shape[1]
    relations: list[Row] = []
    for s, t in enumerate(steps.generator.tolist()):
        if steps.sign[s] > 0 and (steps.generator == t).sum() == 1:
            relations.append([2 * int(i == t) for i in range(many)])
    for _ in range(ROUNDS):
        group = group_of(many, relations)
        if group is None:
            return None
        fresh = _relations(steps, group)
        if not fresh:
            return group
        relations += fresh
    return None


def _relations(steps: Steps, group: Group) -> list[Row]:
    """List ways round that are not nothing in a group yet, a few of them."""
    vertices = np.flatnonzero(steps.known)
    units = np.eye(steps.place.shape[1], dtype=np.int64)
    found: list[Row] = []
    for s, (t, sign) in enumerate(zip(steps.generator, steps.sign, strict=True)):
        if sign < 0:
            continue
        there = steps.ends[vertices, s]
        both = steps.known[there]
        round_trip = steps.place[vertices[both]] + units[t] - steps.place[there[both]]
        left = (group.elements(round_trip) != 0).any(axis=1)
        rows = np.unique(round_trip[left][: 8 * BATCH], axis=0)
        found += rows[np.argsort(np.abs(rows).sum(axis=1))][:BATCH].tolist()
    return sorted(found, key=lambda row: sum(map(abs, row)))[:BATCH]


def _axes(graph: Graph, steps: Steps, basis: Basis) -> list[Axis] | None:
    """Lay all vertices along axes; None if they do not fill a box."""
    orders = np.array(basis.orders)
    known = np.flatnonzero(steps.known)
    points = steps.place[known] @ basis.offsets
    closed = orders > 0
    points[:, closed] %= orders[closed]
    points[:, ~closed] -= points[:, ~closed].min(axis=0)
    reach = np.where(closed, 0, np.abs(basis.offsets).max(axis=0))
    inner = np.where(closed, orders, points.max(axis=0) + 1)
    dims = inner + 2 * reach
    if int(dims.prod()) != graph.n or int(inner.prod()) != len(known):
        return None
    weights = np.cumprod(np.append(1, dims[:-1]))
    vertex = np.full(graph.n, -1, np.int64)
    vertex[known] = (points + reach) @ weights
    if len(np.unique(vertex[known])) < len(known):
        return None
    if len(known) < graph.n:
        done = _completed(graph, dims, closed, basis, vertex)
        if done is None:
            return None
        vertex = done
    places = row_major_places(graph.n, dims.tolist()).astype(np.int64)[vertex]
    return [
        Axis(int(extent), bool(wraps), places[:, i])
        for i, (extent, wraps) in enumerate(zip(dims, closed, strict=True))
    ]


def _completed(
    graph: Graph, dims: Ints, closed: Bools, basis: Basis, vertex: Ints
) -> Ints | None:
    """Place the vertices near open borders, too, whose steps lead outside."""
    offsets = tuple(dict.fromkeys(map(canonical, basis.offsets.tolist())))
    topology = lattice(dims.tolist(), closed.tolist(), offsets)
    if len(topology.edges) != len(graph.edges):
        return None
    template = graph_of(graph.n, topology.edges)
    grow_on(graph, template, vertex)
    if (vertex >= 0).all() and same_edges(graph, topology.edges, vertex):
        return vertex
    return isomorphism(graph, template)


def _exact(graph: Graph, axes: list[Axis]) -> Exact | None:
    oriented = orient(graph, axes)
    offsets = offsets_between(graph, list(oriented.axes))
    if offsets is None:
        return None
    periodic = [axis.wraps for axis in oriented.axes]
    topology = lattice(oriented.dims, periodic, tuple(offsets))
    if not same_edges(graph, topology.edges, oriented.vertex):
        return None
    return Exact(topology, oriented.vertex, oriented.distance)
