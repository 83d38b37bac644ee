"""Lattices that a graph contains beside a tree that carries as much."""

import networkx as nx
import numpy as np
import pytest
from matrices import matrix_of

from topoview.topology import identify, lattice
from topoview.topology.graph.graph import graph_of
from topoview.topology.library import library_members
from topoview.topology.noise.contained import contained_lattices

PARENT = {
    "binomial tree": lambda rank: rank & (rank - 1),
    "binary tree": lambda rank: (rank - 1) // 2,
}


def pairs_beside_a_tree(dims: tuple[int, ...], tree: str) -> set[tuple[int, int]]:
    """Pairs of a lattice's neighbours, and of a tree over the same ranks."""
    grid = lattice(dims, [False] * len(dims))
    pairs = {(min(edge), max(edge)) for edge in grid.edges.tolist()}
    return pairs | {(PARENT[tree](rank), rank) for rank in range(1, grid.vertices)}


@pytest.mark.parametrize("dims", [(8, 6), (4, 4, 3)])
@pytest.mark.parametrize("tree", PARENT)
def test_a_grid_and_a_tree_of_equal_volume(dims: tuple[int, ...], tree: str) -> None:
    pairs = pairs_beside_a_tree(dims, tree)
    number = np.random.default_rng(3).permutation(int(np.prod(dims)))
    moved = [tuple(number[list(pair)].tolist()) for pair in sorted(pairs)]
    found = identify(matrix_of(len(number), moved))
    grid = lattice(dims, [False] * len(dims))
    assert found.best.topology.name == grid.name
    assert (found.best.missing, found.best.extra) == (0, len(pairs) - len(grid.edges))


def test_a_lattice_may_lack_an_edge() -> None:
    pairs = pairs_beside_a_tree((8, 8), "binomial tree") - {(27, 35)}
    found = identify(matrix_of(64, sorted(pairs)))
    assert found.best.topology.name == "2D grid 8x8"
    assert found.best.missing == 1


@pytest.mark.parametrize("edges", [40, 70])
def test_a_graph_made_by_chance_is_unknown(edges: int) -> None:
    graph = nx.gnm_random_graph(25, edges, seed=edges)
    found = identify(matrix_of(25, sorted(graph.edges)))
    assert found.best.topology.kind == "unknown"


def test_what_is_found_is_contained() -> None:
    pairs = pairs_beside_a_tree((6, 6), "binary tree")
    graph = graph_of(36, np.array(sorted(pairs), np.int32))
    fits = contained_lattices(graph, library_members(36))
    assert fits
    for fit in fits:
        own = nx.Graph(fit.edges.tolist())
        assert nx.is_isomorphic(own, nx.grid_2d_graph(6, 6))
        lacking = {(min(edge), max(edge)) for edge in own.edges} - pairs
        assert (fit.missing, fit.extra) == (len(lacking), len(pairs) - len(own.edges))
