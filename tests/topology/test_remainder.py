"""What an answer leaves, and what is known of graphs that are no member."""

import itertools

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matrices import matrix_of, pairs_of

from topoview.model import CommunicationMatrix, GraphStructure
from topoview.report.identification.steps import structure_words
from topoview.topology import identify, lattice, star
from topoview.topology.graph.graph import graph_of
from topoview.topology.graph.invariants import short_cycles, squares_at, triangles_at
from topoview.topology.identification.structure import structure
from topoview.topology.kinds.tree import binomial_tree, complete_tree

TORUS = lattice((6, 6), (True, True)).edges
TRANSPOSE = [(6 * a + b, 6 * b + a) for a in range(6) for b in range(a + 1, 6)]


def overlaid(
    ranks: int, *patterns: tuple[object, int], seed: int | None = None
) -> CommunicationMatrix:
    """Lay patterns of edges and volumes over each other."""
    order = np.arange(ranks)
    if seed is not None:
        order = np.random.default_rng(seed).permutation(order)
    volume: dict[tuple[int, int], int] = {}
    for edges, size in patterns:
        for u, v in order[np.asarray(edges)].tolist():
            pair = (min(u, v), max(u, v))
            volume[pair] = volume.get(pair, 0) + size
    pairs = sorted(volume)
    return matrix_of(ranks, pairs, [volume[pair] for pair in pairs])


@pytest.mark.parametrize("seed", [None, 1, pytest.param(2, marks=pytest.mark.slow)])
def test_a_transposition_over_a_torus(seed: int | None) -> None:
    matrix = overlaid(36, (TORUS, 1000), (TRANSPOSE, 2000), seed=seed)
    found = identify(matrix)
    assert found.best.topology.name == "2D torus 6x6"
    assert [match.topology.name for match in found.remainder] == ["transpose 6x6"]
    assert found.remainder[0].missing == 0


GRID = lattice((8, 8), (False, False)).edges
TREES = {
    "binomial tree 64": binomial_tree(64),
    "binary tree 64": complete_tree(64, 2),
    "star 64": star(64),
}


@pytest.mark.parametrize("name", TREES)
@pytest.mark.parametrize("seed", [None, 1])
def test_a_tree_that_shares_edges_with_a_grid(name: str, seed: int | None) -> None:
    """The program's tree goes by the same numbers as its grid."""
    matrix = overlaid(64, (GRID, 1000), (TREES[name].edges, 8), seed=seed)
    found = identify(matrix)
    assert found.best.topology.name == "2D grid 8x8"
    (tree,) = found.remainder
    assert (tree.topology.name, tree.missing) == (name, 0)
    assert {tuple(edge) for edge in tree.rank_edges.tolist()} <= pairs_of(matrix)


def test_a_star_with_a_stray_pair_beside_it() -> None:
    stray = [(9, 33)]
    found = identify(overlaid(36, (TORUS, 1000), (star(36).edges, 8), (stray, 8)))
    assert found.best.topology.name == "2D torus 6x6"
    names = [match.topology.name for match in found.remainder]
    assert names == ["star 36", "unknown"]


def test_all_pairs_are_explained_in_turn() -> None:
    rng = np.random.default_rng(5)
    extra = rng.integers(0, 36, (9, 2))
    extra = extra[extra[:, 0] != extra[:, 1]]
    matrix = overlaid(36, (TORUS, 1000), (TRANSPOSE, 2000), (extra, 3))
    found = identify(matrix)
    explained = set()
    for match in (found.best, *found.remainder):
        explained |= {tuple(edge) for edge in match.rank_edges.tolist()}
    assert pairs_of(matrix) <= explained
    assert found.remainder[-1].topology.kind == "unknown"


def test_coarse_levels_of_multigrid_are_strides() -> None:
    torus = lattice((16, 8), (True, True))
    coarse = [
        (y * 16 + x, y * 16 + (x + step) % 16)
        for step in (2, 4)
        for y in range(0, 8, step)
        for x in range(0, 16, step)
    ]
    found = identify(overlaid(128, (torus.edges, 9000), (coarse, 40), seed=3))
    assert found.best.topology.name == "2D torus 16x8"
    assert found.best.extra == 0
    (steps,) = found.remainder
    assert steps.topology.name == f"offsets ±2, ±4 in x ({len(coarse)} of 256 pairs)"
    assert found.remainder[0].topology.offsets == ((2, 0), (4, 0))


def test_nothing_is_left_of_an_exact_answer() -> None:
    assert identify(matrix_of(36, TORUS)).remainder == ()
    assert identify(matrix_of(3, [])).remainder == ()


def test_factors_and_symmetry_of_unknown_graphs() -> None:
    petersen = nx.petersen_graph()
    made = nx.cartesian_product(petersen, nx.cycle_graph(5))
    made = nx.convert_node_labels_to_integers(made)
    order = np.random.default_rng(1).permutation(50)
    known = identify(matrix_of(50, order[np.array(made.edges)])).structure
    assert known is not None
    assert known.factors == ("ring 5", "unknown 10")
    assert known.sizes == (50,)
    lollipop = nx.compose(petersen, nx.path_graph([0, 10, 11]))
    found = identify(matrix_of(13, lollipop.edges)).structure
    assert found is not None
    # by distance from the end of the tail
    assert sorted(found.sizes) == [1, 1, 1, 3, 6]
    assert found.symmetry[12] == -1
    assert found.factors == ()
    assert identify(matrix_of(36, TORUS)).structure is None


