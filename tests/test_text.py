"""Counts, shares, sizes and durations in words."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import topoview
from topoview.base.text import (
    duration_text,
    exact_size_text,
    exact_sizes_text,
    group_digits_in,
    grouped,
    numbers_text,
    ordinal_text,
    plural,
    share_text,
    size_text,
    write,
)

UNITS = {"s": 1.0, "ms": 1e-3, "µs": 1e-6}
UNITS |= {unit: 1024.0**k for k, unit in enumerate(("B", "KiB", "MiB", "GiB", "TiB"))}


@pytest.mark.parametrize(
    ("size", "text"),
    [
        *((0, "0 B"), (8, "8 B"), (1000, "0.977 KiB"), (1400, "1.37 KiB")),
        *(
            (13 << 20, "13 MiB"),
            (1023 << 10, "0.999 MiB"),
            (5000 << 40, "5\u2009000 TiB"),
        ),
    ],
)
def test_sizes(size: int, text: str) -> None:
    assert size_text(size) == text


@pytest.mark.parametrize(
    ("size", "text"),
    [(0, "0 B"), (2160, "2160 B"), (12 << 10, "12 KiB"), (3 << 30, "3 GiB")],
)
def test_exact_sizes(size: int, text: str) -> None:
    assert exact_size_text(size) == text


def test_ranges_of_sizes() -> None:
    assert exact_sizes_text(200, 240) == "200..240 B"
    assert exact_sizes_text(16 << 10, 2 << 20) == "16 KiB..2 MiB"


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        *((3.73, "3.73 s"), (0.0813, "81.3 ms"), (12e-6, "12 µs"), (0, "0")),
        *((1e-9, "0.001 µs"), (3e-10, "300 ps"), (2e-12, "2 ps")),
        *(
            (0.99996, "1 s"),
            (0.0009996, "1 ms"),
            (86_400, "86\u2009400 s"),
            (-2, "\u22122 s"),
        ),
    ],
)
def test_durations(seconds: float, text: str) -> None:
    assert duration_text(seconds) == text


@given(st.floats(1e-6, 1e12))
def test_three_digits_are_right_and_never_an_exponent(number: float) -> None:
    for text in (duration_text(number), size_text(number)):
        digits, unit = text.replace("\u2009", "").split()
        assert re.fullmatch(r"[\d.]+", digits) or number < 1e-3
        assert abs(float(digits) * UNITS[unit] - number) <= 0.00501 * number


@pytest.mark.parametrize(
    ("share", "decimals", "text"),
    [
        *((0, 1, "0.0 %"), (1e-5, 1, "<0.1 %"), (0.5, 1, "50.0 %")),
        *((0.99999, 1, ">99.9 %"), (1, 1, "100.0 %"), (1, 0, "100 %")),
        *((0.9999, 0, ">99 %"), (1e-4, 0, "<1 %"), (0.75, 0, "75 %")),
    ],
)
def test_shares_are_exact_at_the_ends(share: float, decimals: int, text: str) -> None:
    assert share_text(share, decimals) == text


def test_counts() -> None:
    assert plural(1, "rank") == "1 rank"
    assert plural(32, "rank") == "32 ranks"
    assert plural(1024, "rank") == "1\u2009024 ranks"
    assert [ordinal_text(n) for n in (1, 2, 3, 4, 11, 21, 112)] == [
        *("1st", "2nd", "3rd", "4th", "11th", "21st", "112th")
    ]
    assert grouped(227840) == "227\u2009840"
    assert group_digits_in("66560 events of 12345.evt") == (
        "66\u2009560 events of 12345.evt"
    )
    assert numbers_text([1, 2, 4]) == "1, 2, 4"
    assert numbers_text(range(8)) == "0..7"
    assert numbers_text(range(0, 100, 10)) == "0, 10, ..., 90"


def test_quantities() -> None:
    assert write(float("nan"), "s") == ""
    assert write(0.002, "s") == "2 ms"
    assert write(2048, "Bytes") == "2 KiB"
    assert write(12345.0, "#") == "12\u2009345"
    assert write(2.5, "W") == "2.5 W"
    assert write(-2.5, "W") == "\u22122.5 W"
    assert size_text(-2048) == "\u22122 KiB"


def test_no_text_needs_the_table_of_names_of_characters() -> None:
    """Where memory is short it cannot be loaded, and a module not be compiled."""
    named = re.compile(r"\\N\{")
    files = Path(topoview.__file__).parent.rglob("*.py")
    assert [file for file in files if named.search(file.read_text("utf-8"))] == []
