"""What is said of graphs without a name: numbers by other ways, meshes as planted."""

import itertools
import time

import networkx as nx
import numpy as np
import pytest
from matrices import matrix_of
from scipy.spatial import Delaunay

from topoview.model import GraphNumbers
from topoview.report.identification.answer import headline
from topoview.report.identification.steps import nearest_sentence, number_sentences
from topoview.topology import identify, lattice
from topoview.topology.graph.graph import graph_of, unique_edges
from topoview.topology.identification.structure import graph_numbers


def numbers_of(graph: nx.Graph) -> GraphNumbers:
    ends = np.array(graph.edges).T
    made = graph_of(len(graph), unique_edges(len(graph), *ends))
    return graph_numbers(made, np.arange(len(graph), dtype=np.int32))


def neighbours(owner: np.ndarray) -> nx.Graph:
    """Join parts of a mesh of cells that share a side of one."""
    graph = nx.empty_graph(int(owner.max()) + 1)
    for axis in range(owner.ndim):
        one = np.delete(owner, -1, axis).ravel()
        other = np.delete(owner, 0, axis).ravel()
        graph.add_edges_from(
            (a, b) for a, b in zip(one.tolist(), other.tolist(), strict=True) if a != b
        )
    return graph


def bisected(parts: int, cells: tuple[int, ...]) -> nx.Graph:
    """Halve boxes of cells across their longest side until there are enough."""
    owner = np.zeros(cells, np.int64)
    boxes = [((slice(None),) * len(cells), 0, parts)]
    while boxes:
        box, first, several = boxes.pop()
        some = owner[box]
        some[...] = first
        if several > 1:
            axis, few = int(np.argmax(some.shape)), several // 2
            start = box[axis].start or 0
            at = start + some.shape[axis] * few // several
            low, high = list(box), list(box)
            low[axis] = slice(start, at)
            high[axis] = slice(at, start + some.shape[axis])
            boxes += [(tuple(low), first, few)]
            boxes += [(tuple(high), first + few, several - few)]
    return neighbours(owner)


def along_morton(parts: int, bits: int, dims: int) -> nx.Graph:
    """Cut the order of interleaved bits into equal runs."""
    side = 1 << bits
    owner = np.zeros((side,) * dims, np.int64)
    for place in itertools.product(range(side), repeat=dims):
        key = sum(
            (x >> bit & 1) << (bit * dims + axis)
            for axis, x in enumerate(place)
            for bit in range(bits)
        )
        owner[place] = key * parts // owner.size
    return neighbours(owner)


def cells_of_points(parts: int, dims: int) -> nx.Graph:
    points = np.random.default_rng(parts).random((parts, dims))
    graph = nx.empty_graph(parts)
    for cell in Delaunay(points).simplices.tolist():
        graph.add_edges_from(itertools.combinations(cell, 2))
    return graph


MESHES = {
    "planar": [
        bisected(48, (90, 70)),
        bisected(20, (60, 44)),
        cells_of_points(48, 2),
        cells_of_points(200, 2),
        along_morton(40, 5, 2),
    ],
    "mesh": [bisected(40, (20, 20, 20)), along_morton(40, 4, 3)],
}


@pytest.mark.parametrize("kind", MESHES)
def test_parts_of_meshes_are_told_as_such(kind: str) -> None:
    for graph in MESHES[kind]:
        found = numbers_of(graph)
        degrees = [degree for _, degree in graph.degree]
        assert found.partners == (min(degrees), np.mean(degrees), max(degrees))
        assert (found.mesh, found.hubs) == (kind, ())


def test_random_graphs_are_no_meshes() -> None:
    """At most one in a hundred, whatever the number of partners."""
    rng = np.random.default_rng(1)
    said = 0
    for seed in range(200):
        n, degree = int(rng.integers(12, 64)), int(rng.integers(3, 8))
        graph = nx.gnm_random_graph(n, n * degree // 2, seed=seed)
        if seed % 2 and n * degree % 2 == 0:
            graph = nx.random_regular_graph(degree, n, seed=seed)
        said += numbers_of(graph).mesh != ""
    assert said <= 2


def test_dimensions_are_those_of_lattices() -> None:
    sides = {1: (64,), 2: (16, 16), 3: (7, 7, 7)}
    for dimension, dims in sides.items():
        graph = nx.convert_node_labels_to_integers(nx.grid_graph(dims))
        assert numbers_of(graph).dimension == pytest.approx(dimension, abs=0.35)
    random = nx.random_regular_graph(6, 300, seed=1)
    assert (numbers_of(random).dimension or 0) > 4


def test_groups_and_hubs_are_told_where_there_are_any() -> None:
    caves = nx.connected_caveman_graph(5, 8)
    found = numbers_of(caves)
    assert found.groups == (8,) * 5
    assert any("5 groups of 8" in line for line in number_sentences(found, 40))
    random = numbers_of(nx.random_regular_graph(4, 64, seed=3))
    assert not any("groups" in line for line in number_sentences(random, 64))
    wheel = nx.gnm_random_graph(40, 60, seed=1)
    wheel.add_edges_from((7, other) for other in range(40) if other != 7)
    assert numbers_of(wheel).hubs == (7,)


def test_an_answer_says_what_it_is_like_and_what_is_nearest() -> None:
    graph = bisected(48, (90, 70))
    found = identify(matrix_of(48, list(graph.edges)))
    assert (
        headline(found)
        == "unknown, like parts of a planar mesh, partners close in rank"
    )
    nearest = min(found.matches[1:], key=lambda match: match.missing + match.extra)
    sentence = nearest_sentence(found)
    assert nearest.topology.name in sentence
    assert f"without {nearest.missing} edge" in sentence
    assert f"with {nearest.extra} edge" in sentence


def test_noise_beyond_the_bound_is_given_up_in_linear_time() -> None:
    topology, rng = lattice((32, 32, 16), (True,) * 3), np.random.default_rng(1)
    n, many = topology.vertices, len(topology.edges) // 5
    kept = topology.edges[rng.random(len(topology.edges)) >= 0.2]
    edges = unique_edges(n, *np.concatenate([kept, rng.integers(0, n, (many, 2))]).T)
    began = time.process_time()
    assert identify(matrix_of(n, rng.permutation(n)[edges])).best.topology.dims == ()
    # it took minutes while all that was not clear was looked at for each vertex placed
    assert time.process_time() - began < 6
