"""Small archives written record by record, so that what is right is known from how."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import _otf2

Place = int | tuple[int, int]
"""A rank's main thread, or a rank and the number of one of its threads, from 1."""

NONE = 0xFFFFFFFF
EVENT_CHUNK, DEFINITION_CHUNK = 1 << 20, 1 << 22


class Archive:
    """An archive in the making: times are nanoseconds, locations come with records."""

    def __init__(self, ranks: int, *, threads: int = 0, creator: str = "") -> None:
        self.ranks, self.creator = ranks, creator
        self.strings: dict[str, int] = {}
        self.regions: dict[str, int] = {}
        self.definitions: list[tuple[str, tuple[Any, ...]]] = []
        self.events: dict[int, list[tuple[int, int, str, tuple[Any, ...]]]] = {
            self._id((rank, thread)): []
            for thread in range(threads + 1)
            for rank in range(ranks)
        }
        self._communicators = 0
        self._groups = 1
        self.communicator(range(ranks), "MPI_COMM_WORLD")

    def _id(self, place: Place) -> int:
        rank, thread = (place, 0) if isinstance(place, int) else place
        return rank + (thread << 32)

    def text(self, words: str) -> int:
        """Give the number of a string."""
        return self.strings.setdefault(words, len(self.strings))

    def define(self, kind: str, *fields: object) -> None:
        """Add a global definition."""
        self.definitions.append((kind, fields))

    def region(self, name: str) -> int:
        """Give the number of a region; those of MPI are known by their names."""
        if name not in self.regions:
            self.regions[name] = len(self.regions)
            mpi = name.startswith("MPI_")
            paradigm = _otf2.Paradigm.MPI if mpi else _otf2.Paradigm.USER
            words, empty = self.text(name), self.text("")
            role, flag = _otf2.RegionRole.FUNCTION, _otf2.RegionFlag.NONE
            fields = words, words, empty, role, paradigm, flag, NONE, 0, 0
            self.define("Region", self.regions[name], *fields)
        return self.regions[name]

    def group(self, members: Sequence[int]) -> int:
        """Add a group of ranks; gives its number."""
        number, self._groups = self._groups, self._groups + 1
        kind, paradigm = _otf2.GroupType.COMM_GROUP, _otf2.Paradigm.MPI
        flag, empty = _otf2.GroupFlag.NONE, self.text("")
        self.define("Group", number, empty, kind, paradigm, flag, list(members))
        return number

    def communicator(self, members: Sequence[int], name: str) -> int:
        """Add a communicator; gives its number. The first is the world."""
        number, self._communicators = self._communicators, self._communicators + 1
        parent, flag = 0 if number else NONE, _otf2.CommFlag.NONE
        self.define("Comm", number, self.text(name), self.group(members), parent, flag)
        return number

    def between(self, one: Sequence[int], other: Sequence[int], name: str) -> int:
        """Add an intercommunicator of two groups; gives its number."""
        number, self._communicators = self._communicators, self._communicators + 1
        groups = self.group(one), self.group(other)
        flag = _otf2.CommFlag.NONE
        self.define("InterComm", number, self.text(name), *groups, 0, flag)
        return number

    def event(self, place: Place, time: int, name: str, *fields: object) -> None:
        """Add a record."""
        own = self.events[self._id(place)]
        own.append((time, len(own), name, fields))

    def call(
        self,
        place: Place,
        enter: int | None,
        leave: int | None,
        name: str,
        *records: tuple[Any, ...],
    ) -> None:
        """Add a call: without its enter, or its leave, if that is None.

        Parameters
        ----------
        records
            Of each its time, its type and its fields.
        """
        region = self.region(name)
        if enter is not None:
            self.event(place, enter, "Enter", region)
        for time, kind, *fields in records:
            self.event(place, time, kind, *fields)
        if leave is not None:
            self.event(place, leave, "Leave", region)

    def all_call(self, enter: int, leave: int, name: str) -> None:
        """Let all main threads call something."""
        for rank in range(self.ranks):
            self.call(rank, enter, leave, name)

    def collective(
        self,
        name: str,
        operation: Any,  # noqa: ANN401 - an enumerator of otf2
        enters: dict[int, int],
        leave: int,
        communicator: int = 0,
    ) -> None:
        """Add a blocking collective operation: when each member enters it."""
        for rank, enter in enters.items():
            end = leave - 1, "MpiCollectiveEnd", operation, communicator, NONE, 8, 8
            self.call(rank, enter, leave, name, (enter + 1, "MpiCollectiveBegin"), end)

    def write(self, folder: Path) -> Path:
        """Write it; gives the anchor."""
        archive = _otf2.Archive_Open(
            str(folder),
            "traces",
            _otf2.FileMode.WRITE,
            EVENT_CHUNK,
            DEFINITION_CHUNK,
            _otf2.FileSubstrate.POSIX,
            _otf2.Compression.NONE,
        )
        flush = _otf2.FlushCallbacks(
            pre_flush=lambda *_: _otf2.FlushType.FLUSH, post_flush=None
        )
        _otf2.Archive_SetFlushCallbacks(archive, flush, None)
        _otf2.Archive_SetSerialCollectiveCallbacks(archive)
        if self.creator:
            _otf2.Archive_SetCreator(archive, self.creator)
        _otf2.Archive_OpenEvtFiles(archive)
        _otf2.Archive_OpenDefFiles(archive)
        for location, events in self.events.items():
            writer = _otf2.Archive_GetEvtWriter(archive, location)
            local = _otf2.Archive_GetDefWriter(archive, location)
            for time, _, kind, fields in sorted(events, key=lambda one: one[:2]):
                getattr(_otf2, f"EvtWriter_{kind}")(writer, None, time, *fields)
            _otf2.Archive_CloseDefWriter(archive, local)
            _otf2.Archive_CloseEvtWriter(archive, writer)
        _otf2.Archive_CloseEvtFiles(archive)
        _otf2.Archive_CloseDefFiles(archive)
        self._write_definitions(_otf2.Archive_GetGlobalDefWriter(archive), archive)
        _otf2.Archive_Close(archive)
        return folder / "traces.otf2"

    def _write_definitions(self, writer: Any, archive: Any) -> None:  # noqa: ANN401
        machine, kind = self.text("machine"), _otf2.LocationGroupType.PROCESS
        nodes = [("SystemTreeNode", (0, machine, machine, NONE))]
        places = []
        for location, events in self.events.items():
            rank, thread = location & NONE, location >> 32
            if not thread:
                fields = rank, self.text(f"MPI Rank {rank}"), kind, 0, NONE
                nodes.append(("LocationGroup", fields))
            name = self.text(f"thread {thread}" if thread else "Master thread")
            cpu = _otf2.LocationType.CPU_THREAD
            places.append(("Location", (location, name, cpu, len(events), rank)))
        locations = (
            "Group",
            (
                0,
                self.text(""),
                _otf2.GroupType.COMM_LOCATIONS,
                _otf2.Paradigm.MPI,
                _otf2.GroupFlag.NONE,
                list(range(self.ranks)),
            ),
        )
        end = max((t for own in self.events.values() for t, *_ in own), default=0) + 1
        unknown = 0xFFFFFFFFFFFFFFFF
        _otf2.GlobalDefWriter_WriteClockProperties(writer, 10**9, 0, end, unknown)
        for words, number in self.strings.items():
            _otf2.GlobalDefWriter_WriteString(writer, number, words)
        for name, fields in [*nodes, *places, locations, *self.definitions]:
            getattr(_otf2, f"GlobalDefWriter_Write{name}")(writer, *fields)
        _otf2.Archive_CloseGlobalDefWriter(archive, writer)
