"""From the event files of a trace to the tables of the model.

The decoder gives columns for each location. Here sends are matched with receives,
collective operations are put in order, and all of it becomes the timeline, the calls,
messages, collectives and further records of the model, as `RecordedEvents`.
"""

from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from topoview.io.decoder.blocks import ATTRIBUTE_FIELDS, METRIC_FIELDS
from topoview.io.decoder.decoding import Decoded, Source, decode
from topoview.io.decoder.library import EMPTY_RECEIVE, NO_PART, NOBODY
from topoview.io.decoder.readers import cores, in_threads
from topoview.io.definitions.communicators import Communicators
from topoview.io.definitions.locations import RanksAndLocations
from topoview.io.definitions.regions import RegionLookup
from topoview.io.intercommunicators import (
    IntercommunicatorPairs,
    find_intercommunicators,
)
from topoview.io.library import Handle, Library
from topoview.io.matching import Ends, match_in_order
from topoview.io.pairing import Received, Sent, forget_unset, group_by_receiver, pair
from topoview.io.record_types import ATTRIBUTES, METRIC, RECORDS
from topoview.model import (
    CallPaths,
    Calls,
    ClockAlignment,
    Collectives,
    EventRecords,
    Indices,
    Ints,
    Messages,
    Regions,
    Subset,
    Timeline,
    to_ticks,
)
from topoview.progress import Report
from topoview.store.arrays import Allocate


class OpenArchive(NamedTuple):
    """An open archive.

    Attributes
    ----------
    library, reader
        libotf2 and its reader.
    folder
        Folder of the locations' files.
    event_chunk, definition_chunk
        Bytes of the chunks of files.
    silent
        Locations that have no events, by the definitions: no file is missed.
    resolution
        Ticks a second.
    """

    library: Library
    reader: Handle
    folder: Path
    event_chunk: int
    definition_chunk: int
    silent: frozenset[int]
    resolution: int


class MessageTally(NamedTuple):
    """What did not fit.

    Attributes
    ----------
    no_receive, no_send
        Messages of which that is not recorded.
    unknown_partners
        Records that name a partner outside of their communicator.
    backwards, worst
        Messages received before they were sent; by how many ticks at most.
    loosely
        Receives matched though they name another communicator.
    unknown_senders
        Those of `unknown_partners` that are receives.
    null_receives
        Receives from nobody (MPI_PROC_NULL), or from a process without a rank.
    from_self
        Receives that match nothing and claim to come from their own rank (EZTrace).
    unset
        Receives that hold memory which was never set (EZTrace).
    between
        Numbers of communicators that are one between two groups (EZTrace).
    """

    no_receive: int
    no_send: int
    unknown_partners: int
    backwards: int
    worst: int
    loosely: int = 0
    unknown_senders: int = 0
    null_receives: int = 0
    from_self: int = 0
    unset: int = 0
    between: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class RecordedEvents:
    """The events of a trace.

    Attributes
    ----------
    timeline, calls, messages, collectives, further
        As the model has them.
    paths, path_cut
        Call paths; how many times one was told shorter than it is.
    counts
        Events of each type, by its name; empty if they were not told apart.
    count
        Events in all.
    origin
        Time stamp of the trace's beginning.
    last : int64, shape (rows,)
        Ticks to the last event of each row, -1 without events.
    aligned
        Whether clocks of different ranks can be compared.
    tally
        Messages that did not fit.
    astray, spoilt
        Records of messages outside of any MPI call; records that hold numbers
        which are none.
    faults
        What is wrong with files: kind of file and description, and the files
        that they hold for.
    lost, lost_in
        Events that are known to be there, but could not be read; how many of them in
        each file that has some.
    unread
        Bytes of files before and behind what was asked for.
    alignment
        How the clocks were aligned; None if they were, or could not be.
    """

    timeline: Timeline
    calls: Calls
    messages: Messages
    collectives: Collectives
    tally: MessageTally
    count: int
    origin: int
    last: Ints
    aligned: bool
    paths: CallPaths = field(default_factory=CallPaths)
    further: tuple[EventRecords, ...] = ()
    counts: tuple[tuple[str, int], ...] = ()
    astray: int = 0
    spoilt: int = 0
    path_cut: int = 0
    faults: dict[tuple[str, str], list[str]] = field(default_factory=dict)
    lost: int = 0
    lost_in: dict[str, int] = field(default_factory=dict)
    unread: int = 0
    alignment: ClockAlignment | None = None

    @property
    def length(self) -> int:
        """Ticks from the trace's beginning to its last event."""
        return int(self.last.max(initial=0))


