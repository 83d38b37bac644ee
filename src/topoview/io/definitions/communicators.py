"""Communicators and Cartesian topologies, in ranks of the world."""

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

import numpy as np

from topoview.io.definitions.columns import UNDEFINED
from topoview.io.definitions.locations import COMM_LOCATIONS, MPI, locations_group
from topoview.io.definitions.records import CommunicatorRecord, Definitions, GroupRecord
from topoview.io.definitions.regions import Identifiers
from topoview.model import (
    CartesianTopology,
    Communicator,
    EventRecords,
    Indices,
    Ints,
    readonly,
)

# Codes of OTF2_GroupType and OTF2_GroupFlag.
_COMM_SELF: Final = 6
_GLOBAL_MEMBERS: Final = 1


class CommunicatorMembers(NamedTuple):
    """Members of all communicators in flat arrays."""

    identifiers: Identifiers
    """uint32, sorted: the trace's identifiers."""
    numbers: Indices
    """int32: number of the communicator of each."""
    begins: Ints
    """int64, shape (communicators + 1,): where the members of each begin in `ranks`."""
    ranks: Indices
    """int32: world ranks."""


class Communicators(NamedTuple):
    """Communicators of a trace."""

    items: tuple[Communicator, ...]
    """Those of the model, the world first."""
    numbers: dict[int, int]
    """Number in `items` by the trace's identifier."""
    remote: dict[int, tuple[Indices, Indices]]
    """For a communicator between two groups, by its number: the groups."""

    def members(self) -> CommunicatorMembers:
        """Members of all communicators, for kernels."""
        identifiers = sorted(self.numbers)
        sizes = [len(communicator.ranks) for communicator in self.items]
        return CommunicatorMembers(
            np.array(identifiers, np.uint32),
            np.array([self.numbers[i] for i in identifiers], np.int32),
            np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
            np.concatenate([communicator.ranks for communicator in self.items]),
        )

    def joined(self, pairs: tuple[tuple[int, int], ...]) -> "Communicators":
        """Join pairs of communicators: one each, between the groups of the two.

        Parameters
        ----------
        pairs
            Numbers of communicators; -1 for a group that is not known.
        """
        groups = {
            one: (
                self.items[one].ranks,
                self.items[other].ranks if other >= 0 else np.zeros(0, np.int32),
            )
            for one, other in pairs
        }
        dropped = {other: one for one, other in pairs if other >= 0}
        kept = [number for number in range(len(self.items)) if number not in dropped]
        place = {number: at for at, number in enumerate(kept)}
        items = [
            Communicator(self.items[n].name, np.concatenate(groups[n]))
            if n in groups
            else self.items[n]
            for n in kept
        ]
        return Communicators(
            tuple(items),
            {ref: place[dropped.get(n, n)] for ref, n in self.numbers.items()},
            {place[n]: both for n, both in (self.remote | groups).items()},
        )

    def of_windows(self, records: Iterable[Sequence[int]]) -> dict[int, Indices]:
        """Return the members of windows: `Trace.windows`.

        Parameters
        ----------
        records
            Of each its identifier, name and communicator first.
        """
        return {
            int(window): self.items[self.numbers[int(communicator)]].ranks
            for window, _, communicator, *_ in records
            if int(communicator) in self.numbers
        }

    def local_ranks(self, world: Indices, numbers: Indices) -> Indices:
        """Rank of world ranks in communicators that they belong to, 0 if none.

        Returns
        -------
        int32, shape (n,)
        """
        result = np.zeros(len(world), np.int32)
        for number in np.unique(numbers):
            ranks = self.items[number].ranks
            if not len(ranks):
                continue
            here = np.flatnonzero(numbers == number)
            order = np.argsort(ranks)
            at = np.searchsorted(ranks[order], world[here]).clip(0, len(ranks) - 1)
            belongs = ranks[order[at]] == world[here]
            result[here[belongs]] = order[at[belongs]]
        return result


def find_communicators(definitions: Definitions, mains: list[int]) -> Communicators:
    """Find the communicators of MPI."""
    resolve = _Groups(definitions, mains)
    communicators: dict[int, Communicator] = {}
    remote: dict[int, tuple[Indices, Indices]] = {}
    for ref, record in definitions.communicators.items():
        ranks = resolve(record.group)
        if ranks is None:
            continue
        if record.other != UNDEFINED:
            other = resolve(record.other)
            other = ranks[:0] if other is None else other
            remote[ref] = (ranks, other)
            ranks = np.concatenate([ranks, other])
        communicators[ref] = Communicator(definitions.string(record.name), ranks)
    world = _find_world(definitions, communicators, len(mains))
    if world is None:
        everyone = np.arange(len(mains), dtype=np.int32)
        is_told = any(len(one.ranks) > 1 for one in communicators.values())
        items = [Communicator("all ranks" if is_told else "MPI_COMM_WORLD", everyone)]
    else:
        items = [
            Communicator(
                communicators[world].name or "MPI_COMM_WORLD",
                communicators[world].ranks,
            )
        ]
    index = {} if world is None else {world: 0}
    for ref, communicator in communicators.items():
        if ref != world:
            index[ref] = len(items)
            items.append(_with_name(communicator, len(items)))
    return Communicators(
        tuple(items), index, {index[ref]: groups for ref, groups in remote.items()}
    )


