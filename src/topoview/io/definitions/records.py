"""Read the global definitions of an archive as plain records.

libotf2 calls back for each definition. The records keep the archive's own identifiers;
the other files of this folder resolve them into the definitions of the model.
"""

import ctypes
from collections.abc import Callable
from ctypes import (
    POINTER,
    c_char_p,
    c_int,
    c_int64,
    c_uint8,
    c_uint32,
    c_uint64,
    c_void_p,
)
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

import numpy as np

from topoview.io.definitions.tables import (
    DefinitionRows,
    also_keep_row,
    table_callbacks,
    text_of,
)
from topoview.io.libotf2 import Handle, Library
from topoview.model import Ints

# Definitions that only records besides states, calls and messages refer to.

TEXT_PARAMETER: Final = 0
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
class FurtherDefinitions:
    """Records of such definitions, by identifier; the first one counts."""

    members: dict[int, MemberRecord] = field(default_factory=dict)
    classes: dict[int, tuple[int, ...]] = field(default_factory=dict)
    instances: dict[int, InstanceRecord] = field(default_factory=dict)
    nodes: dict[int, NodeRecord] = field(default_factory=dict)
    names: dict[str, dict[int, int]] = field(default_factory=dict)
    """Number of the name's string, by kind and identifier."""
    files: dict[int, int] = field(default_factory=dict)
    """File of each I/O handle."""
    lines: dict[int, tuple[int, int]] = field(default_factory=dict)
    """File and line of source code."""
    paths: dict[int, tuple[int, int]] = field(default_factory=dict)
    """Parent and region of call paths."""
    has_texts: bool = False
    """Whether there are parameters whose values are texts."""
    sites: list[SiteRecord] = field(default_factory=list)
    """Call sites, in the trace's order."""
    properties: dict[str, list[PropertyRecord]] = field(default_factory=dict)
    """Of locations, groups of locations, nodes and so on, by kind of owner."""


