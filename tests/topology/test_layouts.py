"""Layouts: finite, distinct, near 1 apart, and on the surfaces they claim."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matrices import matrix_of
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from topoview.model import (
    CommunicationMatrix,
    Layout,
    Match,
    Topology,
    nearest_distances,
)
from topoview.model.layout import FEW_POINTS
from topoview.topology import complete, identify, lattice, lay_out, layout_names, star
from topoview.topology.layout import LAYOUTS
from topoview.topology.layout.planes import sheet_of

CASES = {
    "line": lattice((12,), (False,)),
    "snake": lattice((100,), (False,)),
    "circle": lattice((24,), (True,)),
    "flat": lattice((8, 4), (False, False)),
    "tube": lattice((8, 4), (True, False)),
    "torus": lattice((9, 5), (True, True)),
    "grid": lattice((3, 4, 5), (True, False, True)),
    "planes": lattice((8, 9, 7), (False, True, False)),
    "star": star(24),
    "sphere": complete(200),
}


def laid_out(
    topology: Topology, name: str = ""
) -> tuple[Match, CommunicationMatrix, Layout]:
    matrix = matrix_of(topology.vertices, topology.edges)
    match = identify(matrix).best
    return match, matrix, lay_out(match, matrix, name)


@pytest.mark.parametrize("count", [2, 3, FEW_POINTS, FEW_POINTS + 1])
def test_nearest_distances_are_those_of_a_tree(count: int) -> None:
    points = np.random.default_rng(count).normal(size=(count, 3))
    expected = np.asarray(cKDTree(points).query(points, k=2)[0])[:, 1]
    np.testing.assert_allclose(nearest_distances(points), expected, rtol=1e-12)
    np.testing.assert_array_equal(nearest_distances(points[:1]), [1.0])


@pytest.mark.parametrize("name", CASES)
def test_natural_layout_of_each_kind(name: str) -> None:
    match, _, layout = laid_out(CASES[name])
    assert layout.name == layout_names(match)[0] == name


@pytest.mark.parametrize(
    "topology",
    [*CASES.values(), lattice((2,) * 6, (False,) * 6), lattice((3,) * 5, (True,) * 5),
     lattice((2,), (False,)), lattice((8, 2), (True, True)), complete(5), star(700)],
    ids=lambda topology: topology.name,
)  # fmt: skip
def test_every_layout_offered_is_finite_and_distinct(topology: Topology) -> None:
    match, matrix, _ = laid_out(topology)
    for name in layout_names(match):
        assert LAYOUTS[name].own
        layout = lay_out(match, matrix, name)
        assert layout.positions.dtype == np.float32
        assert layout.positions.shape == (topology.vertices, 3)
        assert np.isfinite(layout.positions).all()
        assert nearest_distance(layout.positions) > 0.2
        if len(layout.normals):
            assert np.allclose(np.linalg.norm(layout.normals, axis=1), 1, atol=1e-5)


def nearest_distance(places: NDArray[np.float32]) -> float:
    distance, _ = cKDTree(places).query(places, k=2)
    return float(distance[:, 1].min())


def edge_lengths(match: Match, layout: Layout) -> NDArray[np.float32]:
    ends = match.rank_edges
    steps = layout.positions[ends[:, 0]] - layout.positions[ends[:, 1]]
    return np.linalg.norm(steps, axis=1)


@pytest.mark.parametrize("name", ["line", "snake", "circle", "flat", "tube"])
def test_neighbours_are_one_apart(name: str) -> None:
    match, _, layout = laid_out(CASES[name])
    assert np.allclose(edge_lengths(match, layout), 1, atol=1e-4)


def test_torus_neighbours_are_about_one_apart() -> None:
    for dims in ((8, 4), (32, 32), (48, 32), (64, 3)):
        match, _, layout = laid_out(lattice(dims, (True, True)))
        lengths = edge_lengths(match, layout)
        assert lengths.min() > 0.3
        assert 0.6 < np.median(lengths) < 1.6
        assert nearest_distance(layout.positions) > 0.2


def test_normals_point_away_from_the_tube() -> None:
    _, _, layout = laid_out(CASES["tube"])
    across = layout.positions.copy()
    across[:, 0] = 0
    assert (np.sum(across * layout.normals, axis=1) > 0).all()


def test_y_runs_down_the_page() -> None:
    _, _, layout = laid_out(CASES["flat"])
    assert layout.positions[8, 1] < layout.positions[0, 1]
    assert layout.positions[1, 0] > layout.positions[0, 0]


def test_unknown_graph_is_laid_out_in_space() -> None:
    graph = nx.random_regular_graph(3, 60, seed=1)
    matrix = matrix_of(70, list(graph.edges))
    match = identify(matrix).best
    layout = lay_out(match, matrix)
    assert layout.name == "spectral"
    assert np.isfinite(layout.positions).all()
    assert nearest_distance(layout.positions) > 0.1


def test_leaves_of_an_unknown_tree_do_not_coincide() -> None:
    graph = nx.full_rary_tree(9, 60)
    graph.add_edge(3, 50)
    matrix = matrix_of(60, list(graph.edges))
    layout = lay_out(identify(matrix).best, matrix)
    assert nearest_distance(layout.positions) > 0.1


def test_silent_ranks_stand_aside() -> None:
    matrix = matrix_of(20, lattice((4, 3), (False, False)).edges)
    match = identify(matrix).best
    for name in layout_names(match):
        layout = lay_out(match, matrix, name)
        assert len(np.unique(layout.positions, axis=0)) == 20


def test_nothing_at_all() -> None:
    for ranks in (1, 6):
        matrix = matrix_of(ranks, [])
        layout = lay_out(identify(matrix).best, matrix)
        assert layout.name == "ranks"
        assert layout.positions.shape == (ranks, 3)


def test_a_name_that_does_not_serve_gives_the_natural_layout() -> None:
    assert laid_out(CASES["flat"], "tetrahedron")[2].name == "flat"


@pytest.mark.parametrize("dims", [(8, 9, 7), (4, 4, 40), (12, 10, 10)])
def test_planes_stand_in_rows_and_none_covers_another(
    dims: tuple[int, int, int],
) -> None:
    match, _, layout = laid_out(lattice(dims, (False,) * 3), "planes")
    x, y, z = match.coordinates.T
    places = layout.positions.astype(np.float64)
    assert not places[:, 2].any(), "seen from above"
    boxes = []
    for plane in range(dims[2]):
        here = places[z == plane, :2]
        low, high = here.min(axis=0), here.max(axis=0)
        np.testing.assert_allclose(here[:, 0] - low[0], x[z == plane], atol=1e-4)
        np.testing.assert_allclose(high[1] - here[:, 1], y[z == plane], atol=1e-4)
        boxes.append((*low, *high))
    for k, (left, bottom, right, top) in enumerate(boxes):
        for other in boxes[:k]:
            apart = left - other[2], other[0] - right, bottom - other[3], other[1] - top
            free = layout.cell * (max(apart) - 1)
            assert free >= 11, "pixels for the name of each"
    order = sorted(range(dims[2]), key=lambda k: (-round(boxes[k][3], 3), boxes[k][0]))
    assert order == list(range(dims[2])), "left to right, then down"
    wide, high = np.ptp(places[:, :2], axis=0) + 1
    assert wide * layout.cell <= 660
    assert high * layout.cell <= 240
    assert layout.cell >= 1


@given(
    st.tuples(*[st.integers(1, 30)] * 3), st.integers(80, 2000), st.integers(60, 900)
)
def test_ranks_of_planes_are_as_many_whole_pixels_as_fit(
    dims: tuple[int, int, int], width: int, height: int
) -> None:
    """Whatever the columns, no larger ones would have room."""
    sheet = sheet_of(dims, (width, height))

    def fits(columns: int, cell: int) -> bool:
        rows, above = -(-dims[2] // columns), 24 if cell >= 6 else 15
        across, down = (-(-gap // cell) * cell for gap in (11, above))
        wide = columns * (dims[0] * cell + across) - across
        return wide <= width and rows * (dims[1] * cell + down) - down <= height

    columns = range(1, dims[2] + 1)
    if sheet.cell >= 1:
        assert sheet.cell == int(sheet.cell)
        assert fits(sheet.columns, int(sheet.cell))
        # between rows there is more room from 6 pixels on: 5 may fit where 6 do not
        assert not any(fits(n, int(sheet.cell) + 1) for n in columns)
    else:
        assert not any(fits(n, 1) for n in columns)


@pytest.mark.parametrize("dims", [(3, 6), (6, 3), (5, 5), (4, 5)])
def test_the_longer_side_of_a_plane_is_across(dims: tuple[int, int]) -> None:
    match, _, layout = laid_out(lattice(dims, (False,) * 2), "flat")
    wide, high, _ = np.ptp(layout.positions, axis=0)
    assert wide >= high - 1
    assert {round(float(wide)) + 1, round(float(high)) + 1} == set(dims)
    if dims == (3, 6):  # y across, x down
        order = np.lexsort((match.coordinates[:, 1], match.coordinates[:, 0]))
        down = np.diff(layout.positions[order, 1])
        assert (down <= 1e-6).all()


def test_further_dims_are_rows_of_planes() -> None:
    match, _, layout = laid_out(lattice((4, 3, 3, 2), (False,) * 4), "planes")
    names = [mark[3] for mark in layout.marks]
    assert names[:4] == ["z 0, w 0", "z 1, w 0", "z 2, w 0", "z 0, w 1"]
    first = {name: mark[:2] for name, mark in zip(names, layout.marks, strict=True)}
    assert first["z 0, w 1"][0] == first["z 0, w 0"][0]
    for rank, place in enumerate(layout.positions.tolist()):
        x, y, z, w = match.coordinates[rank].tolist()
        left, top = first[f"z {z}, w {w}"]
        assert place[:2] == [left + x, top - y]


@pytest.mark.parametrize("room", [(1200.0, 330.0), (500.0, 700.0)])
def test_further_dims_stand_as_ranks_are_larger(room: tuple[float, float]) -> None:
    """The third one is across, or down in a wide room, where all are larger then."""
    match, *_ = laid_out(lattice((5, 4, 4, 6), (False,) * 4), "planes")
    layout = lay_out(match, None, "planes", room=room)
    first = {mark[3]: mark[:2] for mark in layout.marks}
    zero, next_z = first["z 0, w 0"], first["z 1, w 0"]
    wide = room[0] > room[1]
    assert (next_z[0] == zero[0]) is wide
    assert (next_z[1] == zero[1]) is not wide
    assert layout.cell >= (10 if wide else 12)
    for rank, place in enumerate(layout.positions.tolist()):
        x, y, z, w = match.coordinates[rank].tolist()
        left, top = first[f"z {z}, w {w}"]
        assert place[:2] == [left + x, top - y]


def test_large_lattices_are_seen_whole_first() -> None:
    def first(*dims: int) -> str:
        topology = lattice(dims, (True,) * len(dims))
        none = np.zeros((0, 2), np.int32)
        vertex = np.arange(topology.vertices, dtype=np.int32)
        match = Match(topology, vertex, len(topology.edges), none, none, 1.0, 1.0)
        return layout_names(match)[0]

    assert [first(7, 7, 10), first(5, 10, 10)] == ["grid", "planes"]
    assert [first(3, 3, 3, 3), first(2, 2, 2, 2)] == ["planes", "grid"]
    assert [first(40, 50), first(40, 51)] == ["torus", "flat"]


def test_very_many_ranks_in_the_plane_are_cells_of_whole_pixels() -> None:
    """Tilted they were dots in colours that the key has not."""
    match, _, layout = laid_out(lattice((40, 60), (True, True)), "flat")
    assert (layout.shape, layout.axes) == ("planes", (1, 0)), "y across"
    places = layout.positions.astype(np.float64)
    steps = match.coordinates[:, ::-1] - match.coordinates[0, ::-1]
    moved = (places - places[0])[:, :2] * (1, -1)
    np.testing.assert_allclose(moved, steps, atol=1e-3)
    assert layout.on_sheet(match.topology.dims) == (60, 40)
    assert layout.cell == (240 + 18) // 40
    assert laid_out(lattice((40, 50), (True, True)), "flat")[2].shape == "lattice"
