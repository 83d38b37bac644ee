"""Texts and their language; counts, sizes, durations in words; tables as text."""

import csv
import io
import math
import re
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import Final

MINUS: Final = "\u2212"
THIN_SPACE: Final = "\u2009"
NOT_KNOWN: Final = "\u2013"
"""Stands in a table for a number that is not known, or nothing."""
MAX_NUMBERS_LISTED: Final = 8
"""Numbers of a loop that are listed one by one, whatever they are."""

_LONG_NUMBER: Final = re.compile(r"(?<![\w./-])\d{5,15}(?![\w/-]|\.\w)")
"""Numbers of five digits and more that are no part of a name, path or fraction."""
_ROUNDS_UP: Final = 999.5
"""What three digits cannot hold."""


Translate = Callable[[str, int], str]
"""Finds the translation of a text, for so many things; empty: there is none."""


def _english(text: str, number: int) -> str:
    """Find no translation."""
    del text, number
    return ""


_translate: Translate = _english


def speak(translate: Translate) -> None:
    """Have `tr` and `plural` translate from now on: before any text is made.

    Only the window does, before its modules are loaded, so that tables of names may be
    made of translated texts; commands, workers and what they store stay English.
    """
    global _translate
    _translate = translate


def tr(text: str, /, **values: object) -> str:
    """Translate a text that the user reads, and fill in its values.

    `scripts/translations.py` finds these texts: write them as literals.

    Parameters
    ----------
    values
        What replaces ``{name}`` in the text, which `str.format` writes.

    Examples
    --------
    >>> tr("{count} of {ranks}", count=3, ranks="8 ranks")
    '3 of 8 ranks'
    """
    said = _translate(text, -1) or text
    return said.format(**values) if values else said


def mark(text: str) -> str:
    """Enter a text into the catalogue which is a key too: ``tr(key)`` where shown."""
    return text


def plural(number: int, noun: str) -> str:
    """Count a noun: ``1 rank``, ``1 024 ranks``."""
    said = _translate(f"%n {noun}", number).replace("%n", grouped(number))
    return said or f"{grouped(number)} {noun}{'' if number == 1 else 's'}"


def plural_noun(noun: str) -> str:
    """Give the plural of a noun: ``ranks``."""
    return plural(2, noun).partition(" ")[2]


def in_sentence(text: str) -> str:
    """Write a title in the middle of a sentence: English begins it in lower case."""
    return text if _translate is not _english else text[:1].lower() + text[1:]


def ordinal_text(number: int) -> str:
    """Write a number of a row: ``1st``, ``2nd``, ``13th``."""
    last = 0 if number % 100 in {11, 12, 13} else number % 10
    return f"{number}{ {1: 'st', 2: 'nd', 3: 'rd'}.get(last, 'th') }"


def grouped(number: float, decimals: int = 0) -> str:
    """Write a number with its digits in groups of three: ``25 248``."""
    text = f"{number:,}" if isinstance(number, int) else f"{number:,.{decimals}f}"
    return text.replace(",", THIN_SPACE)


def group_digits_in(text: str) -> str:
    """Write the long numbers of a text in groups: ``66 560 events of 1234.evt``."""
    return _LONG_NUMBER.sub(lambda found: grouped(int(found[0])), text)


def numbers_text(numbers: Sequence[int]) -> str:
    """Write numbers that a loop goes over: ``1, 2, 4``, ``0..7``."""
    steps = {b - a for a, b in pairwise(numbers)}
    if len(numbers) > 3 and steps in ({1}, {-1}):
        return f"{numbers[0]}..{numbers[-1]}"
    if len(numbers) > MAX_NUMBERS_LISTED and len(steps) == 1:
        return f"{numbers[0]}, {numbers[1]}, ..., {numbers[-1]}"
    return ", ".join(map(str, numbers))


def share_text(fraction: float, decimals: int = 1) -> str:
    """Write a share; says 0 and 100 only where it is exact: ``0.3 %``, ``<0.1 %``."""
    text, least = f"{100 * fraction:.{decimals}f}", 10.0**-decimals
    if fraction > 0 and not float(text):
        return f"<{least:.{decimals}f} %"
    if fraction < 1 and float(text) >= 100:
        return f">{100 - least:.{decimals}f} %"
    return f"{text} %"


def exact_size_text(size: int) -> str:
    """Write bytes, in larger units only where that is exact: ``12 KiB``, ``2160 B``."""
    for unit in ("B", "KiB", "MiB"):
        if size % 1024 or size == 0:
            return f"{size} {unit}"
        size //= 1024
    return f"{size} GiB"


def exact_sizes_text(least: int, most: int) -> str:
    """Write a range of bytes: ``200..240 B``, ``16 KiB..2 MiB``."""
    low, high = exact_size_text(least), exact_size_text(most)
    number, unit = low.split()
    return f"{number}..{high}" if high.endswith(f" {unit}") else f"{low}..{high}"


def size_text(size: float) -> str:
    """Write bytes to three digits: ``1.37 KiB``, ``13 MiB``."""
    if size < 0:
        return MINUS + size_text(-size)
    units = iter(("B", "KiB", "MiB", "GiB", "TiB"))
    unit = next(units)
    while size >= _ROUNDS_UP and unit != "TiB":
        size /= 1024
        unit = next(units)
    return f"{_three_digits(size)} {unit}"