def find_groups(
    definitions: Definitions, mains: list[int], further: Iterable[EventRecords]
) -> dict[int, Indices]:
    """Find whom the groups contain that records name: `Trace.groups`."""
    resolve, result = _Groups(definitions, mains), dict[int, Indices]()
    for records in further:
        if "group" in records.fields:
            for ref in np.unique(records.column("group")).tolist():
                members = resolve(ref)
                if members is not None:
                    result[ref] = readonly(members[members >= 0], np.int32)
    return result


class _Groups:
    """World ranks of groups, by their identifiers."""

    def __init__(self, definitions: Definitions, mains: list[int]) -> None:
        self._rank = {location: rank for rank, location in enumerate(mains)}
        self._groups: dict[int, GroupRecord] = {}
        for group in definitions.groups:
            # Of groups with the same identifier, one of ranks counts.
            earlier = self._groups.get(group.id)
            if earlier is None or earlier.kind == COMM_LOCATIONS:
                self._groups[group.id] = group
        locations = locations_group(definitions)
        self._listed = [] if locations is None else locations.members.tolist()

    def __call__(self, ref: int) -> Indices | None:
        """World ranks of the members; None if the group is not one of MPI."""
        group = self._groups.get(ref)
        if group is None or group.paradigm != MPI:
            return None
        if group.kind == _COMM_SELF:
            return np.zeros(0, np.int32)
        members = group.members.tolist()
        if group.kind != COMM_LOCATIONS and not group.flags & _GLOBAL_MEMBERS:
            members = [
                self._listed[m] if 0 <= m < len(self._listed) else -1 for m in members
            ]
        return np.array([self._rank.get(m, -1) for m in members], np.int32)


def _find_world(
    definitions: Definitions, communicators: dict[int, Communicator], ranks: int
) -> int | None:
    def merit(ref: int) -> tuple[bool, bool, int]:
        record: CommunicatorRecord = definitions.communicators[ref]
        named = definitions.string(record.name) == "MPI_COMM_WORLD"
        return not named, record.parent != UNDEFINED, ref

    everyone = np.arange(ranks)
    whole = [r for r, c in communicators.items() if np.array_equal(c.ranks, everyone)]
    if not whole:  # sessions have no world, but a communicator may hold all ranks
        whole = [
            ref
            for ref, one in communicators.items()
            if np.array_equal(np.sort(one.ranks), everyone)
        ]
    return min(whole, key=merit, default=None)


def _with_name(communicator: Communicator, number: int) -> Communicator:
    if communicator.name:
        return communicator
    name = f"communicator {number}" if len(communicator.ranks) else "MPI_COMM_SELF"
    return Communicator(name, communicator.ranks)


def find_topologies(
    definitions: Definitions, communicators: Communicators
) -> tuple[CartesianTopology, ...]:
    """Find the Cartesian topologies that the program declared.

    Topologies on communicators that are none of MPI are left out: Score-P adds
    one, "Process x Thread".
    """
    places: dict[int, list[tuple[int, tuple[int, ...]]]] = {}
    for ref, rank, place in definitions.coordinates:
        places.setdefault(ref, []).append((rank, place))
    topologies = []
    for ref, record in definitions.topologies.items():
        number = communicators.numbers.get(record.communicator)
        dims = [definitions.dimensions.get(d) for d in record.dimensions]
        if number is None:
            continue
        dimensions = [d for d in dims if d is not None]
        ranks = communicators.items[number].ranks
        rows = [
            (int(ranks[rank]), place)
            for rank, place in places.get(ref, [])
            if rank < len(ranks) and len(place) == len(dimensions)
        ]
        topologies.append(
            CartesianTopology(
                name=definitions.string(record.name),
                communicator=number,
                dims=tuple(d.size for d in dimensions),
                periodic=np.array([d.periodic for d in dimensions], np.bool_),
                names=tuple(definitions.string(d.name) for d in dimensions),
                ranks=np.array([rank for rank, _ in rows], np.int32),
                coordinates=np.array([place for _, place in rows], np.int32).reshape(
                    len(rows), len(dimensions)
                ),
            )
        )
    return tuple(topologies)
