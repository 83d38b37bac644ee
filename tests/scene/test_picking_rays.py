"""Rays against boxes: what a few of them meet is what all boxes tell side by side."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from topoview.model import Floats
from topoview.scene.ranks.picking import ray_boxes


def plainly(origin: Floats, direction: Floats, centre: Floats, half: Floats) -> float:
    """Distance to a box, side by side in plain Python."""
    enter, leave = -np.inf, np.inf
    for axis in range(3):
        slope = direction[axis] if abs(direction[axis]) >= 1e-12 else 1e-12
        ends = sorted(
            (centre[axis] + side * half[axis] - origin[axis]) / slope
            for side in (-1, 1)
        )
        enter, leave = max(enter, ends[0]), min(leave, ends[1])
    return max(enter, 0.0) if enter <= leave and leave > 0 else np.inf


@settings(max_examples=40)
@given(st.integers(0, 10**6), st.floats(0.01, 3.0), st.integers(0, 3))
def test_boxes_are_met_as_one_by_one(seed: int, size: float, along: int) -> None:
    rng = np.random.default_rng(seed)
    centres = rng.integers(-4, 5, (60, 3)).astype(float)
    half = size * rng.uniform(0.2, 1.0, (60, 3))
    origin = rng.normal(size=3) * 8
    direction = centres[0] + rng.uniform(-0.3, 0.3, 3) - origin
    if along < 3:
        direction = np.where(np.arange(3) == along, 1.0, 0.0)
        origin = centres[0] - 5 * direction
    found = ray_boxes(origin, direction, centres, half)
    wanted = [
        plainly(origin, direction, *box) for box in zip(centres, half, strict=True)
    ]
    np.testing.assert_allclose(found, wanted, atol=1e-9)
    assert np.isfinite(found).any() or along == 3
