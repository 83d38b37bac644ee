"""Several parts, each with edges missing and too many: answered as each is alone."""

from collections import Counter
from collections.abc import Sequence

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matrices import matrix_of
from test_noise import counted, held
from traces import examples

from topoview.model import CommunicationMatrix, Match, Topology
from topoview.topology import identify, lattice, star
from topoview.topology.graph.graph import graph_of
from topoview.topology.identification.components import MAX_ANSWERED, MAX_IN_VAIN, Parts
from topoview.topology.identification.description import left_out
from topoview.topology.identification.traffic import PairTraffic, levels, pair_traffic
from topoview.topology.kinds.composite import union
from topoview.topology.library import exact
from topoview.topology.noise.fit import Fit

GRID = lattice((8, 8), (False, False))
TORUS = lattice((4, 4, 4), (True,) * 3)
OTHER_TORUS = lattice((8, 8), (True, True))


def noisy(topology: Topology, edits: int, rng: np.random.Generator) -> np.ndarray:
    """Take so many edges out of a topology, and put as many others in.

    No vertex loses its last edge.
    """
    n = topology.vertices
    own = {tuple(edge) for edge in topology.edges.tolist()}
    while True:
        kept = topology.edges[rng.permutation(len(topology.edges))[edits:]]
        if np.bincount(kept.ravel(), minlength=n).min():
            break
    added: set[tuple[int, int]] = set()
    while len(added) < edits:
        one, other = sorted(rng.choice(n, 2, replace=False).tolist())
        if (one, other) not in own:
            added.add((one, other))
    return np.concatenate([kept, np.array(sorted(added), int).reshape(-1, 2)])


def beside(
    parts: Sequence[np.ndarray], sizes: Sequence[int], links: int, seed: int
) -> tuple[np.ndarray, np.ndarray]:
    """Put graphs side by side with links between them, under a random numbering.

    Edges, and the graph that each vertex is of.
    """
    rng = np.random.default_rng(seed)
    begins = np.cumsum([0, *sizes])
    edges = [part + begin for part, begin in zip(parts, begins[:-1], strict=True)]
    of = np.repeat(np.arange(len(sizes)), sizes)
    joined: set[tuple[int, int]] = set()
    while len(joined) < links:
        one, other = sorted(rng.choice(len(of), 2, replace=False).tolist())
        if of[one] != of[other]:
            joined.add((one, other))
    edges.append(np.array(sorted(joined), int).reshape(-1, 2))
    order = rng.permutation(len(of))
    owner = np.empty_like(of)
    owner[order] = of
    return order[np.concatenate(edges)], owner


def planted(
    truths: Sequence[Topology], edits: int, links: int, seed: int
) -> tuple[CommunicationMatrix, np.ndarray]:
    rng = np.random.default_rng(seed)
    parts = [noisy(truth, edits, rng) for truth in truths]
    sizes = [truth.vertices for truth in truths]
    edges, owner = beside(parts, sizes, links, seed)
    return matrix_of(len(owner), edges), owner


def alone(matrix: CommunicationMatrix, inside: np.ndarray) -> Match:
    """Answer the traffic among some ranks, as a run of its own."""
    ranks = np.flatnonzero(inside)
    calls = matrix.calls[ranks][:, ranks]
    volume = matrix.volume[ranks][:, ranks]
    return identify(CommunicationMatrix.of_sparse(calls, volume)).best


@examples(20)
@given(
    truth=st.sampled_from([GRID, TORUS, OTHER_TORUS, lattice((9, 6), (True, False))]),
    copies=st.integers(2, 5),
    edits=st.integers(0, 3),
    seed=st.integers(0, 2**16),
)
def test_copies_are_told_as_each_is_alone(
    truth: Topology, copies: int, edits: int, seed: int
) -> None:
    matrix, owner = planted([truth] * copies, edits, 0, seed)
    best = identify(matrix).best
    assert held(best, matrix)
    each = [alone(matrix, owner == one) for one in range(copies)]
    if all(one.vertex.min() >= 0 and one.topology.kind == "lattice" for one in each):
        names = {name for one in each for name in (one.topology.name, *one.also)}
        told = {best.topology.name, *best.also}
        assert told & {f"{copies} x {name}" for name in names}
        assert best.matched == sum(one.matched for one in each)
        assert best.missing == sum(one.missing for one in each)
        assert best.extra == sum(one.extra for one in each)


@pytest.mark.parametrize("seed", range(3))
def test_a_mixture_is_told_with_the_edits_of_all(seed: int) -> None:
    truths = [OTHER_TORUS, TORUS, TORUS, lattice((7, 7), (False, False))]
    matrix, owner = planted(truths, 2, 0, seed)
    best = identify(matrix).best
    assert counted(best, matrix) == (best.matched, best.missing, best.extra)
    assert Counter(one.name for one in best.topology.factors) == Counter(
        one.name for one in truths
    )
    assert (best.missing, best.extra) == (2 * len(truths), 2 * len(truths))
    assert len(np.unique(owner)) == len(truths)


