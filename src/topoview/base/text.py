"""Texts and their language; counts, sizes, durations in words; tables as text."""

import csv
import io
import itertools
import json
import math
import re
from collections.abc import Callable, Iterable, Sequence
from html import escape
from itertools import pairwise
from typing import Any, Final

ARROW: Final = " > "
"""Between functions of a call path."""

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


_translate: Translate | None = None


def speak(translate: Translate | None) -> None:
    """Set how `tr` and `plural` translate from now on: before any text is made.

    None: not at all, all is English.

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
    said = (_translate and _translate(text, -1)) or text
    return said.format(**values) if values else said


def mark(text: str) -> str:
    """Enter a text into the catalogue which is a key too: ``tr(key)`` where shown."""
    return text


def plural(number: int, noun: str) -> str:
    """Count a noun: ``1 rank``, ``1 024 ranks``."""
    english = f"%n {noun}{'' if number == 1 else 's'}"
    said = (_translate and _translate(f"%n {noun}", number)) or english
    return said.replace("%n", grouped(number))


def plural_noun(noun: str) -> str:
    """Return the plural of a noun: ``ranks``."""
    return plural(2, noun).partition(" ")[2]


def did_you_mean(word: str, words: Iterable[str]) -> str:
    """Return ``: did you mean X?`` if a word looks like one of some, else nothing.

    Examples
    --------
    >>> did_you_mean("Watiall", ("Wait", "Waitall", "Isend"))
    ': did you mean Waitall?'
    >>> did_you_mean("zebra", ("Wait", "Waitall"))
    ''
    """
    from difflib import get_close_matches

    spelt = {each.lower(): each for each in words}
    near = get_close_matches(word.lower(), spelt, n=1)
    return f": did you mean {spelt[near[0]]}?" if near else ""


def in_sentence(text: str) -> str:
    """Write a title in the middle of a sentence: English begins it in lower case."""
    return text if _translate else text[:1].lower() + text[1:]


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
    return _LONG_NUMBER.sub(lambda match: grouped(int(match[0])), text)


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


def duration_text(seconds: float) -> str:
    """Write how long something took, to three digits: ``3.73 s``, ``81.3 ms``."""
    if seconds < 0:
        return MINUS + duration_text(-seconds)
    for unit, scale in (("s", 1.0), ("ms", 1e3)):
        if seconds * scale * 1e3 >= _ROUNDS_UP:
            return f"{_three_digits(seconds * scale)} {unit}"
    if 0 < seconds < 1e-9:
        return f"{seconds * 1e12:.3g} ps"
    return f"{seconds * 1e6:.3g} µs" if seconds else "0"


TIME_EXPONENTS: Final = {"s": 0, "ms": 3, "µs": 6, "ns": 9, "ps": 12}
"""Units of times, and the power of ten of a second that each is."""


def time_scale(span: float, unit: str = "") -> tuple[str, int]:
    """Choose the unit and the decimals for times in a span of so many seconds.

    A thousandth of the span is told apart: three to four digits within it.

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


def unit_of_run(length: float) -> str:
    """Return the unit of all absolute times of a run: the largest that it has one of.

    Parameters
    ----------
    length
        Seconds.
    """
    return next((u for u, e in TIME_EXPONENTS.items() if length >= 10.0**-e), "ps")


def time_label(seconds: float, unit: str, decimals: int, *, plus: bool = False) -> str:
    """Write a time: ``1.752 51 s``, or with its sign: ``+12.5 ms``."""
    value = grouped(abs(seconds) * 10.0 ** TIME_EXPONENTS[unit], decimals)
    sign = MINUS if seconds < 0 else "+" * plus
    return f"{sign}{group_decimals(value)} {unit}"


def group_decimals(number: str) -> str:
    """Write the digits after the point in groups of three, too: ``102.275 9``."""
    whole, point, digits = number.partition(".")
    threes = (digits[at : at + 3] for at in range(0, len(digits), 3))
    return whole + point + THIN_SPACE.join(threes)


def _three_digits(number: float) -> str:
    """Write a number to three digits, larger ones to the next whole one."""
    return grouped(round(number)) if number >= _ROUNDS_UP else f"{number:.3g}"


_UNITS: Final = {"seconds": "s", "bytes": "B", "byte": "B", "b": "B", "#": ""}
"""Units as counters spell them, in small letters."""

_LARGEST_WHOLE: Final = 1e9
"""From which on a number that is no count is written with an exponent."""