_MIN_MESSAGES_PER_THREAD: Final = 1 << 15
_MAX_UINT32_COUNT: Final = 1 << 32
_MESSAGE_COLUMNS: Final = (
    "sender", "receiver", "size", "tag", "communicator", "send_call",
    "receive_call", "completion_call", "send_time", "receive_time",
)  # fmt: skip


def make_messages(  # noqa: PLR0913
    found: Decoded,
    rank: Indices,
    ranks: int,
    communicators: Communicators,
    loose: bool,
    allocate: Allocate,
    regions: Regions,
) -> tuple[Messages, MessageTally]:
    """Match sends and receives.

    Parameters
    ----------
    rank : int32, shape (rows,)
        Rank of each row.
    loose
        Receives may name a wrong communicator (EZTrace): those that match
        nothing are matched once more by tag and rank in any communicator, and
        dropped if they claim to come from the same rank all the same. Posted ones
        may hold memory that was never set. A communicator between two groups is
        recorded as two (`topoview.io.intercommunicators`).
    regions
        Those of the calls, which tell who made such communicators.
    """
    columns = found.columns
    sends = int(found.send_offsets[-1])
    sent = Sent(*(columns[f"messages.{name}"][:sends] for name in Sent._fields))
    slots, send_order, receive_order = _receive_orders(found, rank, ranks)
    received = _receive_columns(columns)
    parts = found.receives.parts
    unset = 0
    if loose:
        unset = forget_unset(parts, columns["receives"])
    kind = np.uint32 if sends < _MAX_UINT32_COUNT else np.int64
    grouped = allocate("messages.grouped", sends, kind, scratch=True)
    begins = group_by_receiver(sent.receiver, ranks, send_order, grouped)

    shares: list[tuple[int, int, int]] = []

    def share(one: int, other: int) -> None:
        ranks_here = one, other
        receives = columns["receives"]
        shares.append(
            pair(ranks_here, begins, grouped, slots, receive_order, sent, receives)
        )

    in_threads(
        [partial(share, *bounds) for bounds in pairwise(_receiver_shares(begins))]
    )
    matched = sum(part[0] for part in shares)
    backwards = sum(part[1] for part in shares)
    worst = max((part[2] for part in shares), default=0)
    more = from_self = 0
    between: IntercommunicatorPairs = ()
    left = np.zeros(0, np.int64)
    if matched + unset < found.receives.count:
        found.receives.squeeze()
        received = _receive_columns(columns)
        left = np.flatnonzero(received.rank != EMPTY_RECEIVE)
    if loose:
        local, owner = columns["receives.local"], _receive_ranks(found, rank, left)
        between = find_intercommunicators(
            found, sent, received, left, owner, communicators, regions
        )
        more, early, most = _pair_loosely(
            sent, received, left, local, owner, communicators
        )
        matched, backwards, worst = matched + more, backwards + early, max(worst, most)
        left = left[received.rank[left] != EMPTY_RECEIVE]
        foreign = received.rank[left] != _receive_ranks(found, rank, left)
        from_self = len(left) - int(np.count_nonzero(foreign))
        left = left[foreign]
    nowhere = int(np.count_nonzero(received.rank[left] == NOBODY))
    unknown = int(np.count_nonzero(received.rank[left] < NOBODY))
    left = left[received.rank[left] >= 0]
    _append_unmatched(found, left, _receive_ranks(found, rank, left), sends)
    total = sends + len(left)
    messages = Messages(
        *(columns[f"messages.{name}"][:total] for name in _MESSAGE_COLUMNS)
    )
    tally = MessageTally(
        sends - matched, len(left), found.unknown_senders + unknown, backwards, worst,
        more, unknown, nowhere, from_self, unset, between,
    )  # fmt: skip
    return messages, tally


def _receive_columns(columns: dict[str, NDArray[Any]]) -> Received:
    return Received(*(columns[f"receives.{name}"] for name in Received._fields))


