"""Every kind of the library: generators, and found again under any numbering."""

from collections import Counter

import networkx as nx
import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from matrices import graph_of_edges, matrix_of, pairs_of, renumbered
from test_directions import check_all_pairs
from test_layouts import nearest_distance

from topoview.model import CommunicationMatrix, Match, Topology
from topoview.topology import (
    binomial_tree,
    cg,
    complete,
    complete_tree,
    identify,
    lattice,
    lay_out,
    layout_names,
    star,
)
from topoview.topology.kinds.butterfly import butterfly
from topoview.topology.kinds.cg import transpose
from topoview.topology.kinds.complete import between_groups, planes, rook
from topoview.topology.kinds.composite import copies, product, union
from topoview.topology.kinds.doubling import double_tree, recursive_doubling
from topoview.topology.kinds.folded import FLIPPED, POLES, folded_grid
from topoview.topology.kinds.groups import joined_copies, led_groups, linked_groups
from topoview.topology.kinds.mesh import hexagonal, triangular
from topoview.topology.kinds.networks import networks
from topoview.topology.kinds.sphere import (
    cubed_sphere,
    sphere_of_triangles,
    sphere_of_vertices,
    yin_yang,
)
from topoview.topology.kinds.tree import doubling_tree
from topoview.topology.kinds.twisted import twisted_torus
from topoview.topology.lattices.lattice import STENCILS
from topoview.topology.lattices.partial import partial_lattice
from topoview.topology.library import LIBRARY, library_members

SEARCH = (Phase.explicit, Phase.reuse, Phase.generate)
"""No shrinking: members are easily read as they are."""

RING = lattice((6,), (True,))


def as_graph(topology: Topology) -> nx.Graph:
    return graph_of_edges(topology.vertices, topology.edges)


def holds(matrix: CommunicationMatrix, best: Match) -> None:
    """Assert that a match's edges are those seen, by its own coordinates too."""
    assert {tuple(e) for e in best.rank_edges.tolist()} == pairs_of(matrix)
    assert best.missing == best.extra == 0
    placed = best.vertex[best.vertex >= 0]
    assert len(set(placed.tolist())) == len(placed)
    places = [tuple(p) for p in best.coordinates[best.vertex >= 0].tolist()]
    assert len(set(places)) == len(places)


