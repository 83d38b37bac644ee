"""One-sided calls and files: whom a call reaches, and through which window or file.

OTF2 records what reaches another rank's memory apart from messages: the window and
the target's number in it. Whose number that is follows from who made the window.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from topoview.base.kernels import kernel
from topoview.logical.calls.operations import LOCKING, ONE_SIDED
from topoview.model import EventRecords, Indices, Ints, Messages, Trace


def ranks_of(trace: Trace, records: EventRecords) -> Ints:
    """Rank of each record of a main thread; those of other threads come later."""
    counts = np.diff(records.offsets)[: trace.ranks]
    return np.repeat(np.arange(trace.ranks), counts)


def calls_around(trace: Trace, rank: Ints, time: Ints) -> Ints:
    """Find the call of each rank's main thread in which a time lies, -1 for none."""
    calls = trace.calls
    return _calls_around(calls.offsets, calls.enter, calls.leave, rank, time)


@kernel
def _calls_around(
    offsets: Ints, enter: Ints, leave: Ints, row: Ints, time: Ints
) -> Ints:
    found = np.full(len(time), -1, np.int64)
    for k in range(len(time)):
        low, high = offsets[row[k]], offsets[row[k] + 1]
        at = low + np.searchsorted(enter[low:high], time[k], side="right") - 1
        if at >= low and leave[at] >= time[k]:
            found[k] = at
    return found


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
    nothing is told of one that no communicator fits. One that all made is missing.

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
    found: dict[int, Ints] = {}
    every = np.unique(np.concatenate(pairs), axis=0)
    for of_one in np.split(every, np.flatnonzero(np.diff(every[:, 0])) + 1):
        if 0 < len(of_one) < trace.ranks:
            own = tuple(of_one[:, 1].tolist())
            found[int(of_one[0, 0])] = sets.get(own, np.zeros(0, np.int64))
    return found


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


@dataclass(frozen=True, slots=True, eq=False)
class OneSided:
    """What calls reach.

    Attributes
    ----------
    messages
        The trace's messages, and what one-sided calls move as further ones.
    receive_call : int64, shape (messages,)
        Call that received or fetched each of them; -1 if unknown, or if none did.
    moved
        Number of the further ones, the last.
    place : int64, shape (calls,)
        Window or file of each call: index into `names`, -1 if it has none.
    names
        Names of windows and files.
    """

    messages: Messages
    receive_call: Ints
    moved: int
    place: Ints
    names: tuple[str, ...]


def one_sided(trace: Trace, operation: Ints | Indices, receive_call: Ints) -> OneSided:
    """Find what one-sided calls and file operations reach.

    Parameters
    ----------
    operation : integers, shape (calls,)
        Operation of the calls of the ranks' main threads.
    receive_call : int64, shape (messages,)
        Call that received each message.
    """
    finder = _TransferFinder(trace, operation)
    place, names = finder.places()
    moves = [
        *finder.moves(SENT_BYTES, fetched=False),
        *finder.moves(FETCHED_BYTES, fetched=True),
    ]
    moves += list(finder.locks())
    columns = [np.concatenate(c) for c in zip(*moves, strict=True)] if moves else []
    if not columns or not len(columns[0]):
        return OneSided(trace.messages, receive_call, 0, place, names)
    call, origin, target, size, fetched = columns
    come = fetched.astype(bool)
    sender, receiver = np.where(come, target, origin), np.where(come, origin, target)
    none = np.full(len(call), -1, np.int64)
    known = trace.messages
    further = {
        "sender": sender,
        "receiver": receiver,
        "size": size,
        "tag": np.full(len(call), ONE_SIDED_TAG),
        "communicator": np.zeros(len(call)),
        "send_call": np.where(come, -1, call),
        "receive_call": none,
        "completion_call": none,
        "send_time": none,
        "receive_time": none,
    }
    columns_of = {
        name: np.concatenate((getattr(known, name), more)).astype(
            getattr(known, name).dtype
        )
        for name, more in further.items()
    }
    received = np.concatenate((receive_call, np.where(come, call, -1)))
    return OneSided(replace(known, **columns_of), received, len(call), place, names)


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
    finder = _TransferFinder(trace, operation)
    found = np.full(len(operation), -1, np.int64)
    for name in FILE_RECORDS:
        if name in finder.records:
            call = finder.calls(finder.records[name])[0]
            use = (call >= 0) & finder.filing[finder.operation[call]]
            use &= finder.records[name].column("bytes") >= 0
            found[call[use]] = finder.records[name].column("bytes")[use]
    return found


