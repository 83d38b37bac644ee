"""Stencils of any offsets under any numbering, and the groups that they generate."""

import itertools
import math

import networkx as nx
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from matrices import renumbered
from test_own_stencils import KNIGHT, holds
from traces import examples

from topoview.model import Topology
from topoview.topology import identify
from topoview.topology.graph.graph import Graph, graph_of, unique_edges
from topoview.topology.lattices.abelian import group_of
from topoview.topology.lattices.lattice import lattice
from topoview.topology.lattices.unnamed_stencils import cayley_lattices

Offsets = tuple[tuple[int, ...], ...]

SQUARE = tuple(s for s in itertools.product(range(-2, 3), repeat=2) if s > (0, 0))
DIAMOND = tuple(s for s in SQUARE if abs(s[0]) + abs(s[1]) <= 2)
HEXAGON = ((1, 0), (0, 1), (1, -1))
LONG_HEXAGON = (*HEXAGON, *((2 * x, 2 * y) for x, y in HEXAGON))
SKEW = ((1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, -1))
CUBE = [s for s in itertools.product((-1, 0, 1), repeat=3) if s > (0, 0, 0)]
D3Q15 = tuple(s for s in CUBE if sum(map(abs, s)) in (1, 3))
D3Q19 = tuple(s for s in CUBE if sum(map(abs, s)) < 3)


def connected(topology: Topology) -> bool:
    graph = nx.empty_graph(topology.vertices)
    graph.add_edges_from(topology.edges.tolist())
    return bool(nx.is_connected(graph))


def scrambled(topology: Topology, seed: int) -> Graph:
    order = np.random.default_rng(seed).permutation(topology.vertices)
    ends = order[topology.edges]
    edges = unique_edges(topology.vertices, ends[:, 0], ends[:, 1])
    return graph_of(topology.vertices, edges)


@pytest.mark.parametrize("periodic", [(True, True), (False, False), (True, False)])
@pytest.mark.parametrize(
    ("dims", "offsets", "ending"),
    [
        ((12, 9), KNIGHT, "knight's moves"),
        ((8, 8), KNIGHT, "knight's moves"),
        ((7, 10), DIAMOND, "13-point stencil"),
        ((12, 9), SQUARE, "25-point stencil"),
        ((9, 10), LONG_HEXAGON, ""),
        ((12, 11), ((1, 0), (0, 1), (3, 1), (1, -2)), ""),
    ],
)
def test_known_stencils_in_two_dimensions(
    dims: tuple[int, int],
    offsets: Offsets,
    ending: str,
    periodic: tuple[bool, bool],
) -> None:
    truth = lattice(dims, periodic, offsets)
    matrix = renumbered(truth, 4)
    best = identify(matrix).best
    assert best.missing == best.extra == 0
    assert sorted(best.topology.dims) == sorted(dims)
    assert best.topology.name.endswith(ending)
    holds(matrix, best)


@pytest.mark.parametrize("periodic", [(True,) * 3, (False,) * 3, (True, False, True)])
@pytest.mark.parametrize("offsets", [SKEW, D3Q15, D3Q19], ids=["skew", "15", "19"])
def test_known_stencils_in_three_dimensions(
    offsets: Offsets, periodic: tuple[bool, ...]
) -> None:
    truth = lattice((6, 5, 7), periodic, offsets)
    matrix = renumbered(truth, 4)
    best = identify(matrix).best
    assert best.topology.kind == "lattice"
    assert best.missing == best.extra == 0
    assert sorted(best.topology.dims) == [5, 6, 7]
    holds(matrix, best)


def found_exactly(truth: Topology, seed: int) -> None:
    """Renumber a lattice, find it, and walk each offset from each place."""
    graph = scrambled(truth, seed)
    found = cayley_lattices(graph)
    assert found
    best = found[0]
    dims, wraps = best.topology.dims, best.topology.periodic
    at = {tuple(p): v for v, p in enumerate(best.topology.coordinates.tolist())}
    walked = set()
    for place, v in at.items():
        for offset in best.topology.offsets:
            there = tuple(
                (x + o) % n if closed else x + o
                for x, o, n, closed in zip(place, offset, dims, wraps, strict=True)
            )
            if there in at and at[there] != v:
                walked.add(frozenset((v, at[there])))
    ends = best.vertex[graph.edges].tolist()
    assert {frozenset(pair) for pair in ends} == walked


@examples(40)
@given(data=st.data())
def test_any_offsets_under_any_numbering(data: st.DataObject) -> None:
    dims = data.draw(st.tuples(st.integers(11, 13), st.integers(11, 14)))
    periodic = data.draw(st.tuples(st.booleans(), st.booleans()))
    step = st.tuples(st.integers(0, 2), st.integers(-2, 2)).filter(any)
    offsets = tuple(data.draw(st.sets(step, min_size=2, max_size=5)))
    truth = lattice(dims, periodic, offsets)
    assume(connected(truth))
    found_exactly(truth, data.draw(st.integers(0, 99)))


@examples(30)
@given(
    n=st.integers(24, 200),
    steps=st.sets(st.integers(1, 60), min_size=3, max_size=6),
    seed=st.integers(0, 99),
)
def test_rings_with_many_steps(n: int, steps: set[int], seed: int) -> None:
    assume(max(steps) < n / 2 and math.gcd(n, *steps) == 1)
    found_exactly(lattice((n,), (True,), tuple((s,) for s in steps)), seed)


@pytest.mark.parametrize("seed", range(4))
def test_one_edge_moved_is_no_lattice(seed: int) -> None:
    truth = lattice((10, 9), (True, True), KNIGHT)
    edges = truth.edges.tolist()
    u, v = edges.pop(seed * 7)
    w, x = next(
        e for e in edges if not {u, v} & set(e) and sorted((u, e[0])) not in edges
    )
    edges.remove([w, x])
    edges += [sorted((u, w)), sorted((v, x))]
    ends = np.array(edges)
    graph = graph_of(90, unique_edges(90, ends[:, 0], ends[:, 1]))
    assert cayley_lattices(graph) == []


@pytest.mark.parametrize(
    "graph",
    [
        nx.petersen_graph(),
        nx.dodecahedral_graph(),
        nx.random_regular_graph(6, 100, seed=2),
        nx.random_geometric_graph(120, 0.2, seed=2),
        nx.balanced_tree(3, 4),
        nx.complete_graph(9),
    ],
    ids=str,
)
def test_other_graphs_have_no_such_steps(graph: nx.Graph) -> None:
    for one in cayley_lattices(graph_of(len(graph), np.sort(list(graph.edges)))):
        assert one.topology.kind == "lattice"
        assert graph.number_of_edges() == len(one.topology.edges)
        same = nx.Graph(one.topology.edges.tolist())
        assert nx.is_isomorphic(graph, same)


@examples(60)
@given(data=st.data())
def test_a_group_has_as_many_elements_as_the_relations_leave(
    data: st.DataObject,
) -> None:
    k = data.draw(st.integers(1, 4))
    number = st.integers(-6, 6)
    rows = data.draw(
        st.lists(st.lists(number, min_size=k, max_size=k), min_size=k, max_size=k + 2)
    )
    group = group_of(k, rows)
    assert group is not None
    matrix = np.array(rows)
    minors = [
        round(np.linalg.det(matrix[list(chosen)]))
        for chosen in itertools.combinations(range(len(rows)), k)
    ]
    # the greatest common divisor of the minors is the order, 0 if it is infinite
    order = math.gcd(*minors)
    assert order == (group.torsion if not group.free else 0)
    assert not group.elements(matrix).any()
