"""Global definitions of an archive, as they stand in the file."""

import ctypes
from collections.abc import Callable
from ctypes import (
    POINTER,
    c_char_p,
    c_int,
    c_uint8,
    c_uint32,
    c_uint64,
    c_void_p,
)
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from topoview.io.definitions_further import Further, further_takers
from topoview.io.definitions_kept import Rows, keepers, keeping
from topoview.io.library import Handle, Library
from topoview.io.texts import text_of
from topoview.model import Ints

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
    further: Further = field(default_factory=Further)
    rows: Rows = field(default_factory=dict)

    def string(self, reference: int) -> str:
        """Text of a string, empty if it is not defined."""
        return self.strings.get(reference, "")


Take = Callable[..., None]


def _takers(  # noqa: C901 - a table of small functions
    into: Definitions,
) -> dict[str, tuple[tuple[Any, ...], Take]]:
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
        **further_takers(into.further),
        **keepers(into.rows),
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
        for name, (types, take) in _takers(found).items():
            alive.append(_callback(types, keeping(name, take, found.rows)))
            setter = getattr(library, f"GlobalDefReaderCallbacks_Set{name}Callback")
            setter(callbacks, ctypes.cast(alive[-1], c_void_p))
        library.Reader_RegisterGlobalDefCallbacks(reader, definitions, callbacks, None)
        whole = library.read_definitions("Global", reader, definitions, count=count)
    finally:
        library.GlobalDefReaderCallbacks_Delete(callbacks)
        library.Reader_CloseGlobalDefReader(reader, definitions)
    return found, whole and count is None


def _callback(types: tuple[Any, ...], take: Take) -> Any:  # noqa: ANN401 - a C function
    def callback(user: int, *arguments: Any) -> int:  # noqa: ANN401 - C types
        del user
        take(*arguments)
        return 0

    return ctypes.CFUNCTYPE(c_int, c_void_p, *types)(callback)
