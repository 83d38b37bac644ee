"""Numbers, times and names in words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from topoview.base.text import (
    duration_text,
    group_digits_in,
    grouped,
    share_text,
    size_text,
)
from topoview.model import Clock
from topoview.scene.flat.timeline_pixels import time_axis
from topoview.session import State
from topoview.ui.widgets.formats import (
    UNITS,
    exact_time_text,
    name_text,
    parse_time,
    round_text,
    speed_of_time,
    time_text,
    tip_text,
    window_text,
)

CLOCK = Clock(resolution=1_000_000_000, length=2_342_000_000)


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (0, "0 B"),
        (8, "8 B"),
        (1000, "0.977 KiB"),
        (1400, "1.37 KiB"),
        (13 << 20, "13 MiB"),
    ],
)
def test_sizes(size: int, text: str) -> None:
    assert size_text(size) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(3.73, "3.73 s"), (0.0813, "81.3 ms"), (12e-6, "12 µs"), (0, "0")],
)
def test_durations(seconds: float, text: str) -> None:
    assert duration_text(seconds) == text


@pytest.mark.parametrize(
    ("share", "text"),
    [(1, "100 %"), (0.9999, ">99 %"), (0.75, "75 %"), (1e-4, "<1 %"), (0, "0 %")],
)
def test_shares_are_exact_at_the_ends(share: float, text: str) -> None:
    assert share_text(share, 0) == text


def test_digits_are_grouped() -> None:
    assert grouped(227840) == "227\u2009840"


def test_names_are_set_in_type() -> None:
    assert name_text("2D torus 8x4") == "2D torus 8\u00d74"
    assert name_text("hypercube 2^5") == "hypercube 2\u2075"
    assert name_text("ring 6 x star 4") == "ring 6 \u00d7 star 4"
    assert name_text("2D grid 8x4, periodic in x").endswith("periodic in x")
    assert name_text("3D grid 4x4x3, periodic x and y").endswith("periodic x and y")


def test_times_read_as_in_the_pictures() -> None:
    assert time_text(2_190_000_000, CLOCK, CLOCK.length) == "2.190 s"
    whole = State(window=(0, CLOCK.length))
    assert exact_time_text(2_190_000_000, CLOCK, whole) == "2.190\u2009000 s"
    near = State(window=(2_189_999_900, 2_190_000_200))
    assert exact_time_text(2_190_000_001, CLOCK, near) == "2.190\u2009000\u2009001 s"
    assert (
        window_text((2_170_000_000, 2_215_000_000), CLOCK)
        == "2.170\u20090\u20132.215\u20090 s of 2.342 s"
    )
    assert window_text((0, CLOCK.length), CLOCK) == "all of 2.342 s"


@given(
    length=st.integers(1000, 10**13),
    ends=st.tuples(st.floats(0, 1), st.floats(0, 1)),
)
def test_a_range_has_one_unit(length: int, ends: tuple[float, float]) -> None:
    clock = Clock(resolution=10**9, length=length)
    begin, end = sorted(round(share * length) for share in ends)
    words = window_text((begin, max(end, begin + 1)), clock).split(" ")
    units = [word for word in words if word in UNITS]
    assert len(set(units)) == 1
    assert words[-1] == units[0]


RUN = Clock(resolution=10**9, length=315_987_000_000)
AT = 102_276_001_443
ZOOMS = {
    (0, RUN.length): ("", "102.3 s", "102.3 s"),
    (102_270_000_000, 102_280_000_000): ("102.2 s +", "+76.0 ms", "102.276 00 s"),
    (102_275_989_000, 102_276_009_000): (
        "102.275 9 s +",
        "+101.4 µs",
        "102.276 001 44 s",
    ),
    (102_276_001_323, 102_276_001_623): (
        "102.276 001 s +",
        "+443 ns",
        "102.276 001 443 s",
    ),
}
"""Of a run of 316 s, from all of it to 300 ns: offset, flag, box of one time."""


@pytest.mark.parametrize("window", ZOOMS)
def test_times_at_every_zoom(window: tuple[int, int]) -> None:
    axis, span = time_axis(RUN, *window, 1070), window[1] - window[0]
    offset, flag, box = (text.replace(" ", "\u2009") for text in ZOOMS[window])
    written = axis.offset, axis.flag(RUN, AT), time_text(AT, RUN, span)
    assert tuple(text.replace(" ", "\u2009") for text in written) == (
        offset,
        flag,
        box,
    )


@given(ticks=st.integers(0, 10**10), span=st.integers(100, 10**10))
def test_offset_and_flag_are_what_the_box_says(ticks: int, span: int) -> None:
    clock = Clock(resolution=10**9, length=10**10)
    begin = max(0, ticks - span // 2)
    axis = time_axis(clock, begin, begin + span, 800)
    value, unit = axis.flag(clock, ticks).replace("\u2009", "").split()
    offset = float(axis.offset.replace("\u2009", "").split()[0]) if axis.offset else 0
    seconds = offset + float(value.replace("\u2212", "-")) * UNITS[unit]
    step = 10.0 ** -len(value.partition(".")[2]) * UNITS[unit]
    assert seconds == pytest.approx(ticks / 1e9, abs=0.51 * step)
    box = time_text(ticks, clock, span).split(" ")
    assert box[-1] == "s", "the unit of the run"


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (10.53, "10.5 s/s"),
        (333e-6, "333 µs/s"),
        (1e-8, "10 ns/s"),
        (5.52e-8, "55.2 ns/s"),
    ],
)
def test_speeds_have_three_digits_and_their_unit(seconds: float, text: str) -> None:
    assert speed_of_time(seconds) == text


@given(
    ticks=st.integers(0, 10**13),
    resolution=st.sampled_from([1000, 10**6, 10**9, 2095147102]),
    span=st.integers(1, 10**13),
)
def test_a_time_that_is_shown_can_be_typed(
    ticks: int, resolution: int, span: int
) -> None:
    clock = Clock(resolution=resolution, length=span)
    text = time_text(ticks, clock, span)
    value, unit = text.replace("\u2009", "").split()
    step = 10.0 ** -len(value.partition(".")[2]) * UNITS[unit] * resolution
    assert abs(parse_time(text, clock, "s") - ticks) <= step / 2 + 1 + ticks * 1e-12


@pytest.mark.parametrize(
    ("text", "ticks"),
    [
        ("1.5 s", 1_500_000_000),
        ("20ms", 20_000_000),
        ("300 us", 300_000),
        ("300 µs", 300_000),
        ("12", 12_000_000),
        ("1,5 s", 1_500_000_000),
        ("2\u2009170 ms", 2_170_000_000),
    ],
)
def test_times_are_read_with_units(text: str, ticks: int) -> None:
    assert parse_time(text, CLOCK, "ms") == ticks


@pytest.mark.parametrize("text", ["1e400", "", "soon", "1 h", "1.2.3 s", "s"])
def test_what_is_no_time_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"time|unit"):
        parse_time(text, CLOCK, "ms")


def test_round_times_are_written_without_needless_zeros() -> None:
    told = [round_text(seconds) for seconds in (1.0, 0.3, 0.03, 1e-4, 1e-6, 1e-8)]
    assert told == ["1 s", "0.3 s", "30 ms", "0.1 ms", "1 µs", "0.01 µs"]


def test_long_numbers_of_sentences_have_gaps() -> None:
    told = (
        "66560 of 1234567 events in 12345.evt, 4711 and 0.123456 s: "
        "run-20240131, 99999."
    )
    thin = "\u2009"
    assert group_digits_in(told) == (
        f"66{thin}560 of 1{thin}234{thin}567 events in 12345.evt, 4711 and 0.123456 s: "
        f"run-20240131, 99{thin}999."
    )


def test_names_in_tips_are_no_markup() -> None:
    assert tip_text("kn01 to kn02: 8 B") == "kn01 to kn02: 8 B"
    assert tip_text("<b>row</b>\n& more") == (
        "<qt>&lt;b&gt;row&lt;/b&gt;<br>&amp; more</qt>"
    )
