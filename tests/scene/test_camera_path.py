"""A camera's way: through its key frames, the short way round, never beyond them."""

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from topoview.model import Pose
from topoview.scene.camera import pose_on_path, with_key_frame

NUMBERS = st.floats(-50, 50)
POSES = st.builds(
    Pose,
    st.floats(-179, 179),
    st.floats(-90, 90),
    st.floats(0.1, 1000),
    st.tuples(NUMBERS, NUMBERS, NUMBERS),
)
PATHS = st.dictionaries(st.integers(0, 10**12), POSES, min_size=1, max_size=5).map(
    lambda frames: tuple(sorted(frames.items()))
)


@given(PATHS)
def test_it_passes_its_key_frames(path: tuple[tuple[int, Pose], ...]) -> None:
    for time, pose in path:
        found = pose_on_path(path, time)
        assert math.isclose(found.distance, pose.distance, rel_tol=1e-9)
        assert math.isclose(found.elevation, pose.elevation, abs_tol=1e-6)
        assert np.allclose(found.eye, pose.eye, rtol=1e-6, atol=1e-5)
    assert pose_on_path(path, -1) == path[0][1]
    assert pose_on_path(path, path[-1][0] + 1) == path[-1][1]


@given(PATHS, st.floats(0, 1))
def test_it_stays_between_them(
    path: tuple[tuple[int, Pose], ...], share: float
) -> None:
    time = round(path[0][0] + share * (path[-1][0] - path[0][0]))
    found = pose_on_path(path, time)
    distances = [pose.distance for _, pose in path]
    assert min(distances) * 0.999 <= found.distance <= max(distances) * 1.001
    for axis in range(3):
        values = [pose.focal[axis] for _, pose in path]
        assert min(values) - 1e-6 <= found.focal[axis] <= max(values) + 1e-6


def test_it_turns_the_short_way() -> None:
    path = (
        (0, Pose(170.0, 0.0, 9.0, (0.0, 0.0, 0.0))),
        (10, Pose(-170.0, 0.0, 9.0, (0.0, 0.0, 0.0))),
    )
    turned = [pose_on_path(path, time).azimuth % 360 for time in range(11)]
    assert min(turned) >= 170 - 1e-9
    assert max(turned) <= 190 + 1e-9
    assert turned == sorted(turned)


def test_a_second_frame_at_a_time_replaces_the_first() -> None:
    first, second = (Pose(float(k), 0.0, 9.0, (0.0, 0.0, 0.0)) for k in (1, 2))
    path = with_key_frame(
        with_key_frame(with_key_frame((), 7, first), 3, first), 7, second
    )
    assert path == ((3, first), (7, second))
