"""Detail in motion: what is left out follows from the time of frames."""

from collections.abc import Callable
from itertools import pairwise

from topoview.scene.level_of_detail import (
    DETAIL_STEPS,
    FAST_FRAMES_TO_RETRY,
    FULL_DETAIL,
    MAX_RANKS_FAST,
    MAX_RANKS_FOLLOWED,
    DetailRule,
)

NO_MESSAGES = len(DETAIL_STEPS) - 2
"""The step without messages, the last whose frames are sharp."""


def run(rule: DetailRule, cost: Callable[[int], float], frames: int) -> list[int]:
    """Draw frames that take what their step costs; the step of each."""
    found = []
    for _ in range(frames):
        step = DETAIL_STEPS.index(rule.detail)
        found.append(step)
        rule.took(cost(step))
    return found


def test_each_step_leaves_out_one_thing_more() -> None:
    assert DETAIL_STEPS[0] == FULL_DETAIL
    assert not DETAIL_STEPS[0].left_out
    assert DETAIL_STEPS[-1].left_out == ("edges", "labels", "messages")
    assert len(set(DETAIL_STEPS)) == 7


def test_fast_frames_keep_all() -> None:
    rule = DetailRule()
    rule.begin(1000)
    assert set(run(rule, lambda _: 0.01, 200)) == {0}


def test_edges_are_smooth_where_60_frames_a_second_are_reached() -> None:
    rule = DetailRule()
    for ranks in (1000, MAX_RANKS_FAST + 1):
        rule.begin(ranks)
        assert run(rule, lambda _: 0.02, 200)[4:] == [1] * 196
        rule.begin(ranks)
        assert set(run(rule, lambda _: 0.02, 20)) == {1}, "the next motion"


def test_slow_frames_drop_until_they_are_fast() -> None:
    costs = [0.08, 0.07, 0.02, 0.02, 0.02, 0.02, 0.02]
    rule = DetailRule()
    rule.begin(1000)
    steps = run(rule, costs.__getitem__, 40)
    assert steps[:10] == [0, 0, 0, 0, 1, 1, 1, 1, 2, 2]
    assert set(steps[10:]) == {2}


def test_a_slow_frame_or_two_drop_nothing() -> None:
    rule = DetailRule()
    rule.begin(1000)
    for number in range(100):
        rule.took(0.5 if number % 7 < 2 else 0.01)
    assert rule.detail == FULL_DETAIL


def test_very_many_ranks_have_more_time() -> None:
    rule = DetailRule()
    rule.begin(MAX_RANKS_FAST + 1)
    assert run(rule, lambda _: 0.05, 50)[-1] == 1
    rule.begin(MAX_RANKS_FAST)
    assert run(rule, lambda _: 0.05, 50)[-1] == NO_MESSAGES


def test_frames_are_sharp_unless_they_come_late() -> None:
    rule = DetailRule()
    for ranks in (MAX_RANKS_FAST, MAX_RANKS_FAST + 1):
        rule.begin(ranks)
        assert run(rule, lambda _: 0.07, 50)[-1] == NO_MESSAGES + 1
        assert not rule.detail.sharp
        rule = DetailRule()
        rule.begin(ranks)
        run(rule, lambda _: 0.05, 50)
        assert rule.detail.sharp


def test_messages_that_nobody_can_follow_give_way_to_60_frames_a_second() -> None:
    rule = DetailRule()
    rule.begin(MAX_RANKS_FOLLOWED)
    assert run(rule, lambda _: 0.02, 50)[-1] == 1
    rule.begin(MAX_RANKS_FOLLOWED + 1)
    assert run(rule, lambda _: 0.02, 50)[-1] == NO_MESSAGES
    assert "messages" in rule.detail.left_out


def test_the_next_motion_knows_what_was_slow() -> None:
    costs = [0.08, 0.07, 0.02, 0.02, 0.02, 0.02, 0.02]
    rule = DetailRule()
    rule.begin(1000)
    run(rule, costs.__getitem__, 10)
    rule.begin(1000)
    assert DETAIL_STEPS.index(rule.detail) == 2
    rule.begin(400)
    assert rule.detail == FULL_DETAIL, "another scene is another matter"


def test_what_was_slow_is_tried_again_after_a_while() -> None:
    costs = [0.08, 0.07, 0.02, 0.02, 0.02, 0.02, 0.02]
    rule = DetailRule()
    begun = []
    for _ in range(30):
        rule.begin(1000)
        begun.append(DETAIL_STEPS.index(rule.detail))
        run(rule, costs.__getitem__, 12)
    assert begun.count(0) in (3, 4)
    assert set(begun) == {0, 2}


def test_a_long_motion_gets_its_detail_back_when_the_machine_is_free() -> None:
    rule = DetailRule()
    rule.begin(1000)
    run(rule, lambda _: 0.065, 30)
    assert DETAIL_STEPS.index(rule.detail) == len(DETAIL_STEPS) - 1
    steps = run(rule, lambda _: 0.005, 10 * FAST_FRAMES_TO_RETRY)
    assert steps[-1] == 0


def test_a_long_motion_does_not_flicker() -> None:
    costs = [0.06, 0.05, 0.01, 0.01, 0.01, 0.01, 0.01]
    rule = DetailRule()
    rule.begin(1000)
    steps = run(rule, costs.__getitem__, 4000)
    changes = sum(a != b for a, b in pairwise(steps))
    assert changes <= 16
    much = [0.5, 0.3, 0.01, 0.01, 0.01, 0.01, 0.01]
    rule.begin(2000)
    assert set(run(rule, much.__getitem__, 4000)[8:]) == {2}, "not worth a trial"
