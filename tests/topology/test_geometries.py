"""Geometries that any trace can have, gaps, folds and layers: against known places."""

from dataclasses import replace
from importlib import import_module
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matrices import matrix_of
from scipy.spatial import cKDTree

from topoview.model import Floats, Geometry, Layout, Machine, Match, Topology
from topoview.topology import further_layouts, lattice, lay_out, layout_names, star
from topoview.topology.kinds.sphere import sphere_of_triangles, sphere_of_vertices
from topoview.topology.layout import LAYOUTS
from topoview.topology.layout.curves import sphere_cells, triangle_order
from topoview.topology.layout.free import blocks
from topoview.topology.layout.grid import block_pitch

NOTHING = np.zeros((0, 2), np.int32)


def match_of(topology: Topology) -> Match:
    vertex = np.arange(topology.vertices, dtype=np.int32)
    return Match(topology, vertex, len(topology.edges), NOTHING, NOTHING, 1.0, 1.0)


def laid(
    topology: Topology, name: str, geometry: Geometry | None = None, per: int = 0
) -> Layout:
    n = topology.vertices
    machine = Machine()
    if per:
        node = (np.arange(n) // per).astype(np.int32)
        socket = (np.arange(n) // max(per // 2, 1)).astype(np.int32)
        names = tuple(tuple(map(str, range(u.max() + 1))) for u in (node, socket))
        places = np.stack([node % 4, node // 4, 0 * node], 1).astype(float)
        machine = Machine(
            ("node", "socket"), np.stack([node, socket]), names, places=places
        )
    matrix = matrix_of(n, topology.edges)
    return lay_out(match_of(topology), matrix, name, geometry or Geometry(), machine)


def nearest(places: Floats) -> float:
    return float(cKDTree(places).query(places, k=2)[0][:, 1].min())


FREE = [name for name, layout in LAYOUTS.items() if layout.is_given(Machine())]


def test_every_layout_of_the_table_has_a_title_and_its_functions() -> None:
    titles = [layout.title for layout in LAYOUTS.values()]
    assert all(titles)
    assert len(set(titles)) == len(titles)
    for layout in LAYOUTS.values():
        assert layout.own or layout.free
        for where in filter(None, (layout.own, layout.free)):
            module, name = where.split(".")
            assert callable(
                getattr(import_module(f"topoview.topology.layout.{module}"), name)
            )


@pytest.mark.parametrize("ranks", [1, 2, 3, 7, 64, 97, 720])
@pytest.mark.parametrize("name", [*FREE, "ranks", "nodes", "places"])
def test_any_trace_has_every_geometry(name: str, ranks: int) -> None:
    layout = laid(
        star(ranks) if ranks > 3 else lattice((ranks,), (False,)), name, per=8
    )
    assert layout.name == name
    assert layout.positions.shape == (ranks, 3)
    assert np.isfinite(layout.positions).all()
    if ranks > 1:
        assert 0.5 < nearest(layout.positions) < 1.2
    if len(layout.normals):
        assert np.linalg.norm(layout.normals, axis=1) == pytest.approx(1, abs=1e-4)


@given(st.integers(1, 120_000), st.sampled_from([(1, 1), (1, 1, 1), (1, 2.5), (2, 1)]))
@settings(max_examples=150, deadline=None)
def test_blocks_hold_all_with_little_to_spare(n: int, shape: tuple[float, ...]) -> None:
    dims = blocks(n, shape)
    assert len(dims) == len(shape)
    assert np.prod(dims) >= n
    assert np.prod(dims) <= max(1.35 * n, n + 8)


@pytest.mark.parametrize(
    ("n", "dims"),
    [(576, (24, 24)), (10_000, (100, 100)), (9375, (25, 25, 15)), (125, (5, 5, 5))],
)
def test_blocks_that_are_exact_are_found(n: int, dims: tuple[int, ...]) -> None:
    assert blocks(n, (1.0,) * len(dims)) == dims


def test_a_grid_has_the_width_that_was_chosen() -> None:
    layout = laid(lattice((1440,), (True,)), "grid", Geometry(width=120))
    assert layout.grid is not None
    assert layout.grid.dims == (120, 12)
    x, y = layout.positions[:, 0], layout.positions[:, 1]
    index = np.arange(1440)
    assert x - x[0] == pytest.approx(index % 120)
    assert y[0] - y == pytest.approx(index // 120)


def test_ranks_are_taken_by_place_if_that_is_wished() -> None:
    topology = lattice((40,), (False,))
    order = np.random.default_rng(3).permutation(40).astype(np.int32)
    match = replace(match_of(topology), vertex=order)
    matrix = matrix_of(40, match.rank_edges)
    layout = lay_out(match, matrix, "helix", Geometry(order="place"))
    assert np.argsort(-layout.positions[:, 2]).tolist() == np.argsort(order).tolist()


def test_a_helix_and_a_circle_keep_neighbours_together() -> None:
    for name in ("helix", "circle", "line"):
        places = laid(lattice((100,), (False,)), name).positions
        steps = np.linalg.norm(np.diff(places, axis=0), axis=1)
        assert steps == pytest.approx(steps[0], rel=0.02)
        assert steps[0] == pytest.approx(1, abs=0.05)


@pytest.mark.parametrize("n", [20, 80, 720, 2880, 8000])
def test_a_sphere_has_a_triangle_for_each_rank(n: int) -> None:
    layout = laid(lattice((n,), (True,)), "sphere")
    assert layout.empty == 0
    assert layout.corners.shape == (n, 3, 3)
    a, b, c = (layout.corners[:, k].astype(float) for k in range(3))
    areas = np.linalg.norm(np.cross(b - a, c - a), axis=1) / 2
    radius = np.linalg.norm(a[0])
    whole = 4 * np.pi * radius**2
    assert 0.75 * whole < areas.sum() < whole
    assert areas.max() < 2.2 * areas.min()
    outward = (np.cross(b - a, c - a) * (a + b + c)).sum(axis=1)
    assert (outward > 0).all()


def test_ranks_that_no_sphere_fits_leave_triangles_empty() -> None:
    layout = laid(star(64), "sphere")
    assert (len(layout.positions), layout.empty) == (64, 16)


@pytest.mark.parametrize("f", [1, 2, 5, 8])
def test_all_triangles_are_in_order(f: int) -> None:
    assert sorted(triangle_order(f).tolist()) == list(range(20 * f * f))


@pytest.mark.parametrize("f", [2, 3, 5, 8])
def test_triangles_in_order_touch_the_one_before_but_at_ends_of_rows(f: int) -> None:
    """There are 20 faces of f rows each."""
    edges = {tuple(edge) for edge in sphere_of_triangles(f).edges.tolist()}
    pairs = pairwise(triangle_order(f).tolist())
    apart = [(min(pair), max(pair)) not in edges for pair in pairs]
    assert sum(apart) < 20 * f


@pytest.mark.parametrize("n", [12, 42, 162, 642])
def test_cells_around_the_points_of_a_sphere(n: int) -> None:
    cells = sphere_cells(n)
    sides = [len(np.unique(np.round(corners, 6), axis=0)) for corners in cells.corners]
    assert sorted(set(sides)) == ([5] if n == 12 else [5, 6])
    assert sides.count(5) == 12
    edges = sphere_of_vertices(int(((n - 2) / 10) ** 0.5)).edges
    apart = np.linalg.norm(
        cells.places[edges[:, 0]] - cells.places[edges[:, 1]], axis=1
    )
    assert np.median(apart) == pytest.approx(1, abs=0.12)


def test_nodes_are_parted_where_they_meet() -> None:
    layout = laid(lattice((8, 4), (False, False)), "flat", Geometry(gaps="node"), per=8)
    down = -np.diff(layout.positions[::8, 1])
    assert down == pytest.approx(2.1)
    across = np.diff(layout.positions[:8, 0])
    assert across == pytest.approx(1)


def test_sockets_are_parted_less_than_nodes() -> None:
    layout = laid(lattice((24,), (False,)), "line", Geometry(gaps="socket"), per=8)
    steps = np.diff(layout.positions[:, 0])
    wanted = [3.2 if k % 8 == 0 else 2.1 if k % 4 == 0 else 1.0 for k in range(1, 24)]
    assert steps == pytest.approx(wanted)


@pytest.mark.parametrize("name", ["circle", "tube", "torus", "sphere", "nodes"])
def test_units_are_parted_in_curved_geometries(name: str) -> None:
    topology = lattice((320,), (False,))
    before = laid(topology, name, per=80).positions
    after = laid(topology, name, Geometry(gaps="node"), per=80).positions
    assert nearest(after) >= 0.69 * nearest(before)
    if name != "nodes":
        assert np.ptp(after, axis=0).max() > np.ptp(before, axis=0).max()


def test_interleaved_units_stay_where_they_are() -> None:
    topology = lattice((8, 8), (False, False))
    node = (np.arange(64) % 5).astype(np.int32)
    machine = Machine(("node",), node[None], (tuple("abcde"),))
    matrix = matrix_of(64, topology.edges)
    plain = lay_out(match_of(topology), matrix, "flat")
    gaps = lay_out(match_of(topology), matrix, "flat", Geometry(gaps="node"), machine)
    assert nearest(gaps.positions) >= 0.7 * nearest(plain.positions)


def test_ranks_of_a_node_are_together() -> None:
    layout = laid(lattice((12, 8), (True, True)), "nodes", per=16)
    for node in range(6):
        own = layout.positions[16 * node : 16 * (node + 1), :2]
        others = np.delete(layout.positions[:, :2], slice(16 * node, 16 * node + 16), 0)
        low, high = own.min(axis=0) - 0.9, own.max(axis=0) + 0.9
        assert not ((others > low) & (others < high)).all(axis=1).any()
    assert [mark[3] for mark in layout.marks] == list("012345")


def test_places_of_a_network_keep_their_order() -> None:
    layout = laid(lattice((32,), (False,)), "places", per=4)
    middles = layout.positions.reshape(8, 4, 3).mean(axis=1)
    assert (np.diff(middles[:4, 0]) > 1).all()
    assert middles[4:, 1] == pytest.approx(middles[4, 1])
    assert (middles[0, 1] - middles[4, 1]) > 1


@pytest.mark.parametrize("per", [1, 4])
def test_a_network_names_its_axes(per: int) -> None:
    """Its own coordinates, not steps of the topology."""
    layout = laid(lattice((32,), (False,)), "places", per=per)
    grid = layout.grid
    assert grid is not None
    assert grid.dims == (4, 8 // per, 1)
    assert grid.directions == ()
    node = np.arange(32) // per
    assert (grid.coordinates == np.stack([node % 4, node // 4, 0 * node], 1)).all()
    told = grid.origin + sum(
        table[grid.coordinates[:, axis]] for axis, table in enumerate(grid.tables)
    )
    middles = layout.positions.reshape(-1, per, 3).mean(axis=1)
    assert told[::per] == pytest.approx(middles, abs=1e-4)


def test_layers_are_drawn_apart() -> None:
    topology = lattice((3, 4, 5), (False,) * 3)
    layout = laid(topology, "grid", Geometry(explode=2, apart=3.0))
    # the longest dimension runs across the view: it changes places with x
    columns = topology.coordinates[:, [2, 1, 0]].astype(float) * [4, -1, 1]
    pitch = block_pitch(np.array([4.0, 3.0, 2.0]))  # as if they were not apart
    rest = layout.positions - columns * pitch
    assert np.ptp(rest, axis=0) == pytest.approx(0, abs=1e-4)


def test_dimensions_are_folded_as_wished() -> None:
    topology = lattice((3, 4, 2, 2), (False,) * 4)
    layout = laid(topology, "grid", Geometry(fold=(0, 1, 0, 1)))
    assert np.ptp(layout.positions[:, 2]) == 0
    x, y, z, w = topology.coordinates.astype(float).T
    assert np.ptp(layout.positions[:, 0] - (x + 4 * z)) == pytest.approx(0, abs=1e-4)
    assert np.ptp(layout.positions[:, 1] + (y + 5 * w)) == pytest.approx(0, abs=1e-4)
    natural = laid(topology, "grid", Geometry(fold=(0, 1)))
    assert np.ptp(natural.positions[:, 2]) > 0, "a fold of other dimensions"


@pytest.mark.parametrize("name", ["torus", "flat", "sphere", "helix"])
def test_spacing_moves_ranks_apart(name: str) -> None:
    topology = lattice((9, 5), (True, True))
    near, far = (laid(topology, name, Geometry(spacing=s)) for s in (1.0, 2.5))
    assert far.positions == pytest.approx(2.5 * near.positions, abs=1e-4)
    assert far.spacing == 2.5


def test_tables_of_a_grid_tell_its_places() -> None:
    for geometry in (Geometry(), Geometry(gaps="node", explode=1, spacing=1.5)):
        layout = laid(lattice((4, 3, 5), (True, False, True)), "grid", geometry, per=12)
        grid = layout.grid
        assert grid is not None
        told = grid.origin + sum(
            table[column]
            for table, column in zip(grid.tables, grid.coordinates.T, strict=True)
        )
        assert layout.positions == pytest.approx(told, abs=1e-4)


@pytest.mark.parametrize("name", [*FREE, "ranks", "nodes"])
def test_a_hundred_thousand_ranks(name: str) -> None:
    topology = lattice((100_000,), (False,))
    layout = laid(topology, name, Geometry(gaps="node"), per=64)
    assert np.isfinite(layout.positions).all()
    assert (
        len(further_layouts(match_of(topology))) + len(layout_names(match_of(topology)))
        == len(FREE) + 2
    )
