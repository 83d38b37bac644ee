"""Volumes of edges, and how edges that miss or are extra are drawn."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scene_cases import MakeStage, matched
from scipy.sparse import csr_array

from topoview.model import CommunicationMatrix, Match
from topoview.scene.lines.edge_lines import (
    EXTRA,
    FAINT,
    MISSING,
    edge_volume,
    volume_limits,
)
from topoview.topology import lattice


@given(st.integers(2, 9), st.integers(0, 2**32 - 1))
def test_volume_of_edges(n: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    dense = rng.integers(0, 1000, (n, n)) * (rng.random((n, n)) < 0.4)
    volume = csr_array(dense.astype(np.int64))
    pairs = np.array([(a, b) for a in range(n) for b in range(a + 1, n)], np.int32)
    found = edge_volume(CommunicationMatrix.of_sparse(volume, volume), pairs)
    assert found.tolist() == [int(dense[a, b] + dense[b, a]) for a, b in pairs]


def test_volumes_much_alike_have_no_limits() -> None:
    assert volume_limits(np.array([100, 250, 399])) is None
    assert volume_limits(np.array([], np.int64)) is None
    low, high = volume_limits(np.array([1 << 10, 1 << 20, 5000])) or (0, 0)
    assert 1 << 10 < low < high < 1 << 20


def test_missing_and_extra_edges(stage: MakeStage) -> None:
    case = matched(lattice((4, 3), (False, False)), "flat")
    own = case.match.rank_edges
    match = Match(
        case.match.topology,
        case.match.vertex,
        len(own) - 1,
        own[4:5].copy(),
        np.array([[0, 11]], np.int32),
        0.9,
        0.9,
    )
    scene = stage().scene
    scene.show(match, case.layout, case.matrix)
    edges = scene.edges
    assert edges.edges.tolist() == [*own.tolist(), [0, 11]]
    kinds = {
        tuple(edges.edges[e]): k for e, k in zip(edges.owner, edges.kind, strict=True)
    }
    assert kinds[0, 11] == EXTRA
    assert kinds[tuple(own[4])] == MISSING
    assert sum(kind == MISSING for kind in kinds.values()) == 1
    pieces = np.bincount(edges.owner)
    assert pieces[4] > 5, "dashes"
    assert pieces[3] == 1


@pytest.mark.parametrize(
    ("ranks", "drawn"), [((10, 10, 20), True), ((13, 13, 13), False)]
)
def test_edges_of_very_many_ranks_are_not_drawn(
    stage: MakeStage, ranks: tuple[int, ...], drawn: bool
) -> None:
    case = matched(lattice(ranks, (False,) * 3), "grid")
    scene = stage().scene
    scene.show(case.match, case.layout, case.matrix)
    assert bool(len(scene.edges.edges)) == drawn


def test_pairs_below_the_level_of_the_answer_are_faint(stage: MakeStage) -> None:
    case = matched(lattice((4, 3), (False, False)), "flat")
    ends = np.concatenate([case.match.rank_edges, [[0, 11], [1, 7]]])
    size = np.append(np.full(len(ends) - 2, 1000), [3, 5]).astype(np.int64)
    volume = csr_array((size, (ends[:, 0], ends[:, 1])), shape=(12, 12))
    matrix = CommunicationMatrix.of_sparse(volume, volume)
    above = replace(case.match, level=1)
    for match, faint in ((above, [[0, 11], [1, 7]]), (case.match, [])):
        scene = stage().scene
        scene.show(match, case.layout, matrix)
        edges = scene.edges
        kinds = dict(zip(edges.owner.tolist(), edges.kind.tolist(), strict=True))
        drawn = [edges.edges[e].tolist() for e, kind in kinds.items() if kind == FAINT]
        assert sorted(drawn) == faint
        assert edges.faint == len(faint)