Transfers = tuple[Ints, Ints, Ints, Ints, Ints]
"""Call, origin, target, bytes and whether they come, of each record."""


class _TransferFinder:
    def __init__(self, trace: Trace, operation: Ints | Indices) -> None:
        self.trace = trace
        self.operation = np.append(operation, -1)  # behind the calls: that of none
        self.records = {found.name: found for found in trace.further}
        names = trace.regions.operations
        self.reaching = np.array([*(n in ONE_SIDED for n in names), False], bool)
        self.locking = np.array([*(n in LOCKING for n in names), False], bool)
        self.filing = np.array([*(n.startswith("File_") for n in names), False], bool)
        self.members = window_members(trace)

    def moves(self, kinds: dict[str, str], *, fetched: bool) -> Iterator[Transfers]:
        """Go through records of bytes that move."""
        for name, field in kinds.items():
            if name in self.records:
                size = self.records[name].column(field)
                call, origin, target = self._reached(self.records[name])
                size = np.maximum(size, 0)
                use = (call >= 0) & (target >= 0)
                use &= self.reaching[self.operation[call]]
                if fetched and name == "RmaAtomic":
                    use &= size > 0
                way = np.full(int(use.sum()), int(fetched))
                yield call[use], origin[use], target[use], size[use], way

    def locks(self) -> Iterator[Transfers]:
        """Go through records of targets that are locked: one of each call."""
        for name in LOCK_RECORDS:
            if name in self.records:
                call, origin, target = self._reached(self.records[name])
                use = (call >= 0) & (target >= 0)
                use &= self.locking[self.operation[call]]
                _, first = np.unique(call[use], return_index=True)
                if name == "RmaAcquireLock" or not len(first):
                    continue  # told by its request
                chosen = np.flatnonzero(use)[first]
                size = np.full(len(chosen), -1)
                yield (
                    call[chosen],
                    origin[chosen],
                    target[chosen],
                    size,
                    np.zeros(len(chosen), np.int64),
                )

    def places(self) -> tuple[Ints, tuple[str, ...]]:
        """Window or file of each call, and the names of all."""
        place = np.full(len(self.operation) - 1, -1, np.int64)
        names: list[str] = []
        for field, kind in PLACE_FIELDS:
            calls, keys = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
            for records in self.records.values():
                if field in records.fields:
                    call, _ = self.calls(records)
                    use = call >= 0
                    if field == "handle":  # MPI sends through sockets, which are files
                        use &= self.filing[self.operation[call]]
                    calls.append(call[use])
                    keys.append(records.column(field)[use])
            used, which = np.unique(np.concatenate(keys), return_inverse=True)
            place[np.concatenate(calls)] = len(names) + which
            names += self._named(field, kind, used.tolist(), names)
        return place, tuple(names)

    def _named(
        self, field: str, kind: str, used: list[int], taken: list[str]
    ) -> list[str]:
        known: dict[int, str] = {}
        for named in self.trace.names:
            if named.kind == kind:
                pairs = zip(named.identifiers.tolist(), named.names, strict=True)
                known.update(pairs)
        word = "file" if field == "handle" else field
        found: list[str] = []
        for number, key in enumerate(used):
            own = known.get(key, "").strip().rsplit("/", 1)[-1]
            name = f"{word} {own}" if own and own.lower() != word else word
            if name == word and len(used) > 1:
                name = f"{word} {number + 1}"
            while name in found or name in taken:
                name += "'"
            found.append(name)
        return found

    def calls(self, records: EventRecords) -> tuple[Ints, Ints]:
        """Call in which each record lies, -1 if in none of a main thread; its rank."""
        rank = ranks_of(self.trace, records)
        found = calls_around(self.trace, rank, records.time[: len(rank)])
        none = np.full(len(records) - len(rank), -1)
        return np.append(found, none), np.append(rank, none)

    def _reached(self, records: EventRecords) -> tuple[Ints, Ints, Ints]:
        """Call, rank and target's world rank of each record; -1 if not known."""
        call, rank = self.calls(records)
        window, remote = records.column("window"), records.column("remote")
        target = world_targets(window, remote, self.members, self.trace.ranks)
        return call, rank, target
