"""Pictures read back: what is seen at a rank's place is its state."""

from dataclasses import replace

import numpy as np
import pytest
from scene_cases import Case, MakeStage, matched
from scipy.sparse import csr_array

from topoview.live.moments.messages import NO_MESSAGES
from topoview.model import CommunicationMatrix, Pose, RankValues, TimeState
from topoview.scene.level_of_detail import FULL_DETAIL
from topoview.scene.palette import THEMES, rgb
from topoview.scene.ranks.glyphs import HALO_PIXELS
from topoview.scene.shading import (
    Shading,
    shade_by_state,
    shade_by_values,
    value_colours,
)
from topoview.scene.topology_scene import TopologyScene
from topoview.topology import complete, lattice, lay_out, star


def nearest_state(pixel: np.ndarray, theme: str) -> int:
    """State whose colour is nearest, in some light and at some depth."""
    return nearest(pixel, THEMES[theme].state_table.astype(float), theme)


def nearest(pixel: np.ndarray, table: np.ndarray, theme: str) -> int:
    background = np.array(rgb(THEMES[theme].panel))
    fade = np.linspace(0, 0.22, 12)[:, None, None]
    faded = table * (1 - fade) + background * fade
    shades = np.linspace(0.58, 1.02, 23)[:, None, None, None] * faded
    return int(np.linalg.norm(shades - pixel, axis=3).min(axis=(0, 1)).argmin())


def shaded(codes: np.ndarray, *focus: TimeState) -> Shading:
    return shade_by_state(THEMES["light"], codes, frozenset(map(int, focus)))


def grazing(case: Case, pose: Pose) -> np.ndarray:
    """Ranks on curved layouts that are seen from the side or from behind."""
    if not len(case.layout.normals):
        return np.zeros(len(case.layout.positions), bool)
    sight = pose.eye - case.layout.positions
    sight /= np.linalg.norm(sight, axis=1, keepdims=True)
    return (sight * case.layout.normals).sum(axis=1) < 0.25


def is_in_front(scene: TopologyScene, rank: int, x: float, y: float) -> bool:
    """Tell whether a rank is seen, and no rim of another one is."""
    rim = HALO_PIXELS + 1
    around = ((0, 0), (rim, 0), (-rim, 0), (0, rim), (0, -rim))
    return all(scene.pick(x + right, y + down) == rank for right, down in around)


STATES = [TimeState.SEND, TimeState.WAIT, TimeState.COLLECTIVE, TimeState.IO]

