"""Mappings: permutations of the job's places, measured as everything else is."""

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import block_diag, csr_array
from test_link_traffic import all_to_all, lattice_matrix, placed

from topoview.analysis.network import mappings
from topoview.analysis.network.mappings import Mappings, RankLattice, map_ranks, mapped
from topoview.analysis.network.networks import dragonfly, fat_tree, graph, grid
from topoview.analysis.network.tilings import tiled, tilings, variants
from topoview.analysis.network.traffic import link_loads
from topoview.errors import UsageError
from topoview.model import Mapping, coordinates_of

pytestmark = pytest.mark.usefixtures("few_moves")


def lattice(dims: tuple[int, ...]) -> RankLattice:
    return RankLattice(dims, coordinates_of(np.arange(math.prod(dims)), dims))


def of(found: Mappings, method: str) -> Mapping:
    return next(one for one in found.mappings if one.method.startswith(method))


@given(
    factors=st.lists(st.integers(1, 4), min_size=4, max_size=4),
    split=st.permutations(range(4)),
)
def test_tilings_use_each_place_once(factors: list[int], split: list[int]) -> None:
    dims = factors[0] * factors[1], factors[2], factors[3]
    one, other, *rest = (factors[k] for k in split)
    targets = one, other, math.prod(rest)
    every = (one for each in tilings(dims, targets) for one in variants(each))
    for number, tiling in enumerate(every):
        at = tiled(tiling, lattice(dims).places)
        assert (at >= 0).all()
        assert (at < targets).all()
        index = np.ravel_multi_index(at.T, targets)
        assert sorted(index.tolist()) == list(range(math.prod(dims)))
        if number > 40:
            break


def test_tables_of_factors_are_all_there_are() -> None:
    told = {tiling.factors for tiling in tilings((4, 6), (2, 12))}
    rows = [
        [row for row in product(range(1, 7), range(1, 13)) if math.prod(row) == extent]
        for extent in (4, 6)
    ]
    expected = {
        (a, b)
        for a in rows[0]
        for b in rows[1]
        if (a[0] * b[0], a[1] * b[1]) == (2, 12)
    }
    assert told == expected
    assert not list(tilings((5,), (2, 2)))


def test_a_wound_up_chain_stays_a_chain() -> None:
    found = map_ranks(
        lattice_matrix((64,), False, 10),
        grid((4, 4, 4)),
        placed(range(64)),
        lattice((64,)),
    )
    assert of(found, "tiling").loads.mean_hops == 1.0
    assert of(found, "as run").loads.mean_hops > 1.0


def test_a_long_problem_is_folded_as_the_picture_tells() -> None:
    """2x4x64 on 8x8x8: 0.64 of the hop-bytes or fewer, z fastest as it ran."""
    matrix = lattice_matrix((64, 4, 2), False, 65536)
    found = map_ranks(matrix, grid((8, 8, 8)), placed(range(512)), lattice((64, 4, 2)))
    assert found.mappings[0].method == "as run"
    ratio = of(found, "tiling").loads.hop_bytes / found.mappings[0].loads.hop_bytes
    assert ratio <= 0.645
    assert of(found, "random").loads.mean_hops == pytest.approx(6.0, abs=0.1)


