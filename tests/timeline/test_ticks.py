"""Ticks are round, evenly spaced, and labelled with what they are."""

from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from topoview.base.text import THIN_SPACE
from topoview.model import Clock
from topoview.scene.flat.timeline_pixels import time_axis

SCALE = {"s": 1, "ms": 10**3, "µs": 10**6, "ns": 10**9, "ps": 10**12}

clocks = st.sampled_from([10**6, 10**9, 2_095_147_102]).map(lambda r: Clock(r, 10**14))
begins = st.integers(0, 10**13)
lengths = st.integers(16, 10**13)


def value(label: str) -> Fraction:
    return Fraction(label.replace(THIN_SPACE, "").rpartition(" ")[0])


@given(clocks, begins, lengths, st.integers(100, 4000))
def test_labels_say_where_ticks_are(
    clock: Clock, begin: int, length: int, pixels: int
) -> None:
    axis = time_axis(clock, begin, begin + length, pixels)
    for ticks, label in axis.ticks:
        assert label.endswith(f" {axis.unit}")
        offset = axis.offset.replace(THIN_SPACE, "").partition(" ")[0] or "0"
        seconds = Fraction(offset) + value(label) / SCALE[axis.unit]
        exact = seconds * clock.resolution
        assert abs(ticks - float(exact)) <= 1e-9 * float(exact) + 1e-6
        assert begin - 1 <= ticks <= begin + length + 1


@given(clocks, begins, lengths, st.integers(100, 4000))
def test_steps_are_one_two_or_five_and_leave_room(
    clock: Clock, begin: int, length: int, pixels: int
) -> None:
    axis = time_axis(clock, begin, begin + length, pixels)
    values = [value(label) for _, label in axis.ticks]
    steps = {later - sooner for sooner, later in pairwise(values)}
    assert len(steps) <= 1
    for step in steps:
        digits = str(float(f"{float(step):e}".split("e")[0])).strip("0.")
        assert digits in {"1", "2", "5"}
        seconds = float(step) / SCALE[axis.unit]
        assert seconds * clock.resolution / length * pixels > 79


@given(clocks, lengths, st.integers(100, 4000))
def test_minor_ticks_lie_between(clock: Clock, length: int, pixels: int) -> None:
    axis = time_axis(clock, 0, length, pixels)
    major = {round(ticks, 3) for ticks, _ in axis.ticks}
    assert not major & {round(ticks, 3) for ticks in axis.minor}
    assert all(0 <= ticks <= length for ticks in axis.minor)


def test_known_axis() -> None:
    axis = time_axis(Clock(10**9, 10**10), 1_725_000_000, 1_835_000_000, 1190)
    assert axis.unit == "ms"
    labels = [label for _, label in axis.ticks]
    assert labels[0] == "730 ms"
    assert labels[-1] == "830 ms"
    assert axis.offset == "1 s +"
    assert axis.flag(Clock(10**9, 10**10), 1_752_512_345) == "+752.5 ms"


@given(begins, st.integers(10**3, 10**10), st.floats(0, 0.01))
def test_the_offset_stays_while_one_pans(begin: int, length: int, by: float) -> None:
    clock = Clock(10**9, 10**14)
    moved = begin + round(by * length)
    texts = [time_axis(clock, at, at + length, 1000).offset for at in (begin, moved)]
    wide = 10 ** len(str(length))
    assert texts[0] == texts[1] or begin // wide != moved // wide


@given(
    st.integers(-(10**9), 10**9),
    st.integers(10**3, 10**9),
    st.sampled_from(["", "s", "ms", "µs", "ns"]),
)
def test_labels_count_from_a_mark_in_the_chosen_unit(
    away: int, length: int, unit: str
) -> None:
    clock, mark = Clock(10**9, 10**10), 4 * 10**9
    begin = mark + away
    axis = time_axis(clock, begin, begin + length, 900, unit=unit, time_zero=mark)
    assert axis.unit == unit or not unit
    scale = {"s": 10**9, "ms": 10**6, "µs": 10**3, "ns": 1}[axis.unit]
    for ticks, label in axis.ticks:
        assert begin <= ticks <= begin + length
        number = label.replace(THIN_SPACE, "").replace("\u2212", "-").split()[0]
        assert float(number) * scale == pytest.approx(ticks - mark, abs=1e-3)
        assert number[0] in "+-" or float(number) == 0


def test_a_time_from_the_mark_has_its_sign() -> None:
    clock = Clock(10**9, 10**10)
    axis = time_axis(clock, 0, 2_000_000, 900, time_zero=1_000_000)
    assert axis.flag(clock, 1_500_000) == "+0.50 ms"
    assert axis.flag(clock, 500_000) == "\u22120.50 ms"
    assert axis.flag(clock, 1_000_000) == "+0.00 ms"
