"""Very many ranks drawn by rays: the same picture as of meshes, and the same ranks."""

from dataclasses import replace

import numpy as np
import pytest
from scene_cases import Case, MakeStage, Stage, matched

from topoview.model import Geometry
from topoview.scene.actors import AMBIENT, DIFFUSE
from topoview.scene.level_of_detail import FULL_DETAIL
from topoview.scene.palette import THEMES
from topoview.scene.ranks.glyphs import BEVEL
from topoview.scene.ranks.picking import ray_balls, ray_boxes
from topoview.scene.ranks.rays import (
    NO_RANK,
    cast_rays,
    colour_pixels,
    depth_pixels,
    open_pixels,
)
from topoview.scene.shading import DEPTH_LEVELS, shade_by_state
from topoview.topology import lattice

SIZE = (320, 240)
WHOLE = Geometry()

ALIKE = 0.01
"""Share of the pixels that may differ: those that a rounding decides."""


@pytest.fixture(autouse=True)
def few_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    """Draw few ranks by rays."""
    monkeypatch.setattr("topoview.scene.ranks.rank_actors.MAX_RANKS_AS_MESHES", 8)


def block(dims: tuple[int, ...]) -> Case:
    """Make a grid, its ranks in a random order."""
    return matched(lattice(dims, (False,) * len(dims)), numbering=3)


def drawn(
    make: MakeStage, case: Case, *, rays: bool, geometry: Geometry = WHOLE
) -> Stage:
    """Draw random states."""
    made = make("light", SIZE, rays=rays)
    made.scene.show(case.match, case.layout, case.matrix, geometry)
    made.scene.show_edges(shown=False)
    paint(made, 1)
    return made


def paint(made: Stage, number: int) -> None:
    """Colour by random states."""
    states = np.random.default_rng(number).integers(0, 9, made.scene.ranks)
    theme = THEMES["light"]
    made.scene.colour(shade_by_state(theme, states.astype(np.uint8), frozenset()))


def words(colours: np.ndarray) -> np.ndarray:
    """Take the four bytes of a colour as a number."""
    return colours.view(np.uint32)[..., 0]


def differing(one: np.ndarray, other: np.ndarray) -> float:
    """Share of the pixels that are not the background in both that differ clearly."""
    some = (one != 255).any(axis=2) | (other != 255).any(axis=2)
    apart = np.abs(one.astype(int) - other).max(axis=2)
    return float((apart[some] > 24).mean())


@pytest.mark.parametrize(
    ("dims", "layout"), [((5, 4, 3), ""), ((9, 7), ""), ((5, 4, 3), "spectral")]
)
def test_rays_draw_what_meshes_draw(
    stage: MakeStage, dims: tuple[int, ...], layout: str
) -> None:
    case = matched(lattice(dims, (False,) * len(dims)), layout, numbering=3)
    one, other = (drawn(stage, case, rays=rays) for rays in (False, True))
    assert differing(one.picture(), other.picture()) < ALIKE
    home = one.scene.pose
    for pose in (
        replace(home, azimuth=home.azimuth + 70, elevation=-20.0),
        replace(home, parallel=True),
        replace(home, azimuth=-90.0, elevation=0.0, parallel=True),
        replace(home, distance=home.distance / 3, shift=(0.2, -0.1)),
    ):
        for made in (one, other):
            made.scene.look_with(pose)
        assert differing(one.picture(), other.picture()) < ALIKE
    for made in (one, other):
        paint(made, 2)
        made.scene.mark((7,))
    assert differing(one.picture(), other.picture()) < ALIKE


def test_rays_follow_slices_and_other_places(stage: MakeStage) -> None:
    case = block((5, 4, 3))
    one, other = (drawn(stage, case, rays=rays) for rays in (False, True))
    for made in (one, other):
        made.picture()
        made.scene.slice(Geometry(ranges=((0, 1, 2),), outside="hidden"))
    assert differing(one.picture(), other.picture()) < ALIKE
    shifted = one.scene.places * [1.0, 0.6, 1.2]
    for made in (one, other):
        made.scene.displace(shifted)
    assert differing(one.picture(), other.picture()) < ALIKE


