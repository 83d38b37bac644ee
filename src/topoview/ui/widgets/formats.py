"""Numbers, times and names as the window writes them."""

import math
import re
from html import escape
from typing import Final

from topoview.base.text import (
    THIN_SPACE,
    TIME_EXPONENTS,
    grouped,
    time_label,
    time_scale,
    tr,
    unit_of_run,
)
from topoview.model import Clock
from topoview.session import State

TIMES_SIGN = "\u00d7"
UNITS = {"s": 1.0, "ms": 1e-3, "µs": 1e-6, "ns": 1e-9, "ps": 1e-12}
_SPELLINGS = {"us": "µs", "μs": "µs", "sec": "s", "seconds": "s"}
_SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")

EXACT_COUNT = 9_999
"""Up to which a count is written in full; of more, thousands or millions."""


def count_text(count: int) -> str:
    """Write a count in the room of four digits: ``13``, ``67k``, ``2.9M``."""
    if count <= EXACT_COUNT:
        return grouped(count)
    for digits, letter in ((3, "k"), (6, "M"), (9, "G")):
        part = count / 10**digits
        if part < 1000 or letter == "G":
            return f"{part:.{int(part < 10)}f}{letter}"
    return ""


def tip_text(words: str) -> str:
    """Set words as a tip: Qt would take a name such as ``<main>`` for markup."""
    if "<" not in words:
        return words
    return f"<qt>{escape(words).replace(chr(10), '<br>')}</qt>"


def round_text(seconds: float) -> str:
    """Write a time that is a round number: ``0.3 s``, ``30 ms``, ``1 µs``."""
    for scale, unit in ((1.0, "s"), (1e3, "ms"), (1e6, "µs")):
        if seconds * scale >= 0.0999:
            return f"{seconds * scale:.3g} {unit}"
    return f"{seconds * 1e6:.3g} µs"


def speed_of_time(seconds: float) -> str:
    """Write how much of a run is played in a second, to three digits: ``667 ns/s``."""
    unit = unit_of_run(seconds * (1 + 1e-9))
    return f"{seconds * 10.0 ** TIME_EXPONENTS[unit]:.3g} {unit}/s"


def absolute_unit(clock: Clock, unit: str = "") -> str:
    """Return the unit of absolute times: that of the run, unless one is given."""
    return unit or unit_of_run(clock.seconds(max(clock.length, 1)))


def time_text(ticks: float, clock: Clock, span: float, unit: str = "") -> str:
    """Write an absolute time so that a thousandth of `span` ticks is told: ``2.190 s``.

    In the unit of the run, or another one if it is given; never finer than the clock.
    """
    unit = absolute_unit(clock, unit)
    decimals = time_scale(clock.seconds(max(span, 1)), unit)[1]
    finest = max(0, clock.decimals - TIME_EXPONENTS[unit])
    return time_label(clock.seconds(ticks), unit, min(decimals, finest))


def relative_time_text(
    ticks: int, time_zero: int | None, clock: Clock, span: float, unit: str = ""
) -> str:
    """Write a time as `time_text`, with its sign from a mark if there is one."""
    if time_zero is None:
        return time_text(ticks, clock, span, unit)
    unit, decimals = time_scale(clock.seconds(max(span, 1)), unit)
    return time_label(clock.seconds(ticks - time_zero), unit, decimals, plus=True)


def exact_time_text(ticks: int, clock: Clock, state: State) -> str:
    """Write a time so that a millionth of the run is told: ``2.190000 s``.

    Of what is shown a thousandth, where that is less: as cursor and cards do.
    """
    shown = state.window[1] - state.window[0]
    span = min(clock.length / 1e3, shown) if shown > 0 else clock.length / 1e3
    unit = absolute_unit(clock, state.unit)
    return relative_time_text(ticks, state.time_zero, clock, span, unit)


def moment_text(seconds: float, state: State) -> str:
    """Write a moment as `exact_time_text`; empty without a trace."""
    if state.analysis is None or not math.isfinite(seconds):
        return ""
    clock = state.analysis.trace.clock
    return exact_time_text(clock.ticks(seconds), clock, state)


def window_text(window: tuple[int, int], clock: Clock, unit: str = "") -> str:
    """Write a time window, all in one unit: ``2.170-2.215 s of 2.342 s``.

    A hundredth of it is told.
    """
    total = time_text(clock.length, clock, clock.length, unit)
    if window[0] <= 0 and window[1] >= clock.length:
        return tr("all of {total}", total=total)
    begin, end = (
        time_text(ticks, clock, 10 * (window[1] - window[0]), unit) for ticks in window
    )
    return tr(
        "{begin}–{end} of {total}", begin=begin.rpartition(" ")[0], end=end, total=total
    )


def parse_time(text: str, clock: Clock, unit: str) -> int:
    """Read a time in ticks from what a user typed; `unit` is for bare numbers.

    Raises
    ------
    ValueError
        It is no time.
    """
    bare = re.sub(r"[\s\u2009]", "", text).replace(",", ".")
    match = re.fullmatch(r"([+-]?\d*\.?\d+(?:[eE][+-]?\d+)?)([a-zA-Zµμ]*)", bare)
    if not match:
        raise ValueError(
            tr("{text!r} is no time: write 1.5 s, 20 ms or 300 us", text=text)
        )
    given = match[2] or unit
    given = _SPELLINGS.get(given, given)
    if given not in UNITS:
        raise ValueError(
            tr("{given!r} is no unit of time: use s, ms, us, ns or ps", given=given)
        )
    seconds = float(match[1]) * UNITS[given]
    if not math.isfinite(seconds):
        raise ValueError(
            tr("{text!r} is a time beyond the end of any trace", text=text)
        )
    return clock.ticks(seconds)


