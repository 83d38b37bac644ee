"""Trees and the pattern of CG: found under any numbering, named and laid out."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matrices import graph_of_edges, matrix_of, pairs_of, renumbered
from test_directions import check_all_pairs, name_of

from topoview.model import Topology
from topoview.topology import (
    binomial_tree,
    cg,
    complete_tree,
    directions,
    identify,
    lay_out,
)


def test_trees_are_those_of_networkx() -> None:
    for order in range(1, 6):
        made = binomial_tree(2**order)
        graph = graph_of_edges(2**order, made.edges)
        assert nx.is_isomorphic(graph, nx.binomial_tree(order))
    for k, n in ((2, 31), (2, 20), (3, 40), (5, 17)):
        made = complete_tree(n, k)
        graph = graph_of_edges(n, made.edges)
        assert nx.utils.graphs_equal(graph, nx.full_rary_tree(k, n))


def test_cg_is_that_of_the_benchmark() -> None:
    # setup_submatrix_info of NPB 3.4, in its own words
    for n in (4, 8, 16, 32, 64, 128):
        nprows = 2 ** (int(np.log2(n)) // 2)
        npcols = n // nprows
        edges = set()
        for me in range(n):
            row, col = divmod(me, npcols)
            div = npcols
            while div > 1:
                j = (col + div // 2) % div + col // div * div
                edges.add((min(me, row * npcols + j), max(me, row * npcols + j)))
                div //= 2
            if npcols == nprows:
                partner = me % nprows * nprows + me // nprows
            else:
                half = me // 2
                partner = 2 * (half % nprows * nprows + half // nprows) + me % 2
            edges.add((min(me, partner), max(me, partner)))
        wanted = {edge for edge in edges if edge[0] != edge[1]}
        assert {tuple(e) for e in cg(n).edges.tolist()} == wanted


@settings(max_examples=30)
@given(
    st.one_of(
        st.builds(complete_tree, st.integers(5, 60), st.integers(2, 4)),
        st.builds(binomial_tree, st.integers(5, 64)),
        st.builds(cg, st.sampled_from([16, 32, 64, 128])),
    ),
    st.integers(0, 1000),
)
def test_found_under_any_numbering(topology: Topology, seed: int) -> None:
    matrix = renumbered(topology, seed)
    best = identify(matrix).best
    assert {tuple(e) for e in best.rank_edges.tolist()} == pairs_of(matrix)
    assert best.missing == best.extra == 0
    assert best.topology.kind in (topology.kind, "star", "tree")
    if topology.vertices <= 40:
        check_all_pairs(best)


@pytest.mark.parametrize(
    "topology",
    [binomial_tree(32), complete_tree(31, 2), complete_tree(22, 3), cg(16), cg(32)],
    ids=lambda topology: topology.name,
)
def test_natural_numberings_are_kept(topology: Topology) -> None:
    matrix = matrix_of(topology.vertices, topology.edges)
    match = identify(matrix).best
    assert match.topology.name == topology.name
    assert match.vertex.tolist() == list(range(topology.vertices))
    layout = lay_out(match, matrix)
    assert layout.name in ("tree", "table")
    steps = layout.positions[:, None] - layout.positions[None]
    apart = np.linalg.norm(steps, axis=2) + 9 * np.eye(topology.vertices)
    assert apart.min() > 0.5


def test_tree_directions() -> None:
    match = identify(matrix_of(32, binomial_tree(32).edges)).best
    named = directions(match)
    assert [name_of(named, 0, 1 << i) for i in range(5)] == [
        f"CHILD {i}" for i in range(5)
    ]
    assert name_of(named, 12, 8) == "PARENT"
    assert named.partner(12, "CHILD 1") == 14
    assert named.partner(12, "CHILD 2") is None
    assert named.partner(0, "PARENT") is None


def test_cg_directions_are_alike_on_the_diagonal() -> None:
    match = identify(matrix_of(32, cg(32).edges)).best
    named = directions(match)
    assert name_of(named, 13, 12) == "EXCHANGE 1"
    assert name_of(named, 13, 9) == "EXCHANGE 4"
    assert name_of(named, 0, 0) == "TRANSPOSE"
    assert named.partner(0, "TRANSPOSE") == 0
    assert named.partner(named.partner(13, "TRANSPOSE"), "TRANSPOSE") == 13