def further_callbacks(  # noqa: C901 - a table of small functions
    into: FurtherDefinitions,
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
        into.has_texts |= kind == TEXT_PARAMETER

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


UNDEFINED = 0xFFFFFFFF


class LocationRecord(NamedTuple):
    """A location; `kind` is OTF2_LocationType, `events` can be wrong."""

    id: int
    name: int
    kind: int
    events: int
    group: int


class GroupOfLocations(NamedTuple):
    """A process or an accelerator; `kind` is OTF2_LocationGroupType."""

    name: int
    kind: int
    node: int
    creator: int


class RegionRecord(NamedTuple):
    """A code region."""

    name: int
    role: int
    paradigm: int
    file: int
    begin: int
    end: int


class ContextRecord(NamedTuple):
    """A calling context: its region, source line, and what called it."""

    region: int
    line: int
    parent: int


class GroupRecord(NamedTuple):
    """A group; `kind` is OTF2_GroupType."""

    id: int
    name: int
    kind: int
    paradigm: int
    flags: int
    members: Ints


class CommunicatorRecord(NamedTuple):
    """A communicator; one between two groups has a second one."""

    name: int
    group: int
    parent: int
    other: int = UNDEFINED


class TopologyRecord(NamedTuple):
    """A Cartesian topology."""

    name: int
    communicator: int
    dimensions: tuple[int, ...]


class DimensionRecord(NamedTuple):
    """A dimension of Cartesian topologies."""

    name: int
    size: int
    periodic: bool


@dataclass(slots=True)
class Definitions:
    """Records of the global definitions that topoview uses.

    Of definitions with the same identifier the first one counts (EZTrace
    writes some twice); groups keep all, because it gives two different groups
    the same one. References between records stay the archive's identifiers.
    """

    creator: str = ""
    resolution: int = 1
    strings: dict[int, str] = field(default_factory=dict)
    location_groups: dict[int, GroupOfLocations] = field(default_factory=dict)
    locations: dict[int, LocationRecord] = field(default_factory=dict)
    regions: dict[int, RegionRecord] = field(default_factory=dict)
    contexts: dict[int, ContextRecord] = field(default_factory=dict)
    groups: list[GroupRecord] = field(default_factory=list)
    communicators: dict[int, CommunicatorRecord] = field(default_factory=dict)
    topologies: dict[int, TopologyRecord] = field(default_factory=dict)
    dimensions: dict[int, DimensionRecord] = field(default_factory=dict)
    coordinates: list[tuple[int, int, tuple[int, ...]]] = field(default_factory=list)
    further: FurtherDefinitions = field(default_factory=FurtherDefinitions)
    rows: DefinitionRows = field(default_factory=dict)

    def string(self, reference: int) -> str:
        """Text of a string, empty if it is not defined."""
        return self.strings.get(reference, "")


Callback = Callable[..., None]


def _definition_callbacks(  # noqa: C901 - a table of small functions
    into: Definitions,
) -> dict[str, tuple[tuple[Any, ...], Callback]]:
    """Make the callback of each kind of definition, with C types of its arguments."""

    def string(ref: int, text: bytes | None) -> None:
        into.strings.setdefault(ref, text_of(text or b""))

    def clock(resolution: int, offset: int, length: int, realtime: int) -> None:
        del offset, length, realtime  # both can be wrong: taken from the events
        into.resolution = max(resolution, 1)

    def location_group(ref: int, name: int, kind: int, at: int, creator: int) -> None:
        into.location_groups.setdefault(ref, GroupOfLocations(name, kind, at, creator))

    def location(ref: int, name: int, kind: int, events: int, group: int) -> None:
        into.locations.setdefault(ref, LocationRecord(ref, name, kind, events, group))

    def region(  # noqa: PLR0913 - libotf2's signature
        ref: int,
        name: int,
        canonical: int,
        text: int,
        role: int,
        paradigm: int,
        flags: int,
        file: int,
        begin: int,
        end: int,
    ) -> None:
        del canonical, text, flags
        into.regions.setdefault(
            ref, RegionRecord(name, role, paradigm, file, begin, end)
        )

    def context(ref: int, region: int, place: int, parent: int) -> None:
        into.contexts.setdefault(ref, ContextRecord(region, place, parent))

    def group(  # noqa: PLR0913 - libotf2's signature
        ref: int,
        name: int,
        kind: int,
        paradigm: int,
        flags: int,
        size: int,
        members: Any,  # noqa: ANN401 - a C pointer
    ) -> None:
        data = ctypes.string_at(members, 8 * size) if size else b""
        into.groups.append(
            GroupRecord(ref, name, kind, paradigm, flags, np.frombuffer(data, np.int64))
        )

    def communicator(ref: int, name: int, group: int, parent: int, flags: int) -> None:
        del flags
        into.communicators.setdefault(ref, CommunicatorRecord(name, group, parent))

    def between(  # noqa: PLR0913 - libotf2's signature
        ref: int, name: int, one: int, other: int, parent: int, flags: int
    ) -> None:
        del flags
        into.communicators.setdefault(ref, CommunicatorRecord(name, one, parent, other))

    def dimension(ref: int, name: int, size: int, periodic: int) -> None:
        into.dimensions.setdefault(ref, DimensionRecord(name, size, bool(periodic)))

    def topology(ref: int, name: int, comm: int, count: int, dims: Any) -> None:  # noqa: ANN401
        into.topologies.setdefault(ref, TopologyRecord(name, comm, tuple(dims[:count])))

    def coordinate(ref: int, rank: int, count: int, place: Any) -> None:  # noqa: ANN401
        into.coordinates.append((ref, rank, tuple(place[:count])))

    u8, u32, u64 = c_uint8, c_uint32, c_uint64
    return {
        "String": ((u32, c_char_p), string),
        "ClockProperties": ((u64, u64, u64, u64), clock),
        "LocationGroup": ((u32, u32, u8, u32, u32), location_group),
        "Location": ((u64, u32, u8, u64, u32), location),
        "Region": ((u32,) * 4 + (u8, u8) + (u32,) * 4, region),
        "CallingContext": ((u32,) * 4, context),
        "Group": ((u32, u32, u8, u8, u32, u32, c_void_p), group),
        "Comm": ((u32,) * 5, communicator),
        "InterComm": ((u32,) * 6, between),
        "CartDimension": ((u32, u32, u32, u8), dimension),
        "CartTopology": ((u32, u32, u32, u8, POINTER(u32)), topology),
        "CartCoordinate": ((u32, u32, u8, POINTER(u32)), coordinate),
        **further_callbacks(into.further),
        **table_callbacks(into.rows),
    }


def read_definitions(
    library: Library, reader: Handle, count: int | None = None
) -> tuple[Definitions, bool]:
    """Read the global definitions of an open archive.

    Parameters
    ----------
    count
        How many of them are there, if the file was cut.

    Returns
    -------
    Definitions, bool
        What could be read, and whether that was all.
    """
    found = Definitions(creator=library.creator(reader))
    definitions = library.Reader_GetGlobalDefReader(reader)
    if not definitions:
        return found, False
    callbacks = library.GlobalDefReaderCallbacks_New()
    alive = []
    try:
        for name, (types, take) in _definition_callbacks(found).items():
            alive.append(_c_callback(types, also_keep_row(name, take, found.rows)))
            setter = getattr(library, f"GlobalDefReaderCallbacks_Set{name}Callback")
            setter(callbacks, ctypes.cast(alive[-1], c_void_p))
        library.Reader_RegisterGlobalDefCallbacks(reader, definitions, callbacks, None)
        whole = library.read_definitions("Global", reader, definitions, count=count)
    finally:
        library.GlobalDefReaderCallbacks_Delete(callbacks)
        library.Reader_CloseGlobalDefReader(reader, definitions)
    return found, whole and count is None


def _c_callback(types: tuple[Any, ...], take: Callback) -> Any:  # noqa: ANN401 - a C function
    def callback(user: int, *arguments: Any) -> int:  # noqa: ANN401 - C types
        del user
        take(*arguments)
        return 0

    return ctypes.CFUNCTYPE(c_int, c_void_p, *types)(callback)
