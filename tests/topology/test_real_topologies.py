"""Real traces: what their programs are known to do."""

from collections.abc import Callable

import pytest

from topoview.model import Trace
from topoview.topology import communication_matrix, identify


@pytest.mark.parametrize(
    ("trace", "name", "level"),
    [
        ("sp-jacobi2d-8x4-periodic-idlewave", "2D torus 4x8", 0),
        ("sp-halo3d7-3x4x4-permuted", "3D grid 4x4x3", 0),
        ("sp-halo3d27-3x3x4", "3D grid 3x3x4, 27-point stencil", 0),
        ("ez-bt-9", "2D torus 3x3, 6-point stencil", 0),
        ("ez-mg-16", "3D torus 2x2x4", 1),
        ("public-tracer-stencil4d-32", "4D torus 2x2x2x4", 0),
        ("sp-lu-8-flush", "2D grid 4x2", 0),
        ("ez-is-16", "chain 16", 0),
        ("sp-masterworker-24", "star 24", 0),
        ("sp-bintree-32", "binomial tree 32", 0),
        ("sp-cg-32", "CG 8x4", 0),
        ("ez-ep-16", "no point-to-point messages", 0),
        ("sp-rowcol-6x4", "4 x ring 6", 0),
        ("app-ember-lqcd-24", "4D grid 2x2x2x3", 0),
        ("app-futures-9", "star 9", 0),
        ("app-pennant-12", "2D grid 3x4, 6-point stencil", 0),
    ],
)
def test_real_traces(
    real_trace: Callable[[str], Trace], trace: str, name: str, level: int
) -> None:
    best = identify(communication_matrix(real_trace(trace))).best
    assert best.topology.name == name
    assert best.level == level
    assert best.missing == best.extra == 0
    if name.startswith(("2D", "4D", "chain")):  # these are numbered naturally
        assert best.vertex.tolist() == list(range(len(best.vertex)))
