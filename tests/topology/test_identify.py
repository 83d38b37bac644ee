"""Levels, coverage, equal names, and what is no lattice."""

import itertools
import json

import networkx as nx
import numpy as np
import pytest
from matrices import matrix_of, renumbered
from scipy.sparse import eye_array

from topoview.base.progress import Cancelled
from topoview.model import CommunicationMatrix
from topoview.report.identification.answer import identification_record
from topoview.topology import complete, identify, lattice, star
from topoview.topology.lattices.lattice import STENCILS


def test_star_and_complete_under_any_numbering() -> None:
    for topology in (star(24), complete(16), star(4), complete(5)):
        best = identify(renumbered(topology, 5)).best
        assert best.topology.name == topology.name
        assert best.missing == best.extra == 0


def test_master_is_the_hub() -> None:
    edges = [(5, other) for other in range(9) if other != 5]
    best = identify(matrix_of(9, edges)).best
    assert best.coordinates[5].tolist() == [0, 0]
    assert best.coordinates[0].tolist() == [1, 1]


@pytest.mark.parametrize("ranks", [1, 2, 7])
def test_without_messages(ranks: int) -> None:
    found = identify(matrix_of(ranks, []))
    assert found.best.topology.kind == "none"
    assert found.best.calls_covered == found.best.bytes_covered == 1
    assert identification_record(found)["matches"][0]["coordinates"] == [None] * ranks


def test_messages_to_oneself_are_no_topology() -> None:
    own = CommunicationMatrix.of_sparse(2 * eye_array(3), 8 * eye_array(3))
    best = identify(own).best
    assert best.topology.kind == "none"
    assert best.bytes_covered == 1


def test_two_ranks() -> None:
    best = identify(matrix_of(2, [(0, 1)])).best
    assert best.topology.name == "chain 2"
    assert {"all-to-all 2", "star 2"} <= set(best.also)


def test_silent_ranks_have_no_place() -> None:
    found = identify(matrix_of(9, [(2, 4), (4, 7)]))
    assert found.best.topology.name == "chain 3"
    assert found.best.vertex.tolist().count(-1) == 6
    record = identification_record(found)
    assert record["matches"][0]["coordinates"][0] is None
    assert "6 of 9 ranks" in found.warnings[0]


def test_equal_names_are_told_together() -> None:
    names = {"2D torus 4x4", "3D torus 4x2x2", "hypercube 2^4"}
    best = identify(matrix_of(16, lattice((4, 4), (True, True)).edges)).best
    assert best.topology.name == "2D torus 4x4"
    assert names <= {best.topology.name, *best.also}
    cube = identify(matrix_of(8, nx.convert_node_labels_to_integers(
        nx.hypercube_graph(3)).edges)).best  # fmt: skip
    assert cube.topology.name == "hypercube 2^3"
    assert {"2D torus 4x2", "3D torus 2x2x2"} <= set(cube.also)
    ring = identify(matrix_of(3, [(0, 1), (1, 2), (0, 2)])).best
    assert ring.topology.name == "ring 3"
    assert "all-to-all 3" in ring.also
    full = identify(matrix_of(9, complete(9).edges)).best
    assert full.also == ("2D torus 3x3, 9-point stencil",)


def test_low_volume_pairs_lie_on_a_level_of_their_own() -> None:
    torus = lattice((4, 4, 2), (True, True, True))
    extra = [(0, 21), (3, 30)]
    edges = np.concatenate([torus.edges, extra])
    volume = np.concatenate([np.full(len(torus.edges), 5000), [100, 120]])
    best = identify(matrix_of(32, edges, volume)).best
    assert best.topology.name == "3D torus 4x4x2"
    assert best.level == 1
    assert best.extra == 0
    covered = 5000 * len(torus.edges) / (5000 * len(torus.edges) + 220)
    assert best.bytes_covered == pytest.approx(covered)
    assert best.calls_covered == pytest.approx(len(torus.edges) / len(edges))


