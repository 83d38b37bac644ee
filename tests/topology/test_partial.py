"""Lattices with places left out: found as they are, and nothing else taken for one."""

import itertools
import math
from collections.abc import Iterable

import networkx as nx
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from matrices import matrix_of, pairs_of
from test_directions import check_all_pairs
from traces import examples

from topoview.model import CommunicationMatrix, Match
from topoview.topology import identify, lattice
from topoview.topology.graph.graph import Graph, graph_of, unique_edges
from topoview.topology.identification.description import bits_of_left_out
from topoview.topology.lattices.lattice import STENCILS
from topoview.topology.lattices.partial import (
    MIN_SHARE_HELD,
    partial_lattice,
    recognise_partial_lattices,
)

Place = tuple[int, ...]


def beside(a: Place, b: Place, dims: Place, wraps: Iterable[bool], box: bool) -> bool:
    """Whether one step leads from a place to another: the definition."""
    steps = [abs(i - j) for i, j in zip(a, b, strict=True)]
    steps = [
        min(step, n - step) if closed else step
        for step, n, closed in zip(steps, dims, wraps, strict=True)
    ]
    return max(steps) == 1 if box else sum(steps) == 1


def sea_of(
    dims: Place, wraps: tuple[bool, ...], box: bool, land: set[Place]
) -> nx.Graph:
    """Make the largest connected piece of what is left of a lattice."""
    held = [p for p in itertools.product(*map(range, dims)) if p not in land]
    graph = nx.Graph()
    graph.add_nodes_from(held)
    for a, b in itertools.combinations(held, 2):
        if beside(a, b, dims, wraps, box):
            graph.add_edge(a, b)
    return graph.subgraph(max(nx.connected_components(graph), key=len))


def matrix_from(graph: nx.Graph, seed: int | None) -> CommunicationMatrix:
    """Ranks in row-major order, x fastest, or in any."""
    places = sorted(graph, key=lambda place: place[::-1])
    order = np.arange(len(places))
    if seed is not None:
        order = np.random.default_rng(seed).permutation(order)
    number = dict(zip(places, order.tolist(), strict=True))
    return matrix_of(len(places), [(number[a], number[b]) for a, b in graph.edges])


def check(best: Match, matrix: CommunicationMatrix) -> None:
    """Places tell the pairs that were seen, by the definition."""
    topology = best.topology
    assert best.missing == best.extra == 0
    places = [tuple(place) for place in best.coordinates.tolist()]
    assert len(set(places)) == matrix.ranks
    box = len(topology.offsets) > len(topology.dims)
    told = {
        (i, j)
        for (i, a), (j, b) in itertools.combinations(enumerate(places), 2)
        if beside(a, b, topology.dims, topology.periodic, box)
    }
    assert told == pairs_of(matrix)
    left_out = math.prod(topology.dims) - matrix.ranks
    if topology.kind == "part":
        assert f"without {left_out} place" in topology.name
        assert left_out > 0


SEA = {(0, 0), (1, 0), (3, 4), (4, 4), (7, 7), (7, 6)}
QUARTER = {(x, y) for x in range(4, 8) for y in range(4)}
CASES = {
    "2D grid 8x8 without 6 places": ((8, 8), (False, False), False, SEA),
    "2D grid 8x8 without 16 places": ((8, 8), (False, False), False, QUARTER),
    "2D grid 8x8 without 5 places": (
        (8, 8), (False, False), False, {(x, 7) for x in range(3, 8)},
    ),
    "2D grid 7x7 without 1 place": ((7, 7), (False, False), False, {(3, 3)}),
    "2D grid 3x3 without 1 place": ((3, 3), (False, False), False, {(2, 2)}),
    "2D grid 16x8, periodic in x, without 6 places": (
        (16, 8), (True, False), False, SEA,
    ),
    "2D torus 9x8 without 6 places": ((9, 8), (True, True), False, SEA),
    "2D grid 9x4, periodic in y, without 2 places": (
        (9, 4), (False, True), False, {(0, 0), (5, 2)},
    ),
    "2D grid 8x8, 9-point stencil, without 6 places": (
        (8, 8), (False, False), True, SEA,
    ),
    "2D torus 9x8, 9-point stencil, without 6 places": (
        (9, 8), (True, True), True, SEA,
    ),
    "3D grid 4x4x4 without 3 places": (
        (4, 4, 4), (False,) * 3, False, {(0, 0, 0), (1, 0, 0), (3, 3, 2)},
    ),
    "3D grid 6x5x4, periodic in x, without 2 places": (
        (6, 5, 4), (True, False, False), False, {(0, 0, 0), (3, 3, 2)},
    ),
    "3D grid 5x4x4, 27-point stencil, without 2 places": (
        (5, 4, 4), (False,) * 3, True, {(0, 0, 0), (3, 3, 2)},
    ),
}  # fmt: skip