def _receive_ranks(found: Decoded, rank: Indices, slots: Ints) -> Indices:
    """Ranks of receives."""
    row = np.searchsorted(found.receives.parts[:, 0], slots, side="right") - 1
    return rank[row]


def _receive_orders(
    found: Decoded, rank: Indices, ranks: int
) -> tuple[Ints, Ints, Ints]:
    """Where each rank's receives are; order of sends and receives by time.

    Orders are needed, and not empty, where several rows of a rank communicate.
    """
    empty = np.zeros(0, np.int64)
    slots = np.zeros((ranks, 2), np.int64)
    posted = found.columns.get("receives.posted")
    if posted is None:
        parts = found.receives.parts
        here = np.flatnonzero(parts[:, 1] > parts[:, 0])
        slots[rank[here]] = parts[here]
        return slots, empty, empty
    owner = np.repeat(rank, np.diff(found.receives.squeeze()))
    posted = found.columns["receives.posted"]
    receive_order = np.lexsort((posted, owner))
    ordered = owner[receive_order]
    every = np.arange(ranks)
    slots[:, 0] = np.searchsorted(ordered, every)
    slots[:, 1] = np.searchsorted(ordered, every, side="right")
    sends = int(found.send_offsets[-1])
    time = found.columns["messages.send_time"][:sends]
    sender = found.columns["messages.sender"][:sends]
    return slots, np.lexsort((time, sender)), receive_order


