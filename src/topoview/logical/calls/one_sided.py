"""One-sided calls and files: whom a call reaches, and through which window or file.

OTF2 records what reaches another rank's memory apart from messages: the window and
the target's number in it. Whose number that is follows from who made the window.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from topoview.logical import kernels
from topoview.logical.calls.operations import LOCKING, ONE_SIDED, is_one_of
from topoview.model import Bools, EventRecords, Indices, Ints, Part, Trace, whole_part


def ranks_of(trace: Trace, records: EventRecords) -> Ints:
    """Rank of each record of a main thread; those of other threads come later."""
    counts = np.diff(records.offsets)[: trace.ranks]
    return np.repeat(np.arange(trace.ranks), counts)


def calls_around(trace: Trace, rank: Ints, time: Ints) -> Ints:
    """Find the call of each rank's main thread in which a time lies, -1 for none."""
    calls = trace.calls
    call = kernels.last_entries(calls.offsets, calls.enter, rank, time)
    inside = np.flatnonzero(call >= 0)
    call[inside[calls.leave[call[inside]] < time[inside]]] = -1
    return call


def world_targets(
    window: Ints, remote: Ints, members: dict[int, Ints], ranks: int
) -> Ints:
    """World ranks that numbers in windows mean.

    Parameters
    ----------
    window, remote : int64, shape (n,)
        Identifiers of windows, and numbers in them.
    members
        As `window_members` tells them.
    ranks
        Ranks of the trace.

    Returns
    -------
    int64, shape (n,)
        -1 for numbers that nobody has.
    """
    everybody = np.arange(ranks)
    target = np.full(len(window), -1, np.int64)
    order = np.argsort(window, kind="stable")
    for own in np.split(order, np.flatnonzero(np.diff(window[order])) + 1):
        if len(own):
            group = members.get(int(window[own[0]]), everybody)
            own = own[(remote[own] >= 0) & (remote[own] < len(group))]
            target[own] = group[remote[own]]
    return target


def window_members(trace: Trace) -> dict[int, Ints]:
    """World ranks of each window's members: of those who made it.

    A window that not all ranks made is of the communicator that has just these;
    nothing is told of one that no communicator fits. One that all made is missing. If
    it is not recorded who made it, its definition tells.

    Returns
    -------
    dict
        By the window's identifier: int64, shape (members,).
    """
    pairs = [np.zeros((0, 2), np.int64)]
    for made in trace.further:
        if made.name == "RmaWinCreate":
            rank = ranks_of(trace, made)
            pairs.append(np.stack([made.column("window")[: len(rank)], rank], 1))
    for before in trace.earlier:
        if before.name == "RmaWinCreate":
            pairs.append(np.stack([before.column("window"), before.rank], 1))
    sets = {
        tuple(sorted(c.ranks.tolist())): c.ranks.astype(np.int64)
        for c in reversed(trace.communicators)
    }
    every = np.unique(np.concatenate(pairs), axis=0)
    recorded = set(every[:, 0].tolist())
    result = {
        window: ranks.astype(np.int64)
        for window, ranks in trace.windows.items()
        if window not in recorded and len(ranks)
    }
    for of_one in np.split(every, np.flatnonzero(np.diff(every[:, 0])) + 1):
        if 0 < len(of_one) < trace.ranks:
            own = tuple(of_one[:, 1].tolist())
            result[int(of_one[0, 0])] = sets.get(own, np.zeros(0, np.int64))
    return result


ONE_SIDED_TAG = -2
"""Tag of what one-sided calls move: no message has it."""

SENT_BYTES = {"RmaPut": "bytes", "RmaAtomic": "bytes_sent"}
"""Records of bytes that go to the target."""

FETCHED_BYTES = {"RmaGet": "bytes", "RmaAtomic": "bytes_received"}
"""Records of bytes that come from it."""

LOCK_RECORDS = ("RmaAcquireLock", "RmaRequestLock", "RmaReleaseLock", "RmaSync")
"""Records of calls that concern a target without moving bytes."""

FILE_RECORDS = ("IoOperationBegin", "IoOperationComplete")
"""Records of bytes read or written; the last one that there is holds."""