@pytest.mark.parametrize("seed", [None, 1, pytest.param(2, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", CASES)
def test_places_left_out_are_told(name: str, seed: int | None) -> None:
    matrix = matrix_from(sea_of(*CASES[name]), seed)
    best = identify(matrix).best
    check(best, matrix)
    assert best.topology.kind == "part"
    assert sorted(best.topology.name) == sorted(name)
    if seed is None:
        assert best.topology.name == name
        assert best.vertex.tolist() == list(range(matrix.ranks))
    if seed == 1:
        check_all_pairs(best)


@examples(40)
@given(st.data())
def test_any_grid_with_few_places_left_out(data: st.DataObject) -> None:
    d = data.draw(st.integers(2, 3))
    box = data.draw(st.booleans())
    wraps = tuple(data.draw(st.booleans()) for _ in range(d))
    # a ring of four is two pairs
    dims = tuple(
        data.draw(st.integers(5 if closed else 3, 7 if d == 3 else 10))
        for closed in wraps
    )
    place = st.tuples(*(st.integers(0, n - 1) for n in dims))
    land = data.draw(st.sets(place, min_size=1, max_size=4))
    graph = sea_of(dims, wraps, box, land)
    assume(len(graph) > 8)
    matrix = matrix_from(graph, data.draw(st.integers(0, 10**6)))
    best = identify(matrix).best
    assert best.topology.kind in ("part", "lattice", "product")
    if best.topology.kind == "part":
        check(best, matrix)
    assert best.topology.vertices == matrix.ranks
    assert sorted(best.vertex.tolist()) == list(range(matrix.ranks))
    taken = best.vertex[np.array(sorted(pairs_of(matrix)))]
    assert {tuple(sorted(pair)) for pair in taken.tolist()} == {
        tuple(pair) for pair in best.topology.edges.tolist()
    }


@examples(30)
@given(st.integers(0, 10**6), st.integers(8, 20), st.floats(0.05, 0.45))
def test_any_part_is_told_exactly_or_not_at_all(
    seed: int, side: int, share: float
) -> None:
    rng = np.random.default_rng(seed)
    cells = itertools.product(range(side), repeat=2)
    land = {cell for cell in cells if rng.random() < share}
    graph = sea_of((side, side), (False, False), False, land)
    assume(len(graph) > 8)
    matrix = matrix_from(graph, seed)
    best = identify(matrix).best
    if best.topology.kind == "part":
        check(best, matrix)


@examples(30)
@given(st.integers(0, 10**6), st.integers(5, 60))
def test_trees_are_no_parts_of_a_lattice(seed: int, n: int) -> None:
    tree = nx.random_labeled_tree(n, seed=seed)
    edges = np.array(tree.edges)
    graph = graph_of(n, unique_edges(n, edges[:, 0], edges[:, 1]))
    assert recognise_partial_lattices(graph) == []


def test_whole_lattices_stay_what_they_are() -> None:
    leaning = lattice((6, 6), (False, False), ((0, 1), (1, 1)))
    best = identify(matrix_of(36, leaning.edges)).best
    assert best.topology.kind in ("lattice", "product")


def test_a_corner_that_lost_an_edge_is_no_place_beyond_the_grid() -> None:
    edges = lattice((9, 7), (False, False)).edges.tolist()
    edges.remove([0, 1])
    best = identify(matrix_of(63, edges)).best
    assert (best.topology.name, best.missing) == ("2D grid 9x7", 1)


def _frame(side: int, width: int) -> CommunicationMatrix:
    """Make the rim of a square."""
    inside = range(width, side - width)
    land = set(itertools.product(inside, inside))
    return matrix_from(sea_of((side, side), (False, False), False, land), 1)


def _graph(matrix: CommunicationMatrix) -> Graph:
    edges = np.array(sorted(pairs_of(matrix)))
    return graph_of(matrix.ranks, unique_edges(matrix.ranks, edges[:, 0], edges[:, 1]))


def test_less_than_half_of_the_places_may_be_left_out() -> None:
    held = {side: (side**2 - (side - 4) ** 2) / side**2 for side in (12, 13)}
    assert held[13] < MIN_SHARE_HELD < held[12]
    (frame,) = recognise_partial_lattices(_graph(_frame(12, 2)))
    assert frame.topology.name == "2D grid 12x12 without 64 places"
    assert recognise_partial_lattices(_graph(_frame(13, 2))) == []


def test_a_frame_is_a_square_without_its_inside() -> None:
    """Two corners of a hole are less to tell than 8 edges of the nearest torus."""
    found = identify(_frame(12, 2))
    assert found.best.topology.name == "2D grid 12x12 without 64 places"
    assert found.best.missing + found.best.extra == 0
    assert "2D torus 40x2" in [match.topology.name for match in found.matches]


@pytest.mark.parametrize("rank", [0, 20])
def test_a_silent_rank_leaves_its_place(rank: int) -> None:
    """It may also have lost all its edges, which is more to tell."""
    edges = lattice((8, 8), (False, False)).edges
    found = identify(matrix_of(64, edges[(edges != rank).all(axis=1)]))
    assert found.best.topology.name == "2D grid 8x8 without 1 place"
    assert found.best.missing + found.best.extra == 0
    assert "2D grid 8x8" in [match.topology.name for match in found.matches]


SHAPES = {
    "2D grid 10x10 without 25 places": set(itertools.product(range(5, 10), repeat=2)),
    "2D grid 10x10 without 9 places": set(itertools.product((3, 4, 5), repeat=2)),
    "2D grid 10x10 without 6 places": {(x, 9) for x in range(4, 10)},
}


@pytest.mark.parametrize("name", SHAPES)
def test_a_lost_edge_and_one_too_many_change_no_shape(name: str) -> None:
    matrix = matrix_from(sea_of((10, 10), (False, False), False, SHAPES[name]), 2)
    pairs = sorted(pairs_of(matrix))
    del pairs[17]
    best = identify(matrix_of(matrix.ranks, [*pairs, (1, 60)])).best
    assert best.topology.name == name
    assert (best.missing, best.extra) == (1, 1)


def test_land_is_told_place_by_place_or_by_boxes() -> None:
    def bits(land: set[Place]) -> float:
        held = np.array([(i % 10, i // 10) not in land for i in range(100)])
        offsets = STENCILS["plain"](2)
        made = partial_lattice((10, 10), (False, False), offsets, held)
        return bits_of_left_out(made)

    corners = 2 * math.log2(100)
    assert bits({(3, 3)}) == pytest.approx(math.log2(100))
    assert bits(SHAPES["2D grid 10x10 without 25 places"]) == pytest.approx(corners)
    step = {(x, y) for x in range(6) for y in range(6) if x < 3 or y < 3}
    assert bits(step) == pytest.approx(2 * corners)
    spread = {(x, y) for x in range(0, 10, 3) for y in range(0, 10, 3)}
    assert bits(spread) == pytest.approx(math.log2(math.comb(100, 16)))


@pytest.mark.parametrize(("d", "lost"), [(4, 1), (5, 1), (5, 3), (6, 6), (8, 10)])
def test_a_cube_of_any_dimension_may_lack_places(d: int, lost: int) -> None:
    cube = nx.hypercube_graph(d)
    rng = np.random.default_rng(d)
    places = sorted(cube)
    cube.remove_nodes_from([places[i] for i in rng.permutation(len(places))[:lost]])
    graph = nx.convert_node_labels_to_integers(cube, ordering="sorted")
    name = f"hypercube 2^{d} without {lost} place{'s' * (lost > 1)}"
    best = identify(matrix_of(len(graph), list(graph.edges))).best
    assert (best.topology.name, best.extra) == (name, 0)
    edges = rng.permutation(len(graph))[np.array(graph.edges)]
    best = identify(matrix_of(len(graph), edges)).best
    assert name in (best.topology.name, *best.also)  # 4x4x2 is the same, closed
    assert best.missing == best.extra == 0


@pytest.mark.parametrize("radius", [2, 3])
def test_a_hexagon_of_triangles_is_a_part_of_a_grid(radius: int) -> None:
    """Ranks have six neighbours; the corners of the box are left out."""
    reach = range(-radius, radius + 1)
    held = [
        place for place in itertools.product(reach, reach) if abs(sum(place)) <= radius
    ]
    graph = nx.Graph()
    for x, y in held:
        ahead = ((x + 1, y), (x, y + 1), (x + 1, y - 1))
        graph.add_edges_from(((x, y), there) for there in ahead if there in held)
    graph = nx.convert_node_labels_to_integers(graph)
    order = np.random.default_rng(radius).permutation(len(graph))
    best = identify(matrix_of(len(graph), order[np.array(graph.edges)])).best
    side, left = 2 * radius + 1, radius * (radius + 1)
    assert (
        best.topology.name
        == f"2D grid {side}x{side}, 6-point stencil, without {left} places"
    )
    assert best.missing == best.extra == 0
