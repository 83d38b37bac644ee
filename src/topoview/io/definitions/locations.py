"""Ranks and locations: who is who in the definitions."""

from typing import Final, NamedTuple

from topoview.io.definitions.records import Definitions, GroupRecord
from topoview.model import Location

# Codes of OTF2_GroupType, OTF2_Paradigm, OTF2_LocationType.
COMM_LOCATIONS: Final = 4
MPI: Final = 4
_PROCESS: Final = 1
_LOCATION_KINDS: Final = {1: "thread", 2: "accelerator", 3: "metric"}
_KIND_ORDER: Final = ("thread", "accelerator", "metric")


class RanksAndLocations(NamedTuple):
    """Ranks and locations."""

    mains: list[int]
    """Location of each rank's main thread."""
    locations: tuple[Location, ...]
    """All of them, in the order of the model's rows."""


def find_locations(definitions: Definitions) -> RanksAndLocations:
    """Find the ranks, and the order of the locations.

    The main threads are the members of the MPI group of locations; without
    one, every process is a rank, and its first thread the main one.
    """
    mains = _mpi_locations(definitions) or _first_threads(definitions)
    rank_of = {location: rank for rank, location in enumerate(mains)}
    groups = definitions.location_groups
    rank_of_group: dict[int, int] = {}
    for rank, main in enumerate(mains):
        record = definitions.locations.get(main)
        if record is not None:
            rank_of_group.setdefault(record.group, rank)

    def rank_of_location(location: int) -> int:
        if location in rank_of:
            return rank_of[location]
        group = definitions.locations[location].group
        seen = set()
        while group not in rank_of_group and group in groups and group not in seen:
            seen.add(group)
            group = groups[group].creator
        # Score-P numbers locations: rank + k * 2^32.
        return rank_of_group.get(group, rank_of.get(location & 0xFFFFFFFF, 0))

    further = [
        _location(definitions, location, rank_of_location(location))
        for location in definitions.locations
        if location not in rank_of
    ]
    further.sort(
        key=lambda place: (_KIND_ORDER.index(place.kind), place.rank, place.id)
    )
    first = [_location(definitions, main, rank) for rank, main in enumerate(mains)]
    return RanksAndLocations(mains, (*first, *further))


def _location(definitions: Definitions, location: int, rank: int) -> Location:
    record = definitions.locations.get(location)
    if record is None:
        return Location(location, rank, "")
    group = definitions.location_groups.get(record.group)
    nodes = definitions.further.nodes
    node = nodes.get(group.node) if group is not None else None
    return Location(
        id=location,
        rank=rank,
        name=definitions.string(record.name),
        kind=_LOCATION_KINDS.get(record.kind, "thread"),
        node="" if node is None else definitions.string(node.name),
        group="" if group is None else definitions.string(group.name),
    )


def locations_group(definitions: Definitions) -> GroupRecord | None:
    """Group of locations that communicators of MPI refer to."""
    for group in definitions.groups:
        if group.kind == COMM_LOCATIONS and group.paradigm == MPI:
            return group
    return None


def _mpi_locations(definitions: Definitions) -> list[int]:
    group = locations_group(definitions)
    if group is None:
        return []
    members = dict.fromkeys(int(member) for member in group.members.astype("u8"))
    return [m for m in members if m in definitions.locations]


def _first_threads(definitions: Definitions) -> list[int]:
    first: dict[int, int] = {}
    for location in sorted(definitions.locations):
        record = definitions.locations[location]
        group = definitions.location_groups.get(record.group)
        is_process = group is None or group.kind in (0, _PROCESS)
        if _LOCATION_KINDS.get(record.kind, "thread") == "thread" and is_process:
            first.setdefault(record.group, location)
    return sorted(first.values()) or sorted(definitions.locations)[:1]