def write(number: float, unit: str = "") -> str:
    """Write a number with its unit, to three digits; counts whole; empty for NaN.

    Parameters
    ----------
    unit
        ``s``, ``B``, ``share`` (of a fraction), any other that stands behind the
        number, or one of these a second, such as ``B/s`` or ``/s``; empty: none.

    Examples
    --------
    >>> write(0.00131, "s"), write(2048, "B/s"), write(0.5, "share"), write(2.5, "W")
    ('1.31 ms', '2 KiB/s', '50.0 %', '2.5 W')
    """
    if math.isnan(number):
        return ""
    if number < 0:
        return MINUS + write(-number, unit)
    kind, rate = unit.removesuffix("/s"), "/s" * unit.endswith("/s")
    kind = _UNITS.get(kind.lower(), kind)
    if kind == "share" and number in (0, 1):
        return f"{100 * number:.0f} %"
    writer = {"s": duration_text, "B": size_text, "share": share_text}.get(kind)
    if writer is not None:
        return writer(number) + rate
    if isinstance(number, int) or (number < _LARGEST_WHOLE and number == int(number)):
        text = grouped(int(number))
    else:
        text = f"{number:.3g}" if number >= _LARGEST_WHOLE else _three_digits(number)
    return f"{text} {kind}{rate}" if kind else text + rate


_CONTROL: Final = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]"
)
"""Control characters, what else ends a line, and what turns its direction."""


def csv_text(titles: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    """Write a table as CSV (RFC 4180, but lines end as on this system).

    A text that a spreadsheet would compute is headed with an apostrophe.

    Examples
    --------
    >>> print(csv_text(["name", "ticks"], [("=1+1", -1)]), end="")
    name,ticks
    '=1+1,-1
    """
    written = io.StringIO()
    writer = csv.writer(written, lineterminator="\n")
    writer.writerows(
        [_not_computed(cell) if isinstance(cell, str) else cell for cell in row]
        for row in itertools.chain([titles], rows)
    )
    return written.getvalue()


_COMPUTED: Final = ("=", "+", "-", "@", "\t")
"""How texts begin that spreadsheets take for formulas."""


def _not_computed(cell: str) -> str:
    if "\r" in cell:  # Python before 3.13 does not quote it
        cell = one_line(cell)
    return f"'{cell}" if cell.startswith(_COMPUTED) else cell


def json_text(value: object, **style: Any) -> str:  # noqa: ANN401 - as json.dumps
    """Write a value as JSON that every reader takes: what is no number is null.

    Examples
    --------
    >>> json_text({"slope": float("nan"), "ranks": (0, 1)})
    '{"slope": null, "ranks": [0, 1]}'
    """
    try:
        return json.dumps(value, allow_nan=False, **style)
    except ValueError:
        return json.dumps(_with_null(value), allow_nan=False, **style)


def _with_null(value: object) -> object:
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, dict):
        return {key: _with_null(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_with_null(item) for item in value]
    return value


def markdown_text(
    titles: Sequence[str], rows: Iterable[Sequence[str]], left: Sequence[bool]
) -> str:
    r"""Write a table as Markdown; columns are aligned left, or else right.

    What is in the cells is shown as it is: see `markdown_literal`.

    Examples
    --------
    >>> print(markdown_text(["name", "size"], [("row|2", "12 B")], [True, False]))
    | name | size |
    | --- | ---: |
    | row\|2 | 12 B |
    """
    rule = ["---" if is_left else "---:" for is_left in left]
    written = ([markdown_literal(cell) for cell in row] for row in (titles, *rows))
    head, *body = (f"| {' | '.join(row)} |" for row in written)
    return "\n".join([head, f"| {' | '.join(rule)} |", *body])


_MARKUP: Final = re.compile(r"[\\`&*\[\]<|~]|(?<![^\W_])_|_(?![^\W_])")
"""What is markup in Markdown within a line; an underscore inside a word is none."""


def markdown_literal(text: str) -> str:
    r"""Write a line for Markdown that is shown as it is: no link, picture, or HTML.

    Examples
    --------
    >>> print(markdown_literal("MPI_Send <b> [x](y)"))
    MPI_Send \<b> \[x\](y)
    """
    return _MARKUP.sub(r"\\\g<0>", one_line(text))


def html_text(
    titles: Sequence[str], rows: Iterable[Sequence[str]], left: Sequence[bool]
) -> str:
    """Write a table as HTML; columns are aligned left, or else right."""
    sides = ["left" if is_left else "right" for is_left in left]

    def row(cells: Sequence[str], tag: str) -> str:
        written = (
            f'<{tag} style="text-align:{side}">{escape(one_line(cell))}</{tag}>'
            for cell, side in zip(cells, sides, strict=True)
        )
        return f"<tr>{''.join(written)}</tr>"

    body = "".join(row(cells, "td") for cells in rows)
    return f"<table><thead>{row(titles, 'th')}</thead><tbody>{body}</tbody></table>"


def column_lines(rows: Iterable[Sequence[str]], left: Sequence[bool] = ()) -> list[str]:
    """Write rows in columns, aligned left or else right; at first the first one left.

    Examples
    --------
    >>> column_lines([("rank", "calls"), ("0", "12")])
    ['rank  calls', '0        12']
    """
    rows = list(rows)
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    left = left or [not place for place in range(len(widths))]
    return [
        "  ".join(
            cell.ljust(width) if is_left else cell.rjust(width)
            for cell, width, is_left in zip(row, widths, left, strict=True)
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
    return re.sub(r"[^\n\t]+", lambda match: one_line(match[0]), text)


def _spelt(match: re.Match[str]) -> str:
    return match[0].encode("unicode_escape").decode("ascii")
