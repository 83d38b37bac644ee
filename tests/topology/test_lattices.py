"""Lattices are found again under any numbering, with exactly the right edges."""

from collections.abc import Iterator

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matrices import graph_of_edges, matrix_of, pairs_of, renumbered
from test_noise import damaged

from topoview.model import CommunicationMatrix, Match
from topoview.topology import identify, lattice
from topoview.topology.graph.graph import graph_of
from topoview.topology.lattices.lattice import STENCILS
from topoview.topology.lattices.recognition import lattices

SEEDS = st.integers(0, 2**32 - 1)


def check(matrix: CommunicationMatrix, best: Match) -> None:
    """Assert that each edge was seen, none is missing, and places are sound."""
    assert {tuple(e) for e in best.rank_edges.tolist()} == pairs_of(matrix)
    assert best.missing == 0
    assert best.extra == 0
    assert best.matched == len(best.topology.edges)
    assert best.calls_covered == best.bytes_covered == 1
    topology = best.topology
    rebuilt = lattice(topology.dims, topology.periodic, topology.offsets)
    assert np.array_equal(rebuilt.edges, topology.edges)
    places = best.coordinates
    assert len({tuple(p) for p in places.tolist()}) == len(places)
    assert (places >= 0).all()
    assert (places < topology.dims).all()


def canonical(
    dims: tuple[int, ...], periodic: tuple[bool, ...]
) -> list[tuple[int, bool]]:
    """Prime factors of a plain lattice: rings of 4 are two edges."""
    factors = []
    for n, wraps in zip(dims, periodic, strict=True):
        ring = bool(wraps) and n > 2
        factors += [(2, False)] * 2 if ring and n == 4 else [(n, ring)]
    return sorted(factors)


@settings(max_examples=60)
@given(
    st.lists(st.tuples(st.integers(2, 7), st.booleans()), min_size=1, max_size=4),
    SEEDS,
)
def test_plain_lattices(axes: list[tuple[int, bool]], seed: int) -> None:
    dims, periodic = [n for n, _ in axes], [p for _, p in axes]
    truth = lattice(dims, periodic)
    matrix = renumbered(truth, seed)
    best = identify(matrix).best
    if truth.vertices == 3 and best.topology.kind == "star":
        assert "chain 3" in best.also
        return
    assert best.topology.kind == "lattice"
    check(matrix, best)
    found = canonical(best.topology.dims, best.topology.periodic)
    assert found == canonical(dims, periodic)


@settings(max_examples=60)
@given(
    st.lists(st.tuples(st.integers(2, 5), st.booleans()), min_size=2, max_size=3),
    SEEDS,
)
def test_boxes(axes: list[tuple[int, bool]], seed: int) -> None:
    dims, periodic = [n for n, _ in axes], [p for _, p in axes]
    truth = lattice(dims, periodic, STENCILS["box"](len(dims)))
    matrix = renumbered(truth, seed)
    best = identify(matrix).best
    n = truth.vertices
    if len(truth.edges) == n * (n - 1) // 2:
        assert best.topology.kind == "complete"
        return
    assert best.topology.kind == "lattice"
    check(matrix, best)


@settings(max_examples=40)
@given(st.integers(3, 9), st.integers(3, 9), st.booleans(), st.booleans(), SEEDS)
def test_six_point_stencils(
    nx_: int, ny: int, wrap_x: bool, wrap_y: bool, seed: int
) -> None:
    truth = lattice((nx_, ny), (wrap_x, wrap_y), STENCILS["6-point"](2))
    matrix = renumbered(truth, seed)
    best = identify(matrix).best
    assert best.topology.kind == "lattice"
    check(matrix, best)
    assert sorted(best.topology.dims) == sorted((nx_, ny))
    assert "6-point" in best.topology.name


@settings(max_examples=30)
@given(st.tuples(*[st.integers(3, 6)] * 3), st.tuples(*[st.booleans()] * 3), SEEDS)
def test_nineteen_point_stencils(
    dims: tuple[int, ...], periodic: tuple[bool, ...], seed: int
) -> None:
    truth = lattice(dims, periodic, STENCILS["19-point"](3))
    matrix = renumbered(truth, seed)
    best = identify(matrix).best
    assert best.topology.kind == "lattice"
    check(matrix, best)