PLACE_FIELDS = (("window", "RMA window"), ("handle", "I/O handle"))
"""Fields that tell what a call works on, and the kind of their names."""


class Moves(NamedTuple):
    """What one-sided calls move, or concern, as messages."""

    sender: Ints
    receiver: Ints
    size: Ints
    tag: Ints
    send_call: Ints
    receive_call: Ints
    """`sender`, `receiver`, `size`, `tag`, `send_call` and `receive_call`: int64, shape
    (moves,): as of `topoview.model.Messages`: the call that puts sends, the one that
    gets receives."""


@dataclass(frozen=True, slots=True, eq=False)
class OneSided:
    """What calls of some ranks reach."""

    moves: Moves
    """What they move."""
    place: Ints
    """int64, shape (calls,): window or file of each call: index into `keys`, -1 if it
    has none."""
    keys: Ints
    """int64, shape (n, 2): number of the kind, of `PLACE_FIELDS`, and identifier of
    each window and file."""


def one_sided(part: Part, operation: Ints | Indices) -> OneSided:
    """Find what one-sided calls and file operations of some ranks reach.

    Parameters
    ----------
    operation : integers, shape (calls,)
        Operation of the calls of the ranks' main threads.
    """
    finder = _TransferFinder(part, operation)
    moves = [
        *finder.moves(SENT_BYTES, fetched=False),
        *finder.moves(FETCHED_BYTES, fetched=True),
        *finder.locks(),
    ]
    none = (np.zeros(0, np.int64),) * 5
    call, origin, target, size, fetched = (
        np.concatenate(column) for column in zip(none, *moves, strict=True)
    )
    come = fetched.astype(bool)
    moved = Moves(
        sender=np.where(come, target, origin),
        receiver=np.where(come, origin, target),
        size=size,
        tag=np.full(len(call), ONE_SIDED_TAG),
        send_call=np.where(come, -1, call),
        receive_call=np.where(come, call, -1),
    )
    return OneSided(moved, *finder.places())


def moved_by_files(trace: Trace, operation: Ints) -> Ints:
    """Count the bytes that each call read or wrote.

    Parameters
    ----------
    operation : int64, shape (calls,)
        Operation of the calls of the ranks' main threads.

    Returns
    -------
    int64, shape (calls,)
        -1 for calls of which no record tells.
    """
    finder = _TransferFinder(whole_part(trace), operation)
    result = np.full(len(operation), -1, np.int64)
    for name in FILE_RECORDS:
        if name in finder.records:
            records = finder.records[name]
            use = finder.does(finder.filing, records.call) & (records["bytes"] >= 0)
            result[records.call[use]] = records["bytes"][use]
    return result


Transfers = tuple[Ints, Ints, Ints, Ints, Ints]
"""Call, origin, target, bytes and whether they come, of each record."""


def names_of_kind(trace: Trace, kind: str) -> dict[int, str]:
    """Look up the names that a trace has of a kind, by their identifiers."""
    names: dict[int, str] = {}
    for named in trace.names:
        if named.kind == kind:
            names.update(zip(named.identifiers.tolist(), named.names, strict=True))
    return names


class RecordsOfRanks:
    """Records of some ranks' main threads."""

    def __init__(self, part: Part, records: EventRecords) -> None:
        offsets = records.offsets[part.ranks.start : part.ranks.stop + 1]
        self._records, self._own = records, slice(int(offsets[0]), int(offsets[-1]))
        numbers = np.arange(part.ranks.start, part.ranks.stop)
        self.rank: Ints = np.repeat(numbers, np.diff(offsets))
        self.time: Ints = records.time[self._own]
        """`rank` and `time`: int64, shape (records,): rank and time of each."""

    def __getitem__(self, field: str) -> Ints:
        """Return a field's values."""
        return self._records.column(field)[self._own]


class _RecordsOfCalls(RecordsOfRanks):
    """And the call that each record is of, among those of the ranks; -1 if of none."""

    def __init__(self, part: Part, records: EventRecords) -> None:
        super().__init__(part, records)
        call = calls_around(part.trace, self.rank, self.time)
        self.call: Ints = np.where(call < 0, -1, call - part.main.start)
        self.fields = records.fields


