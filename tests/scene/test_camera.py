"""The camera in NumPy against VTK's own."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scene_cases import MakeStage, matched

from topoview.model import Pose
from topoview.scene.axes.axis_labels import tick_step
from topoview.scene.camera import (
    FIELD_OF_VIEW,
    HOMES,
    Margins,
    fit_camera,
    interpolate_pose,
    outermost_points,
    pan,
    pixels_per_unit,
    project,
    ray,
    turn,
    zoom,
)
from topoview.topology import lattice

SIZE = (640.0, 360.0)

poses = st.builds(
    Pose,
    st.floats(-180, 180),
    st.floats(-90, 90),
    st.floats(5, 50),
    st.tuples(*[st.floats(-3, 3)] * 3),
    st.tuples(*[st.floats(-0.4, 0.4)] * 2),
    st.booleans(),
)


@pytest.mark.parametrize("parallel", [False, True])
def test_projects_as_vtk_does(stage: MakeStage, parallel: bool) -> None:
    drawn = stage(size=(640, 360))
    case = matched(lattice((4, 3, 2), (False,) * 3))
    drawn.scene.show(case.match, case.layout, case.matrix)
    pose = replace(drawn.scene.look("home"), shift=(0.2, -0.1), parallel=parallel)
    drawn.scene.look_with(pose)
    camera = drawn.view.renderer.GetActiveCamera()
    found = camera.GetCompositeProjectionTransformMatrix(640 / 360, -1, 1)
    matrix = np.array([[found.GetElement(i, j) for j in range(4)] for i in range(4)])
    places = np.column_stack([case.layout.positions, np.ones(24)]) @ matrix.T
    x, y = places[:, 0] / places[:, 3], places[:, 1] / places[:, 3]
    wanted = np.stack([(x + 1) * 320, (1 - y) * 180], axis=1)
    assert project(pose, case.layout.positions, SIZE) == pytest.approx(wanted)
    assert (np.abs(places[:, 2] / places[:, 3]) < 1).all(), "clipped away"


@given(poses, st.floats(0, 640), st.floats(0, 360))
def test_ray_meets_the_pixel(pose: Pose, x: float, y: float) -> None:
    origin, direction = ray(pose, x, y, SIZE)
    assert np.linalg.norm(direction) == pytest.approx(1)
    seen = project(pose, [origin + far * direction for far in (3.0, 20.0)], SIZE)
    assert seen == pytest.approx(np.array([[x, y]] * 2), abs=1e-5)


@given(poses, st.floats(0.3, 3), st.floats(0, 640), st.floats(0, 360))
def test_zoom_keeps_what_is_under_the_pointer(
    pose: Pose, factor: float, x: float, y: float
) -> None:
    nearer = zoom(pose, factor, x, y, SIZE)
    # a point of the focal plane, which is what zooming is about
    right, up, _ = pose.axes
    unit = pixels_per_unit(pose, [pose.focal], SIZE[1])[0]
    centre = project(pose, [pose.focal], SIZE)[0]
    way = (x - centre[0]) / unit * right - (y - centre[1]) / unit * up
    seen = project(nearer, [np.array(pose.focal) + way], SIZE)[0]
    assert seen == pytest.approx([x, y], abs=1e-6)
    assert nearer.distance == pytest.approx(pose.distance / factor)


@given(poses, st.floats(-100, 100), st.floats(-100, 100))
def test_pan_moves_by_pixels(pose: Pose, dx: float, dy: float) -> None:
    before = project(pose, [pose.focal], SIZE)
    after = project(pan(pose, dx, dy, SIZE[1]), [pose.focal], SIZE)
    assert after - before == pytest.approx(np.array([[dx, dy]]), abs=1e-6)


@given(poses, st.floats(-400, 400), st.floats(-400, 400))
def test_turn_stays_level_and_upright(
    pose: Pose, azimuth: float, elevation: float
) -> None:
    turned = turn(pose, azimuth, elevation)
    assert -90 <= turned.elevation <= 90
    right, up, _ = turned.axes
    assert right[2] == pytest.approx(0)
    assert up[2] >= -1e-9


@given(poses, poses)
def test_between_begins_and_ends(start: Pose, end: Pose) -> None:
    points = np.random.default_rng(0).normal(size=(5, 3))
    for share, pose in ((0.0, replace(start, parallel=end.parallel)), (1.0, end)):
        seen = project(interpolate_pose(start, end, share), points, SIZE)
        assert seen == pytest.approx(project(pose, points, SIZE), abs=1e-4)


@pytest.mark.parametrize("home", HOMES)
@pytest.mark.parametrize("size", [(892, 440), (1400, 690), (300, 600)])
@pytest.mark.parametrize("parallel", [False, True])
def test_fit_fills_the_margins(
    home: str, size: tuple[int, int], parallel: bool
) -> None:
    rng = np.random.default_rng(3)
    points = rng.normal(size=(60, 3)) * [5, 2, 1]
    margins = Margins()
    pose = fit_camera(
        points, np.full(60, 0.5), *HOMES[home], size, margins, parallel=parallel
    )
    seen = project(pose, points, size)
    ball = 0.5 * pixels_per_unit(pose, points, size[1])[:, None]
    low, high = (seen - ball).min(axis=0), (seen + ball).max(axis=0)
    room = np.array(
        [margins.left, margins.top, size[0] - margins.right, size[1] - margins.bottom]
    )
    assert (low >= room[:2] - 0.01).all()
    assert (high <= room[2:] + 0.01).all()
    filled = (high - low) / (room[2:] - room[:2])
    assert filled.max() == pytest.approx(1, abs=0.01)


@pytest.mark.parametrize("parallel", [False, True])
@pytest.mark.parametrize("ranks", [1, 2, 3])
def test_few_ranks_are_no_giants(ranks: int, parallel: bool) -> None:
    points = np.arange(ranks)[:, None] * [1.0, 0, 0]
    size = (892.0, 440.0)
    pose = fit_camera(
        points, np.full(ranks, 0.4), -58, 25, size, Margins(), parallel=parallel
    )
    unit = pixels_per_unit(pose, [pose.focal], size[1])[0]
    assert 5 * unit <= size[0]
    assert 2 * unit <= size[1]
    assert project(pose, points, size).mean(axis=0)[0] == pytest.approx(446, abs=10)


@pytest.mark.parametrize(
    ("count", "right", "down", "step"),
    [(4, 20, 16, 1), (4, 20, 10, 2), (3, 40, 0, 1), (50, 3, 1, 16), (5, 1, 0, 5)],
)
def test_labels_of_places_do_not_touch(
    count: int, right: float, down: float, step: int
) -> None:
    assert tick_step(count, -right, down) == step
    assert tick_step(count, right, -down) == step


def test_outermost_of_many_fits_all() -> None:
    points = np.random.default_rng(1).uniform(-1, 1, (20_000, 3)) * [9, 4, 3]
    some = points[outermost_points(points)]
    assert len(some) < 400
    assert np.abs(np.ptp(some, axis=0) - np.ptp(points, axis=0)).max() < 1e-12


@pytest.mark.parametrize("scattered", [False, True])
@pytest.mark.parametrize("shape", [(40, 30, 20), (200, 121, 1), (4001, 1, 1)])
def test_outermost_in_each_direction(
    scattered: bool, shape: tuple[int, int, int]
) -> None:
    """Whatever the order: none is further than these, in any direction of space."""
    rng = np.random.default_rng(len(shape) + scattered)
    points = np.stack(np.indices(shape), 3).reshape(-1, 3) * [1.0, 1.5, 0.5]
    if scattered:
        points = points[rng.permutation(len(points))]
    some = points[outermost_points(points)]
    assert len(some) < 400
    corners = itertools.product(*np.stack([points.min(0), points.max(0)], 1).tolist())
    assert set(corners) <= set(map(tuple, some.tolist()))


def test_field_of_view_is_the_style_s() -> None:
    assert FIELD_OF_VIEW == 22