def _receiver_shares(begins: Ints) -> list[int]:
    """Cut the receivers into parts of about as many messages."""
    count = int(max(1, min(4 * cores(), begins[-1] // _MIN_MESSAGES_PER_THREAD)))
    cuts = np.searchsorted(begins, np.arange(1, count) * (begins[-1] // count))
    return sorted({0, *cuts.tolist(), len(begins) - 1})


def _pair_loosely(  # noqa: PLR0913
    sent: Sent,
    received: Received,
    left: Ints,
    local: NDArray[np.uint32],
    owner: Indices,
    communicators: Communicators,
) -> tuple[int, int, int]:
    """Match the rest by tag, receiver, and sender's rank in any communicator."""
    free = np.flatnonzero(sent.receive_time < 0)
    if not len(free) or not len(left):
        return 0, 0, 0
    more = match_in_order(
        Ends(
            communicators.local_ranks(sent.sender[free], sent.communicator[free]),
            sent.receiver[free],
            np.zeros(len(free), np.int32),
            sent.tag[free].view(np.uint32),
        ),
        Ends(
            local[left].astype(np.int32),
            owner,
            np.zeros(len(left), np.int32),
            received.tag[left],
        ),
    )
    fits = more >= 0
    send, slot = free[more[fits]], left[fits]
    sent.receive_call[send] = received.post[slot]
    sent.completion_call[send] = received.call[slot]
    sent.receive_time[send] = received.time[slot]
    received.rank[slot] = EMPTY_RECEIVE
    early = sent.send_time[send] - received.time[slot]
    return len(send), int(np.sum(early > 0)), int(np.max(early, initial=0))


def _append_unmatched(found: Decoded, left: Ints, owner: Indices, sends: int) -> None:
    """Append the receives without a send to the messages."""
    columns = found.columns
    here = slice(sends, sends + len(left))
    columns["messages.sender"][here] = columns["receives.rank"][left]
    columns["messages.receiver"][here] = owner
    columns["messages.size"][here] = columns["receives.size"][left]
    columns["messages.tag"][here] = columns["receives.tag"][left].view(np.int32)
    columns["messages.communicator"][here] = columns["receives.communicator"][left]
    columns["messages.send_call"][here] = -1
    columns["messages.receive_call"][here] = columns["receives.post"][left]
    columns["messages.completion_call"][here] = columns["receives.call"][left]
    columns["messages.send_time"][here] = -1
    columns["messages.receive_time"][here] = columns["receives.time"][left]


def make_collectives(found: Decoded) -> Collectives:
    """Put together the parts in collectives, in order of the call.

    A non-blocking one belongs to the call that posted it. One that was never
    completed is left out, and one before any call: nothing tells whose it is.
    """
    columns = found.columns
    names = ("call", "communicator", "root", "sent", "received", "operation")
    done = columns["collectives.operation"] != NO_PART
    count = int(np.count_nonzero(done))
    kept = {name: columns[f"collectives.{name}"] for name in names}
    if count < len(done):
        for name, column in kept.items():
            column[:count] = column[done]
            kept[name] = column[:count]
    call = kept["call"]
    if (call[1:] < call[:-1]).any() or call.min(initial=0) < 0:
        order = np.argsort(call, kind="stable")
        order = order[np.count_nonzero(call < 0) :]
        kept = {name: column[order] for name, column in kept.items()}
    return Collectives(**kept)


_SPECIAL_FIELDS: Final = {
    METRIC: METRIC_FIELDS,
    ATTRIBUTES: ATTRIBUTE_FIELDS,
}
_ATTRIBUTE_NAME: Final = "Attribute"


def read_all_events(  # noqa: PLR0913
    archive: OpenArchive,
    processes: RanksAndLocations,
    meaning: RegionLookup,
    communicators: Communicators,
    is_eztrace: bool,
    report: Report,
    allocate: Allocate,
    subset: Subset,
    regions: Regions,
) -> RecordedEvents:
    """Read the events of all locations.

    Parameters
    ----------
    is_eztrace
        EZTrace wrote them: calls are never nested, clocks not aligned, and
        receives can name a wrong communicator.
    subset
        Which part is to be read. Some of what is outside of it is read, too.
    regions
        Those of `meaning`.
    """
    source = Source(
        archive.folder,
        archive.event_chunk,
        archive.definition_chunk,
        archive.silent,
        subset,
        to_ticks(subset.begin or 0.0, archive.resolution),
        _end_ticks(subset, archive.resolution),
    )
    locations, ranks = processes.locations, len(processes.mains)
    found = decode(
        source, locations, ranks, meaning, communicators, is_eztrace, report, allocate
    )
    report("matching messages", 0.0)
    rank = np.array([place.rank for place in locations], np.int32)
    messages, tally = make_messages(
        found, rank, ranks, communicators, is_eztrace, allocate, regions
    )
    report("matching messages", 1.0)
    columns = found.columns
    return RecordedEvents(
        timeline=Timeline(
            found.interval_offsets,
            columns["timeline.time"],
            columns["timeline.state"],
            columns["timeline.region"],
        ),
        calls=Calls(
            found.call_offsets,
            columns["calls.region"],
            columns["calls.enter"],
            columns["calls.leave"],
            columns["calls.completes"],
            columns["calls.path"],
            columns["calls.kept"],
        ),
        messages=messages,
        collectives=make_collectives(found),
        tally=tally,
        paths=found.paths,
        count=found.count,
        origin=found.origin,
        last=found.last,
        aligned=found.aligned,
        further=tuple(_further_records(found, kind) for kind in found.further_offsets),
        counts=tuple((_record_name(kind), n) for kind, n in found.counts.items()),
        astray=found.astray,
        spoilt=found.spoilt,
        path_cut=found.path_cut,
        faults=found.faults,
        lost=found.lost,
        lost_in=found.lost_in,
        unread=found.unread,
    )


def _end_ticks(subset: Subset, resolution: int) -> int | None:
    """Ticks at which a part of a trace ends; at least one is in it."""
    if subset.end is None:
        return None
    begin = to_ticks(subset.begin or 0.0, resolution)
    return max(to_ticks(subset.end, resolution), begin + 1)


def _record_name(kind: int) -> str:
    return RECORDS[kind].name if kind in RECORDS else f"type {kind}"


def _further_records(found: Decoded, kind: int) -> EventRecords:
    fields: tuple[str, ...] = _SPECIAL_FIELDS.get(kind, ())
    if kind not in _SPECIAL_FIELDS:
        fields = tuple(field.name for field in RECORDS[kind].fields)
    time = found.columns[f"further.{kind}.time"]
    values = found.columns[f"further.{kind}.fields"]
    return EventRecords(
        name=_ATTRIBUTE_NAME if kind == ATTRIBUTES else _record_name(kind),
        fields=fields,
        offsets=found.further_offsets[kind],
        time=time,
        values=values.reshape(len(time), len(fields)),
    )
