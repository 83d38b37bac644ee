"""Colours are told apart by colour-blind readers, on light and on dark ground."""

import numpy as np
import pytest
from colour_vision import SIGHTS, contrast, distance, nearest, seen

from topoview.model import TimeState
from topoview.scene.palette import (
    CATEGORY_COLOURS,
    COLOUR_MAPS,
    DISTINCT_CATEGORIES,
    THEMES,
    category_colours,
    map_colours,
)

SEEN = [(theme, sight) for theme in THEMES for sight in SIGHTS]


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ((50, 2.6772, -79.7751), (50, 0, -82.7485), 2.0425),
        ((50, -1.0, 2.0), (50, 0, 0), 2.3669),
        ((50, 2.49, -0.001), (50, -2.49, 0.0011), 7.2195),
        ((50, 2.5, 0), (58, 24, 15), 19.4535),
        ((60.2574, -34.0099, 36.2677), (60.4626, -34.1751, 39.4387), 1.2644),
        ((22.7233, 20.0904, -46.694), (23.0331, 14.973, -42.5619), 2.0373),
    ],
)
def test_distances_are_those_of_the_paper(
    one: tuple[float, ...], other: tuple[float, ...], expected: float
) -> None:
    assert distance(np.array(one), np.array(other)) == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize(("theme", "sight"), SEEN)
def test_states_are_told_apart(theme: str, sight: str) -> None:
    """By the fill, or where that is the same by the heel."""
    states = [state for state in TimeState if state != TimeState.OUTSIDE]
    colours = {THEMES[theme].state_colour(state) for state in states}
    assert nearest(sorted(colours), sight) > 8
    hatched = THEMES[theme].state_colour(TimeState.MEASUREMENT)
    assert nearest(sorted(colours - {hatched}), sight) > 9
    pairs = [
        (THEMES[theme].state_colour(state), THEMES[theme].heel_colour(state))
        for state in states
        if state != TimeState.WAIT  # never beside those that the account tells
    ]
    assert len(set(pairs)) == len(pairs)
    for fill, heel in pairs:
        assert heel is None or nearest([fill, heel], sight) > 12


@pytest.mark.parametrize(("theme", "sight"), SEEN)
def test_categories_are_told_apart(theme: str, sight: str) -> None:
    assert nearest(CATEGORY_COLOURS[theme], sight) > 11
    assert nearest((*CATEGORY_COLOURS[theme], THEMES[theme].without), sight) > 9


@pytest.mark.parametrize(("theme", "sight"), SEEN)
def test_high_numbers_stand_out_from_the_ground(theme: str, sight: str) -> None:
    light = seen(map_colours("cividis", THEMES[theme], 12), sight)[:, 0]
    away = -light if theme == "light" else light
    assert (np.diff(away) > 2).all(), "one direction in all panels"


@pytest.mark.parametrize(("theme", "sight"), SEEN)
def test_both_sides_of_the_middle_are_told_apart(theme: str, sight: str) -> None:
    lab = seen(map_colours("vik", THEMES[theme], 9), sight)
    away = distance(lab, lab[4])
    for side in (away[4::-1], away[4:]):
        assert (np.diff(side) > 0).all(), "further from the middle, further from it"
    across = distance(lab[:4], lab[:4:-1])
    assert (across > (18, 18, 18, 9)).all()


@pytest.mark.parametrize("theme", THEMES)
def test_what_matters_is_seen_on_the_ground(theme: str) -> None:
    panel = THEMES[theme].panel
    colours = {name: map_colours(name, THEMES[theme], 9) for name in COLOUR_MAPS}
    ends = [contrast(colours["cividis"][at], panel) for at in (0, -1)]
    assert max(ends) > 7
    assert min(ends) > (1.4 if theme == "dark" else 3.0)
    assert min(contrast(colours["vik"][at], panel) for at in (0, -1)) > 7
    for state in TimeState:
        if state not in (TimeState.COMPUTE, TimeState.GPU_CALL, TimeState.OUTSIDE):
            # the style's own colours: STYLE's 3:1, rounded to a tenth
            assert contrast(THEMES[theme].state_colour(state), panel) > 2.95
    if theme == "dark":
        assert min(contrast(each, panel) for each in CATEGORY_COLOURS["dark"]) > 2.95


def test_no_map_but_red_green_mixes_red_with_green_up() -> None:
    """What no colour-blind reader can tell is there, and is never the default."""
    ends = [map_colours("red-green", THEMES["light"], 9)[at] for at in (1, -1)]
    assert nearest(ends, "deuteranopia") < nearest(ends, "normal") / 2
    for name in ("cividis", "vik"):
        ends = [map_colours(name, THEMES["light"], 9)[at] for at in (1, -1)]
        assert nearest(ends, "deuteranopia") > 25


@pytest.mark.parametrize("theme", THEMES)
def test_many_categories_stay_apart(theme: str) -> None:
    """More communicators than the palette has colours, as in a torus of many planes."""
    colours = category_colours(DISTINCT_CATEGORIES, THEMES[theme])
    assert colours[:9] == CATEGORY_COLOURS[theme]
    assert nearest(colours[:24], "normal") > 10
    assert nearest((*colours, THEMES[theme].without), "normal") > 6
