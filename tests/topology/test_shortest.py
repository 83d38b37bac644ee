"""The answer is the shortest description, and does not depend on the numbering."""

import itertools
import math
from collections.abc import Callable
from dataclasses import replace

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matrices import graph_of_edges, matrix_of
from traces import examples, slow_tests_run

from topoview.model import CommunicationMatrix, Topology, Trace
from topoview.report.identification.answer import headline
from topoview.topology import communication_matrix, complete, identify, lattice, star
from topoview.topology.graph.graph import graph_of, unique_edges
from topoview.topology.graph.refinement import canonical_order
from topoview.topology.identification.description import bits_of_places
from topoview.topology.kinds.composite import copies
from topoview.topology.lattices.lattice import STENCILS
from topoview.topology.matrix import matrix_of as sums_of

GRID = lattice((6, 6), (False, False)).edges
TORUS = lattice((6, 6), (True, True)).edges


def traffic(ranks: int, *layers: tuple[object, int, int]) -> CommunicationMatrix:
    """Lay edges over each other: each layer with its messages, and bytes in each."""
    sums: dict[tuple[int, int], list[int]] = {}
    for edges, calls, size in layers:
        for u, v in np.sort(np.asarray(edges), axis=1).tolist():
            both = sums.setdefault((u, v), [0, 0])
            both[0] += calls
            both[1] += calls * size
    pairs = sorted(sums)
    volume = [sums[pair][1] for pair in pairs]
    made = matrix_of(ranks, pairs, volume)
    counted = matrix_of(ranks, pairs, [sums[pair][0] for pair in pairs])
    return replace(made, counts=counted.sizes)


def renumbered(matrix: CommunicationMatrix, seed: int) -> CommunicationMatrix:
    order = np.random.default_rng(seed).permutation(matrix.ranks)
    pairs = matrix.calls.tocoo()
    sender, receiver = (order[ends] for ends in pairs.coords)
    calls, volume = pairs.data, matrix.volume.tocoo().data
    return sums_of(matrix.ranks, sender, receiver, calls, volume)


def told(matrix: CommunicationMatrix) -> list[object]:
    found = identify(matrix)
    best = found.best
    rest = [(m.topology.kind, m.missing, m.extra) for m in found.remainder]
    near = [m.missing + m.extra for m in found.matches[1:] if m.level == best.level]
    name = best.topology.name.split(" ")[0]  # dims are put in order of the ranks
    dims = sorted(best.topology.dims)
    edits = (best.missing, best.extra, best.level, len(found.matches))
    return [name, dims, *edits, near, rest, len(found.warnings)]


def hub(first: int, others: range) -> list[tuple[int, int]]:
    return [(first, other) for other in others]


