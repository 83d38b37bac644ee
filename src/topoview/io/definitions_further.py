"""Definitions that only records besides states, calls and messages refer to."""

from collections.abc import Callable
from ctypes import POINTER, c_int64, c_uint8, c_uint32, c_uint64
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

TEXT: Final = 0
"""Type of a parameter whose values are texts, by OTF2_ParameterType."""


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


class SiteRecord(NamedTuple):
    """A call site: file and line, the region that is called, and what calls it."""

    file: int
    line: int
    entered: int
    left: int


class PropertyRecord(NamedTuple):
    """A property of something: string of its name, OTF2_Type, bits of the value."""

    owner: int
    name: int
    kind: int
    value: int


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
    files
        File of each I/O handle.
    lines
        File and line of source code.
    paths
        Parent and region of call paths.
    has_texts
        Whether there are parameters whose values are texts.
    sites
        Call sites, in the trace's order.
    properties
        Of locations, groups of locations, nodes and so on, by kind of owner.
    """

    members: dict[int, MemberRecord] = field(default_factory=dict)
    classes: dict[int, tuple[int, ...]] = field(default_factory=dict)
    instances: dict[int, InstanceRecord] = field(default_factory=dict)
    nodes: dict[int, NodeRecord] = field(default_factory=dict)
    names: dict[str, dict[int, int]] = field(default_factory=dict)
    files: dict[int, int] = field(default_factory=dict)
    lines: dict[int, tuple[int, int]] = field(default_factory=dict)
    paths: dict[int, tuple[int, int]] = field(default_factory=dict)
    has_texts: bool = False
    sites: list[SiteRecord] = field(default_factory=list)
    properties: dict[str, list[PropertyRecord]] = field(default_factory=dict)


def further_takers(  # noqa: C901 - a table of small functions
    into: Further,
) -> dict[str, tuple[tuple[Any, ...], Callable[..., None]]]:
    """Make the callback of each kind of definition, with C types of its arguments."""

    def named(kind: str) -> Callable[..., None]:
        table = into.names.setdefault(kind, {})

        def take(ref: int, name: int, *rest: int) -> None:
            del rest
            table.setdefault(ref, name)

        return take

    def of(kind: str) -> Callable[..., None]:
        table = into.properties.setdefault(kind, [])

        def take(owner: int, name: int, form: int, value: int) -> None:
            table.append(PropertyRecord(owner, name, form, value))

        return take

    take_parameter = named("parameter")

    def parameter(ref: int, name: int, kind: int) -> None:
        take_parameter(ref, name)
        into.has_texts |= kind == TEXT

    def path_parameter(owner: int, parameter: int, form: int, value: int) -> None:
        name = into.names["parameter"].get(parameter, 0xFFFFFFFF)
        record = PropertyRecord(owner, name, form, value)
        into.properties.setdefault("call path", []).append(record)

    def handle(ref: int, name: int, file: int, *rest: int) -> None:
        del rest
        into.names.setdefault("I/O handle", {}).setdefault(ref, name)
        into.files.setdefault(ref, file)

    def site(ref: int, file: int, number: int, entered: int, left: int) -> None:
        del ref
        into.sites.append(SiteRecord(file, number, entered, left))

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
        "Parameter": ((u32, u32, u8), parameter),
        "Attribute": ((u32, u32, u32, u8), named("attribute")),
        "RmaWin": ((u32, u32, u32, u32), named("RMA window")),
        "IoRegularFile": ((u32, u32, u32), named("I/O file")),
        "IoDirectory": ((u32, u32, u32), named("I/O file")),
        "IoHandle": ((u32, u32, u32, u8, u32, u32, u32), handle),
        "InterruptGenerator": ((u32, u32, u8, u8, c_int64, u64), named("sampling")),
        "SourceCodeLocation": ((u32, u32, u32), line),
        "Callpath": ((u32, u32, u32), path),
        "Callsite": ((u32,) * 5, site),
        "SystemTreeNodeProperty": ((u32, u32, u8, u64), of("node")),
        "LocationGroupProperty": ((u32, u32, u8, u64), of("location group")),
        "LocationProperty": ((u64, u32, u8, u64), of("location")),
        "CallingContextProperty": ((u32, u32, u8, u64), of("calling context")),
        "CallpathParameter": ((u32, u32, u8, u64), path_parameter),
        "IoFileProperty": ((u32, u32, u8, u64), of("I/O file")),
    }
