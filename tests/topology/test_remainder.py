"""What an answer leaves, and what is known of graphs that are no member."""

import networkx as nx
import numpy as np
import pytest
from matrices import matrix_of, pairs_of

from topoview.model import CommunicationMatrix
from topoview.topology import identify, lattice

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


@pytest.mark.parametrize("seed", [None, 1, 2])
def test_a_transposition_over_a_torus(seed: int | None) -> None:
    matrix = overlaid(36, (TORUS, 1000), (TRANSPOSE, 2000), seed=seed)
    found = identify(matrix)
    assert found.best.topology.name == "2D torus 6x6"
    assert [match.topology.name for match in found.remainder] == ["transpose 6x6"]
    assert found.remainder[0].missing == 0


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
    assert [m.topology.name for m in found.remainder] == ["strides 2, 4 in x"]
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
