"""Isomorphism by refinement and by spreading, verified by an edge check of its own."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from topoview.model import Indices, Topology
from topoview.topology import cg, lattice
from topoview.topology.graph.graph import Graph, graph_of, unique_edges
from topoview.topology.graph.isomorphism import isomorphism
from topoview.topology.kinds.butterfly import butterfly
from topoview.topology.kinds.sphere import ball_sizes, sphere_of_triangles
from topoview.topology.lattices.lattice import STENCILS

TEMPLATES = {
    "2D grid": lattice((29, 17), (False, False)),
    "3D torus": lattice((9, 8, 7), (True, True, True)),
    "long torus": lattice((300, 3), (True, True)),
    "6-point": lattice((23, 23), (True, True), STENCILS["6-point"](2)),
    "27-point": lattice((9, 8, 7), (False, True, False), STENCILS["box"](3)),
    "19-point": lattice((8, 8, 8), (True, True, True), STENCILS["19-point"](3)),
    "knight": lattice((22, 20), (True, False), STENCILS["knight's moves"](2)),
    "arms": lattice((30, 15), (False, True), STENCILS["arms of 3"](2)),
    "hypercube": lattice((2,) * 9, (False,) * 9),
    "CG": cg(512),
    "CG of two squares": cg(1024),
    "wrapped butterfly": butterfly(6, wrapped=True),
    "two lattices": None,
}


def _two() -> Topology:
    """Make a topology that is not connected."""
    one = lattice((20, 15), (True, False))
    edges = np.concatenate([one.edges, one.edges + 300]).astype(np.int32)
    return Topology("user", "two", edges, np.zeros((600, 0), np.int32))


def _made(name: str) -> Topology:
    made = TEMPLATES[name]
    return _two() if made is None else made


def _renumbered(topology: Topology, seed: int, edges: Indices | None = None) -> Graph:
    n = topology.vertices
    number = np.random.default_rng(seed).permutation(n)
    u, v = number[topology.edges if edges is None else edges].T
    return graph_of(n, unique_edges(n, u, v))


def _pairs(edges: np.ndarray) -> set[frozenset[int]]:
    return {frozenset(pair) for pair in edges.tolist()}


@pytest.mark.parametrize("name", TEMPLATES)
@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=3, deadline=None)
def test_any_numbering_is_mapped(name: str, seed: int) -> None:
    topology = _made(name)
    graph = _renumbered(topology, seed)
    vertex = isomorphism(graph, graph_of(topology.vertices, topology.edges))
    assert vertex is not None
    assert sorted(vertex.tolist()) == list(range(graph.n))
    assert _pairs(vertex[graph.edges]) == _pairs(topology.edges)


@pytest.mark.parametrize("name", TEMPLATES)
@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=3, deadline=None)
def test_exchanged_ends_are_noticed(name: str, seed: int) -> None:
    topology = _made(name)
    rng = np.random.default_rng(seed)
    edges = topology.edges.copy()
    known = _pairs(edges)
    while True:  # degrees stay as they are
        one, other = rng.choice(len(edges), 2, replace=False)
        (a, b), (c, d) = edges[one].tolist(), edges[other].tolist()
        new = frozenset((a, d)), frozenset((c, b))
        if len({a, b, c, d}) == 4 and not known & set(new):
            break
    edges[one], edges[other] = (a, d), (c, b)
    graph = _renumbered(topology, seed, edges)
    vertex = isomorphism(graph, graph_of(topology.vertices, topology.edges))
    # some exchanges are automorphisms: what is found must be right all the same
    assert vertex is None or _pairs(vertex[graph.edges]) == _pairs(topology.edges)


def test_colours_are_kept() -> None:
    topology = sphere_of_triangles(6)
    graph = _renumbered(topology, 1)
    template = graph_of(topology.vertices, topology.edges)
    vertex = isomorphism(graph, template, ball_sizes(graph), ball_sizes(template))
    assert vertex is not None
    assert np.array_equal(ball_sizes(template)[vertex], ball_sizes(graph))
    assert _pairs(vertex[graph.edges]) == _pairs(topology.edges)


@pytest.mark.parametrize("connected", [True, False])
def test_near_is_the_same_graph(connected: bool) -> None:
    topology = lattice((80, 64), (True, False))
    edges = topology.edges if connected else topology.edges[::3]
    graph = _renumbered(topology, 3, edges)
    moved = graph.outwards
    assert moved.order[0] == 0
    assert np.array_equal(moved.order[moved.number], np.arange(graph.n))
    for v in range(graph.n):
        row = moved.indices[moved.indptr[v] : moved.indptr[v + 1]]
        there = graph.indices[graph.indptr[moved.order[v]] :][: len(row)]
        assert np.array_equal(row, np.sort(moved.number[there]))
    plain = nx.Graph(graph.edges.tolist())
    plain.add_nodes_from(range(graph.n))
    far = nx.single_source_shortest_path_length(plain, 0)
    assert far == {
        int(moved.order[v]): int(moved.distance[v])
        for v in np.flatnonzero(moved.component == 0)
    }
