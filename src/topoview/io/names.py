"""What identifiers in records mean, in words, from the definitions."""

from collections.abc import Callable
from typing import Final

import numpy as np

from topoview.io.definitions import Definitions
from topoview.io.definitions_further import Further, PropertyRecord
from topoview.io.values import as_signed, spell_value
from topoview.model import Named, SystemNode

Text = Callable[[int], str]

_DEEPEST: Final = 64
"""Levels of a call path that are spelled out."""


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
    if found.has_texts:
        tables["text of a parameter"] = definitions.strings
    tables["call path"] = {ref: _path(definitions, ref) for ref in found.paths}
    named = [
        _named(kind, [(ref, table[ref]) for ref in sorted(table)])
        for kind, table in tables.items()
        if table
    ]
    for owner, properties in found.properties.items():
        words = [(as_signed(p.owner, 64), _property(p, text)) for p in properties]
        named.append(_named(f"property of {owner}", sorted(words)))
    return tuple(table for table in named if table.names)


def _named(kind: str, words: list[tuple[int, str]]) -> Named:
    identifiers = np.array([ref for ref, _ in words], np.int64)
    return Named(kind, identifiers, tuple(word for _, word in words))


def _property(record: PropertyRecord, text: Text) -> str:
    """Spell a property: ``PID: 4711``."""
    return f"{text(record.name)}: {spell_value(record.kind, record.value, text)}"


def _path(definitions: Definitions, ref: int) -> str:
    """Spell a call path from its outermost region: ``main > solve > MPI_Send``."""
    names: list[str] = []
    paths = definitions.further.paths
    while ref in paths and len(names) < _DEEPEST:
        ref, here = paths[ref]
        record = definitions.regions.get(here)
        names.append(definitions.string(record.name) if record else "")
    return " > ".join(reversed(names))
