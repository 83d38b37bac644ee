"""What is done in batches, so that giving up is heard, is done as at once."""

import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from topoview import progress
from topoview.topology import lattice
from topoview.topology.graph.graph import Graph, graph_of, unique_edges
from topoview.topology.graph.products import square_classes
from topoview.topology.lattices.lattice import STENCILS
from topoview.topology.noise import fit as repair
from topoview.topology.noise import grown_lattices as support

SHAPES = st.sampled_from(
    [
        ((7, 5), True, "plain"),
        ((6, 5), True, "6-point"),
        ((5, 4, 3), False, "box"),
        ((5, 4, 4), True, "19-point"),
        ((3, 3, 3), True, "box"),
    ]
)
MODULE = sys.modules["topoview.topology.lattices.lattice"]
"""`topoview.topology.lattices.lattice` is the function."""


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


@given(SHAPES, st.integers(1, 200))
def test_edges_of_lattices(
    shape: tuple[tuple[int, ...], bool, str], batch: int
) -> None:
    dims, wraps, name = shape
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(MODULE, "BATCH", batch)
        made = lattice(dims, (wraps,) * len(dims), STENCILS[name](len(dims)))
    edges = [tuple(edge) for edge in made.edges.tolist()]
    assert edges == sorted(neighbours(*shape))


def sample(seed: int) -> Graph:
    """Make a torus with some edges too many."""
    torus = lattice((12, 11), (True, True)).edges
    further = np.random.default_rng(seed).integers(0, 132, (9, 2))
    both = np.concatenate([torus, further])
    return graph_of(132, unique_edges(132, both[:, 0], both[:, 1]))


@given(st.integers(0, 2**32 - 1), st.integers(1, 3000))
def test_cycles_and_classes(seed: int, batch: int) -> None:
    graph, again = sample(seed), sample(seed)
    wanted = support.squares(graph), square_classes(graph), graph.triangles
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(support, "PATHS_BETWEEN_REPORTS", batch)
        patch.setattr(sys.modules["topoview.topology.graph.products"], "BATCH", batch)
        patch.setattr(progress, "BATCH_ROWS", batch)
        found = support.squares(again), square_classes(again), again.triangles
    for one, other in zip(wanted, found, strict=True):
        assert np.array_equal(one, other)


@given(st.integers(0, 2**32 - 1), st.integers(1, 132))
def test_repairs(seed: int, batch: int) -> None:
    rng = np.random.default_rng(seed)
    torus = lattice((12, 11), (True, True)).edges
    template, graph = graph_of(132, torus), sample(seed)
    vertex = np.arange(132)
    some = rng.choice(132, 8, replace=False)
    vertex[some] = vertex[rng.permutation(some)]
    wanted = repair.repaired(graph, template, vertex)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(repair, "VERTICES_BETWEEN_REPORTS", batch)
        found = repair.repaired(graph, template, vertex)
    assert np.array_equal(wanted, found)
