"""Stencils without a name: rings with several steps, long arms, moves of any kind."""

import math

import networkx as nx
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from matrices import matrix_of, pairs_of, renumbered

from topoview.model import CommunicationMatrix, Match
from topoview.topology import identify
from topoview.topology.graph.graph import graph_of
from topoview.topology.lattices.lattice import lattice
from topoview.topology.lattices.unnamed_stencils import unnamed_stencils

KNIGHT = ((1, 2), (2, 1), (1, -2), (2, -1))


def holds(matrix: CommunicationMatrix, match: Match) -> None:
    """Walk each offset from each place: that must give all pairs that were seen."""
    topology = match.topology
    places = [tuple(place) for place in match.coordinates.tolist()]
    rank_at = {place: rank for rank, place in enumerate(places)}
    found = set()
    for rank, place in enumerate(places):
        for offset in topology.offsets:
            there = tuple(
                (x + o) % n if wraps else x + o
                for x, o, n, wraps in zip(
                    place, offset, topology.dims, topology.periodic, strict=True
                )
            )
            if there in rank_at and rank_at[there] != rank:
                found.add(tuple(sorted((rank, rank_at[there]))))
    assert found == pairs_of(matrix)


@pytest.mark.parametrize("seed", [None, 1, pytest.param(2, marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    ("n", "steps", "name"),
    [
        (24, (1, 4), "ring 24, steps 1 and 4"),
        (36, (3, 4), "ring 36, steps 3 and 4"),
        (40, (1, 2, 5), "ring 40, steps 1, 2 and 5"),
        (1000, (1, 10), "ring 1000, steps 1 and 10"),
    ],
)
def test_rings_with_several_steps(
    n: int, steps: tuple[int, ...], name: str, seed: int | None
) -> None:
    edges = np.array(nx.circulant_graph(n, steps).edges)
    if seed is not None:
        edges = np.random.default_rng(seed).permutation(n)[edges]
    matrix = matrix_of(n, edges)
    best = identify(matrix).best
    assert best.topology.kind == "lattice"
    assert best.topology.name == name
    holds(matrix, best)


@pytest.mark.parametrize("n", [8, 10, 13, 16, 24, 31, 100])
def test_dissemination_reaches_all_ranks_by_doubling(n: int) -> None:
    """A barrier as of Hensgen, Finkel, Manber (1988): rank + 1, 2, 4, ... modulo n."""
    steps = [1 << k for k in range((n - 1).bit_length())]
    matrix = matrix_of(n, np.array(nx.circulant_graph(n, steps).edges))
    best = identify(matrix).best
    if matrix.calls.nnz == n * (n - 1):
        assert best.topology.kind == "complete"
        return
    assert best.topology.kind == "lattice"
    assert best.topology.dims == (n,)
    holds(matrix, best)


@pytest.mark.parametrize("seed", [None, 1])
@pytest.mark.parametrize(
    ("dims", "periodic", "offsets", "ending"),
    [
        ((8, 8), (True, True), KNIGHT, "knight's moves"),
        ((8, 8), (False, False), KNIGHT, "knight's moves"),
        ((10, 6), (True, False), KNIGHT, "knight's moves"),
        ((30,), (False,), ((1,), (4,)), "chain 30, steps 1 and 4"),
        (
            (10, 10),
            (True, True),
            ((0, 1), (0, 4), (1, 0), (4, 0)),
            "2D torus 10x10, steps (0, 1), (0, 4), (1, 0) and (4, 0)",
        ),
        (
            (10, 8),
            (False, False),
            ((0, 1), (0, 4), (1, 0), (4, 0)),
            "2D grid 10x8, steps (0, 1), (0, 4), (1, 0) and (4, 0)",
        ),
    ],
)
def test_moves_and_long_arms(
    dims: tuple[int, ...],
    periodic: tuple[bool, ...],
    offsets: tuple[tuple[int, ...], ...],
    ending: str,
    seed: int | None,
) -> None:
    truth = lattice(dims, periodic, offsets)
    n = truth.vertices
    matrix = matrix_of(n, truth.edges) if seed is None else renumbered(truth, seed)
    best = identify(matrix).best
    assert best.topology.name.endswith(ending)
    holds(matrix, best)


@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_any_offsets_in_rank_order(data: st.DataObject) -> None:
    dims = data.draw(st.tuples(st.integers(6, 10), st.integers(6, 10)))
    step = st.tuples(st.integers(0, 3), st.integers(-3, 3)).filter(any)
    offsets = tuple(data.draw(st.sets(step, min_size=2, max_size=4)))
    wraps = data.draw(st.booleans())
    truth = lattice(dims, (wraps, wraps), offsets)
    graph = nx.Graph(truth.edges.tolist())
    assume(len(graph) == math.prod(dims) and nx.is_connected(graph))
    matrix = matrix_of(truth.vertices, truth.edges)
    best = identify(matrix).best
    assert best.topology.kind in ("lattice", "product")
    assert best.missing == best.extra == 0
    if best.topology.kind == "lattice":
        holds(matrix, best)


@pytest.mark.parametrize(
    "graph",
    [
        nx.moebius_kantor_graph(),
        nx.heawood_graph(),
        nx.pappus_graph(),
        nx.random_regular_graph(4, 60, seed=3),
    ],
    ids=str,
)
def test_narrow_dims_explain_nothing(graph: nx.Graph) -> None:
    assert unnamed_stencils(graph_of(len(graph), np.sort(list(graph.edges)))) == []


def test_a_product_with_all_to_all_stays_one() -> None:
    graph = nx.cartesian_product(nx.complete_graph(5), nx.path_graph(4))
    graph = nx.convert_node_labels_to_integers(graph)
    best = identify(matrix_of(20, list(graph.edges))).best
    assert best.topology.kind == "product"


@pytest.mark.parametrize("seed", [1, 2])
def test_what_is_fully_used_below_others_is_told(seed: int) -> None:
    tree = nx.balanced_tree(2, 4)  # 31 ranks
    tree.add_edges_from([(15, 30), (16, 29), (17, 28), (18, 27), (19, 26), (20, 25)])
    order = np.random.default_rng(seed).permutation(31)
    found = identify(matrix_of(31, order[np.array(tree.edges)]))
    assert found.best.topology.name == "binary tree 31"
    assert (found.best.missing, found.best.extra) == (0, 6)


@pytest.mark.parametrize("seed", [1, 2])
def test_the_nearest_of_the_whole_library_is_told(seed: int) -> None:
    tree = nx.balanced_tree(2, 4)
    tree.remove_edges_from([(7, 15), (9, 20), (12, 25)])
    tree.add_edges_from([(15, 30), (20, 29), (25, 26), (17, 28)])
    order = np.random.default_rng(seed).permutation(31)
    found = identify(matrix_of(31, order[np.array(tree.edges)]))
    assert found.best.topology.kind == "unknown"
    near = found.matches[1]
    assert near.topology.name == "binary tree 31"
    assert (near.missing, near.extra) == (3, 4)
