"""Names of offsets on a lattice, and back.

Axes x, y, z are EAST/WEST, SOUTH/NORTH (y runs down the page), UP/DOWN; beyond
three ``+w`` and ``-w``, ``+v``, ... Single steps along x and y are one word
(``SOUTHWEST``), z goes before them (``UP-SOUTHWEST``), longer steps carry their
length (``EAST x2``, ``SOUTH-EAST x2``), further axes follow (``EAST +w``,
``-2w``).
"""

import re
from collections.abc import Sequence

from topoview.topology.lattice import AXES

WORDS = {0: ("EAST", "WEST"), 1: ("SOUTH", "NORTH"), 2: ("UP", "DOWN")}
"""Axis to the names of its positive and its negative direction."""

_AXIS_OF = {
    word: (axis, 1 - 2 * i)
    for axis, words in WORDS.items()
    for i, word in enumerate(words)
}
_WORD = re.compile(r"(EAST|WEST|SOUTH|NORTH|UP|DOWN)(?: x(\d+))?")
_SEPARATOR = re.compile(r"^(-(?=[A-Z])| )")
_FURTHER = re.compile(r"([+-])(\d*)([a-w])")


def offset_name(steps: Sequence[int]) -> str:
    """Name an offset, x first: ``(-1, 1)`` is ``SOUTHWEST``."""
    x, y, z = (*steps[:3], 0, 0, 0)[:3]
    if abs(x) == 1 and abs(y) == 1:
        flat = [_word(1, y) + _word(0, x)]
    else:
        flat = [_word(1, y), _word(0, x)]
    words = "-".join(word for word in (_word(2, z), *flat) if word)
    further = [
        f"{'+' if step > 0 else '-'}{abs(step) if abs(step) > 1 else ''}{axis}"
        for axis, step in zip(AXES[3:], steps[3:], strict=False)
        if step
    ]
    return " ".join(part for part in (words, *further) if part) or "SELF"


def offset_of(name: str, d: int) -> tuple[int, ...] | None:
    """Offset in `d` dimensions that a name stands for, None if it is no name."""
    steps = [0] * d
    rest = name
    while rest and name != "SELF":
        if found := _WORD.match(rest):
            axis, sign = _AXIS_OF[found[1]]
        elif found := _FURTHER.match(rest):
            axis, sign = AXES.index(found[3]), 1 if found[1] == "+" else -1
        else:
            return None
        length = int(found[2] or 1)
        if axis >= d or steps[axis]:
            return None
        steps[axis] = sign * length
        rest = _SEPARATOR.sub("", rest[found.end() :])
    return tuple(steps)


def _word(axis: int, step: int) -> str:
    if not step:
        return ""
    word = WORDS[axis][step < 0]
    return word if abs(step) == 1 else f"{word} x{abs(step)}"