@settings(max_examples=40)
@given(st.lists(st.tuples(st.integers(2, 7), st.booleans()), min_size=1, max_size=3))
def test_natural_numberings_keep_rank_order_and_dims(
    axes: list[tuple[int, bool]],
) -> None:
    dims = tuple(n for n, _ in axes)
    periodic = [p for _, p in axes]
    best = identify(matrix_of(int(np.prod(dims)), lattice(dims, periodic).edges)).best
    assert best.vertex.tolist() == list(range(len(best.vertex)))
    assert best.topology.dims == dims


@pytest.mark.parametrize(
    ("dims", "stencil"),
    [((3, 3), "6-point"), ((4, 4), "6-point"), ((23, 23), "6-point"),
     ((12, 3), "6-point"), ((3, 3, 4), "box"), ((2, 4, 3), "box")],
)  # fmt: skip
def test_natural_stencils_keep_rank_order(dims: tuple[int, ...], stencil: str) -> None:
    wraps = stencil == "6-point"
    truth = lattice(dims, [wraps] * len(dims), STENCILS[stencil](len(dims)))
    best = identify(matrix_of(truth.vertices, truth.edges)).best
    assert best.topology.dims == dims
    assert best.vertex.tolist() == list(range(truth.vertices))
    assert set(best.topology.offsets) == set(truth.offsets)


@settings(max_examples=60)
@given(st.integers(4, 9), st.data())
def test_small_graphs_are_lattices_only_if_isomorphic(
    n: int, data: st.DataObject
) -> None:
    pairs = [(u, v) for u in range(n) for v in range(u + 1, n)]
    edges = data.draw(st.lists(st.sampled_from(pairs), min_size=1, unique=True))
    matrix = matrix_of(n, edges)
    best = identify(matrix).best
    exact = best.topology.kind in ("lattice", "star", "complete") and not best.extra
    if exact:
        check_edges = {tuple(e) for e in best.rank_edges.tolist()}
        assert check_edges == pairs_of(matrix)
    elif best.topology.kind == "unknown":
        seen = graph_of_edges(n, edges)
        seen.remove_nodes_from(list(nx.isolates(seen)))
        for other in library(len(seen)):
            assert not nx.is_isomorphic(seen, other)


def library(n: int) -> Iterator[nx.Graph]:
    """Networkx's own lattices of n vertices."""
    yield nx.path_graph(n)
    yield nx.complete_graph(n)
    yield nx.star_graph(n - 1)
    if n > 2:
        yield nx.cycle_graph(n)
    for a in range(2, n // 2 + 1):
        if n % a == 0:
            for wraps in ((0, 0), (0, 1), (1, 0), (1, 1)):
                grid = nx.grid_2d_graph(a, n // a, periodic=tuple(map(bool, wraps)))
                grid.remove_edges_from(nx.selfloop_edges(grid))
                yield grid
            yield nx.strong_product(nx.path_graph(a), nx.path_graph(n // a))
    if n == 8:
        yield nx.hypercube_graph(3)


@pytest.mark.parametrize("dims", [(6, 5, 4), (40, 40, 4), (40, 4, 4), (100, 4)])
@pytest.mark.parametrize("share", [0, 0.02])
def test_an_axis_of_four_is_no_two_of_two(dims: tuple[int, ...], share: float) -> None:
    """However many ranks there are, with noise or without."""
    truth = lattice(dims, (True,) * len(dims))
    edits = round(share * len(truth.edges))
    best = identify(damaged(truth, edits, edits, 1)).best
    assert sorted(best.topology.dims) == sorted(dims)


@pytest.mark.parametrize(("wraps", "name"), [(True, "ring 16"), (False, "chain 16")])
def test_narrow_triangles_are_rings_and_chains_too(wraps: bool, name: str) -> None:
    """Around a strip two places wide the six neighbours are the next two each way."""
    strip = lattice((8, 2), (wraps, False), STENCILS["6-point"](2))
    other = lattice((16,), (wraps,), ((1,), (2,)))
    same = [nx.Graph(one.edges.tolist()) for one in (strip, other)]
    assert nx.is_isomorphic(*same)
    for made in (strip, other):
        (found,) = lattices(graph_of(16, made.edges))
        names = [found.topology.name, *found.also]
        assert len(set(names)) == len(names) == 2
        assert f"{name}, 5-point stencil" in names
