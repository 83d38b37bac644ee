"""What identifiers in records stand for: parameters, files, call paths, metrics."""

from collections.abc import Callable
from typing import Final

import numpy as np

from topoview.io.definitions.records import (
    Definitions,
    FurtherDefinitions,
    InstanceRecord,
    MemberRecord,
    PropertyRecord,
)
from topoview.io.definitions.tables import as_signed, spell_value
from topoview.model import IdentifierNames, MetricCounter, SystemNode

Text = Callable[[int], str]

_MAX_PATH_LEVELS: Final = 64
"""Levels of a call path that are spelled out."""


def find_nodes(definitions: FurtherDefinitions, text: Text) -> tuple[SystemNode, ...]:
    """List the parts of the machine, in the order of the trace."""
    index = {ref: number for number, ref in enumerate(definitions.nodes)}
    return tuple(
        SystemNode(text(node.name), text(node.kind), index.get(node.parent, -1))
        for node in definitions.nodes.values()
    )


def find_names(definitions: Definitions) -> tuple[IdentifierNames, ...]:
    """Name what identifiers in records mean."""
    further, text = definitions.further, definitions.string
    tables = {
        kind: {ref: text(name) for ref, name in table.items()}
        for kind, table in further.names.items()
    }
    files, handles = tables.get("I/O file", {}), tables.get("I/O handle", {})
    for ref, file in further.files.items():
        handles[ref] = handles[ref] or files.get(file, "")
    tables["source line"] = {
        ref: f"{text(file)}:{number}" for ref, (file, number) in further.lines.items()
    }
    if further.has_texts:
        tables["text of a parameter"] = definitions.strings
    tables["call path"] = {ref: _path_text(definitions, ref) for ref in further.paths}
    named = [
        _names_table(kind, [(ref, table[ref]) for ref in sorted(table)])
        for kind, table in tables.items()
        if table
    ]
    for owner, properties in further.properties.items():
        words = [(as_signed(p.owner, 64), _property_text(p, text)) for p in properties]
        named.append(_names_table(f"property of {owner}", sorted(words)))
    return tuple(table for table in named if table.names)


def _names_table(kind: str, words: list[tuple[int, str]]) -> IdentifierNames:
    identifiers = np.array([ref for ref, _ in words], np.int64)
    return IdentifierNames(kind, identifiers, tuple(word for _, word in words))


def _property_text(record: PropertyRecord, text: Text) -> str:
    """Spell a property: ``PID: 4711``."""
    return f"{text(record.name)}: {spell_value(record.kind, record.value, text)}"


def _path_text(definitions: Definitions, ref: int) -> str:
    """Spell a call path from its outermost region: ``main > solve > MPI_Send``."""
    names: list[str] = []
    paths = definitions.further.paths
    while ref in paths and len(names) < _MAX_PATH_LEVELS:
        ref, here = paths[ref]
        record = definitions.regions.get(here)
        names.append(definitions.string(record.name) if record else "")
    return " > ".join(reversed(names))


# What the values of the records of metrics are, from the definitions.

# By the codes of OTF2_MetricType, OTF2_Base, the lower and the upper four bits of
# OTF2_MetricMode, and OTF2_MetricScope.
_METRIC_KINDS: Final = ("other", "PAPI", "rusage", "user")
_METRIC_BASES: Final = (2, 10)
_METRIC_MODES: Final = ("grows", "value", "change")
_METRIC_TIMINGS: Final = ("start", "point", "last", "next")
_SCOPE_LOCATION, _SCOPE_GROUP, _SCOPE_NODE = 0, 1, 2

_MAX_POWER: Final = 60


def find_counters(
    definitions: FurtherDefinitions, text: Text, groups: dict[int, str]
) -> tuple[MetricCounter, ...]:
    """Find what each value of records of metrics counts.

    Parameters
    ----------
    text
        Gives the string of a number.
    groups
        Names of location groups, by identifier.
    """
    plain = {
        ref: InstanceRecord(ref, -1, _SCOPE_LOCATION, 0) for ref in definitions.classes
    }
    counters = [
        _counter(definitions, ref, place, instance, member, text, groups)
        for ref, instance in {**definitions.instances, **plain}.items()
        for place, number in enumerate(definitions.classes.get(instance.metric, ()))
        if (member := definitions.members.get(number)) is not None
    ]
    return tuple(sorted(counters, key=lambda counter: (counter.metric, counter.place)))


def _counter(  # noqa: PLR0913
    definitions: FurtherDefinitions,
    metric: int,
    place: int,
    instance: InstanceRecord,
    member: MemberRecord,
    text: Text,
    groups: dict[int, str],
) -> MetricCounter:
    return MetricCounter(
        metric=metric,
        place=place,
        name=text(member.name),
        unit=text(member.unit),
        mode=_word_of_code(_METRIC_MODES, member.mode & 15, "value"),
        base=_METRIC_BASES[member.base & 1],
        power=member.power if abs(member.power) <= _MAX_POWER else 0,
        description=text(member.description),
        kind=_word_of_code(_METRIC_KINDS, member.kind, "other"),
        timing=_word_of_code(_METRIC_TIMINGS, member.mode >> 4, "point"),
        recorder=instance.recorder,
        scope=_scope_text(definitions, instance, text, groups),
    )


def _word_of_code(words: tuple[str, ...], code: int, otherwise: str) -> str:
    return words[code] if code < len(words) else otherwise


def _scope_text(
    definitions: FurtherDefinitions,
    instance: InstanceRecord,
    text: Text,
    groups: dict[int, str],
) -> str:
    if instance.scope_kind == _SCOPE_NODE:
        node = definitions.nodes.get(instance.scope)
        return f"{text(node.kind)} {text(node.name)}" if node else ""
    if instance.scope_kind == _SCOPE_GROUP:
        return groups.get(instance.scope, "")
    return ""