def test_finest_exact_level_answers() -> None:
    dims, offsets = (4, 4, 5), STENCILS["box"](3)
    box = lattice(dims, (False,) * 3, offsets)
    steps = np.abs(box.coordinates[box.edges[:, 0]] - box.coordinates[box.edges[:, 1]])
    volume = np.array([0, 4096, 64, 1])[steps.sum(axis=1)]
    found = identify(matrix_of(80, box.edges, volume))
    assert found.best.topology.name == "3D grid 4x4x5, 27-point stencil"
    assert found.best.level == 0
    names = [match.topology.name for match in found.matches]
    assert "3D grid 4x4x5, 19-point stencil" in names
    assert "3D grid 4x4x5" in names


def test_a_loud_pair_is_no_topology_of_all() -> None:
    edges = np.array(sorted(nx.petersen_graph().edges))
    volume = np.where(np.arange(len(edges)) == 0, 10**6, 10)
    best = identify(matrix_of(10, edges, volume)).best
    assert best.topology.kind == "unknown"


@pytest.mark.parametrize(
    "graph",
    [
        nx.petersen_graph(),
        nx.desargues_graph(),
        nx.random_regular_graph(4, 40, seed=1),
        nx.gnm_random_graph(50, 120, seed=2),
        nx.barabasi_albert_graph(80, 2, seed=3),
        nx.moebius_kantor_graph(),
        nx.disjoint_union(nx.cycle_graph(5), nx.petersen_graph()),
    ],
    ids=str,
)
def test_what_is_no_library_member_is_unknown(graph: nx.Graph) -> None:
    graph = nx.convert_node_labels_to_integers(graph)
    order = np.random.default_rng(4).permutation(len(graph))
    matrix = matrix_of(len(graph), order[np.array(graph.edges)])
    found = identify(matrix)
    assert found.best.topology.kind == "unknown"
    assert found.best.bytes_covered == 1
    assert found.best.missing == found.best.extra == 0


def test_torus_with_one_edge_too_many_in_rank_order() -> None:
    torus = lattice((8, 5), (True, True))
    edges = np.concatenate([torus.edges, [(0, 17)]])
    best = identify(matrix_of(40, edges)).best
    assert best.topology.name == "2D torus 8x5"
    assert best.extra_edges.tolist() == [[0, 17]]
    assert best.missing == 0


def test_nearest_lattices_are_listed_with_their_faults() -> None:
    found = identify(matrix_of(32, lattice((8, 4), (True, True)).edges))
    by_name = {match.topology.name: match for match in found.matches}
    assert by_name["2D grid 8x4"].extra == 4 + 8
    assert by_name["2D grid 8x4"].bytes_covered == pytest.approx(52 / 64)
    assert by_name["hypercube 2^5"].missing == 16
    assert by_name["hypercube 2^5"].matched == 64
    for match in found.matches:
        assert match.matched + match.missing == len(match.topology.edges)


def test_shrikhande_and_rook_are_told_apart() -> None:
    six = identify(renumbered(lattice((4, 4), (True, True), STENCILS["6-point"](2)), 1))
    rook = nx.convert_node_labels_to_integers(
        nx.line_graph(nx.complete_bipartite_graph(4, 4))
    )
    other = identify(matrix_of(16, list(rook.edges)))
    assert six.best.topology.name == "2D torus 4x4, 6-point stencil"
    assert other.best.topology.name != six.best.topology.name


def test_report_is_told_and_can_cancel() -> None:
    told = []

    def cancel(stage: str, fraction: float) -> None:
        told.append((stage, fraction))
        raise Cancelled

    with pytest.raises(Cancelled):
        identify(matrix_of(4, [(0, 1), (1, 2)]), cancel)
    assert told == [("identifying", 0.0)]


def test_record_is_json_able_and_lists_edges_on_request() -> None:
    found = identify(matrix_of(6, lattice((3, 2), (False, False)).edges))
    record = json.loads(json.dumps(identification_record(found, edges=True)))
    best = record["matches"][0]
    edges = {tuple(edge) for edge in best["edge_list"]}
    assert edges == {tuple(e) for e in lattice((3, 2), (0, 0)).edges.tolist()}
    assert "edge_list" not in identification_record(found)["matches"][0]
    assert best["edges"] == best["matched"] == 7


def test_every_pair_of_small_dims_is_named_once() -> None:
    for a, b in itertools.product(range(2, 6), repeat=2):
        best = identify(matrix_of(a * b, lattice((a, b), (False, False)).edges)).best
        assert best.topology.name not in best.also
