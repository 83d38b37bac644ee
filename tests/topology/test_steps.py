"""What is told of candidates is true: against networkx, for all that are listed."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from topoview.model import CommunicationMatrix
from topoview.report.identification.steps import (
    CANDIDATE_VERDICTS,
    steps_page,
    steps_record,
)
from topoview.report.write import page_text
from topoview.topology import identify, lattice
from topoview.topology.graph.graph import graph_of, unique_edges
from topoview.topology.graph.invariants import (
    distance_profile,
    eigenvalues,
    same_spectrum,
    short_cycles,
)
from topoview.topology.identification.explanation import explain
from topoview.topology.library import library_members
from topoview.topology.matrix import matrix_of


def matrix_for(n: int, edges: np.ndarray, seed: int = 1) -> CommunicationMatrix:
    ends = np.random.default_rng(seed).permutation(n)[edges]
    ones = np.ones(len(ends), np.int64)
    return matrix_of(n, ends[:, 0], ends[:, 1], ones, 100 * ones)


def as_networkx(n: int, edges: np.ndarray) -> nx.Graph:
    graph = nx.empty_graph(n)
    graph.add_edges_from(edges.tolist())
    return graph


@pytest.mark.parametrize(
    ("dims", "periodic"),
    [((4, 4), (True, True)), ((8,), (True,)), ((3, 2, 2), (False,) * 3)],
)
def test_each_verdict_is_true(
    dims: tuple[int, ...], periodic: tuple[bool, ...]
) -> None:
    topology = lattice(dims, periodic)
    n = topology.vertices
    matrix = matrix_for(n, topology.edges)
    (level,) = explain(matrix, identify(matrix), spectrum=True)
    seen = as_networkx(n, topology.edges)
    by_name = {member.name: member for member in library_members(n)}
    assert level.all_tried
    assert topology.name in {s.candidate for s in level.steps if s.verdict == "found"}
    told = {step.candidate for step in level.steps}
    for step in level.steps:
        if step.candidate not in by_name:
            continue  # a composite, or another name of the same graph
        other = by_name[step.candidate].make()
        graph = as_networkx(n, other.edges)
        assert nx.is_isomorphic(seen, graph) == (step.verdict == "found"), step
        spectra = (nx.adjacency_spectrum(g).real for g in (seen, graph))
        assert step.spectrum is bool(np.allclose(*map(np.sort, spectra)))
    for name, member in by_name.items():
        if name not in told:
            other = as_networkx(n, member.make().edges)
            assert sorted(d for _, d in other.degree) != sorted(
                d for _, d in seen.degree
            )


def test_the_shrikhande_graph_has_the_spectrum_of_the_rooks() -> None:
    """Only isomorphism tells the 4x4 6-point torus from rows and columns 4x4."""
    skew = lattice((4, 4), (True, True), ((1, 0), (0, 1), (1, 1)))
    matrix = matrix_for(16, skew.edges)
    (level,) = explain(matrix, identify(matrix), spectrum=True)
    rook = next(s for s in level.steps if s.candidate == "rows and columns 4x4")
    assert (rook.verdict, rook.spectrum) == ("isomorphism", True)


def test_each_level_is_told() -> None:
    torus = lattice((4, 4), (True, True)).edges
    far = np.array([[0, 10], [1, 11]])
    edges = np.concatenate([torus, far])
    volume = np.concatenate([np.full(len(torus), 1000), [10, 10]])
    matrix = matrix_of(16, edges[:, 0], edges[:, 1], np.ones_like(volume), volume)
    found = identify(matrix)
    told = explain(matrix, found)
    assert [(level.level, level.edges) for level in told] == [(0, 34), (1, 32)]
    assert told[1].gap == pytest.approx(100)
    text = page_text(steps_page(told, found))
    assert "Level 1: pairs that exchange 1,000 bytes or more, 100 times" in text
    assert text.endswith("nothing else that was found describes the traffic in less.")
    lines = [" ".join(line.split()) for line in text.splitlines()]
    assert f"2D torus 4x4 {CANDIDATE_VERDICTS['found']}" in lines
    record = steps_record(told)
    assert record[0]["excluded"].keys() == {"edges", "degrees"}
    (one,) = explain(matrix, found, threshold=0.05)
    assert one.edges == 32


def test_no_messages_have_no_levels() -> None:
    nothing = np.zeros(0, np.int64)
    matrix = matrix_of(4, nothing, nothing, nothing, nothing)
    assert explain(matrix, identify(matrix)) == ()


@settings(max_examples=40, deadline=None)
@given(st.integers(3, 24), st.integers(0, 10_000), st.floats(0.05, 0.9))
def test_invariants(n: int, seed: int, probability: float) -> None:
    made = nx.gnp_random_graph(n, probability, seed=seed)
    pairs = np.array(list(made.edges), np.int64).reshape(-1, 2)
    graph = graph_of(n, unique_edges(n, pairs[:, 0], pairs[:, 1]))
    square = np.linalg.matrix_power(nx.to_numpy_array(made, dtype=np.int64), 2)
    common = square[np.triu_indices(n, 1)]
    triangles = sum(nx.triangles(made).values()) // 3
    assert short_cycles(graph) == (
        triangles,
        int((common * (common - 1) // 2).sum()) // 2,
    )
    profile = distance_profile(graph)
    assert profile is not None
    expected = sorted(
        [
            [sum(d == k for d in lengths.values()) for k in range(profile.shape[1])]
            for _, lengths in nx.all_pairs_shortest_path_length(made)
        ]
    )
    assert profile.tolist() == expected
    found = eigenvalues(graph)
    assert found is not None
    assert same_spectrum(found, np.sort(nx.adjacency_spectrum(made).real))


def test_what_takes_too_long_is_left_out() -> None:
    ends = np.arange(5000, dtype=np.int64)
    star = graph_of(5001, unique_edges(5001, np.zeros_like(ends), ends + 1))
    assert short_cycles(star) is None
    assert eigenvalues(star) is None