@pytest.mark.parametrize("copies", [1, 2, 4])
def test_pairs_of_another_phase_hide_no_copies(copies: int) -> None:
    """Each copy of a torus also uses the same torus in other numbers."""
    step = 27 * np.arange(64) % 64
    both = np.unique(np.sort(np.concatenate([TORUS.edges, step[TORUS.edges]])), axis=0)
    edges = np.concatenate([both + 64 * k for k in range(copies)])
    found = identify(matrix_of(64 * copies, edges))
    wanted = "3D torus 4x4x4" if copies == 1 else f"{copies} x 3D torus 4x4x4"
    assert found.best.topology.name == wanted
    assert (found.best.missing, found.best.extra) == (
        0,
        copies * (len(both) - len(TORUS.edges)),
    )
    assert not found.remainder[0].missing


@pytest.mark.parametrize("seeds", [1, pytest.param(4, marks=pytest.mark.slow)])
@pytest.mark.parametrize("truth", [GRID, TORUS, lattice((6, 4, 3), (False,) * 3)])
def test_few_edges_between_copies_are_extra(truth: Topology, seeds: int) -> None:
    """As many as noise within them; two beside each other may hide that they do."""
    edits = round(0.03 * len(truth.edges))
    told = []
    for copies in (2, 4, 6):
        for seed in range(seeds):
            matrix, _ = planted([truth] * copies, edits, edits * copies, seed)
            best = identify(matrix).best
            told.append(f"{copies} x {truth.name}" in {best.topology.name, *best.also})
            if told[-1]:
                assert held(best, matrix)
                assert best.missing <= 1.1 * copies * edits
                assert best.extra <= 2.1 * copies * edits
            else:  # a part of them, or nothing: no other topology
                assert best.topology.is_unknown or {
                    one.name for one in best.topology.factors
                } == {truth.name}
    assert np.mean(told) > 0.5


def test_one_link_between_two_tori_is_extra() -> None:
    edges = np.concatenate([TORUS.edges, OTHER_TORUS.edges + 64, [[5, 70]]])
    found = identify(matrix_of(128, np.random.default_rng(1).permutation(128)[edges]))
    best = found.best
    assert {one.name for one in best.topology.factors} == {
        "3D torus 4x4x4",
        "2D torus 8x8",
    }
    assert (best.missing, best.extra) == (0, 1)


def test_what_is_no_member_stays_outside() -> None:
    """Beside two grids the pairs of a random graph are left, and of nobody's answer."""
    rng = np.random.default_rng(3)
    odd = np.array(nx.random_regular_graph(5, 30, seed=3).edges)
    parts = [noisy(GRID, 2, rng), noisy(GRID, 2, rng), odd]
    edges, owner = beside(parts, [64, 64, 30], 0, 3)
    found = identify(matrix_of(len(owner), edges))
    assert found.best.topology.name == "2 x 2D grid 8x8"
    assert (found.best.vertex[owner == 2] == -1).all()
    assert found.best.extra == 4 + len(odd)
    assert found.remainder[-1].topology.is_unknown


@pytest.mark.parametrize(
    "renumbered", [False, pytest.param(True, marks=pytest.mark.slow)]
)
def test_more_copies_than_are_answered_one_by_one(renumbered: bool) -> None:
    """Replicas with noise of their own, in the same numbers or each in others."""
    copies, edits = MAX_ANSWERED + 40, 3
    rng = np.random.default_rng(4)
    edges = [noisy(GRID, edits, rng) + 64 * k for k in range(copies)]
    order = rng.permutation(64 * copies) if renumbered else np.arange(64 * copies)
    matrix = matrix_of(64 * copies, order[np.concatenate(edges)])
    best = identify(matrix).best
    assert held(best, matrix)
    assert {one.name for one in best.topology.factors} == {"2D grid 8x8"}
    # one may be beyond what is looked for
    assert best.topology.vertices >= 64 * (copies - 1)
    assert best.missing <= edits * copies


def test_equal_parts_are_answered_once() -> None:
    """However many there are; those with other noise are tried for what others are."""
    asked: list[int] = []

    def answer(own: PairTraffic) -> Match:
        asked.append(own.ranks)
        return identify(matrix_of(own.ranks, own.pairs)).best

    rng = np.random.default_rng(5)
    same = noisy(GRID, 3, rng)
    for edges, most in (
        ([same + 64 * k for k in range(300)], 1),
        ([noisy(GRID, 2, rng) + 64 * k for k in range(300)], 20),
    ):
        asked.clear()
        traffic = pair_traffic(matrix_of(64 * 300, np.concatenate(edges)))
        part = np.arange(64 * 300) // 64
        match = Parts(answer).beside(traffic, levels(traffic)[0], part)
        assert match is not None
        assert match.topology.name == "300 x 2D grid 8x8"
        assert 0 < len(asked) <= most


