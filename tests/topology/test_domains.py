"""Spheres, seams, twists, groups, collective operations: against their definition."""

import itertools
import math
import tracemalloc

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matrices import graph_of_edges, matrix_of, pairs_of, renumbered
from test_directions import check_all_pairs
from test_layouts import nearest_distance
from traces import slow_tests_run

from topoview.model import Match, Topology
from topoview.topology import (
    complete,
    directions,
    identify,
    lattice,
    lay_out,
    layout_names,
    star,
)
from topoview.topology.graph.graph import graph_of
from topoview.topology.kinds.doubling import double_tree, recursive_doubling
from topoview.topology.kinds.folded import FLIPPED, POLES, folded_grid
from topoview.topology.kinds.groups import joined_copies, led_groups, linked_groups
from topoview.topology.kinds.networks import networks
from topoview.topology.kinds.sphere import cubed_sphere, yin_yang
from topoview.topology.kinds.tree import doubling_tree
from topoview.topology.kinds.twisted import twisted_torus
from topoview.topology.library import exact


def as_graph(topology: Topology) -> nx.Graph:
    return graph_of_edges(topology.vertices, topology.edges)


def cube_surface(f: int) -> nx.Graph:
    """Squares on the surface of a cube of f x f x f: neighbours share two corners."""
    squares = set()
    for corner in itertools.product(range(f), repeat=3):
        for axis, side in itertools.product(range(3), (0, 1)):
            if corner[axis] == side * (f - 1):
                ends = [(0, 1)] * 3
                ends[axis] = (side,)
                points = itertools.product(*ends)
                moved = (tuple(np.add(corner, p).tolist()) for p in points)
                squares.add(frozenset(moved))
    graph = nx.Graph()
    graph.add_nodes_from(squares)
    for a, b in itertools.combinations(squares, 2):
        if len(a & b) == 2:
            graph.add_edge(a, b)
    return graph


def tripolar(width: int, height: int) -> nx.Graph:
    """Rows from the south, the last one joined to itself the other way round."""
    graph = nx.Graph()
    for x, y in itertools.product(range(width), range(height)):
        graph.add_edge((x, y), ((x + 1) % width, y))
        if y + 1 < height:
            graph.add_edge((x, y), (x, y + 1))
    for x in range(width):
        if x != width - 1 - x:
            graph.add_edge((x, height - 1), (width - 1 - x, height - 1))
    return graph


def doubling(n: int) -> nx.Graph:
    """Who sends to whom if all that were reached send on, twice as far each round."""
    graph, reached, step = nx.empty_graph(n), 1, 1
    while reached < n:
        for rank in range(min(step, n - reached)):
            graph.add_edge(rank, rank + step)
        reached, step = reached + min(step, n - reached), 2 * step
    return graph


def nodes(count: int, size: int, leaders: nx.Graph) -> nx.Graph:
    """All-to-all in each node, and the first ranks of nodes as they are joined."""
    graph = nx.disjoint_union_all([nx.complete_graph(size)] * count)
    graph.add_edges_from((size * a, size * b) for a, b in leaders.edges)
    return graph


def seamed(width: int, height: int, periodic: bool, seams: list[tuple]) -> nx.Graph:
    """Grid of longitudes and latitudes whose sides are joined by further edges."""
    graph = nx.grid_2d_graph(width, height, periodic=(periodic, False))
    graph.add_edges_from(seams)
    return graph


