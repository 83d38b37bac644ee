"""Orders and places of rows, against networkx and against the pixels."""

from itertools import pairwise

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from timelines import grid_match, trace_of

from topoview.live.timeline.orders import (
    order_by_distance,
    order_by_place,
    order_by_rank,
    possible_row_orders,
    row_order,
)
from topoview.live.timeline.rows import MAX_ROW_HEIGHT, place_rows
from topoview.model import Analysis, Identification, Match, Topology
from topoview.session import State, TimelineOptions
from topoview.topology.kinds.sphere import cubed_sphere, yin_yang

sizes = st.integers(1, 7)


def match_of(kind: str, coordinates: list[tuple[int, ...]]) -> Match:
    count = len(coordinates)
    edges = np.array([(0, v) for v in range(1, count)], np.int32).reshape(-1, 2)
    topology = Topology(kind, f"{kind} {count}", edges, np.array(coordinates, np.int32))
    none = np.zeros((0, 2), np.int32)
    vertex = np.arange(count, dtype=np.int32)
    return Match(topology, vertex, len(edges), none, none, 1.0, 1.0)


@given(sizes, sizes, st.integers(0, 5))
def test_place_reads_the_lattice_like_a_page(
    width: int, height: int, seed: int
) -> None:
    match = grid_match(width, height, seed)
    order = order_by_place(match)
    np.testing.assert_array_equal(match.vertex[order.ranks], np.arange(width * height))
    np.testing.assert_array_equal(order.groups, np.arange(height) * width)
    assert list(order.labels) == [f"y {y}" for y in range(height)]
    assert f"rows of {width}" in order.words


@pytest.mark.parametrize("made", [cubed_sphere(3, 2), yin_yang(6, 2)])
def test_each_grid_of_a_globe_is_a_group_that_is_read_like_a_page(
    made: Topology,
) -> None:
    ranks = np.random.default_rng(1).permutation(made.vertices).astype(np.int32)
    vertex = np.empty_like(ranks)
    vertex[ranks] = np.arange(made.vertices)
    none = np.zeros((0, 2), np.int32)
    order = order_by_place(Match(made, vertex, len(made.edges), none, none, 1.0, 1.0))
    grids, columns, rows = made.dims
    assert order.groups.tolist() == [k * columns * rows for k in range(grids)]
    assert order.labels == tuple(f"{made.axes[0]} {k}" for k in range(grids))
    places = [(grid, column, row) for grid in range(grids) for row in range(rows)
              for column in range(columns)]  # fmt: skip
    assert [
        tuple(at) for at in made.coordinates[vertex[order.ranks]].tolist()
    ] == places


@given(sizes, sizes, st.integers(0, 5), st.data())
def test_distance_counts_hops_as_networkx_does(
    width: int, height: int, seed: int, data: st.DataObject
) -> None:
    match = grid_match(width, height, seed)
    count = width * height
    chosen = data.draw(st.sets(st.integers(0, count - 1), max_size=3))
    order = order_by_distance(match, tuple(sorted(chosen)))
    graph = nx.Graph()
    graph.add_nodes_from(range(count))
    graph.add_edges_from(match.rank_edges.tolist())
    hops = dict.fromkeys(range(count), np.inf)
    for source in chosen or {0}:
        for rank, far in nx.single_source_shortest_path_length(graph, source).items():
            hops[rank] = min(hops[rank], far)
    seen = [hops[int(rank)] for rank in order.ranks]
    assert seen == sorted(hops.values())
    bounds = [*order.groups.tolist(), count]
    for label, (first, last) in zip(order.labels, pairwise(bounds), strict=True):
        assert {seen[i] for i in range(first, last)} == {float(label.split()[0])}