def cube_surface(n: int) -> nx.Graph:
    """Cells of a cube's faces, `n` x `n` each; neighbours share a side."""
    cells = [
        frozenset(
            tuple(np.insert([i + a, j + b], axis, side)) for a in (0, 1) for b in (0, 1)
        )
        for axis in range(3)
        for side in (0, n)
        for i in range(n)
        for j in range(n)
    ]
    graph = nx.empty_graph(len(cells))
    graph.add_edges_from(
        (u, v)
        for u in range(len(cells))
        for v in range(u)
        if len(cells[u] & cells[v]) == 2
    )
    return graph


def structure_of(graph: nx.Graph, seed: int = 1) -> tuple[GraphStructure, np.ndarray]:
    """Tell the structure of a graph that is renumbered; and the new numbers."""
    n = graph.number_of_nodes()
    order = np.random.default_rng(seed).permutation(n)
    ends = np.sort(order[np.array(graph.edges)], axis=1)
    made = graph_of(n, np.unique(ends, axis=0).astype(np.int32))
    return structure(made, np.arange(n, dtype=np.int32), n), order


def test_ranks_at_the_corners_of_a_cubed_sphere_differ() -> None:
    known, order = structure_of(cube_surface(4))
    assert sorted(known.sizes) == [24, 24, 48]  # corners, middles, and beside them
    corners = [v for v, count in nx.triangles(cube_surface(4)).items() if count]
    assert len(set(known.symmetry[order[corners]])) == 1
    assert np.sum(known.symmetry == known.symmetry[order[corners[0]]]) == 24
    assert not known.alike
    assert "cannot change places" in structure_words(known)


def test_rings_of_different_lengths_differ() -> None:
    rings = nx.disjoint_union_all([nx.cycle_graph(k) for k in (5, 6, 7)])
    known, _ = structure_of(rings)
    assert sorted(known.sizes) == [5, 6, 7]
    words = "ranks fall into 3 classes that cannot change places (7, 6, 5)"
    assert structure_words(known) == words


@pytest.mark.parametrize(
    "graph",
    [
        nx.petersen_graph(),
        nx.dodecahedral_graph(),
        nx.circulant_graph(40, [1, 4, 9]),
        nx.grid_graph((4, 5, 6), periodic=True),
        nx.line_graph(nx.complete_bipartite_graph(4, 4)),
    ],
)
def test_alike_is_said_of_graphs_that_are(graph: nx.Graph) -> None:
    known, _ = structure_of(nx.convert_node_labels_to_integers(graph))
    assert known.alike
    assert "all ranks look alike" in structure_words(known)


def test_one_class_that_is_not_shown_to_be_alike() -> None:
    """The words say no more than what was found out."""
    # each automorphism that is found swaps two: more are needed than are looked for
    known, _ = structure_of(nx.complete_graph(60))
    assert known.sizes == (60,)
    assert not known.alike
    assert structure_words(known) == "all ranks have equally many partners"


@settings(max_examples=40, deadline=None)
@given(st.integers(4, 8), st.integers(0, 999), st.floats(0.2, 0.8))
def test_classes_hold_what_can_change_places(n: int, seed: int, share: float) -> None:
    """Against all automorphisms, found one by one by networkx."""
    graph = nx.gnp_random_graph(n, share, seed=seed)
    if not graph.edges:
        return
    known, order = structure_of(graph, seed)
    matcher = nx.isomorphism.GraphMatcher(graph, graph)
    moves = [(u, m[u]) for m in matcher.isomorphisms_iter() for u in range(n)]
    of = known.symmetry[order]
    assert all(of[u] == of[v] for u, v in moves)
    assert known.alike == (len(set(moves)) == n * n)


@settings(max_examples=25, deadline=None)
@given(st.integers(3, 12), st.integers(0, 999), st.floats(0.2, 0.9))
def test_short_cycles_at_each_vertex(n: int, seed: int, share: float) -> None:
    graph = nx.gnp_random_graph(n, share, seed=seed)
    made = graph_of(n, np.array(sorted(graph.edges), np.int32).reshape(-1, 2))
    around = [
        sum(len(cycle) == 4 and v in cycle for cycle in nx.simple_cycles(graph, 4))
        for v in range(n)
    ]
    squares = squares_at(made)
    assert squares is not None
    assert squares.tolist() == around
    assert triangles_at(made).tolist() == [nx.triangles(graph, v) for v in range(n)]
    assert short_cycles(made) == (
        sum(nx.triangles(graph).values()) // 3,
        sum(around) // 4,
    )


def test_what_is_left_counts_no_pair_of_the_answer_again() -> None:
    heavy = [(a, b) for a, b in itertools.combinations(range(16), 2) if beside(a, b)]
    light = [p for p in itertools.combinations(range(16), 2) if p not in heavy]
    volume = [100_000] * len(heavy) + [8] * len(light)
    found = identify(matrix_of(16, [*heavy, *light], volume))
    assert found.best.topology.name == "2D grid 4x4"
    assert [match.topology.name for match in found.remainder] == ["all-to-all 16"]
    shares = found.best.calls_covered, found.remainder[0].calls_covered
    assert shares == (len(heavy) / 120, len(light) / 120)


def beside(a: int, b: int) -> bool:
    return b - a == 4 or (b - a == 1 and b % 4 > 0)


def test_no_match_is_listed_twice() -> None:
    lost = {(0, 0), (0, 1), (1, 0), (5, 5), (5, 6), (7, 7)}
    sea = nx.grid_2d_graph(8, 8)
    sea.remove_nodes_from(lost)
    edges = list(nx.convert_node_labels_to_integers(sea).edges)
    names = [match.topology.name for match in identify(matrix_of(58, edges)).matches]
    assert names == ["2D grid 8x8 without 6 places", "unknown"]
