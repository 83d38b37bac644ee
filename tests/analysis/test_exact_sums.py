"""Exact sums, against whole numbers and fractions of Python."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from topoview.analysis.logical.exact_sums import (
    FLOAT_BITS,
    FLOAT_DIGITS,
    SQUARES,
    added_digits,
    carried,
    joined_ticks,
    new_tally,
    spread_of,
    whole_numbers,
)
from topoview.analysis.logical.exact_sums import sums_of as sums_of_tally
from topoview.analysis.logical.kernels import add_numbers, note_ticks
from topoview.model import TickSums

NUMBERS = st.lists(st.floats(allow_nan=False, allow_infinity=False), max_size=20)
TICKS = st.lists(st.integers(-(1 << 50), 1 << 50), max_size=20)


def digits_of(numbers: list[float]) -> np.ndarray:
    sums = np.zeros((2, FLOAT_DIGITS), np.int64)
    group, told = np.ones(len(numbers), np.int32), np.ones(len(numbers), np.bool_)
    add_numbers(group, np.array(numbers, np.float64), told, sums)
    return carried(sums)


@given(NUMBERS, NUMBERS)
def test_sums_of_numbers_are_exact(one: list[float], other: list[float]) -> None:
    joined = added_digits([digits_of(one), digits_of(other)])
    none, found = whole_numbers(joined)
    assert none == 0
    assert Fraction(found, 1 << FLOAT_BITS) == sum(map(Fraction, [*one, *other]))


def test_very_many_numbers_are_carried() -> None:
    sums = np.zeros((1, FLOAT_DIGITS), np.int64)
    place = FLOAT_BITS // 32
    sums[0, place - 2 : place + 1] = (1 << 62) - 1
    before = sum(int(digit) << (32 * k) for k, digit in enumerate(sums[0]))
    three = np.full(3, 1.5), np.ones(3, np.bool_)
    add_numbers(np.zeros(3, np.int32), *three, sums)
    assert whole_numbers(carried(sums)) == [before + 9 * (1 << FLOAT_BITS) // 2]


def sums_of(ticks: list[int], first: int) -> TickSums:
    tally = new_tally(1)
    for call, one in enumerate(ticks, first):
        note_ticks(0, one, call, tally)
    return sums_of_tally(tally)


def test_squares_of_very_many_short_times_are_carried() -> None:
    """Below 2^16 ticks only the lowest digit grows."""
    tally = new_tally(1)
    tally[0, SQUARES] = 2**63 - 1 - 3 * 65535**2
    before = int(tally[0, SQUARES])
    for call in range(4):
        note_ticks(0, 65535, call, tally)
    assert whole_numbers(carried(tally[:, SQUARES:])) == [before + 4 * 65535**2]


@given(TICKS, TICKS)
def test_sums_of_ticks_are_exact(one: list[int], other: list[int]) -> None:
    both = [*one, *other]
    found = joined_ticks([sums_of(one, 0), sums_of(other, len(one))])
    assert whole_numbers(found.squares) == [sum(tick * tick for tick in both)]
    assert found.count.tolist() == [len(both)]
    assert found.total.tolist() == [sum(both)]
    assert found.call.tolist() == [both.index(max(both)) if both else -1]
    if both:
        assert found.most.tolist() == [max(both)]
        spread, mean = spread_of(found), Fraction(sum(both), len(both))
        square = sum((tick - mean) ** 2 for tick in both) / len(both)
        assert spread.mean[0] == pytest.approx(float(mean))
        assert spread.deviation[0] == pytest.approx(math.sqrt(square))