_FACTORS = {
    "s": UNITS,
    "%": {"%": 0.01},
    "B": {"B": 1.0, "KiB": 2.0**10, "MiB": 2.0**20, "GiB": 2.0**30},
}
"""Units that a number of a kind may be typed in, and what they are of its own."""


def parse_range(text: str, unit: str) -> tuple[float, float]:
    """Read two numbers that a user typed, such as ``0 - 20 ms`` or ``10 .. 50 %``.

    Parameters
    ----------
    unit
        ``s``, ``B``, ``%`` or any other; a range in per cent is of fractions.

    Raises
    ------
    ValueError
        It is no range.
    """
    number = r"([+-]?\d*\.?\d+(?:[eE][+-]?\d+)?)\s*([a-zA-Zµμ%]*)"
    bare = (
        text.replace(THIN_SPACE, "")
        .replace("\u2013", "-")
        .replace("\u2212", "-")
        .strip()
    )
    match = re.fullmatch(rf"{number}\s*(?:-|\.\.+|to|\s)\s*{number}", bare)
    if not match:
        raise ValueError(
            tr("{text!r} is no range: write it as 0 - 20 ms or 10 - 50 %", text=text)
        )
    factors = _FACTORS.get(unit, {unit: 1.0})
    last = match[4] or match[2] or unit
    ends = []
    for digits, given in ((match[1], match[2] or last), (match[3], last)):
        spelt = _SPELLINGS.get(given, given)
        if spelt not in factors:
            units = ", ".join(factors) or tr("none")
            raise ValueError(
                tr(
                    "{given!r} is no unit of these numbers: use {units}",
                    given=given,
                    units=units,
                )
            )
        ends.append(float(digits) * factors[spelt])
    if not ends[0] < ends[1]:
        raise ValueError(
            tr("{text!r} is no range: the first number must be lower", text=text)
        )
    return ends[0], ends[1]


def range_text(low: float, high: float, unit: str) -> str:
    """Write a range so that `parse_range` reads it again."""
    factor = 0.01 if unit == "%" else 1.0
    return f"{low / factor:.12g} - {high / factor:.12g} {unit}".rstrip()


NAME_WORDS: Final = {
    "D torus": tr("D torus"),
    "D grid": tr("D grid"),
    "chain": tr("chain"),
    "ring": tr("ring"),
    "star": tr("star"),
    "stars of": tr("stars of"),
    "all-to-all": tr("all-to-all"),
    "between": tr("between"),
    "hypercube": tr("hypercube"),
    "binary tree": tr("binary tree"),
    "binomial tree": tr("binomial tree"),
    "double binary tree": tr("double binary tree"),
    "by doubling": tr("by doubling"),
    "rows and columns": tr("rows and columns"),
    "transpose": tr("transpose"),
    "butterfly": tr("butterfly"),
    "geodesic sphere": tr("geodesic sphere"),
    "cubed sphere": tr("cubed sphere"),
    "Yin-Yang grid": tr("Yin-Yang grid"),
    "D pyramid of": tr("D pyramid of"),
    "levels": tr("levels"),
    "cube-connected cycles": tr("cube-connected cycles"),
    "groups of": tr("groups of"),
    "leaders": tr("leaders"),
    "linked pairwise": tr("linked pairwise"),
    "masters": tr("masters"),
    "periodic in": tr("periodic in"),
    "folded north": tr("folded north"),
    "twisted": tr("twisted"),
    "without": tr("without"),
    "place": tr("place"),
    "places": tr("places"),
    "-point star stencil": tr("-point star stencil"),
    "-point stencil": tr("-point stencil"),
    "of its own": tr("of its own"),
    "unknown": tr("unknown"),
    "no point-to-point messages": tr("no point-to-point messages"),
    "rows of": tr("rows of"),
    "row": tr("row"),
    "rows": tr("rows"),
    "column": tr("column"),
    "columns": tr("columns"),
    "plane": tr("plane"),
    "planes": tr("planes"),
    "phase": tr("phase"),
    "phases": tr("phases"),
    "communicator": tr("communicator"),
    "communicators of": tr("communicators of"),
    "along": tr("along"),
    "and": tr("and"),
}
"""Words that names of topologies are made of, in the language of the window: commands,
files and reports keep them in English."""

_WORD: Final = re.compile(
    r"(?<![A-Za-z])(?:"
    + "|".join(re.escape(word) for word in sorted(NAME_WORDS, key=len, reverse=True))
    + r")(?![A-Za-z])"
)


def spoken_name(name: str) -> str:
    """Translate a topology's name into the language of the window."""
    return _WORD.sub(lambda word: NAME_WORDS[word[0]], name)


def name_text(name: str) -> str:
    """Set a topology's name in type, in the language of the window."""
    return crossed_text(spoken_name(name))


def crossed_text(name: str) -> str:
    """Set names in a text: ``3D torus 4x4x4`` with crosses, ``2^5`` raised."""
    crossed = re.sub(r"(?<=\d)x(?=\d)", TIMES_SIGN, name)
    crossed = re.sub(r" x (?!and |x )", f" {TIMES_SIGN} ", crossed)  # else an axis
    return re.sub(r"\^(\d+)", lambda match: match[1].translate(_SUPERSCRIPTS), crossed)