def lost(topology: Topology, missing: int, extra: int, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    kept = topology.edges[rng.permutation(len(topology.edges))[missing:]]
    added = rng.integers(0, topology.vertices, (extra, 2))
    return np.concatenate([kept, added[added[:, 0] != added[:, 1]]])


SPARSE = nx.gnm_random_graph(36, 40, seed=3).edges
CASES: dict[str, CommunicationMatrix] = {
    "grid": traffic(36, (GRID, 10, 100)),
    "two levels": traffic(36, (TORUS, 10, 1000), (SPARSE, 1, 8)),
    "overlying": traffic(36, (TORUS, 2, 1000), (SPARSE, 4, 1000)),
    "empty all-to-all": traffic(36, (TORUS, 5, 8192), (complete(36).edges, 1, 0)),
    "manager": traffic(37, (GRID, 2, 64), (hub(36, range(36)), 2, 64)),
    "servers": traffic(
        40,
        (GRID, 20, 100),
        *((hub(36 + i, range(9 * i, 9 * i + 9)), 2, 999) for i in range(4)),
    ),
    "unknown": traffic(36, (SPARSE, 1, 10)),
    "lost edges": traffic(64, (lost(lattice((16, 4), (True, True)), 8, 0, 1), 1, 9)),
    "lost and more": traffic(64, (lost(lattice((8, 8), (True, False)), 3, 3, 2), 1, 9)),
    "far tree": traffic(
        24, ([(i, i - (1 << i.bit_length() - 1)) for i in range(1, 24)], 1, 1)
    ),
    "rings": traffic(
        18, (nx.disjoint_union_all(map(nx.cycle_graph, (5, 6, 7))).edges, 1, 9)
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_the_answer_does_not_depend_on_the_numbering(case: str) -> None:
    seeds = range(4 if slow_tests_run() else 2)
    answers = [told(renumbered(CASES[case], seed)) for seed in seeds]
    assert all(answer == answers[0] for answer in answers[1:])


@examples(25)
@given(
    dims=st.sampled_from([(8, 4), (16, 4), (4, 4, 4), (5, 7), (2, 2, 16), (2, 16)]),
    wraps=st.lists(st.booleans(), min_size=3, max_size=3),
    edits=st.tuples(st.integers(0, 4), st.integers(0, 3)),
    seed=st.integers(0, 2**16),
)
def test_edits_do_not_depend_on_the_numbering(
    dims: tuple[int, ...], wraps: list[bool], edits: tuple[int, int], seed: int
) -> None:
    edges = lost(lattice(dims, wraps[: len(dims)]), *edits, seed)
    matrix = traffic(math.prod(dims), (edges, 1, 100))
    answers = [told(renumbered(matrix, seed + i)) for i in range(2)]
    assert answers[0] == answers[1]
    found = identify(matrix)
    best = found.best
    if best.topology.kind != "unknown":  # none that was seen has fewer
        others = [m for m in found.matches if m.topology.kind != "unknown"]
        fewest = min(m.missing + m.extra for m in others if m.level == best.level)
        assert best.missing + best.extra == fewest


@settings(max_examples=60, deadline=None)
@given(st.integers(2, 30), st.floats(0.05, 0.9), st.integers(0, 2**16))
def test_a_canonical_order_gives_one_graph(n: int, share: float, seed: int) -> None:
    made = np.array(nx.gnp_random_graph(n, share, seed=seed).edges, int).reshape(-1, 2)
    forms = set()
    for number in (np.arange(n), np.random.default_rng(seed).permutation(n)):
        ends = number[made]
        graph = graph_of(n, unique_edges(n, ends[:, 0], ends[:, 1]))
        order = canonical_order(graph)
        assert sorted(order.tolist()) == list(range(n))
        place = np.argsort(order)[graph.edges]
        forms.add(unique_edges(n, place[:, 0], place[:, 1]).tobytes())
    assert len(forms) == 1


@pytest.mark.parametrize(
    "topology", [complete(6), star(6), copies(2, complete(3)), copies(3, complete(2))]
)
def test_places_take_as_many_bits_as_there_are_graphs(topology: Topology) -> None:
    graph = graph_of_edges(topology.vertices, topology.edges)
    edges = list(map(tuple, graph.edges))
    graphs = {
        frozenset(frozenset((order[u], order[v])) for u, v in edges)
        for order in itertools.permutations(range(topology.vertices))
    }
    assert bits_of_places(topology) == pytest.approx(math.log2(len(graphs)), abs=1e-6)


def test_heavy_structure_stands_above_a_light_remainder() -> None:
    rng = np.random.default_rng(1)
    light = rng.integers(0, 36, (60, 2))
    light = light[light[:, 0] != light[:, 1]]
    found = identify(traffic(36, (TORUS, 20, 1000), (light, 3, 2000)))
    assert found.best.topology.name == "2D torus 6x6"
    assert found.best.missing == 0


def test_empty_messages_hide_nothing() -> None:
    found = identify(CASES["empty all-to-all"])
    assert found.best.topology.name == "2D torus 6x6"
    assert [m.topology.name for m in found.remainder] == ["all-to-all 36"]


@pytest.mark.parametrize("ratio", [1, 30, 1000, 10**5])
def test_a_member_that_explains_all_pairs_stands_above_its_faces(ratio: int) -> None:
    for dims, stencil in (((3, 3, 3), "box"), ((4, 4), "box"), ((5, 4, 3), "19-point")):
        made = lattice(dims, (False,) * len(dims), STENCILS[stencil](len(dims)))
        ends = made.coordinates[made.edges]
        far = np.abs(ends[:, 0] - ends[:, 1]).sum(axis=1)
        volume = np.array([0, ratio * ratio, ratio, 1])[far]
        found = identify(matrix_of(math.prod(dims), made.edges, volume))
        assert found.best.topology.name == made.name
        assert headline(found) == made.name  # the faces are some of its directions


def test_of_what_is_fully_used_that_is_the_answer_which_leaves_fewest_pairs() -> None:
    found = identify(CASES["manager"])
    assert found.best.topology.name == "2D grid 6x6"
    assert [m.topology.name for m in found.remainder] == ["star 37"]
    assert headline(found) == "2D grid 6x6"
    heavy = identify(traffic(37, (GRID, 1, 64), (hub(36, range(36)), 2, 64)))
    assert heavy.best.topology.name == "star 37"
    assert [m.topology.name for m in heavy.remainder] == ["2D grid 6x6"]


def test_most_of_the_ranks_are_enough() -> None:
    found = identify(CASES["servers"])
    assert found.best.topology.name == "2D grid 6x6"
    assert (found.best.vertex < 0).sum() == 4
    assert [m.topology.name for m in found.remainder] == ["4 x star 10"]


def test_a_few_loud_pairs_are_no_answer() -> None:
    for loud in (1, 2, 3):
        edges = np.array(sorted(nx.petersen_graph().edges))
        volume = np.where(np.arange(len(edges)) < loud, 10**6, 10)
        assert identify(matrix_of(10, edges, volume)).best.topology.kind == "unknown"


def test_missing_is_what_was_seen_at_no_level() -> None:
    row = list(itertools.combinations(range(6), 2))
    found = identify(traffic(36, (GRID, 9, 100), (row, 1, 100)))
    assert found.best.topology.name == "2D grid 6x6"
    wraps = next(m for m in found.matches if m.topology.name.endswith("periodic in x"))
    # of the six edges around, that of the first row was seen, below the level
    assert (wraps.matched, wraps.missing) == (61, 5)
    assert [m.topology.name for m in found.remainder] == ["all-to-all 6"]


def test_steps_tell_the_pairs_that_are_missing() -> None:
    torus = lattice((16, 8), (True, True))
    coarse = [
        (y * 16 + x, y * 16 + (x + 2) % 16) for y in (0, 4) for x in range(0, 16, 2)
    ]
    found = identify(traffic(128, (torus.edges, 20, 900), (coarse, 1, 40)))
    (steps,) = found.remainder
    assert steps.topology.name == "offsets \N{PLUS-MINUS SIGN}2 in x (16 of 128 pairs)"
    assert (steps.matched, steps.missing) == (16, 128 - 16)


def test_two_pairs_are_no_steps() -> None:
    torus = lattice((16, 16), (True, True)).edges
    found = identify(traffic(256, (torus, 3, 8192), ([(238, 126), (86, 198)], 1, 8192)))
    assert found.best.topology.name == "2D torus 16x16"
    assert [m.topology.kind for m in found.remainder] == ["unknown"]


@pytest.mark.parametrize("seed", range(3))
def test_ties_are_told(seed: int) -> None:
    ring = lattice((9,), (True,)).edges
    edges = np.concatenate([ring[1:], [[0, 4]]])
    order = np.random.default_rng(seed).permutation(9)
    found = identify(matrix_of(9, order[edges]))
    best = found.best
    equal = [
        m.topology.name
        for m in found.matches[1:]
        if m.topology.kind != "unknown"
        and m.missing + m.extra == best.missing + best.extra > 0
    ]
    assert bool(equal) == any("fits as well" in line for line in found.warnings)


def test_stencils_that_fall_together_are_all_named() -> None:
    edges = lattice((16, 2), (True, True), ((1, 0), (0, 1), (1, 1))).edges
    best = identify(matrix_of(32, edges)).best
    names = {best.topology.name, *best.also}
    assert {"2D torus 16x2, 9-point stencil", "2D torus 16x2, 6-point stencil"} <= names


@pytest.mark.traces
@pytest.mark.parametrize(
    ("trace", "said"),
    [
        ("app-lammps-pppm-18", "3D torus 3x3x2"),
        ("app-amg-12", "all-to-all 12; 80 % of the bytes on a 3D grid 3x2x2"),
        ("public-sstmacro-10", "2 x all-to-all 5"),
        ("app-snap-24", "2D grid 6x4"),
        ("app-quicksilver-12", "3D grid 2x2x3, 27-point stencil"),
    ],
)
def test_programs(real_trace: Callable[[str], Trace], trace: str, said: str) -> None:
    assert headline(identify(communication_matrix(real_trace(trace)))) == said
