"""Definitions kept as they stand in the archive, for who wants to know all of them.

What is made of them is elsewhere; here are the flags, kinds and properties besides.
"""

import struct
from collections.abc import Callable
from typing import Final

import numpy as np
from numpy.typing import NDArray

from topoview.base.text import one_line
from topoview.model import DefinitionTable

Text = Callable[[int], str]
Words = NDArray[np.uint64]

_UNDEFINED: Final = 0xFFFFFFFF
_U64: Final = (1 << 64) - 1

TABLE_FIELDS: Final[dict[str, str]] = {
    "ClockProperties": "resolution begin length realtime",
    "Paradigm": "paradigm *name class",
    "ParadigmProperty": "paradigm property type $value",
    "IoParadigm": "self *identification *name class flags",
    "IoParadigmProperty": "paradigm property type $value",
    "SystemTreeNodeDomain": "node domain",
    "LocationGroup": "self kind node creator",
    "Region": "self *name *canonical *description role paradigm flags *file begin end",
    "Group": "self *name kind paradigm flags size",
    "Comm": "self *name group parent flags",
    "InterComm": "self *name group other parent flags",
    "Attribute": "self *name *description type",
    "Parameter": "self *name type",
    "RmaWin": "self *name communicator flags",
    "MetricMember": "self *name *description kind mode type base exponent *unit",
    "MetricClass": "self occurrence recorder",
    "MetricClassRecorder": "class location",
    "InterruptGenerator": "self *name mode base exponent period",
    "IoRegularFile": "self *name node",
    "IoDirectory": "self *name node",
    "IoHandle": "self *name file paradigm flags communicator parent",
    "IoPreCreatedHandleState": "handle mode flags",
}
"""Fields of each type: ``*`` marks texts, ``$`` a value of the type before it."""

_NUMBERS: Final = ("$value", "resolution", "begin", "length", "realtime")
"""Fields that are no identifiers: any value of them is one."""


def find_definition_tables(
    kept: dict[str, Words], text: Text
) -> tuple[DefinitionTable, ...]:
    """Build tables from the definitions that were kept.

    Parameters
    ----------
    kept
        Fields of `TABLE_FIELDS`, by type: uint64, shape (records, fields).
    """
    tables = []
    for name, values in kept.items():
        if name == "LocationGroup":  # few are made by another one
            values = values[values[:, 3] != _UNDEFINED]
        if len(values):
            tables.append(_definition_table(name, values.copy(), text))
    return tuple(tables)


def _definition_table(name: str, values: Words, text: Text) -> DefinitionTable:
    marked = TABLE_FIELDS[name].split()
    fields = tuple(field.lstrip("*$") for field in marked)
    refers = np.array([field not in _NUMBERS for field in marked])
    values[(values == _UNDEFINED) & refers] = _U64
    numbers = values.view(np.int64)
    texts: dict[str, int] = {}
    for at, field in enumerate(marked):
        if field[0] == "*":
            refs, inverse = np.unique(numbers[:, at], return_inverse=True)
            words = [text(int(ref)) if ref >= 0 else "" for ref in refs]
        elif field[0] == "$":
            pairs, inverse = np.unique(
                numbers[:, at - 1 : at + 1], axis=0, return_inverse=True
            )
            words = [
                spell_value(int(kind), int(bits) & _U64, text) for kind, bits in pairs
            ]
        else:
            continue
        places = [texts.setdefault(word, len(texts)) if word else -1 for word in words]
        numbers[:, at] = np.array(places, np.int64)[inverse.reshape(-1)]
    written = tuple(f for f, mark in zip(fields, marked, strict=True) if f != mark)
    return DefinitionTable(name, fields, numbers, written, tuple(texts))


# Texts of an archive, and values whose type stands beside them, as a line of text.


def text_of(raw: bytes) -> str:
    r"""Decode a text; what would break or hide a line of it is spelt: ``\n``, ``\x1b``.

    Bytes that are no UTF-8 become U+FFFD.
    """
    return one_line(raw.decode(errors="replace"))


# Codes of OTF2_Type.
_SIGNED: Final = {5: 8, 6: 16, 7: 32, 8: 64}
_UNSIGNED: Final = {1: 8, 2: 16, 3: 32, **dict.fromkeys(range(11, 26), 32), 13: 64}
_FLOAT, _DOUBLE, _STRING = 9, 10, 11


def spell_value(kind: int, bits: int, text: Callable[[int], str]) -> str:
    """Spell a value by its OTF2_Type."""
    if kind == _STRING:
        return text(bits & 0xFFFFFFFF)
    if kind == _DOUBLE:
        return f"{struct.unpack('<d', struct.pack('<Q', bits))[0]:g}"
    if kind == _FLOAT:
        return f"{struct.unpack('<f', struct.pack('<I', bits & 0xFFFFFFFF))[0]:g}"
    if kind in _SIGNED:
        return str(as_signed(bits, _SIGNED[kind]))
    return str(bits & ((1 << _UNSIGNED.get(kind, 64)) - 1))


def as_signed(bits: int, size: int) -> int:
    """Read the lowest bits as a signed integer."""
    bits &= (1 << size) - 1
    return bits - (1 << size) if bits >> (size - 1) else bits