def test_the_rank_of_a_pixel_is_that_of_its_line_of_sight(stage: MakeStage) -> None:
    case = block((6, 5, 4))
    one, other = (drawn(stage, case, rays=rays) for rays in (False, True))
    found = 0
    pixels = np.argwhere((one.picture() != 255).any(axis=2))
    for y, x in np.random.default_rng(0).choice(pixels, 200, replace=False).tolist():
        at = x + 0.5, y + 0.5
        rank = one.scene.pick(*at)
        found += rank is not None
        if rank is not None:  # else a rim of the picture by rays may be there
            assert other.scene.pick(*at) in (rank, *beside(other, *at))
    assert found > 100
    assert other.scene.pick(2.0, 2.0) is None
    assert other.scene.pick(-1.0, 400.0) is None


def beside(made: Stage, x: float, y: float) -> set[int | None]:
    """Find the rank whose rim hides what a line of sight meets."""
    ranks = made.scene._ranks
    assert ranks is not None
    assert ranks.impostors is not None
    seen = int(ranks.impostors._seen.ranks[int(y), int(x)])
    return {int(ranks.impostors.ranks[-2 - seen])} if seen < NO_RANK else set()


@pytest.mark.parametrize("boxes", [True, False])
@pytest.mark.parametrize("parallel", [True, False])
def test_each_pixel_shows_the_nearest(boxes: bool, parallel: bool) -> None:
    rng = np.random.default_rng(5)
    places = rng.uniform(-3, 3, (40, 3)).astype(np.float32)
    sizes = rng.uniform(0, 1.2, 40).astype(np.float32)
    sizes[::7] = 0
    half = np.array([0.5, 0.5, 0.2]) if boxes else np.full(3, 0.5)
    pose_axes = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    pose_axes[2] *= np.sign(np.linalg.det(pose_axes)) * -1
    right, up, ahead = pose_axes
    eye, unit = -8.0 * ahead, 30.0 if parallel else 200.0
    lamp = np.array([0.3, 0.6, -0.2])
    lamp /= np.linalg.norm(lamp)
    width, height = 61, 47
    near = 1.0 if boxes else 5.5  # bevels begin later than boxes
    view = np.array(
        [*right, *up, *ahead, *eye, unit, 33.0, 21.0, 1.0 - parallel, near, *lamp]
    )
    ranks = np.full((height, width), NO_RANK, np.int32)
    depths = np.full((height, width), np.inf, np.float32)
    lights = np.zeros((height, width), np.uint8)
    numbers = rng.permutation(40).astype(np.int32)
    shape = tuple(half.tolist())
    cast_rays(*(places, sizes, shape, 1.0, view, boxes, numbers, ranks, depths, lights))
    met = 0
    for row in range(height):
        for column in range(width):
            aside = ((column + 0.5 - 33) * right + (row + 0.5 - 21) * up) / unit
            origin = eye + aside if parallel else eye
            way = ahead if parallel else ahead + aside
            way = way / np.linalg.norm(way)
            centres, extents = places.astype(float), sizes[:, None] * half
            if boxes:
                far = ray_boxes(origin, way, centres, extents)
            else:
                far = ray_balls(origin, way, centres, extents[:, 0])
            far = np.where(sizes > 0, far * (way @ ahead), np.inf)
            far[far <= near] = np.inf  # it begins before the nearest depth
            nearest = int(far.argmin())
            if np.isfinite(far[nearest]):
                at = origin + way * far[nearest] / (way @ ahead)
                out = (at - centres[nearest]) / extents[nearest]
                if boxes and (abs(out) > 1 - 2 * BEVEL).sum() > 1:
                    continue  # a bevel
                met += 1
                assert ranks[row, column] == numbers[nearest]
                assert depths[row, column] == pytest.approx(far[nearest], abs=1e-4)
                if not boxes:
                    light = min(AMBIENT + DIFFUSE * max(out @ lamp, 0), 1)
                    assert lights[row, column] == pytest.approx(255 * light, abs=1)
            else:
                assert ranks[row, column] == NO_RANK
    assert met > 400


