"""Definitions kept as they stand in the archive, for who wants to know all of them.

What is made of them is elsewhere; here are the flags, kinds and properties besides.
"""

import struct
from collections.abc import Callable
from ctypes import POINTER, c_uint8, c_uint32, c_uint64
from typing import Any, Final

import numpy as np

from topoview.base.text import one_line
from topoview.model import DefinitionTable

Text = Callable[[int], str]
DefinitionRows = dict[str, list[tuple[int, ...]]]

_UNDEFINED: Final = 0xFFFFFFFF
_U64: Final = (1 << 64) - 1

TABLE_FIELDS: Final[dict[str, str]] = {
    "ClockProperties": "resolution begin length realtime",
    "Paradigm": "paradigm *name class",
    "ParadigmProperty": "paradigm property type $value",
    "IoParadigm": "self *identification *name class flags",
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

_PROPERTIES: Final = "IoParadigmProperty"
_ALL_FIELDS: Final = TABLE_FIELDS | {_PROPERTIES: "paradigm property type $value"}
_NUMBERS: Final = ("$value", "resolution", "begin", "length", "realtime")

_KEPT_ARGUMENTS: Final[dict[str, tuple[int, ...]]] = {
    "LocationGroup": (0, 2, 3, 4),  # names are those of locations' groups
    "Group": (0, 1, 2, 3, 4, 5),
    "IoParadigm": (0, 1, 2, 3, 4),
    "MetricClass": (0, 3, 4),
}
"""Arguments that are kept, where those are not all."""


def table_callbacks(
    rows: DefinitionRows,
) -> dict[str, tuple[tuple[Any, ...], Callable[..., None]]]:
    """Make the callbacks of definitions that nothing else is made of."""

    def nothing(*_: Any) -> None:  # noqa: ANN401 - C types
        """Keep the record, as of all types."""

    def io_paradigm(  # noqa: PLR0913 - libotf2's signature
        ref: int,
        identification: int,
        name: int,
        kind: int,
        flags: int,
        count: int,
        properties: Any,  # noqa: ANN401 - a C pointer
        types: Any,  # noqa: ANN401 - a C pointer
        values: Any,  # noqa: ANN401 - a C pointer
    ) -> None:
        del identification, name, kind, flags
        table = rows.setdefault(_PROPERTIES, [])
        table.extend((ref, properties[k], types[k], values[k]) for k in range(count))

    u8, u32, u64 = c_uint8, c_uint32, c_uint64
    lists = POINTER(u8), POINTER(u8), POINTER(u64)
    return {
        "Paradigm": ((u8, u32, u8), nothing),
        "ParadigmProperty": ((u8, u8, u8, u64), nothing),
        "IoParadigm": ((u8, u32, u32, u8, u32, u8, *lists), io_paradigm),
        "SystemTreeNodeDomain": ((u32, u8), nothing),
        "MetricClassRecorder": ((u32, u64), nothing),
        "IoPreCreatedHandleState": ((u32, u8, u32), nothing),
    }


def also_keep_row(
    name: str, take: Callable[..., None], rows: DefinitionRows
) -> Callable[..., None]:
    """Keep the records of a type besides, if it is one of `TABLE_FIELDS`."""
    if name not in TABLE_FIELDS:
        return take
    table = rows.setdefault(name, [])
    picked = _KEPT_ARGUMENTS.get(name)

    def both(*values: Any) -> None:  # noqa: ANN401 - C types
        table.append(tuple(values[k] for k in picked) if picked else values)
        take(*values)

    return both


def find_definition_tables(
    rows: DefinitionRows, text: Text
) -> tuple[DefinitionTable, ...]:
    """Make tables of the definitions that were kept."""
    found = []
    for name, records in rows.items():
        if name == "LocationGroup":  # few are made by another one
            records = [record for record in records if record[3] != _UNDEFINED]
        if records:
            found.append(_definition_table(name, records, text))
    return tuple(found)


def _definition_table(
    name: str, records: list[tuple[int, ...]], text: Text
) -> DefinitionTable:
    marked = _ALL_FIELDS[name].split()
    fields = tuple(field.lstrip("*$") for field in marked)
    values = np.array([[v & _U64 for v in row] for row in records], np.uint64)
    refers = np.array([field not in _NUMBERS for field in marked])
    values[(values == _UNDEFINED) & refers] = _U64
    numbers = values.view(np.int64)
    known: dict[str, int] = {}
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
        places = [known.setdefault(word, len(known)) if word else -1 for word in words]
        numbers[:, at] = np.array(places, np.int64)[inverse.reshape(-1)]
    written = tuple(f for f, mark in zip(fields, marked, strict=True) if f != mark)
    return DefinitionTable(name, fields, numbers, written, tuple(known))


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
