"""Where cards go."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from topoview.scene.annotations import Box, leader_end, place_card

VIEW: Box = (8.0, 56.0, 880.0, 340.0)
coordinates = st.tuples(st.floats(0, 896), st.floats(0, 440))


@given(
    st.lists(coordinates, max_size=40), st.lists(coordinates, min_size=1, max_size=3)
)
def test_cards_stay_in_view_and_hide_nothing(
    others: list[tuple[float, float]], places: list[tuple[float, float]]
) -> None:
    spared = np.array(others).reshape(-1, 2), 14.0
    taken: list[Box] = []
    for x, y in places:
        placed = place_card(x, y, (180, 68), VIEW, spared, taken)
        if placed is None:
            continue
        left, top, width, height = placed.box
        inside = spared[0] - (left - 14.0, top - 14.0)
        assert not ((inside > 1) & (inside < (206, 94))).all(axis=1).any()
        assert (width, height) == (180, 68)
        assert VIEW[0] <= left <= VIEW[0] + VIEW[2] - width
        assert VIEW[1] <= top <= VIEW[1] + VIEW[3] - height
        for a, b, w, h in taken:
            assert (
                left >= a + w or a >= left + width or top >= b + h or b >= top + height
            )
        taken.append((left, top, width, height))


def test_card_goes_to_the_free_side() -> None:
    crowd = np.stack(np.meshgrid(np.arange(100, 500, 20), np.arange(60, 400, 20)), -1)
    spared = crowd.reshape(-1, 2) * 1.0, 14.0
    placed = place_card(480, 220, (180, 68), VIEW, spared, [])
    assert placed is not None
    assert placed.leader
    assert placed.box[0] > 490
    hidden = place_card(300, 220, (180, 68), VIEW, spared, [])
    assert hidden is not None
    assert hidden.box[0] > 490
    assert not hidden.leader, "its line would run across ranks"


def test_without_a_free_place_there_is_no_card() -> None:
    crowd = np.stack(np.meshgrid(np.arange(0, 900, 40), np.arange(40, 420, 40)), -1)
    spared = crowd.reshape(-1, 2) * 1.0, 14.0
    assert place_card(480, 220, (180, 68), VIEW, spared, []) is None
    assert place_card(480, 220, (10, 10), VIEW, (spared[0], 2.0), []) is not None
    assert place_card(480, 220, (900, 68), VIEW, (spared[0][:0], 2.0), []) is None


def test_a_card_goes_far_to_hide_no_rank() -> None:
    """Where few ranks leave no room beside their own, but some further away."""
    ranks = np.array(
        [[x, y] for x in range(60, 620, 140) for y in (80, 160, 240)], float
    )
    for x, y in ranks:
        placed = place_card(x, y, (230, 90), VIEW, (ranks, 36.0), [])
        assert placed is not None
        middle = np.array(placed.box[:2]) + np.array(placed.box[2:]) / 2
        inside = np.abs(ranks - middle) < np.array(placed.box[2:]) / 2 + 35
        assert not inside.all(axis=1).any()


def test_leader_ends_at_the_rim() -> None:
    assert leader_end(0, 50, (100, 40, 80, 20)) == (100, 50)
    assert leader_end(140, 0, (100, 40, 80, 20)) == (140, 40)
    assert leader_end(140, 50, (100, 40, 80, 20)) == (140, 50)
