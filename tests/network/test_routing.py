"""Traffic on links: as messages carried hop by hop, and as networkx routes them."""

import math
from itertools import pairwise

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from walks import as_graph, place_of, walked

from topoview.analysis.network import routing
from topoview.analysis.network.networks import (
    assumed_network,
    dragonfly,
    fat_tree,
    graph,
    grid,
    parse_dims,
)
from topoview.errors import UsageError
from topoview.model import Network


def pairs_on(nodes: int, count: int, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    ends = rng.integers(0, nodes, (2, count))
    return np.vstack([ends, rng.integers(0, 10**6, count)])


def told(network: Network, pairs: np.ndarray) -> dict[tuple[int, int], float]:
    found = routing.loads(network, *pairs)
    return dict(zip(map(tuple, network.links.tolist()), found.tolist(), strict=True))


@st.composite
def grids(draw: st.DrawFn) -> Network:
    dims = draw(st.lists(st.integers(1, 6), min_size=1, max_size=5))
    while math.prod(dims) > 500:
        dims.pop()
    wraps = draw(st.lists(st.booleans(), min_size=len(dims), max_size=len(dims)))
    return grid(dims, wraps)


@given(network=grids(), seed=st.integers(0, 1000))
def test_grids_as_hop_by_hop(network: Network, seed: int) -> None:
    pairs = pairs_on(network.nodes, 30, seed)
    assert told(network, pairs) == walked(network, pairs.T.tolist())


@given(network=grids(), seed=st.integers(0, 1000))
def test_grids_are_those_of_networkx(network: Network, seed: int) -> None:
    del seed
    wraps = tuple(
        w and n > 1 for w, n in zip(network.periodic, network.dims, strict=True)
    )
    known = nx.grid_graph(network.dims[::-1], periodic=wraps[::-1])
    known.remove_edges_from(list(nx.selfloop_edges(known)))
    own = as_graph(network).to_undirected()
    # networkx gives the last of its dims first; without a tuple for one dimension
    one = len(network.dims) == 1
    places = {n: place_of(network.dims, n) for n in range(network.nodes)}
    renamed = nx.relabel_nodes(own, {n: p[0] if one else p for n, p in places.items()})
    assert {frozenset(e) for e in renamed.edges} == {frozenset(e) for e in known.edges}


@given(network=grids(), seed=st.integers(0, 1000))
def test_distances_are_shortest(network: Network, seed: int) -> None:
    source, target, _ = pairs_on(network.nodes, 10, seed)
    graph_ = as_graph(network)
    known = [
        nx.shortest_path_length(graph_, a, b)
        for a, b in zip(source.tolist(), target.tolist(), strict=True)
    ]
    assert routing.distances(network, source, target).tolist() == known


NETWORKS = {
    "torus": grid((4, 3, 2)),
    "even torus": grid((4, 4, 6)),
    "mesh": grid((4, 3, 5), periodic=False),
    "5D": grid((2, 3, 2, 4, 2)),
    "fat tree": fat_tree((4, 3, 3)),
    "narrow tree": fat_tree((4, 4, 2), (1, 2, 1)),
    "switch": fat_tree((12,)),
    "dragonfly": dragonfly(2, 4, 5),
    "large groups": dragonfly(1, 7, 3),
    "graph": graph(
        30,
        np.array(list(nx.gnm_random_graph(30, 60, 3).edges)),
        list(map(str, range(30))),
    ),
}


@pytest.mark.parametrize("name", NETWORKS)
def test_what_leaves_arrives(name: str) -> None:
    """At each vertex as much comes in as goes out, but for what begins and ends."""
    network = NETWORKS[name]
    source, target, size = pairs_on(network.nodes, 400)
    there = routing.distances(network, source, target) >= 0
    source, target, size = source[there], target[there], size[there]
    loads = routing.loads(network, source, target, size)
    crossing = size * (source != target)
    out, into = (
        np.bincount(network.links[:, end], loads, network.vertices) for end in (0, 1)
    )
    begins = np.bincount(source, crossing, network.vertices)
    ends = np.bincount(target, crossing, network.vertices)
    assert np.allclose(out - into, begins - ends)
    hops = routing.distances(network, source, target)
    assert loads.sum() == pytest.approx(float(hops @ size))


@pytest.mark.parametrize("name", NETWORKS)
def test_parts_of_a_link_add_up(name: str) -> None:
    network = NETWORKS[name]
    source, target, size = pairs_on(network.nodes, 150, 1)
    loads = routing.loads(network, source, target, size)
    for link in range(len(network.links)):
        part = routing.shares(network, source, target, link)
        assert loads[link] == pytest.approx(float(part @ size))
    links, part = routing.route(network, int(source[0]), int(target[0]))
    hops = int(routing.distances(network, source[:1], target[:1])[0])
    assert part.sum() == pytest.approx(max(hops, 0))
    assert {0.0} != set(part.tolist()) or not len(links)


@pytest.mark.parametrize(
    "network",
    [fat_tree((4, 3, 3)), fat_tree((3, 2, 2, 2)), fat_tree((4, 4, 2), (1, 2, 1))],
)
def test_fat_trees_route_shortest_over_links(network: Network) -> None:
    known = as_graph(network)
    ends = [(a, b) for a in range(network.nodes) for b in range(0, network.nodes, 3)]
    source, target = np.array(ends).T
    assert routing.distances(network, source, target).tolist() == [
        nx.shortest_path_length(known, a, b) for a, b in ends
    ]
    for a, b in ends[::7]:
        links, part = routing.route(network, a, b)
        path = nx.DiGraph(network.links[links].tolist())
        assert set(part.tolist()) <= {1.0}
        if a != b:
            assert nx.shortest_path_length(path, a, b) == len(links)


def test_shifts_on_a_full_fat_tree_do_not_collide() -> None:
    """D-mod-k gives each node a link of its own when all send to the k-th neighbour."""
    network = fat_tree((4, 4, 4))
    node = np.arange(64)
    for shift in range(1, 64):
        loads = routing.loads(network, node, (node + shift) % 64, np.ones(64, int))
        assert loads.max() == 1


def test_dragonflies_take_one_cable_between_groups() -> None:
    network = dragonfly(2, 4, 5)
    known = as_graph(network)
    for a in range(network.nodes):
        for b in range(network.nodes):
            links, _ = routing.route(network, a, b)
            path = nx.DiGraph(network.links[links].tolist())
            if a == b:
                assert not len(links)
                continue
            assert nx.shortest_path_length(path, a, b) == len(links)
            far = (network.direction[links] == 3).sum()
            assert far == (a // 8 != b // 8)
            least = nx.shortest_path_length(known, a, b)
            assert least <= len(links) <= 5


def test_graphs_split_evenly_over_shortest_routes() -> None:
    network = NETWORKS["graph"]
    known = as_graph(network)
    pairs = pairs_on(30, 60, 2)
    expected = dict.fromkeys(map(tuple, network.links.tolist()), 0.0)
    for a, b, size in pairs.T.tolist():
        if a == b or not nx.has_path(known, a, b):
            continue
        paths = list(nx.all_shortest_paths(known, a, b))
        for path in paths:
            for hop in pairwise(path):
                expected[hop] += size / len(paths)
    assert told(network, pairs) == pytest.approx(expected)


def test_links_are_counted_both_ways() -> None:
    assert len(grid((8, 8, 8)).links) == 2 * 1536
    assert len(grid((4, 4), periodic=False).links) == 2 * 24
    assert len(grid((2, 2, 2)).links) == 2 * 12
    assert len(fat_tree((4, 4)).links) == 2 * 32
    assert grid((4, 1)).name == "2D torus 4x1"
    assert grid((3, 3), (True, False)).name == "2D mesh 3x3, periodic in x"


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("torus", "4x"),
        ("torus", "0x3"),
        ("torus", "99999x99999"),
        ("fat tree", "4x4/1"),
        ("dragonfly", "4x4"),
    ],
)
def test_what_is_no_network_is_told(kind: str, text: str) -> None:
    with pytest.raises(UsageError, match=r"parents|extents|groups"):
        assumed_network(kind, text)


def test_networks_as_they_are_written() -> None:
    assert parse_dims("4x4x2") == (4, 4, 2)
    assert assumed_network("mesh", "4x2").kind == "mesh"
    assert assumed_network("fat tree", "4x4/1x2").parents == (1, 2)
    assert assumed_network("dragonfly", "2x4x5").nodes == 40