CASES = {
    "flat": (lattice((8, 6), (False, False)), "flat"),
    "cube": (lattice((4, 4, 4), (True,) * 3), "grid"),
    "torus": (lattice((9, 5), (True, True)), "torus"),
    "tiles": (lattice((24, 16), (True, True)), "torus"),
    "tube tiles": (lattice((24, 16), (True, False)), "tube"),
    "star": (star(12), "star"),
    "circle": (complete(12), "circle"),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_colours_of_the_ranks(stage: MakeStage, name: str, theme: str) -> None:
    topology, layout = CASES[name]
    case = matched(topology, layout, numbering=5)
    drawn = stage(theme)
    scene = drawn.scene
    scene.show(case.match, case.layout, case.matrix)
    scene.show_edges(shown=False)
    n = topology.vertices
    codes = np.random.default_rng(2).choice(STATES, n).astype(np.uint8)
    scene.colour(shade_by_state(THEMES[theme], codes, frozenset()))
    picture = drawn.picture()
    places = scene.project(np.arange(n))
    hidden = grazing(case, scene.pose)
    seen = 0
    for rank, (x, y) in enumerate(places):
        if hidden[rank] or not is_in_front(scene, rank, x, y):
            continue
        seen += 1
        pixel = picture[int(y), int(x)].astype(float)
        assert nearest_state(pixel, theme) == codes[rank], (rank, pixel)
    assert seen >= n // 4
    if name in ("flat", "star", "circle"):
        assert seen >= n - 2


@pytest.mark.parametrize("name", CASES)
def test_pick_finds_the_front_most(stage: MakeStage, name: str) -> None:
    """The picture itself is the truth: each rank in a colour that no other has."""
    topology, layout = CASES[name]
    case = matched(topology, layout, numbering=6)
    drawn = stage("light")
    scene = drawn.scene
    scene.show(case.match, case.layout, case.matrix)
    scene.show_edges(shown=False)
    n = topology.vertices
    codes = np.full(n, TimeState.SETUP, np.uint8)
    rng = np.random.default_rng(7)
    for rank in rng.choice(n, 6, replace=False):
        codes[:] = TimeState.SETUP
        codes[rank] = TimeState.WAIT
        scene.colour(shaded(codes))
        picture = drawn.picture().astype(int)
        orange = (picture[..., 0] - picture[..., 2] > 90) & (picture[..., 0] > 130)
        inside = orange.copy()
        for axis in (0, 1):
            for by in (-2, 2):
                inside &= np.roll(orange, by, axis)
        ys, xs = np.nonzero(inside)
        for k in range(0, len(xs), max(1, len(xs) // 5)):
            assert scene.pick(xs[k] + 0.5, ys[k] + 0.5) == rank


def test_pick_beside_everything(stage: MakeStage) -> None:
    case = matched(lattice((4, 3), (False, False)), "flat")
    scene = stage().scene
    scene.show(case.match, case.layout, case.matrix)
    assert scene.pick(1, 1) is None
    assert scene.pick_edge(1, 1) is None


def test_pick_edge(stage: MakeStage) -> None:
    case = matched(lattice((4, 3), (False, False)), "flat", numbering=3)
    scene = stage().scene
    scene.show(case.match, case.layout, case.matrix)
    for edge in case.match.rank_edges:
        x, y = scene.project(edge).mean(axis=0)
        assert scene.pick_edge(x, y) == tuple(edge)


def test_focus_shrinks_the_others(stage: MakeStage) -> None:
    case = matched(lattice((6, 4), (False, False)), "flat")
    drawn = stage()
    drawn.scene.show(case.match, case.layout, case.matrix)
    drawn.scene.show_edges(shown=False)
    codes = np.full(24, TimeState.COMPUTE, np.uint8)
    codes[5] = TimeState.WAIT
    drawn.scene.colour(shaded(codes))
    before = (drawn.picture() != 255).any(axis=2).sum()
    drawn.scene.colour(shaded(codes, TimeState.WAIT))
    after = (drawn.picture() != 255).any(axis=2).sum()
    assert after < 0.2 * before
    assert np.ptp(drawn.scene.outline(5), axis=0).max() > 20
    assert np.ptp(drawn.scene.outline(6), axis=0).max() < 12


def test_focus_among_many_leaves_the_others_out(stage: MakeStage) -> None:
    case = matched(lattice((13, 13, 13), (False,) * 3), "grid")
    drawn = stage()
    scene = drawn.scene
    scene.show(case.match, case.layout, case.matrix)
    codes = np.full(13**3, TimeState.COMPUTE, np.uint8)
    codes[1000] = TimeState.WAIT
    scene.colour(shaded(codes, TimeState.WAIT))
    (x, y) = scene.project(np.array([1000]))[0]
    assert scene.pick(x, y) == 1000
    pixel = drawn.picture()[int(y), int(x)].astype(float)
    assert nearest_state(pixel, "light") == TimeState.WAIT
    assert len(scene.axis_labels()) > 6


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("name", ["flat", "tiles", "cube"])
def test_numbers_have_the_colours_of_their_scale(
    stage: MakeStage, name: str, theme: str
) -> None:
    topology, layout = CASES[name]
    case = matched(topology, layout, numbering=5)
    drawn = stage(theme)
    scene = drawn.scene
    scene.show(case.match, case.layout, case.matrix)
    scene.show_edges(shown=False)
    n = topology.vertices
    numbers = np.random.default_rng(3).choice([0.0, 50.0, 100.0], n)
    found = RankValues(numbers, 0.0, 100.0)
    scale = value_colours(THEMES[theme], found)
    scene.colour(shade_by_values(THEMES[theme], found))
    picture = drawn.picture()
    hidden, seen = grazing(case, scene.pose), 0
    for rank, (x, y) in enumerate(scene.project(np.arange(n))):
        if hidden[rank] or not is_in_front(scene, rank, x, y):
            continue
        seen += 1
        pixel = picture[int(y), int(x)].astype(float)
        table = np.array([rgb(scale[at]) for at in (0, len(scale) // 2, -1)], float)
        assert nearest(pixel, table, theme) == numbers[rank] // 50, (rank, pixel)
    assert seen >= n // 4


def test_dots_while_moving(stage: MakeStage) -> None:
    case = matched(lattice((18, 18, 18), (False,) * 3))
    drawn = stage()
    scene = drawn.scene
    scene.show(case.match, case.layout, case.matrix)
    scene.colour(shaded(np.full(18**3, TimeState.WAIT, np.uint8)))
    x, y = map(int, scene.project(np.array([0]))[0])
    for detail in (FULL_DETAIL, replace(FULL_DETAIL, glyphs=False), FULL_DETAIL):
        scene.reduce(detail)
        assert nearest_state(drawn.picture()[y, x].astype(float), "light") == 4


def test_theme_changes_the_background(stage: MakeStage) -> None:
    case = matched(lattice((4, 3), (False, False)))
    drawn = stage()
    drawn.scene.show(case.match, case.layout, case.matrix)
    for theme, corner in (("light", [255, 255, 255]), ("dark", [0x16, 0x18, 0x1B])):
        drawn.scene.set_theme(theme)
        assert drawn.picture()[0, 0].tolist() == corner


def test_messages_are_drawn_at_the_right_of_their_edges(stage: MakeStage) -> None:
    case = matched(lattice((4, 1), (False, False)), "flat")
    drawn = stage()
    scene = drawn.scene
    scene.show(case.match, case.layout, case.matrix)
    scene.show_edges(shown=False)
    scene.colour(shaded(np.full(4, TimeState.OUTSIDE, np.uint8)))
    scene.look_with(scene.look("above"))
    blank = drawn.picture()
    one = np.ones(1, np.int32)
    scene.show_messages(
        replace(
            NO_MESSAGES,
            message=one.astype(np.int64),
            sender=one,
            receiver=2 * one,
            share=np.array([0.5]),
            early=np.zeros(1, bool),
            awaited=np.zeros(1, bool),
            marked=np.zeros(1, bool),
            total=1,
            codes=np.zeros(1, np.uint16),
        )
    )
    ys, xs = np.nonzero((drawn.picture() != blank).any(axis=2))
    (ax, ay), (bx, by) = scene.project(np.array([1, 2]))
    assert min(ax, bx) < xs.mean() < max(ax, bx)
    way, aside = (
        np.array([bx - ax, by - ay]),
        np.array([xs.mean() - ax, ys.mean() - ay]),
    )
    assert way[0] * aside[1] - way[1] * aside[0] > 0, "to the right, y down the screen"
    scene.show_messages(NO_MESSAGES)
    assert (drawn.picture() == blank).all()


def test_silent_ranks_beside_a_torus(stage: MakeStage) -> None:
    case = matched(lattice((24, 16), (True, True)), "torus")
    vertex = np.append(case.match.vertex, [-1, -1]).astype(np.int32)
    match = replace(case.match, vertex=vertex)
    wider = csr_array(case.matrix.calls)
    wider.resize((386, 386))
    matrix = CommunicationMatrix.of_sparse(wider, wider)
    scene = stage().scene
    scene.show(match, lay_out(match, matrix, "torus"), matrix)
    x, y = scene.project(np.array([385]))[0]
    assert scene.pick(x, y) == 385


def test_nothing_to_show(stage: MakeStage) -> None:
    drawn = stage()
    assert (drawn.picture() == 255).all()
    assert drawn.scene.pick(10, 10) is None
    assert drawn.scene.project(np.zeros(0, np.int32)).shape == (0, 2)
