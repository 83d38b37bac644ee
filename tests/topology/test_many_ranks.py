"""Every kind under a random numbering of more than 100,000 ranks, verified anew."""

from collections.abc import Callable

import numpy as np
import pytest
from scipy.sparse import coo_array

from topoview.model import CommunicationMatrix, Match, Topology
from topoview.topology import binomial_tree, cg, complete_tree, identify, lattice, star
from topoview.topology.kinds.butterfly import butterfly
from topoview.topology.kinds.composite import copies, product
from topoview.topology.kinds.sphere import sphere_of_triangles, sphere_of_vertices
from topoview.topology.lattices.lattice import STENCILS


def _box(dims: tuple[int, ...], closed: bool, stencil: str) -> Topology:
    return lattice(dims, (closed,) * len(dims), STENCILS[stencil](len(dims)))


KINDS: dict[str, Callable[[], Topology]] = {
    "chain": lambda: lattice((130_001,), (False,)),
    "ring": lambda: lattice((131_072,), (True,)),
    "grid": lambda: lattice((400, 331), (False, False)),
    "mixed": lambda: lattice((64, 48, 43), (True, False, True)),
    "4D torus": lambda: lattice((20, 20, 18, 18), (True,) * 4),
    "hypercube": lambda: lattice((2,) * 17, (False,) * 17),
    "6-point": lambda: _box((360, 360), True, "6-point"),
    "8-neighbour": lambda: _box((400, 331), False, "box"),
    "27-point": lambda: _box((64, 48, 43), False, "box"),
    "27-point torus": lambda: _box((64, 48, 43), True, "box"),
    "19-point": lambda: _box((64, 48, 43), False, "19-point"),
    "19-point torus": lambda: _box((64, 48, 43), True, "19-point"),
    "13-point": lambda: _box((400, 331), True, "13-point"),
    "knight": lambda: _box((400, 331), False, "knight's moves"),
    "CG": lambda: cg(1 << 17),
    "CG of squares": lambda: cg(1 << 18),
    "binary tree": lambda: complete_tree((1 << 17) - 1, 2),
    "ternary tree": lambda: complete_tree(120_000, 3),
    "binomial tree": lambda: binomial_tree(1 << 17),
    "star": lambda: star(100_001),
    "butterfly": lambda: butterfly(13),
    "wrapped butterfly": lambda: butterfly(13, wrapped=True),
    "triangles": lambda: sphere_of_triangles(73),
    "vertices": lambda: sphere_of_vertices(101),
    "rings": lambda: copies(5_000, lattice((24,), (True,))),
    "product": lambda: product(lattice((10_000,), (True,)), star(12)),
}


def _found(topology: Topology, edges: np.ndarray, number: np.ndarray) -> Match:
    u, v = number[edges].T
    pairs = (np.concatenate([u, v]), np.concatenate([v, u]))
    ones = np.ones(len(pairs[0]), np.int64)
    shape = (topology.vertices, topology.vertices)
    calls = coo_array((ones, pairs), shape=shape).tocsr()
    return identify(CommunicationMatrix.of_sparse(calls, 4096 * calls)).best


def _keys(edges: np.ndarray, n: int) -> np.ndarray:
    low, high = np.sort(edges.astype(np.int64), axis=1).T
    return np.sort(low * n + high)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_found(kind: str) -> None:
    topology = KINDS[kind]()
    n = topology.vertices
    number = np.random.default_rng(len(kind)).permutation(n)
    best = _found(topology, topology.edges, number)
    assert best.topology.kind == topology.kind
    assert (best.missing, best.extra) == (0, 0)
    # the mapping takes the ranks' edges to exactly those of what was found
    taken = best.vertex[number[topology.edges]]
    assert np.array_equal(np.bincount(best.vertex, minlength=n), np.ones(n))
    assert np.array_equal(_keys(taken, n), _keys(best.topology.edges, n))
