"""Definitions that only records besides states, calls and messages refer to."""

from collections.abc import Callable
from ctypes import POINTER, c_int64, c_uint8, c_uint32, c_uint64
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

import numpy as np

from topoview.model import Named, SystemNode

_DEEPEST: Final = 64
"""Levels of a call path that are spelled out."""


class MemberRecord(NamedTuple):
    """A metric: names, codes of its kind, mode and base, power, and unit."""

    name: int
    description: int
    kind: int
    mode: int
    base: int
    power: int
    unit: int


class InstanceRecord(NamedTuple):
    """An instance of a class of metrics: who recorded it for what."""

    metric: int
    recorder: int
    scope_kind: int
    scope: int


class NodeRecord(NamedTuple):
    """A part of the machine."""

    name: int
    kind: int
    parent: int


@dataclass(slots=True)
class Further:
    """Records of such definitions, by identifier; the first one counts.

    Attributes
    ----------
    names
        Number of the name's string, by kind and identifier.
    lines
        File and line of source code.
    paths
        Parent and region of call paths.
    """

    members: dict[int, MemberRecord] = field(default_factory=dict)
    classes: dict[int, tuple[int, ...]] = field(default_factory=dict)
    instances: dict[int, InstanceRecord] = field(default_factory=dict)
    nodes: dict[int, NodeRecord] = field(default_factory=dict)
    names: dict[str, dict[int, int]] = field(default_factory=dict)
    lines: dict[int, tuple[int, int]] = field(default_factory=dict)
    paths: dict[int, tuple[int, int]] = field(default_factory=dict)


def further_takers(
    into: Further,
) -> dict[str, tuple[tuple[Any, ...], Callable[..., None]]]:
    """Make the callback of each kind of definition, with C types of its arguments."""

    def named(kind: str) -> Callable[..., None]:
        table = into.names.setdefault(kind, {})

        def take(ref: int, name: int, *rest: int) -> None:
            del rest
            table.setdefault(ref, name)

        return take

    def member(ref: int, *values: int) -> None:
        name, description, kind, mode, _, base, power, unit = values
        into.members.setdefault(
            ref, MemberRecord(name, description, kind, mode, base, power, unit)
        )

    def metric_class(ref: int, count: int, members: Any, *rest: int) -> None:  # noqa: ANN401
        del rest
        into.classes.setdefault(ref, tuple(members[:count]))

    def instance(ref: int, metric: int, recorder: int, kind: int, scope: int) -> None:
        into.instances.setdefault(ref, InstanceRecord(metric, recorder, kind, scope))

    def node(ref: int, name: int, kind: int, parent: int) -> None:
        into.nodes.setdefault(ref, NodeRecord(name, kind, parent))

    def line(ref: int, file: int, number: int) -> None:
        into.lines.setdefault(ref, (file, number))

    def path(ref: int, parent: int, region: int) -> None:
        into.paths.setdefault(ref, (parent, region))

    u8, u32, u64 = c_uint8, c_uint32, c_uint64
    return {
        "SystemTreeNode": ((u32,) * 4, node),
        "MetricMember": ((u32, u32, u32, u8, u8, u8, u8, c_int64, u32), member),
        "MetricClass": ((u32, u8, POINTER(u32), u8, u8), metric_class),
        "MetricInstance": ((u32, u32, u64, u8, u64), instance),
        "Parameter": ((u32, u32, u8), named("parameter")),
        "Attribute": ((u32, u32, u32, u8), named("attribute")),
        "RmaWin": ((u32, u32, u32, u32), named("RMA window")),
        "IoRegularFile": ((u32, u32, u32), named("I/O file")),
        "IoDirectory": ((u32, u32, u32), named("I/O file")),
        "IoHandle": ((u32, u32, u32, u8, u32, u32, u32), named("I/O handle")),
        "SourceCodeLocation": ((u32, u32, u32), line),
        "Callpath": ((u32, u32, u32), path),
    }


Text = Callable[[int], str]


def find_nodes(found: Further, text: Text) -> tuple[SystemNode, ...]:
    """List the parts of the machine, in the order of the trace."""
    index = {ref: number for number, ref in enumerate(found.nodes)}
    return tuple(
        SystemNode(text(node.name), text(node.kind), index.get(node.parent, -1))
        for node in found.nodes.values()
    )


def find_names(
    found: Further, text: Text, region: Callable[[int], str]
) -> tuple[Named, ...]:
    """Name what identifiers in records mean.

    Parameters
    ----------
    region
        Gives the name of a region.
    """
    tables = {
        kind: {ref: text(name) for ref, name in table.items()}
        for kind, table in found.names.items()
    }
    tables["source line"] = {
        ref: f"{text(file)}:{number}" for ref, (file, number) in found.lines.items()
    }
    tables["call path"] = {ref: _path(found, ref, region) for ref in found.paths}
    return tuple(
        Named(
            kind,
            np.array(sorted(table), np.int64),
            tuple(table[ref] for ref in sorted(table)),
        )
        for kind, table in tables.items()
        if table
    )


def _path(found: Further, ref: int, region: Callable[[int], str]) -> str:
    """Spell a call path from its outermost region: ``main > solve > MPI_Send``."""
    names: list[str] = []
    while ref in found.paths and len(names) < _DEEPEST:
        ref, here = found.paths[ref]
        names.append(region(here))
    return " > ".join(reversed(names))
