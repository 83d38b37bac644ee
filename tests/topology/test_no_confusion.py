"""Different members of the library are never taken for each other."""

import itertools
from collections import defaultdict

import networkx as nx
import numpy as np
import pytest
from matrices import graph_of_edges, matrix_of, pairs_of, renumbered

from topoview.model import Topology
from topoview.topology import identify
from topoview.topology.graph.graph import graph_of, unique_edges
from topoview.topology.graph.isomorphism import isomorphism
from topoview.topology.library import library_members

FEW = (6, 8, 9, 12, 16, 20, 24)


def apart(one: Topology, other: Topology) -> bool:
    """Tell whether two graphs are surely different, or else ask networkx."""
    graphs = [graph_of_edges(t.vertices, t.edges) for t in (one, other)]
    spectra = [np.linalg.eigvalsh(nx.to_numpy_array(g)) for g in graphs]
    if not np.allclose(*spectra, atol=1e-6):
        return True
    near = [sorted(nx.triangles(g).values()) for g in graphs]
    far = [
        sorted(
            tuple(np.bincount(list(lengths.values())))
            for _, lengths in nx.all_pairs_shortest_path_length(g)
        )
        for g in graphs
    ]
    if near[0] != near[1] or far[0] != far[1]:
        return True
    return not nx.vf2pp_is_isomorphic(*graphs)


def check(n: int) -> None:
    alike: dict[tuple, list[Topology]] = defaultdict(list)
    for member in library_members(n):
        made = member.make()
        degrees = np.sort(graph_of(n, made.edges).degree)
        alike[tuple(degrees.tolist())].append(made)
    rng = np.random.default_rng(n)
    for group in alike.values():
        for one, other in itertools.combinations(group, 2):
            ends = rng.permutation(n)[other.edges]
            seen = graph_of(n, unique_edges(n, ends[:, 0], ends[:, 1]))
            template = graph_of(n, one.edges)
            vertex = isomorphism(seen, template)
            if vertex is None:
                assert apart(one, other), (one.name, other.name)
                continue
            mapped = {tuple(sorted(e)) for e in vertex[seen.edges].tolist()}
            assert mapped == {tuple(e) for e in one.edges.tolist()}


@pytest.mark.parametrize("n", FEW)
def test_pairs_of_members(n: int) -> None:
    check(n)


@pytest.mark.slow
@pytest.mark.parametrize("n", [n for n in range(4, 65) if n not in FEW])
def test_all_pairs_of_members(n: int) -> None:
    check(n)


@pytest.mark.slow
@pytest.mark.parametrize("n", range(4, 65))
def test_all_members_are_found(n: int) -> None:
    for member in library_members(n):
        matrix = renumbered(member.make(), n)
        best = identify(matrix).best
        assert {tuple(e) for e in best.rank_edges.tolist()} == pairs_of(matrix)
        assert not best.missing
        assert best.topology.kind not in ("unknown", "none"), member.name


@pytest.mark.parametrize(
    "n", [8, *(pytest.param(n, marks=pytest.mark.slow) for n in (16, 24))]
)
def test_an_edge_moved_is_never_exact(n: int) -> None:
    rng = np.random.default_rng(n)
    for member in library_members(n):
        edges = member.make().edges.tolist()
        if len(edges) == n * (n - 1) // 2:
            continue
        gone = edges.pop(int(rng.integers(len(edges))))
        while True:
            u, v = sorted(rng.choice(n, 2, replace=False).tolist())
            if [u, v] not in edges and [u, v] != gone:
                break
        matrix = matrix_of(n, [*edges, [u, v]])
        best = identify(matrix).best
        if not best.missing and not best.extra:
            assert {tuple(e) for e in best.rank_edges.tolist()} == pairs_of(matrix)