def test_planes_are_folded_into_boxes() -> None:
    rank = np.arange(512)
    matrix = all_to_all([rank[rank // 64 == z] for z in range(8)], 512, 1024)
    found = map_ranks(matrix, grid((8, 8, 8)), placed(rank), lattice((8, 8, 8)))
    tiling = of(found, "tiling").loads
    assert tiling.hop_bytes < found.mappings[0].loads.hop_bytes
    assert sum(part[0] > 0 for part in tiling.by_direction().values()) == 6


def test_nothing_is_gained_where_nothing_can_be() -> None:
    matrix = lattice_matrix((4, 4, 4), True, 7)
    found = map_ranks(matrix, grid((4, 4, 4)), placed(range(64)), lattice((4, 4, 4)))
    least = min(one.loads.hop_bytes for one in found.mappings)
    assert least == found.mappings[0].loads.hop_bytes == matrix.sum()


@pytest.mark.parametrize(
    "network",
    [
        grid((4, 4, 2)),
        grid((4, 8), False),
        fat_tree((4, 4, 2)),
        fat_tree((32,)),
        dragonfly(2, 4, 4),
        graph(32, np.array([[k, (k + 1) % 32] for k in range(32)]), list("a" * 32)),
    ],
    ids=lambda network: network.name,
)
def test_mappings_give_each_place_to_one_rank(network: object) -> None:
    rng = np.random.default_rng(3)
    matrix = lattice_matrix((8, 8), False, 100)
    shuffled = rng.permutation(64)
    matrix = matrix[shuffled][:, shuffled].tocsr()
    places = lattice((8, 8)).places[shuffled]
    as_run = placed(np.arange(64) // 2)
    found = map_ranks(matrix, network, as_run, RankLattice((8, 8), places))
    before = found.mappings[0].loads
    assert len(found.mappings) >= 5
    for mapping in found.mappings:
        assert sorted(mapping.order.tolist()) == list(range(64))
        again = link_loads(matrix, network, mapped(as_run, mapping.order))
        assert again.bytes.tolist() == mapping.loads.bytes.tolist()
        assert np.bincount(mapping.loads.placement.node).tolist() == [2] * 32
        assert mapping.loads.total_bytes == before.total_bytes
    assert of(found, "tiling").loads.hop_bytes < before.hop_bytes
    assert of(found, "greedy, annealed").loads.hop_bytes < before.hop_bytes
    told = [one.loads.hop_bytes for one in found.mappings[1:]]
    assert told == sorted(told)


def test_blocks_on_nodes_without_coordinates() -> None:
    """16x16 ranks, 16 on a node: 4x4 blocks instead of rows leave 3 of 5 bytes."""
    matrix = lattice_matrix((16, 16), False, 1)
    as_run = placed(np.arange(256) // 16)
    found = map_ranks(matrix, fat_tree((16,)), as_run, lattice((16, 16)))
    assert found.mappings[0].loads.between_nodes == 2 * 15 * 16
    best = of(found, "tiling")
    assert best.method == "tiling (node: x4 y4; x: x4 y4)"
    assert best.loads.between_nodes == 2 * 2 * 3 * 16


def test_holes_stay_holes() -> None:
    nodes = np.array([0, 1, 2, 5, 6, 7, 10, 13, 14, 20, 21, 24])
    matrix = lattice_matrix((12,), False, 1)
    found = map_ranks(matrix, grid((5, 5)), placed(nodes), lattice((12,)))
    for mapping in found.mappings:
        assert sorted(mapping.loads.placement.node.tolist()) == nodes.tolist()


def test_what_is_left_out_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    matrix = lattice_matrix((6,), False, 1)
    found = map_ranks(matrix, grid((6,)), placed(range(6)))
    assert any("no lattice" in note for note in found.notes)
    uneven = map_ranks(matrix, grid((4,)), placed([0, 0, 0, 1, 2, 3]), lattice((6,)))
    assert any("cannot be split" in note for note in uneven.notes)
    monkeypatch.setattr(mappings, "MOVES", 6 * mappings.MOVES_A_RANK - 1)
    cold = map_ranks(matrix, grid((6,)), placed(range(6)))
    assert any("no annealing" in note for note in cold.notes)
    monkeypatch.setattr(mappings, "MAX_GREEDY_WORK", 10)
    few = map_ranks(matrix, grid((6,)), placed(range(6)), lattice((6,)))
    assert any("too many" in note for note in few.notes)
    with pytest.raises(UsageError, match="1 rank is not known"):
        map_ranks(matrix, grid((6,)), placed([0, 1, 2, 3, 4, -1]))


def test_the_same_ranks_have_the_same_mappings() -> None:
    matrix = lattice_matrix((5, 5), False, 3)
    found = [map_ranks(matrix, grid((5, 5)), placed(range(25))) for _ in range(2)]
    for one, other in zip(*(each.mappings for each in found), strict=True):
        assert one.order.tolist() == other.order.tolist()


def test_ranks_that_say_nothing() -> None:
    nothing = csr_array((4, 4), dtype=np.int64)
    found = map_ranks(nothing, grid((4,)), placed(range(4)), lattice((4,)))
    assert all(one.loads.hop_bytes == 0 for one in found.mappings)


def test_nodes_without_a_route_are_refused() -> None:
    """Not taken for near ones: they would gather the heaviest pairs."""
    cables = np.array([[0, 1], [2, 3]], np.int32)
    network = graph(4, cables, ("a", "b", "c", "d"))
    volume = csr_array(np.ones((4, 4), np.int64))
    with pytest.raises(UsageError, match="no route"):
        map_ranks(volume, network, placed(range(4)))


@pytest.mark.parametrize("method", ["METIS", "bisection"])
def test_nodes_and_ranks_are_halved(method: str) -> None:
    rng = np.random.default_rng(0)
    shuffled = rng.permutation(64)
    matrix = lattice_matrix((8, 8), False, 100)[shuffled][:, shuffled].tocsr()
    as_run = placed(np.arange(64) // 4)
    found = map_ranks(matrix, grid((4, 4)), as_run)
    halved = of(found, method)
    assert np.bincount(halved.loads.placement.node).tolist() == [4] * 16
    assert halved.loads.hop_bytes < 0.6 * of(found, "random").loads.hop_bytes


def test_halves_are_as_large_as_asked_and_cut_little() -> None:
    """Planes of a box of 10 x 8 x 6: 48 ties; also of pieces, and of ranks apart."""
    volume = lattice_matrix((10, 8, 6), False, 1)
    ties = (volume + volume.T).astype(float).tocsr()
    inside = mappings._half_of_spectrum(ties, 240)
    assert inside.sum() == 240
    assert inside @ (ties @ (1.0 - inside)) == 2 * 48
    for ranks in (5, 40, 400):
        chain = lattice_matrix((ranks,), False, 1).astype(float)
        lone = csr_array((7, 7))
        apart = block_diag([chain, chain, lone], format="csr")
        for size in (0, 1, ranks, ranks + 3, 2 * ranks + 7):
            chosen = mappings._half_of_spectrum(csr_array(apart), size)
            assert chosen.sum() == size
