"""Programs of sizes and numberings that no sample trace has, from trace to answer."""

import itertools

import numpy as np
import pytest
from simulation import Program, simulate

from topoview.model import Topology
from topoview.topology import cg, communication_matrix, identify, lattice
from topoview.topology.lattices.lattice import STENCILS

PLAIN, SIX = STENCILS["plain"], STENCILS["6-point"]
D3Q19 = tuple(
    s
    for s in itertools.product((-1, 0, 1), repeat=3)
    if s > (0, 0, 0) and sum(map(abs, s)) < 3
)
SKEW = ((1, 0), (0, 1), (2, 1))

PROGRAMS = {
    "2D torus 5x5, 6-point stencil": lattice((5, 5), (True, True), SIX(2)),
    "2D grid 8x8": lattice((8, 8), (False, False)),
    "CG 8x8": cg(64),
    "2D torus 7x3": lattice((7, 3), (True, True)),
    "3D grid 5x3x2": lattice((5, 3, 2), (False,) * 3),
    "ring 10": lattice((10,), (True,)),
    "hypercube 2^5": lattice((2,) * 5, (True,) * 5),
    "4D torus 3x3x3x3": lattice((3,) * 4, (True,) * 4),
    "3D torus 4x4x4, 19-point stencil": lattice((4, 4, 4), (True,) * 3, D3Q19),
    "2D torus 9x8, knight's moves": lattice(
        (9, 8), (True, True), STENCILS["knight's moves"](2)
    ),
    "2D torus 10x9, 25-point stencil": lattice(
        (10, 9), (True, True), STENCILS["25-point"](2)
    ),
    "2D grid 12x9, of its own": lattice((12, 9), (False, True), SKEW),
}
"""Name, where it has one, to what the ranks do."""


@pytest.mark.parametrize("seed", [None, 1, pytest.param(2, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", PROGRAMS)
def test_found_under_any_numbering(name: str, seed: int | None) -> None:
    truth: Topology = PROGRAMS[name]
    n = truth.vertices
    numbering = (
        None
        if seed is None
        else np.random.default_rng(seed).permutation(n).astype(np.int32)
    )
    trace = simulate(Program(truth, numbering=numbering, iterations=2))
    best = identify(communication_matrix(trace)).best
    assert best.missing == best.extra == 0
    assert best.calls_covered == best.bytes_covered == 1
    if "of its own" not in name:
        shape = name.split(", ")
        assert name in {best.topology.name, *best.also} or (
            sorted(best.topology.dims) == sorted(truth.dims)
            and best.topology.name.endswith(shape[-1] if len(shape) > 1 else "")
        )
    order = np.arange(n) if numbering is None else numbering
    expected = {frozenset(pair) for pair in order[truth.edges].tolist()}
    assert {frozenset(pair) for pair in best.rank_edges.tolist()} == expected