EXAMPLES = {
    "rows and columns 6x4": rook((6, 4)),
    "rows and columns 5x5": rook((5, 5)),
    "rows and columns 4x3x3": rook((4, 3, 3)),
    "planes 4x3x3": planes((4, 3, 3)),
    "planes 5x4x3": planes((5, 4, 3)),
    "all-to-all between 3 groups of 4": between_groups(3, 4),
    "all-to-all between 5 groups of 8": between_groups(5, 8),
    "star 24, 3 masters": star(24, 3),
    "star 24, 3 joined masters": star(24, 3, joined=True),
    "star 6, 3 masters": star(6, 3),
    "butterfly 4x8": butterfly(3),
    "butterfly 5x16": butterfly(4),
    "wrapped butterfly 4x16": butterfly(4, wrapped=True),
    "geodesic sphere 20": sphere_of_triangles(1),
    "geodesic sphere 80": sphere_of_triangles(2),
    "geodesic sphere 180": sphere_of_triangles(3),
    "geodesic sphere 320": sphere_of_triangles(4),
    "geodesic sphere 12": sphere_of_vertices(1),
    "geodesic sphere 42": sphere_of_vertices(2),
    "geodesic sphere 92": sphere_of_vertices(3),
    "hexagonal mesh 3x2": hexagonal(3, 2),
    "hexagonal mesh 4x3": hexagonal(4, 3),
    "hexagonal mesh 4x3, periodic": hexagonal(4, 3, periodic=True),
    "triangular mesh 4x5": triangular(4, 5),
    "triangular mesh 5x6, periodic": triangular(5, 6, periodic=True),
    "transpose 6x6": transpose(6),
    "16 x ring 24": copies(16, lattice((24,), (True,))),
    "3 x star 5": copies(3, star(5)),
    "10 x chain 2": copies(10, lattice((2,), (False,))),
    "ring 6 x star 4": product(RING, star(4)),
    "star 5 x binary tree 7": product(star(5), complete_tree(7, 2)),
    "2D torus 5x5, 6-point stencil x chain 3": product(
        lattice((5, 5), (True, True), STENCILS["6-point"](2)), lattice((3,), (False,))
    ),
    "2D grid 6x5, 9-point star stencil": lattice(
        (6, 5), (False, False), STENCILS["arms of 2"](2)
    ),
    "2D torus 7x6, 13-point stencil": lattice(
        (7, 6), (True, True), STENCILS["13-point"](2)
    ),
    "3D grid 4x4x3, 15-point stencil": lattice(
        (4, 4, 3), (False,) * 3, STENCILS["15-point"](3)
    ),
    "3D torus 7x6x6, 13-point star stencil": lattice(
        (7, 6, 6), (True,) * 3, STENCILS["arms of 2"](3)
    ),
    "ring 12, 5-point stencil": lattice((12,), (True,), ((1,), (2,))),
    "chain 20, 7-point stencil": lattice((20,), (False,), ((1,), (2,), (3,))),
    "CG 8x8": cg(64),
    "binomial tree 24": binomial_tree(24),
    "ternary tree 40": complete_tree(40, 3),
    "all-to-all 12": complete(12),
    "2D grid 6x5 without 3 places": partial_lattice(
        (6, 5), (False, False), STENCILS["plain"](2), np.arange(30) % 13 > 0
    ),
    "cubed sphere 6x2x2": cubed_sphere(2),
    "2D grid 7x4, periodic in x, folded north": folded_grid(7, 4),
    "4 groups of 4, leaders all-to-all": led_groups([4] * 4, complete(4)),
    "3 groups of up to 4, leaders all-to-all": led_groups([4, 4, 2], complete(3)),
    "5 stars of 4, leaders ring": led_groups(
        [4] * 5, lattice((5,), (True,)), starred=True
    ),
    "5 groups of 4, linked pairwise": linked_groups(4, 5),
    "cubed sphere 6x3x1": cubed_sphere(3, 1),
    "2D grid 5x3, diagonals only": lattice(
        (5, 3), (False, False), STENCILS["diagonals only"](2)
    ),
    "3D grid 4x3x2, diagonals only": lattice(
        (4, 3, 2), (False,) * 3, STENCILS["diagonals only"](3)
    ),
    "2D grid 5x4 + ring 7": union(
        [lattice((5, 4), (False, False)), lattice((7,), (True,))]
    ),
    "binomial tree 24, by doubling": doubling_tree(24),
    "2D grid 8x5, periodic in x, joined across the poles": folded_grid(
        8, 5, "downward", POLES
    ),
    "2D grid 5x8, joined with a flip in y": folded_grid(
        5, 8, "downward", FLIPPED, periodic=False
    ),
    "2D torus 8x6, twisted by 3": twisted_torus((8, 6), ((), (3,))),
    "Yin-Yang grid 2x8x3": yin_yang(8, 3),
    "2D pyramid of 3 levels": next(networks(21)).make(),
    "double binary tree 24": double_tree(24),
    "recursive doubling 24": recursive_doubling(24),
    "a master and 4 x 2D grid 4x3": joined_copies(
        lattice((4, 3), (False, False)), star(5), master=True
    ),
    "a master and 4 x chain 5": joined_copies(
        lattice((5,), (False,)), star(5), master=True
    ),
}


