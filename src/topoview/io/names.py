"""What identifiers in records mean, in words, from the definitions."""

import struct
from collections.abc import Callable
from typing import Final

import numpy as np

from topoview.io.definitions import Definitions
from topoview.io.definitions_further import Further, PropertyRecord
from topoview.model import Named, SystemNode

Text = Callable[[int], str]

_DEEPEST: Final = 64
"""Levels of a call path that are spelled out."""

# Codes of OTF2_Type.
_SIGNED: Final = {5: 8, 6: 16, 7: 32, 8: 64}
_UNSIGNED: Final = {1: 8, 2: 16, 3: 32, **dict.fromkeys(range(11, 26), 32), 13: 64}
_FLOAT, _DOUBLE, _STRING = 9, 10, 11


def find_nodes(found: Further, text: Text) -> tuple[SystemNode, ...]:
    """List the parts of the machine, in the order of the trace."""
    index = {ref: number for number, ref in enumerate(found.nodes)}
    return tuple(
        SystemNode(text(node.name), text(node.kind), index.get(node.parent, -1))
        for node in found.nodes.values()
    )


def find_names(definitions: Definitions) -> tuple[Named, ...]:
    """Name what identifiers in records mean."""
    found, text = definitions.further, definitions.string
    tables = {
        kind: {ref: text(name) for ref, name in table.items()}
        for kind, table in found.names.items()
    }
    files, handles = tables.get("I/O file", {}), tables.get("I/O handle", {})
    for ref, file in found.files.items():
        handles[ref] = handles[ref] or files.get(file, "")
    tables["source line"] = {
        ref: f"{text(file)}:{number}" for ref, (file, number) in found.lines.items()
    }
    tables["call path"] = {ref: _path(definitions, ref) for ref in found.paths}
    named = [
        _named(kind, [(ref, table[ref]) for ref in sorted(table)])
        for kind, table in tables.items()
        if table
    ]
    for owner, properties in found.properties.items():
        words = [(_signed(p.owner, 64), _property(p, text)) for p in properties]
        named.append(_named(f"property of {owner}", sorted(words)))
    return tuple(table for table in named if table.names)


def _named(kind: str, words: list[tuple[int, str]]) -> Named:
    identifiers = np.array([ref for ref, _ in words], np.int64)
    return Named(kind, identifiers, tuple(word for _, word in words))


def _property(record: PropertyRecord, text: Text) -> str:
    """Spell a property: ``PID: 4711``."""
    return f"{text(record.name)}: {_value(record.kind, record.value, text)}"


def _value(kind: int, bits: int, text: Text) -> str:
    if kind == _STRING:
        return text(bits & 0xFFFFFFFF)
    if kind == _DOUBLE:
        return f"{struct.unpack('<d', struct.pack('<Q', bits))[0]:g}"
    if kind == _FLOAT:
        return f"{struct.unpack('<f', struct.pack('<I', bits & 0xFFFFFFFF))[0]:g}"
    if kind in _SIGNED:
        return str(_signed(bits, _SIGNED[kind]))
    return str(bits & ((1 << _UNSIGNED.get(kind, 64)) - 1))


def _signed(bits: int, size: int) -> int:
    """Read the lowest bits as a signed integer."""
    bits &= (1 << size) - 1
    return bits - (1 << size) if bits >> (size - 1) else bits


def _path(definitions: Definitions, ref: int) -> str:
    """Spell a call path from its outermost region: ``main > solve > MPI_Send``."""
    names: list[str] = []
    paths = definitions.further.paths
    while ref in paths and len(names) < _DEEPEST:
        ref, here = paths[ref]
        record = definitions.regions.get(here)
        names.append(definitions.string(record.name) if record else "")
    return " > ".join(reversed(names))
