"""Independent calls that change places: every group's calls stay in their order."""

from random import Random

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from topoview.logical.loops.compression import compress
from topoview.logical.merge.rerolling import reroll
from topoview.logical.merge.sequences import MergedSequence
from topoview.progress import silent

SETS = [[0], [1], [2], [0, 1], [1, 2], [0, 1, 2]]
"""Groups at each code."""


def merged_of(codes: list[int]) -> tuple[MergedSequence, list[list[int]]]:
    """Make a merge whose positions hold these codes, and the groups' entries."""
    entries = [
        [place for place, code in enumerate(codes) if group in SETS[code]]
        for group in range(3)
    ]
    position = np.array([place for own in entries for place in own], np.int64)
    return MergedSequence(np.array(codes, np.int64), position, 0), entries


def lines(codes: list[int]) -> tuple[int, int]:
    """Lines of the loops before and after; the groups' sequences are checked."""
    merged, entries = merged_of(codes)
    code = np.array(codes, np.int64)
    tokens, written = compress(code)
    before = tokens.leaves(written)
    sets = [np.array(some) for some in SETS]
    found = reroll(merged, code, sets, before, silent)
    at = 0
    for own in entries:
        places = found.position[at : at + len(own)]
        assert (np.diff(places) > 0).all()
        assert found.symbol[places].tolist() == [codes[place] for place in own]
        at += len(own)
    tokens, written = compress(found.symbol)
    after = tokens.leaves(written)
    assert after < before or found is merged
    return before, after


@given(st.lists(st.integers(0, 5), min_size=1, max_size=60))
def test_each_group_makes_its_calls_in_order(codes: list[int]) -> None:
    lines(codes)


BODY = st.lists(st.integers(0, 5), min_size=1, max_size=6)


@given(BODY, st.integers(2, 6), st.randoms(use_true_random=False))
def test_a_loop_in_any_order_is_short(
    body: list[int], turns: int, random: Random
) -> None:
    """Calls of a loop that may change places do so at random: few lines come back."""
    codes = body * turns
    for _ in range(200):
        place = random.randrange(max(len(codes) - 1, 1))
        pair = codes[place : place + 2]
        if len(pair) == 2 and not set(SETS[pair[0]]) & set(SETS[pair[1]]):
            codes[place : place + 2] = pair[::-1]
    assert lines(codes)[1] <= lines(codes)[0]


def test_the_last_turn_of_a_loop_is_taken_in() -> None:
    # 0 and 1 are of other ranks: the last turn came as 1 0, with 2 between
    assert lines([0, 1, 5, 0, 1, 5, 1, 0, 5]) == (6, 3)


def test_two_turns_that_were_never_alike_are_a_loop() -> None:
    # of the groups 0 and 1: a turn is 0 1 3; 2 belongs to neither
    assert lines([0, 1, 3, 2, 1, 0, 3]) == (7, 4)