def across_poles(width: int, height: int) -> nx.Graph:
    """Join each place of the first and last row to the one half way round."""
    around = [(x, (x + width // 2) % width) for x in range(width)]
    ends = (0, height - 1)
    return seamed(
        width, height, True, [((a, y), (b, y)) for a, b in around for y in ends]
    )


def flipped(width: int, height: int, periodic: bool) -> nx.Graph:
    """Strip whose last row is glued to the first one, turned over."""
    last = height - 1
    glued = [((x, last), (width - 1 - x, 0)) for x in range(width)]
    return seamed(width, height, periodic, glued)


def twisted(*sides: int, by: dict[tuple[int, int], int]) -> nx.Graph:
    """Torus of which axis a comes back by[a, b] places further along axis b."""
    graph = nx.Graph()
    for place in itertools.product(*map(range, sides)):
        for axis, side in enumerate(sides):
            there = list(place)
            there[axis] += 1
            if there[axis] == side:
                there[axis] = 0
                for (a, b), shift in by.items():
                    there[b] += shift * (a == axis)
            graph.add_edge(
                place, tuple(t % s for t, s in zip(there, sides, strict=True))
            )
    return graph


def nccl_parent(rank: int, ranks: int) -> int | None:
    """Parent in `ncclGetBtree` of NCCL's src/graph/trees.cc, statement by statement."""
    bit = 1
    while bit < ranks and not bit & rank:
        bit <<= 1
    if rank == 0:
        return None
    up = (rank ^ bit) | (bit << 1)
    return up if up < ranks else rank ^ bit


def nccl_trees(ranks: int) -> nx.Graph:
    """Both trees of `ncclGetDtree`: the second one is shifted or mirrored."""
    graph = nx.empty_graph(ranks)
    for rank in range(ranks):
        parent = nccl_parent(rank, ranks)
        if parent is None:
            continue
        graph.add_edge(rank, parent)
        if ranks % 2:
            graph.add_edge((rank + 1) % ranks, (parent + 1) % ranks)
        else:
            graph.add_edge(ranks - 1 - rank, ranks - 1 - parent)
    return graph


def allreduce(ranks: int) -> nx.Graph:
    """Who exchanges with whom in MPICH's recursive doubling, rank by rank."""
    graph, power = nx.empty_graph(ranks), 1
    while 2 * power <= ranks:
        power *= 2
    rest = ranks - power
    for rank in range(ranks):
        if rank < 2 * rest:
            graph.add_edge(rank, rank ^ 1)
            if rank % 2 == 0:
                continue
            number = rank // 2
        else:
            number = rank - rest
        mask = 1
        while mask < power:
            other = number ^ mask
            graph.add_edge(rank, 2 * other + 1 if other < rest else other + rest)
            mask *= 2
    return graph


def joined(count: int, copy: nx.Graph, leaders: nx.Graph, masters: int = 0) -> nx.Graph:
    """Put copies of a graph after masters; join these and the first of each copy."""
    size = len(copy)
    copy = nx.convert_node_labels_to_integers(copy, ordering="sorted")
    graph = nx.disjoint_union_all([nx.empty_graph(masters), *[copy] * count])
    first = [*range(masters), *(masters + size * i for i in range(count))]
    graph.add_edges_from((first[a], first[b]) for a, b in leaders.edges)
    return graph


def panels(columns: int, rows: int, points: int = 24) -> nx.Graph:
    """Join cells of two latitude-longitude grids by the points on their rims."""
    graph = nx.Graph()
    for panel in (0, 1):
        for i, j in itertools.product(range(columns), range(rows)):
            graph.add_node((panel, i, j))
            if i:
                graph.add_edge((panel, i - 1, j), (panel, i, j))
            if j:
                graph.add_edge((panel, i, j - 1), (panel, i, j))
    wide, high = columns * points, rows * points  # midpoints of a fine grid's sides
    around = [
        *(((i + 0.5) / wide, y) for i in range(wide) for y in (0.0, 1.0)),
        *((x, (j + 0.5) / high) for j in range(high) for x in (0.0, 1.0)),
    ]
    for x, y in around:
        phi, theta = math.radians(270 * x - 135), math.radians(45 + 90 * y)
        east = math.sin(theta) * math.cos(phi)
        north = math.sin(theta) * math.sin(phi)
        up = math.cos(theta)
        beyond = math.degrees(math.atan2(up, -east)), math.degrees(math.acos(north))
        there = (beyond[0] + 135) / 270, (beyond[1] - 45) / 90
        cells = [
            (min(max(int(u * columns), 0), columns - 1),
             min(max(int(v * rows), 0), rows - 1))
            for u, v in ((x, y), there)
        ]  # fmt: skip
        for panel in (0, 1):
            graph.add_edge((panel, *cells[0]), (1 - panel, *cells[1]))
    return graph


def word_graph(letters: int, length: int, *, repeated: bool) -> nx.Graph:
    """Join each word with those that it ends with the beginning of."""
    words = [
        word
        for word in itertools.product(range(letters), repeat=length)
        if repeated or all(a != b for a, b in itertools.pairwise(word))
    ]
    graph = nx.Graph()
    graph.add_edges_from(
        (one, other) for one in words for other in words
        if one[1:] == other[:-1] and one != other
    )  # fmt: skip
    return graph


def orders(letters: str, *, reverse: bool) -> nx.Graph:
    """Join orders of letters: by reversing a beginning, or by moving two of them."""
    graph = nx.Graph()
    for word in map("".join, itertools.permutations(letters)):
        for k in range(2, len(letters) + 1):
            begin = word[:k]
            moved = begin[::-1] if reverse else begin[-1] + begin[1:-1] + begin[0]
            graph.add_edge(word, moved + word[k:])
    return graph


def cycles_on_a_cube(bits: int) -> nx.Graph:
    """Put a cycle on each corner of a hypercube."""
    graph = nx.Graph()
    for corner, k in itertools.product(range(2**bits), range(bits)):
        graph.add_edge((corner, k), (corner, (k + 1) % bits))
        graph.add_edge((corner, k), (corner ^ 2**k, k))
    return graph


def shuffled(bits: int) -> nx.Graph:
    """Join words of bits that are turned, or differ in the last bit."""
    graph = nx.Graph()
    for word in map("".join, itertools.product("01", repeat=bits)):
        graph.add_edge(word, word[:-1] + "10"[int(word[-1])])
        if word != word[1:] + word[0]:
            graph.add_edge(word, word[1:] + word[0])
    return graph


def levels_of_cells(levels: int, axes: int) -> nx.Graph:
    """Put grids upon each other, each cell above those that it is cut into."""
    graph = nx.Graph()
    for level in range(levels):
        grid = nx.grid_graph([2**level] * axes)
        graph.add_edges_from(((level, a), (level, b)) for a, b in grid.edges)
        graph.add_edges_from(
            ((level, a), (level - 1, tuple(x // 2 for x in a)))
            for a in grid.nodes
            if level
        )
    return graph


def network(name: str, ranks: int) -> Topology:
    return next(made for one in networks(ranks) if (made := one.make()).name == name)


NETWORKS = {
    "de Bruijn 2^4": word_graph(2, 4, repeated=True),
    "de Bruijn 3^3": word_graph(3, 3, repeated=True),
    "de Bruijn 5^2": word_graph(5, 2, repeated=True),
    "Kautz 3x2^2": word_graph(3, 3, repeated=False),
    "Kautz 5x4^1": word_graph(5, 2, repeated=False),
    "shuffle-exchange 2^5": shuffled(5),
    "cube-connected cycles 3x8": cycles_on_a_cube(3),
    "cube-connected cycles 4x16": cycles_on_a_cube(4),
    "star graph 4!": orders("abcd", reverse=False),
    "pancake graph 5!": orders("abcde", reverse=True),
    "2D pyramid of 4 levels": levels_of_cells(4, 2),
    "3D pyramid of 3 levels": levels_of_cells(3, 3),
}

TRUTHS = {
    **{name: (network(name, len(graph)), graph) for name, graph in NETWORKS.items()},
    **{
        f"Yin-Yang grid 2x{w}x{h}": (yin_yang(w, h), panels(w, h))
        for w, h in ((8, 2), (3, 3), (8, 3), (12, 4))
    },
    **{
        f"2D grid {w}x{h}, periodic in x, joined across the poles": (
            folded_grid(w, h, "downward", POLES),
            across_poles(w, h),
        )
        for w, h in ((12, 6), (6, 5), (16, 10))
    },
    **{
        f"2D grid {w}x{h}, joined with a flip in y": (
            folded_grid(w, h, "downward", FLIPPED, periodic=False),
            flipped(w, h, periodic=False),
        )
        for w, h in ((4, 10), (8, 8), (20, 25))
    },
    "2D grid 8x5, periodic in x, joined with a flip in y": (
        folded_grid(8, 5, "downward", FLIPPED),
        flipped(8, 5, periodic=True),
    ),
    "2D torus 8x6, twisted by 3": (
        twisted_torus((8, 6), ((), (3,))),
        twisted(8, 6, by={(1, 0): 3}),
    ),
    "2D torus 32x16, twisted by 16": (
        twisted_torus((32, 16), ((), (16,))),
        twisted(32, 16, by={(1, 0): 16}),
    ),
    "3D torus 8x4x4, twisted by 4 in x across y": (
        twisted_torus((8, 4, 4), ((), (4,), (0, 0))),
        twisted(8, 4, 4, by={(1, 0): 4}),
    ),
    **{
        f"double binary tree {n}": (double_tree(n), nccl_trees(n))
        for n in (8, 15, 24, 33, 200)
    },
    **{
        f"recursive doubling {n}": (recursive_doubling(n), allreduce(n))
        for n in (12, 24, 48, 100)
    },
    "a master and 4 x 2D grid 3x3": (
        joined_copies(lattice((3, 3), (False, False)), star(5), master=True),
        joined(4, nx.grid_2d_graph(3, 3), nx.star_graph(4), masters=1),
    ),
    "a master and 5 x chain 4": (
        joined_copies(lattice((4,), (False,)), star(6), master=True),
        joined(5, nx.path_graph(4), nx.star_graph(5), masters=1),
    ),
    "6 x ring 6, leaders ring": (
        joined_copies(lattice((6,), (True,)), lattice((6,), (True,))),
        joined(6, nx.cycle_graph(6), nx.cycle_graph(6)),
    ),
    "4 x 2D torus 5x5, leaders all-to-all": (
        joined_copies(lattice((5, 5), (True, True)), complete(4)),
        joined(4, nx.grid_2d_graph(5, 5, periodic=True), nx.complete_graph(4)),
    ),
    **{
        f"cubed sphere 6x{f}x{f}": (cubed_sphere(f), cube_surface(f)) for f in (2, 3, 5)
    },
    **{
        f"2D grid {w}x{h}, periodic in x, folded north": (
            folded_grid(w, h),
            tripolar(w, h),
        )
        for w, h in ((16, 8), (7, 4), (5, 2), (12, 3))
    },
    **{
        f"binomial tree {n}, by doubling": (doubling_tree(n), doubling(n))
        for n in (6, 11, 24, 100)
    },
    "4 groups of 4, leaders all-to-all": (
        led_groups([4] * 4, complete(4)),
        nodes(4, 4, nx.complete_graph(4)),
    ),
    "6 groups of 5, leaders ring": (
        led_groups([5] * 6, lattice((6,), (True,))),
        nodes(6, 5, nx.cycle_graph(6)),
    ),
    "12 groups of 3, leaders 2D grid 4x3": (
        led_groups([3] * 12, lattice((4, 3), (False, False))),
        nodes(12, 3, nx.convert_node_labels_to_integers(nx.grid_2d_graph(3, 4))),
    ),
}


@pytest.mark.parametrize("name", TRUTHS)
def test_each_is_what_it_is_said_to_be(name: str) -> None:
    made, truth = TRUTHS[name]
    assert made.name == name
    assert nx.vf2pp_is_isomorphic(
        as_graph(made), nx.convert_node_labels_to_integers(truth)
    )


@pytest.mark.parametrize(("columns", "rows"), [(3, 2), (2, 3), (4, 1), (6, 4), (7, 5)])
def test_cells_of_a_sphere_are_blocks_of_squares(columns: int, rows: int) -> None:
    """Cells touch if squares of theirs do, on a sphere that is fine enough for both."""
    f = math.lcm(columns, rows)
    squares, cells = cubed_sphere(f), cubed_sphere(columns, rows)
    face, column, row = squares.coordinates.T
    block = zip(face, column * columns // f, row * rows // f, strict=True)
    number = {tuple(place): i for i, place in enumerate(cells.coordinates.tolist())}
    cell = np.array([number[place] for place in block])
    touching = {tuple(sorted(pair)) for pair in cell[squares.edges].tolist()}
    apart = {(a, b) for a, b in touching if a != b}
    assert {tuple(pair) for pair in cells.edges.tolist()} == apart


def test_a_sphere_takes_memory_for_its_cells_only() -> None:
    made = cubed_sphere.__wrapped__
    tracemalloc.start()
    try:
        n = made(33, 32).vertices
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 1000 * n


@pytest.mark.parametrize("name", TRUTHS)
@pytest.mark.parametrize("seed", [None, 1, pytest.param(2, marks=pytest.mark.slow)])
def test_each_is_found_under_any_numbering(name: str, seed: int | None) -> None:
    made, _ = TRUTHS[name]
    n = made.vertices
    matrix = matrix_of(n, made.edges) if seed is None else renumbered(made, seed)
    best = identify(matrix).best
    assert sorted(best.topology.name) == sorted(name)
    assert best.missing == best.extra == 0
    assert {tuple(e) for e in best.rank_edges.tolist()} == pairs_of(matrix)
    if seed is None:
        assert best.vertex.tolist() == list(range(n))
    if n <= 36:
        check_all_pairs(best)
    # of another numbering they are the same places for other ranks
    for layout in layout_names(best) if seed is None else ():
        placed = lay_out(best, matrix, layout)
        assert np.isfinite(placed.positions).all()
        assert nearest_distance(placed.positions) > 0.1


@settings(max_examples=30, deadline=None)
@given(st.data())
def test_any_size_is_found(data: st.DataObject) -> None:
    made = data.draw(
        st.sampled_from(
            [
                lambda: cubed_sphere(data.draw(st.integers(2, 9))),
                lambda: cubed_sphere(2 * (rows := data.draw(st.integers(1, 5))), rows),
                lambda: folded_grid(
                    data.draw(st.integers(5, 20)), data.draw(st.integers(2, 12))
                ),
                lambda: doubling_tree(data.draw(st.integers(6, 200))),
                lambda: led_groups(
                    [data.draw(st.integers(3, 9))]
                    * (count := data.draw(st.integers(2, 9))),
                    complete(count),
                ),
                lambda: led_groups(
                    [data.draw(st.integers(3, 9))]
                    * (count := data.draw(st.integers(4, 9))),
                    lattice((count,), (True,)),
                ),
            ]
        )
    )()
    matrix = renumbered(made, data.draw(st.integers(0, 10**6)))
    best = identify(matrix).best
    assert made.name in (best.topology.name, *best.also)
    assert best.missing == best.extra == 0
    assert {tuple(e) for e in best.rank_edges.tolist()} == pairs_of(matrix)


@settings(max_examples=20, deadline=None)
@given(st.integers(3, 7), st.integers(3, 9), st.integers(0, 10**6))
def test_groups_that_are_linked_in_pairs(size: int, count: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    free = [rng.permutation(size).tolist() for _ in range(count)]
    links = []
    for one, other in itertools.combinations(range(count), 2):
        ends = []
        for group in (one, other):
            free[group] = free[group] or rng.permutation(size).tolist()
            ends.append(size * group + free[group].pop())
        links.append(ends)
    made = linked_groups(size, count, np.array(links))
    best = identify(renumbered(made, seed)).best
    assert best.missing == best.extra == 0
    if count <= size:  # beyond, a member has links to groups that are linked, too
        assert best.topology.name == f"{count} groups of {size}, linked pairwise"
    if best.topology.kind == "groups" and made.vertices <= 36:
        check_all_pairs(best)


@pytest.mark.parametrize("name", ["leaders", "linked"])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_groups_with_a_lost_edge_and_one_too_many(name: str, seed: int) -> None:
    """The nodes are found by what their members have in common."""
    made = (
        led_groups([5] * 6, complete(6)) if name == "leaders" else linked_groups(5, 6)
    )
    rng = np.random.default_rng(seed)
    order = rng.permutation(made.vertices)
    edges = order[np.delete(made.edges, rng.integers(len(made.edges)), axis=0)]
    stray = order[[1, 17]]  # members of two groups
    best = identify(matrix_of(made.vertices, [*edges.tolist(), stray.tolist()])).best
    assert best.topology.name == made.name
    assert (best.missing, best.extra) == (1, 1)


def test_components_with_a_lost_edge() -> None:
    grid, torus = lattice((6, 6), (False, False)), lattice((5, 4), (True, True))
    edges = np.concatenate([np.delete(grid.edges, 20, axis=0), torus.edges + 36])
    best = identify(matrix_of(56, np.random.default_rng(3).permutation(56)[edges])).best
    assert best.topology.name == "2D grid 6x6 + 2D torus 5x4"
    assert (best.missing, best.extra) == (1, 0)


def words(match: Match, rank: int) -> dict[str, int]:
    """Partners of a rank by their direction."""
    n = len(match.vertex)
    partners = np.array([p for p in range(n) if p != rank], np.int32)
    ranks = np.full(len(partners), rank, np.int32)
    index, names = directions(match).names(ranks, partners)
    return {names[i]: p for i, p in zip(index.tolist(), partners.tolist(), strict=True)}


def test_directions_are_those_of_the_map() -> None:
    fold = identify(matrix_of(128, folded_grid(16, 8).edges)).best
    assert words(fold, 115)["SOUTH"] == 99
    assert words(fold, 115)["NORTH"] == 112 + 15 - 3
    assert words(fold, 124)["NORTH"] == 115
    assert words(fold, 0)["EAST"] == 1
    sphere = identify(matrix_of(96, cubed_sphere(4).edges)).best
    assert words(sphere, 3)["EAST"] == 16  # the next face
    assert words(sphere, 15)["NORTH"] == 32  # the next but one, turned
    leaders = led_groups([4] * 6, lattice((6,), (True,)))
    groups = identify(matrix_of(24, leaders.edges)).best
    assert words(groups, 5)["LEADER"] == 4
    assert words(groups, 4)["MEMBER 1"] == 5
    assert words(groups, 4)["LEADER EAST"] == 8
    linked = identify(matrix_of(20, linked_groups(4, 5).edges)).best
    assert words(linked, 0)["GROUP +1"] // 4 == 1


@pytest.mark.parametrize("name", NETWORKS)
def test_random_graphs_of_the_same_degrees_are_no_network(name: str) -> None:
    edges = network(name, len(NETWORKS[name])).edges.tolist()
    for seed in range(3 if slow_tests_run() else 1):
        drawn = nx.Graph(edges)
        nx.double_edge_swap(drawn, 10 * len(edges), 10**5, seed=seed)
        graph = graph_of(
            len(drawn), np.array(sorted(map(sorted, drawn.edges)), np.int32)
        )
        assert not any(one.topology.kind == "network" for one in exact(graph))