def test_a_part_that_is_another_topology_is_told_apart() -> None:
    """Though in the numbers of the others it is theirs with a few edges missing."""
    opened = lattice((16, 4), (True, False))  # four edges fewer at the seam
    whole = lattice((16, 4), (True, True))
    rng = np.random.default_rng(6)
    parts = [noisy(whole, 1, rng) for _ in range(12)] + [opened.edges]
    edges = np.concatenate([part + 64 * k for k, part in enumerate(parts)])
    best = identify(matrix_of(64 * len(parts), edges)).best
    names = Counter(one.name for one in best.topology.factors)
    assert names == {whole.name: 12, opened.name: 1}
    assert (best.missing, best.extra) == (12, 12)


@pytest.mark.parametrize("seed", range(3))
def test_no_answer_depends_on_the_numbers(seed: int) -> None:
    rng = np.random.default_rng(seed)
    parts = [noisy(truth, 2, rng) for truth in (GRID, TORUS, GRID)]
    told = set()
    for numbering in (1, 2, 3):
        edges, owner = beside(parts, [64] * 3, 0, numbering)
        best = identify(matrix_of(len(owner), edges)).best
        names = Counter(one.name for one in best.topology.factors)
        told.add((frozenset(names.items()), best.missing, best.extra))
    assert len(told) == 1


@pytest.mark.parametrize(
    ("size", "several", "seed"),
    [
        (12, 2, 0),
        *(
            pytest.param(*of, seed, marks=pytest.mark.slow)
            for of in ((16, 3), (30, 2))
            for seed in range(4)
        ),
    ],
)
def test_random_parts_are_no_copies(size: int, several: int, seed: int) -> None:
    seeds = range(several * seed, several * (seed + 1))
    volumes = np.random.default_rng(seed).lognormal(8, 2, 4 * size * several)
    for made in (
        [nx.gnm_random_graph(size, 2 * size, seed=seed)] * several,
        [nx.gnm_random_graph(size, 2 * size, seed=one) for one in seeds],
        [nx.random_regular_graph(4, size, seed=one) for one in seeds],
    ):
        parts = [np.array(one.edges) for one in made]
        for links in (0, 2) if size > 12 else (2,):
            edges, owner = beside(parts, [size] * several, links, seed)
            for volume in (100, volumes[: len(edges)])[: 1 + (seed > 0)]:
                best = identify(matrix_of(len(owner), edges, volume)).best
                assert best.topology.is_unknown, best.topology.name


def test_parts_without_a_name_are_not_all_answered() -> None:
    """If the largest are no members, few of the others are looked at."""
    asked: list[int] = []

    def answer(own: PairTraffic) -> None:
        asked.append(own.ranks)

    made = [nx.gnm_random_graph(12, 24, seed=seed) for seed in range(100)]
    edges, owner = beside([np.array(one.edges) for one in made], [12] * 100, 0, 1)
    traffic = pair_traffic(matrix_of(len(owner), edges))
    assert Parts(answer).beside(traffic, levels(traffic)[0], owner) is None
    assert len(asked) == MAX_IN_VAIN


def test_more_edits_than_pairs_are_counted() -> None:
    """A fit of few vertices over many edges has as many bits as the most there are."""
    graph = nx.random_regular_graph(4, 30, seed=7)
    for seed in range(6, 9):
        graph = nx.disjoint_union(graph, nx.random_regular_graph(4, 30, seed=seed))
    assert identify(matrix_of(120, np.array(graph.edges))).best.topology.is_unknown
    edges = np.array([[0, 1], [1, 2]], np.int32)
    assert Fit("", edges, 0, 64).bits >= Fit("", edges, 0, 1).bits


def test_small_pieces_of_a_random_graph_are_no_mixture() -> None:
    """Sparse graphs fall into a large piece, and many small ones that are members."""
    for seed in range(0, 20, 8):
        graph = nx.gnm_random_graph(80, 60 + seed, seed=seed)
        best = identify(matrix_of(80, np.array(graph.edges))).best
        assert best.topology.is_unknown, best.topology.name


def test_places_left_out_of_a_mixture_count_once() -> None:
    gone = np.ones((6, 6), bool)
    gone[4:, 4:] = False
    number = np.cumsum(gone.ravel()) - 1
    whole = lattice((6, 6), (False, False)).edges
    edges = number[whole[gone.ravel()[whole].all(axis=1)]].astype(np.int32)
    part = exact(graph_of(32, edges))[0].topology
    assert left_out(part) == 4
    assert left_out(union([part, star(5)])) == 4
    assert left_out(union([part, part, star(5)])) == 8
