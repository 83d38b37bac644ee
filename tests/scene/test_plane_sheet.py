"""What is written over planes beside each other, against counting by hand."""

from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from topoview.model import Layout, Match, Pose
from topoview.scene.axes.plane_sheet import PlaneSheet, SheetMoment, SheetPlaces
from topoview.scene.camera import PLANES_MARGINS as MARGINS
from topoview.scene.camera import fit_camera, on_whole_pixels, pixels_per_unit, project
from topoview.topology import lattice
from topoview.topology.layout.lay_out import lay_out

DIMS, SIZE = (5, 4, 3), (900.0, 500.0)


def planes_of(dims: tuple[int, ...]) -> tuple[Match, Layout]:
    topology = lattice(dims, (False,) * len(dims))
    vertex = np.random.default_rng(1).permutation(topology.vertices).astype(np.int32)
    none = np.zeros((0, 2), np.int32)
    match = Match(topology, vertex, len(topology.edges), none, none, 1.0, 1.0)
    return match, lay_out(match, None, "planes")  # type: ignore[arg-type]


def pose_of(layout: Layout, size: tuple[float, float], ratio: float = 1.0) -> Pose:
    places = layout.positions.astype(float)
    radii = np.full(len(places), 0.71)
    pose = fit_camera(places, radii, -90.0, 90.0, size, MARGINS)
    return on_whole_pixels(pose, places, size, ratio)


@given(st.integers(300, 2000), st.integers(250, 1100), st.sampled_from([1.0, 1.5, 2.0]))
def test_sides_of_ranks_are_on_whole_pixels(
    width: int, height: int, ratio: float
) -> None:
    _, layout = planes_of(DIMS)
    size = float(width), float(height)
    pose = pose_of(layout, size, ratio)
    unit = float(pixels_per_unit(pose, [pose.focal], size[1])[0]) * ratio
    for side in (-0.5, 0.5):
        seen = (
            project(pose, layout.positions + np.array([side, side, 0.0]), size) * ratio
        )
        if unit >= 1:
            np.testing.assert_allclose(seen, np.rint(seen), atol=1e-4)
    inside = project(pose, layout.positions, size)
    assert (inside >= 0).all()
    assert (inside <= size).all()


class Case(NamedTuple):
    match: Match
    layout: Layout
    pose: Pose
    waiting: np.ndarray
    reached: np.ndarray
    sheet: PlaneSheet
    moment: SheetMoment


@pytest.fixture(scope="module")
def sheet() -> Case:
    match, layout = planes_of(DIMS)
    pose = pose_of(layout, SIZE)
    rng = np.random.default_rng(2)
    waiting, reached = rng.random((2, len(match.vertex))) < 0.4
    places = SheetPlaces(match, layout)
    found = places.sheet(pose, SIZE, (7,))
    assert places.sheet(pose, SIZE, (7,)) is found
    codes = np.zeros(len(match.vertex), np.uint16)
    moment = places.moment(
        pose,
        SIZE,
        waiting=waiting,
        codes=codes,
        colours=("#ffffff",),
        reached=reached,
        left=~reached,
    )
    return Case(match, layout, pose, waiting, reached, found, moment)


def test_planes_have_their_names_and_what_waits(
    sheet: Case,
) -> None:
    match, layout, pose, waiting, _, found, moment = sheet
    seen = project(pose, layout.positions, SIZE)
    assert [plane.name for plane in found.planes] == ["z 0", "z 1", "z 2"]
    for z, plane in enumerate(found.planes):
        here = match.coordinates[:, 2] == z
        assert moment.waiting[z] == pytest.approx(waiting[here].mean())
        assert plane.chosen == here[7]
        half = found.cell / 2
        low, high = seen[here].min(axis=0) - half, seen[here].max(axis=0) + half
        np.testing.assert_allclose(plane.corners[0], low, atol=1e-3)
        np.testing.assert_allclose(plane.corners[2], high, atol=1e-3)


def test_the_place_of_a_selected_rank_is_marked_in_the_others(
    sheet: Case,
) -> None:
    match, layout, pose, _, _, found, _ = sheet
    same = (match.coordinates[:, :2] == match.coordinates[7, :2]).all(axis=1)
    same[7] = False
    middles = np.sort(found.places.mean(axis=1), axis=0)
    wanted = np.sort(project(pose, layout.positions[same], SIZE), axis=0)
    np.testing.assert_allclose(middles, wanted, atol=1e-3)


def in_pieces(edge: np.ndarray, cell: float) -> np.ndarray:
    """Cut a line into those between two ranks each."""
    begin, end = edge
    count = round(float(np.abs(end - begin).max()) / cell)
    ends = begin + (end - begin) * np.linspace(0, 1, count + 1)[:, None]
    return np.stack([ends[:-1], ends[1:]], axis=1)


def test_the_front_runs_between_ranks_that_it_has_reached_and_others(
    sheet: Case,
) -> None:
    match, layout, pose, _, reached, found, moment = sheet
    at = {tuple(place): rank for rank, place in enumerate(match.coordinates.tolist())}
    wanted = set()
    for (x, y, z), rank in at.items():
        for step in ((1, 0), (0, 1)):
            other = at.get((x + step[0], y + step[1], z))
            if other is None or reached[rank] == reached[other]:
                continue
            both = layout.positions[[rank, other]].astype(float)
            middle = project(pose, [both.mean(axis=0)], SIZE)[0]
            wanted.add((*np.rint(middle).tolist(), step[0] == 1))
    for edges in (moment.front, moment.end):  # what is not reached has the same border
        edges = np.concatenate([in_pieces(edge, found.cell) for edge in edges])
        middles = np.rint(edges.mean(axis=1)).tolist()
        upright = np.abs(np.diff(edges, axis=1)[:, 0, 0]) < 1e-6
        seen = {(*m, bool(u)) for m, u in zip(middles, upright, strict=True)}
        assert seen == wanted
        assert len(edges) == len(wanted)


def test_the_block_is_cut_through_the_selected_rank(
    sheet: Case,
) -> None:
    match, *_, found, _ = sheet
    block, through = found.block, match.coordinates[7]
    assert block is not None
    drawn = np.unique(np.concatenate([face.ranks.ravel() for face in block.faces]))
    cut = np.flatnonzero((match.coordinates == through).any(axis=1))
    assert drawn.tolist() == cut.tolist()
    assert 7 in drawn
    corners = np.concatenate([block.behind, block.before]).reshape(-1, 2)
    low, high = corners.min(axis=0), corners.max(axis=0)
    for face in block.faces:
        rows, columns = face.ranks.shape
        end = face.corner + face.across * columns + face.down * rows
        for place in (face.corner, end):
            assert (place >= low - 1e-6).all()
            assert (place <= high + 1e-6).all()
    assert (low > [600, 0]).all(), "beside the planes"
    assert len(block.before) == 9