def test_samples_of_a_pixel_mix_as_they_cover_it() -> None:
    ranks = np.array([[0, 1, -1, -1], [1, 1, -1, 0]], np.int32)
    depths = np.where(ranks < 0, np.inf, [[2, 3, 9, 9], [4, 5, 9, 7]])
    lights = np.array([[255, 255, 0, 0], [255, 51, 0, 255]], np.uint8)
    table = np.zeros((2 * DEPTH_LEVELS + 1, 4), np.uint8)
    table[:DEPTH_LEVELS, :3], table[DEPTH_LEVELS:-1, :3] = [200, 100, 0], [40, 20, 250]
    found = np.zeros((1, 2, 4), np.uint8)
    deep = np.zeros((1, 2), np.float32)
    colour_pixels(
        *(ranks, depths.astype(np.float32), lights, np.array([0, 1], np.uint16)),
        *(words(table), (0.0, 10.0), words(found)),
    )
    depth_pixels(depths.astype(np.float32), (1.0, 11.0, 0.0), deep)
    mixed = (np.array([200, 100, 0]) + 2.2 * np.array([40, 20, 250])) / 4
    np.testing.assert_allclose(found[0, 0, :3], mixed, atol=1)
    np.testing.assert_array_equal(found[0, 1, :3], [200, 100, 0])
    assert found[0, :, 3].tolist() == [255, 63]
    np.testing.assert_allclose(deep[0], [0.1, 0.6], atol=1e-6)


def test_a_sample_a_pixel_is_the_mixture_of_equal_samples() -> None:
    rng = np.random.default_rng(5)
    ranks = rng.integers(-9, 7, (40, 30)).astype(np.int32)
    depths = rng.uniform(0, 12, ranks.shape).astype(np.float32)
    depths[ranks == NO_RANK] = np.inf
    lights = rng.integers(0, 256, ranks.shape).astype(np.uint8)
    table = rng.integers(0, 256, (7 * DEPTH_LEVELS + 1, 4)).astype(np.uint8)
    table[-1, 3] = 0
    codes = rng.permutation(7).astype(np.uint16)
    found = np.zeros((2, *ranks.shape, 4), np.uint8)
    for many, into in zip((1, 2), found, strict=True):
        samples = (
            np.repeat(np.repeat(one, many, axis=0), many, axis=1)
            for one in (ranks, depths, lights)
        )
        colour_pixels(*samples, codes, words(table), (2.0, 10.0), words(into))
    np.testing.assert_array_equal(found[0], found[1])
    assert (found[0, ranks == NO_RANK] == table[-1]).all()
    step = np.clip((depths[ranks >= 0] - 2) / 8 * (DEPTH_LEVELS - 1) + 0.5, 0, 15)
    rows = codes[ranks[ranks >= 0]] * DEPTH_LEVELS + step.astype(int)
    shown = table[rows, :3] * (lights[ranks >= 0] / 255)[:, None]
    np.testing.assert_allclose(found[0, ranks >= 0, :3], shown, atol=0.51)


def test_lines_are_before_and_behind_ranks_as_with_meshes(stage: MakeStage) -> None:
    case = block((4, 3, 3))
    pictures = []
    for rays in (False, True):
        made = drawn(stage, case, rays=rays)
        made.scene.show_edges(shown=True)
        pictures.append(made.picture())
    bare = drawn(stage, case, rays=True).picture()
    assert differing(*pictures) < 2 * ALIKE
    assert differing(bare, pictures[1]) > 0.1


