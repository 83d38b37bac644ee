"""The global definitions of an archive as plain records.

The records keep the archive's own identifiers; the other files of this folder resolve
them into the definitions of the model.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NamedTuple, TypeVar

import numpy as np

from topoview.io.archive.anchor import AnchorFile
from topoview.io.definitions.columns import (
    UNDEFINED,
    DefinitionColumns,
    decode_definitions,
)
from topoview.io.definitions.tables import TABLE_FIELDS, Words, as_signed
from topoview.model import Ints

Value = TypeVar("Value")

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
    kept: dict[str, Words] = field(default_factory=dict)
    """Fields of `TABLE_FIELDS` as they are."""
    whole: bool = True
    """Whether all could be read."""

    def string(self, reference: int) -> str:
        """Text of a string, empty if it is not defined."""
        return self.strings.get(reference, "")


def read_records(path: Path, head: AnchorFile) -> Definitions:
    """Read the records of a file of global definitions, as far as it is whole.

    Parameters
    ----------
    head
        What the anchor file says.

    Raises
    ------
    TraceError
        If it is compressed, and too large for the memory.
    """
    columns = decode_definitions(path, head)
    clocks = list(columns.rows("ClockProperties", "resolution"))
    return Definitions(
        creator=head.creator,
        resolution=max(clocks[-1][0], 1) if clocks else 1,
        strings=columns.table("String", "text", columns.text),
        location_groups=columns.table(
            "LocationGroup", "name kind node creator", GroupOfLocations
        ),
        locations=columns.table(
            "Location", "self name kind events group", LocationRecord
        ),
        regions=columns.table(
            "Region", "name role paradigm file begin end", RegionRecord
        ),
        contexts=columns.table("CallingContext", "region line parent", ContextRecord),
        groups=[
            GroupRecord._make((*codes, columns.items_at(begin, size).view(np.int64)))
            for begin, size, *codes in columns.rows(
                "Group", "members size self name kind paradigm flags"
            )
        ],
        communicators=_in_file_order(
            columns,
            CommunicatorRecord,
            {"Comm": "name group parent", "InterComm": "name group parent other"},
        ),
        topologies=columns.table(
            "CartTopology",
            "name communicator dimensions count",
            lambda name, communicator, *dimensions: TopologyRecord(
                name, communicator, columns.numbers_at(*dimensions)
            ),
        ),
        dimensions=columns.table(
            "CartDimension",
            "name size periodic",
            lambda name, size, periodic: DimensionRecord(name, size, bool(periodic)),
        ),
        coordinates=[
            (topology, rank, columns.numbers_at(*place))
            for topology, rank, *place in columns.rows(
                "CartCoordinate", "topology rank place count"
            )
        ],
        further=_further_records(columns),
        kept=_kept_tables(columns),
        whole=columns.whole,
    )


def _in_file_order(
    columns: DefinitionColumns, make: Callable[..., Value], types: dict[str, str]
) -> dict[int, Value]:
    """Return what `make` gives for records of several types that share identifiers.

    Parameters
    ----------
    types
        Fields of each.
    """
    rows = [
        row
        for name, fields in types.items()
        for row in columns.rows(name, f"number self {fields}")
    ]
    result: dict[int, Value] = {}
    for _, identifier, *values in sorted(rows):
        if identifier not in result:
            result[identifier] = make(*values)
    return result


_NAMED: Final = {
    "parameter": "Parameter",
    "attribute": "Attribute",
    "RMA window": "RmaWin",
    "sampling": "InterruptGenerator",
    "I/O handle": "IoHandle",
}
"""What has a name in `FurtherDefinitions.names`, and its type."""

_OWNERS: Final = {
    "node": "SystemTreeNodeProperty",
    "location group": "LocationGroupProperty",
    "location": "LocationProperty",
    "calling context": "CallingContextProperty",
    "I/O file": "IoFileProperty",
}
"""What has properties, and their type."""


def _further_records(columns: DefinitionColumns) -> FurtherDefinitions:
    names = {kind: columns.table(name, "name", int) for kind, name in _NAMED.items()}
    names["I/O file"] = _in_file_order(
        columns, int, {"IoRegularFile": "name", "IoDirectory": "name"}
    )
    properties = {
        owner: [
            PropertyRecord(*row) for row in columns.rows(name, "owner name type value")
        ]
        for owner, name in _OWNERS.items()
    }
    parameters = names["parameter"]
    properties["call path"] = [
        PropertyRecord(path, parameters.get(parameter, UNDEFINED), kind, value)
        for path, parameter, kind, value in columns.rows(
            "CallpathParameter", "owner parameter type value"
        )
    ]
    return FurtherDefinitions(
        members=columns.table(
            "MetricMember",
            "name description kind mode base exponent unit",
            lambda *codes: MemberRecord._make(
                (*codes[:5], as_signed(codes[5], 64), codes[6])
            ),
        ),
        classes=columns.table("MetricClass", "members count", columns.numbers_at),
        instances=columns.table(
            "MetricInstance", "class recorder scope_kind scope", InstanceRecord
        ),
        nodes=columns.table("SystemTreeNode", "name kind parent", NodeRecord),
        names=names,
        files=columns.table("IoHandle", "file", int),
        lines=columns.table("SourceCodeLocation", "file line", _pair),
        paths=columns.table("Callpath", "parent region", _pair),
        has_texts=(TEXT_PARAMETER,) in columns.rows("Parameter", "type"),
        sites=[
            SiteRecord(*row)
            for row in columns.rows("Callsite", "file line entered left")
        ],
        properties=properties,
    )


def _pair(one: int, other: int) -> tuple[int, int]:
    return one, other


def _kept_tables(columns: DefinitionColumns) -> dict[str, Words]:
    """Pick the fields of `TABLE_FIELDS`."""
    kept = {
        name: columns.columns(name, re.sub("[*$]", "", fields))
        for name, fields in TABLE_FIELDS.items()
        if name in columns.tables
    }
    properties = [
        np.insert(columns.items_at(begin, 3 * count).reshape(-1, 3), 0, paradigm, 1)
        for paradigm, begin, count in columns.rows(
            "IoParadigm", "self properties count"
        )
    ]
    if properties:
        kept["IoParadigmProperty"] = np.concatenate(properties)
    return kept
