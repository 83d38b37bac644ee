"""Edges of lattices, place by place; cycles of each edge, by powers of the matrix."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from topoview.topology import lattice
from topoview.topology.graph.graph import Graph, graph_of, unique_edges
from topoview.topology.lattices.lattice import STENCILS

SHAPES = st.sampled_from(
    [
        ((7, 5), True, "plain"),
        ((6, 5), True, "6-point"),
        ((5, 4, 3), False, "box"),
        ((5, 4, 4), True, "19-point"),
        ((3, 3, 3), True, "box"),
    ]
)


def neighbours(dims: tuple[int, ...], wraps: bool, name: str) -> set[tuple[int, int]]:
    """Edges of a lattice, place by place."""
    found = set()
    for u, here in enumerate(np.ndindex(*dims[::-1])):
        for offset in STENCILS[name](len(dims)):
            there = [p + s for p, s in zip(here[::-1], offset, strict=True)]
            if wraps:
                there = [p % m for p, m in zip(there, dims, strict=True)]
            if all(0 <= p < m for p, m in zip(there, dims, strict=True)):
                v = int(np.ravel_multi_index(there[::-1], dims[::-1]))
                found.add((min(u, v), max(u, v)))
    return {(u, v) for u, v in found if u != v}


@given(SHAPES)
def test_edges_of_lattices(shape: tuple[tuple[int, ...], bool, str]) -> None:
    dims, wraps, name = shape
    made = lattice(dims, (wraps,) * len(dims), STENCILS[name](len(dims)))
    edges = [tuple(edge) for edge in made.edges.tolist()]
    assert edges == sorted(neighbours(*shape))


def sample(seed: int) -> Graph:
    """Make a torus with some edges too many."""
    torus = lattice((12, 11), (True, True)).edges
    further = np.random.default_rng(seed).integers(0, 132, (9, 2))
    both = np.concatenate([torus, further])
    return graph_of(132, unique_edges(132, both[:, 0], both[:, 1]))


@given(st.integers(0, 2**32 - 1))
def test_cycles_of_edges(seed: int) -> None:
    graph = sample(seed)
    u, v = graph.edges.T
    matrix = np.zeros((graph.n, graph.n), np.int64)
    matrix[u, v] = matrix[v, u] = 1
    two = matrix @ matrix
    assert np.array_equal(graph.triangles, two[u, v])
    # of the walks of three edges between neighbours some go to and fro
    back = graph.degree[u] + graph.degree[v] - 1
    assert np.array_equal(graph.squares, (two @ matrix)[u, v] - back)
