"""Counts, shares, sizes and durations in words."""

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

MAX_NUMBERS_LISTED: Final = 8
"""Numbers of a loop that are listed one by one, whatever they are."""


def plural(number: int, noun: str) -> str:
    """Count a noun: ``1 rank``, ``32 ranks``."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def share_text(fraction: float) -> str:
    """Write a share; says 0 and 100 only where it is exact: ``0.3 %``."""
    if 0 < fraction < 0.0005:
        return "below 0.1 %"
    if 0.9995 <= fraction < 1:
        return "above 99.9 %"
    return f"{100 * fraction:.1f} %"


def size_text(size: int) -> str:
    """Write bytes, in larger units only where that is exact: ``12 KiB``, ``2160 B``."""
    for unit in ("B", "KiB", "MiB"):
        if size % 1024 or size == 0:
            return f"{size} {unit}"
        size //= 1024
    return f"{size} GiB"


def sizes_text(least: int, most: int) -> str:
    """Write a range of bytes: ``200..240 B``, ``16 KiB..2 MiB``."""
    low, high = size_text(least), size_text(most)
    number, unit = low.split()
    return f"{number}..{high}" if high.endswith(f" {unit}") else f"{low}..{high}"


def numbers_text(numbers: Sequence[int]) -> str:
    """Write numbers that a loop goes over: ``1, 2, 4``, ``0..7``."""
    steps = {b - a for a, b in pairwise(numbers)}
    if len(numbers) > 3 and steps in ({1}, {-1}):
        return f"{numbers[0]}..{numbers[-1]}"
    if len(numbers) > MAX_NUMBERS_LISTED and len(steps) == 1:
        return f"{numbers[0]}, {numbers[1]}, ..., {numbers[-1]}"
    return ", ".join(map(str, numbers))


def duration_text(seconds: float) -> str:
    """Write how long something took: ``3.73 s``, ``81.3 ms``, ``12 µs``."""
    for unit, scale in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= scale:
            return f"{seconds / scale:.3g} {unit}"
    return f"{seconds * 1e6:.3g} µs" if seconds else "0"


def ordinal_text(number: int) -> str:
    """Write a number of a row: ``1st``, ``2nd``, ``13th``."""
    last = 0 if number % 100 in {11, 12, 13} else number % 10
    return f"{number}{ {1: 'st', 2: 'nd', 3: 'rd'}.get(last, 'th') }"


_BYTE_UNITS: Final = ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB"), (1, "B"))


def quantity_text(number: float, unit: str) -> str:
    """Write a counter's number with its unit; empty for NaN."""
    if math.isnan(number):
        return ""
    if unit in ("s", "seconds"):
        return duration_text(number) if number >= 0 else f"{number:.3g} s"
    if unit.lower() in ("b", "byte", "bytes"):
        scale, name = next(
            (s, n) for s, n in _BYTE_UNITS if abs(number) >= s or n == "B"
        )
        return f"{number / scale:.4g} {name}"
    return f"{number:.4g}" if unit in ("", "#") else f"{number:.4g} {unit}"