class _TransferFinder:
    def __init__(self, part: Part, operation: Ints | Indices) -> None:
        self.part = part
        self.operation = np.append(operation, -1)  # behind the calls: that of none
        trace = part.trace
        self.records = {
            records.name: _RecordsOfCalls(part, records)
            for records in trace.further
            if {"window", "handle"} & set(records.fields)
        }
        names = trace.regions.operations
        self.reaching = is_one_of(trace.regions, ONE_SIDED)
        self.locking = is_one_of(trace.regions, LOCKING)
        self.filing = np.array([*(n.startswith("File_") for n in names), False], bool)
        self.members = window_members(trace)

    def does(self, kind: Bools, call: Ints) -> Bools:
        """Return which calls are of a kind of operations."""
        made: Bools = (call >= 0) & kind[self.operation[call]]
        return made

    def moves(self, kinds: dict[str, str], *, fetched: bool) -> Iterator[Transfers]:
        """Iterate over records of bytes that move."""
        for name, field in kinds.items():
            if name in self.records:
                records = self.records[name]
                size, target = np.maximum(records[field], 0), self._targets(records)
                use = self.does(self.reaching, records.call) & (target >= 0)
                if fetched and name == "RmaAtomic":
                    use &= size > 0
                some = np.flatnonzero(use)
                yield self._transfers(records, (target, size), some, int(fetched))

    def locks(self) -> Iterator[Transfers]:
        """Iterate over records of targets that are locked: one of each call."""
        for name in LOCK_RECORDS:
            if name in self.records and name != "RmaAcquireLock":  # told by its request
                records = self.records[name]
                target = self._targets(records)
                use = self.does(self.locking, records.call) & (target >= 0)
                _, first = np.unique(records.call[use], return_index=True)
                chosen = np.flatnonzero(use)[first]
                none = np.full(len(target), -1)
                yield self._transfers(records, (target, none), chosen, 0)

    def _transfers(
        self, records: _RecordsOfCalls, columns: tuple[Ints, Ints], some: Ints, way: int
    ) -> Transfers:
        target, size = columns[0][some], columns[1][some]
        call = self.part.main.start + records.call[some]
        return call, records.rank[some], target, size, np.full(len(call), way)

    def places(self) -> tuple[Ints, Ints]:
        """Window or file of each call, and the keys of all."""
        place = np.full(len(self.operation) - 1, -1, np.int64)
        chunks = [np.zeros((0, 2), np.int64)]
        many = 0
        for kind, (field, _) in enumerate(PLACE_FIELDS):
            calls, keys = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
            for records in self.records.values():
                if field in records.fields:
                    use = records.call >= 0
                    if field == "handle":  # MPI sends through sockets, which are files
                        use = self.does(self.filing, records.call)
                    calls.append(records.call[use])
                    keys.append(records[field][use])
            used, which = np.unique(np.concatenate(keys), return_inverse=True)
            place[np.concatenate(calls)] = many + which
            many += len(used)
            chunks.append(np.column_stack((np.full(len(used), kind), used)))
        return place, np.concatenate(chunks)

    def _targets(self, records: _RecordsOfCalls) -> Ints:
        """Find the world rank of each record's target; -1 if unknown."""
        window, remote = records["window"], records["remote"]
        return world_targets(window, remote, self.members, self.part.trace.ranks)


def place_names(trace: Trace, keys: Ints) -> list[str]:
    """Name windows and files: `OneSided.keys` of all ranks, ascending."""
    names: list[str] = []
    for kind, (field, named) in enumerate(PLACE_FIELDS):
        used = keys[keys[:, 0] == kind, 1].tolist()
        names += _named(trace, (field, named), used, names)
    return names


def _named(
    trace: Trace, kind: tuple[str, str], used: list[int], taken: list[str]
) -> list[str]:
    names = names_of_kind(trace, kind[1])
    word = "file" if kind[0] == "handle" else kind[0]
    result: list[str] = []
    for number, key in enumerate(used):
        own = names.get(key, "").strip().rsplit("/", 1)[-1]
        name = f"{word} {own}" if own and own.lower() != word else word
        if name == word and len(used) > 1:
            name = f"{word} {number + 1}"
        while name in result or name in taken:
            name += "'"
        result.append(name)
    return result