@pytest.mark.parametrize("name", EXAMPLES)
@pytest.mark.parametrize("seed", [None, 1, pytest.param(2, marks=pytest.mark.slow)])
def test_each_is_found_under_any_numbering(name: str, seed: int | None) -> None:
    truth = EXAMPLES[name]
    assert truth.name == name
    n = truth.vertices
    matrix = matrix_of(n, truth.edges) if seed is None else renumbered(truth, seed)
    best = identify(matrix).best
    holds(matrix, best)
    assert best.topology.kind == truth.kind
    # dims of equal extent or of other order are the same graph
    assert sorted(best.topology.name) == sorted(name)
    if seed is None:
        assert best.vertex.tolist() == list(range(n))
        assert best.topology.name == name


@pytest.mark.parametrize("name", EXAMPLES)
def test_directions_and_layouts_of_each(name: str) -> None:
    truth = EXAMPLES[name]
    matrix = renumbered(truth, 3)
    best = identify(matrix).best
    if truth.vertices <= 36:
        check_all_pairs(best)
    for layout in layout_names(best):
        made = lay_out(best, matrix, layout)
        assert np.isfinite(made.positions).all()
        assert nearest_distance(made.positions) > 0.1


def _flat(place: tuple) -> tuple[int, ...]:
    """Coordinates z, y, x of a vertex of a product of three."""
    z, (y, x) = place
    return z, y, x


def test_generators_are_those_of_networkx() -> None:
    pairs = [
        (rook((6, 4)), nx.line_graph(nx.complete_bipartite_graph(6, 4))),
        (sphere_of_triangles(1), nx.dodecahedral_graph()),
        (sphere_of_vertices(1), nx.icosahedral_graph()),
        (star(9, 3), nx.complete_multipartite_graph(3, 6)),
        (between_groups(3, 4), nx.complete_multipartite_graph(4, 4, 4)),
        (hexagonal(4, 3), nx.hexagonal_lattice_graph(3, 4)),
        (hexagonal(4, 3, True), nx.hexagonal_lattice_graph(3, 4, periodic=True)),
        (triangular(4, 5), nx.triangular_lattice_graph(4, 6)),
        (triangular(3, 4, True), nx.triangular_lattice_graph(4, 6, periodic=True)),
        (product(RING, star(4)), nx.cartesian_product(nx.cycle_graph(6),
                                                      nx.star_graph(3))),
        (rook((4, 3, 3)), nx.cartesian_product(nx.complete_graph(4),
                          nx.cartesian_product(nx.complete_graph(3),
                                               nx.complete_graph(3)))),
        (copies(3, RING), nx.disjoint_union_all([nx.cycle_graph(6)] * 3)),
    ]  # fmt: skip
    dims = (4, 3, 3)
    apart = nx.complete_graph(4)
    for n in dims[1:]:
        apart = nx.tensor_product(nx.complete_graph(n), apart)
    order = {place: i for i, place in enumerate(sorted(apart, key=_flat))}
    in_order = nx.relabel_nodes(nx.complement(apart), order)
    assert nx.utils.graphs_equal(as_graph(planes(dims)), in_order)
    for made, expected in pairs:
        assert nx.vf2pp_is_isomorphic(as_graph(made), expected), made.name


def test_spheres_are_closed_surfaces_of_triangles() -> None:
    for f in (2, 3, 5):
        corners = as_graph(sphere_of_vertices(f))
        assert Counter(d for _, d in corners.degree) == {5: 12, 6: 10 * f * f - 10}
        assert sum(nx.triangles(corners).values()) // 3 == 20 * f * f
        faces = as_graph(sphere_of_triangles(f))
        assert nx.is_planar(faces)
        assert set(dict(faces.degree).values()) == {3}
        # Euler: faces of the mesh of triangles are the vertices of the other one
        assert len(faces.edges) - len(faces) + 2 == len(corners)