def test_ranks_out_of_reach_and_out_of_place_come_last() -> None:
    match = grid_match(2, 2)
    vertex = np.array([0, 1, -1, 3, 2], np.int32)
    match = Match(
        match.topology, vertex, 4, match.missing_edges, match.extra_edges, 1.0, 1.0
    )
    assert order_by_place(match).labels == ("y 0", "y 1", "silent")
    assert order_by_place(match).ranks.tolist() == [0, 1, 4, 3, 2]
    far = order_by_distance(match, (3,))
    assert order_by_distance(match, (3,)) is far, "menus ask for it time and again"
    assert far.ranks.tolist()[-1] == 2
    assert far.labels == ("0 hops", "1 hop", "2 hops", "not connected")


def test_levels_of_trees_and_stars_are_groups() -> None:
    star = order_by_place(match_of("star", [(0, 0), (1, 0), (1, 1)]))
    assert star.labels == ("master", "workers")
    tree = order_by_place(match_of("tree", [(0, 0), (1, 0), (1, 1), (2, 0)]))
    assert tree.labels == ("level 0", "level 1", "level 2")
    assert order_by_place(match_of("ring", [(0,), (1,), (2,)])).labels == ()


@given(
    count=st.integers(1, 300),
    height=st.integers(1, 250),
    scale=st.sampled_from([1.0, 1.5, 2.0]),
    width=st.integers(1, 20),
)
def test_every_row_is_shown_once_in_order(
    count: int, height: int, scale: float, width: int
) -> None:
    trace = trace_of([[(0, 1)]] * count, 10)
    order = (
        order_by_rank(count)
        if count % width
        else order_by_place(grid_match(width, count // width))
    )
    bands = place_rows(trace, order, height, scale)
    assert bands.rows.tolist() == order.ranks.tolist()
    assert len(bands.band_of_line) == height
    assert bands.bounds[0] == 0
    assert bands.bounds[-1] == count
    assert np.all(np.diff(bands.bounds) > 0)
    shown = bands.band_of_line[bands.band_of_line >= 0]
    assert set(shown.tolist()) == set(range(len(bands.bounds) - 1))
    assert np.all(np.diff(shown) >= 0)
    assert np.all(bands.top[1:] >= bands.bottom[:-1] - 1e-9)
    assert bands.bottom[-1] <= height + 1e-9
    assert bands.row_height <= MAX_ROW_HEIGHT * scale + 1


def test_rows_have_slits_and_groups_have_gaps() -> None:
    trace = trace_of([[(0, 1)]] * 12, 10)
    bands = place_rows(trace, order_by_place(grid_match(4, 3)), 128, 1.0)
    assert bands.top.tolist() == [0, 10, 20, 30, 44, 54, 64, 74, 88, 98, 108, 118]
    assert (bands.bottom - bands.top).tolist() == [9] * 12
    assert bands.band_of_line[[8, 9, 10]].tolist() == [0, -1, 1]


@pytest.mark.parametrize(("height", "rows", "hidden"), [(200, 12, 0), (30, 4, 8)])
def test_further_locations_are_below_their_rank_if_there_is_room(
    height: int, rows: int, hidden: int
) -> None:
    trace = trace_of([[(0, 1)]] * 12, 10, ranks=4, owners=[0, 0, 1, 1, 2, 2, 3, 3])
    bands = place_rows(trace, order_by_rank(4), height, 1.0)
    assert len(bands.rows) == rows
    assert bands.hidden == hidden
    if not hidden:
        assert bands.rows.tolist() == [0, 4, 5, 1, 6, 7, 2, 8, 9, 3, 10, 11]
        assert bands.rank.tolist() == [0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3]


def test_places_are_offered_where_there_are_any() -> None:
    trace = trace_of([[(0, 1)]] * 6, 10)
    for match, orders in (
        (grid_match(3, 2), ("rank", "place", "distance")),
        (match_of("unknown", [(r,) for r in range(6)]), ("rank", "distance")),
        (match_of("none", []), ("rank",)),
    ):
        known = Analysis(trace, identification=Identification(6, (match,)))
        state = State(analysis=known, timeline=TimelineOptions(order="place"))
        assert possible_row_orders(state) == orders
        ranks = row_order(state).ranks.tolist()
        assert ranks == list(range(6))
    assert possible_row_orders(State(analysis=Analysis(trace))) == ("rank",)
