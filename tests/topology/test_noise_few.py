"""One or two edits: trees, CG, butterflies and small dims are found all the same."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matrices import matrix_of
from traces import examples

from topoview.model import Topology
from topoview.topology import identify
from topoview.topology.graph.graph import graph_of, unique_edges
from topoview.topology.library import library_members
from topoview.topology.noise.few_edits import few_edits

TRUTHS = (
    *("CG 8x8", "wrapped butterfly 4x16", "binary tree 64"),
    *("3D torus 16x2x2", "4-ary tree 64", "2D grid 32x2", "2D torus 16x4"),
)
MADE: dict[str, Topology] = {
    member.name: member.make()
    for member in library_members(64)
    if member.name in TRUTHS
}


def edited(truth: Topology, edits: int, seed: int) -> np.ndarray:
    """Take edges away and add some by turns, then renumber; no rank falls silent."""
    rng = np.random.default_rng(seed)
    edges = {tuple(edge) for edge in truth.edges.tolist()}
    for number in range(edits):
        degree = np.bincount(np.array(sorted(edges)).ravel(), minlength=truth.vertices)
        if (number + seed) % 2:
            inner = [(u, v) for u, v in sorted(edges) if min(degree[[u, v]]) > 1]
            edges.remove(inner[rng.integers(len(inner))])
        else:
            u, v = sorted(rng.choice(truth.vertices, 2, replace=False).tolist())
            edges.add((u, v))
    order = rng.permutation(truth.vertices)
    found: np.ndarray = np.sort(order[np.array(sorted(edges))], axis=1)
    return found


@examples(40)
@given(st.sampled_from(sorted(MADE)), st.integers(1, 2), st.integers(0, 10**6))
def test_few_edits_are_counted_exactly(name: str, edits: int, seed: int) -> None:
    edges = edited(MADE[name], edits, seed)
    found = identify(matrix_of(64, edges))
    best = found.best
    assert best.topology.kind != "unknown"
    if best.missing + best.extra == 0:
        return  # an edit made it another member
    told = {m.topology.name for m in found.matches} | {
        other for m in found.matches for other in m.also
    }
    assert best.missing + best.extra <= edits
    assert name in told
    theirs = {tuple(edge) for edge in best.rank_edges.tolist()}
    ours = {tuple(edge) for edge in edges.tolist()}
    assert len(theirs - ours) == best.missing
    assert len(ours - theirs) == best.extra


@pytest.mark.parametrize("name", sorted(MADE))
def test_the_edits_that_are_told_make_the_graph_a_member(name: str) -> None:
    edges = edited(MADE[name], 2, 5)
    graph = graph_of(64, unique_edges(64, edges[:, 0], edges[:, 1]))
    fits = few_edits(graph, library_members(64), 2)
    assert fits
    for fit in fits:
        theirs = {tuple(edge) for edge in fit.edges.tolist()}
        ours = {tuple(edge) for edge in graph.edges.tolist()}
        assert (len(theirs - ours), len(ours - theirs)) == (fit.missing, fit.extra)


def test_what_is_far_from_all_has_none() -> None:
    import networkx as nx

    edges = np.array(nx.random_regular_graph(4, 60, seed=1).edges)
    graph = graph_of(60, unique_edges(60, edges[:, 0], edges[:, 1]))
    assert few_edits(graph, library_members(60), 2) == []