def test_butterfly_is_the_network_of_the_fft() -> None:
    made = butterfly(3)
    paths = nx.DiGraph()
    level, row = made.coordinates.T
    for u, v in made.edges.tolist():
        paths.add_edge(*sorted((u, v), key=lambda w: level[w]))
    first, last = np.flatnonzero(level == 0), np.flatnonzero(level == 3)
    for u in first.tolist():  # one path from each input to each output
        for v in last.tolist():
            assert len(list(nx.all_simple_paths(paths, u, v))) == 1
    assert sorted(row[first].tolist()) == list(range(8))


@pytest.mark.parametrize("n", [8, 12, 16, 20, 24, 27, 32, 36])
def test_members_are_what_they_say(n: int) -> None:
    names = set()
    for member in library_members(n):
        assert member.name not in names
        names.add(member.name)
        made = member.make()
        assert (made.kind, made.name, made.vertices) == (member.kind, member.name, n)
        assert len(made.edges) == member.edges
        graph = as_graph(made)
        assert Counter(d for _, d in graph.degree) == member.degrees
        for other in member.variants() if member.variants else ():
            assert len(other.edges) == member.edges


@settings(max_examples=60)
@given(st.integers(4, 64), st.data())
def test_any_member_is_found_by_its_edges(n: int, data: st.DataObject) -> None:
    member = data.draw(st.sampled_from(list(library_members(n))))
    matrix = renumbered(member.make(), data.draw(st.integers(0, 10**6)))
    best = identify(matrix).best
    holds(matrix, best)
    assert best.topology.kind not in ("unknown", "none")


@settings(max_examples=30, phases=SEARCH)
@given(st.data())
def test_any_product_and_any_copies_are_found(data: st.DataObject) -> None:
    def draw(most: int) -> Topology:
        n = data.draw(st.integers(3, most))
        # a square with one chord is too little to be told as a stencil
        members = [m for m in library_members(n) if (n, m.edges) != (4, 5)]
        return data.draw(st.sampled_from(members)).make()

    made = [product(draw(9), draw(7)), copies(data.draw(st.integers(2, 5)), draw(12))]
    for truth in made:
        matrix = renumbered(truth, data.draw(st.integers(0, 10**6)))
        best = identify(matrix).best
        holds(matrix, best)
        assert best.topology.kind != "unknown"


def test_trees_from_another_root_keep_their_order() -> None:
    for made in (binomial_tree(32), complete_tree(31, 2)):
        n = made.vertices
        turned = matrix_of(n, (made.edges + 5) % n)
        best = identify(turned).best
        assert best.topology.name == made.name
        assert best.vertex.tolist() == [(rank - 5) % n for rank in range(n)]


def test_two_masters_with_workers_each_are_no_tree() -> None:
    edges = [(0, 1), *((worker % 2, worker) for worker in range(2, 16))]
    order = np.random.default_rng(1).permutation(16)
    best = identify(matrix_of(16, order[np.array(edges)])).best
    assert best.topology.name == "2 stars of 8, leaders all-to-all"
    assert best.missing == best.extra == 0


def test_halves_that_exchange_are_masters_and_workers() -> None:
    """On 2x2x2 places these are also the steps along one axis or all three."""
    edges = [(master, worker) for master in range(4) for worker in range(4, 8)]
    order = np.random.default_rng(1).permutation(8)
    best = identify(matrix_of(8, order[np.array(edges)])).best
    assert best.topology.name == "star 8, 4 masters"
    assert best.missing == best.extra == 0


def test_copies_of_three_are_chains() -> None:
    edges = np.array(
        [(3 * k + a, 3 * k + b) for k in range(8) for a, b in ((0, 1), (1, 2))]
    )
    for seed in range(4):
        order = np.random.default_rng(seed).permutation(24)
        best = identify(matrix_of(24, order[edges])).best
        assert best.topology.name == "8 x chain 3"


def test_every_kind_has_an_example() -> None:
    made = {truth.kind for truth in EXAMPLES.values()}
    assert set(LIBRARY) - made == {"none", "plan", "unknown", "user"}
