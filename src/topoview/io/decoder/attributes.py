"""Attributes of events: lists that precede their event, to a table of their own.

A list is the number of its attributes, then of each what it is, the type of its
value, and the value (libotf2 3.2, source of ``OTF2_AttributeList.c`` and
``otf2_attribute_value_inc.c``).
"""

# mypy: allow-untyped-defs, disable-error-code="no-untyped-call,call-arg"
# ruff: noqa: ANN001, ANN201, ANN202, PLR0913 - numba finds the types

from typing import Final

import numba
import numpy as np

from topoview.io.decoder.further import WORDS
from topoview.io.decoder.memory import compressed, load8, load64, store64, whole
from topoview.io.decoder.regions import mapped
from topoview.io.record_types import ATTRIBUTES, MAPPINGS

ATTRIBUTE_FIELDS: Final = ("attribute", "type", "value", "record")
"""Fields of the table; the last is the number of the event's type of record."""

_SMALLEST: Final = 3
"""Bytes of the shortest attribute."""

# Values by their OTF2_Type: bytes as they are, or an integer compressed.
_PLAIN: Final = np.zeros(256, np.int64)
_PLAIN[[1, 5]] = 1
_PLAIN[[2, 6]] = 2
_PLAIN[9] = 4
_PLAIN[10] = 8
_WIDEST: Final = np.full(256, 8, np.int64)
_WIDEST[[3, 7, 11, 12, *range(14, 26)]] = 4
_SIGN: Final = np.zeros(256, np.int64)
_SIGN[[5, 6, 7]] = 8, 16, 32

_KINDS: Final = {
    11: "string", 12: "attribute", 13: "location", 14: "region", 15: "group",
    16: "metric", 17: "comm", 18: "parameter", 19: "window", 20: "source",
    21: "context", 22: "generator", 23: "file", 24: "handle", 25: "location group",
}  # fmt: skip
_MAPPING: Final = np.full(256, -1, np.int64)
_MAPPING[list(_KINDS)] = [MAPPINGS.index(kind) for kind in _KINDS.values()]
_ATTRIBUTE: Final = MAPPINGS.index("attribute")


@numba.njit(nogil=True)
def count_attributes(at, size, swap):
    """Count the attributes of a list, as far as it has room for them."""
    number, _, bad = compressed(at, swap, 4, np.int64(0))
    return np.int64(0) if bad or number > size // _SMALLEST else number


@numba.njit(nogil=True)
def take_attributes(frame, at, size, swap, now, kind):
    """Append the attributes of a list, which are those of a type of record."""
    table = frame.further + 8 * WORDS * ATTRIBUTES
    count, end = count_attributes(at, size, swap), at + size
    row, times, fields = load64(table + 16), load64(table), load64(table + 8)
    if times == 0 or row + count > load64(table + 24):
        return
    _, at, bad = compressed(at, swap, 4, np.int64(0))
    for _ in range(count):
        attribute, at, bad = compressed(at, swap, 4, bad)
        form = np.uint64(load8(at))
        value, at, bad = _value(at + 1, swap, form, bad)
        if bad or at > end:
            break
        if _MAPPING[form] >= 0:
            value = mapped(frame, _MAPPING[form], value)
        store64(times, row, now - frame.origin)
        store64(fields, 4 * row, mapped(frame, np.int64(_ATTRIBUTE), attribute))
        store64(fields, 4 * row + 1, np.int64(form))
        store64(fields, 4 * row + 2, value)
        store64(fields, 4 * row + 3, kind)
        row += 1
    store64(table, 2, row)


@numba.njit(nogil=True)
def _value(at, swap, form, bad):
    """Take a value: its bits, where the next attribute begins, and `bad`."""
    plain, sign = _PLAIN[form], _SIGN[form]
    if plain:
        value = whole(at, swap)
        if swap:
            value >>= 64 - 8 * plain
        if plain < 8:
            value &= (np.int64(1) << 8 * plain) - 1
        at += plain
    else:
        value, at, bad = compressed(at, swap, _WIDEST[form], bad)
    if sign:
        value = (value << (64 - sign)) >> (64 - sign)
    return value, at, bad