def rate_text(number: float) -> str:
    """Write how often something is done a second: ``0.25``, ``81.3``, ``12 400``."""
    return grouped(round(number)) if number >= 1000 else _three_digits(number)


def duration_text(seconds: float) -> str:
    """Write how long something took, to three digits: ``3.73 s``, ``81.3 ms``."""
    if seconds < 0:
        return MINUS + duration_text(-seconds)
    for unit, scale in (("s", 1.0), ("ms", 1e3)):
        if seconds * scale * 1e3 >= _ROUNDS_UP:
            return f"{_three_digits(seconds * scale)} {unit}"
    return f"{seconds * 1e6:.3g} µs" if seconds else "0"


TIME_EXPONENTS: Final = {"s": 0, "ms": 3, "µs": 6, "ns": 9, "ps": 12}
"""Units of times, and the power of ten of a second that each is."""


def time_scale(span: float, unit: str = "") -> tuple[str, int]:
    """Choose the unit and the decimals for times in a span of so many seconds.

    A thousandth of the span is told apart: three to four digits within it. Axis, flag,
    boxes and ranges all write times by this rule.

    Parameters
    ----------
    span
        Seconds.
    unit
        The unit, if it is given; empty: the largest of which the span has two.

    Examples
    --------
    >>> time_scale(2.342), time_scale(0.9435), time_scale(0.04, "s")
    (('s', 3), ('ms', 1), ('s', 5))
    """
    unit = unit or next(
        (u for u, e in TIME_EXPONENTS.items() if span >= 2 * 10.0**-e), "ps"
    )
    step = max(span, 1e-12) * 10.0 ** (TIME_EXPONENTS[unit] - 3)
    return unit, min(max(0, -int(f"{step:e}".split("e")[1])), 12)


def time_label(seconds: float, unit: str, decimals: int, *, plus: bool = False) -> str:
    """Write a time: ``1 752.5 ms``, or with its sign: ``+12.5 ms``."""
    value = grouped(abs(seconds) * 10.0 ** TIME_EXPONENTS[unit], decimals)
    sign = MINUS if seconds < 0 else "+" * plus
    return f"{sign}{value} {unit}"


def _three_digits(number: float) -> str:
    """Write a number to three digits, larger ones to the next whole one."""
    return grouped(round(number)) if number >= _ROUNDS_UP else f"{number:.3g}"


def quantity_text(number: float, unit: str) -> str:
    """Write a counter's number with its unit; empty for NaN."""
    if math.isnan(number):
        return ""
    if unit in ("s", "seconds"):
        return duration_text(number)
    if unit.lower() in ("b", "byte", "bytes"):
        return size_text(number)
    text = f"{number:.4g}".replace("-", MINUS)
    return text if unit in ("", "#") else f"{text} {unit}"


_CONTROL: Final = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]"
)
"""Control characters, what else ends a line, and what turns its direction."""


def csv_text(titles: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    """Write a table as CSV (RFC 4180, but lines end as on this system)."""
    written = io.StringIO()
    writer = csv.writer(written, lineterminator="\n")
    writer.writerow(titles)
    writer.writerows(rows)
    return written.getvalue()


def markdown_text(titles: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    r"""Write a table as Markdown; columns of numbers are aligned right.

    Examples
    --------
    >>> print(markdown_text(["name", "bytes"], [("row|2", 12)]), end="")
    | name | bytes |
    | --- | ---: |
    | row\|2 | 12 |
    """
    listed: list[Sequence[object]] = [
        ["" if cell is None else cell for cell in row] for row in rows
    ]
    numeric = [
        bool(listed)
        and all(not row[k] or not isinstance(row[k], str) for row in listed)
        for k in range(len(titles))
    ]
    rule = ["---:" if right else "---" for right in numeric]
    written = (
        [one_line(str(cell)).replace("|", "\\|") for cell in row]
        for row in (titles, rule, *listed)
    )
    return "".join(f"| {' | '.join(row)} |\n" for row in written)


def column_lines(rows: Iterable[Sequence[str]], indent: str = "") -> list[str]:
    """Write rows in columns: the first aligned left, the others right.

    Examples
    --------
    >>> column_lines([("rank", "calls"), ("0", "12")])
    ['rank  calls', '0        12']
    """
    rows = list(rows)
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        indent
        + "  ".join(
            cell.rjust(width) if place else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


def one_line(text: str) -> str:
    r"""Spell what would break, hide or turn a line of a text: ``\n``, ``\x1b``.

    Examples
    --------
    >>> print(one_line("run\x1b[31m"))
    run\x1b[31m
    """
    return _CONTROL.sub(_spelt, text)


def printable(text: str) -> str:
    """Spell what a terminal would obey in the lines of a text; tabs stay."""
    return re.sub(r"[^\n\t]+", lambda found: one_line(found[0]), text)


def _spelt(found: re.Match[str]) -> str:
    return found[0].encode("unicode_escape").decode("ascii")