def test_a_rank_beside_the_camera_is_no_trouble(stage: MakeStage) -> None:
    case = block((5, 4, 3))
    one, other = (drawn(stage, case, rays=rays) for rays in (False, True))
    for made in (one, other):
        x, y, z = made.scene.places[11]
        made.scene.look_with(
            replace(made.scene.pose, focal=(x, y, z), distance=2.0, shift=(0.0, 0.0))
        )
    assert differing(one.picture(), other.picture()) < ALIKE
    assert one.scene.pick(120.0, 80.0) == other.scene.pick(120.0, 80.0)


def test_a_picture_at_rest_is_the_mixture_of_its_samples(stage: MakeStage) -> None:
    case = block((9, 8, 7))
    one = drawn(stage, case, rays=True)
    coarse = one.picture()
    asked = one.scene.ask_fine()
    assert asked is not None
    assert one.scene.take_fine(asked, asked.answer())
    assert one.scene.ask_fine() is None
    fine = one.picture()
    large = stage("light", (3 * SIZE[0], 3 * SIZE[1]), rays=True)
    large.scene.show(case.match, case.layout, case.matrix)
    large.scene.show_edges(shown=False)
    paint(large, 1)
    large.scene.resize(SIZE, 3.0, 0.0)  # rims and margins as in the small picture
    large.scene.look_with(one.scene.pose)
    samples = large.picture().reshape(SIZE[1], 3, SIZE[0], 3, 3)
    mixed = samples.mean(axis=(1, 3))
    assert np.abs(fine - mixed).mean() < 0.2
    assert np.abs(coarse - mixed).mean() > 1
    paint(one, 2)
    assert differing(one.picture(), fine) > 0.3, "colours change, samples stay or not"


def test_a_frame_of_rays_alone_needs_no_vtk(stage: MakeStage) -> None:
    one = drawn(stage, block((5, 4, 3)), rays=True)
    scene = one.scene
    assert scene.pixels() is None, "smooth"
    scene.reduce(replace(FULL_DETAIL, smooth=False))
    for time in (1, 2):
        paint(one, time)
        found = scene.pixels()
        assert found is not None
        np.testing.assert_allclose(found[:, :, 2::-1], one.picture(), atol=1)
        assert (found[:, :, 3] == 255).all()
    scene.look_with(replace(scene.pose, azimuth=5.0))
    found = scene.pixels()
    assert found is not None
    coarse = found.copy()
    np.testing.assert_allclose(found[:, :, 2::-1], one.picture(), atol=1)
    asked = scene.ask_fine()
    assert asked is not None
    assert scene.take_fine(asked, asked.answer())
    fine = one.picture()
    assert differing(fine, coarse[:, :, 2::-1]) > ALIKE
    np.testing.assert_array_equal(scene.pixels(), coarse)
    assert scene.ask_fine() is not None, "at rest again"
    scene.look_with(replace(scene.pose, azimuth=9.0))
    scene.show_edges(shown=True)
    assert scene.pixels() is None, "edges"
    assert drawn(stage, block((2, 2, 2)), rays=True).scene.pixels() is None, "meshes"


def test_a_picture_of_what_has_changed_is_not_taken(stage: MakeStage) -> None:
    one = drawn(stage, block((5, 4, 3)), rays=True)
    one.picture()
    asked = one.scene.ask_fine()
    assert asked is not None
    one.scene.look_with(replace(one.scene.pose, azimuth=5.0))
    before = one.picture()
    assert not one.scene.take_fine(asked, asked.answer())
    asked = one.scene.ask_fine()
    assert asked is not None
    one.scene.slice(Geometry(ranges=((0, 1, 2),), outside="hidden"))
    assert not one.scene.take_fine(asked, asked.answer())
    assert differing(one.picture(), before) > 0.1
    bare = drawn(stage, block((2, 2, 2)), rays=True)
    assert bare.scene.ask_fine() is None, "meshes do for few"


