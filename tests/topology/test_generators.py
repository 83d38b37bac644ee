"""Generators and names against networkx and the table of names."""

import itertools

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matrices import graph_of_edges

from topoview.model import Topology
from topoview.topology import complete, lattice, none, star
from topoview.topology.lattices.lattice import STENCILS


def same_graph(topology: Topology, expected: nx.Graph) -> bool:
    made = graph_of_edges(topology.vertices, topology.edges)
    return nx.utils.graphs_equal(made, expected)


@given(st.lists(st.tuples(st.integers(2, 5), st.booleans()), min_size=1, max_size=3))
def test_plain_lattices_are_networkx_grid_graphs(axes: list[tuple[int, bool]]) -> None:
    dims, periodic = [n for n, _ in axes], [p for _, p in axes]
    # networkx numbers the last dimension fastest, and closes dims of 2 to loops
    grid = nx.grid_graph(dims[::-1], periodic=periodic[::-1])
    strides = np.concatenate([[1], np.cumprod(dims)[:-1]])

    def number(place: int | tuple[int, ...]) -> int:
        steps = (place,) if isinstance(place, int) else place
        return int(np.dot(steps, strides))

    expected = nx.Graph(
        (number(u), number(v)) for u, v in grid.edges if number(u) != number(v)
    )
    assert same_graph(lattice(dims, periodic), expected)


@pytest.mark.parametrize("d", [2, 3, 4])
def test_boxes_are_strong_products(d: int) -> None:
    dims = (3, 4, 2, 3)[:d]
    expected = nx.path_graph(1)
    for n in dims[::-1]:
        expected = nx.strong_product(expected, nx.path_graph(n))
    box = lattice(dims, [False] * d, STENCILS["box"](d))
    made = graph_of_edges(box.vertices, box.edges)
    assert nx.is_isomorphic(made, expected)


def test_triangular_open_grid_is_networkx_lattice_of_triangles() -> None:
    made = lattice((4, 5), (False, False), STENCILS["6-point"](2))
    # each of the 3 x 4 cells of the grid has one diagonal
    assert len(made.edges) == 4 * 4 + 3 * 5 + 3 * 4
    triangles = nx.triangles(graph_of_edges(20, made.edges))
    assert sum(triangles.values()) // 3 == 2 * 3 * 4


def test_nineteen_point_lacks_the_corners_of_27() -> None:
    offsets = set(STENCILS["box"](3)) - set(STENCILS["19-point"](3))
    assert offsets == {(1, a, b) for a, b in itertools.product((1, -1), repeat=2)}


def test_star_and_complete_are_those_of_networkx() -> None:
    assert same_graph(star(7), nx.star_graph(6))
    assert same_graph(complete(6), nx.complete_graph(6))
    assert none().vertices == 0


def test_coordinates_are_row_major_with_x_fastest() -> None:
    made = lattice((3, 2), (True, False))
    assert made.coordinates.tolist()[:4] == [[0, 0], [1, 0], [2, 0], [0, 1]]


@pytest.mark.parametrize(
    ("dims", "periodic", "stencil", "name"),
    [
        ((12,), (0,), "plain", "chain 12"),
        ((24,), (1,), "plain", "ring 24"),
        ((2,), (1,), "plain", "chain 2"),
        ((8, 4), (0, 0), "plain", "2D grid 8x4"),
        ((4, 4, 4), (1, 1, 1), "plain", "3D torus 4x4x4"),
        ((8, 4), (1, 0), "plain", "2D grid 8x4, periodic in x"),
        ((8, 4, 3), (1, 0, 1), "plain", "3D grid 8x4x3, periodic in x and z"),
        (
            (5, 4, 3, 3),
            (1, 0, 1, 1),
            "plain",
            "4D grid 5x4x3x3, periodic in x, z and w",
        ),
        ((2,) * 5, (0,) * 5, "plain", "hypercube 2^5"),
        ((2, 2), (0, 0), "plain", "2D grid 2x2"),
        ((6, 6), (1, 1), "6-point", "2D torus 6x6, 6-point stencil"),
        ((5, 4), (0, 0), "box", "2D grid 5x4, 9-point stencil"),
        ((5, 4, 3), (0, 0, 0), "19-point", "3D grid 5x4x3, 19-point stencil"),
        ((3, 3, 4), (0, 0, 0), "box", "3D grid 3x3x4, 27-point stencil"),
    ],
)
def test_names_are_those_of_the_table(
    dims: tuple[int, ...], periodic: tuple[bool, ...], stencil: str, name: str
) -> None:
    offsets = STENCILS[stencil](len(dims))
    assert lattice(dims, [bool(p) for p in periodic], offsets).name == name


def test_names_of_shapes() -> None:
    assert star(24).name == "star 24"
    assert complete(16).name == "all-to-all 16"
    assert none().name == "no point-to-point messages"
