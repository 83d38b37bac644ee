"""Rims, sizes, ranks seen through, and chains of waiting, by the pixels they take."""

from dataclasses import replace

import numpy as np
import pytest
from scene_cases import MakeStage, Stage, matched

from topoview.model import Geometry, RankValues, TimeState
from topoview.scene.lines.pair_lines import busiest_edges, communicating_pairs
from topoview.scene.palette import THEMES, rgb
from topoview.scene.shading import (
    SIZE_WITHOUT_NUMBER,
    TRAIL_STEPS,
    outlines_by_values,
    shade_by_state,
    sizes_by_values,
    trail_outlines,
)
from topoview.scene.topology_scene import NO_WAIT_CHAINS
from topoview.topology import lattice

LIGHT = THEMES["light"]


def like(picture: np.ndarray, colour: str, within: int = 40) -> np.ndarray:
    """Pixels of about a colour."""
    apart = np.abs(picture.astype(int) - np.array(rgb(colour))).max(axis=2)
    return np.asarray(apart <= within)


@pytest.mark.parametrize("layout", ["flat", "torus"])
def test_rims_have_the_colours_of_their_numbers(stage: MakeStage, layout: str) -> None:
    case = matched(lattice((6, 6), (True, True)), layout)
    drawn = stage()
    drawn.scene.show(case.match, case.layout, case.matrix)
    drawn.scene.show_edges(shown=False)
    codes = np.full(36, TimeState.COMPUTE, np.uint8)
    plain = shade_by_state(LIGHT, codes, frozenset())
    drawn.scene.colour(plain)
    before = drawn.picture()
    numbers = RankValues(np.where(np.arange(36) == 14, 1.0, np.nan))
    rims, colours = outlines_by_values(LIGHT, numbers)
    assert rims[14] > 0
    assert (np.delete(rims, 14) == 0).all()
    drawn.scene.colour(replace(plain, rims=rims, rim_colours=colours))
    after = drawn.picture()
    changed = (before != after).any(axis=2)
    assert changed.sum() > 20
    assert like(after, colours[-1], 60)[changed].mean() > 0.3
    x, y = drawn.scene.project(np.array([14], np.int32))[0]
    ys, xs = np.nonzero(changed)
    assert abs(xs.mean() - x) < 12
    assert abs(ys.mean() - y) < 12
    drawn.scene.colour(plain)
    np.testing.assert_array_equal(drawn.picture(), before)


def test_sizes_follow_numbers(stage: MakeStage) -> None:
    case = matched(lattice((4, 4), (False, False)), "flat")
    drawn = stage()
    drawn.scene.show(case.match, case.layout, case.matrix)
    drawn.scene.show_edges(shown=False)
    codes = np.full(16, TimeState.WAIT, np.uint8)
    plain = shade_by_state(LIGHT, codes, frozenset())
    areas = []
    for share in (0.0, 0.5, 1.0):
        sizes = sizes_by_values(RankValues(np.full(16, share)))
        drawn.scene.colour(replace(plain, sizes=sizes))
        picture = drawn.picture()
        areas.append(int((picture[..., 0].astype(int) - picture[..., 2] > 90).sum()))
    assert areas[0] * 2 < areas[1] < areas[2] / 1.5
    assert sizes_by_values(RankValues(np.array([np.nan, 1.0]))).tolist() == [
        SIZE_WITHOUT_NUMBER,
        1.0,
    ]


def test_ranks_that_compute_are_seen_through(stage: MakeStage) -> None:
    case = matched(lattice((3, 3, 3), (False,) * 3))
    drawn = stage()
    drawn.scene.show(case.match, case.layout, case.matrix)
    drawn.scene.show_edges(shown=False)
    drawn.scene.look_with(drawn.scene.look("front"))
    drawn.scene.slice(Geometry(shrink=1.0))
    codes = np.full(27, TimeState.COMPUTE, np.uint8)
    codes[13] = TimeState.WAIT  # in the middle of the block
    plain = shade_by_state(LIGHT, codes, frozenset())
    areas = []
    for faint in (None, codes == TimeState.COMPUTE):
        drawn.scene.colour(replace(plain, faint=faint))
        picture = drawn.picture()
        areas.append(int((picture[..., 0].astype(int) - picture[..., 2] > 60).sum()))
    assert areas[1] > max(2 * areas[0], 100)


def test_trails_fade_and_tell_no_calm_states() -> None:
    before = np.array(
        [TimeState.WAIT, TimeState.WAIT, TimeState.WAIT, TimeState.COMPUTE]
    )
    codes, colours = trail_outlines(
        LIGHT, before.astype(np.uint8), np.array([0.0, 0.99, 1.0, 0.0])
    )
    assert codes[2] == codes[3] == 0
    assert colours[codes[0] - 1] == LIGHT.state_colour(TimeState.WAIT)
    assert codes[1] - codes[0] == TRAIL_STEPS - 1


def crossed(drawn: Stage, edges: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """Pixels beside the ways of edges."""
    ends = drawn.scene.project(edges.ravel()).reshape(-1, 2, 2)
    found = np.zeros(shape, bool)
    for begin, end in ends:
        for x, y in np.linspace(begin, end, 400):
            row, column = round(y), round(x)
            found[max(row - 4, 0) : row + 5, max(column - 4, 0) : column + 5] = True
    return found


@pytest.mark.parametrize("dims", [(5, 3), (3, 3, 2)])
def test_chains_are_drawn_over_edges_and_traffic(
    stage: MakeStage, dims: tuple[int, ...]
) -> None:
    case = matched(lattice(dims, (False,) * len(dims)))
    drawn = stage()
    drawn.scene.show(case.match, case.layout, case.matrix)
    links = communicating_pairs(case.match)[::2]
    none = links[:0]
    drawn.scene.show_edges(shown=False)
    without = drawn.picture()
    drawn.scene.show_chains((none, links, none, none, none))
    alone = drawn.picture()
    own = (alone != without).any(axis=2)
    assert own.sum() > 300
    drawn.scene.show_edges(shown=True)
    edges = communicating_pairs(case.match)
    drawn.scene.show_traffic(busiest_edges(edges, np.arange(1, len(edges) + 1)))
    assert (drawn.picture()[~own] != without[~own]).any(), "traffic is wider"
    own &= ~crossed(drawn, edges[1::2], own.shape)  # by edges that may be nearer
    assert own.sum() > 300
    np.testing.assert_array_equal(drawn.picture()[own], alone[own])


def test_chains_are_drawn_between_their_ranks(stage: MakeStage) -> None:
    case = matched(lattice((6, 1), (False, False)), "flat")
    drawn = stage()
    drawn.scene.show(case.match, case.layout, case.matrix)
    drawn.scene.colour(shade_by_state(LIGHT, np.full(6, 1, np.uint8), frozenset()))
    before = drawn.picture()
    link = np.array([[3, 2]], np.int32)
    drawn.scene.show_chains((link, *[link[:0]] * 4))
    changed = (drawn.picture() != before).any(axis=2)
    ends = drawn.scene.project(np.array([2, 3], np.int32))
    xs = np.nonzero(changed)[1]
    assert changed.sum() > 10
    assert ends[:, 0].min() - 4 <= xs.min()
    assert xs.max() <= ends[:, 0].max() + 4
    drawn.scene.show_chains(NO_WAIT_CHAINS)
    np.testing.assert_array_equal(drawn.picture(), before)