def test_a_rough_frame_has_a_sample_of_four_pixels_while_the_camera_moves(
    stage: MakeStage,
) -> None:
    one = drawn(stage, block((5, 4, 3)), rays=True)
    scene = one.scene
    scene.reduce(replace(FULL_DETAIL, smooth=False, sharp=False))
    still = scene.pixels()
    assert still is not None
    assert still.shape == (*SIZE[::-1], 4), "nothing has moved"
    scene.look_with(replace(scene.pose, azimuth=5.0))
    rough = scene.pixels()
    assert rough is not None
    assert rough.shape == (SIZE[1] // 2, SIZE[0] // 2, 4)
    rough, picture = rough.copy(), one.picture()
    sharp = scene.pixels()
    assert sharp is not None
    assert sharp.shape == still.shape, "it stands still"
    np.testing.assert_allclose(sharp[:, :, 2::-1], picture, atol=1)
    scene.look_with(replace(scene.pose, azimuth=5.2))
    through_vtk = one.picture()
    scene.look_with(replace(scene.pose, azimuth=5.0))
    np.testing.assert_array_equal(scene.pixels(), rough)
    blocks = through_vtk.reshape(SIZE[1] // 2, 2, SIZE[0] // 2, 2, 3)
    assert (blocks == blocks[:, :1, :, :1]).all(), "each four are alike"
    asked = scene.ask_fine()
    assert asked is not None
    found = asked.answer()
    assert found.ranks.shape == (3 * SIZE[1], 3 * SIZE[0])
    assert scene.take_fine(asked, found)


def test_the_sample_of_four_pixels_is_in_their_middle(stage: MakeStage) -> None:
    one = drawn(stage, block((9, 8, 7)), rays=True)
    asked = one.scene.ask_fine()
    assert asked is not None
    numbers = asked.view.numbers.copy()
    numbers[13:15] -= 0.5
    corners = replace(asked.view, numbers=numbers)
    truth = replace(asked, samples=1, view=corners).answer()
    rough = replace(asked, samples=0.5).answer()
    np.testing.assert_array_equal(rough.ranks, truth.ranks[::2, ::2])
    np.testing.assert_allclose(rough.depths, truth.depths[::2, ::2])


@pytest.mark.parametrize("hull", [1.0, 1.2])
@pytest.mark.parametrize("share", [0.0, 0.03, 0.5, 1.0])
def test_sizes_that_change_are_as_if_all_rays_were_cast_anew(
    stage: MakeStage, hull: float, share: float
) -> None:
    made = drawn(stage, block((9, 8, 7)), rays=True)
    made.picture()
    first = made.scene.ask_fine()
    assert first is not None
    rng = np.random.default_rng(3)
    asked = replace(first, samples=1, hull=hull)
    picture = asked.answer()
    for _ in range(3):
        other = rng.choice([0.0, 0.2, 0.6, 0.8], len(asked.sizes)).astype(np.float32)
        some = rng.random(len(other)) < share
        coming = replace(asked, sizes=np.where(some, other, asked.sizes))
        kept = picture.depths
        picture, alone = coming.answer(picture, asked), coming.answer()
        assert picture.depths is kept, "no other picture"
        seen = alone.ranks != NO_RANK
        np.testing.assert_array_equal(picture.ranks, alone.ranks)
        np.testing.assert_array_equal(picture.depths, alone.depths)
        np.testing.assert_array_equal(picture.lights[seen], alone.lights[seen])
        asked = coming
    assert seen.any()


@pytest.mark.parametrize(("most", "casts"), [(60, 1), (59, 0)])
def test_of_very_many_ranks_only_colours_change_with_time(
    stage: MakeStage, monkeypatch: pytest.MonkeyPatch, most: int, casts: int
) -> None:
    monkeypatch.setattr("topoview.scene.ranks.forms.MAX_RANKS_RESIZED", most)
    made, count = drawn(stage, block((5, 4, 3)), rays=True), []
    monkeypatch.setattr(
        "topoview.scene.ranks.rays.open_pixels",
        lambda *given: count.append(1) or open_pixels(*given),
    )
    monkeypatch.setattr("topoview.base.threads.MAX_THREADS", 1)
    first = made.picture()
    paint(made, 2)
    assert differing(first, made.picture()) > ALIKE
    assert len(count) == casts
