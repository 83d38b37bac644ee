"""What is written over planes beside each other, against counting by hand."""

import math
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from topoview.model import Geometry, Layout, Match, Pose, TimeState
from topoview.scene.axes.plane_faces import Room, borders, cut_block
from topoview.scene.axes.plane_sheet import (
    PlaneSheet,
    SheetMoment,
    SheetPlaces,
    shared_colours,
)
from topoview.scene.camera import PLANES_MARGINS as MARGINS
from topoview.scene.camera import fit_camera, on_whole_pixels, pixels_per_unit, project
from topoview.scene.ranks.slices import ranks_inside
from topoview.topology import lattice
from topoview.topology.layout.lay_out import lay_out

DIMS, SIZE = (5, 4, 3), (900.0, 500.0)


def planes_of(
    dims: tuple[int, ...], geometry: Geometry | None = None
) -> tuple[Match, Layout]:
    topology = lattice(dims, (False,) * len(dims))
    vertex = np.random.default_rng(1).permutation(topology.vertices).astype(np.int32)
    none = np.zeros((0, 2), np.int32)
    match = Match(topology, vertex, len(topology.edges), none, none, 1.0, 1.0)
    chosen = geometry or Geometry()
    return match, lay_out(match, None, "planes", chosen)  # type: ignore[arg-type]


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
    found = places.sheet(pose, SIZE, 0.0, (7,))
    assert places.sheet(pose, SIZE, 0.0, (7,)) is found
    codes = np.zeros(len(match.vertex), np.uint16)
    moment = places.moment(
        found,
        "now",
        states=np.where(waiting, TimeState.WAIT, TimeState.SEND).astype(np.uint8),
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
        np.testing.assert_allclose(plane.face.outline[0], low, atol=1e-3)
        np.testing.assert_allclose(plane.face.outline[2], high, atol=1e-3)


def test_the_place_of_a_selected_rank_is_marked_in_the_others(
    sheet: Case,
) -> None:
    match, layout, pose, _, _, found, _ = sheet
    same = (match.coordinates[:, :2] == match.coordinates[7, :2]).all(axis=1)
    same[7] = False
    middles = np.sort(found.places.mean(axis=1), axis=0)
    wanted = np.sort(project(pose, layout.positions[same], SIZE), axis=0)
    np.testing.assert_allclose(middles, wanted, atol=1e-3)


@given(
    st.integers(0, 2**32 - 1), st.integers(1, 4), st.integers(1, 6), st.integers(1, 7)
)
def test_borders_are_all_sides_between_places_inside_and_others(
    seed: int, faces: int, rows: int, columns: int
) -> None:
    rng = np.random.default_rng(seed)
    inside, here = rng.random((2, faces, rows, columns)) < 0.6
    wanted = set()
    for face, row, column in np.argwhere(here).tolist():
        for down, right in ((1, 0), (0, 1)):
            other = (face, row + down, column + right)
            if other[1] == rows or other[2] == columns or not here[other]:
                continue
            if inside[face, row, column] != inside[other]:
                begin = (column + right, row + down)
                wanted.add((face, begin, (column + 1, row + 1)))
    lines, seen = borders(inside, here), []
    for face, (begin, end) in zip(lines.face.tolist(), lines.ends, strict=True):
        count = round(float(np.abs(end - begin).sum()))
        way = (end - begin) / count
        for k in range(count):
            low, high = begin + way * k, begin + way * (k + 1)
            seen.append((face, tuple(low.tolist()), tuple(high.tolist())))
    assert set(seen) == wanted
    assert len(seen) == len(wanted)


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
    faces = tuple(plane.face for plane in found.planes)
    for lines in (moment.front, moment.end):  # what is not reached has the same border
        edges = lines.pixels(faces)
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


@given(
    st.tuples(st.integers(2, 9), st.integers(2, 9), st.integers(2, 9)),
    st.integers(0, 2**32 - 1),
    st.booleans(),
)
def test_the_rank_at_a_pixel_of_a_cut_block_is_seen_there(
    dims: tuple[int, int, int], seed: int, alone: bool
) -> None:
    rng = np.random.default_rng(seed)
    through = tuple(int(rng.integers(extent)) for extent in dims)
    ranks = rng.permutation(math.prod(dims)).reshape(dims[::-1])
    room = Room(70.0, 80.0, 400.0, 300.0)
    block = cut_block(ranks, through, ("x", "y", "z"), room, alone=alone)
    face = block.faces[int(rng.integers(len(block.faces)))]
    rows, columns = face.ranks.shape
    row, column = int(rng.integers(rows)), int(rng.integers(columns))
    x, y = face.pixels(np.array([column + 0.5, row + 0.5])).tolist()
    assert face.rank_at(x, y) == face.ranks[row, column]
    # Where a place is in the block says where its plane shows it, and the other way.
    z, beside, first = np.argwhere(ranks == face.ranks[row, column])[0].tolist()
    place = np.array([first, beside, z], np.float64) + 0.5
    np.testing.assert_allclose(block.origin + place @ block.steps, (x, y))
    # Nothing that is painted later, so before it, covers what is picked.
    seen = block.face_at(x, y)
    assert seen is not None
    later = block.faces[block.faces.index(seen) + 1 :]
    assert all(each.rank_at(x, y) is None for each in later)
    corners = np.concatenate([block.behind, block.before]).reshape(-1, 2)
    assert (corners >= (room.left - 1e-6, room.top - 1e-6)).all()
    end = (room.left + room.width + 1e-6, room.top + room.height + 1e-6)
    assert (corners <= end).all()


@pytest.mark.parametrize("across", [0, 1, 2])
@pytest.mark.parametrize("alone", [-1, 2])
@pytest.mark.parametrize("dims", [DIMS, (3, 4, 3, 2)])
def test_planes_are_across_any_axis_all_or_one_alone(
    dims: tuple[int, ...], across: int, alone: int
) -> None:
    """Each cell has the rank of its coordinates; all others are not drawn."""
    geometry = Geometry(across=across, alone=alone)
    match, layout = planes_of(dims, geometry)
    found = SheetPlaces(match, layout).sheet(pose_of(layout, SIZE), SIZE, 0.0, ())
    seen = [axis for axis in range(3) if axis != across]
    numbers = range(dims[across]) if alone < 0 else [alone]
    further = [f", w {w}" for w in range(dims[3])] if len(dims) > 3 else [""]
    names = [f"{'xyz'[across]} {k}{rest}" for rest in further for k in numbers]
    assert [plane.name for plane in found.planes] == names
    drawn: list[int] = []
    for plane in found.planes:
        face = plane.face
        assert face.ranks.shape == (dims[seen[1]], dims[seen[0]])
        here = match.coordinates[face.ranks]
        rows, columns = np.indices(face.ranks.shape)
        assert (here[..., seen[0]] == columns).all()
        assert (here[..., seen[1]] == rows).all()
        words = [
            f"{'xyzw'[axis]} {here[0, 0, axis]}"
            for axis in (across, *further_axes(dims))
        ]
        assert plane.name == ", ".join(words)
        drawn += face.ranks.ravel().tolist()
    inside = ranks_inside(layout, match, geometry)
    wanted = np.ones(len(match.vertex), bool) if inside is None else inside
    assert sorted(drawn) == np.flatnonzero(wanted).tolist()
    if alone >= 0:
        whole = planes_of(dims)[1]
        assert layout.cell >= whole.cell


def further_axes(dims: tuple[int, ...]) -> list[int]:
    return list(range(3, len(dims)))


@given(st.data())
def test_a_shared_pixel_has_the_colour_of_most_of_its_ranks(
    data: st.DataObject,
) -> None:
    """Of equals the higher; brute force over each block."""
    shape = data.draw(
        st.tuples(st.integers(1, 3), st.integers(1, 7), st.integers(1, 7))
    )
    side = data.draw(st.integers(1, 4))
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    codes = rng.integers(-1, data.draw(st.integers(1, 5)), shape)
    ranks = np.where(codes < 0, -1, rng.permutation(codes.size).reshape(shape))
    of_rank = np.zeros(codes.size, np.uint16)
    of_rank[ranks[codes >= 0]] = codes[codes >= 0]
    table = np.array([*range(6), 99], np.uint32)
    found = shared_colours(ranks, of_rank, side, table)
    for plane, row, column in np.ndindex(*found.shape):
        block = codes[plane, row * side :, column * side :][:side, :side]
        block = block.ravel().tolist()
        there = [code for code in block if code >= 0]
        most = max(there, key=lambda code: (there.count(code), code), default=99)
        assert found[plane, row, column] == most
